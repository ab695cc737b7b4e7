"""What the layers of a network compute.

    φ(z) and φ'(z);    1[Z_1 > 0] and the linear regions of f;    A_l of rows;    filters and what they give       (1)

Montúfar, Pascanu, Cho & Bengio (2014), arXiv:1402.1869; Zeiler & Fergus (2014), doi:10.1007/978-3-319-10590-1_53.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.neural import NeuralNetwork
from gnomon.neural import feature_maps as maps_of
from gnomon.neural import filters as filters_of
from gnomon.neural.function import FunctionLike, as_function
from gnomon.neural.layers import ActivationFunction, Elementwise, Layer, activation_of
from gnomon.plot._images import show_images
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    DIVERGING,
    FAINT,
    INK,
    MUTED,
    SECOND,
    SEQUENTIAL,
    GivenAxes,
    axis_names,
    check_columns,
    dress,
    drop_legend,
    label_panel,
    new_axes,
    new_panels,
    scatter_classes,
    window,
)

__all__ = [
    "activation_curves",
    "cell_map",
    "feature_maps",
    "filters",
    "hidden_layers",
    "linear_regions",
    "pooling_steps",
]


def activation_curves(
    activations: Sequence[str] | Mapping[str, ActivationFunction | Layer],
    *,
    reach: float = 3.0,
    columns: int = 4,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Activations and their derivatives, a panel for each.

    Parameters
    ----------
    activations : sequence of str, or dict of str to activation or layer
        Words, or objects by title; a layer is drawn as a function of one input with its first weights.
    reach : float, default=3.0
        The range is [−reach, reach].
    columns : int, default=4
    ax : dict or sequence of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> panels = plot.activation_curves(["tanh", "relu"])
    >>> float(panels["relu"].lines[0].get_ydata()[-1])
    3.0
    """
    given = activations if isinstance(activations, Mapping) else {word: activation_of(word) for word in activations}
    panels = new_panels(ax, given, columns=columns, width=2.6, height=2.3)
    z = np.linspace(-reach, reach, 601)
    for i, (name, phi) in enumerate(given.items()):
        value, slope = _value_and_slope(phi, z)
        panels[name].plot(z, value, color=ACCENT, linewidth=2.0, label=r"$\varphi(z)$")
        panels[name].plot(z, slope, color=SECOND, linewidth=1.6, linestyle=(0, (5, 2)), label=r"$\varphi'(z)$")
        dress(panels[name], x="$z$", title=name, legend="upper left" if i == 0 else None)
    return panels


def cell_map(
    model: FunctionLike,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    resolution: int = 300,
    ax: Axes | None = None,
) -> Axes:
    """The cells of the first layer's lines in the plane, with their codes where there is room.

    Parameters
    ----------
    model : NetworkFunction or fitted estimator
        Of two inputs.
    X : array-like of shape (n, 2)
    y : array-like of shape (n,), optional
        Classes, as colours.
    resolution : int, default=300
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> f = NetworkFunction(NeuralNetwork([Dense(2, "relu", bias=False)], 2), np.eye(2).ravel())
    >>> ax = plot.cell_map(f, [[1.0, 1.0], [-1.0, -1.0]])
    >>> sorted(text.get_text() for text in ax.texts)
    ['00', '01', '10', '11']
    """
    model = as_function(model)
    grid, A, B = _grid(X, resolution)
    found = model.encode_cells(grid)
    ax = new_axes(ax, width=4.8, height=4.2)
    _shade(ax, A, B, found.cell.reshape(A.shape))
    Z = model.transform(grid, next(n.name for n in model.network.nodes if n.parameters), values="score")
    for h in range(Z.shape[1]):
        ax.contour(A, B, Z[:, h].reshape(A.shape), levels=[0.0], colors=INK, linewidths=0.9)
    for k, code in enumerate(found.cells):
        inside = grid[found.cell == k]
        if len(inside) > 0.012 * len(grid) and Z.shape[1] <= 8:
            middle = inside[np.argmin(np.sum((inside - inside.mean(axis=0)) ** 2, axis=1))]
            ax.text(middle[0], middle[1], "".join(map(str, code)), ha="center", va="center", fontsize=8, color=INK)
    title = f"{len(found.cells)} of at most {found.most} cells"
    return _with_rows(ax, X, y, title)


def linear_regions(
    model: FunctionLike,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    resolution: int = 300,
    ax: Axes | None = None,
) -> Axes:
    """The pieces of the plane on which a piecewise linear network is linear, and where its first output is zero.

    Parameters
    ----------
    model : NetworkFunction or fitted estimator
        Of two inputs.
    X : array-like of shape (n, 2)
    y : array-like of shape (n,), optional
    resolution : int, default=300
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(2, "relu"), Dense(1)], 2)
    >>> f = NetworkFunction(network, np.array([1.0, 0, 0, 1, 0, 0, 1, 1, -1]))
    >>> plot.linear_regions(f, [[1.0, 1.0], [-1.0, -1.0]]).get_title("left")
    '4 linear regions'
    """
    model = as_function(model)
    grid, A, B = _grid(X, resolution)
    found = model.linear_region(grid)
    ax = new_axes(ax, width=4.8, height=4.2)
    _shade(ax, A, B, found.region.reshape(A.shape))
    f = np.asarray(model.output(grid)).reshape(len(grid), -1)
    score = f[:, 0] if f.shape[1] == 1 else f[:, 0] - f[:, 1:].max(axis=1)
    if score.min() < 0 < score.max():
        ax.contour(A, B, score.reshape(A.shape), levels=[0.0], colors=INK, linewidths=2.0)
    return _with_rows(ax, X, y, f"{found.n_regions} linear regions")


def hidden_layers(model: FunctionLike, X: ArrayLike, y: ArrayLike, *, ax: GivenAxes = None) -> dict[str, Axes]:
    """Rows as every layer sees them, classes as colours: two units, or the first two principal components.

    Parameters
    ----------
    model : NetworkFunction or fitted estimator
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
    ax : dict or sequence of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes
        "input", then by layer.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(3, "tanh"), Dense(2)], 4)
    >>> f = NetworkFunction(network, network.init(np.random.default_rng(0)))
    >>> list(plot.hidden_layers(f, np.eye(4), [0, 0, 1, 1]))
    ['input', 'dense_1', 'dense_2']
    """
    model = as_function(model)
    rows = np.asarray(X, dtype=float)
    views = {"input": rows.reshape(len(rows), -1)}
    for node in model.network.nodes:
        if node.parameters:
            views[node.name] = model.transform(rows, node.name).reshape(len(rows), -1)
    panels = new_panels(ax, views, columns=4, width=3.0, height=2.9)
    for i, (name, values) in enumerate(views.items()):
        plane, labels = _plane(values)
        if name == "input" and values.shape[1] == 2:
            labels = (axis_names(X)[0], axis_names(X)[1])
        scatter_classes(panels[name], plane, y, size=18)
        dress(panels[name], x=labels[0], y=labels[1], title=name, legend="best" if i == 0 else None)
    return panels


def filters(model: FunctionLike, layer: str | None = None, *, most: int = 16, ax: Axes | None = None) -> Axes:
    """The filters of a convolution, or the weights of units on images, as a grid of images around zero.

    Parameters
    ----------
    model : NetworkFunction or fitted estimator
    layer : str, optional
        By default the first with weights.
    most : int, default=16
        So many are drawn at most; of several channels the first.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Conv2D, Dense
    >>> network = NeuralNetwork([Conv2D(4, 3), Dense(2)], (1, 6, 6))
    >>> f = NetworkFunction(network, network.init(np.random.default_rng(0)))
    >>> plot.filters(f).images[0].get_array().shape  # two rows of two filters of 3 × 3 pixels
    (7, 7)
    """
    model = as_function(model)
    found = np.asarray(filters_of(model.network, model.theta, layer))[:most, 0]
    return _mosaic(found, DIVERGING, new_axes(ax, width=3.6, height=3.6), around_zero=True)


def feature_maps(
    model: FunctionLike,
    x: ArrayLike,
    layer: str | None = None,
    *,
    most: int = 16,
    ax: Axes | None = None,
) -> Axes:
    """What the channels of a layer make of one image.

    Parameters
    ----------
    model : NetworkFunction or fitted estimator
    x : array-like
        An image, as a row.
    layer : str, optional
        By default the first with weights.
    most : int, default=16
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Conv2D, Dense
    >>> network = NeuralNetwork([Conv2D(4, 3, activation="relu"), Dense(2)], (1, 6, 6))
    >>> f = NetworkFunction(network, network.init(np.random.default_rng(0)))
    >>> plot.feature_maps(f, np.ones(36)).images[0].get_array().shape
    (9, 9)
    """
    model = as_function(model)
    rows = np.asarray(x, dtype=float).reshape(1, *next(iter(model.network.input_shapes.values())))
    found = np.asarray(maps_of(model.network, model.theta, rows, layer))[0, :most]
    return _mosaic(found, SEQUENTIAL, new_axes(ax, width=3.6, height=3.6), around_zero=False)


def pooling_steps(image: ArrayLike, layers: Mapping[str, Layer], *, ax: GivenAxes = None) -> dict[str, Axes]:
    """A small image and what pooling layers make of it, with numbers.

    Parameters
    ----------
    image : array-like of shape (height, width)
    layers : dict of str to Layer
        By title.
    ax : dict or sequence of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes
        "image", then by layer.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural.layers import MaxPool2D
    >>> panels = plot.pooling_steps(np.arange(16.0).reshape(4, 4), {"max": MaxPool2D(2)})
    >>> [text.get_text() for text in panels["max"].texts]
    ['5', '7', '13', '15']
    """
    given = np.asarray(image, dtype=float)
    pictures = {"image": given}
    for name, layer in layers.items():
        network = NeuralNetwork([layer], (1, *given.shape))
        pictures[name] = network.output(np.empty(0), given[None, None])[0, 0]
    panels = new_panels(ax, pictures, width=2.8, height=2.8)
    for name, picture in pictures.items():
        panel, (h, w) = panels[name], picture.shape
        panel.imshow(picture, cmap=SEQUENTIAL, vmin=given.min(), vmax=given.max() + 0.3 * np.ptp(given))
        for i in range(h):
            for j in range(w):
                panel.text(j, i, f"{picture[i, j]:g}", ha="center", va="center", color=INK, fontsize=10)
        if name == "image":
            last = pictures[next(reversed(pictures))].shape
            steps_y, steps_x = given.shape[0] // last[0], given.shape[1] // last[1]
            panel.hlines(np.arange(1, last[0]) * steps_y - 0.5, -0.5, w - 0.5, color=INK, linewidth=2.0)
            panel.vlines(np.arange(1, last[1]) * steps_x - 0.5, -0.5, h - 0.5, color=INK, linewidth=2.0)
        panel.set_xticks([])
        panel.set_yticks([])
        label_panel(panel, name)
    return panels


def _value_and_slope(phi: Any, z: Floats) -> tuple[Floats, Floats]:
    """φ and φ' at z; of a layer, its output for one input and the Jacobian."""
    if isinstance(phi, Elementwise):
        value = np.asarray(phi.activate(z))
        return value, np.asarray(phi.derivative(z, value)) + 0.0 * z
    if isinstance(phi, ActivationFunction):
        value, slope = np.empty((len(z), 1)), np.ones((len(z), 1))
        own = [parameter.init.draw(np.random.default_rng(0), parameter.shape, None) for parameter in phi.parameters(1)]
        phi.forward(z[:, None], value, own)
        phi.backward(z[:, None], value, slope, own, [np.empty_like(part) for part in own])
        return value[:, 0], slope[:, 0]
    network = NeuralNetwork([phi], 1)
    theta = network.init(np.random.default_rng(0))
    return network.output(theta, z[:, None])[:, 0], network.jacobian(theta, z[:, None])[:, 0, 0]


def _grid(X: ArrayLike, resolution: int) -> tuple[Floats, Floats, Floats]:
    low, high = window(check_columns("X", X, 2))
    A, B = np.meshgrid(*(np.linspace(a, b, resolution) for a, b in zip(low, high, strict=True)))
    return np.column_stack([A.ravel(), B.ravel()]), A, B


def _shade(ax: Axes, A: Floats, B: Floats, region: Integers) -> None:
    """Pale colours that differ between neighbours as far as the palette goes."""
    pale = [tuple(1 - 0.35 * (1 - c) for c in _rgb(color)) for color in COLORS[:6]]
    extent = (float(A.min()), float(A.max()), float(B.min()), float(B.max()))
    colors = _map_colors(region, len(pale))[region]
    ax.imshow(colors, origin="lower", extent=extent, aspect="auto", cmap=ListedColormap(pale),
              vmin=-0.5, vmax=len(pale) - 0.5, interpolation="nearest")  # fmt: skip


def _map_colors(region: Integers, n_colors: int) -> Integers:
    """A colour for each region: the first that no neighbour before it has, or else the one that fewest of them have."""
    sides = ((region[:, :-1], region[:, 1:]), (region[:-1], region[1:]))
    pairs = np.unique(np.concatenate([np.column_stack([a[a != b], b[a != b]]) for a, b in sides]), axis=0)
    found = np.full(int(region.max()) + 1, -1)
    for k in range(len(found)):
        beside = found[np.r_[pairs[pairs[:, 0] == k, 1], pairs[pairs[:, 1] == k, 0]]]
        found[k] = np.argmin(np.bincount(beside[beside >= 0], minlength=n_colors))
    return found


def _rgb(color: str) -> tuple[float, float, float]:
    return tuple(int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))  # type: ignore[return-value]


def _with_rows(ax: Axes, X: ArrayLike, y: ArrayLike | None, title: str) -> Axes:
    if y is not None:
        scatter_classes(ax, np.asarray(X), y)
    names = axis_names(X)
    dress(ax, x=names[0], y=names[1], title=title, legend=None if y is None else "best", grid=None)
    if y is None:
        drop_legend(ax)
    return ax


def _plane(values: Floats) -> tuple[Floats, tuple[str, str]]:
    if values.shape[1] == 1:
        return np.c_[values, np.zeros(len(values))], ("unit 1", "")
    if values.shape[1] == 2:
        return values, ("unit 1", "unit 2")
    centred = values - values.mean(axis=0)
    U, s, _ = np.linalg.svd(centred, full_matrices=False)
    return U[:, :2] * s[:2], ("component 1", "component 2")


def _mosaic(images: Floats, cmap: Any, ax: Axes, *, around_zero: bool) -> Axes:
    """Images in a square grid, with the scale of their colours."""
    reach = float(np.max(np.abs(images))) or 1.0
    low = -reach if around_zero else min(float(images.min()), 0.0)
    columns = int(np.ceil(np.sqrt(len(images))))
    shown = show_images(ax, images, columns=columns, low=low, high=reach, cmap=cmap, gap=FAINT)
    ax.figure.colorbar(shown, ax=ax, shrink=0.7).outline.set_edgecolor(MUTED)
    return ax
