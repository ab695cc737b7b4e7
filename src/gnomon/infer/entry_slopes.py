"""The derivative of a number in the entries of a symmetric matrix.

    G = f B + L Rᵀ + …,    ∂C = Σᵢⱼ Gᵢⱼ ∂Aᵢⱼ                                                           (1)

What the evidence of a Gaussian process gives for its covariance A: B is an inverse, of which the lower triangle is
enough, and L, R have few columns. G is read in tiles, so that it is never whole beside B. Rasmussen & Williams (2006),
equation 5.9.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import Floats

__all__ = ["EntrySlopes"]


class EntrySlopes(NamedTuple):
    """G of (1), symmetric.

    Fields
    ------
    base : ndarray of shape (n, n)
        B; what is above its diagonal is never read.
    factor : float
        f.
    left, right : ndarray of shape (n, r)
        L and R.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, equation 5.9. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import EntrySlopes
    >>> EntrySlopes(np.array([[2.0, 0.0], [1.0, 4.0]]), -0.5, np.ones((2, 1)), np.ones((2, 1))).dense()
    array([[ 0. ,  0.5],
           [ 0.5, -1. ]])
    """

    base: Floats
    factor: float
    left: Floats
    right: Floats

    def tile(self, I: slice, J: slice) -> Floats:
        """G[I, J], for rows I that are J or end where J begins, or before."""
        part = self.base[J, I].T
        if I == J:
            part = np.tril(part.T)
            part = part + np.tril(part, -1).T
        found = self.left[I] @ self.right[J].T
        found += self.factor * part
        return found

    def dense(self) -> Floats:
        """G."""
        whole = slice(0, len(self.base))
        return self.tile(whole, whole)

    def diagonal(self) -> Floats:
        """The diagonal of G."""
        return np.einsum("ij,ij->i", self.left, self.right) + self.factor * np.diagonal(self.base)
