"""Which of many tests a node takes.

    gain = H(node) − Σ_b (n_b / n) H(b),    split info = −Σ_b (n_b / n) log₂(n_b / n),    ratio = gain / split info  (1)

With missing rows that no test places, gain = F · (H(known) − H(split of known)), F their known share, and the missing
rows are one more part of the split information. Of equal scores the first is taken. Quinlan (1986),
doi:10.1007/BF00116251, for the gain; Quinlan (1993), C4.5: Programs for Machine Learning, and (1996),
doi:10.1613/jair.279, for the ratio, the filter by the mean gain and the price log₂(m − 1)/n of a threshold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from gnomon._typing import Bools, Floats
from gnomon.search._column_tests import CandidateTests, NodeTest
from gnomon.search._cuts import TIE
from gnomon.search._grouped import Parts

TestChoice: TypeAlias = Literal["gain", "gain_ratio", "c4.5"]


class ScoredTest(NamedTuple):
    """A test with its scores: `gain` is n times that of (1), `info` and `ratio` are (1), `masses` of its branches."""

    feature: int
    gain: float
    info: float
    test: NodeTest
    missing: int
    masses: Floats
    price: float = 0.0


class NodeContext(NamedTuple):
    """What scores need to know of a node: worth of the rows that tests place, all weight, and the limits."""

    known_worth: float
    mass: float
    min_rows: float
    min_mass: float
    scale: float


class ChoiceRule(Protocol):
    """How one of many tests is chosen."""

    def allowed(self, parts: Parts, info: Floats) -> Bools | bool:
        """Which tests of a family may be chosen, by the parts that they make and their split information."""

    def within(self, gains: Floats, info: Floats) -> Floats:
        """What is largest at the best test of one column."""

    def between(self, candidates: Sequence[ScoredTest], here: NodeContext) -> ScoredTest | None:
        """The best of the tests of several columns, or None if none will do."""


def best_of_column(
    feature: int, families: Iterable[CandidateTests], here: NodeContext, choice: ChoiceRule, m: int
) -> ScoredTest | None:
    """The best test of one column by `choice`, or None; m is its number of distinct values, 0 for categories."""
    best: ScoredTest | None = None
    best_score = -np.inf
    for family in families:
        gains, info, allowed = _scores(family.parts, here)
        scores = np.where(allowed & choice.allowed(family.parts, info), choice.within(gains, info), -np.inf)
        if len(scores) == 0 or np.max(scores) <= best_score + here.scale:
            continue
        c = int(np.argmax(scores >= np.max(scores) - here.scale))
        best_score = scores[c]
        test, missing = family.write(c)
        masses = family.parts.mass[:, c]
        price = np.log2(m - 1) if m > 2 else 0.0
        best = ScoredTest(feature, gains[c], info[c], test, missing, masses[family.parts.count[:, c] > 0.0], price)
    return best


def _scores(parts: Parts, here: NodeContext) -> tuple[Floats, Floats, Bools]:
    """n · gain, split information, and whether the parts are large enough, for every test of a family."""
    there = parts.count > 0.0
    few = there & ((parts.count < here.min_rows) | (parts.mass < here.min_mass))
    gains = np.sum(np.where(there, parts.worth, 0.0), axis=0) - here.known_worth
    allowed = ~np.any(few, axis=0) & (np.sum(there, axis=0) > 1) & ~np.isnan(gains)
    # The rows that the test does not place are one more part.
    rest = np.maximum(here.mass - np.sum(parts.mass, axis=0), 0.0)
    rest = np.where(rest > TIE * here.mass, rest, 0.0)
    shares = np.vstack([np.where(there, parts.mass, 0.0), rest]) / here.mass
    info = -np.sum(shares * np.log2(np.where(shares > 0.0, shares, 1.0)), axis=0)
    return gains, np.maximum(info, 0.0), allowed


def first_best(scores: Sequence[float] | Floats, scale: float) -> int:
    """The first of the scores that are largest up to `scale`."""
    best = 0
    for c in range(1, len(scores)):
        if scores[c] > scores[best] + scale:
            best = c
    return best


class LargestGain:
    """The test with the largest gain."""

    def allowed(self, parts: Parts, info: Floats) -> bool:
        return True

    def within(self, gains: Floats, info: Floats) -> Floats:
        return gains

    def between(self, candidates: Sequence[ScoredTest], here: NodeContext) -> ScoredTest | None:
        return candidates[first_best([found.gain for found in candidates], here.scale)]


class LargestRatio:
    """The test with the largest gain ratio; without split information it is not allowed."""

    def allowed(self, parts: Parts, info: Floats) -> Bools:
        return info > 0.0

    def within(self, gains: Floats, info: Floats) -> Floats:
        return gains / np.where(info > 0.0, info, 1.0)

    def between(self, candidates: Sequence[ScoredTest], here: NodeContext) -> ScoredTest | None:
        return candidates[first_best([found.gain / found.info for found in candidates], here.scale)]


class C45:
    """The largest ratio among tests whose gain is not below the mean of all positive gains; thresholds have a price."""

    def allowed(self, parts: Parts, info: Floats) -> Bools:
        """At least two branches with two rows each."""
        return (info > 0.0) & (np.sum(parts.mass >= 2.0 - TIE, axis=0) >= 2)

    def within(self, gains: Floats, info: Floats) -> Floats:
        return gains

    def between(self, candidates: Sequence[ScoredTest], here: NodeContext) -> ScoredTest | None:
        # n · gain less n · log₂(m − 1)/n.
        gains = np.array([found.gain - found.price for found in candidates])
        positive = gains > here.scale
        if not np.any(positive):
            return None
        mean = np.mean(gains[positive])
        infos = np.array([found.info for found in candidates])
        ratios = np.where(positive & (gains >= mean - here.scale), gains / infos, -np.inf)
        return candidates[first_best(ratios, here.scale)]


CHOICES: dict[TestChoice, ChoiceRule] = {"gain": LargestGain(), "gain_ratio": LargestRatio(), "c4.5": C45()}
