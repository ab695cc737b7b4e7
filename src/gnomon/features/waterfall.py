"""Waterfall: a column split into the parts that lie between breaks.

    φ(x) = (min(x, t₁), clip(x − t₁, 0, t₂ − t₁), …, max(x − t_k, 0)),    Σ_m φ_m(x) = x                (1)

A linear model in φ is a continuous piecewise-linear function of x with kinks at the breaks: the linear spline of
Friedman (1991), Multivariate adaptive regression splines, doi:10.1214/aos/1176347963, written so that each weight is
the slope on one interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.features._base import InvertibleMap

__all__ = ["Waterfall"]


class Waterfall(InvertibleMap):
    """Parts of every column between breaks t₁ < … < t_k; they add up to the column.

    Sparse input is refused: the first part of zero is min(0, t₁), which need not be zero.

    Parameters
    ----------
    breaks : float, array-like of shape (k,), or list of n_features such, optional
        The breaks of all columns, or of each column.
    quantiles : array-like of shape (k,), default=(0.25, 0.5, 0.75)
        Without `breaks`, the quantiles of the training rows that are the breaks; equal ones are taken once.

    Attributes
    ----------
    breaks_ : list of ndarray
        The breaks of each column.

    References
    ----------
    Friedman, J. H. (1991). Multivariate adaptive regression splines. doi:10.1214/aos/1176347963

    Examples
    --------
    >>> from gnomon.features import Waterfall
    >>> Waterfall(breaks=[1.0, 3.0]).fit_transform([[-1.0], [2.0], [5.0]]).tolist()
    [[-1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 2.0, 2.0]]
    """

    def __init__(
        self, breaks: ArrayLike | Sequence[ArrayLike] | None = None, *, quantiles: ArrayLike = (0.25, 0.5, 0.75)
    ):
        self.breaks = breaks
        self.quantiles = quantiles

    def _learn(self, X: Floats) -> None:
        if self.breaks is None:
            levels = np.asarray(self.quantiles, dtype=float)
            if levels.ndim != 1 or not levels.size or (levels < 0).any() or (levels > 1).any():
                raise ValueError(f"quantiles={self.quantiles!r} must be numbers in [0, 1]; give at least one")
            self.breaks_ = [np.unique(column) for column in np.quantile(X, levels, axis=0).T.astype(X.dtype)]
            return
        breaks: Any = [self.breaks] if np.isscalar(self.breaks) else self.breaks
        shared = all(np.ndim(t) == 0 for t in breaks)
        rows = [breaks] * X.shape[1] if shared else breaks
        if len(rows) != X.shape[1]:
            raise ValueError(f"breaks has {len(rows)} lists for {X.shape[1]} columns; give one list, or one per column")
        self.breaks_ = [_increasing(row, X.dtype) for row in rows]

    def _map(self, X: Floats) -> Floats:
        return np.hstack([_split(X[:, j, None], breaks) for j, breaks in enumerate(self.breaks_)])

    def _unmap(self, Z: Floats) -> Floats:
        starts = np.cumsum([0] + [len(breaks) + 1 for breaks in self.breaks_[:-1]])
        return np.add.reduceat(Z, starts, axis=1)

    def _names(self, names: Array) -> list[str]:
        return [
            f"{name}[{low}, {high}]"
            for name, breaks in zip(names, self.breaks_, strict=True)
            for low, high in zip(["-inf", *_words(breaks)], [*_words(breaks), "inf"], strict=True)
        ]


def _increasing(breaks: ArrayLike, dtype: np.dtype) -> Floats:
    breaks = np.asarray(breaks, dtype=dtype)
    if breaks.ndim != 1 or not breaks.size or not np.isfinite(breaks).all() or not (np.diff(breaks) > 0).all():
        raise ValueError(f"breaks={breaks.tolist()!r} must be finite and increase; sort them and drop repeated ones")
    return breaks


def _split(x: Floats, breaks: Floats) -> Floats:
    """Equation (1), as the differences of x cut off at t₁, …, t_k and nowhere."""
    return np.diff(np.minimum(x, np.append(breaks, np.inf).astype(x.dtype)), axis=1, prepend=x.dtype.type(0))


def _words(breaks: Floats) -> list[str]:
    return [f"{t:.12g}" for t in breaks]
