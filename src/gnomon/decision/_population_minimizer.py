"""The score that a loss asks for, where the positive class has probability p.

    z*(p) = argmin_z  p ℓ(+1, z) + (1 − p) ℓ(−1, z)                                                        (1)
    0/1, hinge → sign(2p − 1);   logistic → logit p;   exponential → ½ logit p;   squared → 2p − 1                  (2)

With costs, p stands for p c_FN/(p c_FN + (1 − p) c_FP). Bartlett, Jordan & McAuliffe (2006), Convexity, classification,
and risk bounds, doi:10.1198/016214505000000907; Friedman, Hastie & Tibshirani (2000), doi:10.1214/aos/1016218223.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

from gnomon._typing import ArrayLike, Floats
from gnomon.losses import ExponentialLoss, HingeLoss, LogisticLoss, Loss, SquaredLoss, ZeroOneLoss
from gnomon.numerics.special import logit
from gnomon.numerics.validation import check_choice, check_numbers, check_positive

__all__ = ["population_minimizer"]


def _side(p: Floats) -> Floats:
    return np.sign(2.0 * p - 1.0)


_CLOSED: dict[str, Callable[[Floats], Floats]] = {
    "zero_one": _side,
    "hinge": _side,
    "logistic": logit,
    "exponential": lambda p: 0.5 * logit(p),
    "squared": lambda p: 2.0 * p - 1.0,
}
_NAMES = {
    ZeroOneLoss: "zero_one",
    HingeLoss: "hinge",
    LogisticLoss: "logistic",
    ExponentialLoss: "exponential",
    SquaredLoss: "squared",
}


def population_minimizer(loss: str | Loss, p: ArrayLike, *, cost_fn: float = 1.0, cost_fp: float = 1.0) -> Floats:
    """Equation (1).

    Parameters
    ----------
    loss : {"zero_one", "hinge", "logistic", "exponential", "squared"} or Loss
        A name of (2), or a loss of labels ±1; others than those are minimised numerically.
    p : float or array-like
        P(+ | x), in [0, 1].
    cost_fn, cost_fp : float, default=1.0
        What the loss of a positive and of a negative row is multiplied by.

    Returns
    -------
    ndarray of the shape of `p`

    References
    ----------
    Bartlett, P. L., Jordan, M. I. & McAuliffe, J. D. (2006). Convexity, classification, and risk bounds.
    doi:10.1198/016214505000000907

    Examples
    --------
    >>> from gnomon.decision import population_minimizer
    >>> [round(float(population_minimizer(loss, 0.8)), 6) for loss in ("logistic", "exponential", "squared", "hinge")]
    [1.386294, 0.693147, 0.6, 1.0]

    The costs shift the decision from p = ½ to c_FP/(c_FP + c_FN):

    >>> population_minimizer("zero_one", [0.15, 0.3], cost_fn=4.0)
    array([-1.,  1.])
    """
    q = check_numbers("p", p)
    if not np.all((q >= 0.0) & (q <= 1.0)):
        raise ValueError("p must be probabilities, in [0, 1]")
    q = q * check_positive("cost_fn", cost_fn) / (q * cost_fn + (1.0 - q) * check_positive("cost_fp", cost_fp))
    name = loss if isinstance(loss, str) else _NAMES.get(type(loss), "")
    if name or isinstance(loss, str):
        with np.errstate(divide="ignore"):
            return _CLOSED[check_choice("loss", name, _CLOSED)](q)
    return np.vectorize(lambda share: _minimum(loss, share), otypes=[float])(q)


def _minimum(loss: Loss, p: float) -> float:
    def risk(z: float) -> float:
        return float(p * loss.value(1.0, z) + (1.0 - p) * loss.value(-1.0, z))

    return float(minimize_scalar(risk, bracket=(-1.0, 1.0), tol=1e-12).x)
