"""What decisions cost on the held-out rows, and what they would cost without the model.

    R = Σ_k π_k c̄_k,    c̄_k the mean of C[a(x), k] over the rows of class k,    s.e.² = Σ_k π_k² s²_k / n_k      (1)

π are the priors of the use, not the shares among the held-out rows. Beside R stand the best action that looks at no
row, min_a Σ_k C[a, k] π_k, and that of the most probable class. Brümmer & du Preez (2006),
doi:10.1016/j.csl.2005.08.001.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnomon._typing import Array, Floats, Integers
from gnomon.infer import dominant_action, expected_cost
from gnomon.numerics.curves import threshold_curve
from gnomon.numerics.estimates import Estimate, normal_quantile
from gnomon.numerics.weights import effective_train_prior, shift_prior
from gnomon.report._findings import Finding
from gnomon.report.aims import Stakes
from gnomon.report.scores import Forecast, rounded

__all__ = [
    "CostCurve",
    "DecisionOutcome",
    "cost_curve",
    "decision_findings",
    "decision_outcome",
    "named_rows",
    "table_shares",
]


@dataclass(frozen=True)
class DecisionOutcome:
    """The decisions on the held-out rows.

    `counts` has the held-out rows by action and class; `cost` is (1) of the decisions and `of_most_probable` that of
    the most probable class (None where classes are no actions); `constant` is the best action that looks at no row,
    with its cost; `gain` is what the decisions save against that.
    """

    stakes: Stakes
    classes: tuple[str, ...]
    priors: Floats
    counts: Integers
    cost: Estimate
    of_most_probable: Estimate | None
    constant: tuple[str, float]
    gain: Estimate


@dataclass(frozen=True)
class CostCurve:
    """Of two classes and actions: (1) over the threshold on the probability of the second, and the one that is used.

    The thresholds fall; a cost is that of saying the second class beyond its threshold, up to the one before, or to 1.
    """

    thresholds: Floats
    costs: Floats
    used: float


def table_shares(stakes: Stakes, y: Array, train: Integers) -> Floats:
    """The shares of the classes in all rows, by which costs are weighted where no other prior is given.

    Where one is given, those of the training rows, whose forecasts are put to it. Later rows may have a class more.
    """
    return effective_train_prior(y if stakes.priors is None else y[train])


def decision_outcome(y: Array, f: Forecast, stakes: Stakes, train_prior: Floats) -> DecisionOutcome:
    """Equation (1) for the decisions that the forecasts lead to; `train_prior` is of `table_shares`."""
    assert f.proba is not None
    assert f.classes is not None
    priors, proba = _at_use(f.proba, stakes, train_prior)
    truth = np.searchsorted(f.classes, y)
    taken = expected_cost(proba, stakes.costs).actions
    blind = stakes.costs @ priors
    constant = int(np.argmin(blind))
    counts = np.zeros(stakes.costs.shape, dtype=int)
    np.add.at(counts, (taken, truth), 1)
    likeliest = [stakes.actions.index(name) if name in stakes.actions else -1 for name in f.classes.tolist()]
    named = np.array(likeliest)[np.argmax(proba, axis=1)]
    return DecisionOutcome(
        stakes=stakes,
        classes=tuple(f.classes.tolist()),
        priors=priors,
        counts=counts,
        cost=_within(_risk(stakes.costs[taken, truth], truth, priors), stakes.costs, priors),
        of_most_probable=None
        if -1 in likeliest
        else _within(_risk(stakes.costs[named, truth], truth, priors), stakes.costs, priors),
        constant=(stakes.actions[constant], float(blind[constant])),
        gain=_risk(stakes.costs[constant, truth] - stakes.costs[taken, truth], truth, priors),
    )


def _risk(costs: Floats, truth: Integers, priors: Floats, level: float = 0.95) -> Estimate:
    """Equation (1); of a class with one row the variance is not known, and the error is nan."""
    mean, square = 0.0, 0.0
    for k, prior in enumerate(priors):
        mine = costs[truth == k]
        if len(mine):
            mean += prior * float(np.mean(mine))
            square += prior**2 * (float(np.var(mine, ddof=1)) / len(mine) if len(mine) > 1 else np.nan)
    error, z = float(np.sqrt(square)), normal_quantile(level)
    return Estimate(mean, error, mean - z * error, mean + z * error, level)


def _within(risk: Estimate, C: Floats, priors: Floats) -> Estimate:
    """The interval without what no decisions cost: less than the least, or more than the most, for every class."""
    least, most = float(np.min(C, axis=0) @ priors), float(np.max(C, axis=0) @ priors)
    return risk._replace(low=max(risk.low, least), high=min(risk.high, most))


def _at_use(proba: Floats, stakes: Stakes, train_prior: Floats) -> tuple[Floats, Floats]:
    """The priors where the model will be used, and the probabilities under them."""
    if stakes.priors is None:
        return train_prior, proba
    return stakes.priors, shift_prior(proba, train_prior, stakes.priors)


def cost_curve(y: Array, f: Forecast, stakes: Stakes, train_prior: Floats) -> CostCurve | None:
    """Cost over the threshold, where two actions are decided between by one; None otherwise."""
    C = stakes.costs
    if C.shape != (2, 2) or f.proba is None or f.classes is None:
        return None
    # The second action is that for the second class, whatever their order in the costs.
    C = C if C[1, 1] < C[0, 1] else C[::-1]
    miss, alarm = C[0, 1] - C[1, 1], C[1, 0] - C[0, 0]
    if not (miss > 0.0 and alarm > 0.0) or len(np.unique(y)) < 2:
        return None
    priors, proba = _at_use(f.proba, stakes, train_prior)
    curve = threshold_curve(proba[:, 1], y == f.classes[1])
    costs = priors[1] * (C[1, 1] * curve.tpr + C[0, 1] * (1 - curve.tpr)) + priors[0] * (
        C[1, 0] * curve.fpr + C[0, 0] * (1 - curve.fpr)
    )
    return CostCurve(np.clip(curve.strict_thresholds, 0.0, 1.0), costs, float(alarm / (alarm + miss)))


def decision_findings(outcome: DecisionOutcome | None) -> list[Finding]:
    """What the reader must know of the costs: an action that is always best, or no gain from the model."""
    if outcome is None:
        return []
    best = dominant_action(outcome.stakes.costs)
    if best is not None:
        name = outcome.stakes.actions[best]
        text = f"{name} costs least whatever the truth is, so the forecasts decide nothing. Check the costs."
        return [Finding("grave", "One action is always best", text)]
    if not outcome.gain.low > 0.0:
        name, cost = outcome.constant
        text = (
            f"Decisions by this model cost {rounded(outcome.cost.value)} a row, always {name} costs {rounded(cost)}: "
            "the held-out rows do not show that the model pays."
        )
        return [Finding("warning", "No gain against a constant action", text)]
    return []


def named_rows(outcome: DecisionOutcome) -> Sequence[tuple[str, Sequence[float], Sequence[int]]]:
    """For each action its costs and its held-out rows by class."""
    return [
        (name, costs.tolist(), counts.tolist())
        for name, costs, counts in zip(outcome.stakes.actions, outcome.stakes.costs, outcome.counts, strict=True)
    ]
