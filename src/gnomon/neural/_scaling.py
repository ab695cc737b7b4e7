"""Columns of mean zero and variance one inside a network.

    x ← (x − m)/d,    m = Σ sᵢxᵢ/Σsᵢ,  d² = Σ sᵢ(xᵢ − m)²/Σsᵢ                                                       (1)

First weights are drawn for such columns, and solvers with one rate for all weights need them: LeCun et al. (1998),
section 4.3, doi:10.1007/3-540-49430-8_2. Sparse rows, whose zeros (1) would fill, are refused.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot

from gnomon._typing import Floats, is_sparse
from gnomon.numerics.scale import PowerOfTwo

__all__ = ["Scaling", "check_shares", "warn_of_scales", "warn_of_unit"]

NARROW, WIDE = 0.01, 100.0

ROUNDING = 8.0 * float(np.finfo(float).eps)
"""Relative to its mean, the spread of a column that is constant but for rounding."""


class Scaling(NamedTuple):
    """m and d of (1); a constant column has d = 1."""

    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, X: Any, s: Floats | None) -> Scaling:
        """From rows and their weights."""
        if is_sparse(X):
            raise ValueError("standardize=True would fill the zeros of sparse X; scale X before, or give a dense array")
        mean, sd = _moments(X, s)
        return cls(mean.astype(X.dtype), np.where(sd > 0.0, sd, 1.0).astype(X.dtype))

    def apply(self, X: Any) -> Any:
        """Rows in the units of (1), of the same type."""
        rows: Any = X
        return ((rows.toarray() if sparse.issparse(rows) else rows) - self.mean) / self.scale


def _moments(X: Any, s: Floats | None) -> tuple[Floats, Floats]:
    """The mean and the standard deviation of each column, zero where rounding alone tells its numbers apart.

    Columns are first divided by a power of two, so that no square overflows or vanishes.
    """
    w = np.full(X.shape[0], 1.0 / X.shape[0]) if s is None else np.asarray(s, dtype=float) / np.sum(s, dtype=float)
    unit = PowerOfTwo.of(X, axis=0)
    mean, sd = (_sparse_moments if is_sparse(X) else _dense_moments)(unit.inward(X.astype(float)), w)
    return unit.outward(mean), unit.outward(sd)


def _dense_moments(Z: Floats, w: Floats) -> tuple[Floats, Floats]:
    constant, mean = Z.min(axis=0) == Z.max(axis=0), w @ Z
    Z -= mean
    noise = ROUNDING * np.abs(mean)
    return mean, np.where(constant | (np.max(np.abs(Z), axis=0) <= noise), 0.0, np.sqrt(w @ Z**2))


def _sparse_moments(Z: Any, w: Floats) -> tuple[Floats, Floats]:
    """By E[x²] − E[x]², which is enough for a warning."""
    mean, square = (np.asarray(safe_sparse_dot(w, part), dtype=float) for part in (Z, Z.multiply(Z)))
    variance = square - mean**2
    return mean, np.sqrt(np.where(variance > ROUNDING * square, variance, 0.0))


def warn_of_scales(X: Any, s: Floats | None) -> None:
    """A warning where a column's standard deviation is far from one; constant columns do no harm."""
    _, sd = _moments(X, s)
    far = np.flatnonzero((sd > 0.0) & ((sd < NARROW) | (sd > WIDE)))
    if len(far):
        warnings.warn(
            f"{len(far)} of {len(sd)} columns have standard deviations outside [{NARROW:g}, {WIDE:g}], column {far[0]} "
            f"{sd[far[0]]:.3g}; a network trains badly on them: give standardize=True, or scale X",
            UserWarning,
            stacklevel=4,
        )


def warn_of_unit(X: Floats, s: Floats | None) -> None:
    """A warning where the widest column is far from a standard deviation of one, for networks that reproduce rows."""
    widest = float(np.max(_moments(X, s)[1]))
    if widest and not NARROW <= widest <= WIDE:
        warnings.warn(
            f"the largest standard deviation of a column of X is {widest:.3g}, and networks begin with outputs of "
            "about one; scale X, for example by StandardScaler",
            UserWarning,
            stacklevel=3,
        )


def check_shares(asker: str, X: Floats, other: str = "for example with MinMaxScaler") -> None:
    """ValueError where rows that are taken for shares of ones leave [0, 1]."""
    if X.min() < 0.0 or X.max() > 1.0:
        raise ValueError(
            f"{asker} needs rows in [0, 1] and X has values in [{X.min():.3g}, {X.max():.3g}]; scale X, {other}"
        )
