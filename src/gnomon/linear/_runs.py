"""What runs of the perceptron have in common, and logged runs, one for each class against the rest.

    updates (t, i):    at visit t row i was a mistake                                             (1)

The weights after any visit are sums over the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from gnomon._typing import Array, ArrayLike, Floats, MatrixLike
from gnomon.base import validate_rows
from gnomon.base.callbacks import Tasks
from gnomon.linear._report import report
from gnomon.numerics.design import Design
from gnomon.optim import Solution, perceptron

__all__ = ["Run", "Visits", "check_classes", "report_mistakes", "runs_against_rest", "unpack"]

Visits: TypeAlias = Literal["shuffle", "cyclic", "random"]
"""The order in which logged runs look at the rows."""


class Run(NamedTuple):
    """One binary problem and how the perceptron went through it."""

    design: Design
    signs: Floats
    s: Floats
    solution: Solution[Floats]


def unpack(design: Design, thetas: ArrayLike) -> tuple[Floats, Floats]:
    """(coefficients, intercepts) of several packed weights, in the type of X."""
    W, b = design.split(np.asarray(thetas, dtype=design.dtype))
    return np.ascontiguousarray(W), np.zeros(len(W), dtype=design.dtype) + b


def check_classes(classes: Array) -> None:
    """ValueError unless there are two classes or more."""
    if len(classes) < 2:
        raise ValueError(f"y has only one class, {classes.tolist()}; classification needs two or more classes")


def report_mistakes(model: BaseEstimator, solutions: Sequence[Solution[Floats]]) -> None:
    """Set what the runs say about themselves."""
    report(model, solutions)
    counts = np.array([solution.details["counts"] for solution in solutions])
    model.mistake_counts_ = counts[0] if len(counts) == 1 else counts
    model.n_updates_ = int(np.sum(counts))


def runs_against_rest(model: BaseEstimator, X: MatrixLike, y: ArrayLike, told: Tasks) -> list[Run]:
    """Validate, run the perceptron from zero for every class, and set what it says about itself."""
    X, y = validate_rows(model, X, y, accept_sparse="csr")
    check_classification_targets(y)
    model.classes_, index = np.unique(y, return_inverse=True)
    check_classes(model.classes_)
    K = len(model.classes_)
    prices = compute_class_weight(model.class_weight, classes=model.classes_, y=y)
    s = prices[index].astype(float)
    design, rng = Design(X, "free" if model.fit_intercept else "none"), check_random_state(model.random_state)
    options: dict[str, Any] = {
        "eta": float(model.eta0),
        "selection": model.selection,
        "max_iter": model.max_iter,
        "keep_log": True,
        "random_state": rng,
    }
    runs = []
    for k in [1] if K == 2 else range(K):
        signs = np.where(index == k, 1.0, -1.0)
        theta = np.zeros((1, design.width))
        solution = perceptron(design, signs, s, theta, callback=told.rows(), **options)
        runs.append(Run(design, signs, s, solution))
    report_mistakes(model, [run.solution for run in runs])
    return runs
