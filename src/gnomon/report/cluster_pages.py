"""The outcome of a search for groups: as a page, as plain values, in one sentence, and as labels beside the rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

import gnomon
from gnomon._typing import Array
from gnomon._words import CLUSTER
from gnomon.io import Table
from gnomon.io.tables import to_text
from gnomon.report._cluster_methods import METHODS
from gnomon.report._cluster_pictures import picture_of_column, picture_of_map, pictures_of_number
from gnomon.report._cluster_stability import stability_words
from gnomon.report._cluster_words import value_text
from gnomon.report._clusters import ClusterStudy
from gnomon.report._kinds import ColumnKind
from gnomon.report.pages import package_versions, plain, templates, warnings_as_words

__all__ = ["cluster_page", "cluster_reason", "cluster_summary", "cluster_verdict", "group_titles", "labelled_columns"]

MOST_COLUMNS_SHOWN, MOST_CELLS_SHOWN = 40, 6
MOST_BOXES, MOST_GROUPS_IN_A_TABLE = 6, 12
LONGEST_CELL = 28
MOST_ODD_ROWS = 10
STRONG = 2.0
TITLE_TRAITS = 2


def cluster_page(
    study: ClusterStudy,
    table: Table,
    *,
    source: str = "a table",
    digest: str = "",
    model_file: str = "model.skops",
    labels_file: str = "groups.csv",
    command: str = "",
) -> str:
    """The report of a `ClusterStudy` as one HTML page that needs nothing outside itself.

    Parameters
    ----------
    study : ClusterStudy
    table : Table
        The table that was studied.
    source, digest : str
        Name of the data file and the hash of its content.
    model_file, labels_file : str
    command : str
        The command line that was run.

    Returns
    -------
    str

    Examples
    --------
    >>> from gnomon.datasets import make_customers
    >>> from gnomon.io import Table
    >>> from gnomon.report import cluster_page, find_clusters
    >>> customers = make_customers(random_state=0)
    >>> table = Table(dict(zip(customers.feature_names, customers.data.T)))
    >>> html = cluster_page(find_clusters(table, n_clusters=4), table)
    >>> html.startswith("<!doctype html>"), "http" in html
    (True, False)
    """
    return templates.get_template("cluster.html.j2").render(
        study=study,
        source=source,
        digest=digest,
        model_file=model_file,
        labels_file=labels_file,
        command=command,
        n_rows=len(table),
        way=METHODS[study.method],
        verdict=cluster_verdict(study),
        why=cluster_reason(study),
        tiles=_tiles(study),
        groups=_cards(study, table),
        profile=_profile_rows(study),
        wide_profile=len(study.groups) > MOST_GROUPS_IN_A_TABLE,
        n_columns=len(study.profile.columns),
        shown=_shown(study),
        odd=_odd_rows(study, table),
        rules=_rules(study),
        pictures=_pictures(study, table),
        versions=package_versions(),
        when=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )


def cluster_summary(study: ClusterStudy) -> dict[str, Any]:
    """The outcome of a `ClusterStudy` as plain values that JSON can hold.

    Examples
    --------
    >>> from gnomon.datasets import make_customers
    >>> from gnomon.report import cluster_summary, find_clusters
    >>> customers = make_customers(random_state=0)
    >>> found = cluster_summary(find_clusters(dict(zip(customers.feature_names, customers.data.T))))
    >>> found["found"], [group["rows"] for group in found["groups"]]
    (True, [101, 100, 100, 99])
    """
    return {
        "gnomon": gnomon.__version__,
        "target": None,
        "task": CLUSTER,
        "method": study.method,
        "found": found_groups(study),
        "asked": study.asked,
        "n_groups": len(study.groups),
        "rows": {"all": len(study.labels), "fitted": study.n_fitted},
        "columns": {kind.name: kind.reason or kind.kind for kind in study.kinds},
        "groups": [
            {
                "group": group.number,
                "rows": group.size,
                "traits": [trait.text for trait in study.profile.traits[group.number - 1]],
                "typical_row": group.typical + 1,
                "silhouette": plain(group.silhouette),
                "stability": plain(group.stability),
            }
            for group in study.groups
        ],
        "asked_of_the_table": study.number and {
            answer.question.method: {"k": answer.k, "verdict": answer.verdict, "reason": answer.reason}
            for answer in study.number.answers
        },
        "separation": {name: plain(share) for name, share in study.separation[:MOST_COLUMNS_SHOWN]},
        "rules": study.rules and {str(label): rules for label, rules in study.rules.rules.items()},
        "fidelity_of_rules": study.rules and plain(study.rules.fidelity),
        "oddest_rows": [int(row) + 1 for row in _oddest(study)],
        "warnings": warnings_as_words(study.findings),
        "seed": study.seed,
    }  # fmt: skip


def found_groups(study: ClusterStudy) -> bool:
    """Whether the table itself shows groups."""
    return study.number is not None and study.number.k > 1


def cluster_verdict(study: ClusterStudy) -> str:
    """The outcome in one sentence."""
    n, k = len(study.labels), len(study.groups)
    sizes = _enumerated([str(group.size) for group in study.groups])
    if k == 1:
        return f"No groups were found among the {n} rows."
    if study.asked:
        return f"{n} rows in {k} groups, as asked for: {sizes} rows."
    return f"The {n} rows form {k} groups of {sizes} rows."


def group_titles(study: ClusterStudy) -> list[str]:
    """What is most unusual about each group, in a few words."""
    told = [", ".join(trait.title for trait in traits[:TITLE_TRAITS]) for traits in study.profile.traits]
    return [title or "near the average of every column" for title in told]


def labelled_columns(study: ClusterStudy, table: Table) -> list[tuple[str, list[Any]]]:
    """The table as it was read, with the group and the oddness of every row at the end."""
    own = [(name, to_text(table[name]).tolist()) for name in table.names]
    added = {"group": study.labels.tolist(), "oddness": [float(f"{value:.6g}") for value in study.oddness]}
    return own + [(f"{name} (gnomon)" if name in table.columns else name, values) for name, values in added.items()]


def cluster_reason(study: ClusterStudy) -> str:
    """What decided the number, for the line below the verdict."""
    if study.number is None:
        return ""
    if len(study.groups) == 1:
        advice = study.number.advice or "--clusters 2 would cut them in two"
        return f"{_sentence(study.number.why)} {_sentence(advice)} Such a cut is a choice, and no finding."
    if study.asked:
        return _sentence(study.number.why) if study.number.k == study.asked else ""
    return " ".join(map(_sentence, filter(None, (study.number.why, study.number.advice))))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _enumerated(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def _tiles(study: ClusterStudy) -> list[tuple[str, str, str]]:
    k = len(study.groups)
    if k == 1:
        return []
    sizes = np.array([group.size for group in study.groups])
    silhouettes = np.array([group.silhouette for group in study.groups])
    stability = [group.stability for group in study.groups]
    told = [
        ("groups", str(k), "as asked for" if study.asked else "as the table shows"),
        ("silhouette", f"{np.nansum(sizes * silhouettes) / sizes.sum():.2f}", "1 far apart, 0 side by side"),
        ("least stable group", f"{np.nanmin(stability):.2f}", "1 if half of the rows always find it again"),
    ]
    if study.rules:
        told.append(("told by simple rules", f"{study.rules.fidelity:.0%}", "of the rows"))
    return told


def _shown(study: ClusterStudy) -> list[str]:
    """Columns that tell a reader which row is which, and then those that separate the groups most."""
    names = [kind.name for kind in study.kinds if kind.reason == "identifier"][:1]
    best = [name for name, _ in study.separation] or study.profile.columns
    return [*names, *best[:MOST_CELLS_SHOWN]]


def _cells(study: ClusterStudy, table: Table, row: int) -> list[tuple[str, str]]:
    numbers = {kind.name: kind for kind in study.kinds if kind.kind == "number"}
    cells = [(name, table[name][row : row + 1]) for name in _shown(study)]
    return [(name, _number(numbers[name], cell) if name in numbers else _word(cell)) for name, cell in cells]


def _number(kind: ColumnKind, cell: Array) -> str:
    """Without more digits than a reader can use."""
    value = float(kind.read(cell)[0])
    return "" if np.isnan(value) else value_text(kind, value)


def _word(cell: Array) -> str:
    return str(to_text(cell)[0])[:LONGEST_CELL]


def _cards(study: ClusterStudy, table: Table) -> list[dict[str, Any]]:
    """What the page says of each group."""
    titles = group_titles(study)
    return [
        {
            "group": group,
            "title": titles[place],
            "traits": study.profile.traits[place],
            "stability": stability_words(group.stability),
            "typical": _cells(study, table, group.typical),
            "color": (group.number - 1) % 8 + 1,
        }
        for place, group in enumerate(study.groups)
    ]


def _profile_rows(study: ClusterStudy) -> list[dict[str, Any]]:
    """Columns in the order in which they separate the groups."""
    place = {name: j for j, name in enumerate(study.profile.columns)}
    shares = dict(study.separation)
    order = [place[name] for name in shares] or range(len(place))
    return [
        {
            "name": study.profile.columns[j],
            "overall": study.profile.overall[j],
            "share": shares.get(study.profile.columns[j], float("nan")),
            "cells": [_shade(study.profile.cells[g][j], study.profile.z[g, j]) for g in range(len(study.groups))],
        }
        for j in list(order)[:MOST_COLUMNS_SHOWN]
    ]


def _shade(text: str, z: float) -> tuple[str, str, int]:
    """A cell, the side of the mean that it is on, and how strong its colour is, in per cent."""
    return text[:LONGEST_CELL], "above" if z > 0.0 else "below", round(55 * min(abs(z) / STRONG, 1.0))


def _oddest(study: ClusterStudy) -> list[int]:
    return np.argsort(-study.oddness, kind="stable")[:MOST_ODD_ROWS].tolist()


def _odd_rows(study: ClusterStudy, table: Table) -> list[tuple[int, int, float, list[tuple[str, str]]]]:
    return [
        (row + 1, int(study.labels[row]), float(study.oddness[row]), _cells(study, table, row))
        for row in _oddest(study)
    ]


def _rules(study: ClusterStudy) -> list[tuple[int, list[str]]]:
    if study.rules is None:
        return []
    return [(int(label), rules) for label, rules in study.rules.rules.items()]


def _pictures(study: ClusterStudy, table: Table) -> dict[str, Any]:
    numbers = {kind.name: kind for kind in study.kinds if kind.kind == "number"}
    best = [name for name, _ in study.separation if name in numbers][:MOST_BOXES]
    return {
        "map": picture_of_map(study.map, study.labels, study.map_shares),
        "number": pictures_of_number(study.number) if study.number else [],
        "columns": [
            picture_of_column(name, numbers[name].read(table[name]), study.labels, place)
            for place, name in enumerate(best)
        ],
    }
