"""The graph of a network: which layer takes what, in an order in which each comes after its sources.

    name of a layer → names of its sources (layers or inputs)                                          (1)

Kahn (1962), Topological sorting of large networks, doi:10.1145/368996.369025.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from math import inf
from typing import Any, NamedTuple

from gnomon.neural.layers._layer import Layer, Parameter, Shape, shape_text

__all__ = ["Node", "build", "check_layers"]


class Node(NamedTuple):
    """A layer in its place: its name, what it takes, its shapes, and where its parameters are in θ."""

    name: str
    layer: Layer
    sources: tuple[str, ...]
    input_shapes: tuple[Shape, ...]
    shape: Shape
    parameters: tuple[Parameter, ...]
    start: int

    @property
    def size(self) -> int:
        """How many parameters it has."""
        return sum(parameter.size for parameter in self.parameters)


def build(layers: Sequence[Layer], inputs: Mapping[str, Shape]) -> tuple[Node, ...]:
    """The nodes of a network in topological order (the order of the list where that is one)."""
    named = _named(layers, inputs)
    sources = _sources(named, inputs)
    shapes, nodes, start = dict(inputs), [], 0
    for name in _order(sources, list(named)):
        layer, given = named[name], tuple(shapes[source] for source in sources[name])
        shapes[name] = _fitted(name, layer, sources[name], given)
        nodes.append(Node(name, layer, sources[name], given, shapes[name], layer.parameters(given), start))
        start += nodes[-1].size
    for node in nodes:
        _check_shared(node, nodes)
    return tuple(nodes)


def _check_shared(node: Node, nodes: Sequence[Node]) -> None:
    """ValueError where a layer uses the weights of another and these do not fit."""
    if node.layer.shares is None:
        return
    given = {
        other.name: other.parameters[0].shape for other in nodes if other.parameters and other.layer.shares is None
    }
    needed = node.layer.shared_shape(node.input_shapes)
    if given.get(node.layer.shares) != needed:
        raise ValueError(
            f"layer {node.name!r} uses the weights of {node.layer.shares!r} and needs them of shape "
            f"{shape_text(needed)}; the layers with weights are {given}"
        )


def _named(layers: Sequence[Layer], inputs: Mapping[str, Shape]) -> dict[str, Layer]:
    counts: dict[str, int] = {}
    named: dict[str, Layer] = {}
    check_layers(layers)
    for layer in layers:
        kind = layer.kind.lower()
        counts[kind] = counts.get(kind, 0) + 1
        name = layer.name or f"{kind}_{counts[kind]}"
        if name in named or name in inputs:
            raise ValueError(f"name={name!r} is given to two layers or to an input too; give each its own")
        named[name] = layer
    return named


def check_layers(layers: Sequence[Any]) -> None:
    """ValueError unless all of them are layers, with penalties that pull and bounds that can be kept."""
    for layer in layers:
        if not isinstance(layer, Layer):
            raise ValueError(f"layers must be a list of gnomon.neural.layers and has {layer!r}; give layers only")
        for name in ("l1", "l2", "max_norm"):
            value = getattr(layer, name, None)
            if value is not None and not (0.0 <= value < inf and (value or name != "max_norm")):
                least = "> 0" if name == "max_norm" else "≥ 0"
                raise ValueError(f"{name}={value!r} of {layer!r} must be {least} and finite; give another, or None")


def _sources(named: Mapping[str, Layer], inputs: Mapping[str, Shape]) -> dict[str, tuple[str, ...]]:
    before = next(iter(inputs))
    sources = {}
    for name, layer in named.items():
        after = before if layer.after is None else layer.after
        sources[name] = (after,) if isinstance(after, str) else tuple(after)
        unknown = [source for source in sources[name] if source not in named and source not in inputs]
        if unknown:
            known = [*inputs, *named]
            raise ValueError(f"after={layer.after!r} of layer {name!r} names {unknown[0]!r}; the names are {known}")
        if len(sources[name]) != 1 and not layer.many_inputs:
            raise ValueError(
                f"layer {name!r} takes one input and after={layer.after!r} names several; join them by Add or Concat"
            )
        before = name
    return sources


def _order(sources: Mapping[str, tuple[str, ...]], names: Sequence[str]) -> list[str]:
    """The order of the list if every source comes before its user, else one that a topological sort finds."""
    place = {name: i for i, name in enumerate(names)}
    if all(place.get(source, -1) < place[name] for name in names for source in sources[name]):
        return list(names)
    try:
        return [name for name in TopologicalSorter(sources).static_order() if name in sources]
    except CycleError as error:
        cycle = " → ".join(error.args[1])
        raise ValueError(f"the layers form a cycle: {cycle}; a network must be acyclic, remove one of these") from None


def _fitted(name: str, layer: Layer, sources: Sequence[str], shapes: Sequence[Shape]) -> Shape:
    try:
        return layer.output_shape(shapes)
    except ValueError as error:
        given = ", ".join(f"{source!r} ({shape_text(shape)})" for source, shape in zip(sources, shapes, strict=True))
        raise ValueError(f"layer {name!r} does not fit what it takes from {given}: {error}") from None
