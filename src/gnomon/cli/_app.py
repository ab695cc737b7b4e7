"""The commands and their options; the work is done in the other modules of this package.

Exit codes: 0 done, 1 an internal error, 2 an error that the user can fix, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from gnomon.cli._usage import check_cluster, check_learn

__all__ = ["app"]

TIME_LIMIT = 300.0

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Learn from a table, honestly: compare, choose, judge, report.",
)

SPLIT, CHOICE, DECISIONS = "Which rows belong together", "Choosing the model", "Deciding"
ANOMALIES, READING, LIMITS = "Anomalies", "Reading the file", "Limits"
"""Headings of options in --help."""

Data = Annotated[Path, typer.Argument(metavar="FILE", help="CSV (also .gz, .tsv) or Parquet, one row per case.")]
Target = Annotated[str | None, typer.Option("--target", "-t", help="The column to predict; for anomalies, of labels.")]
Task = Annotated[
    str | None, typer.Option(help="classification or regression, by default as the target says; or anomaly.")
]
AnomalyLabel = Annotated[
    str | None, typer.Option(help="Anomalies: their label; the rarer of two if not given.", rich_help_panel=ANOMALIES)
]
Contamination = Annotated[
    float | None,
    typer.Option(
        min=0.0, max=0.5, help="Anomalies without labels: the share of rows to flag.", rich_help_panel=ANOMALIES
    ),
]
Level = Annotated[
    float | None,
    typer.Option(
        min=0.5,
        max=0.9999,
        help="Anomalies without labels: probability of the region of good rows (0.95).",
        rich_help_panel=ANOMALIES,
    ),
]
Group = Annotated[
    str | None, typer.Option(help="Column whose equal values stay on one side of every split.", rich_help_panel=SPLIT)
]
Time = Annotated[
    str | None, typer.Option(help="Column that orders the rows; the past predicts the future.", rich_help_panel=SPLIT)
]
Drop = Annotated[list[str] | None, typer.Option(help="Column to leave out; may be given often.")]
Keep = Annotated[list[str] | None, typer.Option(help="Column to use though it looks like an identifier.")]
Rule = Annotated[
    str | None,
    typer.Option(
        help="Which model is chosen: simplest, of those as good as the best (so if not given); or best.",
        rich_help_panel=CHOICE,
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        help="The score that chooses: cost, or a scorer of scikit-learn: roc_auc, f1_macro, r2 …",
        rich_help_panel=CHOICE,
    ),
]
Costs = Annotated[
    Path | None,
    typer.Option(
        help="CSV of costs: a row for each action, named in the first column, a column for each class.",
        rich_help_panel=DECISIONS,
    ),
]
FnCost = Annotated[
    float | None, typer.Option(help="Two classes: what a missed positive costs.", rich_help_panel=DECISIONS)
]
FpCost = Annotated[float | None, typer.Option(help="Two classes: what a false alarm costs.", rich_help_panel=DECISIONS)]
Positive = Annotated[
    str | None,
    typer.Option(
        help="Two classes: the positive one; the second of the sorted names if not given.", rich_help_panel=DECISIONS
    ),
]
Prior = Annotated[
    float | None,
    typer.Option(
        help="Two classes: the share of positives where the model will be used, if another.", rich_help_panel=DECISIONS
    ),
]
Coverage = Annotated[
    float | None,
    typer.Option(
        help="Give sets of classes, or intervals, that hold the truth with this probability.", rich_help_panel=DECISIONS
    ),
]
Clusters = Annotated[
    int | None, typer.Option("--clusters", "-k", min=2, help="So many groups; found by itself if not given.")
]
Method = Annotated[str | None, typer.Option(help="How groups are made: k-means (so if not given), k-medoids or ward.")]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="The model.skops that learn or cluster wrote.")]
NewData = Annotated[
    Path | None,
    typer.Argument(metavar="[FILE]", help="Rows to predict, with the training file's columns; standard input if none."),
]
OutFile = Annotated[Path | None, typer.Option("--out", "-o", help="CSV file to write; standard output if not given.")]
Ids = Annotated[list[str] | None, typer.Option("--id", help="Column to copy beside the predictions; may be repeated.")]
Threshold = Annotated[
    float | None, typer.Option(help="Two classes: the second where its probability is above; anomalies: at or below.")
]
Proba = Annotated[bool, typer.Option("--proba", help="Add the probability of every class.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the report and the model.")]
GroupsOut = Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the report, the labels and the model.")]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        min=1.0,
        help="Seconds that all may take (300); what there was no time for is said.",
        rich_help_panel=CHOICE,
    ),
]
Single = Annotated[
    bool, typer.Option("--single", help="Choose one model, never the mean of several.", rich_help_panel=CHOICE)
]
Search = Annotated[
    bool, typer.Option("--search", help="Tune the best few models, within the time limit.", rich_help_panel=CHOICE)
]
NoRefit = Annotated[
    bool,
    typer.Option(
        "--no-refit", help="Write the model that was judged, without the held-out rows.", rich_help_panel=CHOICE
    ),
]
Seed = Annotated[int, typer.Option(min=0, max=2**31, help="Seed of every random choice.")]
Jobs = Annotated[int, typer.Option(min=1, help="Processes that compile at the same time.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the outcome as JSON instead.")]
Delimiter = Annotated[
    str | None, typer.Option(help="What separates fields; found by itself if not given.", rich_help_panel=READING)
]
Encoding = Annotated[str, typer.Option(help="Encoding of the text, for example latin-1.", rich_help_panel=READING)]
Missing = Annotated[
    list[str] | None,
    typer.Option(help="A further cell that means missing; may be given often.", rich_help_panel=READING),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="COLUMN=TYPE",
        help="number, category, date or text; may be repeated.",
        rich_help_panel=READING,
    ),
]
LearnedDelimiter = Annotated[
    str | None, typer.Option(help="What separates fields; as in training if not given.", rich_help_panel=READING)
]
LearnedEncoding = Annotated[
    str | None, typer.Option(help="Encoding of the text; as in training if not given.", rich_help_panel=READING)
]
Groups = Annotated[list[str] | None, typer.Argument(help="Words of the groups of kernels to compile; all if none.")]
Clear = Annotated[bool, typer.Option("--clear", help="Delete them.")]
Host = Annotated[
    str | None, typer.Option(help="Address to listen at, for others in the network; only this machine if not given.")
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 finds a free one.")]
SizeLimit = Annotated[
    float, typer.Option(min=0.001, max=1000.0, help="Megabytes that a request may have.", rich_help_panel=LIMITS)
]
RowLimit = Annotated[int, typer.Option(min=1, help="Rows that a request may have.", rich_help_panel=LIMITS)]
AnswerLimit = Annotated[
    float, typer.Option("--time-limit", min=0.1, help="Seconds that a request may take.", rich_help_panel=LIMITS)
]
RequestLimit = Annotated[
    int, typer.Option(min=1, help="Requests at work at the same time; others wait.", rich_help_panel=LIMITS)
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="The first line names the columns, or is data: column_1, column_2 …",
        rich_help_panel=READING,
    ),
]


@app.command()
def learn(
    data: Data,
    target: Target = None,
    out: Out = None,
    task: Task = None,
    group: Group = None,
    time: Time = None,
    drop: Drop = None,
    keep: Keep = None,
    rule: Rule = None,
    metric: Metric = None,
    time_limit: TimeLimit = None,
    single: Single = False,
    search: Search = False,
    no_refit: NoRefit = False,
    costs: Costs = None,
    fn_cost: FnCost = None,
    fp_cost: FpCost = None,
    positive: Positive = None,
    prior: Prior = None,
    coverage: Coverage = None,
    anomaly_label: AnomalyLabel = None,
    contamination: Contamination = None,
    level: Level = None,
    seed: Seed = 0,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    header: Header = None,
    missing: Missing = None,
    types: Types = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare the models that suit a table, choose one, judge it on held-out rows, write report and model."""
    begun = perf_counter()
    labelled = {"group": group, "time": time, "rule": rule, "metric": metric, "time_limit": time_limit}
    flags = {"single": single or None, "search": search or None, "no_refit": no_refit or None}
    numbers = {"fn_cost": fn_cost, "fp_cost": fp_cost, "positive": positive, "prior": prior, "coverage": coverage}
    anomalies = {"anomaly_label": anomaly_label, "contamination": contamination, "level": level}
    check_learn(
        data, target, task, _as_options({**labelled, **flags, "costs": costs, **numbers}), _as_options(anomalies)
    )
    from gnomon.cli import _anomalies, _learn
    from gnomon.cli._guard import TO_COMPILE, guarded

    reading = {"delimiter": _character(delimiter), "encoding": encoding, "header": header, "missing": missing or []}
    common = {"drop": drop or (), "keep": keep or (), "seed": seed}
    run: Any
    with guarded(memory=TO_COMPILE):
        run, own = (
            (_anomalies.run, anomalies)
            if task == "anomaly"
            else (
                partial(_learn.run, begun=begun),
                {
                    "task": task,
                    **labelled,
                    "time_limit": time_limit or TIME_LIMIT,
                    "single": single,
                    "search": search,
                    "refit": not no_refit,
                    "aims": _learn.aims(costs, **numbers),
                },
            )
        )
        run(
            data,
            target,
            out=out,
            reading=reading,
            choices={**common, "types": _types(types or []), **{k: v for k, v in own.items() if v is not None}},
            as_json=as_json,
            quiet=quiet,
        )


@app.command()
def cluster(
    data: Data,
    out: GroupsOut = None,
    clusters: Clusters = None,
    method: Method = None,
    drop: Drop = None,
    keep: Keep = None,
    seed: Seed = 0,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    header: Header = None,
    missing: Missing = None,
    types: Types = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find out whether rows form groups, how many, and what they are like; write report, labels and model."""
    check_cluster(data, method)
    from gnomon.cli._cluster import run
    from gnomon.cli._guard import TO_COMPILE, guarded

    reading = {"delimiter": _character(delimiter), "encoding": encoding, "header": header, "missing": missing or []}
    with guarded(memory=TO_COMPILE):
        asked = {"n_clusters": clusters, "method": method}
        choices: dict[str, Any] = {"drop": drop or (), "keep": keep or (), "seed": seed, "types": _types(types or [])}
        choices |= {name: value for name, value in asked.items() if value is not None}
        run(data, out=out, reading=reading, choices=choices, as_json=as_json, quiet=quiet)


@app.command()
def predict(
    model: Model,
    data: NewData = None,
    out: OutFile = None,
    proba: Proba = False,
    threshold: Threshold = None,
    ids: Ids = None,
    delimiter: LearnedDelimiter = None,
    encoding: LearnedEncoding = None,
    header: Header = None,
    missing: Missing = None,
) -> None:
    """Predict the rows of a file with a model that learn or cluster wrote, in their order, beside their identifiers."""
    from gnomon.cli._guard import guarded
    from gnomon.cli._predict import run

    with guarded():
        given = {"delimiter": _character(delimiter), "encoding": encoding, "header": header, "missing": missing}
        reading = {option: value for option, value in given.items() if value is not None}
        run(model, data, out=out, proba=proba, threshold=threshold, ids=ids or [], reading=reading)


@app.command()
def serve(
    model: Model,
    host: Host = None,
    port: Port = 8000,
    proba: Proba = False,
    threshold: Threshold = None,
    ids: Ids = None,
    size_limit: SizeLimit = 10.0,
    row_limit: RowLimit = 100_000,
    time_limit: AnswerLimit = 30.0,
    request_limit: RequestLimit = 16,
    delimiter: LearnedDelimiter = None,
    encoding: LearnedEncoding = None,
    header: Header = None,
    missing: Missing = None,
) -> None:
    """Answer JSON and CSV over HTTP on this machine, and a form in the browser that says why."""
    from gnomon.cli._guard import guarded
    from gnomon.cli._serve import run

    with guarded():
        given = {"delimiter": _character(delimiter), "encoding": encoding, "header": header, "missing": missing}
        reading = {option: value for option, value in given.items() if value is not None}
        limits = (size_limit, row_limit, time_limit, request_limit)
        run(model, host, port, proba=proba, threshold=threshold, ids=ids or [], limits=limits, reading=reading)


@app.command()
def demo(out: Out = None, seed: Seed = 0, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Run learn on a small table that comes with gnomon."""
    from gnomon.cli._guard import TO_COMPILE, guarded
    from gnomon.cli._learn import run_demo

    with guarded(memory=TO_COMPILE):
        run_demo(out=out, seed=seed, as_json=as_json, quiet=quiet)


@app.command()
def warmup(groups: Groups = None, jobs: Jobs = 1, quiet: Quiet = False) -> None:
    """Compile all kernels now, so that the first use of each is fast."""
    from gnomon.cli._guard import TO_COMPILE, guarded
    from gnomon.cli._warmup import run

    with guarded(memory=TO_COMPILE):
        run(groups or (), jobs=jobs, quiet=quiet)


@app.command()
def cache(clear: Clear = False) -> None:
    """Show where compiled kernels are kept and how large they are."""
    from gnomon.cli._cache import run
    from gnomon.cli._guard import guarded

    with guarded():
        run(clear=clear)


def _as_options(choices: Mapping[str, object]) -> dict[str, object]:
    """Parameters under the names that the user gives them."""
    return {f"--{name.replace('_', '-')}": value for name, value in choices.items()}


def _character(delimiter: str | None) -> str | None:
    r"""The delimiter as one character; the word tab and the letters \t mean the tabulator."""
    return None if delimiter is None else {"tab": "\t", r"\t": "\t"}.get(delimiter, delimiter)


def _types(options: list[str]) -> dict[str, str]:
    """Options like price=number as a dict; the name may hold an equals sign, the type does not."""
    from gnomon.io import UserError

    if bad := [option for option in options if not all(option.rpartition("=")[::2])]:
        raise UserError(f"--type {bad[0]}: give COLUMN=TYPE, for example --type price=number")
    return {option.rpartition("=")[0]: option.rpartition("=")[2] for option in options}


def _version(wanted: bool) -> None:
    if wanted:
        import gnomon

        typer.echo(f"gnomon {gnomon.__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")]


@app.callback()
def options(version: Version = False) -> None:
    """Learn from a table, honestly: compare, choose, judge, report."""
