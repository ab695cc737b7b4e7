"""Under-fitting, over-fitting, and the norm of the coefficients.

    over:  mean validation error > least + one standard error, on the complex side, while the training error falls
    under: the same excess on the simple side                                                          (1)

Geman, Bienenstock & Doursat (1992), doi:10.1162/neco.1992.4.1.1; the standard error as yardstick: Breiman, Friedman,
Olshen & Stone (1984), section 3.4.3. A growing ‖w‖ is a sign of over-fitting that needs no validation rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone

from gnomon._typing import AnyRows, ArrayLike, Floats, Folds, Scoring
from gnomon.evaluation._cv_risk import fit_folds, fold_risks, risk_at
from gnomon.evaluation._generalization_report import weight_norm
from gnomon.evaluation._measures import GivenLoss, read_measure
from gnomon.evaluation._samples import read_sample
from gnomon.evaluation._select_model import spread_of_means, within_one_se

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
    one_se : int
        Index of the simplest value within one standard error of it.

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
    one_se: int


def diagnose_fit(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike,
    parameter: str,
    values: Iterable[Any],
    *,
    scoring: Scoring = None,
    loss: GivenLoss = None,
    cv: Folds = 5,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
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
    scoring : str or callable, optional
        The error is minus the score.
    loss : Loss or callable, optional
        In place of `scoring`; by default squared error of regressors and 0/1 loss of classifiers.
    cv, groups, sample_weight, n_jobs
        As in `cv_risk`; the same folds for all values.

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
    values = list(values)
    if not values:
        raise ValueError(f"values of {parameter!r} are empty; give at least one, from simple to complex")
    sample = read_sample(X, y, groups=groups, sample_weight=sample_weight)
    measure = read_measure(estimator, sample.y, loss, scoring, sample.weights is not None)
    folds = sample.folds(estimator, cv)
    train, validation, norms = [], [], []
    for value in values:
        models = fit_folds(sample, clone(estimator).set_params(**{parameter: value}), folds, n_jobs)
        train.append([risk_at(sample, measure, one, fold.train) for one, fold in zip(models, folds, strict=True)])
        validation.append(fold_risks(sample, measure, models, folds))
        norms.append(np.mean([weight_norm(model) for model in models]))
    mean, _, error = spread_of_means(np.array(validation))
    inside, best = np.mean(train, axis=1), int(np.argmin(mean))
    above = mean > mean[best] + error[best]
    regimes = [_regime(k, best, above[k], inside) for k in range(len(values))]
    simplest = within_one_se(mean, error, best, np.arange(float(len(values))))
    return FitDiagnosis(values, inside, mean, error, np.array(norms), regimes, best, simplest)


def _regime(k: int, best: int, above: bool, train: Floats) -> Regime:
    if not above:
        return "good"
    if k < best:
        return "under"
    return "over" if train[k] <= train[best] else "under"
