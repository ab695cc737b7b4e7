"""Costs to expect, and the best action.

    R(a | x) = Σ_k C[a, k] P(k | x),    a* = argmin_a R(a | x), the first one in a tie                            (1)
    P(k | x) ∝ π_k f(x | k),    for two classes  logit P(T | x) = LLR + logit π_T                                (2)

The actions need not be the classes. Berger (1985), Statistical Decision Theory and Bayesian Analysis,
doi:10.1007/978-1-4757-4286-2; Chow (1970), doi:10.1109/TIT.1970.1054406.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon import infer
from gnomon._typing import Array, ArrayLike, Floats
from gnomon.decision._posteriors import Kind, posteriors
from gnomon.decision.application import Application, Orientation, action_names, read_costs, warn_if_idle

__all__ = ["bayes_decision", "bayes_threshold", "cost_threshold", "expected_cost"]


def expected_cost(
    scores: ArrayLike,
    cost_matrix: ArrayLike,
    *,
    kind: Kind = "posterior",
    priors: float | ArrayLike | None = None,
    orientation: Orientation = "action_class",
) -> Floats:
    """R(a | x) of (1) for every row and action.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_classes), or (n_samples,) for "llr"
        What `kind` says of every row.
    cost_matrix : array-like of shape (n_actions, n_classes), or (n_samples, n_actions, n_classes)
        C, the same for all rows, or one for each.
    kind : {"posterior", "log_posterior", "log_likelihood", "llr"}, default="posterior"
        Probabilities of the classes, their logarithms, log f(x | k) up to a constant of the row, or the log-likelihood
        ratio of two classes; the last two need `priors`.
    priors : float or array-like of shape (n_classes,), optional
        π of (2), in (0, 1); a number is that of the second of two classes.
    orientation : {"action_class", "class_action"}, default="action_class"

    Returns
    -------
    ndarray of shape (n_samples, n_actions)

    References
    ----------
    Berger, J. O. (1985). Statistical Decision Theory and Bayesian Analysis. doi:10.1007/978-1-4757-4286-2

    Examples
    --------
    >>> from gnomon.decision import expected_cost
    >>> expected_cost([[0.4, 0.25, 0.35]], [[0, 1, 2], [1, 0, 1], [2, 1, 0]]).round(7)
    array([[0.95, 0.75, 1.05]])
    >>> expected_cost([0.0], [[0, 1], [1, 0]], kind="llr", priors=0.2)
    array([[0.2, 0.8]])
    """
    return infer.expected_cost(posteriors(scores, kind, priors), read_costs(cost_matrix, orientation)).costs


def bayes_decision(
    scores: ArrayLike,
    cost_matrix: ArrayLike | None = None,
    *,
    kind: Kind = "posterior",
    priors: float | ArrayLike | None = None,
    actions: Sequence[Any] | None = None,
    orientation: Orientation = "action_class",
) -> Array:
    """The action of least expected cost, equation (1).

    Parameters
    ----------
    scores, kind, priors, orientation
        As in `expected_cost`.
    cost_matrix : array-like, optional
        As in `expected_cost`; without it the most probable class is best. A `UserWarning` says where one action is
        always best.
    actions : sequence of labels, optional
        What the actions are called; else they are numbered.

    Returns
    -------
    ndarray of shape (n_samples,)

    References
    ----------
    Berger, J. O. (1985). Statistical Decision Theory and Bayesian Analysis. doi:10.1007/978-1-4757-4286-2

    Examples
    --------
    The best action need not be that of the most probable class:

    >>> from gnomon.decision import bayes_decision
    >>> bayes_decision([[0.4, 0.25, 0.35]], [[0, 1, 2], [1, 0, 1], [2, 1, 0]], actions=["low", "middle", "high"])
    array(['middle'], dtype='<U6')
    """
    q = posteriors(scores, kind, priors)
    C = 1.0 - np.eye(q.shape[1]) if cost_matrix is None else read_costs(cost_matrix, orientation)
    warn_if_idle(C, actions)
    found = infer.expected_cost(q, C).actions
    return found if actions is None else action_names(actions, (), C.shape[-2])[found]


def bayes_threshold(app: Application) -> float:
    """−logit π̃ of an application with two classes: a log-likelihood ratio above it decides for the positive one.

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.decision import Application, bayes_threshold
    >>> round(bayes_threshold(Application(0.5, cost_fn=10.0)), 6)
    -2.302585
    """
    return app.threshold


def cost_threshold(cost_matrix: ArrayLike, orientation: Orientation = "action_class") -> float:
    """The probability of the positive class above which the positive action is the cheaper of two.

    p* = (C₁₀ − C₀₀)/(C₁₀ − C₀₀ + C₀₁ − C₁₁), in the common case c_FP/(c_FP + c_FN).

    Parameters
    ----------
    cost_matrix : array-like of shape (2, 2)
        [[C₀₀, c_FN], [c_FP, C₁₁]]; a mistake must cost more than the correct decision.
    orientation : {"action_class", "class_action"}, default="action_class"

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI, 973–978.

    Examples
    --------
    >>> from gnomon.decision import cost_threshold
    >>> cost_threshold([[0, 9], [1, 0]]), round(cost_threshold([[0, 10], [2, 1]]), 6)
    (0.1, 0.181818)
    """
    C = read_costs(cost_matrix, orientation)
    if C.shape != (2, 2):
        raise ValueError(f"cost_matrix has shape {C.shape}; one threshold is for (2, 2), else use bayes_decision")
    miss, alarm = C[0, 1] - C[1, 1], C[1, 0] - C[0, 0]
    if not (miss > 0.0 and alarm > 0.0):
        raise ValueError(f"with cost_matrix={C.tolist()} one action is always best; C₁₀ > C₀₀ and C₀₁ > C₁₁ are needed")
    return float(1.0 / (1.0 + miss / alarm))
