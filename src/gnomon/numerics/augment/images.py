"""Changes of images: rotation, shift, scale and elastic deformation.

    x'(p) = x(m(p)),    x between pixels bilinear and zero outside                                               (1)
    Rotate  m(p) = c + R(−θ)(p − c)        Shift  m(p) = p − d        Scale  m(p) = c + (p − c)/s                (2)
    Morph   m(p) = p + α (G_σ ∗ u)(p),  u ~ U(−1, 1) at each pixel and axis, G_σ a normal density                (3)

c is the centre. (3) is the elastic deformation of Simard, Steinkraus & Platt (2003), doi:10.1109/ICDAR.2003.1227801.
Images are the last two axes of a row, or flat rows whose `image_shape` is given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from gnomon._jit import jit_no_alloc
from gnomon._typing import Floats
from gnomon.numerics.augment._transformation import Transformation

__all__ = ["Morph", "Rotate", "Scale", "Shift", "resample"]


@dataclass(frozen=True)
class Rotate(Transformation):
    """Images about their centre, or points of the plane about the origin, counter-clockwise by an angle ~ U(−θ, θ).

    Parameters
    ----------
    degrees : float
        θ.
    image_shape : tuple of two ints, optional
        Height and width of images that are flat rows. Rows of two numbers without it are points.

    References
    ----------
    Simard, P. Y., Steinkraus, D. & Platt, J. C. (2003). Best practices for convolutional neural networks applied to
    visual document analysis. doi:10.1109/ICDAR.2003.1227801

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.transfer import Rotate
    >>> points, _ = Rotate(90)(np.array([[1.0, 0.0], [0.0, 2.0]]), None, np.random.default_rng(0))
    >>> np.linalg.norm(points, axis=1)
    array([1., 2.])
    """

    degrees: float
    image_shape: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not self.degrees >= 0:
            raise ValueError(f"degrees={self.degrees!r} must be ≥ 0; give the largest angle")

    def change(self, X: Floats, rng: np.random.Generator) -> Floats:
        angles = np.deg2rad(rng.uniform(-self.degrees, self.degrees, len(X)))
        cos, sin = np.cos(angles), np.sin(angles)
        if self.image_shape is None and X.ndim == 2 and X.shape[1] == 2:
            return np.column_stack([cos * X[:, 0] - sin * X[:, 1], sin * X[:, 0] + cos * X[:, 1]])
        # Rows of pixels count downwards, so that a counter-clockwise turn has −sin where the plane has sin.
        turns = np.array([[cos, sin], [-sin, cos]]).transpose(2, 0, 1)
        return _affine(X, self.image_shape, turns, np.zeros((len(X), 2)))


@dataclass(frozen=True)
class Shift(Transformation):
    """Images moved down and to the right by d, uniform in [−pixels, pixels] on each axis.

    Parameters
    ----------
    pixels : float
    image_shape : tuple of two ints, optional
        Height and width of images that are flat rows.
    whole : bool, default=True
        Whether d is whole pixels.

    References
    ----------
    Simard, P. Y., Steinkraus, D. & Platt, J. C. (2003). Best practices for convolutional neural networks applied to
    visual document analysis. doi:10.1109/ICDAR.2003.1227801

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.transfer import Shift
    >>> Shift(1)(np.eye(3)[None], None, np.random.default_rng(0))[0][0]
    array([[0., 0., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """

    pixels: float
    image_shape: tuple[int, int] | None = None
    whole: bool = True

    def __post_init__(self) -> None:
        if not self.pixels >= 0:
            raise ValueError(f"pixels={self.pixels!r} must be ≥ 0; give the largest shift")

    def change(self, X: Floats, rng: np.random.Generator) -> Floats:
        k = int(self.pixels)
        d = rng.integers(-k, k + 1, (len(X), 2)) if self.whole else rng.uniform(-self.pixels, self.pixels, (len(X), 2))
        return _affine(X, self.image_shape, np.broadcast_to(np.eye(2), (len(X), 2, 2)), -d.astype(float))


@dataclass(frozen=True)
class Scale(Transformation):
    """Images larger or smaller about their centre, or points about the origin, by s with log s ~ U(±log ratio).

    Parameters
    ----------
    ratio : float
        The largest s, at least 1; the smallest is its inverse.
    image_shape : tuple of two ints, optional
        Height and width of images that are flat rows. Rows of two numbers without it are points.

    References
    ----------
    Simard, P. Y., Steinkraus, D. & Platt, J. C. (2003). Best practices for convolutional neural networks applied to
    visual document analysis. doi:10.1109/ICDAR.2003.1227801

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.transfer import Scale
    >>> points, _ = Scale(2.0)(np.ones((1000, 2)), None, np.random.default_rng(0))
    >>> bool(points.min() >= 0.5), bool(points.max() <= 2.0), round(float(np.median(points)), 1)
    (True, True, 1.0)
    """

    ratio: float
    image_shape: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not self.ratio >= 1:
            raise ValueError(f"ratio={self.ratio!r} must be ≥ 1; give the largest factor")

    def change(self, X: Floats, rng: np.random.Generator) -> Floats:
        s = np.exp(rng.uniform(-np.log(self.ratio), np.log(self.ratio), len(X)))
        if self.image_shape is None and X.ndim == 2 and X.shape[1] == 2:
            return X * s[:, None]
        return _affine(X, self.image_shape, np.eye(2) / s[:, None, None], np.zeros((len(X), 2)))


@dataclass(frozen=True)
class Morph(Transformation):
    """Elastic deformation: every pixel moves by a smooth random field.

    Parameters
    ----------
    alpha : float
        α of (3), the strength; 8 to 34 for images of 28 × 28.
    sigma : float, default=4.0
        σ of (3), in pixels: how smooth the field is.
    image_shape : tuple of two ints, optional
        Height and width of images that are flat rows.

    References
    ----------
    Simard, P. Y., Steinkraus, D. & Platt, J. C. (2003). Best practices for convolutional neural networks applied to
    visual document analysis. doi:10.1109/ICDAR.2003.1227801

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.transfer import Morph
    >>> image = np.zeros((1, 28, 28))
    >>> image[0, 8:20, 12:16] = 1.0
    >>> changed, _ = Morph(34.0)(image, None, np.random.default_rng(0))
    >>> bool(0.7 < changed.sum() / image.sum() < 1.4), bool(np.allclose(changed, image))
    (True, False)
    """

    alpha: float
    sigma: float = 4.0
    image_shape: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not (self.alpha >= 0 and self.sigma > 0):
            raise ValueError(f"alpha={self.alpha!r} must be ≥ 0 and sigma={self.sigma!r} > 0; give such numbers")

    def change(self, X: Floats, rng: np.random.Generator) -> Floats:
        images = _as_images(X, self.image_shape)
        h, w = images.shape[2:]
        noise = rng.uniform(-1.0, 1.0, (len(X), 2, h, w))
        field = ndimage.gaussian_filter(noise, (0, 0, self.sigma, self.sigma), mode="constant")
        return resample(images, np.indices((h, w), float) + self.alpha * field).reshape(X.shape)


def resample(images: Floats, sources: Floats) -> Floats:
    """Equation (1): the images (n, c, h, w) at the places m(p), an array (n, 2, h, w) of rows and columns.

    References
    ----------
    Simard, P. Y., Steinkraus, D. & Platt, J. C. (2003). Best practices for convolutional neural networks applied to
    visual document analysis. doi:10.1109/ICDAR.2003.1227801

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.augment import resample
    >>> image = np.array([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> resample(image, np.indices((2, 2), float)[None] + 0.5)[0, 0]
    array([[2.5 , 1.5 ],
           [1.75, 1.  ]])
    """
    found = np.empty_like(images)
    _resample(images, np.ascontiguousarray(sources), found)
    return found


def _as_images(X: Floats, image_shape: tuple[int, int] | None) -> Floats:
    if image_shape is not None:
        h, w = image_shape
        if int(np.prod(X.shape[1:])) % (h * w):
            raise ValueError(f"image_shape={image_shape!r} does not divide rows of shape {X.shape[1:]}; give theirs")
        return np.ascontiguousarray(X).reshape(len(X), -1, h, w)
    if X.ndim < 3:
        raise ValueError(f"rows of shape {X.shape[1:]} are no images; give image_shape=(height, width)")
    return np.ascontiguousarray(X).reshape(len(X), -1, *X.shape[-2:])


def _affine(X: Floats, image_shape: tuple[int, int] | None, A: Floats, b: Floats) -> Floats:
    """x'(p) = x(c + A(p − c) + b), with A and b for each row and p as (row, column)."""
    images = _as_images(X, image_shape)
    h, w = images.shape[2:]
    c = np.array([(h - 1) / 2, (w - 1) / 2])
    p = np.indices((h, w), float).reshape(2, -1) - c[:, None]
    sources = (A @ p + (c + b)[:, :, None]).reshape(len(X), 2, h, w)
    return resample(images, sources).reshape(X.shape)


@jit_no_alloc
def _resample(images: Floats, sources: Floats, found: Floats) -> None:
    n, channels, h, w = images.shape
    for i in range(n):
        for a in range(h):
            for b in range(w):
                y, x = sources[i, 0, a, b], sources[i, 1, a, b]
                top, left = int(np.floor(y)), int(np.floor(x))
                v, u = y - top, x - left
                for c in range(channels):
                    total = 0.0
                    for dy in range(2):
                        for dx in range(2):
                            if 0 <= top + dy < h and 0 <= left + dx < w:
                                share = (v if dy == 1 else 1.0 - v) * (u if dx == 1 else 1.0 - u)
                                total += share * images[i, c, top + dy, left + dx]
                    found[i, c, a, b] = total
