"""The training of a network as a problem for `gnomon.optim`.

    J(θ) = (1/n) [Σᵢ sᵢ ℓᵢ(θ) + ½ Σ_l α_l ‖W_l‖²_F],    n = Σ sᵢ                                        (1)
    ĝ = (n_rows/(|B| n)) Σ_{i∈B} sᵢ ∇ℓᵢ + ∇penalty/n                                                   (2)

(2) is an unbiased estimate of ∇J from the rows B; without weights it is the mean over the batch. The problem knows
layers, data and loss; an optimiser sees a vector, its gradient, and slices with names. Bottou, Curtis & Nocedal (2018),
doi:10.1137/16M1080173.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._jit import jit_no_alloc, subroutine_reassoc
from gnomon._typing import Array, Floats, Integers
from gnomon.neural._engines import Passes
from gnomon.neural._output_loss import OutputLoss
from gnomon.numerics.augment import Augmentation, augment_rows, check_augment
from gnomon.numerics.random import check_rng
from gnomon.optim import ParameterGroup

__all__ = ["Curvature", "Group", "NetworkProblem"]

Curvature: TypeAlias = Literal["hessian", "gauss_newton"]

_IMAGINARY = 1e-30
"""The step of complex differentiation: no difference is taken, so nothing cancels, however small it is."""

_BLOCK, _SHORTEST = 2**17, 256
"""Numbers of the widest array of a block of rows, and the least of rows."""


class Group(NamedTuple):
    """One array of parameters, as an optimiser sees it.

    Fields
    ------
    name, layer : str
    where : slice
        Its place in θ.
    shape : tuple of int
    kind : {"weight", "bias", "slope"}
    penalized : bool
    trainable : bool
    l1, l2 : float
        Strengths of the penalties l1 ‖W‖₁ + ½ l2 ‖W‖² before the division by n.
    max_norm : float or None
    norm_axis : int or None
        The axis that counts units; the other axes are one unit's incoming weights.
    """

    name: str
    layer: str
    where: slice
    shape: tuple[int, ...]
    kind: Literal["weight", "bias", "slope"]
    penalized: bool
    trainable: bool
    l1: float
    l2: float
    max_norm: float | None
    norm_axis: int | None


class NetworkProblem:
    """A network, rows with targets and weights, losses and penalties: J and its gradient.

    Parameters
    ----------
    network : NeuralNetwork
    inputs : sequence of arrays
        One for each input of the network, with as many rows each.
    targets : sequence of arrays
        One for each output.
    losses : sequence of OutputLoss
        One for each output.
    s : ndarray of shape (n_rows,), optional
        Weights of the rows; None is one for each.
    alpha, l1 : float
        Penalties of all weights whose layer names none of its own.
    max_norm : float, optional
    penalty_scale : {"all", "batch"}
        Whether a mini-batch divides the penalty by n, or, as scikit-learn, by its own number of rows.
    penalize_intercept : bool
        Whether biases are penalised too, and belong to the norms that `max_norm` bounds.
    rng : numpy.random.Generator, optional
        For random layers and transformations.
    augment : Augmentation or sequence of these, optional
        What changes the rows of each mini-batch, before the first layer.
    passes : callable (dtype, rng) → workspace, optional
        What evaluates the network; by default its own `Workspace`.
    """

    def __init__(
        self,
        network: Any,
        inputs: Sequence[Any],
        targets: Sequence[Array],
        losses: Sequence[OutputLoss],
        s: Floats | None = None,
        *,
        alpha: float = 0.0,
        l1: float = 0.0,
        max_norm: float | None = None,
        penalty_scale: Literal["all", "batch"] = "all",
        penalize_intercept: bool = False,
        rng: np.random.Generator | None = None,
        augment: Any = None,
        passes: Passes | None = None,
    ) -> None:
        self.network, self.losses = network, tuple(losses)
        self.inputs, self.targets = list(inputs), list(targets)
        self.n_rows, self.size = int(inputs[0].shape[0]), int(network.n_parameters)
        self.dtype = np.dtype(inputs[0].dtype)
        self.weights = None if s is None else np.ascontiguousarray(s, dtype=self.dtype)
        self.total = float(self.n_rows if s is None else np.sum(s))
        self.penalty_scale = penalty_scale
        arrays = network.groups(alpha, l1, max_norm, penalize_intercept)
        self.groups: tuple[ParameterGroup, ...] = _for_optimisers(arrays, self.total, penalize_intercept)
        self._workspace = (passes or network.workspace)(self.dtype, rng)
        self._augment, self._draws = _checked_augment(augment, inputs, rng), check_rng(rng)
        self._set_penalties(arrays)
        self._flat: dict[int, Floats] = {}
        self._taken: dict[tuple[int, int], Array] = {}
        self._part = np.empty(0, self.dtype)
        self._block = max(_BLOCK // network.widest, _SHORTEST)

    def _set_penalties(self, arrays: Sequence[Group]) -> None:
        ridge = [group for group in arrays if group.l2 and group.trainable]
        self._starts = np.array([group.where.start for group in ridge], dtype=np.int64)
        self._stops = np.array([group.where.stop for group in ridge], dtype=np.int64)
        self._strengths = np.array([group.l2 for group in ridge], dtype=float)
        self._frozen = [group.where for group in arrays if not group.trainable]

    def freeze(self, draws: Mapping[str, dict[str, Any]] | None) -> None:
        """Let random layers use these draws, as `NeuralNetwork.draw` returns them, in training; None: draw again."""
        self._workspace.freeze(draws)

    def patterns(self) -> list[Array]:
        """Which linear piece each unit was on in the last pass."""
        return self._workspace.patterns()

    def batch_value_and_gradient(self, theta: Floats, rows: Integers | slice, gradient: Floats) -> float:
        """The estimate of J from some rows, with (2) written to `gradient`; random layers draw."""
        rows = slice(*rows.indices(self.n_rows)[:2]) if isinstance(rows, slice) else rows
        n = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
        w = self._equal(n) if self.weights is None else self.weights[rows] * (self.n_rows / (n * self.total))
        scale = 1.0 / (n if self.penalty_scale == "batch" else self.total)
        return self._evaluate(theta, rows, w, scale, gradient, training=True)

    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]:
        """J and ∇J on all rows, with random layers off."""
        gradient = np.empty(self.size, self.dtype)
        everything, w = slice(0, self.n_rows), self._full_weights()
        value = self._evaluate(theta, everything, w, 1.0 / self.total, gradient, training=False)
        return value, gradient

    def value(self, theta: Floats) -> float:
        """J on all rows, with random layers off."""
        w, total = self._full_weights(), 0.0
        for rows, share in self._blocks(slice(0, self.n_rows), w, False):
            outputs = self._workspace.outputs(theta, self._of(self.inputs, rows))
            for Z, y, loss in zip(outputs, self._of(self.targets, rows), self.losses, strict=True):
                total += loss.evaluate(y, Z, share, np.empty_like(Z))
        return total + self._penalty(theta, None, 1.0 / self.total)

    def sensitivities(self, theta: Floats) -> tuple[dict[str, tuple[Floats, ...]], dict[str, Floats]]:
        """∂J/∂θ_l and ∂J/∂Z_l of every layer, by name, on all rows, the penalty included in the first."""
        gradient, everything = np.empty(self.size, self.dtype), slice(0, self.n_rows)
        self._pass(theta, everything, self._full_weights(), gradient, training=False)
        self._penalty(theta, gradient, 1.0 / self.total)
        self._without_frozen(gradient)
        names = [node.name for node in self.network.nodes]
        return self.network.views(gradient), dict(zip(names, self._workspace.deltas, strict=True))

    def hvp(self, theta: Floats, v: Floats, curvature: Curvature = "hessian") -> Floats:
        """∇²J v, or the Gauss–Newton matrix Σ JᵢᵀHᵢJᵢ (with the penalty) times v.

        The gradient is evaluated at θ + iεv: its imaginary part is ε∇²J v without a difference that could cancel
        (Squire & Trapp 1998, doi:10.1137/S003614459631241X). The losses, which are not written for complex scores, give
        their own curvature.
        """
        w = self._full_weights().astype(float)
        space = self.network.workspace(np.complex128, None)
        outputs = space.forward(theta + 1j * _IMAGINARY * v, [_complex(x) for x in self.inputs])
        bent = []
        for Z, y, loss in zip(outputs, self.targets, self.losses, strict=True):
            bent.append(loss.curvature_times(y, np.ascontiguousarray(Z.real), w, Z.imag / _IMAGINARY))
        ridge = self._ridge(v)
        if curvature == "gauss_newton":
            return self._pulled_back(theta, bent) + ridge
        deltas = []
        for Z, y, loss, rd in zip(outputs, self.targets, self.losses, bent, strict=True):
            delta = np.empty(Z.shape)
            loss.evaluate(y, np.ascontiguousarray(Z.real), w, delta)
            deltas.append(delta + 1j * _IMAGINARY * rd)
        gradient = np.empty(self.size, complex)
        space.backward(deltas, gradient)
        return self._without_frozen(gradient.imag / _IMAGINARY) + ridge

    def curvature_product(self, theta: Floats, curvature: Curvature) -> Callable[[Floats], Floats]:
        """v → `hvp` at θ, as Newton's method takes it."""
        return lambda v: self.hvp(theta, v, curvature)

    def _pulled_back(self, theta: Floats, deltas: Sequence[Floats]) -> Floats:
        space, gradient = self.network.workspace(np.float64, None), np.empty(self.size)
        space.forward(np.asarray(theta, float), [_real(x) for x in self.inputs])
        space.backward(list(deltas), gradient)
        return self._without_frozen(gradient)

    def _ridge(self, v: Floats) -> Floats:
        found = np.zeros(self.size)
        for start, stop, strength in zip(self._starts, self._stops, self._strengths, strict=True):
            found[start:stop] = strength / self.total * v[start:stop]
        return found

    def _evaluate(
        self, theta: Floats, rows: Integers | slice, w: Floats, scale: float, gradient: Floats, training: bool
    ) -> float:
        total = 0.0
        for k, (some, share) in enumerate(self._blocks(rows, w, training)):
            total += self._pass(theta, some, share, gradient if k == 0 else self._spare(), training)
            if k > 0:
                gradient += self._part
        total += self._penalty(theta, gradient, scale)
        if self._frozen:
            self._without_frozen(gradient)
        return total

    def _pass(self, theta: Floats, rows: Integers | slice, w: Floats, gradient: Floats, training: bool) -> float:
        """Σ wᵢ ℓᵢ over some rows, with its gradient written."""
        space, inputs, targets = self._workspace, self._of(self.inputs, rows), self._of(self.targets, rows, -1)
        if training and self._augment:
            inputs, targets = self._changed(inputs, targets)
        outputs = space.forward(theta, inputs, training=training)
        total, deltas = 0.0, []
        for k, (Z, y, loss) in enumerate(zip(outputs, targets, self.losses, strict=True)):
            delta = space.runs[k].array("delta of the output", Z.shape)
            total += loss.evaluate(y, Z, w, delta)
            deltas.append(delta)
        space.backward(deltas, gradient)
        return total

    def _blocks(self, rows: Integers | slice, w: Floats, training: bool) -> Iterator[tuple[Integers | slice, Floats]]:
        """The rows, many of them a block at a time, so that what a pass keeps is small and stays in the cache.

        Layers and transformations that draw get all rows at once: their draws do not depend on the size of blocks.
        """
        if len(w) <= self._block or (training and (self.network.random or self._augment)):
            yield rows, w
            return
        for first in range(0, len(w), self._block):
            last = min(first + self._block, len(w))
            ours = slice(rows.start + first, rows.start + last) if isinstance(rows, slice) else rows[first:last]
            yield ours, w[first:last]

    def _changed(self, inputs: list[Any], targets: list[Any]) -> tuple[list[Any], Any]:
        """A batch after the transformations; what they make of several targets is a list again."""
        one = len(targets) == 1
        X, y = augment_rows(self._augment, inputs[0], targets[0] if one else targets, self._draws)
        return [np.ascontiguousarray(X, dtype=self.dtype)], [y] if one else y

    def _spare(self) -> Floats:
        if not len(self._part):
            self._part = np.empty(self.size, self.dtype)
        return self._part

    def _of(self, arrays: Sequence[Any], rows: Integers | slice, sign: int = 1) -> list[Any]:
        """These rows of the arrays, in memory that is kept for so many; `sign` tells inputs from targets."""
        if isinstance(rows, slice):
            return [x[rows] for x in arrays]
        return [self._take(sign * (k + 1), x, rows) for k, x in enumerate(arrays)]

    def _take(self, place: int, x: Any, rows: Integers) -> Any:
        if not isinstance(x, np.ndarray):
            return x[rows]
        out = self._taken.get((place, len(rows)))
        if out is None:
            out = self._taken[place, len(rows)] = np.empty((len(rows), *x.shape[1:]), x.dtype)
        # With mode="raise", which checks the rows, NumPy would copy twice.
        return x.take(rows, axis=0, out=out, mode="clip")

    def _penalty(self, theta: Floats, gradient: Floats | None, scale: float) -> float:
        if not len(self._starts):
            return 0.0
        given = np.empty(0, theta.dtype) if gradient is None else gradient
        return float(_add_ridge(theta, given, self._starts, self._stops, self._strengths, scale))

    def _without_frozen(self, gradient: Floats) -> Floats:
        for where in self._frozen:
            gradient[where] = 0
        return gradient

    def _equal(self, n: int) -> Floats:
        found = self._flat.get(n)
        if found is None:
            found = self._flat[n] = np.full(n, 1.0 / n, self.dtype)
        return found

    def _full_weights(self) -> Floats:
        return self._equal(self.n_rows) if self.weights is None else self.weights / self.total


def _for_optimisers(arrays: Sequence[Group], total: float, penalize_intercept: bool) -> tuple[ParameterGroup, ...]:
    """The arrays as `gnomon.optim` takes them; it leaves those of frozen layers alone, whose gradient is zero."""
    layers = list(dict.fromkeys(group.layer for group in arrays))
    biases = {group.layer: group.where.start for group in arrays if group.kind == "bias" and penalize_intercept}
    return tuple(
        ParameterGroup(
            group.name,
            group.where.start,
            group.where.stop,
            group.shape,
            group.kind,
            layers.index(group.layer),
            penalized=bool(group.l2),
            l1=group.l1 / total if group.trainable else 0.0,
            max_norm=np.inf if group.max_norm is None or not group.trainable else group.max_norm,
            unit_axis=-1 if group.norm_axis is None else group.norm_axis,
            bias_start=-1 if group.norm_axis is None else biases.get(group.layer, -1),
        )
        for group in arrays
    )


def _checked_augment(augment: Any, inputs: Sequence[Any], rng: np.random.Generator | None) -> tuple[Augmentation, ...]:
    found = check_augment(augment)
    if found and (len(inputs) != 1 or not isinstance(inputs[0], np.ndarray)):
        raise ValueError(f"augment={augment!r} needs a network with one input and dense rows; leave it out")
    if found and rng is None:
        raise ValueError(f"augment={augment!r} draws while training and has no generator; give rng=")
    return found


def _complex(x: Any) -> Any:
    return x.astype(np.complex128)


def _real(x: Any) -> Any:
    return x.astype(np.float64)


@jit_no_alloc
def _add_ridge(theta, gradient, starts, stops, strengths, scale):
    """½ scale Σ strength ‖slice‖², with its gradient added (unless the gradient has no elements)."""
    total = 0.0
    for k in range(starts.shape[0]):
        c = theta.dtype.type(strengths[k] * scale)
        part = theta[starts[k] : stops[k]]
        to = gradient[starts[k] : stops[k]] if gradient.shape[0] > 0 else gradient
        total += 0.5 * c * _add_multiple(part, to, c)
    return total


@subroutine_reassoc
def _add_multiple(part, to, c):
    """‖part‖², with c times it added to `to` unless that is empty."""
    square = 0.0
    for i in range(part.shape[0]):
        square += float(part[i]) * float(part[i])
    for i in range(to.shape[0]):
        to[i] += c * part[i]
    return square
