"""What a transformation of rows is.

    (X, y, generator) → (X', y),    as many rows, of the same shape, with the labels that they had                (1)

A class that is invariant under (1) may be taught so by rows that were changed by it: Simard, Steinkraus & Platt (2003),
doi:10.1109/ICDAR.2003.1227801.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

import numpy as np

from gnomon._typing import Array, Floats

__all__ = ["Augmentation", "Transformation", "augment_rows", "check_augment"]

Augmentation: TypeAlias = Callable[[Any, Any, np.random.Generator], tuple[Any, Any]]
"""A transformation, or any function (X, y, generator) → (X', y)."""


class Transformation(ABC):
    """Base of transformations: frozen dataclasses whose numbers say how strong they are.

    References
    ----------
    Simard, P. Y., Steinkraus, D. & Platt, J. C. (2003). Best practices for convolutional neural networks applied to
    visual document analysis. doi:10.1109/ICDAR.2003.1227801

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.transfer import AddNoise
    >>> X, y = AddNoise(0.1)(np.zeros((2, 2)), np.array([0, 1]), np.random.default_rng(0))
    >>> X.round(2), y
    (array([[ 0.01, -0.01],
           [ 0.06,  0.01]]), array([0, 1]))
    """

    def __call__(self, X: Floats, y: Array, rng: np.random.Generator) -> tuple[Floats, Array]:
        """Changed rows, and the labels as they were."""
        X = np.asarray(X)
        rows = X if X.dtype.kind == "f" else X.astype(float)
        return self.change(rows, rng).astype(rows.dtype, copy=False), y

    @abstractmethod
    def change(self, X: Floats, rng: np.random.Generator) -> Floats:
        """Rows with a change of its own for each."""


def check_augment(augment: Any) -> tuple[Augmentation, ...]:
    """The transformations of an option that is None, one of them, or a sequence.

    References
    ----------
    Simard, P. Y., Steinkraus, D. & Platt, J. C. (2003). Best practices for convolutional neural networks applied to
    visual document analysis. doi:10.1109/ICDAR.2003.1227801

    Examples
    --------
    >>> from gnomon.numerics.augment import AddNoise, check_augment
    >>> check_augment(AddNoise(0.1)), check_augment(None)
    ((AddNoise(sigma=0.1),), ())
    """
    if augment is None:
        return ()
    found = tuple(augment) if isinstance(augment, Sequence) and not isinstance(augment, str) else (augment,)
    wrong = [step for step in found if not callable(step)]
    if wrong:
        raise ValueError(
            f"augment={wrong[0]!r} must be a transformation or a function (X, y, rng) → (X, y); "
            "give one of gnomon.transfer, or a list of them"
        )
    return found


def augment_rows(augment: Sequence[Augmentation], X: Any, y: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """Rows changed by one transformation after the other; each gets copies, which it may write to.

    Parameters
    ----------
    augment : sequence of Augmentation
    X : ndarray
    y : ndarray, sequence of ndarray, or None
        Labels; a step that returns others is refused.
    rng : numpy.random.Generator

    Returns
    -------
    X', y

    References
    ----------
    Simard, P. Y., Steinkraus, D. & Platt, J. C. (2003). Best practices for convolutional neural networks applied to
    visual document analysis. doi:10.1109/ICDAR.2003.1227801

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.augment import Intensity, Shift, augment_rows
    >>> changed, _ = augment_rows([Shift(1), Intensity(0.0, 0.5)], np.eye(3)[None], None, np.random.default_rng(0))
    >>> changed[0].round(2)
    array([[-0.46, -0.46, -0.46],
           [ 0.54, -0.46, -0.46],
           [-0.46,  0.54, -0.46]])
    """
    for step in augment:
        given = X.shape
        X, labels = step(np.array(X), deepcopy(y), rng)
        if np.shape(X) != given:
            raise ValueError(f"augment={step!r} made rows of shape {np.shape(X)} of {given}; it must keep the shape")
        if not _are_equal(labels, y):
            raise ValueError(
                f"augment={step!r} returned other labels than it was given; it must return y as it was, for rows in "
                "the order that they had"
            )
    return X, y


def _are_equal(labels: Any, y: Any) -> bool:
    if y is None:
        return labels is None
    if isinstance(y, np.ndarray):
        return np.array_equal(labels, y)
    return len(labels) == len(y) and all(map(np.array_equal, labels, y))
