"""Best subset regression.

    minimise over w, b    Σᵢ sᵢ (yᵢ − xᵢᵀw − b)²    subject to  ‖w‖₀ ≤ k                             (1)
    or                    Σᵢ sᵢ (yᵢ − xᵢᵀw − b)² + ρ ‖w‖₀                                            (2)

‖w‖₀ is the number of non-zeros. Every minimiser of (2) solves (1) for some k, but not every k is reached by some ρ.
Exact by leaps and bounds, Furnival & Wilson (1974), doi:10.1080/00401706.1974.10489231.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Bools, Floats, Integers, MatrixLike
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.linear._forms import lam_of
from gnomon.linear._scores import SPARSE_FORMATS, linear_scores
from gnomon.numerics.linalg import Rows, least_squares, triangle, triangle_of_moments
from gnomon.numerics.validation import check_integer, check_non_negative
from gnomon.numerics.weights import check_weights
from gnomon.optim import SubsetTable, best_subsets, greedy_subsets, size_intervals
from gnomon.penalties import convert_lam, objective_form
from gnomon.penalties.forms import Objective

__all__ = ["BestSubset"]


class BestSubset(RegressorMixin, Estimator):
    """Least squares on the best subset of columns, by number (1) or by price (2).

    Parameters
    ----------
    max_nonzero : int, optional
        k of (1).
    lam : float, optional
        λ of (2) in the form `objective`; 1 where neither it nor a bound is given.
    constraint : int, optional
        Another name of `max_nonzero`, as in the other constrained models.
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, default="sum"
        The textbook form of λ; a number of non-zeros is never halved.
    fit_intercept : bool, default=True
        Whether b is free; it is not counted.
    max_exact : int, default=30
        Up to this many columns leaps and bounds prove the result; beyond, forward selection with hard thresholding.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        With exact zeros.
    intercept_ : float
    support_ : ndarray of bool of shape (n_features,)
        Which columns are used.
    n_nonzero_ : int
    exact_ : bool
        Whether the subsets are proved to be best.
    rss_by_size_ : ndarray of shape (K + 1,)
        Least residual sum of squares with 0, 1, …, K columns.
    subsets_ : list of ndarray
        The columns that give it.
    lam_intervals_ : list
        For each size the interval of λ in which (2) chooses it, None where no λ does.
    objective_ : float
        The value of (1), or of (2) in the form `objective`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Furnival, G. M. & Wilson, R. W. (1974). Regressions by leaps and bounds. doi:10.1080/00401706.1974.10489231

    Hofmann, M., Gatu, C. & Kontoghiorghes, E. J. (2007). Efficient algorithms for computing the best subset regression
    models for large-scale problems. doi:10.1016/j.csda.2007.03.017

    Examples
    --------
    >>> from gnomon.linear import BestSubset
    >>> X, y = [[10.0, 9.0], [9.0, 10.0], [10.0, 11.0], [11.0, 10.0]], [1.0, -1.0, -1.0, 1.0]
    >>> model = BestSubset(max_nonzero=1, fit_intercept=False).fit(X, y)
    >>> model.rss_by_size_.round(7), model.n_nonzero_
    (array([4.       , 3.9900498]), 1)
    >>> [round(end, 6) for end in BestSubset(lam=1.0, fit_intercept=False).fit(X, y).lam_for(2)]
    [0.0, 2.0]
    """

    coef_: Floats
    intercept_: float
    support_: Bools
    n_nonzero_: int
    exact_: bool
    rss_by_size_: Floats
    subsets_: list[Integers]
    lam_intervals_: list[tuple[float, float] | None]
    objective_: float

    def __init__(
        self,
        max_nonzero: int | None = None,
        *,
        lam: float | None = None,
        constraint: int | None = None,
        objective: Objective = "sum",
        fit_intercept: bool = True,
        max_exact: int = 30,
    ):
        self.max_nonzero = max_nonzero
        self.lam = lam
        self.constraint = constraint
        self.objective = objective
        self.fit_intercept = fit_intercept
        self.max_exact = max_exact

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the best subset of each size, choose one, and fit it by least squares.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X, y = validate_rows(self, X, y, accept_sparse=SPARSE_FORMATS, y_numeric=True)
        X = X.tocsc() if sparse.issparse(X) else X
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        bound, lam = self._choice(X.shape[1])
        rows = Rows(X, y[:, None].astype(float), weights, self.fit_intercept)
        table = self._table(rows, bound)
        rho = None if lam is None else convert_lam(lam, self.objective, "sum", n=rows.total, penalty="l1")
        size = _pick(table.rss, rho)
        return self._set(rows, table, size, rho)

    def predict(self, X: MatrixLike) -> Floats:
        """X w + b.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return linear_scores(self, X)

    def theta_for(self, lam: float) -> int:
        """The number of non-zeros that (2) chooses for another λ."""
        check_is_fitted(self, "rss_by_size_")
        rho = convert_lam(check_non_negative("lam", lam), self.objective, "sum", n=self._total, penalty="l1")
        return _pick(self.rss_by_size_, rho)

    def lam_for(self, theta: int) -> tuple[float, float] | None:
        """The interval of λ in which (2) chooses `theta` columns; None where no λ does."""
        check_is_fitted(self, "rss_by_size_")
        return self.lam_intervals_[check_integer("theta", theta, 0, len(self.rss_by_size_) - 1)]

    def _choice(self, d: int) -> tuple[int, float | None]:
        """k and λ, of which one is None."""
        given = {name: getattr(self, name) for name in ("max_nonzero", "lam", "constraint")}
        given = {name: value for name, value in given.items() if value is not None}
        if len(given) > 1:
            names = " and ".join(f"{name}={value!r}" for name, value in given.items())
            raise ValueError(f"{names} exclude each other; give one of max_nonzero (= constraint) and lam")
        check_integer("max_exact", self.max_exact, 0)
        name, value = next(iter(given.items()), ("lam", 1.0))
        if name == "lam":
            return d, check_non_negative("lam", value)
        return min(check_integer(name, value, 0), d), None

    def _table(self, rows: Rows, bound: int) -> SubsetTable:
        d = rows.shape[1]
        by_moments = sparse.issparse(rows.X)
        found = triangle_of_moments(rows.moments(), d, intercept=self.fit_intercept) if by_moments else triangle(rows)
        if d <= self.max_exact:
            return best_subsets(found.R, found.z[:, 0], float(found.rest[0]), max_size=bound)
        S, c = found.R.T @ found.R, found.R.T @ found.z[:, 0]
        total = float(found.rest[0] + found.z[:, 0] @ found.z[:, 0])
        return greedy_subsets(S, c, total, max_size=min(bound, found.rank))

    def _set(self, rows: Rows, table: SubsetTable, size: int, rho: float | None) -> Self:
        support = table.subsets[size]
        fit = least_squares(_dense(rows.X[:, support]), rows.Y, rows.weights, intercept=self.fit_intercept)
        dtype = rows.X.dtype
        self.coef_ = np.zeros(rows.shape[1], dtype=dtype)
        self.coef_[support] = fit.coef[:, 0]
        self.intercept_ = dtype.type(fit.intercept[0]) if self.fit_intercept else 0.0
        self.support_ = self.coef_ != 0
        self.n_nonzero_ = int(np.sum(self.support_))
        self.exact_, self.rss_by_size_, self.subsets_ = table.exact, table.rss, table.subsets
        self._total = rows.total
        back = [None if i is None else tuple(self._lam(end) for end in i) for i in size_intervals(table.rss)]
        self.lam_intervals_ = [None if i is None else (min(i), max(i)) for i in back]
        scale = 1.0 if rho is None else objective_form(self.objective, self._lam(rho) or 1.0, rows.total).loss_scale
        self.objective_ = float(scale * (table.rss[size] + (rho or 0.0) * size))
        return self

    def _lam(self, rho: float) -> float:
        return lam_of(rho, self.objective, self._total, "l1")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _pick(rss: Floats, rho: float | None) -> int:
    """The size that (2) chooses, the smaller of equals; the largest size for a bound."""
    return len(rss) - 1 if rho is None else int(np.argmin(rss + rho * np.arange(len(rss))))


def _dense(X: Any) -> Floats:
    return X.toarray() if sparse.issparse(X) else X
