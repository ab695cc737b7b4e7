"""Separation: when maximum likelihood has no maximum.

    yᵢ (xᵢᵀw + b) ≥ 0 for all i, not all zero    ⇒    Σᵢ log(1 + e^{−t yᵢ(xᵢᵀw + b)}) falls for ever as t → ∞      (1)

Albert & Anderson (1984), doi:10.1093/biomet/71.1.1. Scores that put every row strictly on its side prove (1) at once;
where they are merely large, a linear programme decides.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Floats, Integers, Matrix
from gnomon.optim import is_separable

__all__ = ["SeparationWarning", "warn_if_separated"]

LARGE = 15.0
"""Scores beyond which a probability is suspiciously near to 0 or 1."""

MOST_ENTRIES = 10**6
"""Size of X up to which the linear programme is solved."""


class SeparationWarning(ConvergenceWarning):
    """A hyperplane separates the classes, so the likelihood has no maximum: the weights grew until the solver stopped.

    References
    ----------
    Albert, A. & Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic regression models.
    doi:10.1093/biomet/71.1.1

    Examples
    --------
    >>> import warnings
    >>> from gnomon.linear import LogisticRegression, SeparationWarning
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = LogisticRegression(C=np.inf).fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> caught[-1].category.__name__, model.converged_
    ('SeparationWarning', False)
    """


def warn_if_separated(z: Floats, X: Matrix, index: Integers, weights: Floats, *, fit_intercept: bool) -> bool:
    """Whether the classes are separated, judged by the scores z of an unpenalised fit; if so, warn.

    Rows without weight are not part of the likelihood, and separate nothing; nor does a class that stands alone.
    """
    if not np.all(weights):
        part = np.flatnonzero(weights)
        z, X, index = z[part], X[part], index[part]
    if np.all(index == index[0]):
        return False
    right = _right_of_two(z, index) if z.ndim == 1 else _right_of_many(z, index)
    if not (right or _separable_by_programme(z, X, index, fit_intercept)):
        return False
    warnings.warn(
        "a hyperplane separates classes, so without a penalty the likelihood has no maximum and the weights grow "
        "without bound; they were cut short. Give a penalty",
        SeparationWarning,
        stacklevel=3,
    )
    return True


def _right_of_two(z: Floats, index: Integers) -> bool:
    return bool(np.all(z[index == 1] > 0.0) and np.all(z[index == 0] < 0.0))


def _right_of_many(z: Floats, index: Integers) -> bool:
    own = z[np.arange(len(z)), index]
    others = np.where(np.arange(z.shape[1]) == index[:, None], -np.inf, z)
    return bool(np.all(own > np.max(others, axis=1)))


def _separable_by_programme(z: Floats, X: Matrix, index: Integers, fit_intercept: bool) -> bool:
    if z.ndim > 1 or np.max(np.abs(z)) <= LARGE or X.shape[0] * X.shape[1] > MOST_ENTRIES:
        return False
    return is_separable(X, index, fit_intercept=fit_intercept).kind != "overlap"
