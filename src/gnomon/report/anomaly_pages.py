"""The outcome of a search for anomalies: as a page, as plain values, in one sentence."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import gnomon
from gnomon.io import Table
from gnomon.io.tables import to_text
from gnomon.report._anomalies import AnomalyStudy, Attempt, share_text
from gnomon.report.pages import package_versions, plain, templates, warnings_as_words

__all__ = ["anomaly_page", "anomaly_summary", "anomaly_verdict", "detector_rows"]

MOST_COLUMNS_SHOWN = 8
LONGEST_CELL = 24
MANY_ANOMALIES = 0.5
SHOWN = ("validation", "test", "precision", "recall", "fpr", "pr_auc", "roc_auc", "accuracy")
HEADS = ("F1, validation", "F1, test", "precision", "recall", "false alarms", "PR area", "ROC area", "accuracy")


def anomaly_page(
    study: AnomalyStudy,
    table: Table,
    *,
    source: str = "a table",
    digest: str = "",
    model_file: str = "model.skops",
    command: str = "",
) -> str:
    """The report of an `AnomalyStudy` as one HTML page that needs nothing outside itself.

    Parameters
    ----------
    study : AnomalyStudy
    table : Table
        The table that was studied.
    source, digest : str
        Name of the data file and the hash of its content.
    model_file : str
    command : str
        The command line that was run.

    Returns
    -------
    str

    Examples
    --------
    >>> from gnomon.datasets import make_engines
    >>> from gnomon.io import Table
    >>> from gnomon.report import anomaly_page, find_anomalies
    >>> X, y = make_engines(200, 10, random_state=0)
    >>> table = Table({"heat": X[:, 0], "vibration": X[:, 1]})
    >>> html = anomaly_page(find_anomalies(table), table)
    >>> html.startswith("<!doctype html>"), "http" in html
    (True, False)
    """
    shown = [kind.name for kind in study.kinds if kind.kind != "unused"][:MOST_COLUMNS_SHOWN]
    words = {name: to_text(table[name]) for name in shown}
    heads, rows = detector_rows(study)
    return templates.get_template("anomaly.html.j2").render(
        study=study,
        source=source,
        digest=digest,
        model_file=model_file,
        command=command,
        verdict=anomaly_verdict(study),
        tiles=_tiles(study),
        columns=heads,
        attempts=rows,
        failed=[attempt for attempt in study.attempts if attempt.failure],
        shown=shown,
        odd=[(row, score, [words[name][row - 1][:LONGEST_CELL] for name in shown]) for row, score in study.odd],
        versions=package_versions(),
        when=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )


def anomaly_summary(study: AnomalyStudy) -> dict[str, Any]:
    """The outcome of an `AnomalyStudy` as plain values that JSON can hold.

    Examples
    --------
    >>> from gnomon.datasets import make_engines
    >>> from gnomon.report import anomaly_summary, find_anomalies
    >>> X, y = make_engines(200, 10, random_state=0)
    >>> found = anomaly_summary(find_anomalies({"heat": X[:, 0], "vibration": X[:, 1], "faulty": y}, "faulty"))
    >>> found["task"], found["rows"]["anomalous in test"]
    ('anomaly', 5)
    """
    return {
        "gnomon": gnomon.__version__,
        "target": study.target,
        "task": "anomaly",
        "anomaly_label": study.anomaly,
        "rows": dict(study.counts),
        "columns": {kind.name: kind.reason or kind.kind for kind in study.kinds},
        "chosen": study.best.candidate.name,
        "test": _numbers(study.best),
        "flagged": plain(study.flagged),
        "meant": plain(study.meant),
        "tried": [_tried(attempt) for attempt in study.attempts],
        "oddest_rows": [row for row, _ in study.odd],
        "rule": study.rule,
        "warnings": warnings_as_words(study.findings),
        "seed": study.seed,
    }


def anomaly_verdict(study: AnomalyStudy) -> str:
    """The outcome in one sentence."""
    name, flagged = study.best.candidate.name, share_text(study.flagged)
    s = study.best.scores
    if s is None:
        start = f"Without labels, {name} describes the rows best; it flags {flagged} of the rows held out"
        return f"{start}, where {share_text(study.meant)} were meant{_advice(study)}."
    start = f"On {study.counts['test']} test rows, {study.counts['anomalous in test']} of them anomalous, {name} "
    if study.flagged == 0.0:
        return f"{start}flags nothing: it finds none of the anomalies."
    return (
        f"{start}reaches F1 {s.test:.3f}: it finds {s.recall:.0%} of the anomalies, and {s.precision:.0%} of what it "
        f"flags is one{_advice(study)}."
    )


def _advice(study: AnomalyStudy) -> str:
    """Advice where the share of flagged rows is far from the usual or intended one."""
    if study.target is not None:
        many = study.meant > MANY_ANOMALIES
        return "; with so many anomalies a classifier may do better, leave out --task anomaly" if many else ""
    # More than 1.5 times the intended share, plus three standard errors.
    most = 1.5 * study.meant + 3.0 * (study.meant * (1.0 - study.meant) / study.counts["test"]) ** 0.5
    if study.flagged <= most:
        return ""
    if study.best.model.contamination is not None:
        return "; the density fits its training rows more closely than others, give it more rows or fewer columns"
    return "; the tails of the rows are heavier than those of the density, --contamination sets the share by the rows"


def detector_rows(study: AnomalyStudy) -> tuple[tuple[str, ...], list[tuple[Attempt, tuple[str, ...]]]]:
    """The heads of the columns, and for each detector that was judged its numbers as text."""
    judged = [attempt for attempt in study.attempts if not attempt.failure]
    if study.target is None:
        return ("mean log p, held out",), [(attempt, (f"{attempt.value:.3f}",)) for attempt in judged]
    return HEADS, [(a, tuple(f"{getattr(a.scores, name):.3f}" for name in SHOWN)) for a in judged]


def _tiles(study: AnomalyStudy) -> list[tuple[str, str, str]]:
    s = study.best.scores
    if s is None:
        return [("flagged", share_text(study.flagged), f"of the rows held out, {share_text(study.meant)} meant")]
    return [
        ("F1, test", f"{s.test:.3f}", f"{s.validation:.3f} on validation rows"),
        ("recall", f"{s.recall:.0%}", "of the anomalies are found"),
        ("precision", f"{s.precision:.0%}", "of what is flagged is an anomaly"),
        ("area below the PR curve", f"{s.pr_auc:.3f}", f"guessing {s.base_rate:.3f}"),
    ]


def _numbers(attempt: Attempt) -> dict[str, float | None]:
    if attempt.scores is None:
        return {"log_density": plain(attempt.value)}
    named = attempt.scores._asdict()
    return {name: plain(value) for name, value in named.items() if name not in ("name", "detector")}


def _tried(attempt: Attempt) -> dict[str, Any]:
    outcome = {"failure": attempt.failure} if attempt.failure else {"scores": _numbers(attempt)}
    return {"name": attempt.candidate.name, **outcome}
