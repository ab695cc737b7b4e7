"""Golden values of anomaly detection."""

import numpy as np
import pytest
from scipy import stats

from gnomon.anomaly import (
    DensityDetector,
    GaussianDetector,
    LogShift,
    MahalanobisDetector,
    anomaly_split,
    gaussianity_report,
    select_threshold,
)
from gnomon.distributions import MultivariateNormal
from gnomon.numerics.curves import threshold_curve

SQUARE = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])


def correlated(rows, rho=0.95):
    """Rows of zero mean and covariance I, given the correlation ρ."""
    return rows @ np.linalg.cholesky([[1.0, rho], [rho, 1.0]]).T


@pytest.mark.spec("GEN-G48", "GEN-099")
def test_ten_thousand_good_and_twenty_bad_rows():
    y = np.repeat([0, 1], [10_000, 20])
    train, validation, test = anomaly_split(y, random_state=0)
    assert (len(train), y[train].sum()) == (6000, 0)
    assert (len(validation), y[validation].sum()) == (2010, 10)
    assert (len(test), y[test].sum()) == (2010, 10)
    all_good = [float(threshold_curve(np.zeros(len(part)), part).accuracy[0]) for part in (y, y[validation])]
    assert np.round(all_good, 6).tolist() == [0.998004, 0.995025]


@pytest.mark.spec("GEN-G49", "GEN-090", "GEN-092")
def test_an_odd_combination_of_usual_values():
    rows, x = correlated(SQUARE), np.array([[-1.8, 1.8]])
    diag, full = (MahalanobisDetector(kind).fit(rows) for kind in ("diag", "full"))
    assert np.round(diag.mahalanobis(x)[0], 2) == 6.48
    assert np.round(full.mahalanobis(x)[0], 1) == 129.6
    densities = [np.exp(GaussianDetector(kind).fit(rows).score_samples(x)[0]) for kind in ("diag", "full")]
    assert [f"{p:.4g}" for p in densities] == ["0.006233", "3.673e-29"]
    assert f"{stats.chi2.sf(full.mahalanobis(x)[0], 2):.1e}" == "7.2e-29"


@pytest.mark.spec("GEN-G49")
def test_how_many_good_rows_the_diagonal_model_finds_as_rare():
    angles = (np.arange(600) + 0.5) * 2.0 * np.pi / 600
    radii = np.sqrt(-2.0 * np.log((np.arange(1000) + 0.5) / 1000))
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    good = correlated((radii[:, None, None] * circle).reshape(-1, 2))
    detector = GaussianDetector("diag").fit(correlated(SQUARE))
    share = np.mean(detector.score_samples(good) <= detector.score_samples([[-1.8, 1.8]]))
    assert f"{100 * share:.2f}" == "6.94"


@pytest.mark.spec("GEN-G50", "GEN-097")
@pytest.mark.parametrize(
    ("d", "square", "log_epsilon"), [(1, 3.841459, -2.839668), (2, 5.991465, -4.833609), (3, 7.814728, -6.66418)]
)
def test_levels_of_standard_normal_laws(d, square, log_epsilon):
    rows = np.concatenate([np.sqrt(d) * np.eye(d), -np.sqrt(d) * np.eye(d)])
    for detector in (GaussianDetector(level=0.95), DensityDetector(MultivariateNormal, level=0.95)):
        assert np.round(detector.fit(rows).log_epsilon_, 6) == log_epsilon
    assert np.round(MahalanobisDetector(level=0.95).fit(rows).threshold_, 6) == square


class KnownMixture:
    """.3 N(−3, 1) + .7 N(3, 1), whatever it is fitted to."""

    def fit(self, X, sample_weight=None):
        return self

    def score_samples(self, X):
        parts = stats.norm.logpdf(np.asarray(X), loc=[-3.0, 3.0]) + np.log([0.3, 0.7])
        return np.logaddexp(parts[:, 0], parts[:, 1])

    def sample(self, n, random_state):
        rng = np.random.default_rng(random_state)
        return rng.normal(np.where(rng.uniform(size=n) < 0.3, -3.0, 3.0), 1.0)[:, None]


@pytest.mark.spec("GEN-G50", "GEN-091", "GEN-097")
def test_level_of_a_mixture():
    detector = DensityDetector(KnownMixture(), level=0.95, random_state=0).fit(np.zeros((2, 1)))
    # The root of F(region) = 0.95 by the distribution function itself is −3.5554426.
    assert np.round(detector.log_epsilon_, 6) == -3.555443


GOOD = [-2.0, -2.5, -3.0, -3.5, -4.0, -6.0]
BAD = [-5.0, -9.0, -12.0]


@pytest.mark.spec("GEN-G51", "GEN-096")
@pytest.mark.parametrize(
    ("metric", "beta", "threshold", "value"),
    [("f1", 1.0, -5.0, 0.857143), ("fbeta", 2.0, -5.0, 0.9375), ("fbeta", 0.5, -9.0, 0.909091)],
)
def test_the_best_threshold_on_nine_rows(metric, beta, threshold, value):
    choice = select_threshold(GOOD + BAD, [0] * 6 + [1] * 3, metric, beta)
    assert (choice.threshold, np.round(choice.value, 6)) == (threshold, value)
    place = choice.thresholds.tolist().index(-5.0)
    assert (choice.curve.tp[place], choice.curve.fp[place]) == (3, 1)


@pytest.mark.spec("GEN-G52", "GEN-090")
@pytest.mark.parametrize(("ddof", "log_p"), [(0, -5.93051), (1, -4.849351)])
@pytest.mark.parametrize("kind", ["full", "diag"])
def test_univariate_detector(kind, ddof, log_p):
    detector = GaussianDetector(kind, ddof).fit([[1.0], [2.0], [3.0], [4.0]])
    assert np.round(detector.score_samples([[6.0]])[0], 6) == log_p


@pytest.mark.spec("GEN-G53", "GEN-095", "GEN-094")
def test_shifted_logarithms():
    x = np.array([[0.0], [1.0], [3.0], [7.0], [15.0]])
    shift = LogShift(k=1.0).fit(x)
    z = shift.transform(x)
    np.testing.assert_allclose(np.exp(z).ravel(), [1, 2, 4, 8, 16])
    assert (np.round(np.mean(z), 6), np.round(np.var(z), 6)) == (1.386294, 0.960906)
    raw, made = (gaussianity_report(rows).columns[0].skewness for rows in (x, z))
    assert (np.round(raw, 3), abs(np.round(made, 12))) == (0.889, 0.0)
    detector = GaussianDetector().fit(z)
    log_p = detector.score_samples(shift.transform([[2.0]]))
    assert np.round(log_p[0], 6) == -0.942063
    assert np.round(log_p[0] + shift.log_jacobian([[2.0]])[0], 6) == -2.040676
    np.testing.assert_allclose(shift.inverse_transform(z), x, atol=1e-14)
