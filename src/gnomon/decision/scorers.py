"""Scorers for model selection by cost.

    −DCF of decisions, −minimum DCF or −actual DCF of scores;    −mean over rows of Cᵢ[aᵢ, kᵢ]                      (1)

A model is trained with a convex loss and selected with what its use costs: give these as `scoring` to `GridSearchCV`,
`cross_validate` or `TunedThresholdClassifierCV`. Elkan (2001), The foundations of cost-sensitive learning, IJCAI.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.metrics import make_scorer

from gnomon import infer
from gnomon._typing import ArrayLike
from gnomon.decision._empirical_risk import dcf
from gnomon.decision._min_dcf import act_dcf, min_dcf
from gnomon.decision.application import Application, read_costs
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import check_weights

__all__ = ["cost_scorer", "dcf_scorer"]

_SCORES = ("decision_function", "predict_proba")


def dcf_scorer(app: Application, kind: Literal["decisions", "minimum", "actual"] = "decisions") -> Any:
    """A scorer of scikit-learn: the detection cost in an application with its sign changed, greater is better.

    Parameters
    ----------
    app : Application
        Of any number of classes for decisions, of two otherwise.
    kind : {"decisions", "minimum", "actual"}, default="decisions"
        The cost of what `predict` returns (actions by name), the least cost over all thresholds, or that of scores read
        as log-likelihood ratios.

    Returns
    -------
    callable (estimator, X, y, sample_weight=None) → float

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI, 973–978.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from gnomon.decision import Application, dcf_scorer
    >>> X, y = np.zeros((100, 1)), np.repeat([0, 1], [99, 1])
    >>> constant = DummyClassifier().fit(X, y)
    >>> constant.score(X, y), dcf_scorer(Application(0.01, cost_fn=50.0))(constant, X, y) < -0.5
    (0.99, True)
    """
    check_choice("kind", kind, ("decisions", "minimum", "actual"))
    if kind == "decisions":
        return make_scorer(dcf, greater_is_better=False, app=app)
    app.stakes  # noqa: B018 - refuses an application without a threshold before any model is fitted
    function = _minimum if kind == "minimum" else act_dcf
    return make_scorer(function, greater_is_better=False, response_method=_SCORES, app=app)


def cost_scorer(cost_matrix: ArrayLike | None = None) -> Any:
    """A scorer: the mean cost of the best actions for predicted probabilities, with its sign changed.

    Costs may differ from row to row: `cost_scorer().set_score_request(costs=True)` with metadata routing lets
    `GridSearchCV.fit(X, y, costs=…)` hand each fold its own, an array of shape (n_samples, n_actions, n_classes).

    Parameters
    ----------
    cost_matrix : array-like of shape (n_actions, n_classes), optional
        Costs where none are handed on with the rows.

    Returns
    -------
    callable (estimator, X, y, sample_weight=None, costs=None) → float

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI, 973–978.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from gnomon.decision import cost_scorer
    >>> X, y = np.zeros((4, 1)), np.array([0, 0, 0, 1])
    >>> prior = DummyClassifier().fit(X, y)
    >>> cost_scorer([[0, 10], [1, 0]])(prior, X, y)
    -0.75
    """
    options = {} if cost_matrix is None else {"default": read_costs(cost_matrix)}
    return make_scorer(_mean_cost, greater_is_better=False, response_method="predict_proba", **options)


def _minimum(y_true: ArrayLike, scores: ArrayLike, app: Application, sample_weight: ArrayLike | None = None) -> float:
    return min_dcf(y_true, scores, app, sample_weight=sample_weight).value


def _mean_cost(
    y_true: ArrayLike,
    proba: ArrayLike,
    costs: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    default: ArrayLike | None = None,
) -> float:
    given = default if costs is None else costs
    if given is None:
        raise ValueError("cost_scorer has no costs: give cost_matrix, or costs of the rows by metadata routing")
    p, C = np.asarray(proba, dtype=float), read_costs(given)
    p = np.column_stack([1.0 - p, p]) if p.ndim == 1 else p
    labels, k = np.unique(np.asarray(y_true), return_inverse=True)
    if len(labels) != p.shape[1]:
        raise ValueError(f"y_true has {len(labels)} of {p.shape[1]} classes; every fold needs rows of each")
    actions = infer.expected_cost(p, C).actions
    paid = np.broadcast_to(C, (len(p), *C.shape[-2:]))[np.arange(len(p)), actions, k]
    return float(np.average(paid, weights=check_weights(sample_weight, p)))
