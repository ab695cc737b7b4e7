"""Errors of random maps: measured, and as the theory promises.

    ‖Rx‖²/‖x‖² around 1 with variance 2/m;   |z(x)ᵀz(y) − k(x, y)| ∝ D^{−½};   P(equal hash) of the distance      (1)

Dasgupta & Gupta (2003), doi:10.1002/rsa.10073; Rahimi & Recht (2007), NIPS; Datar et al. (2004),
doi:10.1145/997817.997857.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator, clone

from gnomon._typing import ArrayLike
from gnomon.features import RandomFourierFeatures, RandomProjection, collision_probability, jl_distortion
from gnomon.kernels import RBF, Kernel
from gnomon.plot._style import ACCENT, INK, MUTED, SECOND, GivenAxes, dress, new_axes, new_panels, styles

__all__ = ["approximation_error", "collision_curves", "projection_distortion"]


def projection_distortion(
    X: ArrayLike,
    *,
    sizes: Sequence[int] = (20, 80, 320),
    eps: float = 0.3,
    model: BaseEstimator | None = None,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Ratios of squared distances after random projections, and their spread over the number of directions.

    Parameters
    ----------
    X : array of shape (n, d)
    sizes : sequence of int, default=(20, 80, 320)
    eps : float, default=0.3
        The band 1 ± ε that is drawn.
    model : RandomProjection, optional
        Of whose kind the projections are; Gaussian with seed 0 by default.
    ax : two matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "histogram" and "spread".

    References
    ----------
    Dasgupta, S. & Gupta, A. (2003). An elementary proof of a theorem of Johnson and Lindenstrauss.
    doi:10.1002/rsa.10073

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> X = np.random.default_rng(0).normal(size=(30, 200))
    >>> panels = plot.projection_distortion(X, sizes=(10, 40))
    >>> list(panels)
    ['histogram', 'spread']
    """
    base = RandomProjection(random_state=0) if model is None else model
    panels = new_panels(ax, ("histogram", "spread"))
    spreads = []
    for m, (color, _) in zip(sizes, styles(len(sizes)), strict=True):
        ratios = jl_distortion(X, clone(base).set_params(n_components=m).fit_transform(X), random_state=0).ratios
        spreads.append(float(np.std(ratios)))
        look: Any = {"histtype": "step", "linewidth": 1.7, "color": color, "label": f"m = {m}"}
        panels["histogram"].hist(ratios, bins=40, density=True, **look)
    for end in (1.0 - eps, 1.0 + eps):
        panels["histogram"].axvline(end, color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
    dress(panels["histogram"], x="squared distance, after / before", y="density", legend="best")
    panels["spread"].plot(sizes, spreads, "o-", color=ACCENT, linewidth=1.7, label="measured")
    panels["spread"].plot(sizes, np.sqrt(2.0 / np.asarray(sizes)), "--", color=MUTED, label="$\\sqrt{2/m}$")
    panels["spread"].set_xscale("log")
    panels["spread"].set_yscale("log")
    panels["spread"].set_xticks(list(sizes), labels=[str(m) for m in sizes])
    panels["spread"].minorticks_off()
    dress(panels["spread"], x="directions $m$", y="standard deviation of the ratio", legend="best")
    return panels


def approximation_error(
    X: ArrayLike,
    *,
    kernel: Kernel | None = None,
    sizes: Sequence[int] = (10, 40, 160, 640),
    n_repeats: int = 5,
    ax: Axes | None = None,
) -> Axes:
    """The error of Fourier features over their number, paired and single.

    Parameters
    ----------
    X : array of shape (n, d)
    kernel : Kernel, optional
        RBF of length scale 1 by default.
    sizes : sequence of int, default=(10, 40, 160, 640)
        Frequencies D.
    n_repeats : int, default=5
        Draws that are averaged.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Rahimi, A. & Recht, B. (2007). Random features for large-scale kernel machines. NIPS.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.approximation_error(np.random.default_rng(0).normal(size=(10, 2)), sizes=(10, 40), n_repeats=2)
    >>> [line.get_label() for line in ax.lines]
    ['paired', 'single', '$D^{-1/2}$']
    """
    ax = new_axes(ax)
    k = RBF() if kernel is None else kernel
    rows = np.asarray(X, dtype=float)
    K = k.gram(rows)
    last = np.zeros(0)
    for paired, (color, dash) in zip((True, False), styles(2), strict=True):
        errors = []
        for D in sizes:
            draws = [RandomFourierFeatures(k, D, paired=paired, random_state=seed) for seed in range(n_repeats)]
            maps = [draw.fit_transform(rows) for draw in draws]
            errors.append(float(np.sqrt(np.mean([np.mean((Z @ Z.T - K) ** 2) for Z in maps]))))
        last = np.array(errors)
        ax.plot(sizes, errors, "o", linestyle=dash, color=color, linewidth=1.7, label="paired" if paired else "single")
    ax.plot(sizes, last[0] * np.sqrt(sizes[0] / np.asarray(sizes)), ":", color=MUTED, label="$D^{-1/2}$")
    ax.set_xscale("log")
    ax.set_yscale("log")
    return dress(ax, x="frequencies $D$", y="error of the kernel", legend="best")


def collision_curves(*, width: float = 4.0, ax: GivenAxes = None) -> dict[str, Axes]:
    """The probability of equal hashes over the angle, and over the distance.

    Parameters
    ----------
    width : float, default=4.0
        Of the cells of "l2" and "l1".
    ax : two matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "angle" and "distance".

    References
    ----------
    Datar, M., Immorlica, N., Indyk, P. & Mirrokni, V. S. (2004). Locality-sensitive hashing scheme based on p-stable
    distributions. doi:10.1145/997817.997857

    Examples
    --------
    >>> from gnomon import plot
    >>> panels = plot.collision_curves()
    >>> [line.get_label() for line in panels["distance"].lines]
    ['l2', 'l1']
    """
    panels = new_panels(ax, ("angle", "distance"))
    angles = np.linspace(0.0, np.pi, 100)
    panels["angle"].plot(np.degrees(angles), collision_probability("hyperplane", angles), color=ACCENT, linewidth=1.7)
    dress(panels["angle"], x="angle (degrees)", y="P(equal bit)", title="hyperplanes")
    c = np.linspace(0.0, 4.0 * width, 200)
    for kind, color in (("l2", ACCENT), ("l1", SECOND)):
        p = collision_probability(kind, c, width=width)  # type: ignore[arg-type]
        panels["distance"].plot(c, p, color=color, linewidth=1.7, label=kind)
    dress(panels["distance"], x="distance", y="P(equal code)", title=f"cells of width {width:g}", legend="best")
    return panels
