"""What a study has found, as one record that prints itself, predicts, and writes its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.pipeline import Pipeline

from gnomon._registry import Facts
from gnomon._typing import Array, Floats
from gnomon.io import Table, UserError
from gnomon.report._calibrate import CalibrationVerdict
from gnomon.report._choice import Choice
from gnomon.report._decisions import CostCurve, DecisionOutcome
from gnomon.report._drift import Drift
from gnomon.report._findings import Finding
from gnomon.report._judge import Importance, Judgement
from gnomon.report._kinds import ColumnKind
from gnomon.report._outcomes import ClassScore, HeldOutCase
from gnomon.report._responses import Response
from gnomon.report._rows_enough import RowsCurve
from gnomon.report._sets import SetOutcome
from gnomon.report._splits import Split
from gnomon.report._target import Target
from gnomon.report._threshold import ThresholdVerdict
from gnomon.report._trials import Trial
from gnomon.report._words_that_matter import WordEffect
from gnomon.report.origin import Rows, Source, given
from gnomon.report.scores import Score

__all__ = ["Study"]


@dataclass(frozen=True, repr=False, eq=False)
class Study:
    """All that `learn` found; it prints as the report begins.

    Parameters
    ----------
    table : Table
        What was studied.
    source : Source
        The name and the hash of the file that it is from, if any, and how that was read.
    labels : ndarray
        The classes as they were given, in the order of `target.classes`; empty for numbers.
    target : Target
        Name, task, values, rule.
    split : Split
        Training and held-out rows, folds, rule.
    scores : tuple of Score
        What every model is scored by; the first chooses.
    kinds : tuple of ColumnKind
        What each column is, and why an unused one is unused.
    findings : tuple of Finding
        The warnings, gravest first.
    trials : list of Trial
        Every candidate, the baseline first.
    choice : Choice
        Which was chosen and why.
    model : Pipeline
        Preparation and model, and what stands between its forecasts and an action: what a model file holds.
    judged : Pipeline
        Preparation and model, fitted on the training rows alone: what the held-out rows have judged.
    refitted : bool
        Whether `model` was fitted to all rows after that.
    judgement : Judgement
        The held-out scores.
    importances : list of Importance
        Permutation importances on held-out rows, greatest first.
    responses : list of Response
        How the forecast responds to the most important columns.
    rows_curve : RowsCurve or None
        Whether more rows would help; None for few rows, or where there was no time to see.
    coefficients : list of (str, float)
        Largest coefficients of a model that has one for each prepared column.
    shares : list of (str, float)
        What a tree or a forest itself counts as the importance of each prepared column.
    rules : str
        The upper part of a tree as text.
    by_class : list of ClassScore
        Precision, recall and F1 of each class on held-out rows.
    worst, unsure : list of HeldOutCase
        The held-out rows of largest loss, and those whose two most probable classes are closest.
    drift : Drift or None
        Whether the held-out rows are like the training rows; None for few rows, and for groups.
    words : list of WordEffect
        Words of texts that move the forecasts of held-out rows most.
    calibration : CalibrationVerdict or None
        Whether the probabilities go through a calibration map; None for numbers.
    threshold : ThresholdVerdict or None
        From which probability the second of two classes is predicted, where the first score is one of labels.
    decisions : DecisionOutcome or None
        What decisions cost on held-out rows, where costs or a prior are given.
    cost_curve : CostCurve or None
        Of two actions and classes: that cost over the threshold.
    sets : SetOutcome or None
        Sets or intervals, where a coverage is given.
    facts : Facts
        Shape of the training matrix of the chosen model.
    n_compared : int
        Training rows used for the comparison.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report import learn
    >>> x = np.random.default_rng(0).normal(size=(100, 2))
    >>> study = learn({"a": x[:, 0], "b": x[:, 1], "y": 2.0 * x[:, 0] + 0.1 * x[:, 1]}, "y")
    >>> study.choice.trial.candidate.name, len(study.split.train), len(study.judgement.y)
    ('least squares', 80, 20)
    >>> study.predict({"a": [1.0, 2.0], "b": [0.0, 0.0]}).round(1).tolist()
    [2.0, 4.0]
    """

    table: Table
    source: Source
    labels: Array
    target: Target
    split: Split
    scores: tuple[Score, ...]
    kinds: tuple[ColumnKind, ...]
    findings: tuple[Finding, ...]
    trials: list[Trial]
    choice: Choice
    model: Pipeline
    judged: Pipeline
    refitted: bool
    judgement: Judgement
    importances: list[Importance]
    responses: list[Response]
    rows_curve: RowsCurve | None
    coefficients: list[tuple[str, float]]
    shares: list[tuple[str, float]]
    rules: str
    by_class: list[ClassScore]
    worst: list[HeldOutCase]
    unsure: list[HeldOutCase]
    drift: Drift | None
    words: list[WordEffect]
    calibration: CalibrationVerdict | None
    threshold: ThresholdVerdict | None
    decisions: DecisionOutcome | None
    cost_curve: CostCurve | None
    sets: SetOutcome | None
    facts: Facts
    n_compared: int
    seed: int

    @property
    def classes_(self) -> Array:
        """The labels, in the order of the columns of `predict_proba`; none for numbers."""
        return self._labelled(self.model.classes_) if self.target.classes else self.labels

    def predict(self, X: Rows) -> Array:
        """What `model` says of new rows, in the labels of the target as it was given.

        They may be all that `learn` takes; a file is read as the one that was learned from.
        """
        said = self.model.predict(self._rows(X))
        return self._labelled(said) if self.target.classes else said

    def predict_proba(self, X: Rows) -> Floats:
        """The probability of each of `classes_`, for new rows."""
        if not self.target.classes:
            raise UserError(f"{self.target.name} is a number and has no probabilities; ask for predict")
        return self.model.predict_proba(self._rows(X))

    def report(self, path: str | Path) -> None:
        """Write the page, one HTML file with everything in it."""
        from gnomon.report.study_files import write_study_page

        write_study_page(self, path)

    def save(self, path: str | Path) -> None:
        """Write `model` to a file that `gnomon predict` and `gnomon.io.load` read."""
        from gnomon.report.study_files import write_study_model

        write_study_model(self, path)

    def __repr__(self) -> str:
        from gnomon.report.study_text import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from gnomon.report.study_text import as_html

        return as_html(self)

    def _rows(self, X: Rows) -> Table:
        return given(X, self.source.reading).table

    def _labelled(self, classes: Array) -> Array:
        return self.labels[np.searchsorted(self.target.classes, classes)]
