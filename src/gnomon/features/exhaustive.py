"""Exhaustive selection.

    Ŝ = argmin over all ∅ ≠ S ⊆ {1, …, d} of L̂(S)                                                    (1)

2^d − 1 subsets, so only for few columns. Hocking & Leslie (1967), Selection of the best subset in regression
analysis, doi:10.1080/00401706.1967.10490502.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gnomon._typing import Bools, Count, Folds, Scoring
from gnomon.features._selector import ErrorSelector
from gnomon.features._subset_score import SubsetError, SubsetModel, first_smallest

__all__ = ["ExhaustiveSelector"]


class ExhaustiveSelector(ErrorSelector):
    """The columns S with the least cross-validated error L̂(S) among all non-empty subsets.

    Ties go to the smaller subset, then to the lower columns.

    Parameters
    ----------
    estimator : estimator or "least_squares"
        Any classifier or regressor. "least_squares" is linear regression with an intercept, by a compiled loop.
    cv : int, splitter or iterable, optional
        As in scikit-learn; 5 folds by default.
    scoring : str or callable, optional
        A scorer, whose negative is the error; by default the mean squared error, or the rate of wrong classes.
    max_exhaustive : int, default=20
        Refuse more columns than this.
    n_jobs : int, optional
        Processes (threads for "least_squares"), as in joblib.

    Attributes
    ----------
    support_ : ndarray of bool, of shape (n_features_in_,)
        The columns chosen.
    error_ : float
        L̂ of the columns chosen.
    subsets_ : ndarray of bool, of shape (2^d − 1, n_features_in_)
        All subsets, by size and then in lexicographic order.
    errors_ : ndarray
        L̂ of each of them.
    n_subsets_ : int
        Evaluations of L̂: 2^d, the empty subset included.

    References
    ----------
    Hocking, R. R. & Leslie, R. N. (1967). Selection of the best subset in regression analysis.
    doi:10.1080/00401706.1967.10490502

    Examples
    --------
    >>> from gnomon.datasets import make_informative_pair
    >>> from gnomon.features import ExhaustiveSelector
    >>> X, y = make_informative_pair(version="fixed")
    >>> ExhaustiveSelector("least_squares", cv=8).fit(X, y).get_support(indices=True).tolist()
    [0, 1]
    """

    def __init__(
        self,
        estimator: SubsetModel,
        *,
        cv: Folds = None,
        scoring: Scoring = None,
        max_exhaustive: Count = 20,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.max_exhaustive = max_exhaustive
        self.n_jobs = n_jobs

    def _select(self, error: SubsetError, d: int) -> tuple[Bools, float]:
        if d > self.max_exhaustive:
            raise ValueError(
                f"{d} columns have {2**d - 1} subsets, and max_exhaustive={self.max_exhaustive} columns are allowed; "
                "use GreedySelector or SparseSelector, or raise max_exhaustive"
            )
        self.subsets_ = np.concatenate([_subsets(d, size) for size in range(1, d + 1)])
        self.errors_ = error.many(self.subsets_)
        best = first_smallest(self.errors_, error(np.zeros(d, dtype=bool)))
        self.n_subsets_ = len(self.subsets_) + 1
        return self.subsets_[best], float(self.errors_[best])


def _subsets(d: int, size: int) -> Bools:
    """The subsets of one size, in lexicographic order, as rows of booleans."""
    places = np.array(list(combinations(range(d), size)))
    masks = np.zeros((len(places), d), dtype=bool)
    np.put_along_axis(masks, places, True, axis=1)
    return masks
