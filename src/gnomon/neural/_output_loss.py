"""Losses on the outputs of a network: value and derivative over a batch.

    Σᵢ wᵢ ℓ(yᵢ, zᵢ),    Δ = wᵢ ∂ℓ/∂zᵢ,    R{Δ} = wᵢ ∂²ℓ/∂zᵢ² R{zᵢ}                                      (1)

A loss of one score is summed over the columns of the output, each with a loss of its own where several are given; a
loss of a row of scores takes the row. The formulas are those of `gnomon.losses`. R{·} is the directional derivative of
Pearlmutter (1994), doi:10.1162/neco.1994.6.1.147.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from gnomon._jit import compiled, jit_no_alloc
from gnomon._typing import Array, Floats
from gnomon.losses import Loss

__all__ = ["ColumnLosses", "OutputLoss", "SingleLoss", "output_loss"]


class OutputLoss(Protocol):
    """What a problem asks of the loss of one output."""

    def evaluate(self, y: Array, Z: Floats, w: Floats, delta: Floats) -> float:
        """Σ wᵢ ℓᵢ, with its derivative in Z written to `delta`."""

    def curvature_times(self, y: Array, Z: Floats, w: Floats, RZ: Floats) -> Floats:
        """The derivative of `delta` in the direction RZ."""


def output_loss(loss: Loss | Sequence[Loss], weights: float | Sequence[float] | None, n_columns: int) -> OutputLoss:
    """The loss of one output: of all its columns, or one for each; with a weight for each."""
    given = np.asarray(1.0 if weights is None else weights, dtype=float)
    if not np.all((given >= 0.0) & (given < np.inf)):
        raise ValueError(f"output_weights={weights!r} must be ≥ 0; give what the loss of each output counts")
    whole = isinstance(loss, Loss) and loss.targets == "index"
    if given.ndim and (whole or given.shape != (n_columns,)):
        counted = "one of whole rows; give one number" if whole else f"a sum over {n_columns}; give as many numbers"
        raise ValueError(
            f"output_weights={weights!r} has {given.size} numbers, and the loss of the output is {counted}"
        )
    if not isinstance(loss, Loss) and len(loss) != n_columns:
        raise ValueError(
            f"loss={loss!r} has {len(loss)} losses for {n_columns} columns of the output; give one for each"
        )
    if isinstance(loss, Loss):
        if given.ndim:
            return ColumnLosses((loss,) * len(given), tuple(given.tolist()))
        return SingleLoss(loss) if weights is None else CountedLoss(SingleLoss(loss), float(given))
    return ColumnLosses(tuple(loss), tuple(np.broadcast_to(given, len(loss)).tolist()))


@dataclass(frozen=True)
class CountedLoss:
    """A loss that counts `weight` times."""

    loss: OutputLoss
    weight: float

    def evaluate(self, y: Array, Z: Floats, w: Floats, delta: Floats) -> float:
        return self.loss.evaluate(y, Z, (self.weight * w).astype(w.dtype, copy=False), delta)

    def curvature_times(self, y: Array, Z: Floats, w: Floats, RZ: Floats) -> Floats:
        return self.weight * self.loss.curvature_times(y, Z, w, RZ)


@dataclass(frozen=True)
class SingleLoss:
    """One loss for a whole output."""

    loss: Loss

    def evaluate(self, y: Array, Z: Floats, w: Floats, delta: Floats) -> float:
        return self._evaluation(y, Z, w, delta)

    @cached_property
    def _evaluation(self) -> Callable[[Array, Floats, Floats, Floats], float]:
        """The kernel for rows or for numbers, or the loss's own arrays where no kernel takes it."""
        loss = self.loss
        if loss.record is None or (loss.targets == "index" and not loss.by_row):
            return partial(_in_numpy, loss)
        return partial(_rows if loss.by_row else _elements, compiled(loss))

    def curvature_times(self, y: Array, Z: Floats, w: Floats, RZ: Floats) -> Floats:
        return w[:, None] * np.asarray(self.loss.curvature_times(_like(y, self.loss), Z, RZ))


@dataclass(frozen=True)
class ColumnLosses:
    """A loss of its own, with a weight, for each column."""

    losses: tuple[Loss, ...]
    weights: tuple[float, ...]

    def evaluate(self, y: Array, Z: Floats, w: Floats, delta: Floats) -> float:
        total = 0.0
        for j, (loss, weight) in enumerate(zip(self.losses, self.weights, strict=True)):
            column, part = np.ascontiguousarray(Z[:, j : j + 1]), np.empty((len(Z), 1), Z.dtype)
            total += SingleLoss(loss).evaluate(np.ascontiguousarray(y[:, j : j + 1]), column, weight * w, part)
            delta[:, j] = part[:, 0]
        return total

    def curvature_times(self, y: Array, Z: Floats, w: Floats, RZ: Floats) -> Floats:
        parts = [
            weight * SingleLoss(loss).curvature_times(y[:, [j]], Z[:, [j]], w, RZ[:, [j]])
            for j, (loss, weight) in enumerate(zip(self.losses, self.weights, strict=True))
        ]
        return np.concatenate(parts, axis=1)


def _like(y: Array, loss: Loss) -> Array:
    return y.astype(np.intp) if loss.targets == "index" else y


def _in_numpy(loss: Loss, y: Array, Z: Floats, w: Floats, delta: Floats) -> float:
    """By the loss's own arrays: for losses that no kernel takes."""
    y = _like(y, loss)
    values = np.asarray(loss.value(y, Z))
    delta[...] = w[:, None] * loss.gradient(y, Z)
    return float(w @ (values if values.ndim == 1 else np.sum(values, axis=1)))


@jit_no_alloc
def _elements(loss, y, Z, w, delta):
    n, m = Z.shape
    total = 0.0
    for i in range(n):
        row = 0.0
        for j in range(m):
            value, slope = loss.value_and_gradient(y[i, j], Z[i, j])
            row += value
            delta[i, j] = w[i] * slope
        total += w[i] * row
    return total


@jit_no_alloc
def _rows(loss, y, Z, w, delta):
    n, m = Z.shape
    total = 0.0
    for i in range(n):
        total += w[i] * loss.row(y[i], Z[i], delta[i])
        for j in range(m):
            delta[i, j] *= w[i]
    return total


def check_losses(losses: Sequence[Any]) -> None:
    """ValueError where one of them cannot be trained by gradients."""
    for loss in losses:
        if not isinstance(loss, Loss) or not loss.trainable or not loss.additive:
            raise ValueError(f"loss={loss!r} cannot be minimised by gradients; give a loss of gnomon.losses that can")
