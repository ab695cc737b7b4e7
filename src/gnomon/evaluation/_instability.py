"""How much a model depends on which rows it saw.

    classes   mean over pairs of resamples, and over points, of 1[f_a(x) ≠ f_b(x)]                                 (1)
    numbers   mean over points of the variance of f_b(x) over resamples                                             (2)

Breiman (1996), Heuristics of instability and stabilization in model selection, doi:10.1214/aos/1032181158.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from gnomon._typing import AnyRows, ArrayLike, RandomState
from gnomon.evaluation._refits import bootstrap_refits
from gnomon.numerics.estimates import Estimate, mean_estimate

__all__ = ["instability"]


def instability(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike,
    X_test: AnyRows | None = None,
    *,
    n_resamples: int = 50,
    sample_weight: ArrayLike | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> Estimate:
    """(1) of a classifier or (2) of a regressor, over bootstrap refits.

    Parameters
    ----------
    estimator : classifier or regressor
    X, y : rows and targets
    X_test : rows, optional
        Points at which the refits are compared; those of X by default.
    n_resamples : int, default=50
    sample_weight : array-like of shape (n_samples,), optional
        For the fits.
    random_state : None, int, Generator or RandomState
    n_jobs : int, optional
        Processes over the resamples, as in joblib.

    Returns
    -------
    Estimate
        Its standard error is over points.

    References
    ----------
    Breiman, L. (1996). Heuristics of instability and stabilization in model selection. doi:10.1214/aos/1032181158

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from gnomon.evaluation import instability
    >>> X, y = load_iris(return_X_y=True)
    >>> models = DecisionTreeClassifier(random_state=0), GaussianNB()
    >>> tree, bayes = (instability(model, X, y, n_resamples=20, random_state=0) for model in models)
    >>> tree.value > bayes.value
    True
    """
    points = X if X_test is None else X_test
    P = bootstrap_refits(estimator, X, y, (points, None), sample_weight, n_resamples, random_state, n_jobs).predictions
    if not is_classifier(estimator):
        return mean_estimate(np.var(P.astype(float), axis=0, ddof=1))
    m = len(P)
    same = sum(np.sum(label == P, axis=0) ** 2 for label in np.unique(P))
    return mean_estimate((m * m - same) / (m * (m - 1)))
