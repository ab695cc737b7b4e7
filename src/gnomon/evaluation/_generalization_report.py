"""Training error, validation error and the gap between them.

    gap = E_out − E_in,    both over the folds, so that each difference is between a model and its own rows     (1)

A large ‖w‖ for the number of parameters is a sign of over-fitting. Hastie, Tibshirani & Friedman (2009), The Elements
of Statistical Learning, section 7.4, doi:10.1007/978-0-387-84858-7.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from gnomon._typing import AnyRows, ArrayLike, Folds, Scoring
from gnomon.evaluation._cv_risk import fit_folds, fold_risks, risk_at
from gnomon.evaluation._measures import GivenLoss, read_measure
from gnomon.evaluation._samples import read_sample
from gnomon.numerics.estimates import Estimate, mean_estimate

__all__ = ["GeneralizationReport", "generalization_report", "weight_norm"]


class GeneralizationReport(NamedTuple):
    """E_in, E_out and their gap, with what tells over-fitting besides.

    Fields
    ------
    train, validation, gap : Estimate
        Over the folds.
    norm : float
        ‖w‖ of the model of all rows; nan where it has no `coef_`.
    n_parameters : float
        Of that model; nan where it has no `n_parameters_`.
    reference : float
        The noise floor, nan where none was given.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.4.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import generalization_report
    >>> from gnomon.linear import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((40, 10))
    >>> found = generalization_report(LinearRegression(), X, X[:, 0] + rng.standard_normal(40), reference=1.0)
    >>> print(found)
    training error    0.7689 ± 0.04809
    validation error  1.452 ± 0.2978
    gap               0.6828 ± 0.3451
    ‖w‖               1.633
    above the floor   0.4516
    """

    train: Estimate
    validation: Estimate
    gap: Estimate
    norm: float
    n_parameters: float
    reference: float

    @property
    def excess(self) -> float:
        """E_out − reference."""
        return self.validation.value - self.reference

    def __str__(self) -> str:
        errors = {"training error": self.train, "validation error": self.validation, "gap": self.gap}
        lines = {name: f"{one.value:.4g} ± {one.standard_error:.4g}" for name, one in errors.items()}
        numbers = {"‖w‖": self.norm, "parameters": self.n_parameters, "above the floor": self.excess}
        lines |= {name: f"{value:.4g}" for name, value in numbers.items() if not np.isnan(value)}
        return "\n".join(f"{name:16}  {text}" for name, text in lines.items())


def generalization_report(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike | None,
    *,
    cv: Folds = 5,
    loss: GivenLoss = None,
    scoring: Scoring = None,
    reference: float | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    n_jobs: int | None = None,
) -> GeneralizationReport:
    """E_in, E_out and the gap (1).

    Parameters
    ----------
    estimator : estimator
        Also a pipeline, whose last step then gives ‖w‖ and the number of parameters.
    X, y : array-like
    cv, loss, scoring, groups, sample_weight, level, n_jobs
        As in `cv_risk`.
    reference : float, optional
        The noise floor: the least error that any model can have.

    Returns
    -------
    GeneralizationReport

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.4.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from gnomon.evaluation import generalization_report
    >>> found = generalization_report(DecisionTreeClassifier(random_state=0), *load_iris(return_X_y=True))
    >>> found.train.value, round(found.gap.value, 4)
    (0.0, 0.04)
    """
    sample = read_sample(X, y, groups=groups, sample_weight=sample_weight)
    measure = read_measure(estimator, sample.y, loss, scoring, sample.weights is not None)
    folds = sample.folds(estimator, cv)
    models = fit_folds(sample, estimator, folds, n_jobs)
    inside = np.array([risk_at(sample, measure, one, fold.train) for one, fold in zip(models, folds, strict=True)])
    outside = fold_risks(sample, measure, models, folds)
    whole = sample.fit(estimator)
    last = whole[-1] if isinstance(whole, Pipeline) else whole
    train, validation, gap = (mean_estimate(errors, level=level) for errors in (inside, outside, outside - inside))
    n_parameters = float(getattr(last, "n_parameters_", np.nan))
    floor = np.nan if reference is None else float(reference)
    return GeneralizationReport(train, validation, gap, weight_norm(whole), n_parameters, floor)


def weight_norm(model: Any) -> float:
    """‖w‖ of a fitted model, or of the last step of a pipeline; nan where there is no `coef_`."""
    last = model[-1] if isinstance(model, Pipeline) else model
    coef: Any = getattr(last, "coef_", np.nan)
    return float(np.linalg.norm(coef.toarray() if getattr(coef, "toarray", None) else coef))
