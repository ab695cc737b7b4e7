"""How EM fits a mixture.

    ℓ(θₜ) = Q(θₜ; θₜ₋₁) + H(γₜ₋₁) + KL(γₜ₋₁ ‖ γₜ) ≥ Q + H ≥ ℓ(θₜ₋₁)                                       (1)

Dempster, Laird & Rubin (1977), doi:10.1111/j.2517-6161.1977.tb01600.x; Bishop (2006), figures 9.8 and 9.14, ISBN
978-0-387-31073-2; splitting: Linde, Buzo & Gray (1980), doi:10.1109/TCOM.1980.1094577.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import ArrayLike
from gnomon.generative import GaussianMixture
from gnomon.numerics.validation import check_choice
from gnomon.optim import EMBound
from gnomon.plot._gaussians import draw_normals, normals_of
from gnomon.plot._style import (
    ACCENT,
    INK,
    MUTED,
    SECOND,
    GivenAxes,
    axis_names,
    dress,
    label_panel,
    new_axes,
    new_panels,
    styles,
)
from gnomon.plot.boundary import two_columns
from gnomon.plot.mixtures import responsibility_colors

__all__ = ["component_selection", "em_course", "em_panels", "soft_against_hard", "splitting_panels"]


def em_panels(
    model: GaussianMixture, X: ArrayLike, *, iterations: Iterable[int] = (0, 1, 2, 5, 20), ax: GivenAxes = None
) -> dict[str, Axes]:
    """A Gaussian mixture after several numbers of EM steps: rows in the colours of their shares, and the ellipses.

    Parameters
    ----------
    model : GaussianMixture
        Need not be fitted: a copy is fitted for each panel, from the same start. Give it an int as `random_state`.
    X : array of shape (n, 2)
    iterations : sequence of int, default=(0, 1, 2, 5, 20)
        0 is the start.
    ax : array or dict of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        By title: "start", "1 step", "2 steps" ….

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 9.8. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.generative import GaussianMixture
    >>> X = np.vstack([np.random.default_rng(0).normal(m, 1.0, (30, 2)) for m in (0.0, 6.0)])
    >>> list(plot.em_panels(GaussianMixture(2, random_state=0), X, iterations=(0, 1, 3)))
    ['start', '1 step', '3 steps']
    """
    two_columns(X)
    if not {"max_iter", "means_init"} <= set(model.get_params()):
        raise TypeError(f"model={model!r} has no steps of EM to draw; give a GaussianMixture")
    stages = {}
    for t in iterations:
        title = "start" if t == 0 else f"{t} step{'' if t == 1 else 's'}"
        stages[title] = _stopped_after(model, X, t)
    return _stage_panels(stages, X, ax)


def splitting_panels(model: GaussianMixture, X: ArrayLike, *, ax: GivenAxes = None) -> dict[str, Axes]:
    """The stages of a mixture that grew by splitting every component along its longest axis.

    Parameters
    ----------
    model : GaussianMixture fitted with ``init_params="lbg"``
        Its `path_` has the stages.
    X : array of shape (n, 2)
    ax : array or dict of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        By title: "1 component", "2 components", ….

    References
    ----------
    Linde, Y., Buzo, A. & Gray, R. (1980). An algorithm for vector quantizer design. doi:10.1109/TCOM.1980.1094577

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.generative import GaussianMixture
    >>> X = np.vstack([np.random.default_rng(0).normal(m, 1.0, (30, 2)) for m in (0.0, 6.0)])
    >>> model = GaussianMixture(2, init_params="lbg").fit(X)
    >>> list(plot.splitting_panels(model, X))
    ['1 component', '2 components']
    """
    rows, path = two_columns(X), getattr(model, "path_", None)
    if path is None:
        raise ValueError(f"{model!r} has no path_; fit it with init_params='lbg'")
    stages = {f"{len(t.weights)} component{'' if len(t.weights) == 1 else 's'}": _Stage(t, rows) for t in path}
    return _stage_panels(stages, X, ax)


def em_course(
    runs: Mapping[str, Mapping[str, ArrayLike]], *, bounds: Sequence[EMBound] | None = None, ax: Axes | None = None
) -> Axes:
    """The log-likelihood after every step of EM, for one or several starts, and the bound that each step raises.

    Parameters
    ----------
    runs : dict of str to history
        By label: the ``history_`` of a mixture, with "iteration" and "objective".
    bounds : sequence of EMBound, optional
        Of the steps 1, 2, … of the first run, from `gnomon.optim.em_bound`: draws Q and Q + H of equation (1).
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Neal, R. & Hinton, G. (1998). A view of the EM algorithm that justifies incremental, sparse, and other variants.
    doi:10.1007/978-94-011-5014-9_12

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.em_course({"seed 0": {"iteration": np.arange(3), "objective": np.array([-9.0, -7.0, -6.5])}})
    >>> ax.lines[0].get_ydata()
    array([-9. , -7. , -6.5])
    """
    if not runs:
        raise ValueError("runs is empty; give the history_ of one fit or several")
    ax = new_axes(ax)
    for (name, history), (color, dash) in zip(runs.items(), styles(len(runs)), strict=True):
        t, value = np.asarray(history["iteration"]), np.asarray(history["objective"], dtype=float)
        ax.plot(t, value, color=color, linestyle=dash, linewidth=1.8, label=name)
        ax.plot(t[-1], value[-1], "o", color=color, markersize=5, label="_end")
    if bounds is not None:
        t = np.arange(1, len(bounds) + 1)
        q, entropy = np.array([bound.q for bound in bounds]), np.array([bound.entropy for bound in bounds])
        ax.plot(t, q + entropy, "^", color=INK, markersize=5, label="$Q + H$ (bound)")
        ax.plot(t, q, "s", color=MUTED, markersize=4, label="$Q$")
    return dress(ax, x="EM steps", y="log-likelihood", legend="best" if len(runs) < 7 else "outside")


def soft_against_hard(
    X: ArrayLike, means_init: ArrayLike, *, covariance: float = 1.0, max_iter: int = 500, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Soft and hard EM from one start: on rows of a single normal law, soft EM finds it again and hard EM cuts it.

    Parameters
    ----------
    X : array of shape (n, 2)
    means_init : array of shape (k, 2)
        The means at the start; the weights are equal.
    covariance : float, default=1.0
        The variance at the start, in every direction.
    max_iter : int, default=500
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "soft" and "hard"; the dashed ellipse is the single normal law of greatest likelihood, and the title has by how
        much the log-likelihood exceeds that of it.

    References
    ----------
    Celeux, G. & Govaert, G. (1992). A classification EM algorithm for clustering and two stochastic versions.
    doi:10.1016/0167-9473(92)90042-E

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> list(plot.soft_against_hard(X, [[-1.0, 0.0], [1.0, 0.0]]))
    ['soft', 'hard']
    """
    rows, means = two_columns(X), np.asarray(means_init, dtype=float)
    k = len(means)
    begun = GaussianMixture(
        k,
        weights_init=np.full(k, 1.0 / k),
        means_init=means,
        precisions_init=np.tile(np.eye(2) / covariance, (k, 1, 1)),
        max_iter=max_iter,
        tol=1e-6,
        random_state=0,
    )
    single = GaussianMixture(1).fit(rows)
    panels = new_panels(ax, ["soft", "hard"], width=3.9, height=3.7, sharex=True, sharey=True)
    for word, axes in panels.items():
        model = _quietly(clone(begun).set_params(algorithm=word), rows)
        gamma = model.predict_proba(rows)
        gamma = np.eye(gamma.shape[1])[model.predict(rows)] if word == "hard" else gamma
        responsibility_colors(gamma, rows, ax=axes)
        draw_normals(axes, normals_of(model), fill=0.04)
        draw_normals(axes, normals_of(single), colors=[INK], fill=0.0)
        axes.patches[-1].set_linestyle("--")
        gain = round(single.nll(rows) - model.nll(rows), 1) + 0.0
        label_panel(axes, f"{word} EM, log-likelihood {gain:+.1f}")
    panels["hard"].set_ylabel("")
    return panels


def component_selection(
    table: Mapping[str, ArrayLike], *, criterion: Literal["bic", "aic", "icl"] = "bic", ax: GivenAxes = None
) -> dict[str, Axes]:
    """Log-likelihood of the rows fitted and of held-out rows, and an information criterion, over the number k.

    Parameters
    ----------
    table : dict of arrays
        As in ``select_components(...).table``: "n_components", "train", the criterion and, if rows were held out, "cv"
        and "cv_se".
    criterion : {"bic", "aic", "icl"}, default="bic"
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "likelihood" and the criterion; the best k of each is ringed.

    References
    ----------
    Smyth, P. (2000). Model selection for probabilistic clustering using cross-validated likelihood.
    doi:10.1023/A:1008940618127

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> table = {"n_components": np.array([1, 2, 3]), "train": np.array([-3.0, -2.0, -1.9])}
    >>> panels = plot.component_selection(table | {"cv": np.array([-3.1, -2.1, -2.2]), "bic": np.array([9.0, 7, 8])})
    >>> [float(ax.lines[-1].get_xdata()[0]) for ax in panels.values()]
    [2.0, 2.0]
    """
    check_choice("criterion", criterion, ["bic", "aic", "icl"])
    k = np.asarray(table["n_components"])
    panels = new_panels(ax, ["likelihood", criterion], width=4.2, height=3.3)
    left, right = panels.values()
    left.plot(k, table["train"], "o-", color=ACCENT, linewidth=1.8, markersize=5, label="rows fitted")
    if "cv" in table:
        held_out = np.asarray(table["cv"], dtype=float)
        left.errorbar(k, held_out, yerr=table.get("cv_se"), color=SECOND, linestyle="--", marker="s", markersize=5,
                      linewidth=1.8, capsize=2.5, label="held-out rows")  # fmt: skip
        _ring(left, k, held_out, int(np.nanargmax(held_out)))
    values = np.asarray(table[criterion], dtype=float)
    right.plot(k, values, "o-", color=INK, linewidth=1.8, markersize=5, label=criterion.upper())
    _ring(right, k, values, int(np.nanargmin(values)))
    dress(left, x="components $k$", y="mean log-likelihood", legend="lower right")
    dress(right, x="components $k$", y=criterion.upper())
    for axes in panels.values():
        axes.locator_params(axis="x", integer=True)
    return panels


class _Stage:
    """The parameters of a mixture, and the shares of given rows under them."""

    def __init__(self, theta, rows):
        joint = theta.log_joint(rows)
        self.laws, self.weights = theta.laws, theta.weights
        self.gamma = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))

    def predict_proba(self, X):
        return self.gamma


def _stage_panels(stages, X, ax):
    panels = new_panels(ax, stages, columns=5, width=2.7, height=2.9, sharex=True, sharey=True)
    for title, axes in panels.items():
        responsibility_colors(stages[title], X, ax=axes)
        axes.collections[-1].set_sizes(0.5 * axes.collections[-1].get_sizes())
        axes.set_ylabel(axis_names(X)[1] if axes is panels[next(iter(panels))] else "")
        label_panel(axes, title)
    return panels


def _stopped_after(model, X, t):
    return _quietly(clone(model).set_params(max_iter=t), X)


def _quietly(model, X):
    """The model, fitted; that it stopped early is what the picture is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


def _ring(ax, k, values, best):
    style: dict[str, Any] = {"markersize": 13, "markeredgewidth": 1.8, "markerfacecolor": "none", "color": MUTED}
    ax.plot(k[best], values[best], "o", label="_best", **style)
    label_panel(ax, f"best $k = {k[best]}$")
