"""A coding matrix as a map of its signs, and how far apart its rows are.

    M ∈ {−1, 0, 1}^{C×L},    Δ(k, k') = Σ_l (1 − M_kl M_k'l) / 2                                               (1)

Dietterich & Bakiri (1995), doi:10.1613/jair.105; Allwein, Schapire & Singer (2000), Journal of Machine Learning
Research 1, 113–141.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from gnomon._typing import ArrayLike
from gnomon.multiclass import OutputCodeClassifier, code_report
from gnomon.plot._style import ACCENT, INK, SECOND, SEQUENTIAL, GivenAxes, dress, new_panels

__all__ = ["code_map"]

_MOST_NAMED = 40
_MOST_WRITTEN = 12


def code_map(
    code: ArrayLike | OutputCodeClassifier, classes: ArrayLike | None = None, *, ax: GivenAxes = None
) -> dict[str, Axes]:
    """The coding matrix as a map of +1, 0 and −1, beside it the distances between the codewords.

    Parameters
    ----------
    code : array-like of shape (n_classes, n_columns), or a fitted OutputCodeClassifier
        Rows are classes. A fitted model brings its classes along.
    classes : array-like of shape (n_classes,), optional
        Names of the rows; their numbers by default.
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "code" and "distances".

    References
    ----------
    Dietterich, T. G. & Bakiri, G. (1995). Solving multiclass learning problems via error-correcting output codes.
    doi:10.1613/jair.105

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.multiclass import coding_matrix
    >>> panels = plot.code_map(coding_matrix("exhaustive", 4))
    >>> panels["distances"].get_title("left")
    'all distances 4'
    """
    # A fitted model brings the code and class names; anything else is the matrix itself.
    matrix = getattr(code, "code_book_", code)
    report, matrix = code_report(matrix), np.asarray(matrix)
    labels = np.asarray(getattr(code, "classes_", np.arange(len(matrix))) if classes is None else classes)
    if len(labels) != len(matrix):
        raise ValueError(f"classes has {len(labels)} names for the {len(matrix)} rows of the code; give one for each")
    names = [str(label) for label in labels.tolist()]
    panels = _panels(ax, *matrix.shape)
    _draw_signs(panels["code"], matrix, names)
    _draw_distances(panels["distances"], report, names)
    return panels


def _panels(ax, C, L):
    if ax is not None:
        return new_panels(ax, ["code", "distances"])
    cell = 0.34 if C <= _MOST_WRITTEN else 0.2
    wide, high = float(np.clip(cell * L, 2.6, 8.0)), float(np.clip(cell * C, 2.0, 6.0))
    figure = plt.figure(figsize=(wide + high + 2.0, high + 1.4), layout="constrained")
    return dict(zip(["code", "distances"], figure.subplots(1, 2, width_ratios=[wide, high]), strict=True))


def _draw_signs(ax, matrix, names):
    C, L = matrix.shape
    ax.imshow(matrix, cmap=ListedColormap([SECOND, "#EBEBEB", ACCENT]), vmin=-1, vmax=1, aspect="auto")
    _part_cells(ax, C, L)
    _name_ticks(ax.xaxis, [str(l + 1) for l in range(L)], most=30)
    _name_ticks(ax.yaxis, names, most=_MOST_NAMED)
    kinds = {1: ("+1", ACCENT), -1: ("−1", SECOND), 0: ("0, takes no part", "#EBEBEB")}
    shown = [Patch(facecolor=color, label=name) for entry, (name, color) in kinds.items() if np.any(matrix == entry)]
    place = {"loc": "lower right", "bbox_to_anchor": (1.01, 1.0), "ncols": 3, "borderaxespad": 0.2}
    ax.legend(handles=shown, frameon=False, fontsize=9, labelcolor=INK, handlelength=0.9, columnspacing=1.2, **place)
    _quiet(ax, x="two-class problem", title="codewords")


def _draw_distances(ax, report, names):
    C, distances = report.n_classes, report.row_distances
    off = ~np.eye(C, dtype=bool)
    least, most = report.min_distance, float(np.max(distances[off]))
    # The closest pairs limit the code, so they are palest; all colours are pale enough for the numbers on them.
    shades = {"vmin": least - 0.3 * (most - least) - 1.0, "vmax": most + 1.2 * (most - least) + 3.0}
    ax.imshow(np.where(off, distances, np.nan), cmap=SEQUENTIAL, aspect="auto", **shades)
    _part_cells(ax, C, C)
    closest = distances == least
    if C <= _MOST_WRITTEN:
        for a, b in np.argwhere(off):
            weight = "bold" if closest[a, b] else "normal"
            ax.text(b, a, f"{distances[a, b]:g}", ha="center", va="center", fontsize=8.5, color=INK, fontweight=weight)
    _name_ticks(ax.xaxis, names, most=_MOST_NAMED)
    if max(map(len, names)) > 2:
        ax.tick_params(axis="x", rotation=90)
    ax.set_yticks([])
    repaired = {-1: "repairs nothing for sure", 0: "repairs no wrong answer", 1: "repairs 1 wrong answer"}
    promise = repaired.get(report.correctable, f"repairs {report.correctable} wrong answers")
    span = f"distances {least:g} to {most:g}" if most > least else f"all distances {least:g}"
    _quiet(ax, x=promise, title=span)


def _part_cells(ax, rows, columns):
    """White lines between cells, as long as these are large enough to bear them."""
    width = 1.2 if max(rows, columns) <= 40 else 0.3
    ax.hlines(np.arange(rows - 1) + 0.5, -0.5, columns - 0.5, color="white", linewidth=width)
    ax.vlines(np.arange(columns - 1) + 0.5, -0.5, rows - 0.5, color="white", linewidth=width)


def _name_ticks(axis, names, *, most):
    """All names if they fit, else every second, fifth, tenth, …"""
    steps = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
    step = next((step for step in steps if len(names) / step <= most), len(names))
    places = [place for place in range(len(names)) if step == 1 or (place + 1) % step == 0]
    axis.set_ticks(places, [names[place] for place in places])


def _quiet(ax, *, x, title):
    dress(ax, x=x, title=title, grid=None)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
