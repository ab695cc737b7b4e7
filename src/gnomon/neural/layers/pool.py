"""Pooling.

    max      a_{c,i,j} = the largest of the window of x_c at (i·s, j·s),    gradient to the first in row order   (1)
    average  a_{c,i,j} = the mean of the window,    gradient in equal parts                                      (2)

A window that leaves the image (rounding="ceil") counts the pixels inside. LeCun et al. (1998), doi:10.1109/5.726791;
Boureau, Ponce & LeCun (2010), A theoretical analysis of feature pooling.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gnomon._jit import jit_no_alloc, subroutine
from gnomon._typing import Array, Floats, Integers
from gnomon.neural.layers._layer import Layer, LayerRun, Shape
from gnomon.neural.layers._window import Rounding, Window, channels_first, channels_last, window_of

__all__ = ["AvgPool2D", "MaxPool2D"]

_NONE = np.empty(0, np.int32)


class PoolPass(NamedTuple):
    """What the way back needs: the shape of the images, and the window or which pixels were the largest."""

    shape: Shape
    window: Window
    taken: Integers


@dataclass(frozen=True)
class Pool2D(Layer):
    """Base of layers that make one number of each window, channel by channel: write `gather` and `scatter`."""

    size: int | Sequence[int] = 2
    stride: int | Sequence[int] | None = None
    rounding: Rounding = "exact"

    piecewise_linear = True

    def window(self, shape: Shape) -> Window:
        """The window on images of this shape."""
        stride, what = self.size if self.stride is None else self.stride, type(self).__name__
        window = window_of(shape, self.size, stride, 0, self.rounding, what)
        if (window.rows - 1) * window.stride[0] >= shape[1] or (window.columns - 1) * window.stride[1] >= shape[2]:
            raise ValueError(
                f"{what} with rounding='ceil' has a window with no pixel of the image; give a smaller stride"
            )
        return window

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        window = self.window(input_shapes[0])
        return (input_shapes[0][0], window.rows, window.columns)

    @abstractmethod
    def gather(self, x: Floats, window: Window, A: Floats, run: LayerRun) -> Integers:
        """Write the number of each window of x (n, height, width, channels) to A; what `scatter` needs besides."""

    @abstractmethod
    def scatter(self, delta: Floats, saved: PoolPass, dx: Floats) -> None:
        """Add ∂J/∂A of each window to the pixels of dx that it came from."""

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, PoolPass]:
        x, window = channels_last(inputs[0]), self.window(inputs[0].shape[1:])
        A = run.array("A", (len(x), window.rows, window.columns, x.shape[3]))
        return channels_first(A), PoolPass(x.shape, window, self.gather(x, window, A, run))

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: PoolPass,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        dx = run.array("D", saved.shape)
        dx[...] = 0
        self.scatter(channels_last(delta), saved, dx)
        return (channels_first(dx),)


@dataclass(frozen=True)
class MaxPool2D(Pool2D):
    """The largest number of each window, channel by channel.

    Parameters
    ----------
    size : int or tuple of two ints, default=2
    stride : int or tuple of two ints, optional
        By default the size: windows that do not overlap.
    rounding : {"exact", "floor", "ceil"}, default="exact"
        What to do where windows do not fit a whole number of times; see `conv_output_size`.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    Boureau, Y.-L., Ponce, J. & LeCun, Y. (2010). A theoretical analysis of feature pooling in visual recognition. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import MaxPool2D
    >>> image = np.array([[1.0, 3, 2, 2], [0, -1, 2, 2], [5, 5, -3, -4], [5, 5, -1, -2]])
    >>> NeuralNetwork([MaxPool2D(2)], (1, 4, 4)).output(np.empty(0), image[None, None])[0, 0]
    array([[ 3.,  2.],
           [ 5., -1.]])
    """

    def gather(self, x: Floats, window: Window, A: Floats, run: LayerRun) -> Integers:
        taken: Integers = run.array("taken", A.shape, "int32")
        _take_largest(x, window, A, taken)
        return taken

    def scatter(self, delta: Floats, saved: PoolPass, dx: Floats) -> None:
        by_place = (len(dx), -1, dx.shape[3])
        _return_largest(delta.reshape(by_place), saved.taken.reshape(by_place), dx.reshape(by_place))

    def pattern(self, saved: PoolPass, output: Floats) -> Array | None:
        return saved.taken


@dataclass(frozen=True)
class AvgPool2D(Pool2D):
    """The mean of each window, channel by channel.

    Parameters
    ----------
    size, stride, rounding
        As of `MaxPool2D`.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    LeCun, Y., Bottou, L., Bengio, Y. & Haffner, P. (1998). Gradient-based learning applied to document recognition.
    doi:10.1109/5.726791

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import AvgPool2D
    >>> image = np.array([[1.0, 3, 2, 2], [0, -1, 2, 2], [5, 5, -3, -4], [5, 5, -1, -2]])
    >>> NeuralNetwork([AvgPool2D(2)], (1, 4, 4)).output(np.empty(0), image[None, None])[0, 0]
    array([[ 0.75,  2.  ],
           [ 5.  , -2.5 ]])
    """

    def gather(self, x: Floats, window: Window, A: Floats, run: LayerRun) -> Integers:
        _take_means(x, window, A)
        return _NONE

    def scatter(self, delta: Floats, saved: PoolPass, dx: Floats) -> None:
        _return_means(delta, saved.window, dx)


@jit_no_alloc
def _take_largest(x, window, A, taken):
    """`taken` is the place y · width + x of the pixel in its image."""
    n, h, w, _ = x.shape
    sh, sw = window.stride
    for i in range(n):
        for a in range(window.rows):
            for b in range(window.columns):
                best, places = A[i, a, b], taken[i, a, b]
                _begin(x[i, a * sh, b * sw], a * sh * w + b * sw, best, places)
                for y in range(a * sh, min(a * sh + window.tall, h)):
                    for z in range(b * sw, min(b * sw + window.wide, w)):
                        _keep_larger(x[i, y, z], y * w + z, best, places)


@subroutine
def _begin(pixel, place, best, places):
    for c in range(pixel.shape[0]):
        best[c] = pixel[c]
        places[c] = place


@subroutine
def _keep_larger(pixel, place, best, places):
    for c in range(pixel.shape[0]):
        larger = pixel[c].real > best[c].real
        best[c] = pixel[c] if larger else best[c]
        places[c] = place if larger else places[c]


@jit_no_alloc
def _return_largest(delta, taken, dx):
    """delta and taken (n, places of the window, channels), dx (n, pixels, channels)."""
    n, places, channels = delta.shape
    for i in range(n):
        for p in range(places):
            part, to = delta[i, p], taken[i, p]
            for c in range(channels):
                dx[i, to[c], c] += part[c]


@jit_no_alloc
def _take_means(x, window, A):
    n, h, w, _ = x.shape
    sh, sw = window.stride
    for i in range(n):
        for a in range(window.rows):
            for b in range(window.columns):
                bottom, right = min(a * sh + window.tall, h), min(b * sw + window.wide, w)
                share = A.dtype.type(1.0 / ((bottom - a * sh) * (right - b * sw)))
                mean = A[i, a, b]
                for c in range(mean.shape[0]):
                    mean[c] = 0
                for y in range(a * sh, bottom):
                    for z in range(b * sw, right):
                        _add_multiple(x[i, y, z], share, mean)


@jit_no_alloc
def _return_means(delta, window, dx):
    n, h, w, _ = dx.shape
    sh, sw = window.stride
    for i in range(n):
        for a in range(window.rows):
            for b in range(window.columns):
                bottom, right = min(a * sh + window.tall, h), min(b * sw + window.wide, w)
                share = dx.dtype.type(1.0 / ((bottom - a * sh) * (right - b * sw)))
                for y in range(a * sh, bottom):
                    for z in range(b * sw, right):
                        _add_multiple(delta[i, a, b], share, dx[i, y, z])


@subroutine
def _add_multiple(part, share, to):
    for c in range(to.shape[0]):
        to[c] += share * part[c]
