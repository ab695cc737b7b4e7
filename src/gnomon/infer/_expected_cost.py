"""The action of least expected cost.

    R(a | x) = Σ_k C[a, k] P(k | x),    a* = argmin_a R(a | x), the first one in a tie                            (1)

C[a, k] is what action a costs where the truth is k; it may be another matrix for each row. Berger (1985), Statistical
Decision Theory and Bayesian Analysis, section 1.3, doi:10.1007/978-1-4757-4286-2; Duda, Hart & Stork (2001), section
2.2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.numerics.validation import check_numbers

__all__ = ["Decisions", "dominant_action", "expected_cost"]

# Costs that differ by rounding alone are a tie.
_TIE = 1e-12


class Decisions(NamedTuple):
    """What each action costs, and which is best, for every row.

    Fields
    ----------
    costs : ndarray of shape (n_samples, n_actions)
    actions : ndarray of int of shape (n_samples,)

    References
    ----------
    Berger, J. O. (1985). Statistical Decision Theory and Bayesian Analysis. doi:10.1007/978-1-4757-4286-2

    Examples
    --------
    >>> from gnomon.infer import expected_cost
    >>> expected_cost([[0.4, 0.6]], [[0, 1], [1, 0]]).actions
    array([1])
    """

    costs: Floats
    actions: Integers


def expected_cost(posterior: ArrayLike, cost_matrix: ArrayLike) -> Decisions:
    """Equation (1) for rows of probabilities.

    Parameters
    ----------
    posterior : array-like of shape (n_samples, n_classes)
        Rows that sum to 1.
    cost_matrix : array-like of shape (n_actions, n_classes), or (n_samples, n_actions, n_classes)

    References
    ----------
    Berger, J. O. (1985). Statistical Decision Theory and Bayesian Analysis. doi:10.1007/978-1-4757-4286-2

    Examples
    --------
    The best action need not be that of the most probable class:

    >>> from gnomon.infer import expected_cost
    >>> found = expected_cost([[0.4, 0.25, 0.35]], [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> found.costs.round(7), found.actions
    (array([[0.95, 0.75, 1.05]]), array([1]))
    """
    q, C = check_numbers("posterior", posterior), check_numbers("cost_matrix", cost_matrix)
    if C.ndim < 2 or q.ndim != 2 or q.shape[1:] != C.shape[-1:] or C.shape[:-2] not in ((), q.shape[:1]):
        raise ValueError(
            f"posterior of shape {q.shape} and cost_matrix of shape {C.shape} must be (n_samples, n_classes) and "
            "(n_actions, n_classes), or (n_samples, n_actions, n_classes)"
        )
    total = np.sum(q, axis=1)
    if np.any(q < 0.0) or np.any(np.abs(total - 1.0) > 1e-6):
        worst = int(np.argmax(np.maximum(np.abs(total - 1.0), -np.min(q, axis=1))))
        raise ValueError(f"posterior[{worst}]={q[worst].tolist()} is no probability law; its numbers must sum to 1")
    costs = np.einsum("...ak,...k->...a", C, q)
    least = np.min(costs, axis=1, keepdims=True)
    tie = costs - least <= _TIE * np.max(np.abs(costs), axis=1, keepdims=True, initial=0.0)
    return Decisions(costs, np.argmax(tie, axis=1))


def dominant_action(cost_matrix: ArrayLike) -> int | None:
    """The action that costs least whatever the truth is, so that no probability decides anything; None without one.

    Parameters
    ----------
    cost_matrix : array-like of shape (n_actions, n_classes)

    References
    ----------
    Berger, J. O. (1985). Statistical Decision Theory and Bayesian Analysis. doi:10.1007/978-1-4757-4286-2

    Examples
    --------
    >>> from gnomon.infer import dominant_action
    >>> dominant_action([[2, 1], [0, 1]]), dominant_action([[0, 1], [1, 0]])
    (1, None)
    """
    C = check_numbers("cost_matrix", cost_matrix)
    best = np.all(np.min(C, axis=0) == C, axis=1)
    return int(np.argmax(best)) if np.any(best) else None
