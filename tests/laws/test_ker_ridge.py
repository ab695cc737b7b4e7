"""Laws of kernel ridge regression and of functions that are sums of kernels."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

from gnomon.kernels import (
    RBF,
    Additive,
    CallableKernel,
    Constant,
    FeatureMapKernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
)
from gnomon.linear import Ridge
from gnomon.numerics.linalg import _kernel_ridge, kernel_ridge
from gnomon.svm import KernelLogisticRegression, KernelRidge

RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 3))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]]) + 0.1 * RNG.standard_normal((30, 2))
S = RNG.integers(1, 4, 30).astype(float)
NEW = RNG.standard_normal((7, 3))
KERNELS = [Linear(coef0=1.0), Polynomial(2), RBF(1.5), RBF(2.0) + 0.3 * Linear(), 0.5 * Linear().on([0, 2]) + 1.0]


@pytest.mark.spec("KER-045", "KER-L15")
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("solver", ["auto", "dual"])
def test_the_gradient_vanishes_and_a_weight_is_a_repetition(kernel, solver):
    model = KernelRidge(0.3, kernel=kernel, solver=solver).fit(X, Y, S)
    K, beta = kernel.gram(X), model.dual_coef_
    gradient = K @ (S[:, None] * (K @ beta - Y) + 0.3 * beta)
    assert np.max(np.abs(gradient)) < 1e-8 * np.max(np.abs(K)) ** 2
    value = np.sum(S[:, None] * (Y - K @ beta) ** 2) + 0.3 * np.sum(beta * (K @ beta))
    assert model.objective_ == pytest.approx(value, rel=1e-9)
    repeated = np.repeat(np.arange(30), S.astype(int))
    twice = KernelRidge(0.3, kernel=kernel, solver=solver).fit(X[repeated], Y[repeated])
    np.testing.assert_allclose(twice.predict(NEW), model.predict(NEW), atol=1e-8)
    absent = KernelRidge(0.3, kernel=kernel, solver=solver).fit(X, Y, (S > 1).astype(float))
    kept = KernelRidge(0.3, kernel=kernel, solver=solver).fit(X[S > 1], Y[S > 1])
    np.testing.assert_allclose(absent.predict(NEW), kept.predict(NEW), atol=1e-8)


@pytest.mark.spec("KER-045", "KER-L15")
def test_it_is_the_mean_of_a_gaussian_process():
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF as PeerRBF

    peer = GaussianProcessRegressor(PeerRBF(1.5, "fixed"), alpha=0.2).fit(X, Y)
    ours = KernelRidge(0.2, kernel=RBF(1.5)).fit(X, Y)
    np.testing.assert_allclose(ours.predict(NEW), peer.predict(NEW), atol=1e-9)
    # scikit-learn's kernels of Gaussian processes serve as they are.
    np.testing.assert_allclose(KernelRidge(0.2, kernel=PeerRBF(1.5)).fit(X, Y).predict(NEW), ours.predict(NEW))


@pytest.mark.spec("KER-046", "KER-L14")
@pytest.mark.parametrize("weights", [None, S], ids=["plain", "weighted"])
@pytest.mark.parametrize("parametric", [None, "constant"])
@pytest.mark.parametrize("rows", [X, sparse.csr_matrix(X)], ids=["dense", "sparse"])
def test_primal_and_dual_agree_with_the_linear_model(rows, parametric, weights):
    models = [
        KernelRidge([0.3, 2.0], parametric=parametric, solver=solver).fit(rows, Y, weights)
        for solver in ("auto", "primal", "dual")
    ]
    assert [model.solver_ for model in models] == ["primal", "primal", "dual"]
    linear = Ridge([0.3, 2.0], fit_intercept=parametric is not None).fit(rows, Y, weights)
    for model in models:
        np.testing.assert_allclose(model.linear_coef_, linear.coef_.T, atol=1e-8)
        np.testing.assert_allclose(model.predict(NEW), linear.predict(NEW), atol=1e-8)
        np.testing.assert_allclose(model.dual_coef_, models[2].dual_coef_, atol=1e-8)
        assert model.objective_ == pytest.approx(models[2].objective_)


@pytest.mark.spec("KER-L14")
def test_the_matrix_identity_behind_primal_and_dual():
    rng = np.random.default_rng(11)
    P, B, R = np.diag([0.5, 2.0, 1.0]), rng.standard_normal((4, 3)), np.diag([1.0, 0.2, 3.0, 0.7])
    inv = np.linalg.inv
    np.testing.assert_allclose(
        inv(inv(P) + B.T @ inv(R) @ B) @ B.T @ inv(R), P @ B.T @ inv(B @ P @ B.T + R), atol=1e-12
    )


@pytest.mark.spec("KER-046")
def test_the_smaller_system_is_chosen():
    wide = FeatureMapKernel(lambda A: np.hstack([A**k for k in range(20)]))
    assert KernelRidge(kernel=wide).fit(X, Y).solver_ == "dual"
    assert KernelRidge(kernel=wide).fit(np.repeat(X, 3, axis=0), np.repeat(Y, 3, axis=0)).solver_ == "primal"
    with pytest.raises(ValueError, match="solver='primal' needs a kernel with a finite map"):
        KernelRidge(kernel="rbf", solver="primal").fit(X, Y)


@pytest.mark.spec("KER-045")
@pytest.mark.parametrize(
    ("objective", "lam"),
    [
        ("sum", 0.6),
        ("mean", 0.6 / 66),
        ("sum_half", 1.2),
        ("mean_half", 1.2 / 66),
        ("C", 1 / 1.2),
        ("loss_mean", 66 / 1.2),
    ],
)
def test_every_scaling_of_lambda_is_one_model(objective, lam):
    s = 66.0 * S / S.sum()
    model = KernelRidge(kernel=RBF(1.5), objective=objective, lam=lam).fit(X, Y, s)
    np.testing.assert_allclose(model.dual_coef_, KernelRidge(0.6, kernel=RBF(1.5)).fit(X, Y, s).dual_coef_, atol=1e-9)
    with pytest.raises(ValueError, match="exclude each other"):
        KernelRidge(0.5, objective=objective, lam=lam).fit(X, Y)


@pytest.mark.spec("KER-045")
@pytest.mark.parametrize("parametric", [None, "constant", "linear"])
def test_without_a_penalty_the_fit_has_least_norm(parametric):
    free = KernelRidge(0.0, kernel=RBF(0.7), parametric=parametric).fit(X, Y)
    np.testing.assert_allclose(free.predict(X), Y, atol=1e-8)
    limit = KernelRidge(1e-9, kernel=RBF(0.7), parametric=parametric).fit(X, Y)
    np.testing.assert_allclose(free.predict(NEW), limit.predict(NEW), atol=1e-5)
    twice = np.repeat(np.arange(30), 2)
    different = Y[twice] + np.tile([[0.1], [-0.1]], (30, 1))
    with pytest.warns(UserWarning, match="has rank 30 of 60"):
        mean = KernelRidge(0.0, kernel=RBF(0.7), parametric=parametric).fit(X[twice], different)
    np.testing.assert_allclose(mean.predict(NEW), free.predict(NEW), atol=1e-6)
    assert mean.objective_ == pytest.approx(60 * 2 * 0.01)


@pytest.mark.spec("KER-045")
def test_a_negative_penalty_is_refused():
    with pytest.raises(ValueError, match="alpha"):
        KernelRidge(-0.1).fit(X, Y)
    with pytest.raises(ValueError, match="alpha has 3 values for 2 targets"):
        KernelRidge([1.0, 2.0, 3.0]).fit(X, Y)


@pytest.mark.spec("KER-006")
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_a_matrix_that_is_no_kernel_is_refused_with_its_least_eigenvalue(alpha):
    K = np.diag([3.0, 1.0, -0.5])
    with pytest.raises(ValueError, match=r"least eigenvalue is -0\.5, its largest 3; .* above 0\.5"):
        KernelRidge(alpha, kernel="precomputed").fit(K, np.ones(3))
    # A penalty that lifts all eigenvalues leaves a problem with a solution.
    K[2, 2] = -0.05
    if alpha:
        np.testing.assert_allclose(
            KernelRidge(alpha, kernel="precomputed").fit(K, np.ones(3)).dual_coef_, 1.0 / (np.diag(K) + alpha)
        )


@pytest.mark.spec("KER-048")
def test_a_free_part_solves_the_bordered_system():
    x = X[:, :1]
    H = np.column_stack([np.ones(30), x, np.cos(x)])
    by_function = KernelRidge(
        0.2, kernel=RBF(1.0), parametric=lambda A: np.column_stack([np.ones(len(A)), A, np.cos(A)])
    )
    model = by_function.fit(x, Y[:, 0], S)
    K = RBF(1.0).gram(x) + 0.2 * np.diag(1.0 / S)
    solution = np.linalg.solve(np.block([[K, H], [H.T, np.zeros((3, 3))]]), np.append(Y[:, 0], np.zeros(3)))
    np.testing.assert_allclose(model.dual_coef_, solution[:30], atol=1e-8)
    np.testing.assert_allclose(model.parametric_coef_, solution[30:], atol=1e-8)
    np.testing.assert_allclose(model.predict(x), RBF(1.0).gram(x) @ solution[:30] + H @ solution[30:], atol=1e-8)


@pytest.mark.spec("KER-L16", "KER-048")
def test_far_from_the_data_only_the_trend_is_left():
    x, y = X[:, :1], 2.0 * X[:, 0] + np.sin(3.0 * X[:, 0])
    assert abs(KernelRidge(0.1, kernel=RBF(0.5)).fit(x, y).predict([[1e3]])[0]) < 1e-12
    np.testing.assert_allclose(KernelRidge(1e9, kernel=RBF(0.5)).fit(x, y).predict(x), 0.0, atol=1e-6)
    for model in (
        KernelRidge(0.1, kernel=RBF(0.5) + 0.7 * Linear()),
        KernelRidge(0.1, kernel=RBF(0.5), parametric="linear"),
        KernelRidge(0.1, kernel=RBF(0.5) + 0.7 * Linear().on([0]), parametric=lambda rows: np.ones(len(rows))),
    ):
        model.fit(x, y)
        np.testing.assert_allclose(model.predict([[1e7]]) / 1e7, model.linear_coef_, rtol=1e-6)


@pytest.mark.spec("KER-L16")
def test_narrow_bumps_interpolate_with_spikes_and_wide_ones_are_smooth():
    x = np.arange(8.0)[:, None]
    y = np.array([1.0, 0.5, 1.0, 0.7, 1.2, 0.9, 1.1, 0.8])
    spikes = KernelRidge(1e-6, kernel=RBF(bandwidth=0.05)).fit(x, y)
    np.testing.assert_allclose(spikes.predict(x), y, atol=1e-5)
    assert np.max(np.abs(spikes.predict(x[:-1] + 0.5))) < 1e-8
    wide = KernelRidge(0.1, kernel=RBF(bandwidth=3.0)).fit(x, y).predict(np.linspace(0, 7, 71)[:, None])
    assert np.min(wide) > 0.6
    assert np.max(np.abs(np.diff(wide, 2))) < 0.01


@pytest.mark.spec("KER-L17")
def test_a_high_degree_loses_on_a_line_and_a_gaussian_reaches_the_noise():
    rng = np.random.default_rng(1)
    x, new = rng.uniform(-1, 1, (20, 1)), rng.uniform(-1, 1, (200, 1))
    y = x[:, 0] + 0.3 * rng.standard_normal(20)
    errors = [
        np.mean((KernelRidge(1e-8, kernel=Polynomial(m)).fit(x, y).predict(new) - new[:, 0]) ** 2) for m in (1, 12)
    ]
    assert errors[1] > 3.0 * errors[0]
    # Squared errors on noisy rows, over the variance of the noise.
    floors = []
    for n in (20, 60, 600):
        x = rng.uniform(-3, 3, (n, 1))
        y = np.sin(2.0 * x[:, 0]) + 0.3 * rng.standard_normal(n)
        noisy = np.sin(6.0 * new[:, 0]) + 0.3 * rng.standard_normal(200)
        model = KernelRidge(0.3, kernel=RBF(0.5)).fit(x, y)
        floors.append(np.mean((model.predict(3.0 * new) - noisy) ** 2) / 0.09)
    assert floors[0] > floors[1] > floors[2]
    assert 0.75 < floors[2] < 1.25


@pytest.mark.spec("KER-043", "KER-L18")
def test_bumps_and_the_local_score():
    h = 0.8
    model = KernelRidge(0.1, kernel=RBF(bandwidth=h)).fit(X, Y[:, 0])
    bumps, distance = model.bumps(NEW), np.linalg.norm(NEW[:, None] - X, axis=2)
    np.testing.assert_allclose(bumps.sum(axis=1), model.predict(NEW), atol=1e-12)
    far = np.abs(np.sum(bumps * (distance > 2.0 * h), axis=1))
    assert np.all(far <= np.exp(-4.0) * np.sum(np.abs(model.dual_coef_)))
    np.testing.assert_allclose(model.local_score(NEW), (distance <= 2.0 * h) @ model.dual_coef_, atol=1e-12)
    np.testing.assert_allclose(model.local_score(NEW, radius=1.0), (distance <= 1.0) @ model.dual_coef_, atol=1e-12)
    two = KernelRidge(0.1, kernel=RBF(bandwidth=h), parametric="constant").fit(X, Y)
    np.testing.assert_allclose(two.bumps(NEW).sum(axis=1) + two.intercept_, two.predict(NEW), atol=1e-12)
    # Where nothing is near only the intercept is left, and where everything is near all coefficients count.
    np.testing.assert_allclose(two.local_score(NEW + 1e3), np.tile(two.intercept_, (7, 1)))
    everything = np.tile(two.dual_coef_.sum(axis=0) + two.intercept_, (7, 1))
    np.testing.assert_allclose(two.local_score(NEW, radius=1e3), everything, atol=1e-12)
    with pytest.raises(ValueError, match="give the radius"):
        KernelRidge(0.1).fit(X, Y).local_score(NEW)


@pytest.mark.spec("KER-043")
def test_components_are_the_summands_of_the_kernel():
    kernel = 0.5 * (RBF(1.0).on([0]) + Linear().on([1, 2])) + Constant(2.0)
    model = KernelRidge(0.1, kernel=kernel, parametric="constant").fit(X, Y)
    parts = model.components(NEW)
    assert parts.shape == (7, 3, 2)
    np.testing.assert_allclose(parts.sum(axis=1) + model.intercept_, model.predict(NEW), atol=1e-10)
    np.testing.assert_allclose(parts[:, 0], 0.5 * RBF(1.0).gram(NEW[:, :1], X[:, :1]) @ model.dual_coef_, atol=1e-12)
    np.testing.assert_allclose(parts[:, 1], NEW @ model.linear_coef_, atol=1e-12)


@pytest.mark.spec("KER-042", "KER-L40", "KER-L43")
def test_parameters_grow_with_the_rows_and_the_weights_lie_in_their_span():
    assert [KernelRidge(kernel="rbf").fit(X[:n], Y[:n]).n_parameters_ for n in (5, 10, 30)] == [5, 10, 30]
    few = X[:2]
    model = KernelRidge(0.1, kernel=Linear(), solver="primal").fit(few, Y[:2, 0])
    outside = np.eye(3) - np.linalg.pinv(few) @ few
    np.testing.assert_allclose(outside @ model.linear_coef_, 0.0, atol=1e-12)


@pytest.mark.spec("KER-003")
def test_objects_and_matrices_serve_as_rows():
    words, y = ["tea", "eat", "sun", "sunny", "at"], np.array([1.0, 1.0, 0.0, 0.0, 0.8])
    common = CallableKernel(lambda a, b: len(set(a) & set(b)), pairwise=True)
    model = KernelRidge(0.5, kernel=common).fit(words, y)
    K = common.gram(words)
    given = KernelRidge(0.5, kernel=Precomputed()).fit(K, y)
    np.testing.assert_allclose(given.dual_coef_, model.dual_coef_)
    np.testing.assert_allclose(model.predict(["teas"]), given.predict(common.gram(["teas"], words)))
    precomputed = KernelRidge(0.5, kernel="precomputed")
    folds = cross_val_predict(precomputed, K, y, cv=5)
    assert folds[0] == pytest.approx(KernelRidge(0.5, kernel=common).fit(words[1:], y[1:]).predict(words[:1])[0])
    for rows, options in ((K, {"kernel": "precomputed"}), (words, {"kernel": common})):
        with pytest.raises(ValueError, match="parametric='linear' needs rows with columns"):
            KernelRidge(parametric="linear", **options).fit(rows, y)
    before = K.copy()
    precomputed.fit(K, y)
    np.testing.assert_array_equal(K, before)


def test_blocks_of_rows_give_the_same_scores(monkeypatch):
    model = KernelRidge(0.1, kernel=RBF(1.0)).fit(X, Y)
    whole, local = model.predict(NEW), model.local_score(NEW)
    monkeypatch.setattr("gnomon.svm._expansion.ENTRIES", 70)
    np.testing.assert_allclose(model.predict(NEW), whole, atol=1e-14)
    np.testing.assert_allclose(model.local_score(NEW), local)
    square = np.sum(model.dual_coef_ * (RBF(1.0).gram(X) @ model.dual_coef_), axis=0)
    np.testing.assert_allclose(model.rkhs_norm() ** 2, square)


def test_a_singular_sum_takes_the_solution_of_least_norm():
    K = np.ones((3, 3))
    with pytest.warns(UserWarning, match="has rank 1 of 3"):
        found = kernel_ridge(K, np.array([[1.0], [2.0], [3.0]]), 1e-20)
    np.testing.assert_allclose(found.coef.ravel(), 2.0 / 3.0)
    np.testing.assert_allclose(found.rss, [2.0])
    with pytest.warns(UserWarning, match="has rank 3 of 30") as caught:
        KernelRidge(0.0, kernel="linear").fit(X, Y)
    assert [one.filename for one in caught] == [__file__]


@pytest.mark.spec("KER-045")
@pytest.mark.parametrize("scale", [1.0, 1e-140, 1e140])
@pytest.mark.parametrize("rho", [1e-9, 1e-3, 0.1, 30.0])
def test_a_factor_in_single_precision_loses_nothing(rho, scale, monkeypatch):
    rng = np.random.default_rng(0)
    K = scale * RBF(1.0).gram(rng.standard_normal((60, 2)))
    y, s = rng.standard_normal((60, 2)) * [1.0, 1e100], rng.uniform(0.5, 2.0, 60)
    double = kernel_ridge(K, y, scale * rho, s)
    refined = []
    original = _kernel_ridge._refined
    monkeypatch.setattr(_kernel_ridge, "LARGE", 2)
    monkeypatch.setattr(_kernel_ridge, "_refined", lambda *given: refined.append(original(*given)) or refined[-1])
    single = kernel_ridge(K, y, scale * rho, s)
    # Where the penalty does not bound the condition number, or the numbers leave the range, double precision serves.
    assert len(refined) == (rho >= 1e-3)
    assert scale != 1.0 or all(found is not None for found in refined)
    for column in range(2):
        residual = K @ single.coef[:, column] + scale * rho * single.coef[:, column] / s - y[:, column]
        size = np.max(np.abs(single.coef[:, column])) * np.max(np.sum(np.abs(K), axis=0))
        assert np.max(np.abs(residual)) <= 1e-14 * size
    np.testing.assert_allclose(single.coef, double.coef, rtol=1e-4 if rho < 1e-3 else 1e-9)


@pytest.mark.spec("KER-038", "KER-L08", "KER-043")
@pytest.mark.parametrize("machine", [KernelRidge(0.2, parametric="constant"), KernelLogisticRegression(C=5.0)])
def test_a_model_with_an_additive_kernel_is_a_sum_of_functions_of_columns(machine):
    rng = np.random.default_rng(11)
    kernel = Additive([RBF(0.8), Laplacian(1.5), Linear()])
    classes = isinstance(machine, KernelLogisticRegression)
    model = clone(machine).set_params(kernel=kernel).fit(X, (Y[:, 0] > 0).astype(int) if classes else Y[:, 0])
    f = (model.decision_function if classes else model.predict)(NEW)
    parts = model.components(NEW)
    np.testing.assert_allclose(parts.sum(axis=1) + model.intercept_, f, atol=1e-12)
    for j in range(3):
        other = rng.standard_normal(NEW.shape)
        other[:, j] = NEW[:, j]
        np.testing.assert_array_equal(np.round(model.components(other)[:, j], 12), np.round(parts[:, j], 12))
    pairs = clone(machine).set_params(kernel=Additive([RBF(0.8)] * 3, order=2))
    pairs.fit(X, (Y[:, 0] > 0).astype(int) if classes else Y[:, 0])
    assert pairs.components(NEW).shape == (7, 3)


@pytest.mark.spec("KER-048")
def test_linear_parts_are_found_wherever_they_stand():
    assert Additive([RBF(), Linear()]).linear_weights(2).tolist() == [0.0, 1.0]
    kernel = 2.0 * (Linear().on([1]) + RBF()) + Linear() * 0.5
    assert kernel.linear_weights(3).tolist() == [0.5, 2.5, 0.5]
    assert (Linear() * RBF()).linear_weights(2).tolist() == [0.0, 0.0]


@pytest.mark.spec("KER-037", "KER-048")
def test_columns_by_name_are_found_in_frames_alone():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    kernel = RBF(1.0).on("b") + 0.5 * Linear().on(["c", "a"])
    model = KernelRidge(0.1, kernel=kernel).fit(frame, Y)
    by_place = KernelRidge(0.1, kernel=RBF(1.0).on([1]) + 0.5 * Linear().on([2, 0])).fit(X, Y)
    np.testing.assert_allclose(model.predict(frame[:5]), by_place.predict(X[:5]))
    np.testing.assert_allclose(model.linear_coef_, by_place.linear_coef_)
    assert model.linear_coef_[1].tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="are names, and X has none"):
        KernelRidge(kernel=kernel).fit(X, Y)
