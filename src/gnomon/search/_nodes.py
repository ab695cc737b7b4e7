"""What every splitter does with a node: whether it may be divided, the gain of a split, its children.

    divide if it is neither too small, too deep nor pure;  gain = merit(left) + merit(right) − merit(node)         (1)

Breiman et al. (1984), Classification and Regression Trees, doi:10.1201/9781315139470.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import noun, subroutine
from gnomon.search._column_splits import below
from gnomon.search._criterion import ROUNDING
from gnomon.search._cuts import CHOSEN, TIE, merit_within
from gnomon.search.tree import LEAF


@noun
class Limits:
    """When a node is divided, where in ``work.sums`` its sums are, from how many rows on it has a histogram."""

    max_depth: int
    min_rows_split: int
    min_rows: float
    min_mass: float
    min_gain: float
    max_features: int
    many_classes: bool
    counting: bool
    outputs: int
    total: int
    support: float
    at_edges: bool
    fewest: int


class Assessment(NamedTuple):
    """Whether a node may be divided, its merit, the tolerance of differences of merits, the merit of pure parts."""

    open: bool
    undivided: float
    scale: float
    perfect: float


@subroutine
def assess_node(criterion, limits, nodes, node, sums, bounds, purest):
    """Make the node a leaf until a split is recorded, and assess whether and what a split must gain.

    Its sums are at ``limits.total``; a node whose impurity is at most `purest` stays a leaf.
    """
    here, at = nodes[node], limits.total
    here.feature, here.gain = LEAF, -1.0
    here.worth, here.mass = criterion.worth(sums, at), criterion.mass(sums, at)
    impurity, merit = -here.worth, merit_within(criterion, sums, at, bounds)
    divisible = (
        here.stop - here.start >= limits.min_rows_split
        and here.depth < limits.max_depth
        and impurity > (purest + ROUNDING) * here.mass
    )
    scale = TIE * abs(impurity) + ROUNDING * abs(merit)
    stepping = purest == -np.inf
    return Assessment(divisible, merit, scale, np.inf if stepping else merit + impurity - scale)


@subroutine
def record_split(nodes, node, best, assessed, limits, bounds):
    """Record the best split of a node if it gains enough; whether it does."""
    gain = best.score - assessed.undivided
    # A Newton step must gain something; an impure node is divided even with a gain of zero.
    stepping = assessed.perfect == np.inf
    if best.feature < 0 or (gain <= assessed.scale if stepping else gain < limits.min_gain - assessed.scale):
        return False
    here = nodes[node]
    here.gain = gain if gain > 0.0 else 0.0
    here.feature, here.threshold, here.missing, here.cut = best.feature, best.threshold, best.missing, best.cut
    if bounds is not None:
        here.value = bounds[CHOSEN]
    return True


@subroutine
def make_children(nodes, node, made):
    """The two children of a node, numbered from `made`."""
    here = nodes[node]
    here.first = made
    for b in range(2):
        child = nodes[made + b]
        child.start = here.start if b == 0 else here.middle
        child.stop = here.middle if b == 0 else here.stop
        child.depth = here.depth + 1
        child.first, child.slot = 0, -1


@subroutine
def begin_block(nodes, node, made, most):
    """Set the block of the children; whether it begins here, with the first node of at most so many rows.

    Depth first, the whole subtree is grown before any other node.
    """
    here = nodes[node]
    begins = here.block < 0 and here.stop - here.start <= most
    for b in range(2):
        child = nodes[made + b]
        child.block = here.start if begins else here.block
        child.block_stop = here.stop if begins else here.block_stop
    return begins


@subroutine
def draw_columns(features, seed, first, stop):
    """Draw the columns number first … stop − 1 from those not drawn, unless that is all of them; return `stop`.

    The order drawn is kept, so that among equal splits no column is preferred for its number.
    """
    p = len(features)
    for turn in range(first, stop if stop - first < p else first):
        pick = turn + below(seed, p - turn)
        features[turn], features[pick] = features[pick], features[turn]
    return stop
