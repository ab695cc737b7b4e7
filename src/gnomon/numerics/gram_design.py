"""The rows of a Gram matrix as a design.

    f = Kβ,    a step in βᵢ:  f ← f + c K[i]                                                      (1)

A solver that visits rows of a `Design` reads xᵢᵀw and adds c xᵢ to w. In the feature space of a kernel w may have no
end, but there are n scores: with θ = f the first is an entry of f and the second adds a row of K, so the same compiled
text runs on both. Aizerman, Braverman & Rozonoer (1964), Automation and Remote Control 25, 821–837.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gnomon._jit import noun, verb
from gnomon._typing import Floats
from gnomon.numerics.design import Intercept

__all__ = ["GramDesign", "GramVectors"]


@noun
class GramVectors:
    """The rows of a C-contiguous Gram matrix, for which v is the vector of all scores.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.gram_design import GramVectors
    >>> f, rows = np.zeros(2), GramVectors(np.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> rows.add(1, 0.5, f)
    >>> f, float(rows.dot(1, f)), float(rows.squared_norm(1))
    (array([0.5, 1.5]), 1.5, 3.0)
    """

    K: Floats

    @verb
    def dot(self, i: int, v: Floats) -> float:
        return v[i]

    @verb
    def add(self, i: int, c: float, v: Floats) -> None:
        for j in range(self.K.shape[1]):
            v[j] += c * self.K[i, j]

    @verb
    def squared_norm(self, i: int) -> float:
        return self.K[i, i]

    @verb
    def count(self, i: int) -> int:
        return self.K.shape[1]

    @verb
    def index(self, i: int, k: int) -> int:
        return k


@dataclass(frozen=True, eq=False)
class GramDesign:
    """A Gram matrix with θ = f, the scores of all rows.

    Parameters
    ----------
    X : ndarray of shape (n, n)
        K, symmetric.
    intercept : "none"
    bias : float

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.gram_design import GramDesign
    >>> design = GramDesign(np.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> design.adjoint(np.array([0.0, 0.5])), design.apply(np.array([[0.5, 1.5]]))
    (array([0.5, 1.5]), array([[0.5],
           [1.5]]))
    """

    X: Floats
    intercept: Intercept = "none"
    bias: float = 1.0

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def width(self) -> int:
        """Length of θ, as many as rows."""
        return len(self.X)

    def apply(self, theta: Floats) -> Floats:
        """The scores: θ itself."""
        return np.array(theta.T)

    def adjoint(self, g: Floats) -> Floats:
        """Kg."""
        return self.X @ g

    def split(self, theta: Floats) -> tuple[Floats, float]:
        """θ and no intercept."""
        return theta, 0.0

    @cached_property
    def rows(self) -> Any:
        """The rows of K for compiled loops."""
        return GramVectors(np.ascontiguousarray(self.X))
