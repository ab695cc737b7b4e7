"""What boosted trees share: rounds, held-out rows, continuing, scores.

    F(x) = F_0(x) + Σ_r η f_r(x)                                                                                   (1)

Friedman (2001), doi:10.1214/aos/1013203451. F_0 is the constant with the least loss, or an estimator of the user's.
"""

import copy
import numbers
import sys
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted

from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_integer, check_interval
from gnomon.search import Forest, boost, code_columns
from gnomon.trees._rows import new_rows

__all__ = ["BoostedTrees", "Followed", "Rows", "best_constant", "held_rows", "probe", "split_seed", "stalled"]


class Rows(NamedTuple):
    """Rows as rounds use them: cells as numbers, targets as the loss takes them, weights, scores before the rounds."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    start: np.ndarray

    def part(self, which):
        """Some of the rows."""
        return Rows(*(values[which] for values in self))


class BoostedTrees(BaseEstimator):
    """Rounds of trees and their sum. Subclasses say how a round is done (`_plan`) and what F_0 is (`_start`)."""

    def _kept(self):
        """The rounds of the last fit, where this one goes on from them."""
        return self.rounds_ if self.warm_start and "rounds_" in vars(self) else []

    def _fit_rounds(self, rows, loss, n_scores, judge=None, monitor=None):
        """Fit (1); sets `forests_`, `history_` and how it ended."""
        keep = self._kept()
        count = check_integer(self._rounds_name, getattr(self, self._rounds_name), 1)
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
            start=rows.start + self._sum(rows.X, keep), sample_weight=rows.weights, seed=self._seed,
            watch=self._watch(judge, monitor, keep, count), first=len(keep),
        )  # fmt: skip
        self._set_rounds(keep + found.trees)
        self.stop_reason_, self.converged_ = found.stop_reason, found.stop_reason != "max_iter"
        self.history_ = _joined(self.history_, found.history) if keep else found.history
        return self

    def _set_rounds(self, rounds):
        self.rounds_, self.n_iter_ = rounds, len(rounds)
        self.forests_ = [Forest.of(list(trees)) for trees in zip(*rounds, strict=True)]

    def _new_seed(self):
        """Set the number on which draws depend, and return that of the split; continuing keeps both."""
        if not self._kept():
            self._seed = int(check_rng(self.random_state).integers(0, 2**63))
        return split_seed(self.random_state, np.random.default_rng(self._seed))

    def _watch(self, judge, monitor, keep, count):
        rounds = list(keep)

        def watch(now):
            rounds.append(now.trees)
            if self.verbose:
                sys.stderr.write(f"round {now.turn} of {count}: loss {now.objective:.6g}\n")
            if monitor is not None:
                self._set_rounds(rounds)
                if monitor(now.turn - 1, self, now._asdict()):
                    return "monitor"
            return judge(now) if judge is not None else None

        return watch

    def _sum(self, X, rounds):
        """Σ η f_r of coded rows over some rounds, shape (n_samples, n_scores), or zero without any."""
        sums = [Forest.of(list(trees)).sum(X, self.n_jobs)[:, 0] for trees in zip(*rounds, strict=True)]
        return np.column_stack(sums) if sums else 0.0

    def _scores(self, X):
        check_is_fitted(self, "forests_")
        coded = new_rows(self, X)
        sums = [forest.sum(coded, self.n_jobs)[:, 0] for forest in self.forests_]
        return self._start(X, coded.shape[0]) + np.column_stack(sums)

    def _staged_scores(self, X):
        check_is_fitted(self, "forests_")
        coded = new_rows(self, X)
        scores = self._start(X, coded.shape[0])
        for trees in self.rounds_:
            scores = scores + np.column_stack([tree.predict(coded)[:, 0] for tree in trees])
            yield scores

    @property
    def n_trees_per_iteration_(self):
        """Trees of a round: the scores of a row."""
        if "forests_" not in vars(self):
            raise AttributeError("n_trees_per_iteration_ exists after fit")
        return len(self.forests_)

    @property
    def feature_importances_(self):
        """Mean over trees of Σ (n/N)·gain of the nodes that test a column, normalised."""
        check_is_fitted(self, "forests_")
        total = np.zeros(self.n_features_in_)
        for trees in self.rounds_:
            for tree in trees:
                total += tree.compute_feature_importances(normalize=False)
        return total / np.sum(total) if np.sum(total) > 0.0 else total

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _joined(before, after):
    """Histories one after the other; seconds go on."""
    after = after | {"seconds": after["seconds"] + (before["seconds"][-1] if len(before["seconds"]) else 0.0)}
    return {name: np.concatenate([before[name], after[name]]) for name in after if name in before}


def split_seed(random_state, rng):
    """The seed of the split into rows to learn from and rows held out: a number given, as in scikit-learn, or drawn."""
    return random_state if isinstance(random_state, numbers.Integral) else int(rng.integers(0, 2**32))


def stalled(scores, patience, tol):
    """Whether none of the last scores, of which larger ones are better, is above the one before them by `tol`."""
    return len(scores) > patience and max(scores[-patience:]) <= scores[-patience - 1] + tol


def held_rows(n, size, strata, random_state):
    """(rows to learn from, rows held out), a share or a number of them, each in their order."""
    if isinstance(size, float):
        check_interval("validation_fraction", size, 0.0, 1.0, closed="neither")
    else:
        check_integer("validation_fraction", size, 1)
    parts = train_test_split(np.arange(n), test_size=size, stratify=strata, random_state=random_state)
    return np.sort(parts[0]), np.sort(parts[1])


class Followed:
    """Held-out rows and their scores, round after round."""

    def __init__(self, rows, before):
        self.rows, self.scores = rows, rows.start + before

    def add(self, trees):
        """Add the trees of a round; the scores after it."""
        self.scores = self.scores + np.column_stack([tree.predict(self.rows.X)[:, 0] for tree in trees])
        return self.scores


def probe(model, scores):
    """A copy of the model that answers every question with these scores: what a scorer is shown during a fit."""
    shown = copy.copy(model)
    shown.forests_ = ()
    shown._scores = lambda X: scores
    return shown


def best_constant(loss, y, weights, n_scores):
    """The constant score with the least loss, as an array of one number per score."""
    if n_scores > 1:
        shares = np.bincount(y, weights=weights, minlength=n_scores) / np.sum(weights)
        logs = np.log(np.maximum(shares, np.finfo(float).eps))
        return logs - np.mean(logs)
    if loss.best_shift is not None:
        return np.array([loss.best_shift(y, weights)])
    return np.array([_newton_constant(loss, y, weights) if loss.curved else 0.0])


def _newton_constant(loss, y, weights):
    """Newton's method from zero, in steps of at most one where the loss is steep."""
    z = float(np.average(y, weights=weights)) if loss.quadratic else 0.0
    for _ in range(100):
        g = np.sum(weights * loss.gradient(y, np.full(len(y), z)))
        h = np.sum(weights * loss.curvature(y, np.full(len(y), z)))
        step = -g / max(h, 1e-300)
        z += np.clip(step, -1.0, 1.0) if not loss.quadratic else step
        if abs(step) <= 1e-12 * max(1.0, abs(z)) or abs(z) > 36.0:
            break
    return z
