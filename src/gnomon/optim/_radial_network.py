"""Networks of radial functions.

    minimise over w, b    E = Σ_i s_i ‖h(x_i) − y_i‖² + λ ‖w‖²,    h(x) = Σ_k w_k exp(−γ_k ‖x − μ_k‖²) + b         (1)

For given widths this is least squares. Widths are learned by descent on log γ of what is left at the best w, whose
derivative is that at fixed w (the minimum over w has no slope in w: variable projection):

    ∂E/∂γ_k = −2 Σ_i s_i d_ik² e^{−γ_k d_ik²} (h(x_i) − y_i)ᵀ w_k,    d_ik = ‖x_i − μ_k‖                            (2)

With a centre at every row h interpolates, for every γ, and E says nothing; then γ minimises the sum of squares of the
leave-one-out residuals w_i / (Φ⁻¹)_ii. Broomhead & Lowe (1988), Complex Systems 2, 321–355; Golub & Pereyra (1973),
doi:10.1137/0710036; Rippa (1999), doi:10.1023/A:1018975909870.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import count
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import linalg, optimize
from scipy.spatial.distance import cdist

from gnomon._typing import Floats
from gnomon.numerics.linalg import RankWarning, factor_spd, least_squares, leverages, ridge
from gnomon.optim._follow import Descent, follow_to_rounding
from gnomon.optim.line_search import ValueAndGradient
from gnomon.optim.rules import check_at
from gnomon.optim.solution import Solution, Trace
from gnomon.optim.stopping import GradientNorm

__all__ = ["RadialNetwork", "radial_design", "radial_network"]

WORST = 1e12
"""Condition number of Φ from which on the weights of least norm are taken."""

LONGEST = 1.0
"""The largest change of log γ in one step."""

OCTAVES = 6
"""How many doublings of γ, up and down, are tried before the best is refined by leave-one-out residuals."""


class RadialNetwork(NamedTuple):
    """The minimiser of (1).

    Fields
    ------
    coef : ndarray of shape (K, k)
        w for each of k targets.
    intercept : ndarray of shape (k,)
    gamma : ndarray of shape (1,) or (K,)
    objective : float
        E.
    condition : float
        Condition number of Φ, where Φ w = y was solved; nan elsewhere.
    loo_residuals : ndarray of shape (n, k) or None
        y_i − ŷ_{−i}, where γ was learned from them.
    solution : Solution or None
        How γ was learned.

    References
    ----------
    Broomhead, D. S. & Lowe, D. (1988). Multivariable functional interpolation and adaptive networks. Complex Systems 2,
    321–355.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import radial_network
    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> radial_network(x, np.array([[0.0], [1.0], [1.0]]), x, [1.0], mode="interpolate").coef.ravel().round(7)
    array([-0.3326131,  0.8699799,  0.6860443])
    """

    coef: Floats
    intercept: Floats
    gamma: Floats
    objective: float
    condition: float
    loo_residuals: Floats | None
    solution: Solution[Any] | None


def radial_network(
    X: Floats,
    Y: Floats,
    centers: Floats,
    gamma: Any,
    weights: Floats | None = None,
    *,
    mode: Literal["interpolate", "lstsq"] = "lstsq",
    lam: float = 0.0,
    intercept: bool = False,
    learn: Literal["no", "training", "loo"] = "no",
    tol: float = 1e-6,
    max_iter: int = 100,
) -> RadialNetwork:
    """Minimise (1) over w and b, and over γ if it is learned.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    Y : ndarray of shape (n, k)
    centers : ndarray of shape (K, d)
        μ; with ``mode="interpolate"`` the rows X themselves.
    gamma : array-like of shape (1,) or (K,)
        γ, or where to start from.
    weights : ndarray of shape (n,), optional
        s.
    mode : {"interpolate", "lstsq"}, default="lstsq"
        Solve Φ w = y for a square Φ, or minimise (1).
    lam : float, default=0.0
        λ.
    intercept : bool, default=False
        Whether there is b, which is not penalised.
    learn : {"no", "training", "loo"}, default="no"
        Learn γ by (2), or one γ by leave-one-out residuals.
    tol : float, default=1e-6
        Stop at |∂E/∂ log γ| ≤ tol Σ s ‖y‖², or where log γ changes by less (leave-one-out).
    max_iter : int, default=100

    Returns
    -------
    RadialNetwork

    References
    ----------
    Broomhead, D. S. & Lowe, D. (1988). Multivariable functional interpolation and adaptive networks. Complex Systems 2,
    321–355.

    Golub, G. H. & Pereyra, V. (1973). The differentiation of pseudo-inverses and nonlinear least squares problems whose
    variables separate. doi:10.1137/0710036

    Rippa, S. (1999). An algorithm for selecting a good value for the parameter c in radial basis function
    interpolation. doi:10.1023/A:1018975909870

    Examples
    --------
    Two centres and four points, with the best common width:

    >>> import numpy as np
    >>> from gnomon.optim import radial_network
    >>> x, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0.0], [1.0], [1.0], [0.0]])
    >>> found = radial_network(x, y, np.array([[0.5], [2.5]]), [1.0], learn="training", tol=1e-10)
    >>> found.gamma.round(7), np.round(np.log(2) / 2, 7), round(found.objective, 7)
    (array([0.3465736]), np.float64(0.3465736), 0.72)
    """
    start = np.atleast_1d(np.asarray(gamma, dtype=float))
    D = scaled_squares(X, centers, start)
    s = np.ones(len(X)) if weights is None else weights
    problem = RadialProblem(D, np.asarray(Y, dtype=float), s, lam, intercept, mode == "interpolate")
    solution = LEARNERS[learn](problem, np.zeros(len(start)), tol, max_iter)
    theta = np.zeros(len(start)) if solution is None else solution.w
    coef, b, condition = problem.weights_at(theta)
    return RadialNetwork(
        coef,
        b,
        start * np.exp(theta),
        problem.value(theta, coef, b),
        condition,
        problem.loo_residuals(theta) if learn == "loo" else None,
        solution,
    )


def radial_design(X: Floats, centers: Floats, gamma: Any) -> Floats:
    """Φ_ik = exp(−γ_k ‖x_i − μ_k‖²), from the differences, so that rows far from the origin lose nothing.

    References
    ----------
    Broomhead, D. S. & Lowe, D. (1988). Multivariable functional interpolation and adaptive networks. Complex Systems 2,
    321–355.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import radial_design
    >>> radial_design(np.array([[1.0]]), np.array([[1.0], [3.0]]), [0.5, 0.25]).round(7)
    array([[1.       , 0.3678794]])
    """
    return np.exp(-scaled_squares(X, centers, np.atleast_1d(np.asarray(gamma, dtype=float))))


def scaled_squares(X: Floats, centers: Floats, gamma: Floats) -> Floats:
    """γ_k ‖x_i − μ_k‖², in a unit in which squares do not overflow."""
    widest = float(np.max(gamma)) or 1.0
    root = np.sqrt(widest)
    return cdist(np.asarray(X, dtype=float) * root, np.asarray(centers, dtype=float) * root, "sqeuclidean") * (
        gamma / widest
    )


class RadialProblem(NamedTuple):
    """(1) as a function of θ, the logarithm of γ over where it started; `D` are the scaled squares there."""

    D: Floats
    Y: Floats
    s: Floats
    lam: float
    intercept: bool
    interpolates: bool

    def design(self, theta: Floats) -> Floats:
        """Φ."""
        return np.exp(-np.exp(theta) * self.D)

    def weights_at(self, theta: Floats) -> tuple[Floats, Floats, float]:
        """The best w and b for these widths, and the condition number of Φ where it was needed."""
        Phi = self.design(theta)
        if self.interpolates:
            coef, condition = interpolate(Phi, self.Y, symmetric=len(theta) == 1)
            return coef, np.zeros(self.Y.shape[1]), condition
        if self.lam > 0.0:
            found: Any = ridge(Phi, self.Y, self.lam, self.s, intercept=self.intercept)
        else:
            found = least_squares(Phi, self.Y, self.s, intercept=self.intercept)
        return found.coef, found.intercept, np.nan

    def value(self, theta: Floats, coef: Floats, b: Floats) -> float:
        """E."""
        R = self.design(theta) @ coef + b - self.Y
        return float(np.sum(self.s @ R**2) + self.lam * np.sum(coef**2))

    def reduced(self, theta: Floats) -> tuple[float, Floats]:
        """E at the best w, and its derivative (2) in θ."""
        coef, b, _ = self.weights_at(theta)
        Phi = self.design(theta)
        R = Phi @ coef + b - self.Y
        pull = (self.s[:, None] * R) @ coef.T
        slopes = -2.0 * np.sum(pull * Phi * np.exp(theta) * self.D, axis=0)
        value = float(np.sum(self.s @ R**2) + self.lam * np.sum(coef**2))
        return value, slopes if len(theta) > 1 else np.array([slopes.sum()])

    def loo_residuals(self, theta: Floats) -> Floats:
        """y_i − ŷ_{−i}; infinite where rounding would decide, or where a row alone determines its fit."""
        Phi = self.design(theta)
        if self.interpolates:
            factor = factor_spd(Phi)
            if factor is None or factor.condition > WORST:
                return np.full_like(self.Y, np.inf)
            G = factor.solve(np.eye(len(Phi)))
            return (G @ self.Y) / np.diagonal(G)[:, None]
        coef, b, _ = self.weights_at(theta)
        left = 1.0 - leverages(Phi, rho=self.lam, weights=self.s, intercept=self.intercept)
        R = self.Y - Phi @ coef - b
        return np.where(left[:, None] > 1.0 / WORST, R / np.maximum(left, 1.0 / WORST)[:, None], np.inf)


def interpolate(Phi: Floats, Y: Floats, *, symmetric: bool) -> tuple[Floats, float]:
    """w with Φ w = y, and the condition number; that of least norm, with a warning, where Φ is nearly singular."""
    factor = factor_spd(Phi) if symmetric else None
    condition = factor.condition if factor is not None else float(np.linalg.cond(Phi))
    if condition <= WORST:
        return (factor.solve(Y) if factor is not None else linalg.solve(Phi, Y)), condition
    warnings.warn(
        f"the matrix of radial functions has condition number {condition:.1g}: the weights of least norm are taken; "
        "raise gamma, leave out rows that nearly coincide, or use mode='lstsq' with lam",
        RankWarning,
        stacklevel=5,
    )
    return linalg.pinv(Phi, rtol=1.0 / WORST) @ Y, condition


def _by_training_error(problem: RadialProblem, theta: Floats, tol: float, max_iter: int) -> Solution[Any]:
    """Descend on E, in units of Σ s ‖y‖²."""
    total = float(np.sum(problem.s @ problem.Y**2)) or 1.0

    def share(at: Floats) -> tuple[float, Floats]:
        value, slope = problem.reduced(at)
        return value / total, slope / total

    found = follow_to_rounding(_descend(share, theta), GradientNorm(tol), max_iter=max_iter)
    history = {**found.history, "objective": found.history["objective"] * total}
    if "gradient_norm" in history:
        history["gradient_norm"] = history["gradient_norm"] * total
    return found._replace(objective=found.objective * total, gradient_norm=found.gradient_norm * total, history=history)


def _descend(fun: ValueAndGradient, theta: Floats) -> Descent:
    """Steps along the gradient with enough decrease (Armijo), of the length of Barzilai & Borwein (1988).

    A step changes no width by more than `LONGEST`: E often falls for ever as γ → 0, where the functions become
    polynomials, beyond a minimum that a long step would miss.
    """
    value, slope = fun(theta)
    yield check_at(0, theta, value, slope)
    step = np.inf
    for t in count(1):
        step = first = min(step, LONGEST / (float(np.max(np.abs(slope))) or 1.0))
        while True:
            there = theta - step * slope
            new, gradient = fun(there)
            if new <= value - 1e-4 * step * float(slope @ slope):
                break
            step /= 2.0
            if step < 1e-12 * first:
                return first * float(slope @ slope)
        curvature = float((there - theta) @ (gradient - slope))
        more = {"step": step}
        step = float((there - theta) @ (there - theta)) / curvature if curvature > 0.0 else 2.0 * step
        theta, value, slope = there, new, gradient
        yield check_at(t, theta, value, slope, **more)
    return 0.0


def _by_leave_one_out(problem: RadialProblem, theta: Floats, tol: float, max_iter: int) -> Solution[Any]:
    """The best of a grid of widths, refined between its neighbours (Brent); the history holds the best so far."""
    trace, turn = Trace(), count()
    best = [np.inf, 0.0]

    def cost(at: float) -> float:
        residuals = problem.loo_residuals(np.array([at]))
        value = float(np.sum(problem.s @ residuals**2)) if np.all(np.isfinite(residuals)) else np.inf
        best[:] = min(best, [value, at])
        trace.add(next(turn), objective=best[0])
        return value

    step = np.log(2.0)
    for octave in sorted(range(-OCTAVES, OCTAVES + 1), key=abs):
        cost(octave * step)
    if not np.isfinite(best[0]):
        raise ValueError(
            "no width within 64 times the given gamma, up or down, has leave-one-out residuals: rows coincide, or "
            "there are as many centres as rows; give another gamma, fewer centres, or lam"
        )
    middle = best[1]
    options = {"xatol": tol, "maxiter": max_iter}
    refined = optimize.minimize_scalar(cost, bounds=(middle - step, middle + step), method="bounded", options=options)
    converged = bool(refined.success)
    reason: Any = "tol" if converged else "max_iter"
    return Solution(np.array([best[1]]), best[0], int(refined.nit), converged, reason, trace.history)


LEARNERS: dict[str, Callable[[RadialProblem, Floats, float, int], Solution[Any] | None]] = {
    "no": lambda problem, theta, tol, max_iter: None,
    "training": _by_training_error,
    "loo": _by_leave_one_out,
}
