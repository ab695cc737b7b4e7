"""The Gaussian kernel.

    k(x, x') = exp(−r² / (2 ℓ²)) = exp(−γ r²) = exp(−r² / h²),    γ = 1/(2ℓ²),  h = √2 ℓ          (1)

Its Gram matrix of distinct rows has full rank. Schölkopf & Smola (2002), section 2.3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from gnomon._typing import Floats
from gnomon.kernels._base import Kernel, noun
from gnomon.kernels._rows import NumericRows, gaussians
from gnomon.kernels.radial import Radial

__all__ = ["RBF"]


@noun
class RBF(Radial):
    """The Gaussian kernel (1); at most one of `length_scale`, `gamma` and `bandwidth` is given.

    Parameters
    ----------
    length_scale : float or array of shape (d,), optional
        ℓ, or one for each column; 1 where no width is given.
    length_scale_bounds : (low, high) or "fixed", default=(1e-5, 1e5)
    metric : array of shape (d,) or (d, d), optional
        Weights of the columns, or the matrix A of r² = (x − x')ᵀ A (x − x').
    gamma, bandwidth : float, optional
        γ or h.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.3. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF
    >>> a, b = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
    >>> [round(k.gram(a, b).item(), 10) for k in (RBF(2.0), RBF(gamma=0.125), RBF(bandwidth=8**0.5))]
    [0.1969116752, 0.1969116752, 0.1969116752]
    >>> round(float(np.exp(-13 / 8)), 10)
    0.1969116752
    """

    length_scale: Any = None
    gamma: float | None = None
    bandwidth: float | None = None

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in ("length_scale", "gamma", "bandwidth")}
        given = {name: value for name, value in given.items() if value is not None}
        if len(given) > 1:
            raise ValueError(f"RBF got {', '.join(given)}; they say the same thing: give one of them")
        if self.gamma is not None and not self.gamma >= 0.0:
            raise ValueError(f"gamma={self.gamma!r} of RBF must be ≥ 0; give a positive number")
        if self.bandwidth is not None and not self.bandwidth > 0.0:
            raise ValueError(f"bandwidth={self.bandwidth!r} of RBF must be > 0; give a positive number")
        super().__post_init__()

    @property
    def scale(self) -> Any:
        """ℓ, from whichever of the three was given."""
        if self.gamma is not None:
            return np.inf if self.gamma == 0.0 else np.sqrt(0.5) / np.sqrt(self.gamma)
        if self.bandwidth is not None:
            return self.bandwidth / np.sqrt(2.0)
        return 1.0 if self.length_scale is None else self.length_scale

    @property
    def local_radius(self) -> float | None:
        """2h, where all columns have one width."""
        return float(np.sqrt(8.0) * self.scale) if np.ndim(self.scale) == 0 and self.metric is None else None

    def with_hyper(self, values: Any) -> Self:
        """The kernel with another ℓ, whichever of the three was given."""
        return replace(self, gamma=None, bandwidth=None, **values)

    def single(self, P: NumericRows) -> NumericRows | None:
        """Prepared rows, which are centred and scaled, in single precision."""
        return P.single()

    def cross(self, P: NumericRows, Q: NumericRows) -> Floats:
        """exp of −½ the scaled squared distances."""
        return gaussians(P, Q)

    def by_axis(self, d: int) -> list[Kernel] | None:
        """A Gaussian of each column, where columns are compared one by one."""
        if self.metric is not None and np.ndim(self.metric) == 2:
            return None
        widths = np.broadcast_to(np.asarray(self.scales(d), dtype=float), d)
        weights = np.broadcast_to(1.0 if self.metric is None else np.asarray(self.metric, dtype=float), d)
        return [RBF(float(width / np.sqrt(weight))) for width, weight in zip(widths, weights, strict=True)]

    def profile(self, s: Floats) -> Floats:
        """exp(−s/2)."""
        half = -0.5 * s
        return np.exp(half, out=half)

    def slope(self, s: Floats) -> Floats:
        """−½ exp(−s/2)."""
        return -0.5 * self.profile(s)

    def unit_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Normal."""
        return rng.normal(size=(n, d))
