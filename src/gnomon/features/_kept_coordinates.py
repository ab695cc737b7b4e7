"""Single coordinates of explicit maps of a kernel.

    Fourier: a cos(ωᵀx + b),    landmarks: Σ_i N_ij k(x, l_i),    polynomial: c_a Π_j x_j^{a_j}         (1)

A map hands out those of its coordinates that are kept, as a value that computes nothing else. Rahimi & Recht (2007),
NIPS; Williams & Seeger (2001), NIPS.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.kernels import Kernel

__all__ = ["CosineCoordinates", "KeptCoordinates", "LandmarkCoordinates", "MonomialCoordinates"]


class KeptCoordinates(Protocol):
    """Some coordinates of a map."""

    def outputs(self, X: Any) -> Floats:
        """The coordinates of every row."""
        ...


class CosineCoordinates(NamedTuple):
    """a cos(ωᵀx + b).

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features._kept_coordinates import CosineCoordinates
    >>> CosineCoordinates(np.array([[np.pi]]), np.zeros(1), 2.0).outputs(np.array([[1.0]]))
    array([[-2.]])
    """

    frequencies: Floats
    offsets: Floats
    factor: float

    def outputs(self, X: Any) -> Floats:
        """The coordinates of every row."""
        z = np.asarray(X @ self.frequencies.T.astype(X.dtype)) + self.offsets.astype(X.dtype)
        return np.cos(z, out=z) * X.dtype.type(self.factor)


class LandmarkCoordinates(NamedTuple):
    """Σ_i N_ij k(x, l_i).

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features._kept_coordinates import LandmarkCoordinates
    >>> from gnomon.kernels import Linear
    >>> LandmarkCoordinates(Linear(), np.array([[2.0]]), np.array([[3.0]])).outputs(np.array([[1.0]]))
    array([[6.]])
    """

    kernel: Kernel
    landmarks: Any
    weights: Floats

    def outputs(self, X: Any) -> Floats:
        """The coordinates of every row."""
        K = self.kernel.against(self.landmarks).gram(X)
        return K @ self.weights.astype(K.dtype)


class MonomialCoordinates(NamedTuple):
    """c_a Π_j x_j^{a_j}.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features._kept_coordinates import MonomialCoordinates
    >>> MonomialCoordinates(np.array([[2, 1]]), np.array([0.5])).outputs(np.array([[3.0, 4.0]]))
    array([[18.]])
    """

    powers: Integers
    coefficients: Floats

    def outputs(self, X: Any) -> Floats:
        """The coordinates of every row."""
        rows = np.asarray(X.todense()) if not isinstance(X, np.ndarray) else X
        columns = [
            c * np.prod(rows ** a.astype(rows.dtype), axis=1)
            for a, c in zip(self.powers, self.coefficients, strict=True)
        ]
        return np.column_stack(columns).astype(rows.dtype, copy=False)
