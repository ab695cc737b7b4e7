"""What the score of a classifier means.

    llr                  log f₁(x)/f₀(x)                    no prior in it: add logit π                             (1)
    log_posterior_ratio  log P(1 | x)/P(0 | x) = llr + logit π,    π the prior of the training rows                  (2)
    margin               any number that rises with the belief in class 1; a threshold other than 0 needs calibration

Brümmer & du Preez (2006), Application-independent evaluation of speaker detection, doi:10.1016/j.csl.2005.08.001.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.base import is_classifier

from gnomon._typing import AnyRows, Floats
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import remove_prior

__all__ = ["ScoreType", "binary_scores", "log_posteriors", "score_type"]

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
