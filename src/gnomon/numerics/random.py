"""Random numbers: seeds, and resamples with the rows they leave out.

    bootstrap  n rows drawn with replacement: a given row is left out with probability (1 − 1/n)ⁿ → 1/e      (1)

Efron (1979), doi:10.1214/aos/1176344552; out-of-bag rows: Breiman (1996), Out-of-bag estimation. Every seed is a
`random_state` as in scikit-learn: None, an int, a Generator or a RandomState.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gnomon._typing import Integers, RandomState
from gnomon.numerics.validation import check_integer

__all__ = ["Resample", "check_rng", "resamples", "spawn_seeds"]


class Resample(NamedTuple):
    """The rows drawn, with repetitions, and the rows left out of bag.

    Parameters
    ----------
    rows : ndarray of int
    out_of_bag : ndarray of int

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. doi:10.1214/aos/1176344552

    Examples
    --------
    >>> from gnomon.numerics.random import resamples
    >>> sample = next(resamples(6, 1, random_state=0))
    >>> sorted(set(sample.rows.tolist()) | set(sample.out_of_bag.tolist()))
    [0, 1, 2, 3, 4, 5]
    """

    rows: Integers
    out_of_bag: Integers


def check_rng(random_state: RandomState = None) -> np.random.Generator:
    """A NumPy Generator for any `random_state`: None, an int, a Generator (returned as it is) or a RandomState.

    Examples
    --------
    >>> from gnomon.numerics.random import check_rng
    >>> int(check_rng(0).integers(100)) == int(check_rng(0).integers(100))
    True
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, size=4, dtype=np.uint32))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"random_state={random_state!r} cannot seed a generator; give None, an int ≥ 0, "
            "a numpy.random.Generator or a RandomState"
        ) from error


def spawn_seeds(random_state: RandomState, count: int) -> list[int]:
    """`count` independent seeds, one for each tree, restart or fold.

    Examples
    --------
    >>> from gnomon.numerics.random import spawn_seeds
    >>> len(set(spawn_seeds(0, 3)))
    3
    """
    return check_rng(random_state).integers(0, 2**63, size=count, dtype=np.int64).tolist()


def resamples(
    n: int, count: int, *, size: int | None = None, replace: bool = True, random_state: RandomState = None
) -> Iterator[Resample]:
    """`count` resamples of `n` rows, each with the rows it leaves out.

    Parameters
    ----------
    n : int
        Number of rows.
    count : int
        Number of resamples.
    size : int, optional
        Rows per resample; `n` by default.
    replace : bool, default=True
        With replacement, a bootstrap; without, a subsample.
    random_state : None, int, Generator or RandomState

    Yields
    ------
    Resample

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. doi:10.1214/aos/1176344552

    Examples
    --------
    >>> from gnomon.numerics.random import resamples
    >>> shares = [len(r.out_of_bag) / 1000 for r in resamples(1000, 50, random_state=0)]
    >>> abs(sum(shares) / 50 - 1 / 2.718281828) < 0.01
    True
    """
    n = check_integer("n", n, 1)
    size = check_integer("size", n if size is None else size, 1, np.inf if replace else n)
    rng = check_rng(random_state)
    for _ in range(check_integer("count", count, 0)):
        rows = rng.integers(0, n, size=size) if replace else rng.permutation(n)[:size]
        yield Resample(rows, np.flatnonzero(np.bincount(rows, minlength=n) == 0))
