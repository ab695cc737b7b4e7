"""Impurities of single nodes.

    Gini Σ_k p_k (1 − p_k),    entropy −Σ_k p_k log₂ p_k,    misclassification 1 − max_k p_k,    p_k = n_k / Σ n    (1)

All are zero for one class and largest for equal shares: 1 − 1/K, log₂ K bits and 1 − 1/K. Breiman et al. (1984), §4.2,
doi:10.1201/9781315139470.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.numerics.validation import check_choice
from gnomon.search import CountsCriterion
from gnomon.trees._criteria import CLASS_CRITERIA, ClassCriterionWord

__all__ = ["impurity"]


def impurity(counts: ArrayLike, kind: ClassCriterionWord | Callable[[Floats], float] = "gini") -> Numbers:
    """Equation (1) for the classes along the last axis.

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Weights or probabilities of the classes, not negative. A node without weight has impurity 0.
    kind : {"gini", "entropy", "log_loss", "misclassification"} or callable, default="gini"
        What is computed ("log_loss" is the entropy), or a function of the weights of the classes of one node.

    Returns
    -------
    float or ndarray of shape (...)

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §4.2.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from gnomon.trees import impurity
    >>> [round(impurity([3, 6, 1], kind), 6) for kind in ("misclassification", "gini", "entropy")]
    [0.4, 0.54, 1.295462]
    >>> impurity([[0.5, 0.5], [1.0, 0.0]], lambda p: 4 * p[0] * p[1])
    array([1., 0.])
    """
    counts = np.asarray(counts, dtype=float)
    if counts.ndim == 0 or counts.shape[-1] == 0 or not np.all(np.isfinite(counts)) or np.any(counts < 0.0):
        raise ValueError(f"counts={counts!r} must be finite and not negative, with one class or more on the last axis")
    size = counts.shape[-1]
    if callable(kind):
        criterion = CountsCriterion(size, kind)
    else:
        criterion = CLASS_CRITERIA[check_choice("kind", kind, CLASS_CRITERIA)](size)
    rows = counts.reshape(-1, size)
    if not callable(kind):
        # Divided by the largest weight: squares of very large or small weights would overflow or underflow.
        rows = rows / np.maximum(np.max(rows, axis=1, keepdims=True), np.finfo(float).tiny)
    mass = np.sum(rows, axis=1)
    worth = criterion.worths(np.column_stack([np.ones(len(rows)), rows]))
    found = np.where(mass > 0.0, -worth / np.where(mass > 0.0, mass, 1.0), 0.0) + 0.0
    return float(found[0]) if counts.ndim == 1 else found.reshape(counts.shape[:-1])
