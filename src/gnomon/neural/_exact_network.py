"""Networks without training error, by construction.

    two_layer   f(x) = y_(1) + Σ_k (y_(k+1) − y_(k)) step(uᵀx − m_k),    m_k between t_(k) and t_(k+1)            (1)
    relu        f(x) = y_(1) + Σ_k (s_k − s_{k−1}) ReLU(uᵀx − t_(k)),    s_k the slope from t_(k) to t_(k+1)      (2)
    maxout      f(x) = max_j(a_j t + b_j) − max_j(c_j t + e_j),    the growing and the falling slopes of (2)     (3)
    cells       f_c(x) = step(Σ over pure cells of class c of step(Σ_j (2c_j − 1)h_j − Σ c_j + ½) − ½)          (4)

t = uᵀx along a direction u that tells all points apart, sorted; units whose weight would be 0 are left out, so (1) and
(2) need n − 1 at most. (4) adds the perpendicular bisector of two points of different classes in one cell until every
cell is pure, at most n − 1 times: each adds a cell that has a point. Huang & Babri (1998), doi:10.1109/72.655045.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers, RandomState
from gnomon.neural.function import NetworkFunction
from gnomon.neural.layers.dense import Dense
from gnomon.neural.layers.maxout import Maxout
from gnomon.neural.network import NeuralNetwork
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice

__all__ = ["ExactKind", "ExactNetwork", "exact_network"]

ExactKind: TypeAlias = Literal["two_layer", "relu", "maxout", "cells"]

_DRAWS = 20


class ExactNetwork(NamedTuple):
    """A network that reproduces its points.

    Fields
    ------
    function : NetworkFunction
        Network and parameters.
    kind : str
    n_units : int
        Hidden units; for cells hyperplanes.
    classes : ndarray or None
        The labels, where y has them; then the output is the index of one, or for cells an indicator of each.

    References
    ----------
    Huang, G.-B. & Babri, H. A. (1998). Upper bounds on the number of hidden neurons in feedforward networks with
    arbitrary bounded nonlinear activation functions. doi:10.1109/72.655045

    Examples
    --------
    >>> from gnomon.neural import exact_network
    >>> found = exact_network([[0.0], [1.0], [2.0]], ["b", "a", "b"])
    >>> found.predict([[0.0], [1.0], [2.0]]), found.n_units
    (array(['b', 'a', 'b'], dtype='<U1'), 2)
    """

    function: NetworkFunction
    kind: ExactKind
    n_units: int
    classes: Array | None

    def predict(self, X: Any) -> Array:
        """Numbers, or labels, of rows."""
        f: Floats = self.function.output(X)
        if self.classes is None:
            return f[:, 0] if f.shape[1] == 1 else f
        if self.kind == "cells":
            index = np.argmax(f, axis=1)
        else:
            index = np.clip(np.rint(f[:, 0]), 0, len(self.classes) - 1).astype(int)
        return np.asarray(self.classes[index])


def exact_network(
    X: ArrayLike,
    y: ArrayLike,
    kind: ExactKind = "two_layer",
    *,
    direction: ArrayLike | None = None,
    random_state: RandomState = 0,
) -> ExactNetwork:
    """Build a network that maps each row of X to its y exactly.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,) or (n, m)
        Numbers, or labels; equal rows must have equal y. Cells take every y as a label.
    kind : {"two_layer", "relu", "maxout", "cells"}, default="two_layer"
        One hidden layer of steps, one of rectified units, two convex maxout units for each output, or hyperplanes with
        a unit for each pure cell and an output for each class.
    direction : array-like of shape (d,), optional
        u of the first three; drawn if not given.
    random_state : int, Generator, RandomState or None, default=0
        For u: of twenty directions the one that tells the points apart best.

    Returns
    -------
    ExactNetwork

    References
    ----------
    Huang, G.-B. & Babri, H. A. (1998). doi:10.1109/72.655045

    Examples
    --------
    The exclusive or by two steps along (1, 2):

    >>> import numpy as np
    >>> from gnomon.neural import exact_network
    >>> X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    >>> found = exact_network(X, y, direction=(1.0, 2.0))
    >>> found.predict(X), found.n_units
    (array([0., 1., 1., 0.]), 2)
    >>> W, b = found.function.network.views(found.function.theta)["dense_1"]
    >>> b
    array([-0.5, -2.5])
    """
    build = _BUILDERS[check_choice("kind", kind, tuple(_BUILDERS))]
    points, given = _points(X, y)
    if kind == "cells":
        if direction is not None:
            raise ValueError("direction has no meaning for kind='cells'; leave it out")
        return build(points, given, None)
    numeric = given.dtype.kind in "biuf"
    classes, targets = (None, given.astype(float)) if numeric else np.unique(given, return_inverse=True)
    u = _direction(points, direction, random_state)
    order = np.argsort(points @ u)
    found = build(points[order], np.asarray(targets, float).reshape(len(points), -1)[order], u)
    return found._replace(classes=classes)


def _points(X: ArrayLike, y: ArrayLike) -> tuple[Floats, Array]:
    """The distinct rows in their order, with y."""
    rows, given = np.asarray(X, dtype=float), np.asarray(y)
    if rows.ndim != 2 or len(rows) == 0 or not np.all(np.isfinite(rows)):
        raise ValueError(f"X of shape {rows.shape} must be a table of finite numbers with a row at least")
    if given.ndim not in (1, 2) or len(given) != len(rows):
        raise ValueError(f"y has shape {given.shape}; give one entry for each of {len(rows)} rows")
    if given.dtype.kind == "f" and not np.all(np.isfinite(given)):
        raise ValueError("y has entries that are not finite; drop those rows")
    _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    leader = first[group.reshape(-1)]
    other = given != given[leader]
    clash = np.flatnonzero(other if given.ndim == 1 else other.any(axis=1))
    if len(clash):
        pairs = ", ".join(f"{leader[i]} and {i}" for i in clash[:5])
        raise ValueError(f"rows {pairs} of X are equal and their y differ; no function of x can reproduce them")
    kept = np.sort(first)
    return rows[kept], given[kept]


def _direction(points: Floats, direction: ArrayLike | None, random_state: RandomState) -> Floats:
    """A u that tells the points apart."""
    if direction is not None:
        drawn = np.asarray(direction, dtype=float).reshape(1, -1)
        if drawn.shape[1] != points.shape[1]:
            raise ValueError(f"direction has {drawn.shape[1]} numbers and X {points.shape[1]} columns; give as many")
    else:
        drawn = check_rng(random_state).normal(size=(_DRAWS, points.shape[1]))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    t = np.sort(points @ drawn.T, axis=0)
    gaps = np.min(np.diff(t, axis=0), axis=0, initial=np.inf)
    best = int(np.argmax(gaps))
    if len(points) > 1 and not gaps[best] > 0:
        raise ValueError("direction does not tell all rows of X apart; leave it out, and one that does is drawn")
    return np.asarray(drawn[best])


def _steps(points: Floats, y: Floats, u: Floats) -> ExactNetwork:
    """Equation (1)."""
    t = points @ u
    jumps = np.diff(y, axis=0)
    used = np.any(jumps != 0, axis=1)
    middle = (t[:-1] + (t[1:] - t[:-1]) / 2)[used]
    return _ridge_network("two_layer", "step", u, middle, jumps[used], y[0])


def _rectified(points: Floats, y: Floats, u: Floats) -> ExactNetwork:
    """Equation (2)."""
    t, changes = points @ u, _slope_changes(points @ u, y)
    used = np.any(changes != 0, axis=1)
    return _ridge_network("relu", "relu", u, t[:-1][used], changes[used], y[0])


def _slope_changes(t: Floats, y: Floats) -> Floats:
    slopes = np.diff(y, axis=0) / np.diff(t)[:, None]
    return np.diff(slopes, axis=0, prepend=np.zeros((1, y.shape[1])))


def _ridge_network(
    kind: ExactKind, activation: str, u: Floats, knots: Floats, weights: Floats, start: Floats
) -> ExactNetwork:
    """start + Σ_k weights_k φ(uᵀx − knot_k); a constant has one unit of weight 0."""
    if not len(knots):
        knots, weights = np.zeros(1), np.zeros((1, len(start)))
    network = NeuralNetwork([Dense(len(knots), activation), Dense(len(start))], len(u))
    theta = np.concatenate([np.outer(u, np.ones(len(knots))).ravel(), -knots, weights.ravel(), start])
    return ExactNetwork(NetworkFunction(network, theta), kind, len(knots), None)


def _two_maxima(points: Floats, y: Floats, u: Floats) -> ExactNetwork:
    """Equation (3): each part is the largest of its tangents, as it is convex."""
    t, m = points @ u, y.shape[1]
    lines: list[tuple[float, float]] = []
    groups: list[list[int]] = []
    for column in range(m):
        changes = _slope_changes(t, y)[:, column] if len(t) > 1 else np.zeros(1)
        base = (changes[0], y[0, column] - changes[0] * t[0])
        for sign, (slope, constant) in ((1.0, base), (-1.0, (0.0, 0.0))):
            own = [(slope, constant)]
            for knot, change in zip(t[1:-1], sign * changes[1:], strict=True):
                if change > 0:
                    slope, constant = slope + change, constant - change * knot
                    own.append((slope, constant))
            groups.append(list(range(len(lines), len(lines) + len(own))))
            lines += own
    slopes, constants = np.array(lines).T
    network = NeuralNetwork([Maxout(2 * m, groups=groups), Dense(m, bias=False)], len(u))
    mix = np.kron(np.eye(m), np.array([[1.0], [-1.0]]))
    theta = np.concatenate([np.outer(u, slopes).ravel(), constants, mix.ravel()])
    return ExactNetwork(NetworkFunction(network, theta), "maxout", 2 * m, None)


def _pure_cells(points: Floats, y: Array, _: None) -> ExactNetwork:
    """Equation (4)."""
    if y.ndim != 1:
        raise ValueError(f"y has shape {y.shape}; kind='cells' needs one label for each row")
    classes, labels = np.unique(y, return_inverse=True)
    W, b = _separating_planes(points, labels)
    codes = points @ W + b > 0
    cells, first = np.unique(codes, axis=0, return_index=True)
    planes, n_cells, k = W.shape[1], len(cells), len(classes)
    network = NeuralNetwork([Dense(planes, "step"), Dense(n_cells, "step"), Dense(k, "step")], points.shape[1])
    both = 2.0 * cells.T - 1.0
    either = (labels[first][:, None] == np.arange(k)).astype(float)
    parts = (W.ravel(), b, both.ravel(), 0.5 - cells.sum(axis=1), either.ravel(), np.full(k, -0.5))
    return ExactNetwork(NetworkFunction(network, np.concatenate(parts)), "cells", planes, classes)


def _separating_planes(points: Floats, labels: Integers) -> tuple[Floats, Floats]:
    """Bisectors (columns w and their b) until every cell has one label."""
    normals, offsets = [], []
    cell = np.zeros(len(points), dtype=np.intp)
    while (pair := _mixed_pair(cell, labels)) is not None:
        p, q = points[pair[0]], points[pair[1]]
        w = q - p
        normals.append(w)
        offsets.append(-float(w @ (p + q)) / 2)
        cell = np.unique(2 * cell + (points @ w + offsets[-1] > 0), return_inverse=True)[1]
    if not normals:
        normals, offsets = [np.ones(points.shape[1])], [0.0]
    return np.array(normals).T, np.array(offsets)


def _mixed_pair(cell: Integers, labels: Integers) -> tuple[int, int] | None:
    """The first row that shares a cell with one of another label, and the first such one."""
    for i in range(len(cell)):
        other = np.flatnonzero((cell == cell[i]) & (labels != labels[i]))
        if len(other):
            return i, int(other[0])
    return None


_BUILDERS: dict[str, Callable[..., ExactNetwork]] = {
    "two_layer": _steps,
    "relu": _rectified,
    "maxout": _two_maxima,
    "cells": _pure_cells,
}
