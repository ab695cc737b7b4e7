"""A sample: rows, targets, groups and weights, and what cross-validation does with it.

    folds (T_j, V_j) of the rows with a positive weight;    f_j = fit(T_j),    judged on V_j                        (1)

A row of weight zero is no row: the splitter does not see it. Stone (1974), Cross-validatory choice and assessment of
statistical predictions, doi:10.1111/j.2517-6161.1974.tb00994.x.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.utils import _safe_indexing, check_consistent_length, indexable
from sklearn.utils.validation import _num_samples

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, Folds, Integers
from gnomon.base.folds import read_folds
from gnomon.base.weights import weight_parameter
from gnomon.numerics.validation import check_integer
from gnomon.numerics.weights import check_weights

__all__ = ["Fold", "Observations", "group_folds", "read_sample"]


class Fold(NamedTuple):
    """Rows to fit and rows to judge on."""

    train: Integers
    test: Integers


class Observations(NamedTuple):
    """Rows as the estimator takes them, with targets, groups and weights, each None where there are none."""

    X: Any
    y: Any
    groups: Array | None
    weights: Floats | None

    @property
    def n(self) -> int:
        return _num_samples(self.X)

    @property
    def present(self) -> Integers:
        """The rows with a positive weight."""
        return np.arange(self.n) if self.weights is None else np.flatnonzero(self.weights > 0.0)

    def at(self, rows: Integers) -> Observations:
        """Some of the rows, in the given order and as often as given."""
        parts = (None if part is None else part[rows] for part in self[1:])
        return Observations(_safe_indexing(self.X, rows), *parts)

    def fit(self, estimator: BaseEstimator) -> Any:
        """A clone fitted to the rows with a positive weight."""
        here = self if len(self.present) == self.n else self.at(self.present)
        target = () if here.y is None else (here.y,)
        return clone(estimator).fit(here.X, *target, **weight_parameter(estimator, here.weights))

    def folds(self, estimator: BaseEstimator, cv: Folds) -> list[Fold]:
        """Equation (1); whole groups on one side where there are groups and `cv` is a number."""
        present = self.present
        given: Any = cv
        if not isinstance(cv, Integral | None) and getattr(cv, "split", None) is None:
            pairs = [Fold(*(np.intersect1d(np.arange(self.n)[part], present) for part in pair)) for pair in given]
        else:
            here = self if len(present) == self.n else self.at(present)
            groups: dict[str, Any] = {} if here.groups is None else {"groups": here.groups}
            if groups and getattr(cv, "split", None) is None:
                given = group_folds(estimator, 5 if cv is None else given)
            found = read_folds(given, here.X, here.y, classifier=is_classifier(estimator), **groups)
            pairs = [Fold(present[train], present[test]) for train, test in found]
        if not pairs or any(len(part) == 0 for pair in pairs for part in pair):
            raise ValueError(f"cv={cv!r} leaves a fold without rows of positive weight to fit or to judge; give others")
        return pairs


def group_folds(estimator: BaseEstimator, n_splits: int) -> Any:
    """Folds that keep groups whole; of a classifier, with like shares of the classes."""
    kind = StratifiedGroupKFold if is_classifier(estimator) else GroupKFold
    return kind(check_integer("cv", n_splits, 2))


def read_sample(
    X: AnyRows, y: ArrayLike | None, *, groups: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> Observations:
    """Rows, targets, groups and weights of one length, checked."""
    X, y = indexable(X, None if y is None else np.asarray(y))
    n = _num_samples(X)
    if n == 0:
        raise ValueError("X has no rows; give some")
    groups = None if groups is None else np.asarray(groups)
    check_consistent_length(X, y, groups)
    if y is not None and y.dtype.kind == "f" and not np.all(np.isfinite(y)):
        raise ValueError(f"y contains NaN or infinity in {int(np.sum(~np.isfinite(y)))} places; drop those rows")
    weights = None if sample_weight is None else np.asarray(check_weights(sample_weight, np.empty((n, 0))), dtype=float)
    return Observations(X, y, groups, weights)
