"""Nested one-class support vector machines.

    minimise    Σ_m [α_mᵀ K α_m / (2 λ_m) − Σᵢ αᵢₘ],    0 ≤ αᵢₘ ≤ sᵢ/Σs,    αᵢₘ/τ_m ≤ αᵢ,ₘ₊₁/τₘ₊₁                 (1)

Region m is {x : Σᵢ αᵢₘ k(xᵢ, x) > τ_m}. Because k ≥ 0, the last constraint makes each region a part of the next;
regions of machines that are fitted one by one can cross. Lee & Scott (2010), Nested support vector machines,
doi:10.1109/TSP.2009.2036071.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import ArrayLike, Bools, Count, Floats, Integers, MatrixLike, NonNegative, Positive, Verbosity
from gnomon.base import kernel_rows
from gnomon.kernels import KernelLike
from gnomon.numerics.validation import check_interval
from gnomon.optim import nested_levels, warn_unless_converged
from gnomon.optim.solution import log_row
from gnomon.svm._joint import JointMachine, UsedRows

__all__ = ["NestedOneClassSVM"]


class NestedOneClassSVM(JointMachine):
    """Regions that hold given shares of the rows, each inside the next, by one program (1) for all.

    λ_m = ν_m ρ_m with the offset ρ_m of the one-class machine of ν_m = 1 − coverage: alone, each function of (1) is
    that machine.

    Parameters
    ----------
    levels : sequence of float in (0, 1), default=(0.5, 0.8, 0.95)
        Coverages: the share of the training rows inside each region, in any order.
    kernel : Kernel, callable or name, default="rbf"
        Without negative values; others are refused.
    degree, coef0 : float, default=3, 0.0
        Of a kernel that is named.
    gamma : float, "scale" or "auto", default="scale"
        Of a kernel that is named; the variance in "scale" is weighted as the rows are.
    thresholds : {"coverage", "lambda"}, default="coverage"
        τ: where the regions hold their shares of the rows; or λ, as in Lee & Scott, where the last constraint of (1)
        makes inner regions smaller than their coverage and outer ones larger.
    tol : float, default=1e-4
        Largest violation of the optimality conditions, as a share of τ; τ is found to at most ten times as much.
    max_iter : int, default=1000
        Working sets, for each τ that is tried.
    cache_size : float, default=200
        Megabytes for rows of the kernel matrix.
    verbose : int, default=0
        Whether to send the history to the logger ``gnomon.optim``.

    Attributes
    ----------
    levels_ : ndarray of shape (n_levels,)
        The coverages, ascending and each once: region 0 is the innermost.
    lambda_ : ndarray of shape (n_levels,)
        λ, descending.
    offset_ : ndarray of shape (n_levels,)
        τ.
    coverage_ : ndarray of shape (n_levels,)
        Share of the training rows, by weight, inside each region: with "coverage" the level, and more where the
        contour passes through several rows, which are inside.
    support_ : ndarray of int of shape (n_support,)
        Rows with a coefficient.
    support_vectors_ : array of shape (n_support, n_features)
    n_support_ : int
    dual_coef_ : ndarray of shape (n_levels, n_support)
        α.
    intercept_ : ndarray of shape (n_levels,)
        −τ.
    coef_ : ndarray of shape (n_levels, n_features)
        Of a linear kernel.
    objective_ : float
        Value of (1).
    dual_gap_ : float
        How far `objective_` can be from the minimum at most.
    kkt_residual_ : float
        Largest violation of the optimality conditions, as a share of τ.
    n_parameters_ : int
    n_iter_ : int
        Working sets at the last τ.
    converged_ : bool
    stop_reason_ : str
    history_ : dict of ndarray
    n_features_in_ : int

    References
    ----------
    Lee, G. & Scott, C. (2010). Nested support vector machines. doi:10.1109/TSP.2009.2036071

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.svm import NestedOneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = NestedOneClassSVM(levels=(0.5, 0.9)).fit(X)
    >>> model.coverage_
    array([0.5, 0.9])
    >>> model.contains([[0.0, 0.0], [1.5, 0.5], [4.0, 4.0]])
    array([[ True,  True],
           [False,  True],
           [False, False]])
    >>> model.region_index([[0.0, 0.0], [1.5, 0.5], [4.0, 4.0]]), model.predict([[0.0, 0.0], [4.0, 4.0]])
    (array([0, 1, 2]), array([ 1, -1]))
    """

    levels_: Floats
    lambda_: Floats
    offset_: Floats
    coverage_: Floats

    def __init__(
        self,
        levels: Sequence[float] = (0.5, 0.8, 0.95),
        *,
        kernel: KernelLike = "rbf",
        degree: NonNegative = 3,
        gamma: NonNegative | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        thresholds: Literal["coverage", "lambda"] = "coverage",
        tol: Positive = 1e-4,
        max_iter: Count = 1000,
        cache_size: Positive = 200,
        verbose: Verbosity = 0,
    ):
        self.levels = levels
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.thresholds = thresholds
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.verbose = verbose

    def fit(self, X: MatrixLike | list[Any], y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        rows = kernel_rows(self, X, kernel=self.kernel, accept_sparse="csr")
        self.levels_ = np.unique([check_interval("levels", level, 0.0, 1.0, closed="neither") for level in self.levels])
        if self.levels_.size == 0:
            raise ValueError(f"levels={self.levels!r} must be numbers between 0 and 1; give at least one")
        used = self._use(rows, sample_weight)
        _refuse_negative(used)
        weights = used.weights / np.sum(used.weights)
        found = nested_levels(
            used.against,
            weights,
            self.levels_,
            match=self.thresholds == "coverage",
            tol=self.tol,
            max_iter=self.max_iter,
            cache_size=self.cache_size,
            callback=log_row if self.verbose else None,
        )
        warn_unless_converged(found.solution, self.max_iter)
        if not found.settled:
            advice = "the regions have other coverages than levels; see coverage_, raise tol, or use another kernel"
            warnings.warn(f"thresholds not found in {found.rounds} rounds; {advice}", ConvergenceWarning, stacklevel=2)
        self.lambda_, self.offset_ = found.lam, found.thresholds
        self._keep(rows, used, found.solution, -found.thresholds)
        self.coverage_ = weights @ (found.scores > self.offset_)
        return self

    def decision_function(self, X: MatrixLike | list[Any]) -> Floats:
        """Σᵢ αᵢₘ k(xᵢ, x) − τ_m, positive inside region m.

        Parameters
        ----------
        X : as in `fit`; with ``kernel="precomputed"`` of shape (n_samples, n_training_rows)

        Returns
        -------
        ndarray of shape (n_samples, n_levels)
        """
        rows = self._rows(X)
        return self._expansion().scores(rows)

    def contains(self, X: MatrixLike | list[Any]) -> Bools:
        """Whether each region contains each row.

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        ndarray of bool of shape (n_samples, n_levels)
        """
        return self.decision_function(X) > 0.0

    def region_index(self, X: MatrixLike | list[Any]) -> Integers:
        """The innermost region that contains each row, 0 being the first; the number of levels outside all.

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        return np.sum(~self.contains(X), axis=1)

    def predict(self, X: MatrixLike | list[Any]) -> Integers:
        """1 inside the outermost region, −1 outside.

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        return np.where(self.contains(X)[:, -1], 1, -1)


def _refuse_negative(used: UsedRows, size: int = 512) -> None:
    """ValueError where the kernel of two rows is negative: regions would then not be nested."""
    n = len(used.indices)
    for start in range(0, n, size):
        least = float(np.min(used.against.rows(slice(start, min(start + size, n)))))
        if least < 0.0:
            raise ValueError(
                f"the kernel has the value {least:.3g} for two rows, and nested regions need one without negative "
                "values; use kernel='rbf', 'laplacian' or another one that is never negative"
            )
