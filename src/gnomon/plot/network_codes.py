"""What networks reproduce and generate.

    ‖x − x̂‖² over the length of the code;    x = f(z), z on a grid                                             (1)

Hinton & Salakhutdinov (2006), doi:10.1126/science.1127647; Kingma & Welling (2014), arXiv:1312.6114, figure 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from matplotlib.axes import Axes
from scipy.stats import norm

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.plot._images import show_images
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MUTED,
    SECOND,
    GivenAxes,
    check_columns,
    dress,
    label_panel,
    marked_lines,
    new_axes,
    new_panels,
)

__all__ = ["adversarial_losses", "code_curve", "generated_samples", "latent_grid"]


def code_curve(errors: Mapping[str, Mapping[int, float]], *, y: str = "mean error", ax: Axes | None = None) -> Axes:
    """Reconstruction errors over the number of components, a line for each method.

    Parameters
    ----------
    errors : dict of str to dict of int to float
        By label and number of components.
    y : str, default="mean error"
        What the errors are.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.code_curve({"PCA": {1: 3.0, 2: 1.0}, "autoencoder": {1: 2.0, 2: 0.8}})
    >>> [line.get_label() for line in ax.lines]
    ['PCA', 'autoencoder']
    """
    ax = new_axes(ax)
    marked_lines(ax, {name: (list(line), list(line.values())) for name, line in errors.items()})
    ax.set_xticks(sorted({k for line in errors.values() for k in line}))
    ax.set_ylim(bottom=0.0)
    return dress(ax, x="components $k$", y=y, legend="upper right")


def generated_samples(
    X: ArrayLike, samples: Mapping[str, ArrayLike], *, shape: tuple[int, int] | None = None, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Data beside what generators make of noise: points of two columns, or images.

    Parameters
    ----------
    X : array-like of shape (n, d)
    samples : dict of str to array-like of shape (m, d)
        By title.
    shape : (height, width), optional
        Rows are images of this shape; 25 of each are shown.
    ax : dict or sequence of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes
        "data", then by title.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> list(plot.generated_samples(np.eye(2), {"noise": np.zeros((3, 2))}))
    ['data', 'noise']
    """
    tables = {name: np.asarray(rows, dtype=float) for name, rows in {"data": X, **samples}.items()}
    if shape is None:
        tables = {name: check_columns(name, rows, 2) for name, rows in tables.items()}
    panels = new_panels(ax, tables, width=3.2, height=3.2, **({} if shape else {"sharex": True, "sharey": True}))
    for k, (name, rows) in enumerate(tables.items()):
        panel = panels[name]
        if shape is None:
            panel.scatter(rows[:, 0], rows[:, 1], s=10, color=MUTED if k == 0 else COLORS[(k - 1) % 6], alpha=0.7)
            dress(panel, x="$x_1$", y="$x_2$" if k == 0 else "", title=name, equal=False)
        else:
            shown = rows[:25].reshape(-1, *shape)
            show_images(panel, shown, columns=5, low=float(shown.min()), high=float(shown.max()))
            label_panel(panel, name)
    return panels


def latent_grid(
    decode: Callable[[Floats], Floats], shape: tuple[int, int], *, side: int = 10, ax: Axes | None = None
) -> Axes:
    """The images that a decoder makes of a grid of two codes: quantiles of the normal law in both directions.

    Parameters
    ----------
    decode : callable
        Codes of shape (m, 2) → rows, for example ``model.inverse_transform``.
    shape : (height, width)
        Of a row as an image.
    side : int, default=10
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.latent_grid(lambda Z: np.repeat(Z, 2, axis=1), (2, 2), side=3)
    >>> ax.images[0].get_array().shape  # one pixel apart
    (8, 8)
    """
    z = norm.ppf((np.arange(side) + 0.5) / side)
    A, B = np.meshgrid(z, z[::-1])
    rows = np.asarray(decode(np.column_stack([A.ravel(), B.ravel()])), dtype=float)
    ax = new_axes(ax, width=4.6, height=4.6)
    show_images(ax, rows.reshape(-1, *shape), columns=side, low=float(rows.min()), high=float(rows.max()))
    ax.set_axis_on()
    marks = np.linspace(0, side - 1, 3).astype(int)
    ax.set_xticks((marks + 0.5) * (shape[1] + 1) - 1, [f"{z[i]:.1f}" for i in marks])
    ax.set_yticks((marks + 0.5) * (shape[0] + 1) - 1, [f"{z[::-1][i]:.1f}" for i in marks])
    return dress(ax, x="$z_1$", y="$z_2$", grid=None)


def adversarial_losses(history: Mapping[str, Array], *, ax: Axes | None = None) -> Axes:
    """The losses of generator and discriminator over epochs, with log 4, where neither can tell.

    Parameters
    ----------
    history : dict
        `history_` of a `GenerativeAdversarialNetwork`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.adversarial_losses({"iteration": [1], "generator_loss": [0.7], "discriminator_loss": [1.4]})
    >>> [line.get_label() for line in ax.lines]
    ['discriminator', 'generator', 'log 4: D = ½']
    """
    ax = new_axes(ax)
    for name, color, dash in (("discriminator", ACCENT, "-"), ("generator", SECOND, (0, (5, 2)))):
        ax.plot(history["iteration"], history[f"{name}_loss"], color=color, linestyle=dash, linewidth=1.6, label=name)
    ax.axhline(np.log(4.0), color=INK, linewidth=1.0, linestyle=(0, (1, 1.4)), label="log 4: D = ½")
    return dress(ax, x="epoch", y="loss", legend="best")
