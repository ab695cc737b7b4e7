"""Linear models: targets for their speed, memory and first call."""

from functools import partial
from importlib import import_module

import numpy as np

from benchmarks import _data, _real
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.linear",)


def ours(name, **options):
    """Fit gnomon.linear's estimator `name`."""

    def run(data):
        return getattr(import_module("gnomon.linear"), name)(**_resolve(options, data)).fit(data.X, data.y)

    return run


def peer(name, *, package="scikit-learn", label="", module="sklearn.linear_model", **options):
    """Fit the estimator `name` of scikit-learn, or of a package with its names."""

    def run(data):
        return getattr(import_module(module), name)(**_resolve(options, data)).fit(data.X, data.y)

    return Peer(package, label or options.get("solver", package), run)


def _resolve(options, data):
    """Options that depend on the data are functions of them."""
    return {name: value(data) if callable(value) else value for name, value in options.items()}


intelex = partial(peer, package="scikit-learn-intelex", module="sklearnex.linear_model")


def squared_error(alpha=0.0):
    """(‖y − ŷ‖² + α‖w‖²) / ‖y − ȳ‖²."""

    def quality(data, model):
        loss = _sum_of_squares(data.y - model.predict(data.X)) + alpha * _sum_of_squares(model.coef_)
        return loss / _sum_of_squares(data.y - np.mean(data.y, dtype=float))

    return quality


def _sum_of_squares(v):
    v = np.asarray(v, dtype=float).ravel()
    return float(v @ v)


def leave_one_out(data, model):
    """Exact leave-one-out error at the chosen α, recomputed from the hat matrix, over the variance of y."""
    X = data.X - data.X.mean(axis=0)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    shrink = s**2 / (s**2 + model.alpha_)
    centred = data.y - data.y.mean()
    leverage = np.einsum("ij,j,ij->i", U, shrink, U) + 1.0 / len(data.y)
    residual = centred - U @ (shrink * (U.T @ centred))
    return float(np.mean((residual / (1.0 - leverage)) ** 2) / np.var(data.y))


def largest_alpha(data):
    """The α of scikit-learn's lasso above which every coefficient is zero."""
    centred = data.y - data.y.mean()
    return float(np.max(np.abs(data.X.T @ centred)) / len(data.y))


def alpha_over(divisor):
    return lambda data: largest_alpha(data) / divisor


def lasso_objective(divisor):
    """(‖y − ŷ‖²/(2n) + α‖w‖₁) over its value at w = 0."""

    def quality(data, model):
        alpha = largest_alpha(data) / divisor
        loss = _sum_of_squares(data.y - model.predict(data.X)) / (2 * len(data.y))
        return (loss + alpha * np.abs(model.coef_).sum()) / (np.var(data.y) / 2)

    return quality


def with_reference_path(make, checked=(10, 30, 50, 70), **options):
    """Regression data with the tightly solved lasso of the first fold at some α's of the grid."""
    from sklearn.linear_model import Lasso
    from sklearn.model_selection import KFold

    data = make(**options)
    train, test = next(KFold(5).split(data.X))
    data.grid = np.geomspace(largest_alpha(data), largest_alpha(data) * 1e-3, 100)
    data.checked = np.array(checked)
    tight = [Lasso(alpha, tol=1e-8, max_iter=100_000) for alpha in data.grid[data.checked]]
    errors = [data.y[test] - model.fit(data.X[train], data.y[train]).predict(data.X[test]) for model in tight]
    data.reference = np.mean(np.square(errors), axis=1)
    return data


def path_error(data, model):
    """Largest relative error of the first fold's mean squared errors, against tightly solved lassos."""
    order = np.argsort(-model.alphas_)
    found = model.mse_path_[order][data.checked, 0]
    return float(np.max(np.abs(found / data.reference - 1.0)))


def logistic_objective(C=1.0, l1_ratio=0.0):
    """(C Σ log-loss + penalty) over its value at w = 0."""

    def quality(data, model):
        scores = np.asarray(model.decision_function(data.X), dtype=float)
        w = np.asarray(model.coef_, dtype=float)
        penalty = l1_ratio * np.abs(w).sum() + (1 - l1_ratio) * 0.5 * _sum_of_squares(w)
        n = len(data.y)
        if scores.ndim == 1:
            return (C * np.logaddexp(0.0, -(2 * data.y - 1) * scores).sum() + penalty) / (C * n * np.log(2.0))
        top = scores.max(axis=1)
        log_sum = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
        loss = (log_sum - scores[np.arange(n), data.y]).sum()
        return (C * loss + penalty) / (C * n * np.log(scores.shape[1]))

    return quality


def squared_hinge_objective(data, model):
    """(½‖w‖² + ½b² + Σ max(0, 1 − m)²) over its value at w = 0, the bias a penalised column of ones."""
    margins = (2 * data.y - 1) * model.decision_function(data.X)
    norm = _sum_of_squares(model.coef_) + _sum_of_squares(model.intercept_)
    return (0.5 * norm + _sum_of_squares(np.maximum(0.0, 1.0 - margins))) / len(data.y)


def fitted_logistic(n, d):
    """Data, one row of them, and models of ours and of scikit-learn that are already fitted."""
    from sklearn.linear_model import LogisticRegression

    data = _data.dense_classes(n, d)
    data.row = data.X[:1]
    data.model = ours("LogisticRegression")(data)
    data.peer = LogisticRegression().fit(data.X, data.y)
    data.expected = data.peer.predict(data.row)
    return data


ALPHAS = np.geomspace(1e-2, 1e5, 100)
BEST_LASSO = "best of scikit-learn, skglm, celer"

ROWS = (
    Row(
        name="LinearRegression 500k×100",
        make=_data.dense_regression,
        size={"n": 500_000, "d": 100},
        quick={"n": 2000, "d": 10},
        ours=ours("LinearRegression"),
        peers=(peer("LinearRegression"), intelex("LinearRegression")),
        quality=squared_error(),
        targets={"scikit-learn": 5.0, "scikit-learn-intelex": 1.0},
        ladder=tuple({"n": n, "d": 100} for n in (25_000, 50_000, 100_000, 200_000)),
        memory=({"n": 500_000, "d": 100}, {"n": 500_000, "d": 100, "dtype": "float32"}),
    ),
    Row(
        name="Ridge 500k×100",
        make=_data.dense_regression,
        size={"n": 500_000, "d": 100},
        quick={"n": 2000, "d": 10},
        ours=ours("Ridge"),
        peers=(peer("Ridge"), intelex("Ridge")),
        quality=squared_error(alpha=1.0),
        targets={"scikit-learn": 3.0, "scikit-learn-intelex": 1.0},
        memory=({"n": 500_000, "d": 100}, {"n": 500_000, "d": 100, "dtype": "float32"}),
    ),
    Row(
        name="RidgeCV, 100 values, exact leave-one-out, 5k×500",
        make=partial(_data.dense_regression, correlation=0.9, noise=5.0),
        size={"n": 5000, "d": 500},
        quick={"n": 200, "d": 20},
        ours=ours("RidgeCV", alphas=ALPHAS),
        peers=(peer("RidgeCV", alphas=ALPHAS),),
        quality=leave_one_out,
        targets={"scikit-learn": 5.0},
        ladder=tuple({"n": n, "d": 200} for n in (1000, 2000, 4000, 8000)),
    ),
    Row(
        name="Lasso 1000×20000, α_max/50",
        make=partial(_data.dense_regression, n_nonzero=100),
        size={"n": 1000, "d": 20_000},
        quick={"n": 100, "d": 300},
        ours=ours("Lasso", alpha=alpha_over(50), tol=1e-6, max_iter=10_000),
        peers=(
            peer("Lasso", package=BEST_LASSO, label="scikit-learn", alpha=alpha_over(50), tol=1e-6, max_iter=10_000),
            peer("Lasso", package=BEST_LASSO, label="skglm", module="skglm", alpha=alpha_over(50), tol=1e-5),
            peer("Lasso", package=BEST_LASSO, label="celer", module="celer", alpha=alpha_over(50), tol=1e-6),
        ),
        quality=lasso_objective(50),
        targets={BEST_LASSO: 1.0},
        ladder=tuple({"n": 500, "d": d} for d in (1250, 2500, 5000, 10_000)),
        axis="d",
        memory=({"n": 1000, "d": 20_000},),
    ),
    Row(
        name="LassoCV, path of 100, 5 folds, 500×10000",
        make=partial(with_reference_path, _data.dense_regression, n_nonzero=50, noise=2.0),
        size={"n": 500, "d": 10_000},
        quick={"n": 100, "d": 150},
        ours=ours("LassoCV", alphas=lambda data: data.grid, cv=5, n_jobs=2),
        peers=(peer("LassoCV", alphas=lambda data: data.grid, cv=5, n_jobs=2),),
        quality=path_error,
        targets={"scikit-learn": 4.0},
        tolerance=1e-2,
    ),
    Row(
        name="sparse Lasso 20k×100k, density 0.1 %, α_max/20",
        make=partial(_data.sparse_regression, density=0.001, n_nonzero=300),
        size={"n": 20_000, "d": 100_000},
        quick={"n": 500, "d": 2000},
        ours=ours("Lasso", alpha=alpha_over(20), tol=1e-6),
        peers=(peer("Lasso", package="skglm", module="skglm", alpha=alpha_over(20), tol=1e-6),),
        quality=lasso_objective(20),
        targets={"skglm": 1.0},
    ),
    Row(
        name="LogisticRegression, L2, 300k×50",
        make=_data.dense_classes,
        size={"n": 300_000, "d": 50},
        quick={"n": 2000, "d": 10},
        ours=ours("LogisticRegression"),
        peers=(
            *(peer("LogisticRegression", solver=solver) for solver in ("lbfgs", "newton-cholesky", "newton-cg")),
            intelex("LogisticRegression"),
        ),
        quality=logistic_objective(),
        targets={"scikit-learn": 1.5, "scikit-learn-intelex": 1.0},
        ladder=tuple({"n": n, "d": 50} for n in (25_000, 50_000, 100_000, 200_000)),
        memory=({"n": 300_000, "d": 50},),
    ),
    Row(
        name="softmax regression 60k×784, 10 classes",
        make=_data.digits,
        size={"n": 60_000},
        quick={"n": 500, "size": 8},
        ours=ours("LogisticRegression", C=0.001, tol=1e-4, max_iter=500),
        peers=tuple(
            peer("LogisticRegression", solver=solver, C=0.001, tol=1e-4, max_iter=500)
            for solver in ("lbfgs", "newton-cg")
        ),
        quality=logistic_objective(C=0.001),
        targets={"scikit-learn": 1.5},
        tolerance=1e-5,
    ),
    Row(
        name="LogisticRegression, L1, sparse 20k×20k",
        make=partial(_data.sparse_classes, density=0.005, n_nonzero=200),
        size={"n": 20_000, "d": 20_000},
        quick={"n": 500, "d": 500},
        ours=ours("LogisticRegression", l1_ratio=1.0, solver="liblinear", fit_intercept=False, C=1.0, max_iter=1000),
        peers=(
            peer(
                "LogisticRegression",
                package="LIBLINEAR",
                solver="liblinear",
                l1_ratio=1.0,
                fit_intercept=False,
                max_iter=1000,
            ),
        ),
        quality=logistic_objective(l1_ratio=1.0),
        targets={"LIBLINEAR": 1.0},
        tolerance=1e-4,
    ),
    Row(
        name="LinearSVC on sparse text, 20k×50k",
        make=_data.text,
        size={"n": 20_000, "d": 50_000},
        quick={"n": 500, "d": 1000},
        ours=ours("LinearSVC", random_state=0),
        peers=(peer("LinearSVC", package="LIBLINEAR", module="sklearn.svm", random_state=0),),
        quality=squared_hinge_objective,
        targets={"LIBLINEAR": 1.0},
        tolerance=1e-4,
    ),
    Row(
        name="predict one row, LogisticRegression",
        make=fitted_logistic,
        size={"n": 5000, "d": 50},
        quick={"n": 500, "d": 5},
        ours=lambda data: data.model.predict(data.row),
        peers=(Peer("scikit-learn", "scikit-learn", lambda data: data.peer.predict(data.row)),),
        quality=lambda data, found: float(np.mean(found != data.expected)),
        targets={"scikit-learn": 2.0},
        tolerance=0.0,
    ),
    Row(
        name="softmax of forest cover, ill-conditioned, 8000×54, 7 classes, C=10, L-BFGS",
        make=_real.cover,
        size={},
        quick={"n": 1000},
        ours=ours("LogisticRegression", C=10.0, max_iter=1000),
        peers=tuple(
            peer("LogisticRegression", solver=solver, C=10.0, max_iter=1000) for solver in ("lbfgs", "newton-cholesky")
        ),
        quality=logistic_objective(C=10.0),
        targets={"scikit-learn": 2.0},
        tolerance=1e-4,
    ),
    Row(
        name="softmax of forest cover, ill-conditioned, 8000×54, 7 classes, C=10, Newton",
        make=_real.cover,
        size={},
        quick={"n": 1000},
        ours=ours("LogisticRegression", solver="newton", C=10.0),
        # At its own tolerance the peer stops 2.7e-5 above the optimum.
        peers=tuple(
            peer("LogisticRegression", solver="newton-cholesky", label=f"newton-cholesky, tol={tol}", C=10.0, tol=tol)
            for tol in (1e-4, 1e-5, 1e-6)
        ),
        quality=logistic_objective(C=10.0),
        targets={"scikit-learn": 1.0},
        tolerance=1e-5,
    ),
    Row(
        name="softmax with an L1 norm of forest cover, 8000×54, 7 classes",
        make=_real.cover,
        size={},
        quick={"n": 1000},
        ours=ours("LogisticRegression", l1_ratio=1.0, solver="auto"),
        peers=(peer("LogisticRegression", l1_ratio=1.0, solver="saga", tol=1e-4, max_iter=500),),
        quality=logistic_objective(l1_ratio=1.0),
        targets={"scikit-learn": 1.0},
        tolerance=5e-3,
    ),
    Row(
        name="softmax of USPS digits, 7291×256, 10 classes",
        make=_real.usps,
        size={},
        quick={"n": 1000},
        ours=ours("LogisticRegression", max_iter=1000),
        peers=tuple(peer("LogisticRegression", solver=solver, max_iter=1000) for solver in ("lbfgs", "newton-cg")),
        quality=logistic_objective(),
        targets={"scikit-learn": 1.0},
        tolerance=1e-3,
    ),
    Row(
        name="LogisticRegression of California, cubic, ill-conditioned, 20k×164, IRLS",
        make=partial(_real.california, classes=True),
        size={},
        quick={"n": 1000},
        ours=ours("LogisticRegression", solver="irls"),
        peers=(peer("LogisticRegression", solver="newton-cholesky"),),
        quality=logistic_objective(),
        targets={"scikit-learn": 1.0},
        tolerance=1e-5,
    ),
    Row(
        name="LogisticRegression, L1, of Adult, one column per level",
        make=partial(_real.one_hot_adult, standardize=True),
        size={},
        quick={"n": 2000},
        ours=ours("LogisticRegression", l1_ratio=1.0, solver="liblinear", C=0.1, max_iter=1000),
        peers=(
            peer("LogisticRegression", package="LIBLINEAR", solver="liblinear", l1_ratio=1.0, C=0.1, max_iter=1000),
        ),
        quality=logistic_objective(C=0.1, l1_ratio=1.0),
        targets={"LIBLINEAR": 1.0},
        tolerance=1e-3,
    ),
    Row(
        name="Lasso of California, cubic, ill-conditioned, 20k×164, α_max/1000",
        make=_real.california,
        size={},
        quick={"n": 500},
        ours=ours("Lasso", alpha=alpha_over(1000), tol=1e-6, max_iter=100_000),
        peers=(
            peer("Lasso", package=BEST_LASSO, label="scikit-learn", alpha=alpha_over(1000), tol=1e-6, max_iter=100_000),
            peer("Lasso", package=BEST_LASSO, label="skglm", module="skglm", alpha=alpha_over(1000), tol=1e-6),
            peer("Lasso", package=BEST_LASSO, label="celer", module="celer", alpha=alpha_over(1000), tol=1e-6),
        ),
        quality=lasso_objective(1000),
        targets={BEST_LASSO: 1.0},
        tolerance=1e-5,
    ),
    Row(
        name="LassoCV of California, cubic, ill-conditioned, 20k×164, path of 100, 5 folds",
        make=partial(with_reference_path, _real.california, checked=(10, 30, 50)),
        size={},
        quick={"n": 500},
        ours=ours("LassoCV", alphas=lambda data: data.grid, cv=5, n_jobs=2),
        peers=(peer("LassoCV", alphas=lambda data: data.grid, cv=5, n_jobs=2),),
        quality=path_error,
        targets={"scikit-learn": 1.0},
        tolerance=1e-2,
    ),
)
