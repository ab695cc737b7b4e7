"""Principal components and their relatives, seen.

    x̂ = x̄ + V Vᵀ(x − x̄),   the line or plane of least Σ ‖x − x̂‖²;   λ_j and Σ_{i≤j} λ_i / Σ λ_i;   z = Vᵀ(x − x̄)     (1)

Pearson (1901), doi:10.1080/14786440109462720; biplots: Gabriel (1971), doi:10.1093/biomet/58.3.453; discriminant
directions: Fisher (1936), doi:10.1111/j.1469-1809.1936.tb02137.x.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.scatter import whitening, within_class_cov
from gnomon.plot._gaussians import ellipse
from gnomon.plot._images import show_images
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MUTED,
    SECOND,
    GivenAxes,
    axis_names,
    check_columns,
    classes_of,
    dress,
    label_panel,
    new_axes,
    new_panels,
    rows_like,
    scatter_classes,
    scatter_columns,
    window,
)

__all__ = [
    "biplot",
    "component_contours",
    "directions_compared",
    "joint_diagonalization",
    "pattern_panels",
    "principal_line",
    "reconstructions",
    "scree",
]

"""Between pictures of one column: no shade of grey, which would be taken for a row of pixels."""


def principal_line(model: BaseEstimator, X: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Points, the line (two columns) or plane (three) of the first components, and the residuals perpendicular to it.

    Parameters
    ----------
    model : PCA
        Fitted with one component of two columns, or two of three.
    X : array of shape (n, 2) or (n, 3)
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Pearson, K. (1901). On lines and planes of closest fit to systems of points in space.
    doi:10.1080/14786440109462720

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.decomposition import PCA
    >>> X = np.array([[0.0, 0.1], [1.0, 0.9], [2.0, 2.1]])
    >>> ax = plot.principal_line(PCA(1).fit(X), X)
    >>> len(ax.lines)
    4
    """
    rows = np.asarray(X, dtype=float)
    d = rows.shape[1]
    if d not in (2, 3):
        raise ValueError(f"X has {d} columns; a line is drawn in two, a plane in three: choose columns")
    V, center = model.components_, model.mean_
    if len(V) != d - 1:
        raise ValueError(
            f"model has n_components={len(V)} and X {d} columns; a line in two is drawn of one component, a plane in "
            f"three of two: fit {d - 1}"
        )
    fitted = np.asarray(model.inverse_transform(model.transform(X)))
    ax = new_axes(ax, projection="3d" if d == 3 else None)
    reach = np.max(np.abs((rows - center) @ V.T), axis=0)
    if d == 2:
        ends = center + np.outer([-1.15, 1.15], reach[0] * V[0])
        ax.plot(*ends.T, color=SECOND, linewidth=2.0)
    else:
        corners = [center + (a * reach[0] * V[0] + b * reach[1] * V[1]) for a in (-1, 1) for b in (-1, 1)]
        grid = np.array(corners).reshape(2, 2, 3)
        ax.plot_surface(*np.moveaxis(grid, 2, 0), color=SECOND, alpha=0.25)  # type: ignore[attr-defined]
    for x, z in zip(rows, fitted, strict=True):
        ax.plot(*np.array([x, z]).T, color=MUTED, linewidth=0.9)
    scatter_columns(ax, rows.T, s=26, color=ACCENT, edgecolor="white", linewidth=0.6, zorder=3)
    names = axis_names(X)
    error = float(np.mean(np.sum((rows - fitted) ** 2, axis=1)))
    if d == 3:
        ax.set_zlabel(names[2])  # type: ignore[attr-defined]
    return dress(ax, x=names[0], y=names[1], title=f"mean squared residual {error:.3g}", equal=d == 2)


def scree(model: BaseEstimator, *, threshold: float | None = None, ax: GivenAxes = None) -> dict[str, Axes]:
    """Variances of the components, their cumulative share, and the error that is left.

    Parameters
    ----------
    model : PCA
        Fitted, best with all components.
    threshold : float, optional
        A share of the variance; the number of components that reaches it is marked.
    ax : three matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "variance", "share" and "error".

    References
    ----------
    Cattell, R. B. (1966). The scree test for the number of factors. doi:10.1207/s15327906mbr0102_10

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.decomposition import PCA
    >>> X = np.random.default_rng(0).normal(size=(50, 3)) * [3.0, 1.0, 0.1]
    >>> panels = plot.scree(PCA().fit(X), threshold=0.95)
    >>> panels["share"].get_title("left")
    '2 components reach 95 %'
    """
    values = np.asarray(model.explained_variance_)
    ratio = np.asarray(model.explained_variance_ratio_)
    total = float(values[0] / ratio[0]) if ratio[0] > 0.0 else 0.0
    m = np.arange(1, len(values) + 1)
    panels = new_panels(ax, ("variance", "share", "error"))
    panels["variance"].plot(m, values, "o-", color=ACCENT, linewidth=1.7)
    dress(panels["variance"], x="component", y="variance $\\lambda_j$")
    share = np.cumsum(ratio)
    panels["share"].plot(m, share, "o-", color=ACCENT, linewidth=1.7)
    panels["share"].set_ylim(0.0, 1.05)
    dress(panels["share"], x="components $m$", y="share of the variance")
    if threshold is not None:
        enough = int(np.argmax(share >= threshold - 1e-12)) + 1 if share[-1] >= threshold - 1e-12 else None
        panels["share"].axhline(threshold, color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
        said = f"{enough} components reach {threshold:.0%}" if enough else f"none reaches {threshold:.0%}"
        label_panel(panels["share"], said.replace("%", " %"))
    left = total * np.r_[1.0, np.maximum(1.0 - share, 0.0)]
    panels["error"].plot(np.r_[0, m], left, "o-", color=SECOND, linewidth=1.7)
    dress(panels["error"], x="components $m$", y="mean squared residual")
    for panel in panels.values():
        panel.locator_params(axis="x", integer=True)
    return panels


def biplot(
    model: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    n_components: int = 2,
    loadings: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Scores of one, two or three components, with an arrow for each column.

    Parameters
    ----------
    model : PCA, or another linear map with `components_`
    X : array-like or data frame of shape (n, d)
    y : array of shape (n,), optional
        Classes to colour by.
    n_components : {1, 2, 3}, default=2
    loadings : bool, default=True
        Arrows of the columns, for two components.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Gabriel, K. R. (1971). The biplot graphic display of matrices. doi:10.1093/biomet/58.3.453

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.decomposition import PCA
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> ax = plot.biplot(PCA(2).fit(X), X)
    >>> sorted(text.get_text() for text in ax.texts if text.get_text())
    ['$x_1$', '$x_2$', '$x_3$']
    """
    Z = _scores(model, X, n_components)
    ax = new_axes(ax, projection="3d" if n_components == 3 else None)
    known, index = classes_of(np.zeros(len(Z)) if y is None else y)
    shown = Z if n_components > 1 else np.column_stack([Z[:, 0], index + 0.0])
    for k, label in enumerate(known):
        name, color = None if y is None else str(label), COLORS[k % len(COLORS)]
        scatter_columns(ax, shown[index == k].T, s=22, color=color, edgecolor="white", linewidth=0.4, label=name)
    names = ["first component", "second component" if n_components > 1 else "class", "third component"]
    if n_components == 3:
        ax.set_zlabel(names[2])  # type: ignore[attr-defined]
    if loadings and n_components == 2:
        arrows = np.asarray(model.components_)[:2].T
        reach = 0.9 * float(np.min(np.max(np.abs(Z), axis=0))) / float(np.max(np.abs(arrows)))
        for (a, b), name in zip(reach * arrows, axis_names(X), strict=True):
            ax.annotate("", (a, b), (0.0, 0.0), arrowprops={"arrowstyle": "->", "color": INK})
            ax.annotate(name, (1.07 * a, 1.07 * b), color=INK, fontsize=9, ha="center", va="center")
    if n_components == 1:
        ax.set_yticks(range(len(known)), labels=[str(label) for label in known])
    return dress(ax, x=names[0], y=names[1], legend=None if y is None or n_components == 1 else "outside")


def reconstructions(
    X: ArrayLike, maps: dict[str, Any], shape: tuple[int, int], *, rows: Sequence[int] = (0, 1, 2), ax: GivenAxes = None
) -> dict[str, Axes]:
    """Images and what several reductions keep of them.

    Parameters
    ----------
    X : array of shape (n, height · width)
    maps : dict of str to fitted reduction
        With `transform` and `inverse_transform`.
    shape : (height, width)
    rows : sequence of int, default=(0, 1, 2)
    ax : matplotlib Axes, optional
        One for each, the original first.

    Returns
    -------
    dict of matplotlib Axes

    References
    ----------
    Turk, M. & Pentland, A. (1991). Eigenfaces for recognition. doi:10.1162/jocn.1991.3.1.71

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.decomposition import PCA
    >>> X = np.random.default_rng(0).normal(size=(9, 4))
    >>> list(plot.reconstructions(X, {"1 component": PCA(1).fit(X)}, (2, 2)))
    ['original', '1 component']
    """
    given = np.asarray(X, dtype=float)[list(rows)]
    if given.shape[1] != math.prod(shape):
        raise ValueError(
            f"shape={shape} has {math.prod(shape)} pixels and X {given.shape[1]} columns; give their shape"
        )
    asked, pictures = rows_like(X, given), {"original": given}
    pictures |= {name: np.asarray(m.inverse_transform(m.transform(asked))) for name, m in maps.items()}
    panels = new_panels(ax, pictures, width=1.6, height=1.6 * len(given))
    low, high = float(given.min()), float(given.max())
    for name, panel in panels.items():
        show_images(panel, pictures[name].reshape(-1, *shape), columns=1, low=low, high=high)
        label_panel(panel, name)
    return panels


def component_contours(
    model: BaseEstimator, X: ArrayLike, y: ArrayLike | None = None, *, n_components: int = 2, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Points of two columns, contours of the first component functions over the plane, and the scores of the points.

    Parameters
    ----------
    model : fitted reduction, such as KernelPCA
    X : array of shape (n, 2)
    y : array of shape (n,), optional
    n_components : int, default=2
        How many functions, at most those of the model; with one its scores are drawn against the rows' classes.
    ax : matplotlib Axes, optional
        One for each component, and one for the scores.

    Returns
    -------
    dict of matplotlib Axes
        "component 1", … and "scores".

    References
    ----------
    Schölkopf, B., Smola, A. & Müller, K.-R. (1998). Nonlinear component analysis as a kernel eigenvalue problem.
    doi:10.1162/089976698300017467

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.decomposition import KernelPCA
    >>> X = np.random.default_rng(0).normal(size=(15, 2))
    >>> list(plot.component_contours(KernelPCA(2, kernel="rbf").fit(X), X))
    ['component 1', 'component 2', 'scores']
    """
    rows = check_columns("X", X, 2)
    Z = _scores(model, X, n_components)
    low, high = window(rows)
    a, b = np.meshgrid(*(np.linspace(l, h, 80) for l, h in zip(low, high, strict=True)))
    field = np.asarray(model.transform(rows_like(X, np.column_stack([a.ravel(), b.ravel()]))))
    labels = np.zeros(len(rows)) if y is None else y
    panels = new_panels(ax, [*(f"component {j + 1}" for j in range(n_components)), "scores"])
    names = axis_names(X)
    for j in range(n_components):
        panel = panels[f"component {j + 1}"]
        panel.contour(a, b, field[:, j].reshape(a.shape), levels=10, cmap="viridis", linewidths=1.1)
        scatter_classes(panel, rows, labels, size=16)
        dress(panel, x=names[0], y=names[1], title=f"component {j + 1}", grid=None)
    second = "component 2" if n_components > 1 else "class"
    shown = Z[:, :2] if n_components > 1 else np.column_stack([Z[:, 0], classes_of(labels)[1]])
    scatter_classes(panels["scores"], shown, labels, size=16)
    dress(panels["scores"], x="component 1", y=second, title="scores")
    return panels


def _scores(model: Any, X: ArrayLike, n_components: int) -> Floats:
    """The first scores of the rows; an error where the model has fewer."""
    Z = np.asarray(model.transform(X))
    if not 1 <= n_components <= Z.shape[1]:
        raise ValueError(f"n_components={n_components} must be between 1 and the {Z.shape[1]} that model gives")
    return Z[:, :n_components]


def directions_compared(
    directions: dict[str, ArrayLike], X: ArrayLike, y: ArrayLike, *, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Lines of several directions through classes of points, and the classes projected on each.

    Parameters
    ----------
    directions : dict of str to array of shape (2,)
        For example the first axis of a PCA and that of a discriminant projection.
    X : array of shape (n, 2)
    y : array of shape (n,)
    ax : matplotlib Axes, optional
        One for the points and one for each direction.

    Returns
    -------
    dict of matplotlib Axes
        "points", then the names of the directions.

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems.
    doi:10.1111/j.1469-1809.1936.tb02137.x

    Examples
    --------
    >>> from gnomon import plot
    >>> X, y = [[0.0, 1.0], [0.2, 5.0], [2.0, 1.0], [2.2, 5.0]], [0, 0, 1, 1]
    >>> panels = plot.directions_compared({"along x": [1.0, 0.0]}, X, y)
    >>> list(panels)
    ['points', 'along x']
    """
    rows, names = check_columns("X", X, 2), axis_names(X)
    for name, given in directions.items():
        if np.shape(given) != (2,) or not np.any(given):
            raise ValueError(f"directions={{{name!r}: {given!r}}} must be two numbers that are not both zero")
    panels = new_panels(ax, ["points", *directions])
    scatter_classes(panels["points"], rows, y, size=18)
    known, index = classes_of(y)
    center = rows.mean(axis=0)
    units = {name: np.asarray(given, dtype=float) / np.linalg.norm(given) for name, given in directions.items()}
    # Lines of one length: along a direction in which the points hardly spread, a shorter one would lie below them.
    reach = 1.1 * max(float(np.max(np.abs((rows - center) @ v))) for v in units.values())
    for (name, v), color in zip(units.items(), COLORS[2:], strict=False):
        scores = (rows - center) @ v
        panels["points"].plot(*(center + np.outer([-reach, reach], v)).T, color=color, linewidth=2.0, label=name)
        bins = np.histogram_bin_edges(scores, bins=24).tolist()
        for k, label in enumerate(known):
            shade = COLORS[1 - k if len(known) == 2 else k % len(COLORS)]
            panels[name].hist(scores[index == k], bins=bins, color=shade, alpha=0.55, label=str(label))
        dress(panels[name], x="score", y="rows", title=name, grid="y")
    dress(panels["points"], x=names[0], y=names[1], legend="outside", equal=True)
    return panels


def joint_diagonalization(X: ArrayLike, y: ArrayLike, *, ax: GivenAxes = None) -> dict[str, Axes]:
    """Discriminant analysis in three steps: the spread within classes, made round, then rotated to the class means.

    Parameters
    ----------
    X : array of shape (n, 2)
    y : array of shape (n,)
    ax : three matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "as given", "whitened within classes" and "rotated".

    References
    ----------
    Fukunaga, K. (1990). Introduction to Statistical Pattern Recognition, section 2.3. ISBN 978-0-12-269851-4.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (20, 2)), rng.normal(3, 1, (20, 2))])
    >>> list(plot.joint_diagonalization(X, np.repeat([0, 1], 20)))
    ['as given', 'whitened within classes', 'rotated']
    """
    rows = check_columns("X", X, 2)
    known, index = classes_of(y)
    if len(known) < 2:
        raise ValueError(f"y has one class, {known[0]!r}; the step to the class means needs two or more")
    P = whitening(within_class_cov(rows, index, len(known))).matrix
    white = (rows - rows.mean(axis=0)) @ P.T
    means = np.array([white[index == k].mean(axis=0) for k in range(len(known))])
    shares = np.bincount(index) / len(index)
    _, U = np.linalg.eigh((means.T * shares) @ means)
    steps = {"as given": rows, "whitened within classes": white, "rotated": white @ U[:, ::-1]}
    panels = new_panels(ax, steps)
    for name, panel in panels.items():
        Z = steps[name]
        scatter_classes(panel, Z, y, size=16)
        spread = within_class_cov(Z, index, len(known))
        for k in range(len(known)):
            panel.add_patch(ellipse(Z[index == k].mean(axis=0), spread, fill=False, edgecolor=INK, linewidth=1.2))
        x, second = axis_names(X) if name == "as given" else ("first direction", "second direction")
        dress(panel, x=x, y=second, title=name, equal=True)
    return panels


def pattern_panels(
    H: ArrayLike,
    Z: ArrayLike | None = None,
    *,
    shape: tuple[int, int] | None = None,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """The patterns of a factorisation X ≈ Z H, as images or curves, and how much each is used.

    Parameters
    ----------
    H : array of shape (m, d)
    Z : array of shape (n, m), optional
        Activations; drawn as one more panel.
    shape : (height, width), optional
        Of the images; None for curves.
    ax : matplotlib Axes, optional
        One for each pattern, and one for Z.

    Returns
    -------
    dict of matplotlib Axes
        "pattern 1", …, and "activations".

    References
    ----------
    Lee, D. D. & Seung, H. S. (1999). Learning the parts of objects by non-negative matrix factorization.
    doi:10.1038/44565

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> list(plot.pattern_panels(np.eye(2, 4), np.ones((3, 2)), shape=(2, 2)))
    ['pattern 1', 'pattern 2', 'activations']
    """
    patterns = np.asarray(H, dtype=float)
    names = [f"pattern {j + 1}" for j in range(len(patterns))]
    panels = new_panels(ax, [*names, *([] if Z is None else ["activations"])], columns=4, width=2.4, height=2.2)
    top = float(np.max(np.abs(patterns)))
    for name, pattern in zip(names, patterns, strict=True):
        panel = panels[name]
        if shape is None:
            panel.plot(pattern, color=ACCENT, linewidth=1.5)
            dress(panel, x="column", y="weight", title=name)
            continue
        low, colors = (-top, "RdBu_r") if np.min(patterns) < 0.0 else (0.0, "gray_r")
        panel.imshow(pattern.reshape(shape), cmap=colors, vmin=low, vmax=top)
        panel.set_axis_off()
        label_panel(panel, name)
    if Z is not None:
        used = np.asarray(Z, dtype=float)
        image = panels["activations"].imshow(used, aspect="auto", cmap="viridis", interpolation="nearest")
        panels["activations"].figure.colorbar(image, ax=panels["activations"])
        dress(panels["activations"], x="pattern", y="row", title="activations", grid=None)
    return panels
