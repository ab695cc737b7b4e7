"""Leaves with a model of the numeric columns in place of a constant.

    p ← f_leaf(x);    going up,    p ← (n · p + k · f_parent(x)) / (n + k),    n the weight of the node below       (1)

f is a ridge regression or a softmax regression on the columns of numbers, or any estimator, fitted to the rows of a
node; with few rows, one class or a singular system it is the answer of the node. (1) is the smoothing of M5: Quinlan
(1992), Learning with continuous classes, Proc. AI'92, 343–348; logistic leaves: Landwehr, Hall & Frank (2005),
doi:10.1007/s10994-005-0466-3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse
from scipy.sparse import csr_array
from scipy.special import softmax
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import has_fit_parameter

from gnomon._typing import Array, Bools, Floats, Integers, Matrix
from gnomon.losses import SoftmaxLoss
from gnomon.numerics.design import Design
from gnomon.numerics.linalg import ridge
from gnomon.optim import fit_linear
from gnomon.penalties import L2
from gnomon.search import Tree, leaf_weights
from gnomon.search.importance import tested_columns
from gnomon.search.units import safe_unit

__all__ = ["LeafColumns", "LeafOptions", "leaf_options", "model_answers", "with_leaf_models"]

LeafColumns: TypeAlias = Literal["all", "path"]


class LeafOptions(NamedTuple):
    """Options of the models of nodes; `n_classes` is None for regression."""

    model: Literal["linear"] | BaseEstimator
    features: LeafColumns
    min_rows: int
    ridge: float
    n_classes: int | None


def leaf_options(estimator: Any, n_classes: int | None = None) -> LeafOptions | None:
    """The options of an estimator; None where leaves are constant."""
    if estimator.leaf_model == "constant":
        return None
    least = int(estimator.min_samples_linear)
    return LeafOptions(estimator.leaf_model, estimator.leaf_features, least, estimator.leaf_ridge, n_classes)


def with_leaf_models(tree: Tree, X: Matrix, y: Array, weights: Floats, category: Bools, options: LeafOptions) -> Tree:
    """The tree with a model, and for numbers their least and largest target, at every node."""
    X, y = _dense(X), y.reshape(len(weights), -1)
    reached = _reached(tree, X).tocsc()
    models, tested = np.full(tree.node_count, None, dtype=object), tested_columns(tree)
    ranges = np.zeros((tree.node_count, 2, y.shape[1]))
    for node in range(tree.node_count):
        # The rows of a node are those that end in its subtree, which in preorder is a contiguous range of nodes.
        part = reached[:, node : tree.ends[node]].tocsr()
        w = np.asarray(part.sum(axis=1)).ravel() * weights
        rows = np.flatnonzero(w > 0.0)
        if len(rows):
            ranges[node] = np.min(y[rows], axis=0), np.max(y[rows], axis=0)
            models[node] = _fit(X[rows], y[rows], w[rows], _columns(tree, node, category, tested, options), options)
    return replace(tree, extra={**tree.extra, "models": models, "ranges": ranges})


def _dense(X: Any) -> Array:
    return X.toarray() if sparse.issparse(X) else X


def _reached(tree: Tree, X: Array) -> csr_array:
    """A sparse matrix with the share of each row (1 without fractional rows) in the nodes where it ends."""
    if tree.extra.keys() & {"fractional", "surrogates"}:
        return leaf_weights(tree, X)
    leaf = tree.apply(X)
    return sparse.csr_array((np.ones(len(leaf)), (np.arange(len(leaf)), leaf)), shape=(len(leaf), tree.node_count))


def _columns(tree: Tree, node: int, category: Bools, tested: Any, options: LeafOptions) -> Integers:
    """The columns of numbers, all of them or those that are tested on the way to the node."""
    if options.features == "all":
        return np.flatnonzero(~category)
    met = np.unique([j for above in tree.path(node)[:-1] for j in tested[above]]).astype(int)
    return met[~category[met]]


class LeafModel(NamedTuple):
    """A model of some columns: `center` fills missing cells; `coef` and `intercept`, or an estimator; its classes."""

    columns: Integers
    center: Floats
    coef: Any
    intercept: Floats | None
    classes: Array | None


def _fit(X: Array, y: Array, w: Floats, columns: Integers, options: LeafOptions) -> LeafModel | None:
    """The model of the rows of a node; None where the constant of the node is used instead."""
    X, w = X[:, columns].astype(float), safe_unit(w).inward(w)
    known = ~np.isnan(X) * w[:, None]
    center = np.sum(np.where(known > 0.0, X, 0.0) * known, axis=0) / np.maximum(np.sum(known, axis=0), 1e-300)
    X = np.where(np.isnan(X), center, X)
    spread = _spread(X - center, w)
    used = spread > 1e-13 * np.max(np.abs(X), axis=0, initial=0.0)
    classes = None if options.n_classes is None else np.unique(y)
    if len(w) < options.min_rows or not np.any(used) or (classes is not None and len(classes) < 2):
        return None
    X, columns, center, spread = X[:, used], columns[used], center[used], spread[used]
    if not isinstance(options.model, str):
        return LeafModel(columns, center, _fit_estimator(options.model, X, y, w), None, classes)
    solve = _fit_ridge if classes is None else _fit_softmax
    found = solve((X - center) / spread, y, w, options.ridge * float(np.sum(w)))
    return None if found is None else LeafModel(columns, center, found[0] / spread, found[1], classes)


def _fit_ridge(Z: Floats, y: Array, w: Floats, strength: float) -> tuple[Floats, Floats] | None:
    """Coefficients of shape (outputs, columns) and intercepts; None if the system is singular."""
    if strength == 0.0 and np.linalg.matrix_rank(np.sqrt(w)[:, None] * np.column_stack([np.ones(len(Z)), Z])) < (
        Z.shape[1] + 1
    ):
        return None
    unit = safe_unit(y)
    found = ridge(Z, unit.inward(y), strength, w)
    return unit.outward(np.reshape(found.coef, (y.shape[1], -1))), unit.outward(np.ravel(found.intercept))


def _spread(X: Floats, w: Floats) -> Floats:
    """The standard deviation of centred columns, of any size."""
    largest = np.max(np.abs(X), axis=0, initial=0.0)
    unit = np.where(largest > 0.0, largest, 1.0)
    return unit * np.sqrt(np.average((X / unit) ** 2, axis=0, weights=w))


def _fit_softmax(Z: Floats, y: Array, w: Floats, strength: float) -> tuple[Floats, Floats]:
    """Coefficients of shape (classes present, columns) and intercepts."""
    classes, index = np.unique(y, return_inverse=True)
    # Separable classes have no finite optimum without a penalty.
    penalty = L2(max(strength, 1e-8 * float(np.sum(w))), half=True)
    found = fit_linear(Design(Z), index.ravel(), SoftmaxLoss(), penalty, w, n_scores=len(classes))
    return found.w, np.asarray(found.intercept)


def _fit_estimator(model: Any, X: Array, y: Array, w: Floats) -> Any:
    given = {"sample_weight": w} if has_fit_parameter(model, "sample_weight") else {}
    return clone(model).fit(X, y[:, 0] if y.shape[1] == 1 else y, **given)


def model_answers(tree: Tree, X: Matrix, smooth: float, *, clip: bool) -> Floats:
    """Equation (1) for every row, kept within the targets of its leaf if `clip`, as shares where `tree` has classes."""
    X = _dense(X)
    reached = _reached(tree, X).tocsc()
    out = np.zeros((X.shape[0], tree.answers.shape[1]))
    for leaf in np.unique(np.repeat(np.arange(tree.node_count), np.diff(reached.indptr))):
        at = slice(reached.indptr[leaf], reached.indptr[leaf + 1])
        rows, share = reached.indices[at], reached.data[at]
        found = _blended(tree, leaf, X[rows], smooth)
        if clip:
            found = np.clip(found, *tree.extra["ranges"][leaf])
        out[rows] += share[:, None] * found
    return out


def _blended(tree: Tree, leaf: int, X: Array, smooth: float) -> Floats:
    path = tree.path(leaf)
    found = _answer(tree, leaf, X)
    for above, below in zip(path[-2::-1], path[:0:-1], strict=True):
        if smooth > 0.0:
            n = tree.weight[below]
            found = (n * found + smooth * _answer(tree, above, X)) / (n + smooth)
    return found


def _answer(tree: Tree, node: int, X: Array) -> Floats:
    """The prediction of the model of one node."""
    model, constant = tree.extra["models"][node], tree.answers[node]
    if model is None:
        return np.broadcast_to(constant, (len(X), len(constant)))
    x = X[:, model.columns]
    x = np.where(np.isnan(x), model.center, x)
    if model.intercept is None:
        found = model.coef.predict(x) if model.classes is None else model.coef.predict_proba(x)
    else:
        found = (x - model.center) @ model.coef.T + model.intercept
        found = found if model.classes is None else softmax(found, axis=1)
    out = np.zeros((len(X), len(constant)))
    out[:, slice(None) if model.classes is None else model.classes] = found.reshape(len(X), -1)
    return out
