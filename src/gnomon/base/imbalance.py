"""Accuracy where one class is rare.

    share of the rarest of K classes < min(10 %, ½ · 1/K)  and  the score is accuracy                              (1)

Of two classes a constant answer has then 90 %; ten classes of equal size are no imbalance.
Provost, Fawcett & Kohavi (1998), The case against accuracy estimation for comparing induction algorithms, ICML.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score

from gnomon._typing import ArrayLike

__all__ = ["ImbalanceWarning", "warn_if_imbalanced"]

RARE = 0.1


class ImbalanceWarning(UserWarning):
    """A score says little because a class is rare.

    Examples
    --------
    >>> from gnomon.base.imbalance import ImbalanceWarning
    >>> issubclass(ImbalanceWarning, UserWarning)
    True
    """


def warn_if_imbalanced(
    y: ArrayLike, scoring: Any = None, *, sample_weight: ArrayLike | None = None, stacklevel: int = 2
) -> bool:
    """Warn of (1), naming the scores to choose instead; whether there was reason to.

    Call it before ``cross_validate``, a search or a comparison, with the same `scoring`.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    scoring : str, callable, sequence or dict of them, optional
        As in scikit-learn; None is the score of a classifier, which is accuracy.
    sample_weight : array-like of shape (n_samples,), optional
    stacklevel : int, default=2
        As in ``warnings.warn``.

    Returns
    -------
    bool

    Examples
    --------
    >>> import warnings
    >>> from gnomon.base.imbalance import warn_if_imbalanced
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_if_imbalanced([0] * 99 + [1], "accuracy"), warn_if_imbalanced([0] * 99 + [1], "roc_auc")
    (True, False)
    >>> print(caught[0].message)
    class 1 has 1 % of the rows, and accuracy is 0.99 for the constant answer 0; score by 'balanced_accuracy', ...
    """
    if np.ndim(y) != 1:
        # Rows with several labels each have no one class.
        return False
    labels, index = np.unique(np.asarray(y), return_inverse=True)
    mass = np.bincount(index, weights=None if sample_weight is None else np.asarray(sample_weight, dtype=float))
    labels, mass = labels[mass > 0.0], mass[mass > 0.0]
    K = len(labels)
    if K < 2 or not _is_accuracy(scoring) or not np.min(mass) < min(RARE, 0.5 / K) * np.sum(mass):
        return False
    share, rare, usual = mass / np.sum(mass), labels[np.argmin(mass)], labels[np.argmax(mass)]
    warnings.warn(
        f"class {rare} has {100 * np.min(share):.2g} % of the rows, and accuracy is {np.max(share):.3g} for the "
        f"constant answer {usual}; score by 'balanced_accuracy', 'average_precision', 'roc_auc', 'f1', 'neg_log_loss', "
        "or by what errors cost",
        ImbalanceWarning,
        stacklevel=stacklevel,
    )
    return True


def _is_accuracy(scoring: Any) -> bool:
    """Whether accuracy is among the scores."""
    if isinstance(scoring, Mapping):
        return any(map(_is_accuracy, scoring.values()))
    if isinstance(scoring, Iterable) and not isinstance(scoring, str):
        return any(map(_is_accuracy, scoring))
    # A scorer of `make_scorer` holds the metric that it calls.
    return scoring is None or scoring == "accuracy" or getattr(scoring, "_score_func", scoring) is accuracy_score
