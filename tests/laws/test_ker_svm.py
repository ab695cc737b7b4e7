"""Laws of support vector machines."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from gnomon.kernels import RBF, Additive, CallableKernel, FeatureMapKernel, Linear, NotPSDWarning, Polynomial
from gnomon.linear import LinearSVM, Perceptron
from gnomon.optim import KernelDual, smo
from gnomon.penalties import convert_lam
from gnomon.svm import (
    SVC,
    SVR,
    KernelLogisticRegression,
    KernelPerceptron,
    KernelRidge,
    KernelRidgeCV,
    MulticlassSVC,
    NestedOneClassSVM,
    NotSeparableError,
    OneClassSVM,
    check_kkt,
)

TIGHT = {"tol": 1e-9}
rng = np.random.default_rng(0)
n = 60
X = rng.normal(size=(n, 2))
y = np.where(X[:, 0] + X[:, 1] ** 2 - 0.5 + 0.7 * rng.normal(size=n) > 0.0, 1, -1)
APART = np.where(X[:, 0] + X[:, 1] > 0.0, 1, -1)
SPACED = X + 0.3 * APART[:, None]
curve = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=n)
THREE = np.digitize(X[:, 0] + 0.3 * rng.normal(size=n), [-0.5, 0.5])


@pytest.mark.spec("KER-L22", "KER-064")
@pytest.mark.parametrize(
    "model", [SVC(), SVC(loss="squared_hinge"), SVC(penalize_intercept=True), SVR(), OneClassSVM()]
)
def test_optimality_conditions_hold_at_the_optimum_and_nowhere_else(model):
    target = {"SVR": curve}.get(type(model).__name__, y)
    model = clone(model).set_params(tol=1e-8).fit(X, target)
    report = check_kkt(model, X, target, 1e-6)
    assert report
    assert report.residual <= 1e-6
    assert report.dual_gap == pytest.approx(0.0, abs=1e-5)
    assert model.kkt_residual_ <= 1e-8
    # Another β of the same sum is feasible and worse: the conditions fail.
    model._coef = model._coef * 0.9
    worse = check_kkt(model, X, target, 1e-6)
    assert not worse
    assert worse.dual_gap > 1e-3
    assert worse.complementarity <= worse.dual_gap


@pytest.mark.spec("KER-L22")
def test_rows_that_are_no_support_vectors_may_be_deleted():
    model = SVC(gamma=0.5, **TIGHT).fit(X, y)
    few = SVC(gamma=0.5, **TIGHT).fit(X[model.support_], y[model.support_])
    assert len(model.support_) < n
    np.testing.assert_allclose(few.decision_function(X), model.decision_function(X), atol=1e-6)


@pytest.mark.spec("KER-L23", "KER-053")
def test_hard_margin_is_the_largest_and_the_limit_of_soft_ones():
    hard = SVC(C=np.inf, kernel="linear", **TIGHT).fit(SPACED, APART)
    f = APART * hard.decision_function(SPACED)
    assert f.min() == pytest.approx(1.0, abs=1e-7)
    # Every support vector says the same b.
    vectors = hard.support_
    bs = APART[vectors] - (hard.decision_function(SPACED[vectors]) - hard.intercept_)
    np.testing.assert_allclose(bs, hard.intercept_[0], atol=1e-6)
    other = Perceptron(random_state=0).fit(SPACED, APART)
    theirs = np.min(APART * other.decision_function(SPACED)) / np.linalg.norm(other.coef_)
    assert hard.margin_ >= theirs
    assert np.min(APART * hard.distance(SPACED)) == pytest.approx(hard.margin_)
    soft = SVC(C=1e6, kernel="linear", **TIGHT).fit(SPACED, APART)
    np.testing.assert_allclose(soft.coef_, hard.coef_, rtol=1e-5)


@pytest.mark.spec("KER-053")
@pytest.mark.parametrize("kernel", ["linear", Polynomial(2), "precomputed"])
def test_overlapping_classes_have_no_hard_margin(kernel):
    rng = np.random.default_rng(11)
    rows = X @ X.T if kernel == "precomputed" else X
    twisted = y if kernel != Polynomial(2) else np.where(rng.uniform(size=n) > 0.5, 1, -1)
    with pytest.raises(NotSeparableError, match=r"not separable.*finite C"):
        SVC(C=np.inf, kernel=kernel).fit(rows, twisted)
    with pytest.raises(NotSeparableError):
        SVC(C=np.inf, kernel=kernel, loss="squared_hinge").fit(rows, twisted)
    same = SVC(C=np.inf, gamma=1.0)
    with pytest.raises(NotSeparableError):
        same.fit(np.vstack([X, X[:1]]), np.append(y, -y[0]))


@pytest.mark.spec("KER-L24", "KER-L30", "KER-065")
def test_along_C_slacks_fall_and_the_margin_narrows():
    models = [SVC(C=C, gamma=0.5, **TIGHT).fit(X, y) for C in (0.1, 1.0, 10.0, 100.0)]
    sums = [model.slack_.sum() for model in models]
    margins = [model.margin_ for model in models]
    assert np.all(np.diff(sums) <= 1e-7)
    assert np.all(np.diff(margins) <= 1e-9)
    for model in models:
        f = y * model.decision_function(X)
        assert model.slack_.sum() >= np.count_nonzero(model.predict(X) != y)
        inside = {place: f[model.point_classes_ == place] for place in ("interior", "margin", "bound")}
        assert np.all(inside["interior"] >= 1.0 - 1e-6)
        np.testing.assert_allclose(inside["margin"], 1.0, atol=1e-6)
        assert np.all(inside["bound"] <= 1.0 + 1e-6)
        np.testing.assert_array_equal(model.alpha_ > 0.0, model.point_classes_ != "interior")
        np.testing.assert_allclose(model.slack_, np.maximum(0.0, 1.0 - f), atol=1e-9)


@pytest.mark.spec("KER-L25", "KER-067")
def test_scalings_of_the_penalty_say_the_same():
    rng = np.random.default_rng(11)
    s = rng.uniform(0.5, 2.0, size=n)
    plain = SVC(C=0.7, **TIGHT).fit(X, y, sample_weight=s)
    tube = SVR(C=0.7, **TIGHT).fit(X, curve, sample_weight=s)
    for objective in ("sum", "mean", "sum_half", "mean_half", "loss_mean"):
        lam = convert_lam(0.7, "C", objective, n=s.sum())
        model = SVC(objective=objective, lam=lam, **TIGHT).fit(X, y, sample_weight=s)
        np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-6)
        model = SVR(objective=objective, lam=lam, **TIGHT).fit(X, curve, sample_weight=s)
        np.testing.assert_allclose(model.predict(X), tube.predict(X), atol=1e-6)
    with pytest.raises(ValueError, match=r"C=0.7.*lam=1.0"):
        SVC(C=0.7, lam=1.0, objective="sum").fit(X, y)


@pytest.mark.spec("KER-L26", "KER-057", "KER-061", "KER-062", "KER-L14")
def test_kernel_machine_is_the_linear_one_on_the_explicit_map():
    squares = Polynomial(2).features(X)
    for options in ({}, {"penalize_intercept": True}, {"fit_intercept": False}, {"loss": "squared_hinge"}):
        kernel = SVC(C=2.0, kernel=Polynomial(2), **options, **TIGHT).fit(X, y)
        on_map = SVC(C=2.0, kernel="linear", **options, **TIGHT).fit(squares, y)
        by_map = SVC(C=2.0, kernel=FeatureMapKernel(Polynomial(2).features), **options, **TIGHT).fit(X, y)
        linear = LinearSVM(C=2.0, **options).fit(squares, y)
        f = kernel.decision_function(X)
        np.testing.assert_allclose(on_map.decision_function(squares), f, atol=1e-6)
        np.testing.assert_allclose(by_map.decision_function(X), f, atol=1e-6)
        np.testing.assert_allclose(linear.decision_function(squares), f, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(on_map.coef_ @ squares.T + on_map.intercept_, [f], atol=1e-6)
        assert kernel.objective_ == pytest.approx(linear.objective_, rel=1e-5)
        assert kernel.alpha_.shape == (n,)
        with pytest.raises(AttributeError, match="linear kernel"):
            _ = kernel.coef_


@pytest.mark.spec("KER-L27", "KER-067")
def test_a_price_is_a_number_of_rows():
    rng = np.random.default_rng(11)
    counts = rng.integers(0, 4, size=n)
    copies = np.repeat(np.arange(n), counts)
    machine = SVC(gamma=0.5, **TIGHT)
    for model, target in ((machine, y), (machine, THREE), (SVR(gamma=0.5, **TIGHT), curve)):
        weighted = clone(model).fit(X, target, sample_weight=counts)
        repeated = clone(model).fit(X[copies], target[copies])
        scores = [m.predict(X) if isinstance(m, SVR) else m.decision_function(X) for m in (weighted, repeated)]
        np.testing.assert_allclose(*scores, atol=1e-5)
        assert not set(weighted.support_) & set(np.flatnonzero(counts == 0))
        scaled = clone(model).set_params(C=1e-3).fit(X, target, sample_weight=1e3 * counts)
        np.testing.assert_allclose(scaled.dual_coef_, weighted.dual_coef_, atol=1e-6)
    one = OneClassSVM(gamma=0.5, **TIGHT)
    weighted, repeated = clone(one).fit(X, sample_weight=counts), clone(one).fit(X[copies])
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)
    assert weighted.rho_ == pytest.approx(repeated.rho_)


@pytest.mark.spec("KER-L27")
def test_another_margin_constant_is_another_scale():
    # y f ≥ m with C: β and b are m times those of y f ≥ 1 with C/m.
    problem = KernelDual(2.0 * y, np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0))
    wide = smo(RBF(1.0).against(X), problem, tol=1e-10)
    usual = SVC(C=0.5, kernel=RBF(1.0), tol=1e-10).fit(X, y)
    np.testing.assert_allclose(wide.details["scores"] + wide.intercept, 2.0 * usual.decision_function(X), atol=1e-6)


@pytest.mark.spec("KER-L28", "KER-068")
def test_left_out_errors_are_at_most_the_support_vectors():
    model = SVC(C=np.inf, kernel="linear", **TIGHT).fit(SPACED, APART)
    wrong = 0
    for i in range(n):
        rest = np.arange(n) != i
        wrong += SVC(C=np.inf, kernel="linear").fit(SPACED[rest], APART[rest]).predict(SPACED[i : i + 1])[0] != APART[i]
    assert wrong <= len(model.support_)
    assert model.loo_bound_ == len(model.support_) / n
    norm = np.linalg.norm(model.coef_)
    assert model.margin_vc_dimension(R=0.1 / norm) == 2
    assert model.margin_vc_dimension(R=100.0) == 3
    assert SVC(gamma=1.0).fit(X, y).margin_vc_dimension(R=1.0) > 3


@pytest.mark.spec("KER-L29", "KER-015")
@pytest.mark.parametrize("model", [SVC(), SVR(), OneClassSVM()])
def test_a_column_in_other_units_changes_the_machine_and_a_scaler_prevents_it(model):
    target = {"SVR": curve}.get(type(model).__name__, y)
    stretched = X * [1.0, 1000.0]

    def scores(model, rows):
        fitted = clone(model).fit(rows, target)
        return fitted.predict(rows) if isinstance(model, SVR) else fitted.decision_function(rows)

    with pytest.warns(UserWarning, match="features on wild scales: column 1 "):
        changed = scores(model, stretched)
    assert not np.allclose(changed, scores(model, X), atol=0.1)
    scaler = StandardScaler().fit
    model = clone(model).set_params(tol=1e-9)
    before = scores(model, scaler(X).transform(X))
    np.testing.assert_allclose(scores(model, scaler(stretched).transform(stretched)), before, atol=1e-6)


@pytest.mark.spec("KER-L33", "KER-077")
def test_regression_lies_on_the_tube():
    flat = SVR(epsilon=0.5 * np.ptp(curve) + 1e-9).fit(X, curve)
    assert len(flat.support_) == 0
    np.testing.assert_allclose(flat.predict(X), flat.intercept_[0])
    low, high = flat.intercept_interval_[0]
    assert low <= flat.intercept_[0] <= high
    assert (low, high) == pytest.approx((curve.max() - flat.epsilon, curve.min() + flat.epsilon), abs=1e-3)
    model = SVR(C=0.5, epsilon=0.2, gamma=1.0, **TIGHT).fit(X, curve)
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    residual = curve - model.predict(X)
    free = (beta != 0.0) & (np.abs(beta) < 0.5)
    np.testing.assert_allclose(np.abs(residual[free]), 0.2, atol=1e-6)
    assert np.all(np.abs(residual[np.abs(beta) == 0.5]) >= 0.2 - 1e-6)
    assert np.all(np.abs(residual[beta == 0.0]) <= 0.2 + 1e-6)
    squared = SVR(C=0.5, epsilon=0.2, gamma=1.0, loss="squared_epsilon_insensitive", **TIGHT).fit(X, curve)
    excess = np.maximum(0.0, np.abs(curve - squared.predict(X)) - 0.2)
    beta = np.zeros(n)
    beta[squared.support_] = squared.dual_coef_[0]
    np.testing.assert_allclose(np.abs(beta), 2 * 0.5 * excess, atol=1e-6)
    assert squared.objective_ == pytest.approx(0.5 * squared.rkhs_norm()[0] ** 2 + 0.5 * np.sum(excess**2))


@pytest.mark.spec("KER-L34", "KER-078")
@pytest.mark.parametrize("nu", [0.05, 0.3, 0.5, 0.9, 1.0])
def test_one_class_holds_the_share_that_is_asked_for(nu):
    model = OneClassSVM(nu=nu, gamma=0.5, **TIGHT).fit(X)
    # Free support vectors lie on the border, up to the tolerance.
    assert np.mean(model.decision_function(X) < -1e-6) <= nu + 1e-12
    assert len(model.support_) / n >= nu - 1e-12
    assert model.alpha_.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(model.score_samples(X), model.decision_function(X) + model.offset_)
    if nu == 1.0:
        parzen = RBF(gamma=0.5).gram(X).mean(axis=0)
        np.testing.assert_allclose(model.score_samples(X) / n, parzen)
        assert model.rho_ == pytest.approx(parzen.max())


@pytest.mark.spec("KER-L34")
def test_one_class_with_gaussians_is_the_smallest_ball():
    model = OneClassSVM(nu=0.3, gamma=0.5, **TIGHT).fit(X)
    # Tax & Duin (2004): minimise αᵀKα − Σ αᵢ k(xᵢ, xᵢ) over the same set; the diagonal is 1, so the α are the same.
    bound = np.full(n, 1.0 / (0.3 * n))
    ball = smo(RBF(gamma=0.5).against(X), KernelDual(0.5 * np.ones(n), 0.0 * bound, bound, total=1.0), tol=1e-12)
    np.testing.assert_allclose(ball.w, model.alpha_, atol=1e-6)


@pytest.mark.spec("KER-076")
def test_classes_against_the_rest():
    model = SVC(multi_class="ovr", gamma=0.5, **TIGHT).fit(X, THREE)
    for k in range(3):
        one = SVC(gamma=0.5, **TIGHT).fit(X, k == THREE)
        np.testing.assert_allclose(model.decision_function(X)[:, k], one.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(model.predict(X), np.argmax(model.decision_function(X), axis=1))
    assert model.dual_coef_.shape == (3, len(model.support_))
    assert model.alpha_.shape == model.slack_.shape == model.point_classes_.shape == (3, n)
    assert model.history_["problem"].max() == 2
    with pytest.raises(ValueError, match="score for each pair"):
        SVC(multi_class="ovr", decision_function_shape="ovo").fit(X, THREE)
    pairs = SVC(gamma=0.5).fit(X, THREE)
    assert np.all(np.isnan(pairs.slack_[0]) == (THREE == 2))
    assert pairs.margin_.shape == (3,)


@pytest.mark.parametrize("options", [{"multi_class": "ovo"}, {"multi_class": "ovr"}, {"loss": "squared_hinge"}])
def test_machines_of_several_classes_compare_each_pair_of_rows_once_where_the_matrix_fits(options):
    compared = []

    def gaussians(A, B):
        compared.append(len(A) * len(B))
        return RBF(gamma=0.5).gram(A, B)

    fits, entries = [], []
    for cache_size in (1.0, 8 * n * n / 2**20):
        compared.clear()
        fits.append(SVC(kernel=CallableKernel(gaussians), cache_size=cache_size, **options, **TIGHT).fit(X, THREE))
        entries.append(sum(compared))
    # Once more to look whether the kernel is one.
    assert entries[0] <= 2 * n * n < entries[1]
    np.testing.assert_allclose(fits[0].alpha_, fits[1].alpha_, atol=1e-6)
    np.testing.assert_allclose(fits[0].objective_, fits[1].objective_, rtol=1e-9)
    assert all(model.kkt_residual_ <= 1e-9 for model in fits)


@pytest.mark.spec("KER-054", "KER-L26")
@pytest.mark.parametrize("model", [SVC(**TIGHT), SVR(**TIGHT), OneClassSVM(**TIGHT)])
def test_a_kernel_may_be_given_in_many_ways(model):
    target = {"SVR": curve}.get(type(model).__name__, y)

    def scores(model, rows):
        return model.predict(rows) if isinstance(model, SVR) else model.decision_function(rows)

    expected = scores(clone(model).set_params(kernel="rbf", gamma=0.5).fit(X, target), X)
    K = RBF(gamma=0.5).gram(X)
    ways = {
        "object": (RBF(gamma=0.5), X),
        "function": (RBF(gamma=0.5).gram, X),
        "precomputed": ("precomputed", K),
        "pairs": (CallableKernel(lambda a, b: float(np.exp(-0.5 * np.sum((a - b) ** 2))), pairwise=True), list(X)),
        "sparse": (RBF(gamma=0.5), sparse.csr_matrix(X)),
        "single": (RBF(gamma=0.5), X.astype(np.float32)),
    }
    for name, (kernel, rows) in ways.items():
        found = clone(model).set_params(kernel=kernel).fit(rows, target)
        atol = 1e-3 if name == "single" else 1e-6
        np.testing.assert_allclose(scores(found, rows), expected, atol=atol, err_msg=name)
        beta = np.zeros(n)
        beta[found.support_] = np.ravel(found._coef)
        assert found.rkhs_norm() == pytest.approx(np.sqrt(beta @ K @ beta), rel=1e-3)
        if name != "pairs":
            few = scores(found, rows[:7])
            np.testing.assert_allclose(few, expected[:7], atol=atol)
            bumps = found.bumps(rows[:7])
            np.testing.assert_allclose(bumps.sum(axis=1)[:, 0] + found.intercept_, few, atol=1e-5)


@pytest.mark.spec("KER-006", "KER-023")
def test_a_kernel_that_is_none_is_warned_of():
    with pytest.warns(NotPSDWarning):
        model = SVC(kernel="sigmoid", gamma=1.0, coef0=-1.0).fit(X, y)
    assert model.converged_
    with pytest.warns(NotPSDWarning, match="least eigenvalue"):
        SVC(kernel="precomputed").fit(-(X @ X.T), y)


@pytest.mark.spec("KER-058")
def test_steps_are_limited_and_said_so():
    with pytest.warns(ConvergenceWarning, match=r"not converged after 3 iterations \(duality gap"):
        model = SVC(max_iter=3).fit(X, y)
    assert not model.converged_
    assert (model.stop_reason_, model.fit_status_, model.n_iter_.tolist()) == ("max_iter", 1, [3])
    # The certificate is true: the gap bounds the distance to the optimum.
    best = SVC(**TIGHT).fit(X, y)
    assert model.objective_ - best.objective_ <= model.dual_gap_
    seven = np.random.default_rng(1).normal(size=(700, 2))
    loose = SVC(gap_tol=0.1, tol=1e-9).fit(seven, np.sign(seven[:, 0]))
    assert loose.stop_reason_ == "gap"
    assert loose.dual_gap_ <= 0.1 * (loose.objective_ - loose.dual_gap_) * (1 + 1e-9)


@pytest.mark.spec("KER-058")
def test_a_start_along_C_saves_steps():
    def dual(C):
        return KernelDual(y.astype(float), np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0))

    against = RBF(1.0).against(X)
    first = smo(against, dual(10.0))
    cold, warm = smo(against, dual(11.0)), smo(against, dual(11.0), start=1.1 * first.w)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-4)
    assert warm.n_iter < cold.n_iter


@pytest.mark.spec("KER-057")
def test_no_intercept_is_none():
    model = SVC(fit_intercept=False, **TIGHT).fit(X, y)
    assert model.intercept_ == 0.0
    np.testing.assert_array_equal(model.intercept_interval_, [[0.0, 0.0]])
    with pytest.raises(ValueError, match="penalize_intercept=True needs an intercept"):
        SVC(fit_intercept=False, penalize_intercept=True).fit(X, y)


@pytest.mark.spec("KER-041")
def test_kernels_are_searched():
    search = GridSearchCV(SVC(kernel=RBF(1.0)), {"kernel__length_scale": [0.1, 1.0], "C": [1.0, 10.0]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.7
    assert isinstance(GridSearchCV(SVC(), {"kernel": [Linear(), RBF(1.0)]}, cv=3).fit(X, y).best_params_["kernel"], RBF)


@pytest.mark.spec("KER-L26", "KER-066")
def test_scores_compare_rows_with_support_vectors_alone():
    compared = []

    def gaussian(A, B):
        compared.append(len(A) * len(B))
        return RBF(gamma=0.5).gram(A, B)

    model = SVC(kernel=CallableKernel(gaussian), C=0.5).fit(X, y)
    compared.clear()
    model.decision_function(X[:10])
    assert sum(compared) == 10 * len(model.support_) < 10 * n


@pytest.mark.spec("KER-015")
@pytest.mark.parametrize(
    "model",
    [
        KernelLogisticRegression(),
        KernelPerceptron(max_iter=1),
        MulticlassSVC(),
        NestedOneClassSVM(),
        KernelRidge(),
        KernelRidgeCV(),
    ],
)
def test_every_machine_warns_of_wild_scales(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        with pytest.warns(UserWarning, match="features on wild scales: column 1 ") as caught:
            model.fit(X * [1.0, 1000.0], y)
    assert caught[0].filename == __file__


@pytest.mark.spec("KER-015", "KER-018")
@pytest.mark.parametrize(
    "kernel",
    [
        RBF([1.0, 1000.0]),
        RBF(metric=[1.0, 1e-6]),
        2.0 * RBF([1.0, 1000.0]) + Linear().on([0]),
        Additive([RBF(), RBF(1000.0)]),
        RBF().warp(lambda A: A / [1.0, 1000.0]),
    ],
    ids=["widths", "metric", "sum", "columns", "warp"],
)
def test_a_kernel_that_weighs_columns_is_not_warned_of_their_scales(kernel):
    stretched = X * [1.0, 1000.0]
    assert kernel.scales_columns
    assert SVC(kernel=kernel).fit(stretched, y).score(stretched, y) > 0.7
    with pytest.warns(UserWarning, match="features on wild scales"):
        SVC(kernel=2.0 * RBF()).fit(stretched, y)
