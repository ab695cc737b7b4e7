"""How many clusters: the curves that were computed, and what they say.

    J_k against k on logarithmic axes,  J ∝ k^{−2/d} without structure;   J_k + λ k;   any curve with its error     (1)

Tibshirani, Walther & Hastie (2001), doi:10.1111/1467-9868.00293.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike
from gnomon.cluster import KSelection
from gnomon.plot._style import ACCENT, INK, MUTED, SECOND, dress, new_axes, styles

__all__ = ["cluster_curve", "elbow_curve", "penalized_cost"]


def elbow_curve(found: KSelection, *, n_features: int | None = None, log: bool = True, ax: Axes | None = None) -> Axes:
    """The cost over the number of clusters, the number that was chosen, and what rows without structure would give.

    Parameters
    ----------
    found : KSelection
        Of `gnomon.cluster.select_k` with ``method="elbow"``, "gap" or "penalty".
    n_features : int, optional
        d; draws the reference k^{−2/d} from the first cost on.
    log : bool, default=True
        Logarithmic axes, on which the reference is straight.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Tibshirani, R., Walther, G. & Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
    statistic. doi:10.1111/1467-9868.00293

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.cluster import KSelection
    >>> table = {"k": np.array([1, 2, 3]), "cost": np.array([9.0, 4.0, 3.0])}
    >>> ax = plot.elbow_curve(KSelection(None, table, "no elbow", "the bend is weak"), n_features=2)
    >>> ax.get_title("left"), ax.lines[1].get_ydata().round(2)
    ('no elbow', array([9. , 4.5, 3. ]))
    """
    ax = new_axes(ax)
    k, J = found.table["k"], found.table["cost"]
    ax.plot(k, J, "o-", color=ACCENT, linewidth=1.7, markersize=5.5, label="cost $J_k$")
    if n_features is not None:
        reference = J[0] * (k / k[0]) ** (-2.0 / n_features)
        ax.plot(k, reference, "--", color=MUTED, linewidth=1.2, label=f"no structure, $k^{{-2/{n_features}}}$")
    if found.k is not None:
        ax.axvline(found.k, color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
    if log:
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xticks(k, labels=[str(value) for value in k])
        ax.minorticks_off()
    return dress(ax, x="number of clusters $k$", y="cost $J_k$", title=found.verdict, legend="best")


def penalized_cost(ks: ArrayLike, costs: ArrayLike, penalties: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """J + λk over k, one curve for each price λ, its least value marked.

    Parameters
    ----------
    ks, costs : array of shape (m,)
    penalties : array of float
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Kulis, B. & Jordan, M. I. (2012). Revisiting k-means: new algorithms via Bayesian nonparametrics. ICML.

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.penalized_cost([1, 2, 3], [10.0, 4.0, 3.0], [0.5, 2.0])
    >>> [float(line.get_xdata()[0]) for line in ax.lines[1::2]]
    [3.0, 2.0]
    """
    ax = new_axes(ax)
    k, J = np.atleast_1d(ks), np.atleast_1d(np.asarray(costs, dtype=float))
    prices = np.atleast_1d(np.asarray(penalties, dtype=float))
    for lam, (color, dash) in zip(prices, styles(len(prices)), strict=True):
        total = J + lam * k
        best = int(np.argmin(total))
        ax.plot(k, total, linestyle=dash, color=color, linewidth=1.7, label=f"$\\lambda$ = {lam:g}")
        ax.plot(k[best], total[best], "o", color=color, markersize=8)
    ax.locator_params(axis="x", integer=True)
    return dress(ax, x="number of clusters $k$", y="$J_k + \\lambda k$", legend="best")


def cluster_curve(found: KSelection, *, ax: Axes | None = None) -> Axes:
    """Every curve of a selection over k, with its error bars where there are any, and the number that was chosen.

    Parameters
    ----------
    found : KSelection
        Of any method of `gnomon.cluster.select_k` that makes a curve.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Tibshirani, R., Walther, G. & Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
    statistic. doi:10.1111/1467-9868.00293

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.cluster import KSelection
    >>> table = {"k": np.array([1, 2]), "gap": np.array([0.1, 0.4]), "error": np.array([0.02, 0.03])}
    >>> ax = plot.cluster_curve(KSelection(2, table, "2 clusters", "by the gap"))
    >>> ax.get_ylabel(), ax.get_title("left")
    ('gap', '2 clusters')
    """
    ax = new_axes(ax)
    k = found.table["k"]
    hidden = {"k", "error", "cost", "size", "reference"}
    curves = {name: values for name, values in found.table.items() if name not in hidden and len(values) == len(k)}
    if not curves:
        raise ValueError(f"the table has {sorted(found.table)} and no curve over k; use another method of select_k")
    error = found.table.get("error")
    for (name, values), (color, dash) in zip(curves.items(), styles(len(curves)), strict=True):
        label = name.replace("_", " ")
        ax.errorbar(k, values, yerr=error, fmt="o", linestyle=dash, color=color, linewidth=1.7, capsize=3, label=label)
    if found.k is not None:
        ax.axvline(found.k, color=SECOND, linewidth=1.0, linestyle=(0, (4, 3)))
    ax.locator_params(axis="x", integer=True)
    names = list(curves)
    label = names[0].replace("_", " ") if len(names) == 1 else "value"
    legend = "best" if len(names) > 1 else None
    return dress(ax, x="number of clusters $k$", y=label, title=found.verdict, legend=legend)
