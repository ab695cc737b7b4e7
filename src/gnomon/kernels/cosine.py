"""The cosine of the angle between two rows.

    k(x, x') = xᵀx' / (‖x‖ ‖x'‖),    0 where a row is zero                                        (1)

Salton & McGill (1983), Introduction to Modern Information Retrieval, section 4.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from gnomon._typing import Floats, is_sparse
from gnomon.kernels._base import noun
from gnomon.kernels._rows import NumericRows, as_rows, same_width
from gnomon.kernels.dot_product import DotProduct

__all__ = ["Cosine"]


@noun
class Cosine(DotProduct):
    """The cosine of the angle between two rows; ``kernel.normalized()`` is that of any kernel.

    References
    ----------
    Salton, G. & McGill, M. J. (1983). Introduction to Modern Information Retrieval, section 4.1. McGraw-Hill.

    Examples
    --------
    >>> from gnomon.kernels import Cosine
    >>> Cosine().gram([[1.0, 1.0], [0.0, 0.0]], [[2.0, 0.0]])
    array([[0.70710678],
           [0.        ]])
    """

    def prepare(self, A: Any, like: NumericRows | None = None) -> NumericRows:
        """Rows of length one."""
        return NumericRows(self.features(same_width(self, as_rows(A), like)))

    def profile(self, t: Floats) -> Floats:
        """t."""
        return t

    def map_size(self, A: Any) -> float:
        """The columns."""
        return np.shape(A)[1]

    def features(self, X: Any) -> Any:
        """Rows of length one, whose inner products are the kernel."""
        rows = as_rows(X)
        if is_sparse(rows):
            return normalize(rows)
        # The largest entry goes first: squares of the rest neither overflow nor vanish.
        largest = np.max(np.abs(rows), axis=1, keepdims=True, initial=0.0)
        rows = rows / np.where(largest > 0.0, largest, 1.0)
        return normalize(rows) if len(rows) else rows
