"""Losses as curves.

    regression: ℓ over the residual r = y − z        classification: ℓ over the margin m = y z            (1)

Hastie, Tibshirani & Friedman (2009), figures 10.4 and 12.4, doi:10.1007/978-0-387-84858-7; the tangents of the logistic
loss: Jaakkola & Jordan (2000), doi:10.1023/A:1008932416310.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from gnomon.losses import (
    HingeLoss,
    LogisticLoss,
    Loss,
    LpLoss,
    PerceptronLoss,
    SquaredHingeLoss,
    SquaredLoss,
    ZeroOneLoss,
)
from gnomon.numerics.special import entropy_term, sigmoid
from gnomon.plot._style import ACCENT, INK, MUTED, SECOND, dress, new_axes, styles

__all__ = ["cost_slopes", "dual_tangents", "margin_losses", "regression_losses", "sigmoid_and_sign"]


def regression_losses(losses: Mapping[str, Loss] | None = None, *, limit: float = 2.0, ax: Axes | None = None) -> Axes:
    """Losses over the residual r = y − z.

    Parameters
    ----------
    losses : dict of str to Loss, optional
        By label; |r|^p for p = ½, 1, 2, 4 by default.
    limit : float, default=2.0
        Largest |r| shown.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Gonin, R. & Money, A. H. (1989). Nonlinear Lp-Norm Estimation. doi:10.1201/9780203745526

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.regression_losses()
    >>> [line.get_label() for line in ax.lines]
    ['$|r|^{0.5}$', '$|r|$', '$r^2$', '$|r|^4$']
    """
    powers = {"$|r|^{0.5}$": LpLoss(0.5), "$|r|$": LpLoss(1.0), "$r^2$": LpLoss(2.0), "$|r|^4$": LpLoss(4.0)}
    losses = powers if losses is None else losses
    r = np.linspace(-limit, limit, 801)
    ax = _curves(new_axes(ax), r, {name: loss.value(r, 0.0 * r) for name, loss in losses.items()})
    ax.set_ylim(0.0, limit**2)
    return dress(ax, x="residual $r = y - z$", y="loss", legend="upper center")


def margin_losses(losses: Mapping[str, Loss] | None = None, *, limit: float = 2.5, ax: Axes | None = None) -> Axes:
    """Losses over the margin m = y z, with the 0/1 loss that they replace.

    Parameters
    ----------
    losses : dict of str to Loss, optional
        By label; 0/1, perceptron, hinge, squared hinge, logistic (divided by log 2, so that it bounds 0/1) and squared
        by default.
    limit : float, default=2.5
        Largest |m| shown.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, figure 10.4.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.margin_losses()
    >>> [line.get_label() for line in ax.lines][:3]
    ['0/1', 'perceptron', 'hinge']
    """
    m = np.linspace(-limit, limit, 1001)
    curves = {name: loss.value(1.0, m) for name, loss in (losses or _surrogates()).items()}
    ax = _curves(new_axes(ax, width=6.6), m, curves)
    ax.axvline(0.0, color=MUTED, linewidth=0.8, zorder=0)
    ax.set_ylim(-0.05, 1.2 * limit)
    return dress(ax, x="margin $m = y\\,z$", y="loss", legend="outside")


def cost_slopes(
    loss: Loss | None = None, costs: tuple[float, float] = (4.0, 1.0), *, limit: float = 2.0, ax: Axes | None = None
) -> Axes:
    """A loss with unequal costs: c₊ ℓ(+1, z) and c₋ ℓ(−1, z) over the score z. Only the slopes change.

    Parameters
    ----------
    loss : Loss, optional
        The perceptron loss by default.
    costs : pair of float, default=(4.0, 1.0)
        c₊ and c₋, the prices of an error on either class.
    limit : float, default=2.0
        Largest |z| shown.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI 17, 973–978.

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.cost_slopes(costs=(3.0, 1.0))
    >>> float(ax.lines[0].get_ydata()[0]), float(ax.lines[1].get_ydata()[-1])
    (6.0, 2.0)
    """
    z = np.linspace(-limit, limit, 401)
    loss = PerceptronLoss() if loss is None else loss
    curves = {
        f"positive class, $c_+ = {costs[0]:g}$": costs[0] * loss.value(1.0, z),
        f"negative class, $c_- = {costs[1]:g}$": costs[1] * loss.value(-1.0, z),
    }
    return dress(_curves(new_axes(ax), z, curves), x="score $z$", y="cost · loss", legend="upper center")


def dual_tangents(alphas: Sequence[float] = (0.1, 0.5, 0.9), *, limit: float = 5.0, ax: Axes | None = None) -> Axes:
    """The logistic loss and the tangents that bound it from below, one for each dual variable.

        log(1 + e^{−t}) ≥ −αt − α log α − (1 − α) log(1 − α),    equal at α = σ(−t)

    Parameters
    ----------
    alphas : sequence of float in (0, 1), default=(0.1, 0.5, 0.9)
    limit : float, default=5.0
        Largest |t| shown.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Jaakkola, T. & Jordan, M. (2000). Bayesian parameter estimation via variational methods.
    doi:10.1023/A:1008932416310

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.dual_tangents()
    >>> loss, *tangents = [line.get_ydata() for line in ax.lines[:4]]
    >>> all(bool(np.all(loss >= tangent - 1e-12)) for tangent in tangents)
    True
    """
    ax, t = new_axes(ax), np.linspace(-limit, limit, 401)
    ax.plot(t, LogisticLoss().value(1.0, t), color=INK, linewidth=2.2, label="logistic loss")
    for alpha, (color, _) in zip(alphas, styles(len(alphas)), strict=True):
        height = -entropy_term(alpha) - entropy_term(1.0 - alpha)
        ax.plot(t, height - alpha * t, color=color, linewidth=1.3, label=f"tangent, $\\alpha = {alpha:g}$")
    touch = -np.log(np.array(alphas) / (1.0 - np.array(alphas)))
    ax.plot(touch, LogisticLoss().value(1.0, touch), "o", color=INK, markersize=5, label="$\\alpha = \\sigma(-t)$")
    ax.set_ylim(-1.0, limit + 0.6)
    return dress(ax, x="margin $t$", y="loss", legend="upper right")


def sigmoid_and_sign(*, limit: float = 6.0, ax: Axes | None = None) -> Axes:
    """The logistic function σ(z) against the hard decision 1[z > 0].

    Parameters
    ----------
    limit : float, default=6.0
        Largest |z| shown.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Cox, D. R. (1958). The regression analysis of binary sequences. doi:10.1111/j.2517-6161.1958.tb00292.x

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.sigmoid_and_sign()
    >>> round(float(ax.lines[0].get_ydata()[200]), 6)
    0.5
    """
    ax, z = new_axes(ax), np.linspace(-limit, limit, 401)
    ax.plot(z, sigmoid(z), color=ACCENT, linewidth=2.2, label="$\\sigma(z) = 1/(1 + e^{-z})$")
    ax.plot(z, (z > 0).astype(float), color=SECOND, linewidth=1.6, dashes=(5, 2), label="$1[z > 0]$")
    ax.axhline(0.5, color=MUTED, linewidth=0.8, zorder=0)
    return dress(ax, x="score $z$", y="probability of the positive class", legend="upper left")


class _InBits:
    """The logistic loss in bits, log₂(1 + e^{−m}), which bounds the 0/1 loss."""

    def value(self, y, z):
        return LogisticLoss().value(y, z) / np.log(2.0)


def _surrogates():
    return {
        "0/1": ZeroOneLoss(),
        "perceptron": PerceptronLoss(),
        "hinge": HingeLoss(),
        "squared hinge": SquaredHingeLoss(),
        "logistic / log 2": _InBits(),
        "squared": SquaredLoss(),
    }


def _curves(ax, x, curves):
    for (name, values), (color, dash) in zip(curves.items(), styles(len(curves)), strict=True):
        ax.plot(x, values, color=color, linestyle=dash, linewidth=2.0, label=name)
    return ax
