"""`gnomon learn` against a careful expert on 25 real files: the same rows to learn from, the same rows held out.

    ratio = held-out loss of ours / held-out loss of the expert,    loss: log loss, or RMSE                     (1)

reported for every file, with the geometric mean over all. What the expert does is in `benchmarks._expert`. Of large
files a random part of the rows is taken, in their order.
"""

import gzip
import io
import time
from dataclasses import dataclass, field

import numpy as np

from benchmarks._data import REAL

__all__ = ["PACKAGES", "ROWS", "contest"]

PACKAGES = ()

LIMIT = 60.0
"""Seconds for each file; the expert's pipelines take less."""
QUICK_ROWS = 200


@dataclass(frozen=True)
class File:
    """One file of the contest.

    Parameters
    ----------
    name : str
        Its path below the folder of real data.
    target : str
        The column to predict.
    rows : int, optional
        How many rows are taken, if not all.
    header : bool, default=True
        Whether the first line names the columns.
    choices : dict
        Further arguments of `gnomon.report.learn`.
    """

    name: str
    target: str
    rows: int | None = None
    header: bool = True
    choices: dict = field(default_factory=dict)

    def table(self, most=None):
        """The table, with at most so many rows."""
        from gnomon.io import Table, read_table

        path = REAL / self.name
        if path.suffix == ".npz":
            with np.load(path) as stored:
                columns = np.column_stack([stored["X"], stored["y"]])
            table = Table({f"column_{k + 1}": columns[:, k] for k in range(columns.shape[1])})
        else:
            table = read_table(_with_names(path), header=self.header, missing=["?"])
        limit = min(most or len(table), self.rows or len(table))
        return table.take(np.sort(np.random.default_rng(0).permutation(len(table))[:limit]))


def _with_names(path):
    """The file, or its text with a name for the column of row numbers, which R leaves without one."""
    if not path.name.startswith("occupancy"):
        return path
    with gzip.open(path, "rb") as stream:
        return io.BytesIO(b'"number",' + stream.read())


ROWS = (
    File("tabular/adult_train.csv.gz", "income", 6000),
    File("tabular/german.csv.gz", "column_21", header=False),
    File("tabular/horse-colic.csv.gz", "column_24", header=False),
    File("tabular/ecoli.csv.gz", "column_8", header=False),
    File("tabular/sonar.csv.gz", "column_61", header=False),
    File("tabular/ionosphere.csv.gz", "column_35", header=False),
    File("tabular/pima-indians-diabetes.csv.gz", "column_9", header=False),
    File("tabular/phoneme.csv.gz", "column_6", header=False),
    File("tabular/mammography.csv.gz", "column_7", 6000, header=False),
    File("tabular/covtype_sample.csv.gz", "Cover_Type", 5000),
    File("tabular/creditcard_fraud_sample.csv.gz", "Class"),
    File("esl/spam.csv.gz", "spam"),
    File("esl/SAheart.csv.gz", "chd"),
    File("rbooks/ISLR_OJ.csv.gz", "Purchase"),
    File("text/sms_spam.tsv.gz", "column_1", header=False),
    File("sequences/occupancy_datatraining.txt.gz", "Occupancy", choices={"time": "date"}),
    File("anomaly/nsl_kdd_train_20percent.txt.gz", "column_42", 10_000, header=False, choices={"drop": ["column_43"]}),
    File("tabular/california_housing.csv.gz", "median_house_value", 6000),
    File("tabular/abalone.csv.gz", "column_9", header=False),
    File("tabular/auto_imports.csv.gz", "column_26", header=False),
    File("rbooks/ISLR_Hitters.csv.gz", "Salary"),
    File("uci_regression/concrete.npz", "column_9"),
    File("uci_regression/energy.npz", "column_9"),
    File("uci_regression/kin8nm.npz", "column_9", 5000),
    File("uci_regression/wine-quality-red.npz", "column_12", choices={"task": "regression"}),
)


def contest(files, *, quick=False):
    """A line for each file."""
    return [_line(file, quick=quick) for file in files]


def _line(file, *, quick):
    if not (REAL / file.name).exists():
        return {"file": file.name, "verdict": f"absent (set GNOMON_DATA, now {REAL})"}
    from benchmarks._expert import expert
    from gnomon.report import learn
    from gnomon.report._kinds import as_kinds, used_kinds
    from gnomon.report.scores import SCORES

    table = file.table(QUICK_ROWS if quick else None)
    started = time.perf_counter()
    study = learn(table, file.target, rule="best", time_limit=LIMIT, **file.choices)
    ours = time.perf_counter() - started
    loss = SCORES[study.target.task][0]
    used = used_kinds([_as_feature(kind, table, file) for kind in study.kinds])
    read, rows = as_kinds(table, used), study.target.rows
    train, test = study.split.train, study.split.test
    started = time.perf_counter()
    rival = expert(
        read.take(rows[train]), used, study.target.y[train], study.split.folds, read.take(rows[test]),
        study.target.classes,
    )  # fmt: skip
    theirs = time.perf_counter() - started
    reached, bar = study.judgement.scores[loss.name], loss.of(study.judgement.y, rival.forecast)
    return {
        "file": file.name,
        "rows": len(rows),
        "loss": loss.name,
        "ours": reached,
        "chosen": study.choice.trial.candidate.name,
        "seconds": ours,
        "expert": bar,
        "expert_chosen": rival.chosen,
        "expert_seconds": theirs,
        "ratio": reached / bar,
        "verdict": "over its limit" if ours > LIMIT else "",
    }


def _as_feature(kind, table, file):
    """The kind of a column for the expert, who may use the hour of the column that orders the rows."""
    from gnomon.report._kinds import infer_kinds

    ordering = file.choices.get("time")
    return infer_kinds(table, [ordering], keep=[ordering])[ordering] if kind.name == ordering else kind
