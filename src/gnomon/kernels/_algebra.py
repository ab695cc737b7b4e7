"""Sums and products of kernels.

    k₁(x, x') + k₂(x, x'),    k₁(x, x') k₂(x, x')                                                 (1)

Both are positive semi-definite where their parts are (Schölkopf & Smola 2002, section 13.1). The hyper-parameters of
the first part come first in `theta`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.kernels._base import Kernel, Psd, noun
from gnomon.kernels._features import beside, row_products
from gnomon.kernels._pattern import Pattern, intersection, union
from gnomon.kernels._rows import JointRows
from gnomon.kernels.constant import Constant

__all__ = ["KernelProduct", "KernelSum", "add", "multiply", "product_psd", "sum_psd"]


def add(a: Kernel | float, b: Kernel | float) -> Kernel:
    """a + b; a number is a constant kernel."""
    return KernelSum(_as_kernel(a), _as_kernel(b))


def multiply(a: Kernel | float, b: Kernel | float) -> Kernel:
    """a · b; a number is a constant kernel."""
    return KernelProduct(_as_kernel(a), _as_kernel(b))


def _as_kernel(value: Kernel | float) -> Kernel:
    return value if isinstance(value, Kernel) else Constant(float(value))


def sum_psd(*parts: Kernel) -> Psd:
    """The status of a sum: the weakest of its parts, unknown where one of them is unknown or refuted."""
    return _weakest({part.psd for part in parts}, (True, "grid"), (True, "conditional"))


def product_psd(*parts: Kernel) -> Psd:
    """The status of a product; a constant factor changes nothing, others keep what holds for every matrix."""
    kinds = [part.psd for part in parts if not isinstance(part, Constant)]
    return kinds[0] if len(kinds) == 1 else _weakest(set(kinds), (True, "grid"))


def _weakest(kinds: set[Psd], *orders: tuple[Psd, ...]) -> Psd:
    """The last of the first order that has all kinds."""
    for order in orders:
        if kinds <= set(order):
            return max(kinds, key=order.index, default=True)
    return None


@noun
class _Pair(Kernel):
    k1: Kernel
    k2: Kernel

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
    def psd(self) -> Psd:
        """The weaker of both."""
        return sum_psd(self.k1, self.k2)

    @property
    def cpd_order(self) -> int:
        """The larger of both."""
        return max(self.k1.cpd_order, self.k2.cpd_order)

    def map_size(self, A: Any) -> float:
        """Those of both, added."""
        return self.k1.map_size(A) + self.k2.map_size(A)

    def features(self, X: Any) -> Any:
        """Those of both, beside each other."""
        return beside(self.k1.features(X), self.k2.features(X))

    def sample_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """From one part or the other, in proportion to their values at distance zero."""
        first, second = (k.diag(np.zeros((1, d))).item() for k in (self.k1, self.k2))
        from_first = rng.random(n) * (first + second) < first
        drawn = [k.sample_spectrum(n, d, rng) for k in (self.k1, self.k2)]
        return np.where(from_first[:, None], *drawn)

    def pattern(self, P: JointRows, Q: JointRows) -> Pattern | None:
        """Where one of both may differ from zero."""
        return union(self.k1.pattern(P.parts[0], Q.parts[0]), self.k2.pattern(P.parts[1], Q.parts[1]))

    @property
    def support_radius(self) -> float:
        """Beyond the larger of both."""
        return max(self.k1.support_radius, self.k2.support_radius)

    def summands(self) -> list[Kernel]:
        """Those of both parts."""
        return self.k1.summands() + self.k2.summands()

    def join(self, a: Floats, b: Floats) -> Floats:
        """a + b."""
        return a + b

    def slopes(self, P: JointRows, Q: JointRows) -> Iterator[Floats]:
        """Those of both parts."""
        return chain(self.k1.slopes(P.parts[0], Q.parts[0]), self.k2.slopes(P.parts[1], Q.parts[1]))

    def slope_products(self, P: JointRows, Q: JointRows, M: Floats, B: Floats) -> Floats:
        """Those of both parts."""
        p, q = P.parts, Q.parts
        return np.concatenate([self.k1.slope_products(p[0], q[0], M, B), self.k2.slope_products(p[1], q[1], M, B)])

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
    def psd(self) -> Psd:
        """The weaker of both."""
        return product_psd(self.k1, self.k2)

    @property
    def cpd_order(self) -> int:
        """Of the factor that is not constant."""
        return max(self.k1.cpd_order, self.k2.cpd_order)

    def map_size(self, A: Any) -> float:
        """Those of both, multiplied."""
        return self.k1.map_size(A) * self.k2.map_size(A)

    def features(self, X: Any) -> Any:
        """All products of a feature of one and a feature of the other."""
        return row_products(self.k1.features(X), self.k2.features(X))

    def sample_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Sums of frequencies of both."""
        return self.k1.sample_spectrum(n, d, rng) + self.k2.sample_spectrum(n, d, rng)

    def pattern(self, P: JointRows, Q: JointRows) -> Pattern | None:
        """Where both may differ from zero."""
        return intersection(self.k1.pattern(P.parts[0], Q.parts[0]), self.k2.pattern(P.parts[1], Q.parts[1]))

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

    def by_axis(self, d: int) -> list[Kernel] | None:
        """Products of those of both."""
        a, b = self.k1.by_axis(d), self.k2.by_axis(d)
        return None if a is None or b is None else [multiply(x, y) for x, y in zip(a, b, strict=True)]

    def cross(self, P: JointRows, Q: JointRows) -> Floats:
        """a · b."""
        return self.join(*self._factors(P, Q))

    def join(self, a: Any, b: Floats) -> Floats:
        """a · b."""
        return a * b

    def _factors(self, P: JointRows, Q: JointRows) -> tuple[Any, Floats]:
        """Both matrices; a number for a first one that is constant, as in ``2.0 * k``."""
        p, q, c = P.parts, Q.parts, self.k1.constant
        return (self.k1.cross(p[0], q[0]) if c is None else float(c)), self.k2.cross(p[1], q[1])

    def slopes(self, P: JointRows, Q: JointRows) -> Iterator[Floats]:
        """∂k₁ · k₂, then k₁ · ∂k₂."""
        p, q = P.parts, Q.parts
        a, b = self._factors(P, Q)
        yield from (G * b for G in self.k1.slopes(p[0], q[0]))
        yield from (a * G for G in self.k2.slopes(p[1], q[1]))

    def slope_products(self, P: JointRows, Q: JointRows, M: Floats, B: Floats) -> Floats:
        """The other part is a factor of M."""
        p, q = P.parts, Q.parts
        a, b = self._factors(P, Q)
        return np.concatenate(
            [self.k1.slope_products(p[0], q[0], M * b, B), self.k2.slope_products(p[1], q[1], M * a, B)]
        )

    def __repr__(self) -> str:
        return " * ".join(f"({k!r})" if isinstance(k, KernelSum) else repr(k) for k in (self.k1, self.k2))
