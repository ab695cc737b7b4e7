"""The label of rows to which a classifier gives none of its classes: refused, unknown, or outliers.

    −1 where labels are numbers, a word where they are strings, unless the user says otherwise                     (1)

Chow (1970), On optimum recognition error and reject tradeoff, doi:10.1109/TIT.1970.1054406.
"""

from __future__ import annotations

import numpy as np

from gnomon._typing import Array, ArrayLike

__all__ = ["check_kind", "check_spare", "spare_label"]


def spare_label(given: object, labels: ArrayLike, word: str) -> object:
    """The label that the user gave, else that of (1) beside these labels.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base.spare_labels import spare_label
    >>> spare_label(None, np.array([3, 5]), "reject"), spare_label(None, np.array(["a", "b"]), "reject")
    (-1, 'reject')
    """
    if given is not None:
        return given
    return word if _are_words(labels) else -1


def check_spare(name: str, label: object, classes: Array) -> object:
    """Return `label`; ValueError if it is one of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base.spare_labels import check_spare
    >>> check_spare("reject_label", "b", np.array(["a", "b"]))
    Traceback (most recent call last):
    ...
    ValueError: reject_label='b' is one of the classes ['a', 'b']; set reject_label to another label
    """
    if label in classes.tolist():
        raise ValueError(f"{name}={label!r} is one of the classes {classes.tolist()}; set {name} to another label")
    return label


def check_kind(name: str, label: object, classes: Array) -> object:
    """Return `label`; ValueError if it is a number among strings, or a string among numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base.spare_labels import check_kind
    >>> check_kind("reject_label", -1, np.array(["a", "b"]))
    Traceback (most recent call last):
    ...
    ValueError: reject_label=-1 is of another kind than the classes ['a', 'b']; give a number for numbers, a string ...
    """
    if np.asarray(label).ndim != 0 or _are_words(label) != _are_words(classes):
        raise ValueError(
            f"{name}={label!r} is of another kind than the classes {classes.tolist()}; give a number for numbers, a "
            "string for strings"
        )
    return label


def _are_words(labels: object) -> bool:
    return np.asarray(labels).dtype.kind in "USO"
