"""Parallel coordinates: many columns in one plane.

    row x ↦ the polyline through (1, x₁), (2, x₂), …, (d, x_d)                                       (1)

Inselberg (1985), The plane with parallel coordinates, doi:10.1007/BF01898350.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike
from gnomon.plot._style import COLORS, MUTED, axis_names, classes_of, dress, new_axes

__all__ = ["parallel_coordinates"]


def parallel_coordinates(
    X: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    scale: Literal["minmax", "standard", "raw"] = "minmax",
    order: Literal["given", "correlation"] | Sequence[int] = "given",
    summary: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """A vertical axis for each column and a line for each row, coloured by its cluster or class.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
    labels : array of shape (n,), optional
    scale : {"minmax", "standard", "raw"}, default="minmax"
        Each column from 0 to 1, in standard deviations, or as it is.
    order : {"given", "correlation"} or sequence of int, default="given"
        Of the columns; "correlation" puts columns beside those they go with.
    summary : bool, default=True
        Also the mean of each cluster and the band from its lower to its upper quartile.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Inselberg, A. (1985). The plane with parallel coordinates. doi:10.1007/BF01898350

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.parallel_coordinates([[0.0, 5.0], [1.0, 7.0], [9.0, 6.0]], [0, 0, 1], summary=False)
    >>> len(ax.lines), [tick.get_text() for tick in ax.get_xticklabels()]
    (5, ['$x_1$', '$x_2$'])
    """
    rows, names = np.asarray(X, dtype=float), axis_names(X)
    places = _column_order(rows, order)
    Z = _scaled(rows, scale)[:, places]
    known, index = classes_of(np.zeros(len(rows)) if labels is None else labels)
    ax = new_axes(ax, width=1.2 + 1.1 * rows.shape[1])
    at = np.arange(rows.shape[1])
    for k, label in enumerate(known):
        part, color = Z[index == k], COLORS[k % len(COLORS)]
        ax.plot(at, part.T, color=color, linewidth=0.7, alpha=min(0.8, 0.15 + 8.0 / len(rows)))
        if summary:
            low, high = np.quantile(part, [0.25, 0.75], axis=0)
            ax.fill_between(at, low, high, color=color, alpha=0.2)
            ax.plot(at, part.mean(axis=0), color=color, linewidth=2.6, label=str(label))
    for place in range(rows.shape[1]):
        ax.axvline(place, color=MUTED, linewidth=0.6)
    ax.set_xticks(at, labels=[names[j] for j in places])
    units = {"minmax": "share of the range", "standard": "sd from the mean", "raw": "value"}
    legend = "outside" if summary and labels is not None else None
    return dress(ax, x="column", y=units[scale], grid=None, legend=legend)


def _column_order(X: Any, order: Any) -> list[int]:
    if not isinstance(order, str):
        return list(order)
    if order == "given":
        return list(range(X.shape[1]))
    with np.errstate(invalid="ignore", divide="ignore"):
        C = np.nan_to_num(np.abs(np.corrcoef(X, rowvar=False)))
    np.fill_diagonal(C, -1.0)
    # From the most correlated pair on, the column that goes best with the last.
    chosen = [int(np.unravel_index(np.argmax(C), C.shape)[0])]
    while len(chosen) < X.shape[1]:
        left = [j for j in range(X.shape[1]) if j not in chosen]
        chosen.append(max(left, key=lambda j: C[chosen[-1], j]))
    return chosen


def _scaled(X: Any, scale: str) -> Any:
    if scale == "raw":
        return X
    shift, unit = (X.min(axis=0), np.ptp(X, axis=0)) if scale == "minmax" else (X.mean(axis=0), X.std(axis=0))
    return (X - shift) / np.where(unit > 0.0, unit, 1.0)
