"""What the score of a classifier means.

    llr                  log f₁(x)/f₀(x)                    no prior in it: add logit π                             (1)
    log_posterior_ratio  log P(1 | x)/P(0 | x) = llr + logit π,    π the prior of the training rows                  (2)
    margin               any number that rises with the belief in class 1; a threshold other than 0 needs calibration

Brümmer & du Preez (2006), Application-independent evaluation of speaker detection, doi:10.1016/j.csl.2005.08.001.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import is_classifier
from sklearn.frozen import FrozenEstimator

from gnomon._typing import AnyRows, Array, Floats
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import effective_train_prior, remove_prior

__all__ = ["PosteriorPriors", "ScoreType", "binary_scores", "log_posteriors", "posterior_priors", "score_type"]

ScoreType: TypeAlias = Literal["llr", "log_posterior_ratio", "margin"]

METHODS: dict[ScoreType, str] = {
    "llr": "llr",
    "log_posterior_ratio": "predict_proba",
    "margin": "decision_function",
}
"""The method from which a score is read, the most telling one first."""


def score_type(estimator: Any) -> ScoreType:
    """The kind of score that `binary_scores` reads from a classifier, of this package or another.

    AttributeError for what is no classifier, or has labels alone.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> from gnomon.base.scores import score_type
    >>> from gnomon.generative import GaussianNB
    >>> from gnomon.trees import RandomForestClassifier
    >>> score_type(GaussianNB()), score_type(RandomForestClassifier()), score_type(LinearSVC())
    ('llr', 'log_posterior_ratio', 'margin')
    """
    if is_classifier(estimator):
        for kind, method in METHODS.items():
            if getattr(estimator, method, None) is not None:
                return kind
    raise AttributeError(
        f"{type(estimator).__name__} has no score_type_: it is no classifier with predict_proba or decision_function"
    )


class ScoreTypeOfClassifier:
    """An attribute of estimators: their `score_type`, unless a fit has set another on the instance."""

    def __get__(self, estimator: Any, owner: type) -> Any:
        return self if estimator is None else score_type(estimator)


def binary_scores(estimator: Any, X: AnyRows, kind: ScoreType | None = None, *, prior: float | None = None) -> Floats:
    """Scores of rows for the second of two classes, greater is more positive.

    Parameters
    ----------
    estimator : fitted classifier of two classes
    X : array-like of shape (n_samples, n_features)
    kind : {"llr", "log_posterior_ratio", "margin"}, optional
        What is wanted; by default the first of these that the classifier has. A log-posterior ratio is converted to an
        llr by (2); any score is a margin; of a margin no ratio can be made, for it must be calibrated.
    prior : float in (0, 1), optional
        π of (2), under which the classifier was trained; needed for the conversion alone.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base.scores import binary_scores
    >>> from gnomon.generative import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> binary_scores(model, [[2.0], [3.0]]).round(4) + 0.0
    array([ 0., 12.])
    """
    if len(estimator.classes_) != 2:
        raise ValueError(f"{type(estimator).__name__} knows {len(estimator.classes_)} classes; a score is for two")
    found = score_type(estimator)
    wanted = found if kind is None else check_choice("kind", kind, METHODS)
    if getattr(estimator, METHODS[wanted], None) is not None:
        return _read(estimator, X, wanted)
    if wanted == "margin":
        return _read(estimator, X, found)
    if found == "margin":
        raise ValueError(f"{type(estimator).__name__} has margins, of which no {wanted} can be made; calibrate them")
    if prior is None:
        raise ValueError(f"prior=None; to make an {wanted} of a {found}, give the prior of the training rows")
    return remove_prior(_read(estimator, X, found), prior)


def _read(estimator: Any, X: AnyRows, kind: ScoreType) -> Floats:
    if kind != "log_posterior_ratio":
        return np.asarray(getattr(estimator, METHODS[kind])(X))
    L = log_posteriors(estimator, X)
    return L[:, 1] - L[:, 0]


def log_posteriors(estimator: Any, X: AnyRows) -> Floats:
    """log P(k | x) of a fitted classifier, −∞ where it says zero.

    Examples
    --------
    >>> from gnomon.base.scores import log_posteriors
    >>> from gnomon.generative import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> log_posteriors(model, [[2.0]]).round(4)
    array([[-0.6931, -0.6931]])
    """
    # Logarithms, where the classifier has them, tell apart what rounds to the probability one.
    logarithms = getattr(estimator, "predict_log_proba", None)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(estimator.predict_proba(X)) if logarithms is None else logarithms(X))


class PosteriorPriors(NamedTuple):
    """The prior in the probabilities of a classifier, and the one for which they are meant.

    Fields
    ------
    within : ndarray of shape (n_classes,)
        π of (2). It is what is removed, to get likelihoods.
    meant : ndarray of shape (n_classes,)
        The same where a user gave the classifier a prior; else the shares of the classes among the rows: class weights
        and resamples serve the fit, and are no belief about rows to come.

    Examples
    --------
    >>> from gnomon.base.scores import PosteriorPriors
    >>> PosteriorPriors._fields
    ('within', 'meant')
    """

    within: Floats
    meant: Floats


def posterior_priors(model: Any, y: Array, weights: Floats | None = None) -> PosteriorPriors:
    """The priors of P(k | x) of a classifier that was fitted to rows with these labels.

    The prior in them is what the classifier publishes (`prior_`, `train_prior_`, `class_prior_`, `priors_`,
    `class_log_prior_`), or follows from its `class_weight`; else it is the shares of the classes. Of a pipeline, a
    search or another wrapper it is that of the classifier inside, of a bag the mean of its members.

    Parameters
    ----------
    model : fitted classifier
    y : ndarray of shape (n_samples,)
        Rows of every class of the model.
    weights : ndarray of shape (n_samples,), optional

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from gnomon.base.scores import posterior_priors
    >>> X, y = np.arange(10.0)[:, None], np.array([0] * 8 + [1] * 2)
    >>> found = posterior_priors(LogisticRegression(class_weight="balanced").fit(X, y), y)
    >>> found.within.tolist(), found.meant.tolist()
    ([0.5, 0.5], [0.8, 0.2])
    """
    used = slice(None) if weights is None else weights > 0.0
    labels, codes = np.unique(y[used], return_inverse=True)
    w = None if weights is None else weights[used]
    shares = effective_train_prior(codes, sample_weight=w)
    while (found := _published(model, shares)) is None and (inner := _inner(model)) is not None:
        model = inner
    if found is not None:
        return found
    # Platt's sigmoid, which is fitted to scores afterwards, knows nothing of class weights.
    platt = getattr(model, "probability", None) not in (None, False, "deprecated")
    class_weight = None if platt else getattr(model, "class_weight", None)
    if isinstance(class_weight, str):
        return PosteriorPriors(np.full(len(shares), 1.0 / len(shares)), shares)
    if isinstance(class_weight, Mapping):
        mass = shares * [float(class_weight.get(label, 1.0)) for label in labels.tolist()]
        return PosteriorPriors(mass / np.sum(mass), shares)
    if getattr(type(model), "estimators_samples_", None) is not None:
        within = [posterior_priors(member, codes, w).within for member in model.estimators_]
        return PosteriorPriors(np.mean(within, axis=0), shares)
    return PosteriorPriors(shares, shares)


def _published(model: Any, shares: Floats) -> PosteriorPriors | None:
    """What a classifier publishes of its prior; that of a generative one is part of the model."""
    for name in ("prior_", "train_prior_"):
        within: Any = getattr(model, name, None)
        if np.shape(within) == shares.shape:
            given = any(getattr(model, parameter, None) is not None for parameter in ("prior", "priors"))
            p = np.asarray(within, dtype=float)
            return PosteriorPriors(p, p if given else shares)
    logs = getattr(model, "class_log_prior_", None)
    own: Any = np.exp(logs) if logs is not None else getattr(model, "class_prior_", getattr(model, "priors_", None))
    if np.shape(own) == shares.shape:
        return PosteriorPriors(np.asarray(own, dtype=float), np.asarray(own, dtype=float))
    return None


def _inner(model: Any) -> Any:
    """The one fitted classifier whose probabilities a wrapper hands on."""
    if isinstance(model, FrozenEstimator):
        return model.estimator
    if hasattr(model, "steps"):
        return model.steps[-1][1]
    inner = getattr(model, "best_estimator_", getattr(model, "estimator_", None))
    return inner if hasattr(inner, "classes_") else None
