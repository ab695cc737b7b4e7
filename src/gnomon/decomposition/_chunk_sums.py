"""Sums that stand for the rows before.

    G ← β G + ZᵀZ/n,    B ← β B + XᵀZ/n,    w ← β w + 1                                             (1)

for a chunk of n rows X with codes Z; codes by old patterns fade by β. Mairal, Bach, Ponce & Sapiro (2009), section
3.4.2, doi:10.1145/1553374.1553463.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats

__all__ = ["ChunkSums"]


class ChunkSums(NamedTuple):
    """Sums (1) of the chunks so far.

    Fields
    ------
    G : ndarray of shape (m, m)
    B : ndarray of shape (d, m)
    weight : float
        w.
    n_chunks, n_rows : int

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._chunk_sums import ChunkSums
    >>> sums = ChunkSums.of(np.ones((3, 2)), np.full((3, 1), 2.0))
    >>> sums.G, sums.B.T, sums.n_rows
    (array([[4.]]), array([[2., 2.]]), 3)
    """

    G: Floats
    B: Floats
    weight: float
    n_chunks: int
    n_rows: int

    @classmethod
    def of(cls, X: Any, Z: Floats) -> ChunkSums:
        """Of one chunk X, whose codes are Z."""
        n = len(Z)
        return cls(Z.T @ Z / n, np.asarray(X.T @ Z) / n, 1.0, 1, n)

    def added(self, X: Any, Z: Floats) -> ChunkSums:
        """With a further chunk X, whose codes are Z."""
        new, old = ChunkSums.of(X, Z), _keep(self.n_chunks, len(Z))
        G, B = old * self.G + new.G, old * self.B + new.B
        return ChunkSums(G, B, old * self.weight + 1.0, self.n_chunks + 1, self.n_rows + new.n_rows)


def _keep(t: int, size: int) -> float:
    """β of chunk t + 1."""
    theta = (t + 1) * size if t < size - 1 else size**2 + t + 1 - size
    return (theta + 1 - size) / (theta + 1)
