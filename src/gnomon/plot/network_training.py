"""How the training of a network went.

    J, η, ‖ΔW_l‖/‖W_l‖ by epoch;    share of saturated units, ‖∂J/∂W_l‖ and the law of Z_l by layer             (1)

Glorot & Bengio (2010), PMLR 9:249–256; the plane through θ: Goodfellow, Vinyals & Saxe (2015), arXiv:1412.6544.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.neural import Diagnosis
from gnomon.neural.function import FunctionLike, as_function
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MUTED,
    SECOND,
    SEQUENTIAL,
    GivenAxes,
    dress,
    new_axes,
    new_panels,
    styles,
)

__all__ = ["layer_health", "loss_plane", "score_histograms", "training_report"]


def training_report(
    history: Mapping[str, Array], *, groups: Sequence[str] | None = None, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Loss, validation with the epoch that is kept, rate and sizes of updates over epochs.

    Parameters
    ----------
    history : dict
        Of a training: "iteration" and "objective"; "validation", "rate" and "update_ratio" where they exist.
    groups : sequence of str, optional
        Names of the columns of "update_ratio".
    ax : dict or sequence of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes
        Of "loss", "validation", "rate" and "updates" those that the history has.

    Examples
    --------
    >>> from gnomon import plot
    >>> history = {"iteration": [1, 2], "objective": [1.0, 0.5], "validation": [0.6, 0.8]}
    >>> list(plot.training_report(history))
    ['loss', 'validation']
    """
    columns = {"loss": "objective", "validation": "validation", "rate": "rate", "updates": "update_ratio"}
    known = {name: np.asarray(history[column], dtype=float) for name, column in columns.items() if column in history}
    panels = new_panels(ax, known, width=3.5, height=2.9)
    epochs = np.asarray(history["iteration"])
    for name, values in known.items():
        lines = values.reshape(len(values), -1).T
        names = [name] if len(lines) == 1 else list(groups or [f"array {i + 1}" for i in range(len(lines))])
        for line, label, (color, dash) in zip(lines, names, styles(len(lines)), strict=True):
            panels[name].plot(epochs, line, color=color, linestyle=dash, linewidth=1.6, label=label)
        if name in ("rate", "updates") and np.nanmin(values, initial=np.inf) > 0:
            panels[name].set_yscale("log")
        dress(panels[name], x="epoch", y=name, title=name, legend="best" if len(lines) > 1 else None)
    if "validation" in known:
        best = int(np.nanargmax(known["validation"]))
        panels["validation"].plot(
            epochs[best], known["validation"][best], "o", color=SECOND, markersize=7, label="kept"
        )
        dress(panels["validation"], x="epoch", y="score", title="validation", legend="lower right")
    if "updates" in known:
        panels["updates"].axhline(1e-3, color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
        panels["updates"].set_ylabel(r"$\|\Delta W\| / \|W\|$")
    return panels


def layer_health(diagnosis: Diagnosis, *, ax: GivenAxes = None) -> dict[str, Axes]:
    """Idle units and gradient norms by layer.

    Parameters
    ----------
    diagnosis : Diagnosis
        As `gnomon.neural.diagnose` gives it.
    ax : dict or sequence of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes
        "idle units" and "gradients".

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork, diagnose
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(4, "tanh"), Dense(1)], 2)
    >>> f = NetworkFunction(network, network.init(np.random.default_rng(0)))
    >>> list(plot.layer_health(diagnose(f, np.eye(2), np.ones((2, 1)))))
    ['idle units', 'gradients']
    """
    panels = new_panels(ax, ("idle units", "gradients"), width=4.2, height=3.1)
    names = [layer.name for layer in diagnosis.layers]
    places = np.arange(len(names))
    idle, flow = panels["idle units"], panels["gradients"]
    for shift, field, color in ((-0.2, "saturated", ACCENT), (0.2, "dead", SECOND)):
        shares = np.nan_to_num([getattr(layer, field) for layer in diagnosis.layers])
        idle.bar(places + shift, shares, 0.36, color=color, label=field)
    idle.axhline(0.5, color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
    idle.set_ylim(0.0, 1.05)
    for field, label, (color, dash) in (
        ("delta_norm", r"$\|\partial J/\partial Z\|$", styles(2)[0]),
        ("gradient_norm", r"$\|\partial J/\partial W\|$", styles(2)[1]),
    ):
        sizes = [getattr(layer, field) for layer in diagnosis.layers]
        flow.plot(places, sizes, "o", linestyle=dash, color=color, label=label, linewidth=1.6)
    flow.set_yscale("log")
    for panel in panels.values():
        panel.set_xticks(places, names, rotation=30 if len(names) > 3 else 0)
    dress(idle, y="share", title="idle units", legend="upper right", grid="y")
    dress(flow, y="norm", title="gradients", legend="best", grid="y")
    return panels


def score_histograms(
    model: FunctionLike, thetas: Mapping[str, Floats], X: ArrayLike, *, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Histograms of Z_l, a panel for each layer and a curve for each state of the training.

    Parameters
    ----------
    model : NetworkFunction or fitted estimator
        Its network is drawn.
    thetas : dict of str to ndarray
        By label, for example "epoch 10": parameters.
    X : array-like
        Rows.
    ax : dict or sequence of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes
        By layer.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(4, "tanh"), Dense(1)], 2)
    >>> theta = network.init(np.random.default_rng(0))
    >>> list(plot.score_histograms(NetworkFunction(network, theta), {"start": theta}, np.eye(2)))
    ['dense_1', 'dense_2']
    """
    model = as_function(model)
    if not thetas:
        raise ValueError("thetas={} has no parameters; give one vector at least, as {'end': model.theta_}")
    names = [node.name for node in model.network.nodes if node.parameters]
    panels = new_panels(ax, names, columns=4, width=3.1, height=2.7)
    scores = {label: model.network.forward(theta, X)[0] for label, theta in thetas.items()}
    for name in names:
        edges = np.histogram_bin_edges(np.concatenate([np.ravel(Z[name]) for Z in scores.values()]), bins=40)
        for (label, Z), (color, dash) in zip(scores.items(), styles(len(scores)), strict=True):
            counts = np.histogram(Z[name], bins=edges, density=True)[0]
            middles = (edges[1:] + edges[:-1]) / 2
            panels[name].plot(middles, counts, color=color, linestyle=dash, linewidth=1.6, label=label)
    for i, (name, panel) in enumerate(panels.items()):
        dress(panel, x="$z$", y="density" if i == 0 else "", title=name, legend="upper right" if i == 0 else None)
    return panels


def loss_plane(
    value: Callable[[Floats], float],
    theta: ArrayLike,
    directions: ArrayLike,
    *,
    reach: float = 1.0,
    resolution: int = 41,
    ax: Axes | None = None,
) -> Axes:
    """The loss on a line or a plane through θ in the space of all weights.

    Parameters
    ----------
    value : callable
        θ → J, for example ``network.problem(X, y).value``.
    theta : array-like of shape (p,)
        The middle.
    directions : array-like of shape (p,) or (2, p)
        One for a line, two for a plane.
    reach : float, default=1.0
        The range of the coordinates is [−reach, reach].
    resolution : int, default=41
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.loss_plane(lambda w: float(w @ w), np.zeros(3), np.eye(3)[0], resolution=5)
    >>> ax.lines[0].get_ydata()
    array([1.  , 0.25, 0.  , 0.25, 1.  ])
    """
    middle, steps = np.asarray(theta, dtype=float), np.atleast_2d(np.asarray(directions, dtype=float))
    if len(steps) > 2 or steps.shape[1] != len(middle):
        raise ValueError(f"directions of shape {steps.shape} must be one or two vectors of length {len(middle)}")
    t = np.linspace(-reach, reach, resolution)
    ax = new_axes(ax, width=4.8, height=3.9)
    if len(steps) == 1:
        ax.plot(t, [value(middle + a * steps[0]) for a in t], color=ACCENT, linewidth=2.0)
        ax.plot([0.0], [value(middle)], "o", color=INK)
        return dress(ax, x="$t$", y=r"$J(\theta + t u)$")
    values: Any = np.array([[value(middle + a * steps[0] + b * steps[1]) for a in t] for b in t])
    shaded = ax.contourf(t, t, values, levels=16, cmap=SEQUENTIAL.reversed())
    ax.contour(t, t, values, levels=16, colors=COLORS[6], linewidths=0.4, alpha=0.6)
    ax.plot([0.0], [0.0], "o", color=SECOND, markersize=7)
    ax.figure.colorbar(shaded, ax=ax, label=r"$J$").outline.set_edgecolor(MUTED)
    return dress(ax, x="$s$", y="$t$", title=r"$J(\theta + s u + t v)$", grid=None)
