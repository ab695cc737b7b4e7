"""The mode of latent scores that are normal before their labels.

    ψ(a) = log p(y | z) − ½ aᵀz,  z = Ka,    at its maximum a = ∇ log p(y | z)                              (1)
    a ← a + s (a* − a),    s = 1, ½, ¼ … until ψ does not fall                                           (2)

a* is where Newton's method goes, the maximum of the quadratic model of ψ. Scores of several classes are the rows of a
table. ψ is concave, so that the mode does not depend on the start. Rasmussen & Williams (2006), algorithms 3.1 and 3.3.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Floats

__all__ = ["Labels", "LatentMode", "find_mode"]

EPS = float(np.finfo(float).eps)
ROUNDING = 1e-14
"""Of ψ, relative to its size."""
TOLERANCE = 1e-10
"""Newton ends where no entry of a = ∇ log p is off by more than this, relative to 1 + the largest."""
STALLED = 1e-3
"""What is off by more than this, relative to 1 + the largest, where no step raises ψ any more, is not the mode."""
MOVED = 1e-9
"""Share of z by which K has to change it, to count as another K."""
SHORTEST = 1e-10
"""Of s."""


class LatentMode(NamedTuple):
    """The end of (2).

    Fields
    ------
    mode, coef, slope : ndarray of shape (n,) or (C, n)
        z, a and ∇ log p.
    psi : float
    history : ndarray
        ψ after every iteration.
    converged : bool
        Whether a = ∇ log p, up to rounding.
    """

    mode: Floats
    coef: Floats
    slope: Floats
    psi: float
    history: Floats
    converged: bool


class _ScoresAt(NamedTuple):
    """Scores for one a, with what (1) says of them."""

    coef: Floats
    mode: Floats
    slope: Floats
    psi: float

    @property
    def error(self) -> float:
        """Of a = ∇ log p."""
        return float(np.max(np.abs(self.coef - self.slope)))


class Labels(NamedTuple):
    """What is known of the scores beside their covariance.

    Fields
    ------
    shape : tuple of int
        Of z.
    likelihood : z → (log p(y | z), its gradient)
    newton : z → a*
    """

    shape: tuple[int, ...]
    likelihood: Callable[[Floats], tuple[float, Floats]]
    newton: Callable[[Floats], Floats]


def find_mode(K: Floats, labels: Labels, *, start: tuple[Floats, Floats] | None = None, max_iter: int) -> LatentMode:
    """Take steps (2) until a = ∇ log p, or until ψ is at its last digit.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Positive semi-definite.
    labels : Labels
    start : (a, z), optional
        The mode for another covariance or for other labels.
    max_iter : int

    Returns
    -------
    LatentMode
    """
    if start is not None and start[1].shape != labels.shape:
        raise ValueError(
            f"start has scores of shape {start[1].shape} and the labels ask for {labels.shape}; give the posterior of "
            "as many rows and classes, or None"
        )
    here, path, met = _first(K, labels, start), list[float](), False
    rise, before = np.inf, np.inf
    for _ in range(max_iter):
        last, here = here, _step(K, labels, here)
        rise, left = here.psi - last.psi, here.error
        path.append(here.psi)
        # Neither ψ nor its slope improve: both are at their last digit.
        at_rounding = abs(rise) <= _rounding(K, here) and left > 0.5 * before
        met = left <= (STALLED if at_rounding else TOLERANCE) * (1.0 + np.max(np.abs(here.slope)))
        if met or at_rounding:
            break
        before = left
    if not met:
        advice = "raise max_iter_predict" if len(path) == max_iter else "no step raises it: give a smaller amplitude"
        warnings.warn(
            f"the search for the mode ended after {len(path)} iterations, in the last of which log p rose by "
            f"{rise:.3g}, where its slope is {here.error:.3g} away from K⁻¹z; {advice}",
            ConvergenceWarning,
            stacklevel=4,
        )
    return LatentMode(here.mode, here.coef, here.slope, here.psi, np.array(path), bool(met))


def _first(K: Floats, labels: Labels, start: tuple[Floats, Floats] | None) -> _ScoresAt:
    """The best of zero, of the a that was given, and where K is another one, of Newton's step from the z of that."""
    points = [_point(K, labels, np.zeros(labels.shape))]
    if start is not None:
        a, z = start
        points.append(_point(K, labels, a))
        if np.max(np.abs(points[1].mode - z)) > MOVED * np.max(np.abs(z)):
            points.append(_point(K, labels, labels.newton(z)))
    return max(points, key=lambda point: point.psi)


def _point(K: Floats, labels: Labels, a: Floats) -> _ScoresAt:
    z = a @ K
    value, slope = labels.likelihood(z)
    return _ScoresAt(a, z, slope, value - 0.5 * float(np.sum(a * z)))


def _step(K: Floats, labels: Labels, here: _ScoresAt) -> _ScoresAt:
    """(2); the same point where no step is short enough."""
    full, lost, s = labels.newton(here.mode), _rounding(K, here), 1.0
    while s > SHORTEST:
        new = _point(K, labels, here.coef + s * (full - here.coef))
        # At the maximum ψ is flat to the last digit, and a full step still improves z.
        if new.psi >= here.psi - lost:
            return new
        s *= 0.5
    return here


def _rounding(K: Floats, point: _ScoresAt) -> float:
    """What rounding may change ψ by: n terms of its own, and n errors ε Kᵢᵢ|aᵢ| of z, which are independent."""
    return ROUNDING * (1.0 + abs(point.psi)) + EPS * float(np.sum(np.diagonal(K) * np.square(point.coef)))
