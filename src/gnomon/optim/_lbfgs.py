"""Limited-memory BFGS.

    pₜ = −Hₜ ∇f(wₜ),    wₜ₊₁ = wₜ + ηₜ pₜ,    Hₜ₊₁ = (I − ρ s yᵀ) Hₜ (I − ρ y sᵀ) + ρ s sᵀ            (1)

with s = wₜ₊₁ − wₜ, y = ∇f(wₜ₊₁) − ∇f(wₜ), ρ = 1/(yᵀs), of which only the last m pairs are kept. H₀ = γ M⁻¹ with
γ = sᵀy / yᵀM⁻¹y, where M is the identity or the user's approximation of the Hessian. In the second case γ is kept
within [1, 3/2]: where M is exact already, as in directions that only a penalty bends, every step multiplies rounding
errors by |1 − γ|. Liu & Nocedal (1989), doi:10.1007/BF01589116.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.optim._follow import Descent, follow_to_rounding
from gnomon.optim.line_search import LineStep, ValueAndGradient, blind_step, descend_along
from gnomon.optim.rules import StopRule, check_at
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import GradientNorm, default_rule

__all__ = ["Precondition", "lbfgs"]

Precondition: TypeAlias = Callable[[Array], Floats]
"""v → M⁻¹v."""


def lbfgs(
    fun: ValueAndGradient,
    w0: Floats,
    *,
    memory: int = 10,
    precondition: Precondition | None = None,
    refresh: Callable[[Array], Precondition | None] | None = None,
    refresh_first: int = 9,
    tol: float = 1e-6,
    tol_obj: float | None = None,
    stop: StopRule | None = None,
    max_iter: int = 1000,
    callback: Callback | None = None,
    iterates: bool = False,
) -> Solution[Floats]:
    """Minimise a smooth function by (1) with strong Wolfe steps.

    Parameters
    ----------
    fun : callable
        w → (f(w), ∇f(w)).
    w0 : ndarray
        Start.
    memory : int, default=10
        m, the number of pairs (s, y) that are kept.
    precondition : callable, optional
        v → M⁻¹v for a positive definite M that resembles the Hessian.
    refresh : callable, optional
        w → a better `precondition`, from the Hessian at w. The pairs kept so far are then discarded: they describe the
        curvature of a region that was left.
    refresh_first : int, default=9
        The iteration at which `refresh` is asked first; every further time is three times as late.
    tol : float, default=1e-6
        Stop at ‖∇f‖∞ ≤ tol.
    tol_obj : float, optional
        Stop also where f changes by no more than tol_obj · max(1, |f|).
    stop : StopRule, optional
        A further rule of `gnomon.optim.stopping`.
    max_iter : int, default=1000
    callback : callable, optional
        Gets each row of the history; may return True to stop.
    iterates : bool, default=False
        Keep every w in the history.

    Returns
    -------
    Solution
        Where no step lowers f any more, `stop_reason` is "no_change"; `converged` then says whether that is rounding.

    References
    ----------
    Liu, D. & Nocedal, J. (1989). On the limited memory BFGS method for large scale optimization.
    doi:10.1007/BF01589116

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import lbfgs
    >>> def rosenbrock(w):
    ...     a, b = 1.0 - w[0], w[1] - w[0] ** 2
    ...     return a * a + 100.0 * b * b, np.array([-2.0 * a - 400.0 * w[0] * b, 200.0 * b])
    >>> solution = lbfgs(rosenbrock, np.array([-1.2, 1.0]), tol=1e-8)
    >>> solution.w.round(6), solution.stop_reason
    (array([1., 1.]), 'tol')
    """
    if memory < 1:
        raise ValueError(f"memory={memory!r} must be ≥ 1; give the number of pairs to keep")
    rule = default_rule(GradientNorm(tol), tol_obj, stop)
    if refresh_first < 1:
        raise ValueError(f"refresh_first={refresh_first!r} must be ≥ 1; give the iteration of the first refresh")
    inverse = _InverseHessian(memory, precondition)
    checks = _checks(fun, np.array(w0, copy=True), inverse, refresh, refresh_first)
    return follow_to_rounding(checks, rule, max_iter=max_iter, callback=callback, iterates=iterates)


def _checks(
    fun: ValueAndGradient,
    w: Floats,
    inverse: _InverseHessian,
    refresh: Callable[[Array], Precondition | None] | None,
    next_refresh: int,
) -> Descent:
    value, g = fun(w)
    yield check_at(0, w, value, g)
    iteration = 0
    while (found := inverse.search(fun, w, value, g)) is not None:
        inverse.update(found.w - w, found.gradient - g)
        w, value, g = found.w, found.value, found.gradient
        iteration += 1
        yield check_at(iteration, w, value, g, step=found.step)
        if refresh is not None and iteration == next_refresh:
            inverse.rebase(refresh(w))
            next_refresh *= 3
    return inverse.promise


class _InverseHessian:
    """Hₜ of (1), as the two-loop recursion over the kept pairs (Nocedal & Wright 2006, algorithm 7.4)."""

    def __init__(self, memory: int, precondition: Precondition | None) -> None:
        self._pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=memory)
        self._solve = precondition
        self._scale = 1.0
        self.promise = math.inf

    def search(self, fun: ValueAndGradient, w: Floats, value: float, g: Floats) -> LineStep | None:
        """The step along −Hg; if none lowers f, that with all pairs discarded; None if that fails too.

        `promise` is then the decrease gᵀHg predicted by the first of them; without any knowledge of f'' there is none.
        """
        blind = not self._pairs and self._solve is None
        direction = self.direction(g)
        found = descend_along(fun, w, direction, value, g, step=blind_step(g) if blind else 1.0)
        if found is None and self._pairs:
            promise = -float(g @ direction)
            self.rebase(self._solve)
            found = self.search(fun, w, value, g)
            self.promise = promise
        elif found is None:
            self.promise = math.inf if blind else -float(g @ direction)
        return found

    def rebase(self, precondition: Precondition | None) -> None:
        """Replace M and forget the pairs."""
        self._solve, self._scale = precondition, 1.0
        self._pairs.clear()

    def direction(self, g: Floats) -> Floats:
        q = -g
        alphas = []
        for s, y, rho in reversed(self._pairs):
            alphas.append(rho * (s @ q))
            q -= alphas[-1] * y
        q = self._scale * (q if self._solve is None else self._solve(q))
        for (s, y, rho), alpha in zip(self._pairs, reversed(alphas), strict=True):
            q += (alpha - rho * (y @ q)) * s
        return q

    def update(self, s: Floats, y: Floats) -> None:
        curvature = float(s @ y)
        # Wolfe steps have positive curvature; a tiny one is mostly rounding error and would spoil H.
        if curvature <= np.finfo(y.dtype).eps * float(np.linalg.norm(s) * np.linalg.norm(y)):
            return
        square = float(y @ (y if self._solve is None else self._solve(y)))
        if square == 0.0 or 1.0 / curvature == np.inf:
            return
        self._pairs.append((s, y, 1.0 / curvature))
        scale = curvature / square
        self._scale = scale if self._solve is None else min(max(scale, 0.25), 1.5)
