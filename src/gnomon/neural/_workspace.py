"""The passes through a network, with arrays that are kept from one batch to the next.

    forward   A_l = f_l(A_sources; θ_l),  l in topological order                                       (1)
    backward  ∂J/∂A_l = Σ over the layers k that take A_l of what k returns for it, in reverse order    (2)

Griewank & Walther (2008), Evaluating Derivatives, chapter 3, doi:10.1137/1.9780898717761. A workspace belongs to one
thread; the network itself is never written to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gnomon._typing import Floats, is_sparse
from gnomon.neural._graph import Node
from gnomon.neural.layers._layer import LayerRun, Parameter
from gnomon.numerics.sharing import read_only

__all__ = ["Workspace", "cut"]


def cut(theta: Floats, parameters: Sequence[Parameter], start: int) -> tuple[Floats, ...]:
    """Views of a vector, one for each parameter of a layer."""
    views = []
    for parameter in parameters:
        stop = start + parameter.size
        views.append(theta[start:stop].reshape(parameter.shape))
        start = stop
    return tuple(views)


class Workspace:
    """Arrays and views for passes through one network, for one dtype.

    Parameters
    ----------
    nodes : sequence of Node
    inputs : sequence of str
    outputs : sequence of str
        Names of the nodes whose outputs are wanted.
    dtype : dtype
    rng : numpy.random.Generator, optional
        For random layers in training.

    Attributes
    ----------
    by_parts : bool
        Whether several may work through the parts of a batch, each by a thread.
    """

    by_parts: ClassVar[bool] = True

    def __init__(
        self,
        nodes: Sequence[Node],
        inputs: Sequence[str],
        outputs: Sequence[str],
        dtype: Any,
        rng: np.random.Generator | None = None,
    ) -> None:
        self.nodes, self.dtype = nodes, np.dtype(dtype)
        place = {name: i for i, name in enumerate([*inputs, *(node.name for node in nodes)])}
        self._n_inputs = len(inputs)
        self._outputs = [place[name] for name in outputs]
        self._sources = [tuple(place[source] for source in node.sources) for node in nodes]
        names = [node.name for node in nodes]
        self._shared = {i: names.index(node.layer.shares) for i, node in enumerate(nodes) if node.layer.shares}
        self._dense = [not _takes_sparse(nodes, name) for name in inputs]
        self.runs = [LayerRun(self.dtype, rng=rng) for _ in nodes]
        self._training = False
        self._theta: Floats | None = None
        self._gradient: Floats | None = None
        self._views: list[tuple[Floats, ...]] = []
        self._gradients: list[tuple[Floats, ...]] = []
        self.values: list[Any] = []
        self.saved: list[Any] = []
        self.deltas: list[Any] = []

    def _cut(self, vector: Floats) -> list[tuple[Floats, ...]]:
        """Views for every layer; where weights are shared, those of their owner first."""
        views = [cut(vector, node.parameters, node.start) for node in self.nodes]
        for i, owner in self._shared.items():
            views[i] = (views[owner][0], *views[i])
        return views

    def freeze(self, draws: Mapping[str, dict[str, Any]] | None) -> None:
        """Let random layers use these draws, by the layer's name, in training; None lets them draw again."""
        for node, run in zip(self.nodes, self.runs, strict=True):
            run.masks = None if draws is None else draws.get(node.name)

    def patterns(self) -> list[Any]:
        """Which linear piece each unit was on in the last forward pass, for the layers that have pieces."""
        outputs = self.values[self._n_inputs :]
        found = [
            node.layer.pattern(saved, value) for node, saved, value in zip(self.nodes, self.saved, outputs, strict=True)
        ]
        return [np.array(pattern) for pattern in found if pattern is not None]

    def forward(self, theta: Floats, inputs: Sequence[Any], *, training: bool = False) -> list[Floats]:
        """The outputs for a batch; what was computed on the way stays in `values` and `saved`."""
        if theta is not self._theta:
            self._theta, self._views = theta, self._cut(theta)
        if training is not self._training:
            self._training = training
            for run in self.runs:
                run.training = training
        values = [read_only(_filled(x) if dense else x) for x, dense in zip(inputs, self._dense, strict=True)]
        saved: list[Any] = []
        for node, sources, parameters, run in zip(self.nodes, self._sources, self._views, self.runs, strict=True):
            taken = (values[sources[0]],) if len(sources) == 1 else [values[source] for source in sources]
            value, kept = node.layer.forward(parameters, taken, run)
            values.append(value)
            saved.append(kept)
        self.values, self.saved = values, saved
        return [values[place] for place in self._outputs]

    def outputs(self, theta: Floats, inputs: Sequence[Any]) -> list[Floats]:
        """The outputs for rows, from which no way back begins."""
        return self.forward(theta, inputs)

    def backward(self, deltas: Sequence[Floats], gradient: Floats, *, wants_inputs: bool = False) -> list[Any]:
        """Write the gradient in θ and return that in the inputs (None for each unless wanted).

        `deltas` then has what each layer left of its delta: ∂J/∂Z where it has an activation.
        """
        if gradient is not self._gradient:
            self._gradient = gradient
            self._gradients = self._cut(gradient)
            for i, owner in self._shared.items():
                self._gradients[i] = (np.zeros_like(self._gradients[owner][0]), *self._gradients[i][1:])
        first = self._n_inputs
        found: list[Any] = [None] * len(self.values)
        for place, delta in zip(self._outputs, deltas, strict=True):
            found[place] = delta
        for i in range(len(self.nodes) - 1, -1, -1):
            delta, sources = found[first + i], self._sources[i]
            if delta is None:
                gradient[self.nodes[i].start : self.nodes[i].start + self.nodes[i].size] = 0
                continue
            wanted = wants_inputs or any(source >= first for source in sources)
            given = self.nodes[i].layer.backward(
                self._views[i], self.saved[i], delta, self._gradients[i], self.runs[i], wanted
            )
            if wanted:
                for source, part in zip(sources, given, strict=True):
                    part = part.reshape(self.values[source].shape)
                    found[source] = part if found[source] is None else found[source] + part
        for i, owner in self._shared.items():
            if found[first + i] is not None:
                self._gradients[owner][0][...] += self._gradients[i][0]
        self.deltas = found[first:]
        return found[:first]


def _takes_sparse(nodes: Sequence[Node], name: str) -> bool:
    """Whether all layers that an input reaches before it is multiplied by weights take sparse rows."""
    reached = {name}
    for node in nodes:
        if reached.intersection(node.sources):
            if not node.layer.takes_sparse:
                return False
            if node.layer.keeps_sparse:
                reached.add(node.name)
    return True


def _filled(x: Any) -> Any:
    thin: bool = is_sparse(x)
    return x.toarray() if thin else x


def named_values(nodes: Sequence[Node], workspace: Workspace) -> tuple[Mapping[str, Floats], Mapping[str, Floats]]:
    """Z and A of every layer by name, after a forward pass."""
    outputs = workspace.values[-len(nodes) :] if nodes else []
    Z, A = {}, {}
    for node, saved, value in zip(nodes, workspace.saved, outputs, strict=True):
        Z[node.name], A[node.name] = node.layer.scores(saved, value), value
    return Z, A
