"""Regression in the p-norm.

    minimise over w, b    Σᵢ sᵢ |yᵢ − xᵢᵀw − b|^p        (p = ∞: maxᵢ |yᵢ − xᵢᵀw − b|)                (1)

p = 1 fits the median and forgets outliers, p = 2 the mean, p = ∞ the middle of the extremes. Bloomfield & Steiger
(1983), Least Absolute Deviations, doi:10.1007/978-1-4684-8574-5; the algorithms are in `gnomon.optim.lp_norm`.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

from sklearn.base import RegressorMixin
from sklearn.utils import Tags

from gnomon._typing import (
    ArrayLike,
    Count,
    Floats,
    MatrixLike,
    Positive,
    PositiveOrInfinite,
    RandomState,
    is_sparse,
)
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.linear._scores import SPARSE_FORMATS, linear_scores
from gnomon.numerics.design import Design
from gnomon.numerics.weights import check_weights
from gnomon.optim import lp_norm, warn_unless_converged
from gnomon.optim.solution import History, StopReason

__all__ = ["LpRegression", "NonConvexWarning"]


class NonConvexWarning(UserWarning):
    """The objective is not convex: the best of several starts was kept, a better minimum may exist.

    References
    ----------
    Chartrand, R. & Yin, W. (2008). Iteratively reweighted algorithms for compressive sensing.
    doi:10.1109/ICASSP.2008.4518498

    Examples
    --------
    >>> import warnings
    >>> from gnomon.linear import LpRegression
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = LpRegression(p=0.5, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 9.0])
    >>> caught[0].category.__name__, model.coef_.round(7)
    ('NonConvexWarning', array([1.]))
    """


class LpRegression(RegressorMixin, Estimator):
    """Linear regression in the p-norm, equation (1).

    Parameters
    ----------
    p : float, default=1.0
        0 < p ≤ ∞. 1 and ∞ are solved exactly as linear programmes, 2 in closed form, 1 < p < ∞ by Newton's method with
        a duality gap; p < 1 is not convex and warns.
    fit_intercept : bool, default=True
        Whether b is free; otherwise b = 0.
    tol : float, default=1e-10
        Relative duality gap at which Newton's method stops.
    max_iter : int, default=200
        Newton steps, or reweightings of each start for p < 1.
    n_init : int, default=10
        Starts for p < 1.
    random_state : None, int or RandomState
        Of those starts.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    objective_ : float
        The value of (1).
    dual_gap_ : float
        A bound on its distance to the least value; nan for p < 1.
    restarts_ : ndarray of shape (n_init,)
        Objective reached from each start, for p < 1.
    n_iter_, converged_, stop_reason_, history_
        Of the solver.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Bloomfield, P. & Steiger, W. L. (1983). Least Absolute Deviations. doi:10.1007/978-1-4684-8574-5

    Examples
    --------
    >>> from gnomon.linear import LpRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 14.0]
    >>> for p in (1, 2, 4, float("inf")):
    ...     model = LpRegression(p).fit(X, y)
    ...     print(p, model.coef_.round(6), round(float(model.intercept_), 6) + 0.0)
    1 [1.] 0.0
    2 [3.] -2.0
    4 [3.236343] -2.677874
    inf [3.5] -3.75
    """

    coef_: Floats
    intercept_: float
    objective_: float
    dual_gap_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History
    restarts_: Floats

    def __init__(
        self,
        p: PositiveOrInfinite = 1.0,
        *,
        fit_intercept: bool = True,
        tol: Positive = 1e-10,
        max_iter: Count = 200,
        n_init: Count = 10,
        random_state: RandomState = None,
    ):
        self.p = p
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

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
        X = X.tocsr() if is_sparse(X) else X
        s = check_weights(sample_weight, X).astype(float)
        p = float(self.p)
        options: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        options |= {"n_init": self.n_init, "random_state": self.random_state}
        if p < 1.0:
            warnings.warn(
                f"p={p:g} < 1 is not convex: the best of {self.n_init} starts is kept, a better minimum may exist; "
                "raise n_init, or use p ≥ 1",
                NonConvexWarning,
                stacklevel=2,
            )
        design = Design(X, intercept="free" if self.fit_intercept else "none")
        solution = lp_norm(design, y.astype(float, copy=False), p, s, **options)
        warn_unless_converged(solution, self.max_iter)
        w, self.intercept_ = design.split(solution.w)
        self.coef_ = w.astype(X.dtype, copy=False)
        self.objective_, self.dual_gap_ = solution.objective, solution.dual_gap
        self.n_iter_, self.converged_, self.stop_reason_ = solution.n_iter, solution.converged, solution.stop_reason
        self.history_ = solution.history
        if p < 1.0:
            self.restarts_ = solution.details["restarts"]
        return self

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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
