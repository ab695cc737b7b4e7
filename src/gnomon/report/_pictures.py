"""The plots of a report, as SVG inside the page.

Colours are drawn as placeholders and written as CSS variables, so that one picture serves light, dark and print;
nothing refers to anything outside the page.
"""

import io
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.metrics import confusion_matrix, roc_curve

from gnomon.report._compare import Trial
from gnomon.report._judge import Importance, Judgement
from gnomon.report._target import Target
from gnomon.report.scores import SCORES

__all__ = ["picture_of_candidates", "picture_of_importances", "picture_of_target", "pictures_of_judgement"]

# Placeholder colours, unlikely to arise by blending, and what the page calls them.
INK, MUTED, ACCENT, SECOND = "#010203", "#040506", "#070809", "#0a0b0c"
VARIABLES = {INK: "var(--ink)", MUTED: "var(--muted)", ACCENT: "var(--accent)", SECOND: "var(--second)"}

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.labelcolor": INK,
}

MOST_BARS = 15
MOST_POINTS = 2_000
LONGEST_NAME = 34


def _drawn(draw: Callable[[Axes], None], width: float, height: float, salt: str) -> str:
    """The SVG of what `draw(axes)` draws, ready to stand in a page; `salt` keeps its ids apart from others'."""
    with mpl.rc_context({**STYLE, "svg.hashsalt": salt}), warnings.catch_warnings():
        # A glyph that Matplotlib's own font lacks is drawn by the reader's browser all the same.
        warnings.simplefilter("ignore")
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure.add_subplot())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return _inline(buffer.getvalue(), salt)


def _inline(svg: str, salt: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)
    svg = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', 'class="picture" role="img"', svg, count=1)
    svg = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font: \1px var(--sans)", svg)
    svg = re.sub(
        r'id="(figure|axes|patch|line2d|text|PolyCollection|PathCollection|LineCollection|matplotlib)',
        rf'id="{salt}-\1',
        svg,
    )
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, variable)
    return svg


def _short(name: str) -> str:
    name = str(name)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def picture_of_target(target: Target) -> str:
    """How often each class, or which values, the target takes."""

    def draw(axes):
        if target.task == "classification":
            classes, counts = np.unique(target.y, return_counts=True)
            order = np.argsort(counts)[-MOST_BARS:]
            axes.barh([_short(c) for c in classes[order]], counts[order], color=ACCENT, height=0.6)
            for place, count in enumerate(counts[order]):
                share = count / len(target.y)
                axes.annotate(f" {count} ({share:.0%})", (count, place), va="center", fontsize=9, annotation_clip=False)
            axes.set_xlim(0, counts.max() * 1.25)
        else:
            axes.hist(target.y, bins=min(40, max(10, int(np.sqrt(len(target.y))))), color=ACCENT)
            axes.set_xlabel(_short(target.name))
        axes.set_title(f"{_short(target.name)}: rows")

    bars = min(MOST_BARS, len(target.classes))
    return _drawn(draw, 5.2, 0.9 + 0.32 * bars if bars else 2.6, "target")


def picture_of_candidates(trials: Sequence[Trial], chosen: Trial) -> str:
    """The mean loss of every model, with one standard error to either side, against the baseline."""
    baseline, *others = [t for t in trials if not t.failure]
    score = SCORES[baseline.candidate.task][0]
    ordered = sorted(others, key=lambda t: -t.mean(score.name)) or [baseline]

    def draw(axes):
        axes.axvline(baseline.mean(score.name), color=MUTED, linestyle=(0, (4, 3)), label="baseline")
        for place, trial in enumerate(ordered):
            best = trial is chosen
            axes.errorbar(
                trial.mean(score.name), place, xerr=trial.errors[score.name],
                fmt="D" if best else "o", color=ACCENT if best else INK, markersize=7 if best else 5, capsize=3,
                label="chosen" if best else None,
            )  # fmt: skip
        axes.set_yticks(range(len(ordered)), [_short(t.candidate.name) for t in ordered])
        axes.set_ylim(-0.6, len(ordered) - 0.4)
        axes.set_xlabel(f"{score.name} in cross-validation, mean ± standard error (less is better)")
        axes.grid(axis="x", color=MUTED, alpha=0.25)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)

    return _drawn(draw, 7.2, 1.5 + 0.42 * len(ordered), "candidates")


def picture_of_importances(importances: Sequence[Importance], loss: str) -> str:
    """How much the loss grows when a column is shuffled."""
    shown = importances[:MOST_BARS][::-1]

    def draw(axes):
        means = [i.mean for i in shown]
        axes.barh(
            [_short(i.name) for i in shown], means, xerr=[i.spread for i in shown],
            color=ACCENT, ecolor=INK, height=0.6, error_kw={"capsize": 2, "elinewidth": 1},
        )  # fmt: skip
        axes.set_xlabel(f"growth of the {loss} when the column is shuffled")
        axes.axvline(0, color=MUTED, linewidth=0.8)

    return _drawn(draw, 6.4, 0.9 + 0.3 * len(shown), "importances")


def pictures_of_judgement(judgement: Judgement, classes: tuple[str, ...]) -> list[tuple[str, str]]:
    """The pictures of the held-out rows that suit the task, each with its caption."""
    if not len(classes):
        return [_predicted_against_true(judgement), _residuals(judgement)]
    pictures = [_confusion(judgement, classes)]
    if len(np.unique(judgement.y)) == len(classes) == 2:
        pictures.append(_roc(judgement, classes))
    return [*pictures, _calibration(judgement, classes)]


def _confusion(judgement, classes):
    counts = confusion_matrix(judgement.y, judgement.forecast.predicted, labels=list(classes))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    side = min(7.0, 2.6 + 0.36 * len(classes))

    def draw(axes):
        edges = np.arange(len(classes) + 1)
        for row, column in np.ndindex(counts.shape):
            axes.fill_between(
                edges[column : column + 2],
                row,
                row + 1,
                color=ACCENT,
                alpha=0.06 + 0.7 * shares[row, column],
                linewidth=0,
            )
            if len(classes) <= 12:
                axes.text(column + 0.5, row + 0.5, f"{counts[row, column]}", ha="center", va="center")
        ticks = edges[:-1] + 0.5
        names = [name if len(name) < 15 else name[:13] + "…" for name in map(str, classes)]
        axes.set_xticks(ticks, names, rotation=0 if len(classes) < 4 else 90)
        axes.set_yticks(ticks, names)
        axes.set(xlim=(0, len(classes)), ylim=(len(classes), 0), xlabel="predicted", ylabel="true")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)

    return _drawn(draw, side + 0.6, side, "confusion"), "Confusion matrix: rows are the truth, columns the prediction."


def _roc(judgement, classes):
    hit = judgement.y == classes[1]
    false, true, _ = roc_curve(hit, judgement.forecast.proba[:, 1])

    def draw(axes):
        axes.plot([0, 1], [0, 1], color=MUTED, linestyle=(0, (4, 3)))
        axes.plot(false, true, color=ACCENT, linewidth=2)
        axes.set(
            xlabel="false positive rate", ylabel="true positive rate", aspect="equal", xlim=(-0.01, 1), ylim=(0, 1.01)
        )

    area = judgement.scores["ROC AUC"]
    return _drawn(draw, 3.4, 3.4, "roc"), f"ROC curve for “{classes[1]}”; the area under it is {area:.3f}."


def _calibration(judgement, classes):
    """Mean forecast against observed frequency in ten groups of equal size."""
    proba = judgement.forecast.proba
    if len(classes) == 2:
        said, hit = proba[:, 1], judgement.y == classes[1]
        label = f"probability of “{_short(classes[1])}”"
    else:
        said, hit = proba.max(axis=1), judgement.forecast.predicted == judgement.y
        label = "probability of the predicted class"
    groups = [g for g in np.array_split(np.argsort(said, kind="stable"), min(10, max(2, len(said) // 20))) if len(g)]
    x = np.array([said[g].mean() for g in groups])
    p = np.array([hit[g].mean() for g in groups])
    error = np.sqrt(np.maximum(p * (1 - p), 1e-4) / [len(g) for g in groups])

    def draw(axes):
        axes.plot([0, 1], [0, 1], color=MUTED, linestyle=(0, (4, 3)))
        axes.errorbar(x, p, yerr=error, fmt="o-", color=ACCENT, capsize=2, markersize=5)
        axes.set(xlabel=label, ylabel="observed frequency", aspect="equal", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))

    return _drawn(draw, 3.4, 3.4, "calibration"), "Calibration: on the diagonal, probabilities mean what they say."


def _sample(judgement):
    rows = np.random.default_rng(0).permutation(len(judgement.y))[:MOST_POINTS]
    return judgement.y[rows], judgement.forecast.predicted[rows]


def _predicted_against_true(judgement):
    y, said = _sample(judgement)
    ends = [min(y.min(), said.min()), max(y.max(), said.max())]

    def draw(axes):
        axes.plot(ends, ends, color=MUTED, linestyle=(0, (4, 3)))
        axes.plot(said, y, "o", color=ACCENT, markersize=3.5, alpha=0.45, markeredgewidth=0)
        axes.set(xlabel="predicted", ylabel="true")

    return _drawn(draw, 4.0, 3.6, "fit"), "Truth against prediction on held-out rows."


def _residuals(judgement):
    y, said = _sample(judgement)

    def draw(axes):
        axes.axhline(0, color=MUTED, linestyle=(0, (4, 3)))
        axes.plot(said, y - said, "o", color=ACCENT, markersize=3.5, alpha=0.45, markeredgewidth=0)
        axes.set(xlabel="predicted", ylabel="true − predicted")

    return _drawn(draw, 4.0, 3.6, "residuals"), "Residuals: a pattern here is something the model misses."
