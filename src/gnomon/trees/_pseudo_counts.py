"""Class frequencies with pseudo-counts, kept in addition to the plain ones.

    p_k = (n_k + α) / (n + α K)                                                                                      (1)

A tree keeps the frequencies n_k/n, which pruning, plots and exports use, and (1) in ``extra["smoothed"]``, which
predictions use. Laplace's rule of succession; for leaves of trees: Provost & Domingos (2003),
doi:10.1023/A:1024099825458.
"""

from __future__ import annotations

from dataclasses import replace

from gnomon._typing import Floats
from gnomon.search import Tree

__all__ = ["smoothed_tree", "with_smoothed"]


def with_smoothed(tree: Tree, answers: Floats) -> Tree:
    """The tree that predicts `answers`, and keeps its frequencies."""
    return replace(tree, extra={**tree.extra, "smoothed": answers})


def smoothed_tree(tree: Tree) -> Tree:
    """The tree with the answers that predictions use: the smoothed ones, if it has any."""
    return tree.with_answers(tree.extra["smoothed"]) if "smoothed" in tree.extra else tree
