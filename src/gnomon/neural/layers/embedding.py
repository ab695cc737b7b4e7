"""Embeddings of categories.

    a = (numbers of the row, E_1[x_{j₁}], E_2[x_{j₂}], …),    E_k a table with a row of units for each category  (1)

Columns named in `columns` hold codes 0, 1, …; each selects a row of its table, which is trained as other weights are.
Guo & Berkhahn (2016), Entity embeddings of categorical variables, arXiv:1604.06737.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gnomon._jit import jit_no_alloc
from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.neural.layers._layer import Layer, LayerRun, Parameter, Shape, shape_text
from gnomon.neural.layers.initializers import Initializer, initializer_of

__all__ = ["Embedding"]


class EmbeddingPass(NamedTuple):
    """What the way back needs: the codes, a column for each table, and the width of a row of the input."""

    codes: Integers
    width: int


@dataclass(frozen=True)
class Embedding(Layer):
    """Columns of category codes become columns of trained numbers; other columns are passed on before them.

    Parameters
    ----------
    columns : sequence of int
        The columns that hold codes.
    sizes : sequence of int
        How many categories each of them has. A code is 0 … size − 1; −1, a category that is not known, gives zeros.
    units : int or sequence of int, optional
        Numbers for each category; by default half the categories, at most 50.
    init : str, Initializer or array-like, default="auto"
        First values of every table; by default normal with variance 1, as of standardised columns.
    l1, l2 : float, optional
        As of `Dense`.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    Guo, C. & Berkhahn, F. (2016). Entity embeddings of categorical variables. arXiv:1604.06737

    Examples
    --------
    A number and a colour of three:

    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Embedding
    >>> network = NeuralNetwork([Embedding(columns=[1], sizes=[3], units=2)], 2)
    >>> theta = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> network.output(theta, np.array([[0.5, 0], [0.7, 2], [0.9, -1]]))
    array([[0.5, 1. , 2. ],
           [0.7, 5. , 6. ],
           [0.9, 0. , 0. ]])
    """

    columns: Sequence[int]
    sizes: Sequence[int]
    units: int | Sequence[int] | None = None
    init: str | Initializer | ArrayLike = "auto"
    l1: float | None = None
    l2: float | None = None

    piecewise_linear = True

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.sizes) or len(set(self.columns)) != len(self.columns) or not self.columns:
            raise ValueError(f"columns={self.columns!r} and sizes={self.sizes!r} must be as many, each column once")
        widths = self.widths
        if len(widths) != len(self.sizes) or any(k < 1 for k in (*self.sizes, *widths)):
            raise ValueError(f"sizes={self.sizes!r} and units={self.units!r} must be positive, one for each column")

    @property
    def widths(self) -> tuple[int, ...]:
        """Numbers for each category, by column."""
        if self.units is None:
            return tuple(min(50, (int(size) + 1) // 2) for size in self.sizes)
        if isinstance(self.units, (int, np.integer)):
            return (int(self.units),) * len(self.sizes)
        return tuple(map(int, self.units))

    def _numbers(self, width: int) -> list[int]:
        return [j for j in range(width) if j not in set(self.columns)]

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        shape = input_shapes[0]
        if len(shape) != 1 or not all(0 <= j < shape[0] for j in self.columns):
            raise ValueError(
                f"columns={self.columns!r} must be columns of rows of one axis and these are {shape_text(shape)}"
            )
        return (shape[0] - len(self.columns) + sum(self.widths),)

    def parameters(self, input_shapes: Sequence[Shape]) -> tuple[Parameter, ...]:
        start = initializer_of("lecun_normal" if isinstance(self.init, str) and self.init == "auto" else self.init)
        pairs = zip(self.sizes, self.widths, strict=True)
        return tuple(Parameter("E", (int(size), width), 1, width, True, start) for size, width in pairs)

    def forward(
        self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun
    ) -> tuple[Floats, EmbeddingPass]:
        x = inputs[0]
        codes = self.codes(np.real(x[:, list(self.columns)]))
        numbers = self._numbers(x.shape[1])
        A = run.array("A", (len(x), len(numbers) + sum(self.widths)))
        A[:, : len(numbers)] = x[:, numbers]
        first = len(numbers)
        for E, code in zip(parameters, codes.T, strict=True):
            A[:, first : first + E.shape[1]] = np.where(code[:, None] >= 0, E[code], 0)
            first += E.shape[1]
        return A, EmbeddingPass(codes, x.shape[1])

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: EmbeddingPass,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        numbers = self._numbers(saved.width)
        first = len(numbers)
        for gradient, code in zip(gradients, saved.codes.T, strict=True):
            _add_rows(np.ascontiguousarray(code), delta, first, gradient)
            first += gradient.shape[1]
        if not wants_inputs:
            return ()
        dx = np.zeros((len(delta), saved.width), delta.dtype)
        dx[:, numbers] = delta[:, : len(numbers)]
        return (dx,)

    def codes(self, found: Floats) -> Integers:
        """The columns of codes as integers; ValueError where one is no code."""
        codes = found.astype(np.intp)
        wrong = (codes != found) | (codes < -1) | (codes >= np.asarray(self.sizes))
        if wrong.any():
            i, k = np.argwhere(wrong)[0]
            raise ValueError(
                f"column {self.columns[k]} of row {i} is {found[i, k]:g}; give the codes 0 … {self.sizes[k] - 1}, "
                "or −1 for a category that is not known"
            )
        return codes


@jit_no_alloc
def _add_rows(codes, delta, first, gradient):
    """Sums of columns `first` … of delta over the rows of each category."""
    size, width = gradient.shape
    for k in range(size):
        for j in range(width):
            gradient[k, j] = 0
    for i in range(codes.shape[0]):
        if codes[i] >= 0:
            for j in range(width):
                gradient[codes[i], j] += delta[i, first + j]
