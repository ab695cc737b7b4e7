"""Under-fitting, over-fitting, and the norm of the coefficients.

    over:  mean validation error > least + one standard error, on the complex side, while the training error falls
    under: the same excess on the simple side                                                          (1)

Geman, Bienenstock & Doursat (1992), doi:10.1162/neco.1992.4.1.1; the standard error as yardstick: Breiman, Friedman,
Olshen & Stone (1984), section 3.4.3. A growing ‖w‖ is a sign of over-fitting that needs no validation rows.
"""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import cross_validate
from sklearn.pipeline import Pipeline

from gnomon._typing import ArrayLike, Floats, Folds, MatrixLike, Scoring

__all__ = ["FitDiagnosis", "diagnose_fit"]

Regime: TypeAlias = Literal["under", "good", "over"]


class FitDiagnosis(NamedTuple):
    """Errors and norms over a parameter, and the regime of each value.

    Fields
    ------
    values : list
        Of the parameter, from simple to complex.
    train, validation, standard_error : ndarray
        Mean errors over the folds, and the standard error of the second.
    norms : ndarray
        Mean ‖w‖ over the folds; nan where the model has no `coef_`.
    regimes : list of {"under", "good", "over"}
    best : int
        Index of the least validation error.

    References
    ----------
    Geman, S., Bienenstock, E. & Doursat, R. (1992). Neural networks and the bias/variance dilemma.
    doi:10.1162/neco.1992.4.1.1

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import diagnose_fit
    >>> from gnomon.linear import Ridge
    >>> x = np.linspace(-1, 1, 40)[:, None]
    >>> y = x[:, 0] + 0.1 * np.random.default_rng(0).standard_normal(40)
    >>> found = diagnose_fit(Ridge(), x, y, "alpha", [100.0, 1.0, 0.01])
    >>> found.values[found.best], found.regimes[0], found.norms.round(2)
    (0.01, 'under', array([0.1 , 0.92, 1.02]))
    """

    values: list[Any]
    train: Floats
    validation: Floats
    standard_error: Floats
    norms: Floats
    regimes: list[Regime]
    best: int


def diagnose_fit(
    estimator: BaseEstimator,
    X: MatrixLike,
    y: ArrayLike,
    parameter: str,
    values: Iterable[Any],
    *,
    scoring: Scoring = "neg_mean_squared_error",
    cv: Folds = 5,
) -> FitDiagnosis:
    """Train and validation error, ‖w‖ and regime over a parameter, by equation (1).

    Parameters
    ----------
    estimator : estimator
        Also a pipeline, whose last step then gives ‖w‖.
    X, y : array-like
    parameter : str
        Name of the parameter, as in ``set_params``.
    values : sequence
        From simple to complex (a falling λ, a rising degree).
    scoring : str or callable, default="neg_mean_squared_error"
        The error is minus the score.
    cv : int, splitter or iterable, default=5

    Returns
    -------
    FitDiagnosis

    References
    ----------
    Geman, S., Bienenstock, E. & Doursat, R. (1992). Neural networks and the bias/variance dilemma.
    doi:10.1162/neco.1992.4.1.1

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from gnomon.evaluation import diagnose_fit
    >>> from gnomon.features import PolynomialMap
    >>> from gnomon.linear import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-1, 1, (30, 1))
    >>> y = np.sin(3 * x[:, 0]) + 0.1 * rng.standard_normal(30)
    >>> model = make_pipeline(PolynomialMap(include_bias=False), LinearRegression())
    >>> diagnose_fit(model, x, y, "polynomialmap__degree", [1, 3, 15]).regimes
    ['under', 'good', 'over']
    """
    folds = [
        cross_validate(
            clone(estimator).set_params(**{parameter: value}),
            X, y, scoring=scoring, cv=cv, return_train_score=True, return_estimator=True, error_score="raise",
        )
        for value in values
    ]  # fmt: skip
    train = np.array([-np.mean(fold["train_score"]) for fold in folds])
    validation = np.array([-np.mean(fold["test_score"]) for fold in folds])
    error = np.array([np.std(fold["test_score"], ddof=1) / np.sqrt(len(fold["test_score"])) for fold in folds])
    norms = np.array([np.mean([_norm(model) for model in fold["estimator"]]) for fold in folds])
    best = int(np.argmin(validation))
    above = validation > validation[best] + error[best]
    regimes = [_regime(k, best, above[k], train) for k in range(len(folds))]
    return FitDiagnosis(list(values), train, validation, error, norms, regimes, best)


def _regime(k: int, best: int, above: bool, train: Floats) -> Regime:
    if not above:
        return "good"
    if k < best:
        return "under"
    return "over" if train[k] <= train[best] else "under"


def _norm(model: BaseEstimator) -> float:
    last = model[-1] if isinstance(model, Pipeline) else model
    return float(np.linalg.norm(getattr(last, "coef_", np.nan)))
