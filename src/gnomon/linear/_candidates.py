"""What the linear family offers the command line: models with their strengths of penalty found by cross-validation.

Every `make` imports its class itself, so that registering costs nothing. The columns arrive standardised.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.preprocessing import StandardScaler

from gnomon._registry import Candidate, Facts, register, register_warmup
from gnomon._typing import Floats

INVERSE_STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
INNER_FOLDS = 3


def _least_squares(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.linear import LinearRegression

    # A column per level makes X singular by design; the solution of least norm predicts as any other does.
    return LinearRegression(on_singular="ignore")


def _ridge(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.linear import RidgeCV

    return RidgeCV(alphas=np.logspace(-3, 5, 17))


def _lasso(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.linear import LassoCV

    return LassoCV(cv=INNER_FOLDS)


def _elastic_net(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.linear import ElasticNetCV

    # Half of the penalty is ‖w‖², whose strength depends on the unit of the target.
    return TransformedTargetRegressor(ElasticNetCV(l1_ratio=0.5, cv=INNER_FOLDS), transformer=StandardScaler())


def _logistic(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.linear import LogisticRegressionCV

    return LogisticRegressionCV(
        Cs=INVERSE_STRENGTHS, cv=INNER_FOLDS, scoring="neg_log_loss", solver="auto", max_iter=1000
    )


def _sparse_logistic(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.linear import LogisticRegressionCV

    return LogisticRegressionCV(
        Cs=INVERSE_STRENGTHS[:3], l1_ratios=(1.0,), cv=INNER_FOLDS, scoring="neg_log_loss", solver="saga", max_iter=300
    )


def _linear_svm(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.linear import LinearSVC

    return LinearSVC(C=0.1, random_state=random_state)


def _mixture(facts: Facts) -> dict[str, Any]:
    """The share of ‖w‖₁ in the penalty; its strength is found within a fit."""
    from scipy.stats import uniform

    return {"regressor__l1_ratio": uniform(0.05, 0.9)}


def _price(facts: Facts) -> dict[str, Any]:
    """What a row within the margin costs."""
    from scipy.stats import loguniform

    return {"C": loguniform(1e-3, 10.0)}


def _coefficients(model: BaseEstimator) -> Floats:
    return model.coef_


def _rescaled_coefficients(model: BaseEstimator) -> Floats:
    return model.transformer_.scale_[0] * np.ravel(model.regressor_.coef_)


def _well_determined(facts: Facts) -> bool:
    return facts.n_rows >= 5 * facts.n_features


def _moderate(facts: Facts) -> bool:
    return facts.n_rows * facts.n_features * max(1, facts.n_classes) <= 2e8


for _candidate in (
    Candidate(
        "lasso", "regression", _lasso, complexity=1.0, explain=_coefficients,
        note="least squares with a penalty ‖w‖₁ that removes columns; strength by 3-fold cross-validation",
    ),
    Candidate(
        "elastic net", "regression", _elastic_net, complexity=2.0, explain=_rescaled_coefficients, space=_mixture,
        note="least squares with half ‖w‖₁, half ‖w‖²; strength by 3-fold cross-validation",
    ),
    Candidate(
        "ridge regression", "regression", _ridge, complexity=3.0, explain=_coefficients,
        note="least squares with a penalty ‖w‖²; strength by leave-one-out cross-validation",
    ),
    Candidate(
        "ridge regression on means of levels", "regression", _ridge, complexity=3.2, levels="means",
        explain=_coefficients,
        note="ridge regression; each level of a category is the mean of the target over its rows",
    ),
    Candidate(
        "least squares", "regression", _least_squares, complexity=4.0, suits=_well_determined, explain=_coefficients,
        note="least squares without a penalty",
    ),
    Candidate(
        "sparse logistic regression", "classification", _sparse_logistic, complexity=1.0, suits=_moderate,
        explain=_coefficients,
        note="log-odds linear in the columns, penalty ‖w‖₁ that removes columns; strength by 3-fold cross-validation",
    ),
    Candidate(
        "logistic regression", "classification", _logistic, complexity=2.0, explain=_coefficients,
        note="log-odds linear in the columns, penalty ‖w‖²; strength by 3-fold cross-validation",
    ),
    Candidate(
        "logistic regression on means of levels", "classification", _logistic, complexity=2.2, levels="means",
        explain=_coefficients,
        note="logistic regression; each level of a category is the shares of the classes among its rows",
    ),
    Candidate(
        "linear support vector machine", "classification", _linear_svm, complexity=3.0, probabilities=False,
        space=_price,
        note="the widest margin, squared hinge loss, penalty ‖w‖²; probabilities by a sigmoid of the score",
    ),
):  # fmt: skip
    register(_candidate)


def _warm(make: Callable[[Facts | None, int], BaseEstimator], classes: int) -> None:
    """Fit a model once on dense and once on sparse rows."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.digitize(X[:, 0], np.linspace(-0.5, 0.5, classes - 1)) if classes else X[:, 0] + 0.1 * X[:, 1]
    for rows in (X, sp.csr_array(X)):
        make(None, 0).fit(rows, y)


for _name, _make, _classes in (
    ("linear: least squares", _least_squares, 0),
    ("linear: ridge", _ridge, 0),
    ("linear: lasso", _lasso, 0),
    ("linear: elastic net", _elastic_net, 0),
    ("linear: logistic regression", _logistic, 2),
    ("linear: logistic regression, three classes", _logistic, 3),
    ("linear: sparse logistic regression", _sparse_logistic, 2),
    ("linear: support vector machine", _linear_svm, 2),
):
    register_warmup(_name, partial(_warm, _make, _classes))
