"""Distributions of one variable, and their update by data.

    p(θ | D) ∝ p(D | θ) p(θ),        p(x | D) = ∫ p(x | θ) p(θ | D) dθ                                 (1)

Bishop (2006), figures 2.2 and 2.3, ISBN 978-0-387-31073-2; the normal scores of the quantile plot: Blom (1958),
Statistical Estimates and Transformed Beta-Variables.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from scipy.integrate import trapezoid
from scipy.stats import norm

from gnomon._typing import ArrayLike
from gnomon.distributions import ConjugateModel, Distribution, Laplace, Normal
from gnomon.plot._style import ACCENT, INK, MUTED, SECOND, GivenAxes, dress, label_panel, new_axes, new_panels, styles

__all__ = ["conjugate_update", "law_densities", "normality"]

_TAIL = 1e-3


def law_densities(
    laws: Mapping[str, Distribution] | None = None,
    *,
    limits: tuple[float, float] | None = None,
    log: bool = False,
    resolution: int = 801,
    ax: Axes | None = None,
) -> Axes:
    """Densities of one variable over each other.

    Parameters
    ----------
    laws : dict of str to Distribution, optional
        By label; by default a normal and a Laplace law of mean 0 and variance 1, which differ at the centre and in the
        tails.
    limits : pair of float, optional
        Of x; by default where all but a thousandth of each tail lies.
    log : bool, default=False
        Whether the vertical axis is logarithmic: there a normal law is a parabola and a Laplace law two straight lines.
    resolution : int, default=801
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 2.2. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.law_densities()
    >>> {line.get_label(): round(float(line.get_ydata().max()), 4) for line in ax.lines}
    {'Gaussian': 0.3989, 'Laplace': 0.7071}
    """
    laws = laws or {"Gaussian": Normal(0.0, 1.0), "Laplace": Laplace(0.0, np.sqrt(0.5))}
    if discrete := [name for name, law in laws.items() if getattr(law, "support", None) is not None]:
        raise ValueError(f"laws has {discrete}, which have no density but probabilities; give continuous laws")
    ax = new_axes(ax)
    low, high = limits or _reach(laws.values())
    x = np.linspace(low, high, resolution)
    for (name, law), (color, dash) in zip(laws.items(), styles(len(laws)), strict=True):
        ax.plot(x, law.density(x), color=color, linestyle=dash, linewidth=2.0, label=name)
    if log:
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=0.0)
    return dress(ax, x="$x$", y="density", legend="best")


def conjugate_update(
    model: ConjugateModel,
    X: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    limits: tuple[float, float] | None = None,
    resolution: int = 801,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """A conjugate model before and after data: prior, likelihood and posterior, and the law of the next observation.

    Parameters
    ----------
    model : ConjugateModel
        Of one parameter: `BetaBernoulli`, or `NormalKnownCov` of one coordinate.
    X : array
        The observations.
    sample_weight : array of shape (n,), optional
    limits : pair of float, optional
        Of the parameter.
    resolution : int, default=801
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "parameter", with the likelihood scaled to have area one, and "predictive".

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 2.3. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.distributions import BetaBernoulli
    >>> panels = plot.conjugate_update(BetaBernoulli(2.0, 2.0), [1])
    >>> posterior = panels["parameter"].lines[2]
    >>> round(float(posterior.get_xdata()[posterior.get_ydata().argmax()]), 2)
    0.67
    """
    if np.ndim(model.mean()) != 0:
        raise ValueError(f"{model!r} has several parameters; give a model of one, such as BetaBernoulli")
    after = model.update(X, sample_weight)
    low, high = limits or _reach([model.law, after.law])
    theta = np.linspace(low, high, resolution)
    prior, posterior = (np.asarray(law.log_density(theta), dtype=float) for law in (model.law, after.law))
    panels = new_panels(ax, ["parameter", "predictive"], width=4.4, height=3.4)
    curves = {"prior": np.exp(prior), "likelihood (scaled)": _likelihood(theta, prior, posterior)}
    curves["posterior"] = np.exp(posterior)
    for (name, curve), color, dash in zip(curves.items(), (MUTED, SECOND, ACCENT), ("--", ":", "-"), strict=True):
        panels["parameter"].plot(theta, curve, color=color, linestyle=dash, linewidth=2.0, label=name)
    panels["parameter"].fill_between(theta, curves["posterior"], color=ACCENT, alpha=0.12, linewidth=0)
    panels["parameter"].set_ylim(bottom=0.0)
    dress(panels["parameter"], x="$\\theta$", y="density", title="the parameter", legend="best")
    _predictives(panels["predictive"], {"before": model.predictive(), "after": after.predictive()})
    return panels


def normality(
    before: ArrayLike,
    after: ArrayLike,
    *,
    names: tuple[str, str] = ("before", "after"),
    bins: int = 30,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Histogram and quantile plot of one column before and after a transformation that should make it normal.

    The quantile plot sets the sorted values, standardised, against normal scores: those of a normal law lie on the
    diagonal.

    Parameters
    ----------
    before, after : array of shape (n,)
    names : pair of str
        Titles.
    bins : int, default=30
    ax : four matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "histogram before", "histogram after", "quantiles before", "quantiles after", with the names given.

    References
    ----------
    Wilk, M. B. & Gnanadesikan, R. (1968). Probability plotting methods for the analysis of data.
    doi:10.1093/biomet/55.1.1

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> x = np.exp(np.linspace(-2, 2, 101))
    >>> panels = plot.normality(x, np.log(x))
    >>> [text.get_text() for text in panels["quantiles after"].texts]
    ['skewness 0.00']
    """
    columns = {name: np.ravel(np.asarray(x, dtype=float)) for name, x in zip(names, (before, after), strict=True)}
    titles = [f"{kind} {name}" for kind in ("histogram", "quantiles") for name in names]
    panels = new_panels(ax, titles, columns=2, width=3.6, height=2.7)
    for name, x in columns.items():
        z = _standardised(name, x)
        _histogram(panels[f"histogram {name}"], x, bins)
        label_panel(panels[f"histogram {name}"], name)
        _quantiles(panels[f"quantiles {name}"], z)
    for title in (titles[1], titles[3]):
        panels[title].set_ylabel("")
    return panels


def _standardised(name, x):
    spread = np.std(x)
    if not (np.all(np.isfinite(x)) and spread > 0.0):
        raise ValueError(f"the column {name!r} is constant or not finite; give finite values that differ")
    return (x - np.mean(x)) / spread


def _histogram(ax, x, bins):
    ax.hist(x, bins=bins, density=True, color="#9CC7E2", edgecolor="white", linewidth=0.5)
    grid = np.linspace(x.min(), x.max(), 300)
    ax.plot(grid, norm.pdf(grid, np.mean(x), np.std(x)), color=SECOND, linewidth=2.0, label="normal, same moments")
    dress(ax, x="value", y="density")


def _quantiles(ax, z):
    n = len(z)
    scores = norm.ppf((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    ends = np.array([scores[0], scores[-1]])
    ax.plot(ends, ends, color=SECOND, linewidth=1.8, label="normal")
    ax.plot(scores, np.sort(z), ".", color=ACCENT, markersize=4, label="rows")
    ax.text(0.04, 0.96, f"skewness {np.mean(z**3) + 0.0:.2f}", transform=ax.transAxes, va="top", color=INK, fontsize=9)
    dress(ax, x="normal score", y="standardised value")


def _reach(laws):
    """From the least to the largest value of all laws, where these are bounded; elsewhere to a thousandth of a tail."""
    low = min(_end(law, 0.0, _TAIL) for law in laws)
    return low, max(_end(law, 1.0, 1.0 - _TAIL) for law in laws)


def _end(law, extreme, tail):
    with np.errstate(all="ignore"):
        end = float(law.quantile(extreme))
    return end if np.isfinite(end) else float(law.quantile(tail))


def _likelihood(theta, log_prior, log_posterior):
    """Its shape, which Bayes' rule gives back wherever the prior is not zero, with area one."""
    possible = np.isfinite(log_prior) & np.isfinite(log_posterior)
    shape = np.zeros_like(theta)
    shape[possible] = log_posterior[possible] - log_prior[possible]
    shape[possible] = np.exp(shape[possible] - np.max(shape[possible]))
    return shape / trapezoid(shape, theta)


def _predictives(ax, laws):
    """Bars for a law of few values, curves for a density."""
    values = getattr(next(iter(laws.values())), "support", None)
    if values is None:
        # The first colour is that of the posterior beside it.
        law_densities(dict(reversed(laws.items())), ax=ax)
        label_panel(ax, "the next observation")
        return
    for k, ((name, law), color) in enumerate(zip(laws.items(), (MUTED, ACCENT), strict=True)):
        heights = law.density(values)
        bars = ax.bar(np.asarray(values) + 0.4 * k - 0.2, heights, width=0.36, color=color, label=name)
        ax.bar_label(bars, fmt="%.2f", fontsize=9, color=INK)
    ax.set(xticks=values, ylim=(0.0, 1.08))
    dress(ax, x="$x$", y="probability", title="the next observation", legend="best", grid="y")
