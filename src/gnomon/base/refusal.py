"""The reject option: which rows are rejected, under which label, and how often.

    refuse x  where  max_k s_k(x) < θ   or   s_(1)(x) − s_(2)(x) < m                                       (1)

s are scores or probabilities of the classes, larger is better, θ is `reject_threshold` and m `reject_margin`. Chow
(1970), On optimum recognition error and reject tradeoff, doi:10.1109/TIT.1970.1054406.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from gnomon._typing import Array, Bools, Floats
from gnomon.base.spare_labels import check_kind, check_spare, spare_label
from gnomon.numerics.validation import check_interval, check_non_negative

__all__ = ["AnswerReport", "Refusal", "insert_label"]


class AnswerReport(NamedTuple):
    """How often a classifier answers, and how often it is right when it does.

    Parameters
    ----------
    coverage : float
        Weighted share of the rows that got an answer.
    accuracy : float
        Weighted share of right answers among these; NaN without any.
    n_rejected : int
        Number of rows that got none.

    Examples
    --------
    >>> from gnomon.base.refusal import AnswerReport
    >>> AnswerReport(0.9, 0.99, 10).coverage
    0.9
    """

    coverage: float
    accuracy: float
    n_rejected: int


@dataclass(frozen=True)
class Refusal:
    """Equation (1), and what refused rows are called.

    Parameters
    ----------
    threshold, margin : float or None
        θ and m; a limit that is None refuses nothing.
    label : label or None
        None: −1 for numbers, "reject" for strings.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base.refusal import Refusal
    >>> Refusal(threshold=0.5).of(np.array([[0.9, 0.1], [0.4, 0.3]]))
    array([False,  True])
    """

    threshold: float | None = None
    margin: float | None = None
    label: Any = None

    @property
    def asked(self) -> bool:
        """Whether there is a limit."""
        return self.threshold is not None or self.margin is not None

    def checked(self) -> Self:
        """The same; ValueError where a limit is no limit."""
        if self.threshold is not None:
            check_interval("reject_threshold", self.threshold)
        if self.margin is not None:
            check_non_negative("reject_margin", self.margin)
        return self

    def of(self, scores: Floats) -> Bools:
        """The rows that (1) refuses, as a mask; with one class there is no second, and only θ can refuse."""
        refused = np.zeros(len(scores), dtype=bool)
        if self.threshold is not None:
            refused |= np.max(scores, axis=1) < self.threshold
        if self.margin is not None and scores.shape[1] > 1:
            top = np.partition(scores, -2, axis=1)[:, -2:]
            # Two infinite scores are equally good.
            refused |= np.where(top[:, 0] == top[:, 1], 0.0, top[:, 1] - top[:, 0]) < self.margin
        return refused

    def label_for(self, classes: Array) -> Any:
        """The label of refused rows; ValueError if it is a class, or of another kind than the classes."""
        label = check_kind("reject_label", spare_label(self.label, classes, "reject"), classes)
        return check_spare("reject_label", label, classes)


def insert_label(labels: Array, rejected: Bools, label: object) -> Array:
    """`labels` with `label` in the rows that are `rejected`, in a type that holds both.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base.refusal import insert_label
    >>> insert_label(np.array(["a", "b"]), np.array([False, True]), "reject").tolist()
    ['a', 'reject']
    """
    return np.where(rejected, np.asarray(label, dtype=object if labels.dtype.kind == "O" else None), labels)
