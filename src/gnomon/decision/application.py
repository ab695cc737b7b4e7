"""An application: what is to be decided, how probable each truth is beforehand, and what each mistake costs.

    C[a, k]: the cost of action a where the truth is k,    π_k: the prior of k                                   (1)
    two classes and actions:  π̃ = π_T C_fn / (π_T C_fn + (1 − π_T) C_fp),   H_T decided iff  LLR > t = −logit π̃    (2)

Brümmer & du Preez (2006), Application-independent evaluation of speaker detection, doi:10.1016/j.csl.2005.08.001; Elkan
(2001), The foundations of cost-sensitive learning, IJCAI.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.base.spare_labels import spare_label
from gnomon.decision._posteriors import Kind, check_priors, posteriors
from gnomon.infer import dominant_action, expected_cost
from gnomon.numerics.special import sigmoid
from gnomon.numerics.validation import check_choice, check_interval, check_numbers

__all__ = ["Application"]

Orientation: TypeAlias = Literal["action_class", "class_action"]


@dataclass(frozen=True)
class Application:
    """Actions, costs and priors of one use of a classifier, equation (1).

    Parameters
    ----------
    prior : float or sequence of float
        π_T of the positive of two classes, in (0, 1); or the priors of all classes, positive numbers that sum to one.
    cost_fn, cost_fp : float, default=1.0
        C_fn of a miss, C_fp of a false alarm; for two classes without a `cost_matrix`.
    cost_matrix : array-like of shape (n_actions, n_classes), optional
        C. Without it a mistake costs 1 and a correct decision nothing. A `UserWarning` says where one action costs
        least whatever is true: no score can then change the decision.
    actions : sequence of labels, optional
        What the rows of C are called. By default they are the classes, in order, and one more is a refusal.
    orientation : {"action_class", "class_action"}, default="action_class"
        Whether `cost_matrix` is C or its transpose.

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI, 973–978.

    Examples
    --------
    Targets are rare, and a miss costs ten times a false alarm:

    >>> from gnomon.decision import Application
    >>> app = Application(0.2, cost_fn=10.0, cost_fp=1.0)
    >>> round(app.effective_prior, 6), round(app.threshold, 6), app.dummy_cost
    (0.714286, -0.916291, array([2. , 0.8]))

    A loan may be granted, refused, or looked at again by a clerk, at a price:

    >>> loan = Application(0.7, cost_matrix=[[0, 1], [5, 0], [0.5, 0.5]], actions=["refuse", "grant", "ask"])
    >>> loan.decide([[0.05, 0.95], [0.2, 0.8], [0.9, 0.1]]).tolist()
    ['grant', 'ask', 'refuse']
    """

    prior: float | ArrayLike
    cost_fn: float = 1.0
    cost_fp: float = 1.0
    cost_matrix: ArrayLike | None = None
    actions: Sequence[Any] | None = None
    orientation: InitVar[Orientation] = "action_class"

    def __post_init__(self, orientation: Orientation) -> None:
        priors = check_priors("prior", self.prior)
        K = len(priors)
        fn, fp = (_cost(name, getattr(self, name)) for name in ("cost_fn", "cost_fp"))
        if (fn, fp) != (1.0, 1.0) and self.cost_matrix is not None:
            raise ValueError("cost_matrix holds all costs; leave cost_fn and cost_fp out, or cost_matrix")
        if (fn, fp) != (1.0, 1.0) and K != 2:
            raise ValueError(f"cost_fn and cost_fp are for two classes, and there are {K}; give cost_matrix")
        # As plain numbers and tuples an application can be compared, hashed and printed.
        plain: dict[str, Any] = {"prior": float(priors[1]) if np.ndim(self.prior) == 0 else tuple(priors.tolist())}
        plain |= {"cost_fn": fn, "cost_fp": fp}
        if self.cost_matrix is not None:
            plain["cost_matrix"] = tuple(map(tuple, read_costs(self.cost_matrix, orientation).tolist()))
        if self.actions is not None:
            plain["actions"] = tuple(self.actions)
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        C = np.asarray(self.costs)
        if C.ndim != 2 or C.shape[1] != K:
            raise ValueError(f"cost_matrix of shape {C.shape} must have a column for each of {K} classes, as prior has")
        action_names(self.actions, np.arange(K), len(C))
        warn_if_idle(C, self.actions)

    @property
    def priors(self) -> tuple[float, ...]:
        """π of all classes."""
        return tuple(check_priors("prior", self.prior).tolist())

    @property
    def costs(self) -> tuple[tuple[float, ...], ...]:
        """C, row by row."""
        given: Any = self.cost_matrix
        if given is not None:
            return given
        K = len(self.priors)
        return ((0.0, self.cost_fn), (self.cost_fp, 0.0)) if K == 2 else tuple(map(tuple, (1.0 - np.eye(K)).tolist()))

    @classmethod
    def from_log_odds(cls, log_odds: float) -> Self:
        """The application of two classes with equal costs and logit π̃ = `log_odds`."""
        return cls(float(sigmoid(check_interval("log_odds", log_odds, closed="neither"))))

    @property
    def n_classes(self) -> int:
        """How many truths there are."""
        return len(self.priors)

    @property
    def log_odds(self) -> float:
        """logit π̃ = log(π_T C_fn) − log((1 − π_T) C_fp), for two classes and actions.

        Where correct decisions cost something too, C_fn is C[0, 1] − C[1, 1], and C_fp is C[1, 0] − C[0, 0].
        """
        miss, alarm = self.stakes
        # Of logarithms: costs may be of any size.
        return float(np.log(self.priors[1]) + np.log(miss) - np.log(self.priors[0]) - np.log(alarm))

    @property
    def effective_prior(self) -> float:
        """π̃ of (2): (π̃, 1, 1) leads to the same decisions."""
        return float(sigmoid(self.log_odds))

    @property
    def threshold(self) -> float:
        """t = −logit π̃ of (2): H_T is decided for a log-likelihood ratio > t."""
        return -self.log_odds

    @property
    def stakes(self) -> tuple[float, float]:
        """What a miss and a false alarm cost more than the correct decision; ValueError but for two classes."""
        if np.shape(self.costs) != (2, 2):
            raise ValueError(
                f"an application with {len(self.costs)} actions and {self.n_classes} classes has no single threshold; "
                "calibrate the scores (ScoreCalibrator) and decide by bayes_decision"
            )
        (reject, miss), (alarm, accept) = self.costs
        if not (miss > accept and alarm > reject):
            raise ValueError(
                f"with cost_matrix={[list(row) for row in self.costs]} one action is always best; a mistake must cost "
                "more than the correct decision"
            )
        return miss - accept, alarm - reject

    @property
    def dummy_cost(self) -> Floats:
        """C π: the expected cost of each action without looking; for two classes (reject all, accept all)."""
        return np.asarray(self.costs) @ np.asarray(self.priors)

    def decide(self, scores: ArrayLike, kind: Kind = "posterior") -> Array:
        """The best action for each row, as `bayes_decision` finds it: the name of the action, or its row of C."""
        q = posteriors(scores, kind, None if kind.endswith("posterior") else self.priors)
        found = expected_cost(q, self.costs).actions
        return found if self.actions is None else as_labels(list(self.actions))[found]


def read_costs(cost_matrix: ArrayLike, orientation: Orientation = "action_class") -> Floats:
    """C as an array of finite numbers, (n_actions, n_classes), or one such matrix for each row."""
    check_choice("orientation", orientation, ("action_class", "class_action"))
    C = check_numbers("cost_matrix", cost_matrix)
    if C.ndim not in (2, 3) or min(C.shape) < 1 or not np.all(np.isfinite(C)):
        raise ValueError(
            f"cost_matrix of shape {C.shape} must be finite numbers: a row for each action, a column for each class"
        )
    return C if orientation == "action_class" else np.swapaxes(C, -1, -2)


def action_names(actions: Sequence[Any] | None, classes: ArrayLike, n_actions: int) -> Array:
    """What the actions are called: as given, or the classes, where there is one action more a refusal."""
    labels = np.asarray(classes)
    if actions is not None:
        if len(actions) != n_actions:
            raise ValueError(f"actions={list(actions)} names {len(actions)} of {n_actions} rows of cost_matrix")
        return as_labels(list(actions))
    if n_actions == len(labels):
        return labels
    if n_actions == len(labels) + 1:
        return as_labels([*labels.tolist(), spare_label(None, labels, "reject")])
    raise ValueError(f"cost_matrix has {n_actions} actions for {len(labels)} classes; name them by actions")


def as_labels(names: list[Any]) -> Array:
    """Labels as an array; objects where words stand beside numbers, so that nothing is converted."""
    kinds = {np.asarray(name).dtype.kind for name in names}
    return np.array(names) if len(kinds) == 1 or kinds <= set("biuf") else np.array(names, dtype=object)


def warn_if_idle(C: Floats, actions: Sequence[Any] | None) -> None:
    """Warn where one action costs least whatever is true."""
    if C.ndim != 2 or len(C) < 2:
        return
    place = dominant_action(C)
    if place is not None:
        name = place if actions is None else actions[place]
        warnings.warn(
            f"action {name!r} costs least whatever the truth is: it is always best, and scores decide nothing; check "
            "cost_matrix",
            stacklevel=4,
        )


def _cost(name: str, value: float) -> float:
    return float(check_interval(name, value, 0.0, closed="neither"))
