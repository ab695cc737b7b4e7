"""Boosted trees: rounds, held-out rows, warm starts, scores.

    F(x) = F_0(x) + Σ_r η f_r(x)                                                                                   (1)

Friedman (2001), doi:10.1214/aos/1013203451. F_0 is a constant, or an estimator that the user gives.
"""

from __future__ import annotations

import copy
import numbers
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, Bools, Floats, Integers, Matrix, Numbers, RandomState, Sparse, TableLike
from gnomon.base.callbacks import CallbackSupportMixin, Tasks
from gnomon.base.coded_rows import Coding, new_rows
from gnomon.base.estimator import Estimator
from gnomon.losses import Loss
from gnomon.numerics.random import check_rng
from gnomon.search import Forest, Round, Tree, boost, code_columns
from gnomon.search.boosting_scores import mean_loss
from gnomon.trees._cost import CostMixin, Member, predict_by

__all__ = [
    "UNMET",
    "BoostedTrees",
    "BoostingRows",
    "HeldOutLosses",
    "History",
    "Judge",
    "Monitor",
    "best_constant",
    "check_monotone",
    "held_rows",
    "part_of",
    "split_seed",
    "stalled",
    "with_fixed_scores",
]

Judge: TypeAlias = Callable[[Round], str | None]
"""After a round: the reason to stop, or None."""

Monitor: TypeAlias = Callable[[int, Any, dict[str, Any]], bool | None]
"""``monitor(round, estimator, state)`` of a user, which returns True to stop."""

History: TypeAlias = dict[str, Array]

UNMET = ("max_iter", "callback", "interrupted")
"""Reasons to stop other than a stopping rule that was met."""


class BoostingRows(NamedTuple):
    """Rows as rounds use them: cells as numbers, targets as the loss takes them, weights, scores before the rounds."""

    X: Matrix
    y: Array
    weights: Floats
    start: Floats

    def part(self, which: Integers) -> BoostingRows:
        """Some of the rows."""
        return BoostingRows(*part_of(which, *self))


def part_of(which: Integers, *arrays: Any) -> list[Any]:
    """Some rows of every array, in their order; the arrays themselves where these are all."""
    return [values if len(which) == values.shape[0] else values[which] for values in arrays]


class BoostedTrees(CostMixin, CallbackSupportMixin, Estimator):
    """Rounds of trees and their sum. Subclasses define a round (`_plan`) and F_0 (`_start`)."""

    coding_: Coding
    n_features_in_: int
    n_iter_: int
    baseline_: Floats
    history_: History
    train_score_: Floats
    converged_: bool
    stop_reason_: str

    def _continues(self) -> bool:
        """Whether this fit continues the rounds of the last one."""
        return self.warm_start and "history_" in vars(self)

    def _fit_rounds(
        self,
        rows: BoostingRows,
        loss: Loss,
        n_scores: int,
        told: Tasks,
        judge: Judge | None = None,
        monitor: Monitor | None = None,
        validation: HeldOutLosses | None = None,
    ) -> Self:
        """Fit (1); sets `rounds_`, `history_` and how it ended."""
        keep = self.rounds_ if self._continues() else []
        count = int(getattr(self, self._rounds_name))
        if len(keep) > count:
            raise ValueError(
                f"{self._rounds_name}={count} must be larger or equal to the {len(keep)} rounds that warm_start=True "
                "keeps; give as many, or set warm_start=False"
            )
        columns = code_columns(
            rows.X,
            category=self.coding_.category,
            bins=self._bins(len(rows.y)),
            weights=rows.weights,
            n_jobs=self.n_jobs,
        )
        found = boost(
            columns, rows.y, self._plan(loss, n_scores, columns, float(np.sum(rows.weights))), count - len(keep),
            start=rows.start + self._kept_sum(rows.X), sample_weight=rows.weights, seed=self._seed,
            watch=self._watch(judge, monitor, keep, count, told), first=len(keep),
        )  # fmt: skip
        self._set_rounds(keep + found.trees)
        self._join_rounds()
        self._end(found.stop_reason, count)
        held = {} if validation is None else {"validation": validation.history(len(found.trees))}
        self.history_ = _joined(self.history_, found.history | held) if keep else found.history | held
        return self

    def _new_rounds(self) -> int:
        """How many rounds a fit is to make."""
        count = int(getattr(self, self._rounds_name))
        return max(count - (self.n_iter_ if self._continues() else 0), 0)

    def _set_rounds(self, rounds: list[list[Tree]]) -> None:
        """Take rounds as the model; `forests_` joins their trees at its first use."""
        self._trees, self.n_iter_ = rounds, len(rounds)
        self.__dict__.pop("_forests", None)

    def _join_rounds(self) -> None:
        self._forests = [Forest.of(list(trees)) for trees in zip(*self._trees, strict=True)]
        del self._trees

    def _end(self, reason: str, count: int) -> None:
        self.stop_reason_, self.converged_ = reason, reason not in UNMET
        if reason == "interrupted":
            warnings.warn(
                f"interrupted after {self.n_iter_} of {count} rounds, which are kept; fit again with warm_start=True "
                "to add the others",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _new_seed(self) -> int:
        """Set the seeds of draws and of the validation split, and return the latter; a warm start keeps both."""
        if not self._continues():
            given = self._given_split()
            self._seed = int(check_rng(self.random_state).integers(0, 2**63))
            self._split = int(np.random.default_rng(self._seed).integers(0, 2**32)) if given is None else given
        return self._split

    def _watch(
        self, judge: Judge | None, monitor: Monitor | None, keep: list[list[Tree]], count: int, told: Tasks
    ) -> Judge:
        rounds = list(keep)

        def watch(now: Round) -> str | None:
            word = judge(now) if judge is not None else None
            if self.verbose:
                sys.stderr.write(f"round {now.turn} of {count}: loss {now.objective:.6g}\n")
            if monitor is not None:
                rounds.append(now.trees)
                self._set_rounds(rounds)
                word = "callback" if monitor(now.turn - 1, self, now._asdict()) else word
            return "callback" if told.done() else word

        return watch

    def check_consistent(self) -> None:
        """Refuse forests of other columns, numbers of trees or scores than those of the model."""
        forests = vars(self).get("_forests", ())
        for forest in forests:
            if forest.whole.n_features != self.n_features_in_ or len(forest) != self.n_iter_:
                raise ValueError(f"a forest of {len(forest)} trees is in a model of {self.n_iter_} rounds")
            if forest.whole.answers.shape[1] != 1 or len(forests) != len(self.baseline_):
                raise ValueError(f"{len(forests)} forests are in a model of {len(self.baseline_)} scores")
        n_classes = len(vars(self).get("classes_", ()))
        if forests and n_classes and len(forests) != n_classes and (n_classes > 2 or len(forests) > 1):
            raise ValueError(f"{len(forests)} forests are in a model of {n_classes} classes")

    def _kept_sum(self, X: Matrix) -> Numbers:
        """Σ η f_r of coded rows over the rounds that are kept; zero without any."""
        return self._sum(X) if self._continues() else 0.0

    def _sum(self, X: Matrix) -> Floats:
        """Σ η f_r of coded rows, shape (n_samples, n_scores)."""
        return np.column_stack([forest.sum(X, self.n_jobs)[:, 0] for forest in self.forests_])

    def _scores(self, X: TableLike | Sparse) -> Floats:
        check_is_fitted(self, "forests_")
        coded = new_rows(self, X)
        return self._start(X, coded.shape[0]) + self._sum(coded)

    def _staged_scores(self, X: TableLike | Sparse) -> Iterator[Floats]:
        check_is_fitted(self, "forests_")
        coded = new_rows(self, X)
        scores = self._start(X, coded.shape[0])
        for trees in self.rounds_:
            scores = scores + np.column_stack([tree.predict(coded)[:, 0] for tree in trees])
            yield scores

    def _members(self) -> list[Member]:
        """The trees of all rounds; those of a round took its seconds together."""
        seconds = np.diff(self.history_["seconds"], prepend=0.0) / self.n_trees_per_iteration_
        return [
            Member(tree, float(took), predict_by(tree, lambda X: new_rows(self, X)))
            for trees, took in zip(self.rounds_, seconds, strict=True)
            for tree in trees
        ]

    @property
    def forests_(self) -> list[Forest]:
        """The trees of every score, joined in one set of arrays."""
        if "_trees" in vars(self):
            self._join_rounds()
        if "_forests" not in vars(self):
            raise AttributeError("forests_ exists after fit")
        return self._forests

    @property
    def rounds_(self) -> list[list[Tree]]:
        """The tree of round r for score k is `rounds_[r][k]`; its arrays are views of `forests_`."""
        return [[forest.tree(r) for forest in self.forests_] for r in range(self.n_iter_)]

    @property
    def n_trees_per_iteration_(self) -> int:
        """Trees of a round: the scores of a row."""
        return len(self.forests_)

    @property
    def feature_importances_(self) -> Floats:
        """Mean over trees of Σ (n/N)·gain of the nodes that test a column, normalised."""
        check_is_fitted(self, "forests_")
        total = np.zeros(self.n_features_in_)
        for trees in self.rounds_:
            for tree in trees:
                total += tree.compute_feature_importances(normalize=False)
        return total / np.sum(total) if np.sum(total) > 0.0 else total

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _joined(before: History, after: History) -> History:
    """Two histories concatenated, with NaN for a quantity that only one has; seconds continue from the first."""
    if not len(after["iteration"]):
        return before
    after = after | {"seconds": after["seconds"] + before["seconds"][-1]}
    blank = [np.full(len(part["iteration"]), np.nan) for part in (before, after)]
    return {name: np.concatenate([before.get(name, blank[0]), after.get(name, blank[1])]) for name in before | after}


def check_monotone(monotone: Integers | None, n_scores: int, category: Bools) -> Integers | None:
    """Return the constraints if they are supported: not with several classes, nor on categories."""
    if monotone is not None and n_scores > 1:
        raise ValueError("monotonic_cst: not supported for multiclass classification; leave it out")
    if monotone is not None and np.any(monotone[category] != 0):
        raise ValueError("monotonic_cst: Categorical features cannot have monotonic constraints; give 0 for them")
    return monotone


def split_seed(random_state: RandomState, rng: np.random.Generator) -> int:
    """The seed of the split into training and held-out rows: `random_state` if it is a number, as in scikit-learn."""
    return random_state if isinstance(random_state, numbers.Integral) else int(rng.integers(0, 2**32))


def stalled(scores: Sequence[float] | Floats, patience: int, tol: float) -> bool:
    """Whether none of the last `patience` scores (larger is better) exceeds the one before them by `tol`."""
    return len(scores) > patience and max(scores[-patience:]) <= scores[-patience - 1] + tol


def held_rows(n: int, size: float, strata: Array | None, random_state: int) -> tuple[Integers, Integers]:
    """(training rows, held-out rows), both in ascending order; `size` is a share or a number of the latter."""
    parts = train_test_split(np.arange(n), test_size=size, stratify=strata, random_state=random_state)
    if strata is not None and len(np.unique(strata[parts[0]])) < len(np.unique(strata)):
        raise ValueError(f"validation_fraction={size!r} leaves no row of a class to learn from; hold out fewer rows")
    return np.sort(parts[0]), np.sort(parts[1])


class HeldOutLosses:
    """Scores of held-out rows, and their mean loss after every round."""

    def __init__(self, rows: BoostingRows, before: Numbers):
        self.rows, self.scores, self.losses = rows, rows.start + before, list[float]()

    def add(self, now: Round) -> float:
        """Add the trees of a round; return the mean loss after it."""
        self.scores = self.scores + np.column_stack([tree.predict(self.rows.X)[:, 0] for tree in now.trees])
        self.losses.append(mean_loss(now.loss, self.rows.y, self.scores, self.rows.weights))
        return self.losses[-1]

    def history(self, rounds: int) -> Floats:
        """The losses of so many rounds; NaN for a last round that was interrupted before it was evaluated."""
        return np.append(self.losses, np.full(rounds, np.nan))[:rounds]


def with_fixed_scores(model: Any, scores: Floats) -> Any:
    """A copy of the model whose predictions come from these scores, for scorers that are called during a fit."""
    fixed = copy.copy(model)
    fixed._forests = ()
    fixed._scores = lambda X: scores
    return fixed


def best_constant(loss: Loss, y: Array, weights: Floats, n_scores: int) -> Floats:
    """A constant score to start from, as an array of one number per score.

    The centred logarithms of the classes' shares, the loss's own best shift, or the root of the slope: the least loss
    for losses of one score with a curvature. Losses with none of these start at zero.
    """
    if n_scores > 1:
        shares = np.bincount(y, weights=weights, minlength=n_scores) / np.sum(weights)
        logs = np.log(np.maximum(shares, np.finfo(float).eps))
        return logs - np.mean(logs)
    if loss.best_shift is not None:
        return np.array([loss.best_shift(y, weights)])
    return np.array([_newton_constant(loss, y, weights) if loss.curved else 0.0])


def _newton_constant(loss: Loss, y: Array, weights: Floats) -> float:
    """Newton's method from the score of the mean, where most losses with a link are least, in steps of at most one."""
    z = _mean_score(loss, float(np.average(y, weights=weights)))
    for _ in range(100):
        g = np.sum(weights * loss.gradient(y, np.full(len(y), z)))
        h = np.sum(weights * loss.curvature(y, np.full(len(y), z)))
        step = -g / max(h, 1e-300)
        if abs(step) <= 1e-12 * max(1.0, abs(z)) or (_has_link(loss) and abs(z) > 36.0):
            break
        z += step if loss.quadratic else float(np.clip(step, -1.0, 1.0))
    return z


def _mean_score(loss: Loss, mean: float) -> float:
    if not _has_link(loss) or loss.targets not in ("sign", "unit"):
        return float(loss.link(mean))
    eps = np.finfo(float).eps
    return float(loss.link(np.clip(0.5 + 0.5 * mean if loss.targets == "sign" else mean, eps, 1.0 - eps)))


def _has_link(loss: Loss) -> bool:
    """Whether the loss has a link other than the identity."""
    return type(loss).link is not Loss.link
