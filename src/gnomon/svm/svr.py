"""Support vector regression.

    minimise over f, b    ½‖f‖² + Σᵢ Cᵢ max(0, |yᵢ − f(xᵢ) − b| − ε),    Cᵢ = C · sample weight                    (1)
    maximise over β       yᵀβ − ε‖β‖₁ − ½ βᵀKβ,    |βᵢ| ≤ Cᵢ,    Σᵢ βᵢ = 0                                        (2)

or with squares of what exceeds ε. f(x) = Σᵢ βᵢ k(xᵢ, x): rows inside the tube of width 2ε have β = 0. Drucker et al.
(1997), Support vector regression machines, NIPS 9; Smola & Schölkopf (2004), doi:10.1023/B:STCO.0000035301.49549.88.
"""

from __future__ import annotations

from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import column_or_1d

from gnomon._typing import (
    Array,
    ArrayLike,
    CountOrZero,
    Floats,
    Integers,
    IterationLimit,
    MatrixLike,
    NonNegative,
    Positive,
    PositiveOrInfinite,
    Verbosity,
)
from gnomon.kernels import KernelLike
from gnomon.numerics.weights import check_weights
from gnomon.optim import KernelDual
from gnomon.penalties.forms import Objective
from gnomon.svm._solvers import SolverName
from gnomon.svm._support import DualProblem, SupportVectorMachine, price

__all__ = ["SVR"]

TubeLoss: TypeAlias = Literal["epsilon_insensitive", "squared_epsilon_insensitive"]


class SVR(RegressorMixin, SupportVectorMachine):
    """Support vector regression: minimise ½‖f‖² + Σᵢ Cᵢ max(0, |yᵢ − f(xᵢ) − b| − ε).

    Parameters
    ----------
    kernel : Kernel, callable or {"linear", "poly", "rbf", "sigmoid", "precomputed"}, default="rbf"
    degree, gamma, coef0
        Of a kernel that is named; ``gamma="scale"`` is 1/(d Var X), "auto" 1/d.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of y.
    C : float, default=1.0
        Price of a unit beyond the tube.
    epsilon : float, default=0.1
        Half the width of the tube, in units of y.
    shrinking : bool, default=True
        Leave rows out while they seem settled.
    cache_size : float, default=200
        Megabytes for rows of the kernel matrix.
    verbose : int, default=False
        Whether to send the history to the logger ``gnomon.optim``.
    max_iter : int, default=-1
        Most steps of two variables, or iterations of another solver; −1 for its own limit.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, optional
        Another scaling of (1), as in `SVC`.
    lam : float, optional
        λ in that scaling, in place of `C`; 0.01 if only `objective` is given.
    fit_intercept : bool, default=True
    penalize_intercept : bool, default=False
        Add b² to ‖f‖², as with the kernel k + 1.
    solver : {"auto", "smo", "qp", "dcd", "primal", "pegasos"}, default="auto"
        As in `SVC`.
    gap_tol : float, optional
        Stop also when the duality gap is at most this share of the dual objective; for "smo" and "pegasos" (0.01).

    Attributes
    ----------
    support_ : ndarray of int32 of shape (n_SV,)
        Rows with β ≠ 0.
    support_vectors_ : ndarray, sparse matrix or list of shape (n_SV, n_features)
        Those rows; empty with a precomputed kernel.
    n_support_ : ndarray of int32 of shape (1,)
    dual_coef_ : ndarray or sparse matrix of shape (1, n_SV)
        β.
    coef_ : ndarray or sparse matrix of shape (1, n_features)
        Of a linear kernel only.
    intercept_ : ndarray of shape (1,)
    intercept_interval_ : ndarray of shape (1, 2)
        The b that the optimality conditions allow; where they allow more than one the middle is taken.
    objective_, dual_gap_, kkt_residual_ : float
        The value of (1), how far it can be from the minimum at most, and the largest violation of the optimality
        conditions.
    n_iter_ : int
        Steps of two variables, or iterations of another solver.
    converged_, stop_reason_, fit_status_ : bool, str, int
    history_ : dict of ndarray
    shape_fit_ : tuple of int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    References
    ----------
    Smola, A. J. & Schölkopf, B. (2004). A tutorial on support vector regression.
    doi:10.1023/B:STCO.0000035301.49549.88

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.svm import SVR
    >>> x = np.arange(3.0)
    >>> model = SVR(kernel="linear", epsilon=0.5, tol=1e-9).fit(x[:, None], x)
    >>> model.coef_, model.intercept_, model.dual_coef_, round(model.objective_, 9)
    (array([[0.5]]), array([0.5]), array([[-0.25,  0.25]]), 0.125)
    """

    n_iter_: int
    intercept_interval_: Floats

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: CountOrZero = 3,
        gamma: NonNegative | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        tol: Positive = 1e-3,
        C: PositiveOrInfinite = 1.0,
        epsilon: NonNegative = 0.1,
        shrinking: bool = True,
        cache_size: Positive = 200,
        verbose: Verbosity = False,
        max_iter: IterationLimit = -1,
        loss: TubeLoss = "epsilon_insensitive",
        objective: Objective | None = None,
        lam: Positive | None = None,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        solver: SolverName = "auto",
        gap_tol: Positive | None = None,
    ):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.loss = loss
        self.objective = objective
        self.lam = lam
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.solver = solver
        self.gap_tol = gap_tol

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Factors on C; a row of weight 0 takes no part.

        Returns
        -------
        self
        """
        rows, y = self._read(X, y, y_numeric=True)
        [problem] = self._problems(y, check_weights(sample_weight, np.empty((len(y), 0))))
        [solution] = self._solve(self._compared(rows), [problem])
        if solution.stop_reason == "diverged":
            raise ValueError(f"C={self.C!r}: no function of the kernel stays within epsilon={self.epsilon!r}; lower C")
        self._report([solution])
        self._keep_one(rows, problem, solution)
        return self

    def _problems(self, y: Any, weights: Floats) -> list[DualProblem]:
        """(2)."""
        y = column_or_1d(y, warn=True).astype(float, copy=False)
        used: Integers = np.flatnonzero(weights > 0.0)
        prices = price(self, float(np.sum(weights))) * weights[used]
        squared = self.loss == "squared_epsilon_insensitive" and bool(np.all(np.isfinite(prices)))
        bound = np.full(len(used), np.inf) if squared else prices
        total = 0.0 if self.fit_intercept and not self.penalize_intercept else None
        dual = KernelDual(y[used], -bound, bound, self.epsilon, total, 0.5 / prices if squared else None)
        return [DualProblem(used, dual)]

    def predict(self, X: MatrixLike | list[Any]) -> Array:
        """f(x) + b of new rows.

        Parameters
        ----------
        X : as in `fit`; with ``kernel="precomputed"`` of shape (n_samples, n_training_rows)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._scores(X)[:, 0]
