"""Kernel machines: targets for their speed and first call."""

from importlib import import_module

import numpy as np

from benchmarks import _data
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.svm",)

GAMMA, ALPHA, C = 0.05, 0.1, 1.0


def waves(n, d):
    """A smooth function of two columns, with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return _data.make(X, np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.standard_normal(n))


def rings(n, d):
    """Two classes, one around the other."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return _data.make(X, (np.sum(X[:, :3] ** 2, axis=1) + rng.standard_normal(n) > 3.0).astype(int))


def ridge(module):
    """Fit, and predict as many rows."""

    def run(data):
        model = import_module(module).KernelRidge(alpha=ALPHA, kernel="rbf", gamma=GAMMA)
        return model.fit(data.X, data.y).predict(data.X)

    return run


def squared_error(data, fitted):
    """Mean squared error over the variance: two exact solutions have the same."""
    return float(np.mean((data.y - fitted) ** 2) / np.var(data.y))


def logistic(data):
    from gnomon.svm import KernelLogisticRegression

    model = KernelLogisticRegression(C=C, gamma=GAMMA, fit_intercept=False, tol=1e-6).fit(data.X, data.y)
    return model.decision_function(data.X), model.rkhs_norm() ** 2


def logistic_on_features(solver):
    """The linear model of the rows of UΛ^½, K = UΛUᵀ: the same objective."""

    def run(data):
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics.pairwise import rbf_kernel

        values, U = np.linalg.eigh(rbf_kernel(data.X, gamma=GAMMA))
        kept = values > 1e-12 * values[-1]
        R = U[:, kept] * np.sqrt(values[kept])
        model = LogisticRegression(C=C, fit_intercept=False, solver=solver, tol=1e-6, max_iter=1000).fit(R, data.y)
        return R @ model.coef_[0], float(np.sum(model.coef_**2))

    return run


def logistic_objective(data, found):
    """½‖f‖² + C Σ log(1 + e^{−yf}), over that of f = 0."""
    scores, square = found
    loss = np.sum(np.logaddexp(0.0, np.where(data.y == 1, -scores, scores)))
    return float(0.5 * square + C * loss) / (C * len(data.y) * np.log(2.0))


ROWS = (
    Row(
        name="KernelRidge, Gaussian, 5k×20, fit and predict",
        make=waves,
        size={"n": 5000, "d": 20},
        quick={"n": 200, "d": 3},
        ours=ridge("gnomon.svm"),
        peers=(Peer("scikit-learn", "scikit-learn", ridge("sklearn.kernel_ridge")),),
        quality=squared_error,
        targets={"scikit-learn": 2.0},
        ladder=tuple({"n": n, "d": 20} for n in (1000, 2000, 4000)),
    ),
    Row(
        name="KernelLogisticRegression, Gaussian, 2k×20",
        make=rings,
        size={"n": 2000, "d": 20},
        quick={"n": 150, "d": 3},
        ours=logistic,
        peers=tuple(
            Peer("scikit-learn", f"scikit-learn on kernel features, {solver}", logistic_on_features(solver))
            for solver in ("lbfgs", "newton-cholesky")
        ),
        quality=logistic_objective,
        targets={"scikit-learn": 2.0},
        ladder=tuple({"n": n, "d": 20} for n in (500, 1000, 2000)),
    ),
)
