"""Sets of classes, or intervals of numbers, that hold the truth with a given probability.

    coverage ~ Beta(n + 1 − l, l),    l = ⌊(n + 1)(1 − c)⌋,    over calibration sets of n rows                     (1)

The held-out rows calibrate: the model has not seen them, and its scores there need none of this. What the sets will
cover among rows like these is therefore at least c in the mean, and (1) says how far from c it may be. Vovk (2012),
Conditional validity of inductive conformal predictors, PMLR 25.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import beta

from gnomon._typing import Array, Matrix
from gnomon.decision import ConformalClassifier, ConformalRegressor
from gnomon.report.scores import rounded

__all__ = ["SetOutcome", "calibrated_sets"]


@dataclass(frozen=True)
class SetOutcome:
    """The sets, their coverage and its 95 % range by (1), and how large they are on the held-out rows, in words.

    `by_class` says that every class has the coverage by itself, which holds under another prior too; `rows` are then
    those of the rarest. `shortage` says what follows where they are too few; it is empty otherwise.
    """

    sets: ConformalClassifier | ConformalRegressor
    coverage: float
    rows: int
    range: tuple[float, float]
    by_class: bool
    size: str

    @property
    def shortage(self) -> str:
        """What too few rows lead to, in a sentence: l of (1) is then 0."""
        needed = int(np.ceil(self.coverage / (1.0 - self.coverage) - 1e-9))
        if self.rows >= needed:
            return ""
        whose = "rows of the rarest class" if self.by_class else "held-out rows"
        of_all = "every set holds all classes" if isinstance(self.sets, ConformalClassifier) else "no interval has ends"
        return (
            f"{self.rows} {whose} calibrate, and a coverage of {self.coverage:g} needs {needed}, so "
            f"{'every set holds that class' if self.by_class else of_all}: give more rows, or ask for less."
        )


def calibrated_sets(model: Any, X: Matrix, y: Array, coverage: float, *, by_class: bool) -> SetOutcome:
    """Sets around a fitted model, calibrated by rows that it has not seen."""
    of_classes = hasattr(model, "classes_")
    with warnings.catch_warnings():
        # Too few rows give sets of everything: `size` says so.
        warnings.simplefilter("ignore")
        if of_classes:
            by = "class" if by_class else None
            sets: Any = ConformalClassifier(model, coverage=coverage, method="prefit", by=by).fit(X, y)
            sizes = sets.predict_set(X).size
            size = ", ".join(f"{np.mean(sizes == k):.0%} hold {_classes(k)}" for k in np.unique(sizes).tolist())
        else:
            sets = ConformalRegressor(model, coverage=coverage, method="prefit").fit(X, y)
            width = float(np.median(sets.predict_interval(X).width))
            size = (
                f"the prediction ± {rounded(width / 2)}" if np.isfinite(width) else "unbounded: too few rows calibrate"
            )
    n = int(np.unique(y, return_counts=True)[1].min()) if of_classes and by_class else len(y)
    left = int(np.floor((n + 1) * (1.0 - coverage) + 1e-9))
    low, high = beta.ppf([0.025, 0.975], n + 1 - left, left).tolist() if left >= 1 else (1.0, 1.0)
    return SetOutcome(sets, coverage, n, (low, high), of_classes and by_class, size)


def _classes(k: int) -> str:
    return {0: "no class", 1: "one class"}.get(k, f"{k} classes")
