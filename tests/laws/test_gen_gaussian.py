"""Normal class densities: forms, invariance, few rows, missing cells, priors over parameters, chunks."""

import numpy as np
import pytest
from sklearn import naive_bayes
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.distributions import MultivariateNormal, NormalInverseWishartModel
from gnomon.generative import GaussianClassifier, GaussianMixture, GaussianNB, LinearDiscriminantAnalysis
from gnomon.numerics.scatter import between_class_cov, within_class_cov
from gnomon.optim import fit_normal_missing
from gnomon.testing import check_weights_are_repetitions

IRIS = load_iris(return_X_y=True)
TWO = tuple(part[50:] for part in IRIS)
TYPES = ("full", "tied", "diag", "tied_diag", "spherical", "tied_spherical")
LINEAR = [kind for kind in TYPES if kind.startswith("tied")]
PRIOR = NormalInverseWishartModel(np.array([5.8, 3.0, 3.8, 1.2]), 2.0, 0.3 * np.eye(4), 7.0)


def matrix(model, k):
    return model.laws_[k].cov_matrix


@pytest.mark.spec("GEN-056")
@pytest.mark.parametrize("ddof", [0, 1])
def test_moments_of_every_type(ddof):
    X, y = IRIS
    full = np.stack([np.cov(X[y == c].T, ddof=ddof) for c in range(3)])
    within = sum(len(X[y == c]) * np.cov(X[y == c].T, ddof=0) for c in range(3)) / (len(X) - 3 * ddof)
    expected = {
        "full": full,
        "tied": within,
        "diag": np.diagonal(full, axis1=1, axis2=2),
        "tied_diag": np.diag(within),
        "spherical": np.trace(full, axis1=1, axis2=2) / 4,
        "tied_spherical": np.trace(within) / 4,
    }
    for kind, cov in expected.items():
        model = GaussianClassifier(kind, ddof=ddof).fit(X, y)
        np.testing.assert_allclose(model.covariances_, cov, rtol=1e-10, err_msg=kind)
        np.testing.assert_allclose(model.means_, [X[y == c].mean(axis=0) for c in range(3)])


@pytest.mark.spec("GEN-033", "GEN-056")
def test_weighted_denominator_at_ddof_one_is_the_weight_less_one():
    X, y = TWO
    weights = np.arange(len(y)) % 4 + 0.5
    cov = GaussianClassifier(ddof=1).fit(X, y, weights).covariances_[0]
    one = y == 1
    center = np.average(X[one], axis=0, weights=weights[one])
    Z = X[one] - center
    np.testing.assert_allclose(cov, (weights[one, None] * Z).T @ Z / (weights[one].sum() - 1.0), rtol=1e-10)


@pytest.mark.spec("GEN-L14", "GEN-056")
def test_the_diagonal_model_is_gaussian_naive_bayes():
    X, y = IRIS
    ours = GaussianClassifier("diag").fit(X, y)
    for peer in (GaussianNB(var_smoothing=0.0), naive_bayes.GaussianNB(var_smoothing=0.0)):
        naive = peer.fit(X, y)
        np.testing.assert_allclose(ours.predict_proba(X), naive.predict_proba(X), atol=1e-10)
        np.testing.assert_allclose(ours.covariances_, naive.var_, rtol=1e-9)


@pytest.mark.spec("GEN-L14")
def test_a_diagonal_mixture_has_correlated_columns():
    rng = np.random.default_rng(0)
    mixture = GaussianMixture(2, covariance_type="diag", means_init=[[1.0, 1.0], [-1.0, -1.0]], random_state=0)
    mixture.fit(np.r_[rng.normal(size=(4000, 2)) + 1.0, rng.normal(size=(4000, 2)) - 1.0])
    S, _ = mixture.sample(20000)
    assert np.cov(S.T)[0, 1] == pytest.approx(1.0, abs=0.08)


@pytest.mark.spec("GEN-L15", "GEN-057", "GEN-058")
@pytest.mark.parametrize("kind", TYPES)
def test_ratios_are_polynomials_of_the_features(kind):
    X, y = TWO
    model = GaussianClassifier(kind).fit(X, y)
    rng = np.random.default_rng(0)
    start, step = rng.normal(size=(20, 4)), rng.normal(size=(20, 4))
    values = np.stack([model.llr(start + t * step) for t in range(4)])
    scale = np.max(np.abs(values))
    assert np.max(np.abs(np.diff(values, 3, axis=0))) < 1e-9 * scale
    flat = np.max(np.abs(np.diff(values, 2, axis=0))) < 1e-9 * scale
    assert flat == (kind in LINEAR)
    np.testing.assert_allclose(model.quadratic_form_(start), values[0], rtol=1e-8, atol=1e-8)
    if kind in LINEAR:
        np.testing.assert_allclose(model.linear_form_(start), values[0], rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(start @ model.coef_[0] + model.intercept_, model.decision_function(start), atol=1e-8)
        assert model.coef_.shape == (1, 4)
    else:
        with pytest.raises(AttributeError, match="no linear form"):
            model.coef_  # noqa: B018


@pytest.mark.spec("GEN-057", "GEN-058")
@pytest.mark.parametrize("kind", TYPES)
def test_forms_of_three_classes(kind):
    X, y = IRIS
    model = GaussianClassifier(kind).fit(X, y)
    forms = model.quadratic_form_(X)
    for k, j in ((0, 1), (2, 1)):
        np.testing.assert_allclose(forms[:, k] - forms[:, j], model.llr(X, k, j), rtol=1e-7, atol=1e-7)
    if kind in LINEAR:
        scores = X @ model.coef_.T + model.intercept_
        np.testing.assert_allclose(scores[:, 2] - scores[:, 0], model.log_odds(X, 2, 0), rtol=1e-7, atol=1e-7)


@pytest.mark.spec("GEN-L15")
def test_equal_covariances_make_full_and_tied_the_same():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(50, 3))
    X, y = np.r_[Z, Z + np.array([1.0, 0.5, 0.0])], np.repeat([0, 1], 50)
    full, tied = GaussianClassifier("full").fit(X, y), GaussianClassifier("tied").fit(X, y)
    np.testing.assert_allclose(full.llr(X), tied.llr(X), atol=1e-9)


@pytest.mark.spec("GEN-L16", "GEN-058", "GEN-059")
def test_the_tied_direction_is_fishers():
    X, y = TWO[0], TWO[1] - 1
    within, between = within_class_cov(X, y, 2), between_class_cov(X, y, 2)
    step = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    np.testing.assert_allclose(between, 0.25 * np.outer(step, step), atol=1e-12)
    w = np.linalg.solve(within, step)
    for model in (GaussianClassifier("tied"), LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(solver="eigen")):
        coef = model.fit(X, y).coef_[0]
        np.testing.assert_allclose(coef / np.linalg.norm(coef), w / np.linalg.norm(w), atol=1e-9)


@pytest.mark.spec("GEN-L16", "GEN-059")
def test_the_tied_model_on_the_discriminant_axes_is_the_tied_model():
    for X, y in (IRIS, load_wine(return_X_y=True)):
        Z = LinearDiscriminantAnalysis().fit(X, y).transform(X)
        assert Z.shape[1] == 2
        tied, on_axes = GaussianClassifier("tied").fit(X, y), GaussianClassifier("tied").fit(Z, y)
        np.testing.assert_allclose(on_axes.predict_proba(Z), tied.predict_proba(X), atol=1e-11)
        full, full_axes = GaussianClassifier("full").fit(X, y), GaussianClassifier("full").fit(Z, y)
        assert np.max(np.abs(full_axes.predict_proba(Z) - full.predict_proba(X))) > 1e-3


@pytest.mark.spec("GEN-L17")
def test_tied_coefficients_approach_those_of_logistic_regression():
    rng = np.random.default_rng(0)
    distances = []
    for n in (400, 100000):
        y = np.arange(n) % 2
        X = rng.normal(size=(n, 2)) + np.outer(y, [1.0, 0.5])
        tied = GaussianClassifier("tied").fit(X, y)
        logistic = LogisticRegression(C=np.inf).fit(X, y)
        shared = GaussianClassifier("tied_diag").fit(X, y)
        distances.append(max(np.max(np.abs(m.coef_ - logistic.coef_)) for m in (tied, shared)))
    assert distances[0] > 1e-3
    assert distances[1] < 0.03
    assert distances[1] < distances[0]


@pytest.mark.spec("GEN-L17")
def test_skewed_features_favour_logistic_regression():
    rng = np.random.default_rng(0)
    n = 4000
    y = np.arange(n) % 2
    X = np.exp(rng.normal(size=(n, 1)) * 1.5 + 2.0 * y[:, None])
    tied, logistic = GaussianClassifier("tied").fit(X, y), LogisticRegression(C=np.inf).fit(X, y)
    assert logistic.score(X, y) > tied.score(X, y) + 0.02


@pytest.mark.spec("GEN-L18", "GEN-031")
def test_richer_models_fit_the_training_rows_better():
    X, y = IRIS
    fit = {kind: GaussianClassifier(kind).fit(X, y).log_likelihood(X, y) for kind in TYPES}
    assert fit["full"] >= fit["tied"] >= fit["tied_diag"] >= fit["tied_spherical"]
    assert fit["full"] >= fit["diag"] >= fit["tied_diag"]


@pytest.mark.spec("GEN-L18", "GEN-061")
@pytest.mark.parametrize(
    ("covs", "n", "better", "worse"),
    [
        ([[[1.0, 0.9], [0.9, 1.0]]] * 2, 400, "full", "diag"),
        ([[[4.0, 0.0], [0.0, 0.25]], [[0.25, 0.0], [0.0, 4.0]]], 400, "full", "tied"),
        ([np.eye(12)] * 2, 30, "tied", "full"),
    ],
    ids=["correlated", "unequal", "few rows"],
)
def test_held_out_likelihood_prefers_the_model_that_holds(covs, n, better, worse):
    rng = np.random.default_rng(0)
    d = len(covs[0])
    laws = [MultivariateNormal(np.full(d, 0.5 * c), np.array(cov)) for c, cov in enumerate(covs)]

    def rows(m):
        return np.concatenate([law.sample(m // 2, rng) for law in laws]), np.repeat([0, 1], m // 2)

    train, test = rows(n), rows(4000)
    held = {kind: GaussianClassifier(kind).fit(*train).log_likelihood(*test) for kind in (better, worse)}
    assert held[better] > held[worse]


@pytest.mark.spec("GEN-L19")
def test_posteriors_do_not_depend_on_the_coordinates():
    X, y = IRIS
    rng = np.random.default_rng(0)
    B, t = rng.normal(size=(4, 4)) + 2.0 * np.eye(4), rng.normal(size=4)
    for kind in ("full", "tied"):
        a, b = GaussianClassifier(kind).fit(X, y), GaussianClassifier(kind).fit(X @ B.T + t, y)
        np.testing.assert_allclose(b.predict_proba(X @ B.T + t), a.predict_proba(X), atol=1e-8)
    scale = np.array([1e-3, 1.0, 50.0, 1e4])
    a, b = GaussianClassifier("diag").fit(X, y), GaussianClassifier("diag").fit(X * scale + t, y)
    np.testing.assert_allclose(b.predict_proba(X * scale + t), a.predict_proba(X), atol=1e-9)
    turned = GaussianClassifier("diag").fit(X @ B.T, y)
    assert np.max(np.abs(turned.predict_proba(X @ B.T) - a.predict_proba(X))) > 0.05


@pytest.mark.spec("GEN-L19")
@pytest.mark.parametrize("kind", TYPES)
def test_far_from_zero_nothing_is_lost(kind):
    X, y = IRIS
    a, b = GaussianClassifier(kind).fit(X, y), GaussianClassifier(kind).fit(X + 1e6, y)
    np.testing.assert_allclose(b.predict_proba(X + 1e6), a.predict_proba(X), atol=1e-6)


@pytest.mark.spec("GEN-L20", "GEN-029")
def test_only_a_generative_model_knows_that_a_point_is_far():
    near = GaussianClassifier.from_parameters([[-1.0], [1.0]], [[1.0]], covariance_type="tied")
    wide = GaussianClassifier.from_parameters([[-4.0], [4.0]], [[4.0]], covariance_type="tied")
    x = np.linspace(-3, 3, 7)[:, None]
    np.testing.assert_allclose(near.predict_proba(x), wide.predict_proba(x), atol=1e-12)
    assert np.all(np.abs(near.score_samples(x) - wide.score_samples(x)) > 0.1)
    X, y = near.sample(2000, random_state=0)
    far = [[60.0]]
    assert LogisticRegression().fit(X, y).predict_proba(far)[0, 1] > 0.999
    fitted = GaussianClassifier("tied").fit(X, y)
    assert fitted.score_samples(far)[0] < np.min(fitted.score_samples(X)) - 100.0


@pytest.mark.spec("GEN-L25", "GEN-060")
@pytest.mark.parametrize(("kind", "n"), [("full", (3, 30)), ("full", (4, 30)), ("tied", (2, 2))])
def test_too_few_rows_are_refused_with_the_remedies(kind, n):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(sum(n), 4)), np.repeat(["few", "many"], n)
    few = X[y == "few"]
    assert np.linalg.matrix_rank(np.cov(few.T)) <= len(few) - 1
    with pytest.raises(ValueError, match=rf"(class 'few' has N_c={n[0]} rows for d=4|4 rows in 2 classes).*shrinkage"):
        GaussianClassifier(kind).fit(X, y)
    for options in ({"shrinkage": 0.2}, {"shrinkage": "ledoit_wolf"}, {"shrinkage": "oas"}):
        with pytest.warns(UserWarning, match="the regularisation decides"):
            model = GaussianClassifier(kind, **options).fit(X, y)
        assert np.all(np.isfinite(model.predict_proba(X)))
    prior = NormalInverseWishartModel(np.zeros(4), 1.0, np.eye(4), 6.0)
    assert GaussianClassifier(estimate="map", parameter_prior=prior).fit(X, y).score(X, y) > 0.5


@pytest.mark.spec("GEN-060")
def test_pooling_and_shrinking_are_friedmans():
    X, y = IRIS
    own, tied = GaussianClassifier().fit(X, y).covariances_, GaussianClassifier("tied").fit(X, y).covariances_
    pooled = 0.7 * own + 0.3 * tied
    np.testing.assert_allclose(GaussianClassifier(pool=0.3).fit(X, y).covariances_, pooled)
    size = np.trace(pooled, axis1=1, axis2=2)[:, None, None] / 4 * np.eye(4)
    both = GaussianClassifier(pool=0.3, shrinkage=0.2).fit(X, y)
    np.testing.assert_allclose(both.covariances_, 0.8 * pooled + 0.2 * size)
    np.testing.assert_allclose(GaussianClassifier(pool=1.0).fit(X, y).covariances_[0], tied)
    diag = GaussianClassifier("diag", shrinkage=1.0).fit(X, y).covariances_
    np.testing.assert_allclose(diag, np.repeat(np.trace(own, axis1=1, axis2=2)[:, None] / 4, 4, axis=1))


@pytest.mark.spec("GEN-060", "GEN-041")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"covariance_type": "round"}, "covariance_type='round' is unknown"),
        ({"shrinkage": 1.5}, "shrinkage=1.5 must be in"),
        ({"shrinkage": "auto"}, "shrinkage='auto' is unknown"),
        ({"shrinkage": "oas", "covariance_type": "diag"}, "give a number"),
        ({"pool": -0.1}, "pool=-0.1 must be in"),
        ({"estimate": "map"}, "need a parameter_prior"),
        ({"parameter_prior": PRIOR}, "'mle' takes none"),
        ({"parameter_prior": PRIOR, "estimate": "map", "pool": 0.5}, "pool=0"),
        ({"missing": "drop"}, "missing='drop' is unknown"),
        ({"ddof": -1}, "ddof=-1"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        GaussianClassifier(**options).fit(*IRIS)


@pytest.mark.spec("GEN-060")
def test_singular_covariances_name_the_class_and_the_column():
    X, y = IRIS
    constant = np.where(y[:, None] == 1, [[0.0, 1.0, 1.0, 1.0]], 1.0) * X
    with pytest.raises(ValueError, match="column 0 is constant within class 1"):
        GaussianClassifier("diag").fit(constant, y)
    with pytest.raises(ValueError, match="column 0 is constant within class 1"):
        GaussianClassifier("full").fit(constant, y)
    with pytest.raises(ValueError, match="column 4 is constant within every class"):
        GaussianClassifier("tied").fit(np.c_[X, np.full(len(y), 0.1)], y)
    with pytest.raises(ValueError, match="all columns are constant within class 0"):
        GaussianClassifier("spherical").fit(np.where(y[:, None] == 0, 0.1, X), y)
    with pytest.raises(ValueError, match="the covariance of the classes is singular"):
        GaussianClassifier("tied").fit(np.c_[X, X[:, 0] + X[:, 1]], y)
    assert GaussianClassifier("diag", pool=0.1).fit(constant, y).score(constant, y) > 0.9


@pytest.mark.spec("GEN-034")
@pytest.mark.parametrize("kind", TYPES)
def test_missing_cells_are_integrated_out_at_prediction(kind):
    X, y = IRIS
    model = GaussianClassifier(kind).fit(X, y)
    holes = X.copy()
    holes[::2, 1] = np.nan
    holes[::3, 3] = np.nan
    holes[4] = np.nan
    log_densities = model.predict_joint_log_proba(holes) - model.class_log_prior_
    for i in (0, 1, 2, 3, 6):
        seen = np.flatnonzero(~np.isnan(holes[i]))
        expected = [model.laws_[k].marginal(seen).log_density(holes[i, seen]) for k in range(3)]
        np.testing.assert_allclose(log_densities[i], expected, rtol=1e-9)
    P = model.predict_proba(holes)
    np.testing.assert_allclose(P[4], model.class_prior_)
    np.testing.assert_allclose(P[5], model.predict_proba(X[5:6])[0])
    assert np.all(np.isfinite(P))


@pytest.mark.spec("GEN-034")
def test_missing_cells_in_fit_are_completed_by_em():
    X, y = IRIS
    rng = np.random.default_rng(0)
    holes = np.where(rng.random(X.shape) < 0.15, np.nan, X)
    model = GaussianClassifier().fit(holes, y)
    for k in range(3):
        law = fit_normal_missing(holes[y == k]).theta
        np.testing.assert_allclose(model.means_[k], law.mean, atol=1e-4)
        np.testing.assert_allclose(model.covariances_[k], law.cov, atol=1e-4)
    for kind in TYPES:
        fitted = GaussianClassifier(kind).fit(holes, y)
        assert fitted.score(holes, y) > 0.85
    check_weights_are_repetitions(GaussianClassifier(), np.where(rng.random(X.shape) < 0.1, np.nan, X), y)
    refuse = GaussianClassifier(missing="error")
    with pytest.raises(ValueError, match="X contains NaN in column"):
        refuse.fit(holes, y)
    with pytest.raises(ValueError, match="X contains NaN in column"):
        refuse.fit(X, y).predict(holes)
    holes[y == 1, 2] = np.nan
    with pytest.raises(ValueError, match="column 2 is missing in every row of class 1"):
        GaussianClassifier().fit(holes, y)


@pytest.mark.spec("GEN-036", "GEN-060")
def test_posterior_modes_and_predictive_laws():
    X, y = IRIS
    mode = GaussianClassifier(estimate="map", parameter_prior=PRIOR).fit(X, y)
    predictive = GaussianClassifier(estimate="predictive", parameter_prior=PRIOR).fit(X, y)
    for k in range(3):
        after = PRIOR.update(X[y == k])
        np.testing.assert_allclose(mode.means_[k], after.loc)
        np.testing.assert_allclose(mode.covariances_[k], after.scale / (after.df + 4 + 2))
        np.testing.assert_allclose(
            predictive.predict_joint_log_proba(X)[:, k] - predictive.class_log_prior_[k],
            after.predictive().log_density(X),
        )
    assert predictive.score(X, y) > 0.95
    one_row = GaussianClassifier(estimate="predictive", parameter_prior=PRIOR).fit(X[[0, 60, 120]], y[[0, 60, 120]])
    assert one_row.score(X, y) > 0.7
    with pytest.raises(AttributeError, match="not quadratic"):
        predictive.quadratic_form_  # noqa: B018
    np.testing.assert_allclose(predictive.predict_proba([[np.nan] * 4]), [predictive.class_prior_])
    assert predictive.sample(5, random_state=0)[0].shape == (5, 4)
    many = GaussianClassifier(estimate="map", parameter_prior=PRIOR).fit(X, y, np.full(len(y), 1e6))
    np.testing.assert_allclose(many.covariances_, GaussianClassifier().fit(X, y).covariances_, rtol=1e-4)


@pytest.mark.spec("GEN-036", "GEN-L10")
@pytest.mark.parametrize("estimate", ["map", "predictive"])
def test_weights_are_repetitions_under_a_prior(estimate):
    check_weights_are_repetitions(GaussianClassifier(estimate=estimate, parameter_prior=PRIOR), tol=1e-9)


@pytest.mark.spec("GEN-056")
@pytest.mark.parametrize("kind", TYPES)
def test_chunks_give_what_the_whole_table_gives(kind):
    X, y = IRIS
    order = np.random.default_rng(0).permutation(len(y))
    whole = GaussianClassifier(kind, shrinkage=None if "diag" in kind else 0.1).fit(X, y)
    parts = GaussianClassifier(kind, shrinkage=whole.shrinkage)
    for rows in np.array_split(order, 40):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_allclose(parts.covariances_, whole.covariances_, rtol=1e-10)
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(parts.class_prior_, whole.class_prior_)


@pytest.mark.spec("GEN-056")
def test_a_first_chunk_may_lack_classes_but_must_name_them():
    X, y = IRIS
    with pytest.raises(ValueError, match="classes=None in the first call"):
        GaussianClassifier().partial_fit(X, y)
    model = GaussianClassifier().partial_fit(X[:50], y[:50], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="class 1 has no rows"):
        model.predict(X)
    with pytest.raises(ValueError, match="differ from those"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="all rows at once"):
        GaussianClassifier(shrinkage="ledoit_wolf").partial_fit(X, y, classes=[0, 1, 2])
    model.partial_fit(X[50:], y[50:])
    assert model.score(X, y) > 0.95
    assert model.fit(X[:100], y[:100]).classes_.tolist() == [0, 1]


@pytest.mark.spec("GEN-061")
def test_variants_are_chosen_by_cross_validation_after_pca():
    X, y = load_wine(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), PCA(), GaussianClassifier())
    grid = {"pca__n_components": [2, 8], "gaussianclassifier__covariance_type": list(TYPES)}
    search = GridSearchCV(pipe, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.95
    assert search.best_params_["pca__n_components"] == 8
    assert pipe.fit(X, y).predict(X[:2], priors="uniform").shape == (2,)
