"""Units that pass no gradient.

    saturated   φ'(z) < 0.05 max φ'        dead   φ'(z) = 0 at every row (of a convolution: and every place)       (1)

Glorot & Bengio (2010), PMLR 9:249–256, section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats
from gnomon.neural.layers import Elementwise
from gnomon.neural.layers._activated import ActivatedLayer

__all__ = ["IdleUnits", "idle_units", "watch_saturation"]

SATURATED = 0.05
"""A slope is small below this share of the largest."""

ROWS = 256
"""Rows that are looked at after every epoch: a sample tells enough."""

FAR = -1e30
"""Where a rectifier is flat, if it is flat on the left at all."""


class IdleUnits(NamedTuple):
    """(1) for one layer.

    Fields
    ------
    saturated : float
        Share of (row, unit); nan where φ does not saturate on both sides.
    dead : float
        Share of units; nan where φ is flat nowhere, or is no rectifier.
    """

    saturated: float
    dead: float


def idle_units(layer: Any, Z: Floats) -> IdleUnits:
    """(1) for a layer with these scores."""
    if not isinstance(layer, ActivatedLayer) or not isinstance(layer.phi, Elementwise) or not layer.phi.gradient:
        return IdleUnits(np.nan, np.nan)
    phi = layer.phi
    slopes = np.asarray(phi.derivative(Z, phi.activate(Z)))
    saturated = float(np.mean(slopes < SATURATED * phi.slope_max)) if phi.saturating else np.nan
    can_die = phi.piecewise_linear and float(np.asarray(phi.derivative(FAR, phi.activate(FAR)))) == 0.0
    by_unit = np.moveaxis(slopes, layer.unit_axis, -1).reshape(-1, slopes.shape[layer.unit_axis]) if can_die else None
    return IdleUnits(saturated, np.nan if by_unit is None else float(np.mean(np.all(by_unit == 0.0, axis=0))))


def watch_saturation(network: Any, X: Any) -> Callable[[Floats], Mapping[str, Any]]:
    """θ → {"saturation": that of each layer with weights}, on a sample of the rows."""
    sample = X[:ROWS]

    def watch(theta: Floats) -> Mapping[str, Any]:
        Z, _ = network.forward(theta, sample)
        return {
            "saturation": np.array([idle_units(n.layer, Z[n.name]).saturated for n in network.nodes if n.parameters])
        }

    return watch
