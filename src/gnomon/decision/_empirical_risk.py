"""What decisions cost on labelled rows, for the priors of an application.

    B = Σ_k (π_k / N_k) Σ_{i in k} C[aᵢ, k],    N_k = Σ_{i in k} sᵢ                                            (1)
    uDCF = π_T C_fn P_fn + (1 − π_T) C_fp P_fp,    DCF = B / min_a Σ_k C[a, k] π_k                               (2)

The shares of the classes among the rows do not matter: rates within the classes are weighed by the priors of the
application. 1 is what the best constant action costs. Brümmer & du Preez (2006), doi:10.1016/j.csl.2005.08.001; NIST
(1998), The speaker recognition evaluation plan; Ferrer (2023), arXiv:2209.05355.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon.base.trials import positive_rows
from gnomon.decision._posteriors import check_priors
from gnomon.decision.application import Application, Orientation, action_names, read_costs
from gnomon.numerics.weights import check_weights

__all__ = ["dcf", "empirical_bayes_risk"]


def empirical_bayes_risk(
    y_true: ArrayLike,
    decisions: ArrayLike,
    cost_matrix: ArrayLike,
    priors: float | ArrayLike,
    *,
    actions: Sequence[Any] | None = None,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    orientation: Orientation = "action_class",
) -> float:
    """B of (1).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
    decisions : array-like of shape (n_samples,)
        The action taken for each row, by its name.
    cost_matrix : array-like of shape (n_actions, n_classes)
    priors : float or array-like of shape (n_classes,)
        Of the application, in (0, 1); a number is that of the second of two classes.
    actions : sequence of labels, optional
        The names of the rows of C: by default the classes, and where there is one row more a refusal (−1 or "reject").
    classes : array-like of shape (n_classes,), optional
        The labels that the columns of C are for; by default those of `y_true`, sorted. Each must have rows.
    sample_weight : array-like of shape (n_samples,), optional
    orientation : {"action_class", "class_action"}, default="action_class"

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    Each class has its prior, however many rows it has:

    >>> from gnomon.decision import empirical_bayes_risk
    >>> empirical_bayes_risk([0, 0, 0, 0, 1], [0, 0, 0, 1, 1], [[0, 10], [1, 0]], priors=0.5)
    0.125
    """
    C, p = read_costs(cost_matrix, orientation), check_priors("priors", priors)
    if C.ndim != 2 or C.shape[1] != len(p):
        raise ValueError(f"cost_matrix of shape {C.shape} must have a column for each of {len(p)} priors")
    rates = action_rates(y_true, decisions, len(C), len(p), actions, classes, sample_weight)
    return float(np.sum(C * rates * p))


def dcf(
    y_true: ArrayLike,
    decisions: ArrayLike,
    app: Application,
    *,
    normalize: bool = True,
    pos_label: object = None,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """The detection cost (2) of hard decisions in an application, of two classes or more.

    Parameters
    ----------
    y_true, decisions : array-like of shape (n_samples,)
        Labels, and actions by name.
    app : Application
    normalize : bool, default=True
        Divide by the cost of the best constant action.
    pos_label : label or "rare", optional
        The positive one of two; by default the greater.
    classes : array-like, optional
        As in `empirical_bayes_risk`.
    sample_weight : array-like of shape (n_samples,), optional

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    One of four targets missed, one of four others accepted:

    >>> from gnomon.decision import Application, dcf
    >>> y, decided = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 0]
    >>> dcf(y, decided, Application(0.5)), dcf(y, decided, Application(0.5), normalize=False)
    (0.5, 0.25)
    """
    if pos_label is not None:
        if classes is not None:
            raise ValueError("pos_label and classes both order the classes; give one of them")
        classes = _positive_last(np.asarray(y_true), pos_label, sample_weight)
    risk = empirical_bayes_risk(
        y_true, decisions, app.costs, app.priors, actions=app.actions, classes=classes, sample_weight=sample_weight
    )
    return risk / constant_cost(app) if normalize else risk


def constant_cost(app: Application) -> float:
    """The least cost of a constant action; ValueError where there is none to divide by."""
    least = float(np.min(app.dummy_cost))
    if not least > 0.0:
        raise ValueError(
            f"the best constant action costs {least:g}, by which nothing can be divided; choose normalize=False"
        )
    return least


def action_rates(
    y_true: ArrayLike,
    decisions: ArrayLike,
    n_actions: int,
    n_classes: int,
    actions: Sequence[Any] | None = None,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    """The share of each action among the rows of each class, (n_actions, n_classes)."""
    y, a = np.asarray(y_true), np.asarray(decisions)
    if y.ndim != 1 or a.shape != y.shape:
        raise ValueError(f"y_true of shape {y.shape} and decisions of shape {a.shape} must be one label for each row")
    weights = check_weights(sample_weight, np.empty((len(y), 0)))
    labels = np.unique(y[weights > 0.0]) if classes is None else np.asarray(classes)
    if len(labels) != n_classes:
        raise ValueError(
            f"y_true has the {len(labels)} classes {labels.tolist()[:5]} for {n_classes} priors; rows of every class "
            "are needed"
        )
    used = weights > 0.0
    k, j = _places(y[used], labels, "y_true"), _places(a[used], action_names(actions, labels, n_actions), "decisions")
    counts = np.bincount(j * n_classes + k, weights[used], n_actions * n_classes).reshape(n_actions, n_classes)
    total = np.sum(counts, axis=0)
    if not np.all(total > 0.0):
        raise ValueError(
            f"y_true has no row of {labels[total == 0.0].tolist()}, which have a prior; such rows are needed"
        )
    return counts / total


def _places(values: Array, labels: Array, name: str) -> Integers:
    """The place of each value among the labels."""
    places = {label: place for place, label in enumerate(labels.tolist())}
    found, index = np.unique(values, return_inverse=True)
    if unknown := [value for value in found.tolist() if value not in places]:
        raise ValueError(
            f"{name} has {unknown[:5]}, allowed are {labels.tolist()[:10]}; name others by actions or classes"
        )
    return np.array([places[value] for value in found.tolist()], dtype=int)[index]


def _positive_last(y: Array, pos_label: object, sample_weight: ArrayLike | None) -> list[Any]:
    weights = check_weights(sample_weight, np.empty((len(y), 0)))
    names = np.unique(y[weights > 0.0]).tolist()
    if len(names) > 2:
        raise ValueError(f"pos_label={pos_label!r} is for two labels; y_true has {names[:5]}, which classes can order")
    return list(positive_rows(y[weights > 0.0], pos_label, weights[weights > 0.0])[1])
