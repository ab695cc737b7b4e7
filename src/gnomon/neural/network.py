"""A network as a value.

    Z_l = A_{l−1}W_l + 1b_lᵀ,    A_l = φ_l(Z_l),    A_0 = X                                            (1)
    Δ_L = ∂ℓ/∂Z_L,    Δ_l = (Δ_{l+1}W_{l+1}ᵀ) ∗ φ'_l(Z_l),    ∇W_l = A_{l−1}ᵀΔ_l,    ∇b_l = Δ_lᵀ1        (2)

(2) is (1) differentiated from the end to the beginning: Rumelhart, Hinton & Williams (1986), doi:10.1038/323533a0. All
parameters are views of one vector θ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, is_sparse
from gnomon.losses import Loss, SquaredLoss
from gnomon.neural._engines import Passes
from gnomon.neural._graph import Node, build
from gnomon.neural._output_loss import check_losses, output_loss
from gnomon.neural._problem import Curvature, Group, NetworkProblem
from gnomon.neural._torch_module import as_module
from gnomon.neural._workspace import Workspace, cut, named_values
from gnomon.neural.function import NetworkFunction
from gnomon.neural.layers._layer import Layer, Shape, shape_text
from gnomon.neural.layers.dense import Dense
from gnomon.neural.layers.initializers import Fans

__all__ = ["NeuralNetwork"]

InputShape: TypeAlias = int | Sequence[int] | Mapping[str, int | Sequence[int]]

_KINDS: Mapping[str, Any] = {"b": "bias", "a": "slope"}
_MOST_FOR_HESSIAN = 2000
_DEEP = 4


@dataclass(init=False, repr=False, eq=False)
class NeuralNetwork:
    """Layers and shapes: initial parameters, forward and backward pass, Jacobian and curvature. Nothing in it changes.

    Parameters
    ----------
    layers : sequence of Layer
        In order; a layer takes the output of the one before it unless `after` names others.
    input_shape : int, tuple of int or dict of str to these
        The shape of a row of X, or of each of several inputs by name; a single input is called "input".

    Attributes
    ----------
    layers : tuple of Layer
    input_shapes, output_shapes : dict of str to tuple of int
    shapes : dict of str to tuple of int
        The shape of a row of the output of every layer.
    n_parameters : int
    depth : int
        The number of layers with weights.

    References
    ----------
    Rumelhart, D. E., Hinton, G. E. & Williams, R. J. (1986). Learning representations by back-propagating errors.
    doi:10.1038/323533a0

    Pearlmutter, B. A. (1994). Fast exact multiplication by the Hessian. doi:10.1162/neco.1994.6.1.147

    Examples
    --------
    f(x) = w σ(vx) with v = 0.4 and w = −0.6, its squared error at (1.5, 1), and the gradient by (2):

    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(1, "sigmoid", bias=False), Dense(1, bias=False)], input_shape=1)
    >>> theta, X, y = np.array([0.4, -0.6]), np.array([[1.5]]), np.array([[1.0]])
    >>> network.output(theta, X).round(7)
    array([[-0.3873938]])
    >>> value, gradient = network.value_and_gradient(theta, X, y, loss=SquaredLoss())
    >>> round(value, 7), gradient.round(7)
    (1.9248615, array([ 0.5713449, -1.7915591]))
    """

    def __init__(self, layers: Sequence[Layer], input_shape: InputShape) -> None:
        self.layers = tuple(layers)
        if not self.layers:
            raise ValueError("layers=[] has no layer; give one at least")
        given = input_shape if isinstance(input_shape, Mapping) else {"input": input_shape}
        self.input_shapes: dict[str, Shape] = {name: _shape(name, shape) for name, shape in given.items()}
        self.nodes: tuple[Node, ...] = build(self.layers, self.input_shapes)
        taken = {source for node in self.nodes for source in node.sources}
        self._outputs = [node.name for node in self.nodes if node.layer.output or node.name not in taken]
        self.shapes: dict[str, Shape] = {node.name: node.shape for node in self.nodes}
        self.output_shapes: dict[str, Shape] = {name: self.shapes[name] for name in self._outputs}
        self.n_parameters: int = sum(node.size for node in self.nodes)
        self.depth: int = sum(1 for node in self.nodes if node.parameters)

    def __getstate__(self) -> dict[str, Any]:
        """Layers and shapes, of which all else is made."""
        return {"layers": self.layers, "input_shapes": self.input_shapes}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        NeuralNetwork.__init__(self, state["layers"], state["input_shapes"])

    def __repr__(self) -> str:
        given = self.input_shapes["input"] if list(self.input_shapes) == ["input"] else self.input_shapes
        return f"NeuralNetwork({list(self.layers)!r}, input_shape={given!r})"

    @classmethod
    def from_kernel_expansion(
        cls, X: ArrayLike, alpha: ArrayLike, activation: str = "tanh", *, scale: float = 1.0, shift: float = 0.0
    ) -> NetworkFunction:
        """Σᵢ αᵢ φ(scale · xᵢᵀx + shift), an expansion in kernels of inner products, as one hidden layer.

        The units of a network and the kernels of an expansion are the same functions; in the expansion the xᵢ are
        fixed, so that α is the solution of a convex problem.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The xᵢ, which become the weights of the hidden units.
        alpha : array-like of shape (n,) or (n, m)
            The αᵢ, which become the weights of the output.
        activation : str or activation, default="tanh"
        scale, shift : float
            Of the kernel.
        """
        rows, weights = np.asarray(X, dtype=float), np.asarray(alpha, dtype=float)
        weights = weights.reshape(len(weights), -1)
        if rows.ndim != 2 or len(weights) != len(rows):
            raise ValueError(f"X has shape {rows.shape} and alpha {len(weights)} rows; give one α for each row")
        network = cls([Dense(len(rows), activation), Dense(weights.shape[1], bias=False)], rows.shape[1])
        theta = np.concatenate([scale * rows.T.ravel(), np.full(len(rows), float(shift)), weights.ravel()])
        return NetworkFunction(network, theta)

    def init(self, rng: np.random.Generator, dtype: Any = np.float64) -> Floats:
        """First values of θ, drawn layer by layer as each says."""
        theta = np.empty(self.n_parameters, dtype)
        for i, node in enumerate(self.nodes):
            later = [p for after in self.nodes[i + 1 :] for p in after.parameters[:1]]
            for view, parameter in zip(self.views(theta)[node.name], node.parameters, strict=True):
                next_out = later[0].fan_out if later else parameter.fan_out
                fans = Fans(parameter.fan_in, parameter.fan_out, next_out, parameter.gain)
                view[...] = parameter.init.draw(rng, parameter.shape, fans)
        return theta

    def views(self, theta: Floats) -> dict[str, tuple[Floats, ...]]:
        """The parameters of every layer as views of θ, by the layer's name."""
        theta = self._checked(theta)
        return {node.name: cut(theta, node.parameters, node.start) for node in self.nodes}

    def forward(self, theta: Floats, X: Any) -> tuple[dict[str, Floats], dict[str, Floats]]:
        """Z_l and A_l of every layer, by name, with random layers off."""
        space = self.workspace(_dtype_of(theta), None)
        space.forward(self._checked(theta), self.read_as(theta, X))
        return named_values(self.nodes, space)  # type: ignore[return-value]

    def output(self, theta: Floats, X: Any, *, passes: Passes | None = None) -> Any:
        """The output for each row, with random layers off; a dict by name where there are several.

        Parameters
        ----------
        theta : ndarray
        X : array-like, or dict of these by input
        passes : callable (dtype, rng) → workspace, optional
            What evaluates the network; by default its own `Workspace`.
        """
        space = (passes or self.workspace)(_dtype_of(theta), None)
        outputs = space.outputs(self._checked(theta), self.read_as(theta, X))
        return outputs[0] if len(outputs) == 1 else dict(zip(self._outputs, outputs, strict=True))

    def value_and_gradient(
        self, theta: Floats, X: Any, y: Any, s: ArrayLike | None = None, *, loss: Any = None, alpha: float = 0.0
    ) -> tuple[float, Floats]:
        """J(θ) = (1/n) [Σ sᵢ ℓᵢ + ½ α Σ ‖W‖²] and its gradient by (2); `loss` is ½ squared unless given."""
        return self.problem(X, y, s, loss=loss, alpha=alpha).value_and_gradient(self._checked(theta))

    def hvp(
        self,
        theta: Floats,
        v: Floats,
        X: Any,
        y: Any,
        s: ArrayLike | None = None,
        *,
        loss: Any = None,
        alpha: float = 0.0,
        curvature: Curvature = "hessian",
    ) -> Floats:
        """∇²J(θ) v, or with ``curvature="gauss_newton"`` the Gauss–Newton matrix times v, exactly."""
        problem = self.problem(X, y, s, loss=loss, alpha=alpha)
        return problem.hvp(self._checked(theta), np.asarray(v, dtype=float), curvature)

    def hessian(
        self,
        theta: Floats,
        X: Any,
        y: Any,
        s: ArrayLike | None = None,
        *,
        loss: Any = None,
        alpha: float = 0.0,
        curvature: Curvature = "hessian",
    ) -> Floats:
        """∇²J(θ) column by column, for at most 2000 parameters."""
        if self.n_parameters > _MOST_FOR_HESSIAN:
            raise ValueError(
                f"hessian is for at most {_MOST_FOR_HESSIAN} parameters and the network has {self.n_parameters}; "
                "use hvp, its product with a vector"
            )
        problem = self.problem(X, y, s, loss=loss, alpha=alpha)
        columns = [problem.hvp(self._checked(theta), e, curvature) for e in np.eye(self.n_parameters)]
        return np.array(columns).T

    def jacobian(self, theta: Floats, X: Any) -> Floats:
        """∂f_k/∂x of every row, shape (n, outputs, *input_shape): one backward sweep for each output."""
        space, inputs = self.workspace(_dtype_of(theta), None), self.read_as(theta, X)
        if len(inputs) != 1 or len(self._outputs) != 1:
            raise ValueError("jacobian is for networks with one input and one output; use value_and_gradient")
        Z, gradient = space.forward(self._checked(theta), inputs)[0], np.empty(self.n_parameters, _dtype_of(theta))
        flat = Z.reshape(len(Z), -1)
        shape = inputs[0].shape
        found = np.empty((len(Z), flat.shape[1], *shape[1:]), Z.dtype)
        for k in range(flat.shape[1]):
            delta = np.zeros_like(flat)
            delta[:, k] = 1
            found[:, k] = space.backward([delta.reshape(Z.shape)], gradient, wants_inputs=True)[0].reshape(shape)
        return found

    def problem(
        self,
        X: Any,
        y: Any,
        s: ArrayLike | None = None,
        *,
        loss: Any = None,
        output_weights: Any = None,
        **options: Any,
    ) -> NetworkProblem:
        """The fit of this network to rows, as `gnomon.optim` takes it.

        Parameters
        ----------
        X : array-like, or dict of these by input
        y : array-like, or dict of these by output
            For losses of classes their indices, else a column for each number of the output.
        s : array-like of shape (n,), optional
        loss : Loss, sequence of Loss (one for each column), or dict of these by output, optional
            By default half the squared error.
        output_weights : float or sequence of float, or dict of these by output, optional
            What each loss counts.
        **options
            `alpha`, `l1`, `max_norm`, `penalty_scale`, `penalize_intercept`, `rng`, `passes`.
        """
        flat = [node.name for node in self.nodes if not node.layer.gradient]
        if flat:
            raise ValueError(
                f"the activation of layer {flat[0]!r} has the derivative 0 everywhere, so gradients cannot train it; "
                "use sigmoid or tanh"
            )
        loss = SquaredLoss(half=True) if loss is None else loss
        by_head: Mapping[str, Any] = loss if isinstance(loss, Mapping) else dict.fromkeys(self._outputs, loss)
        truths = y if isinstance(y, Mapping) else dict.fromkeys(self._outputs, y)
        counts = output_weights if isinstance(output_weights, Mapping) else dict.fromkeys(self._outputs, output_weights)
        missing = [name for name in self._outputs if name not in by_head or name not in truths]
        if missing:
            raise ValueError(f"output {missing[0]!r} has no loss or no y; give both by the names {self._outputs}")
        inputs = self.read(X)
        heads, targets = [], []
        for name in self._outputs:
            _check_flat(name, self.shapes[name])
            check_losses([by_head[name]] if isinstance(by_head[name], Loss) else by_head[name])
            heads.append(output_loss(by_head[name], counts.get(name), prod(self.shapes[name])))
            targets.append(_target(truths[name], by_head[name], self.shapes[name], inputs[0]))
        weights = None if s is None else np.asarray(s, dtype=float)
        return NetworkProblem(self, inputs, targets, heads, weights, **options)

    def groups(
        self, alpha: float = 0.0, l1: float = 0.0, max_norm: float | None = None, penalize_intercept: bool = False
    ) -> tuple[Group, ...]:
        """Every array of parameters with its place in θ, its kind and its penalties."""
        found = []
        for node in self.nodes:
            start = node.start
            for p in node.parameters:
                kind = _KINDS.get(p.name, "weight")
                penal = p.penalized or (penalize_intercept and kind == "bias")
                own_l1, own_l2 = getattr(node.layer, "l1", None), getattr(node.layer, "l2", None)
                bound = getattr(node.layer, "max_norm", None)
                found.append(
                    Group(
                        f"{node.name}.{p.name}",
                        node.name,
                        slice(start, start + p.size),
                        p.shape,
                        kind,
                        penal,
                        node.layer.trainable,
                        (l1 if own_l1 is None else own_l1) if penal else 0.0,
                        (alpha if own_l2 is None else own_l2) if penal else 0.0,
                        (max_norm if bound is None else bound) if p.norm_axis is not None else None,
                        p.norm_axis,
                    )
                )
                start += p.size
        return tuple(found)

    def to_torch(self, theta: Floats) -> Any:
        """A ``torch.nn.Module`` with the same outputs, whose parameters are copies of θ; it needs PyTorch."""
        return as_module(self, self._checked(theta))

    def summary(self) -> str:
        """A table of the layers: name, output shape, parameters."""
        kind = "deep" if self.depth >= _DEEP else "shallow"
        inputs = ", ".join(f"{name} {shape_text(shape)}" for name, shape in self.input_shapes.items())
        lines = [f"{'layer':<20}{'takes':<24}{'output':>12}{'parameters':>14}"]
        lines += [
            f"{node.name:<20}{', '.join(node.sources):<24}{shape_text(node.shape):>12}{node.size:>14}"
            for node in self.nodes
        ]
        lines.append(f"{kind} network of {self.depth} layers on {inputs}, {self.n_parameters} parameters")
        return "\n".join(lines)

    def draw(self, rng: np.random.Generator, n: int) -> dict[str, dict[str, Any]]:
        """What the random layers draw for a batch of n rows, by the layer's name and in the order of the passes."""
        return {node.name: node.layer.draw(rng, n, node.input_shapes) for node in self.nodes if node.layer.random}

    def workspace(self, dtype: Any, rng: np.random.Generator | None) -> Workspace:
        """Arrays for passes of one thread."""
        return Workspace(self.nodes, list(self.input_shapes), self._outputs, dtype, rng)

    def read(self, X: Any) -> list[Any]:
        """The inputs in order, each with rows of its shape; 2-D rows are reshaped in C order."""
        given = X if isinstance(X, Mapping) else {next(iter(self.input_shapes)): X}
        if set(given) != set(self.input_shapes):
            raise ValueError(
                f"X has the inputs {sorted(given)} and the network {sorted(self.input_shapes)}; give these"
            )
        return [_rows_of(name, given[name], shape) for name, shape in self.input_shapes.items()]

    def read_as(self, theta: Floats, X: Any) -> list[Any]:
        """What `read` gives, in the precision of θ."""
        dtype = _dtype_of(theta)
        return [x.astype(dtype, copy=False) for x in self.read(X)]

    @property
    def widest(self) -> int:
        """How many numbers a row has where it has most, among inputs and layers."""
        return max(prod(shape) for shape in (*self.input_shapes.values(), *self.shapes.values()))

    @property
    def parameter_shapes(self) -> list[Shape]:
        """The shapes of all arrays of parameters, in the order in which they lie in θ."""
        return [parameter.shape for node in self.nodes for parameter in node.parameters]

    @property
    def random(self) -> bool:
        """Whether a layer draws while training."""
        return any(layer.random for layer in self.layers)

    def _checked(self, theta: Floats) -> Floats:
        if np.shape(theta) != (self.n_parameters,):
            raise ValueError(f"theta has shape {np.shape(theta)}; the network needs ({self.n_parameters},)")
        return theta


def _shape(name: str, shape: int | Sequence[int]) -> Shape:
    lengths = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if not lengths or any(not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1 for k in lengths):
        raise ValueError(f"input_shape of {name!r} is {shape!r}; give a positive integer or a tuple of these")
    return tuple(map(int, lengths))


def _check_flat(name: str, shape: Shape) -> None:
    if len(shape) > 1:
        raise ValueError(
            f"output {name!r} has rows of shape {shape_text(shape)}; end with Flatten, losses take columns"
        )


def _dtype_of(theta: Floats) -> Any:
    return np.asarray(theta).dtype if np.asarray(theta).dtype.kind in "fc" else np.float64


def _rows_of(name: str, x: Any, shape: Shape) -> Any:
    thin: bool = is_sparse(x)
    if thin and len(shape) == 1:
        rows: Any = x
    else:
        rows = np.asarray(x.toarray() if thin else x)
        rows = rows if rows.dtype.kind in "fc" else rows.astype(float)
        if rows.ndim == 2 and len(shape) > 1 and rows.shape[1] == int(np.prod(shape)):
            rows = rows.reshape(len(rows), *shape)
    if tuple(rows.shape[1:]) != shape:
        found = shape_text(tuple(rows.shape[1:])) or "no columns"
        raise ValueError(f"rows of {name!r} have shape {found}; the network needs {shape_text(shape)}")
    return rows if is_sparse(rows) else np.ascontiguousarray(rows)


def _target(y: Any, loss: Any, shape: Shape, x: Any) -> Array:
    y = np.asarray(y)
    if isinstance(loss, Loss) and loss.targets == "index":
        if y.shape != (x.shape[0],):
            raise ValueError(
                f"y has shape {y.shape}; a loss of classes needs the index of a class for each of {x.shape[0]} rows"
            )
        return np.ascontiguousarray(y, dtype=np.intp)
    columns = y.reshape(len(y), -1) if y.ndim else y
    if columns.shape != (x.shape[0], *shape) and columns.shape != (x.shape[0], int(np.prod(shape))):
        raise ValueError(f"y has shape {y.shape}; the output needs {shape_text((x.shape[0], *shape))}")
    return np.ascontiguousarray(columns.reshape(x.shape[0], *shape), dtype=x.dtype)
