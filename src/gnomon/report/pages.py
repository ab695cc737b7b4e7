"""The page: one HTML file with everything in it."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import jinja2
import numpy as np
from markupsafe import Markup, escape

import gnomon
from gnomon.io import Table
from gnomon.io.tables import is_missing
from gnomon.report._decisions import DecisionOutcome, named_rows
from gnomon.report._findings import Finding
from gnomon.report._judge import Judgement
from gnomon.report._pictures import (
    picture_of_candidates,
    picture_of_costs,
    picture_of_importances,
    picture_of_response,
    picture_of_rows,
    picture_of_target,
    pictures_of_judgement,
)
from gnomon.report._study_record import Study
from gnomon.report._trials import Trial, best_first
from gnomon.report.prepare import CODINGS
from gnomon.report.scores import Score, rounded
from gnomon.report.words import capitalized

__all__ = ["page", "summary"]

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "skops")
MOST_COLUMNS_SHOWN = 100
MOST_COEFFICIENTS = 20
MOST_CLASSES_IN_SMALL = 5
"""With more, the numbers of a confusion matrix cannot be read in a small picture."""

_OPTION = re.compile(r"(--[a-z-]+(?: (?:[A-Z][A-Z=a-z%/:]*|\d+(?:\.\d+)?)(?![\w]))?)")
"""An option of the command, with the value that follows where that is one word."""

templates = jinja2.Environment(
    loader=jinja2.PackageLoader("gnomon.report", "."),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
templates.filters["amount"] = lambda value: rounded(value) if np.isfinite(value) else "–"
templates.filters["share"] = lambda share: "–" if np.isnan(share) else f"{share:.3f}"
templates.filters["options"] = lambda text: Markup(_OPTION.sub(r'<code class="option">\1</code>', str(escape(text))))
templates.filters["capitalize_first"] = capitalized


def page(
    study: Study,
    table: Table,
    *,
    source: str = "a table",
    digest: str = "",
    model_file: str = "model.skops",
    command: str = "",
) -> str:
    """The report of a study as one HTML page that needs nothing outside itself.

    Parameters
    ----------
    study : Study
        What `learn` returned.
    table : Table
        The table that was studied.
    source, digest : str
        Name of the data file and the hash of its content.
    model_file : str
        Name of the model file, for the directions at the end.
    command : str
        The command line that was run.

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.io import Table
    >>> from gnomon.report import learn, page
    >>> x = np.random.default_rng(0).normal(size=100)
    >>> table = Table({"x": x, "y": x > 0})
    >>> html = page(learn(table, "y"), table)
    >>> html.startswith("<!doctype html>"), "http" in html
    (True, False)
    """
    return templates.get_template("page.html.j2").render(
        study=study,
        target=study.target,
        task=study.target.task,
        source=source,
        digest=digest,
        model_file=model_file,
        command=command,
        n_rows=len(table),
        n_columns=len(table.names),
        columns=_columns(study, table),
        codings=_codings(study),
        scores=study.scores,
        chosen=study.choice.trial,
        trials=ranked(study),
        failed=[t for t in study.trials if t.failure],
        stopped=[t for t in study.trials if t.stopped],
        verdict=verdict(study),
        further=further(study),
        decisions=study.decisions and named_rows(study.decisions),
        pictures=_pictures(study),
        coefficients=study.coefficients[:MOST_COEFFICIENTS],
        n_coefficients=len(study.coefficients),
        shares=study.shares[:MOST_COEFFICIENTS],
        n_shares=len(study.shares),
        rules=study.rules,
        together=[one for one in study.responses if one.depends],
        versions=package_versions(),
        when=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        MOST_COLUMNS_SHOWN=MOST_COLUMNS_SHOWN,
        MOST_COEFFICIENTS=MOST_COEFFICIENTS,
        MOST_CLASSES_IN_SMALL=MOST_CLASSES_IN_SMALL,
        has_texts=any(kind.kind == "text" for kind in study.kinds),
    )


def summary(study: Study) -> dict[str, Any]:
    """The outcome of a study as plain values that JSON can hold.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report import learn, summary
    >>> x = np.random.default_rng(0).normal(size=100)
    >>> found = summary(learn({"x": x, "y": x > 0}, "y"))
    >>> found["task"], found["rows"]
    ('classification', {'training': 80, 'held_out': 20})
    """
    judged = study.judgement
    return {
        "gnomon": gnomon.__version__,
        "target": study.target.name,
        "task": study.target.task,
        "classes": list(study.target.classes),
        "rows": {"training": len(study.split.train), "held_out": len(study.split.test)},
        "refitted": study.refitted,
        "columns": {kind.name: kind.reason or kind.kind for kind in study.kinds},
        "chosen": study.choice.trial.candidate.name,
        "learned": study.choice.learned,
        "why": study.choice.why,
        "rule": study.choice.rule,
        "metric": study.scores[0].name,
        "held_out": {
            name: {"value": plain(value), "interval": [plain(v) for v in judged.intervals[name]],
                   "baseline": plain(judged.baseline[name])}
            for name, value in judged.scores.items()
        },
        "calibration": study.calibration and {
            "used": study.calibration.calibrator is not None, "log_loss_before": plain(study.calibration.before),
            "log_loss_after": plain(study.calibration.after),
        },
        "threshold": study.threshold and {
            "value": study.threshold.value, "before": plain(study.threshold.before),
            "after": plain(study.threshold.after),
        },
        "decisions": study.decisions and _decisions(study.decisions),
        "sets": study.sets and {"coverage": study.sets.coverage, "calibrated_by": study.sets.rows,
                                "range": list(study.sets.range), "by_class": study.sets.by_class},
        "tried": [_tried(trial) for trial in study.trials],
        "more_rows": study.rows_curve and {"help": study.rows_curve.helps, "why": study.rows_curve.verdict},
        "importances": [{"column": one.name, "mean": plain(one.mean), "spread": plain(one.spread),
                         "score": one.score}
                        for one in study.importances],
        "drift": study.drift and {"area": study.drift.area, "columns": [vars(one) for one in study.drift.columns]},
        "words": [vars(one) for one in study.words],
        "warnings": warnings_as_words(study.findings),
        "seed": study.seed,
    }  # fmt: skip


def verdict(study: Study) -> str:
    """The outcome in one sentence: the first and the last score, with their intervals."""
    if not study.choice.learned:
        return f"Nothing was learned: {study.choice.why}."
    first, *_, last = study.scores
    scores = " and ".join(_score_text(study.judgement, score) for score in (first, last))
    name = study.choice.trial.candidate.name
    article = "the " if study.choice.trial.entrant.members else ""
    return f"On {len(study.judgement.y)} held-out rows {article}{name} reaches {scores}."


def further(study: Study) -> list[str]:
    """Calibration, costs, coverage and errors of numbers, each in a sentence, where there is something to say."""
    said = [study.rows_curve.verdict] if study.rows_curve is not None else []
    if study.calibration is not None and study.calibration.calibrator is not None:
        said.append(f"Calibrated, because {study.calibration.why}.")
    if study.threshold is not None:
        said.append(f"{capitalized(study.threshold.why)}.")
    if study.decisions is not None:
        found, (name, cost) = study.decisions, study.decisions.constant
        said += _stakes_text(found)
        said.append(
            f"Decisions cost {rounded(found.cost.value)} a row ({rounded(found.cost.low)} to "
            f"{rounded(found.cost.high)}); the best without the model, always {name}, costs {rounded(cost)}."
        )
    if study.sets is None and not study.target.classes and study.choice.learned:
        off = np.abs(study.judgement.y - study.judgement.forecast.predicted)
        said.append(
            f"Nine of ten held-out rows lie within ± {rounded(float(np.quantile(off, 0.9)), 3)} of the forecast; "
            "--coverage 0.9 gives each forecast an interval."
        )
    if study.sets is not None:
        low, high = study.sets.range
        what = "Sets" if study.target.classes else "Intervals"
        said.append(
            study.sets.shortage
            or f"{what} hold the truth with probability {study.sets.coverage:g} ({low:.3f} to {high:.3f}, as "
            f"{study.sets.rows} rows {'of the rarest class ' if study.sets.by_class else ''}calibrate them): "
            f"{study.sets.size}."
        )
    return said


def _stakes_text(found: DecisionOutcome) -> list[str]:
    """Which of two classes is dear to miss, for it may be the other one than was meant."""
    if len(found.classes) != 2 or found.stakes.actions != found.classes:
        return []
    (first, second), C, share = found.classes, found.stakes.costs, found.priors[1]
    return [
        f"“{second}” taken for “{first}” costs {C[0, 1]:g}, “{first}” taken for “{second}” {C[1, 0]:g}, and "
        f"{100.0 * share:.3g}% of future rows are “{second}”."
    ]


def _score_text(judgement: Judgement, score: Score) -> str:
    value, guess = judgement.scores[score.name], judgement.baseline[score.name]
    low, high = judgement.intervals[score.name]
    interval = f"{score.text(low)} to {score.text(high)}"
    return f"{score.name} {score.text(value)} ({interval}; baseline {score.text(guess)})"


def _decisions(found: DecisionOutcome) -> dict[str, Any]:
    return {
        "actions": list(found.stakes.actions),
        "costs": found.stakes.costs.tolist(),
        "priors": found.priors.tolist(),
        "cost": plain(found.cost.value),
        "interval": [plain(found.cost.low), plain(found.cost.high)],
        "best_constant": {"action": found.constant[0], "cost": found.constant[1]},
        "gain": {"value": plain(found.gain.value), "interval": [plain(found.gain.low), plain(found.gain.high)]},
    }


def warnings_as_words(findings: Iterable[Finding]) -> list[dict[str, str]]:
    """Findings as plain values."""
    return [{"level": f.level, "title": f.title, "text": f.text} for f in findings]


def plain(value: float) -> float | None:
    """A float that JSON can hold; None for what it cannot."""
    return float(value) if np.isfinite(value) else None


def _tried(trial: Trial) -> dict[str, Any]:
    if trial.failure:
        return {"name": trial.candidate.name, "failure": trial.failure}
    if trial.stopped:
        return {"name": trial.candidate.name, "stopped": trial.stopped, "seconds": round(trial.seconds, 3)}
    scores = {n: {"mean": plain(trial.mean(n)), "standard_error": plain(trial.errors[n])} for n in trial.scores}
    return {"name": trial.candidate.name, "seconds": round(trial.seconds, 3), "scores": scores,
            "warnings": list(trial.complaints)}  # fmt: skip


def ranked(study: Study) -> list[Trial]:
    """The models that could be compared, best first."""
    return best_first(study.trials, study.scores[0])


def _columns(study, table):
    """For each feature column: its kind, the share of missing cells and what it holds."""
    rows = []
    for kind in study.kinds[:MOST_COLUMNS_SHOWN]:
        values = table[kind.name]
        gaps = is_missing(values)
        there = values[~gaps].tolist()
        examples = ", ".join(str(v) for v in dict.fromkeys(there[:40]))
        rows.append(
            {
                "name": kind.name,
                "kind": kind.kind,
                "reason": kind.reason,
                "missing": f"{gaps.mean():.0%}" if gaps.any() else "",
                "distinct": len(set(there)),
                "examples": examples if len(examples) < 60 else examples[:58] + "…",
            }
        )
    return rows


def _codings(study: Study) -> list[dict[str, Any]]:
    """How categories were shown to which models; empty where there are no categories."""
    if not any(kind.kind == "category" for kind in study.kinds):
        return []
    entrants = [trial.entrant for trial in study.trials[1:] if not trial.entrant.members]
    found = []
    for levels, coding in CODINGS.items():
        alike = [entrant for entrant in entrants if entrant.levels == levels]
        if alike:
            names = [entrant.candidate.name for entrant in alike]
            found.append({"text": coding.text, "models": names, "n_features": alike[0].facts.n_features})
    return found


def _pictures(study: Study) -> dict[str, Any]:
    first = study.scores[0]
    return {
        "target": picture_of_target(study.target),
        "candidates": picture_of_candidates(study.trials, study.choice.trial, first),
        "judgement": pictures_of_judgement(study.judgement, study.target.classes),
        "importances": picture_of_importances(study.importances, _score_of_importances(study)),
        "responses": [picture_of_response(one, f"response-{k}") for k, one in enumerate(study.responses)],
        "rows": picture_of_rows(study.rows_curve, first.name) if study.rows_curve else "",
        "costs": picture_of_costs(study.cost_curve, study.decisions, study.target.classes),
    }


def _score_of_importances(study: Study) -> Score:
    """The one that grows or falls where columns are shuffled."""
    named = {score.name: score for score in study.scores}
    return named[study.importances[0].score] if study.importances else study.scores[0]


def package_versions() -> dict[str, str]:
    """The versions of what the numbers depend on."""
    found = {"gnomon": gnomon.__version__, "Python": platform.python_version()}
    return {**found, **{name: version(name) for name in PACKAGES}}
