"""Three parts: to fit, to choose, and to judge the final model once.

    rows = train ∪ validation ∪ test,    pairwise disjoint, of the given sizes                            (1)

Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, section 7.2, doi:10.1007/978-0-387-84858-7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _num_samples

from gnomon._typing import Array, ArrayLike, Integers, Seed
from gnomon.numerics.validation import check_numbers

__all__ = ["train_val_test_split"]


def train_val_test_split(
    *arrays: Any,
    sizes: tuple[float, float, float] = (0.6, 0.2, 0.2),
    stratify: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    random_state: Seed = None,
) -> list[Any]:
    """Split arrays into training, validation and test rows, equation (1).

    Choose models on the validation rows; use the test rows once, for the model that was chosen.

    Parameters
    ----------
    *arrays : array-like, data frame or sparse matrix
        Of the same length.
    sizes : (train, validation, test), default=(0.6, 0.2, 0.2)
        Shares that sum to one, or numbers of rows (of groups, where there are groups) that sum to all.
    stratify : array-like of shape (n,), optional
        Labels whose shares are kept.
    groups : array-like of shape (n,), optional
        Rows of one group stay together; the sizes are then those of the groups.
    random_state : None, int or RandomState

    Returns
    -------
    list
        Training, validation and test part of the first array, then of the second, and so on.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.2.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import train_val_test_split
    >>> train, val, test = train_val_test_split(np.arange(10), random_state=0)
    >>> len(train), len(val), len(test), sorted([*train, *val, *test]) == list(range(10))
    (6, 2, 2, True)
    """
    if not arrays:
        raise ValueError("no arrays are given; give at least one")
    arrays = indexable(*arrays)
    n = _num_samples(arrays[0])
    if groups is not None and stratify is not None:
        raise ValueError("groups and stratify are both given; whole groups cannot keep shares of labels, so choose one")
    units, unit_of = (np.arange(n), np.arange(n)) if groups is None else np.unique(groups, return_inverse=True)
    if len(unit_of) != n:
        raise ValueError(f"groups has {len(unit_of)} entries for {n} rows; give one for each")
    counts = _counts(sizes, len(units), "rows" if groups is None else "groups")
    parts = _three_parts(counts, None if stratify is None else np.asarray(stratify), random_state)
    rows = [np.flatnonzero(np.isin(unit_of, part)) if groups is not None else part for part in parts]
    together = np.concatenate(rows)
    assert len(together) == n == len(np.unique(together)), "the parts overlap"
    return [_safe_indexing(array, part) for array in arrays for part in rows]


def _counts(sizes: tuple[float, float, float], n: int, what: str) -> Integers:
    given = check_numbers("sizes", sizes)
    whole = np.issubdtype(np.asarray(sizes).dtype, np.integer)
    total = n if whole else 1.0
    if given.shape != (3,) or np.any(given <= 0.0) or not np.isclose(np.sum(given), total):
        raise ValueError(f"sizes={sizes!r} must be three shares > 0 of sum 1, or three numbers of {what} of sum {n}")
    test = int(given[2]) if whole else round(given[2] * n)
    validation = int(given[1]) if whole else round(given[1] * n)
    counts = np.array([n - validation - test, validation, test])
    if np.any(counts < 1):
        raise ValueError(f"sizes={sizes!r} of {n} {what} leaves a part empty: {counts.tolist()}; give more {what}")
    return counts


def _three_parts(counts: Integers, labels: Array | None, random_state: Seed) -> list[Integers]:
    rng = random_state if isinstance(random_state, np.random.RandomState) else np.random.RandomState(random_state)
    n = int(np.sum(counts))
    rest, test = train_test_split(np.arange(n), test_size=int(counts[2]), stratify=labels, random_state=rng)
    of_rest = None if labels is None else labels[rest]
    train, validation = train_test_split(rest, test_size=int(counts[1]), stratify=of_rest, random_state=rng)
    return [train, validation, test]
