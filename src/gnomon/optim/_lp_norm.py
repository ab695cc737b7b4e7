"""Regression in the p-norm.

    minimise over θ    Σᵢ sᵢ |yᵢ − aᵢᵀθ|^p    (p = ∞: maxᵢ |yᵢ − aᵢᵀθ|)                              (1)

    dual               maximise  Σᵢ yᵢνᵢ − Σᵢ sᵢ φ*(νᵢ/sᵢ)   subject to  Σᵢ νᵢ aᵢ = 0                (2)
                       φ*(u) = (p − 1)(|u|/p)^{p/(p−1)};  p = 1: |u| ≤ 1;  p = ∞: Σ|νᵢ| ≤ 1

p = 1 and p = ∞ are linear programmes, solved exactly in the form (2), whose multipliers are θ: Barrodale & Roberts
(1973), doi:10.1137/0710069. For 1 < p < ∞ Newton's method with exact line searches is certified by (2), at the
multipliers that its own step makes feasible. For p < 1 (1) is not convex: reweighted least squares from many starts,
Chartrand & Yin (2008), doi:10.1109/ICASSP.2008.4518498.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import linalg, optimize, sparse

from gnomon._typing import Floats, RandomState
from gnomon.numerics.design import Design
from gnomon.numerics.linalg import factor_spd, least_squares
from gnomon.numerics.random import check_rng
from gnomon.optim.problem import gram
from gnomon.optim.solution import History, Solution, StopReason, Trace

__all__ = ["lp_norm"]

_SOFTEN = 0.1


def lp_norm(
    design: Design,
    y: Floats,
    p: float,
    weights: Floats,
    *,
    tol: float = 1e-10,
    max_iter: int = 200,
    n_init: int = 10,
    random_state: RandomState | None = None,
) -> Solution[Floats]:
    """Minimise (1).

    Parameters
    ----------
    design : gnomon.numerics.design.Design
    y : ndarray of shape (n,)
    p : float
        0 < p ≤ ∞.
    weights : ndarray of shape (n,)
        sᵢ; for p = ∞ only whether they are zero matters.
    tol : float, default=1e-10
        Relative duality gap at which to stop, for 1 < p < ∞.
    max_iter : int, default=200
    n_init : int, default=10
        Starts for p < 1.
    random_state : None, int, Generator or RandomState
        Of those starts.

    Returns
    -------
    Solution
        With `w` the packed θ; its `dual_gap` is nan for p < 1, where `details["restarts"]` lists the objectives.

    References
    ----------
    Barrodale, I. & Roberts, F. D. K. (1973). An improved algorithm for discrete l1 linear approximation.
    doi:10.1137/0710069

    Chartrand, R. & Yin, W. (2008). Iteratively reweighted algorithms for compressive sensing.
    doi:10.1109/ICASSP.2008.4518498

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import lp_norm
    >>> design, y = Design(np.arange(5.0)[:, None]), np.array([0.0, 1.0, 2.0, 3.0, 14.0])
    >>> lp_norm(design, y, 1.0, np.ones(5)).w.round(7) + 0.0
    array([1., 0.])
    >>> lp_norm(design, y, np.inf, np.ones(5)).w.round(7)
    array([ 3.5 , -3.75])
    """
    if p == 1.0:
        return _median(design, y, weights)
    if p == np.inf:
        return _minimax(design, y, weights)
    if p == 2.0:
        theta = _least_squares(design, y, weights)
        value = float(weights @ (y - design.apply(theta)) ** 2)
        return Solution(theta, value, 1, True, "exact", _single_entry(value), dual_gap=0.0)
    if p < 1.0:
        return _nonconvex(design, y, p, weights, max_iter, n_init, check_rng(random_state))
    return _newton(design, y, p, weights, tol, max_iter)


def _median(design: Design, y: Floats, s: Floats) -> Solution[Floats]:
    A = _matrix(design)
    result = _programme(-y, A.T, np.zeros(design.width), np.column_stack([-s, s]))
    theta = -result.eqlin.marginals
    return _exact(theta, float(s @ np.abs(y - A @ theta)), -result.fun, result)


def _minimax(design: Design, y: Floats, s: Floats) -> Solution[Floats]:
    # ν = ν⁺ − ν⁻ makes Σ|ν| ≤ 1 linear; a slack turns it into an equation.
    used = s > 0
    A, t = _matrix(design)[used], y[used]
    n, width = A.shape
    sides = sparse.hstack([A.T, -A.T, sparse.csr_array((width, 1))])
    constraints = sparse.vstack([sides, sparse.csr_array(np.ones((1, 2 * n + 1)))])
    result = _programme(np.concatenate([-t, t, [0.0]]), constraints, np.append(np.zeros(width), 1.0), (0, None))
    theta = -result.eqlin.marginals[:width]
    return _exact(theta, float(np.max(np.abs(t - A @ theta))), -result.fun, result)


def _programme(cost: Floats, A: Any, b: Floats, bounds: Any) -> Any:
    result = optimize.linprog(cost, A_eq=A, b_eq=b, bounds=bounds, method="highs")
    if not result.success:
        raise RuntimeError(f"the linear programme was not solved: {result.message}; scale the columns of X")
    return result


def _exact(theta: Floats, primal: float, dual: float, result: Any) -> Solution[Floats]:
    gap = max(primal - dual, 0.0)
    n_iter = max(int(result.nit), 1)
    return Solution(theta, primal, n_iter, True, "exact", _single_entry(primal), dual_gap=gap)


def _single_entry(value: float) -> History:
    trace = Trace()
    trace.add(1, value)
    return trace.history


def _newton(design: Design, y: Floats, p: float, s: Floats, tol: float, max_iter: int) -> Solution[Floats]:
    theta = _least_squares(design, y, s)
    scale = float(np.max(np.abs(y - design.apply(theta)), initial=0.0)) or 1.0
    # Continuation in p = 4, 8, 16 …: each stage starts from the solution of the last, whose residuals are more even.
    stages = [float(q) for q in 2.0 ** np.arange(2, 60) if q < p] if p > 2.0 else []
    n_iter, trace, unit = 0, Trace(), scale**p
    for q in stages:
        theta, _, n_iter = _newton_stage(design, y, q, s, theta, scale, 1e-2, max_iter, n_iter)
    theta, bound, n_iter = _newton_stage(design, y, p, s, theta, scale, tol, max_iter, n_iter, trace, unit)
    value = float(s @ (np.abs(y - design.apply(theta)) / scale) ** p)
    gap = max(value - bound, 0.0)
    converged = gap <= tol * value
    reason: StopReason = "gap" if converged else "max_iter"
    return Solution(theta, value * unit, n_iter, converged, reason, trace.history, dual_gap=gap * unit)


def _newton_stage(
    design: Design,
    y: Floats,
    q: float,
    s: Floats,
    theta: Floats,
    scale: float,
    enough: float,
    max_iter: int,
    n_iter: int,
    trace: Trace | None = None,
    unit: float = 1.0,
) -> tuple[Floats, float, int]:
    """θ, the best lower bound on the minimum for this q in units of scale^q, and the iterations so far."""
    bound = -np.inf
    for step in range(max_iter):
        state = _linearise(design, y, s, q, theta, scale, soften=_SOFTEN**step)
        bound = max(bound, state.bound)
        gap = max(state.value - bound, 0.0)
        if trace is not None:
            trace.add(n_iter, state.value * unit, gap=gap * unit)
        # The step is computed already; taking it also at the end doubles the number of correct digits of θ.
        theta = theta + scale * _line_search(s, q, state) * state.direction
        n_iter += 1
        if gap <= enough * state.value:
            break
    return theta, bound, n_iter


class _Linearised(NamedTuple):
    """Newton's model at θ: residuals, value, step, its image, and (2) at the dual point that the step implies."""

    r: Floats
    value: float
    direction: Floats
    along: Floats
    bound: float


def _linearise(
    design: Design, y: Floats, s: Floats, q: float, theta: Floats, scale: float, *, soften: float
) -> _Linearised:
    r = (y - design.apply(theta)) / scale
    value, nu = float(s @ np.abs(r) ** q), s * q * np.abs(r) ** (q - 1.0) * np.sign(r)
    # For p < 2 the curvature is infinite at r = 0; a smoothing that decreases to zero keeps steps finite.
    floor = max(soften * float(np.median(np.abs(r))), 1e-12)
    curvature = s * q * (q - 1.0) * (r * r + floor * floor) ** (0.5 * (q - 2.0))
    gradient = design.adjoint(nu)
    H = gram(design, curvature)
    factor = factor_spd(H)
    direction = factor.solve(gradient) if factor is not None else linalg.lstsq(H, gradient)[0]
    along = design.apply(direction)
    # Aᵀ(ν − D A δ) = Aᵀν − Hδ = 0: the step makes its own multipliers feasible for (2).
    return _Linearised(r, value, direction, along, _dual_value(y / scale, s, q, nu - curvature * along))


def _line_search(s: Floats, q: float, state: _Linearised) -> float:
    """The exact minimiser along the step, a root of an increasing function."""

    def slope(t: float) -> float:
        left = state.r - t * state.along
        return -float(state.along @ (s * q * np.abs(left) ** (q - 1.0) * np.sign(left)))

    high = 1.0
    while slope(high) < 0.0 and high < 1e6:
        high *= 2.0
    return optimize.brentq(slope, 0.0, high, xtol=1e-15, rtol=1e-14) if slope(0.0) < 0.0 < slope(high) else high


def _dual_value(y: Floats, s: Floats, p: float, nu: Floats) -> float:
    """The largest value of (2) on the ray through ν; −∞ where a row of no weight would need one."""
    used = s > 0
    if np.any(np.abs(nu[~used]) > 1e-12 * np.max(np.abs(nu), initial=0.0)):
        return -np.inf
    q = p / (p - 1.0)
    linear = max(float(y @ nu), 0.0)
    with np.errstate(over="ignore"):
        power = (p - 1.0) * float(s[used] @ (np.abs(nu[used] / s[used]) / p) ** q)
    # max over c ≥ 0 of c·linear − c^q·power
    if not 0.0 < power < np.inf:
        return 0.0
    c = (linear / (q * power)) ** (1.0 / (q - 1.0))
    return c * linear * (1.0 - 1.0 / q)


def _nonconvex(
    design: Design, y: Floats, p: float, s: Floats, max_iter: int, n_init: int, rng: np.random.Generator
) -> Solution[Floats]:
    """Reweighted least squares with a vanishing floor, from the p = 1 fit and from fits through random rows."""
    A = _matrix(design).toarray()
    used = np.flatnonzero(s > 0)
    starts = [_median(design, y, s).w]
    for _ in range(n_init - 1):
        rows = rng.choice(used, size=min(design.width, len(used)), replace=False)
        starts.append(linalg.lstsq(A[rows], y[rows])[0])
    ends = [_reweighted(A, y, p, s, theta, max_iter) for theta in starts]
    values = np.array([float(s @ np.abs(y - A @ theta) ** p) for theta, _, _ in ends])
    best = int(np.argmin(values))
    theta, n_iter, settled = ends[best]
    trace = Trace()
    reason: StopReason = "no_change" if settled else "max_iter"
    for k, value in enumerate(np.minimum.accumulate(values)):
        trace.add(k, float(value))
    details = {"restarts": values}
    return Solution(theta, float(values[best]), n_iter, settled, reason, trace.history, details=details)


def _reweighted(A: Floats, y: Floats, p: float, s: Floats, theta: Floats, max_iter: int) -> tuple[Floats, int, bool]:
    """θ, the iterations made, and whether θ had stopped moving once the floor was low."""
    scale = float(np.median(np.abs(y - A @ theta))) or float(np.max(np.abs(y - A @ theta), initial=0.0)) or 1.0
    for step in range(max_iter):
        floor = scale * max(0.5**step, 1e-9)
        r = y - A @ theta
        root = np.sqrt(s * (r * r + floor * floor) ** (0.5 * p - 1.0))
        # Dividing by the largest weight keeps the rows of residual zero, whose weights are unbounded, accurate.
        root = root / np.max(root)
        new = linalg.lstsq(root[:, None] * A, root * y)[0]
        if step > 40 and np.max(np.abs(new - theta)) <= 1e-12 * max(np.max(np.abs(theta)), scale):
            return new, step + 1, True
        theta = new
    return theta, max_iter, False


def _least_squares(design: Design, y: Floats, s: Floats | None = None) -> Floats:
    method: Literal["cholesky", "qr"] = "cholesky" if design.sparse or design.n > 4 * design.d else "qr"
    fit = least_squares(design.X, y[:, None].astype(float), s, intercept=design.intercept != "none", method=method)
    w = fit.coef[:, 0]
    return w if design.intercept == "none" else np.append(w, fit.intercept[0] / design.bias)


def _matrix(design: Design) -> Any:
    """[X, bias] as a sparse matrix, for linear programmes."""
    X = sparse.csr_array(design.X, dtype=float)
    if design.intercept == "none":
        return X
    return sparse.hstack([X, sparse.csr_array(np.full((design.n, 1), design.bias))], format="csr")
