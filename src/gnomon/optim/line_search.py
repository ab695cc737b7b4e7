"""Strong Wolfe line search.

Along the ray w + t p, with φ(t) = f(w + t p) and φ'(0) < 0, find t > 0 with

    φ(t) ≤ φ(0) + c₁ t φ'(0),    |φ'(t)| ≤ c₂ |φ'(0)|,    0 < c₁ < c₂ < 1                           (1)

The interval [low, high] always holds such a t: `low` has enough decrease and too steep a descent, `high` has too little
decrease or ascends. Where φ(t) − φ(0) is below rounding, decrease is judged by the slope instead: Hager & Zhang (2005),
eq. 4.1, doi:10.1137/030601880. Nocedal & Wright (2006), section 3.5, doi:10.1007/978-0-387-40065-5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Array, Floats

__all__ = ["LineStep", "ValueAndGradient", "blind_step", "descend_along", "strong_wolfe"]

ValueAndGradient: TypeAlias = Callable[[Array], tuple[float, Floats]]
"""w → (f(w), ∇f(w)), for a w of the floating type of the start."""


class LineStep(NamedTuple):
    """Where a line search ended: step t, point w + t p, value and gradient there, and whether (1) holds.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 3.5. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import strong_wolfe
    >>> end = strong_wolfe(lambda w: (float(w @ w), 2 * w), np.array([3.0]), np.array([-6.0]), 9.0, np.array([6.0]))
    >>> end.step, end.value, end.found, end.n_evaluations
    (0.5, 0.0, True, 2)
    """

    step: float
    w: Floats
    value: float
    gradient: Floats
    found: bool
    n_evaluations: int


def strong_wolfe(
    fun: ValueAndGradient,
    w: Floats,
    direction: Floats,
    value: float,
    gradient: Floats,
    *,
    step: float = 1.0,
    c1: float = 1e-4,
    c2: float = 0.9,
    max_evaluations: int = 30,
) -> LineStep:
    """Find a step with (1); if none is found, the best point that was seen.

    Parameters
    ----------
    fun : callable
        w → (f(w), ∇f(w)).
    w, direction : ndarray
        The ray; `direction` must descend.
    value : float
        f(w).
    gradient : ndarray
        ∇f(w).
    step : float, default=1.0
        First trial.
    c1, c2 : float
        The constants of (1).
    max_evaluations : int, default=30
        How often `fun` may be called.

    Returns
    -------
    LineStep

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 3.5. doi:10.1007/978-0-387-40065-5

    Hager, W. & Zhang, H. (2005). A new conjugate gradient method with guaranteed descent and an efficient line search.
    doi:10.1137/030601880

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import strong_wolfe
    >>> found = strong_wolfe(lambda w: (float(w @ w), 2 * w), np.array([3.0]), np.array([-6.0]), 9.0, np.array([6.0]))
    >>> found.step, found.w
    (0.5, array([0.]))
    """
    start = _Point(0.0, float(value), float(gradient @ direction))
    if not start.slope < 0.0:
        raise ValueError(f"direction has slope {start.slope!r} along the gradient; give one that descends")
    noise = 10.0 * np.finfo(gradient.dtype).eps * abs(start.value)
    low, high = start, None
    best = LineStep(0.0, w, start.value, gradient, False, 0)
    for count in range(1, max_evaluations + 1):
        there = w + np.asarray(step, dtype=w.dtype) * direction
        f, g = fun(there)
        point = _Point(step, float(f), float(g @ direction))
        enough = _decreases(point, start, c1, noise)
        if enough and abs(point.slope) <= -c2 * start.slope:
            return LineStep(step, there, point.value, g, True, count)
        if point.value < best.value:
            best = LineStep(step, there, point.value, g, False, count)
        if enough and point.slope < 0.0:
            low = point
        else:
            high = point
        step = _next_step(low, high)
        if step in (low.step, high.step if high else np.inf):
            break
    return best._replace(n_evaluations=count)


def blind_step(gradient: Floats) -> float:
    """A first step along −∇f: without curvature the length of the gradient says nothing about that of the step."""
    return min(1.0, 1.0 / (float(np.linalg.norm(gradient)) or 1.0))


def descend_along(
    fun: ValueAndGradient, w: Floats, direction: Floats, value: float, gradient: Floats, **options: Any
) -> LineStep | None:
    """The step of `strong_wolfe`; None where `direction` does not descend, or no step along it lowers f."""
    if not float(gradient @ direction) < 0.0:
        return None
    found = strong_wolfe(fun, w, direction, value, gradient, **options)
    return found if found.step > 0.0 else None


class _Point(NamedTuple):
    step: float
    value: float
    slope: float


def _decreases(point: _Point, start: _Point, c1: float, noise: float | np.floating[Any]) -> bool:
    if not (np.isfinite(point.value) and np.isfinite(point.slope)):
        return False
    by_value = point.value <= start.value + c1 * point.step * start.slope
    # Hager & Zhang (2005), eq. 4.1: for a parabola the same condition, free of cancellation.
    by_slope = point.value <= start.value + noise and point.slope <= (2.0 * c1 - 1.0) * start.slope
    return bool(by_value or by_slope)


def _next_step(low: _Point, high: _Point | None) -> float:
    """The next trial: further out while nothing brackets, else the cubic's minimiser, kept inside the bracket."""
    if high is None:
        return 4.0 * low.step
    width = high.step - low.step
    if not (np.isfinite(high.value) and np.isfinite(high.slope)):
        return low.step + 0.1 * width
    # Nocedal & Wright (2006), eq. 3.59.
    d1 = low.slope + high.slope - 3.0 * (high.value - low.value) / width
    square = d1 * d1 - low.slope * high.slope
    d2 = np.sqrt(square) if square > 0.0 else 0.0
    denominator = high.slope - low.slope + 2.0 * d2
    share = 1.0 - (high.slope + d2 - d1) / denominator if denominator != 0.0 else 0.5
    return low.step + width * float(np.clip(share if np.isfinite(share) else 0.5, 0.1, 0.9))
