"""`gnomon learn` and `gnomon demo`: read, study, write a report and a model, and say how it went."""

from __future__ import annotations

import json
import math
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid
from rich.text import Text

from gnomon.cli._guard import ENDING, Stopped, errors
from gnomon.cli._predict import telling_warnings
from gnomon.io import read_table
from gnomon.io.files import outbox
from gnomon.io.models import write_model
from gnomon.report import Aims, AnomalyStudy, ClusterStudy, Study, learn, page, summary
from gnomon.report.aims import read_costs
from gnomon.report.ending import Enough, reading_within
from gnomon.report.origin import given
from gnomon.report.pages import verdict
from gnomon.report.study_files import notes_of
from gnomon.report.study_text import Aside, asides, chosen, ranking, rule

__all__ = ["aims", "command_line", "progress_bar", "run", "run_demo", "stem", "tell_findings"]

REPORT = "report.html"
MODEL = "model.skops"
SOON = 1.0
"""Seconds within which a second interruption means that nothing is wanted."""
LEAST_LEFT = 0.05
"""The share of a time limit that reading a file leaves at least, so that something is compared."""
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
    begun: float | None = None,
) -> None:
    """Study one file; write everything or nothing. A time limit counts from when the command has `begun`."""
    out = out or Path(f"gnomon-{stem(data)}")
    console = Console(quiet=quiet or as_json, highlight=False)
    with outbox(out) as place:
        with telling_warnings(), reading_within(choices.get("time_limit")):
            found = given(data, reading)
        console.print(f"{data.name}: {len(found.table)} rows, {len(found.table.names)} columns", markup=False)
        limit = choices.get("time_limit")
        left = limit if limit is None or begun is None else max(limit + begun - time.perf_counter(), LEAST_LEFT * limit)
        with progress_bar(quiet=quiet or as_json, limit=limit) as progress, ending_early():
            study = learn(found, target, **{**choices, "time_limit": left}, progress=progress)
        with finishing():
            write_model(study.model, place(MODEL), **notes_of(study))
            source = study.source
            html = page(
                study, study.table, source=source.name, digest=source.digest, model_file=MODEL, command=command_line()
            )
            place(REPORT).write_text(html, encoding="utf-8")
    if as_json:
        outcome = {**summary(study), "report": str(out / REPORT), "model": str(out / MODEL)}
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
def progress_bar(*, quiet: bool, limit: float | None = None) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on standard error while the work goes on, of so many seconds at most; yields the function that moves it."""
    most = [] if limit is None else [TextColumn(f"of at most {timedelta(seconds=round(limit))}")]
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), *most
    console = errors()
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        job = bar.add_task("reading the columns", total=None)

        def move(done: int, total: int, text: str) -> None:
            bar.update(job, completed=done, total=total, description=text)

        yield move


@contextmanager
def ending_early() -> Iterator[None]:
    """Within the block a request to end asks a study for what it has; one soon after another ends the command."""
    last, asked = -math.inf, signal.SIGINT

    def end_stage(number: int, end: Callable[[], object]) -> None:
        nonlocal last, asked
        before, last, asked = last, time.monotonic(), signal.Signals(number)
        if last - before < SOON:
            end()
        raise Enough

    try:
        with _ended_by(end_stage):
            yield
    except Enough:
        raise Stopped(asked) from None


@contextmanager
def finishing() -> Iterator[None]:
    """Within the block the first request to end is answered and passed over, for the work is done; the next ends it."""
    asked = False

    def pass_over(number: int, end: Callable[[], object]) -> None:
        nonlocal asked
        if asked:
            end()
        asked = True
        errors().print("the study is done and its files are being written; interrupt again to do without them")

    with _ended_by(pass_over):
        yield


@contextmanager
def _ended_by(handle: Callable[[int, Callable[[], object]], None]) -> Iterator[None]:
    """Call `handle` at a signal to end, with its number and what would happen otherwise; not where that is nothing.

    So it is in threads other than the main one, which alone may install handlers.
    """
    main = threading.current_thread() is threading.main_thread()
    usual = {number: signal.getsignal(number) for number in ENDING if main and callable(signal.getsignal(number))}

    def answer(number: int, frame: Any) -> None:
        end: Any = usual[signal.Signals(number)]
        handle(number, lambda: end(number, frame))

    for number in usual:
        signal.signal(number, answer)
    try:
        yield
    finally:
        for number, end in usual.items():
            signal.signal(number, end)


def _tell(console: Console, study: Study, out: Path) -> None:
    console.print(rule(study), markup=False)
    console.print(_grid(study))
    _tell_asides(console, asides(study))
    console.print()
    for sentence in chosen(study):
        console.print(sentence, markup=False)
    console.print(Text(verdict(study), style="bold"))
    console.print(f"report  {out / REPORT}\nmodel   {out / MODEL}", markup=False, soft_wrap=True)


def tell_findings(console: Console, study: AnomalyStudy | ClusterStudy) -> None:
    """Print what checks found."""
    _tell_asides(console, (Aside(found.level, found.title, found.text) for found in study.findings))


def _tell_asides(console: Console, found: Iterable[Aside]) -> None:
    for aside in found:
        console.print(Text.assemble((f"{aside.title}. ", STYLES[aside.level]), aside.text))


def _grid(study: Study) -> Grid:
    grid = Grid(title="cross-validation on the training rows", title_justify="left")
    names, lines = ranking(study)
    grid.add_column("model")
    for name in names:
        grid.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        grid.add_row(Text(line.name, style="bold" if line.chosen else ""), *line.scores)
    return grid
