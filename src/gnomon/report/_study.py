"""One study of one table.

1  read the target, find the task            4  compare every registered model that suits, with a baseline
2  hold out a fifth                          5  choose by a rule of `gnomon.report._choice`
3  find the kinds of the other columns       6  refit on the rest, calibrate, judge once on the held-out rows
                                             7  decide by costs; sets or intervals of a given coverage

Hastie, Tibshirani & Friedman (2009), §7.2 and §7.10, doi:10.1007/978-0-387-84858-7.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from gnomon._jit.timing import stopwatch
from gnomon._registry import Facts, LevelCoding, candidates, discover
from gnomon._typing import Array, ArrayLike, Integers
from gnomon._words import RuleName, TargetTask
from gnomon.io import Table, UserError
from gnomon.io.tables import listed, refuse_unknown
from gnomon.numerics.weights import effective_train_prior
from gnomon.report._advice import check_arrangement
from gnomon.report._blend import MemberForecasts, blended
from gnomon.report._budget import Budget, predicted_seconds
from gnomon.report._calibrate import calibrated_by
from gnomon.report._checks import (
    check_columns,
    check_outcome,
    check_rows,
    check_target,
    copies_of,
)
from gnomon.report._choice import Choice, check_rule, choose
from gnomon.report._compare import BASELINE, Entrant, Matrices, build, compare
from gnomon.report._decisions import CostCurve, DecisionOutcome, cost_curve, decision_findings, decision_outcome
from gnomon.report._findings import GRAVITY, Finding
from gnomon.report._judge import Judgement, coefficients, importances, judge, own_shares, rules_of
from gnomon.report._kinds import ColumnKind, as_kinds, clock_of, infer_kinds, settled_kinds, used_kinds
from gnomon.report._outcomes import scores_by_class, unsure_cases, worst_cases
from gnomon.report._responses import responses
from gnomon.report._rows_enough import rows_curve
from gnomon.report._sets import calibrated_sets
from gnomon.report._splits import Split, split
from gnomon.report._study_record import Study
from gnomon.report._target import Target, read_target
from gnomon.report.aims import Aims, Stakes
from gnomon.report.deployment import Deployed, deployed
from gnomon.report.origin import GivenTable, Rows, asked, labels_of
from gnomon.report.prepare import CODINGS, Preparer

__all__ = ["entrants", "learn"]

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with the steps done, the number of steps, and the name of the step that begins."""

MOST_ROWS_TO_COMPARE = 50_000
SMALL_CELLS = 200_000
NO_AIMS = Aims()
INTERRUPTED = Finding(
    "note", "Interrupted", "the comparison was ended before its last fold; what it had found by then was used"
)


def _silent(done: int, total: int, text: str) -> None:
    return None


def learn(
    data: Rows,
    target: str | ArrayLike,
    *,
    reading: Mapping[str, Any] | None = None,
    task: TargetTask | None = None,
    group: str | None = None,
    time: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    rule: RuleName = "simplest",
    aims: Aims = NO_AIMS,
    time_limit: float | None = None,
    single: bool = False,
    refit: bool = True,
    seed: int = 0,
    progress: Progress = _silent,
) -> Study:
    """Compare the registered models on a table, choose one, and judge it once on held-out rows.

    Parameters
    ----------
    data : path, Table, dict of columns, data frame or array-like of shape (n_rows, n_columns)
        One row per case: a CSV or Parquet file, or the rows themselves. Columns of an array are called column_1,
        column_2 …
    target : str or array-like of shape (n_rows,)
        The column to predict, or its values.
    reading : dict, optional
        For a file: options of `gnomon.io.read_table`.
    task : {"classification", "regression"}, optional
        By default decided from the target's values.
    group, time : str, optional
        A column whose equal values stay together, or that orders the rows in time; not used as a feature, but for the
        hour and the weekday of dates.
    drop, keep : sequences of str, default=()
        Columns to leave out; columns to use although they look like identifiers.
    types : dict of str → {"number", "category", "date", "text"}, optional
        What columns are, where the rules would decide otherwise; "date:%d/%m/%Y" gives the form too.
    rule : {"simplest", "best"}, default="simplest"
        How one of the models is chosen: the simplest that is as good as the best, within one standard error of the
        difference, and dominated by no other; or that of least loss.
    aims : Aims, optional
        Costs, another prior, a coverage: what the forecasts are for.
    time_limit : float, optional
        Seconds. Where they do not suffice, models that a first look or some folds put behind are stopped, and the study
        says which; without a limit all are compared in all folds.
    single : bool, default=False
        Whether a mean of several models is out of the question.
    refit : bool, default=True
        Whether `Study.model` is fitted anew to all rows once `Study.judged` has been judged on the held-out ones, if
        there is time. With a coverage it is not, for these rows calibrate its sets.
    seed : int, default=0
        Of every random choice.
    progress : callable (done, total, text) → None, optional
        Called before each step.

    Returns
    -------
    Study

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §3.4.3.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report import learn
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> study = learn({"x": x, "y": np.where(x + rng.normal(size=200) > 0, "up", "down")}, "y")
    >>> study.target.task, len(study.judgement.y)
    ('classification', 40)

    From an array, with the labels that were given:

    >>> study = learn(rng.normal(size=(100, 2)), rng.integers(2, size=100) == 1, single=True)
    >>> study.classes_, study.predict([[0.0, 0.0]]).dtype
    (array([False,  True]), dtype('bool'))
    """
    budget = Budget(time_limit)
    rule = check_rule(rule)
    shown, target = asked(data, target, reading)
    table = shown.table
    named = {"--group": [group], "--time": [time], "--drop": drop, "--keep": keep, "--type": [*(types or ())]}
    for option, names in named.items():
        refuse_unknown(table, option, [name for name in names if name])
    whole = read_target(table, target, task or _told_task(target, types or {}))
    stakes = aims.stakes(whole.classes)
    roles = [name for name in (group, time) if name]
    # All rows decide what a column is: a sample cannot see that one counts them.
    found = infer_kinds(table, [n for n in table.names if n != target], types=types, keep=[*keep, *roles])
    raw, table = table.take(whole.rows), as_kinds(table, list(found.values())).take(whole.rows)
    parts = split(table, whole, group=group, time=time, seed=seed)
    reasons = dict.fromkeys(copies_of(raw, target, found), "copy") | dict.fromkeys(drop, "dropped")
    if time and (clock := clock_of(found[time], table[time])) and time not in drop:
        found, roles = {**found, time: clock}, []
    kinds = settled_kinds(table, found, reasons | dict.fromkeys(roles, "role"), parts.train)
    used = used_kinds(kinds)
    # On small matrices BLAS threads cost more than they save.
    with threadpool_limits(1 if len(table) * len(used) < SMALL_CELLS else None):
        aim = _Asked(rule, stakes, aims.coverage, single, refit and aims.coverage is None, seed)
        return _study(table, whole, parts, kinds, used, aim, shown, budget, progress)


def _told_task(target: str, types: Mapping[str, str]) -> TargetTask | None:
    told: dict[str, TargetTask] = {"number": "regression", "category": "classification"}
    if target in types and types[target] not in told:
        raise UserError(f"--type {target}={types[target]}: the target is a number or a category")
    return told[types[target]] if target in types else None


class _Asked(NamedTuple):
    """What is asked of a study."""

    rule: RuleName
    stakes: Stakes | None
    coverage: float | None
    single: bool
    refit: bool
    seed: int


def _study(
    table: Table,
    target: Target,
    parts: Split,
    kinds: tuple[ColumnKind, ...],
    used: tuple[ColumnKind, ...],
    aim: _Asked,
    shown: GivenTable,
    budget: Budget,
    progress: Progress,
) -> Study:
    discover()
    train, y, seed = table.take(parts.train), target.y[parts.train], aim.seed
    rows = _sampled(len(y), seed)
    within = _folds_within(parts.folds, rows, len(y))
    field = entrants(used, target, train)
    prepare = partial(_matrices, used, field, train)
    trials, folds, interrupted = compare(
        prepare, y, within, field, target.classes, seed=seed, budget=budget, progress=progress
    )
    if not any(trial.complete for trial in trials[1:]):
        failures = [f"{trial.candidate.name}: {trial.failure or trial.stopped}" for trial in trials[1:]]
        raise UserError(f"no model could be fitted; look at the columns, or leave some out. {listed(failures, 3)}")
    blend = None if aim.single else blended(trials[1:], y, folds)
    trials = trials if blend is None else [*trials, blend]
    choice = choose(trials, folds, aim.rule)
    chosen = choice.trial.entrant
    progress(0, 2, f"fitting {choice.trial.candidate.name} on all {len(y)} training rows")
    with stopwatch() as fitting:
        fitted = _fit(used, chosen, train, y, seed)
    calibration = calibrated_by(choice.trial, y, folds, target.classes) if choice.learned else None
    progress(1, 2, "judging on the held-out rows")
    calibrator = calibration.calibrator if calibration else None
    judged = _with_parts(fitted, deployed(fitted[-1], y, calibrator, None))
    judgement = judge(judged, target, table, parts, seed)
    unseen = table.take(parts.test)
    sets = None
    if aim.coverage is not None:
        by_class = aim.stakes is not None and aim.stakes.priors is not None
        sets = calibrated_sets(judged[-1], judged[0].transform(unseen), judgement.y, aim.coverage, by_class=by_class)
    decisions, curve = _decided(judgement, y, aim.stakes)
    names = [kind.name for kind in used if choice.learned]
    shuffled = importances(judged, target, table, parts, names, seed, budget)
    by_name = {kind.name: kind for kind in used}
    telling = [by_name[importance.name] for importance in shuffled if importance.mean > importance.spread]
    answers = responses(judged, table, parts.test, telling, target.classes, target.name, seed, budget)
    curve_of_rows = (
        rows_curve(
            lambda some, labels: _fit(used, chosen, some, labels, seed),
            choice.trial, train, y, folds, target.classes, budget, seed,
        )
        if choice.learned
        else None
    )  # fmt: skip
    of_cases = unseen, target.rows[parts.test], [i.name for i in shuffled] or [k.name for k in used]
    # As long as the fit to the training rows, and a little longer.
    refit = aim.refit and predicted_seconds(fitting.seconds, len(y), len(target.y)) <= budget.left
    final, labels = (_fit(used, chosen, table, target.y, seed), target.y) if refit else (fitted, y)
    return Study(
        table=shown.table,
        source=shown.source,
        labels=labels_of(target, shown.own),
        target=target,
        split=parts,
        kinds=kinds,
        findings=_findings(table, target, parts, kinds, choice, judgement, decisions, interrupted, seed),
        trials=trials,
        choice=choice,
        model=_with_parts(final, deployed(final[-1], labels, calibrator, aim.stakes, sets and sets.sets)),
        judged=judged,
        refitted=refit,
        judgement=judgement,
        importances=shuffled,
        responses=answers,
        rows_curve=curve_of_rows,
        coefficients=coefficients(fitted, choice.trial.candidate),
        shares=own_shares(fitted, choice.trial.candidate),
        rules=rules_of(fitted, choice.trial.candidate),
        by_class=scores_by_class(judgement, target.classes),
        worst=worst_cases(judgement, *of_cases),
        unsure=unsure_cases(judgement, *of_cases),
        calibration=calibration,
        decisions=decisions,
        cost_curve=curve,
        sets=sets,
        facts=chosen.facts,
        n_compared=len(rows),
        seed=seed,
    )


def _findings(
    table: Table,
    target: Target,
    parts: Split,
    kinds: tuple[ColumnKind, ...],
    choice: Choice,
    judgement: Judgement,
    decisions: DecisionOutcome | None,
    interrupted: bool,
    seed: int,
) -> tuple[Finding, ...]:
    """All warnings, gravest first."""
    found = (
        *check_target(target),
        *check_columns(table.take(parts.train), kinds, target.y[parts.train], target.task, seed),
        *check_rows(table, kinds, parts.train, parts.test),
        *check_arrangement(table, kinds),
        *check_outcome(choice, judgement, target.task),
        *decision_findings(decisions),
        *([INTERRUPTED] if interrupted else []),
    )
    return tuple(sorted(found, key=lambda finding: GRAVITY.index(finding.level)))


def _with_parts(fitted: Pipeline, last: Deployed) -> Pipeline:
    """The fitted pipeline with another last step; the model itself where nothing stands around it."""
    around = (last.calibrator, last.costs, last.sets)
    return fitted if all(part is None for part in around) else Pipeline([("prepare", fitted[0]), ("model", last)])


def _decided(judgement: Judgement, y: Array, stakes: Stakes | None) -> tuple[DecisionOutcome | None, CostCurve | None]:
    if stakes is None:
        return None, None
    shares = effective_train_prior(y)
    given = judgement.y, judgement.forecast, stakes, shares
    return decision_outcome(*given), cost_curve(*given)


def _sampled(n: int, seed: int) -> Integers:
    return np.sort(np.random.default_rng(seed).permutation(n)[:MOST_ROWS_TO_COMPARE])


def _folds_within(
    folds: Sequence[tuple[Integers, Integers]], rows: Integers, n: int
) -> list[tuple[Integers, Integers]]:
    """The folds with only those rows that take part in the comparison."""
    taking_part = np.zeros(n, dtype=bool)
    taking_part[rows] = True
    return [(train[taking_part[train]], test[taking_part[test]]) for train, test in folds]


def entrants(used: tuple[ColumnKind, ...], target: Target, train: Table) -> list[Entrant]:
    """The baseline and every candidate that suits the matrix it would get, from simple to elaborate."""
    # Without categories one matrix serves all.
    codings: list[LevelCoding] = [*CODINGS] if any(kind.kind == "category" for kind in used) else ["columns"]
    forms = {coding: _facts(target, Preparer(used, coding).fit(train), len(train)) for coding in codings}
    found = [
        Entrant(candidate, facts, coding)
        for coding, facts in forms.items()
        for candidate in candidates(facts)
        if candidate.levels == coding or len(forms) == 1
    ]
    baseline = Entrant(BASELINE[target.task], forms["columns"], "columns")
    return [baseline, *sorted(found, key=lambda e: (e.candidate.complexity, e.candidate.name))]


def _matrices(
    used: tuple[ColumnKind, ...],
    field: Sequence[Entrant],
    table: Table,
    folds: Sequence[tuple[Integers, Integers]],
) -> Iterator[Matrices]:
    """For each fold the matrices that the models need, prepared from its training rows alone."""
    needed = dict.fromkeys(entrant.levels for entrant in field)
    for train, test in folds:
        rows, others = table.take(train), table.take(test)
        preparers = {levels: Preparer(used, levels).fit(rows) for levels in needed}
        yield {levels: (p.transform(rows), p.transform(others)) for levels, p in preparers.items()}


def _facts(target: Target, preparer: Preparer, n_rows: int) -> Facts:
    return Facts(
        task=target.task,
        n_rows=n_rows,
        n_features=preparer.n_features_out_,
        n_classes=len(target.classes),
        sparse=preparer.sparse_,
    )


def _fit(used: tuple[ColumnKind, ...], entrant: Entrant, train: Table, y: Array, seed: int) -> Pipeline:
    with warnings.catch_warnings():
        # The same warnings were recorded during the comparison and are in the report.
        warnings.simplefilter("ignore")
        return _unfitted(used, entrant, seed).fit(train, y)


def _unfitted(used: tuple[ColumnKind, ...], entrant: Entrant, seed: int) -> Pipeline:
    """Preparation and model; for a mean, the members' forecasts and their mean."""
    members = [_unfitted(used, member, seed) for member in entrant.members]
    first = MemberForecasts(used, members) if members else Preparer(used, entrant.levels)
    return Pipeline([("prepare", first), ("model", build(entrant.candidate, entrant.facts, seed))])
