"""The part of an objective that is a sum over rows, and its gradient.

    F = Σᵢ wᵢ ℓᵢ(θ),    G = Σᵢ wᵢ ∇ℓᵢ(θ),    i over some of the rows                                       (1)

What a pass needs, and what it leaves, is kept from one call to the next: a `RowSums` belongs to one thread. Bottou,
Curtis & Nocedal (2018), doi:10.1137/16M1080173.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Array, Floats, Integers
from gnomon.neural._output_loss import OutputLoss
from gnomon.numerics.augment import Augmentation, augment_rows

__all__ = ["BatchRows", "RowData", "RowSums", "part_of", "work_of_a_row"]

BatchRows: TypeAlias = Integers | slice

_BLOCK, _SHORTEST = 2**17, 256
"""Numbers of the widest array of a block of rows, and the least of rows."""


class RowData(NamedTuple):
    """The rows, and the losses that count them.

    Fields
    ------
    inputs, targets : list of arrays
        One for each input and output of the network.
    losses : tuple of OutputLoss
    augment : tuple of Augmentation
        What changes the rows of a batch in training, before the first layer.
    draws : numpy.random.Generator
        For these.
    """

    inputs: list[Any]
    targets: list[Array]
    losses: tuple[OutputLoss, ...]
    augment: tuple[Augmentation, ...]
    draws: np.random.Generator


class RowSums:
    """(1) for rows that the caller names.

    Parameters
    ----------
    data : RowData
    space : Workspace
        The passes through the network.
    widest : int
        How many numbers a row has where it has most.
    whole : bool
        Whether something draws while training, for all rows of a batch at once.
    """

    def __init__(self, data: RowData, space: Any, widest: int, whole: bool) -> None:
        self.data, self.space, self._whole = data, space, whole
        self._block = max(_BLOCK // widest, _SHORTEST)
        self._taken: dict[tuple[int, int], Array] = {}
        self._part = np.empty(0)

    def value(self, theta: Floats, rows: BatchRows, w: Floats) -> float:
        """F, with random layers off."""
        total = 0.0
        for some, share in self._blocks(rows, w, False):
            outputs = self.space.outputs(theta, self._of(self.data.inputs, some))
            for Z, y, loss in zip(outputs, self._of(self.data.targets, some, -1), self.data.losses, strict=True):
                total += loss.evaluate(y, Z, share, np.empty_like(Z))
        return total

    def value_and_gradient(self, theta: Floats, rows: BatchRows, w: Floats, gradient: Floats, training: bool) -> float:
        """F, with G written to `gradient`."""
        total = 0.0
        for k, (some, share) in enumerate(self._blocks(rows, w, training)):
            total += self.one_pass(theta, some, share, gradient if k == 0 else self._spare(gradient), training)
            if k > 0:
                gradient += self._part
        return total

    def one_pass(self, theta: Floats, rows: BatchRows, w: Floats, gradient: Floats, training: bool) -> float:
        """The same with all rows in one pass, of which the workspace keeps everything."""
        data, space = self.data, self.space
        inputs, targets = self._of(data.inputs, rows), self._of(data.targets, rows, -1)
        if training and data.augment:
            inputs, targets = self._changed(inputs, targets)
        outputs = space.forward(theta, inputs, training=training)
        total, deltas = 0.0, []
        for k, (Z, y, loss) in enumerate(zip(outputs, targets, data.losses, strict=True)):
            delta = space.runs[k].array("delta of the output", Z.shape)
            total += loss.evaluate(y, Z, w, delta)
            deltas.append(delta)
        space.backward(deltas, gradient)
        return total

    def _blocks(self, rows: BatchRows, w: Floats, training: bool) -> Iterator[tuple[BatchRows, Floats]]:
        """The rows, many of them a block at a time, so that what a pass keeps is small and stays in the cache.

        Layers and transformations that draw get all rows at once: their draws do not depend on the size of blocks.
        """
        if len(w) <= self._block or (training and self._whole):
            yield rows, w
            return
        for first in range(0, len(w), self._block):
            last = min(first + self._block, len(w))
            yield part_of(rows, first, last), w[first:last]

    def _changed(self, inputs: list[Any], targets: list[Any]) -> tuple[list[Any], Any]:
        """The inputs of a batch after the transformations, and its targets."""
        y = targets[0] if len(targets) == 1 else targets
        X, _ = augment_rows(self.data.augment, inputs[0], y, self.data.draws)
        return [np.ascontiguousarray(X, dtype=self.data.inputs[0].dtype)], targets

    def _spare(self, gradient: Floats) -> Floats:
        if not len(self._part):
            self._part = np.empty_like(gradient)
        return self._part

    def _of(self, arrays: Sequence[Any], rows: BatchRows, sign: int = 1) -> list[Any]:
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


def part_of(rows: BatchRows, first: int, last: int) -> BatchRows:
    """Those of the rows that are in these places."""
    return slice(rows.start + first, rows.start + last) if isinstance(rows, slice) else rows[first:last]


def work_of_a_row(network: Any) -> int:
    """About how many multiply-adds a row takes on its way forward: each number of an output adds up a fan-in."""
    return sum(prod(node.shape) * node.parameters[0].fan_in for node in network.nodes if node.parameters)
