"""The style of all plots: one palette, one way to make, format and label axes.

Colours are those of Okabe & Ito (2008), which readers with any common colour vision tell apart; where several lines
share axes they also differ in dashes, and classes of points in markers. Nothing global is changed: every setting is
made on the axes that are drawn on.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import cycle, islice
from typing import Any, Literal, TypeAlias, TypeVar

import matplotlib.pyplot as plt
import narwhals as nw
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.typing import LineStyleType

from gnomon._typing import Array, ArrayLike, Floats, Integers, NDArray

__all__ = [
    "ACCENT",
    "COLORS",
    "DASHES",
    "DIVERGING",
    "FAINT",
    "INK",
    "MARKERS",
    "MUTED",
    "SECOND",
    "SEQUENTIAL",
    "GivenAxes",
    "axis_names",
    "check_columns",
    "class_color",
    "class_names",
    "classes_of",
    "dress",
    "drop_legend",
    "label_panel",
    "marked_lines",
    "new_axes",
    "new_panels",
    "rows_like",
    "scatter_classes",
    "scatter_columns",
    "scatter_rows",
    "styles",
    "window",
]

GivenAxes: TypeAlias = dict[Any, Axes] | Sequence[Axes] | NDArray[Any] | None
"""Axes for several panels: by name, or in the order of the panels; None for a fresh grid."""

Name = TypeVar("Name", bound=Hashable)

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555", "#000000")
DASHES: tuple[LineStyleType, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.4)),
    (0, (6, 2, 1, 2)),
    (0, (3, 1)),
    (0, (8, 2, 1, 2, 1, 2)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
ACCENT, SECOND = COLORS[:2]
INK, MUTED, FAINT = "#222222", "#767676", "#DDDDDD"
_WARM_TO_COOL = ("#B5470B", "#F6D9C8", "#FFFFFF", "#CBE0EF", "#005A8F")
DIVERGING = LinearSegmentedColormap.from_list("gnomon_diverging", _WARM_TO_COOL)
SEQUENTIAL = LinearSegmentedColormap.from_list("gnomon_sequential", ["#FFFFFF", "#CBE0EF", "#5FA3CF", "#005A8F"])


def new_axes(ax: Axes | None = None, *, width: float = 5.4, height: float = 3.7, projection: str | None = None) -> Axes:
    """`ax`, or fresh axes in a figure of the given size in inches."""
    if ax is not None:
        return ax
    figure = plt.figure(figsize=(width, height), layout="constrained")
    fresh: Any = figure.add_subplot(projection=projection)
    if projection == "3d":
        # The layout knows nothing of the labels of three axes, and would cut them off.
        fresh.set_box_aspect(None, zoom=0.85)
    return fresh


def new_panels(
    ax: GivenAxes,
    names: Iterable[Name],
    *,
    columns: int | None = None,
    width: float = 3.4,
    height: float = 3.1,
    **options: Any,
) -> dict[Name, Axes]:
    """A dict of axes by name: those given (a dict, or an array in the same order), or a fresh grid of them."""
    names = list(names)
    if not names:
        raise ValueError("there is nothing to draw; give one entry at least")
    if ax is not None:
        given = list(ax.values() if isinstance(ax, dict) else np.asarray(ax).ravel())
        if len(given) != len(names):
            raise ValueError(f"ax has {len(given)} axes for the {len(names)} panels {names}; give as many")
        return dict(zip(names, given, strict=True))
    columns = min(len(names), columns or len(names))
    rows = -(-len(names) // columns)
    size = (width * columns, height * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False, **options)
    for spare in grid.ravel()[len(names) :]:
        figure.delaxes(spare)
    return dict(zip(names, grid.ravel(), strict=False))


def dress(
    ax: Axes,
    *,
    x: str = "",
    y: str = "",
    title: str = "",
    legend: str | None = None,
    grid: Literal["both", "x", "y"] | None = "both",
    equal: bool = False,
) -> Axes:
    """Labels, quiet spines, a faint grid behind the data and, where `legend` is a place or "outside", a legend."""
    ax.set_xlabel(x, color=INK)
    ax.set_ylabel(y, color=INK)
    label_panel(ax, title)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(MUTED)
    ax.tick_params(colors=MUTED, labelcolor=INK, labelsize=9)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=FAINT, linewidth=0.6)
    if equal:
        ax.set_aspect("equal", adjustable="datalim")
    if legend:
        # A pale background keeps the names legible over a curve.
        place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if legend == "outside" else {"loc": legend}
        ax.legend(**place, fontsize=9, labelcolor=INK, framealpha=0.8, edgecolor="none", borderpad=0.3)
    return ax


def check_columns(name: str, X: ArrayLike, n: int) -> Floats:
    """A table of so many columns, as numbers; anything else is refused."""
    rows = np.asarray(X, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != n:
        raise ValueError(f"{name} has the shape {rows.shape}; the picture needs rows of {n} column{'s' * (n > 1)}")
    return rows


def marked_lines(ax: Axes, lines: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> None:
    """A line with marks for each label: (x, y) by label, told apart by colour, dashes and marker."""
    if not lines:
        raise ValueError("there is nothing to draw; give one line at least")
    for k, ((name, (x, y)), (color, dash)) in enumerate(zip(lines.items(), styles(len(lines)), strict=True)):
        mark: dict[str, Any] = {"marker": MARKERS[k % len(MARKERS)], "markersize": 5}
        ax.plot(x, y, color=color, linestyle=dash, linewidth=1.8, label=name, **mark)


def drop_legend(ax: Axes) -> None:
    """Remove the legend, where another panel has the same."""
    if (legend := ax.get_legend()) is not None:
        legend.remove()


def label_panel(ax: Axes, title: str) -> None:
    """A title at the left, if there is one to set."""
    if title:
        ax.set_title(title, loc="left", fontsize=10.5, color=INK)


def styles(n: int) -> list[tuple[str, LineStyleType]]:
    """`n` pairs of a colour and a dash pattern, distinct as long as possible."""
    return list(islice(zip(cycle(COLORS), cycle(DASHES), strict=False), n))


def classes_of(y: ArrayLike) -> tuple[Array, Integers]:
    """The distinct labels in order, and the index of each label among them."""
    return np.unique(y, return_inverse=True)


def class_color(k: int, n_classes: int) -> str:
    """The colour of class k: the positive of two classes is blue, the negative one vermilion."""
    return COLORS[1 - k if n_classes == 2 else k % len(COLORS)]


def class_names(labels: Array) -> list[str]:
    """What a legend calls the classes: their own names, or their numbers with the word."""
    return [f"class {label:g}" if labels.dtype.kind in "iuf" else str(label) for label in labels]


def scatter_classes(ax: Axes, X: ArrayLike, y: ArrayLike, *, size: float = 26) -> None:
    """Points of two columns, a colour and a marker for each class."""
    labels, index = classes_of(y)
    for k, name in enumerate(class_names(labels)):
        style: dict[str, Any] = {
            "color": class_color(k, len(labels)),
            "marker": MARKERS[k % len(MARKERS)],
            "label": name,
        }
        scatter_rows(ax, np.asarray(X)[index == k], s=size, edgecolor="white", linewidth=0.6, zorder=3, **style)


def scatter_rows(ax: Axes, rows: Array, **look: Any) -> None:
    """A mark for each row of two columns."""
    ax.scatter(rows[:, 0], rows[:, 1], **look)


def scatter_columns(ax: Any, columns: Any, **look: Any) -> None:
    """A mark for each entry of two or three columns, on axes of as many dimensions."""
    ax.scatter(*columns, **look)


def rows_like(X: ArrayLike, points: Floats) -> Any:
    """`points` as a data frame with the columns of X where X is one, so that a model finds the names that it knows."""
    frame: Any = nw.from_native(X, eager_only=True, pass_through=True)
    if frame is X:
        return points
    return nw.from_numpy(points, schema=frame.columns, backend=nw.get_native_namespace(frame)).to_native()


def axis_names(X: ArrayLike) -> list[str]:
    """The names of the columns of a data frame; of an array, x for one and x₁, x₂, … for more."""
    frame: Any = nw.from_native(X, eager_only=True, pass_through=True)
    if frame is not X:
        return [str(name) for name in frame.columns]
    d = np.shape(X)[1]
    return ["$x$"] if d == 1 else [f"$x_{j + 1}$" for j in range(d)]


def window(X: ArrayLike, *, margin: float = 0.12) -> tuple[Floats, Floats]:
    """(low, high) of each column without its gaps, widened by a share of its range; a constant column gets one unit."""
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    pad = np.where(high > low, margin * (high - low), 0.5)
    return low - pad, high + pad
