"""What clusters look like: side by side, column by column, as a table, on a map.

    z_kj = (μ_kj − μ_j)/σ_j as colours;    distributions of a column in each cluster;    silhouettes sorted          (1)

Rousseeuw (1987), doi:10.1016/0377-0427(87)90125-7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike
from gnomon.cluster import (
    CategoryTable,
    ClusterProfile,
    ClusterRules,
    LabelComparison,
    embed,
    silhouettes,
)
from gnomon.plot._style import (
    COLORS,
    DIVERGING,
    INK,
    MUTED,
    SEQUENTIAL,
    GivenAxes,
    axis_names,
    check_columns,
    classes_of,
    dress,
    new_axes,
    new_panels,
    scatter_columns,
    scatter_rows,
)

__all__ = [
    "category_shares",
    "cluster_columns",
    "cluster_map",
    "cluster_panels",
    "cluster_profiles",
    "cluster_rules",
    "label_table",
    "silhouette_plot",
]


def cluster_panels(labels: Mapping[str, ArrayLike], X: ArrayLike, *, ax: GivenAxes = None) -> dict[str, Axes]:
    """The same points with the clusters of several methods, side by side.

    Parameters
    ----------
    labels : dict of str to array of shape (n,)
        Clusters by the name of the method.
    X : array of shape (n, 2)
    ax : matplotlib Axes, optional
        One for each method.

    Returns
    -------
    dict of matplotlib Axes

    References
    ----------
    Jain, A. K. (2010). Data clustering: 50 years beyond K-means. doi:10.1016/j.patrec.2009.09.011

    Examples
    --------
    >>> from gnomon import plot
    >>> panels = plot.cluster_panels({"a": [0, 0, 1], "b": [0, 1, 1]}, [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]])
    >>> [len(ax.collections) for ax in panels.values()]
    [2, 2]
    """
    rows = check_columns("X", X, 2)
    if not labels:
        raise ValueError("labels={} has no clustering; give one at least, by its name")
    panels, names = new_panels(ax, labels), axis_names(X)
    for name, panel in panels.items():
        _scatter_clusters(panel, rows, labels[name])
        dress(panel, x=names[0], y=names[1], title=name, equal=True)
    return panels


def cluster_columns(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    kind: Literal["box", "histogram"] = "box",
    columns: Sequence[int] | None = None,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """The distribution of every column in each cluster.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
    labels : array of shape (n,)
    kind : {"box", "histogram"}, default="box"
    columns : sequence of int, optional
        Which columns; all by default.
    ax : matplotlib Axes, optional
        One for each column.

    Returns
    -------
    dict of matplotlib Axes
        By the names of the columns.

    References
    ----------
    Tukey, J. W. (1977). Exploratory Data Analysis. ISBN 978-0-201-07616-5.

    Examples
    --------
    >>> from gnomon import plot
    >>> panels = plot.cluster_columns([[0.0, 5.0], [1.0, 6.0], [9.0, 5.5]], [0, 0, 1])
    >>> len(panels), panels["$x_1$"].get_xlabel()
    (2, 'cluster')
    """
    rows, names = np.asarray(X, dtype=float), axis_names(X)
    chosen = range(rows.shape[1]) if columns is None else columns
    panels = new_panels(ax, [names[j] for j in chosen], columns=4, width=2.8, height=2.6)
    known, index = classes_of(labels)
    for j in chosen:
        panel, parts = panels[names[j]], [rows[index == k, j] for k in range(len(known))]
        if kind == "histogram":
            bins = np.histogram_bin_edges(rows[:, j], bins="auto").tolist()
            for k, part in enumerate(parts):
                panel.hist(part, bins=bins, color=_color(k), alpha=0.55, label=str(known[k]))
            dress(panel, x=names[j], y="rows", grid="y", legend="outside" if j == chosen[-1] else None)
            continue
        drawn = panel.boxplot(parts, widths=0.6, patch_artist=True, medianprops={"color": INK}, flierprops={"ms": 3})
        for k, box in enumerate(drawn["boxes"]):
            box.set_facecolor(_color(k))
            box.set_alpha(0.6)
        panel.set_xticks(range(1, len(known) + 1), labels=[str(label) for label in known])
        dress(panel, x="cluster", y=names[j], grid="y")
    return panels


def cluster_profiles(profile: ClusterProfile, *, ax: Axes | None = None) -> Axes:
    """Centres as a table of colours: how many standard deviations above or below all rows.

    Parameters
    ----------
    profile : ClusterProfile
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        Each cell has the centre in the units of its column.

    References
    ----------
    Tan, P.-N., Steinbach, M. & Kumar, V. (2005). Introduction to Data Mining, chapter 8. ISBN 978-0-321-32136-7.

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.cluster import cluster_profile
    >>> ax = plot.cluster_profiles(cluster_profile([[0.0, 5.0], [1.0, 7.0], [9.0, 6.0]], [0, 0, 1]))
    >>> [text.get_text() for text in ax.texts]
    ['0.5', '6', '9', '6']
    """
    z = profile.standing.z
    longest = max(map(len, profile.names))
    ax = new_axes(ax, width=1.6 + max(1.0, 0.11 * longest) * z.shape[1], height=1.4 + 0.5 * z.shape[0])
    image = ax.imshow(z, cmap=DIVERGING.reversed(), vmin=-2.5, vmax=2.5, aspect="auto")
    _cells(ax, profile.center, lambda value: f"{value:.3g}", np.abs(z) > 1.8)
    ax.set_xticks(range(z.shape[1]), labels=list(profile.names))
    rows = [f"{label} ({share:.0%})" for label, share in zip(profile.labels, profile.share, strict=True)]
    ax.set_yticks(range(z.shape[0]), labels=rows)
    ax.figure.colorbar(image, ax=ax, label="sd from the mean")
    return dress(ax, x="column", y="cluster (share)", grid=None)


def category_shares(table: CategoryTable, *, ax: Axes | None = None) -> Axes:
    """Shares of the categories in each cluster, as stacked bars.

    Parameters
    ----------
    table : CategoryTable
        Of `gnomon.cluster.category_counts`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Brin, S., Motwani, R., Ullman, J. D. & Tsur, S. (1997). Dynamic itemset counting and implication rules for market
    basket data. doi:10.1145/253260.253325

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.cluster import category_counts
    >>> ax = plot.category_shares(category_counts([["a"], ["b"], ["b"]], [0, 0, 1])[0])
    >>> [float(bar.get_width()) for bar in ax.patches]
    [0.5, 0.0, 0.5, 1.0]
    """
    ax = new_axes(ax)
    start = np.zeros(len(table.clusters))
    for c, category in enumerate(table.categories):
        name = "missing" if category is None else str(category)
        ax.barh(range(len(start)), table.shares[:, c], left=start, color=_color(c), label=name, height=0.7)
        start = start + table.shares[:, c]
    ax.set_yticks(range(len(start)), labels=[str(label) for label in table.clusters])
    ax.invert_yaxis()
    return dress(ax, x="share of the cluster", y="cluster", title=table.name, grid="x", legend="outside")


def label_table(comparison: LabelComparison, *, ax: Axes | None = None) -> Axes:
    """The table of clusters and known labels as colours and counts.

    Parameters
    ----------
    comparison : LabelComparison
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Hubert, L. & Arabie, P. (1985). Comparing partitions. doi:10.1007/BF01908075

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.cluster import compare_labels
    >>> ax = plot.label_table(compare_labels([0, 0, 1], ["a", "b", "b"]))
    >>> ax.get_title("left")
    'purity 0.67, adjusted Rand -0.50'
    """
    counts = comparison.table
    ax = new_axes(ax, width=1.8 + 0.8 * counts.shape[1], height=1.4 + 0.5 * counts.shape[0])
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ax.imshow(shares, cmap=SEQUENTIAL, vmin=0.0, vmax=1.0, aspect="auto")
    _cells(ax, counts, lambda value: f"{value:g}", shares > 0.6)
    ax.set_xticks(range(counts.shape[1]), labels=[str(label) for label in comparison.classes])
    ax.set_yticks(range(counts.shape[0]), labels=[str(label) for label in comparison.clusters])
    title = f"purity {comparison.purity:.2f}, adjusted Rand {comparison.adjusted_rand:.2f}"
    return dress(ax, x="label", y="cluster", title=title, grid=None)


def cluster_map(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    method: Literal["pca", "tsne", "umap"] = "pca",
    n_components: Literal[2, 3] = 2,
    random_state: int | None = 0,
    ax: Axes | None = None,
) -> Axes:
    """Clusters on a map of the rows, in two or three dimensions.

    Parameters
    ----------
    X : array of shape (n, d)
    labels : array of shape (n,)
    method, n_components, random_state
        Of `gnomon.cluster.embed`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    van der Maaten, L. & Hinton, G. (2008). Visualizing data using t-SNE. Journal of Machine Learning Research 9.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.cluster_map(np.eye(4), [0, 0, 1, 1])
    >>> ax.get_xlabel()
    'first component'
    """
    Z = embed(X, method, n_components, random_state=random_state)
    ax = new_axes(ax, projection="3d" if n_components == 3 else None)
    known, index = classes_of(labels)
    for k, label in enumerate(known):
        scatter_columns(ax, Z[index == k].T, s=22, color=_color(k), edgecolor="white", linewidth=0.4, label=str(label))
    words = ("first", "second", "third") if method == "pca" else ("one", "two", "three")
    names = [f"{word} component" if method == "pca" else f"{method} {word}" for word in words]
    if n_components == 3:
        ax.set_zlabel(names[2])  # type: ignore[attr-defined]
    return dress(ax, x=names[0], y=names[1], legend="outside")


def cluster_rules(rules: ClusterRules, *, ax: Axes | None = None) -> Axes:
    """The rules that tell clusters apart, beside the importance of the columns.

    Parameters
    ----------
    rules : ClusterRules
        Of `gnomon.cluster.explain_clusters`, with a tree.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bertsimas, D., Orfanoudaki, A. & Wiberg, H. (2021). Interpretable clustering: an optimization approach.
    doi:10.1007/s10994-020-05896-2

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.cluster import explain_clusters
    >>> ax = plot.cluster_rules(explain_clusters([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1]))
    >>> [text.get_text() for text in ax.texts]
    ['x0 <= 4.5', 'x0 > 4.5']
    """
    found = [(label, text) for label, texts in rules.rules.items() for text in texts]
    if not found:
        raise ValueError("the model of these rules is no tree, so there is no rule to draw; explain with a tree")
    ax = new_axes(ax, width=7.0, height=0.8 + 0.42 * len(found))
    order = {label: k for k, label in enumerate(rules.rules)}
    for place, (label, text) in enumerate(found):
        ax.barh(place, 1.0, color=_color(order[label]), alpha=0.25, height=0.85)
        ax.text(0.02, place, text, va="center", fontsize=9, color=INK)
    ax.set_yticks(range(len(found)), labels=[str(label) for label, _ in found])
    ax.set_xlim(0.0, 1.0)
    ax.set_xticks([])
    ax.invert_yaxis()
    title = f"right for {100 * rules.fidelity:.0f} % of held-out rows"
    return dress(ax, x="rule", y="cluster", title=title, grid=None)


def silhouette_plot(X: ArrayLike, labels: ArrayLike, *, metric: Any = "euclidean", ax: Axes | None = None) -> Axes:
    """The silhouettes of every cluster, sorted, and their mean.

    Parameters
    ----------
    X : array of shape (n, d)
    labels : array of shape (n,)
    metric : str or callable, default="euclidean"
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Rousseeuw, P. J. (1987). Silhouettes: a graphical aid to the interpretation and validation of cluster analysis.
    doi:10.1016/0377-0427(87)90125-7

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.silhouette_plot([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1])
    >>> ax.get_title("left")
    'mean silhouette 0.89'
    """
    ax = new_axes(ax)
    values = silhouettes(np.asarray(X, dtype=float), labels, metric=metric)
    known, index = classes_of(labels)
    start, middles = 0, []
    for k in range(len(known)):
        part = np.sort(values[index == k])
        place = np.arange(start, start + len(part) + 1)
        ax.fill_betweenx(place, 0.0, np.r_[part, part[-1]], color=_color(k), step="post")
        middles.append(start + len(part) / 2)
        start += len(part) + max(2, len(values) // 40)
    ax.axvline(float(values.mean()), color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
    ax.axvline(0.0, color=MUTED, linewidth=0.8)
    ax.set_yticks(middles, labels=[str(label) for label in known])
    return dress(ax, x="silhouette", y="cluster", title=f"mean silhouette {values.mean():.2f}", grid="x")


def _scatter_clusters(ax: Axes, X: Any, labels: ArrayLike) -> None:
    known, index = classes_of(labels)
    for k in range(len(known)):
        scatter_rows(ax, X[index == k], s=18, color=_color(k), edgecolor="white", linewidth=0.3)


def _cells(ax: Axes, values: Any, text: Any, dark: Any) -> None:
    for (i, j), value in np.ndenumerate(values):
        ax.text(j, i, text(value), ha="center", va="center", fontsize=9, color="white" if dark[i, j] else INK)


def _color(k: int) -> str:
    return COLORS[k % len(COLORS)]
