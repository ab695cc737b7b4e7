"""Laws of networks of radial functions and of similarity to landmarks."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from gnomon.kernels import RBF, Linear
from gnomon.neighbors import RBFNetworkClassifier, RBFNetworkRegressor, SimilarityModel
from gnomon.numerics.linalg import RankWarning
from gnomon.optim import check_gradient
from gnomon.optim._radial_network import RadialProblem, scaled_squares

rng = np.random.default_rng(3)
X = rng.uniform(-2.0, 2.0, size=(60, 2))
Y = np.sin(2.0 * X[:, 0]) * X[:, 1] + 0.05 * rng.normal(size=60)
CLASSES = np.digitize(np.hypot(*X.T), [1.0, 1.8])
NEW = rng.uniform(-2.0, 2.0, size=(15, 2))


@pytest.mark.spec("KER-L39", "KER-088", "KER-085")
@pytest.mark.parametrize("gamma", [2.0, 5.0, 30.0])
def test_interpolation_goes_through_every_point(gamma):
    model = RBFNetworkRegressor("all", gamma=gamma, mode="interpolate").fit(X, Y)
    assert model.condition_ < 1e10
    assert np.linalg.norm(model.predict(X) - Y) < 1e-8 * np.linalg.norm(Y)
    by_definition = np.linalg.solve(rbf_kernel(X, gamma=gamma), Y)
    np.testing.assert_allclose(
        model.predict(NEW), rbf_kernel(NEW, X, gamma=gamma) @ by_definition, rtol=1e-6, atol=1e-8
    )
    assert model.n_parameters_ == 60


@pytest.mark.spec("KER-088")
def test_widths_of_their_own_and_equal_rows():
    rng = np.random.default_rng(11)
    gammas = rng.uniform(3.0, 9.0, size=60)
    each = RBFNetworkRegressor("all", gamma=gammas, mode="interpolate").fit(X, Y)
    np.testing.assert_allclose(each.predict(X), Y, atol=1e-8)
    twice = RBFNetworkRegressor("all", gamma=5.0, mode="interpolate")
    once = clone(twice).fit(X, Y).predict(NEW)
    np.testing.assert_allclose(twice.fit(np.tile(X, (2, 1)), np.tile(Y, 2)).predict(NEW), once, atol=1e-10)
    with pytest.warns(UserWarning, match="their mean is taken"):
        twice.fit(np.tile(X, (2, 1)), np.r_[Y - 1.0, Y + 1.0])
    np.testing.assert_allclose(twice.predict(NEW), once, atol=1e-8)


@pytest.mark.spec("KER-089")
@pytest.mark.parametrize("lam", [0.0, 0.1])
@pytest.mark.parametrize("intercept", [False, True])
def test_least_squares_by_its_normal_equations(lam, intercept):
    rng = np.random.default_rng(11)
    centers = NEW[:6]
    s = rng.uniform(0.5, 2.0, size=60)
    model = RBFNetworkRegressor(centers, gamma=0.7, lam=lam, fit_intercept=intercept).fit(X, Y, sample_weight=s)
    Phi = np.column_stack([rbf_kernel(X, centers, gamma=0.7), np.ones((60, int(intercept)))])
    penalty = lam * np.eye(Phi.shape[1])
    if intercept:
        penalty[-1, -1] = 0.0
    w = np.linalg.solve(Phi.T @ (s[:, None] * Phi) + penalty, Phi.T @ (s * Y))
    np.testing.assert_allclose(model.coef_, w[:6], rtol=1e-7)
    assert model.objective_ == pytest.approx(s @ (Phi @ w - Y) ** 2 + lam * w[:6] @ w[:6], rel=1e-10)
    assert model.n_parameters_ == 6 + intercept
    two = RBFNetworkRegressor(centers, gamma=0.7, lam=lam, fit_intercept=intercept)
    two.fit(X, np.column_stack([Y, -2.0 * Y]), sample_weight=s)
    np.testing.assert_allclose(two.coef_, [model.coef_, -2.0 * model.coef_], rtol=1e-9)
    assert two.n_parameters_ == 2 * (6 + intercept)


@pytest.mark.spec("KER-090", "KER-L40")
@pytest.mark.parametrize(
    "options",
    [
        {"centers": "kmeans", "n_centers": 8, "gamma": 9.0},
        {"centers": "random", "n_centers": 5, "fit_intercept": True, "gamma": 9.0},
        {"centers": NEW[:4], "gamma": [0.3, 1.0, 2.0, 0.1], "tol": 1e-4},
        {"centers": "all", "lam": 0.3},
    ],
)
def test_learned_widths_lower_the_error_at_every_step(options):
    model = RBFNetworkRegressor(random_state=0, learn_gamma=True, max_iter=300, **options).fit(X, Y)
    objective = model.history_["objective"]
    assert np.all(np.diff(objective) <= 1e-12 * objective[0])
    fixed = RBFNetworkRegressor(random_state=0, **options).fit(X, Y)
    assert objective[0] == pytest.approx(fixed.objective_, rel=1e-8)
    assert model.objective_ == pytest.approx(objective[-1], rel=1e-8)
    assert model.objective_ < 0.95 * fixed.objective_
    # No neighbouring width is better.
    for factor in (0.99, 1.01):
        near = clone(fixed).set_params(gamma=(factor * np.asarray(model.gamma_)).tolist()).fit(X, Y)
        assert near.objective_ > model.objective_ - 0.01 * model.tol * (Y @ Y)


@pytest.mark.spec("KER-090")
@pytest.mark.parametrize("widths", [1, 4])
def test_the_derivative_of_the_error_in_the_widths(widths):
    rng = np.random.default_rng(11)
    D = scaled_squares(X, NEW[:4], np.linspace(0.5, 2.0, widths))
    problem = RadialProblem(D, np.column_stack([Y, Y**2]), rng.uniform(0.5, 2.0, 60), 0.1, True, False)
    report = check_gradient(problem.reduced, rng.normal(size=widths) * 0.3)
    assert report.passed, report


@pytest.mark.spec("KER-090")
def test_leave_one_out_residuals_and_the_width_they_choose():
    model = RBFNetworkRegressor("all", gamma=1.0, mode="interpolate", learn_gamma="loo").fit(X, Y)
    left_out = [
        Y[i]
        - RBFNetworkRegressor("all", gamma=model.gamma_, mode="interpolate")
        .fit(np.delete(X, i, 0), np.delete(Y, i))
        .predict(X[[i]])[0]
        for i in range(0, 60, 10)
    ]
    np.testing.assert_allclose(model.loo_residuals_[::10, 0], left_out, rtol=1e-4, atol=1e-7)
    objective = model.history_["objective"]
    assert np.all(objective[1:] <= objective[:-1])
    assert objective[-1] == pytest.approx(np.sum(model.loo_residuals_**2), rel=1e-9)
    few = RBFNetworkRegressor(NEW[:6], gamma=1.0, learn_gamma="loo", lam=0.01, fit_intercept=True).fit(X, Y)
    without = RBFNetworkRegressor(NEW[:6], gamma=few.gamma_, lam=0.01, fit_intercept=True).fit(X[1:], Y[1:])
    assert few.loo_residuals_[0, 0] == pytest.approx(Y[0] - without.predict(X[:1])[0], rel=1e-7)


@pytest.mark.spec("KER-L40", "KER-086", "KER-091")
def test_centres_do_not_look_at_the_target_and_are_counted():
    for cls, targets in [(RBFNetworkRegressor, (Y, -(Y**2))), (RBFNetworkClassifier, (CLASSES, CLASSES[::-1]))]:
        for centers in ("kmeans", "random"):
            found = [cls(centers, n_centers=7, random_state=4).fit(X, y).centers_ for y in targets]
            np.testing.assert_array_equal(*found)
    chosen = RBFNetworkRegressor(n_centers=7, random_state=0, n_init=4, fit_intercept=True).fit(X, Y)
    assert chosen.n_parameters_ == 7 * (1 + 2) + 1
    assert chosen.restarts_.shape == (4,)
    learned = RBFNetworkRegressor(n_centers=7, random_state=0, learn_gamma=True, gamma=np.full(7, 0.5), max_iter=5)
    with pytest.warns(match="not converged"):
        learned.fit(X, Y)
    assert learned.n_parameters_ == 7 * (1 + 2) + 7
    sizes = [RBFNetworkRegressor("all", gamma=9.0).fit(X[:n], Y[:n]).n_parameters_ for n in (20, 40, 60)]
    assert sizes == [20, 40, 60]
    assert SimilarityModel().fit(X[:20], Y[:20]).n_parameters_ == 20


@pytest.mark.spec("KER-087")
def test_widths_from_the_data():
    model = RBFNetworkRegressor(NEW[:5]).fit(X, Y)
    assert model.gamma_ == pytest.approx(1.0 / (2 * X.var()), rel=1e-12)
    farthest = max(np.linalg.norm(a - b) for a in NEW[:5] for b in NEW[:5])
    assert RBFNetworkRegressor(NEW[:5], gamma="dmax").fit(X, Y).gamma_ == pytest.approx(5 / farthest**2, rel=1e-12)
    for unit in (1e-140, 1e140):
        for gamma in ("scale", "dmax"):
            scaled = RBFNetworkRegressor(NEW[:5] * unit, gamma=gamma).fit(X * unit, Y)
            plain = RBFNetworkRegressor(NEW[:5], gamma=gamma).fit(X, Y)
            np.testing.assert_allclose(scaled.predict(NEW * unit), plain.predict(NEW), rtol=1e-9)


@pytest.mark.spec("KER-085", "KER-087")
def test_outputs_are_weighted_bumps_of_their_own_widths_and_an_intercept():
    centers, gamma = NEW[:4], np.array([0.3, 1.0, 2.0, 5.0])
    Phi = np.exp(-gamma * np.sum((X[:, None] - centers) ** 2, axis=2))
    bumps = np.exp(-gamma * np.sum((NEW[:, None] - centers) ** 2, axis=2))
    w, *_ = np.linalg.lstsq(np.column_stack([Phi, np.ones(60)]), Y + 3.0, rcond=None)
    model = RBFNetworkRegressor(centers, gamma=gamma, fit_intercept=True).fit(X, Y + 3.0)
    np.testing.assert_allclose(model.coef_, w[:-1], atol=1e-8)
    assert model.intercept_ == pytest.approx(w[-1])
    np.testing.assert_allclose(model.predict(NEW), bumps @ w[:-1] + w[-1], atol=1e-8)
    v, *_ = np.linalg.lstsq(np.column_stack([Phi, np.ones(60)]), np.where(CLASSES > 1, 1.0, -1.0), rcond=None)
    classes = RBFNetworkClassifier(centers, gamma=gamma, fit_intercept=True).fit(X, CLASSES > 1)
    np.testing.assert_allclose(classes.decision_function(NEW), bumps @ v[:-1] + v[-1], atol=1e-8)


@pytest.mark.spec("KER-085")
def test_classes_by_sign_or_by_the_largest_output():
    two = RBFNetworkClassifier(NEW[:6], gamma=1.0).fit(X, CLASSES > 0)
    coded = RBFNetworkRegressor(NEW[:6], gamma=1.0).fit(X, np.where(CLASSES > 0, 1.0, -1.0))
    np.testing.assert_allclose(two.decision_function(NEW), coded.predict(NEW))
    np.testing.assert_array_equal(two.predict(NEW), coded.predict(NEW) > 0.0)
    words = np.array(["in", "mid", "out"])
    three = RBFNetworkClassifier(NEW[:6], gamma=1.0).fit(X, words[CLASSES])
    one_hot = RBFNetworkRegressor(NEW[:6], gamma=1.0).fit(X, np.eye(3)[CLASSES])
    np.testing.assert_allclose(three.decision_function(NEW), one_hot.predict(NEW))
    np.testing.assert_array_equal(three.predict(NEW), words[np.argmax(one_hot.predict(NEW), axis=1)])


def test_what_has_no_use_is_refused():
    for options, words in [
        ({"centers": "all", "n_centers": 3}, "n_centers=3 has no use"),
        ({"centers": "random", "n_init": 3}, "n_init=3 has no use"),
        ({"mode": "interpolate"}, "needs centers='all'"),
        ({"centers": "all", "mode": "interpolate", "lam": 1.0}, "lam=1"),
        ({"centers": "all", "learn_gamma": True}, "has nothing to lower"),
        ({"centers": NEW, "learn_gamma": "loo", "gamma": np.ones(15)}, "one gamma for all centres"),
        ({"gamma": [1.0, 2.0]}, "one for each of 10 centres"),
        ({"gamma": -1.0}, "gamma=-1"),
        ({"centers": np.ones((2, 3))}, r"shape \(2, 3\)"),
        ({"centers": np.ones((2, 2)), "gamma": "dmax"}, "two different centres"),
        ({"n_centers": 99}, "n_centers=99 must be at most n_samples = 60"),
        ({"centers": "all", "learn_gamma": "loo"}, "needs mode='interpolate', or lam"),
    ]:
        with pytest.raises(ValueError, match=words):
            RBFNetworkRegressor(**options).fit(X, Y)


@pytest.mark.spec("KER-084")
def test_similarity_is_a_superposition():
    rng = np.random.default_rng(11)
    k = RBF(0.7)
    K = k.gram(NEW, X)
    s = rng.uniform(0.0, 2.0, size=60) * (rng.uniform(size=60) > 0.3)
    np.testing.assert_allclose(SimilarityModel(kernel=k).fit(X, Y).predict(NEW), K @ Y)
    both = np.column_stack([Y, 1.0 - Y])
    np.testing.assert_allclose(SimilarityModel(kernel=k).fit(X, both, s).predict(NEW), K @ (s[:, None] * both))
    mean = SimilarityModel(kernel=k, normalize=True).fit(X, Y, s).predict(NEW)
    np.testing.assert_allclose(mean, K @ (s * Y) / (K @ s))
    chosen = [3, 8, 21]
    some = SimilarityModel(chosen, k).fit(X, Y)
    np.testing.assert_allclose(some.predict(NEW), K[:, chosen] @ Y[chosen])
    given = SimilarityModel(chosen, "precomputed").fit(k.gram(X), Y)
    np.testing.assert_allclose(given.predict(K), some.predict(NEW))
    assert SimilarityModel(kernel=k).fit(X, np.ones(60)).predict(X).max() > 1.0
    with pytest.raises(ValueError, match="similar to no landmark"):
        SimilarityModel(kernel=k, normalize=True).fit(X, Y).predict(NEW + 1e3)
    for landmarks in ([60], [-1], [0.5], [], [[1]]):
        with pytest.raises(ValueError, match="numbers of rows from 0 to 59"):
            SimilarityModel(landmarks).fit(X, Y)


def test_linear_similarity_of_sparse_rows():
    from scipy.sparse import csr_array

    for kernel in (Linear(), "rbf"):
        dense = SimilarityModel(kernel=kernel).fit(X, Y).predict(NEW)
        np.testing.assert_allclose(SimilarityModel(kernel=kernel).fit(csr_array(X), Y).predict(csr_array(NEW)), dense)


def test_rows_of_nearly_no_distance_warn():
    close = np.vstack([X, X + 1e-9])
    with pytest.warns(RankWarning):
        RBFNetworkRegressor("all", gamma=1.0, mode="interpolate").fit(close, np.r_[Y, Y])


@pytest.mark.spec("KER-086")
def test_centres_by_kmeans_are_those_of_the_weighted_rows():
    weights = np.linspace(0.1, 3.0, len(X))
    model = RBFNetworkRegressor("kmeans", n_centers=1, random_state=0).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(model.centers_, [np.average(X, axis=0, weights=weights)])


@pytest.mark.spec("KER-015")
@pytest.mark.parametrize("model", [RBFNetworkRegressor(), RBFNetworkClassifier(), SimilarityModel()])
def test_columns_on_wild_scales_are_warned_of(model):
    with pytest.warns(UserWarning, match="features on wild scales: column 0 ") as caught:
        model.fit(X * [1e4, 1.0], CLASSES)
    assert caught[0].filename == __file__
