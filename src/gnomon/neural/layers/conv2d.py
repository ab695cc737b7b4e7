"""Two-dimensional convolution.

    z_{m,a,b} = b_m + Σ_{c,u,v} w_{m,c,u,v} · x_{c, a·s+u−p, b·s+v−p},    A = φ(Z)                               (1)

A cross-correlation (the filter is not flipped) with zero padding, whose weights are shared by all places: LeCun et al.
(1998), doi:10.1109/5.726791. The windows of some images, one in each row, times the filters as columns are Z, so that
both directions are products of matrices: Chellapilla, Puri & Simard (2006), High performance convolutional neural
networks. Windows are gathered again on the way back: that costs less than keeping them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.neural.layers._activated import ActivatedLayer, activate, check_units, retreat
from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers._layer import LayerRun, Parameter, Shape
from gnomon.neural.layers._window import (
    Rounding,
    Window,
    channels_first,
    channels_last,
    gather_windows,
    scatter_windows,
    window_of,
)
from gnomon.neural.layers.identity import Identity
from gnomon.neural.layers.initializers import ConstantInit, Initializer, initializer_of

__all__ = ["Conv2D"]

_BLOCK = 1 << 17
"""Numbers of the windows that are gathered at once: they stay in the cache until the product has used them."""


class ConvPass(NamedTuple):
    """What the way back needs: images with the channels last, Z and A as rows of channels, and the window."""

    x: Floats
    Z: Floats
    A: Floats
    window: Window


@dataclass(frozen=True)
class Conv2D(ActivatedLayer):
    """Filters that move over images channels × height × width and give one channel each.

    Parameters
    ----------
    filters : int
    size : int or tuple of two ints
        Height and width of the filters.
    stride : int or tuple of two ints, default=1
    padding : int, tuple of two ints, or {"valid", "same", "full"}, default=0
        Zeros on each side: "valid" none, "same" (f − 1)/2 for odd f and stride 1, "full" f − 1.
    activation : str or activation, default="identity"
    bias : bool, default=True
    rounding : {"exact", "floor", "ceil"}, default="exact"
        What to do where the filters do not fit a whole number of times; see `conv_output_size`.
    init : str, Initializer or array-like, default="auto"
        First values of W, of shape (filters, channels, height, width); "auto" is He for rectifiers and LeCun else.
    l1, l2, max_norm : float, optional
        As of `Dense`; a norm is that of one filter.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    LeCun, Y., Bottou, L., Bengio, Y. & Haffner, P. (1998). Gradient-based learning applied to document recognition.
    doi:10.1109/5.726791

    Examples
    --------
    The filter [[1, 2], [0, −1]] with bias 0.5 on the image 0 … 15, at its first place 0 + 2·1 − 5 + 0.5:

    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Conv2D
    >>> network = NeuralNetwork([Conv2D(1, 2)], (1, 4, 4))
    >>> network.output(np.array([1.0, 2.0, 0.0, -1.0, 0.5]), np.arange(16.0).reshape(1, 1, 4, 4))[0, 0]
    array([[-2.5, -0.5,  1.5],
           [ 5.5,  7.5,  9.5],
           [13.5, 15.5, 17.5]])
    """

    filters: int
    size: int | Sequence[int]
    stride: int | Sequence[int] = 1
    padding: int | Sequence[int] | str = 0
    activation: str | ActivationFunction = "identity"
    bias: bool = True
    rounding: Rounding = "exact"
    init: str | Initializer | ArrayLike = "auto"
    l1: float | None = None
    l2: float | None = None
    max_norm: float | None = None

    unit_axis = 1

    def __post_init__(self) -> None:
        check_units("filters", self.filters, "the number of filters")
        super().__post_init__()

    def window(self, shape: Shape) -> Window:
        """The window of a filter on images of this shape."""
        return window_of(shape, self.size, self.stride, self.padding, self.rounding, "Conv2D")

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        window = self.window(input_shapes[0])
        return (int(self.filters), window.rows, window.columns)

    def parameters(self, input_shapes: Sequence[Shape]) -> tuple[Parameter, ...]:
        window, channels, filters = self.window(input_shapes[0]), input_shapes[0][0], int(self.filters)
        area, gain = window.tall * window.wide, self.phi.gain
        fans, shape = (channels * area, filters * area), (filters, channels, window.tall, window.wide)
        W = Parameter("W", shape, *fans, True, initializer_of(self.init, gain), gain, norm_axis=0)
        b = Parameter("b", (filters,), *fans, False, ConstantInit(0.0), gain)
        return (W, *((b,) if self.bias else ()), *self.phi.parameters(filters))

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, ConvPass]:
        x, window = channels_last(inputs[0]), self.window(inputs[0].shape[1:])
        n, places = len(x), window.rows * window.columns
        W, channels = _as_columns(parameters[0]), x.shape[3]
        Z = run.array("Z", (n * places, W.shape[1]))
        for images, rows, gathered in _blocks(x, window, len(W), run):
            gather_windows(images, window, channels, gathered)
            np.dot(gathered, W, out=Z[rows])
        A = Z if isinstance(self.phi, Identity) else run.array("A", Z.shape)
        activate(self.phi, Z, parameters[1] if self.bias else None, A, parameters[1 + self.bias :], run)
        return _as_images(A, n, window), ConvPass(x, Z, A, window)

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: ConvPass,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        x, Z, A, window = saved
        D = channels_last(delta).reshape(Z.shape)
        own = slice(1 + self.bias, None)
        retreat(self.phi, Z, A, D, gradients[1] if self.bias else None, parameters[own], gradients[own], run)
        W, channels = _as_columns(parameters[0]), x.shape[3]
        total, part = np.zeros_like(W), np.empty_like(W)
        dx = run.array("D", x.shape) if wants_inputs else None
        first = 0
        for images, rows, gathered in _blocks(x, window, len(W), run):
            gather_windows(images, window, channels, gathered)
            total += np.dot(gathered.T, D[rows], out=part)
            if dx is not None:
                pulled = dx[first : first + len(images)].reshape(images.shape)
                scatter_windows(np.dot(D[rows], W.T, out=gathered), window, channels, pulled)
            first += len(images)
        shape = parameters[0].shape
        gradients[0][...] = total.reshape(shape[2], shape[3], shape[1], shape[0]).transpose(3, 2, 0, 1)
        return () if dx is None else (channels_first(dx),)

    def scores(self, saved: ConvPass, output: Floats) -> Floats:
        return _as_images(saved.Z, len(saved.x), saved.window)


def _as_columns(W: Floats) -> Floats:
    """Filters (m, c, u, v) as columns, their rows in the order of a gathered window: u, v, c."""
    return np.ascontiguousarray(W.transpose(2, 3, 1, 0)).reshape(-1, len(W))


def _as_images(rows: Floats, n: int, window: Window) -> Floats:
    return channels_first(rows.reshape(n, window.rows, window.columns, rows.shape[1]))


def _blocks(x: Floats, window: Window, length: int, run: LayerRun) -> Iterator[tuple[Floats, slice, Floats]]:
    """Some images at a time (their rows as one axis), the rows of Z that are theirs, and an array for their windows."""
    n, h, w, c = x.shape
    places = window.rows * window.columns
    step = min(n, max(1, _BLOCK // (places * length)))
    windows = run.array("windows", (step * places, length))
    flat = x.reshape(n, h, w * c)
    for first in range(0, n, step):
        images = flat[first : first + step]
        yield images, slice(first * places, (first + len(images)) * places), windows[: len(images) * places]
