"""A training by mini-batches at work.

    θ ← step(θ, ∇f_B(θ)),    B the next rows of an epoch; then L1 and max-norm by proximal step and projection     (1)

What `train` was asked, and where it stands: `checks` yields a check after every epoch, for the stop rules of `follow`.
Robbins & Monro (1951), doi:10.1214/aoms/1177729586.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from gnomon._typing import Floats, RandomState
from gnomon.numerics.parts import Run, fixed_parts, in_turn
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.optim._follow import BLOW_UP, Checks
from gnomon.optim._train_options import (
    FULL_BATCH,
    AdaptRatio,
    Clock,
    RowSampling,
    check_fit,
    row_sampling,
    update_rule,
    without_replacement,
)
from gnomon.optim._training_state import Past, TrainingState
from gnomon.optim.batch_problem import BatchProblem, ParameterLayout, Rows
from gnomon.optim.group_steps import add_l1_slopes, group_sizes, l1_value, limit_norms, normalise_rates, shrink_l1
from gnomon.optim.rules import Check
from gnomon.optim.schedules import RateLike, Schedule, as_schedule
from gnomon.optim.solution import Callback, Row
from gnomon.optim.stalls import RateDrops
from gnomon.optim.updates import Memory, UpdateRule

__all__ = ["Training", "Watch"]

WATCHED = 8
"""Updates of an epoch whose sizes are measured."""

LEAST_PART = 2**15
"""Numbers of θ for which a part of its own, which a thread may update, is worth having."""

Watch: TypeAlias = Callable[[Floats], Mapping[str, Any]]
"""θ → further columns of the history."""


@dataclass
class Training:
    """A training at work: what it was asked, and where it stands."""

    problem: BatchProblem
    layout: ParameterLayout
    rule: UpdateRule
    schedule: Schedule
    per: Clock
    momentum: Schedule
    batch_size: int
    sampling: RowSampling
    adapt_ratio: AdaptRatio
    rng: np.random.Generator
    theta: Floats
    gradient: Floats
    memory: Memory
    track_objective: bool = False
    validation: Callable[[Floats], float] | None = None
    watch: Watch | None = None
    save: Callable[[Callable[[], TrainingState]], None] | None = None
    run: Run = in_turn
    updates: int = 0
    epoch: int = 0
    factor: float = 1.0
    dropped: float = 1.0
    ceiling: float = math.inf
    past: Past = field(default_factory=Past)
    ratios: list[Floats] = field(default_factory=list)
    norms: list[Floats] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        problem: BatchProblem,
        theta: Floats,
        solver: str | UpdateRule,
        schedule: RateLike | None,
        per: Clock,
        momentum: RateLike,
        batch_size: int | None,
        sampling: RowSampling,
        adapt_ratio: AdaptRatio,
        random_state: RandomState,
    ) -> Training:
        start = np.array(theta, dtype=problem.dtype)
        if start.shape != (problem.size,):
            raise ValueError(f"theta of shape {start.shape} must have the shape ({problem.size},) of the problem")
        rule = update_rule(solver)
        full = solver in FULL_BATCH or rule.compares_gradients
        rows = (problem.n_rows if full else min(200, problem.n_rows)) if batch_size is None else batch_size
        rows = min(check_integer("batch_size", rows, 1), problem.n_rows)
        check_fit(rule, schedule, momentum, adapt_ratio, rows, problem.n_rows)
        return cls(
            problem,
            ParameterLayout.of(problem.groups),
            rule,
            as_schedule(1e-3 if schedule is None else schedule),
            check_choice("per", per, ("update", "epoch", "row")),
            as_schedule(momentum),
            rows,
            row_sampling(sampling, problem.n_rows),
            adapt_ratio,
            check_rng(random_state),
            start,
            np.zeros_like(start),
            rule.memory(start),
        )

    def checks(self) -> Checks:
        """Yield a check for the start and after every epoch."""
        nothing = np.full(len(self.layout.start), np.nan)
        if not self.past.checks:
            value = self.problem.value(self.theta) + l1_value(self.theta, self.layout)
            self.past.add(self._check(value, self._rate(), nothing, nothing))
        self.ceiling = BLOW_UP * max(1.0, self.past.checks[0].objective)
        yield from tuple(self.past.checks)
        while True:
            self.ratios, self.norms = [], []
            self.epoch += 1
            rate, loss = self._rate(), self._pass()
            ratio = np.median(self.ratios, axis=0) if self.ratios else nothing
            norms = np.median(self.norms, axis=0) if self.norms else nothing
            objective = loss + l1_value(self.theta, self.layout)
            self.schedule = self.schedule.observe(objective)
            self._adapt(ratio)
            check = self.past.add(self._check(objective, rate, norms, ratio))
            if self.save is not None:
                self.save(self.state)
            yield check

    def resume(self, state: TrainingState) -> None:
        """Stand where a training stood."""
        self.theta[:], self.memory = state.theta, tuple(np.array(part) for part in state.memory)
        self.updates, self.epoch, self.factor, self.dropped = state.updates, state.epoch, state.factor, state.dropped
        self.schedule, self.past = state.schedule, Past(state.checks)
        self.rng.bit_generator.state = state.rng

    def state(self) -> TrainingState:
        """Where the training stands, between two epochs."""
        rng, memory = dict(self.rng.bit_generator.state), tuple(part.copy() for part in self.memory)
        numbers = self.updates, self.epoch, self.factor, self.dropped
        return TrainingState(self.theta.copy(), memory, *numbers, self.schedule, rng, tuple(self.past.checks))

    def listening(self, callback: Callback | None, drops: RateDrops | None) -> Callback | None:
        """The callback, with the rate lowered as the column of stalls says."""
        if drops is None:
            return callback

        def told(row: Row) -> bool:
            self.dropped = drops.factor ** row["drops"]
            return callback is not None and bool(callback(row))

        return told

    def _pass(self) -> float:
        """One epoch; the mean loss over its rows, or the first that is beyond bounds."""
        problem, theta, gradient = self.problem, self.theta, self.gradient
        m, by_update = float(self.momentum(self.epoch - 1)), self.per == "update"
        rate, n, total = self._rate(), problem.n_rows, 0.0
        step = self._step()
        stride = max(math.ceil(math.ceil(n / self.batch_size) / WATCHED), 1)
        for k, (size, rows) in enumerate(self._batches()):
            loss = problem.batch_value_and_gradient(theta, rows, gradient)
            self.updates += 1
            if not loss <= self.ceiling:
                return loss
            total += loss * size
            if by_update:
                rate = self.factor * self.dropped * float(self.schedule(self.updates - 1))
            before = theta.copy() if k % stride == 0 else None
            step(rate, m)
            if before is not None:
                self._measure(before)
        return total / n

    def _step(self) -> Callable[[float, float], None]:
        """The update of the rule, by rate and momentum, together with what (1) does around it."""
        layout, normalise, update = self.layout, self.adapt_ratio == "normalise", self._update()
        has_l1, limited = bool(np.any(layout.l1 > 0.0)), bool(np.any(layout.max_norm < np.inf))
        if not (has_l1 or limited or normalise):
            return update

        def step(rate: float, m: float) -> None:
            if has_l1 and not self.rule.proximal:
                add_l1_slopes(self.theta, layout, self.gradient)
            if normalise:
                normalise_rates(self.theta, self.gradient, layout)
            update(rate, m)
            if has_l1 and self.rule.proximal:
                shrink_l1(self.theta, layout, rate)
            if limited:
                limit_norms(self.theta, layout)

        return step

    def _update(self) -> Callable[[float, float], None]:
        """The update of the rule, that of a large θ in parts."""
        rule, theta, gradient, memory = self.rule, self.theta, self.gradient, self.memory
        where = fixed_parts(len(theta), LEAST_PART)
        if len(where) == 1 or not rule.elementwise:
            return lambda rate, m: rule.step(theta, gradient, memory, rate=rate, momentum=m, t=self.updates)
        parts = [(theta[part], gradient[part], tuple(array[part] for array in memory)) for part in where]

        def update(rate: float, m: float) -> None:
            self.run(lambda part: rule.step(*part, rate=rate, momentum=m, t=self.updates), parts)

        return update

    def _batches(self) -> Iterator[tuple[int, Rows]]:
        """(rows, which) of each batch of an epoch."""
        n, batch = self.problem.n_rows, self.batch_size
        order = None if batch == n and without_replacement(self.sampling) else self._order()
        for first in range(0, n, batch):
            last = min(first + batch, n)
            yield last - first, slice(first, last) if order is None else order[first:last]

    def _order(self) -> Any:
        n = self.problem.n_rows
        if not isinstance(self.sampling, str):
            return self.rng.choice(n, size=n, p=self.sampling)
        if self.sampling == "uniform":
            return self.rng.integers(n, size=n)
        return self.rng.permutation(n) if self.sampling == "shuffle" else None

    def _rate(self) -> float:
        count = {"update": self.updates, "epoch": max(self.epoch - 1, 0), "row": self._rows_seen()}[self.per]
        return self.factor * self.dropped * float(self.schedule(count))

    def _rows_seen(self) -> int:
        return max(self.epoch - 1, 0) * self.problem.n_rows

    def _measure(self, before: Floats) -> None:
        ratios, norms = np.empty(len(self.layout.start)), np.empty(len(self.layout.start))
        group_sizes(before, self.theta, self.gradient, self.layout, ratios, norms)
        self.ratios.append(ratios)
        self.norms.append(norms)

    def _adapt(self, ratio: Floats) -> None:
        if not isinstance(self.adapt_ratio, tuple):
            return
        low, high = self.adapt_ratio
        median = float(np.median(ratio[self.layout.is_weight == 1]))
        self.factor *= 1.5 if median < low else (0.5 if median > high else 1.0)

    def _check(self, objective: float, rate: float, norms: Floats, ratio: Floats) -> Check[Floats]:
        more: dict[str, Any] = {"updates": float(self.updates), "gradient_norms": norms, "update_ratio": ratio}
        if self.rule.has_rate:
            more["rate"] = rate
        if self.rule.has_momentum:
            more["momentum"] = float(self.momentum(max(self.epoch - 1, 0)))
        if self.track_objective:
            value = self.problem.value(self.theta)
            more["full_objective"] = value + l1_value(self.theta, self.layout)
        if self.validation is not None:
            more["validation"] = float(self.validation(self.theta)) if self.epoch else math.nan
        if self.watch is not None:
            more |= self.watch(self.theta)
        full = self.epoch > 0 and self.batch_size == self.problem.n_rows
        norm = float(np.max(np.abs(self.gradient), initial=0.0)) if full else math.nan
        return Check(self.epoch, self.theta.copy(), objective, gradient_norm=norm, more=more)

    def blame(self) -> str:
        """Where and when the training diverged, and what to do."""
        groups = self.problem.groups
        sizes = [float(np.sum(np.abs(self.gradient[g.start : g.stop]), dtype=float)) for g in groups]
        worst = next((k for k, size in enumerate(sizes) if not math.isfinite(size)), int(np.argmax(sizes)))
        advice = "Give a smaller rate, or scale the columns of X"
        return f"It happened at update {self.updates}, in {groups[worst].name}. {advice}"
