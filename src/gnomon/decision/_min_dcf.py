"""What scores cost in a detection application: at the best threshold, and at the one that theory gives.

    minimum:  min over t of DCF(t), accepting all and rejecting all included                                    (1)
    actual:   DCF(−logit π̃), the scores being read as log-likelihood ratios;    calibration loss = actual − minimum

A trial is accepted if its score is > t. The least cost is at a vertex of the convex hull of the ROC, so one sort serves
every application. Brümmer & du Preez (2006), Application-independent evaluation of speaker detection,
doi:10.1016/j.csl.2005.08.001; Provost & Fawcett (2001), doi:10.1023/A:1007601015854.
"""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.base.trials import Tie, read_trials
from gnomon.decision._empirical_risk import constant_cost
from gnomon.decision.application import Application
from gnomon.numerics.curves import ThresholdCurve
from gnomon.numerics.validation import check_choice

__all__ = ["MinimumCost", "act_dcf", "calibration_loss", "min_dcf"]


class MinimumCost(NamedTuple):
    """The least detection cost, and where it is reached.

    Fields
    ------
    value : float
    threshold : float
        Trials with a greater score are accepted; ∞ rejects all, −∞ accepts all. Half way between two scores; of several
        thresholds of the same cost the greatest.

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.decision import Application, min_dcf
    >>> min_dcf([0, 0, 1, 1], [-1.0, 0.5, 0.2, 2.0], Application(0.5))
    MinimumCost(value=0.5, threshold=1.25)
    """

    value: float
    threshold: float


def min_dcf(
    y_true: ArrayLike,
    scores: ArrayLike,
    app: Application,
    *,
    normalize: bool = True,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> MinimumCost:
    """The least cost (1) that a threshold on the scores can reach.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
    scores : array-like of shape (n_samples,)
        Greater is more positive; of any scale, ±∞ included.
    app : Application
        Of two classes; for more no threshold exists, and scores must be calibrated.
    normalize : bool, default=True
        Divide by the cost of the best constant action, so that 1 is useless.
    pos_label : label or "rare", optional
        By default the greater of two labels.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    MinimumCost

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.decision import Application, min_dcf
    >>> s, y = [-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1], [0, 0, 1, 0, 1, 1, 1, 0]
    >>> min_dcf(y, s, Application(0.8)).value
    0.5
    """
    return least_cost(read_trials(y_true, scores, pos_label, sample_weight).curve(), app, normalize=normalize)


def act_dcf(
    y_true: ArrayLike,
    scores: ArrayLike,
    app: Application,
    *,
    normalize: bool = True,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    tie: Tie = "negative",
) -> float:
    """The cost (2) of log-likelihood ratios at the threshold −logit π̃ of the application.

    Parameters
    ----------
    y_true, scores, app, normalize, pos_label, sample_weight
        As in `min_dcf`; the scores are log-likelihood ratios.
    tie : {"negative", "positive"}, default="negative"
        Which class a score equal to the threshold is given.

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.decision import Application, act_dcf
    >>> s, y = [-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1], [0, 0, 1, 0, 1, 1, 1, 0]
    >>> act_dcf(y, s, Application(0.8))
    0.75
    """
    check_choice("tie", tie, get_args(Tie))
    curve = read_trials(y_true, scores, pos_label, sample_weight).curve()
    return float(threshold_costs(curve.at([app.threshold], strict=tie == "negative"), app, normalize=normalize)[0])


def calibration_loss(
    y_true: ArrayLike,
    scores: ArrayLike,
    app: Application,
    *,
    normalize: bool = True,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Actual less minimum cost: what better calibration of the same scores would save.

    Parameters
    ----------
    y_true, scores, app, normalize, pos_label, sample_weight
        As in `act_dcf`.

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.decision import Application, calibration_loss
    >>> s, y = [-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1], [0, 0, 1, 0, 1, 1, 1, 0]
    >>> calibration_loss(y, s, Application(0.8))
    0.25
    """
    options: dict[str, Any] = {"normalize": normalize, "pos_label": pos_label, "sample_weight": sample_weight}
    return act_dcf(y_true, scores, app, **options) - min_dcf(y_true, scores, app, **options).value


def least_cost(curve: ThresholdCurve, app: Application, *, normalize: bool) -> MinimumCost:
    """Equation (1) on a curve: a vertex of its hull."""
    places = curve.hull_places()
    costs = threshold_costs(curve[places], app, normalize=normalize)
    best = int(np.argmin(costs))
    return MinimumCost(float(costs[best]), _between(curve, int(places[best])))


def threshold_costs(curve: ThresholdCurve, app: Application, *, normalize: bool) -> Floats:
    """The cost in the application at every point of a curve."""
    miss, alarm = app.stakes
    (reject, _), (_, accept) = app.costs
    p_f, p_t = app.priors
    costs = p_t * (accept + miss * (curve.fn / curve.positives)) + p_f * (reject + alarm * (curve.fp / curve.negatives))
    return costs / constant_cost(app) if normalize else costs


def _between(curve: ThresholdCurve, place: int) -> float:
    """A t such that "score > t" calls the same rows positive as "score ≥ thresholds[place]" does."""
    if place in (0, len(curve) - 1):
        return -np.inf if place else np.inf
    # −∞ accepts all: what rejects scores of −∞ alone is finite.
    above, below = float(curve.thresholds[place]), max(float(curve.thresholds[place + 1]), np.finfo(float).min)
    middle = 0.5 * above + 0.5 * below
    return middle if below <= middle < above else below
