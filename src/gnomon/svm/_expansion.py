"""A function that is a sum of kernels at training rows.

    f(x) = Σᵢ βᵢ k(xᵢ, x) + b,    ‖f‖² = βᵀKβ                                                     (1)

By the representer theorem every minimiser of a loss at n rows plus an increasing function of ‖f‖ has this form:
Schölkopf, Herbrich & Smola (2001), doi:10.1007/3-540-44581-1_27.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import euclidean_distances
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from gnomon._typing import Floats, Numbers
from gnomon.kernels import Kernel, Precomputed

__all__ = ["Expansion"]

ENTRIES = 2**24
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
        used = self.without_zeros()
        return used._in_blocks(lambda K: K @ used.coef, X) + self.intercept

    def squared_norms(self) -> Numbers:
        """βᵀKβ, a number for each function."""
        used = self.without_zeros()
        image = used._in_blocks(lambda K: K @ used.coef, used.rows)
        return np.maximum(np.sum(used.coef * image, axis=0), 0.0)

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
        radius = self.kernel.reach if radius is None else radius
        if radius is None:
            raise ValueError(f"{self.kernel!r} has no bandwidth h to take the radius 2h from; give the radius")
        if isinstance(self.rows, list) or isinstance(self.kernel, Precomputed):
            raise ValueError("rows without columns have no distance; use bumps(X), which needs the kernel alone")
        used = self.without_zeros()
        parts = [(euclidean_distances(block, used.rows) <= radius) @ used.coef for block in used._blocks(X)]
        return np.concatenate(parts) + self.intercept

    def without_zeros(self) -> "Expansion":
        """The same function from the rows with a coefficient; at least one is kept."""
        kept = np.flatnonzero(np.any(self.coef.reshape(len(self.coef), -1) != 0.0, axis=1))
        if len(kept) == len(self.coef) or isinstance(self.kernel, Precomputed):
            return self
        kept = kept if len(kept) else np.arange(1)
        return self._replace(rows=_safe_indexing(self.rows, kept), coef=self.coef[kept])

    def _blocks(self, X: Any) -> Iterator[Any]:
        size = max(ENTRIES // max(len(self.coef), 1), 1)
        m = _num_samples(X)
        for start in range(0, m, size):
            yield X if size >= m else _safe_indexing(X, slice(start, min(start + size, m)))

    def _in_blocks(self, function: Callable[[Floats], Floats], X: Any) -> Floats:
        against = self.kernel.against(self.rows)
        if X is self.rows and len(self.coef) ** 2 <= ENTRIES:
            return function(against.matrix())
        return np.concatenate([function(against.gram(block)) for block in self._blocks(X)])
