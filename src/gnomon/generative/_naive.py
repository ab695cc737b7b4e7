"""What the naive Bayes classifiers share: statistics of the classes that add, and the linear scores of counts.

    log P(c | x) = log π_c + Σ_j v_j log P(x_j | c) − log p(x)                                                 (1)

The columns are independent within a class, so every table is estimated by itself, from sums over rows: chunks give what
the whole table gives. v_j = 1, unless some columns are to count more than others. Maron (1961),
doi:10.1145/321075.321084.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from functools import reduce
from typing import Any, Self, get_args

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from gnomon._jit import compiled, jit_no_alloc
from gnomon._typing import AnyRows, ArrayLike, Bools, Floats, Integers, Matrix, MatrixLike
from gnomon.base import map_rows, validate_rows
from gnomon.generative._contract import BayesClassifier, Rows
from gnomon.generative._forms import LinearForm, linear_scores
from gnomon.generative._rows import LabelledRows, labelled_rows
from gnomon.generative._words import Estimation
from gnomon.numerics.design import Design
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.validation import (
    assert_finite,
    assert_not_infinite,
    check_choice,
    check_numbers,
    machine_numbers,
)
from gnomon.numerics.weights import Priors

__all__ = [
    "LinearLaws",
    "NaiveClassifier",
    "check_alpha",
    "check_estimate",
    "check_feature_weight",
    "count_priors",
    "group_sums",
    "linear_ratio",
    "read_matrix",
]

LEAST_ALPHA = 1e-10
"""What `force_alpha=False` raises smaller pseudo-counts to."""


class NaiveClassifier(BayesClassifier):
    """Base of classifiers whose fit is a sum over rows; a subclass reads rows, sums them, and solves for its tables."""

    @abstractmethod
    def _read(self, X: Any, y: ArrayLike | None = "no_validation", *, reset: bool = True) -> Any:
        """The rows of X (and y), checked."""

    @abstractmethod
    def _statistics(self, rows: LabelledRows, before: Any = None) -> Any:
        """The sums over `LabelledRows`, which add with ``+`` to those `before`; their `weight` is the class counts."""

    @abstractmethod
    def _solve(self, statistics: Any) -> None:
        """Set the fitted attributes from the sums, which become `statistics_` if that succeeds."""

    @abstractmethod
    def _class_priors(self) -> Priors:
        """The class priors as the user gave them: None, "uniform", an array or a dict."""

    @property
    def coef_(self) -> Floats:
        return np.atleast_2d(self.linear_form_.b)

    @property
    def intercept_(self) -> Floats:
        form, log_prior = self.linear_form_, self.class_log_prior_
        return np.atleast_1d(form.c + (log_prior[1] - log_prior[0] if len(log_prior) == 2 else log_prior))

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate the tables of every class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two is the row twice.

        Returns
        -------
        self
        """
        rows = labelled_rows(self, X, y, sample_weight, check=type(self)._read)
        self._take(rows, self._statistics(rows))
        self._verify()
        return self

    def partial_fit(
        self, X: AnyRows, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add a chunk of rows: after the last chunk the model is that of all rows at once.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All classes there will be; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        first = "statistics_" not in vars(self)
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit; list every class there will be")
        known = np.unique(np.asarray(classes)) if first else self.classes_
        if not first and classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known.tolist()}"
            )
        rows = labelled_rows(self, X, y, sample_weight, classes=known, check=type(self)._read, reset=first)
        before = None if first else self.statistics_
        part = self._statistics(rows, before)
        self._take(rows, part if first else before + part)
        return self

    def _take(self, rows: LabelledRows, statistics: Any) -> None:
        self.classes_ = rows.classes
        self._solve(statistics)
        self._store_priors(statistics.weight, self._class_priors(), prior_alpha=self.prior_alpha)
        # Last, so that a chunk that raised an error is not counted.
        self.statistics_ = statistics

    def _verify(self) -> None:
        """Refuse a model that the rows so far do not determine: after `fit`, and before a prediction."""

    def _refuse_unseen(self) -> None:
        """Refuse classes that have a prior but no rows to estimate a density from."""
        unseen = (self.class_count_ == 0.0) & (self.class_prior_ > 0.0)
        if np.any(unseen):
            k = int(np.argmax(unseen))
            raise ValueError(
                f"class {self.classes_.tolist()[k]!r} has no rows but the prior {self.class_prior_[k]:g}; add rows of "
                "it by partial_fit, or give it the prior 0"
            )

    def _refuse_cells(self, X: Matrix) -> None:
        """No infinities; no missing cells either where `missing` says so."""
        check = assert_finite if self.missing == "error" else assert_not_infinite
        check(X, columns=vars(self).get("feature_names_in_"))

    def _rows(self, X: AnyRows) -> Rows:
        self._verify()
        return self._read(X, reset=False)

    def _names(self) -> list[str]:
        names = vars(self).get("feature_names_in_")
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]


@dataclass(frozen=True, eq=False)
class LinearLaws:
    """Class laws with log f_c(x) = x·w_c + a_c; f_c(x) = 0 where x·z_c + b_c > 0, so that log 0 never meets a zero.

    Parameters
    ----------
    logs : ndarray of shape (n_classes, d)
        What one more of each count adds, −inf where it is impossible.
    offsets : ndarray of shape (n_classes, d)
        What each count adds when it is zero, −inf where that is impossible.
    weights : ndarray of shape (d,), optional
        v of equation (1) of this module.
    """

    logs: Floats
    offsets: Floats
    weights: Floats | None = None

    @property
    def _v(self) -> Floats:
        return np.ones(self.logs.shape[1]) if self.weights is None else self.weights

    @property
    def never(self) -> Bools:
        """Counts that must be zero."""
        return np.isneginf(self.logs) & (self._v > 0.0)

    @property
    def always(self) -> Bools:
        """Counts that must not be zero."""
        return np.isneginf(self.offsets) & (self._v > 0.0)

    @property
    def absent(self) -> Floats:
        """What a count of zero adds, where it may be zero."""
        return self._v * np.where(np.isneginf(self.offsets), 0.0, self.offsets)

    @property
    def coef(self) -> Floats:
        """w."""
        return self._v * np.where(np.isneginf(self.logs), 0.0, self.logs) - self.absent

    def scores(self, X: Matrix, gaps: Matrix | None = None) -> Floats:
        """log f_c(x), shape (n, C); `gaps` has ones where a cell is missing, which is zero in X."""
        out = self._product(X, gaps, self.coef, self.absent)
        never, always = self.never, self.always.astype(float)
        if np.any(never) or np.any(always):
            # 1 for each count that may not be there, and for each that is absent where it must be.
            out[self._product(X, gaps, never - always, always) > 0.0] = -np.inf
        return out

    def _product(self, X: Matrix, gaps: Matrix | None, coef: Floats, absent: Floats) -> Floats:
        out = linear_scores(X, coef, np.sum(absent, axis=1))
        return out if gaps is None else out - linear_scores(gaps, absent, 0.0)

    def ratio(self) -> LinearForm:
        """The linear form of the llr (two classes) or of every class; a count that no class allows weighs nothing."""
        W = np.where(self.never, -np.inf, np.where(self.always, np.inf, self.coef))
        a = np.where(np.any(self.always, axis=1), -np.inf, np.sum(self.absent, axis=1))
        return linear_ratio(W, a)


def linear_ratio(W: Floats, a: Floats) -> LinearForm:
    """The linear form of the llr for two classes, else one form for each class."""
    if len(W) != 2:
        return LinearForm(W, a)
    with np.errstate(invalid="ignore"):
        b, c = (np.where(part[1] == part[0], 0.0, part[1] - part[0]) for part in (W, a))
    return LinearForm(b, float(c))


def read_matrix(
    model: BaseEstimator, X: MatrixLike, y: ArrayLike | None = "no_validation", *, reset: bool = True
) -> Any:
    """Rows of numbers (and y) of any type, dense or CSR with every entry stored once; copied only if they must be."""
    checked = validate_rows(model, X, y, reset=reset, finite=False, accept_sparse="csr", dtype="numeric")
    return map_rows(_entries_once, checked)


def _entries_once(X: Any) -> Any:
    X = machine_numbers(X)
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def group_sums(X: Any, index: Integers, n_groups: int, weights: Floats | None = None) -> Floats:
    """Σ sᵢ xᵢ of every group, (k, d), for a dense or sparse matrix of numbers, in double precision."""
    rows = compiled(Design(X, intercept="none").rows)
    s = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=float)

    def work(chunk: slice) -> Floats:
        out = np.zeros((n_groups, X.shape[1]))
        _add_rows(rows, chunk.start, index[chunk], s[chunk], out)
        return out

    # Each chunk has a table of its own, which must not outweigh the rows.
    size = X.nnz if sparse.issparse(X) else X.size
    pieces = max(1, min(4, size // (8 * n_groups * X.shape[1]), size // 2**17))
    return reduce(np.add, map_chunks(work, split_rows(X.shape[0], pieces), blas_threads()))


@jit_no_alloc
def _add_rows(rows: Any, start: int, index: Integers, s: Floats, out: Floats) -> None:
    for i in range(index.shape[0]):
        rows.add(start + i, s[i], out[index[i]])


def check_alpha(alpha: ArrayLike, shape: tuple[int, ...], *, force_alpha: bool) -> Floats:
    """Pseudo-counts: a number ≥ 0, or an array of them of that shape."""
    checked = check_numbers("alpha", alpha)
    if checked.ndim and checked.shape != shape:
        raise ValueError(
            f"When alpha is an array, it should contains `n_features`. Got {checked.shape} instead of {shape}; give "
            "one number for each"
        )
    if not np.all(checked >= 0.0) or not np.all(np.isfinite(checked)):
        raise ValueError(f"alpha={np.min(checked):g} must be ≥ 0 and finite; give pseudo-counts, 0 for none")
    if force_alpha or np.all(checked >= LEAST_ALPHA):
        return checked
    warnings.warn(
        f"alpha too small will result in numeric errors, setting alpha = {LEAST_ALPHA:.1e}. Use `force_alpha=True` to "
        "keep alpha unchanged.",
        UserWarning,
        stacklevel=6,
    )
    return np.maximum(checked, LEAST_ALPHA)


def check_estimate(estimate: Estimation, parameter_prior: object) -> None:
    """Refuse a prior that would not be used, and its absence where it is needed."""
    check_choice("estimate", estimate, get_args(Estimation))
    if (estimate == "mle") != (parameter_prior is None):
        raise ValueError(
            f"estimate={estimate!r} with parameter_prior={parameter_prior!r}: 'map' and 'predictive' need a "
            "parameter_prior, 'mle' takes none; choose one way"
        )


def check_feature_weight(feature_weight: ArrayLike | None, d: int) -> Floats | None:
    """v of equation (1), None where all are one."""
    if feature_weight is None:
        return None
    v = check_numbers("feature_weight", feature_weight)
    if v.shape != (d,) or not np.all(v >= 0.0) or not np.all(np.isfinite(v)):
        raise ValueError(f"feature_weight={feature_weight!r} must be {d} numbers ≥ 0, one for each column; 1 is usual")
    return v


def count_priors(model: BaseEstimator) -> Priors:
    """The class priors of models with scikit-learn's `class_prior` and `fit_prior`."""
    if model.class_prior is not None:
        return model.class_prior
    return None if model.fit_prior else "uniform"
