"""Starts from which hidden units can never differ.

    W_l = w 1ᵀ,  W_{l+1} = 1 vᵀ   ⇒   all units of layer l have equal gradients, and stay equal for ever    (1)

LeCun et al. (1998), section 4.6, doi:10.1007/3-540-49430-8_2.
"""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import numpy as np

from gnomon._typing import Floats

__all__ = ["SymmetryWarning", "warn_if_symmetric"]


class SymmetryWarning(UserWarning):
    """All units of a hidden layer start equal, so that training cannot tell them apart.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from gnomon.neural import MLPRegressor, SymmetryWarning
    >>> from gnomon.neural.layers import ConstantInit
    >>> X, first = np.array([[0.0], [1.0], [2.0]]), ConstantInit(0.5)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = MLPRegressor(hidden_layer_sizes=(4,), init=first, solver="lbfgs").fit(X, [0.0, 1.0, 4.0])
    >>> any(warning.category is SymmetryWarning for warning in caught)
    True
    >>> bool(np.ptp(model.coefs_[0]) == 0.0)
    True
    """


def warn_if_symmetric(network: Any, theta: Floats) -> None:
    """A `SymmetryWarning` where (1) holds for a layer of several units."""
    views = network.views(theta)
    weights = [(node.name, views[node.name][0]) for node in network.nodes if node.parameters]
    for (name, W), (_, after) in pairwise(weights):
        if W.ndim == after.ndim == 2 and W.shape[1] == after.shape[0] > 1 and _equal(W.T) and _equal(after):
            warnings.warn(
                f"all units of layer {name!r} start with equal weights and will stay equal; draw them, for example by "
                "init='auto'",
                SymmetryWarning,
                stacklevel=5,
            )


def _equal(rows: Floats) -> bool:
    return bool(np.all(rows == rows[:1]))
