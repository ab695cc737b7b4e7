"""Windows that move over images.

    length of the output = (n + 2p − f)/s + 1 on each axis: n the image, f the window, s the stride, p the padding  (1)

Dumoulin & Visin (2016), arXiv:1603.07285. Arrays of images are channels × height × width for the user and lie in memory
with the channels last: a row of a window is then one run of numbers, and one product of matrices serves a batch.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._jit import jit_no_alloc, subroutine
from gnomon._typing import Floats
from gnomon.neural.layers._layer import Shape, shape_text

__all__ = ["Rounding", "Window", "channels_first", "channels_last", "conv_output_size", "window_of"]

Rounding: TypeAlias = Literal["exact", "floor", "ceil"]


def conv_output_size(n: int, f: int, s: int = 1, p: int = 0, rounding: Rounding = "exact") -> int:
    """The length (1) of what a window of length f yields on n pixels.

    Parameters
    ----------
    n : int
        Pixels.
    f : int
        Length of the window (filter).
    s : int, default=1
        Stride.
    p : int, default=0
        Zeros on each side, fewer than f.
    rounding : {"exact", "floor", "ceil"}, default="exact"
        What to do where (1) is not an integer: refuse, leave pixels out on the right, or pad there.

    References
    ----------
    Dumoulin, V. & Visin, F. (2016). A guide to convolution arithmetic for deep learning. arXiv:1603.07285

    Examples
    --------
    >>> from gnomon.neural import conv_output_size
    >>> conv_output_size(227, 11, s=4), conv_output_size(28, 3, p=1)
    (55, 28)
    >>> conv_output_size(7, 3, s=3)
    Traceback (most recent call last):
    ...
    ValueError: (n + 2p − f)/s + 1 = 2.33 is not an integer for n=7, p=0, f=3, s=3; give p=1, or s=2, or
    rounding='floor' or 'ceil'
    """
    values = {"n": n, "f": f, "s": s, "p": p}
    wrong = [k for k, v in values.items() if not isinstance(v, (int, np.integer)) or v < (0 if k == "p" else 1)]
    if wrong:
        raise ValueError(f"{wrong[0]}={values[wrong[0]]!r} must be an integer ≥ {int(wrong[0] != 'p')}; give one")
    if p >= f:
        raise ValueError(f"p={p} zeros on each side hide a window of f={f}; give p < f")
    if f > n + 2 * p:
        raise ValueError(f"f={f} is larger than n + 2p = {n + 2 * p}, with n={n} and p={p}; give a smaller window")
    if rounding not in ("exact", "floor", "ceil"):
        raise ValueError(f"rounding={rounding!r} must be 'exact', 'floor' or 'ceil'; give one of these")
    whole, rest = divmod(n + 2 * p - f, s)
    if rest and rounding == "exact":
        raise ValueError(
            f"(n + 2p − f)/s + 1 = {whole + 1 + rest / s:.2f} is not an integer for n={n}, p={p}, f={f}, s={s}; "
            f"give {_nearest(n, f, s, p)}, or rounding='floor' or 'ceil'"
        )
    return int(whole + 1 + (rest > 0 and rounding == "ceil"))


def _nearest(n: int, f: int, s: int, p: int) -> str:
    """The nearest padding and the nearest stride for which (1) is an integer."""
    paddings = [q for q in range(f) if n + 2 * q >= f and (n + 2 * q - f) % s == 0]
    strides = [t for t in range(1, n + 2 * p + 1) if (n + 2 * p - f) % t == 0]
    found = [f"p={min(paddings, key=lambda q: abs(q - p))}"] if paddings else []
    return ", or ".join([*found, f"s={min(strides, key=lambda t: abs(t - s))}"])


class Window(NamedTuple):
    """A window on images of one shape, and where it is put.

    Fields
    ------
    tall, wide : int
        Height and width of the window. Kernels find fields and verbs of named tuples in one table, and `width` is a
        verb of split criteria.
    stride, padding : tuple of two ints
        By axis.
    rows, columns : int
        How many places it has on each axis.
    """

    tall: int
    wide: int
    stride: tuple[int, int]
    padding: tuple[int, int]
    rows: int
    columns: int


def window_of(shape: Shape, size: Any, stride: Any, padding: Any, rounding: Rounding, what: str) -> Window:
    """The window for images channels × height × width; ValueError where it does not fit."""
    if len(shape) != 3:
        raise ValueError(f"{what} needs rows channels×height×width and has {shape_text(shape)}; put Reshape before it")
    (fh, fw), (sh, sw) = _pair("size", size), _pair("stride", stride)
    ph, pw = _paddings(padding, (fh, fw), (sh, sw))
    rows = conv_output_size(shape[1], fh, sh, ph, rounding)
    return Window(fh, fw, (sh, sw), (ph, pw), rows, conv_output_size(shape[2], fw, sw, pw, rounding))


def _pair(name: str, value: Any) -> tuple[int, int]:
    pair = (value, value) if isinstance(value, (int, np.integer)) else tuple(value)
    if len(pair) != 2 or any(not isinstance(k, (int, np.integer)) or isinstance(k, bool) for k in pair):
        raise ValueError(f"{name}={value!r} must be an integer, or one for the height and one for the width")
    return int(pair[0]), int(pair[1])


def _paddings(padding: Any, size: tuple[int, int], stride: tuple[int, int]) -> tuple[int, int]:
    if not isinstance(padding, str):
        return _pair("padding", padding)
    if padding not in ("valid", "same", "full"):
        raise ValueError(f"padding={padding!r} must be 'valid', 'same', 'full' or a number of zeros; give one of these")
    if padding == "same" and (stride != (1, 1) or size[0] % 2 == 0 or size[1] % 2 == 0):
        raise ValueError(
            f"padding='same' needs an odd size and stride 1, and has {shape_text(size)} and {shape_text(stride)}; "
            "give a number of zeros"
        )
    by_word = {"valid": (0, 0), "same": (size[0] // 2, size[1] // 2), "full": (size[0] - 1, size[1] - 1)}
    return by_word[padding]


def channels_last(x: Floats) -> Floats:
    """Images (n, c, h, w) as a contiguous (n, h, w, c); no copy where they already lie so."""
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1))


def channels_first(x: Floats) -> Floats:
    """(n, h, w, c) seen as (n, c, h, w)."""
    return x.transpose(0, 3, 1, 2)


@jit_no_alloc
def gather_windows(x: Floats, window: Window, channels: int, found: Floats) -> None:
    """Every window of the images x (n, height, width · channels) as a row of `found`, zeros where it leaves them."""
    n, h, wc = x.shape
    sh, sw = window.stride
    ph, pw = window.padding
    run = window.wide * channels
    r = 0
    for i in range(n):
        for a in range(window.rows):
            for b in range(window.columns):
                first = (b * sw - pw) * channels
                left, right = max(0, -first), max(0, min(run, wc - first))
                for u in range(window.tall):
                    y = a * sh + u - ph
                    part = found[r, u * run : (u + 1) * run]
                    if y < 0 or y >= h:
                        _clear(part)
                    else:
                        _clear(part[:left])
                        _copy(x[i, y, first + left : first + right], part[left:right])
                        _clear(part[right:])
                r += 1


@jit_no_alloc
def scatter_windows(windows: Floats, window: Window, channels: int, x: Floats) -> None:
    """The transposed map: add every row of `windows` to the pixels of x that it was taken from."""
    n, h, wc = x.shape
    sh, sw = window.stride
    ph, pw = window.padding
    run = window.wide * channels
    r = 0
    for i in range(n):
        for y in range(h):
            _clear(x[i, y])
        for a in range(window.rows):
            for b in range(window.columns):
                first = (b * sw - pw) * channels
                left, right = max(0, -first), max(0, min(run, wc - first))
                for u in range(window.tall):
                    y = a * sh + u - ph
                    if 0 <= y < h:
                        part = windows[r, u * run + left : u * run + right]
                        _add(part, x[i, y, first + left : first + right])
                r += 1


# Loops over slices that begin at zero: an index that may be negative would keep them from being vectorised.


@subroutine
def _clear(to):
    for q in range(to.shape[0]):
        to[q] = 0


@subroutine
def _copy(source, to):
    for q in range(to.shape[0]):
        to[q] = source[q]


@subroutine
def _add(source, to):
    for q in range(to.shape[0]):
        to[q] += source[q]
