"""The stages of a study, each with a record of what it found.

compared   every registered model that suits, with a baseline; chosen by a rule of `gnomon.report._choice`
judged     the chosen one, fitted to the training rows, calibrated, once on the held-out rows
explained  which columns it uses and how it answers to them, which rows are hard, whether more rows would help
finished   the same kind of model, fitted to all rows

Hastie, Tibshirani & Friedman (2009), §7.2 and §7.10, doi:10.1007/978-0-387-84858-7.
"""

from functools import partial
from typing import NamedTuple

from sklearn.pipeline import Pipeline

from gnomon._jit.timing import stopwatch
from gnomon._typing import Array
from gnomon.io import Table, UserError
from gnomon.io.tables import listed
from gnomon.numerics.weights import effective_train_prior
from gnomon.report._blend import blended
from gnomon.report._budget import predicted_seconds
from gnomon.report._calibrate import CalibrationVerdict, calibrated_by
from gnomon.report._choice import Choice, choose
from gnomon.report._compare import Folds, Trial, compare
from gnomon.report._decisions import CostCurve, DecisionOutcome, cost_curve, decision_outcome
from gnomon.report._entrants import entrants, fit_entrant, matrices
from gnomon.report._judge import Importance, Judgement, coefficients, importances, judge, own_shares, rules_of
from gnomon.report._outcomes import ClassScore, HeldOutCase, scores_by_class, unsure_cases, worst_cases
from gnomon.report._question import TableQuestion
from gnomon.report._responses import Response, responses
from gnomon.report._rows_enough import RowsCurve, rows_curve
from gnomon.report._sets import SetOutcome, calibrated_sets
from gnomon.report.deployment import Deployed, deployed

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


class Compared(NamedTuple):
    """The trials, the baseline first; the folds in which all were judged; the choice; whether the user ended it."""

    trials: list[Trial]
    folds: Folds
    choice: Choice
    interrupted: bool


class Judged(NamedTuple):
    """The chosen model, fitted to the training rows in so many seconds; with its calibration it is what was judged."""

    fitted: Pipeline
    seconds: float
    model: Pipeline
    calibration: CalibrationVerdict | None
    judgement: Judgement
    sets: SetOutcome | None
    decisions: DecisionOutcome | None
    cost_curve: CostCurve | None


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


class Finished(NamedTuple):
    """What a model file holds, and whether it was fitted to all rows."""

    model: Pipeline
    refitted: bool


def compare_models(asked: TableQuestion) -> Compared:
    """Every model that suits, in the folds of the training rows, and the mean of the best few; one is chosen."""
    wishes, classes = asked.wishes, asked.target.classes
    field = entrants(asked.used, asked.target, asked.train)
    prepare = partial(matrices, asked.used, field, asked.train)
    trials, folds, interrupted = compare(
        prepare, asked.y, asked.folds, field, classes, seed=wishes.seed, budget=asked.budget, progress=asked.progress
    )
    if not any(trial.complete for trial in trials[1:]):
        failures = [f"{trial.candidate.name}: {trial.failure or trial.stopped}" for trial in trials[1:]]
        raise UserError(f"no model could be fitted; look at the columns, or leave some out. {listed(failures, 3)}")
    blend = None if wishes.single else blended(trials[1:], asked.y, folds)
    trials = trials if blend is None else [*trials, blend]
    return Compared(trials, folds, choose(trials, folds, wishes.rule), interrupted)


def judge_model(asked: TableQuestion, compared: Compared) -> Judged:
    """Fit the chosen model to the training rows, calibrate it, and judge it on the held-out rows."""
    choice, y, classes = compared.choice, asked.y, asked.target.classes
    asked.progress(0, 2, f"fitting {choice.trial.candidate.name} on all {len(y)} training rows")
    with stopwatch() as watch:
        fitted = fit_entrant(asked.used, choice.trial.entrant, asked.train, y, asked.wishes.seed)
    calibration = calibrated_by(choice.trial, y, compared.folds, classes) if choice.learned else None
    model = _with_parts(fitted, deployed(fitted[-1], y, calibration.calibrator if calibration else None, None))
    asked.progress(1, 2, "judging on the held-out rows")
    judgement = judge(model, asked.target, asked.table, asked.split, asked.wishes.seed)
    sets, decisions = _sets(asked, model, judgement), _decided(asked, judgement)
    return Judged(fitted, watch.seconds, model, calibration, judgement, sets, *decisions)


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
    given = judgement.y, judgement.forecast, asked.stakes, effective_train_prior(asked.y)
    return decision_outcome(*given), cost_curve(*given)


def explain_model(asked: TableQuestion, compared: Compared, judged: Judged) -> Explained:
    """Ask the judged model for its reasons, as far as the time suffices."""
    table, target, parts, seed, budget = asked.table, asked.target, asked.split, asked.wishes.seed, asked.budget
    candidate = compared.choice.trial.candidate
    names = [kind.name for kind in asked.used if compared.choice.learned]
    shuffled = importances(judged.model, target, table, parts, names, seed, budget)
    by_name = {kind.name: kind for kind in asked.used}
    telling = [by_name[importance.name] for importance in shuffled if importance.mean > importance.spread]
    of_cases = (
        table.take(parts.test),
        target.rows[parts.test],
        [i.name for i in shuffled] or [kind.name for kind in asked.used],
    )
    return Explained(
        importances=shuffled,
        responses=responses(judged.model, table, parts.test, telling, target.classes, target.name, seed, budget),
        rows_curve=_rows_curve(asked, compared),
        coefficients=coefficients(judged.fitted, candidate),
        shares=own_shares(judged.fitted, candidate),
        rules=rules_of(judged.fitted, candidate),
        by_class=scores_by_class(judged.judgement, target.classes),
        worst=worst_cases(judged.judgement, *of_cases),
        unsure=unsure_cases(judged.judgement, *of_cases),
    )


def _rows_curve(asked: TableQuestion, compared: Compared) -> RowsCurve | None:
    choice, seed = compared.choice, asked.wishes.seed
    if not choice.learned:
        return None

    def fit(some: Table, labels: Array) -> Pipeline:
        return fit_entrant(asked.used, choice.trial.entrant, some, labels, seed)

    given = choice.trial, asked.train, asked.y, compared.folds, asked.target.classes
    return rows_curve(fit, *given, asked.budget, seed)


def finish_model(asked: TableQuestion, compared: Compared, judged: Judged) -> Finished:
    """The chosen model fitted to all rows, if there is time; else, and with a coverage, the one that was judged."""
    y, labels, fitted = asked.target.y, asked.y, judged.fitted
    # As long as the fit to the training rows, and a little longer.
    in_time = predicted_seconds(judged.seconds, len(asked.y), len(y)) <= asked.budget.left
    refit = asked.wishes.refit and asked.wishes.aims.coverage is None and in_time
    if refit:
        labels = y
        fitted = fit_entrant(asked.used, compared.choice.trial.entrant, asked.table, y, asked.wishes.seed)
    calibrator = judged.calibration.calibrator if judged.calibration else None
    last = deployed(fitted[-1], labels, calibrator, asked.stakes, judged.sets and judged.sets.sets)
    return Finished(_with_parts(fitted, last), refit)


def _with_parts(fitted: Pipeline, last: Deployed) -> Pipeline:
    """The fitted pipeline with another last step; the model itself where nothing stands around it."""
    around = (last.calibrator, last.costs, last.sets)
    return fitted if all(part is None for part in around) else Pipeline([("prepare", fitted[0]), ("model", last)])
