"""Whether the held-out rows are like the training rows, by column and together.

    numbers, dates   D = sup_x |F_train(x) − F_held(x)|,  Kolmogorov & Smirnov
    categories       χ² of the levels, with those of few rows as one
    missing cells    χ² of there or not
    together         the area under the ROC curve of a classifier that tells the two apart in rows it has not seen

The p-values of all columns are held to a family-wise error by Holm (1979), jstor 4615733. Lopez-Paz & Oquab (2017),
Revisiting classifier two-sample tests, arXiv 1610.06545; under the null hypothesis the area is that of Mann & Whitney
(1947), doi:10.1214/aoms/1177730491.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2_contingency, ks_2samp, norm, rankdata
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from gnomon._typing import Array, Bools, Integers
from gnomon.io import Table
from gnomon.io.tables import as_float, is_missing, to_text
from gnomon.report._findings import Finding
from gnomon.report._kinds import ColumnKind
from gnomon.report._splits import Split
from gnomon.report.prepare import Preparer

__all__ = ["Drift", "DriftedColumn", "drift", "drift_findings"]

LEVEL = 0.01
"""Half of it for all columns, half for the classifier: in a hundred studies of like rows about one cries wolf."""
FEWEST_ROWS = 20
MOST_ROWS, MOST_COLUMNS = 2_000, 300
FEWEST_EXPECTED = 5
MOST_NAMED = 5


@dataclass(frozen=True)
class DriftedColumn:
    """A column whose held-out rows differ: Holm's p-value, and in words how."""

    name: str
    p_value: float
    how: str


@dataclass(frozen=True)
class Drift:
    """The columns that differ, the clearest first; how many were looked at; the area, if asked for, and its p-value."""

    columns: list[DriftedColumn]
    n_columns: int
    area: float | None = None
    p_value: float = 1.0

    @property
    def found(self) -> bool:
        """Whether the held-out rows are unlike the training rows."""
        return bool(self.columns) or self.p_value < LEVEL / 2


def drift(table: Table, kinds: Sequence[ColumnKind], parts: Split, seed: int) -> Drift | None:
    """Compare the rows; None for few rows or no columns, and where groups of rows, which are alike, were kept together.

    Rows that were divided at random can differ by chance alone, so the classifier looks at later rows only.
    """
    train, test = parts.train, parts.test
    if parts.groups is not None or min(len(train), len(test)) < FEWEST_ROWS:
        return None
    rng = np.random.default_rng(seed)
    some, held = (np.sort(rng.permutation(rows)[:MOST_ROWS]) for rows in (train, test))
    rows, of_held = table.take(np.append(some, held)), np.arange(len(some) + len(held)) >= len(some)
    # What orders the rows differs in later ones by design.
    looked_at = [kind for kind in kinds if kind.kind != "clock"][:MOST_COLUMNS]
    if not looked_at:
        return None
    p_values = _holm([_p_value(kind, rows[kind.name], of_held) for kind in looked_at])
    different = sorted((k for k, p in enumerate(p_values) if p < LEVEL / 2), key=lambda k: p_values[k])
    columns = [
        DriftedColumn(looked_at[k].name, p_values[k], _how(looked_at[k], rows[looked_at[k].name], of_held))
        for k in different
    ]
    return Drift(columns, len(looked_at), *(_told_apart(rows, looked_at, of_held, seed) if parts.by_time else ()))


def drift_findings(found: Drift | None) -> list[Finding]:
    """What to say; nothing where the rows are alike."""
    if found is None or not found.found:
        return []
    named = "; ".join(f"{column.name}: {column.how}" for column in found.columns[:MOST_NAMED])
    more = f"; and {len(found.columns) - MOST_NAMED} more" if len(found.columns) > MOST_NAMED else ""
    apart = (
        f"A classifier tells them from the training rows with an area under the ROC curve of {found.area:.2f} (0.5 if "
        "they were alike). "
        if found.area is not None
        else ""
    )
    singly = f"{named}{more}." if named else "No single column shows it clearly."
    text = (
        f"{apart}{singly} The scores were measured on rows that differ so, and future rows may differ again. Find "
        "out what has changed, and learn again when it does."
    )
    return [Finding("warning", "The held-out rows are unlike the training rows", text)]


def _holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down p-values: (m − k + 1) p₍ₖ₎, made monotone."""
    p, order = np.array(p_values), np.argsort(p_values)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    found = np.empty(len(p))
    found[order] = np.minimum(stepped, 1.0)
    return found.tolist()


def _p_value(kind: ColumnKind, cells: Array, held: Bools) -> float:
    """The smaller p-value of what stands in the column and of where nothing does, by Bonferroni."""
    gaps = is_missing(kind.read(cells))
    of_gaps = _of_counts(gaps.astype(int), held)
    if kind.kind == "category":
        codes = np.unique(to_text(cells), return_inverse=True)[1]
        return _of_counts(codes, held)
    values = _values(kind, cells)[~gaps]
    one, other = values[~held[~gaps]], values[held[~gaps]]
    of_values = _of_values(one, other) if len(one) and len(other) else 1.0
    return min(1.0, 2.0 * min(of_gaps, of_values)) if gaps.any() else of_values


def _of_values(one: Array, other: Array) -> float:
    """Kolmogorov's and Smirnov's test."""
    with warnings.catch_warnings():
        # Of two samples that are almost the same the exact sum may exceed 1 by rounding; SciPy says so, and takes the
        # limit law, by which it is 1.
        warnings.filterwarnings("ignore", "ks_2samp: Exact calculation unsuccessful", RuntimeWarning)
        return float(ks_2samp(one, other).pvalue)


def _values(kind: ColumnKind, cells: Array) -> Array:
    """Numbers to compare: those of the column, days, or how many words a text has."""
    if kind.kind == "text":
        return np.strings.count(to_text(cells), " ") + 1.0
    return as_float(kind.read(cells))


def _of_counts(codes: Integers, held: Bools) -> float:
    """χ² of two rows of counts; levels of which few rows are expected count as one."""
    counts = np.stack([np.bincount(codes[side], minlength=codes.max() + 1) for side in (~held, held)])
    few = counts.sum(axis=0) * min(held.mean(), 1.0 - held.mean()) < FEWEST_EXPECTED
    counts = np.column_stack([counts[:, ~few], counts[:, few].sum(axis=1)])
    counts = counts[:, counts.sum(axis=0) > 0]
    return float(chi2_contingency(counts).pvalue) if counts.shape[1] > 1 else 1.0


def _how(kind: ColumnKind, cells: Array, held: Bools) -> str:
    """The change in words: the middle, or the level whose share changed most; or what is missing."""
    gaps = is_missing(kind.read(cells))
    before, after = gaps[~held].mean(), gaps[held].mean()
    if kind.kind == "category":
        levels, codes = np.unique(to_text(cells), return_inverse=True)
        shares = np.stack([np.bincount(codes[side], minlength=len(levels)) / side.sum() for side in (~held, held)])
        k = int(np.argmax(np.abs(shares[1] - shares[0])))
        return f"{levels[k] or 'missing'} in {shares[0, k]:.0%} of the training rows, in {shares[1, k]:.0%} of these"
    if abs(after - before) > 0.1 or gaps[~held].all() or gaps[held].all():
        return f"missing in {before:.0%} of the training rows, in {after:.0%} of these"
    if kind.kind == "date":
        one, other = (np.sort(kind.read(cells)[side & ~gaps]) for side in (~held, held))
        return f"median {str(one[len(one) // 2])[:10]} there, {str(other[len(other) // 2])[:10]} here"
    values = _values(kind, cells)
    what = "median number of words" if kind.kind == "text" else "median"
    return f"{what} {np.median(values[~held & ~gaps]):.4g} there, {np.median(values[held & ~gaps]):.4g} here"


def _told_apart(rows: Table, kinds: Sequence[ColumnKind], held: Bools, seed: int) -> tuple[float, float]:
    """The area of a forest's votes in rows it has not seen, and its one-sided p-value.

    Beside other columns texts are left to their own test: their many topics would hide what the others say.
    """
    # Imported for the reports that have later rows alone: it loads kernels.
    from gnomon.trees import RandomForestClassifier

    kinds = [kind for kind in kinds if kind.kind != "text"] or kinds
    with warnings.catch_warnings():
        # Columns without values in a part of the rows are no news here.
        warnings.simplefilter("ignore")
        X = Preparer(tuple(kinds), "frequent").fit(rows).transform(rows)
        forest = RandomForestClassifier(50, min_samples_leaf=5, max_features=0.5, random_state=seed)
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        votes = cross_val_predict(forest, X, held, cv=folds, method="predict_proba")[:, 1]
    n, m = int((~held).sum()), int(held.sum())
    area = (rankdata(votes)[held].sum() - m * (m + 1) / 2) / (n * m)
    return float(area), float(norm.sf((area - 0.5) / np.sqrt((n + m + 1) / (12.0 * n * m))))
