"""Example tables that suit an estimator by its tags, and its outputs for them.

    z = X W + ε,    y = z for numbers,    y = argmaxₖ zₖ for classes                                 (1)

The tags are those of scikit-learn's contract: Buitinck et al. (2013), arXiv:1309.0238.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.utils import get_tags

from gnomon._typing import Array, ArrayLike, Floats

__all__ = ["example_table", "fitted", "outputs_of", "table_of", "with_folds"]

METHODS = ("decision_function", "predict_proba", "transform", "predict")
ELSE = ("score_samples", "kneighbors")
"""What answers where none of the others is there."""


def example_table(estimator: BaseEstimator, *, n_rows: int = 60, n_columns: int = 4) -> tuple[Floats, Array]:
    """X and y of (1) that suit `estimator`: as many classes as it can tell apart, positive where it asks for it."""
    tags, rng = get_tags(estimator), np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    scores = X @ rng.normal(size=(n_columns, 3)) + 0.5 * rng.normal(size=(n_rows, 3))
    if tags.input_tags.positive_only:
        X = np.abs(X)
    if is_classifier(estimator):
        return X, np.argmax(scores[:, : 3 if tags.classifier_tags.multi_class else 2], axis=1)
    if tags.regressor_tags is None:
        # A transformer may want numbers or classes; the numbers 0 and 1 serve as both.
        return X, (scores[:, 0] > 0.0).astype(int)
    return X, np.abs(scores[:, 0]) + 0.1 if tags.target_tags.positive_only else scores[:, 0]


def table_of(estimator: BaseEstimator, X: ArrayLike | None, y: ArrayLike | None) -> tuple[Array, Array]:
    """The rows that a law was given, or a table that suits the estimator."""
    if (X is None) != (y is None):
        raise ValueError(f"{'y' if X is None else 'X'} is given without the other; give both X and y, or neither")
    return example_table(estimator) if X is None else (np.asarray(X), np.asarray(y))


def fitted(estimator: BaseEstimator, X: Any, y: Array, **options: Any) -> Any:
    """A clone of `estimator`, seeded where it draws at random, fitted to X and y."""
    model = clone(estimator)
    seeds = {name: 0 for name in model.get_params() if name.split("__")[-1] == "random_state"}
    return model.set_params(**seeds).fit(X, y, **options)


def outputs_of(model: Any, X: Any) -> dict[str, Array]:
    """What a fitted model gives for X, by method; the classes only where it has no scores, since they jump at ties.

    What has no method for rows, as samplers have none, gives nothing.
    """
    offered = [name for name in (*METHODS, *ELSE) if getattr(model, name, None) is not None]
    methods = [name for name in offered if name in METHODS] or offered[:1]
    given = {name: np.asarray(_dense(getattr(model, name)(X))) for name in methods}
    if is_classifier(model) and len(given) > 1:
        given.pop("predict")
    return given


def with_folds(estimator: BaseEstimator, X: Array, y: Array, groups: Array) -> BaseEstimator:
    """The estimator with `cv`, where it has one, fixed to folds that keep each group together."""
    if "cv" not in estimator.get_params():
        return estimator
    return clone(estimator).set_params(cv=list(LeaveOneGroupOut().split(X, y, groups)))


def _dense(values: Any) -> Array:
    # Of distances and rows, the rows.
    values = values[-1] if isinstance(values, tuple) else values
    to_dense = getattr(values, "toarray", None)
    return values if to_dense is None else to_dense()
