"""Cross-validated risk.

    folds:   (1/k) Σⱼ R̂_{Vⱼ}(f_{−j}),      pooled:   R̂ of all held-out answers together                          (1)

The two differ where folds have unequal sizes, and for measures that are no means over rows (F1, the area under a
curve). Stone (1974), doi:10.1111/j.2517-6161.1974.tb00994.x; Arlot & Celisse (2010), doi:10.1214/09-SS054.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import Tags, get_tags

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, Folds, Integers, Scoring, available_if
from gnomon.base.columns import configured
from gnomon.evaluation._measures import GivenLoss, Measure, RowLoss, aligned, read_measure
from gnomon.evaluation._samples import Fold, Observations, read_sample
from gnomon.numerics.estimates import Estimate, mean_estimate, normal_quantile
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.validation import check_choice

__all__ = ["CvRisk", "cv_risk", "fit_folds"]


class CvRisk(NamedTuple):
    """A cross-validated risk, and those of the folds.

    Fields
    ------
    risk : Estimate
        With the standard error sd/√k of the folds, which ignores that their training rows overlap; of a pooled risk
        that of the jackknife, which leaves out the answers of one fold after the other.
    folds : ndarray of shape (k,)
        R̂ on the held-out rows of each fold; for a pooled risk nan where the measure does not exist for one fold.
    sizes : ndarray of shape (k,)
        How many rows these are.

    References
    ----------
    Arlot, S. & Celisse, A. (2010). A survey of cross-validation procedures for model selection. doi:10.1214/09-SS054

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon.evaluation import cv_risk
    >>> found = cv_risk(DummyRegressor(), [[0.0]] * 4, [0.0, 0.0, 1.0, 1.0], cv=2)
    >>> found.risk.value, found.folds, found.sizes
    (1.0, array([1., 1.]), array([2, 2]))
    """

    risk: Estimate
    folds: Floats
    sizes: Integers


def cv_risk(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike | None,
    *,
    loss: GivenLoss = None,
    scoring: Scoring = None,
    cv: Folds = 5,
    aggregate: Literal["folds", "pooled"] = "folds",
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    n_jobs: int | None = None,
) -> CvRisk:
    """The risk of an estimator on rows that it has not seen, equation (1).

    Parameters
    ----------
    estimator : estimator
        Cloned for every fold.
    X, y : array-like
    loss : Loss or callable, optional
        Of `gnomon.losses`, or ``loss(y, predictions)`` of one value for each row. By default squared error for
        regressors and 0/1 loss for classifiers.
    scoring : str or callable, optional
        A scorer of scikit-learn in place of the loss; the risk is then minus the score.
    cv : int, splitter or iterable, default=5
        A number of folds is stratified for classifiers, and keeps groups whole where there are groups.
    aggregate : {"folds", "pooled"}, default="folds"
        The mean of the folds, or the measure of all held-out answers together, which exists for folds of one row or of
        one class too.
    groups : array-like of shape (n,), optional
        For the splitter.
    sample_weight : array-like of shape (n,), optional
        For the fits and for the measure; a row of weight zero is no row.
    level : float, default=0.95
        Of the interval.
    n_jobs : int, optional
        Threads; None is one.

    Returns
    -------
    CvRisk

    References
    ----------
    Arlot, S. & Celisse, A. (2010). A survey of cross-validation procedures for model selection. doi:10.1214/09-SS054

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon.evaluation import cv_risk
    >>> from gnomon.generative import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> print(cv_risk(GaussianNB(), X, y).risk)
    0.04667 (95 % interval 0.02053 to 0.0728)
    >>> round(-cv_risk(GaussianNB(), X, y, scoring="f1_macro", aggregate="pooled").risk.value, 4)
    0.9533
    """
    check_choice("aggregate", aggregate, ("folds", "pooled"))
    sample = read_sample(X, y, groups=groups, sample_weight=sample_weight)
    measure = read_measure(estimator, sample.y, loss, scoring, sample.weights is not None)
    folds = sample.folds(estimator, cv)
    models = fit_folds(sample, estimator, folds, n_jobs)
    sizes = np.array([len(fold.test) for fold in folds])
    if aggregate == "pooled":
        return CvRisk(*_pooled(sample, measure, models, folds, level), sizes)
    risks = fold_risks(sample, measure, models, folds)
    return CvRisk(mean_estimate(risks, level=level), risks, sizes)


def fit_folds(sample: Observations, estimator: BaseEstimator, folds: Sequence[Fold], n_jobs: int | None) -> list[Any]:
    """The estimator fitted to the training rows of every fold."""
    return map_chunks(configured(lambda fold: sample.at(fold.train).fit(estimator)), folds, n_jobs)


def fold_risks(sample: Observations, measure: Measure, models: Sequence[Any], folds: Sequence[Fold]) -> Floats:
    """The risk of every fold's model on its held-out rows."""
    return np.array([risk_at(sample, measure, model, fold.test) for model, fold in zip(models, folds, strict=True)])


def risk_at(sample: Observations, measure: Measure, model: Any, rows: Integers) -> float:
    """The risk of a model on some rows."""
    here = sample.at(rows)
    return measure.risk(model, here.X, here.y, here.weights)


def _pooled(
    sample: Observations, measure: Measure, models: Sequence[Any], folds: Sequence[Fold], level: float
) -> tuple[Estimate, Floats]:
    """The risk of all held-out answers with its jackknife over the folds, and the risks of the folds."""
    together, k = sample.at(np.concatenate([fold.test for fold in folds])), len(folds)
    fold_of = np.repeat(np.arange(k), [len(fold.test) for fold in folds])
    held_out = _HeldOut([sample.at(fold.test).X for fold in folds], models, together.y)

    losses = measure.of_rows(held_out, together.X, together.y) if isinstance(measure, RowLoss) else None

    def risk(rows: Integers) -> float:
        if losses is not None:
            return float(np.average(losses[rows], weights=None if together.weights is None else together.weights[rows]))
        here = together.at(rows)
        return measure.risk(held_out.at(rows), here.X, here.y, here.weights)

    def risk_if_any(rows: Integers) -> float:
        try:
            return risk(rows)
        except ValueError:
            return np.nan

    value = risk(np.arange(together.n))
    with warnings.catch_warnings():
        # The measure exists for all rows, but need not for those of one fold, or without one.
        warnings.simplefilter("ignore", UserWarning)
        risks = np.array([risk_if_any(np.flatnonzero(fold_of == j)) for j in range(k)])
        without = np.array([risk_if_any(np.flatnonzero(fold_of != j)) for j in range(k)])
    without = without[~np.isnan(without)]
    m = len(without)
    spread = float(np.var(without)) if np.all(np.isfinite(without)) else np.inf
    error = float(np.sqrt((m - 1) * spread)) if m > 1 else np.nan
    half = normal_quantile(level) * error
    return Estimate(value, error, value - half, value + half, level), risks


def _all_have(method: str) -> Any:
    return available_if(lambda held: all(getattr(model, method, None) is not None for model in held.models))


class _HeldOut(BaseEstimator):
    """One estimator whose answers for held-out rows are those of each fold's own model."""

    def __init__(self, parts: Sequence[Any], models: Sequence[Any], y: Any):
        self.parts, self.models, self.y = parts, models, y
        self.found: dict[str, Array] = {}
        self.rows: Integers | slice = slice(None)

    def at(self, rows: Integers) -> _HeldOut:
        """The answers for some of the rows; nothing is asked twice."""
        here = _HeldOut(self.parts, self.models, self.y)
        here.found, here.rows = self.found, rows
        return here

    @property
    def classes_(self) -> Array:
        return np.unique(np.concatenate([model.classes_ for model in self.models]))

    def predict(self, X: Any) -> Array:
        return self._answers("predict")

    @_all_have("predict_proba")
    def predict_proba(self, X: Any) -> Floats:
        return self._answers("predict_proba", 0.0)

    @_all_have("decision_function")
    def decision_function(self, X: Any) -> Floats:
        return self._answers("decision_function", -np.inf)

    def _answers(self, method: str, fill: float | None = None) -> Array:
        if method not in self.found:
            answers = [
                np.asarray(getattr(model, method)(part)) for model, part in zip(self.models, self.parts, strict=True)
            ]
            if fill is not None and is_classifier(self.models[0]):
                classes = self.classes_
                answers = [
                    aligned(one, model.classes_, classes, fill) for one, model in zip(answers, self.models, strict=True)
                ]
            self.found[method] = np.concatenate(answers)
        return self.found[method][self.rows]

    def __sklearn_tags__(self) -> Tags:
        return get_tags(self.models[0])
