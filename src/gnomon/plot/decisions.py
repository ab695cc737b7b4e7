"""Pictures of decisions: costs over all applications, scores before and after calibration, doubt, lopsided costs.

    normalised cost = e^max(o, 0) P_fn + e^max(−o, 0) P_fp  over the prior log-odds o                                (1)

Brümmer & du Preez (2006), doi:10.1016/j.csl.2005.08.001; Chow (1970), doi:10.1109/TIT.1970.1054406; Gneiting (2011),
doi:10.1198/jasa.2011.r10138.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike, Floats
from gnomon.base.trials import read_trials
from gnomon.decision import (
    Application,
    BayesErrorCurve,
    RejectClassifier,
    ScoreCalibrator,
    bayes_action,
    reject_curve,
)
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MUTED,
    SECOND,
    GivenAxes,
    class_color,
    dress,
    drop_legend,
    label_panel,
    new_axes,
    new_panels,
    styles,
)
from gnomon.plot.regions import class_regions

__all__ = ["asymmetric_cost", "bayes_error_plot", "calibrated_scores", "doubt_zone"]


def bayes_error_plot(
    curve: BayesErrorCurve, applications: Mapping[str, Application] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Actual (full line) and minimum cost (dotted) of each system over prior log-odds; 1 is a system without scores.

    Parameters
    ----------
    curve : BayesErrorCurve
        From `bayes_error_curve`; give a system before and after calibration to compare them.
    applications : dict from names to Application, optional
        Marked by vertical lines.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.decision import bayes_error_curve
    >>> ax = plot.bayes_error_plot(bayes_error_curve({"A": [0.1, 2.0, -1.0]}, [0, 1, 0]))
    >>> ax.get_xlabel()
    'prior log-odds'
    """
    ax = new_axes(ax, width=7.4, height=4.0)
    for k, name in enumerate(curve.actual):
        color = COLORS[k % len(COLORS)]
        ax.plot(curve.log_odds, curve.actual[name], color=color, linewidth=1.8, label=f"{name}: actual")
        look: dict[str, Any] = {"color": color, "linewidth": 1.6, "linestyle": (0, (1, 1.4))}
        ax.plot(curve.log_odds, curve.minimum[name], **look, label=f"{name}: minimum")
    ax.axhline(1.0, color=MUTED, linewidth=1.0, linestyle=(0, (4, 3)), label="without scores")
    for name, app in (applications or {}).items():
        ax.axvline(app.log_odds, color=INK, linewidth=0.8, linestyle=(0, (5, 3)))
        # On the line itself, with a background: beside it names of near applications would cover each other's lines.
        ax.annotate(name, (app.log_odds, 0.98), xycoords=("data", "axes fraction"), rotation=90, ha="center", va="top",
                    fontsize=8, color=INK, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5})  # fmt: skip
    # Costs of badly calibrated scores may exceed any other by powers of ten.
    ax.set(ylim=(0.0, float(np.clip(max(np.max(v) for v in curve.actual.values()), 1.05, 1.5)) + 0.05))
    ax.set_xlim(curve.log_odds[0], curve.log_odds[-1])
    return dress(ax, x="prior log-odds", y="normalised detection cost", legend="outside")


def calibrated_scores(
    y: ArrayLike, scores: ArrayLike, *calibrators: ScoreCalibrator, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Scores of each class before and after calibration, and the maps between.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Of two classes.
    scores : array-like of shape (n_samples,)
    *calibrators : fitted ScoreCalibrator
        The first one makes the scores of the panel "after"; the maps of all are drawn.
    ax : three matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "before", "map" and "after".

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.decision import ScoreCalibrator
    >>> y, s = [0, 0, 1, 0, 1, 1], [-2.0, -1.0, -0.5, 0.2, 0.3, 1.5]
    >>> panels = plot.calibrated_scores(y, s, ScoreCalibrator().fit(s, y))
    >>> list(panels)
    ['before', 'map', 'after']
    """
    if not calibrators:
        raise ValueError("calibrated_scores needs a fitted calibrator; give one or more")
    trials = read_trials(y, scores)
    panels = new_panels(ax, ("before", "map", "after"), width=3.9)
    after = calibrators[0].transform(trials.scores)
    for name, values in (("before", trials.scores), ("after", after)):
        _histograms(panels[name], values, trials.positive, [str(label) for label in trials.labels])
    finite = trials.scores[np.isfinite(trials.scores)]
    grid = np.linspace(np.min(finite), np.max(finite), 1001)
    for calibrator, (color, dash) in zip(calibrators, styles(len(calibrators)), strict=True):
        look: dict[str, Any] = {"color": color, "linestyle": dash, "linewidth": 1.8}
        panels["map"].plot(grid, calibrator.transform(grid), label=calibrator.method.replace("_", "–"), **look)
    dress(panels["map"], x="score", y="log-likelihood ratio", title="map", legend="upper left")
    dress(panels["before"], x="score", y="density within the class", title="before", legend="best")
    dress(panels["after"], x="log-likelihood ratio", y="density within the class", title="after")
    drop_legend(panels["after"])
    return panels


def _histograms(ax: Axes, values: Floats, positive: Any, names: list[str]) -> None:
    finite = np.isfinite(values)
    edges = np.histogram_bin_edges(values[finite], bins=40)
    for k, side in enumerate((~positive, positive)):
        look: dict[str, Any] = {"color": class_color(k, 2), "alpha": 0.45, "histtype": "stepfilled"}
        ax.hist(values[finite & side], edges.tolist(), density=True, label=names[k], **look)


def doubt_zone(model: RejectClassifier, X: ArrayLike, y: ArrayLike, *, ax: GivenAxes = None) -> dict[str, Axes]:
    """Regions of the classes with the rows that are refused between them, and error against coverage.

    Parameters
    ----------
    model : fitted RejectClassifier
        Of a classifier with `predict_proba`.
    X : array of shape (n, 2)
    y : array of shape (n,)
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "regions" and "error".

    References
    ----------
    Chow, C. K. (1970). On optimum recognition error and reject tradeoff. doi:10.1109/TIT.1970.1054406

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon import plot
    >>> from gnomon.decision import RejectClassifier
    >>> X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    >>> panels = plot.doubt_zone(RejectClassifier(GaussianNB(), 0.45).fit(X + y[:, None], y), X + y[:, None], y)
    >>> panels["error"].get_xlabel()
    'share of rows decided'
    """
    panels = new_panels(ax, ("regions", "error"), width=4.6, height=3.7)
    class_regions(model, X, y, unknown=model.reject_label_, ax=panels["regions"])
    label_panel(panels["regions"], "hatched: refused")
    found = reject_curve(y, model.predict_proba(X))
    panels["error"].step(found.coverage, found.error, where="post", color=ACCENT, linewidth=1.8)
    here = int(np.sum(found.threshold >= model.threshold_)) - 1
    if here >= 0:
        mark: dict[str, Any] = {"color": SECOND, "marker": "o", "linestyle": "none"}
        name = f"confidence ≥ {model.threshold_:.3g}"
        panels["error"].plot(found.coverage[here], found.error[here], label=name, **mark)
    panels["error"].set(xlim=(0.0, 1.02), ylim=(0.0, None))
    dress(
        panels["error"], x="share of rows decided", y="error among them", title="error against coverage", legend="best"
    )
    return panels


def asymmetric_cost(
    mean: float = 0.0, sd: float = 1.0, *, under: float = 3.0, over: float = 1.0, ax: Axes | None = None
) -> Axes:
    """The density of a normal truth, what an action costs by its error, and the action that is best on average.

    Parameters
    ----------
    mean, sd : float, default=0.0 and 1.0
    under, over : float, default=3.0 and 1.0
        The price of each unit that the truth lies above, or below, the action.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Gneiting, T. (2011). Making and evaluating point forecasts. doi:10.1198/jasa.2011.r10138

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.asymmetric_cost(10.0, 2.0)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['density of the truth', 'cost of the best action', 'mean', 'best action 11.3']
    """
    best = bayes_action((mean, sd), (under, over)).action
    ax = new_axes(ax, width=6.2, height=3.7)
    y = np.linspace(mean - 4.0 * sd, mean + 4.0 * sd, 801)
    density = np.exp(-0.5 * ((y - mean) / sd) ** 2) / (sd * np.sqrt(2.0 * np.pi))
    cost = under * np.maximum(y - best, 0.0) + over * np.maximum(best - y, 0.0)
    # The cost has another unit: it is drawn in units of its own largest value.
    ax.fill_between(y, density, color=ACCENT, alpha=0.2, linewidth=0.0)
    ax.plot(y, density, color=ACCENT, linewidth=1.6, label="density of the truth")
    ax.plot(y, cost * np.max(density) / np.max(cost), color=SECOND, linewidth=1.6, label="cost of the best action")
    ax.axvline(mean, color=MUTED, linewidth=1.2, linestyle=(0, (1, 1.4)), label="mean")
    ax.axvline(best, color=INK, linewidth=1.4, linestyle=(0, (5, 2)), label=f"best action {best:.3g}")
    ax.set(ylim=(0.0, None), xlim=(y[0], y[-1]))
    return dress(ax, x="truth", y="density; cost (scaled)", legend="outside")
