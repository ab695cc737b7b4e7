"""Networks as graphs of units.

    unit h of layer l  ←  Σ_g a_{l−1,g} w_{gh} + b_h                                                    (1)

Long layers are abbreviated by dots. Rumelhart, Hinton & Williams (1986), doi:10.1038/323533a0, figure 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.neural import NeuralNetwork
from gnomon.neural.function import FunctionLike, as_function
from gnomon.neural.layers import shape_text
from gnomon.neural.layers.words import ACTIVATIONS
from gnomon.plot._style import ACCENT, INK, MUTED, SECOND, GivenAxes, label_panel, new_axes, new_panels

__all__ = ["dropped_units", "equivalent_networks", "layer_diagram", "shape_diagram", "value_diagram"]

STEP = 1.75
"""The distance of two layers of a shape diagram."""


class _Column(NamedTuple):
    """The units of a layer that are drawn: their indices and heights, and how many there are."""

    title: str
    units: list[int]
    heights: list[float]
    total: int


def layer_diagram(
    network: NeuralNetwork | FunctionLike,
    *,
    most: int = 6,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The layers of a network as columns of units, with widths and activations.

    Parameters
    ----------
    network : NeuralNetwork or fitted estimator
        Layers behind each other.
    most : int, default=6
        So many units of a layer are drawn at most; dots stand for the others.
    inputs, outputs : sequence of str, optional
        Names of the columns and of the outputs.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> ax = plot.layer_diagram(NeuralNetwork([Dense(3, "relu"), Dense(2)], 40))
    >>> [text.get_text() for text in ax.texts if "40" in text.get_text()]
    ['$x_{40}$', 'input\\n40']
    """
    network = network_of(network)
    columns = _columns(network, most)
    ax = new_axes(ax, width=1.2 + 1.5 * len(columns), height=0.9 + 0.55 * max(len(c.units) for c in columns))
    _draw_edges(ax, columns)
    last = len(columns) - 1
    for x, column in enumerate(columns):
        names = {0: ("x", inputs), last: ("f", outputs)}.get(x, (f"a^{{({x})}}", None))
        _draw_units(ax, x, column, [_name(names[0], names[1], unit) for unit in column.units])
    return _finish(ax, columns)


def value_diagram(
    model: FunctionLike,
    x: ArrayLike,
    y: ArrayLike,
    *,
    loss: Any = None,
    most: int = 6,
    ax: Axes | None = None,
) -> Axes:
    """Forward and backward values of one row, written on the units and connections of a small network.

    Parameters
    ----------
    model : NetworkFunction or fitted estimator
        Dense layers behind each other.
    x, y : array-like
        A row and its target.
    loss : Loss, optional
        By default half the squared error.
    most : int, default=6
        So many units of a layer are drawn at most.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        In each unit a; below it δ = ∂J/∂z; on each connection its weight.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(1, "sigmoid", bias=False), Dense(1, bias=False)], 1)
    >>> ax = plot.value_diagram(NetworkFunction(network, np.array([0.4, -0.6])), [1.5], [1.0])
    >>> sorted(text.get_text()[-5:] for text in ax.texts if "delta" in text.get_text())
    ['$0.19', '-1.39']
    """
    network, theta = as_function(model)
    row, target = np.atleast_2d(np.asarray(x, dtype=float)), np.atleast_2d(y)
    target = target[0] if loss is not None and loss.targets == "index" else target
    A = network.forward(theta, row)[1]
    deltas = network.problem(row, target, loss=loss).sensitivities(theta)[1]
    columns, views = _columns(network, most), network.views(theta)
    ax = new_axes(ax, width=1.4 + 2.0 * len(columns), height=1.2 + 1.0 * max(len(c.units) for c in columns))
    names = [node.name for node in network.nodes]
    weights = [views[name][0] for name in names]
    _draw_edges(ax, columns, weights=weights)
    values = [row[0], *(A[name][0] for name in names)]
    for x_place, (column, value) in enumerate(zip(columns, values, strict=True)):
        _draw_units(ax, x_place, column, [f"{value[unit]:.2f}" for unit in column.units], size=1100)
        if x_place:
            for unit, height in zip(column.units, column.heights, strict=True):
                text = rf"$\delta=${deltas[names[x_place - 1]][0, unit]:.2f}"
                ax.text(x_place, height - 0.36, text, ha="center", va="top", color=SECOND, fontsize=8)
    return _finish(ax, columns, note="in the units: activations; below: derivatives of the loss in z")


def equivalent_networks(
    models: Mapping[str, FunctionLike], X: ArrayLike, *, most: int = 6, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Networks side by side, with the weights as widths and colours of lines, and the outputs of some rows below.

    Parameters
    ----------
    models : dict of str to NetworkFunction or fitted estimator
        By title; those that symmetries make equal have the same outputs.
    X : array-like of shape (n, d)
        Rows whose outputs are written.
    most : int, default=6
    ax : dict or sequence of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> f = NetworkFunction(NeuralNetwork([Dense(2, "tanh"), Dense(1)], 1), np.array([1.0, -2, 0, 1, 3, 1, 0]))
    >>> list(plot.equivalent_networks({"one": f, "sorted": f.canonical()}, [[0.5]]))
    ['one', 'sorted']
    """
    panels = new_panels(ax, models, width=3.6, height=3.2)
    for name, model in {name: as_function(model) for name, model in models.items()}.items():
        columns, panel = _columns(model.network, most), panels[name]
        weights = [part[0] for part in model.network.views(model.theta).values()]
        _draw_edges(panel, columns, weights=weights, write=False)
        for x, column in enumerate(columns):
            _draw_units(panel, x, column, [str(unit + 1) for unit in column.units])
        found = np.ravel(model.output(np.asarray(X, dtype=float)))[:4]
        _finish(panel, columns, note="f = " + ", ".join(f"{value:.4f}" for value in found))
        label_panel(panel, name)
    return panels


def dropped_units(
    network: NeuralNetwork | FunctionLike,
    *,
    n_masks: int = 3,
    most: int = 6,
    random_state: int = 0,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """The network and some of the sub-networks that dropout trains: dropped units are crossed out.

    Parameters
    ----------
    network : NeuralNetwork or fitted estimator
        With `Dropout` layers between dense ones.
    n_masks : int, default=3
    most : int, default=6
    random_state : int, default=0
    ax : dict or sequence of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Dense, Dropout
    >>> network = NeuralNetwork([Dense(4, "relu"), Dropout(0.5), Dense(1)], 3)
    >>> list(plot.dropped_units(network, n_masks=2))
    ['all units', 'mask 1', 'mask 2']
    """
    network = network_of(network)
    rng = np.random.default_rng(random_state)
    draws: dict[str, Any] = {"all units": {}}
    draws |= {f"mask {i + 1}": network.draw(rng, 1) for i in range(n_masks)}
    panels = new_panels(ax, draws, columns=4, width=2.9, height=2.9)
    columns = _columns(network, most)
    places = _places_of_masks(network)
    for name, draw in draws.items():
        gone = {places[layer]: ~np.ravel(found["mask"]) for layer, found in draw.items() if found}
        _draw_edges(panels[name], columns, gone=gone)
        for x, column in enumerate(columns):
            dead = gone.get(x)
            _draw_units(panels[name], x, column, ["×" if dead is not None and dead[u] else "" for u in column.units])
        _finish(panels[name], columns, titles=False)
        label_panel(panels[name], name)
    return panels


def shape_diagram(network: NeuralNetwork | FunctionLike, *, ax: Axes | None = None) -> Axes:
    """The layers as blocks whose size is that of their output: height and width of images, depth for channels.

    Parameters
    ----------
    network : NeuralNetwork or fitted estimator
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Conv2D, Dense, MaxPool2D
    >>> network = NeuralNetwork([Conv2D(8, 3, padding="same"), MaxPool2D(2), Dense(10)], (1, 28, 28))
    >>> ax = plot.shape_diagram(network)
    >>> [text.get_text().splitlines()[-1] for text in ax.texts if text.get_text()]
    ['1×28×28', '8×28×28', '8×14×14', '10']
    """
    network = network_of(network)
    shapes = {**network.input_shapes, **network.shapes}
    kinds = {node.name: node.layer.kind for node in network.nodes}
    ax = new_axes(ax, width=1.0 + 1.4 * len(shapes), height=3.0)
    largest = max([shape[-1] for shape in shapes.values() if len(shape) == 3] or [1])
    for i, (name, shape) in enumerate(shapes.items()):
        sheets, side = (min(shape[0], 6), 0.25 + 0.65 * shape[-1] / largest) if len(shape) == 3 else (1, 0.9)
        width = side if len(shape) == 3 else 0.1
        for sheet in reversed(range(sheets)):
            corner = (i * STEP + 0.07 * sheet - width / 2, -side / 2 + 0.07 * sheet)
            color = ACCENT if i else MUTED
            ax.add_patch(_rectangle(corner, width, side, color))
        if i:
            ax.annotate("", (i * STEP - 0.52, 0), (i * STEP - 0.82, 0), arrowprops={"arrowstyle": "->", "color": INK})
        text = f"{kinds.get(name, name)}\n{shape_text(shape)}"
        ax.text(i * STEP, -0.65, text, ha="center", va="top", fontsize=9, color=INK)
    ax.set_xlim(-0.9, STEP * len(shapes) - 0.7)
    ax.set_ylim(-1.15, 1.0)
    ax.set_axis_off()
    return ax


def network_of(given: NeuralNetwork | FunctionLike) -> NeuralNetwork:
    """The network of an estimator or a function; a network is returned as it is."""
    return given if isinstance(given, NeuralNetwork) else as_function(given).network


def _columns(network: NeuralNetwork, most: int) -> list[_Column]:
    """The inputs and every layer with weights, if they lie behind each other."""
    first, shape = next(iter(network.input_shapes.items()))
    wide = {first: int(np.prod(shape))}
    titles = {first: f"{first}\n{shape_text(shape)}"}
    for node in network.nodes:
        if node.parameters or node.layer.shares:
            phi = getattr(node.layer, "activation", "")
            wide[node.name] = int(np.prod(node.shape))
            titles[node.name] = f"{_word(phi)}\n{shape_text(node.shape)}"
    return [_Column(titles[name], *_shown(total, most), total) for name, total in wide.items()]


def _word(activation: Any) -> str:
    """What an activation is called: its word, or that of an equal one."""
    words = [word for word, known in ACTIVATIONS.items() if known == activation]
    return activation if isinstance(activation, str) else (words or [type(activation).__name__])[0]


def _shown(total: int, most: int) -> tuple[list[int], list[float]]:
    """Which units are drawn, the last of a long layer included, and where."""
    units = list(range(total)) if total <= most else [*range(most - 1), total - 1]
    gap = 0.0 if total <= most else 0.7
    heights = [-float(i) for i in range(len(units))]
    heights[-1] -= gap
    middle = (heights[0] + heights[-1]) / 2
    return units, [height - middle for height in heights]


def _name(letter: str, given: Sequence[str] | None, unit: int) -> str:
    if given is not None:
        return str(given[unit])
    return f"${letter}_{{{unit + 1}}}$"


def _draw_units(ax: Axes, x: int, column: _Column, names: Sequence[str], *, size: float = 520) -> None:
    ax.scatter(
        [x] * len(column.units), column.heights, s=size, facecolor="white", edgecolor=INK, linewidth=1.0, zorder=3
    )
    for height, name in zip(column.heights, names, strict=True):
        color, size_of_text = (SECOND, 16.0) if name == "×" else (INK, 9.0)
        ax.text(x, height, name, ha="center", va="center", zorder=5, color=color, fontsize=size_of_text)
    if column.total > len(column.units):
        ax.text(x, (column.heights[-2] + column.heights[-1]) / 2, "⋮", ha="center", va="center", color=INK, zorder=5)


def _draw_edges(
    ax: Axes,
    columns: Sequence[_Column],
    *,
    weights: Sequence[Floats] | None = None,
    write: bool = True,
    gone: Mapping[int, Array] | None = None,
) -> None:
    """Lines between units: plain, or with width and colour (and number) of their weights; none at dropped units."""
    plain = {"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.85}
    dropped = gone or {}
    for x, (before, after) in enumerate(pairwise(columns)):
        W = None if weights is None else weights[x]
        largest = 1.0 if W is None else max(float(np.max(np.abs(W))), 1e-12)
        for i, (g, low) in enumerate(zip(before.units, before.heights, strict=True)):
            for h, high in zip(after.units, after.heights, strict=True):
                if (x in dropped and dropped[x][g]) or (x + 1 in dropped and dropped[x + 1][h]):
                    continue
                if W is None:
                    ax.plot([x, x + 1], [low, high], color=MUTED, linewidth=0.6, zorder=1)
                    continue
                color, share = (ACCENT if W[g, h] > 0 else SECOND), abs(float(W[g, h])) / largest
                ax.plot([x, x + 1], [low, high], color=color, linewidth=0.3 + 2.4 * share, zorder=1)
                if write:
                    along = 0.24 + 0.2 * (i % 3)
                    where = (x + along, low + along * (high - low))
                    ax.text(*where, f"{W[g, h]:.2f}", fontsize=7.5, color=color, ha="center", va="center", bbox=plain)


def _finish(ax: Axes, columns: Sequence[_Column], *, note: str = "", titles: bool = True) -> Axes:
    top = max(column.heights[0] for column in columns)
    if titles:
        for x, column in enumerate(columns):
            ax.text(x, top + 0.65, column.title, ha="center", va="bottom", fontsize=9, color=INK)
    if note:
        ax.text((len(columns) - 1) / 2, -top - 0.85, note, ha="center", va="top", fontsize=8.5, color=MUTED)
    ax.set_xlim(-0.45, len(columns) - 0.55)
    ax.set_ylim(-top - (1.4 if note else 0.6), top + (1.7 if titles else 0.6))
    ax.set_axis_off()
    return ax


def _places_of_masks(network: NeuralNetwork) -> dict[str, int]:
    """For each dropout layer the column whose units it drops."""
    found, column = {}, 0
    for node in network.nodes:
        if node.parameters or node.layer.shares:
            column += 1
        elif node.layer.random:
            found[node.name] = column
    return found


def _rectangle(corner: tuple[float, float], width: float, height: float, color: str) -> Rectangle:
    return Rectangle(corner, width, height, facecolor="#EEF4F8", edgecolor=color, linewidth=1.2)
