"""Boosting rounds on histograms: a round, early stopping, interaction constraints.

    stop when  max of the last m scores ≤ the score before them + tol                                               (1)

Scores are minus the loss, or a scorer's, of rows held out. Rules and names are those of scikit-learn (Pedregosa et al.
2011, JMLR 12); groups of columns: Ke et al. (2017), LightGBM, NeurIPS 30.
"""

from __future__ import annotations

import itertools
import numbers
import warnings
from collections.abc import Callable, Iterable
from math import ceil
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state, resample

from gnomon._typing import Array, ArrayLike, Bools, Floats, Integers, Matrix, Sparse, TableLike
from gnomon.base.callbacks import Tasks
from gnomon.base.coded_rows import new_rows
from gnomon.losses import Loss
from gnomon.numerics.sharing import read_only
from gnomon.numerics.validation import check_choice
from gnomon.search import BoostingPlan, Columns, Round
from gnomon.search.boosting_scores import flat_scores, has_curvature, mean_loss
from gnomon.trees._boosting import (
    BoostedTrees,
    BoostingRows,
    HeldOutLosses,
    Judge,
    best_constant,
    check_monotone,
    held_rows,
    part_of,
    stalled,
    with_fixed_scores,
)
from gnomon.trees._growth import monotone_of
from gnomon.trees._targets import tree_weights

__all__ = ["HistogramRounds", "Interactions", "validation_rows"]

Interactions: TypeAlias = Literal["pairwise", "no_interactions"] | Iterable[Iterable[int]] | None
"""Groups of columns that may occur together on a path."""

Measure: TypeAlias = Callable[[BoostingRows, Floats], float]
"""From rows and their scores to a number that is larger for better scores."""

LEAST_CURVATURE = 1e-3
EARLY_FROM = 10_000
"""Rows from which ``early_stopping="auto"`` holds some out."""

CATEGORY_ROWS = 10.0
"""Least rows of a category that is split off on its own, and the shrinkage of the order of categories."""

SCORED = 10_000
"""Most training rows that are scored after every round."""


class HistogramRounds(BoostedTrees):
    """One round: a tree by Newton's gain among bins."""

    _rounds_name = "max_iter"

    validation_score_: Floats
    do_early_stopping_: bool

    def _bins(self, n: int) -> int:
        return int(self.max_bins)

    def _given_split(self) -> int | None:
        """The first number that `random_state` yields, where it is one of scikit-learn's; else none."""
        if not isinstance(self.random_state, (numbers.Integral, np.random.RandomState)):
            return None
        return int(check_random_state(self.random_state).randint(np.iinfo(np.uint32).max, dtype="u8"))

    def _learn(
        self,
        X: Matrix,
        y: Array,
        weights: Floats,
        loss: Loss,
        n_scores: int,
        held: tuple[Matrix, Array, Floats] | None,
        told: Tasks,
        strata: Integers | None = None,
    ) -> Self:
        """Carry out rounds on coded rows; `held` are rows (X, y, weights) given for validation, or None."""
        seed = self._new_seed()
        self.do_early_stopping_ = self._stops_early(len(y), held is not None)
        self.is_categorical_ = self.coding_.category if np.any(self.coding_.category) else None
        learn = np.arange(len(y))
        if self.do_early_stopping_ and held is None and self.validation_fraction is not None:
            learn, out = held_rows(len(y), self.validation_fraction, strata, seed)
            held = X[out], y[out], weights[out]
        X, y, weights = part_of(learn[weights[learn] > 0.0], X, y, weights)
        if not self._continues():
            self.baseline_ = best_constant(loss, y, weights, n_scores)
            self.train_score_ = self.validation_score_ = np.zeros(0)
        rows = self._rows(X, y, weights)
        _warn_of_flatness(rows, loss)
        validation = None if held is None else HeldOutLosses(self._rows(*held), self._kept_sum(held[0]))
        judge = self._judge(rows, validation, self._measure(loss))
        return self._fit_rounds(rows, loss, n_scores, told, judge, validation=validation)

    def _rows(self, X: Matrix, y: Array, weights: Floats) -> BoostingRows:
        return BoostingRows(X, y, weights, self._start(X, X.shape[0]))

    def _start(self, X: object, n: int) -> Floats:
        return np.tile(self.baseline_, (n, 1))

    def _stops_early(self, n: int, given: bool) -> bool:
        if isinstance(self.early_stopping, str):
            check_choice("early_stopping", self.early_stopping, ("auto",))
            return given or n > EARLY_FROM
        if given and not self.early_stopping:
            raise ValueError(
                "X_val and y_val are passed to fit and early_stopping=False; set early_stopping=True or 'auto'"
            )
        return bool(self.early_stopping)

    def _judge(self, rows: BoostingRows, validation: HeldOutLosses | None, measure: Measure) -> Judge | None:
        """The function that scores rows after every round and applies (1); None without early stopping."""
        if not self.do_early_stopping_:
            return None
        which = self._scored(rows)
        seen, fresh = rows.part(which), not self._continues()
        train: list[float] = [measure(seen, seen.start)] if fresh else list(self.train_score_)
        held: list[float] = (
            [measure(validation.rows, validation.scores)] if fresh and validation else list(self.validation_score_)
        )

        def judge(now: Round) -> str | None:
            train.append(measure(seen, *part_of(which, now.scores)))
            if validation is not None:
                validation.add(now)
                held.append(measure(validation.rows, validation.scores))
            self.train_score_, self.validation_score_ = np.array(train), np.array(held)
            if not stalled(train if validation is None else held, self.n_iter_no_change, self.tol):
                return None
            return "no_change" if validation is None else "validation"

        return judge

    def _scored(self, rows: BoostingRows) -> Integers:
        """The training rows that are scored: all for the loss; for a scorer a sample, drawn as in scikit-learn."""
        n = len(rows.y)
        if self.scoring == "loss" or n <= SCORED:
            return np.arange(n)
        strata = rows.y if is_classifier(self) else None
        drawn = resample(np.arange(n), n_samples=SCORED, replace=False, random_state=self._split, stratify=strata)
        return np.sort(drawn)

    def _measure(self, loss: Loss) -> Measure:
        """(rows, scores) → a number that is larger for better scores."""
        if self.scoring == "loss":
            return lambda rows, scores: -mean_loss(loss, rows.y, scores, rows.weights)
        scorer = check_scoring(self, self.scoring)

        def measure(rows: BoostingRows, scores: Floats) -> float:
            options = {} if np.all(rows.weights == 1.0) else {"sample_weight": rows.weights}
            X, y = read_only(rows.X), read_only(self._labels(rows.y))
            return float(scorer(with_fixed_scores(self, scores), X, y, **options))

        return measure

    def _plan(self, loss: Loss, n_scores: int, columns: Columns, total: float) -> BoostingPlan:
        leaves, depth, p = self.max_leaf_nodes, self.max_depth, len(columns.sizes)
        monotone = monotone_of(self.monotonic_cst, p, vars(self).get("feature_names_in_"))
        growth = {
            "max_leaf_nodes": 2**31 if leaves is None else int(leaves),
            "max_depth": None if depth is None else int(depth),
            "min_samples_leaf": int(self.min_samples_leaf),
            "min_weight_leaf": LEAST_CURVATURE,
            "max_features": ceil(self.max_features * p),
            "monotone": check_monotone(monotone, n_scores, columns.category),
            "together": groups_of(self.interaction_cst, p),
            "category_support": CATEGORY_ROWS,
            "thresholds": "edges",
        }
        return BoostingPlan(
            loss,
            learning_rate=self.learning_rate,
            lam=self.l2_regularization,
            n_scores=n_scores,
            n_jobs=self.n_jobs,
            growth=growth,
        )


def _warn_of_flatness(rows: BoostingRows, loss: Loss) -> None:
    """Tell the user where no tree can be divided because all rows together have less curvature than two leaves need."""
    curvature = loss.curvature(rows.y, flat_scores(rows.start)) if has_curvature(loss) else np.ones(1)
    curvature = np.broadcast_to(np.reshape(curvature, (len(curvature), -1)), rows.start.shape)
    # Not a product of matrices, for which BLAS wakes threads that spin while the first trees grow.
    unweighted, total = (float(np.max(np.sum(each, axis=0))) for each in (curvature, rows.weights[:, None] * curvature))
    # Of one class there is nothing to learn, in any unit.
    mendable = unweighted >= 2.0 * LEAST_CURVATURE or loss.targets == "count"
    if total < 2.0 * LEAST_CURVATURE and mendable:
        warnings.warn(
            f"the curvature of the loss of all rows is {total:.3g} and every leaf needs {LEAST_CURVATURE:g}, so that "
            "no tree is divided; multiply sample_weight by a constant that makes the weights, or their products with "
            "the means, about one",
            UserWarning,
            stacklevel=4,
        )


def groups_of(cst: Interactions, p: int) -> Bools | None:
    """A row of booleans, one per column, for each group of columns that may occur on one path; None without groups."""
    if cst is None:
        return None
    if isinstance(cst, str):
        check_choice("interaction_cst", cst, ("pairwise", "no_interactions"))
        cst = [[j] for j in range(p)] if cst == "no_interactions" else itertools.combinations(range(p), 2)
    groups = [set(group) for group in _groups(cst)]
    for j in set().union(*groups):
        if not isinstance(j, numbers.Integral) or not 0 <= j < p:
            raise ValueError(
                f"interaction_cst names {j!r}: Interaction constraints must consist of integer indices in "
                f"[0, n_features - 1] = [0, {p - 1}]; give the numbers of columns of X"
            )
    rest = set(range(p)) - set().union(*groups)
    together = np.zeros((len(groups) + bool(rest), p), dtype=bool)
    for row, group in zip(together, [*groups, rest], strict=False):
        row[list(group)] = True
    return together


def _groups(cst: Iterable[Iterable[int]]) -> list[list[int]]:
    try:
        return [list(group) for group in cst]
    except TypeError:
        raise ValueError(
            f"interaction_cst={cst!r}: Interaction constraints must be a sequence of tuples or lists of columns; give "
            "one for each group that may interact, such as [[0, 1], [2, 3]]"
        ) from None


def validation_rows(
    model: Any,
    X: TableLike | Sparse | None,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    coded: Callable[[Array], Array],
) -> tuple[Matrix, Array, Floats] | None:
    """(coded rows, targets as the loss takes them, weights) of `X_val`, `y_val`; None without them."""
    if X is None and y is None:
        return None
    if X is None or y is None:
        given, lacking = ("X_val", "y_val") if y is None else ("y_val", "X_val")
        raise ValueError(f"{given} is provided, but {lacking} was not provided; give both")
    rows = new_rows(model, X)
    y = coded(np.asarray(y))
    if len(y) != rows.shape[0]:
        raise ValueError(f"y_val has {len(y)} values and X_val {rows.shape[0]} rows; give one value for each row")
    return rows, y, tree_weights(sample_weight, rows)
