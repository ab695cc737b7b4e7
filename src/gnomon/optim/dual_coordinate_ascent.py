"""Dual coordinate ascent.

    maximise over 0 ≤ αᵢ ≤ Uᵢ    D(α) = −Σᵢ sᵢ ℓ*(yᵢ, −αᵢ yᵢ / sᵢ) − (c/2) ‖θ‖²,    θ = (1/c) Σᵢ αᵢ yᵢ xᵢ        (1)

is the dual of Σᵢ sᵢ ℓ(yᵢ, xᵢᵀθ) + (c/2)‖θ‖². One αᵢ at a time is moved to the maximum of (1) in it, and θ is kept up to
date, so a step costs one row of X. For the hinge U = s; for the squared hinge U = ∞ and (1) bends by 1/(2sᵢ). Random
order, and samples that rest at an end of their box are left out until the others have settled ("shrinking"): Hsieh,
Chang, Lin, Keerthi & Sundararajan (2008), algorithm 3, doi:10.1145/1390156.1390208. Where (1) is quadratic, every
pass ends with an exact step in the two αᵢ of steepest slope, up and down, which a crawl along nearly parallel rows
would take hundreds of passes for, and every second one with a line search along the way of the last two: θ is linear in
α, so that costs no row of X.

With s = C and c = 1 this is the textbook's α ∈ [0, C]; in the form ½‖w‖² + (λ/n) Σ ℓ the fractions αᵢ/sᵢ ∈ [0, 1] are
its α. A free intercept would add the constraint Σ αᵢ yᵢ = 0, along which no single αᵢ can move: append a penalised
constant column instead, or use ``qp``.
"""

import itertools
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from gnomon._jit import compiled, inline, jit, lean
from gnomon.optim.follow import follow
from gnomon.optim.stopping import KKT, Check, default_rule

__all__ = ["dual_coordinate_ascent", "dual_value_at"]

ORDERS = ("shuffle", "cyclic")
NO_LIMIT = (-np.inf, np.inf)


def dual_coordinate_ascent(
    problem,
    theta=None,
    *,
    alpha=None,
    order="shuffle",
    shrinking=True,
    extrapolation=True,
    tol=1e-4,
    max_iter=1000,
    check_every=10,
    random_state=0,
    callback=None,
    stop=None,
):
    """Maximise (1) coordinate by coordinate.

    Parameters
    ----------
    problem : Problem
        A loss with dual steps (hinge, squared hinge, logistic), an L2 penalty, no free intercept.
    theta : ndarray, optional
        Not used: θ belongs to α. It stands here because every solver of a problem takes it.
    alpha : ndarray of shape (n,), optional
        Start; by default the end of the box at which the loss is inactive.
    order : {"shuffle", "cyclic"}, default="shuffle"
    shrinking : bool, default=True
        Leave out samples at the ends of their boxes while they stay there.
    extrapolation : bool, default=True
        End passes with a step in two coordinates and a search along the last two passes.
    tol : float, default=1e-4
        Stop when the projected slopes of (1) lie within an interval of this length, in units of the margin.
    max_iter : int, default=1000
        Passes over the data.
    check_every : int, default=10
        Passes between evaluations of primal and dual.
    random_state : int, RandomState or None, default=0
    callback : callable, optional
        Called with each row of the history; True stops.
    stop : StopRule, optional
        A further rule, for example ``DualityGap(1e-6)``.

    Returns
    -------
    Solution
        `details["alpha"]` is α, and `dual_gap` the primal minus the dual objective.

    References
    ----------
    Hsieh, C.-J., Chang, K.-W., Lin, C.-J., Keerthi, S. S. & Sundararajan, S. (2008). A dual coordinate descent method
    for large-scale linear SVM. doi:10.1145/1390156.1390208

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import HingeLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, dual_coordinate_ascent
    >>> from gnomon.penalties import L2
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    >>> problem = Problem(Design(X, intercept="none"), y, HingeLoss(), L2(1.0, half=True), np.full(2, 0.25))
    >>> solution = dual_coordinate_ascent(problem, tol=1e-8)
    >>> solution.w, round(solution.dual_gap, 7), solution.details["alpha"]
    (array([0.5]), 0.0, array([0.25, 0.25]))
    """
    if order not in ORDERS:
        raise ValueError(f"order={order!r} is unknown; choose from {list(ORDERS)}")
    state, quadratic = start_ascent(problem, alpha), problem.loss.dual_start == 0.0
    passes = run_passes(problem, state, order, shrinking, extrapolation and quadratic, tol, random_state)
    checks = watch(problem, state, passes, tol, max_iter, check_every)
    rule = default_rule(KKT(tol), None, stop)
    return finish_ascent(problem, state, follow(checks, rule, max_iter=max_iter, callback=callback))


class Ascent(NamedTuple):
    """The arrays that a run of dual coordinate ascent works on, in place."""

    alpha: np.ndarray
    theta: np.ndarray
    norms: np.ndarray
    order: np.ndarray
    scale: float


def start_ascent(problem, alpha):
    """Arrays for a start at `alpha`: θ of (1), ‖xᵢ‖²/c, and the samples of positive weight in order."""
    scale = 1.0 / problem.penalty.bend
    rows, s = compiled(problem.design.rows), problem.weights.astype(float)
    alpha = problem.loss.dual_start * s if alpha is None else np.array(alpha, dtype=float)
    theta = scale * np.asarray(problem.design.adjoint(alpha * problem.y), dtype=float)
    return Ascent(alpha, theta, scale * _squared_norms(rows, problem.design.n), np.flatnonzero(s > 0), scale)


def finish_ascent(problem, state, solution):
    """The solution with α, and the gap between its objective and the best dual value, which is the last."""
    gap = max(solution.objective - dual_value_at(problem, state.alpha, state.theta), 0.0)
    return solution._replace(
        w=solution.w.astype(problem.design.dtype), dual_gap=gap, details={**solution.details, "alpha": state.alpha}
    )


def dual_value_at(problem, alpha, theta):
    """D(α) of (1), given the θ that belongs to it."""
    s = problem.weights
    u = np.divide(-alpha * problem.y, s, out=np.zeros_like(alpha), where=s > 0)
    return -float(np.sum(s * problem.loss.conjugate(problem.y, u))) - problem.penalty.value(theta)


def run_passes(problem, state, order, shrinking, extrapolation, tol, random_state, *, clip=-1.0):
    """Yield (violation, active) after every pass; the violation is infinite unless all samples were looked at.

    With `clip` < 0 each coordinate is solved; else it takes one Newton step, kept `clip` of the box away from its ends.
    """
    loss, rows, y, s = compiled(problem.loss), compiled(problem.design.rows), problem.y, problem.weights.astype(float)
    seed = np.array([check_random_state(random_state).randint(1, 2**31 - 1)], dtype=np.uint64)
    previous, buffer = (state.alpha.copy(), state.theta.copy()), np.zeros_like(state.theta)
    count = active = state.order.size
    limits = NO_LIMIT
    for iteration in itertools.count(1):
        if order == "shuffle":
            _shuffle(state.order, active, seed)
        visited = active
        active, low, high, pair = _sweep(loss, rows, y, s, *state, active, *limits, clip)
        if extrapolation and high - low > tol:
            _pair_step(loss, rows, y, s, state.alpha, state.theta, state.norms, state.scale, pair, buffer)
        yield (high - low if visited == count else np.inf), active
        if high - low <= tol:
            # The shrunken problem is solved: look at every sample again.
            active, limits = count, NO_LIMIT
        elif shrinking:
            limits = (low if low < 0.0 else -np.inf), (high if high > 0.0 else np.inf)
        if extrapolation and iteration % 2 == 0:
            _extrapolate(loss, y, s, state.alpha, state.theta, 1.0 / state.scale, *previous)


def watch(problem, state, passes, tol, max_iter, check_every):
    """Yield a check for the start, after every `check_every` passes, and when the slopes have settled."""
    yield _check(problem, state, 0, np.inf, state.order.size)
    for iteration, (violation, active) in enumerate(passes, start=1):
        if violation <= tol or iteration % check_every == 0 or iteration == max_iter:
            yield _check(problem, state, iteration, violation, active)


def _check(problem, state, iteration, violation, active):
    primal, dual = problem.value(state.theta), dual_value_at(problem, state.alpha, state.theta)
    more = {"dual": dual, "active": active}
    return Check(iteration, np.array(state.theta), primal, kkt=violation, gap=max(primal - dual, 0.0), more=more)


@jit
def _squared_norms(rows, n):
    norms = np.empty(n)
    for i in range(n):
        norms[i] = rows.squared_norm(i)
    return norms


@lean
def _shuffle(order, count, seed):
    """Permute the first `count` entries: Fisher–Yates, with Marsaglia's 64-bit xorshift (2003)."""
    x = seed[0]
    for k in range(count - 1):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        # The high bits times the range, instead of a slow remainder.
        j = k + np.int64(((x >> np.uint64(32)) * np.uint64(count - k)) >> np.uint64(32))
        order[k], order[j] = order[j], order[k]
    seed[0] = x


@inline
def _newton_step(loss, a, slope, norm, s, clip):
    """One Newton step, kept `clip` of the box away from its ends."""
    new = a - slope / max(norm + loss.dual_bend(a, s), 1e-300)
    return min(max(new, clip * s), loss.dual_upper(s) - clip * s)


@lean
def _sweep(loss, rows, y, s, alpha, theta, norms, order, scale, active, low, high, clip):
    """One pass over the first `active` samples of `order`; returns how many stay active and the range of the slopes."""
    smallest, largest, steepest = 0.0, 0.0, (0, 0)
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


@lean
def _extrapolate(loss, y, s, alpha, theta, c, old_alpha, old_theta):
    """Move α and θ to the maximum of a quadratic (1) on the ray from the old point, in the box; renew the old point."""
    slope, bend, room = 0.0, 0.0, np.inf
    for i in range(alpha.shape[0]):
        d = alpha[i] - old_alpha[i]
        if d != 0.0:
            slope -= d * loss.dual_slope(y[i], alpha[i], 0.0, s[i])
            bend += d * d * loss.dual_bend(alpha[i], s[i])
            room = min(room, _room(loss, alpha[i], d, s[i]))
    for j in range(theta.shape[0]):
        d = theta[j] - old_theta[j]
        slope -= c * theta[j] * d
        bend += c * d * d
    t = min(slope / bend, room) if slope > 0.0 and bend > 0.0 else 0.0
    _step_along(alpha, old_alpha, t)
    _step_along(theta, old_theta, t)


@inline
def _step_along(v, old, t):
    for j in range(v.shape[0]):
        v[j], old[j] = v[j] + t * (v[j] - old[j]), v[j] + t * (v[j] - old[j])


@lean
def _pair_step(loss, rows, y, s, alpha, theta, norms, scale, pair, buffer):
    """Maximise a quadratic (1) in two αᵢ at once, as far as their boxes allow: a coordinate step cannot, if xᵢ ∥ xⱼ."""
    i, j = pair
    if i == j:
        return
    rows.add(i, 1.0, buffer)
    c = scale * rows.dot(j, buffer) * y[i] * y[j]
    rows.add(i, -1.0, buffer)
    gi = loss.dual_slope(y[i], alpha[i], rows.dot(i, theta), s[i])
    gj = loss.dual_slope(y[j], alpha[j], rows.dot(j, theta), s[j])
    a, b = norms[i] + loss.dual_bend(alpha[i], s[i]), norms[j] + loss.dual_bend(alpha[j], s[j])
    determinant = a * b - c * c
    if determinant <= 1e-12 * a * b:
        return
    di, dj = (c * gj - b * gi) / determinant, (c * gi - a * gj) / determinant
    t = min(1.0, _room(loss, alpha[i], di, s[i]), _room(loss, alpha[j], dj, s[j]))
    for k, d in ((i, t * di), (j, t * dj)):
        new = min(max(alpha[k] + d, 0.0), loss.dual_upper(s[k]))
        rows.add(k, scale * (new - alpha[k]) * y[k], theta)
        alpha[k] = new


@inline
def _room(loss, a, d, s):
    """How many steps d fit into the box."""
    if d == 0.0:
        return np.inf
    return (loss.dual_upper(s) - a) / d if d > 0.0 else -a / d
