"""Leave-one-out, by closed forms where an estimator publishes them, else by refits.

    eᵢ = yᵢ − ŷ₋ᵢ,      R̂_loo = (1/Σs) Σᵢ sᵢ ℓ(yᵢ, ŷ₋ᵢ),      GCV = (1/n) Σᵢ rᵢ² / (1 − tr H/n)²                (1)

Of a fitted estimator the first of these that it has is read: `loo_residuals(X, y, sample_weight)` of regressors and
`loo_proba(X, y, sample_weight)` of classifiers, for the rows of its fit; `loo_residuals_`; for bagging, the out-of-bag
answers. Allen (1974), doi:10.1080/00401706.1974.10489157; Golub, Heath & Wahba (1979),
doi:10.1080/00401706.1979.10489751; Breiman (1996), Out-of-bag estimation.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from gnomon._typing import AnyRows, Array, ArrayLike, Floats
from gnomon.base.columns import configured
from gnomon.evaluation._measures import GivenLoss, RowLoss, aligned, read_loss
from gnomon.evaluation._samples import Observations, read_sample
from gnomon.numerics.estimates import Estimate, mean_estimate
from gnomon.numerics.linalg import gcv_score
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.validation import check_choice

__all__ = ["gcv", "loo_residuals", "loo_risk"]

LooMethod: TypeAlias = Literal["auto", "shortcut", "refit", "newton"]


def loo_residuals(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    method: LooMethod = "auto",
    n_jobs: int | None = None,
) -> Floats:
    """eᵢ of equation (1): what each row leaves unexplained by the model of all others.

    Parameters
    ----------
    estimator : estimator
        Exact without refits: least squares and ridge, weighted or not; discriminant analysis, Gaussian classifiers and
        Gaussian naive Bayes; and pipelines that end in these after steps that learn nothing. Bagging and forests of
        bootstrap samples: out-of-bag answers. All others are fitted n times.
    X, y : array-like
    sample_weight : array-like of shape (n,), optional
        A row is left out with all its weight.
    method : {"auto", "shortcut", "refit", "newton"}, default="auto"
        Whether the estimator's shortcut is used: where there is one, always (or ValueError), never. "newton": one
        Newton step from the fit, an approximation that `LogisticRegression` offers (`approximate_loo_proba`).
    n_jobs : int, optional
        Threads for refits; None is one.

    Returns
    -------
    ndarray of the shape of y, or (n, K)
        yᵢ − ŷ₋ᵢ of a regressor; of a classifier 1[yᵢ = c] − P₋ᵢ(c | xᵢ) for the K sorted labels, where one without
        probabilities puts all on the label that it predicts. NaN for a row that is in the bag of every member.

    References
    ----------
    Allen, D. M. (1974). The relationship between variable selection and data augmentation and a method for prediction.
    doi:10.1080/00401706.1974.10489157

    Examples
    --------
    >>> from gnomon.evaluation import loo_residuals
    >>> from gnomon.linear import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 1.0, 3.0]
    >>> loo_residuals(LinearRegression(), X, y).round(6)
    array([ 0.333333,  0.285714, -1.      ,  1.333333])
    """
    sample = read_sample(X, y, sample_weight=sample_weight)
    answers = _loo_answers(estimator, sample, method, n_jobs)
    if not is_classifier(estimator):
        return np.asarray(sample.y, dtype=float) - answers
    return (sample.y[:, None] == np.unique(sample.y)) - answers


def loo_risk(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike,
    *,
    loss: GivenLoss = None,
    sample_weight: ArrayLike | None = None,
    method: LooMethod = "auto",
    level: float = 0.95,
    n_jobs: int | None = None,
) -> Estimate:
    """R̂_loo of equation (1).

    Parameters
    ----------
    estimator, X, y, sample_weight, method, n_jobs
        As in `loo_residuals`.
    loss : Loss or callable, optional
        By default squared error of a regressor and 0/1 loss of a classifier.
    level : float, default=0.95
        Of the interval.

    Returns
    -------
    Estimate
        With the standard error of the mean of the losses. Rows that are in the bag of every member are left out.

    References
    ----------
    Stone, M. (1974). Cross-validatory choice and assessment of statistical predictions.
    doi:10.1111/j.2517-6161.1974.tb00994.x

    Examples
    --------
    >>> from gnomon.evaluation import loo_risk
    >>> from gnomon.linear import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 1.0, 3.0]
    >>> round(loo_risk(LinearRegression(), X, y).value, 6)
    0.74263
    """
    sample = read_sample(X, y, sample_weight=sample_weight)
    measure = read_loss(estimator, sample.y, loss)
    answers = _loo_answers(estimator, sample, method, n_jobs)
    known = ~np.any(np.isnan(answers.reshape(len(answers), -1)), axis=1)
    answers, here = answers[known], sample.at(np.flatnonzero(known))
    read = measure.of_probabilities(answers) if is_classifier(estimator) else _as_loss_takes(measure, answers)
    # One infinite loss makes the mean infinite, and its error no number.
    with np.errstate(invalid="ignore"):
        return mean_estimate(measure.values(measure.targets(here.y), read), here.weights, level)


def gcv(estimator: BaseEstimator, X: AnyRows, y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Generalised cross-validation of a linear smoother, equation (1).

    Parameters
    ----------
    estimator : regressor
        With ``leverages(X, sample_weight)``, the diagonal of H, or `effective_dof_`, its trace; also a pipeline that
        ends in one.
    X, y : array-like
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    float
        A warning says where tr H exceeds n/2: near interpolation GCV is too small and prefers the most flexible model.

    References
    ----------
    Golub, G. H., Heath, M. & Wahba, G. (1979). Generalized cross-validation as a method for choosing a good ridge
    parameter. doi:10.1080/00401706.1979.10489751

    Examples
    --------
    >>> from gnomon.evaluation import gcv
    >>> from gnomon.linear import Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0.0, 1.0, 1.0, 3.0, 3.0, 4.0]
    >>> round(gcv(Ridge(1.0), X, y), 6)
    0.304
    """
    sample = read_sample(X, y, sample_weight=sample_weight)
    model = sample.fit(estimator)
    last, rows = _last_step(model, sample.X)
    trace = _trace(last, rows, sample.weights)
    s = np.ones(sample.n) if sample.weights is None else sample.weights
    n = float(np.sum(s))
    if trace > 0.5 * n:
        warnings.warn(
            f"tr H is {trace:.3g} for {n:g} rows: so near to interpolation GCV is too small; use loo_risk",
            UserWarning,
            stacklevel=2,
        )
    squares = np.asarray(sample.y - model.predict(sample.X), dtype=float).reshape(sample.n, -1) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.mean(gcv_score(s @ squares, np.float64(trace), n)))


def _trace(last: Any, X: Any, weights: Floats | None) -> float:
    leverages = getattr(last, "leverages", None)
    if leverages is not None:
        return float(np.sum(leverages(X, sample_weight=weights)))
    dof = getattr(last, "effective_dof_", None)
    if dof is None:
        raise ValueError(
            f"{type(last).__name__} has neither leverages nor effective_dof_, so tr H is unknown; use loo_risk"
        )
    return float(np.mean(dof))


def _loo_answers(estimator: BaseEstimator, sample: Observations, method: LooMethod, n_jobs: int | None) -> Floats:
    """ŷ₋ᵢ of a regressor, P₋ᵢ(c | xᵢ) of a classifier."""
    check_choice("method", method, get_args(LooMethod))
    if not (is_classifier(estimator) or is_regressor(estimator)):
        raise ValueError(
            f"{type(estimator).__name__} is neither a classifier nor a regressor; use cv_risk and a scorer"
        )
    if sample.n < 2:
        raise ValueError("X has 1 row, and without it none is left; give at least 2")
    name = "approximate_loo_proba" if method == "newton" else "loo_proba"
    found = None if method == "refit" else _published(estimator, sample, name)
    if found is None and method in ("shortcut", "newton"):
        raise ValueError(
            f"{type(estimator).__name__} publishes no leave-one-out answers with these options; choose method='refit'"
        )
    return _by_refits(estimator, sample, n_jobs) if found is None else found


def _published(estimator: BaseEstimator, sample: Observations, of_classes: str) -> Floats | None:
    """The shortcut of the estimator, None where it has none."""
    if not _steps_learn_nothing(estimator):
        return None
    options = estimator.get_params(deep=False)
    if "oob_score" in options and options.get("bootstrap") and of_classes == "loo_proba":
        return _out_of_bag(clone(estimator).set_params(oob_score=True), sample)
    model = sample.fit(estimator)
    last, X = _last_step(model, sample.X)
    if is_classifier(estimator):
        published = getattr(last, of_classes, None)
        return None if published is None else published(X, sample.y, sample_weight=sample.weights)
    published = getattr(last, "loo_residuals", None)
    if published is not None:
        return sample.y - published(X, sample.y, sample_weight=sample.weights)
    stored = getattr(last, "loo_residuals_", None)
    # Rows of weight zero are not in the fit, so what it stored does not speak of them.
    return None if stored is None or len(sample.present) < sample.n else sample.y - stored


def _out_of_bag(estimator: BaseEstimator, sample: Observations) -> Floats | None:
    if len(sample.present) < sample.n or np.ndim(sample.y) > 1:
        return None
    model = sample.fit(estimator)
    if is_classifier(estimator):
        return aligned(model.oob_decision_function_, model.classes_, np.unique(sample.y), 0.0)
    return np.asarray(model.oob_prediction_, dtype=float)


def _steps_learn_nothing(estimator: BaseEstimator) -> bool:
    """Whether all steps of a pipeline but the last are the same functions of a row for any rows of a fit."""
    if not isinstance(estimator, Pipeline):
        return True
    steps = [step for _, step in estimator.steps[:-1] if step not in (None, "passthrough")]
    return all(getattr(step, "learns_nothing", False) or not get_tags(step).requires_fit for step in steps)


def _last_step(model: Any, X: Any) -> tuple[Any, Any]:
    """The fitted estimator at the end of a pipeline, and the rows that it gets."""
    return (model[-1], model[:-1].transform(X)) if isinstance(model, Pipeline) else (model, X)


def _by_refits(estimator: BaseEstimator, sample: Observations, n_jobs: int | None) -> Floats:
    """n fits; the label that a classifier without probabilities predicts has all of them."""
    classes = np.unique(sample.y) if is_classifier(estimator) else np.empty(0)
    everything = np.arange(sample.n)

    def answer(i: int) -> Any:
        model, row = sample.at(np.delete(everything, i)).fit(estimator), sample.at(everything[i : i + 1]).X
        if not is_classifier(estimator):
            return np.asarray(model.predict(row), dtype=float)[0]
        if getattr(model, "predict_proba", None) is None:
            return (model.predict(row)[0] == classes).astype(float)
        return aligned(model.predict_proba(row), model.classes_, classes, 0.0)[0]

    return np.array(map_chunks(configured(answer), range(sample.n), n_jobs)).reshape(
        (sample.n, len(classes)) if len(classes) else np.shape(sample.y)
    )


def _as_loss_takes(measure: RowLoss, predicted: Floats) -> Array:
    link = getattr(measure.loss, "link", None)
    return predicted if link is None else np.asarray(link(predicted))
