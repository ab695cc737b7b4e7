"""What boosted trees share: rounds, held-out rows, continuing, scores.

    F(x) = F_0 + Σ_r η f_r(x)                                                                                      (1)

Friedman (2001), doi:10.1214/aos/1013203451. F_0 is the constant with the least loss.
"""

import sys

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted

from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_integer, check_interval
from gnomon.search import Forest, boost, code_columns
from gnomon.trees._rows import new_rows

__all__ = ["BoostedTrees", "best_constant"]


class BoostedTrees(BaseEstimator):
    """Rounds of trees and their sum. Subclasses say how a round is done (`_plan`) and when rounds end (`_patience`)."""

    def _boost(self, X, y, weights, loss, n_scores, strata=None):
        """Fit (1) to coded targets; sets `forests_`, `baseline_`, `history_` and how it ended."""
        rng = check_rng(self.random_state)
        held = self._hold_out(len(y), strata, rng)
        rows = np.setdiff1d(np.arange(len(y)), held) if len(held) else np.arange(len(y))
        keep = self.rounds_ if self.warm_start and "rounds_" in vars(self) else []
        rounds = check_integer(self._rounds_name, getattr(self, self._rounds_name), 1)
        if len(keep) > rounds:
            raise ValueError(
                f"{self._rounds_name}={rounds} is less than the {len(keep)} rounds that warm_start=True keeps"
            )
        if not keep:
            self.baseline_ = best_constant(loss, y[rows], weights[rows], n_scores)
        part = X[rows]
        columns = code_columns(part, category=self.coding_.category, bins=self._bins(len(rows)), n_jobs=self.n_jobs)
        start = self._raw(part, keep)
        judge = _Judge(self, loss, X[held], y[held], weights[held], keep) if len(held) else None
        found = boost(
            columns, y[rows], self._plan(loss, n_scores, columns, float(np.sum(weights[rows]))), rounds - len(keep),
            start=start, sample_weight=weights[rows], rng=rng, watch=self._watch(judge, rounds), first=len(keep),
        )  # fmt: skip
        self.rounds_ = keep + found.trees
        self.forests_ = [Forest.of([trees[k] for trees in self.rounds_]) for k in range(n_scores)]
        self.n_iter_, self.stop_reason_ = len(self.rounds_), found.stop_reason
        self.converged_ = found.stop_reason != "max_iter"
        self.history_ = found.history if judge is None else found.history | {"validation": np.array(judge.losses)}
        self.train_score_ = found.history["objective"]
        return self

    def _hold_out(self, n, strata, rng):
        if not self._stops_early(n):
            return np.zeros(0, dtype=int)
        size = check_interval("validation_fraction", self.validation_fraction, 0.0, 1.0, closed="neither")
        seed = int(rng.integers(0, 2**31))
        return np.sort(train_test_split(np.arange(n), test_size=size, stratify=strata, random_state=seed)[1])

    def _watch(self, judge, rounds):
        def watch(turn, trees, objective):
            if self.verbose:
                sys.stderr.write(f"round {turn} of {rounds}: loss {objective:.6g}\n")
            return judge(trees[-1]) if judge is not None else None

        return watch

    def _raw(self, X, rounds):
        """Scores of rows after some rounds, shape (n_samples, n_scores)."""
        scores = np.tile(self.baseline_, (X.shape[0], 1))
        for k in range(len(self.baseline_) if rounds else 0):
            scores[:, k] += Forest.of([trees[k] for trees in rounds]).sum(X, self.n_jobs)[:, 0]
        return scores

    def _scores(self, X):
        check_is_fitted(self, "forests_")
        X = new_rows(self, X)
        return self.baseline_ + np.column_stack([forest.sum(X, self.n_jobs)[:, 0] for forest in self.forests_])

    def _staged_scores(self, X):
        check_is_fitted(self, "forests_")
        X = new_rows(self, X)
        scores = np.tile(self.baseline_, (X.shape[0], 1))
        for trees in self.rounds_:
            for k, tree in enumerate(trees):
                scores[:, k] += tree.predict(X)[:, 0]
            yield scores.copy()

    @property
    def feature_importances_(self):
        """Mean over trees of Σ (n/N)·gain of the nodes that test a column, normalised."""
        check_is_fitted(self, "forests_")
        each = [tree.compute_feature_importances(normalize=False) for trees in self.rounds_ for tree in trees]
        total = np.sum(each, axis=0)
        return total / np.sum(total) if np.sum(total) > 0.0 else total

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class _Judge:
    """The loss on held-out rows after every round, and whether it still falls."""

    def __init__(self, model, loss, X, y, weights, keep):
        self.patience = check_integer("n_iter_no_change", model.n_iter_no_change, 1)
        self.tol, self.loss, self.X, self.y, self.weights = model.tol, loss, X, y, weights
        self.scores = model._raw(X, keep)
        self.losses = []

    def __call__(self, trees):
        for k, tree in enumerate(trees):
            self.scores[:, k] += tree.predict(self.X)[:, 0]
        z = self.scores[:, 0] if self.scores.shape[1] == 1 else self.scores
        self.losses.append(float(np.average(self.loss.value(self.y, z), weights=self.weights)))
        if len(self.losses) <= self.patience:
            return None
        before = self.losses[-self.patience - 1]
        return "validation" if min(self.losses[-self.patience :]) >= before - self.tol else None


def best_constant(loss, y, weights, n_scores):
    """The constant score with the least loss, as an array of one number per score."""
    if n_scores > 1:
        shares = np.bincount(y, weights=weights, minlength=n_scores) / np.sum(weights)
        logs = np.log(np.maximum(shares, np.finfo(float).eps))
        return logs - np.mean(logs)
    if loss.best_shift is not None:
        return np.array([loss.best_shift(y, weights)])
    return np.array([_newton_constant(loss, y, weights)])


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
