"""Warnings about the data: leakage, imbalance, uninformative columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.stats import spearmanr
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from gnomon._typing import Array, Floats, Integers
from gnomon._words import TargetTask
from gnomon.base.imbalance import RARE
from gnomon.io import Table
from gnomon.io.tables import as_float, is_missing, listed, to_text
from gnomon.report._advice import is_called_identifier, repeats
from gnomon.report._choice import Choice
from gnomon.report._findings import Finding
from gnomon.report._judge import Judgement
from gnomon.report._kinds import ColumnKind
from gnomon.report._splits import Split
from gnomon.report._stand_ins import check_stand_ins
from gnomon.report._target import Target
from gnomon.report.reading import reading_remarks
from gnomon.report.scores import Score, percent, rounded

__all__ = [
    "check_columns",
    "check_gaps",
    "check_later_classes",
    "check_names",
    "check_outcome",
    "check_rows",
    "check_target",
    "copies_of",
    "most_alone",
]

LEAK_SCORE = 0.99
LEAK_ROWS = 2_000
MOSTLY_MISSING = 0.5
MANY_LEVELS = 100
FEW_ROWS = 200
CAPPED_SHARE = 0.02
MANY_VALUES = 50
SHARED_ROWS = 0.01
FEW_TWINS = 2
MOST_LEAVES, LEAST_ROWS = 64, 3


def copies_of(table: Table, target_name: str, names: Iterable[str]) -> list[str]:
    """Those of the columns that equal the target in every row."""
    truth = to_text(table[target_name])
    return [name for name in names if (to_text(table[name]) == truth).all()]


def check_target(target: Target) -> list[Finding]:
    """Findings about the target: missing values, rare classes, imbalance, few rows."""
    found = []
    if target.n_missing:
        text = f"{target.n_missing} of {target.n_rows} rows have no {target.name}; they were left out."
        found.append(Finding("note", "Rows without a target", text))
    if target.rare:
        left = target.n_rows - target.n_missing - len(target.y)
        text = f"Too few rows to learn and to judge: {listed(target.rare)}. Their {left} rows were left out."
        found.append(Finding("warning", "Rare classes left out", text))
    found += {"classification": _imbalance, "regression": _caps}[target.task](target.y)
    if len(target.y) < FEW_ROWS:
        text = f"With {len(target.y)} rows all scores are uncertain; read the intervals, not the points."
        found.append(Finding("warning", "Few rows", text))
    return found


def _imbalance(y: Array) -> list[Finding]:
    classes, counts = np.unique(y, return_counts=True)
    share = counts.min() / counts.sum()
    if share >= min(RARE, 0.5 / len(classes)):
        return []
    text = (
        f"Only {percent(share)} of the rows are {classes[counts.argmin()]}. Accuracy flatters here: read log loss, "
        "precision and recall, and say what mistakes cost (--costs, --fn-cost, --fp-cost): decisions then weigh them."
    )
    return [Finding("warning", "Imbalanced classes", text)]


def _caps(y: Floats) -> list[Finding]:
    values, counts = np.unique(y, return_counts=True)
    ends = [(values[k], counts[k] / len(y)) for k in (0, -1)]
    capped = [f"{value:g} ({share:.1%} of the rows)" for value, share in ends if share > CAPPED_SHARE]
    if not capped or len(values) < MANY_VALUES:
        return []
    text = f"Many rows share an extreme value, as if it were a limit: {listed(capped)}. Errors there mean little."
    return [Finding("warning", "Capped target", text)]


def check_columns(table: Table, kinds: Sequence[ColumnKind], y: Array, task: TargetTask, seed: int) -> list[Finding]:
    """Findings about the columns of the training rows."""
    found = [*reading_remarks(kinds)]
    used = [kind for kind in kinds if kind.kind != "unused"]
    found += _leaks(table, used, y, task, seed)
    found += check_gaps(table, used)
    found += check_stand_ins(table, used)
    return found


def _leaks(table: Table, used: Sequence[ColumnKind], y: Array, task: TargetTask, seed: int) -> list[Finding]:
    rows = np.random.default_rng(seed).permutation(len(y))[:LEAK_ROWS]
    truth = y[rows] if task == "classification" else _in_own_units(y[rows])
    scored = [(kind, _alone(kind, table[kind.name][rows], truth, task)) for kind in used]
    suspects = [(kind, f"{kind.name} ({score:.3f})") for kind, score in scored if score >= LEAK_SCORE]
    grouping = {kind.name for kind, _ in suspects if _groups_rows(kind, table[kind.name], y, task)}
    found = []
    measure = "accuracy" if task == "classification" else "R²"
    start = f"Alone, these columns predict the target almost perfectly ({measure} of a small tree): "
    if leaks := [text for kind, text in suspects if kind.name not in grouping]:
        advice = "Ask whether they are known before the target is; if not, leave them out with --drop NAME."
        found.append(Finding("grave", "Possible leakage", f"{start}{listed(leaks)}. {advice}"))
    if groups := [text for kind, text in suspects if kind.name in grouping]:
        advice = (
            "Their values repeat, and rows that share one share the target. If such rows belong together (one person, "
            "machine or place), give --group NAME. --drop NAME is not enough then: the other columns can still tell "
            "whose rows they are, and rows of one are on both sides of the split."
        )
        found.append(Finding("grave", "Leakage between rows of a group", f"{start}{listed(groups)}. {advice}"))
    return found


def _in_own_units(y: Floats) -> Floats:
    """Numbers about zero, the largest 1: a tree takes a spread below the rounding of 1 for none, whatever the unit."""
    centred = y - np.mean(y)
    return centred / (float(np.max(np.abs(centred))) or 1.0)


def _groups_rows(kind: ColumnKind, values: Array, y: Array, task: TargetTask) -> bool:
    """Whether a column that tells the target does so as a name of groups, not as a measurement or a recoding."""
    if not repeats(kind, values):
        return False
    if kind.kind == "category" or is_called_identifier(kind.name):
        return len(set(to_text(values).tolist())) > len(np.unique(y)) or task == "regression"
    numbers = as_float(values)
    there = ~np.isnan(numbers)
    if task == "regression":
        return bool(abs(spearmanr(numbers[there], y[there]).statistic) < LEAK_SCORE)
    few = DecisionTreeClassifier(max_leaf_nodes=2 * len(np.unique(y)), random_state=0)
    return float(np.mean(cross_val_score(few, numbers[there, None], y[there], cv=3))) < LEAK_SCORE


def _alone(kind: ColumnKind, values: Array, y: Array, task: TargetTask) -> float:
    """How well one column predicts the target, by a small tree in three folds; 0 where guessing is as good."""
    if kind.kind in ("text", "clock"):
        return 0.0
    code = _CODES[kind.kind](values, kind)
    if task == "classification":
        counts = np.unique(y, return_counts=True)[1]
        if counts.min() < 3 or counts.max() / len(y) > LEAK_SCORE - 0.02:
            return 0.0
    if most_alone(code, y, task) < LEAK_SCORE:
        return 0.0  # no tree is needed to know; in a wide table almost every column ends here
    tree = {"classification": DecisionTreeClassifier, "regression": DecisionTreeRegressor}[task](
        max_leaf_nodes=MOST_LEAVES, min_samples_leaf=LEAST_ROWS, random_state=0
    )
    if tree.fit(code[:, None], y).score(code[:, None], y) < LEAK_SCORE:
        return 0.0  # what does not fit the rows it has seen will not predict others; most columns end here
    return float(np.mean(cross_val_score(tree, code[:, None], y, cv=3)))


def most_alone(code: Floats, y: Array, task: TargetTask) -> float:
    """An upper bound on the score, on the rows it has seen, of any tree on one column.

    A leaf is a run of rows in the order of the column. Its errors are at least half the changes of class in it, its
    squares at least Σ(yᵢ − yᵢ₊₁)²/4 (the Laplacian of a line of rows is at most 4); between L leaves are L − 1 steps.
    """
    there = ~np.isnan(code)
    v = y[there][np.argsort(code[there], kind="stable")]
    within = max(len(v) - min(MOST_LEAVES, len(y) // LEAST_ROWS), 0)
    if task == "classification":
        return 1.0 - 0.5 * float(np.sort(v[1:] != v[:-1])[:within].sum()) / len(y)
    squares = float(np.sum((y - y.mean()) ** 2))
    return 1.0 - 0.25 * float(np.sort(np.diff(v) ** 2)[:within].sum()) / squares if squares > 0.0 else 1.0


_CODES = {
    "number": lambda values, kind: _ranks(kind.read(values)),
    "date": lambda values, kind: _ranks(as_float(kind.read(values))),
    "category": lambda values, kind: np.unique(to_text(values), return_inverse=True)[1].astype(float),
}


def _ranks(numbers: Floats) -> Floats:
    """The place of each number in order: all that a tree sees, and single precision holds it."""
    places = np.unique(numbers, return_inverse=True)[1].astype(float)
    return np.where(np.isnan(numbers), np.nan, places)


def check_gaps(table: Table, used: Sequence[ColumnKind]) -> list[Finding]:
    """Findings about columns that are mostly missing, or have very many levels."""
    found = []
    gaps = [f"{k.name} ({g:.0%})" for k in used if (g := is_missing(table[k.name]).mean()) > MOSTLY_MISSING]
    if gaps:
        text = f"More than half of the cells are missing: {listed(gaps)}. They are filled by the median or a level."
        found.append(Finding("warning", "Mostly missing columns", text))
    levels = [(k.name, len(set(table[k.name].tolist()))) for k in used if k.kind == "category"]
    many = [f"{name} ({n})" for name, n in levels if n > MANY_LEVELS]
    if many:
        text = f"Categories with very many levels: {listed(many)}. Levels of one row share a name."
        found.append(Finding("note", "Many categories", text))
    return found


def check_names(table: Table) -> list[Finding]:
    """A finding where the names of columns may be meant for the fields before them."""
    if not table.has_row_names:
        return []
    text = (
        f"The first line has one name fewer than the other lines have fields, as R writes names of rows: so the first "
        f"column is called {table.names[0]}, and the second {table.names[1]}. If {table.names[1]} is the name of the "
        "first column, add the missing name at the end of the first line."
    )
    return [Finding("note", "Names of rows", text)]


def check_rows(table: Table, kinds: Sequence[ColumnKind], parts: Split) -> list[Finding]:
    """A finding when held-out rows have an exact twin, in all used columns, among the training rows."""
    train, test = parts.train, parts.test
    columns = [to_text(table[kind.name]).tolist() for kind in kinds if kind.kind != "unused"]
    rows = list(zip(*columns, strict=True))
    known = {rows[i] for i in train}
    twins = sum(rows[i] in known for i in test)
    if twins <= max(FEW_TWINS, SHARED_ROWS * len(test)):
        return []
    group = " or give --group" if parts.groups is None else ", for --group does not hold them together"
    text = (
        f"{twins} of {len(test)} held-out rows have an exact twin among the training rows. If twins are the same case "
        f"recorded twice, remove them{group}; otherwise the scores are too good."
    )
    return [Finding("warning", "Repeated rows", text)]


def check_later_classes(target: Target, train: Integers) -> list[Finding]:
    """A finding where later rows hold classes that no training row has."""
    strange = np.setdiff1d(target.classes, target.y[train]).tolist()
    if not strange:
        return []
    text = (
        f"Only held-out rows are of {listed(strange)}: the model that they judge cannot name what it has never seen, "
        "and its scores suffer. More rows of other times would help."
    )
    return [Finding("warning", "Classes of later rows alone", text)]


def check_outcome(choice: Choice, judgement: Judgement, score: Score) -> list[Finding]:
    """Findings about the result: nothing learned, no better than the baseline, worse than in cross-validation."""
    if not choice.learned:
        text = f"{choice.why.capitalize()}. The model file holds the baseline; do not expect it to be useful."
        return [Finding("grave", "Nothing was learned", text)]
    found = []
    name, sign = score.name, score.sign
    expected, error = choice.trial.mean(name), choice.trial.errors[name]
    low, high = judgement.intervals[name]
    # The ends as losses: which of them is the better one depends on the score.
    best, worst = sorted((sign * low, sign * high))
    if worst >= sign * judgement.baseline[name]:
        text = (
            f"The interval of the held-out {name}, {rounded(low)} to {rounded(high)}, includes the baseline's "
            f"{rounded(judgement.baseline[name])}: these rows alone do not show a gain. Get more rows."
        )
        found.append(Finding("warning", "Not clearly better than the baseline", text))
    if best > sign * expected + 2 * error:
        text = (
            f"On the held-out rows the {name} is {rounded(judgement.scores[name])}, worse than cross-validation "
            f"promised ({rounded(expected)} ± {rounded(error, 2)}). Trust the held-out score; look for drift or "
            "repeated cases."
        )
        found.append(Finding("warning", "Worse on held-out rows", text))
    return found
