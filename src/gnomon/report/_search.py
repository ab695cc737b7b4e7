"""Tuning the best few of the models that were compared, in the folds in which they were compared.

    θ̂ = argmin (1/J) Σ_j l_j(θ),  over the settings θ that were tried, the default one among them            (1)
    the tuned model's loss in fold j:  l_j(θ̂₋ⱼ),    θ̂₋ⱼ the best setting in the other folds                  (2)

The least of many means is too good; by (2) no fold judges a setting that it has chosen, and the held-out rows take no
part. `BayesianOptimizer` says which setting is tried next; one that is clearly behind is left before its last
fold. Snoek, Larochelle & Adams (2012), arXiv:1206.2944; Tsamardinos, Greasidou & Borboudakis (2018),
doi:10.1007/s10994-018-5714-4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from gnomon._registry import Candidate
from gnomon._typing import Floats
from gnomon.gp import BayesianOptimizer
from gnomon.report._budget import FEWEST_FOLDS, clearly_behind, longest_fit
from gnomon.report._entrants import matrices
from gnomon.report._question import TableQuestion
from gnomon.report._trials import Entrant, Folds, Matrices, Trial, Tryout, best_first, try_fold
from gnomon.report.ending import ENDINGS
from gnomon.report.scores import rounded, standard_error

__all__ = ["TunedTrials", "tuned"]

MOST_MODELS = 3
MOST_SETTINGS = 30
"""For each model; fewer where the time does not suffice."""
FIRST_SETTINGS = 8
PLACES = 2_000
"""Settings among which the next one is sought."""
MORE_ELABORATE = 0.01


class TunedTrials(NamedTuple):
    """The tuned models, stopped where no setting is better than the default one; whether the user ended the search."""

    trials: list[Trial]
    interrupted: bool


def tuned(asked: TableQuestion, trials: Sequence[Trial], folds: Folds) -> TunedTrials:
    """Tune, in turn, the best few of those that have a space; the first trial is the baseline."""
    able = [trial for trial in trials[1:] if trial.candidate.space is not None]
    best = best_first(able, asked.scores[0])[:MOST_MODELS]
    if not best or len(folds) < FEWEST_FOLDS:
        return TunedTrials([], interrupted=False)
    prepared = list(matrices(asked.used, [trial.entrant for trial in best], asked.train, asked.y, folds))
    works = [_Tuning(asked, trials[0], trial, folds, prepared) for trial in best]
    interrupted = False
    try:
        _in_turn(asked, works)
    except ENDINGS:
        interrupted = True
    return TunedTrials([work.result(ended=interrupted) for work in works], interrupted)


def _in_turn(asked: TableQuestion, works: Sequence[_Tuning]) -> None:
    """A setting of each model, and again, while there is time for one more."""
    running, done = list(works), count()
    while running:
        for work in list(running):
            if work.is_done or work.cost > asked.budget.left_for_search:
                running.remove(work)
                continue
            asked.progress(next(done), len(works) * MOST_SETTINGS, f"tuning {work.trial.candidate.name}")
            work.step()


@dataclass
class _Tuning:
    """The search of one model: its default trial, and the settings that were tried in all folds."""

    asked: TableQuestion
    baseline: Trial
    trial: Trial
    folds: Folds
    prepared: Sequence[Matrices]
    settings: list[Tryout] = field(default_factory=list)
    tried: int = 0
    seconds: float = 0.0
    longest: float = 0.0

    def __post_init__(self) -> None:
        candidate, facts, *_ = self.trial.entrant
        space = candidate.space(facts) if candidate.space else {}
        self.optimizer = BayesianOptimizer(
            space, n_initial_points=FIRST_SETTINGS, n_candidates=PLACES, random_state=self.asked.wishes.seed
        )

    @property
    def is_done(self) -> bool:
        """Whether enough settings were tried, or all that there are."""
        return self.tried >= MOST_SETTINGS or self.optimizer.is_exhausted_

    @property
    def cost(self) -> float:
        """Seconds that the next setting may take: as long as the slowest so far would in all folds."""
        return max(self.trial.seconds, self.longest)

    def step(self) -> None:
        """Try the next setting while there is time and it is not clearly behind, and tell the optimizer how it did."""
        point = self.optimizer.ask()
        tryout = Tryout(_with_setting(self.trial.entrant, point), self.asked.scores)
        own, baseline = self._losses(self.trial), self._losses(self.baseline)
        for k, (fold, prepared) in enumerate(zip(self.folds, self.prepared, strict=True)):
            given = self.asked.y, self.asked.target.classes, self.asked.wishes.seed
            most = longest_fit(self.asked.budget.left_for_search, self.cost / len(self.folds))
            try_fold(tryout, fold, prepared, *given, most)
            said = tryout.losses(k + 1)
            if not (tryout.is_running and np.all(np.isfinite(said))):
                break
            both = {"default": own[: k + 1].tolist(), "setting": said}
            each = float(np.mean(tryout.seconds))
            self.longest = max(self.longest, len(self.folds) * each)
            if (len(self.folds) - k - 1) * each > max(self.asked.budget.left_for_search, 0.0):
                break
            if k + 1 >= FEWEST_FOLDS and "setting" in clearly_behind(both, baseline[: k + 1].tolist()):
                break
        else:
            self.settings.append(tryout)
        self.tried, self.seconds = self.tried + 1, self.seconds + sum(tryout.seconds)
        # Relative to the default in the same folds, so that what was left early can be compared.
        gaps = np.array(tryout.losses(len(self.folds))) - own[: len(tryout.scores)]
        self.optimizer.tell(point, float(np.mean(gaps)) if len(gaps) and tryout.is_running else np.nan)

    def _losses(self, trial: Trial) -> Floats:
        first = self.asked.scores[0]
        return first.sign * trial.scores[first.name]

    def result(self, *, ended: bool) -> Trial:
        """The trial of θ̂ with the scores (2); stopped where no setting is better than the default one."""
        J = len(self.folds)
        losses = np.array([self._losses(self.trial), *(np.array(one.losses(J)) for one in self.settings)])
        best = int(np.argmin(losses.mean(axis=1)))
        if best == 0:
            return Trial(_named(self.trial.entrant), seconds=self.seconds, stopped=self._why_default(ended=ended))
        chosen = self.settings[best - 1]
        scores, forecasts = self._by_fold(losses)
        return Trial(
            _named(chosen.entrant, self._words(chosen)),
            scores,
            {name: standard_error(values, self.folds) for name, values in scores.items()},
            sum(chosen.seconds),
            tuple(sorted(chosen.complaints)),
            forecasts=forecasts,
        )

    def _by_fold(self, losses: Floats) -> tuple[dict[str, Floats], tuple[Any, ...]]:
        """(2): scores and forecasts of each fold, of the setting that is best in the others."""
        J = losses.shape[1]
        winners = [int(np.argmin(np.delete(losses, j, axis=1).mean(axis=1))) for j in range(J)]
        scores = {
            name: np.array([values[j] if (k := winners[j]) == 0 else self.settings[k - 1].scores[j][name]
                            for j in range(J)])
            for name, values in self.trial.scores.items()
        }  # fmt: skip
        told = (self.trial.forecasts, *(one.forecasts for one in self.settings))
        return scores, tuple(told[k][j] for j, k in enumerate(winners))

    def _why_default(self, *, ended: bool) -> str:
        if not self.tried:
            return "tuning was ended before it" if ended else "the time did not suffice for a setting of it"
        more = "" if ended or self.is_done else "; the time did not suffice for more"
        return f"none of the settings that were tried ({self.tried}) is better than the default one{more}"

    def _words(self, chosen: Tryout) -> str:
        values = ", ".join(_setting_words(chosen.entrant.candidate))
        return (
            f"{values}: the best of {self.tried} settings ({self.seconds:.0f} s), each fold by what the others choose"
        )


@dataclass(frozen=True)
class TunedMake:
    """Builds a candidate's model with parameters that a search has found."""

    candidate: Candidate
    setting: dict[str, Any]

    def __call__(self, facts: Any, seed: int) -> Any:
        """The unfitted estimator."""
        return self.candidate.make(facts, seed).set_params(**self.setting)


def _with_setting(entrant: Entrant, setting: dict[str, Any]) -> Entrant:
    return entrant._replace(candidate=replace(entrant.candidate, make=TunedMake(entrant.candidate, setting)))


def _setting_words(candidate: Candidate) -> Iterator[str]:
    for name, value in candidate.make.setting.items():  # type: ignore[attr-defined]
        short = name.rpartition("__")[2]
        yield f"{short} {rounded(value, 3) if isinstance(value, float) else value}"


def _named(entrant: Entrant, words: str = "") -> Entrant:
    """The entrant under a name of its own."""
    plain = entrant.candidate
    note = f"{plain.note}; {words}" if words else plain.note
    found = replace(plain, name=f"tuned {plain.name}", complexity=plain.complexity + MORE_ELABORATE, note=note)
    return entrant._replace(candidate=found)
