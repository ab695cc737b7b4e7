"""Normal laws in the plane, as ellipses.

    {x : (x − μ)ᵀ Σ⁻¹ (x − μ) ≤ χ²₂(level)}    holds the share `level` of N(μ, Σ)                       (1)

Johnson & Wichern (2007), Applied Multivariate Statistical Analysis, result 4.7, ISBN 978-0-13-187715-3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Ellipse
from scipy.stats import chi2

from gnomon._typing import ArrayLike, Floats
from gnomon.distributions import Normals
from gnomon.distributions.normals import COVARIANCE_SHAPES, MixtureCovarianceType
from gnomon.plot._style import COLORS

__all__ = ["draw_normals", "ellipse", "normals_of", "weights_of_components"]

_VARIANCES = ("theta_", "var_")
_PLACES = (("means_", "covariances_"), ("means_", "covariance_"), _VARIANCES)
"""Where mixtures, discriminants and naive Bayes keep means and covariances."""


def ellipse(mean: Floats, cov: ArrayLike, level: float = 0.95, **style: Any) -> Ellipse:
    """The region (1) as a patch."""
    variances, axes = np.linalg.eigh(np.asarray(cov, dtype=float))
    width, height = 2.0 * np.sqrt(chi2.ppf(level, df=2) * np.maximum(variances[::-1], 0.0))
    return Ellipse((mean[0], mean[1]), width, height, angle=np.degrees(np.arctan2(axes[1, 1], axes[0, 1])), **style)


def normals_of(model: Any) -> Normals:
    """The normal laws of a mixture or a Gaussian classifier, fitted or given as parameters."""
    for name in ("laws", "laws_"):
        if isinstance(laws := getattr(model, name, None), Normals):
            return laws
    for places in _PLACES:
        means, covariances = (getattr(model, name, None) for name in places)
        if means is not None and covariances is not None:
            return Normals(means, covariances, _kind(model, places, np.asarray(covariances)))
    raise ValueError(f"{model!r} has no means and covariances; give a fitted model of normal laws that stores them")


def _kind(model: Any, places: tuple[str, str], covariances: Floats) -> MixtureCovarianceType:
    """The covariance type: as the model says, or by the shape of what it has."""
    if places == _VARIANCES:
        return "diag"
    by_shape: tuple[MixtureCovarianceType, ...] = ("tied_spherical", "tied_diag", "tied", "full")
    said = getattr(model, "covariance_type", None)
    return said if said in COVARIANCE_SHAPES else by_shape[covariances.ndim]


def weights_of_components(model: Any) -> Floats:
    """The weights of a mixture, fitted or given as parameters."""
    return np.asarray(model.weights if getattr(model, "weights_", None) is None else model.weights_)


def draw_normals(
    ax: Axes,
    laws: Normals,
    *,
    levels: Iterable[float] = (0.95,),
    colors: Sequence[str] = COLORS,
    fill: float = 0.12,
    label: str | None = None,
) -> Axes:
    """The ellipses (1) of each law, and its mean."""
    for j, (mean, cov) in enumerate(zip(laws.means, laws.cov_matrices(), strict=True)):
        color = colors[j % len(colors)]
        for level in levels:
            face = to_rgba(color, fill)
            ax.add_patch(ellipse(mean, cov, level, facecolor=face, edgecolor=color, linewidth=1.8, zorder=3.5))
        name = label if j == 0 else None
        ax.plot(*mean, marker="P", color=color, markeredgecolor="white", markersize=9, linestyle="", zorder=4)
        ax.lines[-1].set_label(name if name else "_mean")
    return ax
