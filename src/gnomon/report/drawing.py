"""Pictures as SVG inside a page.

Colours are drawn as placeholders and written as CSS variables, so that one picture serves light, dark and print;
nothing refers to anything outside the page. Every picture says in words what is to be seen, for readers who hear the
page (W3C, Accessible Rich Internet Applications 1.2, role img).
"""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["ACCENT", "GROUPS", "INK", "MUTED", "SECOND", "drawn", "short"]

# Placeholder colours, unlikely to arise by blending, and what the page calls them.
INK, MUTED, ACCENT, SECOND = "#010203", "#040506", "#070809", "#0a0b0c"
GROUPS = tuple(f"#0{k}0d0{k}" for k in range(1, 9))
VARIABLES = {INK: "var(--ink)", MUTED: "var(--muted)", ACCENT: "var(--accent)", SECOND: "var(--second)"}
VARIABLES |= {color: f"var(--group-{k})" for k, color in enumerate(GROUPS, 1)}

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

LONGEST_NAME = 34


def drawn(draw: Callable[[Axes], None], width: float, height: float, salt: str, words: str) -> str:
    """The SVG of what `draw(axes)` draws, with its name in words; `salt` keeps its ids apart from others'."""
    with mpl.rc_context({**STYLE, "svg.hashsalt": salt}), warnings.catch_warnings():
        # A glyph that Matplotlib's own font lacks is drawn by the reader's browser all the same.
        warnings.simplefilter("ignore")
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure.add_subplot())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return _inline(buffer.getvalue(), salt, words)


def _inline(svg: str, salt: str, words: str) -> str:
    opening = f'class="picture" role="img" aria-label="{html.escape(words)}"'
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)
    svg = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', lambda _: opening, svg, count=1)
    svg = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font: \1px var(--sans)", svg)
    svg = re.sub(
        r'id="(figure|axes|patch|line2d|text|PolyCollection|PathCollection|LineCollection|matplotlib)',
        rf'id="{salt}-\1',
        svg,
    )
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, variable)
    return svg


def short(name: str) -> str:
    """A name, cut where it is long."""
    name = str(name)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
