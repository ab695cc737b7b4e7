"""Kernels of the inner product.

    k(x, x') = ψ(t),    t = a xᵀx'                                                                (1)

Schölkopf & Smola (2002), section 4.6.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import comb

from gnomon._typing import Array, Floats, Integers, is_sparse
from gnomon.kernels._base import WIDE, Against, Bounds, Kernel, noun
from gnomon.kernels._features import beside
from gnomon.kernels._rows import NumericRows, as_rows, inner_products, paired_products, same_width
from gnomon.kernels.radial import check_positive
from gnomon.numerics.monomials import expand, kernel_scales

__all__ = ["DotProduct", "Linear", "Polynomial", "whole_power"]


@noun
class DotProduct(Kernel):
    """Base of the kernels of an inner product: subclass it, decorate with ``gnomon.kernels.noun``, write `profile`.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 4.6. MIT Press.

    Examples
    --------
    The kernel exp(xᵀx'), ready for every kernel machine:

    >>> import numpy as np
    >>> from gnomon.kernels import DotProduct, noun
    >>> @noun
    ... class Exponentiated(DotProduct):
    ...     def profile(self, t):
    ...         return np.exp(t)
    >>> Exponentiated().gram(np.array([[0.0], [1.0]]))
    array([[1.        , 1.        ],
           [1.        , 2.71828183]])
    """

    @abstractmethod
    def profile(self, t: Floats) -> Floats:
        """ψ(t), elementwise."""

    @property
    def factor(self) -> float:
        """a in (1); the rows are multiplied by its root."""
        return 1.0

    def prepare(self, A: Any, like: NumericRows | None = None) -> NumericRows:
        """Rows times √a."""
        X = same_width(self, as_rows(A), like)
        return NumericRows(X if self.factor == 1.0 else X * np.sqrt(self.factor).astype(X.dtype))

    def cross(self, P: NumericRows, Q: NumericRows) -> Floats:
        """ψ of all inner products."""
        return self.profile(inner_products(P, Q))

    def pairs(self, P: NumericRows, Q: NumericRows, i: Integers, j: Integers) -> Floats:
        """ψ of the inner products that are listed."""
        return self.profile(paired_products(P, Q, i, j))

    def diagonal(self, P: NumericRows) -> Floats:
        """ψ(a ‖x‖²)."""
        every = np.arange(len(P))
        return self.pairs(P, P, every, every)

    def partial(self, name: str, P: NumericRows, Q: NumericRows) -> Iterator[Floats]:
        """∂K/∂ log of a field."""
        yield self.shape_slope(name, inner_products(P, Q))

    def shape_slope(self, name: str, t: Floats) -> Floats:
        """∂ψ/∂ log of a hyper-parameter."""
        raise NotImplementedError(f"{type(self).__name__} has no derivative in {name}; fix it: {name}_bounds='fixed'")


@noun
class Linear(DotProduct):
    """k(x, x') = xᵀx' + c, the kernel of a linear model.

    Parameters
    ----------
    coef0 : float, default=0.0
        c ≥ 0, the variance of an intercept.
    coef0_bounds : (low, high) or "fixed", default=(1e-5, 1e5)
        While c is 0 it is not learned.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.1. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> Linear(coef0=1.0).gram(np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]]))
    array([[2.]])
    """

    coef0: float = 0.0
    coef0_bounds: Bounds = field(default=WIDE, kw_only=True)

    def __post_init__(self) -> None:
        check_offset(self, self.coef0)

    def profile(self, t: Floats) -> Floats:
        """t + c."""
        return t + float(self.coef0) if self.coef0 else t

    def shape_slope(self, name: str, t: Floats) -> Floats:
        """∂k/∂ log c = c."""
        return np.full_like(t, self.coef0)

    def linear_weights(self, d: int) -> Floats:
        """Ones."""
        return np.ones(d)

    def centred(self, X: Array) -> Against:
        """This kernel with the rows X less their mean, the `origin` of what is prepared, where rows keep most digits.

        Sums over rows with coefficients that add up to zero do not depend on the origin, but for a constant.
        """
        middle = np.mean(X, axis=0)
        return Against(self, NumericRows(X - middle, None, middle))

    def map_size(self, A: Any) -> float:
        """The columns, and a constant."""
        return np.shape(A)[1] + bool(self.coef0)

    def features(self, X: Any) -> Any:
        """Columns whose inner products are the kernel: those of X, and √c."""
        rows = as_rows(X)
        root = np.full((rows.shape[0], 1), np.sqrt(self.coef0), dtype=rows.dtype)
        return beside(rows, root) if self.coef0 else rows


@noun
class Polynomial(DotProduct):
    """k(x, x') = (a xᵀx' + c)^m, the kernel of all monomials up to degree m.

    Parameters
    ----------
    degree : int, default=3
        m ≥ 1.
    coef0 : float, default=1.0
        c ≥ 0; with 0 all monomials have degree m.
    scale : float, default=1.0
        a > 0.
    coef0_bounds, scale_bounds : (low, high) or "fixed", default=(1e-5, 1e5)

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, proposition 2.1. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Polynomial
    >>> a, b = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
    >>> Polynomial(2, coef0=0.0).gram(a, b).item(), Polynomial(2, coef0=1.0).gram(a, b).item()
    (1.0, 4.0)
    >>> (a @ b.T + 1).item() ** 2
    4.0
    """

    degree: int = 3
    coef0: float = 1.0
    scale: float = 1.0
    coef0_bounds: Bounds = field(default=WIDE, kw_only=True)
    scale_bounds: Bounds = field(default=WIDE, kw_only=True)

    def __post_init__(self) -> None:
        if isinstance(self.degree, bool) or self.degree != int(self.degree) or self.degree < 1:
            raise ValueError(f"degree={self.degree!r} must be a whole number ≥ 1: no other power is a kernel")
        check_offset(self, self.coef0)
        check_positive(self, "scale", self.scale)

    @property
    def factor(self) -> float:
        """a."""
        return self.scale

    def profile(self, t: Floats) -> Floats:
        """(t + c)^m."""
        return whole_power(t + float(self.coef0), int(self.degree))

    def shape_slope(self, name: str, t: Floats) -> Floats:
        """∂k/∂ log c = c m (t + c)^(m−1), ∂k/∂ log a = t m (t + c)^(m−1)."""
        outer = int(self.degree) * whole_power(t + float(self.coef0), int(self.degree) - 1)
        return outer * (float(self.coef0) if name == "coef0" else t)

    def map_size(self, A: Any) -> float:
        """C(d + m, m), or C(d + m − 1, m) where c = 0."""
        return comb(np.shape(A)[1] + self.degree - (self.coef0 == 0.0), self.degree, exact=True)

    def features(self, X: Any) -> Any:
        """The monomials Π x_j^p_j of degree q = Σ p_j ≤ m, times √(m!/(Π p_j! (m − q)!) a^q c^(m − q)).

        There are C(d + m, m) of them, or C(d + m − 1, m) of degree m alone where c = 0, in the order of
        `gnomon.features.PolynomialMap`.
        """
        rows = self.prepare(X).values
        rows = sparse.csr_array(rows) if is_sparse(rows) else rows
        m = int(self.degree)
        roots, factors = kernel_scales(m, self.coef0)
        return expand(rows, m, low=0 if self.coef0 else m, roots=roots, factors=factors)


def whole_power(x: Floats, m: int) -> Floats:
    """xᵐ by squaring, some times faster than the power of any two numbers."""
    if m <= 1:
        return x if m == 1 else np.ones_like(x)
    half = whole_power(x, m // 2)
    return half * half * x if m % 2 else half * half


def check_offset(kernel: Kernel, coef0: float) -> None:
    """Refuse an offset that is negative: with it the kernel is none."""
    if not 0.0 <= coef0 < np.inf:
        raise ValueError(f"coef0={coef0!r} of {type(kernel).__name__} must be ≥ 0 and finite, or it is no kernel")
