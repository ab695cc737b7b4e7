"""What may not change where a fit goes on with the last one: columns, classes and outputs.

    rows and targets may be others under ``warm_start=True``, of the same columns and classes                      (1)

What was fitted reads columns by their place and answers with the classes that it has seen, so that others would be
read or named wrongly. Buitinck et al. (2013), arXiv:1309.0238, describe the contract.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_feature_names, _check_n_features

__all__ = ["check_known_classes", "check_known_columns", "check_known_outputs"]


def check_known_columns(estimator: BaseEstimator, X: Any) -> None:
    """Refuse rows of other columns than those that the estimator was fitted to.

    Examples
    --------
    >>> from gnomon.base.going_on import check_known_columns
    >>> from gnomon.linear import Ridge
    >>> check_known_columns(Ridge().fit([[1.0, 2.0], [3.0, 5.0]], [1.0, 2.0]), [[1.0]])
    Traceback (most recent call last):
    ...
    ValueError: X has 1 features, but Ridge is expecting 2 features as input.
    """
    _check_feature_names(estimator, X, reset=False)
    _check_n_features(estimator, X, reset=False)


def check_known_classes(before: Any, found: Any) -> None:
    """Refuse classes that are not those of the last fit; of several outputs, a list for each.

    Examples
    --------
    >>> from gnomon.base.going_on import check_known_classes
    >>> check_known_classes(["no", "yes"], ["no"])
    Traceback (most recent call last):
    ...
    ValueError: warm_start=True goes on with the classes ['no', 'yes'] and y has ['no']; give rows of the same ...
    """
    known, given = _listed(before), _listed(found)
    if known != given:
        raise ValueError(
            f"warm_start=True goes on with the classes {known} and y has {given}; give rows of the same classes, or "
            "warm_start=False"
        )


def check_known_outputs(before: int, found: int) -> None:
    """Refuse a number of target columns that is not that of the last fit.

    Examples
    --------
    >>> from gnomon.base.going_on import check_known_outputs
    >>> check_known_outputs(1, 2)
    Traceback (most recent call last):
    ...
    ValueError: warm_start=True goes on with 1 column of targets and y has 2; give as many, or warm_start=False
    """
    if before != found:
        raise ValueError(
            f"warm_start=True goes on with {before} column{'s' if before > 1 else ''} of targets and y has {found}; "
            "give as many, or warm_start=False"
        )


def _listed(classes: Any) -> list[Any]:
    """Classes as they print."""
    if isinstance(classes, list) and len(classes) and np.ndim(classes[0]):
        return [np.asarray(labels).tolist() for labels in classes]
    return np.asarray(classes).tolist()
