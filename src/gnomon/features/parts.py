"""Positive and negative part.

    φ(x) = (max(x, 0), max(−x, 0)),    x = φ₁ − φ₂                                                  (1)

A linear model in φ has its own slope on either side of zero. Nair & Hinton (2010), Rectified linear units improve
restricted Boltzmann machines, https://icml.cc/Conferences/2010/papers/432.pdf.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from gnomon._typing import Array
from gnomon.features._base import InvertibleMap, Rows, join_columns

__all__ = ["PosNegPart"]


class PosNegPart(InvertibleMap):
    """Positive parts of all columns, then their negative parts; sparse rows stay sparse.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen in `fit`.

    References
    ----------
    Nair, V. & Hinton, G. E. (2010). Rectified linear units improve restricted Boltzmann machines. ICML.

    Examples
    --------
    >>> from gnomon.features import PosNegPart
    >>> PosNegPart().fit_transform([[-1.0], [0.5]]).tolist()
    [[0.0, 1.0], [0.5, 0.0]]
    """

    _sparse = True

    learns_nothing = True

    def _map(self, X: Rows) -> Rows:
        positive = X.maximum(0) if sparse.issparse(X) else np.maximum(X, 0)
        return join_columns(positive, positive - X)

    def _unmap(self, Z: Rows) -> Rows:
        d = self.n_features_in_
        return Z[:, :d] - Z[:, d:]

    def _names(self, names: Array) -> list[str]:
        return [f"{name}{sign}" for sign in "+-" for name in names]
