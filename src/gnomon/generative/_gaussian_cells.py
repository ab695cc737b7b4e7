"""One normal law for each class and column, from the cells that are there.

    log f_c(x) = Σ_j v_j [−½ (x_j − μ_{cj})²/σ²_{cj} − ½ log 2πσ²_{cj}],    j over the cells that are there       (1)

Complete rows go through the compiled kernel of `Normals`, in which σ²/v stands for a weight v; others are summed cell
by cell. Chan, Golub & LeVeque (1983), doi:10.1080/00031305.1983.10483115, for the moments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gnomon._typing import Array, Bools, Floats, Integers
from gnomon.distributions import Normal, Normals, Statistics, StudentT
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.special import LOG_2PI
from gnomon.numerics.streaming import Moments, group_moments

__all__ = ["CellLaws", "CellMoments", "cell_moments", "refuse_constant"]


@dataclass(frozen=True, eq=False)
class CellMoments(Statistics):
    """The weight of every class, and the moments of its cells: all three of shape (C, d)."""

    cells: Moments

    _stored: ClassVar[dict[str, str]] = {"weight": "(n_classes,)"}

    def total_variance(self) -> Floats:
        """The variance of every column over all classes."""
        w, mean, scatter = self.cells
        total = np.sum(w, axis=0)
        center = np.sum(w * mean, axis=0) / np.where(total > 0.0, total, 1.0)
        spread = np.sum(scatter + w * (mean - center) ** 2, axis=0)
        return spread / np.where(total > 0.0, total, 1.0)

    def variances(self, *, shared: bool) -> Floats:
        """σ² of every class and column, (C, d), with the divisor of maximum likelihood; 0 where no cell was seen."""
        w, scatter = self.cells.weight, self.cells.scatter
        if shared:
            w, scatter = (np.broadcast_to(np.sum(part, axis=0), part.shape) for part in (w, scatter))
        return np.divide(scatter, w, out=np.zeros(w.shape), where=w > 0.0)


def cell_moments(
    X: Floats,
    index: Integers,
    class_weight: Array,
    weights: Floats | None = None,
    *,
    refuse: Callable[[Floats], object],
) -> CellMoments:
    """Moments of the cells that are there; `refuse` is called with X where some is not, or is infinite."""
    k, d = len(class_weight), X.shape[1]
    with np.errstate(invalid="ignore", over="ignore"):
        found = group_moments(X, index, k, weights, diagonal=True)
    if np.all(np.isfinite(found.scatter)):
        return CellMoments(class_weight, found._replace(weight=np.repeat(found.weight[:, None], d, axis=1)))
    refuse(X)
    seen = ~np.isnan(X)
    with np.errstate(over="ignore", invalid="ignore"):
        cells = _seen_moments(X, seen, index, k, weights)
    if not np.all(np.isfinite(cells.scatter)):
        raise ValueError("the squares of X are too large for their type; divide the columns by a common scale")
    return CellMoments(class_weight, cells)


def _seen_moments(X: Floats, seen: Bools, index: Integers, k: int, weights: Floats | None) -> Moments:
    total = np.sum(np.where(seen, X, 0.0), axis=0, dtype=float)
    # Filled with the mean of its column a cell adds nothing to the sums about that mean.
    center = total / np.maximum(np.sum(seen, axis=0), 1)
    filled = group_moments(np.where(seen, X, center), index, k, weights, diagonal=True)
    parts = group_moments(seen.astype(float), index, k, weights, diagonal=True)
    weight = parts.mean * parts.weight[:, None]
    sums = filled.weight[:, None] * np.where(weight > 0.0, filled.mean - center, 0.0)
    off = np.divide(sums, weight, out=np.zeros(weight.shape), where=weight > 0.0)
    return Moments(weight, center + off, np.maximum(filled.about(center) - sums * off, 0.0))


@dataclass(frozen=True, eq=False)
class CellLaws:
    """Equation (1).

    Parameters
    ----------
    law : Normal or StudentT
        With parameters of shape (n_classes, d).
    weights : ndarray of shape (d,)
        v.
    """

    law: Normal | StudentT
    weights: Floats

    def check_consistent(self) -> None:
        """Refuse laws of other columns than those that have weights."""
        if any(np.shape(part)[1:] != self.weights.shape for part in vars(self.law).values()):
            raise ValueError("the laws of cells are not of the columns that have weights")

    def __getitem__(self, c: int) -> Normal | StudentT:
        """The laws of the columns in class c."""
        shape = np.shape(self.law.mode)
        return type(self.law)(*(np.broadcast_to(part, shape)[c] for part in vars(self.law).values()))

    def log_densities(self, X: Floats, *, refuse: Callable[[Floats], object]) -> Floats:
        """log f_c(x), shape (n, C); `refuse` is called with the rows that have missing or infinite cells."""
        if not isinstance(self.law, Normal):
            refuse(X)
            return self._by_cells(X)
        used = self.weights > 0.0
        v, var = self.weights[used], self.law.var[:, used]
        laws = Normals(self.law.mean[:, used], var / v, "diag")
        out = laws.log_densities(X if np.all(used) else X[:, used], n_jobs=blas_threads())
        if np.any(v != 1.0):
            # The constant of N(μ, σ²/v) is ½ log v − ½ log 2πσ², that of the weighted factor −½ v log 2πσ².
            out += 0.5 * np.sum((1.0 - v) * (np.log(var) + LOG_2PI) - np.log(v), axis=1)
        odd = np.flatnonzero(~np.isfinite(out[:, -1]))
        if len(odd):
            refuse(X[odd])
            out[odd] = self._by_cells(X[odd])
        return out

    def cells(self, X: Floats, c: int) -> Floats:
        """The factors of class c for every cell, (n, d); 0 where it is missing."""
        seen = ~np.isnan(X) & (self.weights > 0.0)
        with np.errstate(over="ignore"):
            logs = self[c].log_density(np.where(seen, X, 0.0))
        return np.where(seen, self.weights * logs, 0.0)

    def _by_cells(self, X: Floats) -> Floats:
        k = len(self.law.mode)

        def work(rows: slice) -> Floats:
            return np.stack([np.sum(self.cells(X[rows], c), axis=1) for c in range(k)], axis=1)

        return np.concatenate(map_chunks(work, split_rows(len(X), max(1, X.size // 2**16)), blas_threads()))


def refuse_constant(var: Floats, statistics: CellMoments, classes: Sequence[Any], names: Sequence[Any]) -> None:
    """Refuse a class with rows whose cells in some column are all missing, or all equal."""
    bad = (~(var > 0.0) | (statistics.cells.weight == 0.0)) & (statistics.weight > 0.0)[:, None]
    if not np.any(bad):
        return
    k, j = np.argwhere(bad)[0]
    weight = statistics.cells.weight[k, j]
    if weight == 0.0:
        raise ValueError(
            f"column {names[j]!r} is missing in every row of class {classes[k]!r}; drop the column, or fill it in"
        )
    rows = "1 sample" if weight == 1.0 else f"{weight:g} samples"
    raise ValueError(
        f"column {names[j]!r} is constant within class {classes[k]!r} ({rows}), so it has no variance; drop the "
        "column, raise var_smoothing, or take GaussianNB with var_floor or variance='shared'"
    )
