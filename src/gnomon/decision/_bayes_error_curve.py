"""The cost of scores in every detection application at once.

    o = logit π̃,    actual:  uDCF(σ(o)) at t = −o,    minimum:  at the best t;    both over min(σ(o), σ(−o))       (1)
      = e^max(o, 0) P_fn(t) + e^max(−o, 0) P_fp(t)

1 is the best that can be done without scores. Brümmer & du Preez (2006), Application-independent evaluation of speaker
detection, section 8, doi:10.1016/j.csl.2005.08.001.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, get_args

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.base.trials import Tie, read_trials
from gnomon.numerics.curves import ThresholdCurve
from gnomon.numerics.validation import check_choice, check_numbers

__all__ = ["BayesErrorCurve", "bayes_error_curve"]


class BayesErrorCurve(NamedTuple):
    """Normalised costs over prior log-odds.

    Fields
    ------
    log_odds : ndarray of shape (m,)
    actual, minimum : dict from the name of a system to an ndarray of shape (m,)
        Equation (1).

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.decision import bayes_error_curve
    >>> found = bayes_error_curve({"lottery": [0.0, 0.0]}, [0, 1], [-1.0, 1.0])
    >>> found.minimum["lottery"]
    array([1., 1.])
    """

    log_odds: Floats
    actual: dict[str, Floats]
    minimum: dict[str, Floats]


def bayes_error_curve(
    systems: Mapping[str, ArrayLike] | ArrayLike,
    y_true: ArrayLike,
    log_odds: ArrayLike | None = None,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    tie: Tie = "negative",
) -> BayesErrorCurve:
    """Equation (1) for one system or several, over many applications: one sort for each system.

    Parameters
    ----------
    systems : dict from names to array-like of shape (n_samples,), or one such array
        Scores; the actual cost reads them as log-likelihood ratios. A single array is called "scores".
    y_true : array-like of shape (n_samples,)
    log_odds : array-like of shape (m,), optional
        o; 121 numbers from −6 to 6 by default.
    pos_label : label or "rare", optional
        By default the greater of two labels.
    sample_weight : array-like of shape (n_samples,), optional
    tie : {"negative", "positive"}, default="negative"
        Which class a score equal to the threshold is given.

    Returns
    -------
    BayesErrorCurve

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.decision import bayes_error_curve
    >>> s, y = [-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1], [0, 0, 1, 0, 1, 1, 1, 0]
    >>> found = bayes_error_curve(s, y, [-2, -1, 0, 1, 2])
    >>> found.actual["scores"].round(7), found.minimum["scores"].round(7)
    (array([1.  , 0.5 , 0.5 , 0.5 , 0.75]), array([0.25, 0.25, 0.25, 0.5 , 0.5 ]))
    """
    check_choice("tie", tie, get_args(Tie))
    o = np.linspace(-6.0, 6.0, 121) if log_odds is None else np.atleast_1d(check_numbers("log_odds", log_odds))
    if o.ndim != 1 or not np.all(np.isfinite(o)):
        raise ValueError("log_odds must be finite numbers, one for each application")
    named = systems if isinstance(systems, Mapping) else {"scores": systems}
    curves = {name: read_trials(y_true, s, pos_label, sample_weight).curve() for name, s in named.items()}
    actual = {name: error_at(curve.at(-o, strict=tie == "negative"), o) for name, curve in curves.items()}
    return BayesErrorCurve(o, actual, {name: least_error(curve, o) for name, curve in curves.items()})


def error_at(points: ThresholdCurve, log_odds: Floats) -> Floats:
    """The normalised cost (1), each point of a curve in its own application."""
    rates = ((points.fn / points.positives, log_odds), (points.fp / points.negatives, -log_odds))
    with np.errstate(over="ignore"):
        # A rate of zero costs nothing, however great the odds.
        miss, alarm = (rate * np.exp(np.where(rate > 0.0, np.maximum(o, 0.0), 0.0)) for rate, o in rates)
    return miss + alarm


def least_error(curve: ThresholdCurve, log_odds: Floats) -> Floats:
    """The least normalised cost over all thresholds: up to the vertex of the hull from which the ROC is flatter."""
    hull = curve.hull()
    # Slopes fall along the hull; accepting the scores of a segment pays if its log-likelihood ratio is > −o.
    passed = np.searchsorted(-hull.log_likelihood_ratios, log_odds, side="left")
    return error_at(hull[passed], log_odds)
