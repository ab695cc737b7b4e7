"""The plots of a report on one target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from sklearn.metrics import confusion_matrix, roc_curve

from gnomon._typing import Array, Floats
from gnomon.numerics.curves import threshold_curve
from gnomon.numerics.estimates import share_interval
from gnomon.report._decisions import CostCurve, DecisionOutcome
from gnomon.report._judge import Importance, Judgement
from gnomon.report._responses import Response
from gnomon.report._rows_enough import RowsCurve
from gnomon.report._target import Target
from gnomon.report._trials import Trial
from gnomon.report.drawing import ACCENT, INK, MUTED, SECOND, drawn, short
from gnomon.report.scores import Score, percent, rounded

__all__ = [
    "picture_of_candidates",
    "picture_of_costs",
    "picture_of_importances",
    "picture_of_response",
    "picture_of_rows",
    "picture_of_target",
    "pictures_of_judgement",
    "right_edge",
]

MOST_BARS = 15
MOST_POINTS = 2_000
MOST_CURVES = 40
MOST_TICKS = 4
"""Of long numbers, beside each other below a narrow picture."""
FAR = 8.0


def picture_of_target(target: Target) -> str:
    """How often each class, or which values, the target takes."""

    def draw(axes):
        if target.task == "classification":
            classes, counts = np.unique(target.y, return_counts=True)
            order = np.argsort(counts)[-MOST_BARS:]
            axes.barh([short(c) for c in classes[order]], counts[order], color=ACCENT, height=0.6)
            for place, count in enumerate(counts[order]):
                told = f" {count} ({percent(count / len(target.y))})"
                axes.annotate(told, (count, place), va="center", fontsize=9, annotation_clip=False)
            axes.set_xlim(0, counts.max() * 1.25)
        else:
            axes.hist(target.y, bins=min(40, max(10, int(np.sqrt(len(target.y))))), color=ACCENT)
            axes.set_xlabel(short(target.name))
        axes.set_title(f"{short(target.name)}: rows")

    bars = min(MOST_BARS, len(target.classes))
    return drawn(draw, 5.2, 0.9 + 0.32 * bars if bars else 2.6, "target", _words_of_target(target))


def _words_of_target(target: Target) -> str:
    if target.task == "regression":
        low, middle, high = (f"{v:.4g}" for v in np.percentile(target.y, [0, 50, 100]))
        return f"Histogram of {target.name}: from {low} to {high}, median {middle}."
    classes, counts = np.unique(target.y, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_BARS]
    bars = [f"{classes[k]} {counts[k]} ({percent(counts[k] / len(target.y))})" for k in order]
    return f"Bar chart of the rows of each class of {target.name}: {', '.join(bars)}."


def picture_of_candidates(trials: Sequence[Trial], chosen: Trial, score: Score) -> str:
    """The mean score of every model, with one standard error to either side, against the baseline.

    What lies beyond `right_edge` is an arrow at the edge, with its number.
    """
    baseline, *others = [t for t in trials if t.complete]
    ordered = sorted(others, key=lambda t: -score.sign * t.mean(score.name)) or [baseline]
    losses = [score.sign * t.mean(score.name) for t in (*ordered, baseline)]
    edge = score.sign * right_edge(losses[:-1], losses[-1])
    way, arrow = ("less", "→") if score.less_is_better else ("more", "←")

    def draw(axes):
        guess = baseline.mean(score.name)
        if _is_within(guess, edge, score):
            axes.axvline(guess, color=MUTED, linestyle=(0, (4, 3)), label="baseline")
        else:
            axes.plot([], [], color=MUTED, linestyle=(0, (4, 3)), label=f"baseline, at {score.text(guess)} {arrow}")
        for place, trial in enumerate(ordered):
            _draw_candidate(axes, place, trial, score, edge, best=trial is chosen)
        if np.isfinite(edge):
            axes.set_xlim(**{"right" if score.less_is_better else "left": edge})
        axes.set_yticks(range(len(ordered)), [short(t.candidate.name) for t in ordered])
        axes.set_ylim(-0.6, len(ordered) - 0.4)
        axes.set_xlabel(f"{score.name} in cross-validation, mean ± standard error ({way} is better)")
        axes.grid(axis="x", color=MUTED, alpha=0.25)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)

    told = [f"{t.candidate.name} {_plus_minus(t, score)}{' (chosen)' if t is chosen else ''}" for t in ordered[::-1]]
    words = f"Dot chart of the {score.name} of each model in cross-validation, the best first: {', '.join(told)}; "
    return drawn(draw, 7.2, 1.5 + 0.42 * len(ordered), "candidates", f"{words}baseline {_plus_minus(baseline, score)}.")


def right_edge(losses: Sequence[float], baseline: float) -> float:
    """Where the picture of candidates ends, so that one bad model does not press the others together.

    A little beyond the baseline; where that is far beyond most models, at eight times the excess of the middle one;
    infinite where nothing lies beyond.
    """
    best = min(losses)
    usual, gain = float(np.median(losses)) - best, baseline - best
    reach = FAR * usual if 0.0 < FAR * usual < gain else 1.25 * gain
    edge = best + reach
    return edge if reach > 0.0 and max(*losses, baseline) > edge else float("inf")


def _draw_candidate(axes: Axes, place: int, trial: Trial, score: Score, edge: float, *, best: bool) -> None:
    color, label = (ACCENT, "chosen") if best else (INK, None)
    mean = trial.mean(score.name)
    if not _is_within(mean, edge, score):
        arrow, less = {"arrowstyle": "->", "color": color}, score.less_is_better
        end, start = ((1.0, place), (0.95, place)) if less else ((0.0, place), (0.05, place))
        across = axes.get_yaxis_transform()
        axes.annotate("", end, start, xycoords=across, textcoords=across, arrowprops=arrow)
        at, side = (0.945, "right") if less else (0.055, "left")
        axes.text(at, place, score.text(mean), ha=side, va="center", transform=across, color=color)
        return
    axes.errorbar(
        mean, place, xerr=trial.errors[score.name],
        fmt="D" if best else "o", color=color, markersize=7 if best else 5, capsize=3, label=label,
    )  # fmt: skip


def _is_within(mean: float, edge: float, score: Score) -> bool:
    return score.sign * mean <= score.sign * edge


def _plus_minus(trial: Trial, score: Score) -> str:
    return score.with_error(trial.mean(score.name), trial.errors[score.name])


def picture_of_importances(importances: Sequence[Importance], score: Score) -> str:
    """How much worse the score is when a column is shuffled; nothing without columns."""
    if not importances:
        return ""
    shown = importances[:MOST_BARS][::-1]
    change = "growth" if score.less_is_better else "fall"

    def draw(axes):
        means = [i.mean for i in shown]
        axes.barh(
            [short(i.name) for i in shown], means, xerr=[i.spread for i in shown],
            color=ACCENT, ecolor=INK, height=0.6, error_kw={"capsize": 2, "elinewidth": 1},
        )  # fmt: skip
        axes.set_xlabel(f"{change} of the {score.name} when the column is shuffled")
        axes.axvline(0, color=MUTED, linewidth=0.8)

    told = ", ".join(f"{i.name} {rounded(i.mean, 2)}" for i in shown[::-1])
    words = (
        f"Bar chart of the {change} of the {score.name} when a column is shuffled, the most important first: {told}."
    )
    return drawn(draw, 6.4, 0.9 + 0.3 * len(shown), "importances", words)


def picture_of_response(response: Response, salt: str) -> str:
    """The mean answer to one column with its interval, over curves of single rows; of levels, a point for each."""
    mean, error, levels = response.mean, response.error, response.kind == "category"
    rows = response.curves[:: max(1, len(response.curves) // MOST_CURVES)]
    dated = response.kind in ("date", "clock")
    places = np.arange(len(mean)) if levels else _moments(response.values) if dated else response.values

    def draw(axes):
        if levels:
            axes.errorbar(mean, places, xerr=error, fmt="o", color=ACCENT, capsize=3)
            axes.set_yticks(places, [short(level) for level in response.values])
            axes.set_ylim(len(mean) - 0.5, -0.5)
            axes.set_xlabel(short(response.of))
        else:
            axes.plot(places, rows.T, color=MUTED, alpha=0.25, linewidth=0.6)
            axes.fill_between(places, mean - error, mean + error, color=ACCENT, alpha=0.25, linewidth=0)
            axes.plot(places, mean, color=ACCENT, linewidth=2)
            if dated:
                locator = AutoDateLocator(maxticks=5)
                axes.xaxis.set(major_locator=locator, major_formatter=ConciseDateFormatter(locator))
            else:
                axes.locator_params(axis="x", nbins=MOST_TICKS)
            axes.set_ylabel(short(response.of))
        axes.set_title(short(response.name))

    named = places if dated else response.values
    told = ", ".join(
        f"{value if levels else str(value)[:16] if dated else rounded(float(value), 3)}: {rounded(float(m), 3)}"
        for value, m in zip(named, mean, strict=True)
    )
    words = f"How the {response.of} responds to {response.name}, in the mean over held-out rows: {told}."
    return drawn(draw, 3.7, 1.1 + 0.3 * len(mean) if levels else 2.8, salt, words)


def _moments(days: Floats) -> Array:
    """Days since 1970 as moments."""
    return np.round(days * 86_400.0).astype(np.int64).astype("datetime64[s]")


def picture_of_rows(curve: RowsCurve, name: str) -> str:
    """The score of the chosen model over the number of rows that it learns from."""
    mean = np.mean(curve.scores, axis=0)

    def draw(axes):
        axes.plot(curve.rows, curve.scores.T, color=MUTED, alpha=0.6, linewidth=0.8)
        axes.plot(curve.rows, mean, "o-", color=ACCENT, linewidth=2)
        axes.set_xticks(curve.rows)
        axes.set_xlim(0, None)
        axes.set_xlabel("rows to learn from")
        axes.set_ylabel(name)

    told = ", ".join(f"{n} rows {rounded(float(m), 3)}" for n, m in zip(curve.rows.tolist(), mean, strict=True))
    return drawn(draw, 3.7, 2.8, "rows", f"The {name} over the number of rows to learn from: {told}.")


def picture_of_costs(curve: CostCurve | None, outcome: DecisionOutcome | None, classes: Sequence[str]) -> str:
    """The cost of decisions over the threshold, with the threshold of the costs and the best constant action."""
    if curve is None or outcome is None:
        return ""
    name, constant = outcome.constant
    least = int(np.argmin(curve.costs))

    def draw(axes):
        # A cost holds from its threshold up to the next greater one.
        edges = np.append(curve.thresholds[::-1], 1.0)
        axes.stairs(curve.costs[::-1], edges, baseline=None, color=ACCENT, linewidth=2)
        axes.axvline(curve.used, color=SECOND, label=f"by the costs: {curve.used:.3g}")
        axes.axhline(constant, color=MUTED, linestyle=(0, (4, 3)), label=f"always {short(name)}")
        lowest = min(0.0, float(np.min(curve.costs)))
        axes.set(xlim=(-0.01, 1.01), ylim=(lowest, None))
        axes.set_xlabel(f"threshold on the probability of “{short(classes[1])}”")
        axes.set_ylabel("cost of a row")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)

    words = (
        f"Cost of a held-out row over the threshold on the probability of {classes[1]}: least "
        f"{rounded(float(curve.costs[least]))} at {curve.thresholds[least]:.2f}, {rounded(outcome.cost.value)} at the "
        f"threshold of the costs, {curve.used:.2f}, and {rounded(constant)} for always {name}."
    )
    return drawn(draw, 5.2, 3.4, "costs", words)


def pictures_of_judgement(judgement: Judgement, classes: tuple[str, ...]) -> list[tuple[str, str]]:
    """The pictures of the held-out rows that suit the task, each with its caption."""
    if not len(classes):
        return [_predicted_against_true(judgement), _residuals(judgement)]
    pictures = [_confusion(judgement, classes)]
    if len(np.unique(judgement.y)) == len(classes) == 2:
        pictures += [_roc(judgement, classes), _precision_recall(judgement, classes)]
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

    told = [f"of {counts[k].sum()} {name}, {counts[k, k]} are called so" for k, name in enumerate(classes[:MOST_BARS])]
    words = f"Confusion matrix of the held-out rows: {'; '.join(told)}."
    caption = "Confusion matrix: rows are the truth, columns the prediction."
    return drawn(draw, side + 0.6, side, "confusion", words), caption


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
    words = f"ROC curve of the held-out rows for {classes[1]}: {_some_points(false, true)}."
    return drawn(draw, 3.4, 3.4, "roc", words), f"ROC curve for “{classes[1]}”; the area under it is {area:.3f}."


def _precision_recall(judgement, classes):
    """By steps, as the average precision counts it; beside the level of scores drawn at random."""
    curve = threshold_curve(judgement.forecast.proba[:, 1], judgement.y == classes[1])
    share, area = curve.positives / len(judgement.y), curve.average_precision

    def draw(axes):
        axes.axhline(share, color=MUTED, linestyle=(0, (4, 3)))
        # Before the first hit there is no recall to speak of.
        found = curve.tp > 0.0
        axes.step(np.r_[0.0, curve.recall[found]], np.r_[curve.precision[found][:1], curve.precision[found]],
                  where="pre", color=ACCENT, linewidth=2)  # fmt: skip
        axes.set(xlabel="recall", ylabel="precision", aspect="equal", xlim=(-0.01, 1.01), ylim=(0, 1.02))

    told = [f"precision {curve.precision[curve.recall >= r].max():.2f} at recall {r:g}" for r in (0.5, 0.8, 0.95)]
    words = f"Precision-recall curve of the held-out rows for {classes[1]}: {', '.join(told)}."
    caption = f"Precision and recall for “{classes[1]}”; average precision {area:.3f}, {share:.3f} by chance (dashed)."
    return drawn(draw, 3.4, 3.4, "precision-recall", words), caption


def _some_points(false: Floats, true: Floats) -> str:
    """The curve at three false positive rates."""
    at = (0.05, 0.1, 0.2)
    return ", ".join(f"true positive rate {np.interp(x, false, true):.2f} at false positive rate {x:g}" for x in at)


def _calibration(judgement, classes):
    """Mean forecast against observed frequency in ten groups of equal size."""
    proba = judgement.forecast.proba
    if len(classes) == 2:
        said, hit = proba[:, 1], judgement.y == classes[1]
        label = f"probability of “{short(classes[1])}”"
    else:
        said, hit = proba.max(axis=1), judgement.forecast.predicted == judgement.y
        label = "probability of the predicted class"
    groups = [g for g in np.array_split(np.argsort(said, kind="stable"), min(10, max(2, len(said) // 20))) if len(g)]
    x = np.array([said[g].mean() for g in groups])
    hits, sizes = np.array([hit[g].sum() for g in groups]), np.array([len(g) for g in groups])
    p, ends = hits / sizes, np.array(share_interval(hits, sizes))
    error = np.abs(ends - p)

    def draw(axes):
        axes.plot([0, 1], [0, 1], color=MUTED, linestyle=(0, (4, 3)))
        axes.errorbar(x, p, yerr=error, fmt="o-", color=ACCENT, capsize=2, markersize=5)
        axes.set(xlabel=label, ylabel="observed frequency", aspect="equal", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))

    told = ", ".join(f"{hit:.0%} where {said:.0%} were forecast" for said, hit in zip(x, p, strict=True))
    words = f"Calibration curve of the {label}: observed {told}."
    return drawn(
        draw, 3.4, 3.4, "calibration", words
    ), "Calibration: on the diagonal, probabilities mean what they say. Bars are 95% intervals of the frequency."


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
        axes.locator_params(axis="x", nbins=MOST_TICKS)

    words = (
        f"Scatter plot of truth against prediction for {len(y)} held-out rows: predictions from {said.min():.4g} to "
        f"{said.max():.4g}, truth from {y.min():.4g} to {y.max():.4g}, correlation {_correlation(said, y):.2f}."
    )
    return drawn(draw, 4.0, 3.6, "fit", words), "Truth against prediction on held-out rows."


def _residuals(judgement):
    y, said = _sample(judgement)

    def draw(axes):
        axes.axhline(0, color=MUTED, linestyle=(0, (4, 3)))
        axes.plot(said, y - said, "o", color=ACCENT, markersize=3.5, alpha=0.45, markeredgewidth=0)
        axes.set(xlabel="predicted", ylabel="true − predicted")
        axes.locator_params(axis="x", nbins=MOST_TICKS)

    low, middle, high = (f"{v:.3g}" for v in np.percentile(y - said, [5, 50, 95]))
    words = (
        f"Scatter plot of truth minus prediction against prediction for {len(y)} held-out rows: median {middle}, nine "
        f"of ten between {low} and {high}; the size of the residuals has correlation "
        f"{_correlation(said, np.abs(y - said)):.2f} with the prediction."
    )
    return drawn(draw, 4.0, 3.6, "residuals", words), "Residuals: a pattern here is something the model misses."


def _correlation(a: Floats, b: Floats) -> float:
    """Of two columns; 0 where one is constant."""
    return float(np.corrcoef(a, b)[0, 1]) if np.ptp(a) > 0 and np.ptp(b) > 0 else 0.0
