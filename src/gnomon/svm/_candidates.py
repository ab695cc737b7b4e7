"""What kernel machines offer the command line: models with their strengths of penalty found by cross-validation.

Every `make` imports its class itself, so that registering costs nothing. The columns arrive standardised, for which 1/d
is a sensible γ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from gnomon._registry import Candidate, Facts, register, register_warmup

INNER_FOLDS = 3


def _kernel_ridge(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.svm import KernelRidgeCV

    return KernelRidgeCV(alphas=np.logspace(-4, 2, 13), kernel="rbf", parametric="constant")


def _kernel_logistic(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.svm import KernelLogisticRegression

    machine = KernelLogisticRegression(gamma="auto", tol=1e-5)
    return GridSearchCV(machine, {"C": (0.1, 1.0, 10.0)}, cv=INNER_FOLDS, scoring="neg_log_loss")


def _classifier(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.svm import SVC

    return _priced(SVC(gamma="auto"), facts)


def _regressor(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.svm import SVR

    # The width of the tube has the unit of the target.
    return TransformedTargetRegressor(_priced(SVR(gamma="auto"), facts), transformer=StandardScaler())


def _all_classes(facts: Facts | None, random_state: int) -> BaseEstimator:
    """Not compared: what it compiles is used by every machine of several functions."""
    from gnomon.svm import MulticlassSVC

    return MulticlassSVC("ww", gamma="auto")


def _priced(machine: BaseEstimator, facts: Facts | None) -> BaseEstimator:
    """The machine with C found by cross-validation where fits are cheap, else with C = 1."""
    return GridSearchCV(machine, {"C": (1.0, 10.0)}, cv=INNER_FOLDS) if facts and _very_few_rows(facts) else machine


def _width(facts: Facts, prefix: str = "") -> dict[str, Any]:
    """γ around 1/d."""
    from scipy.stats import loguniform

    d = max(facts.n_features, 1)
    return {f"{prefix}gamma": loguniform(0.03 / d, 5.0 / d)}


def _width_and_price(facts: Facts, prefix: str = "") -> dict[str, Any]:
    """γ, and C where no cross-validation within a fit finds it."""
    from scipy.stats import loguniform

    if _very_few_rows(facts):
        return _width(facts, f"{prefix}estimator__")
    return {**_width(facts, prefix), f"{prefix}C": loguniform(0.1, 100.0)}


def _thousands(facts: Facts) -> bool:
    """A fit of 5000 rows takes a second, and is repeated for folds and calibration; columns of words have no width."""
    return facts.n_rows <= 5000 and not facts.sparse


def _few_rows(facts: Facts) -> bool:
    """The work is cubic in the number of rows."""
    return facts.n_rows <= 2000


def _very_few_rows(facts: Facts) -> bool:
    """Cubic in every step of every fit, of which there are many."""
    return facts.n_rows <= 1000


for _candidate in (
    Candidate(
        "kernel ridge regression", "regression", _kernel_ridge, complexity=5.0, suits=_few_rows, space=_width,
        note="a sum of Gaussian bumps at the rows, penalty ‖f‖²; strength by leave-one-out cross-validation",
    ),
    Candidate(
        "kernel logistic regression", "classification", _kernel_logistic, complexity=5.0, suits=_very_few_rows,
        space=partial(_width, prefix="estimator__"),
        note="log-odds that are a sum of Gaussian bumps at the rows, penalty ‖f‖²; strength by 3-fold cross-validation",
    ),
    Candidate(
        "support vector machine", "classification", _classifier, complexity=5.5, suits=_thousands, probabilities=False,
        space=_width_and_price,
        note="a margin between classes, curved by Gaussian bumps at the rows nearest to it; C by 3-fold "
        "cross-validation up to 1000 rows",
    ),
    Candidate(
        "support vector regression", "regression", _regressor, complexity=5.5, suits=_thousands,
        space=partial(_width_and_price, prefix="regressor__"),
        note="a sum of Gaussian bumps at the rows outside a tube; C by 3-fold cross-validation up to 1000 rows",
    ),
):  # fmt: skip
    register(_candidate)


FEW = ((60, 3),)
"""Rows and columns."""

MANY = (1500, 3), (1500, 6)
"""Rows for which a machine keeps rows of K in single precision and leaves some out; distances of few columns and of
more have kernels of their own."""


def _warm(
    make: Callable[[Facts | None, int], BaseEstimator], classes: int, shapes: Sequence[tuple[int, int]] = FEW
) -> None:
    """Fit a model to a table of each shape, and predict."""
    rng = np.random.default_rng(0)
    for n, d in shapes:
        X = rng.normal(size=(n, d))
        y = X[:, 0] + 0.5 * rng.normal(size=n)
        make(None, 0).fit(X, np.digitize(y, np.linspace(-0.5, 0.5, classes - 1)) if classes else y).predict(X)


for _name, _make, _classes in (
    ("svm: kernel ridge", _kernel_ridge, 0),
    ("svm: kernel logistic regression", _kernel_logistic, 2),
    ("svm: kernel logistic regression, three classes", _kernel_logistic, 3),
    ("svm: support vector machine", _classifier, 2),
    ("svm: all classes at once", _all_classes, 3),
    ("svm: support vector regression", _regressor, 0),
):
    register_warmup(_name, partial(_warm, _make, _classes))
# Regression has the same kernels.
register_warmup("svm: many rows", partial(_warm, _classifier, 2, MANY))
