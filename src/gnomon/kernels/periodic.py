"""Periodic kernels.

    sine: exp(−‖sin γx − sin γx'‖²/h²);    circle: exp(−2 Σ_d sin²(π(x_d − x'_d)/p)/ℓ²)           (1)

Both are exp(−½‖g(x) − g(x')‖²), Gaussian kernels of mapped rows: g = √2 sin(γx)/h, which cannot tell x from π/γ − x,
and the point g = (cos 2πx/p, sin 2πx/p)/ℓ of a circle, which can. Derivatives need ġ = ∂g/∂ log γ or ∂g/∂ log p:
∂k = −k (g − g')ᵀ(ġ − ġ'). MacKay (1998), Introduction to Gaussian processes, section 5.2.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import field
from typing import Any

import numpy as np
from scipy.special import ive

from gnomon._typing import Floats, Integers
from gnomon.kernels._base import WIDE, Bounds, Kernel, noun
from gnomon.kernels._rows import (
    SQUARES,
    JointRows,
    NumericRows,
    as_rows,
    inner_products,
    same_width,
    to_dense,
    with_squares,
)
from gnomon.kernels.radial import check_positive

__all__ = ["ExpSineSquared", "PeriodicSine"]


class _Wave(Kernel):
    """exp(−½‖g(x) − g(x')‖²); a subclass writes g and ġ, and which of its two hyper-parameters is the width."""

    width: str

    @abstractmethod
    def wave(self, X: Floats) -> tuple[Floats, Floats]:
        """g and ġ of the rows."""

    def origin(self, X: Floats) -> Floats:
        """What is subtracted from the rows: nothing."""
        return np.zeros(X.shape[1], dtype=X.dtype)

    def prepare(self, A: Any, like: JointRows | None = None) -> JointRows:
        """g with its norms, and ġ."""
        X = to_dense(as_rows(A))
        if like is not None:
            # The origin has an entry for each column of the rows.
            X = same_width(self, X, NumericRows(like.parts[0].origin[None]))
        origin = self.origin(X) if like is None else like.parts[0].origin
        g, change = self.wave(X - origin)
        return JointRows((with_squares(g, origin), NumericRows(change)))

    def cross(self, P: JointRows, Q: JointRows) -> Floats:
        """(1) of all pairs."""
        return np.exp(-0.5 * self._squares(P, Q))

    def pairs(self, P: JointRows, Q: JointRows, i: Integers, j: Integers) -> Floats:
        """(1) of the pairs that are listed."""
        return np.exp(-0.5 * SQUARES.pairs(P.parts[0], Q.parts[0], i, j))

    def diagonal(self, P: JointRows) -> Floats:
        """One."""
        return np.ones(len(P), dtype=P.parts[0].values.dtype)

    def partial(self, name: str, P: JointRows, Q: JointRows) -> Iterator[Floats]:
        """s k for the width, −k (g − g')ᵀ(ġ − ġ') for the frequency or period."""
        s = self._squares(P, Q)
        k = np.exp(-0.5 * s)
        if name == self.width:
            yield s * k
            return
        (g, change), (h, other) = P.parts, Q.parts
        own = (np.sum(R.parts[0].values * R.parts[1].values, axis=1) for R in (P, Q))
        yield -k * (np.add.outer(*own) - inner_products(g, other) - inner_products(change, h))

    def _squares(self, P: JointRows, Q: JointRows) -> Floats:
        p = P.parts[0]
        return SQUARES.cross(p, p if P is Q else Q.parts[0])


@noun
class PeriodicSine(_Wave):
    """exp(−‖sin γx − sin γx'‖²/h²), of period 2π/γ in every column, and the same at x and π/γ − x.

    Parameters
    ----------
    gamma : float, default=1.0
        γ > 0.
    bandwidth : float, default=1.0
        h > 0.
    gamma_bounds, bandwidth_bounds : (low, high) or "fixed", default=(1e-5, 1e5)

    References
    ----------
    MacKay, D. J. C. (1998). Introduction to Gaussian processes, section 5.2. NATO ASI Series F 168.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import PeriodicSine
    >>> PeriodicSine(gamma=2.0).gram([[0.3], [0.3 + np.pi], [np.pi / 2 - 0.3]], [[0.9]]).ravel().round(8)
    array([0.84581987, 0.84581987, 0.84581987])
    """

    gamma: float = 1.0
    bandwidth: float = 1.0
    gamma_bounds: Bounds = field(default=WIDE, kw_only=True)
    bandwidth_bounds: Bounds = field(default=WIDE, kw_only=True)

    def __post_init__(self) -> None:
        check_one(self, "gamma", self.gamma)
        check_one(self, "bandwidth", self.bandwidth)

    width = "bandwidth"

    def wave(self, X: Floats) -> tuple[Floats, Floats]:
        """√2 sin(γx)/h, and √2 γx cos(γx)/h."""
        unit, angle = np.sqrt(2.0) / self.bandwidth, self.gamma * X
        return (unit * np.sin(angle)).astype(X.dtype), (unit * angle * np.cos(angle)).astype(X.dtype)


@noun
class ExpSineSquared(_Wave):
    """exp(−2 Σ_d sin²(π(x_d − x'_d)/p)/ℓ²), of period p in every column.

    scikit-learn's class of this name has the sine of the Euclidean distance, the same for one column; for several that
    is not positive semi-definite.

    Parameters
    ----------
    length_scale : float, default=1.0
        ℓ > 0.
    periodicity : float, default=1.0
        p > 0.
    length_scale_bounds, periodicity_bounds : (low, high) or "fixed", default=(1e-5, 1e5)

    References
    ----------
    MacKay, D. J. C. (1998). Introduction to Gaussian processes, section 5.2. NATO ASI Series F 168.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import ExpSineSquared
    >>> ExpSineSquared(1.0, periodicity=np.pi).gram([[0.3]], [[0.9]]).round(8), np.exp(-2 * np.sin(0.6) ** 2).round(8)
    (array([[0.52853712]]), np.float64(0.52853712))
    """

    length_scale: float = 1.0
    periodicity: float = 1.0
    length_scale_bounds: Bounds = field(default=WIDE, kw_only=True)
    periodicity_bounds: Bounds = field(default=WIDE, kw_only=True)

    def __post_init__(self) -> None:
        check_one(self, "length_scale", self.length_scale)
        check_one(self, "periodicity", self.periodicity)

    width = "length_scale"

    def origin(self, X: Floats) -> Floats:
        """The first row: only differences matter."""
        return X[0] if len(X) else np.zeros(X.shape[1], dtype=X.dtype)

    def wave(self, X: Floats) -> tuple[Floats, Floats]:
        """The point of the circle, and its derivative in log p."""
        angle = 2.0 * np.pi / self.periodicity * X
        cos, sin = np.cos(angle), np.sin(angle)
        g, change = np.hstack([cos, sin]), np.hstack([angle * sin, -angle * cos])
        return (g / self.length_scale).astype(X.dtype), (change / self.length_scale).astype(X.dtype)

    def sample_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Multiples j of 2π/p with the weights exp(−1/ℓ²) I_j(1/ℓ²) of the Fourier series of exp((cos t − 1)/ℓ²)."""
        most = int(12.0 / self.length_scale) + 30
        j = np.arange(-most, most + 1)
        weights = ive(np.abs(j), self.length_scale**-2.0)
        return 2.0 * np.pi / self.periodicity * rng.choice(j, size=(n, d), p=weights / weights.sum())


def check_one(kernel: Kernel, name: str, value: Any) -> None:
    """Refuse what is not one positive number."""
    if np.ndim(value):
        raise ValueError(f"{name} of {type(kernel).__name__} must be one number; multiply kernels of single columns")
    check_positive(kernel, name, value)
