"""Priors and posteriors of coefficients.

    p(w | y) ∝ p(y | w) p(w);    {w : (w − m)ᵀ S⁻¹ (w − m) ≤ c²}                                   (1)

Bishop (2006), figure 3.7, ISBN 978-0-387-31073-2; Park & Casella (2008), doi:10.1198/016214508000000337.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from scipy.stats import laplace, norm

from gnomon._typing import ArrayLike
from gnomon.plot._gaussians import ellipse
from gnomon.plot._style import ACCENT, INK, MUTED, SECOND, dress, new_axes, styles

__all__ = ["posterior_ellipses", "prior_densities"]


def prior_densities(scale: float = 1.0, *, limit: float = 4.0, ax: Axes | None = None) -> Axes:
    """Gaussian and Laplace prior of one standard deviation: the second has a peak at zero and heavier tails.

    Parameters
    ----------
    scale : float, default=1.0
        Standard deviation β of both; the Laplace scale is β/√2.
    limit : float, default=4.0
        Largest |w|/β shown.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Park, T. & Casella, G. (2008). The Bayesian lasso. doi:10.1198/016214508000000337

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.prior_densities()
    >>> [round(float(line.get_ydata().max()), 4) for line in ax.lines]
    [0.3989, 0.7071]
    """
    ax, w = new_axes(ax), scale * np.linspace(-limit, limit, 801)
    for name, law, color, dash in (
        ("Gaussian (ridge)", norm(scale=scale), ACCENT, "-"),
        ("Laplace (lasso)", laplace(scale=scale / np.sqrt(2.0)), SECOND, (0, (5, 2))),
    ):
        ax.plot(w, law.pdf(w), color=color, linestyle=dash, linewidth=2.0, label=name)
        ax.fill_between(w, law.pdf(w), color=color, alpha=0.08, linewidth=0)
    ax.set_ylim(bottom=0.0)
    return dress(ax, x="coefficient $w$", y="prior density", legend="upper right")


def posterior_ellipses(
    posteriors: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    truth: ArrayLike | None = None,
    names: tuple[str, str] = ("$w_1$", "$w_2$"),
    levels: Sequence[float] = (0.5, 0.95),
    ax: Axes | None = None,
) -> Axes:
    """Regions of two coefficients that hold given shares of a Gaussian posterior.

    Parameters
    ----------
    posteriors : dict of str to (mean, covariance)
        By label; for instance the prior and the posteriors after more and more rows.
    truth : array of shape (2,), optional
    names : pair of str
        Labels of the axes.
    levels : sequence of float, default=(0.5, 0.95)
        Shares.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 3.7. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.posterior_ellipses({"posterior": ([0.2, 0.4], [[0.4, -0.2], [-0.2, 0.2667]])})
    >>> len(ax.patches)
    2
    """
    ax = new_axes(ax, width=4.4, height=4.0)
    for (name, (mean, cov)), (color, _) in zip(posteriors.items(), styles(len(posteriors)), strict=True):
        mean = np.asarray(mean, dtype=float)
        for level in levels:
            ax.add_patch(ellipse(mean, cov, level, facecolor=color, edgecolor=color, alpha=0.22, linewidth=1.4))
        ax.plot(*mean, "o", color=color, markersize=5, label=name)
    if truth is not None:
        ax.plot(*np.asarray(truth, dtype=float), "*", color=INK, markersize=11, label="truth")
    ax.axhline(0.0, color=MUTED, linewidth=0.7, zorder=0)
    ax.axvline(0.0, color=MUTED, linewidth=0.7, zorder=0)
    ax.autoscale_view()
    return dress(ax, x=names[0], y=names[1], legend="best", equal=True)
