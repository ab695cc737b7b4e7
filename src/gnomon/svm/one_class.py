"""One-class support vector machine.

    minimise over f, ρ    ½‖f‖² − ρ + Σᵢ sᵢ max(0, ρ − f(xᵢ)) / (ν Σⱼ sⱼ)                                          (1)
    minimise over α       ½ αᵀKα,    0 ≤ αᵢ ≤ sᵢ/(ν Σⱼ sⱼ),    Σᵢ αᵢ = 1                                           (2)

with weights sᵢ, one by default. Rows with f(x) > ρ are inside; at most a share ν of the training rows is outside, and
at least a share ν of them are support vectors. Schölkopf et al. (2001), doi:10.1162/089976601750264965.
"""

from __future__ import annotations

import math
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import OutlierMixin

from gnomon._typing import (
    Array,
    ArrayLike,
    CountOrZero,
    Floats,
    IterationLimit,
    MatrixLike,
    NonNegative,
    Positive,
    SomeShare,
    Verbosity,
)
from gnomon.kernels import KernelLike
from gnomon.numerics.scale import PowerOfTwo
from gnomon.numerics.weights import check_weights
from gnomon.optim import KernelDual, Solution
from gnomon.svm._solvers import SolverName
from gnomon.svm._support import DualProblem, SupportVectorMachine

__all__ = ["OneClassSVM"]


class OneClassSVM(OutlierMixin, SupportVectorMachine):
    """One-class support vector machine: a region that holds all but a share ν of the rows.

    Parameters
    ----------
    kernel : Kernel, callable or {"linear", "poly", "rbf", "sigmoid", "precomputed"}, default="rbf"
    degree, gamma, coef0
        Of a kernel that is named; ``gamma="scale"`` is 1/(d Var X), "auto" 1/d.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of `decision_function` where weights are about one.
    nu : float, default=0.5
        ν in (0, 1]; 0.05 for a contour that holds 95 % of the rows. With 1 all rows have the same weight: f is a
        Parzen estimate of the density.
    shrinking : bool, default=True
        Leave rows out while they seem settled.
    cache_size : float, default=200
        Megabytes for rows of the kernel matrix.
    verbose : int, default=False
        Whether to send the history to the logger ``gnomon.optim``.
    max_iter : int, default=-1
        Most steps of two variables, or iterations of another solver; −1 for its own limit.
    solver : {"auto", "smo", "qp", "dcd", "primal", "pegasos"}, default="auto"
        As in `SVC`.
    gap_tol : float, optional
        Stop also when the duality gap is at most this share of the dual objective; for "smo" and "pegasos" (0.01).

    Attributes
    ----------
    support_ : ndarray of int32 of shape (n_SV,)
        Rows with α > 0.
    support_vectors_ : ndarray, sparse matrix or list of shape (n_SV, n_features)
        Those rows; empty with a precomputed kernel.
    n_support_ : ndarray of int32 of shape (1,)
    alpha_ : ndarray of shape (n,)
        α of (2), of all training rows.
    rho_ : float
        ρ of (1).
    dual_coef_ : ndarray or sparse matrix of shape (1, n_SV)
        ν Σⱼ sⱼ times α, which is scikit-learn's scale.
    offset_, intercept_ : ndarray of shape (1,)
        ν Σⱼ sⱼ times ρ, and minus that.
    intercept_interval_ : ndarray of shape (1, 2)
        The intercepts that the optimality conditions allow; the smallest ρ is taken where it has no upper bound.
    coef_ : ndarray or sparse matrix of shape (1, n_features)
        Of a linear kernel only.
    objective_, dual_gap_ : float
        The value of (1), and how far it can be from the minimum at most.
    kkt_residual_ : float
        The largest violation of the optimality conditions, in units of `decision_function`.
    n_iter_ : int
        Steps of two variables, or iterations of another solver.
    converged_, stop_reason_, fit_status_ : bool, str, int
    history_ : dict of ndarray
        In scikit-learn's scale.
    shape_fit_ : tuple of int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    References
    ----------
    Schölkopf, B., Platt, J. C., Shawe-Taylor, J., Smola, A. J. & Williamson, R. C. (2001). Estimating the support of a
    high-dimensional distribution. doi:10.1162/089976601750264965

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.svm import OneClassSVM
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0]])
    >>> model = OneClassSVM(gamma=0.5, nu=0.8, tol=1e-9).fit(X)
    >>> model.alpha_.round(6), round(model.rho_, 6)
    (array([0.25 , 0.125, 0.125, 0.25 , 0.25 ]), 0.386283)
    >>> model.predict([[0.9], [20.0]])
    array([ 1, -1])
    """

    n_iter_: int
    rho_: float
    offset_: Floats
    intercept_interval_: Floats

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: CountOrZero = 3,
        gamma: NonNegative | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        tol: Positive = 1e-3,
        nu: SomeShare = 0.5,
        shrinking: bool = True,
        cache_size: Positive = 200,
        verbose: Verbosity = False,
        max_iter: IterationLimit = -1,
        solver: SolverName = "auto",
        gap_tol: Positive | None = None,
    ):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.solver = solver
        self.gap_tol = gap_tol

    def fit(self, X: MatrixLike | list[Any], y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight 0 takes no part.

        Returns
        -------
        self
        """
        rows = self._read(X)
        weights = check_weights(sample_weight, np.empty((self.shape_fit_[0], 0)))
        # Functions grow with the weights: in another unit of these the tolerance would be another one.
        unit = _unit(weights)
        [problem] = self._problems(None, weights / unit)
        [solution] = self._solve(self._compared(rows), [problem])
        self._report([solution])
        self._keep_one(rows, problem, _times(solution, unit))
        self.kkt_residual_ *= unit
        scale = self.nu * float(np.sum(weights / unit))
        self.history_ = self.history_ | {name: self.history_[name] / scale**2 for name in ("objective", "dual", "gap")}
        self.offset_ = -self.intercept_
        self.rho_ = float(self.offset_[0]) / (unit * scale)
        self.alpha_ = np.zeros(self.shape_fit_[0])
        self.alpha_[problem.rows] = solution.w / scale
        self.objective_, self.dual_gap_ = self.objective_ / scale**2, self.dual_gap_ / scale**2
        return self

    def _problems(self, y: Any, weights: Floats) -> list[DualProblem]:
        """(2) in the scale of scikit-learn, in which a row of weight 1 has the bound 1."""
        used = np.flatnonzero(weights > 0.0)
        bound, zero = weights[used], np.zeros(len(used))
        return [DualProblem(used, KernelDual(zero, zero, bound, total=self.nu * float(np.sum(bound))))]

    def decision_function(self, X: MatrixLike | list[Any]) -> Floats:
        """ν Σⱼ sⱼ (f(x) − ρ): positive inside.

        Parameters
        ----------
        X : as in `fit`; with ``kernel="precomputed"`` of shape (n_samples, n_training_rows)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._scores(X)[:, 0]

    def score_samples(self, X: MatrixLike | list[Any]) -> Floats:
        """ν Σⱼ sⱼ f(x).

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: MatrixLike | list[Any]) -> Array:
        """+1 inside and −1 outside or on the border.

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        return np.where(self.decision_function(X) > 0.0, 1, -1).astype(np.intp)


def _unit(weights: Floats) -> float:
    """A power of two near the mean of the positive weights."""
    used = weights[weights > 0.0]
    if not len(used):
        return 1.0
    most = np.max(used)
    return PowerOfTwo.of(math.sqrt(2.0), most, np.mean(used / most)).value


def _times(solution: Solution[Floats], unit: float) -> Solution[Floats]:
    """The solution for bounds that are `unit` times as large."""
    shift, allowed = solution.details["shift"], np.asarray(solution.details["range"])
    details = {**solution.details, "shift": unit * shift, "range": unit * allowed}
    return solution._replace(w=unit * solution.w, intercept=unit * solution.intercept, details=details)
