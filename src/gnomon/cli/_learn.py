"""`gnomon learn` and `gnomon demo`: read, study, write a report and a model, and say how it went."""

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid
from rich.text import Text

from gnomon.cli._guard import errors
from gnomon.io import read_table
from gnomon.io.files import digest_of, outbox
from gnomon.io.models import write_model
from gnomon.report import Aims, AnomalyStudy, ClusterStudy, Study, learn, page, summary
from gnomon.report.aims import read_costs
from gnomon.report.pages import further, verdict
from gnomon.report.scores import SCORES

__all__ = ["aims", "command_line", "progress_bar", "run", "run_demo", "stem", "tell_findings"]

REPORT = "report.html"
MODEL = "model.skops"
STYLES = {"grave": "bold red", "warning": "yellow", "note": "dim"}


def run(
    data: Path,
    target: str,
    *,
    out: Path | None,
    reading: Mapping[str, Any],
    choices: Mapping[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Study one file; write everything or nothing."""
    out = out or Path(f"gnomon-{stem(data)}")
    console = Console(quiet=quiet or as_json, highlight=False)
    with outbox(out) as place:
        table = read_table(data, **reading)
        console.print(f"{data.name}: {len(table)} rows, {len(table.names)} columns", markup=False)
        with progress_bar(quiet=quiet or as_json) as progress:
            study = learn(table, target, **choices, progress=progress)
        notes = summary(study)
        write_model(study.model, place(MODEL), **notes, reading=dict(reading))
        html = page(study, table, source=data.name, digest=digest_of(data), model_file=MODEL, command=command_line())
        place(REPORT).write_text(html, encoding="utf-8")
    if as_json:
        outcome = {**notes, "report": str(out / REPORT), "model": str(out / MODEL)}
        sys.stdout.write(json.dumps(outcome, indent=1, ensure_ascii=False) + "\n")
    _tell(console, study, out)


def aims(costs: Path | None, **numbers: Any) -> Aims:
    """What the options ask for, with the file of costs read."""
    return Aims(costs=None if costs is None else read_costs(read_table(costs, header=True)), **numbers)


def run_demo(*, out: Path | None, seed: int, as_json: bool, quiet: bool) -> None:
    """`run` on the embedded table."""
    from gnomon.datasets.embedded import demo_path

    path, target = demo_path()
    console = Console(quiet=quiet or as_json, highlight=False)
    console.print("A made-up table of bicycle-hire customers; the question is who cancels within a year.")
    reading: dict[str, Any] = {"delimiter": None, "encoding": "utf-8", "header": True, "missing": []}
    folder = out or Path("gnomon-demo")
    run(path, target, out=folder, reading=reading, choices={"seed": seed}, as_json=as_json, quiet=quiet)


def stem(data: Path) -> str:
    """The name of a file without its endings."""
    return data.name.split(".")[0] or "report"


def command_line() -> str:
    """The command as it was given."""
    return shlex.join(["gnomon", *sys.argv[1:]])


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on standard error while the work goes on; yields the function that moves it."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    console = errors()
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        job = bar.add_task("reading the columns", total=None)

        def move(done: int, total: int, text: str) -> None:
            bar.update(job, completed=done, total=total, description=text)

        yield move


def _tell(console: Console, study: Study, out: Path) -> None:
    console.print(f"{study.target.rule[:1].upper()}{study.target.rule[1:]}.", markup=False)
    console.print(_grid(study))
    for trial in study.trials:
        if trial.failure:
            console.print(Text.assemble(("Failed. ", "bold red"), f"{trial.candidate.name}: {trial.failure}"))
        if trial.stopped:
            console.print(Text.assemble(("Stopped. ", "dim"), f"{trial.candidate.name}: {trial.stopped}"))
    tell_findings(console, study)
    console.print()
    if study.choice.learned:
        console.print(f"Chosen: {study.choice.trial.candidate.name}, because {study.choice.why}.", markup=False)
    for sentence in further(study):
        console.print(sentence, markup=False)
    console.print(Text(verdict(study), style="bold"))
    console.print(f"report  {out / REPORT}\nmodel   {out / MODEL}", markup=False, soft_wrap=True)


def tell_findings(console: Console, study: Study | AnomalyStudy | ClusterStudy) -> None:
    """Print what checks found."""
    for finding in study.findings:
        console.print(Text.assemble((f"{finding.title}. ", STYLES[finding.level]), finding.text))


def _grid(study: Study) -> Grid:
    """The models that could be fitted, best first; the report has all scores, this has those that fit the screen."""
    first, second, *_, last = SCORES[study.target.task]
    grid = Grid(title="cross-validation on the training rows", title_justify="left")
    grid.add_column("model")
    for score in (first, second, last):
        grid.add_column(score.name, justify="right", no_wrap=True)
    fitted = [trial for trial in study.trials if trial.complete]
    for trial in sorted(fitted, key=lambda t: t.mean(first.name)):
        name = Text(trial.candidate.name, style="bold" if trial is study.choice.trial else "")
        loss = f"{first.text(trial.mean(first.name))} ± {first.text(trial.errors[first.name])}"
        grid.add_row(name, loss, *(score.text(trial.mean(score.name)) for score in (second, last)))
    return grid
