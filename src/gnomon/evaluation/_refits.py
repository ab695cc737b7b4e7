"""Predictions of one estimator fitted to many training sets.

    P[m, j] = f_m(xⱼ),    f_m fitted to training set m = 1 … M                                                     (1)

Efron (1979), doi:10.1214/aos/1176344552.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples, check_consistent_length

from gnomon._typing import AnyRows, Array, ArrayLike, Bools, Floats, RandomState
from gnomon.base.weights import weight_parameter
from gnomon.numerics.random import Resample, resamples
from gnomon.numerics.validation import check_integer
from gnomon.numerics.weights import check_weights

__all__ = ["BootstrapRefits", "bootstrap_refits", "drawn_refits", "set_parameter"]


class BootstrapRefits(NamedTuple):
    """What models of bootstrap samples say.

    Fields
    ------
    predictions : ndarray of shape (n_resamples, n_points)
    known : ndarray of bool of shape (n_resamples, n_points)
        Which of them count: all, or the rows out of bag.
    y : ndarray of shape (n_points,)
    weights : ndarray of shape (n_points,)
    """

    predictions: Array
    known: Bools
    y: Array | None
    weights: Floats


def set_parameter(estimator: BaseEstimator, name: str | None, value: object) -> BaseEstimator:
    """A clone with another value of a parameter; without a name, a clone."""
    return clone(estimator) if name is None else clone(estimator).set_params(**{name: value})


def drawn_refits(
    estimators: Sequence[BaseEstimator],
    sampler: Callable[[int, np.random.Generator], tuple[Any, Any]],
    n_train: int,
    X_test: Any,
    seeds: Sequence[int],
    n_jobs: int | None,
) -> Array:
    """(1) for each of several estimators, all fitted to the same training sets, as (M, n_estimators, n_points)."""
    # A block of training sets is one task: each set is small.
    blocks = np.array_split(np.asarray(seeds, dtype=object), min(len(seeds), 64))
    work = (delayed(_drawn_block)(estimators, sampler, n_train, X_test, block.tolist()) for block in blocks)
    return np.concatenate(Parallel(n_jobs=n_jobs)(work))


def _drawn_block(
    estimators: Sequence[BaseEstimator], sampler: Any, n_train: int, X_test: Any, seeds: Sequence[int]
) -> Array:
    found = []
    for seed in seeds:
        X, y = sampler(n_train, np.random.default_rng(seed))
        found.append([np.ravel(clone(estimator).fit(X, y).predict(X_test)) for estimator in estimators])
    return np.array(found)


def bootstrap_refits(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike,
    test: tuple[AnyRows, ArrayLike | None] | None,
    sample_weight: ArrayLike | None,
    n_resamples: int,
    random_state: RandomState,
    n_jobs: int | None,
) -> BootstrapRefits:
    """(1) for bootstrap samples: at the rows out of bag of each, or at the rows of `test`."""
    check_consistent_length(X, y)
    n, labels = _num_samples(X), np.asarray(y)
    weights = None if sample_weight is None else check_weights(sample_weight, np.empty((n, 0)))
    draws = list(resamples(n, check_integer("n_resamples", n_resamples, 2), random_state=random_state))
    points = X if test is None else test[0]
    work = (delayed(_bootstrap_one)(estimator, X, labels, weights, draw, points) for draw in draws)
    predictions = np.array(Parallel(n_jobs=n_jobs)(work))
    if test is not None:
        truth = None if test[1] is None else np.asarray(test[1])
        return BootstrapRefits(predictions, np.ones(predictions.shape, bool), truth, np.ones(predictions.shape[1]))
    known = np.zeros(predictions.shape, dtype=bool)
    for row, draw in zip(known, draws, strict=True):
        row[draw.out_of_bag] = True
    seen = np.sum(known, axis=0) >= 2
    if not np.any(seen):
        raise ValueError(
            f"none of {n} rows is out of bag twice in {n_resamples} resamples; give more rows or resamples"
        )
    weights = np.ones(n) if weights is None else weights
    return BootstrapRefits(predictions[:, seen], known[:, seen], labels[seen], weights[seen])


def _bootstrap_one(
    estimator: BaseEstimator, X: Any, y: Array, weights: Floats | None, draw: Resample, points: Any
) -> Array:
    rows = draw.rows if weights is None else draw.rows[weights[draw.rows] > 0.0]
    if is_classifier(estimator):
        # A model that never saw a class says nothing about it; one row of it is kept.
        lacking = np.setdiff1d(y if weights is None else y[weights > 0.0], y[rows])
        rows = np.append(rows, [int(np.argmax(y == label)) for label in lacking]).astype(int)
    model = clone(estimator)
    chosen = None if weights is None else weights[rows]
    return np.ravel(model.fit(_safe_indexing(X, rows), y[rows], **weight_parameter(model, chosen)).predict(points))
