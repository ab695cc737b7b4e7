"""One search for anomalies in one table.

with labels      good rows train; the threshold is chosen by F1 on validation rows; the test rows are used once
without labels   densities are compared by log p of a held-out fifth; the threshold is a level or a share

The protocol is that of `gnomon.anomaly.evaluate_detectors`. Davis & Goadrich (2006), doi:10.1145/1143844.1143874;
Hyndman (1996), doi:10.1080/00031305.1996.10473566.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from gnomon._registry import Candidate, Facts, LevelCoding, candidates, discover
from gnomon._typing import Array, Bools, Integers
from gnomon.anomaly import DetectorScores, anomaly_split, evaluate_detectors
from gnomon.io import Table, UserError, as_table
from gnomon.io.tables import TableLike, is_missing, listed, refuse_unknown, to_text
from gnomon.report._findings import Finding
from gnomon.report._kinds import ColumnKind, as_kinds, check_extent, infer_kinds, settled_kinds, used_kinds
from gnomon.report._progress import Progress, silent
from gnomon.report._stand_ins import check_stand_ins
from gnomon.report.prepare import Preparer

__all__ = ["AnomalyStudy", "find_anomalies", "share_text"]

LEAST_ROWS = 30
MOST_ODD_ROWS = 20
HELD_OUT = 0.2
LEVELS: LevelCoding = "frequent"


@dataclass(frozen=True)
class Attempt:
    """One detector: what validation rows say of it, and on labelled tables what the protocol found."""

    candidate: Candidate
    value: float = float("nan")
    model: Any = None
    scores: DetectorScores | None = None
    failure: str = ""


@dataclass(frozen=True)
class AnomalyStudy:
    """All that `find_anomalies` found.

    Parameters
    ----------
    target : str or None
        The column of labels.
    anomaly : str or None
        The label of anomalies.
    rule : str
        How rows were divided and the threshold chosen, in words.
    counts : dict
        Rows of each part, and anomalous rows among them where labels exist.
    kinds : tuple of ColumnKind
        What each column is.
    attempts : list of Attempt
        Every detector, the best first.
    model : Pipeline
        Preparation and detector with its threshold, fitted on the training rows.
    flagged : float
        The share of the judged rows that is flagged.
    meant : float
        The share that should be: of the anomalies where labels exist, otherwise what the rule says.
    odd : list of (row, score)
        The oddest rows of the whole table, the oddest first; rows count from 1.
    seed : int
    findings : tuple of Finding
        What the columns may mean otherwise.

    Examples
    --------
    >>> from gnomon.datasets import make_engines
    >>> from gnomon.report import find_anomalies
    >>> X, _ = make_engines(300, 20, random_state=0)
    >>> study = find_anomalies({"heat": X[:, 0], "vibration": X[:, 1]}, contamination=0.05)
    >>> study.counts, [attempt.candidate.name for attempt in study.attempts][:2], round(study.flagged, 2)
    ({'train': 256, 'test': 64}, ['normal law', 'kernel density'], 0.02)
    """

    target: str | None
    anomaly: str | None
    rule: str
    counts: dict[str, int]
    kinds: tuple[ColumnKind, ...]
    attempts: list[Attempt]
    model: Pipeline
    flagged: float
    meant: float
    odd: list[tuple[int, float]]
    seed: int
    findings: tuple[Finding, ...] = ()

    @property
    def best(self) -> Attempt:
        """The detector that was chosen."""
        return self.attempts[0]


def find_anomalies(
    data: TableLike,
    target: str | None = None,
    *,
    anomaly_label: str | None = None,
    contamination: float | None = None,
    level: float = 0.95,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> AnomalyStudy:
    """Compare the registered detectors on a table, choose one and its threshold, and judge it once.

    Parameters
    ----------
    data : Table, dict of columns or data frame
    target : str, optional
        A column of labels; without it the threshold comes from `contamination` or `level`.
    anomaly_label : str, optional
        The label of anomalies; the rarer of two by default.
    contamination : float, optional
        Without labels: the share of the training rows to be flagged.
    level : float, default=0.95
        Without labels and `contamination`: the probability of the region of good rows.
    drop, keep : sequences of str, default=()
        Columns to leave out; columns to use although they look like identifiers.
    types : dict of str → {"number", "category", "date", "text"}, optional
        What columns are, where the rules would decide otherwise; "date:%d/%m/%Y" gives the form too.
    seed : int, default=0
    progress : callable (done, total, text) → None, optional

    Returns
    -------
    AnomalyStudy

    References
    ----------
    Davis, J. & Goadrich, M. (2006). The relationship between precision-recall and ROC curves.
    doi:10.1145/1143844.1143874

    Examples
    --------
    >>> from gnomon.datasets import make_engines
    >>> from gnomon.report import find_anomalies
    >>> X, y = make_engines(300, 20, random_state=0)
    >>> study = find_anomalies({"heat": X[:, 0], "vibration": X[:, 1], "faulty": y}, "faulty")
    >>> study.best.candidate.name, study.best.scores.test > 0.8
    ('normal law', True)
    """
    table = as_table(data)
    refuse_unknown(table, "--target", [target] if target else [])
    refuse_unknown(table, "--drop, --keep, --type", [*drop, *keep, *(types or ())])
    check_extent(table, drop)
    found = infer_kinds(table, [name for name in table.names if name != target], types=types, keep=keep)
    table = as_kinds(table, list(found.values()))
    if target is None:
        return _without_labels(table, found, contamination, level, drop, seed, progress)
    if contamination is not None:
        raise UserError("--contamination is for tables without labels; leave it out, or leave out --target")
    return _with_labels(table, found, target, anomaly_label, drop, seed, progress)


def _with_labels(table, found, target, label, drop, seed, progress):
    rows = np.flatnonzero(~is_missing(table[target]))
    unlabelled, table = len(table) - len(rows), table.take(rows)
    bad, label = _labels(to_text(table[target]), target, label)
    parts = anomaly_split(bad, random_state=seed)
    kinds = settled_kinds(table, found, dict.fromkeys(drop, "dropped"), parts.train)
    used = used_kinds(kinds)
    preparer = Preparer(used, LEVELS).fit(table.take(parts.train))
    M = preparer.transform(table)

    def attempt(candidate: Candidate, model: Any) -> Attempt:
        # The midpoint of two scores, so that one unusual row among few does not decide.
        found = evaluate_detectors({candidate.name: model}, M, bad.astype(int), split=parts, placement="midpoint").best
        return Attempt(candidate, found.validation, found.detector, found)

    attempts = _tried(_facts(preparer, len(parts.train)), attempt, seed, progress)
    best = attempts[0]
    best.model.set_threshold(best.scores.threshold)
    counts = {name: len(part) for name, part in parts._asdict().items()}
    counts |= {"left out, without a label": unlabelled} if unlabelled else {}
    counts |= {f"anomalous in {name}": int(bad[part].sum()) for name, part in parts._asdict().items()}
    rule = (
        f"{label!r} in {target} marks an anomaly; a random 60% of the good rows train, the rest and all anomalies are "
        "halved: the threshold is the one with the greatest F1 on validation rows, the test rows are looked at once"
    )
    meant = float(np.mean(bad[parts.test]))
    described = {"target": target, "anomaly": label, "rule": rule, "counts": counts, "kinds": kinds, "seed": seed}
    findings = tuple(check_stand_ins(table, used))
    return _study(preparer, M, rows, parts.test, attempts=attempts, meant=meant, findings=findings, **described)


def _without_labels(
    table: Table,
    found: Mapping[str, ColumnKind],
    contamination: float | None,
    level: float,
    drop: Sequence[str],
    seed: int,
    progress: Progress,
) -> AnomalyStudy:
    if len(table) < LEAST_ROWS:
        raise UserError(f"only {len(table)} rows; at least {LEAST_ROWS} are needed to learn what is usual")
    order = np.random.default_rng(seed).permutation(len(table))
    test, train = np.split(order, [round(HELD_OUT * len(table))])
    kinds = settled_kinds(table, found, dict.fromkeys(drop, "dropped"), train)
    used = used_kinds(kinds)
    preparer = Preparer(used, LEVELS).fit(table.take(train))
    M = preparer.transform(table)
    way = {"level": level} if contamination is None else {"contamination": contamination}

    def attempt(candidate: Candidate, model: Any) -> Attempt:
        if not candidate.probabilities:
            return Attempt(candidate, failure="its scores are no densities, so without labels nothing can judge it")
        fitted = model.set_params(**way).fit(M[train])
        return Attempt(candidate, float(np.mean(fitted.score_samples(M[test]))), fitted)

    attempts = _tried(_facts(preparer, len(train)), attempt, seed, progress)
    meant = 1.0 - level if contamination is None else contamination
    of = "rows as the chosen density has them" if contamination is None else "the training rows"
    rule = (
        "there are no labels: densities are fitted to a random four fifths and compared by the mean of log p on the "
        f"rest; the threshold is set so that {share_text(meant)} of {of} are flagged"
    )
    counts = {"train": len(train), "test": len(test)}
    described = {"target": None, "anomaly": None, "rule": rule, "counts": counts, "kinds": kinds, "seed": seed}
    findings = tuple(check_stand_ins(table, used))
    return _study(preparer, M, np.arange(len(M)), test, attempts=attempts, meant=meant, findings=findings, **described)


def _labels(words: Array, target: str, label: str | None) -> tuple[Bools, str]:
    """Which rows are anomalous, and the label that says so."""
    values, counts = np.unique(words, return_counts=True)
    if label is None and len(values) != 2:
        raise UserError(
            f"the target {target!r} has {len(values)} different values; say which marks anomalies with --anomaly-label"
        )
    label = str(values[np.argmin(counts)]) if label is None else str(label)
    if label not in values:
        raise UserError(f"--anomaly-label {label!r} is no value of {target!r}; there are: {listed(values.tolist())}")
    bad = words == label
    if bad.sum() < 2 or (~bad).sum() < LEAST_ROWS:
        raise UserError(
            f"{bad.sum()} anomalous and {(~bad).sum()} good rows; at least 2 and {LEAST_ROWS} are needed to choose a "
            "threshold and to judge it. Without --target the threshold needs no labels"
        )
    return np.asarray(bad, dtype=bool), label


def _facts(preparer: Preparer, n_rows: int) -> Facts:
    return Facts("anomaly", n_rows=n_rows, n_features=preparer.n_features_out_, sparse=preparer.sparse_)


def _tried(facts: Facts, attempt: Callable[[Candidate, Any], Attempt], seed: int, progress: Progress) -> list[Attempt]:
    """Every registered detector, the best first; among equals the simplest."""
    discover()
    field = candidates(facts)
    if not field:
        raise UserError("no detector takes such a table; leave out columns of text or of many levels with --drop")
    found = []
    for place, candidate in enumerate(field):
        progress(place, len(field), f"trying {candidate.name}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found.append(attempt(candidate, candidate.make(facts, seed)))
            except Exception as error:  # a detector that fails is reported; the study goes on
                found.append(Attempt(candidate, failure=f"{type(error).__name__}: {error}".splitlines()[0]))
    fitted = [one for one in found if not one.failure]
    if not fitted:
        raise UserError(f"no detector could be fitted: {listed([one.failure for one in found])}")
    return sorted(fitted, key=lambda one: -one.value) + [one for one in found if one.failure]


def _study(
    preparer: Preparer, M: Any, rows: Integers, judged: Integers, *, attempts: list[Attempt], **described: Any
) -> AnomalyStudy:
    """The study: what is given, with the best detector's verdicts on the judged rows and its scores of all of them."""
    detector = attempts[0].model
    scores = detector.score_samples(M)
    oddest = np.argsort(scores, kind="stable")[:MOST_ODD_ROWS]
    return AnomalyStudy(
        attempts=attempts,
        model=Pipeline([("prepare", preparer), ("model", detector)]),
        flagged=float(np.mean(detector.predict(M[judged]) == -1)),
        odd=[(int(rows[i]) + 1, float(scores[i])) for i in oddest],
        **described,
    )


def share_text(share: float) -> str:
    """A share as a percentage that keeps small ones apart from none."""
    return f"{100.0 * share:.3g}%"
