"""The training of a network as a problem for `gnomon.optim`.

    J(θ) = (1/n) [Σᵢ sᵢ ℓᵢ(θ) + ½ Σ_l α_l ‖W_l‖²_F],    n = Σ sᵢ                                        (1)
    ĝ = (n_rows/(|B| n)) Σ_{i∈B} sᵢ ∇ℓᵢ + ∇penalty/n                                                   (2)

(2) is an unbiased estimate of ∇J from the rows B; without weights it is the mean over the batch. The problem knows
layers, data and loss; an optimiser sees a vector, its gradient, and slices with names. Bottou, Curtis & Nocedal (2018),
doi:10.1137/16M1080173.

Where the rows are much work they are summed in parts, and the parts are added in their order. Threads may share them;
since parts depend on the work alone, results are the same to the bit for every number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.neural._engines import Passes
from gnomon.neural._output_loss import OutputLoss
from gnomon.neural._row_sums import BatchRows, RowData, RowSums, part_of, work_of_a_row
from gnomon.neural._weight_penalty import WeightPenalty
from gnomon.numerics.augment import Augmentation, check_augment
from gnomon.numerics.parts import Run, fixed_parts, in_turn
from gnomon.numerics.random import check_rng
from gnomon.optim import ParameterGroup

__all__ = ["Curvature", "Group", "NetworkProblem"]

Curvature: TypeAlias = Literal["hessian", "gauss_newton"]

_IMAGINARY = 1e-30
"""The step of complex differentiation: no difference is taken, so nothing cancels, however small it is."""

LEAST_WORK = 12 * 10**6
"""Multiply-adds of the way forward for which a part of the rows is worth having: its gradient must be added."""


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
    run : callable (function, items) → list, optional
        What works through the parts of the rows, a `Team` of threads for example; by default one after the other.
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
        run: Run = in_turn,
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
        changes = _checked_augment(augment, inputs, rng)
        data = RowData(self.inputs, self.targets, self.losses, changes, check_rng(rng))
        self._whole = bool(network.random or changes)
        self._new_sums = lambda: RowSums(
            data, (passes or network.workspace)(self.dtype, rng), network.widest, self._whole
        )
        self._sums, self._used = [self._new_sums()], 1
        self._run, self._least = run, -(-LEAST_WORK // max(work_of_a_row(network), 1))
        self._others, self._gradients = np.empty((0, self.size), self.dtype), list[Floats]()
        self._penalty = WeightPenalty(arrays, self.size, run)
        self._frozen = [group.where for group in arrays if not group.trainable]
        self._flat: dict[int, Floats] = {}

    def freeze(self, draws: Mapping[str, dict[str, Any]] | None) -> None:
        """Let random layers use these draws, as `NeuralNetwork.draw` returns them, in training; None: draw again."""
        self._sums[0].space.freeze(draws)

    def patterns(self) -> list[Array]:
        """Which linear piece each unit was on in the last passes."""
        return [pattern for sums in self._sums[: self._used] for pattern in sums.space.patterns()]

    def batch_value_and_gradient(self, theta: Floats, rows: BatchRows, gradient: Floats) -> float:
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
        parts = self._parts(slice(0, self.n_rows), self._full_weights(), False)
        total = self._total(lambda k: self._sums[k].value(theta, *parts[k]), len(parts))
        return total + self._penalty.add(theta, np.empty(0, self.dtype), 1.0 / self.total, self._others[:0])

    def sensitivities(self, theta: Floats) -> tuple[dict[str, tuple[Floats, ...]], dict[str, Floats]]:
        """∂J/∂θ_l and ∂J/∂Z_l of every layer, by name, on all rows, the penalty included in the first."""
        gradient, everything = np.empty(self.size, self.dtype), slice(0, self.n_rows)
        self._sums[0].one_pass(theta, everything, self._full_weights(), gradient, training=False)
        self._penalty.add(theta, gradient, 1.0 / self.total, self._others[:0])
        self._without_frozen(gradient)
        names = [node.name for node in self.network.nodes]
        return self.network.views(gradient), dict(zip(names, self._sums[0].space.deltas, strict=True))

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
        ridge = self._ridge_times(v)
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

    def _ridge_times(self, v: Floats) -> Floats:
        found = np.zeros(self.size)
        self._penalty.add(np.asarray(v, dtype=float), found, 1.0 / self.total, np.empty((0, self.size)))
        return found

    def _evaluate(
        self, theta: Floats, rows: BatchRows, w: Floats, scale: float, gradient: Floats, training: bool
    ) -> float:
        parts = self._parts(rows, w, training)

        def add_up(k: int) -> float:
            out = self._gradients[k - 1] if k else gradient
            return self._sums[k].value_and_gradient(theta, *parts[k], out, training)

        total = self._total(add_up, len(parts))
        total += self._penalty.add(theta, gradient, scale, self._others[: len(parts) - 1])
        if self._frozen:
            self._without_frozen(gradient)
        return total

    def _parts(self, rows: BatchRows, w: Floats, training: bool) -> list[tuple[BatchRows, Floats]]:
        """The rows in parts: one where something draws for all of them, or the engine has threads of its own."""
        whole = (training and self._whole) or not self._sums[0].space.by_parts
        parts = [slice(0, len(w))] if whole else fixed_parts(len(w), self._least)
        self._used = len(parts)
        while len(self._sums) < len(parts):
            self._sums.append(self._new_sums())
        if len(self._others) < len(parts) - 1:
            self._others = np.empty((len(parts) - 1, self.size), self.dtype)
            self._gradients = list(self._others)
        return [(part_of(rows, part.start, part.stop), w[part]) for part in parts] if len(parts) > 1 else [(rows, w)]

    def _total(self, sums: Callable[[int], float], parts: int) -> float:
        """The sum over the parts; a thread ignores overflows where the caller does."""
        if parts == 1:
            return sums(0)
        contexts = [copy_context() for _ in range(parts)]
        return sum(self._run(lambda k: contexts[k].run(sums, k), range(parts)))

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
