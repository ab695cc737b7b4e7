"""Pictures of risk estimation: learning curves with their rate; who is fitted and who is judged in a scheme.

    error(N) ≈ reference + c N^slope                                                                     (1)

Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, section 7.10,
doi:10.1007/978-0-387-84858-7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle
from sklearn.model_selection import KFold, ShuffleSplit

from gnomon._typing import ArrayLike, Floats, Integers, RandomState
from gnomon.evaluation import BootstrapSplit, LearningRate, train_val_test_split
from gnomon.numerics.random import check_rng
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MUTED,
    SECOND,
    GivenAxes,
    dress,
    label_panel,
    new_axes,
    new_panels,
)

__all__ = ["learning_curves", "split_panels"]

Parts: TypeAlias = Mapping[str, ArrayLike]
"""Row numbers by what they are for."""

_PARTS = {"train": ACCENT, "validation": SECOND, "test": COLORS[2], "out of bag": COLORS[4], "not used": "#EEEEEE"}


def learning_curves(
    sizes: ArrayLike,
    train: ArrayLike,
    validation: ArrayLike,
    *,
    rate: LearningRate | None = None,
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Training and validation error over the number of rows, with the fitted rate (1).

    Parameters
    ----------
    sizes : array of shape (m,)
        N.
    train, validation : array of shape (m,) or (m, k)
        Errors; of k folds the mean is drawn, with a band of one standard deviation.
    rate : LearningRate, optional
        Of `gnomon.evaluation.learning_curve_rate`; drawn as a line, with its slope in the legend.
    log : bool, default=False
        Both axes logarithmic, of the excess over the reference of the rate.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.10.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.evaluation import learning_curve_rate
    >>> N = np.array([10, 100, 1000])
    >>> ax = plot.learning_curves(N, 1 - 1 / N, 1 + 1 / N, rate=learning_curve_rate(N, 1 + 1 / N, reference=1.0))
    >>> ax.get_legend().get_texts()[-1].get_text()
    'rate: slope −1.00'
    """
    N, ax = np.asarray(sizes, dtype=float), new_axes(ax)
    floor = rate.reference if rate is not None and log else 0.0
    looks = {"training error": (train, ACCENT, "o-"), "validation error": (validation, SECOND, "s--")}
    for name, (errors, color, style) in looks.items():
        values = np.asarray(errors, dtype=float).reshape(len(N), -1) - floor
        mean, spread = np.mean(values, axis=1), np.std(values, axis=1)
        # Below the reference, as training errors are, there is no logarithm.
        if log and not np.all(mean > 0.0):
            continue
        ax.plot(N, mean, style, color=color, markersize=5, linewidth=1.8, label=name)
        if values.shape[1] > 1:
            low = np.maximum(mean - spread, 1e-3 * mean) if log else mean - spread
            ax.fill_between(N, low, mean + spread, color=color, alpha=0.15, linewidth=0)
    if rate is not None:
        if not log:
            ax.axhline(rate.reference, color=MUTED, linewidth=1.0, linestyle=(0, (1, 1.5)), label="reference")
        grid = np.geomspace(N.min(), N.max(), 100)
        label = f"rate: slope {rate.slope.value:.2f}".replace("-", "−")
        ax.plot(
            grid, np.asarray(rate.predict(grid)) - floor, color=INK, linewidth=1.2, linestyle=(0, (4, 3)), label=label
        )
    if log:
        # A band that reaches below zero has no end; the axis ends a little below the lowest mean.
        lowest = min(np.min(line.get_ydata()) for line in ax.lines)
        ax.set(xscale="log", yscale="log", ylim=(0.3 * lowest, None))
        ax.set_xticks(N, labels=[f"{size:g}" for size in N])
        ax.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    return dress(ax, x="rows $N$", y="excess error" if floor else "error", legend="best")


def split_panels(
    schemes: Mapping[str, Sequence[Parts]] | None = None,
    *,
    n: int = 12,
    random_state: RandomState = 0,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Who is fitted and who is judged: one panel for each scheme, a line for each split, a cell for each row.

    Parameters
    ----------
    schemes : dict of str to a sequence of dicts, optional
        For each split the row numbers by part: "train", "validation", "test", "out of bag". A row that stands several
        times in a part has the number of its copies in its cell. By default hold-out, three parts, Monte-Carlo,
        k-fold, nested and bootstrap.
    n : int, default=12
        Number of rows.
    random_state : None, int, Generator or RandomState
        Of the default schemes.
    ax : array or dict of matplotlib Axes, optional
        One for each scheme.

    Returns
    -------
    dict of matplotlib Axes

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.10.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from gnomon import plot
    >>> panels = plot.split_panels({"hold-out": [{"train": [0, 1, 2], "test": [3]}]}, n=4)
    >>> [rectangle.get_facecolor() == panels["hold-out"].patches[0].get_facecolor()
    ...  for rectangle in panels["hold-out"].patches]
    [True, True, True, False]
    """
    schemes = _textbook_schemes(n, random_state) if schemes is None else schemes
    panels = new_panels(ax, schemes, columns=2, width=4.4, height=2.3)
    used: set[str] = set()
    for name, splits in schemes.items():
        used |= _draw_scheme(panels[name], name, splits, n)
    handles = [Patch(facecolor=color, label=part) for part, color in _PARTS.items() if part in used]
    first = next(iter(panels.values()))
    first.figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9, frameon=False)
    return panels


def _draw_scheme(ax: Axes, name: str, splits: Sequence[Parts], n: int) -> set[str]:
    """Cells of a scheme, one line for each split from the top; returns the parts that occur."""
    used = set()
    for line, parts in enumerate(splits):
        counts = {part: np.bincount(np.asarray(rows, dtype=int), minlength=n) for part, rows in parts.items()}
        for i in range(n):
            part = next((part for part, count in counts.items() if count[i]), "not used")
            used.add(part)
            cell: dict[str, Any] = {"facecolor": _PARTS[part], "edgecolor": "white", "linewidth": 1.2}
            ax.add_patch(Rectangle((i, len(splits) - 1 - line), 1.0, 0.86, **cell))
            copies = int(counts[part][i]) if part in counts else 0
            if copies > 1:
                middle = len(splits) - 1 - line + 0.43
                ax.text(i + 0.5, middle, f"{copies}×", ha="center", va="center", color="white", fontsize=8)
    ax.set(xlim=(0, n), ylim=(-0.1, len(splits)), xticks=[], yticks=[])
    dress(ax, x="rows", y="splits" if len(splits) > 1 else "", grid=None)
    ax.spines[["left", "bottom"]].set_visible(False)
    label_panel(ax, name)
    return used


def _textbook_schemes(n: int, random_state: RandomState) -> dict[str, list[dict[str, Any]]]:
    seed = int(check_rng(random_state).integers(2**31))
    rows = np.zeros((n, 1))
    three = train_val_test_split(np.arange(n), random_state=seed)
    boot = BootstrapSplit(4, random_state=seed).split(rows)
    return {
        "hold-out": [_pair(pair) for pair in ShuffleSplit(1, test_size=0.25, random_state=seed).split(rows)],
        "three parts": [dict(zip(("train", "validation", "test"), three, strict=True))],
        "Monte-Carlo": [
            _pair(pair, "validation") for pair in ShuffleSplit(4, test_size=0.25, random_state=seed).split(rows)
        ],
        "4-fold": [_pair(pair, "validation") for pair in KFold(4).split(rows)],
        "nested: 3 outer × 2 inner folds": list(_nested(rows)),
        "bootstrap": [_pair(pair, "out of bag") for pair in boot],
    }


def _pair(pair: tuple[Integers, Integers], judged: str = "test") -> dict[str, Integers]:
    return {"train": pair[0], judged: pair[1]}


def _nested(rows: Floats) -> Iterator[dict[str, Integers]]:
    """The inner folds of each outer fold, with the outer test rows."""
    for outer, test in KFold(3).split(rows):
        for train, validation in KFold(2).split(outer):
            yield {"train": outer[train], "validation": outer[validation], "test": test}
