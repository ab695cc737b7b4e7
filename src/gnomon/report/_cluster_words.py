"""What is said of a group: in which columns it differs, and by which rules it can be told.

    numbers      z = (mean of the group − mean of all rows) / standard deviation of all rows
    categories   z = (p − π) / √(π (1 − π)),  p and π the shares of a level in the group and in all rows             (1)

Tan, Steinbach & Kumar (2005), Introduction to Data Mining, chapter 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from gnomon._typing import Floats, Integers
from gnomon.cluster import ClusterRules, category_counts, cluster_profile, explain_clusters, feature_separation
from gnomon.io import Table
from gnomon.report._kinds import ColumnKind
from gnomon.report.of_columns import MISSING_LEVEL, words_of
from gnomon.report.prepare import RARE_LEVEL, Preparer
from gnomon.report.scores import rounded

__all__ = ["Profile", "Trait", "axis_words", "profile_of", "rules_in_words", "separation", "value_text"]

WORTH_SAYING = 0.5
MOST_TRAITS = 6
FAINT, MOST_FAINT = 0.25, 2
MOST_ON_AN_AXIS, LEAST_LOADING = 3, 0.5
FREQUENT, LEAST_SHARE = 0.5, 0.2


class Trait(NamedTuple):
    """One column in which a group differs from all rows: z of (1), a few words, and the numbers behind them."""

    column: str
    z: float
    title: str
    text: str


class Profile(NamedTuple):
    """Every column in every group.

    Fields
    ------
    columns : list of str
    z : ndarray of shape (k, n_columns)
        (1); of a category, that of its most unusual level.
    cells : list of k lists of str
        The mean of a number, the most frequent level of a category with its share.
    overall : list of str
        The same for all rows.
    traits : list of k lists of Trait
        What is worth saying, most unusual first.
    """

    columns: list[str]
    z: Floats
    cells: list[list[str]]
    overall: list[str]
    traits: list[list[Trait]]


def value_text(kind: ColumnKind, value: float) -> str:
    """A number, or a date, as a reader expects it."""
    if kind.kind == "date":
        return str(np.datetime64(round(value * 86_400), "s").astype("datetime64[D]"))
    text = rounded(value)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def in_units(preparer: Preparer, X: Floats) -> Floats:
    """The matrix in the units of the table."""
    center, scale = preparer.units()
    return X * scale + center


def profile_of(table: Table, preparer: Preparer, X: Floats, labels: Integers) -> Profile:
    """The profile of groups 0 … k − 1."""
    spans = list(preparer.spans())
    k = int(labels.max()) + 1
    numbers = [(kind, span.start) for kind, span, levels in spans if not levels]
    columns = [_numbers(numbers, in_units(preparer, X), labels)] if numbers else []
    columns += [_levels(table, kind, labels) for kind, _, levels in spans if levels]
    names = [name for part in columns for name in part.names]
    z = np.hstack([part.z for part in columns])
    cells = [[cell for part in columns for cell in part.cells[g]] for g in range(k)]
    overall = [cell for part in columns for cell in part.overall]
    traits = [_worth_saying([trait for part in columns for trait in part.traits[g]]) for g in range(k)]
    return Profile(names, z, cells, overall, traits)


class _Part(NamedTuple):
    """A profile of some columns, traits of little worth included."""

    names: list[str]
    z: Floats
    cells: list[list[str]]
    overall: list[str]
    traits: list[list[Trait]]


def _worth_saying(traits: Sequence[Trait]) -> list[Trait]:
    """The unusual traits; of a group without any, those that come nearest to it."""
    order = sorted(traits, key=lambda t: -abs(t.z))
    told = [trait for trait in order if abs(trait.z) >= WORTH_SAYING]
    return told[:MOST_TRAITS] or [trait for trait in order if abs(trait.z) >= FAINT][:MOST_FAINT]


def _numbers(kinds: Sequence[tuple[ColumnKind, int]], U: Floats, labels: Integers) -> _Part:
    V = U[:, [j for _, j in kinds]]
    found, means = cluster_profile(V, labels), V.mean(axis=0)
    overall = [value_text(kind, means[c]) for c, (kind, _) in enumerate(kinds)]
    cells = [[value_text(kind, row[c]) for c, (kind, _) in enumerate(kinds)] for row in found.center]
    z = found.standing.z
    traits = [
        [_number_trait(kind, z[g, c], cells[g][c], overall[c]) for c, (kind, _) in enumerate(kinds)]
        for g in range(len(cells))
    ]
    return _Part([kind.name for kind, _ in kinds], z, cells, overall, traits)


def _number_trait(kind: ColumnKind, z: float, mean: str, overall: str) -> Trait:
    high, low = ("late", "early") if kind.kind == "date" else ("high", "low")
    word = high if z > 0.0 else low
    word = word if abs(z) >= 1.0 else f"{'rather' if abs(z) >= WORTH_SAYING else 'slightly'} {word}"
    return Trait(
        kind.name, z, f"{word} {kind.name}", f"{kind.name} is {word}: {mean} on average, {overall} in all rows"
    )


def _levels(table: Table, kind: ColumnKind, labels: Integers) -> _Part:
    words = words_of(table[kind.name]).astype(object)
    (found,) = category_counts(words[:, None], labels)
    shares, pi = found.shares, found.counts.sum(axis=0) / found.counts.sum()
    z = (shares - pi) / np.sqrt(np.maximum(pi * (1.0 - pi), np.finfo(float).tiny))
    common = int(np.argmax(pi))
    most = [found.dominant(g) for g in range(len(shares))]
    cells = [[f"{level} {share:.0%}"] for level, share in most]
    overall = [f"{found.categories[common]} {pi[common]:.0%}"]
    # A level of few rows of a group describes none of them.
    z = np.where(shares >= LEAST_SHARE, z, 0.0)
    best = np.argmax(z, axis=1)
    traits = [
        [_level_trait(kind.name, str(found.categories[c]), z[g, c], shares[g, c], pi[c])] for g, c in enumerate(best)
    ]
    strongest = z[np.arange(len(z)), best][:, None]
    return _Part([kind.name], strongest, cells, overall, traits)


def _level_trait(name: str, level: str, z: float, share: float, pi: float) -> Trait:
    often = "mostly" if share >= FREQUENT else "often"
    value = level.strip("()") if level == MISSING_LEVEL else level
    text = f"{name} is {often} {value}: {share:.0%} of its rows, {pi:.0%} of all"
    return Trait(name, z, f"{name} {often} {value}", text)


def axis_words(preparer: Preparer, direction: Floats) -> str:
    """The columns that a direction is made of, the heaviest first."""
    names, heaviest = preparer.get_feature_names_out(), np.argsort(-np.abs(direction), kind="stable")[:MOST_ON_AN_AXIS]
    told = [j for j in heaviest if abs(direction[j]) >= LEAST_LOADING * abs(direction[heaviest[0]])]
    return ", ".join(f"{'more' if direction[j] > 0.0 else 'less'} {names[j]}" for j in told)


def separation(preparer: Preparer, X: Floats, labels: Integers) -> list[tuple[str, float]]:
    """The share of each column's variance that lies between groups, largest first."""
    shares, spread = feature_separation(X, labels).eta_squared, X.var(axis=0)
    found = [
        (kind.name, float(shares[span] @ spread[span] / max(spread[span].sum(), np.finfo(float).tiny)))
        for kind, span, _ in preparer.spans()
    ]
    return sorted(found, key=lambda item: -item[1])


def rules_in_words(preparer: Preparer, X: Floats, labels: Integers, seed: int) -> ClusterRules:
    """The branches of a small tree that tells the groups, in the words and units of the table."""
    tests = [(kind, level) for kind, _, levels in preparer.spans() for level in levels or [""]]

    def words(j: int, side: str, threshold: float) -> str:
        kind, level = tests[j]
        if not level:
            return f"{kind.name} {'≤' if side == '<=' else '>'} {value_text(kind, threshold)}"
        known = {MISSING_LEVEL: "missing", RARE_LEVEL: "a rare level"}
        return f"{kind.name} is {'not ' if side == '<=' else ''}{known.get(level, level)}"

    k = int(labels.max()) + 1
    tree = DecisionTreeClassifier(max_depth=max(3, ceil(log2(k)) + 1), min_samples_leaf=2, random_state=seed)
    return explain_clusters(in_units(preparer, X), labels + 1, tree, words=words, random_state=seed)
