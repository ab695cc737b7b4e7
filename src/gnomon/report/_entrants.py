"""From the models that families offer to pipelines: which of them suit a table, the matrices they get, their fits."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from sklearn.pipeline import Pipeline

from gnomon._registry import Facts, LevelCoding, candidates
from gnomon._typing import Array
from gnomon.io import Table
from gnomon.io.tables import to_text
from gnomon.report._blend import MemberForecasts
from gnomon.report._kinds import ColumnKind
from gnomon.report._target import Target
from gnomon.report._trials import BASELINE, Entrant, Folds, Matrices, build
from gnomon.report.prepare import CODINGS, Preparer

__all__ = ["entrants", "fit_entrant", "matrices"]

LEVELS_FOR_MEANS = 50
"""Of a category: with fewer, a coefficient for each level is learned well."""


def entrants(used: tuple[ColumnKind, ...], target: Target, train: Table, y: Array) -> list[Entrant]:
    """The baseline and every candidate that suits the matrix it would get, from simple to elaborate.

    `y` are the targets of the training rows.
    """
    codings = _codings(used, train)
    forms = {coding: _facts(target, Preparer(used, coding).fit(train, y), len(train)) for coding in codings}
    found = [
        Entrant(candidate, facts, coding)
        for coding, facts in forms.items()
        for candidate in candidates(facts)
        if candidate.levels == coding or (len(forms) == 1 and candidate.levels != "means")
    ]
    baseline = Entrant(BASELINE[target.task], forms["columns"], "columns")
    return [baseline, *sorted(found, key=lambda e: (e.candidate.complexity, e.candidate.name))]


def _codings(used: Sequence[ColumnKind], train: Table) -> list[LevelCoding]:
    """The ways to show categories that differ here: without categories and texts one matrix serves all."""
    if not any(kind.kind in ("category", "text") for kind in used):
        return ["columns"]
    most = max((len(set(to_text(train[kind.name]).tolist())) for kind in used if kind.kind == "category"), default=0)
    return [coding for coding in CODINGS if coding != "means" or most >= LEVELS_FOR_MEANS]


def _facts(target: Target, preparer: Preparer, n_rows: int) -> Facts:
    return Facts(
        task=target.task,
        n_rows=n_rows,
        n_features=preparer.n_features_out_,
        n_classes=len(target.classes),
        sparse=preparer.sparse_,
    )


def matrices(
    used: tuple[ColumnKind, ...], field: Sequence[Entrant], table: Table, y: Array, folds: Folds
) -> Iterator[Matrices]:
    """For each fold the matrices that the models need, prepared from its training rows alone."""
    needed = dict.fromkeys(entrant.levels for entrant in field)
    for train, test in folds:
        rows, others = table.take(train), table.take(test)
        preparers = {levels: Preparer(used, levels) for levels in needed}
        yield {levels: (p.fit_transform(rows, y[train]), p.transform(others)) for levels, p in preparers.items()}


def fit_entrant(used: tuple[ColumnKind, ...], entrant: Entrant, train: Table, y: Array, seed: int) -> Pipeline:
    """The pipeline of an entrant, fitted to a table."""
    with warnings.catch_warnings():
        # The same warnings were recorded during the comparison and are in the report.
        warnings.simplefilter("ignore")
        return _unfitted(used, entrant, seed).fit(train, y)


def _unfitted(used: tuple[ColumnKind, ...], entrant: Entrant, seed: int) -> Pipeline:
    """Preparation and model; for a mean, the members' forecasts and their mean."""
    members = [_unfitted(used, member, seed) for member in entrant.members]
    first = MemberForecasts(used, members) if members else Preparer(used, entrant.levels)
    return Pipeline([("prepare", first), ("model", build(entrant.candidate, entrant.facts, seed))])
