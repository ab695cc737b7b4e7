"""Labels of one output or of several.

    answers = class frequencies of output 1, …, of output q, side by side, as many each as the largest K             (1)

Names and shapes are scikit-learn's: of one output `classes_` is an array and `predict_proba` a matrix, of several both
are lists (Pedregosa et al. 2011, JMLR 12).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.search import Tree

__all__ = ["ClassCounts", "ClassLabels", "ClassShares", "counts_of", "labels_of", "refuse_several", "shares_of"]

ClassLabels: TypeAlias = Array | Any
"""The classes of one output, or a list of those of several; which of them, only `fit` knows: see `ClassShares`."""

ClassCounts: TypeAlias = int | Any
"""The number of classes of one output, or those of several."""

ClassShares: TypeAlias = Floats | Any
"""Class frequencies of one output, or a list of those of several.

A union with a list would have a checker refuse ``predict_proba(X)[:, 1]``, which is right for one output.
"""


def counts_of(classes: ClassLabels) -> ClassCounts:
    """The number of classes: one number, or one for each output."""
    return [len(some) for some in classes] if isinstance(classes, list) else len(classes)


def shares_of(classes: ClassLabels, answers: Floats) -> ClassShares:
    """The class frequencies (1) of each row: a matrix, or one for each output."""
    if not isinstance(classes, list):
        return answers
    K = answers.shape[1] // len(classes)
    return [answers[:, o * K : o * K + len(some)] for o, some in enumerate(classes)]


def labels_of(classes: ClassLabels, answers: Floats) -> Array:
    """The most frequent class of each row and output."""
    if not isinstance(classes, list):
        return classes[np.argmax(answers, axis=1)]
    found = [some[np.argmax(shares, axis=1)] for some, shares in zip(classes, shares_of(classes, answers), strict=True)]
    return np.column_stack(found)


def check_answers(owner: Any, tree: Tree) -> None:
    """Refuse a tree that reads other columns, or answers other classes, than its owner does."""
    classes = vars(owner).get("classes_")
    if tree.n_features != owner.n_features_in_:
        raise ValueError(f"a tree of {tree.n_features} columns is in a model of {owner.n_features_in_}")
    sizes: Any = [] if classes is None else np.atleast_1d(counts_of(classes))
    if classes is not None and tree.answers.shape[1] != len(sizes) * max(sizes):
        raise ValueError(f"a tree has {tree.answers.shape[1]} answers for {sizes} classes")


def refuse_several(classes: ClassLabels | None, **options: object) -> None:
    """Refuse options that support one output only; `options` maps their names to whether they are used."""
    asked = [name for name, there in options.items() if there]
    if isinstance(classes, list) and asked:
        raise ValueError(f"{asked[0]} goes with one output, and y has {len(classes)}; leave it out, or fit a model to "
                         "each column of y")  # fmt: skip
