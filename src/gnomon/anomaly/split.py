"""The split for anomaly detection.

    train: a share of the good rows;   validation and test: the other good rows and all bad rows, halved           (1)

A detector learns what good rows look like, so no bad row may be in training; bad rows are few, so all of them serve to
choose the threshold and to judge. Each part is drawn at random and separately for good and bad rows. Chandola, Banerjee
& Kumar (2009), Anomaly detection: a survey, doi:10.1145/1541880.1541882.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Integers, RandomState
from gnomon.anomaly._labels import anomalous, require_anomalies
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_interval

__all__ = ["AnomalySplit", "anomaly_split"]


class AnomalySplit(NamedTuple):
    """Three sets of rows, disjoint and together all rows.

    Parameters
    ----------
    train : ndarray of int
        Good rows only.
    validation : ndarray of int
        For the threshold.
    test : ndarray of int
        For one look at the end.

    References
    ----------
    Chandola, V., Banerjee, A. & Kumar, V. (2009). Anomaly detection: a survey. doi:10.1145/1541880.1541882

    Examples
    --------
    >>> from gnomon.anomaly import anomaly_split
    >>> [len(part) for part in anomaly_split([0] * 10 + [1] * 2, random_state=0)]
    [6, 3, 3]
    """

    train: Integers
    validation: Integers
    test: Integers


def anomaly_split(
    y: ArrayLike, *, train_fraction: float = 0.6, validation_fraction: float = 0.5, random_state: RandomState = None
) -> AnomalySplit:
    """Split labelled rows as in (1).

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        1 for anomalous, 0 for good.
    train_fraction : float in (0, 1), default=0.6
        The share of the good rows that goes to training.
    validation_fraction : float in (0, 1), default=0.5
        The share of the rest, good and bad alike, that goes to validation; what remains is for the test.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    AnomalySplit
        Sorted index arrays.

    References
    ----------
    Chandola, V., Banerjee, A. & Kumar, V. (2009). Anomaly detection: a survey. doi:10.1145/1541880.1541882

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.anomaly import anomaly_split
    >>> y = np.repeat([0, 1], [10_000, 20])
    >>> train, validation, test = anomaly_split(y, random_state=0)
    >>> len(train), int(y[train].sum()), len(validation), int(y[validation].sum()), len(test), int(y[test].sum())
    (6000, 0, 2010, 10, 2010, 10)
    """
    check_interval("train_fraction", train_fraction, 0.0, 1.0, closed="neither")
    check_interval("validation_fraction", validation_fraction, 0.0, 1.0, closed="neither")
    bad = anomalous(y)
    require_anomalies(bad, "y", least=2)
    if np.sum(~bad) < 3:
        raise ValueError(f"y holds {np.sum(~bad)} good rows (y = 0); at least 3 are needed, one for each part")
    rng = check_rng(random_state)
    good, anomalies = (rng.permutation(np.flatnonzero(rows)) for rows in (~bad, bad))
    train, rest = _cut(good, train_fraction, leave=2)
    halves = [_cut(rows, validation_fraction, leave=1) for rows in (rest, anomalies)]
    validation, test = (np.sort(np.concatenate(parts)) for parts in zip(*halves, strict=True))
    return AnomalySplit(np.sort(train), validation, test)


def _cut(rows: Integers, share: float, *, leave: int) -> tuple[Integers, Integers]:
    """The first `share` of the rows, at least one, and the others, at least `leave`."""
    first = min(max(round(share * len(rows)), 1), len(rows) - leave)
    return rows[:first], rows[first:]
