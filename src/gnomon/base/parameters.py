"""The parameters of an estimator, kept as scikit-learn asks: under their names, unchanged."""

from collections.abc import Mapping
from typing import Any

__all__ = ["store"]


def store(estimator: object, given: Mapping[str, Any]) -> None:
    """Keep every parameter of ``__init__`` under its name.

    Parameters
    ----------
    estimator : estimator
    given : dict
        ``locals()`` at the beginning of ``__init__``.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base.parameters import store
    >>> class Shrunken(BaseEstimator):
    ...     def __init__(self, alpha=1.0, *, centre=True):
    ...         store(self, locals())
    >>> Shrunken(alpha=2.0).get_params()
    {'alpha': 2.0, 'centre': True}
    """
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)
