"""Least squares as a projection.

    ŷ = H y,   H = X X†,   y − ŷ ⟂ col X                                                          (1)

Strang (1993), The fundamental theorem of linear algebra, doi:10.2307/2324660.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from mpl_toolkits.mplot3d import Axes3D
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from gnomon._typing import ArrayLike, Floats
from gnomon.plot._style import ACCENT, COLORS, INK, MUTED, SECOND, new_axes

__all__ = ["least_squares_geometry"]


def least_squares_geometry(X: ArrayLike, y: ArrayLike, *, ax: Axes3D | None = None) -> Axes3D:
    """The vector y, its projection ŷ on the column space of X, and the residual that is orthogonal to it.

    The drawing is exact for any number of rows: the plane is spanned by ŷ and the part of a column that is orthogonal
    to it, the third axis is the direction of the residual, and lengths and angles between y, ŷ and r are true.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    ax : matplotlib 3-D Axes, optional

    Returns
    -------
    matplotlib 3-D Axes

    References
    ----------
    Strang, G. (1993). The fundamental theorem of linear algebra. doi:10.2307/2324660

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.least_squares_geometry(np.array([[1.0, 0], [1, 1], [1, 2]]), np.array([0.0, 1, 1]))
    >>> ax.texts[-1].get_text()
    '$\\\\|y - \\\\hat y\\\\| = 0.408$'
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    fitted = X @ np.linalg.lstsq(X, y)[0]
    residual = y - fitted
    along, up = float(np.linalg.norm(fitted)), float(np.linalg.norm(residual))
    ax = cast(Axes3D, new_axes(ax, width=5.0, height=4.2, projection="3d"))
    reach = 1.25 * max(along, up, 1e-12)
    corners = reach * np.array([[-0.25, -0.6, 0], [1, -0.6, 0], [1, 0.6, 0], [-0.25, 0.6, 0]])
    plane: dict[str, Any] = {"facecolor": COLORS[5], "edgecolor": COLORS[0], "alpha": 0.25, "linewidth": 0.8}
    ax.add_collection3d(Poly3DCollection([corners], **plane))
    _columns(ax, X, fitted, reach)
    _arrow(ax, (0, 0, 0), (along, 0, up), INK, "$y$")
    _arrow(ax, (0, 0, 0), (along, 0, 0), ACCENT, "$\\hat y = Hy$")
    _arrow(ax, (along, 0, 0), (along, 0, up), SECOND, "")
    tick = 0.07 * reach * min(1.0, 4 * up / reach)
    ax.plot([along - tick, along - tick, along], [0, 0, 0], [0, tick, tick], color=MUTED, linewidth=1.0)
    ax.text(0.62 * reach, -0.55 * reach, 0.0, "col $X$", color=COLORS[0], fontsize=10)
    ax.text(along + 0.04 * reach, 0.0, 0.45 * up, f"$\\|y - \\hat y\\| = {up:.3g}$", color=SECOND, fontsize=10)
    tall = max(1.2 * up / reach, 0.3)
    ax.set(xlim=(-0.25 * reach, reach), ylim=(-0.6 * reach, 0.6 * reach), zlim=(0, tall * reach))
    # Equal scales in all three directions, so that right angles look right.
    ax.set_box_aspect((1.25, 1.2, tall), zoom=1.2)
    ax.set_axis_off()
    ax.view_init(elev=22, azim=-65)
    return ax


def _columns(ax: Axes3D, X: Floats, fitted: Floats, reach: float) -> None:
    """The columns of X in the plane (their part in it, when X has more than two), scaled to one length."""
    first = fitted / (np.linalg.norm(fitted) or 1.0)
    inside = X - np.outer(first, first @ X)
    second = inside[:, int(np.argmax(np.sum(inside**2, axis=0)))]
    size = np.linalg.norm(second)
    second = second / size if size > 1e-9 * np.linalg.norm(X) else 0.0 * second
    for j, column in enumerate(X.T[:4]):
        flat = np.array([first @ column, second @ column])
        place = 0.42 * reach * flat / (np.linalg.norm(flat) or 1.0)
        _arrow(ax, (0, 0, 0), (place[0], place[1], 0.0), MUTED, f"$x_{{{j + 1}}}$")


def _arrow(
    ax: Axes3D, start: tuple[float, float, float], end: tuple[float, float, float], color: str, label: str
) -> None:
    step = np.subtract(end, start)
    ax.quiver(*start, *step, color=color, linewidth=2.0, arrow_length_ratio=0.08)
    ax.text(*(np.array(start) + 1.06 * step), label, color=color, fontsize=11)
