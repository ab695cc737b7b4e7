"""How sure a classifier is of its own decision.

    margin = p₍₁₎ − p₍₂₎,    max = p₍₁₎,    entropy = 1 − H(p)/log K                                      (1)

p₍₁₎ ≥ p₍₂₎ are the largest two probabilities of a row; for two classes the margin is 2p₍₁₎ − 1. Settles (2009), Active
learning literature survey, section 3.1, University of Wisconsin–Madison TR 1648.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import entr

from gnomon._typing import ArrayLike, Floats

__all__ = ["confidence"]

_KINDS = {
    "margin": lambda p: np.diff(np.partition(p, -2, axis=1)[:, -2:], axis=1)[:, 0],
    "max": lambda p: np.max(p, axis=1),
    "entropy": lambda p: 1.0 - np.sum(entr(p), axis=1) / np.log(p.shape[1]),
}


def confidence(proba: ArrayLike, kind: Literal["margin", "max", "entropy"] = "margin") -> Floats:
    """Confidence in the most probable class of each row, equation (1).

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
        Probabilities; or, of shape (n_samples,), scores of a margin classifier, whose confidence is |s| (not a
        probability).
    kind : {"margin", "max", "entropy"}, default="margin"

    Returns
    -------
    ndarray of shape (n_samples,)

    References
    ----------
    Settles, B. (2009). Active learning literature survey, section 3.1. University of Wisconsin–Madison TR 1648.

    Examples
    --------
    >>> from gnomon.decision import confidence
    >>> confidence([[0.4, 0.25, 0.35]]).round(7), confidence([[0.3, 0.7]]).round(7)
    (array([0.05]), array([0.4]))
    >>> confidence([-2.0, 0.5])
    array([2. , 0.5])
    """
    p = np.asarray(proba, dtype=float)
    if kind not in _KINDS:
        raise ValueError(f"kind={kind!r} is unknown; choose from {list(_KINDS)}")
    if p.ndim == 1:
        return np.abs(p)
    if p.ndim != 2 or p.shape[1] < 2:
        raise ValueError(f"proba has shape {p.shape}; give (n_samples, n_classes) with at least two classes, or scores")
    if np.any(p < 0) or not np.allclose(p.sum(axis=1), 1.0, atol=1e-6):
        raise ValueError("proba has rows that are no probabilities (negative, or not summing to 1); normalise them")
    return _KINDS[kind](p)
