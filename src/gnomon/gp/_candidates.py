"""What Gaussian processes offer the command line: hyper-parameters are found at the maximum of the evidence.

Every `make` imports its class itself, so that registering costs nothing. The columns arrive standardised, for which one
width is sensible; the number of columns may differ from fold to fold, so that none has a width of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._registry import Candidate, Facts, register, register_warmup

AT_A_BOUND = r"lies on its (lower|upper) bound"
"""A part of the kernel that the table does not need: a plane, a wide law, noise."""


def _regressor(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.gp import GaussianProcessRegressor
    from gnomon.kernels import Constant, Linear, Matern

    kernel = Constant(1.0) * Matern(2.0, nu=2.5) + Constant(0.1) * Linear()
    return GaussianProcessRegressor(kernel, noise="learn", normalize_y=True)


def _classifier(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.gp import GaussianProcessClassifier
    from gnomon.kernels import Constant, Matern

    return GaussianProcessClassifier(Constant(4.0) * Matern(2.0, nu=2.5), integration="quadrature")


def _roughness(facts: Facts, matern: str) -> dict[str, Any]:
    """How often the function can be differentiated, which the evidence does not choose."""
    return {f"{matern}__nu": [0.5, 1.5, 2.5]}


def _few_rows(facts: Facts) -> bool:
    """The work is cubic in the number of rows, some dozens of times."""
    return facts.n_rows <= 1500 and not facts.sparse


def _very_few_rows(facts: Facts) -> bool:
    """Cubic in every step of Newton's method, for each class."""
    return facts.n_rows * max(1, facts.n_classes - 1) <= 1000 and not facts.sparse


for _candidate in (
    Candidate(
        "Gaussian process", "regression", _regressor, complexity=5.2, suits=_few_rows,
        space=partial(_roughness, matern="kernel__k1__k2"), usual_warnings=AT_A_BOUND,
        note="a smooth random function and a plane, given the rows; smoothness, amplitude and noise at the maximum of "
        "the evidence",
    ),
    Candidate(
        "Gaussian process classification", "classification", _classifier, complexity=5.2, suits=_very_few_rows,
        space=partial(_roughness, matern="kernel__k2"), usual_warnings=AT_A_BOUND,
        note="log-odds that are a smooth random function, given the labels, by Laplace's approximation; smoothness and "
        "amplitude at the maximum of the evidence",
    ),
):  # fmt: skip
    register(_candidate)


def _warm(make: Callable[[Facts | None, int], BaseEstimator], classes: int) -> None:
    """Fit a model once and predict."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    # A smooth function without noise would drive widths and strengths to their bounds.
    numbers = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=60)
    y = np.digitize(X[:, 0], np.linspace(-0.5, 0.5, classes - 1)) if classes else numbers
    make(None, 0).fit(X, y).predict(X)


def _warm_grids() -> None:
    """The recursions along the axes of a grid."""
    from gnomon.gp import GridInterpolator, spline_prefilter

    image = np.random.default_rng(0).normal(size=(12, 10))
    GridInterpolator().fit(image).predict_grid([np.linspace(0.0, 11.0, 20), np.linspace(0.0, 9.0, 15)])
    GridInterpolator("linear").fit(image).predict([[1.3, 2.4]])
    for boundary in ("mirror", "periodic", "gp"):
        spline_prefilter(image, 3, boundary)


for _name, _job in (
    ("gp: regression", partial(_warm, _regressor, 0)),
    ("gp: classification", partial(_warm, _classifier, 2)),
    ("gp: grids", _warm_grids),
):
    register_warmup(_name, _job)
