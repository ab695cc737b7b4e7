"""Stochastic gradient descent.

    θ ← θ − η_t [ (1/|B|) Σ_{i∈B} (κ sᵢ / pᵢ) ℓ'(yᵢ, zᵢ) xᵢ + κ ∇Ω(w) ],    i drawn with probability pᵢ       (1)

The bracket is an unbiased estimate of κ ∇F for F = Σ sᵢ ℓ(yᵢ, zᵢ) + Ω(w). With ``scale="mean"`` κ = 1/Σ sᵢ, so (1)
descends the mean form, whatever the scaling of F, and rates keep their meaning; with ``scale="raw"`` κ = 1. Robbins &
Monro (1951), doi:10.1214/aoms/1177729586; Bottou, Curtis & Nocedal (2018), doi:10.1137/16M1080173.

A plain step costs as much as the rows of its batch: a quadratic penalty shrinks a common factor of w, and the proximal
steps of a penalty with a kink are caught up when a coordinate is next touched (Duchi & Singer 2009, JMLR 10, 2899–2934,
section 5); averages of the iterates (Polyak & Juditsky 1992, doi:10.1137/0330046) are kept in two parts likewise. Only
momentum (Polyak 1964, doi:10.1016/0041-5553(64)90137-5) and the sub-gradients of a penalty with a kink touch every
coordinate in every step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._jit import compiled, jit_no_alloc, jitable
from gnomon._typing import Array, Floats, Integers, Seed
from gnomon.losses import Loss
from gnomon.numerics.design import Design, Vectors
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.optim._draws import Draws, Sampling, Scale
from gnomon.optim._follow import Checks, follow
from gnomon.optim.momentum import MOMENTUM_FORMS, Momentum, MomentumForm, as_momentum
from gnomon.optim.problem import Problem
from gnomon.optim.rules import StopRule
from gnomon.optim.schedules import InverseT0, Power, RateLike, Schedule, as_schedule, rates, warn_unless_robbins_monro
from gnomon.optim.solution import Callback, Solution, StopReason
from gnomon.optim.stopping import AnyOf, Check, Settled
from gnomon.penalties import Penalty

__all__ = ["asgd", "change_rule", "row_norms", "sgd"]

Average: TypeAlias = Literal["polyak", "ema"]


def sgd(
    problem: Problem,
    theta: Floats,
    *,
    schedule: RateLike | None = None,
    sampling: Sampling = "uniform",
    correct: bool = True,
    batch_size: int = 1,
    momentum: RateLike | None = None,
    momentum_form: MomentumForm = "heavy_ball",
    memory: float | None = None,
    average: Average | None = None,
    average_start: int = 0,
    average_weight: float = 0.01,
    kink: Literal["proximal", "subgradient"] = "proximal",
    scale: Scale = "mean",
    tol: float | None = 1e-5,
    max_iter: int = 100,
    check_every: int | None = None,
    random_state: Seed = 0,
    callback: Callback | None = None,
    stop: StopRule | None = None,
    iterates: bool = False,
) -> Solution[Floats]:
    """Descend along (1).

    Parameters
    ----------
    problem : Problem
        A loss of one score made with @noun, any convex penalty made with @noun.
    theta : ndarray
        Start.
    schedule : Schedule, float, str or callable, optional
        Rates η_t. By default η₀/(1 + η₀λt) with λ the strong convexity of the penalty and η₀ = 1/max ‖xᵢ‖² times the
        smoothness of the loss; t^{−3/4} where λ = 0.
    sampling : {"uniform", "shuffle", "cyclic", "balanced"} or ndarray of shape (n,), default="uniform"
        Rows with replacement; a new permutation per pass; in order; classes equally often; or with these
        probabilities.
    correct : bool, default=True
        Divide by n pᵢ, so that F is minimised; False minimises, and reports, the risk re-weighted by n pᵢ.
    batch_size : int, default=1
        Rows per step; their directions are averaged.
    momentum : float, Schedule or callable, optional
        m of the heavy ball, or for "ema" the weight μ of the new gradient.
    momentum_form : {"heavy_ball", "ema"}, default="heavy_ball"
    memory : float, optional
        Steps that the "ema" form remembers: sets μ = 1 − e^{−1/memory}.
    average : {None, "polyak", "ema"}, default=None
        Return the mean of the iterates after `average_start` updates, or their moving average.
    average_start : int, default=0
    average_weight : float, default=0.01
        Weight of the newest iterate in the moving average.
    kink : {"proximal", "subgradient"}, default="proximal"
        How a penalty with a kink is descended.
    scale : {"mean", "raw"}, default="mean"
    tol : float or None, default=1e-5
        Stop when F stayed within tol · max(1, |F|) for half of all checks, as `Settled` says, and no
        coordinate alone promises to lower it by more; None never does.
    max_iter : int, default=100
        Passes over the data.
    check_every : int, optional
        Steps between evaluations of F; by default a pass.
    random_state : int, RandomState or None, default=0
    callback : callable, optional
        Called with each row of the history; True stops.
    stop : StopRule, optional
        A further rule, for example ``Validation(score)``.
    iterates : bool, default=False
        Keep every checked θ in the history.

    Returns
    -------
    Solution
        `n_iter` counts passes; the column "iteration" of the history counts updates, "epoch" passes.

    References
    ----------
    Bottou, L., Curtis, F. E. & Nocedal, J. (2018). Optimization methods for large-scale machine learning.
    doi:10.1137/16M1080173

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, sgd
    >>> from gnomon.optim.schedules import Power
    >>> from gnomon.penalties import L2
    >>> x = np.linspace(-1.0, 1.0, 50)
    >>> problem = Problem(Design(x[:, None]), 2.0 * x + 1.0, SquaredLoss(), L2(0.0), np.ones(50))
    >>> sgd(problem, np.zeros(2), schedule=Power(0.25, p=0.6), tol=1e-12).w.round(3)
    array([2., 1.])
    """
    schedule = warn_unless_robbins_monro(
        _default_schedule(problem, scale) if schedule is None else as_schedule(schedule)
    )
    draw = Draws.of(problem, sampling, correct=correct, scale=scale, random_state=random_state)
    plan = _Plan(
        schedule,
        draw,
        check_integer("batch_size", batch_size, 1),
        _momentum(momentum, momentum_form, memory),
        _average(average, average_start, average_weight),
        check_choice("kink", kink, ("proximal", "subgradient")) == "subgradient",
    )
    n = problem.design.n
    every = max(n // batch_size, 1) if check_every is None else check_integer("check_every", check_every, 1)
    checks = _descend(draw.target, np.array(theta, dtype=float), plan, every)
    updates = math.ceil(max_iter * n / batch_size)
    rule = change_rule(draw.target, tol, stop)
    solution = follow(checks, rule, max_iter=updates, callback=callback, iterates=iterates)
    passes = math.ceil(solution.n_iter * batch_size / n)
    return solution._replace(w=solution.w.astype(problem.design.dtype), n_iter=passes)


def asgd(problem: Problem, theta: Floats, *, average: Average | None = "polyak", **options: Any) -> Solution[Floats]:
    """Averaged stochastic gradient descent: `sgd` with the mean of its iterates.

    References
    ----------
    Polyak, B. & Juditsky, A. (1992). Acceleration of stochastic approximation by averaging. doi:10.1137/0330046

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, asgd
    >>> from gnomon.optim.schedules import Power
    >>> from gnomon.penalties import L2
    >>> x = np.linspace(-1.0, 1.0, 50)
    >>> problem = Problem(Design(x[:, None]), 2.0 * x + 1.0, SquaredLoss(), L2(0.0), np.ones(50))
    >>> asgd(problem, np.zeros(2), schedule=Power(0.25, p=0.6), average_start=2000, tol=1e-12).w.round(3)
    array([2., 1.])
    """
    return sgd(problem, theta, average=average, **options)


def change_rule(problem: Problem, tol: float | None, stop: StopRule | None) -> AnyOf:
    """Stop when the full objective has settled (never, for tol=None), or by the rule `stop`."""
    change = () if tol is None else (_AtRest(problem, Settled(tol)),)
    return AnyOf((*change, *(() if stop is None else (stop,))))


@dataclass(frozen=True, eq=False)
class _AtRest(StopRule):
    """F has settled, and no coordinate alone promises to lower it by more than the same tolerance.

    Steps that shrink let F settle far from its minimum where columns are of different sizes; coordinates with steps
    of their own see that (Nesterov 2012, doi:10.1137/100802001, equation 2.6). A loss without a smooth slope promises
    nothing.
    """

    problem: Problem
    settled: Settled

    def start(self) -> Any:
        return self.settled.start()

    def look(self, memory: Any, check: Check[Any]) -> tuple[Any, StopReason | None]:
        memory, reason = self.settled.look(memory, check)
        enough = self.settled.tol * max(1.0, abs(check.objective))
        return memory, (reason if reason is None or self._promise(check.w) <= enough else None)

    def _promise(self, theta: Floats) -> float:
        """The largest fall of F along one coordinate j that gⱼt + ½Lⱼt² + Ωⱼ(wⱼ + t) − Ωⱼ(wⱼ) bounds from below."""
        problem, design, p = self.problem, self.problem.design, self.problem.design.n_penalized
        constant = np.full(design.width - design.d, design.bias**2 * np.sum(problem.weights, dtype=float))
        L = problem.loss.smoothness * np.append(problem.column_squares(np.arange(design.d)), constant)
        g, penalty = problem.data_term(theta)[1], problem.penalty
        if not np.all(np.isfinite(L)):
            return 0.0
        L = np.maximum(L, np.finfo(float).tiny)
        t = -g / L
        t[:p] = penalty.prox(theta[:p] + t[:p], 1.0 / L[:p]) - theta[:p]
        fall = -(g * t + 0.5 * L * t * t)
        fall[:p] += penalty.term(theta[:p]) - penalty.term(theta[:p] + t[:p])
        return float(np.max(fall, initial=0.0))


def row_norms(design: Design) -> Floats:
    """‖xᵢ‖² of every row, the constant column included."""
    norms = np.empty(design.n)
    _fill_norms(compiled(design.rows), norms)
    return norms


class _Plan(NamedTuple):
    """Everything that decides the steps."""

    schedule: Schedule
    draw: Draws
    batch: int
    momentum: tuple[Momentum, Schedule] | None
    average: Callable[[Integers], Floats] | None
    subgradient: bool


def _descend(problem: Problem, theta: Floats, plan: _Plan, every: int) -> Checks:
    """Yield a check for the start and after every `every` updates."""
    start = theta.copy()
    velocity, mean, t = np.zeros_like(theta), theta.copy(), 0
    kinked = not problem.penalty.smooth and not plan.subgradient
    dense = plan.momentum is not None or plan.subgradient or (kinked and plan.average is not None)
    nouns = compiled(problem.loss), compiled(problem.penalty), compiled(problem.design.rows)
    frame = problem.y, problem.offsets, plan.draw.factor, plan.draw.kappa, problem.design.d, problem.design.n_penalized
    given = (*nouns, *frame)
    schedule = plan.schedule
    yield Check(0, start, problem.value(start), more={"epoch": 0.0, "step": float(rates(schedule, 0, 1)[0])})
    while True:
        eta, picks = rates(schedule, t, every), plan.draw.next(every * plan.batch)
        share = np.zeros(every) if plan.average is None else plan.average(np.arange(t, t + every))
        if dense:
            mix = _mix(plan.momentum, t, eta)
            _dense_steps(*given, picks, *mix, share, eta, kinked, theta, velocity, mean, np.empty(plan.batch))
        else:
            curvature, last = problem.penalty.strong_convexity, np.zeros(theta.size)
            _plain_steps(*given, picks, eta, share, curvature, kinked, theta, mean, last, np.empty(plan.batch))
        t += every
        kept = np.array(theta if plan.average is None else mean)
        objective = problem.value(kept)
        schedule = schedule.observe(objective)
        epoch = t * plan.batch / problem.design.n
        yield Check(t, kept, objective, more={"epoch": epoch, "step": float(eta[-1])})


def _mix(momentum: tuple[Momentum, Schedule] | None, t: int, eta: Floats) -> tuple[Floats, Floats, Floats]:
    """(c₁, c₂, c₃) of a ← c₁a + c₂g, θ ← θ − c₃a for each update."""
    if momentum is None:
        return np.zeros_like(eta), eta, np.ones_like(eta)
    form, weight = momentum
    c1, c2, c3 = (np.broadcast_to(c, eta.shape).astype(float) for c in form.mix(rates(weight, t, eta.size), eta))
    return c1, c2, c3


def _momentum(momentum: RateLike | None, form: MomentumForm, memory: float | None) -> tuple[Momentum, Schedule] | None:
    """The form and the schedule of its weight; None for no momentum."""
    check_choice("momentum_form", form, tuple(MOMENTUM_FORMS))
    if memory is not None:
        return as_momentum(0.0 if momentum is None else momentum, "ema", memory)
    return None if momentum is None else as_momentum(momentum, form)


def _average(average: Average | None, start: int, weight: float) -> Callable[[Integers], Floats] | None:
    """A function from t to the share of the iterate after update t + 1 in the running average; None for no average."""
    check_choice("average", average, (None, "polyak", "ema"))
    if average == "polyak":
        return lambda t: 1.0 / np.maximum(t - start + 1.0, 1.0)
    return None if average is None else lambda t: np.where(t < start, 1.0, weight)


def _default_schedule(problem: Problem, scale: Scale) -> Schedule:
    s = problem.weights.astype(float)
    kappa = 1.0 / float(np.sum(s)) if scale == "mean" else 1.0
    smoothness = problem.loss.smoothness if math.isfinite(problem.loss.smoothness) else 1.0
    strong = kappa * problem.penalty.strong_convexity
    steepest = float(np.max(kappa * problem.design.n * s * row_norms(problem.design), initial=0.0))
    start = 1.0 / max(smoothness * steepest + strong, 1e-300)
    return InverseT0(start, t0=1.0 / (start * strong)) if strong > 0.0 else Power(start, 0.75)


@jit_no_alloc
def _fill_norms(rows: Vectors, norms: Floats) -> None:
    for i in range(norms.shape[0]):
        norms[i] = rows.squared_norm(i)


@jitable
def _slopes(
    loss: Loss,
    rows: Vectors,
    y: Array,
    offset: Floats,
    factor: Floats,
    picks: Integers,
    start: int,
    scale: float,
    v: Floats,
    coefs: Floats,
) -> None:
    """(κsᵢ/pᵢ) ℓ'(yᵢ, zᵢ)/|B| for the batch that begins at `start`, at θ = scale · v."""
    batch = coefs.shape[0]
    for k in range(batch):
        i = picks[start + k]
        coefs[k] = factor[i] * loss.gradient(y[i], scale * rows.dot(i, v) + offset[i]) / batch


@jit_no_alloc
def _plain_steps(
    loss: Loss,
    penalty: Penalty,
    rows: Vectors,
    y: Array,
    offset: Floats,
    factor: Floats,
    kappa: float,
    d: int,
    p: int,
    picks: Integers,
    eta: Floats,
    share: Floats,
    curvature: float,
    kinked: bool,
    v: Floats,
    u: Floats,
    last: Floats,
    coefs: Floats,
) -> None:
    """Steps (1) on θ = scale · v; `last` is the time up to which the proximal steps of a coordinate were taken.

    The running average is a · v + b · u: a sparse change of v is a sparse change of u (Xu 2011, arXiv:1107.2490).
    """
    scale, clock, batch, a, b = 1.0, 0.0, coefs.shape[0], 0.0, 1.0
    for t in range(eta.shape[0]):
        if kinked:
            for k in range(batch):
                _catch_up(penalty, rows, picks[t * batch + k], d, p, clock, v, last)
            clock += eta[t] * kappa
        _slopes(loss, rows, y, offset, factor, picks, t * batch, scale, v, coefs)
        if not kinked and curvature > 0.0:
            scale, a = _shrink(scale, 1.0 - eta[t] * kappa * curvature, d, p, v, a, b, u)
        for k in range(batch):
            rows.add(picks[t * batch + k], -eta[t] * coefs[k] / scale, v)
        if share[t] > 0.0:
            a, b = _follow_average(rows, picks, t * batch, eta[t] * a / (b * scale), coefs, a, b, scale, share[t], u)
    for j in range(v.shape[0]):
        u[j] = a * v[j] + b * u[j]
        v[j] = penalty.prox(v[j], clock - last[j]) if kinked and j < p else scale * v[j]


@jitable
def _shrink(scale: float, by: float, d: int, p: int, v: Floats, a: float, b: float, u: Floats) -> tuple[float, float]:
    """(scale, a) after w ← by · w; a free b keeps its value, and v takes the factor over before it vanishes."""
    free = p < v.shape[0]
    if abs(scale * by) > 1e-100:
        if free:
            u[d] += a / b * (1.0 - 1.0 / by) * v[d]
            v[d] /= by
        return scale * by, a
    for j in range(v.shape[0]):
        u[j] += a / b * v[j]
        v[j] *= scale * by if j < p else scale
    return 1.0, 0.0


@jitable
def _follow_average(
    rows: Vectors,
    picks: Integers,
    start: int,
    c: float,
    coefs: Floats,
    a: float,
    b: float,
    scale: float,
    share: float,
    u: Floats,
) -> tuple[float, float]:
    """(a, b) after the average took in θ = scale · v, whose v has moved by −c · coefs · b/a along the rows."""
    if share >= 1.0:
        for j in range(u.shape[0]):
            u[j] = 0.0
        return scale, 1.0
    for k in range(coefs.shape[0]):
        rows.add(picks[start + k], c * coefs[k], u)
    a, b = (1.0 - share) * a + share * scale, (1.0 - share) * b
    if b < 1e-100:
        for j in range(u.shape[0]):
            u[j] *= b
        b = 1.0
    return a, b


@jitable
def _catch_up(penalty: Penalty, rows: Vectors, i: int, d: int, p: int, clock: float, v: Floats, last: Floats) -> None:
    for k in range(rows.count(i)):
        j = rows.index(i, k)
        v[j] = penalty.prox(v[j], clock - last[j])
        last[j] = clock
    if p > d:
        v[d] = penalty.prox(v[d], clock - last[d])
        last[d] = clock


@jit_no_alloc
def _dense_steps(
    loss: Loss,
    penalty: Penalty,
    rows: Vectors,
    y: Array,
    offset: Floats,
    factor: Floats,
    kappa: float,
    d: int,
    p: int,
    picks: Integers,
    c1: Floats,
    c2: Floats,
    c3: Floats,
    share: Floats,
    eta: Floats,
    kinked: bool,
    v: Floats,
    a: Floats,
    mean: Floats,
    coefs: Floats,
) -> None:
    """Steps (1) with momentum a and the running average; every coordinate moves in every step."""
    batch = coefs.shape[0]
    for t in range(eta.shape[0]):
        _slopes(loss, rows, y, offset, factor, picks, t * batch, 1.0, v, coefs)
        for j in range(v.shape[0]):
            smooth = 0.0 if kinked or j >= p else kappa * penalty.slope(v[j])
            a[j] = c1[t] * a[j] + c2[t] * smooth
        for k in range(batch):
            rows.add(picks[t * batch + k], c2[t] * coefs[k], a)
        for j in range(v.shape[0]):
            v[j] -= c3[t] * a[j]
            if kinked and j < p:
                v[j] = penalty.prox(v[j], eta[t] * kappa)
            mean[j] += share[t] * (v[j] - mean[j])
