"""The compiled passes of dual coordinate ascent.

    αᵢ ← the maximum of D in αᵢ,    θ ← θ + (1/c) Δαᵢ yᵢ xᵢ,    for all i in turn                                  (1)

Everything works in place on an `Ascent`, so a run can be stopped, looked at and continued. Hsieh et al. (2008),
doi:10.1145/1390156.1390208.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit_no_alloc, jitable
from gnomon._typing import Array, Floats, Integers, NDArray
from gnomon.losses import Loss
from gnomon.numerics.design import Vectors

__all__ = ["Ascent", "PassRules", "advance", "shuffle"]

# A slope along the last passes that is below this share of the terms of D is rounding of α and θ, and longer strides
# than this would magnify it.
NOISE, STRIDE = 1e-13, 1e3


class Ascent(NamedTuple):
    """The arrays of a run: α and θ, ‖xᵢ‖²/c, the samples in the order of visits with `active` of them not resting.

    `limits` are the slopes beyond which a sample at an end of its box may rest, `seed` the state of the generator,
    `old_alpha` and `old_theta` the point of the last extrapolation, and `scale` is 1/c.
    """

    alpha: Floats
    theta: Floats
    norms: Floats
    order: Integers
    active: Integers
    limits: Floats
    seed: NDArray[np.uint64]
    old_alpha: Floats
    old_theta: Floats
    buffer: Floats
    scale: float


class PassRules(NamedTuple):
    """How passes are made; see `dual_coordinate_ascent`. `clip` < 0 solves each coordinate."""

    shuffle: bool
    shrinking: bool
    extrapolation: bool
    clip: float


@jit_no_alloc
def advance(
    loss: Loss, rows: Vectors, y: Array, s: Floats, state: Ascent, rules: PassRules, tol: float, count: int
) -> tuple[int, float]:
    """Up to `count` passes, fewer when all slopes lie within `tol`; returns their number and the last range of slopes.

    That range is infinite unless every sample was looked at in the last pass.
    """
    for number in range(1, count + 1):
        visited = state.active[0]
        if rules.shuffle:
            shuffle(state.order, visited, state.seed)
        active, low, high, pair = _sweep(loss, rows, y, s, state, visited, state.limits[0], state.limits[1], rules.clip)
        violation = high - low if visited == state.order.shape[0] else np.inf
        state.active[0] = active
        if high - low <= tol:
            # The shrunken problem is solved: look at every sample again.
            state.active[0], state.limits[0], state.limits[1] = state.order.shape[0], -np.inf, np.inf
        elif rules.shrinking:
            state.limits[0] = low if low < 0.0 else -np.inf
            state.limits[1] = high if high > 0.0 else np.inf
        if violation <= tol:
            return number, violation
        if rules.extrapolation:
            _pair_step(loss, rows, y, s, state, pair)
            if number % 2 == 0:
                _extrapolate(loss, y, s, state)
    return count, violation


@jitable
def shuffle(order: Integers, count: int, seed: NDArray[np.uint64]) -> None:
    """Permute the first `count` entries: Fisher–Yates, with Marsaglia's 64-bit xorshift (2003)."""
    x = seed[0]
    for k in range(count - 1):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        # Multiply by the range and take the high bits, which is faster than a remainder.
        j = k + np.int64(((x >> np.uint64(32)) * np.uint64(count - k)) >> np.uint64(32))
        order[k], order[j] = order[j], order[k]
    seed[0] = x


@jitable
def _newton_step(loss: Loss, a: float, slope: float, norm: float, s: float, clip: float) -> float:
    """One Newton step, kept `clip` of the box away from its ends."""
    new = a - slope / max(norm + loss.dual_curvature(a, s), 1e-300)
    return min(max(new, clip * s), loss.dual_upper(s) - clip * s)


@jitable
def _sweep(
    loss: Loss, rows: Vectors, y: Array, s: Floats, state: Ascent, active: int, low: float, high: float, clip: float
) -> tuple[int, float, float, tuple[int, int]]:
    """One pass over the first `active` samples of `order`; returns how many stay active and the range of the slopes."""
    alpha, theta, norms, order, scale = state.alpha, state.theta, state.norms, state.order, state.scale
    # Samples outside `order` have weight zero and must not be part of the pair, not even as its initial value.
    first = order[0] if active > 0 else 0
    smallest, largest, steepest = 0.0, 0.0, (first, first)
    k = 0
    while k < active:
        i = order[k]
        a, upper = alpha[i], loss.dual_upper(s[i])
        z = rows.dot(i, theta)
        slope = loss.dual_slope(y[i], a, z, s[i])
        if (a <= 0.0 and slope > high) or (a >= upper and slope < low):
            active -= 1
            order[k], order[active] = order[active], i
            continue
        k += 1
        if (a <= 0.0 and slope > 0.0) or (a >= upper and slope < 0.0):
            continue
        if slope < smallest:
            smallest, steepest = slope, (i, steepest[1])
        if slope > largest:
            largest, steepest = slope, (steepest[0], i)
        if abs(slope) > 1e-14:
            if clip < 0.0:
                new = loss.dual_step(y[i], a, z, norms[i], s[i])
            else:
                new = _newton_step(loss, a, slope, norms[i], s[i], clip)
            alpha[i] = new
            rows.add(i, scale * (new - a) * y[i], theta)
    return active, smallest, largest, steepest


@jitable
def _extrapolate(loss: Loss, y: Array, s: Floats, state: Ascent) -> None:
    """Move α and θ to the maximum of a quadratic (1) on the ray from the old point, in the box; renew the old point."""
    alpha, theta, old_alpha, old_theta, c = (
        state.alpha,
        state.theta,
        state.old_alpha,
        state.old_theta,
        1.0 / state.scale,
    )
    slope, size, curvature, longest = 0.0, 0.0, 0.0, STRIDE
    for i in range(alpha.shape[0]):
        d = alpha[i] - old_alpha[i]
        if d != 0.0:
            own = loss.dual_slope(y[i], alpha[i], 0.0, s[i])
            slope, size = slope - d * own, size + abs(alpha[i] * own)
            curvature += d * d * loss.dual_curvature(alpha[i], s[i])
            longest = min(longest, _longest_step(loss, alpha[i], d, s[i]))
    for j in range(theta.shape[0]):
        d = theta[j] - old_theta[j]
        slope, size = slope - c * theta[j] * d, size + c * theta[j] * theta[j]
        curvature += c * d * d
    t = min(slope / curvature, longest) if slope > NOISE * size and curvature > 0.0 else 0.0
    _step_along(alpha, old_alpha, t)
    _step_along(theta, old_theta, t)


@jitable
def _step_along(v: Floats, old: Floats, t: float) -> None:
    for j in range(v.shape[0]):
        v[j], old[j] = v[j] + t * (v[j] - old[j]), v[j] + t * (v[j] - old[j])


@jitable
def _pair_step(loss: Loss, rows: Vectors, y: Array, s: Floats, state: Ascent, pair: tuple[int, int]) -> None:
    """Maximise a quadratic (1) in two αᵢ at once, as far as their boxes allow: a coordinate step cannot, if xᵢ ∥ xⱼ."""
    alpha, theta, norms, scale, buffer = state.alpha, state.theta, state.norms, state.scale, state.buffer
    i, j = pair
    if i == j:
        return
    rows.add(i, 1.0, buffer)
    c = scale * rows.dot(j, buffer) * y[i] * y[j]
    rows.add(i, -1.0, buffer)
    gi = loss.dual_slope(y[i], alpha[i], rows.dot(i, theta), s[i])
    gj = loss.dual_slope(y[j], alpha[j], rows.dot(j, theta), s[j])
    a, b = norms[i] + loss.dual_curvature(alpha[i], s[i]), norms[j] + loss.dual_curvature(alpha[j], s[j])
    determinant = a * b - c * c
    if determinant <= 1e-12 * a * b:
        return
    di, dj = (c * gj - b * gi) / determinant, (c * gi - a * gj) / determinant
    t = min(1.0, _longest_step(loss, alpha[i], di, s[i]), _longest_step(loss, alpha[j], dj, s[j]))
    for k, d in ((i, t * di), (j, t * dj)):
        new = min(max(alpha[k] + d, 0.0), loss.dual_upper(s[k]))
        rows.add(k, scale * (new - alpha[k]) * y[k], theta)
        alpha[k] = new


@jitable
def _longest_step(loss: Loss, a: float, d: float, s: float) -> float:
    """The largest t with a + t d in the box."""
    if d == 0.0:
        return np.inf
    return (loss.dual_upper(s) - a) / d if d > 0.0 else -a / d
