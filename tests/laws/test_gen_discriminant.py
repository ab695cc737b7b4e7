"""Discriminant analysis, the density gate and the imputer."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Peer
from sklearn.ensemble import RandomForestClassifier
from sklearn.mixture import GaussianMixture as PeerMixture
from sklearn.neighbors import KernelDensity
from sklearn.svm import LinearSVC

from gnomon.distributions import MultivariateNormal, Normal, NormalInverseWishartModel
from gnomon.generative import (
    DensityGate,
    DensityImputer,
    GaussianClassifier,
    GaussianMixture,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from gnomon.numerics.scatter import discriminant_axes, principal_axes
from gnomon.numerics.shrinkage import ledoit_wolf_share, oas_share, shrink_cov
from gnomon.testing import check_float32_is_kept, check_save_load, check_weights_are_repetitions

IRIS = load_iris(return_X_y=True)
TWO = tuple(part[50:] for part in IRIS)


@pytest.mark.spec("GEN-059")
def test_projection_scores_point_to_the_second_class_and_are_cut_where_one_likes():
    X, y = TWO
    model = LinearDiscriminantAnalysis().fit(X, y)
    score = model.projection_score(X)
    w = model.coef_[0] / np.linalg.norm(model.coef_[0])
    np.testing.assert_allclose(score, X @ w)
    assert score[y == 2].mean() > score[y == 1].mean()
    cut = -model.intercept_[0] / np.linalg.norm(model.coef_[0])
    np.testing.assert_array_equal(model.predict_at(X, cut), model.predict(X))
    at_row = score[10]
    assert model.predict_at(X[10:11], at_row)[0] == 1
    assert model.predict_at(X[10:11], at_row, tie="positive")[0] == 2
    assert model.predict_at(X, -np.inf).tolist() == [2] * len(X)
    with pytest.raises(ValueError, match="3 classes have no single direction"):
        LinearDiscriminantAnalysis().fit(*IRIS).projection_score(IRIS[0])
    with pytest.raises(ValueError, match="tie='even' is unknown"):
        model.predict_at(X, 0.0, tie="even")


@pytest.mark.spec("GEN-059")
def test_axes_solve_the_generalised_eigenproblem():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(9, 5)), rng.normal(size=(3, 5))
    within, between = A.T @ A, B.T @ B
    values, axes = discriminant_axes(within, between)
    np.testing.assert_allclose(between @ axes, within @ axes * values, atol=1e-8)
    np.testing.assert_allclose(axes.T @ within @ axes, np.eye(5), atol=1e-9)
    assert np.all(np.diff(values) <= 1e-12)
    with pytest.raises(np.linalg.LinAlgError, match="least eigenvalue"):
        discriminant_axes(np.ones((2, 2)), np.eye(2))


@pytest.mark.spec("GEN-059")
def test_principal_axes_fall_back_to_the_rows_where_squares_lose_digits():
    rng = np.random.default_rng(0)
    U, V = np.linalg.qr(rng.normal(size=(40, 3)))[0], np.linalg.qr(rng.normal(size=(3, 3)))[0]
    Z = U * [1.0, 1e-3, 1e-7] @ V.T
    values, _ = principal_axes(Z.T @ Z, lambda: Z.copy())
    np.testing.assert_allclose(np.sqrt(values), [1.0, 1e-3, 1e-7], rtol=1e-8)
    values, axes = principal_axes(Z.T @ Z, lambda: pytest.fail("the rows are not needed"), floor=1e-9)
    np.testing.assert_allclose(values[:2], [1.0, 1e-6], rtol=1e-9)
    assert axes.shape == (3, 3)


@pytest.mark.spec("GEN-059")
def test_small_tolerances_agree_with_the_decomposition_of_the_rows():
    X, y = IRIS
    rng = np.random.default_rng(0)
    near = np.c_[X, X[:, 0] + 1e-6 * rng.normal(size=len(y))]
    for tol in (1e-4, 1e-9):
        ours, peer = LinearDiscriminantAnalysis(tol=tol).fit(near, y), Peer(tol=tol).fit(near, y)
        np.testing.assert_allclose(ours.predict_proba(near), peer.predict_proba(near), atol=1e-6)
        assert ours.scalings_.shape == peer.scalings_.shape


@pytest.mark.spec("GEN-059")
def test_constant_columns_and_equal_means_do_no_harm():
    X, y = IRIS
    plain = LinearDiscriminantAnalysis().fit(X, y)
    flat = LinearDiscriminantAnalysis().fit(np.c_[X, np.full(len(y), 0.1)], y)
    np.testing.assert_allclose(flat.coef_[:, :4], plain.coef_, rtol=1e-9)
    assert not np.any(flat.coef_[:, 4])
    same = LinearDiscriminantAnalysis().fit(np.r_[X[:50], X[:50]], np.repeat([0, 1], 50))
    np.testing.assert_allclose(same.predict_proba(X), 0.5)
    with pytest.raises(ValueError, match="means coincide"):
        same.projection_score(X)


@pytest.mark.spec("GEN-029", "GEN-059")
def test_a_singular_covariance_has_no_density():
    X, y = IRIS
    model = LinearDiscriminantAnalysis().fit(np.c_[X, X[:, 0]], y)
    assert model.score(np.c_[X, X[:, 0]], y) > 0.95
    with pytest.raises(ValueError, match="no density"):
        model.score_samples(np.c_[X, X[:, 0]])


@pytest.mark.spec("GEN-059", "GEN-056")
def test_one_class_missing_cells_and_infinities():
    X, y = IRIS
    assert LinearDiscriminantAnalysis().fit(X, np.zeros(len(X))).predict(X[:2]).tolist() == [0.0, 0.0]
    assert GaussianClassifier().fit(X, np.zeros(len(X))).predict_proba(X[:2]).tolist() == [[1.0], [1.0]]
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()):
        fitted = model.fit(pd.DataFrame(X, columns=list("abcd")), y)
        bad = pd.DataFrame(X, columns=list("abcd"))
        bad.loc[3, "b"] = np.nan
        with pytest.raises(ValueError, match="NaN in column 'b'"):
            fitted.predict(bad)
        bad.loc[3, "b"] = np.inf
        with pytest.raises(ValueError, match="infinity"):
            fitted.predict_proba(bad)


@pytest.mark.spec("GEN-059")
def test_transforms_keep_their_names_and_their_type():
    X, y = IRIS
    model = LinearDiscriminantAnalysis(n_components=1).set_output(transform="pandas").fit(X, y)
    assert model.transform(X).columns.tolist() == ["lineardiscriminantanalysis0"]
    single = LinearDiscriminantAnalysis().fit(X.astype(np.float32), y)
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    assert single.coef_.dtype == single.means_.dtype == np.float32
    with pytest.raises(NotImplementedError, match="lsqr"):
        LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).transform(X)


@pytest.mark.spec("GEN-057", "GEN-059")
def test_forms_of_discriminant_analysis():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :6]
    lda, qda = LinearDiscriminantAnalysis().fit(X, y), QuadraticDiscriminantAnalysis(tol=1e-12).fit(X, y)
    np.testing.assert_allclose(lda.linear_form_(X), lda.llr(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(qda.quadratic_form_(X), qda.llr(X), rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(lda.score_samples(X), GaussianClassifier("tied").fit(X, y).score_samples(X), rtol=1e-9)
    np.testing.assert_allclose(qda.score_samples(X), GaussianClassifier("full").fit(X, y).score_samples(X), rtol=1e-9)


@pytest.mark.spec("GEN-060")
def test_shares_lie_between_none_and_all():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 5))
    cov = np.cov(X.T, ddof=0)
    q = np.sum(np.sum((X - X.mean(axis=0)) ** 2, axis=1) ** 2)
    for share in (ledoit_wolf_share(cov, 12, q), oas_share(cov, 12)):
        assert 0.0 < share <= 1.0
        shrunk = shrink_cov(cov, share)
        assert np.trace(shrunk) == pytest.approx(np.trace(cov))
        assert np.linalg.cond(shrunk) < np.linalg.cond(cov)
    assert ledoit_wolf_share(np.eye(3), 10, 100.0) == 0.0
    assert oas_share(np.ones((1, 1)), 10) == 0.0


@pytest.mark.spec("GEN-040")
@pytest.mark.parametrize("classifier", [None, LinearSVC(), RandomForestClassifier(20, random_state=0)], ids=str)
@pytest.mark.parametrize("density", [MultivariateNormal, KernelDensity(bandwidth=0.5), GaussianMixture(3)], ids=str)
def test_rows_of_low_density_pass_no_gate(classifier, density):
    X, y = IRIS
    gate = DensityGate(classifier, density, log_threshold=-20.0).fit(X, y)
    far = np.array([[5.0, 3.0, 1.4, 0.2], [50.0, 3.0, 1.4, 0.2]])
    assert gate.predict(far).tolist() == [0, -1]
    assert gate.is_outlier(far).tolist() == [False, True]
    np.testing.assert_array_equal(gate.classes_, [0, 1, 2])
    inside = ~gate.is_outlier(X)
    np.testing.assert_array_equal(gate.predict(X)[inside], gate.classifier_.predict(X)[inside])
    assert np.all(gate.score_samples(X)[inside] > -20.0)


@pytest.mark.spec("GEN-040")
def test_gates_are_inclusive_and_their_label_is_no_class():
    X, y = IRIS
    gate = DensityGate(threshold=1e-3).fit(X, y)
    assert gate.log_threshold_ == pytest.approx(np.log(1e-3))
    scores = gate.score_samples(X)
    on_edge = DensityGate(log_threshold=scores[7]).fit(X, y)
    assert on_edge.is_outlier(X[7:8]).tolist() == [True]
    share = DensityGate(contamination=0.1).fit(X, y)
    assert share.is_outlier(X).sum() == 15
    assert DensityGate(contamination=0.0).fit(X, y).is_outlier(X).sum() == 0
    words = np.array(["se", "ve", "vi"])[y]
    assert set(DensityGate(contamination=0.1).fit(X, words).predict(X)) == {"outlier", "se", "ve", "vi"}
    assert DensityGate(contamination=0.1, outlier_label="?").fit(X, y).predict(X).dtype == object
    with pytest.raises(ValueError, match="outlier_label=-1 is one of the classes"):
        DensityGate().fit(X, y - 1)
    with pytest.raises(ValueError, match="exclude each other"):
        DensityGate(threshold=0.1, log_threshold=1.0).fit(X, y)
    with pytest.raises(AttributeError):
        DensityGate(LinearSVC()).fit(X, y).predict_proba(X)


@pytest.mark.spec("GEN-L10", "GEN-040", "GEN-035")
@pytest.mark.parametrize(
    "model", [DensityGate(contamination=0.2), DensityImputer(), DensityImputer(by_class=True)], ids=str
)
def test_weights_are_repetitions(model):
    check_weights_are_repetitions(model)
    check_float32_is_kept(model)
    check_save_load(model)


@pytest.mark.spec("GEN-035")
def test_filled_cells_are_conditional_means():
    X, _ = IRIS
    holes = X.copy()
    holes[::4, 2] = np.nan
    holes[1::4, [0, 3]] = np.nan
    model = DensityImputer().fit(holes)
    law = model.mixture_.laws[0]
    filled = model.transform(holes)
    assert not np.any(np.isnan(filled))
    np.testing.assert_array_equal(filled[~np.isnan(holes)], X[~np.isnan(holes)])
    np.testing.assert_allclose(filled[0, 2], law.condition([0, 1, 3], X[0, [0, 1, 3]]).mean[0])
    np.testing.assert_allclose(filled[1, [0, 3]], law.condition([1, 2], X[1, [1, 2]]).mean)
    np.testing.assert_allclose(model.transform([[np.nan] * 4])[0], law.mean)
    plain = np.where(np.isnan(holes), np.nanmean(holes, axis=0), holes)
    assert np.mean((filled - X) ** 2) < 0.2 * np.mean((plain - X) ** 2)


@pytest.mark.spec("GEN-035")
def test_labels_sharpen_what_is_filled_in():
    X, y = IRIS
    holes = X.copy()
    holes[:, 2:] = np.nan
    train = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = DensityImputer(by_class=True).fit(train, y)
    blind, told = model.transform(holes), model.impute(holes, y)
    assert np.mean((told - X) ** 2) < np.mean((blind - X) ** 2) < np.mean((X[:, 2:] - X[:, 2:].mean(axis=0)) ** 2)
    classes = GaussianClassifier().fit(X, y)
    oracle = DensityImputer.from_density(classes)
    np.testing.assert_allclose(oracle.transform([[np.nan] * 4])[0], X.mean(axis=0))
    prior = NormalInverseWishartModel(np.zeros(4), 1.0, np.eye(4), 6.0)
    predictive = GaussianClassifier(estimate="predictive", parameter_prior=prior)
    with pytest.raises(ValueError, match="leaves Student laws"):
        DensityImputer.from_density(predictive.fit(X, y))
    with pytest.raises(ValueError, match="by_class=False learnt nothing"):
        DensityImputer().fit(X).impute(holes, y)
    with pytest.raises(ValueError, match="needs the labels"):
        DensityImputer(by_class=True).fit(X)


@pytest.mark.spec("GEN-035")
@pytest.mark.parametrize("make", [GaussianMixture, PeerMixture], ids=["ours", "scikit-learn's"])
def test_mean_mode_and_draw_of_a_mixture(make):
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(600, 2)) * 0.5, rng.normal(size=(300, 2)) * 0.5 + [0.0, 6.0]]
    row = [[0.0, np.nan]]
    mixture = make(2, random_state=0).fit(X)
    mean = DensityImputer.from_density(mixture).transform(row)[0, 1]
    mode = DensityImputer.from_density(mixture, "mode").transform(row)[0, 1]
    draws = DensityImputer.from_density(mixture, "sample", random_state=0).transform(np.repeat(row, 5000, axis=0))[:, 1]
    assert mean == pytest.approx(2.0, abs=0.5)
    assert mode == pytest.approx(0.0, abs=0.1)
    assert np.mean(draws) == pytest.approx(mean, abs=0.2)
    assert np.mean(np.abs(draws - 3.0) < 1.0) < 0.01
    grid = np.linspace(-2, 8, 4001)
    density = mixture.score_samples(np.c_[np.zeros_like(grid), grid])
    assert mode == pytest.approx(grid[np.argmax(density)], abs=3e-3)


@pytest.mark.spec("GEN-035")
def test_what_an_imputer_cannot_use_is_refused():
    X, _ = IRIS
    assert DensityImputer(Normal).fit(X).transform([[np.nan] * 4])[0] == pytest.approx(X.mean(axis=0))
    with pytest.raises(ValueError, match="no conditional laws"):
        DensityImputer(KernelDensity()).fit(X)
    with pytest.raises(ValueError, match="strategy='median' is unknown"):
        DensityImputer(strategy="median").fit(X)
    with pytest.raises(ValueError, match="infinity"):
        DensityImputer().fit(np.where(X > 6.0, np.inf, X))
    with pytest.raises(ValueError, match="GaussianMixture"):
        DensityImputer().fit(X[:3])
    prior = NormalInverseWishartModel(np.zeros(4), 1.0, np.eye(4), 6.0)
    few = DensityImputer(MultivariateNormal.family(prior=prior)).fit(X[:3])
    assert np.all(np.isfinite(few.transform([[5.0, np.nan, np.nan, 0.2]])))


@pytest.mark.spec("GEN-041")
@pytest.mark.parametrize(
    "model",
    [GaussianClassifier(), GaussianClassifier("diag"), LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()],
    ids=str,
)
def test_squares_that_overflow_are_refused(model):
    X, y = IRIS
    with pytest.raises(ValueError, match="squares overflow"):
        model.fit(X * 1e200, y)
