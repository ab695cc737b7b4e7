"""Golden values of where the error comes from, and of complexity."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from gnomon.evaluation import (
    LinearBall,
    bias_variance,
    error_sources,
    growth_function,
    n_dichotomies,
    rademacher_bound,
    rademacher_complexity,
    split_predictions,
    vc_bound,
)
from gnomon.generative import GaussianNB
from gnomon.linear import LinearRegression

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def within(estimate, value, *, errors=4.0):
    assert abs(estimate.value - value) < errors * estimate.standard_error


class OriginRidge(RegressorMixin, BaseEstimator):
    """Ridge through the origin, one column."""

    def __init__(self, lam=0.0):
        self.lam = lam

    def fit(self, X, y):
        x = X[:, 0]
        self.coef_ = x @ y / (x @ x + self.lam)
        return self

    def predict(self, X):
        return self.coef_ * X[:, 0]


@pytest.mark.spec("EVA-G12", "EVA-024")
def test_ridge_at_a_point():
    exact = {0.0: (0.0, 0.285714), 1.0: (0.017778, 0.248889), 3.0: (0.124567, 0.193772)}
    for lam, (bias, variance) in exact.items():
        share = 14.0 / (14.0 + lam)
        assert ((2.0 * share - 2.0) ** 2, 4.0 * 14.0 / (14.0 + lam) ** 2) == pytest.approx((bias, variance), abs=5e-7)

    def sampler(n, rng):
        # Training sets have the rows 1, 2, 3; test points are all 2.
        x = np.array([1.0, 2.0, 3.0]) if n == 3 else np.full(n, 2.0)
        return x[:, None], x + rng.standard_normal(n)

    found = bias_variance(
        OriginRidge(), sampler, lambda X: X[:, 0], 3, 3000, ("lam", list(exact)), n_test=200, random_state=0
    )
    for part, (bias, variance) in zip(found.parts, exact.values(), strict=True):
        within(part.bias, bias)
        within(part.variance, variance)
        within(part.noise, 1.0)
        within(part.total, 1.0 + bias + variance)
    # With the noise as it is and not as it was drawn the second is best.
    assert np.argmin(found.of("bias") + found.of("variance")) == 1


@pytest.mark.spec("EVA-G13", "EVA-024")
def test_a_line_for_a_cubic():
    def truth(X):
        return X[:, 0] ** 3 - X[:, 0]

    def sampler(n, rng):
        x = rng.uniform(-1.5, 1.5, n) if n == 20 else (np.arange(n) + 0.5) / n * 3.0 - 1.5
        return x[:, None], truth(x[:, None]) + 0.5 * rng.standard_normal(n)

    found = bias_variance(LinearRegression(), sampler, truth, 20, 1000, n_test=200, random_state=0)
    assert found.bias.value == pytest.approx(0.2608, abs=0.004)
    assert found.variance.value == pytest.approx(0.0629, abs=0.006)
    within(found.noise, 0.25)
    within(found.total, 0.5737)
    grid = np.linspace(-1.5, 1.5, 200_001)
    slope = np.mean(grid * (grid**3 - grid)) / np.mean(grid**2)
    assert slope == pytest.approx(0.35, abs=1e-4)
    assert np.mean((grid**3 - grid - slope * grid) ** 2) == pytest.approx(0.260357, abs=1e-5)


@pytest.mark.spec("EVA-G13", "EVA-024")
def test_polynomials_on_a_fixed_design():
    def truth(X):
        return X[:, 0] ** 3 - X[:, 0]

    x = np.linspace(-1.5, 1.5, 20)[:, None]

    def sampler(n, rng):
        return x, truth(x) + 0.5 * rng.standard_normal(20)

    model = make_pipeline(PolynomialFeatures(include_bias=False), LinearRegression())
    found = bias_variance(
        model, sampler, truth, 20, 200, ("polynomialfeatures__degree", [1, 3, 9]), n_test=20, random_state=0
    )
    exact = []
    for degree in (1, 3, 9):
        Q, _ = np.linalg.qr(np.vander(x[:, 0], degree + 1))
        bias = np.mean((truth(x) - Q @ (Q.T @ truth(x))) ** 2)
        exact.append((bias, 0.25 * (degree + 1) / 20))
    # By the trace of the projection the variance averaged over the design is σ²p/n; the table averages over X.
    np.testing.assert_allclose(found.of("bias"), [part[0] for part in exact], atol=0.015)
    np.testing.assert_allclose(found.of("variance"), [part[1] for part in exact], atol=0.015)
    fine = np.linspace(-1.5, 1.5, 2001)[:, None]
    fine = (fine[1:] + fine[:-1]) / 2

    def onto(degree):
        return np.vander(fine[:, 0], degree + 1) @ np.linalg.pinv(np.vander(x[:, 0], degree + 1))

    table = {1: (0.274460, 0.023810), 3: (0.0, 0.044297), 9: (0.0, 0.116499)}
    for degree, (bias, variance) in table.items():
        H = onto(degree)
        assert np.mean((H @ truth(x) - truth(fine)) ** 2) == pytest.approx(bias, abs=2e-4)
        assert 0.25 * np.mean(np.sum(H**2, axis=1)) == pytest.approx(variance, abs=2e-4)


@pytest.mark.spec("EVA-G14", "EVA-024")
def test_three_predictions_at_one_point():
    plain = split_predictions([[1.0], [2.0], [3.0]], [2.5], corrected=False)
    assert (plain.bias.value, plain.variance.value) == pytest.approx((0.25, 0.666667), abs=5e-7)
    corrected = split_predictions([[1.0], [2.0], [3.0]], [2.5])
    assert (corrected.bias.value, corrected.variance.value) == pytest.approx((-0.083333, 1.0), abs=5e-7)


@pytest.mark.spec("EVA-G14", "EVA-026")
@pytest.mark.parametrize(("truth", "bias", "loss", "net"), [(1, 0.0, 0.4, 0.4), (0, 1.0, 0.6, -0.4)])
def test_five_votes(truth, bias, loss, net):
    found = split_predictions([[1], [1], [1], [0], [0]], [truth], loss="zero_one")
    assert (found.bias.value, found.variance.value, found.total.value) == pytest.approx((bias, 0.4, loss))
    assert found.net_variance == pytest.approx(net)


class Constant(RegressorMixin, BaseEstimator):
    """The mean, or one step of gradient descent on ½(c − y)² from zero."""

    def __init__(self, step=None):
        self.step = step

    def fit(self, X, y):
        self.value_ = np.mean(y) * (1.0 if self.step is None else self.step)
        return self

    def predict(self, X):
        return np.full(len(X), self.value_)


@pytest.mark.spec("EVA-G15", "EVA-028", "EVA-L12")
def test_three_sources_of_a_constant():
    def sampler(n, rng):
        if n == 2:  # rows whose mean is 0.4
            return np.array([[np.sqrt(0.3)], [np.sqrt(0.5)]]), np.array([0.3, 0.5])
        x = (np.arange(n) + 0.5) / n * 2.0 - 1.0
        return x[:, None], x**2

    options = {"n_large": 20_000, "n_test": 20_000, "random_state": 0}
    found = error_sources(Constant(), sampler, lambda X: X[:, 0] ** 2, 2, budget={"step": 0.5}, **options)
    parts = (found.model, found.estimation, found.optimization, found.excess)
    assert parts == pytest.approx((0.088889, 0.004444, 0.013333, 0.106667), abs=1e-6)


@pytest.mark.spec("EVA-G16", "EVA-029", "EVA-030", "EVA-L13")
@pytest.mark.parametrize(
    ("N", "D", "count"), [(3, 1, 6), (3, 2, 8), (4, 2, 14), (5, 2, 22), (4, 3, 16), (5, 3, 30), (6, 3, 52)]
)
def test_labellings_in_general_position(N, D, count):
    X = np.random.default_rng(N + 10 * D).normal(size=(N, D))
    assert n_dichotomies(X).number == count == growth_function(N, n_features=D)


@pytest.mark.spec("EVA-G16", "EVA-029")
def test_labellings_of_a_square_and_of_a_line():
    square = n_dichotomies(SQUARE)
    assert square.number == 14
    assert {tuple(row) for row in square.labellings.tolist()}.isdisjoint({(-1, 1, 1, -1), (1, -1, -1, 1)})
    assert square.first_failure.tolist() == [-1, 1, 1, -1]
    assert n_dichotomies([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]).number == 6


class Thresholds:
    """sign(x − t), in one direction or in both."""

    def __init__(self, both):
        self.both = both

    def suprema(self, X, signs):
        N = len(X)
        rules = np.array([np.where(np.arange(N) >= t, 1.0, -1.0) for t in range(N + 1)])
        rules = np.concatenate([rules, -rules]) if self.both else rules
        return np.max(signs @ rules.T, axis=1) / N


@pytest.mark.spec("EVA-G17", "EVA-032", "EVA-L14")
def test_exact_rademacher_complexities():
    def of(functions, X):
        return rademacher_complexity(functions, X, n_draws="all").value

    for N, value in {2: 0.5, 3: 0.5, 4: 0.375, 5: 0.375, 10: 0.246094}.items():
        assert of(DummyClassifier(), np.zeros((N, 1))) == pytest.approx(value, abs=5e-7)
    for N, one, both in ((2, 0.75, 1.0), (3, 0.666667, 0.833333), (4, 0.59375, 0.75)):
        line = np.arange(float(N))[:, None]
        assert of(Thresholds(False), line) == pytest.approx(one, abs=5e-7)
        assert of(Thresholds(True), line) == pytest.approx(both, abs=5e-7)
    lines = of(n_dichotomies(SQUARE), SQUARE)
    assert (lines, (lines + 1.0) / 2.0) == pytest.approx((0.9375, 0.96875))
    points = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0]])
    assert of(LinearBall(), points) == pytest.approx(1.314392, abs=5e-7)
    assert np.sqrt(np.sum(points**2)) / 3.0 == pytest.approx(1.333333, abs=5e-7)
    cross = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    assert of(LinearBall(), cross) == pytest.approx(0.426777, abs=5e-7)
    assert of(LinearBall(norm="l1"), cross) == pytest.approx(0.375)


@pytest.mark.spec("EVA-G17", "EVA-031", "EVA-033")
def test_slacks_of_bounds():
    assert vc_bound(0.0, 1000, 3) == pytest.approx(0.163978, abs=5e-7)
    assert rademacher_bound(0.0, 0.0, 1000) == pytest.approx(0.128841, abs=5e-7)


@pytest.mark.spec("EVA-G39")
def test_a_feature_that_is_copied_counts_again():
    # Classes N(±½, 1): the log-odds at 1 are 1, of each copy.
    x = np.array([-1.5, 0.5, -0.5, 1.5])
    y = np.array([0, 0, 1, 1])
    one = GaussianNB(var_smoothing=0.0).fit(x[:, None], y)
    assert one.predict_proba([[1.0]])[0, 1] == pytest.approx(0.731059, abs=5e-7)
    ten = GaussianNB(var_smoothing=0.0).fit(np.tile(x[:, None], 10), y)
    assert ten.predict_proba([[1.0] * 10])[0, 1] == pytest.approx(0.999955, abs=5e-7)


class Lines(ClassifierMixin, BaseEstimator):
    """The affine rule with fewest errors, among the labellings that lines can give."""

    def fit(self, X, y):
        self.classes_ = np.array([-1, 1])
        rules = n_dichotomies(X).labellings
        self.rule_ = rules[np.argmax(rules @ y)]
        return self

    def predict(self, X):
        return self.rule_


@pytest.mark.spec("EVA-032")
def test_an_estimator_that_fits_exactly_has_the_exact_value():
    assert rademacher_complexity(Lines(), SQUARE, n_draws="all").value == pytest.approx(0.9375)
