"""Penalties as curves, and the geometry of selection.

    min_w ‖y − Xw‖²   subject to   Ω(w) ≤ θ                                                       (1)

Where the lowest error contour touches the ball {Ω ≤ θ} is the constrained optimum; a ball with corners on the axes
is touched there. Tibshirani (1996), figure 2, doi:10.1111/j.2517-6161.1996.tb02080.x.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike
from gnomon.linear import Ridge
from gnomon.penalties import L0, L1, L2, Penalty
from gnomon.plot._style import ACCENT, COLORS, INK, MUTED, SECOND, dress, new_axes, styles

__all__ = ["penalty_curves", "penalty_geometry"]


def penalty_curves(
    penalties: Mapping[str, Penalty] | None = None, *, limit: float = 2.0, ax: Axes | None = None
) -> Axes:
    """Ω of one coordinate, for several penalties.

    Parameters
    ----------
    penalties : dict of str to Penalty, optional
        By label; L0, L1 and L2 by default.
    limit : float, default=2.0
        Largest |w| shown.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. doi:10.1111/j.2517-6161.1996.tb02080.x

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.penalties import L1, L2
    >>> ax = plot.penalty_curves({"L1": L1(), "L2": L2()})
    >>> [float(line.get_ydata()[-1]) for line in ax.lines]
    [2.0, 4.0]
    """
    penalties = penalties or {"$\\ell_0$: 1[w ≠ 0]": L0(), "$\\ell_1$: |w|": L1(), "$\\ell_2^2$: w²": L2()}
    ax, w = new_axes(ax), np.linspace(-limit, limit, 401)
    for (name, penalty), (color, dash) in zip(penalties.items(), styles(len(penalties)), strict=True):
        ax.plot(w, penalty.term(w), color=color, linestyle=dash, linewidth=2.0, label=name)
    return dress(ax, x="coefficient $w$", y="penalty $\\Omega(w)$", legend="upper center")


def penalty_geometry(
    X: ArrayLike,
    y: ArrayLike,
    ball: Literal["l1", "l2", "l0"] = "l1",
    *,
    theta: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Contours of ‖y − Xw‖² over two coefficients, the ball {Ω ≤ θ}, and the constrained optimum.

    Parameters
    ----------
    X : array of shape (n, 2)
    y : array of shape (n,)
    ball : {"l1", "l2", "l0"}, default="l1"
        ‖w‖₁ ≤ θ; ‖w‖² ≤ θ; or at most one non-zero coefficient (θ is then not used).
    theta : float, optional
        Size of the ball; half the norm of the least-squares solution by default (for "l2", of its square).
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. doi:10.1111/j.2517-6161.1996.tb02080.x

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> X, y = np.array([[1.0, 0], [1, 1], [0, 1], [1, -1]]), np.array([2.0, 2, 0, 3])
    >>> ax = plot.penalty_geometry(X, y, "l1", theta=2.0)
    >>> [round(float(v), 6) for v in ax.lines[-1].get_xydata()[0]]
    [2.0, 0.0]
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"X has shape {X.shape}; this picture has two coefficients, give two columns")
    free = np.linalg.lstsq(X, y)[0]
    edges, best = _ball(ball, free, theta, X, y)
    ax = new_axes(ax, width=4.4, height=4.2)
    _error_contours(ax, X, y, free, best)
    for edge in edges:
        ax.plot(*edge.T, color=ACCENT, linewidth=2.0, zorder=2)
    if ball != "l0":
        ax.fill(*edges[0].T, color=ACCENT, alpha=0.15, linewidth=0)
    ax.plot(*free, "x", color=INK, markersize=8, markeredgewidth=2, label="least squares", zorder=4)
    ax.plot(*best, "o", color=SECOND, markersize=9, label="constrained optimum", zorder=5)
    name = {"l1": "$\\|w\\|_1 \\leq \\theta$", "l2": "$\\|w\\|_2^2 \\leq \\theta$", "l0": "$\\|w\\|_0 \\leq 1$"}[ball]
    ax.set_aspect("equal", adjustable="box")
    return dress(ax, x="$w_1$", y="$w_2$", title=name, legend="upper left")


def _ball(ball, free, theta, X, y):
    """The boundary of the ball as polylines, and the point of least error in it."""
    if ball == "l2":
        theta = 0.25 * free @ free if theta is None else theta
        angles = np.linspace(0.0, 2.0 * np.pi, 361)
        circle = np.sqrt(theta) * np.column_stack([np.cos(angles), np.sin(angles)])
        return [circle], np.ravel(Ridge(constraint=theta, fit_intercept=False).fit(X, y).coef_)
    if ball == "l1":
        theta = 0.5 * np.abs(free).sum() if theta is None else theta
        diamond = [theta * np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1], [1, 0]])]
        return diamond, free if np.abs(free).sum() <= theta else _best_on(diamond, X, y)
    if ball == "l0":
        reach = 3.0 * np.abs(free).max() + 1e-9
        cross = [reach * np.array([[-1.0, 0], [1, 0]]), reach * np.array([[0.0, -1], [0, 1]])]
        return cross, _best_on(cross, X, y)
    raise ValueError(f"ball={ball!r} is unknown; choose 'l1', 'l2' or 'l0'")


def _best_on(edges, X, y):
    """The point of least error on the polylines, exact on every segment."""
    points = []
    for edge in edges:
        start, step = edge[:-1], np.diff(edge, axis=0)
        residual, move = y - start @ X.T, step @ X.T
        size = np.sum(move**2, axis=1)
        t = np.divide(np.sum(residual * move, axis=1), size, out=np.zeros_like(size), where=size > 0)
        points.extend(start + np.clip(t, 0.0, 1.0)[:, None] * step)
    errors = np.sum((y - np.array(points) @ X.T) ** 2, axis=1)
    return points[int(np.argmin(errors))]


def _error_contours(ax, X, y, free, best):
    reach = 1.2 * max(np.abs(free).max(), np.abs(best).max(), 1e-9)
    grid = reach * np.linspace(-0.9, 1.5, 201)
    A, B = np.meshgrid(np.sign(free[0] or 1.0) * grid, np.sign(free[1] or 1.0) * grid)
    ax.set(xlim=(A.min(), A.max()), ylim=(B.min(), B.max()))
    W = np.stack([A, B], axis=-1)
    errors = np.sum((y - W @ X.T) ** 2, axis=-1)
    low, touch = np.sum((y - X @ free) ** 2), np.sum((y - X @ best) ** 2)
    # The contour through the optimum is one of those drawn.
    levels = low + max(touch - low, 1e-12) * np.array([0.1, 0.4, 1.0, 1.9, 3.1, 4.6, 6.4])
    ax.contour(A, B, errors, levels=levels, colors=COLORS[6], linewidths=[0.8, 0.8, 1.6, 0.8, 0.8, 0.8, 0.8], alpha=0.8)
    ax.axhline(0.0, color=MUTED, linewidth=0.7, zorder=0)
    ax.axvline(0.0, color=MUTED, linewidth=0.7, zorder=0)
