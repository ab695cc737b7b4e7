"""The mean of a process before any observation.

    m(x) known,    or  h(x)ᵀβ  with free coefficients: 1, (1, x), or columns of the user                  (1)

Rasmussen & Williams (2006), section 2.7. Geostatistics has names of its own for a mean that is known, a free constant
and a free plane: simple, ordinary and universal kriging, Cressie (1993), Statistics for Spatial Data, section 3.4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from gnomon._typing import Floats

__all__ = ["MeanLike", "Trend", "read_trend"]

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
    """

    given: Any
    free: bool

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
        return ones if self.given == "constant" else np.hstack([ones, np.asarray(X, dtype=float)])


def read_trend(mean: MeanLike, X: Any) -> Trend:
    """The mean that the user's option means; a function that gives several columns has free coefficients."""
    if isinstance(mean, str):
        meant = KRIGING.get(mean, mean)
        return Trend(meant, meant is not None)
    if not callable(mean):
        return Trend(mean, False)
    values = np.asarray(mean(X), dtype=float)
    shape = values.shape
    if len(shape) not in (1, 2) or shape[0] != len(X):
        raise ValueError(f"mean(X) has shape {shape} for {len(X)} rows; it must give a value or a row for each")
    if not np.all(np.isfinite(values)):
        raise ValueError("mean(X) contains NaN or infinity; it must give finite values")
    return Trend(mean, len(shape) == 2)


def _values(mean: Any, X: Any, m: int) -> Floats:
    if callable(mean):
        return np.asarray(mean(X), dtype=float).reshape(-1, 1)
    return np.full((1, 1), float(mean))
