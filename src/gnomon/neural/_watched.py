"""What is noted of the layers after every epoch.

    saturation of layer l = share of (row, unit) with φ'(z) < 0.05 max φ'                                           (1)

Glorot & Bengio (2010), PMLR 9:249–256, section 3. A sample of the rows tells enough.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gnomon._typing import Floats
from gnomon.neural.layers import Dense, Elementwise

__all__ = ["saturation"]

ROWS, IDLE = 256, 0.05


def saturation(network: Any, X: Any) -> Callable[[Floats], Mapping[str, Any]]:
    """θ → {"saturation": (1) for each layer with weights, nan where φ does not saturate}."""
    sample = X[:ROWS]

    def watch(theta: Floats) -> Mapping[str, Any]:
        Z, A = network.forward(theta, sample)
        return {"saturation": np.array([_share(n.layer, Z[n.name], A[n.name]) for n in network.nodes if n.parameters])}

    return watch


def _share(layer: Any, Z: Floats, A: Floats) -> float:
    if not isinstance(layer, Dense) or not isinstance(layer.phi, Elementwise) or not layer.phi.saturating:
        return np.nan
    return float(np.mean(np.asarray(layer.phi.derivative(Z, A)) < IDLE * layer.phi.slope_max))
