"""Choosing one of the models that were compared, by a stated rule.

Model a, of mean loss l(a) and complexity c(a), is dominated if another is as good in both and better in one (a score of
which more is better is a loss with its sign changed):

    l(b) ≤ l(a),  c(b) ≤ c(a),  one of them strictly                                                 (1)

The choice is among the sound ones: those that beat the baseline by more than two standard errors of the difference, and
those that dominate one of these. If there are none, nothing was learned and the baseline is taken. Rules:

simplest  of those that are not dominated, and whose loss exceeds the least by at most one standard error of the
          difference, the simplest
best      that of least loss

What dominates a sound model is sound, so that no choice is dominated by any model. Breiman et al. (1984), §3.4.3,
doi:10.1201/9781315139470, with differences paired by fold and their corrected standard error. These errors differ from
pair to pair, so that a worse model can be "within one" where a better and simpler one is not: hence (1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gnomon._words import RULES, RuleName
from gnomon.io import UserError
from gnomon.report._trials import Folds, Trial
from gnomon.report.scores import Score, rounded, standard_error

__all__ = ["MODEL_RULES", "Choice", "check_rule", "choose"]

BETTER_THAN_BASELINE = 2.0


@dataclass(frozen=True)
class Choice:
    """The trial that was chosen, whether it beats the baseline, why, and the rule in words."""

    trial: Trial
    learned: bool
    why: str
    rule: str


class Difference(NamedTuple):
    """How much greater one loss is than another over the same folds, and the standard error of that."""

    mean: float
    error: float


@dataclass(frozen=True)
class _Field:
    """Models among which one is chosen, and their losses."""

    trials: Sequence[Trial]
    folds: Folds
    score: Score

    @property
    def best(self) -> Trial:
        """The least loss; among equals the simplest."""
        return min(self.trials, key=self.merits)

    def merits(self, trial: Trial) -> tuple[float, float]:
        """Loss and complexity."""
        return self.score.sign * trial.mean(self.score.name), trial.candidate.complexity

    def dominates(self, b: Trial, a: Trial) -> bool:
        """(1)."""
        (loss, complexity), own = self.merits(b), self.merits(a)
        return loss <= own[0] and complexity <= own[1] and (loss, complexity) != own

    def dominated(self, trial: Trial) -> bool:
        """Whether any model dominates this one."""
        return any(self.dominates(other, trial) for other in self.trials)

    def difference(self, a: Trial, b: Trial) -> Difference:
        """The loss of `a` less that of `b`; one fold alone, of which no error is known, is taken as it is."""
        values = self.score.sign * (a.scores[self.score.name] - b.scores[self.score.name])
        return Difference(float(np.mean(values)), standard_error(values, self.folds) if len(self.folds) > 1 else 0.0)

    def within_one_error(self, trial: Trial) -> bool:
        """Whether the loss exceeds the least by at most one standard error of the difference."""
        gap = self.difference(trial, self.best)
        return gap.mean <= gap.error

    def sound(self, baseline: Trial) -> _Field:
        """Those that beat the baseline clearly, and those that dominate one of these."""
        gains = [(t, self.difference(baseline, t)) for t in self.trials]
        clear = [t for t, gain in gains if gain.mean > BETTER_THAN_BASELINE * gain.error]
        kept = [t for t in self.trials if t in clear or any(self.dominates(t, one) for one in clear)]
        return _Field(kept, self.folds, self.score)


def _as_good_as_the_best(field: _Field) -> list[Trial]:
    return [t for t in field.trials if field.within_one_error(t) and not field.dominated(t)]


def _only_the_best(field: _Field) -> list[Trial]:
    return [field.best]


class ModelRule(NamedTuple):
    """A rule of choice: its sentence, and the models that it admits."""

    text: str
    admits: Callable[[_Field], list[Trial]]


SOUND = (
    "of the models that beat the baseline by more than two standard errors of the difference, or that beat such a "
    "model in both loss and simplicity,"
)
MODEL_RULES: dict[RuleName, ModelRule] = {
    "simplest": ModelRule(
        f"{SOUND} the simplest whose mean loss exceeds the least by at most one standard error of the difference and "
        "which no other beats in both",
        _as_good_as_the_best,
    ),
    "best": ModelRule(f"{SOUND} the one of least mean loss", _only_the_best),
}


ONE_FOLD = "of the models that beat the baseline, the one of least loss; one fold has no standard errors"


def check_rule(rule: str) -> RuleName:
    """`rule`, if there is one of that name."""
    for known in RULES:
        if rule == known:
            return known
    raise UserError(f"--rule {rule!r} is unknown; give one of: {', '.join(RULES)}")


def choose(trials: Sequence[Trial], folds: Folds, score: Score, rule: RuleName = "simplest") -> Choice:
    """Apply a rule of this module; the first trial is the baseline, `score` as a loss is what counts."""
    text, admits = MODEL_RULES[rule]
    text = text if len(folds) > 1 else ONE_FOLD
    baseline, *others = [t for t in trials if t.complete]
    if not others:
        return Choice(baseline, learned=False, why="no other model could be fitted", rule=text)
    field = _Field(others, folds, score).sound(baseline)
    if not field.trials:
        how = "by more than two standard errors of the difference" if len(folds) > 1 else "in the one fold there was"
        why = f"no model beats the baseline {how}"
        return Choice(baseline, learned=False, why=why, rule=text)
    chosen = min(admits(field), key=lambda t: field.merits(t)[::-1])
    return Choice(chosen, learned=True, why=_reason(field, chosen, rule), rule=text)


def _reason(field: _Field, chosen: Trial, rule: RuleName) -> str:
    best = field.best
    if chosen is not best:
        gap = field.difference(chosen, best)
        way = "less" if field.score.less_is_better else "more"
        gain = f"only {rounded(gap.mean, 2)} {way} (standard error of the difference {rounded(gap.error, 2)})"
        of_best = f"the {field.score.name} of the best, {best.candidate.name}, is {gain}"
        return f"it is the simplest of those that are as good; {of_best}"
    superlative = f"it has the {'least' if field.score.less_is_better else 'greatest'} {field.score.name}"
    if len(field.folds) < 2:
        return f"{superlative} in the one fold there was when the user ended the comparison"
    if rule == "best":
        return superlative
    return f"{superlative}, and no simpler model that could be taken is within one standard error of the difference"
