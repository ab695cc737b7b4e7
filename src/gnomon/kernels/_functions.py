"""Functions of a kernel that keep it one.

    kᵐ,    Σ_j a_j k^j  (a_j ≥ 0),    exp(k)                                                      (1)

Each is a limit of sums of products of k (Schölkopf & Smola 2002, section 13.1); derivatives follow the chain rule.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import reduce
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.polynomial.polynomial import polyder, polyval

from gnomon._typing import Floats, Integers
from gnomon.kernels._algebra import KernelProduct, KernelSum
from gnomon.kernels._base import Kernel, Psd, noun
from gnomon.kernels._features import beside, row_products
from gnomon.kernels._pattern import Pattern
from gnomon.kernels.dot_product import whole_power

__all__ = ["KernelExponential", "KernelPower", "PolynomialOf"]


@noun
class _Function(Kernel):
    kernel: Kernel

    @property
    def psd(self) -> Psd:
        """As the kernel inside, where that is True."""
        return True if self.kernel.psd is True else None

    @property
    def whole(self) -> bool:  # type: ignore[override]
        """As the kernel inside."""
        return self.kernel.whole

    @abstractmethod
    def outer(self, k: Floats) -> Floats:
        """f(k), elementwise."""

    @abstractmethod
    def outer_slope(self, k: Floats) -> Floats:
        """f'(k), elementwise."""

    def prepare(self, A: Any, like: Any = None) -> Any:
        """As the kernel inside."""
        return self.kernel.prepare(A, like)

    def cross(self, P: Any, Q: Any) -> Floats:
        """f of the matrix."""
        return self.outer(self.kernel.cross(P, Q))

    def pairs(self, P: Any, Q: Any, i: Integers, j: Integers) -> Floats:
        """f of the values."""
        return self.outer(self.kernel.pairs(P, Q, i, j))

    def diagonal(self, P: Any) -> Floats:
        """f of the diagonal."""
        return self.outer(self.kernel.diagonal(P))

    def slopes(self, P: Any, Q: Any) -> Iterator[Floats]:
        """f'(k) ∂k."""
        factor = self.outer_slope(self.kernel.cross(P, Q))
        return (factor * G for G in self.kernel.slopes(P, Q))

    def slope_products(self, P: Any, Q: Any, M: Floats, B: Floats) -> Floats:
        """f'(k) is a factor of M."""
        return self.kernel.slope_products(P, Q, M * self.outer_slope(self.kernel.cross(P, Q)), B)


@noun
class KernelPower(_Function):
    """kᵐ for a whole number m ≥ 1.

    Parameters
    ----------
    kernel : Kernel
    power : int

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, proposition 13.2. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import Linear
    >>> (Linear(coef0=1.0) ** 2).gram([[1.0]], [[2.0]])
    array([[9.]])
    """

    power: int

    def __post_init__(self) -> None:
        if isinstance(self.power, bool) or self.power != int(self.power) or self.power < 1:
            raise ValueError(f"power={self.power!r} must be a whole number ≥ 1: no other keeps every kernel valid")

    @property
    def support_radius(self) -> float:
        """As the kernel inside."""
        return self.kernel.support_radius

    def map_size(self, A: Any) -> float:
        """That of the kernel inside, to the power m."""
        return self.kernel.map_size(A) ** int(self.power)

    def features(self, X: Any) -> Any:
        """Products of m features."""
        return reduce(row_products, [self.kernel.features(X)] * int(self.power))

    def sample_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Sums of m frequencies."""
        return np.sum([self.kernel.sample_spectrum(n, d, rng) for _ in range(int(self.power))], axis=0)

    def pattern(self, P: Any, Q: Any) -> Pattern | None:
        """As the kernel inside."""
        return self.kernel.pattern(P, Q)

    def outer(self, k: Floats) -> Floats:
        """kᵐ."""
        return whole_power(k, int(self.power))

    def outer_slope(self, k: Floats) -> Floats:
        """m kᵐ⁻¹."""
        return self.power * whole_power(k, int(self.power) - 1)

    def __repr__(self) -> str:
        inside = f"({self.kernel!r})" if isinstance(self.kernel, KernelSum | KernelProduct) else repr(self.kernel)
        return f"{inside} ** {self.power}"


@noun
class PolynomialOf(_Function):
    """Σ_j a_j k^j with all a_j ≥ 0.

    Parameters
    ----------
    kernel : Kernel
    coefs : sequence of float
        a_0, a_1, …

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 13.1. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import Linear
    >>> Linear().polynomial([1.0, 0.0, 2.0]).gram([[1.0]], [[3.0]])
    array([[19.]])
    """

    coefs: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.coefs) == 0 or not all(0.0 <= a < np.inf for a in self.coefs):
            raise ValueError(f"coefs={self.coefs!r} must be ≥ 0, finite and not empty: otherwise it is no kernel")

    @property
    def support_radius(self) -> float:
        """As the kernel inside, where there is no constant."""
        return self.kernel.support_radius if self.coefs[0] == 0.0 else np.inf

    def map_size(self, A: Any) -> float:
        """Powers of that of the kernel inside, added."""
        return sum(self.kernel.map_size(A) ** j for j, a in enumerate(self.coefs) if a > 0.0)

    def features(self, X: Any) -> Any:
        """Products of j features times √a_j, for every j with a_j > 0."""
        inside = self.kernel.features(X)
        powers = accumulate([inside] * (len(self.coefs) - 1), row_products)
        ones = np.ones((inside.shape[0], 1), dtype=inside.dtype)
        parts = zip(self.coefs, chain([ones], powers), strict=True)
        return beside(*(float(np.sqrt(a)) * part for a, part in parts if a > 0.0))

    def pattern(self, P: Any, Q: Any) -> Pattern | None:
        """As the kernel inside, where there is no constant."""
        return self.kernel.pattern(P, Q) if self.coefs[0] == 0.0 else None

    def outer(self, k: Floats) -> Floats:
        """Σ_j a_j k^j."""
        return polyval(k, np.asarray(self.coefs, dtype=k.dtype))

    def outer_slope(self, k: Floats) -> Floats:
        """Σ_j j a_j k^(j−1)."""
        return polyval(k, polyder(np.asarray(self.coefs, dtype=k.dtype)))


@noun
class KernelExponential(_Function):
    """exp(k): the limit of polynomials with positive coefficients.

    Parameters
    ----------
    kernel : Kernel

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 13.1. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import Linear
    >>> Linear().exp().gram([[0.5]], [[2.0]])
    array([[2.71828183]])
    """

    def outer(self, k: Floats) -> Floats:
        """exp(k); an error where it overflows."""
        with np.errstate(over="ignore"):
            found = np.exp(k)
        if np.isinf(found).any() and np.isfinite(k).all():
            raise OverflowError(f"exp(k) overflows where k reaches {np.max(k):.3g}; scale the kernel inside down")
        return found

    def outer_slope(self, k: Floats) -> Floats:
        """exp(k)."""
        return self.outer(k)
