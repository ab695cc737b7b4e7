"""A function that is a sum of kernels at training rows.

    f(x) = Σᵢ βᵢ k(xᵢ, x) + b,    ‖f‖² = βᵀKβ                                                     (1)

By the representer theorem every minimiser of a loss at n rows plus an increasing function of ‖f‖ has this form:
Schölkopf, Herbrich & Smola (2001), doi:10.1007/3-540-44581-1_27.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.metrics import euclidean_distances
from sklearn.utils.extmath import safe_sparse_dot

from gnomon._typing import Floats, Integers, Numbers
from gnomon.base import count_rows, has_columns, is_given_matrix, take_rows
from gnomon.kernels import Against, Kernel, Linear

__all__ = ["Expansion", "column_weights", "origin_scores", "without_origin"]

ENTRIES = 2**22
"""Entries of a Gram matrix that are held at a time."""


class Expansion(NamedTuple):
    """The function (1).

    Fields
    ------
    kernel : Kernel
    rows : array, sparse matrix or list
        The training rows xᵢ, or those with βᵢ ≠ 0.
    coef : ndarray of shape (n,) or (n, k)
        β, a column for each of several functions.
    intercept : float or ndarray of shape (k,)
        b.
    """

    kernel: Kernel
    rows: Any
    coef: Floats
    intercept: Numbers = 0.0

    def scores(self, X: Any) -> Floats:
        """f(x), of shape (m,) or (m, k)."""
        used = self._nonzero()
        if isinstance(self.kernel, Linear):
            # The weights of the columns: no row is compared.
            w = column_weights(self.rows, self.coef)
            return safe_sparse_dot(X, w, dense_output=True) + self.kernel.coef0 * self.coef.sum(axis=0) + self.intercept
        return self.kernel.against(self.rows).take(used).combine(X, self.coef[used]) + self.intercept

    def squared_norms(self) -> Numbers:
        """βᵀKβ, a number for each function."""
        if isinstance(self.kernel, Linear):
            w = column_weights(self.rows, self.coef)
            return np.sum(w**2, axis=0) + self.kernel.coef0 * self.coef.sum(axis=0) ** 2
        used = self._nonzero()
        coef, against = self.coef[used], self.kernel.against(self.rows).take(used)
        images = [against.rows(np.arange(block.start, block.stop)) @ coef for block in _cuts(len(used), len(used))]
        return np.maximum(np.sum(coef * np.concatenate(images), axis=0), 0.0)

    def bumps(self, X: Any) -> Floats:
        """βᵢ k(xᵢ, x), of shape (m, n) or (m, n, k)."""
        K = self.kernel.against(self.rows).gram(X)
        return K * self.coef if self.coef.ndim == 1 else K[:, :, None] * self.coef

    def components(self, X: Any) -> Floats:
        """Σᵢ βᵢ kⱼ(xᵢ, x) for every summand kⱼ of the kernel, of shape (m, p) or (m, p, k)."""
        parts = [self._replace(kernel=part, intercept=0.0).scores(X) for part in self.kernel.summands()]
        return np.stack(parts, axis=1)

    def local_scores(self, X: Any, radius: float | None) -> Floats:
        """b + Σ βᵢ over the rows with ‖xᵢ − x‖ ≤ radius."""
        radius = self.kernel.local_radius if radius is None else radius
        if radius is None:
            raise ValueError(f"{self.kernel!r} has no bandwidth h to take the radius 2h from; give the radius")
        if not has_columns(self.rows) or is_given_matrix(self.kernel):
            raise ValueError("rows without columns have no distance; use bumps(X), which needs the kernel alone")
        blocks = _blocks(X, len(self.coef))
        parts = [(euclidean_distances(block, self.rows) <= radius) @ self.coef for block in blocks]
        return np.concatenate(parts) + self.intercept

    def gram_blocks(self, X: Any, used: Integers) -> Iterator[Floats]:
        """k(x, xᵢ) for the training rows i in `used`, in blocks of the rows of X."""
        against = self.kernel.against(self.rows)
        against = against if len(used) == len(self.coef) else against.take(used)
        for block in _blocks(X, len(used)):
            yield against.gram(block)

    def _nonzero(self) -> Integers:
        """The rows with a coefficient; at least one."""
        used = np.flatnonzero(np.any(self.coef.reshape(len(self.coef), -1) != 0.0, axis=1))
        return used if len(used) else np.arange(1)


def column_weights(rows: Any, coef: Floats) -> Any:
    """Σᵢ βᵢxᵢ, of shape (d,) or (d, k), as Σᵢ βᵢ(xᵢ − m) + m Σᵢ βᵢ: rows far from zero keep their digits.

    A sum Σβ that is rounding is zero. Sparse rows are not far from zero.
    """
    if sparse.issparse(rows):
        return safe_sparse_dot(rows.T, coef)
    middle, total = np.sum(rows, axis=0) / max(len(coef), 1), np.sum(coef, axis=0)
    noise = len(coef) * np.finfo(coef.dtype).eps * np.sum(np.abs(coef), axis=0)
    return (rows - middle).T @ coef + np.multiply.outer(middle, np.where(np.abs(total) > noise, total, 0.0))


def without_origin(kernel: Kernel, rows: Any) -> Against:
    """The kernel with the training rows, where Σβ = 0: the origin of a linear kernel then has no part but in b."""
    if isinstance(kernel, Linear) and has_columns(rows) and not sparse.issparse(rows):
        return kernel.centred(rows)
    return kernel.against(rows)


def origin_scores(against: Against, beta: Floats) -> Any:
    """What f of centred rows lacks: mᵀΦᵀβ, where m was subtracted from the rows of Φ; a number for each function."""
    if not isinstance(against.kernel, Linear) or against.prepared.origin is None:
        return 0.0
    return against.prepared.origin @ (against.prepared.values.T @ beta)


def _cuts(m: int, n: int) -> Iterator[slice]:
    """Slices of m rows, so that a block of a Gram matrix with n columns has at most so many entries."""
    size = max(ENTRIES // max(n, 1), 1)
    return (slice(start, min(start + size, m)) for start in range(0, m, size))


def _blocks(X: Any, n: int) -> Iterator[Any]:
    return (take_rows(X, cut) for cut in _cuts(count_rows(X), n))
