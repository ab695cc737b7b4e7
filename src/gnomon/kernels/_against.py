"""A kernel and the rows that others are compared with.

    K(A, B) for one B and many A                                                                  (1)

What a kernel prepares of its rows is prepared once. Schölkopf & Smola (2002), chapter 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gnomon._typing import Floats, Integers
from gnomon.kernels._evaluate import evaluate, evaluate_sparse, weighted_sums

if TYPE_CHECKING:
    from gnomon.kernels._base import Kernel

__all__ = ["Against"]


class Against(NamedTuple):
    """A kernel and the rows that others are compared with, prepared once.

    Fields
    ------
    kernel : Kernel
    prepared : prepared rows

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, chapter 2. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> against = Linear().against(np.array([[1.0], [2.0], [3.0]]))
    >>> against.rows(np.array([2])), against.gram(np.array([[10.0]]))
    (array([[3., 6., 9.]]), array([[10., 20., 30.]]))
    """

    kernel: Kernel
    prepared: Any

    def gram(self, A: Any) -> Floats:
        """K(A, B)."""
        return evaluate(self.kernel, self.kernel.prepare(A, like=self.prepared), self.prepared)

    def sparse_gram(self, A: Any) -> Any:
        """K(A, B) as a CSR array; None where the kernel has no support."""
        return evaluate_sparse(self.kernel, self.kernel.prepare(A, like=self.prepared), self.prepared)

    def single(self) -> Against | None:
        """The same in single precision; None where the kernel has no such values."""
        rows = self.kernel.single(self.prepared)
        return None if rows is None else Against(self.kernel, rows)

    def combine(self, A: Any, coef: Floats) -> Floats:
        """K(A, B) @ coef, without the matrix."""
        return weighted_sums(self.kernel, self.kernel.prepare(A, like=self.prepared), self.prepared, coef)

    def combine_rows(self, indices: Integers, coef: Floats, at: Integers | None = None) -> Floats:
        """K(B, B[indices]) @ coef, without the matrix; for the rows B[at] alone where they are given."""
        rows = self.prepared if at is None else self.prepared.take(at)
        return weighted_sums(self.kernel, rows, self.prepared.take(indices), coef)

    def rows(self, indices: Integers | slice) -> Floats:
        """K(B[indices], B)."""
        return evaluate(self.kernel, self.prepared.take(indices), self.prepared)

    def matrix(self) -> Floats:
        """K(B, B)."""
        return evaluate(self.kernel, self.prepared, self.prepared)

    def diag(self) -> Floats:
        """The diagonal of K(B, B)."""
        return self.kernel.diagonal(self.prepared)

    def take(self, indices: Integers) -> Against:
        """The same with some of the rows B."""
        return Against(self.kernel, self.prepared.take(indices))
