"""Whether more rows would help: the loss of the chosen model when it learns from fewer.

    l(n/4), l(n/2), l(n),    over three of the folds                                                              (1)

More rows are said to help if the loss falls from n/2 to n by more than one standard error of the difference, and not to
help if it does not fall. Figueroa et al. (2012), Predicting sample size required for classification performance,
doi:10.1186/1472-6947-12-8.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon._typing import Array, Floats, Integers
from gnomon.io import Table
from gnomon.report._budget import Budget
from gnomon.report._trials import Folds, Trial
from gnomon.report.scores import Score, forecast, rounded, standard_error

__all__ = ["RowsCurve", "rows_curve"]

SHARES = (0.25, 0.5)
MOST_FOLDS = 3
FEWEST_ROWS = 100
SHARE_OF_TIME = 0.25


@dataclass(frozen=True)
class RowsCurve:
    """Numbers of rows, the scores (1) with a row for each of the folds, and the verdict as a sentence."""

    rows: Integers
    scores: Floats
    helps: bool
    verdict: str


def rows_curve(
    fit: Callable[[Table, Array], Any],
    trial: Trial,
    table: Table,
    y: Array,
    folds: Folds,
    classes: tuple[str, ...],
    score: Score,
    budget: Budget,
    seed: int,
) -> RowsCurve | None:
    """The curve (1) of a trial; None for few rows, or where the time does not suffice."""
    used = folds[:MOST_FOLDS]
    per_fold = trial.seconds / max(len(folds), 1)
    if len(used) < 2 or len(used[0][0]) < FEWEST_ROWS:
        return None
    if sum(SHARES) * len(used) * per_fold > SHARE_OF_TIME * budget.left:
        budget.miss("whether more rows would help")
        return None
    rng = np.random.default_rng(seed)
    scores = np.empty((len(used), len(SHARES) + 1))
    scores[:, -1] = trial.scores[score.name][: len(used)]
    for i, (train, test) in enumerate(used):
        order = rng.permutation(train)
        for j, share in enumerate(SHARES):
            some = np.sort(order[: int(share * len(order))])
            if classes and len(np.unique(y[some])) < len(classes):
                return None
            with warnings.catch_warnings():
                # A warning of a fit with fewer rows says nothing of the model that was chosen.
                warnings.simplefilter("ignore")
                try:
                    model = fit(table.take(some), y[some])
                except ValueError:  # too few rows of a class for the folds within a fit
                    return None
            scores[i, j] = score.of(y[test], forecast(model, table.take(test), classes))
    if not np.all(np.isfinite(scores)):  # not defined for what a model of fewer rows says
        return None
    # Later folds of rows in time have more rows.
    most = float(np.mean([len(train) for train, _ in used]))
    rows = np.array([int(share * most) for share in (*SHARES, 1.0)])
    gains = score.sign * (scores[:, -2] - scores[:, -1])
    gain, error = float(np.mean(gains)), standard_error(gains, used)
    helps = gain > error
    change = f"{score.improves} by {rounded(gain, 2)} ± {rounded(error, 2)}"
    if gain <= 0.0:
        change = f"does not {score.improves.removesuffix('s')}"
    said = f"from {rows[-2]} to {rows[-1]} rows the {score.name} {change}"
    return RowsCurve(rows, scores, helps, f"{_opinion(gain, error)}: {said}.")


def _opinion(gain: float, error: float) -> str:
    """What (1) says; where the loss falls by less than its error, it is not known."""
    if gain > error:
        return "More rows would help"
    return "It is not clear that more rows would help" if gain > 0.0 else "More rows like these would hardly help"
