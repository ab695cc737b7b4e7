"""Which row to ask about: how useful its label would be.

    least confident  1 − p₍₁₎        margin  1 − (p₍₁₎ − p₍₂₎)        entropy  H(p)        distance  −|s|           (1)
    committee        H(votes),  or  (1/M) Σ_m KL(p_m ‖ p̄) = H(p̄) − (1/M) Σ_m H(p_m)                              (2)
    error reduction  −Σ_y P(y | xᵢ) Σ_{j≠i} U(P_{D+(xᵢ,y)}(· | xⱼ)),    U = H  or  1 − max                        (3)

p₍₁₎ ≥ p₍₂₎ are the largest probabilities of a row, s is the score of a margin classifier, p_m is what member m of a
committee says and p̄ their mean. A strategy is a function (state, rows, rng) → one number for each row, greater asked
first. (1): Lewis & Gale (1994), doi:10.1007/978-1-4471-2099-5_1; Settles (2009), Active learning literature survey,
TR 1648. (2): Seung, Opper & Sompolinsky (1992), doi:10.1145/130385.130417; McCallum & Nigam (1998); where members are
draws from a posterior it is BALD, Houlsby et al. (2011), arXiv:1112.5745. (3): Roy & McCallum (2001), ICML, 441–448.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import entr
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import euclidean_distances
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from gnomon._typing import Array, Floats, Integers
from gnomon.base.rows import stack_rows
from gnomon.base.weights import weight_parameter
from gnomon.decision._confidence import confidence
from gnomon.numerics.coding import label_index
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.tables import as_frame
from gnomon.numerics.validation import check_choice, check_integer

__all__ = ["CommitteeDisagreement", "ExpectedErrorReduction", "LearningState", "farthest_first", "strategy_of"]

Members: TypeAlias = int | Literal["members"] | Sequence[BaseEstimator]

_TOTALS: dict[str, Callable[[Floats], Floats]] = {
    "entropy": lambda p: np.sum(entr(p), axis=-1),
    "zero_one": lambda p: 1.0 - np.max(p, axis=-1),
}


class LearningState(NamedTuple):
    """What is known when a question is chosen.

    Fields
    ------
    estimator : estimator
        Unfitted.
    model : estimator
        The same, fitted to the labelled rows.
    X, y, weights
        The labelled rows; weights are None where none were given.

    References
    ----------
    Settles, B. (2009). Active learning literature survey. University of Wisconsin–Madison TR 1648.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon.decision import LearningState
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> state = LearningState(GaussianNB(), GaussianNB().fit(X, y), X, y, None)
    >>> state.with_label(np.array([[2.0]]), 1).class_count_.tolist()
    [2.0, 3.0]
    """

    estimator: BaseEstimator
    model: Any
    X: Any
    y: Array
    weights: Floats | None = None

    @property
    def classes(self) -> Array:
        """The labels that the model knows."""
        return self.model.classes_

    def with_label(self, row: Any, label: object) -> Any:
        """The model with one row more: a copy updated by `partial_fit` where it has one, else refitted."""
        target = np.array([label], dtype=self.y.dtype)
        if getattr(self.model, "partial_fit", None) is not None:
            return deepcopy(self.model).partial_fit(row, target)
        weights = None if self.weights is None else np.append(self.weights, 1.0)
        return fitted(self.estimator, stack_rows(self.X, row), np.append(self.y, target), weights)


Strategy: TypeAlias = Callable[[LearningState, Any, np.random.Generator], Floats]


def fitted(estimator: BaseEstimator, X: Any, y: Array, weights: Floats | None) -> Any:
    """A clone, fitted with the weights if there are any."""
    model = clone(estimator)
    return model.fit(X, y, **weight_parameter(model, weights))


def uncertainty(kind: str) -> Strategy:
    """A line of (1) by its name; ValueError where the model has not what it needs."""

    def utility(state: LearningState, X: Any, rng: np.random.Generator) -> Floats:
        if kind == "distance":
            return -_distance(state.model, X)
        p = proba_of(state.model, X, kind)
        return _TOTALS["entropy"](p) if kind == "entropy" else 1.0 - confidence(p, _CONFIDENCES[kind])

    return utility


_CONFIDENCES: dict[str, Literal["max", "margin"]] = {"least_confident": "max", "margin": "margin"}


def proba_of(model: Any, X: Any, strategy: str) -> Floats:
    """Probabilities of a model; the error where it has none says what to do."""
    ask = getattr(model, "predict_proba", None)
    if ask is None:
        raise ValueError(
            f"strategy={strategy!r} needs probabilities, and {type(model).__name__} has no predict_proba; choose "
            "strategy='distance', or wrap the model by sklearn.calibration.CalibratedClassifierCV"
        )
    return np.asarray(ask(X), dtype=float)


def _distance(model: Any, X: Any) -> Floats:
    """|s| of two classes; of more, the lead of the best score over the second."""
    ask = getattr(model, "decision_function", None)
    if ask is None:
        raise ValueError(
            f"strategy='distance' needs scores, and {type(model).__name__} has no decision_function; choose 'margin'"
        )
    scores = np.asarray(ask(X), dtype=float)
    return np.abs(scores) if scores.ndim == 1 else np.diff(np.partition(scores, -2, axis=1)[:, -2:], axis=1)[:, 0]


def _random(state: LearningState, X: Any, rng: np.random.Generator) -> Floats:
    return rng.random(_num_samples(X))


@dataclass(frozen=True)
class CommitteeDisagreement:
    """How much the members of a committee disagree about a row: (2).

    Parameters
    ----------
    measure : {"consensus_kl", "vote_entropy"}, default="consensus_kl"
        Mean divergence of the members' probabilities from their mean (BALD, where members are draws from a posterior),
        or the entropy of their votes.
    members : int, "members" or sequence of estimators, default=10
        Clones of the learner's estimator fitted to so many bootstrap samples of the labelled rows; the fitted
        `estimators_` of an ensemble (a forest, a bag), at no further cost; or estimators, which are fitted. A member
        without `predict_proba` gives its vote probability 1.

    References
    ----------
    Seung, H. S., Opper, M. & Sompolinsky, H. (1992). Query by committee. doi:10.1145/130385.130417

    McCallum, A. & Nigam, K. (1998). Employing EM and pool-based active learning for text classification. ICML, 350–358.

    Houlsby, N., Huszár, F., Ghahramani, Z. & Lengyel, M. (2011). Bayesian active learning for classification and
    preference learning. arXiv:1112.5745

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decision import CommitteeDisagreement
    >>> votes = np.array([[[0.9, 0.1]], [[0.6, 0.4]], [[0.3, 0.7]]])
    >>> CommitteeDisagreement().of(votes).round(6), CommitteeDisagreement("vote_entropy").of(votes).round(6)
    (array([0.136692]), array([0.636514]))
    """

    measure: Literal["consensus_kl", "vote_entropy"] = "consensus_kl"
    members: Members = 10

    def __call__(self, state: LearningState, X: Any, rng: np.random.Generator) -> Floats:
        """Disagreement about every row of X."""
        check_choice("measure", self.measure, ("consensus_kl", "vote_entropy"))
        return self.of(np.array([_answers(member, columns, X, state) for member, columns in self._fit(state, rng)]))

    def of(self, proba: Floats) -> Floats:
        """(2) for probabilities of shape (n_members, n_samples, n_classes)."""
        total = _TOTALS["entropy"]
        if self.measure == "vote_entropy":
            votes = np.eye(proba.shape[2])[np.argmax(proba, axis=2)]
            return total(np.mean(votes, axis=0))
        return np.maximum(total(np.mean(proba, axis=0)) - np.mean(total(proba), axis=0), 0.0)

    def _fit(self, state: LearningState, rng: np.random.Generator) -> list[tuple[Any, Integers]]:
        """Every member, and the columns of its classes."""
        if isinstance(self.members, str):
            check_choice("members", self.members, ("members",))
            found = getattr(state.model, "estimators_", None)
            if found is None:
                raise ValueError(
                    f"members='members' needs an ensemble, and {type(state.model).__name__} has no estimators_; give a "
                    "number of bootstrap samples, or estimators"
                )
            # Ensembles fit their members to the positions 0 … K − 1 of the labels.
            return [(member, np.asarray(member.classes_).astype(int)) for member in found]
        if isinstance(self.members, Sequence):
            made = [fitted(each, state.X, state.y, state.weights) for each in self.members]
        else:
            made = [_on_bootstrap(state, rng) for _ in range(check_integer("members", self.members, 2))]
        return [(member, label_index(member.classes_, state.classes)[0]) for member in made]


def _on_bootstrap(state: LearningState, rng: np.random.Generator) -> Any:
    """A clone fitted to rows drawn with replacement, and to one row of each class that the draw lacks."""
    rows = rng.integers(0, len(state.y), len(state.y))
    lacking = np.setdiff1d(state.classes, state.y[rows])
    rows = np.append(rows, [int(np.argmax(state.y == label)) for label in lacking]).astype(int)
    weights = None if state.weights is None else state.weights[rows]
    return fitted(state.estimator, _safe_indexing(state.X, rows), state.y[rows], weights)


def _answers(member: Any, columns: Integers, X: Any, state: LearningState) -> Floats:
    """Probabilities of a member in the columns of all classes."""
    # Members of an ensemble get arrays from it, whatever it was given, and would wonder at names of columns.
    rows = X if "feature_names_in_" in vars(member) or as_frame(X) is None else np.asarray(X)
    out = np.zeros((_num_samples(X), len(state.classes)))
    if getattr(member, "predict_proba", None) is None:
        chosen = label_index(member.predict(rows), member.classes_)[0]
        out[np.arange(len(out)), columns[chosen]] = 1.0
    else:
        out[:, columns] = member.predict_proba(rows)
    return out


@dataclass(frozen=True)
class ExpectedErrorReduction:
    """Minus the uncertainty that is expected to remain about the other rows once this one has a label: (3).

    Parameters
    ----------
    remaining : {"entropy", "zero_one"}, default="entropy"
        U: the entropy, or the expected error 1 − max p.
    max_candidates : int or None, default=100
        How many rows of the pool, drawn at random, are considered; None: all. Each costs one fit for each class.
    max_others : int or None, default=500
        Over how many rows of the pool the sum over j is taken; None: all.
    n_jobs : int, optional
        Threads over candidates and labels.

    References
    ----------
    Roy, N. & McCallum, A. (2001). Toward optimal active learning through sampling estimation of error reduction. ICML,
    441–448.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decision import ActiveLearner, ExpectedErrorReduction
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> learner = ActiveLearner(GaussianNB(), ExpectedErrorReduction("zero_one")).fit(X, [0, 0, 1, 1])
    >>> learner.query(np.array([[-9.0], [2.4], [2.6], [14.0]])).shape
    (1,)
    """

    remaining: Literal["entropy", "zero_one"] = "entropy"
    max_candidates: int | None = 100
    max_others: int | None = 500
    n_jobs: int | None = None

    def __call__(self, state: LearningState, X: Any, rng: np.random.Generator) -> Floats:
        """(3) for every row of X; −∞ for rows that are no candidates."""
        total = _TOTALS[check_choice("remaining", self.remaining, _TOTALS)]
        m = _num_samples(X)
        candidates, others = _some(m, self.max_candidates, rng), _some(m, self.max_others, rng)
        weights = proba_of(state.model, _safe_indexing(X, candidates), "expected_error_reduction")

        def remains(pair: tuple[int, object]) -> float:
            i, label = pair
            rest = others[others != i]
            if len(rest) == 0:
                return 0.0
            model = state.with_label(_safe_indexing(X, [i]), label)
            # Of a sample of the others the sum over all is estimated, whether or not i is in the sample.
            return float(np.mean(total(model.predict_proba(_safe_indexing(X, rest))))) * (m - 1)

        pairs = [(i, label) for i in candidates.tolist() for label in state.classes.tolist()]
        after = np.reshape(map_chunks(remains, pairs, self.n_jobs), weights.shape)
        utility = np.full(m, -np.inf)
        utility[candidates] = -np.sum(weights * after, axis=1)
        return utility


def _some(m: int, most: int | None, rng: np.random.Generator) -> Integers:
    """All of m rows, or so many of them drawn at random, in their order."""
    return np.arange(m) if most is None or most >= m else np.sort(rng.choice(m, check_integer("max", most, 1), False))


STRATEGIES: dict[str, Strategy] = {
    **{kind: uncertainty(kind) for kind in ("margin", "least_confident", "entropy", "distance")},
    "expected_error_reduction": ExpectedErrorReduction(),
    "vote_entropy": CommitteeDisagreement("vote_entropy"),
    "consensus_kl": CommitteeDisagreement(),
    "bald": CommitteeDisagreement(),
    "random": _random,
}


def strategy_of(given: str | Strategy) -> Strategy:
    """The function that a word stands for; a callable is itself.

    References
    ----------
    Settles, B. (2009). Active learning literature survey. University of Wisconsin–Madison TR 1648.

    Examples
    --------
    >>> from gnomon.decision.strategies import strategy_of
    >>> strategy_of("vote_entropy")
    CommitteeDisagreement(measure='vote_entropy', members=10)
    """
    return given if callable(given) else STRATEGIES[check_choice("strategy", given, STRATEGIES)]


def farthest_first(X: Any, n: int, near: Floats | None = None, first: int | None = None) -> Integers:
    """n rows, each the farthest from those before it (and from rows at squared distances `near`).

    Without `near` it begins with row `first`, or with the row nearest to the mean.

    References
    ----------
    Gonzalez, T. F. (1985). Clustering to minimize the maximum intercluster distance. doi:10.1016/0304-3975(85)90224-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decision.strategies import farthest_first
    >>> farthest_first(np.array([[0.0], [1.0], [2.0], [9.0]]), 3)
    array([2, 3, 0])
    """
    m = _num_samples(X)
    chosen: list[int] = []
    if near is None:
        start = int(np.argmin(_squares(X, np.asarray(X.mean(axis=0)).reshape(1, -1)))) if first is None else first
        chosen, near = [start], _squares(X, X[[start]])
    near = np.where(np.isin(np.arange(m), chosen), -1.0, near)
    while len(chosen) < n:
        chosen.append(int(np.argmax(near)))
        near = np.minimum(near, _squares(X, X[chosen[-1:]]))
        near[chosen] = -1.0
    return np.array(chosen[:n], dtype=np.intp)


def _squares(X: Any, row: Any) -> Floats:
    return euclidean_distances(X, row, squared=True)[:, 0]
