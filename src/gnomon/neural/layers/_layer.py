"""What a layer is.

    a = f(u₁, …, u_m; θ),    (∂J/∂u, ∂J/∂θ) = backward(∂J/∂a)                                        (1)

A layer is an immutable value: it knows shapes, the parameters that it needs, the function (1) and its transposed
derivative, and holds no numbers that training changes. Those are views of one vector θ that the network cuts, so that
no optimiser knows a layer. Rumelhart, Hinton & Williams (1986), doi:10.1038/323533a0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from gnomon._jit import compiled
from gnomon._typing import Floats

__all__ = ["Layer", "LayerRun", "Parameter", "Shape", "shape_text"]

Shape: TypeAlias = tuple[int, ...]
"""The shape of one row of what a layer takes or gives."""


class Parameter(NamedTuple):
    """One array of parameters of a layer, as the network lays it out in θ.

    Fields
    ------
    name : str
        "W" for weights, "b" for biases, "a" for slopes.
    shape : tuple of int
    fan_in, fan_out : int
        How many inputs one unit adds up, and how many units one input reaches.
    penalized : bool
        Whether penalties act on it: weights, not biases and not slopes.
    init : Initializer
        What draws its first values.
    gain : float
        Of the activation that follows.
    norm_axis : int or None
        The axes of one unit's incoming weights are all but this one; None where a bound on norms makes no sense.

    Examples
    --------
    >>> from gnomon.neural.layers import Dense
    >>> [(p.name, p.shape, p.fan_in, p.penalized) for p in Dense(3).parameters([(2,)])]
    [('W', (2, 3), 2, True), ('b', (3,), 2, False)]
    """

    name: str
    shape: Shape
    fan_in: int
    fan_out: int
    penalized: bool
    init: Any
    gain: float = 1.0
    norm_axis: int | None = None

    @property
    def size(self) -> int:
        """How many numbers it holds, counted with Python's integers."""
        total = 1
        for length in self.shape:
            total *= int(length)
        return total


@dataclass
class LayerRun:
    """What a layer is lent for one pass: whether it trains, a generator for masks, and arrays that are kept.

    Every layer of a network has its own, for one number of rows and one dtype.

    Parameters
    ----------
    dtype : dtype
        Of all arrays; complex where a pass carries a derivative in the imaginary part.
    training : bool, default=False
        Whether random layers draw.
    rng : numpy.random.Generator, optional
        What they draw with; the same draws serve every engine.
    masks : dict, optional
        Draws that are held fixed, by name, as `Layer.draw` returns them: a random layer uses these instead of drawing.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural.layers import LayerRun
    >>> run = LayerRun(np.dtype(float))
    >>> run.array("Z", (4, 2)) is run.array("Z", (4, 2))
    True
    """

    dtype: np.dtype[Any]
    training: bool = False
    rng: np.random.Generator | None = None
    masks: dict[str, Any] | None = None
    _kept: dict[tuple[str, Shape], Floats] = field(default_factory=dict, repr=False)
    _forms: dict[int, Any] = field(default_factory=dict, repr=False)

    def form(self, noun: Any) -> Any:
        """The form in which kernels take a noun that the layer holds."""
        found = self._forms.get(id(noun))
        if found is None:
            found = self._forms[id(noun)] = compiled(noun)
        return found

    @property
    def compiled(self) -> bool:
        """Whether kernels serve these numbers; complex ones go through the same formulas in NumPy."""
        return self.dtype.kind == "f"

    def array(self, name: str, shape: Shape, dtype: Any = None) -> Any:
        """An array that is allocated once and then given again; its content is whatever was written last."""
        key = (name, shape)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = np.empty(shape, self.dtype if dtype is None else dtype)
        return found

    def drawn(self, layer: Layer, n: int, input_shapes: Sequence[Shape]) -> dict[str, Any]:
        """What a random layer uses for a batch of n rows: the draws that are held fixed, or new ones."""
        if self.masks is not None:
            return self.masks
        if self.rng is None:
            raise ValueError(f"{layer!r} draws while training and has no generator; give rng=")
        return layer.draw(self.rng, n, input_shapes)


@dataclass(frozen=True, kw_only=True)
class Layer(ABC):
    """Base of every layer: a frozen dataclass with the five methods below.

    Parameters
    ----------
    name : str, optional
        What other layers, summaries and errors call it; by default its kind and a number.
    after : str or sequence of str, optional
        The layers (or inputs) whose outputs it takes; by default the layer before it in the list.
    trainable : bool, default=True
        False freezes its parameters at their first values.
    output : bool, default=False
        Whether its output is one that the loss, or one of several losses, is applied to.

    References
    ----------
    Rumelhart, D. E., Hinton, G. E. & Williams, R. J. (1986). Learning representations by back-propagating errors.
    doi:10.1038/323533a0

    Examples
    --------
    A layer that doubles what it is given:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Layer
    >>> @dataclass(frozen=True)
    ... class Twice(Layer):
    ...     def output_shape(self, input_shapes):
    ...         return input_shapes[0]
    ...
    ...     def forward(self, parameters, inputs, run):
    ...         return 2 * inputs[0], None
    ...
    ...     def backward(self, parameters, saved, delta, gradients, run, wants_inputs):
    ...         return [2 * delta]
    >>> NeuralNetwork([Twice()], 2).output(np.empty(0), np.ones((1, 2)))
    array([[2., 2.]])
    """

    name: str | None = None
    after: str | Sequence[str] | None = None
    trainable: bool = True
    output: bool = False

    random: ClassVar[bool] = False
    """Whether it draws while training."""
    gradient: ClassVar[bool] = True
    """Whether a gradient can pass: not through a step."""
    piecewise_linear: ClassVar[bool] = False
    """Whether its output is a piecewise linear function of its inputs."""
    many_inputs: ClassVar[bool] = False
    """Whether it takes the outputs of several layers."""
    takes_sparse: ClassVar[bool] = False
    """Whether it takes sparse rows; others are given dense ones."""
    keeps_sparse: ClassVar[bool] = False
    """Whether what it makes of sparse rows is sparse."""
    remembers: ClassVar[bool] = False
    """Whether it keeps more than its parameters from one batch to the next, as running means."""
    shares: ClassVar[str | None] = None
    """The layer whose first parameter it uses before its own; the gradients of both uses are added."""

    @abstractmethod
    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        """The shape of one row of the output; ValueError where the inputs do not fit."""

    def parameters(self, input_shapes: Sequence[Shape]) -> tuple[Parameter, ...]:
        """The arrays it needs, in the order in which `forward` takes them."""
        return ()

    def shared_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        """The shape that the first parameter of the layer `shares` must have."""
        return ()

    @abstractmethod
    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, Any]:
        """The output for a batch, and what `backward` needs."""

    @abstractmethod
    def backward(
        self,
        parameters: Sequence[Floats],
        saved: Any,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        """Write ∂J/∂θ to `gradients` and return ∂J/∂u, an array of its own for every input (none unless wanted).

        `delta` is ∂J/∂a; it may be overwritten.
        """

    def draw(self, rng: np.random.Generator, n: int, input_shapes: Sequence[Shape]) -> dict[str, Any]:
        """What it draws for a batch of n rows in training, by name; every engine uses these numbers."""
        return {}

    def scores(self, saved: Any, output: Floats) -> Floats:
        """Z, what the activation was applied to; the output itself where there is none."""
        return output

    def pattern(self, saved: Any, output: Floats) -> Any:
        """Which linear piece each unit of a piecewise linear layer is on, as integers; None where there is one."""
        return None

    @property
    def kind(self) -> str:
        """What it is called in summaries and automatic names."""
        return type(self).__name__


def shape_text(shape: Shape) -> str:
    """A shape as errors and summaries write it.

    Examples
    --------
    >>> from gnomon.neural.layers import shape_text
    >>> shape_text((3, 8, 8)), shape_text((5,))
    ('3×8×8', '5')
    """
    return "×".join(map(str, shape))
