"""Proximal gradient methods: ISTA, FISTA and projected gradient.

    minimise    F(w) + Ω(w),    w_{t+1} = prox_{ηΩ}(w_t − η ∇F(w_t)),                              (1)
    prox_{ηΩ}(x) = argmin_u ½‖u − x‖² + η Ω(u)

with F smooth and Ω simple. For Ω = λ‖w‖₁ the proximal step is a soft threshold at λη, and zeros are exact; for a
constraint it is the projection. With η ≤ 1/L the objective never rises. FISTA takes (1) at the extrapolated point
w_t + (t_k − 1)/t_{k+1} (w_t − w_{t−1}). Beck & Teboulle (2009), doi:10.1137/080716542; restarts: O'Donoghue & Candès
(2015), doi:10.1007/s10208-013-9150-3; Parikh & Boyd (2014), doi:10.1561/2400000003.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from gnomon._typing import Array, ArrayLike, Bools, Floats, Integers
from gnomon.optim._follow import Checks, follow
from gnomon.optim._gradient_descent import as_floating
from gnomon.optim.line_search import ValueAndGradient
from gnomon.optim.rules import StopRule
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import KKT, Check, default_rule

__all__ = ["OnPart", "ProximalTerm", "projected_gradient", "proximal_gradient"]


class ProximalTerm(Protocol):
    """Ω of (1), as far as proximal steps look at it; every `Penalty` is one."""

    @property
    def convex(self) -> bool: ...

    def value(self, w: Array, /) -> float: ...

    def prox(self, x: Array, step: float, /) -> Floats: ...

    def gap(self, w: Array, g: Array, /) -> Floats: ...


@dataclass(frozen=True)
class OnPart:
    """A penalty on some entries of w; the others, an intercept for example, are free.

    Parameters
    ----------
    penalty : Penalty
        Or anything with its verbs `value`, `prox` and `gap` and its flag `convex`.
    part : slice, mask or array of int
        The entries.
    shape : tuple of int, default=(-1,)
        The shape in which the penalty sees them.

    References
    ----------
    Parikh, N. & Boyd, S. (2014). Proximal algorithms, section 2.1. doi:10.1561/2400000003

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import OnPart
    >>> from gnomon.penalties import L1
    >>> OnPart(L1(1.0), slice(0, 2)).prox(np.array([3.0, 0.5, 0.5]), 1.0)
    array([2. , 0. , 0.5])
    """

    penalty: ProximalTerm
    part: slice | Bools | Integers
    shape: tuple[int, ...] = (-1,)

    @property
    def convex(self) -> bool:
        """As the penalty."""
        return self.penalty.convex

    def value(self, w: Floats) -> float:
        return self.penalty.value(w[self.part].reshape(self.shape))

    def prox(self, x: Floats, step: float) -> Floats:
        u = np.array(x)
        u[self.part] = np.ravel(self.penalty.prox(x[self.part].reshape(self.shape), step))
        return u

    def gap(self, w: Floats, g: Floats) -> Floats:
        distance = np.abs(g)
        inside = self.penalty.gap(w[self.part].reshape(self.shape), g[self.part].reshape(self.shape))
        distance[self.part] = np.ravel(inside)
        return distance


def proximal_gradient(
    fun: ValueAndGradient,
    w0: ArrayLike,
    penalty: ProximalTerm,
    *,
    step: float | Literal["auto", "backtracking"] = "auto",
    lipschitz: float | None = None,
    acceleration: Literal["fista"] | None = None,
    restart: bool = True,
    tol: float = 1e-6,
    tol_obj: float | None = None,
    stop: StopRule | None = None,
    max_iter: int = 1000,
    check_every: int = 1,
    callback: Callback | None = None,
    iterates: bool = False,
) -> Solution[Floats]:
    """Minimise F + Ω by (1).

    Parameters
    ----------
    fun : callable
        w → (F(w), ∇F(w)), the smooth part.
    w0 : array-like
        Start.
    penalty : Penalty
        Ω, or anything with its verbs `value`, `prox` and `gap` and its flag `convex`; `OnPart` leaves entries free.
    step : float or {"auto", "backtracking"}, default="auto"
        η; "auto" is 1/L where `lipschitz` is known and backtracking where it is not.
    lipschitz : float, optional
        L of ∇F.
    acceleration : {None, "fista"}, default=None
    restart : bool, default=True
        Forget the momentum of FISTA whenever it points uphill.
    tol : float, default=1e-6
        Stop when the largest violation of −∇F(w) ∈ ∂Ω(w) is at most tol; for a penalty that is not convex, w must
        also be a fixed point of (1), which fewer points are.
    tol_obj : float, optional
        Stop when F + Ω changes by at most tol_obj · max(1, |F + Ω|) between two checks.
    stop : StopRule, optional
        A further rule.
    max_iter : int, default=1000
    check_every : int, default=1
        Steps between two looks at the objective; FISTA must compute it for this purpose alone.
    callback : callable, optional
        Gets each row of the history; may return True to stop.
    iterates : bool, default=False
        Keep the w of every check in ``history["iterates"]``.

    Returns
    -------
    Solution

    References
    ----------
    Beck, A. & Teboulle, M. (2009). A fast iterative shrinkage-thresholding algorithm. doi:10.1137/080716542

    O'Donoghue, B. & Candès, E. (2015). Adaptive restart for accelerated gradient schemes.
    doi:10.1007/s10208-013-9150-3

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import proximal_gradient
    >>> from gnomon.penalties import L1
    >>> y = np.array([3.0, -0.2, -2.0])
    >>> distance = lambda w: (float((w - y) @ (w - y)), 2 * (w - y))
    >>> solution = proximal_gradient(distance, np.zeros(3), L1(1.0), lipschitz=2.0)
    >>> solution.w.round(6) + 0.0, solution.stop_reason
    (array([ 2.5,  0. , -1.5]), 'kkt')
    """
    if acceleration not in (None, "fista"):
        raise ValueError(f"acceleration={acceleration!r} is unknown; choose None or 'fista'")
    if check_every < 1:
        raise ValueError(f"check_every={check_every!r} must be ≥ 1; give the steps between two checks")
    eta, search = _first_step(step, lipschitz)
    pace = _Pace(acceleration == "fista", restart, search)
    checks = _descend(fun, as_floating(w0), penalty, eta, pace, check_every, max_iter)
    rule = default_rule(KKT(tol), tol_obj, stop)
    return follow(checks, rule, max_iter=max_iter, callback=callback, iterates=iterates)


def projected_gradient(
    fun: ValueAndGradient, project: Callable[[Array], Floats], w0: ArrayLike, **options: Any
) -> Solution[Floats]:
    """Minimise F over a closed set by w ← project(w − η ∇F(w)).

    Parameters
    ----------
    fun : callable
        w → (F(w), ∇F(w)).
    project : callable
        x → the nearest point of the set.
    w0 : array-like
        Start; it is projected first.
    **options
        As for `proximal_gradient`; `tol` bounds ‖w − project(w − ∇F(w))‖∞.

    Returns
    -------
    Solution

    References
    ----------
    Bertsekas, D. (1976). On the Goldstein–Levitin–Polyak gradient projection method. doi:10.1109/TAC.1976.1101194

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import projected_gradient
    >>> y = np.array([3.0, -1.0])
    >>> distance = lambda w: (float((w - y) @ (w - y)), 2 * (w - y))
    >>> projected_gradient(distance, lambda x: np.maximum(x, 0.0), np.zeros(2)).w
    array([3., 0.])
    """
    return proximal_gradient(fun, project(as_floating(w0)), _Indicator(project), **options)


@dataclass(frozen=True)
class _Indicator:
    """Ω = 0 on a set and +inf outside, for points that are inside."""

    project: Callable[[Array], Floats]

    convex = True

    def value(self, w: Floats) -> float:
        return 0.0

    def prox(self, x: Floats, step: float) -> Floats:
        return self.project(x)

    def gap(self, w: Floats, g: Floats) -> Floats:
        return np.abs(w - self.project(w - g))


class _Pace(NamedTuple):
    accelerated: bool
    restart: bool
    search: bool


def _first_step(step: float | Literal["auto", "backtracking"], lipschitz: float | None) -> tuple[float, bool]:
    """(η, whether to search for it)."""
    if step == "auto" and lipschitz is not None and math.isfinite(lipschitz):
        return (1.0 / lipschitz if lipschitz > 0.0 else 1.0), False
    if step in ("auto", "backtracking"):
        return 1.0, True
    if isinstance(step, str) or not step > 0.0:
        raise ValueError(f"step={step!r} is not allowed; give a number > 0, 'auto' or 'backtracking'")
    return float(step), False


def _descend(
    fun: ValueAndGradient, w: Floats, penalty: ProximalTerm, eta: float, pace: _Pace, check_every: int, max_iter: int
) -> Checks:
    value, g = fun(w)
    yield _check(0, w, value, g, penalty, eta)._replace(more={})
    v, k = w, 1.0  # v is the extrapolated point of FISTA, w itself without acceleration
    for t in count(1):
        eta, new = _step(fun, v, value, g, penalty, eta, pace.search)
        # O'Donoghue & Candès (2015), eq. 13: the step and the last move disagree.
        uphill = pace.restart and float((v - new) @ (new - w)) > 0.0
        k_next = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * k * k)) if pace.accelerated and not uphill else 1.0
        share = (k - 1.0) / k_next if k_next > 1.0 else 0.0
        v, w, k = (new + share * (new - w) if share > 0.0 else new), new, k_next
        value, g = fun(v)
        if t % check_every == 0 or t == max_iter:
            yield _check(t, w, *((value, g) if v is w else fun(w)), penalty, eta)


def _step(
    fun: ValueAndGradient, v: Floats, value: float, g: Floats, penalty: ProximalTerm, eta: float, search: bool
) -> tuple[float, Floats]:
    """(η, prox(v − ηg)); η is halved until F lies below its quadratic model (Beck & Teboulle 2009, eq. 2.6)."""
    for _ in range(100):
        new = penalty.prox(v - eta * g, eta)
        if not search:
            break
        move = new - v
        slack = 1e-12 * max(1.0, abs(value))
        if fun(new)[0] <= value + float(g @ move) + float(move @ move) / (2.0 * eta) + slack:
            break
        eta *= 0.5
    return eta, new


def _check(t: int, w: Floats, value: float, g: Floats, penalty: ProximalTerm, eta: float) -> Check[Floats]:
    violation = penalty.gap(w, g)
    if not penalty.convex:
        violation = np.maximum(violation, np.abs(w - penalty.prox(w - eta * g, eta)) / eta)
    worst = float(np.max(violation, initial=0.0))
    return Check(t, w, float(value) + float(penalty.value(w)), kkt=worst, more={"step": eta})
