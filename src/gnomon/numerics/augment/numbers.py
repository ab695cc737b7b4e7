"""Changes of numbers: noise and intensity.

    AddNoise  x' = x + σ ε,  ε ~ N(0, I)          Intensity  x' = a x + b,  one a and one b for each row         (1)

Training with noise is a penalty on slopes: Bishop (1995), doi:10.1162/neco.1995.7.1.108.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon._typing import Floats
from gnomon.numerics.augment._transformation import Transformation

__all__ = ["AddNoise", "Intensity"]


@dataclass(frozen=True)
class AddNoise(Transformation):
    """x + σ ε with independent standard normal ε.

    Parameters
    ----------
    sigma : float
        Standard deviation, in the units of the columns.

    References
    ----------
    Bishop, C. M. (1995). Training with noise is equivalent to Tikhonov regularization. doi:10.1162/neco.1995.7.1.108

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.transfer import AddNoise
    >>> X, _ = AddNoise(0.5)(np.zeros((1000, 4)), None, np.random.default_rng(0))
    >>> round(float(X.std()), 2)
    0.5
    """

    sigma: float

    def __post_init__(self) -> None:
        if not self.sigma >= 0:
            raise ValueError(f"sigma={self.sigma!r} must be ≥ 0; give a standard deviation")

    def change(self, X: Floats, rng: np.random.Generator) -> Floats:
        return X + self.sigma * rng.standard_normal(X.shape)


@dataclass(frozen=True)
class Intensity(Transformation):
    """a·x + b with a ~ U(1 − contrast, 1 + contrast) and b ~ U(−brightness, brightness), one of each for a row.

    Parameters
    ----------
    contrast, brightness : float

    References
    ----------
    Simard, P. Y., Steinkraus, D. & Platt, J. C. (2003). Best practices for convolutional neural networks applied to
    visual document analysis. doi:10.1109/ICDAR.2003.1227801

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.transfer import Intensity
    >>> X, _ = Intensity(0.2, 0.1)(np.array([[0.0, 1.0, 2.0]]), None, np.random.default_rng(0))
    >>> np.diff(X).round(3), X[:, 0].round(3)  # a twice, and b
    (array([[1.055, 1.055]]), array([-0.046]))
    """

    contrast: float = 0.0
    brightness: float = 0.0

    def __post_init__(self) -> None:
        if not (self.contrast >= 0 and self.brightness >= 0):
            raise ValueError(f"contrast={self.contrast!r} and brightness={self.brightness!r} must be ≥ 0; give ranges")

    def change(self, X: Floats, rng: np.random.Generator) -> Floats:
        each = (len(X),) + (1,) * (X.ndim - 1)
        a = rng.uniform(1.0 - self.contrast, 1.0 + self.contrast, each)
        return a * X + rng.uniform(-self.brightness, self.brightness, each)
