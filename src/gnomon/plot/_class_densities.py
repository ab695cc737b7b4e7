"""Classifiers by Bayes' rule: the densities of the classes, and where they cross.

    P(c | x) = π_c f_c(x) / Σ_k π_k f_k(x),        boundary {x : π_c f_c(x) = π_k f_k(x)}              (1)

With normal densities the boundary of two classes on a line is one point for equal variances and none or two for others;
in the plane it is a straight line or a conic. Duda, Hart & Stork (2001), Pattern Classification, section 2.6, ISBN
978-0-471-05669-0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.plot._gaussians import draw_normals, normals_of
from gnomon.plot._style import (
    DASHES,
    INK,
    GivenAxes,
    axis_names,
    class_color,
    class_names,
    dress,
    drop_legend,
    label_panel,
    new_axes,
    new_panels,
    rows_like,
)
from gnomon.plot.boundary import decision_boundary, one_column, two_columns

__all__ = ["class_densities", "gaussian_boundaries", "generative_overview"]


def class_densities(
    model: BaseEstimator,
    X: ArrayLike,
    *,
    limits: tuple[float, float] | None = None,
    resolution: int = 2001,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Densities of one feature times the priors of the classes, the posteriors, and the boundaries between classes.

    Parameters
    ----------
    model : fitted classifier
        With `predict_joint_log_proba`, such as `GaussianClassifier`, and one feature.
    X : array of shape (n, 1)
        The rows, drawn as ticks where they lie; they also give the range.
    limits : pair of float, optional
        Of x; by default a little more than the range of X.
    resolution : int, default=2001
        Points along x.
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "joint" and "posterior"; the boundaries are the lines labelled "boundary", at the same places in both.

    References
    ----------
    Duda, R. O., Hart, P. E. & Stork, D. G. (2001). Pattern Classification, section 2.6. ISBN 978-0-471-05669-0

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.generative import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters([[0.0], [0.0]], [[[4.0]], [[1.0]]])
    >>> panels = plot.class_densities(model, [[0.0]], limits=(-4, 4))
    >>> [round(float(line.get_xdata()[0]), 3) for line in panels["joint"].lines if line.get_linestyle() == ":"]
    [-1.36, 1.36]
    """
    rows = one_column(X)
    pad = 0.15 * np.ptp(rows) or 1.0
    low, high = limits or (rows.min() - pad, rows.max() + pad)
    x = np.linspace(low, high, resolution)
    joint = np.asarray(model.predict_joint_log_proba(rows_like(X, x[:, None])), dtype=float)
    panels = new_panels(ax, ["joint", "posterior"], columns=1, width=5.4, height=2.5, sharex=True)
    posterior = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    for name, values in (("joint", np.exp(joint)), ("posterior", posterior)):
        _class_curves(panels[name], x, values, model.classes_)
        for k, place in enumerate(crossings(x, joint)):
            panels[name].axvline(place, color=INK, linestyle=":", linewidth=1.4, label="_boundary" if k else "boundary")
    panels["joint"].plot(rows, np.zeros(len(rows)), "|", color=INK, markersize=7, alpha=0.4, label="_rows")
    dress(panels["joint"], y="$\\pi_c\\, f_c(x)$", legend="outside")
    panels["joint"].set_ylim(bottom=0.0)
    panels["posterior"].set(ylim=(-0.03, 1.03), xlim=(low, high))
    dress(panels["posterior"], x=axis_names(X)[0], y="$P(c \\mid x)$")
    return panels


def crossings(x: Floats, joint: Floats) -> list[float]:
    """Where the leading column changes along x, by linear interpolation of the logarithms."""
    leader = np.argmax(joint, axis=1)
    places = []
    for i in np.flatnonzero(leader[1:] != leader[:-1]):
        gap = joint[i : i + 2, leader[i + 1]] - joint[i : i + 2, leader[i]]
        places.append(x[i] - gap[0] * (x[i + 1] - x[i]) / (gap[1] - gap[0]))
    return places


def gaussian_boundaries(
    models: Mapping[str, BaseEstimator],
    X: ArrayLike,
    y: ArrayLike,
    *,
    levels: Sequence[float] = (0.5, 0.95),
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Gaussian classifiers side by side: the ellipses that each assumes, and the boundary that follows.

    Parameters
    ----------
    models : dict of str to fitted GaussianClassifier
        By title: for instance "tied" (LDA, a straight line), "full" (QDA, a conic) and "diag" (naive Bayes).
    X : array of shape (n, 2)
    y : array of shape (n,)
    levels : sequence of float, default=(0.5, 0.95)
        Shares of each class that its ellipses hold.
    ax : array or dict of matplotlib Axes, optional
        One for each model.

    Returns
    -------
    dict of matplotlib Axes

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, figure 4.6.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.generative import GaussianClassifier
    >>> X = [[0, 0], [1, 0], [0, 1], [1, 1], [3, 2], [4, 2], [3, 3], [4, 4]]
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> panels = plot.gaussian_boundaries({"tied": GaussianClassifier("tied").fit(X, y)}, X, y)
    >>> len(panels["tied"].patches)
    4
    """
    two_columns(X)
    panels = new_panels(ax, models, columns=3, width=3.7, height=3.7, sharex=True, sharey=True)
    for name, axes in panels.items():
        model = models[name]
        decision_boundary(model, X, y, ax=axes)
        limits = axes.axis()
        n = len(model.classes_)
        colors = [class_color(k, n) for k in range(n)]
        draw_normals(axes, normals_of(model), levels=levels, colors=colors, fill=0.0)
        axes.axis(limits)
        axes.set_aspect("equal", adjustable="box")
        label_panel(axes, name)
    for axes in list(panels.values())[1:]:
        drop_legend(axes)
        axes.set_ylabel("")
    return panels


def generative_overview(
    rows: Sequence[tuple[str, str, int | str, str]] | None = None,
    *,
    n_features: int = 10,
    n_classes: int = 2,
    ax: Axes | None = None,
) -> Axes:
    """The generative classifiers as a table: what each assumes, how many numbers it learns, the boundary it draws.

    Parameters
    ----------
    rows : list of (name, assumption, parameters, boundary), optional
        Other rows; the third entry is a number or a text.
    n_features, n_classes : int, default=10 and 2
        For which the parameters of the densities and priors are counted.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        With one table.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 4.3.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.generative_overview(n_features=10, n_classes=2)
    >>> ax.tables[0][2, 0].get_text().get_text(), ax.tables[0][2, 2].get_text().get_text()
    ('Gaussian, full (QDA)', '131')
    """
    body = _overview(n_features, n_classes) if rows is None else rows
    head = ("model", "the features of a class are", f"parameters\n$d={n_features}$, $C={n_classes}$", "boundary")
    ax = new_axes(ax, width=9.4, height=0.42 * (len(body) + 2))
    ax.set_axis_off()
    cells = [[str(cell) for cell in row] for row in body]
    shape: dict[str, Any] = {"colWidths": [0.23, 0.36, 0.18, 0.23], "bbox": (0, 0, 1, 1), "edges": "horizontal"}
    table = ax.table(cells, colLabels=head, cellLoc="left", colLoc="left", **shape)
    table.auto_set_font_size(False)
    table.set_fontsize(9.5)
    for (i, _), cell in table.get_celld().items():
        cell.set(edgecolor="#CCCCCC", linewidth=0.8)
        cell.get_text().set(color=INK, weight="bold" if i == 0 else "normal")
    return ax


def _overview(d: int, C: int) -> list[tuple[str, str, int | str, str]]:
    """Rows of the table; densities of C classes and C − 1 priors."""
    priors, normal = C - 1, d * (d + 3) // 2
    return [
        ("Gaussian, tied (LDA)", "normal, one covariance for all", C * d + d * (d + 1) // 2 + priors, "line, plane"),
        ("Gaussian, full (QDA)", "normal, a covariance for each class", C * normal + priors, "conic, quadric"),
        ("Gaussian naive Bayes", "normal and independent", 2 * C * d + priors, "quadric along the axes"),
        ("Bernoulli naive Bayes", "independent yes/no", C * d + priors, "plane"),
        ("multinomial naive Bayes", "counts of words drawn independently", C * (d - 1) + priors, "plane"),
        ("categorical naive Bayes", "independent, of $V$ values", f"${C * d}(V-1)+{priors}$", "a sum of table entries"),
        ("Gaussian mixtures", "of one of $k$ normal kinds", f"${C}({normal + 1}k-1)+{priors}$", "any smooth curve"),
        ("joint table", "anything, of $V$ values each", f"${C}(V^{{{d}}}-1)+{priors}$", "any"),
    ]


def _class_curves(ax: Axes, x: Floats, values: Floats, classes: Array) -> None:
    for k, name in enumerate(class_names(np.asarray(classes))):
        style: dict[str, Any] = {
            "color": class_color(k, len(classes)),
            "linestyle": DASHES[k % len(DASHES)],
            "linewidth": 2.0,
        }
        ax.plot(x, values[:, k], label=name, **style)
