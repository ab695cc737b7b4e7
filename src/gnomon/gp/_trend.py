"""The mean of a process before any observation.

    m(x) known,    or  h(x)ᵀβ  with free coefficients: 1, (1, x), or columns of the user                  (1)

Rasmussen & Williams (2006), section 2.7. Geostatistics has names of its own for a mean that is known, a free constant
and a free plane: simple, ordinary and universal kriging, Cressie (1993), Statistics for Spatial Data, section 3.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from gnomon._typing import Floats
from gnomon.numerics.sharing import read_only

__all__ = ["MeanLike", "Trend", "check_columns", "read_trend"]

MeanLike: TypeAlias = (
    float | Literal["constant", "linear", "simple", "ordinary", "universal"] | Callable[[Any], Any] | None
)

KRIGING: dict[str, str | None] = {"simple": None, "ordinary": "constant", "universal": "linear"}
"""What geostatistics calls the means."""


@dataclass(frozen=True)
class Trend:
    """A mean (1) as two functions of rows.

    Parameters
    ----------
    given : MeanLike
        What the user said, without the names of kriging.
    free : bool
        Whether coefficients are estimated.
    centre : ndarray of shape (d,), optional
        Of the rows of a plane, which is 1 and x − centre inside: far from zero 1 and x are nearly dependent.
    """

    given: Any
    free: bool
    centre: Floats | None = None

    def known(self, X: Any, m: int) -> Floats:
        """m(X), of shape (n, m) or (1, 1)."""
        if self.free or self.given is None:
            return np.zeros((1, 1))
        return _values(self.given, X, m)

    def columns(self, X: Any) -> Floats | None:
        """h(X), of shape (n, p); None where no coefficient is free."""
        if not self.free:
            return None
        if callable(self.given):
            return np.asarray(self.given(X), dtype=float)
        ones = np.ones((len(X), 1))
        return ones if self.centre is None else np.hstack([ones, np.asarray(X, dtype=float) - self.centre])

    def coefficients(self, drift: Floats) -> Floats:
        """β of the columns (1, x), of shape (p, m), from that of `columns`."""
        if self.centre is None:
            return drift
        return np.vstack([drift[:1] - self.centre @ drift[1:], drift[1:]])


def read_trend(mean: MeanLike, X: Any) -> Trend:
    """The mean that the user's option means; a function that gives several columns has free coefficients."""
    if isinstance(mean, str):
        meant = KRIGING.get(mean, mean)
        return Trend(meant, meant is not None, _middle(X) if meant == "linear" else None)
    if not callable(mean):
        if mean is not None and not np.isfinite(mean):
            raise ValueError(f"mean={mean!r} must be finite; give another value")
        return Trend(mean, False)
    values = np.asarray(mean(read_only(X)), dtype=float)
    shape = values.shape
    if len(shape) not in (1, 2) or shape[0] != len(X):
        raise ValueError(f"mean(X) has shape {shape} for {len(X)} rows; it must give a value or a row for each")
    if not np.all(np.isfinite(values)):
        raise ValueError("mean(X) contains NaN or infinity; it must give finite values")
    return Trend(mean, len(shape) == 2)


def check_columns(H: Floats | None, mean: Any) -> None:
    """Refuse columns of a drift whose coefficients the rows do not determine."""
    if H is None:
        return
    if not np.all(np.isfinite(H)):
        raise ValueError(f"mean={mean!r} gives NaN or infinity for some rows; it must be finite")
    size = np.max(np.abs(H), axis=0, initial=0.0)
    n, p = H.shape
    rank = int(np.linalg.matrix_rank(H / np.where(size > 0.0, size, 1.0)))
    if rank < p:
        raise ValueError(
            f"mean={mean!r} has {p} coefficients, of which {n} rows determine {rank}; leave out columns that are "
            "constant or depend on others, give more rows, or mean='constant'"
        )


def _middle(X: Any) -> Floats:
    """The middle of the box around the rows, so that a constant column becomes exactly 0."""
    rows = np.asarray(X, dtype=float)
    return 0.5 * rows.min(axis=0) + 0.5 * rows.max(axis=0)


def _values(mean: Any, X: Any, m: int) -> Floats:
    if callable(mean):
        return np.asarray(mean(read_only(X)), dtype=float).reshape(-1, 1)
    return np.full((1, 1), float(mean))
