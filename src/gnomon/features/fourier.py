"""Random Fourier features of a stationary kernel.

    k(x − y) = k(0) E cos ωᵀ(x − y),   ω from the spectral density of k                               (1)
    paired:  z(x) = √(k(0)/D) (cos ωᵀx, sin ωᵀx)          single:  z(x) = √(2 k(0)/D) cos(ωᵀx + b)       (2)

z(x)ᵀz(y) estimates k without bias, with an error of order D^{−½}; paired features have z(x)ᵀz(x) = k(0) exactly. Rahimi
& Recht (2007), NIPS. Orthogonal frequencies vary less: Yu, Suresh, Choromanski, Holtmann-Rice & Kumar (2016), NIPS.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon._typing import Array, Count, Floats, Integers, NonNegative, Seed
from gnomon.base import kernel_of
from gnomon.features._base import FeatureMap, Rows
from gnomon.features._kept_coordinates import CosineCoordinates
from gnomon.kernels import Kernel, KernelLike, Radial
from gnomon.numerics.parallel import blas_threads, map_tiles, split_rows
from gnomon.numerics.random import check_rng

__all__ = ["RandomFourierFeatures"]

TILE = 2**16
"""Numbers of which cosines are taken at once: half a megabyte stays in cache."""


class RandomFourierFeatures(FeatureMap):
    """Random features whose inner products approximate a stationary kernel, equation (2).

    Parameters
    ----------
    kernel : Kernel or str, default="rbf"
        A kernel with a spectral density: "rbf", "laplacian", or an object such as `Matern`, sums and products included.
    n_features : int, default=100
        D frequencies.
    gamma : float, optional
        Of a kernel that is named; None for 1/d.
    paired : bool, default=True
        2 D columns of cosines and sines; False for D cosines with random offsets b.
    orthogonal : bool, default=False
        Frequencies orthogonal to each other in blocks of d, with the lengths that they have; for kernels of the
        distance with one length scale.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    kernel_ : Kernel
    frequencies_ : ndarray of shape (D, d)
        ω.
    offsets_ : ndarray of shape (D,)
        b; zeros where paired.
    variance_ : float
        k(0).

    References
    ----------
    Rahimi, A. & Recht, B. (2007). Random features for large-scale kernel machines. NIPS.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import RandomFourierFeatures
    >>> X = np.array([[0.0], [1.0]])
    >>> Z = RandomFourierFeatures("rbf", 20_000, gamma=0.5, random_state=0).fit_transform(X)
    >>> (Z @ Z.T).round(2), round(float(np.exp(-0.5)), 2)
    (array([[1.  , 0.61],
           [0.61, 1.  ]]), 0.61)
    """

    _sparse = True
    learns_nothing = True

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        n_features: Count = 100,
        *,
        gamma: NonNegative | None = None,
        paired: bool = True,
        orthogonal: bool = False,
        random_state: Seed = None,
    ):
        self.kernel = kernel
        self.n_features = n_features
        self.gamma = gamma
        self.paired = paired
        self.orthogonal = orthogonal
        self.random_state = random_state

    def coordinates(self, columns: Integers) -> CosineCoordinates:
        """Some columns of `transform` alone.

        Parameters
        ----------
        columns : ndarray of int

        Returns
        -------
        CosineCoordinates
        """
        if not self.paired:
            return CosineCoordinates(self.frequencies_[columns], self.offsets_[columns], self._factor)
        # sin z = cos(z − π/2).
        offsets = np.where(columns < self.n_features, 0.0, -0.5 * np.pi)
        return CosineCoordinates(self.frequencies_[columns % self.n_features], offsets, self._factor)

    def _learn(self, X: Rows) -> None:
        d = X.shape[1]
        rng = check_rng(self.random_state)
        self.kernel_ = kernel = kernel_of(self, X)
        drawn = kernel.sample_spectrum(self.n_features, d, rng)
        self.frequencies_ = _orthogonal(kernel, drawn, rng) if self.orthogonal else drawn
        self.offsets_ = np.zeros(self.n_features) if self.paired else rng.uniform(0.0, 2.0 * np.pi, self.n_features)
        self.variance_ = float(kernel.diag(np.zeros((1, d)))[0])

    @property
    def _factor(self) -> float:
        return float(np.sqrt(self.variance_ * (1.0 if self.paired else 2.0) / self.n_features))

    def _map(self, X: Rows) -> Rows:
        z = np.asarray(X @ self.frequencies_.T.astype(X.dtype))
        D, offsets, factor = self.n_features, self.offsets_.astype(z.dtype), z.dtype.type(self._factor)
        out = np.empty((len(z), 2 * D), dtype=z.dtype) if self.paired else z

        def fill(rows: slice) -> None:
            if self.paired:
                np.sin(z[rows], out=out[rows, D:])
            else:
                z[rows] += offsets
            np.cos(z[rows], out=out[rows, :D])
            out[rows] *= factor

        # The products are done, and cosines are most of the work: on the threads that BLAS had.
        map_tiles(fill, split_rows(len(z), z.size // TILE), blas_threads())
        return out

    def _names(self, names: Array) -> Sequence[str]:
        words = ("cos", "sin") if self.paired else ("cos",)
        return [f"randomfourierfeatures_{word}{j}" for word in words for j in range(self.n_features)]


def _orthogonal(kernel: Kernel, drawn: Floats, rng: np.random.Generator) -> Floats:
    """Directions from the orthogonal factor of normal matrices, lengths from frequencies that were drawn."""
    if not isinstance(kernel, Radial) or np.ndim(kernel.scale) or kernel.metric is not None:
        raise ValueError(
            f"orthogonal=True needs a kernel of the distance with one length scale, not {kernel!r}; set it to False"
        )
    D, d = drawn.shape
    blocks: list[Any] = []
    for _ in range(-(-D // d)):
        Q, R = np.linalg.qr(rng.standard_normal((d, d)))
        # Signs that make Q uniform among all rotations.
        blocks.append(Q * np.sign(np.diag(R)))
    return np.concatenate(blocks)[:D] * np.linalg.norm(drawn, axis=1, keepdims=True)
