"""Regression in the p-norm.

    minimise over θ    Σᵢ sᵢ |yᵢ − aᵢᵀθ|^p    (p = ∞: maxᵢ |yᵢ − aᵢᵀθ|)                              (1)

    dual               maximise  Σᵢ yᵢνᵢ − Σᵢ sᵢ φ*(νᵢ/sᵢ)   subject to  Σᵢ νᵢ aᵢ = 0                (2)
                       φ*(u) = (p − 1)(|u|/p)^{p/(p−1)};  p = 1: |u| ≤ 1;  p = ∞: Σ|νᵢ| ≤ 1

p = 1 and p = ∞ are linear programmes, solved in the form (2), whose multipliers are θ: Barrodale & Roberts (1973),
doi:10.1137/0710069. For 1 < p < ∞ Newton's method with exact line searches is certified by (2), at the multipliers
that its own step makes feasible. For p < 1 (1) is not convex: reweighted least squares from many starts, Chartrand &
Yin (2008), doi:10.1109/ICASSP.2008.4518498. All of them work on residuals of least squares of size one in orthogonal
coordinates; the objective and the gap are those of θ as it is returned, in the units of the data, rounding included.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import linalg, optimize, sparse

from gnomon._typing import Floats, RandomState
from gnomon.numerics.design import Design
from gnomon.numerics.linalg import Coordinates, binary_exponent, coordinates, factor_spd, least_squares
from gnomon.numerics.random import check_rng
from gnomon.optim.lp_programmes import PROGRAMMES
from gnomon.optim.problem import gram
from gnomon.optim.solution import Solution, StopReason, Trace

__all__ = ["lp_norm"]

_SOFTEN = 0.1

_ROUNDS = 8
"""Linear programmes at most, each on what the last one left; one or two are the rule."""

_FAR = 1e6
"""Residuals beyond so many medians keep their sign whatever a step of a few medians does."""

_EPS = np.finfo(float).eps


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
        Relative duality gap at which to stop; what rounding of θ and of residuals costs comes on top.
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
    problem = _scaled(design, y, weights, p)
    if p < 1.0:
        return _nonconvex(problem, max_iter, n_init, check_rng(random_state))
    if p == 2.0 or problem.to_theta(np.zeros_like(problem.start)).is_exact:
        phi = _least_squares(problem)
        found = _Found(phi, 2.0 * problem.s * problem.residual(phi), 1, "exact")
    elif p in PROGRAMMES:
        found = _refined_programme(problem, tol, max_iter)
    else:
        found = _newton(problem, tol, max_iter)
    return _certified(problem, found, tol)


@dataclass(frozen=True, eq=False)
class _Scaled:
    """(1) as Σ s|t − Mφ|^p, with columns, weights and the residuals t of least squares of size one.

    sizes = |Z|; 2^exponent is the unit of t and of target = Mφ₀ + t, y centred; that of s is 2^weight_exponent.
    """

    p: float
    design: Design
    coordinates: Coordinates
    M: Any
    sizes: Any
    t: Floats
    s: Floats
    start: Floats
    target: Floats
    exponent: int
    y_mean: float
    weight_exponent: int

    def residual(self, phi: Floats) -> Floats:
        return self.t - np.asarray(self.M @ phi)

    def value(self, r: Floats) -> float:
        """(1) for residuals r, in these units."""
        with np.errstate(under="ignore"):
            return float(np.max(np.abs(r)) if self.p == np.inf else self.s @ np.abs(r) ** self.p)

    def unit(self, size: float = 1.0) -> float:
        """What (1) is multiplied by where residuals are in units of `size`; inf or 0 outside the range of floats."""
        power, weight = (1.0, 0) if self.p == np.inf else (self.p, self.weight_exponent)
        with np.errstate(over="ignore", under="ignore"):
            return float(np.exp2(power * (self.exponent + np.log2(size)) + weight))

    def to_theta(self, phi: Floats) -> _Fitted:
        """θ in the units of the data, and the residuals of exactly that θ."""
        scale, dtype = self.coordinates, self.design.dtype
        w, b = scale.to_data(*scale.columns(self.start + phi), self.exponent, self.y_mean, dtype)
        u, c = scale.from_data(w, b, self.exponent, self.y_mean)
        r = self.target - np.asarray(scale.Z @ u) - c
        length = np.asarray(self.sizes @ np.abs(u))
        grain = np.finfo(dtype).eps * length + np.ldexp(np.spacing(abs(b)), -self.exponent)
        theta = w if self.design.intercept == "none" else np.append(w, b / self.design.bias)
        return _Fitted(theta, r, 4.0 * _EPS * (np.abs(self.target) + length + abs(c)), grain)


class _Fitted(NamedTuple):
    """θ, its residuals, a bound on the rounding of these, and what the last digits of θ change in them."""

    theta: Floats
    r: Floats
    blur: Floats
    grain: Floats

    @property
    def is_exact(self) -> bool:
        return bool(np.all(np.abs(self.r) <= self.blur))


def _scaled(design: Design, y: Floats, weights: Floats, p: float) -> _Scaled:
    used = weights > 0
    X, y, s = (design.X, y, weights) if np.all(used) else (design.X[used], y[used], weights[used])
    intercept = design.intercept != "none"
    scale = coordinates(X, intercept=intercept)
    whole, heavy = int(binary_exponent(y)), int(binary_exponent(s))
    target = np.ldexp(y, -whole)
    mean = float(np.mean(target)) if intercept else 0.0
    target = target - mean
    start = scale.fit(target)
    start = start + scale.fit(target - scale.M @ start)
    t = target - scale.M @ start
    rest = int(binary_exponent(t))
    start, target, t = np.ldexp(start, -rest), np.ldexp(target, -rest), np.ldexp(t, -rest)
    y_mean = float(np.ldexp(mean, whole))
    Z: Any = scale.Z
    parts = (scale, scale.M, abs(Z), t, np.ldexp(s, -heavy), start, target, whole + rest, y_mean, heavy)
    return _Scaled(p, design, *parts)


class _Found(NamedTuple):
    """φ, the dual point that certifies it, iterations, what ended them, and the record."""

    phi: Floats
    nu: Floats
    n_iter: int
    reason: StopReason
    trace: Trace | None = None


def _certified(problem: _Scaled, found: _Found, tol: float) -> Solution[Floats]:
    """The solution in the units of the data, with the gap of exactly that θ, rounding included."""
    point = problem.to_theta(found.phi)
    far = np.abs(point.r) + point.blur + point.grain
    size = float(np.max(far, initial=0.0)) or 1.0
    value, unit = problem.value(point.r / size), problem.unit(size)
    rounding = problem.value((np.abs(point.r) + point.blur) / size) - value
    # With ν feasible up to e = Mᵀν the bound is off by (φ − φ*)ᵀe.
    nu = problem.coordinates.reject(found.nu)
    bound, c = _best_on_ray(problem.p, problem.s, point.r / size, nu)
    bound -= c * float(np.abs(found.phi) @ np.abs(problem.M.T @ nu)) / size
    gap = max(value - bound, 0.0) + rounding
    # No θ of floats is nearer than its last digits: what these cost is no fault of the solver.
    converged = gap <= tol * value + 2.0 * (problem.value(far / size) - value)
    if not point.is_exact:
        _warn_outside_range(value, unit)
    trace = Trace() if found.trace is None else found.trace
    objective, dual_gap = value * unit, gap * unit if gap > 0.0 else 0.0
    trace.add(found.n_iter, objective, gap=dual_gap)
    reason = found.reason if converged else "max_iter"
    return Solution(point.theta, objective, found.n_iter, converged, reason, trace.history, dual_gap=dual_gap)


def _warn_outside_range(value: float, unit: float) -> None:
    if not 0.0 < unit < np.inf:
        warnings.warn(
            f"the least value of (1) is {value:.3g} times a unit that floats cannot hold, and given as {unit:g}; the "
            f"coefficients are not affected. For a value, {'divide' if unit else 'multiply'} y by a power of ten",
            RuntimeWarning,
            stacklevel=5,
        )


def _best_on_ray(p: float, s: Floats, r: Floats, nu: Floats) -> tuple[float, float]:
    """The largest value of (2) on the ray through a feasible ν, where Σ yν = Σ rν, and the c ≥ 0 of cν that has it."""
    size = float(np.max(np.abs(nu) / s, initial=0.0))
    linear = float(r @ nu) / size if size > 0.0 else 0.0
    if linear <= 0.0:
        return 0.0, 0.0
    if p == 1.0:
        return linear, 1.0 / size
    if p == np.inf:
        c = size / float(np.sum(np.abs(nu)))
        return c * linear, c / size
    # max over c ≥ 0 of c·linear − c^q·power
    q = p / (p - 1.0)
    power = (p - 1.0) * float(s @ (np.abs(nu) / (size * s * p)) ** q)
    c = (linear / (q * power)) ** (1.0 / (q - 1.0))
    return c * linear * (1.0 - 1.0 / q), c / size


def _refined_programme(problem: _Scaled, tol: float, max_iter: int) -> _Found:
    """Linear programmes on what is left, in units of it, until the gap closes: their solver has absolute tolerances."""
    s, phi, nu, trace = problem.s, np.zeros(problem.M.shape[1]), np.zeros(len(problem.t)), Trace()
    r, n_iter, unit = problem.t, 0, problem.unit()
    for _ in range(min(max_iter, _ROUNDS)):
        size = _typical(r, problem.p)
        near = np.clip(r, -_FAR * size, _FAR * size)
        found = PROGRAMMES[problem.p](problem.M, near / size, s)
        if found is None:
            break
        n_iter += found.n_iter
        moved = near - size * np.asarray(problem.M @ found.phi)
        if problem.value(moved) <= problem.value(near):
            phi, near = phi + size * found.phi, moved
            r = problem.residual(phi)
        duals = (nu, problem.coordinates.reject(found.nu))
        bounds = [_best_on_ray(problem.p, s, near, dual)[0] for dual in duals]
        nu = duals[int(np.argmax(bounds))]
        gap = max(problem.value(near) - max(bounds), 0.0)
        trace.add(n_iter, problem.value(r) * unit, gap=gap * unit)
        # Before the outliers were found, the unit was theirs: what it says about the other rows is coarse.
        if gap <= tol * problem.value(near) and _typical(r, problem.p) >= 1e-3 * size:
            break
    return _Found(phi, nu, max(n_iter, 1), "exact", trace)


def _typical(r: Floats, p: float) -> float:
    """The size of residuals that decides about an optimum: the largest for p = ∞, the median for p = 1."""
    size = np.abs(r[r != 0.0])
    if not len(size):
        return 1.0
    return float(np.max(size) if p == np.inf else max(np.median(size), np.max(size) / _FAR**2))


def _newton(problem: _Scaled, tol: float, max_iter: int) -> _Found:
    phi, p = _least_squares(problem), problem.p
    # Continuation in p = 4, 8, 16 …: each stage starts from the solution of the last, whose residuals are more even.
    stages = [float(q) for q in 2.0 ** np.arange(2, 60) if q < p] if p > 2.0 else []
    n_iter, trace = 0, Trace()
    for q in stages:
        phi, _, n_iter = _newton_stage(problem, q, phi, 1e-2, max_iter, n_iter)
    phi, nu, n_iter = _newton_stage(problem, p, phi, tol, max_iter, n_iter, trace)
    return _Found(phi, nu, n_iter, "gap", trace)


def _newton_stage(
    problem: _Scaled, q: float, phi: Floats, enough: float, max_iter: int, n_iter: int, trace: Trace | None = None
) -> tuple[Floats, Floats, int]:
    """φ, the dual point with the best bound on the minimum for this q, and the iterations so far."""
    bound, nu = -np.inf, np.zeros(len(problem.t))
    size = float(np.max(np.abs(problem.residual(phi)), initial=0.0)) or 1.0
    for step in range(max_iter):
        state = _linearise(problem, q, phi, size, soften=_SOFTEN**step)
        reached, _ = _best_on_ray(q, problem.s, state.r, state.nu)
        if reached >= bound:
            bound, nu = reached, state.nu
        gap = max(state.value - bound, 0.0)
        if trace is not None:
            trace.add(n_iter, state.value * problem.unit(size), gap=gap * problem.unit(size))
        # The step is computed already; taking it also at the end doubles the number of correct digits of φ.
        phi = phi + size * _line_search(problem.s, q, state) * state.direction
        n_iter += 1
        if gap <= enough * state.value:
            break
    return phi, nu, n_iter


class _Linearised(NamedTuple):
    """Newton's model at φ: residuals, value, step, its image, and the point of (2) that the step makes feasible."""

    r: Floats
    value: float
    direction: Floats
    along: Floats
    nu: Floats


def _linearise(problem: _Scaled, q: float, phi: Floats, size: float, *, soften: float) -> _Linearised:
    s, r = problem.s, problem.residual(phi) / size
    value, nu = float(s @ np.abs(r) ** q), s * q * np.abs(r) ** (q - 1.0) * np.sign(r)
    # For p < 2 the curvature is infinite at r = 0; a smoothing that decreases to zero keeps steps finite.
    floor = max(soften * float(np.median(np.abs(r))), 1e-12)
    curvature = s * q * (q - 1.0) * (r * r + floor * floor) ** (0.5 * (q - 2.0))
    gradient = np.asarray(problem.M.T @ nu)
    H = gram(Design(problem.M, intercept="none"), curvature)
    factor = factor_spd(H)
    direction = factor.solve(gradient) if factor is not None else linalg.lstsq(H, gradient)[0]
    along = np.asarray(problem.M @ direction)
    # Mᵀ(ν − D M δ) = Mᵀν − Hδ = 0: the step makes its own multipliers feasible for (2).
    return _Linearised(r, value, direction, along, nu - curvature * along)


def _line_search(s: Floats, q: float, state: _Linearised) -> float:
    """The exact minimiser along the step, a root of an increasing function."""

    def slope(t: float) -> float:
        left = state.r - t * state.along
        return -float(state.along @ (s * q * np.abs(left) ** (q - 1.0) * np.sign(left)))

    high = 1.0
    while slope(high) < 0.0 and high < 1e6:
        high *= 2.0
    if not slope(0.0) < 0.0 < slope(high):
        return high
    return float(optimize.brentq(slope, 0.0, high, xtol=1e-15, rtol=1e-14, full_output=True, disp=False)[0])


def _nonconvex(problem: _Scaled, max_iter: int, n_init: int, rng: np.random.Generator) -> Solution[Floats]:
    """Reweighted least squares with a vanishing floor, from the p = 1 fit and from fits through random rows."""
    M = problem.M.toarray() if sparse.issparse(problem.M) else problem.M
    t, width = problem.t, M.shape[1]
    starts = [_refined_programme(replace(problem, p=1.0), _EPS, max_iter).phi]
    for _ in range(n_init - 1):
        rows = rng.choice(len(t), size=min(width, len(t)), replace=False)
        starts.append(linalg.lstsq(M[rows], t[rows])[0])
    ends = [_reweighted(M, t, problem.p, problem.s, phi, max_iter) for phi in starts]
    # A fit through as many rows as it has coefficients can be a minimum that the first, high floors lead away from.
    pairs = [(problem.to_theta(phi), problem.to_theta(end[0])) for phi, end in zip(starts, ends, strict=True)]
    points = [min(pair, key=lambda point: problem.value(point.r)) for pair in pairs]
    values = np.array([problem.value(point.r) for point in points])
    best = int(np.argmin(values))
    _, n_iter, settled = ends[best]
    trace, unit = Trace(), problem.unit()
    reason: StopReason = "no_change" if settled else "max_iter"
    for k, value in enumerate(np.minimum.accumulate(values)):
        trace.add(k, float(value) * unit)
    if not points[best].is_exact:
        _warn_outside_range(float(values[best]), unit)
    objective, details = float(values[best]) * unit, {"restarts": values * unit}
    return Solution(points[best].theta, objective, n_iter, settled, reason, trace.history, details=details)


def _reweighted(M: Floats, t: Floats, p: float, s: Floats, phi: Floats, max_iter: int) -> tuple[Floats, int, bool]:
    """φ, the iterations made, and whether φ had stopped moving once the floor was low."""
    scale = float(np.median(np.abs(t - M @ phi))) or float(np.max(np.abs(t - M @ phi), initial=0.0)) or 1.0
    for step in range(max_iter):
        floor = scale * max(0.5**step, 1e-9)
        r = t - M @ phi
        root = np.sqrt(s * (r * r + floor * floor) ** (0.5 * p - 1.0))
        # Dividing by the largest weight keeps the rows of residual zero, whose weights are unbounded, accurate.
        root = root / np.max(root)
        new = linalg.lstsq(root[:, None] * M, root * t)[0]
        if step > 40 and np.max(np.abs(new - phi), initial=0.0) <= 1e-12 * max(np.max(np.abs(phi), initial=0.0), scale):
            return new, step + 1, True
        phi = new
    return phi, max_iter, False


def _least_squares(problem: _Scaled) -> Floats:
    method: Literal["cholesky", "qr"] = "cholesky" if sparse.issparse(problem.M) else "qr"
    return least_squares(problem.M, problem.t[:, None], problem.s, intercept=False, method=method).coef[:, 0]
