"""The plots of a report on groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.report._cluster_number import LEAST_STRENGTH, Answer, NumberOfGroups
from gnomon.report.drawing import ACCENT, GROUPS, INK, MUTED, SECOND, drawn, short

__all__ = ["group_color", "picture_of_column", "picture_of_map", "pictures_of_number"]

MOST_POINTS = 1_500
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p")
MOST_IN_LEGEND, MOST_IN_A_LINE = 12, 5


def group_color(number: int) -> str:
    """The placeholder colour of a group; from the ninth on colours repeat, and markers differ."""
    return GROUPS[(number - 1) % len(GROUPS)]


def picture_of_map(Z: Floats, labels: Integers, shares: Floats) -> str:
    """The rows on two principal components, with a colour and a marker for each group."""
    rows = np.sort(np.random.default_rng(0).permutation(len(Z))[:MOST_POINTS])
    k, flat = int(labels.max()), Z.shape[1] == 1
    # One column has no second direction: rows are spread at random, so that they do not hide each other.
    heights = np.random.default_rng(0).uniform(size=len(Z)) if flat else Z[:, 1]

    def draw(axes):
        for number in range(1, k + 1):
            own = rows[labels[rows] == number]
            axes.plot(
                Z[own, 0], heights[own], MARKERS[(number - 1) % len(MARKERS)], color=group_color(number),
                markersize=4.5, alpha=0.6, markeredgewidth=0, label=f"group {number}",
            )  # fmt: skip
        for number in range(1, k + 1) if k > 1 else ():
            place = Z[labels == number, 0].mean(), heights[labels == number].mean()
            box = {"boxstyle": "circle,pad=0.25", "facecolor": group_color(number), "edgecolor": "white"}
            axes.annotate(str(number), place, color="white", ha="center", va="center", weight="bold", bbox=box)
        axes.set_xlabel(f"component 1 ({shares[0]:.0%} of the variance)")
        axes.set_ylabel("" if flat else f"component 2 ({shares[1]:.0%})")
        axes.set_yticks([]) if flat else axes.set_aspect("equal", adjustable="datalim")
        if 1 < k <= MOST_IN_LEGEND:
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=k if k <= MOST_IN_A_LINE else 4)

    sizes = ", ".join(f"group {number} {np.sum(labels == number)} rows" for number in range(1, k + 1))
    words = f"Scatter plot of {len(rows)} rows on their first principal components: {sizes if k > 1 else 'one group'}."
    return drawn(draw, 6.4, 2.4 if flat else 4.8, "map", words)


def pictures_of_number(number: NumberOfGroups) -> list[tuple[str, str]]:
    """The curve of every question over the number of groups, with its caption."""
    return [(_curve(answer), answer.question.text) for answer in number.answers]


def _curve(answer: Answer) -> str:
    table, name = answer.found.table, answer.question.curve
    ks = table["k"]
    values = table[name] / (max(float(table[name][0]), np.finfo(float).tiny) if name == "cost" else 1.0)
    errors = table.get("error", np.zeros(len(ks)))

    def draw(axes):
        axes.errorbar(
            ks, values, yerr=errors if errors.any() else None, fmt="o-", color=ACCENT, markersize=4, capsize=2
        )
        if answer.question.method == "prediction_strength":
            axes.axhline(LEAST_STRENGTH, color=MUTED, linestyle=(0, (4, 3)))
            axes.set_ylim(0.0, 1.05)
        if answer.k is not None:
            axes.plot(answer.k, values[ks == answer.k], "D", color=SECOND, markersize=8, zorder=5)
        axes.set(xlabel="number of groups", title=f"{answer.question.name.removeprefix('the ')}: {answer.verdict}")
        axes.set_xticks(ks)
        if name == "cost":
            axes.set_ylim(0.0, 1.05)

    told = ", ".join(
        f"{value:.3g} for {k}" for k, value in zip(ks.tolist(), values.tolist(), strict=True) if value == value
    )
    words = f"Curve of {answer.question.name} over the number of groups: {told}; {answer.verdict}."
    return drawn(draw, 4.4, 2.7, f"number-{name}", words)


def picture_of_column(name: str, values: Floats, labels: Integers, place: int) -> str:
    """Box plots of one column of numbers in every group."""
    there = ~np.isnan(values)
    parts = [values[there & (labels == number)] for number in range(1, int(labels.max()) + 1)]

    def draw(axes):
        boxes = axes.boxplot(
            parts, widths=0.6, patch_artist=True, medianprops={"color": INK}, whiskerprops={"color": MUTED},
            capprops={"color": MUTED}, flierprops={"markersize": 3, "markeredgecolor": MUTED},
        )  # fmt: skip
        for number, box in enumerate(boxes["boxes"], 1):
            box.set(facecolor=group_color(number), alpha=0.65, edgecolor=MUTED)
        axes.set_xticks(range(1, len(parts) + 1), [str(number) for number in range(1, len(parts) + 1)])
        axes.set(xlabel="group", title=short(name))

    words = f"Box plots of {name}: {_medians(parts)}."
    return drawn(draw, 3.4, 2.7, f"column-{place}", words)


def _medians(parts: Sequence[Floats]) -> str:
    told = [f"median {np.median(part):.4g} in group {number}" for number, part in enumerate(parts, 1) if len(part)]
    return ", ".join(told)
