"""A rare class: where the boundary lies before and after weights, resampling or a shift.

    p(rare | x) = ½    under the prior that each model was trained with                                        (1)

He & Garcia (2009), Learning from imbalanced data, doi:10.1109/TKDE.2008.239; Elkan (2001), The foundations of
cost-sensitive learning, IJCAI, 973–978.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike
from gnomon.losses import Loss
from gnomon.plot._style import GivenAxes, axis_names, dress, new_panels, scatter_classes, styles, window
from gnomon.plot.boundary import grid_over, two_columns, zero_lines
from gnomon.plot.losses import cost_slopes

__all__ = ["rare_class"]


def rare_class(
    models: Mapping[str, BaseEstimator],
    X: ArrayLike,
    y: ArrayLike,
    *,
    loss: Loss | None = None,
    costs: tuple[float, float] = (4.0, 1.0),
    resolution: int = 200,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """The boundaries (1) of several models of two classes over one scatter, and a loss that the classes pay unequally.

    Parameters
    ----------
    models : dict of str to fitted classifier
        By what the legend calls them: unweighted, with class weights, fitted to resampled rows.
    X : array of shape (n, 2)
    y : array of shape (n,)
    loss, costs
        Of the second panel, as in `cost_slopes`.
    resolution : int, default=200
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "boundaries" and "costs".

    References
    ----------
    He, H. & Garcia, E. A. (2009). Learning from imbalanced data. doi:10.1109/TKDE.2008.239

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [2, 2]]), np.array([0, 0, 0, 0, 1])
    >>> weights = {"plain": None, "balanced": "balanced"}
    >>> models = {name: LogisticRegression(class_weight=given).fit(X, y) for name, given in weights.items()}
    >>> list(plot.rare_class(models, X, y))
    ['boundaries', 'costs']
    """
    panels = new_panels(ax, ["boundaries", "costs"], width=4.8, height=3.7)
    rows, grid = two_columns(X), grid_over(X, resolution)
    scatter_classes(panels["boundaries"], rows, y, size=18)
    handles = panels["boundaries"].get_legend_handles_labels()[0]
    for (name, model), (color, dash) in zip(models.items(), styles(len(models) + 2)[2:], strict=True):
        if len(model.classes_) != 2:
            raise ValueError(f"{name!r} has the classes {model.classes_.tolist()}; this picture is of two")
        score = _score(model, grid[2])
        zero_lines(panels["boundaries"], grid, [score], colors=[color], linestyles=[dash], linewidths=1.9)
        handles.append(Line2D([], [], color=color, linestyle=dash, linewidth=1.9, label=name))
    low, high = window(rows)
    panels["boundaries"].set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    x_name, y_name = axis_names(X)[:2]
    dress(panels["boundaries"], x=x_name, y=y_name, grid=None)
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    panels["boundaries"].legend(handles=handles, **place, fontsize=9, frameon=False)
    cost_slopes(loss, costs, ax=panels["costs"])
    return panels


def _score(model: Any, points: Any) -> Any:
    """Positive for ``classes_[1]``."""
    for method, value in (("decision_function", lambda s: s), ("predict_proba", lambda p: p[:, 1] - 0.5)):
        ask = getattr(model, method, None)
        if ask is not None:
            return value(np.asarray(ask(points)))
    return np.where(model.predict(points) == model.classes_[1], 1.0, -1.0)
