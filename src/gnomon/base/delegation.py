"""Methods that an estimator has only if the estimator that it wraps has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from sklearn.base import is_regressor

from gnomon.base.columns import ConstantSide

__all__ = ["base_has"]

_ADVICE = {
    "predict_proba": "; wrap it by sklearn.calibration.CalibratedClassifierCV first",
    "decision_function": "; use predict_proba or predict",
}


def base_has(
    method: str, base_of: Callable[[Any], Any] = lambda owner: owner.estimator
) -> Callable[[object], Literal[True]]:
    """For scikit-learn's ``available_if``: whether the base has a method; the error says what to do where it has not.

    The base is one of the fitted `estimators_` that is not constant, before the fit what `base_of` finds. Scores and
    probabilities are those of classifiers.

    Parameters
    ----------
    method : str
    base_of : callable (owner) → estimator, default=its parameter `estimator`

    Returns
    -------
    callable (owner) → True

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from sklearn.linear_model import Perceptron
    >>> from gnomon.base.delegation import base_has
    >>> base_has("predict_proba")(SimpleNamespace(estimator=Perceptron()))
    Traceback (most recent call last):
    ...
    AttributeError: Perceptron has no predict_proba; wrap it by sklearn.calibration.CalibratedClassifierCV first
    """

    def check(owner: object) -> Literal[True]:
        fitted = (one for one in vars(owner).get("estimators_", ()) if not isinstance(one, ConstantSide))
        base = next(fitted, None)
        base = base_of(owner) if base is None else base
        if getattr(base, method, None) is None or (method != "partial_fit" and is_regressor(base)):
            raise AttributeError(f"{type(base).__name__} has no {method}{_ADVICE.get(method, '')}")
        return True

    return check
