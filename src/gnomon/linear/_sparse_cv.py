"""What the cross-validated lasso and elastic net share: warm-started paths in every fold.

    MSE(α) = mean over folds of  Σᵢ sᵢ (yᵢ − xᵢᵀw_α − b_α)² / Σᵢ sᵢ  over the rows left out                  (1)

Where n ≫ d the n centred rows √sᵢ (xᵢ, yᵢ) are replaced by the d + 1 rows of their triangular factor,

    Σᵢ sᵢ (yᵢ − xᵢᵀw)² = ‖r_y − R_x w‖²,    (R_x, r_y) of a QR decomposition,                         (2)

which loses no digits as the Gram matrix does; the whole path then takes little longer than the decomposition.

Friedman, Hastie & Tibshirani (2010), doi:10.18637/jss.v033.i01; the one-standard-error rule: Breiman, Friedman, Olshen
& Stone (1984), section 3.4.3; (2): Golub (1965), doi:10.1007/BF01436075.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import MetadataRouter

from gnomon._typing import ArrayLike, Floats, Integers, Matrix, MatrixLike, is_sparse
from gnomon.base import validate_rows
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.base.folds import read_folds
from gnomon.base.progress import progress_of
from gnomon.base.routing import routed, router
from gnomon.linear._errors import standard_error
from gnomon.linear._scores import linear_scores
from gnomon.linear._sparse_path import alpha_grid, check_precompute, enet_path
from gnomon.losses import SquaredLoss
from gnomon.numerics.design import Design
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.validation import check_integer, check_interval, check_non_negative
from gnomon.numerics.weights import check_weights
from gnomon.optim import Problem, Solution, coordinate_path, warn_unless_all_converged
from gnomon.optim.solution import History, StopReason
from gnomon.penalties import ElasticNetPenalty

__all__ = ["SparseRegressorCV"]

Split: TypeAlias = Callable[[Floats], tuple[Floats, Any]]
Rows: TypeAlias = tuple[Design, Floats, Floats, Split]

MANY_ROWS = 8
"""Rows per column from which on (2) pays."""


class SparseRegressorCV(CallbackSupportMixin, RegressorMixin, Estimator):
    """Base of the regressors that choose α (and r) by cross-validated paths; a subclass says its parameters."""

    alpha_: float
    l1_ratio_: float
    alphas_: Floats
    mse_path_: Floats
    coef_: Floats
    intercept_: float
    objective_: float
    dual_gap_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History

    path = staticmethod(enet_path)

    def _shares(self) -> Sequence[float] | Floats:
        """The candidates for r."""
        raise NotImplementedError

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any) -> Self:
        """Choose by (1), then fit all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        **params
            For the splitter, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        X, y = validate_rows(self, X, y, accept_sparse=("csc", "csr"), y_numeric=True)
        y, weights = y.astype(X.dtype, copy=False), check_weights(sample_weight, X)
        check_precompute(self.precompute, X, weights, centred=self.fit_intercept)
        shares = [check_interval("l1_ratio", float(r), 0.0, 1.0) for r in self._shares()]
        if not shares:
            raise ValueError("l1_ratio is empty; give at least one value in [0, 1]")
        grids = [self._grid(X, y, weights, r) for r in shares]
        X = X.tocsr() if is_sparse(X) else X
        sent = routed(self, "fit", None if sample_weight is None else weights, params)
        folds = read_folds(self.cv, X, y, **sent.splitter.split)
        tasks = [(r, grid, fold) for r, grid in zip(shares, grids, strict=True) for fold in folds]
        with fit_tasks(self, "path", len(tasks), X=X, y=y) as told:
            report, done = told.reported(progress_of(self.verbose, "path")), count(1)

            def errors_of(task: tuple[float, Floats, tuple[Integers, Integers]]) -> tuple[Floats, list[Solution[None]]]:
                found = self._fold_errors(X, y, weights, *task)
                if report is not None:
                    report(next(done), len(tasks))
                return found

            errors, runs = zip(*map_chunks(errors_of, tasks, self.n_jobs), strict=True)
            mse = np.array(errors).reshape(len(shares), len(folds), -1).transpose(0, 2, 1)
            best, k = self._choose(mse)
            self.l1_ratio_, self.alpha_ = shares[best], float(grids[best][k])
            # As in scikit-learn, what does not depend on r has no axis for it.
            shared = len(shares) == 1 or np.ndim(self.alphas) == 1
            self.alphas_ = grids[0] if shared else np.array(grids)
            self.mse_path_ = np.squeeze(mse).astype(X.dtype, copy=False)
            self._refit(X, y, weights, grids[best][: k + 1], [found for run in runs for found in run])
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

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the splitter."""
        return router(self, splitter=self.cv).add_self_request(self)

    def _grid(self, X: Matrix, y: Floats, weights: Floats, share: float) -> Floats:
        if np.ndim(self.alphas) == 1:
            if not len(self.alphas):
                raise ValueError("alphas is empty; give values to choose from, or their number")
            return np.sort([check_non_negative("alphas", alpha) for alpha in self.alphas])[::-1]
        if share == 0.0:
            raise ValueError("l1_ratio=0 has no largest useful alpha; give `alphas` as an array, or use RidgeCV")
        options: dict[str, Any] = {
            "n_alphas": check_integer("alphas", self.alphas, 1),
            "eps": self.eps,
        }
        options |= {"fit_intercept": self.fit_intercept, "positive": self.positive}
        return alpha_grid(X, y, weights, l1_ratio=share, **options)

    def _path(
        self, X: Matrix, y: Floats, weights: Floats, share: float, alphas: Floats
    ) -> tuple[Split, Iterator[Solution[Floats]]]:
        """θ → (w, b), and the solution for each α."""
        penalties = [ElasticNetPenalty(float(a), share, half=True, positive=self.positive) for a in alphas]
        s = (weights / weights.sum(dtype=float)).astype(X.dtype)
        rows = _few_rows if not is_sparse(X) and MANY_ROWS * (X.shape[1] + 1) <= len(y) else _all_rows
        design, y, s, split = rows(X, np.ascontiguousarray(y), s, self.fit_intercept)
        problem = Problem(design, y, SquaredLoss(half=True), penalties[0], s)
        options: dict[str, Any] = {
            "tol": self.tol,
            "max_iter": self.max_iter,
        }
        options |= {"selection": self.selection, "random_state": self.random_state}
        return split, coordinate_path(problem, penalties, np.zeros(design.width, dtype=X.dtype), **options)

    def _fold_errors(
        self,
        X: Matrix,
        y: Floats,
        weights: Floats,
        share: float,
        alphas: Floats,
        fold: tuple[Integers, Integers],
    ) -> tuple[Floats, list[Solution[None]]]:
        train, test = fold
        X_train = X[train].tocsc() if is_sparse(X) else X[train]
        split, path = self._path(X_train, y[train], weights[train], share, alphas)
        solutions = list(path)
        coefs, intercepts = zip(*(split(solution.w) for solution in solutions), strict=True)
        support = np.flatnonzero(np.any(coefs, axis=0))
        Z = X[test][:, support] @ np.array(coefs)[:, support].T + np.array(intercepts)
        errors = np.average((y[test, None] - Z) ** 2, axis=0, weights=weights[test])
        return errors, [found.outcome for found in solutions]

    def _choose(self, mse: Floats) -> tuple[int, int]:
        """The r and α of least mean error, or with "1se" the largest α within one standard error of it."""
        mean = np.mean(mse, axis=2)
        best, k = np.unravel_index(np.argmin(mean), mean.shape)
        if self.rule == "1se":
            k = int(np.flatnonzero(mean[best] <= mean[best, k] + standard_error(mse[best, k]))[0])
        return int(best), int(k)

    def _refit(self, X: Matrix, y: Floats, weights: Floats, alphas: Floats, before: list[Solution[None]]) -> None:
        """All rows at the chosen α, reached along the path to it."""
        if self.alpha_ == 0.0:
            warnings.warn("the best of alphas is 0, no lasso; use LinearRegression", stacklevel=3)
        split, path = self._path(X, y, weights, self.l1_ratio_, alphas)
        for solution in path:
            found = solution
        warn_unless_all_converged([*before, found.outcome], self.max_iter, stacklevel=4)
        w, b = split(found.w)
        self.coef_, self.intercept_ = w, X.dtype.type(b) if self.fit_intercept else 0.0
        self.dual_gap_, self.objective_ = X.dtype.type(found.dual_gap), found.objective
        self.n_iter_ = max(found.n_iter, 1)
        self.converged_, self.stop_reason_, self.history_ = found.converged, found.stop_reason, found.history


def _all_rows(X: Matrix, y: Floats, s: Floats, fit_intercept: bool) -> Rows:
    design = Design(X, intercept="free" if fit_intercept else "none")
    return design, y, s, design.split


def _few_rows(X: Any, y: Floats, s: Floats, fit_intercept: bool) -> Rows:
    """The d + 1 rows (2), each of weight one; b = ȳ − x̄ᵀw, or 0."""
    A = np.column_stack([X, y]).astype(float, copy=False)
    center = np.zeros(A.shape[1])
    # Twice: of a column far from zero the first mean is off by its rounding error.
    for _ in range(2 * fit_intercept):
        mean = s.astype(float) @ A / np.sum(s, dtype=float)
        center, A = center + mean, A - mean
    A *= np.sqrt(s)[:, None]
    R = np.asarray(np.linalg.qr(A, mode="r"), dtype=X.dtype)
    if not np.all(np.isfinite(R)):
        # Squares of such columns overflow; of the rows themselves the solver can name them.
        return _all_rows(X, y, s, fit_intercept)
    design = Design(np.asfortranarray(R[:, :-1]), intercept="none")
    ones = np.ones(len(R), dtype=X.dtype)
    return design, np.ascontiguousarray(R[:, -1]), ones, lambda w: (w, X.dtype.type(center[-1] - center[:-1] @ w))
