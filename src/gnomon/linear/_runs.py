"""Logged runs of the perceptron, one for each class against the rest.

    updates (t, i):    at visit t row i was a mistake                                             (1)

The weights after any visit are sums over the log.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from gnomon.linear._report import report
from gnomon.numerics.design import Design
from gnomon.numerics.validation import check_choice, check_integer, check_positive, validate_rows
from gnomon.optim import perceptron

__all__ = ["Run", "runs_against_rest"]


class Run(NamedTuple):
    """One binary problem and how the perceptron went through it."""

    design: Any
    signs: np.ndarray
    s: np.ndarray
    solution: Any

    def unpack(self, thetas):
        """(coefficients, intercepts) of several packed weights, in the type of X."""
        W, d = np.asarray(thetas), self.design.d
        b = W[:, d] if self.design.width > d else np.zeros(len(W))
        return np.ascontiguousarray(W[:, :d], dtype=self.design.dtype), b.astype(self.design.dtype)


def runs_against_rest(model, X, y):
    """Validate, run the perceptron from zero for every class, and set what it says about itself."""
    check_choice("selection", model.selection, ("shuffle", "cyclic", "random"))
    check_integer("max_iter", model.max_iter, 1)
    check_positive("eta0", model.eta0)
    X, y = validate_rows(model, X, y, accept_sparse="csr")
    check_classification_targets(y)
    model.classes_, index = np.unique(y, return_inverse=True)
    K = len(model.classes_)
    if K < 2:
        raise ValueError(f"y has only one class, {model.classes_.tolist()}; classification needs two or more classes")
    prices = compute_class_weight(model.class_weight, classes=model.classes_, y=y)
    s = prices[index].astype(float)
    design, rng = Design(X, "free" if model.fit_intercept else "none"), check_random_state(model.random_state)
    options = {"eta": float(model.eta0), "selection": model.selection, "max_iter": model.max_iter, "keep_log": True}
    runs = []
    for k in [1] if K == 2 else range(K):
        signs = np.where(index == k, 1.0, -1.0)
        solution = perceptron(design, signs, s, np.zeros((1, design.width)), random_state=rng, **options)
        runs.append(Run(design, signs, s, solution))
    report(model, [run.solution for run in runs])
    counts = np.array([run.solution.details["counts"] for run in runs])
    model.mistake_counts_ = counts[0] if len(runs) == 1 else counts
    model.n_updates_ = int(np.sum(counts))
    return runs
