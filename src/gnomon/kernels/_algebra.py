"""Sums and products of kernels.

    k₁(x, x') + k₂(x, x'),    k₁(x, x') k₂(x, x')                                                 (1)

Both are positive semi-definite where their parts are (Schölkopf & Smola 2002, section 13.1). The hyper-parameters of
the first part come first in `theta`.
"""

from abc import abstractmethod
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse

from gnomon._typing import Array, Floats, Integers, is_sparse
from gnomon.kernels._base import Kernel, Psd, noun
from gnomon.kernels._rows import JointRows
from gnomon.kernels.constant import Constant

__all__ = ["KernelProduct", "KernelSum", "add", "joint_psd", "multiply"]


def add(a: Kernel | float, b: Kernel | float) -> Kernel:
    """a + b; a number is a constant kernel."""
    return KernelSum(_as_kernel(a), _as_kernel(b))


def multiply(a: Kernel | float, b: Kernel | float) -> Kernel:
    """a · b; a number is a constant kernel."""
    return KernelProduct(_as_kernel(a), _as_kernel(b))


def _as_kernel(value: Kernel | float) -> Kernel:
    return value if isinstance(value, Kernel) else Constant(float(value))


def joint_psd(*parts: Kernel) -> Psd:
    """True where all parts are; otherwise unknown, unless all parts say the same."""
    known = {part.psd for part in parts}
    return known.pop() if len(known) == 1 and known != {False} else None


@noun
class _Pair(Kernel):
    k1: Kernel
    k2: Kernel

    @property
    def psd(self) -> Psd:
        """True where both parts are."""
        return joint_psd(self.k1, self.k2)

    @property
    def whole(self) -> bool:  # type: ignore[override]
        """Whether a part must see all rows at once."""
        return self.k1.whole or self.k2.whole

    def prepare(self, A: Any, like: JointRows | None = None) -> JointRows:
        """Rows prepared by both parts."""
        first, second = (None, None) if like is None else like.parts
        return JointRows((self.k1.prepare(A, first), self.k2.prepare(A, second)))

    def cross(self, P: JointRows, Q: JointRows) -> Floats:
        """Both matrices, joined."""
        p, q = P.parts, Q.parts
        return self.join(self.k1.cross(p[0], q[0]), self.k2.cross(p[1], q[1]))

    def pairs(self, P: JointRows, Q: JointRows, i: Integers, j: Integers) -> Floats:
        """Both values, joined."""
        return self.join(self.k1.pairs(P.parts[0], Q.parts[0], i, j), self.k2.pairs(P.parts[1], Q.parts[1], i, j))

    def diagonal(self, P: JointRows) -> Floats:
        """Both diagonals, joined."""
        return self.join(self.k1.diagonal(P.parts[0]), self.k2.diagonal(P.parts[1]))

    @abstractmethod
    def join(self, a: Floats, b: Floats) -> Floats:
        """The value from those of the parts."""


@noun
class KernelSum(_Pair):
    """k₁ + k₂: features of both.

    Parameters
    ----------
    k1, k2 : Kernel

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, proposition 13.1. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import RBF, Linear
    >>> RBF() + Linear()
    RBF() + Linear()
    >>> (RBF() + 2 * Linear()).get_params()["k2__k1__value"]
    2.0
    """

    @property
    def support_radius(self) -> float:
        """Beyond the larger of both."""
        return max(self.k1.support_radius, self.k2.support_radius)

    def summands(self) -> list[Kernel]:
        """Those of both parts."""
        return self.k1.summands() + self.k2.summands()

    def linear_weights(self, d: int) -> Floats:
        """Those of both parts, added."""
        return self.k1.linear_weights(d) + self.k2.linear_weights(d)

    def finite_map(self, A: Any, most: int) -> Array | None:
        """The columns of both parts, beside each other."""
        first, second = self.k1.finite_map(A, most), self.k2.finite_map(A, most)
        if first is None or second is None or first.shape[1] + second.shape[1] > most:
            return None
        return sparse.hstack([first, second], format="csr") if is_sparse(A) else np.hstack([first, second])

    def join(self, a: Floats, b: Floats) -> Floats:
        """a + b."""
        return a + b

    def slopes(self, P: JointRows, Q: JointRows) -> Iterator[Floats]:
        """Those of both parts."""
        return chain(self.k1.slopes(P.parts[0], Q.parts[0]), self.k2.slopes(P.parts[1], Q.parts[1]))

    def contract(self, P: JointRows, Q: JointRows, M: Floats) -> Floats:
        """Those of both parts."""
        return np.concatenate(
            [self.k1.contract(P.parts[0], Q.parts[0], M), self.k2.contract(P.parts[1], Q.parts[1], M)]
        )

    def __repr__(self) -> str:
        return f"{self.k1!r} + {self.k2!r}"


@noun
class KernelProduct(_Pair):
    """k₁ k₂: products of the features of both.

    Parameters
    ----------
    k1, k2 : Kernel

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, proposition 13.2. MIT Press.

    Examples
    --------
    The product of two Gaussians is one, with 1/h² = 1/h₁² + 1/h₂²:

    >>> import numpy as np
    >>> from gnomon.kernels import RBF
    >>> a, b = np.array([[0.0]]), np.array([[1.0]])
    >>> k = RBF(bandwidth=0.5) * RBF(bandwidth=1.2)
    >>> round(k.gram(a, b).item(), 12) == round(RBF(bandwidth=0.6 / 1.3).gram(a, b).item(), 12)
    True
    """

    @property
    def support_radius(self) -> float:
        """Beyond the smaller of both."""
        return min(self.k1.support_radius, self.k2.support_radius)

    def summands(self) -> list[Kernel]:
        """Products of a summand of each part."""
        pairs = [(a, b) for a in self.k1.summands() for b in self.k2.summands()]
        return [self] if len(pairs) == 1 else [KernelProduct(a, b) for a, b in pairs]

    def linear_weights(self, d: int) -> Floats:
        """Those of one part, times the other where that is constant."""
        return (self.k1.constant or 0.0) * self.k2.linear_weights(d) + (
            self.k2.constant or 0.0
        ) * self.k1.linear_weights(d)

    def finite_map(self, A: Any, most: int) -> Array | None:
        """The columns of one part, times the root of the other where that is constant."""
        for factor, other in ((self.k1, self.k2), (self.k2, self.k1)):
            if factor.constant is not None and (columns := other.finite_map(A, most)) is not None:
                return columns * np.sqrt(factor.constant)
        return None

    def join(self, a: Floats, b: Floats) -> Floats:
        """a · b."""
        return a * b

    def slopes(self, P: JointRows, Q: JointRows) -> Iterator[Floats]:
        """∂k₁ · k₂, then k₁ · ∂k₂."""
        p, q = P.parts, Q.parts
        a, b = self.k1.cross(p[0], q[0]), self.k2.cross(p[1], q[1])
        yield from (G * b for G in self.k1.slopes(p[0], q[0]))
        yield from (a * G for G in self.k2.slopes(p[1], q[1]))

    def contract(self, P: JointRows, Q: JointRows, M: Floats) -> Floats:
        """The other part is a factor of M."""
        p, q = P.parts, Q.parts
        a, b = self.k1.cross(p[0], q[0]), self.k2.cross(p[1], q[1])
        return np.concatenate([self.k1.contract(p[0], q[0], M * b), self.k2.contract(p[1], q[1], M * a)])

    def __repr__(self) -> str:
        return " * ".join(f"({k!r})" if isinstance(k, KernelSum) else repr(k) for k in (self.k1, self.k2))
