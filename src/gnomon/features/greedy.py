"""Greedy selection.

    forward   S_i = S_{i−1} ∪ {argmin_j L̂(S_{i−1} ∪ {j})},    S_0 = ∅,  E_0 = ∞                          (1)
    backward  S_i = S_{i−1} \\ {argmin_j L̂(S_{i−1} \\ {j})},    S_0 = {1, …, d},  E_0 = L̂(S_0)             (2)
    stop at the first i with E_i > E_{i−1},  E_i = L̂(S_i);  the answer is S_{i−1}

Each step is compared with the one before it, and continues on a tie. Forward misses columns that help only together;
backward keeps them. Guyon & Elisseeff (2003), section 4.2, https://jmlr.org/papers/v3/guyon03a.html.
"""

from __future__ import annotations

from numbers import Real
from typing import Literal

import numpy as np

from gnomon._typing import Bools, Folds, Integers, Scoring
from gnomon.features._selector import ErrorSelector
from gnomon.features._subset_score import SubsetError, SubsetModel, first_smallest, tie_width
from gnomon.numerics.validation import check_integer

__all__ = ["GreedySelector"]


class GreedySelector(ErrorSelector):
    """Columns added, or removed, one at a time, each time the one with the least cross-validated error L̂.

    Ties between columns go to the lowest. Backward keeps at least one column; forward keeps none only when the start is
    below the error of every column.

    Parameters
    ----------
    estimator : estimator or "least_squares"
        Any classifier or regressor. "least_squares" is linear regression with an intercept, by a compiled loop.
    direction : {"forward", "backward"}, default="forward"
        Add columns to none, equation (1), or remove them from all, (2).
    stop : {"first_rise", "full_path"} or int, default="first_rise"
        "first_rise": before the first step that makes the error larger (by more than 1e-10 relative). "full_path": at
        the end; of all sets on the path the best is chosen, the smallest of equals. A number: at that many columns.
    start : {"auto", "empty_model"} or float, default="auto"
        E_0, with which the first step is compared. "auto": ∞ forward, L̂(all columns) backward. "empty_model": the
        error of the constant prediction.
    cv : int, splitter or iterable, optional
        As in scikit-learn; 5 folds by default.
    scoring : str or callable, optional
        A scorer, whose negative is the error; by default the mean squared error, or the rate of wrong classes.
    n_jobs : int, optional
        Processes (threads for "least_squares"), as in joblib.

    Attributes
    ----------
    support_ : ndarray of bool, of shape (n_features_in_,)
        The columns chosen.
    error_ : float
        L̂ of the columns chosen.
    order_ : ndarray of int
        The columns in the order in which they were added or removed.
    errors_ : ndarray of shape (len(order_) + 1,)
        E_0, and the error after each of these steps.
    n_subsets_ : int
        Evaluations of L̂, that of the empty subset included.

    References
    ----------
    Guyon, I. & Elisseeff, A. (2003). An introduction to variable and feature selection.
    https://jmlr.org/papers/v3/guyon03a.html

    Examples
    --------
    >>> from gnomon.datasets import make_informative_pair
    >>> from gnomon.features import GreedySelector
    >>> X, y = make_informative_pair(version="fixed")
    >>> GreedySelector("least_squares", cv=8).fit(X, y).get_support(indices=True).tolist()
    [2]
    >>> GreedySelector("least_squares", direction="backward", cv=8).fit(X, y).get_support(indices=True).tolist()
    [0, 1]
    """

    def __init__(
        self,
        estimator: SubsetModel,
        direction: Literal["forward", "backward"] = "forward",
        *,
        stop: Literal["first_rise", "full_path"] | int = "first_rise",
        start: Literal["auto", "empty_model"] | float = "auto",
        cv: Folds = None,
        scoring: Scoring = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.direction = direction
        self.stop = stop
        self.start = start
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs

    def _select(self, error: SubsetError, d: int) -> tuple[Bools, float]:
        forward = self.direction == "forward"
        mask = np.full(d, not forward)
        scale = error(np.zeros(d, dtype=bool))
        sets, order, errors = [mask], [], [self._first_error(error, scale, mask)]
        self.n_subsets_ = 1 + (self.start == "auto" and not forward)
        for _ in range(self._n_steps(d, forward)):
            columns = np.flatnonzero(sets[-1] != forward)
            subsets = sets[-1] ^ np.eye(d, dtype=bool)[columns]
            found = error.many(subsets)
            self.n_subsets_ += len(subsets)
            best = first_smallest(found, scale)
            if self.stop == "first_rise" and found[best] > errors[-1] + tie_width(min(errors[-1], found[best]), scale):
                break
            sets.append(subsets[best])
            order.append(columns[best])
            errors.append(float(found[best]))
        self.order_, self.errors_ = np.array(order, dtype=np.intp), np.array(errors)
        chosen = self._chosen(np.sum(sets, axis=1), scale)
        return sets[chosen], errors[chosen]

    def _first_error(self, error: SubsetError, scale: float, mask: Bools) -> float:
        if self.start == "auto":
            return error(mask) if mask.any() else np.inf
        if self.start == "empty_model":
            return scale
        if not isinstance(self.start, Real):
            raise ValueError(f"start={self.start!r} is unknown; choose 'auto', 'empty_model' or a number")
        return float(self.start)

    def _n_steps(self, d: int, forward: bool) -> int:
        if self.stop in ("first_rise", "full_path"):
            return d if forward else d - 1
        if isinstance(self.stop, str):
            raise ValueError(f"stop={self.stop!r} is unknown; choose 'first_rise', 'full_path' or a number of columns")
        size = check_integer("stop", self.stop, 1, d)
        return size if forward else d - size

    def _chosen(self, sizes: Integers, scale: float) -> int:
        """Position on the path of the set that is kept; of a full path never the empty one."""
        if self.stop != "full_path":
            return len(sizes) - 1
        by_size = [place for place in np.argsort(sizes) if sizes[place] > 0]
        return by_size[first_smallest(self.errors_[by_size], scale)]
