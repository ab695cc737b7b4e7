"""A study in words: what the command says at its end, what Python shows of it, and a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import NamedTuple

from gnomon.io.tables import listed
from gnomon.report._findings import Gravity
from gnomon.report._study_record import Study
from gnomon.report.pages import further, ranked, templates, verdict
from gnomon.report.words import capitalized

__all__ = ["Aside", "RankedModel", "as_html", "as_text", "asides", "chosen", "headline", "ranking", "rule"]

NAME_WIDTH = 60
"""Letters of a line that names a model; the name of a mean has several lines."""


class RankedModel(NamedTuple):
    """One model of the comparison: its name, the scores that fit a screen, and whether it was chosen."""

    name: str
    scores: tuple[str, ...]
    chosen: bool


class Aside(NamedTuple):
    """What a reader should know beside the scores."""

    level: Gravity
    title: str
    text: str


def headline(study: Study) -> str:
    """Target, task and rows."""
    target, parts = study.target, study.split
    of = f" of {len(target.classes)} classes ({listed(target.classes, 5)})" if target.classes else ""
    rows = f"{len(target.rows)} rows, of which {len(parts.train)} to learn from and {len(parts.test)} held out"
    return f"Predicting {target.name} from {study.source.name}: {target.task}{of}; {rows}."


def rule(study: Study) -> str:
    """Why this is the task, as a sentence."""
    return f"{capitalized(study.target.rule)}."


def ranking(study: Study) -> tuple[tuple[str, ...], list[RankedModel]]:
    """The names of three scores, and the models that could be compared, best first; the report has all scores."""
    first, second, *_, last = study.scores

    lines = [
        RankedModel(
            trial.candidate.name,
            (
                first.with_error(trial.mean(first.name), trial.errors[first.name]),
                second.text(trial.mean(second.name)),
                last.text(trial.mean(last.name)),
            ),
            trial is study.choice.trial,
        )
        for trial in ranked(study)
    ]
    return (first.name, second.name, last.name), lines


def asides(study: Study) -> Iterator[Aside]:
    """Models that failed, the findings, and models that were stopped, those of one reason together."""
    stopped: dict[str, list[str]] = {}
    for trial in study.trials:
        if trial.failure:
            yield Aside("grave", "Failed", f"{trial.candidate.name}: {trial.failure}")
        if trial.stopped:
            stopped.setdefault(trial.stopped, []).append(trial.candidate.name)
    for finding in study.findings:
        yield Aside(finding.level, finding.title, finding.text)
    for why, names in stopped.items():
        yield Aside("note", "Stopped", f"{'; '.join(names)}: {why}.")


def chosen(study: Study) -> list[str]:
    """Which model and why, calibration, costs and coverage, each in a sentence."""
    name = study.choice.trial.candidate.name
    why = [f"Chosen: {name}, because {study.choice.why}."] if study.choice.learned else []
    return [*why, *further(study)]


def as_text(study: Study) -> str:
    """The study as lines of text."""
    names, lines = ranking(study)
    table = [("model", *names), *(row for line in lines for row in _rows_of(line))]
    widths = [max(len(row[j]) for row in table) for j in range(len(table[0]))]
    grid = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in table]
    said = [f"{aside.title}. {aside.text}" for aside in asides(study)]
    parts = [[headline(study), rule(study)], [verdict(study), *chosen(study)], grid, said]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _rows_of(line: RankedModel) -> Iterator[tuple[str, ...]]:
    """The cells of a model; where its name has several lines, its scores stand in the first."""
    mark = "→ " if line.chosen else "  "
    first, *others = wrap(line.name, NAME_WIDTH)
    yield (f"{mark}{first}", *line.scores)
    for more in others:
        yield (f"    {more}", *("" for _ in line.scores))


def as_html(study: Study) -> str:
    """The study as a piece of HTML that needs nothing outside itself and changes nothing around it."""
    names, lines = ranking(study)
    return templates.get_template("study.html.j2").render(
        headline=headline(study),
        rule=rule(study),
        verdict=verdict(study),
        chosen=chosen(study),
        names=names,
        lines=lines,
        asides=list(asides(study)),
    )
