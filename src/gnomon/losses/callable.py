"""A loss from the user's own functions.

    ∂ℓ/∂z ≈ (ℓ(y, z + h) − ℓ(y, z − h)) / 2h,    h = ε^{1/3} max(1, |z|)                             (1)

where no gradient is given; for a loss over class indices in one score after the other. Nocedal & Wright (2006),
section 8.1, doi:10.1007/978-0-387-40065-5.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias, get_args

import numpy as np

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.losses._base import Loss, Targets

__all__ = ["CallableLoss"]

Formula: TypeAlias = Callable[[Numbers, Numbers], Numbers]


class CallableLoss(Loss):
    """A loss made of functions of arrays (y, z); for speed subclass `Loss` and decorate with ``gnomon.losses.noun``.

    Parameters
    ----------
    value : callable
        ℓ(y, z), elementwise on arrays.
    gradient : callable, optional
        ∂ℓ/∂z, elementwise; the central difference (1) by default. ``gnomon.optim.check_gradient`` compares the two.
    curvature : callable, optional
        ∂²ℓ/∂z², elementwise; the central difference of the gradient by default.
    inverse : callable, optional
        The map from scores to predictions; the identity by default.
    targets : str, default="real"
        What y is, see `Loss`.
    convex, smooth : bool, default=True
        Whether ℓ is convex, and whether its gradient is Lipschitz continuous; ``gnomon.optim.check_convex`` tests it.
    smoothness : float, default=inf
        A bound on the curvature, where one is known.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 8.1. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import CallableLoss
    >>> huber = CallableLoss(lambda y, z: np.where(np.abs(y - z) < 1, 0.5 * (y - z) ** 2, np.abs(y - z) - 0.5))
    >>> huber.gradient(0.0, np.array([0.5, 3.0])).round(6)
    array([0.5, 1. ])
    """

    # Properties of the base class, replaced by attributes of the instance.
    targets: Targets = "real"
    convex: bool = True
    smooth: bool = True

    def __init__(
        self,
        value: Formula,
        gradient: Formula | None = None,
        *,
        curvature: Formula | None = None,
        inverse: Callable[[Numbers], Numbers] | None = None,
        targets: Targets = "real",
        convex: bool = True,
        smooth: bool = True,
        smoothness: float = np.inf,
    ) -> None:
        if targets not in get_args(Targets):
            raise ValueError(f"targets={targets!r} is unknown; choose from {list(get_args(Targets))}")
        difference = _by_score if targets == "index" else _elementwise
        self._value = value
        self._gradient = gradient or partial(difference, value)
        self._curvature = curvature or partial(difference, self._gradient)
        self._inverse = inverse or super().inverse
        self._smoothness = smoothness
        self.targets, self.convex, self.smooth = targets, convex, smooth

    def __repr__(self) -> str:
        return f"CallableLoss({self._value!r})"

    @property
    def smoothness(self) -> float:
        return self._smoothness

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return self._value(y, z)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return self._gradient(y, z)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return self._curvature(y, z)

    def inverse(self, z: Numbers) -> Numbers:
        return self._inverse(z)


def _elementwise(function: Formula, y: Numbers, z: ArrayLike) -> Floats:
    """∂f/∂z by (1)."""
    z = np.asarray(z, dtype=float)
    up, down = z + _step(z), z - _step(z)
    return (function(y, up) - function(y, down)) / (up - down)


def _by_score(function: Formula, y: Numbers, z: ArrayLike) -> Floats:
    """∂f/∂zₖ by (1) for every score k; of a function with K values itself, ∂fₖ/∂zₖ."""
    z = np.asarray(z, dtype=float)
    columns = []
    for k, own in enumerate(np.eye(z.shape[-1])):
        up, down = z + own * _step(z), z - own * _step(z)
        rise = function(y, up) - function(y, down)
        columns.append((rise if np.ndim(rise) < z.ndim else rise[..., k]) / (up - down)[..., k])
    return np.stack(columns, axis=-1)


def _step(z: Floats) -> Floats:
    return np.cbrt(np.finfo(float).eps) * np.maximum(1.0, np.abs(z))
