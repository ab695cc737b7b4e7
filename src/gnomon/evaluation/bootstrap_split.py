"""Bootstrap samples as a splitter.

    oob:     train on n rows drawn with replacement, judge on the rows that were not drawn                  (1)
    inside:  judge on some of the rows of the sample, train on its other rows                               (2)

Efron (1979), doi:10.1214/aos/1176344552. In (2) all copies of a row stand on one side: a copy in both would be judged
by a model that has seen it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import BaseShuffleSplit
from sklearn.utils.validation import _num_samples

from gnomon._typing import Integers, RandomState
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer, check_interval

__all__ = ["BootstrapSplit"]


class BootstrapSplit(BaseShuffleSplit):
    """A splitter by the bootstrap, equation (1) or (2); rows are repeated in the training part.

    Where groups are given to `split`, whole groups are drawn in place of rows.

    Parameters
    ----------
    n_splits : int, default=100
    mode : {"oob", "inside"}, default="oob"
        Judge on the rows out of the bag, or on a part of the rows in it.
    test_size : float, default=0.25
        For "inside": the share of the different rows of the sample (with `allow_copies`, of its rows) to judge on.
    allow_copies : bool, default=False
        For "inside": let copies of one row stand on both sides, which makes the estimate too good.
    random_state : None, int, Generator or RandomState

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. doi:10.1214/aos/1176344552

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import BootstrapSplit
    >>> train, test = next(BootstrapSplit(1, random_state=0).split(np.zeros((6, 1))))
    >>> len(train), sorted({*train.tolist(), *test.tolist()})
    (6, [0, 1, 2, 3, 4, 5])
    """

    # What scikit-learn's base class shows and reads.
    train_size = None

    def __init__(
        self,
        n_splits: int = 100,
        *,
        mode: Literal["oob", "inside"] = "oob",
        test_size: float = 0.25,
        allow_copies: bool = False,
        random_state: RandomState = None,
    ):
        self.n_splits = check_integer("n_splits", n_splits, 1)
        self.mode = check_choice("mode", mode, ("oob", "inside"))
        self.test_size = check_interval("test_size", test_size, 0.0, 1.0, closed="neither")
        self.allow_copies = allow_copies
        self.random_state = random_state
        if allow_copies and mode == "oob":
            raise ValueError("allow_copies=True is for mode='inside': out of the bag there are no copies")

    def _iter_indices(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Integers, Integers]]:
        rng = check_rng(self.random_state)
        n = _num_samples(X)
        unit_of = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
        rows_of = np.split(np.argsort(unit_of, kind="stable"), np.cumsum(np.bincount(unit_of))[:-1])
        if len(rows_of) < 2:
            raise ValueError(f"there are {len(rows_of)} rows or groups to draw from; give at least 2")
        for _ in range(self.n_splits):
            train, test = (np.concatenate([rows_of[k] for k in part]) for part in self._draw(len(rows_of), rng))
            yield train, test

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
        """Units to train and to judge on; drawn again where either would be empty."""
        while True:
            drawn = rng.integers(0, n, n)
            if self.mode == "oob":
                train, test = drawn, np.setdiff1d(np.arange(n), drawn)
            else:
                names = np.arange(n) if self.allow_copies else drawn
                pool = rng.permutation(np.unique(names))
                inside = np.isin(names, pool[: max(1, round(self.test_size * len(pool)))])
                train, test = drawn[~inside], drawn[inside]
            if len(train) and len(test):
                return train, test
