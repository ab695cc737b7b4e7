"""The confusion matrix.

    N[k, a] = Σ wᵢ [yᵢ = k, aᵢ = a],    k a class, a an action: a class too, or another, such as "reject"       (1)

Rows are true classes, as in scikit-learn ([[TN, FP], [FN, TP]] for two); many books have the predictions in rows,
[[TN, FN], [FP, TP]], so the axes carry their names. Each cell has Wilson's interval. Kohavi & Provost (1998), Glossary
of terms, doi:10.1023/A:1017181826899.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.numerics.curves import ratio
from gnomon.numerics.estimates import share_interval
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import check_weights

__all__ = ["ConfusionMatrix", "confusion_matrix"]

Layout: TypeAlias = Literal["true", "predicted"]
Normalize: TypeAlias = Literal["true", "pred", "all"] | None


class ConfusionMatrix(NamedTuple):
    """Counts (1), in the layout and with the totals that were asked for.

    Fields
    ------
    values : ndarray
        Counts or shares, laid out as `rows` says.
    counts : ndarray of shape (n_classes, n_actions)
        The counts (1), rows true, whatever the layout.
    classes, actions : ndarray
        The true labels; those of the actions: the classes, then what else was predicted.
    rows : {"true", "predicted"}
    normalize : {"true", "pred", "all"} or None

    References
    ----------
    Kohavi, R. & Provost, F. (1998). Glossary of terms. doi:10.1023/A:1017181826899

    Examples
    --------
    >>> from gnomon.evaluation import confusion_matrix
    >>> matrix = confusion_matrix([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], rows="predicted")
    >>> matrix.values.tolist(), matrix.axes
    ([[1.0, 1.0], [1.0, 2.0]], ('predicted', 'true'))
    """

    values: Floats
    counts: Floats
    classes: Array
    actions: Array
    rows: Layout
    normalize: Normalize

    @property
    def axes(self) -> tuple[str, str]:
        """What stands in the rows, and in the columns."""
        return ("true", "predicted") if self.rows == "true" else ("predicted", "true")

    @property
    def true_totals(self) -> Floats:
        """Rows of each class: p₋ and p₊ of two."""
        return np.sum(self.counts, axis=1)

    @property
    def predicted_totals(self) -> Floats:
        """Rows that met each action: n₋ and n₊ of two."""
        return np.sum(self.counts, axis=0)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Wilson's interval of every cell, as a share of its class, of its action or of all; counts as counts."""
        whole = _whole(self.counts, self.normalize)
        ends = share_interval(self.counts, whole, level)
        low, high = (end * (whole if self.normalize is None else 1.0) for end in ends)
        return _laid_out(low, self.rows), _laid_out(high, self.rows)

    def __str__(self) -> str:
        names = [list(map(str, labels)) for labels in (self.classes, self.actions)]
        down, across = names if self.rows == "true" else names[::-1]
        cells = [["", *across], *([name, *(f"{v:.4g}" for v in row)] for name, row in zip(down, self.values.tolist(),
                                                                                        strict=True))]  # fmt: skip
        width = max(len(cell) for line in cells for cell in line)
        lines = ["  ".join(cell.rjust(width) for cell in line) for line in cells]
        return "\n".join([f"rows {self.axes[0]}, columns {self.axes[1]}", *lines])


def confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    rows: Layout = "true",
    normalize: Normalize = None,
    sample_weight: ArrayLike | None = None,
) -> ConfusionMatrix:
    """Counts of true classes against predictions, equation (1).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        A prediction that is no class, such as the label of rejected rows, is an action of its own.
    labels : array-like, optional
        The classes in their order; those of `y_true`, sorted, by default.
    rows : {"true", "predicted"}, default="true"
        What stands in the rows.
    normalize : {"true", "pred", "all"}, optional
        Shares of the class, of the action or of all rows, in place of counts.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    ConfusionMatrix

    References
    ----------
    Kohavi, R. & Provost, F. (1998). Glossary of terms. doi:10.1023/A:1017181826899

    Examples
    --------
    >>> from gnomon.evaluation import confusion_matrix
    >>> print(confusion_matrix(["cat", "dog", "dog"], ["cat", "dog", "reject"]))
    rows true, columns predicted
               cat     dog  reject
       cat       1       0       0
       dog       0       1       1
    """
    check_choice("rows", rows, get_args(Layout))
    check_choice("normalize", normalize, (*get_args(get_args(Normalize)[0]), None))
    true, predicted = np.asarray(y_true), np.asarray(y_pred)
    if true.ndim != 1 or predicted.shape != true.shape or not len(true):
        raise ValueError(
            f"y_true of shape {true.shape} and y_pred of shape {predicted.shape} must be one label for each row"
        )
    weights = check_weights(sample_weight, np.zeros((len(true), 1)))
    known = weights > 0.0
    (found, row), (called, column) = (np.unique(part[known], return_inverse=True) for part in (true, predicted))
    classes = found if labels is None else np.asarray(labels)
    names = classes.tolist()
    if lacking := [label for label in found.tolist() if label not in names]:
        raise ValueError(f"y_true has the labels {lacking[:5]} that labels={names} lacks; add them")
    names += [label for label in called.tolist() if label not in names]
    places = [np.array([names.index(label) for label in part.tolist()]) for part in (found, called)]
    shape = len(classes), len(names)
    cells = places[0][row] * len(names) + places[1][column]
    counts: Floats = 1.0 * np.bincount(cells, weights[known], minlength=shape[0] * shape[1]).reshape(shape)
    actions = np.array(names) if len(names) > len(classes) else classes
    values = counts if normalize is None else ratio(counts, _whole(counts, normalize))
    return ConfusionMatrix(_laid_out(values, rows), counts, classes, actions, rows, normalize)


def _whole(counts: Floats, normalize: Normalize) -> Floats:
    """What each cell is a share of."""
    axis = {"true": 1, "pred": 0}.get(normalize or "all")
    return np.broadcast_to(np.sum(counts, axis=axis, keepdims=True), counts.shape)


def _laid_out(values: Floats, rows: Layout) -> Floats:
    return values if rows == "true" else values.T
