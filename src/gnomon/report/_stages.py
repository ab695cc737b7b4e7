"""The stages of a study, each with a record of what it found.

compared   every registered model that suits, with a baseline; chosen by a rule of `gnomon.report._choice`
judged     the chosen one, fitted to the training rows, calibrated, once on the held-out rows
explained  which columns it uses and how it responds to them, which rows are hard, whether more rows would help
finished   the same kind of model, fitted to all rows

Hastie, Tibshirani & Friedman (2009), §7.2 and §7.10, doi:10.1007/978-0-387-84858-7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from sklearn.pipeline import Pipeline

from gnomon._jit.timing import stopwatch
from gnomon._typing import Array
from gnomon.io import Table, UserError
from gnomon.io.tables import listed
from gnomon.report._blend import blended
from gnomon.report._budget import predicted_seconds
from gnomon.report._calibrate import CalibrationVerdict, calibrated_by
from gnomon.report._choice import Choice, choose
from gnomon.report._decisions import CostCurve, DecisionOutcome, cost_curve, decision_outcome, table_shares
from gnomon.report._drift import Drift, drift
from gnomon.report._entrants import entrants, fit_entrant, matrices
from gnomon.report._judge import Importance, Judgement, coefficients, importances, judge, own_shares, rules_of
from gnomon.report._kinds import ColumnKind
from gnomon.report._outcomes import ClassScore, HeldOutCase, scores_by_class, unsure_cases, worst_cases
from gnomon.report._question import TableQuestion
from gnomon.report._race import Comparison, compare
from gnomon.report._responses import Response, responses
from gnomon.report._rows_enough import RowsCurve, rows_curve
from gnomon.report._scales import Rescaled, rescaled
from gnomon.report._search import tuned
from gnomon.report._sets import SetOutcome, calibrated_sets
from gnomon.report._threshold import EVEN, ThresholdVerdict, threshold_by
from gnomon.report._trials import Folds, Trial
from gnomon.report._words_that_matter import WordEffect, word_effects
from gnomon.report.aims import Stakes
from gnomon.report.deployment import Deployed, deployed
from gnomon.report.ending import ENDINGS

__all__ = [
    "Compared",
    "Explained",
    "Finished",
    "Judged",
    "compare_models",
    "explain_model",
    "finish_model",
    "judge_model",
]


Answer = TypeVar("Answer")

QUESTIONS = 5
"""To a judged model."""
SHARE_OF_LAST_FIT = 0.5
"""Of the time that is left after comparing, what the fit to the training rows may take."""
SHORT = 0.05
"""Of the limit: a fit that takes no more is never too long, for a worse model would save little."""


class Compared(NamedTuple):
    """The trials, the baseline first, their folds, the choice, and what the user ended, in words."""

    trials: list[Trial]
    folds: Folds
    choice: Choice
    scaled: Rescaled
    ended: str


class Judged(NamedTuple):
    """The chosen model, fitted to the training rows in so many seconds; with its calibration it is what was judged.

    `choice` is another one than that of the comparison where the user ended a fit: `ended` says so.
    """

    choice: Choice
    fitted: Pipeline
    seconds: float
    model: Pipeline
    calibration: CalibrationVerdict | None
    threshold: ThresholdVerdict | None
    judgement: Judgement
    sets: SetOutcome | None
    decisions: DecisionOutcome | None
    cost_curve: CostCurve | None
    ended: str = ""


class Explained(NamedTuple):
    """What the report says of the model; the fields are those of `Study`."""

    importances: list[Importance]
    responses: list[Response]
    rows_curve: RowsCurve | None
    coefficients: list[tuple[str, float]]
    shares: list[tuple[str, float]]
    rules: str
    by_class: list[ClassScore]
    worst: list[HeldOutCase]
    unsure: list[HeldOutCase]
    drift: Drift | None
    words: list[WordEffect]
    ended: str


class Finished(NamedTuple):
    """What a model file holds, and whether it was fitted to all rows."""

    model: Pipeline
    refitted: bool
    ended: str


def compare_models(asked: TableQuestion) -> Compared:
    """Every model that suits, in the folds of the training rows, and the mean of the best few; one is chosen.

    After an interruption nothing more is fitted; the mean needs no fit.
    """
    wishes = asked.wishes
    trials, folds, ended = _cross_validated(asked)
    scaled = Rescaled([], "", interrupted=False)
    if not ended:
        scaled = rescaled(asked, trials, folds)
        trials += scaled.trials
        ended = "trying other scales of the target was ended" if scaled.interrupted else ""
    if wishes.search and not ended:
        search = tuned(asked, trials, folds)
        trials += search.trials
        ended = "tuning was ended" if search.interrupted else ""
    if not wishes.single:
        mean, unmixed = _mixed(asked, trials, folds)
        trials += mean
        ended = "mixing the best models was ended" if unmixed else ended
    trials = _in_time(asked, trials, folds)
    return Compared(trials, folds, choose(trials, folds, asked.scores[0], wishes.rule), scaled, ended)


def _cross_validated(asked: TableQuestion) -> Comparison:
    """All models that suit, the baseline first; an error where none of them could be judged."""
    field = entrants(asked.used, asked.target, asked.train, asked.y)
    compared = compare(
        partial(matrices, asked.used, field, asked.train, asked.y),
        asked.y,
        asked.folds,
        field,
        asked.target.classes,
        scores=asked.scores,
        seed=asked.wishes.seed,
        budget=asked.budget,
        progress=asked.progress,
    )
    baseline, *others = compared.trials
    if not baseline.complete:
        raise UserError(f"--metric {asked.wishes.metric} cannot judge the baseline in every fold; give another")
    if not any(trial.complete for trial in others):
        raise UserError(_why_none(others))
    return compared


def _why_none(others: Sequence[Trial]) -> str:
    """Why no model was judged in all folds: the columns are not to blame where the time was too short."""
    found = listed([f"{trial.candidate.name}: {trial.failure or trial.stopped}" for trial in others], 3)
    if not others or any(trial.failure for trial in others):
        return f"no model could be fitted; look at the columns, or leave some out. {found}"
    return f"no model that there was time for is better than the baseline; give a longer --time-limit. {found}"


def _mixed(asked: TableQuestion, trials: list[Trial], folds: Folds) -> tuple[list[Trial], bool]:
    """The mean of the best few, if it is better than each, and whether the user has ended the search for it."""
    try:
        mean = blended(trials[1:], asked.y, folds, asked.scores)
    except ENDINGS:
        return [], True
    return [] if mean is None else [mean], False


def _in_time(asked: TableQuestion, trials: list[Trial], folds: Folds) -> list[Trial]:
    """The trials, those stopped whose fit to the training rows takes longer than there is time for; one is left."""
    seconds = {id(t): _seconds_of_fit(asked, t, folds) for t in trials[1:] if t.complete}
    quickest = min(seconds.values())
    most = max(SHARE_OF_LAST_FIT * asked.budget.left, SHORT * asked.budget.limit)
    return [
        replace(
            t, stopped=f"its fit to all training rows takes about {seconds[id(t)]:.0f} s, for which there is no time"
        )
        if seconds.get(id(t), 0.0) > max(most, quickest)
        else t
        for t in trials
    ]


def _seconds_of_fit(asked: TableQuestion, trial: Trial, folds: Folds) -> float:
    rows = sum(len(train) for train, _ in folds) / len(folds)
    return predicted_seconds(trial.seconds / len(folds), int(rows), len(asked.y))


def judge_model(asked: TableQuestion, compared: Compared) -> Judged:
    """Fit the chosen model, calibrate it, and judge it on the held-out rows.

    An interruption passes on to the best of the models whose fits take less than half as long; if there is none, the
    study ends.
    """
    choice, ended = compared.choice, ""
    while True:
        try:
            return _judged(asked, compared.folds, choice, ended)
        except ENDINGS:
            name, quicker = choice.trial.candidate.name, _quicker(asked, compared, choice.trial)
            if not quicker.learned:
                raise
            choice, ended = quicker, f"the fit of {name} was ended, and the best of those that are quicker was taken"


def _quicker(asked: TableQuestion, compared: Compared, than: Trial) -> Choice:
    baseline, *others = compared.trials
    quicker = [trial for trial in others if trial.complete and _slower(than, trial)]
    return choose([baseline, *quicker], compared.folds, asked.scores[0], asked.wishes.rule)


def _slower(than: Trial, trial: Trial) -> bool:
    return 2.0 * trial.seconds < than.seconds


def _judged(asked: TableQuestion, folds: Folds, choice: Choice, ended: str) -> Judged:
    y, classes = asked.y, asked.target.classes
    asked.progress(0, 2, f"fitting {choice.trial.candidate.name} on all {len(y)} training rows")
    with stopwatch() as watch:
        fitted = fit_entrant(asked.used, choice.trial.entrant, asked.train, y, asked.wishes.seed)
    calibration = calibrated_by(choice.trial, y, folds, classes) if choice.learned else None
    calibrator = calibration.calibrator if calibration else None
    # Costs and another prior decide by themselves what is done.
    labelled = choice.learned and asked.stakes is None
    threshold = threshold_by(choice.trial, y, folds, classes, asked.scores[0], calibrator) if labelled else None
    model = _with_parts(fitted, deployed(fitted[-1], y, calibrator, None, threshold=_used(threshold)))
    asked.progress(1, 2, "judging on the held-out rows")
    judgement = judge(model, asked.target, asked.table, asked.split, asked.scores, asked.wishes.seed)
    sets, (decisions, curve) = _sets(asked, model, judgement), _decided(asked, judgement)
    return Judged(
        choice, fitted, watch.seconds, model, calibration, threshold, judgement, sets, decisions, curve, ended
    )


def _used(threshold: ThresholdVerdict | None) -> float | None:
    """The threshold, where it is another than ½."""
    return threshold.value if threshold and threshold.value != EVEN else None


def _sets(asked: TableQuestion, model: Pipeline, judgement: Judgement) -> SetOutcome | None:
    coverage, stakes = asked.wishes.aims.coverage, asked.stakes
    if coverage is None:
        return None
    unseen = model[0].transform(asked.table.take(asked.split.test))
    by_class = stakes is not None and stakes.priors is not None
    return calibrated_sets(model[-1], unseen, judgement.y, coverage, by_class=by_class)


def _decided(asked: TableQuestion, judgement: Judgement) -> tuple[DecisionOutcome | None, CostCurve | None]:
    if asked.stakes is None:
        return None, None
    shares = table_shares(asked.stakes, asked.target.y, asked.split.train)
    given = judgement.y, judgement.forecast, asked.stakes, shares
    return decision_outcome(*given), cost_curve(*given)


def explain_model(asked: TableQuestion, compared: Compared, judged: Judged) -> Explained:
    """Ask the judged model for its reasons, as far as the time suffices; an interruption leaves out the rest."""
    candidate, table, parts = judged.choice.trial.candidate, asked.table, asked.split
    asking = _Asking(asked, compared.folds, judged)
    shuffled = asking.until_ended("shuffling single columns", asking.importances) or []
    by_name = {kind.name: kind for kind in asked.used}
    telling = [by_name[importance.name] for importance in shuffled if importance.mean > importance.spread]
    answers = asking.until_ended("asking how it responds to columns", lambda: asking.responses(telling)) or []
    curve = asking.until_ended("learning from fewer rows", asking.rows_curve)
    changed = asking.until_ended(
        "comparing held-out and training rows", lambda: drift(table, asked.used, parts, asked.wishes.seed)
    )
    words = asking.until_ended("leaving out words", asking.words) or []
    of_cases = (
        table.take(parts.test),
        asked.target.rows[parts.test],
        [i.name for i in shuffled] or [kind.name for kind in asked.used],
    )
    return Explained(
        importances=shuffled,
        responses=answers,
        rows_curve=curve,
        coefficients=coefficients(judged.fitted, candidate),
        shares=own_shares(judged.fitted, candidate),
        rules=rules_of(judged.fitted, candidate),
        by_class=scores_by_class(judged.judgement, asked.target.classes),
        worst=worst_cases(judged.judgement, *of_cases),
        unsure=unsure_cases(judged.judgement, *of_cases),
        drift=changed,
        words=words,
        ended="looking into the model was ended" if asking.ended else "",
    )


@dataclass
class _Asking:
    """The slow questions to a judged model; once the user has ended one, the others are not asked."""

    asked: TableQuestion
    folds: Folds
    judged: Judged
    ended: bool = False
    done: int = 0

    def until_ended(self, doing: str, ask: Callable[[], Answer]) -> Answer | None:
        """The answer, or None after an interruption."""
        if self.ended:
            return None
        try:
            self.asked.progress(self.done, QUESTIONS, doing)
            self.done += 1
            return ask()
        except ENDINGS:
            self.ended = True
            return None

    def importances(self) -> list[Importance]:
        """How much worse the model is without each column."""
        asked, judged = self.asked, self.judged
        names = [kind.name for kind in asked.used if judged.choice.learned]
        given = judged.model, asked.target, asked.table, asked.split, names, asked.scores[0]
        return importances(*given, asked.wishes.seed, asked.budget)

    def responses(self, kinds: Sequence[ColumnKind]) -> list[Response]:
        """How it responds to some columns."""
        asked, target = self.asked, self.asked.target
        given = self.judged.model, asked.table, asked.split.test, kinds, target.classes, target.name
        return responses(*given, asked.wishes.seed, asked.budget)

    def words(self) -> list[WordEffect]:
        """What single words of texts do to its forecasts."""
        asked, judged = self.asked, self.judged
        texts = [kind for kind in asked.used if kind.kind == "text" and judged.choice.learned]
        held = asked.table.take(asked.split.test)
        return word_effects(judged.model, held, texts, asked.target.classes, asked.wishes.seed, asked.budget)

    def rows_curve(self) -> RowsCurve | None:
        """Whether more rows would help it."""
        asked, choice, seed = self.asked, self.judged.choice, self.asked.wishes.seed
        if not choice.learned:
            return None

        def fit(some: Table, labels: Array) -> Pipeline:
            return fit_entrant(asked.used, choice.trial.entrant, some, labels, seed)

        given = choice.trial, asked.train, asked.y, self.folds, asked.target.classes
        return rows_curve(fit, *given, asked.scores[0], asked.budget, seed)


def finish_model(asked: TableQuestion, judged: Judged) -> Finished:
    """The chosen model fitted to all rows, if there is time; else, and with a coverage, the one that was judged."""
    y, labels, fitted, ended = asked.target.y, asked.y, judged.fitted, ""
    # As long as the fit to the training rows, and a little longer.
    in_time = predicted_seconds(judged.seconds, len(asked.y), len(y)) <= asked.budget.left
    wanted = asked.wishes.refit and asked.wishes.aims.coverage is None
    if wanted and not in_time:
        asked.budget.miss("the fit to all rows, so that the model file holds the one that was judged")
    refit = wanted and in_time
    if refit:
        try:
            asked.progress(0, 1, f"fitting {judged.choice.trial.candidate.name} on all {len(y)} rows")
            fitted = fit_entrant(asked.used, judged.choice.trial.entrant, asked.table, y, asked.wishes.seed)
            labels = y
        except ENDINGS:
            refit, ended = False, "the fit to all rows was ended, and the model file holds the one that was judged"
    calibrator = judged.calibration.calibrator if judged.calibration else None
    sets = judged.sets and judged.sets.sets
    last = deployed(fitted[-1], labels, calibrator, _stakes_of(asked, fitted), sets, _used(judged.threshold))
    return Finished(_with_parts(fitted, last), refit, ended)


def _stakes_of(asked: TableQuestion, fitted: Pipeline) -> Stakes | None:
    """The costs of the classes that a model knows: of later rows, one may not be among those that it learned from."""
    stakes = asked.stakes
    if stakes is None:
        return None
    known = np.isin(asked.target.classes, fitted[-1].classes_)
    priors = None if stakes.priors is None else stakes.priors[known]
    return Stakes(stakes.actions, stakes.costs[:, known], priors)


def _with_parts(fitted: Pipeline, last: Deployed) -> Pipeline:
    """The fitted pipeline with another last step; the model itself where nothing stands around it."""
    around = (last.calibrator, last.threshold, last.costs, last.sets)
    return fitted if all(part is None for part in around) else Pipeline([("prepare", fitted[0]), ("model", last)])
