"""Ridge regression with ρ chosen by validation.

    LOO(ρ) = (1/n) Σᵢ sᵢ (yᵢ − ŷ₋ᵢ(ρ))²,    yᵢ − ŷ₋ᵢ = rᵢ/(1 − hᵢ)                                    (1)

Leave-one-out errors are exact and cost no refit: one decomposition serves all rows and all ρ. Golub, Heath & Wahba
(1979), doi:10.1080/00401706.1979.10489751; the one-standard-error rule: Breiman, Friedman, Olshen & Stone
(1984), section 3.4.3.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import _check_method_params

from gnomon._typing import ArrayLike, Floats, Folds, Integers, MatrixLike, Numbers, Scoring
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.base.folds import read_folds
from gnomon.base.routing import default_scorer, routed, router
from gnomon.linear._errors import Rule, standard_error
from gnomon.linear._scores import SPARSE_FORMATS, as_columns, linear_scores
from gnomon.numerics.linalg import RidgePath, Rows, ridge_path
from gnomon.numerics.scale import PowerOfTwo
from gnomon.numerics.sharing import read_only
from gnomon.numerics.validation import check_positive
from gnomon.numerics.weights import check_weights

__all__ = ["RidgeCV"]


class RidgeCV(MultiOutputMixin, RegressorMixin, Estimator):
    """Ridge regression with `alpha` chosen by leave-one-out or by folds, equation (1).

    Takes scikit-learn's parameters with scikit-learn's meaning; `rule` is added.

    Parameters
    ----------
    alphas : array-like, default=(0.1, 1.0, 10.0)
        The ρ > 0 to choose from.
    fit_intercept : bool, default=True
        Whether b is free.
    scoring : str or callable, optional
        What to maximise; None is minus the mean squared error for leave-one-out, R² for folds.
    cv : int, splitter or iterable, optional
        None is leave-one-out.
    gcv_mode : {None, "auto", "eigen", "svd"}, default=None
        Decompose ZᵀZ (or ZZᵀ) or Z itself; "auto" takes the first where it is accurate enough.
    store_cv_results : bool, default=False
        Keep the leave-one-out errors (with `scoring`: predictions) of every row as `cv_results_`.
    alpha_per_target : bool, default=False
        Choose for each target separately.
    rule : {"min", "1se"}, default="min"
        "1se" takes the largest `alpha` whose mean error is within one standard error of the least.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
    best_score_ : float or ndarray of shape (n_targets,)
        The score at `alpha_`.
    scores_ : ndarray of shape (n_alphas,) or (n_alphas, n_targets)
        The score at every `alpha`.
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
    coef_, intercept_ : as in `Ridge`
    effective_dof_ : float or ndarray
        tr H at `alpha_`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Golub, G. H., Heath, M. & Wahba, G. (1979). Generalized cross-validation as a method for choosing a good ridge
    parameter. doi:10.1080/00401706.1979.10489751

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import RidgeCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 10))
    >>> y = X[:, 0] + rng.standard_normal(60)
    >>> alphas = np.logspace(-2, 3, 30)
    >>> best, sparing = RidgeCV(alphas).fit(X, y), RidgeCV(alphas, rule="1se").fit(X, y)
    >>> bool(best.alpha_ < sparing.alpha_)
    True
    """

    alpha_: Numbers
    best_score_: Numbers
    scores_: Floats
    cv_results_: Floats
    coef_: Floats
    intercept_: Numbers
    effective_dof_: Numbers

    def __init__(
        self,
        alphas: ArrayLike = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: Scoring = None,
        cv: Folds = None,
        gcv_mode: Literal["auto", "eigen", "svd"] | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
        rule: Rule = "min",
    ):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target
        self.rule = rule

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any) -> Self:
        """Choose ρ and minimise Σ s r² + ρ‖w‖².

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
        **params
            For the splitter and the scorer, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        options: dict[str, Any] = {
            "accept_sparse": SPARSE_FORMATS,
            "multi_output": True,
            "y_numeric": True,
            "ensure_min_samples": 2,
        }
        X, y = validate_rows(self, X, y, **options)
        X = X.tocsr() if sparse.issparse(X) else X
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        alphas = self._alphas()
        rows = Rows(X, as_columns(y.astype(X.dtype, copy=False)), weights, self.fit_intercept)
        if self.gcv_mode == "svd" and self.cv is None and sparse.issparse(X):
            warnings.warn(
                "gcv_mode='svd' is for a dense X, and an error in scikit-learn 1.11 for a sparse one; leave it out",
                FutureWarning,
                stacklevel=2,
            )
        path = ridge_path(rows, float(np.min(alphas)), mode=self.gcv_mode or "auto")
        sent = routed(self, "fit", weights, params)
        if self.cv is None:
            scores, errors, unit = self._leave_one_out(path, alphas, y, sent.scorer.score)
        else:
            folds = read_folds(self.cv, X, y, **sent.splitter.split)
            (scores, errors), unit = self._by_folds(rows, alphas, y, folds, sent.scorer.score), PowerOfTwo()
        chosen = _choose(alphas, scores, errors, self.rule)
        with np.errstate(over="ignore"):
            return self._set(path, alphas, chosen, unit.outward(scores, 2), y)

    def predict(self, X: MatrixLike) -> Floats:
        """X w + b.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        return linear_scores(self, X)

    def _alphas(self) -> Floats:
        alphas = np.atleast_1d(self.alphas)
        if alphas.ndim != 1 or alphas.size == 0:
            raise ValueError(f"alphas={self.alphas!r} must be a list of numbers > 0; give at least one")
        alphas = np.array([check_positive("alphas", alpha) for alpha in alphas], dtype=float)
        if self.cv is not None and (self.store_cv_results or self.alpha_per_target):
            raise ValueError("store_cv_results and alpha_per_target need leave-one-out; leave cv=None")
        if self.rule == "1se" and self.cv is None and self.scoring is not None:
            raise ValueError("rule='1se' needs errors row by row or fold by fold; leave scoring=None or give cv")
        return alphas

    def _leave_one_out(
        self, path: RidgePath, alphas: Floats, y: Floats, params: Mapping[str, Any]
    ) -> tuple[Floats, Floats, PowerOfTwo]:
        """Mean score of every alpha, (n_alphas, k) or (n_alphas, 1), its standard error, and the unit of y in both."""
        if self.scoring is not None or self.store_cv_results:
            return self._stored_leave_one_out(path, alphas, y, params)
        n, per_target = path.rows.shape[0], self.alpha_per_target
        # Fourth powers of y may overflow where y does not.
        unit = PowerOfTwo.of(path.rows.Y)

        def sums(block: slice, residuals: Floats) -> tuple[Floats, Floats]:
            e = _weighted_squares(unit.inward(residuals), path.rows.weights, block)
            e = e if per_target else np.mean(e, axis=1, keepdims=True)
            return np.sum(e, axis=0).T, np.sum(e * e, axis=0).T

        total, square = (sum(part) for part in zip(*path.map_loo(sums, alphas), strict=True))
        with np.errstate(invalid="ignore"):
            error = np.sqrt(np.maximum(square - total**2 / n, 0.0) / max(n - 1, 1) / n)
        return -total / n, error, unit

    def _stored_leave_one_out(
        self, path: RidgePath, alphas: Floats, y: Floats, params: Mapping[str, Any]
    ) -> tuple[Floats, Floats, PowerOfTwo]:
        n, _, k = path.rows.shape
        residuals = path.loo_residuals(alphas)
        shape = (*y.shape, len(alphas))
        if self.scoring is None:
            e = _weighted_squares(residuals, path.rows.weights, slice(None))
            kept = e.reshape(shape)
            e = e if self.alpha_per_target else np.mean(e, axis=1, keepdims=True)
            scores, errors = -np.mean(e, axis=0).T, standard_error(e).T
        else:
            kept = (path.rows.Y[:, :, None] - residuals).reshape(shape)
            scores = self._scored(kept.reshape(n, k, -1), y, params)
            errors = np.full_like(scores, np.nan)
        if self.store_cv_results:
            self.cv_results_ = kept.astype(path.rows.X.dtype, copy=False)
        return scores, errors, PowerOfTwo()

    def _scored(self, predictions: Floats, y: Floats, params: Mapping[str, Any]) -> Floats:
        scorer = self._scorer()
        given, tables = _GivenPredictions(), np.moveaxis(predictions, 2, 0)
        y = read_only(y)
        if self.alpha_per_target:
            columns = as_columns(y).T
            scores = [[scorer(given, p, t, **params) for p, t in zip(P.T, columns, strict=True)] for P in tables]
        else:
            scores = [[scorer(given, P.reshape(y.shape), y, **params)] for P in tables]
        return np.array(scores, dtype=float)

    def _by_folds(
        self,
        rows: Rows,
        alphas: Floats,
        y: Floats,
        folds: Iterable[tuple[Integers, Integers]],
        params: Mapping[str, Any],
    ) -> tuple[Floats, Floats]:
        """The mean over folds of the score of every alpha, and its standard error; one path per fold."""
        scorer = self._scorer()
        given = _GivenPredictions()
        table = []
        for train, test in folds:
            weights = None if rows.weights is None else rows.weights[train]
            path = ridge_path(rows._replace(X=rows.X[train], Y=rows.Y[train], weights=weights), float(np.min(alphas)))
            coef = path.coef(alphas)
            predictions = [rows.X[test] @ w + b for w, b in zip(coef, path.intercept(coef), strict=True)]
            extra = _check_method_params(rows.X, params=params, indices=test)
            table.append([scorer(given, p.reshape(y[test].shape), y[test], **extra) for p in predictions])
        if not table:
            raise ValueError(f"cv={self.cv!r} gives no folds; give at least one pair (train, test)")
        table = np.array(table, dtype=float)
        return np.mean(table, axis=0)[:, None], standard_error(table)[:, None]

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the splitter and the scorer."""
        return router(self, splitter=self.cv, scorer=self._scorer()).add_self_request(self)

    def _scorer(self) -> Any:
        return default_scorer(self, self.scoring, "r2")

    def _set(self, path: RidgePath, alphas: Floats, chosen: Integers, scores: Floats, y: Floats) -> Self:
        k, dtype = path.P.shape[1], path.rows.X.dtype
        rho = np.broadcast_to(alphas[chosen], (k,))
        w = path.V @ (path.P / (path.squares[:, None] + rho))
        b = path.intercept(w)
        self.coef_ = np.ascontiguousarray(w[:, 0] if k == 1 else w.T, dtype=dtype)
        self.intercept_ = (dtype.type(b[0]) if y.ndim == 1 else b.astype(dtype)) if self.fit_intercept else 0.0
        dof = path.dof(rho)
        best = scores[chosen, np.arange(len(chosen))]
        several = self.alpha_per_target and k > 1
        self.alpha_ = alphas[chosen] if several else float(rho[0])
        self.best_score_ = best if self.alpha_per_target and y.ndim == 2 else float(best[0])
        self.effective_dof_ = dof if several else float(dof[0])
        self.scores_ = scores if several else scores[:, 0]
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _GivenPredictions(RegressorMixin, BaseEstimator):
    """Passes predictions through, so that a scorer can be asked about them."""

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        return self

    def predict(self, X: Floats) -> Floats:
        return X


def _weighted_squares(residuals: Floats, weights: Floats | None, block: slice) -> Floats:
    squares = residuals * residuals
    return squares if weights is None else squares * weights[block][:, None, None]


def _choose(alphas: Floats, scores: Floats, errors: Floats, rule: Rule) -> Integers:
    """The first alpha of best score, column by column; with "1se" the largest within one standard error of it."""
    best = np.argmax(scores, axis=0)
    if rule == "min":
        return best
    columns = np.arange(scores.shape[1])
    enough = scores >= scores[best, columns] - errors[best, columns]
    return np.argmax(np.where(enough, alphas[:, None], -np.inf), axis=0)
