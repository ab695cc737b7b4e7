"""Classes of a kernel machine: signs of the problems behind them, and the class that scores mean.

two classes: one problem, f > 0 → classes[1];    K classes: one against the rest for each, argmax              (1)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon._typing import Array, Floats, Integers
from gnomon.base import kernel_rows
from gnomon.numerics.coding import label_index

__all__ = ["classes_of", "read_classes", "signs_against_rest"]


def read_classes(model: Any, X: Any, y: Any) -> tuple[Any, Integers]:
    """The rows, and the place of every label in `classes_`, which is set; ValueError for one class alone."""
    rows, y = kernel_rows(model, X, y, kernel=model.kernel, accept_sparse="csr", copy=True)
    index, model.classes_ = label_index(y)
    if len(model.classes_) < 2:
        raise ValueError(f"y has only one class, {model.classes_.tolist()}; classification needs two or more classes")
    return rows, index


def signs_against_rest(index: Integers, n_classes: int) -> list[Floats]:
    """±1 for each problem: one for two classes, else one for each class."""
    return [np.where(index == k, 1.0, -1.0) for k in ([1] if n_classes == 2 else range(n_classes))]


def classes_of(classes: Array, scores: Floats) -> Array:
    """The class of every row; a score of zero belongs to the first."""
    return classes[(scores > 0.0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)]
