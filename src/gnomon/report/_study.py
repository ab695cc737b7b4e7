"""One study of one table.

1  read the target, find the task            4  compare every registered model that suits, with a baseline
2  hold out a fifth                          5  choose by a rule of `gnomon.report._choice`
3  find the kinds of the other columns       6  refit on the rest, calibrate, judge once on the held-out rows
                                             7  decide by costs; sets or intervals of a given coverage

Steps 1 to 3 are in `gnomon.report._question`, the others in `gnomon.report._stages`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gnomon._registry import discover
from gnomon._typing import ArrayLike
from gnomon._words import RuleName, TargetTask
from gnomon.io import UserError
from gnomon.numerics.validation import check_integer
from gnomon.report._advice import check_arrangement
from gnomon.report._budget import Budget
from gnomon.report._checks import (
    check_columns,
    check_later_classes,
    check_names,
    check_outcome,
    check_rows,
    check_target,
)
from gnomon.report._choice import check_rule
from gnomon.report._decisions import decision_findings
from gnomon.report._drift import drift_findings
from gnomon.report._findings import GRAVITY, Finding
from gnomon.report._judge import MOST_COLUMNS_TO_PERMUTE
from gnomon.report._progress import Progress, silent, suited_threads
from gnomon.report._question import ColumnWishes, TableQuestion, Wishes, question
from gnomon.report._scales import scale_findings
from gnomon.report._stages import (
    Compared,
    Explained,
    Finished,
    Judged,
    compare_models,
    explain_model,
    finish_model,
    judge_model,
)
from gnomon.report._study_record import Study
from gnomon.report.aims import Aims
from gnomon.report.ending import reading_within
from gnomon.report.origin import Rows, asked, labels_of
from gnomon.report.words import capitalized

__all__ = ["learn"]

NO_AIMS = Aims()


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
    metric: str | None = None,
    aims: Aims = NO_AIMS,
    time_limit: float | None = None,
    single: bool = False,
    search: bool = False,
    refit: bool = True,
    seed: int = 0,
    progress: Progress = silent,
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
    metric : str, optional
        The score that chooses, and that the report begins with: the name of a scorer of scikit-learn, with or without
        "neg_"; "eer", "pr_area", "error_rate", "fnr", "fpr", "tnr", "calibration_error" of `gnomon.evaluation`; "cllr",
        "min_cllr" of `gnomon.decision`; or "cost", what decisions by the costs of `aims` cost. By default the log loss,
        or the RMSE.
    aims : Aims, optional
        Costs, another prior, a coverage: what the forecasts are for.
    time_limit : float, optional
        Seconds. Where they do not suffice, models that a first look or some folds put behind are stopped, and the study
        says which; without a limit all are compared in all folds. A fit that takes too long is ended in the main thread
        of a system with timers; elsewhere it goes on to its end.
    single : bool, default=False
        Whether a mean of several models is out of the question.
    search : bool, default=False
        Whether the best few models are tuned, by Bayesian optimisation in the same folds: thirty settings each, or as
        many as there is time for. A fold is judged by what the others choose.
    refit : bool, default=True
        Whether `Study.model` is fitted anew to all rows once `Study.judged` has been judged on the held-out ones, if
        there is time. With a coverage it is not, for these rows calibrate its sets.
    seed : int, default=0
        Of every random choice; from 0 to 2³¹.
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
    check_integer("seed", seed, 0, 2**31)
    if not isinstance(aims, Aims):
        raise UserError(f"aims={aims!r} must be a gnomon.report.Aims, such as Aims(coverage=0.9)")
    budget = Budget(time_limit, search=search)
    wishes = Wishes(check_rule(rule), metric, aims, single, search, refit, seed)
    columns = ColumnWishes(group, time, drop, keep, types or {})
    with reading_within(time_limit):
        found = question(asked(data, target, reading), task, columns, wishes, budget, progress)
    with suited_threads(len(found.table), len(found.used)):
        return _study(found)


def _study(asked: TableQuestion) -> Study:
    """Steps 4 to 7."""
    discover()
    compared = compare_models(asked)
    judged = judge_model(asked, compared)
    explained = explain_model(asked, compared, judged)
    finished = finish_model(asked, judged)
    findings = [
        *_checked(asked, judged),
        *scale_findings(compared.scaled, judged.choice.trial, asked.target.name),
        *drift_findings(explained.drift),
        *_unasked(asked, judged),
        *_ended(compared, judged, explained, finished),
        *_missed(asked.budget),
    ]
    fields = explained._asdict()
    del fields["ended"]
    return Study(
        table=asked.shown.table,
        source=asked.shown.source,
        labels=labels_of(asked.target, asked.shown.own),
        target=asked.target,
        split=asked.split,
        scores=asked.scores,
        kinds=asked.kinds,
        findings=tuple(sorted(findings, key=lambda finding: GRAVITY.index(finding.level))),
        trials=compared.trials,
        choice=judged.choice,
        model=finished.model,
        judged=judged.model,
        refitted=finished.refitted,
        judgement=judged.judgement,
        calibration=judged.calibration,
        threshold=judged.threshold,
        decisions=judged.decisions,
        cost_curve=judged.cost_curve,
        sets=judged.sets,
        facts=judged.choice.trial.entrant.facts,
        n_compared=len(asked.compared),
        seed=asked.wishes.seed,
        **fields,
    )


def _checked(asked: TableQuestion, judged: Judged) -> Iterator[Finding]:
    """All warnings about rows, columns and outcome."""
    target, table, parts, kinds = asked.target, asked.table, asked.split, asked.kinds
    yield from check_target(target)
    yield from check_later_classes(target, parts.train)
    yield from check_names(asked.shown.table)
    yield from check_columns(asked.train, kinds, asked.y, target.task, asked.wishes.seed)
    yield from check_rows(table, kinds, parts)
    yield from check_arrangement(table, kinds, target.y)
    yield from check_outcome(judged.choice, judged.judgement, asked.scores[0])
    yield from decision_findings(judged.decisions)


def _unasked(asked: TableQuestion, judged: Judged) -> Iterator[Finding]:
    """What single columns are worth, where they are too many."""
    if judged.choice.learned and len(asked.used) > MOST_COLUMNS_TO_PERMUTE:
        why = f"that is done for up to {MOST_COLUMNS_TO_PERMUTE} columns"
        yield Finding("note", "Importances left out", f"What single columns are worth was not measured: {why}.")


def _missed(budget: Budget) -> Iterator[Finding]:
    """What there was no time for; models have reasons of their own."""
    if budget.missed:
        text = f"There was no time for: {'; '.join(budget.missed)}. A longer --time-limit gives more."
        yield Finding("note", "Left out", text)


def _ended(*stages: Compared | Judged | Explained | Finished) -> Iterator[Finding]:
    """What the user has ended."""
    for stage in stages:
        if stage.ended:
            yield Finding("note", "Interrupted", f"{capitalized(stage.ended)}; what had been found by then was used.")
