"""Answers with pseudo-counts, beside the frequencies of the rows.

    p_k = (n_k + α) / (n + α K)                                                                                      (1)

A tree keeps the frequencies n_k/n, by which it is pruned, drawn and told, and (1) in ``extra["smoothed"]``, by which it
answers. Laplace's rule of succession; for leaves of trees: Provost & Domingos (2003), doi:10.1023/A:1024099825458.
"""

from dataclasses import replace

__all__ = ["answering", "with_smoothed"]


def with_smoothed(tree, answers):
    """The tree that answers with `answers`, and keeps its frequencies."""
    return replace(tree, extra={**tree.extra, "smoothed": answers})


def answering(tree):
    """The tree whose answers are those that are given."""
    return tree.with_answers(tree.extra["smoothed"]) if "smoothed" in tree.extra else tree
