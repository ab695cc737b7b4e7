"""Forests: what their columns are worth, what is near in them, how they err, how their trees differ.

    D²_ij = 1 − P_ij, placed in the plane by the first two eigenvectors of −½ J D² J,  J = I − 11ᵀ/n                (1)
    mean squared error = bias² + variance (+ noise)  over models of redrawn data                                     (2)

Breiman (2001), Random forests, doi:10.1023/A:1010933404324; classical scaling (1): Torgerson (1952),
doi:10.1007/BF02288916; (2): Geman, Bienenstock & Doursat (1992), doi:10.1162/neco.1992.4.1.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing

from gnomon._typing import Array, ArrayLike, RandomState
from gnomon.evaluation import BiasVariance, BiasVarianceCurve, split_predictions
from gnomon.numerics.random import resamples
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MUTED,
    SECOND,
    SEQUENTIAL,
    GivenAxes,
    axis_names,
    class_names,
    classes_of,
    dress,
    label_panel,
    new_axes,
    new_panels,
    scatter_classes,
    scatter_rows,
)
from gnomon.plot._tree_layout import lay_out
from gnomon.plot.errors import bias_variance_terms
from gnomon.plot.trees import LEVEL, own_trees, tree
from gnomon.search import Forest
from gnomon.trees import DensityTree

__all__ = ["bias_variance_curves", "bootstrap_trees", "forest_importances", "forest_nearness", "oob_curve"]

_KINDS = {
    "samples": "rows tested on it",
    "depth": "depth of its first test",
    "impurity": "impurity taken away",
    "oob_permutation": "rise of error if permuted",
}


def forest_importances(
    forest: BaseEstimator,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    top: int = 12,
    random_state: RandomState = 0,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Importances of the kinds side by side with their spread over trees, and how deep the trees are.

    Parameters
    ----------
    forest : fitted forest
    X, y : the rows of its `fit`, optional
        Without them permutation out of bag is left out.
    top : int, default=12
        How many columns are shown, those that take away the most impurity.
    random_state : None, int, Generator or RandomState
        Draws permutations.
    ax : matplotlib Axes, optional
        As many as there are panels.

    Returns
    -------
    dict of matplotlib Axes
        "samples", "depth", "impurity", "oob_permutation" (bars are means over trees, lines one standard deviation to
        either side) and "depths" of the trees.

    References
    ----------
    Breiman, L. (2001). Random forests. doi:10.1023/A:1010933404324

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon import plot
    >>> from gnomon.trees import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> panels = plot.forest_importances(RandomForestClassifier(20, random_state=0).fit(X, y), X, y)
    >>> list(panels)
    ['samples', 'depth', 'impurity', 'oob_permutation', 'depths']
    """
    trees = own_trees("forest", forest, Forest)
    kinds = [kind for kind in _KINDS if kind != "oob_permutation" or X is not None]
    rows = {"oob_permutation": (X, y)}
    found = {kind: forest.importance(kind, *rows.get(kind, ()), random_state=random_state) for kind in kinds}
    shown = np.argsort(-found["impurity"].mean, kind="stable")[:top][::-1]
    names = np.array([str(name) for name in forest.words_.names])[shown]
    panels = new_panels(ax, [*kinds, "depths"], width=2.7, height=max(2.8, 0.9 + 0.24 * len(shown)))
    for place, kind in enumerate(kinds):
        mean, std = (part[shown] for part in found[kind])
        bars: dict[str, Any] = {"color": COLORS[place], "height": 0.72, "alpha": 0.85}
        spread: dict[str, Any] = {"ecolor": INK, "elinewidth": 1.0, "capsize": 2.0}
        # Only the increase of the error can be negative.
        below = std if kind == "oob_permutation" else np.minimum(mean, std)
        panels[kind].barh(np.arange(len(shown)), mean, xerr=[below, std], error_kw=spread, **bars)
        # Panels made here stand side by side, and the first one labels the columns for all.
        panels[kind].set_yticks(np.arange(len(shown)), names if ax is not None or place == 0 else [""] * len(names))
        dress(panels[kind], x=_KINDS[kind], title=kind.replace("_", " "), grid="x")
        panels[kind].set_ylim(-0.6, len(shown) - 0.4)
    _draw_depths(panels["depths"], np.array([each.max_depth for each in map(trees.tree, range(len(trees)))]))
    return panels


def _draw_depths(ax, depths):
    values, counts = np.unique(depths, return_counts=True)
    ax.bar(values, counts, width=0.85, color=MUTED, alpha=0.7)
    ax.axvline(np.mean(depths), color=SECOND, linewidth=1.6, label=f"mean {np.mean(depths):.1f}")
    ax.locator_params(axis="x", integer=True)
    ax.set_ylim(top=1.3 * np.max(counts))
    dress(ax, x="depth of a tree", y="trees", title="depths", legend="upper right", grid="y")


def forest_nearness(
    forest: BaseEstimator, X: ArrayLike, y: ArrayLike | None = None, *, t: int = 0, ax: GivenAxes = None
) -> dict[str, Axes]:
    """What is near in a forest: codes of leaves, proximities, their map in the plane, densities of leaves.

    Parameters
    ----------
    forest : fitted forest or embedding
    X : table of numbers
        Some hundred rows.
    y : array of shape (n,), optional
        Labels, by which rows are marked and put side by side.
    t : int, default=0
        The tree whose leaves are coloured by their density: in the plane of two columns, or side by side if there are
        more.
    ax : four matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "codes": a row for each row of X, a column for each leaf; "proximity"; "map": equation (1); "density".

    References
    ----------
    Breiman, L. & Cutler, A. (2003). Manual on setting up, using, and understanding random forests v4.0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon import plot
    >>> from gnomon.trees import RandomTreesEmbedding
    >>> X, y = load_iris(return_X_y=True)
    >>> panels = plot.forest_nearness(RandomTreesEmbedding(10, max_depth=3, random_state=0).fit(X), X, y)
    >>> list(panels)
    ['codes', 'proximity', 'map', 'density']
    """
    own_trees("forest", forest, Forest)
    P = forest.proximity(X, max_dense=np.inf)
    order = _side_by_side(P, y)
    panels = new_panels(ax, ["codes", "proximity", "map", "density"], columns=2, width=4.2, height=3.7)
    code = forest.embed(X).toarray()[order]
    panels["codes"].imshow(code, cmap="Greys", aspect="auto", interpolation="nearest", vmin=0.0, vmax=1.0)
    dress(panels["codes"], x="leaf, tree after tree", y="row", title=f"codes, {len(forest)} trees", grid=None)
    heat = panels["proximity"].imshow(P[np.ix_(order, order)], cmap=SEQUENTIAL, vmin=0.0, vmax=1.0)
    panels["proximity"].figure.colorbar(heat, ax=panels["proximity"], label="share of trees")
    dress(panels["proximity"], x="row", y="row", title="proximity", grid=None)
    _mark_classes(panels, y, order)
    _draw_map(panels["map"], P, y)
    _draw_density(panels["density"], forest, X, t)
    return panels


def _side_by_side(P, y):
    """Rows of a class together, and within it near ones next to each other."""
    index = np.zeros(len(P), dtype=int) if y is None else classes_of(y)[1]
    order = []
    for c in np.unique(index):
        here = np.flatnonzero(index == c)
        if len(here) > 2:
            distances = squareform(1.0 - P[np.ix_(here, here)], checks=False)
            here = here[leaves_list(linkage(distances, "average"))]
        order.append(here)
    return np.concatenate(order)


def _mark_classes(panels, y, order):
    """A line between classes, and their names at the rows."""
    if y is None:
        return
    labels, index = classes_of(y)
    ends = np.flatnonzero(np.diff(index[order])) + 0.5
    middles = [np.mean(np.flatnonzero(index[order] == k)) for k in range(len(labels))]
    for name in ("codes", "proximity"):
        for end in ends:
            panels[name].axhline(end, color=SECOND, linewidth=1.0)
        panels[name].set_yticks(middles, class_names(labels), rotation=90, va="center")
    for end in ends:
        panels["proximity"].axvline(end, color=SECOND, linewidth=1.0)


def _draw_map(ax, P, y):
    """Equation (1)."""
    squared = 1.0 - P
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    places = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    if y is None:
        scatter_rows(ax, places, s=22, color=ACCENT, edgecolor="white", linewidth=0.6, zorder=3)
    else:
        scatter_classes(ax, places, y, size=22)
    legend = None if y is None else "best"
    dress(ax, x="first coordinate", y="second coordinate", title="map of proximities", legend=legend)


def _draw_density(ax, forest, X, t):
    """Leaves of one tree: rectangles of a plane, or bars."""
    cells = DensityTree.of(forest[t], X).cells()
    if cells.low.shape[1] == 2:
        top = np.log(cells.density.max())
        low = np.log(np.maximum(cells.density, np.exp(top - 8.0)))
        span = max(top - low.min(), 1e-9)
        for corner, end, value in zip(cells.low, cells.high, (low - low.min()) / span, strict=True):
            rectangle = plt.Rectangle(corner, *(end - corner), facecolor=SEQUENTIAL(value), edgecolor="white", lw=0.5)
            ax.add_patch(rectangle)
        scatter_rows(ax, np.asarray(X, dtype=float), s=5, color=INK, zorder=3)
        ax.autoscale_view()
        first, second = axis_names(X)
        dress(ax, x=first, y=second, title=f"density of the leaves, tree {t}", grid=None)
        return
    order = np.argsort(-cells.density)
    ax.bar(np.arange(len(order)), cells.density[order], width=0.9, color=ACCENT)
    ax.set_yscale("log")
    dress(ax, x="leaf, from dense to thin", y="density", title=f"density of the leaves, tree {t}", grid="y")


def bias_variance_curves(
    predictions: Mapping[float, ArrayLike],
    truth: ArrayLike,
    *,
    noise: float | None = None,
    x: str = "number of trees",
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Error, bias² and variance over a setting of an ensemble, equation (2).

    Parameters
    ----------
    predictions : dict from a number to an array of shape (n_models, n_points)
        For each setting what models of redrawn data predict at the same points.
    truth : array of shape (n_points,)
        What they should predict.
    noise : float, optional
        Variance of new targets around the truth, which is added to the error.
    x : str, default="number of trees"
        What the setting is.
    log : bool, default=False
        Whether settings stand on a logarithmic axis.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Geman, S., Bienenstock, E. & Doursat, R. (1992). Neural networks and the bias/variance dilemma.
    doi:10.1162/neco.1992.4.1.1

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> rng = np.random.default_rng(0)
    >>> found = {T: rng.normal(1.0, 1 / np.sqrt(T), (50, 20)) for T in (1, 4, 16)}
    >>> ax = plot.bias_variance_curves(found, np.zeros(20), log=True)
    >>> [line.get_label() for line in ax.lines]
    ['error', 'bias²', 'variance']
    """
    settings = list(predictions)
    parts = [split_predictions(predictions[setting], truth, corrected=False) for setting in settings]
    curve = BiasVarianceCurve(x, settings, [_with_noise(part, noise or 0.0) for part in parts])
    return bias_variance_terms(curve, log=log, ax=ax)


def _with_noise(part: BiasVariance, noise: float) -> BiasVariance:
    total = part.total._replace(value=part.total.value + noise)
    return part._replace(noise=part.noise._replace(value=noise), total=total)


def oob_curve(
    forest: BaseEstimator, X: ArrayLike | None = None, y: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """The out-of-bag error after 1, 2, … trees, and beside it the error on rows that were set apart.

    Parameters
    ----------
    forest : forest fitted with ``oob_score=True``
    X, y : rows that the forest has not seen, optional
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Breiman, L. (2001). Random forests. doi:10.1023/A:1010933404324

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon import plot
    >>> from gnomon.trees import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(40, oob_score=True, random_state=0).fit(X[::2], y[::2])
    >>> ax = plot.oob_curve(forest, X[1::2], y[1::2])
    >>> [line.get_label() for line in ax.lines]
    ['out of bag', 'test']
    """
    own_trees("forest", forest, Forest)
    if "oob_errors_" not in vars(forest):
        raise ValueError("forest has no out-of-bag errors; fit it with oob_score=True")
    ax = new_axes(ax)
    T = np.arange(1, len(forest) + 1)
    ax.plot(T, forest.oob_errors_, color=ACCENT, label="out of bag")
    if X is not None:
        ax.plot(T, forest.staged_errors(X, y), color=SECOND, linestyle=(0, (5, 2)), label="test")
    ax.set_ylim(bottom=0.0)
    error = "share of wrong rows" if "classes_" in vars(forest) else "mean squared error"
    return dress(ax, x="number of trees", y=error, legend="upper right")


def bootstrap_trees(
    estimator: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_trees: int = 4,
    max_depth: int | None = 3,
    random_state: RandomState = 0,
    ax: Sequence[Axes] | Array | None = None,
) -> list[Axes]:
    """The same tree fitted to several bootstrap samples, beside each other: how unstable its structure is.

    Parameters
    ----------
    estimator : tree estimator
        A copy is fitted to each sample.
    X, y : table and targets
    n_trees : int, default=4
    max_depth : int, default=3
        What is deeper is only counted.
    random_state : None, int, Generator or RandomState
        Draws the samples.
    ax : as many matplotlib Axes, optional

    Returns
    -------
    list of matplotlib Axes

    References
    ----------
    Breiman, L. (1996). Heuristics of instability and stabilization in model selection. doi:10.1214/aos/1032181158

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon import plot
    >>> from gnomon.trees import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> axes = plot.bootstrap_trees(DecisionTreeClassifier(max_depth=2), X, y, n_trees=2)
    >>> [ax.get_title(loc="left") for ax in axes]
    ['sample 1', 'sample 2']
    """
    draws = resamples(np.shape(X)[0], n_trees, random_state=random_state)
    models = [clone(estimator).fit(_safe_indexing(X, draw.rows), _safe_indexing(y, draw.rows)) for draw in draws]
    axes = _room(models, max_depth) if ax is None else list(np.asarray(ax).ravel())
    if len(axes) != len(models):
        raise ValueError(f"ax has {len(axes)} axes for n_trees={n_trees} trees; give as many")
    for place, (model, here) in enumerate(zip(models, axes, strict=True), start=1):
        tree(model, max_depth=max_depth, ax=here)
        label_panel(here, f"sample {place}")
    return axes


def _room(models, max_depth):
    """Axes of the size that each tree needs, two in a row."""
    widths = [max(3.0, lay_out(model.tree_, model.words_, max_depth=max_depth)[1] + 0.3) for model in models]
    deep = max(min(model.tree_.max_depth, max_depth) for model in models)
    height, width = 0.6 + LEVEL * (deep + 0.75), max(widths)
    columns = min(2, len(models))
    rows = -(-len(models) // columns)
    figure = plt.figure(figsize=(columns * width, rows * height))
    spots = [(place % columns, place // columns) for place in range(len(models))]
    return [
        figure.add_axes((column / columns, 1.0 - (row + 1) / rows, 1.0 / columns, (1.0 - 0.25 / height) / rows))
        for column, row in spots
    ]
