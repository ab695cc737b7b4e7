"""Kernels that are zero beyond a distance.

    Wendland:  C⁰ (1 − u)₊^g,  g = ⌊D/2⌋ + 1;      C² (1 − u)₊^g (g u + 1),  g = ⌊D/2⌋ + 3;
               C⁴ (1 − u)₊^{l+2} ((l² + 4l + 3) u² + (3l + 6) u + 3)/3,  l = ⌊D/2⌋ + 3;    u = r/ℓ
    spherical: 1 − 3u/2 + u³/2 for u < 1, in at most three dimensions                            (1)

The polynomials of least degree with this smoothness that are positive definite in D dimensions, and in fewer; their
Gram matrices are sparse. Wendland (1995), doi:10.1007/BF02123482; Wackernagel (2003), doi:10.1007/978-3-662-05294-5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.kernels._base import Kernel, Psd, noun
from gnomon.kernels._pattern import Pattern, intersection, within
from gnomon.kernels._rows import SHARP_SQUARES, JointRows, NumericRows, Separation, to_dense
from gnomon.kernels.radial import Radial, check_positive
from gnomon.kernels.rbf import RBF

__all__ = ["Spherical", "Truncated", "Wendland"]


@noun
class Wendland(Radial):
    """Wendland's kernels (1), zero from r = ℓ on.

    Parameters
    ----------
    length_scale : float or array of shape (d,), default=1.0
        ℓ, or one for each column.
    smoothness : {0, 2, 4}, default=2
        Continuous derivatives of the kernel.
    dim : int, optional
        D, at least the number of columns; None for that number.
    length_scale_bounds : (low, high) or "fixed", default=(1e-5, 1e5)
    metric : array of shape (d,) or (d, d), optional

    References
    ----------
    Wendland, H. (1995). Piecewise polynomial, positive definite and compactly supported radial functions of minimal
    degree. doi:10.1007/BF02123482

    Examples
    --------
    >>> from gnomon.kernels import Wendland, gram_matrix
    >>> [Wendland(1.0, m).gram([[0.0]], [[0.5]]).item() for m in (0, 2, 4)]
    [0.5, 0.3125, 0.171875]
    >>> gram_matrix([[0.0], [0.5], [3.0]], Wendland(), sparse=True).nnz
    5
    """

    smoothness: Literal[0, 2, 4] = 2
    dim: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smoothness not in (0, 2, 4):
            raise ValueError(f"smoothness={self.smoothness!r} of Wendland must be 0, 2 or 4")
        if self.dim is not None and (self.dim != int(self.dim) or self.dim < 1):
            raise ValueError(f"dim={self.dim!r} of Wendland must be a whole number ≥ 1, or None for that of the rows")

    @property
    def separation(self) -> Separation:
        """Squares whose roots are taken."""
        return SHARP_SQUARES

    @property
    def cutoff(self) -> float:
        """One."""
        return 1.0

    @property
    def columns(self) -> range | None:
        """Up to D."""
        return None if self.dim is None else range(1, self.dim + 1)

    def settled(self, d: int) -> Self:
        """With D = d where no other was given."""
        return replace(self, dim=max(d, 1)) if self.dim is None else self

    def profile(self, s: Floats) -> Floats:
        """(1)."""
        u = np.sqrt(s)
        left, h = np.maximum(1.0 - u, 0.0), _half(self.dim)
        if self.smoothness == 0:
            return left ** (h + 1)
        if self.smoothness == 2:
            return left ** (h + 3) * ((h + 3) * u + 1.0)
        m = h + 3
        return left ** (m + 2) * ((m * m + 4 * m + 3) * u * u + (3 * m + 6) * u + 3.0) / 3.0

    def slope(self, s: Floats) -> Floats:
        """dk/ds = k'(u)/(2u)."""
        u = np.sqrt(s)
        left, h = np.maximum(1.0 - u, 0.0), _half(self.dim)
        if self.smoothness == 0:
            return -0.5 * (h + 1) * left**h * (u < 1.0) / np.where(u > 0.0, u, 1.0)
        if self.smoothness == 2:
            return -0.5 * (h + 3) * (h + 4) * left ** (h + 2)
        m = h + 3
        a, b = m * m + 4 * m + 3, 3 * m + 6
        return left ** (m + 1) * (2 * a - b * (m + 3) - a * (m + 4) * u) / 6.0


def _half(dim: int | None) -> int:
    """⌊D/2⌋, that of one dimension where D is not settled."""
    return (dim or 1) // 2


@noun
class Spherical(Radial):
    """k(x, x') = 1 − 3u/2 + u³/2 for u = r/ℓ < 1, else 0; of rows with at most three columns.

    Parameters
    ----------
    length_scale : float or array of shape (d,), default=1.0
        ℓ, or one for each column.
    length_scale_bounds : (low, high) or "fixed", default=(1e-5, 1e5)
    metric : array of shape (d,) or (d, d), optional

    References
    ----------
    Wackernagel, H. (2003). Multivariate Geostatistics, chapter 8. doi:10.1007/978-3-662-05294-5

    Examples
    --------
    >>> from gnomon.kernels import Spherical
    >>> Spherical(2.0).gram([[0.0]], [[1.0], [2.0]])
    array([[0.3125, 0.    ]])
    """

    @property
    def separation(self) -> Separation:
        """Squares whose roots are taken."""
        return SHARP_SQUARES

    @property
    def cutoff(self) -> float:
        """One."""
        return 1.0

    @property
    def columns(self) -> range:
        """Up to three."""
        return range(1, 4)

    def profile(self, s: Floats) -> Floats:
        """1 − 3u/2 + u³/2 = (1 − u)² (1 + u/2)."""
        u = np.sqrt(s)
        return np.maximum(1.0 - u, 0.0) ** 2 * (1.0 + 0.5 * u)

    def slope(self, s: Floats) -> Floats:
        """−¾ (1 − u²)/u."""
        u = np.sqrt(s)
        return -0.75 * np.maximum(1.0 - s, 0.0) / np.where(u > 0.0, u, 1.0)


@noun
class Truncated(Kernel):
    """k(x, x') where ‖x − x'‖ ≤ r_max, else 0; whether that is positive semi-definite is not known.

    Parameters
    ----------
    kernel : Kernel
    r_max : float
        In the units of the rows.

    References
    ----------
    Wendland, H. (1995). Piecewise polynomial, positive definite and compactly supported radial functions of minimal
    degree. doi:10.1007/BF02123482

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF, Truncated, check_kernel
    >>> k = Truncated(RBF(), 1.0)
    >>> k.gram([[0.0]], [[1.0], [1.1]]).round(4)
    array([[0.6065, 0.    ]])
    >>> check_kernel(k, np.linspace(0.0, 3.0, 20)[:, None]).psd
    False
    """

    kernel: Kernel
    r_max: float

    def __post_init__(self) -> None:
        check_positive(self, "r_max", self.r_max)

    @property
    def psd(self) -> Psd:
        """Unknown."""
        return None

    @property
    def support_radius(self) -> float:
        """r_max, or less where the kernel inside is zero."""
        return min(self.r_max, self.kernel.support_radius)

    def prepare(self, A: Any, like: JointRows | None = None) -> JointRows:
        """Rows as the kernel inside compares them, and as they are."""
        inside, plain = (None, None) if like is None else like.parts
        return JointRows((self.kernel.prepare(A, inside), PLAIN.prepare(A, plain)))

    def cross(self, P: JointRows, Q: JointRows) -> Floats:
        """The matrix, cut off."""
        return self._near(P, Q) * self.kernel.cross(P.parts[0], Q.parts[0])

    def pairs(self, P: JointRows, Q: JointRows, i: Integers, j: Integers) -> Floats:
        """The values, cut off."""
        near = SHARP_SQUARES.pairs(P.parts[1], Q.parts[1], i, j) <= self.r_max**2
        return near * self.kernel.pairs(P.parts[0], Q.parts[0], i, j)

    def diagonal(self, P: JointRows) -> Floats:
        """That of the kernel inside."""
        return self.kernel.diagonal(P.parts[0])

    def pattern(self, P: JointRows, Q: JointRows) -> Pattern:
        """Pairs of rows up to r_max."""
        plain: tuple[NumericRows, NumericRows] = (P.parts[1], Q.parts[1])
        near = within(to_dense(plain[0].values), to_dense(plain[1].values), self.r_max)
        return intersection(near, self.kernel.pattern(P.parts[0], Q.parts[0]))

    def slopes(self, P: JointRows, Q: JointRows) -> Iterator[Floats]:
        """Those of the kernel inside, cut off."""
        near = self._near(P, Q)
        return (near * G for G in self.kernel.slopes(P.parts[0], Q.parts[0]))

    def _near(self, P: JointRows, Q: JointRows) -> Any:
        same = P is Q
        p = P.parts[1]
        return SHARP_SQUARES.cross(p, p if same else Q.parts[1]) <= self.r_max**2


PLAIN = RBF(1.0)
"""Prepares rows for distances as they are."""
