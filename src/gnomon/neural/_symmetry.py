"""Which parameters are the same function.

    permutation   the units of a hidden layer in another order, with their weights in and out                     (1)
    sign          tanh(−z) = −tanh(z): (w_in, b, w_out) → (−w_in, −b, −w_out)                                    (2)
                  σ(−z) = 1 − σ(z): the same, and the next bias grows by w_out
    scale         ReLU(cz) = c ReLU(z), c > 0: (w_in, b, w_out) → (c w_in, c b, w_out/c)                         (3)
    reduction     units with the same w_in and b are one, with the sum of their w_out; a unit without weights in  (4)
                  is a constant φ(b), which the next bias takes; one without weights out is none

(1) and (2) make Π_l H_l! 2^{H_l} parameters from one: Chen, Lu & Hecht-Nielsen (1993), doi:10.1162/neco.1993.5.6.910.
Networks to which (4) does not apply have no others for tanh: Sussmann (1992), doi:10.1016/S0893-6080(05)80037-1.
A canonical choice takes the first weight of each unit positive, its weights of norm one where they can be scaled, the
units in lexicographic order, and zeros for the units that (4) makes superfluous, layer after layer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cmp_to_key
from itertools import pairwise
from math import factorial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gnomon._typing import Floats
from gnomon.neural._graph import Node
from gnomon.neural.layers.dense import Dense
from gnomon.neural.layers.hard import HardTanh
from gnomon.neural.layers.prelu import PReLU
from gnomon.neural.layers.relu import LeakyReLU, ReLU
from gnomon.neural.layers.sigmoid import LogisticSigmoid
from gnomon.neural.layers.tanh import Tanh

if TYPE_CHECKING:
    from gnomon.neural.network import NeuralNetwork

__all__ = ["canonical_parameters", "same_function", "symmetries_of"]


ROUNDING = 64
"""Units whose weights differ by so many rounding errors of the largest are equal: (3) and (4) round."""


class HiddenUnits(NamedTuple):
    """Views of the parameters around a hidden layer: those of its units (rows are one unit's), slopes that all share,
    and the layer after."""

    units: list[Floats]
    slopes: list[Floats]
    out: Floats
    next_bias: Floats | None


def _signs(joint: HiddenUnits, shift: float) -> None:
    """(2), where the first weight that is not zero is negative; φ(−z) = shift − φ(z)."""
    if shift and joint.next_bias is None:
        return
    incoming = _incoming(joint)
    first = incoming[np.arange(len(incoming)), np.argmax(incoming != 0, axis=1)]
    flip = first < 0
    if joint.next_bias is not None:
        joint.next_bias[...] += shift * joint.out[flip].sum(axis=0)
    for part in (*joint.units[:2], joint.out):
        part[flip] *= -1


def _scales(joint: HiddenUnits) -> None:
    """(3), to norm one."""
    incoming = _incoming(joint)
    largest = np.max(np.abs(incoming), axis=1)
    largest[largest == 0] = 1.0
    # Squares of the weights themselves could overflow or vanish.
    norms = largest * np.maximum(np.linalg.norm(incoming / largest[:, None], axis=1), 1.0)
    for part in joint.units[:2]:
        part /= norms.reshape(-1, *[1] * (part.ndim - 1))
    joint.out[...] *= norms[:, None]


class _Symmetry(NamedTuple):
    apply: Callable[[HiddenUnits], None]
    signs: bool
    needs_bias: bool = False


_NONE = _Symmetry(lambda joint: None, False)
_SYMMETRIES: dict[type, _Symmetry] = {
    Tanh: _Symmetry(lambda joint: _signs(joint, 0.0), True),
    HardTanh: _Symmetry(lambda joint: _signs(joint, 0.0), True),
    LogisticSigmoid: _Symmetry(lambda joint: _signs(joint, 1.0), True, needs_bias=True),
    ReLU: _Symmetry(_scales, False),
    LeakyReLU: _Symmetry(_scales, False),
    PReLU: _Symmetry(_scales, False),
}
"""What besides permutations each activation allows."""


def canonical_parameters(network: NeuralNetwork, theta: Floats) -> Floats:
    """The representative of all parameters that symmetries make equal to θ."""
    chain, found = _chain(network), np.array(theta, copy=True)
    views, idle = network.views(found), -1
    # A unit that falls away may make others superfluous, in the layers before it and behind it.
    while idle < (idle := sum(_reduced(*pair, views) for pair in pairwise(chain))):
        pass
    return found


def _reduced(node: Node, after: Node, views: Mapping[str, tuple[Floats, ...]]) -> int:
    """Bring a hidden layer into its canonical form; how many of its units are none."""
    joint = _joint(node, views[node.name], after, views[after.name])
    _fold_constants(joint, node)
    _symmetry(node).apply(joint)
    keys = np.column_stack([_incoming(joint), *joint.units[2:]])
    size = np.abs(keys)
    # Biases were sums: they are rounded as the largest number of the unit is.
    bias = joint.units[0].shape[1]
    size[:, bias] = size.max(axis=1)

    def compared(i: int, j: int) -> int:
        slack = ROUNDING * np.finfo(keys.dtype).eps * np.maximum(size[i], size[j])
        apart = np.flatnonzero(np.abs(keys[i] - keys[j]) > slack)
        return int(np.sign(keys[i, apart[0]] - keys[j, apart[0]])) if len(apart) else 0

    order = sorted(range(len(keys)), key=cmp_to_key(compared))
    for part in (*joint.units, joint.out):
        part[...] = part[order]
    first = 0
    for k in range(1, len(order)):
        if compared(order[first], order[k]) == 0:
            _add_out(joint, first, joint.out[k])
            joint.out[k] = 0.0
        else:
            first = k
    idle = ~np.any(joint.out, axis=1)
    for part in joint.units:
        part[idle] = 0.0
    return int(np.sum(idle))


def _add_out(joint: HiddenUnits, k: int, out: Floats) -> None:
    """Add weights to those of a unit; what cancels but for rounding is zero."""
    both = joint.out[k] + out
    size = np.abs(joint.out[k]) + np.abs(out)
    joint.out[k] = np.where(np.abs(both) <= ROUNDING * np.finfo(both.dtype).eps * size, 0.0, both)


def _fold_constants(joint: HiddenUnits, node: Node) -> None:
    """Units without weights in: the next bias takes what they give; without one, a single unit with b = 1 does."""
    constant = np.flatnonzero(~np.any(joint.units[0].reshape(len(joint.out), -1), axis=1))
    if not len(constant):
        return
    given = _values(node, joint, joint.units[1])[constant] @ joint.out[constant]
    if joint.next_bias is not None:
        joint.next_bias[...] += given
    if joint.next_bias is not None or not np.any(given):
        joint.out[constant] = 0.0
        return
    one = _values(node, joint, np.ones_like(joint.units[1]))[constant[0]]
    if _dense(node).bias and one:
        joint.out[constant], joint.units[1][constant] = 0.0, 0.0
        joint.out[constant[0]], joint.units[1][constant[0]] = given / one, 1.0


def _values(node: Node, joint: HiddenUnits, z: Floats) -> Floats:
    """φ(z_k) of every unit."""
    A = np.empty_like(z)[None]
    _dense(node).phi.forward(z[None].copy(), A, joint.units[2:] or joint.slopes)
    return A[0]


def same_function(first: NeuralNetwork, theta: Floats, second: NeuralNetwork, other: Floats, tol: float = 1e-9) -> bool:
    """Whether two parameters have one canonical form, up to tol relative to the largest of each layer."""
    if [_shapes(node) for node in _chain(first)] != [_shapes(node) for node in _chain(second)]:
        return False
    a, b = canonical_parameters(first, theta), canonical_parameters(second, other)
    layers = [slice(node.start, node.start + node.size) for node in first.nodes]
    return all(np.max(np.abs(a[at] - b[at])) <= tol * np.max(np.abs(a[at])) for at in layers)


def symmetries_of(network: NeuralNetwork) -> int:
    """Π H_l! over hidden layers, times 2^{H_l} where signs can change."""
    chain, total = _chain(network), 1
    for node, after in pairwise(chain):
        units, symmetry = node.shape[0], _symmetry(node)
        flips = symmetry.signs and (_dense(after).bias or not symmetry.needs_bias)
        total *= factorial(units) * (2**units if flips else 1)
    return total


def _chain(network: NeuralNetwork) -> tuple[Node, ...]:
    """The layers, if they are dense ones behind each other."""
    before = next(iter(network.input_shapes))
    for node in network.nodes:
        if not isinstance(node.layer, Dense) or node.sources != (before,) or len(node.input_shapes[0]) != 1:
            raise ValueError(
                f"layer {node.name!r} is not a Dense layer on the one before it; symmetries are known for chains of "
                "Dense layers only"
            )
        before = node.name
    return network.nodes


def _joint(node: Node, own: tuple[Floats, ...], after: Node, following: tuple[Floats, ...]) -> HiddenUnits:
    bias, slopes = _dense(node).bias, own[1 + _dense(node).bias :]
    units = [own[0].T, own[1] if bias else np.zeros(node.shape[0], own[0].dtype)]
    each = [a for a in slopes if len(a) == node.shape[0]]
    shared = [a for a in slopes if len(a) != node.shape[0]]
    return HiddenUnits([*units, *each], shared, following[0], following[1] if _dense(after).bias else None)


def _incoming(joint: HiddenUnits) -> Floats:
    return np.column_stack([joint.units[0], joint.units[1]])


def _symmetry(node: Node) -> _Symmetry:
    return _SYMMETRIES.get(type(_dense(node).phi), _NONE)


def _dense(node: Node) -> Dense:
    assert isinstance(node.layer, Dense)
    return node.layer


def _shapes(node: Node) -> tuple[object, ...]:
    return (type(_dense(node).phi), repr(_dense(node).phi), *(parameter.shape for parameter in node.parameters))
