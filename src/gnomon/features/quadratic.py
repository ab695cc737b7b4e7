"""Quadratic expansion.

    φ(x) = [vec(xxᵀ); x],    xᵀA x + bᵀx = [vec(A); b]ᵀ φ(x)                                       (1)

Every score of a Gaussian classifier is linear in φ. Bishop (2006), Pattern Recognition and Machine Learning,
section 4.2, ISBN 978-0-387-31073-2.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy import sparse

from gnomon._typing import Array
from gnomon.features._base import FeatureMap, Rows, join_columns, refuse_overflow
from gnomon.numerics.monomials import expand

__all__ = ["QuadraticExpansion"]


class QuadraticExpansion(FeatureMap):
    """All products of two columns, then the columns: φ(x) = [vec(xxᵀ); x], with D² + D columns.

    Parameters
    ----------
    symmetric : bool, default=False
        Write each product once, cross terms times √2: D(D+1)/2 + D columns with the same inner products, so an
        L2-penalised linear model in them is the same model.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen in `fit`.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 4.2. ISBN 978-0-387-31073-2.

    Examples
    --------
    >>> from gnomon.features import QuadraticExpansion
    >>> QuadraticExpansion().fit_transform([[1.0, 2.0]]).tolist()
    [[1.0, 2.0, 2.0, 4.0, 1.0, 2.0]]
    >>> QuadraticExpansion(symmetric=True).fit_transform([[1.0, 2.0]]).round(4).tolist()
    [[1.0, 2.8284, 4.0, 1.0, 2.0]]
    """

    _sparse = True

    learns_nothing = True

    def __init__(self, *, symmetric: bool = False):
        self.symmetric = symmetric

    def _map(self, X: Rows) -> Rows:
        return join_columns(self._products(refuse_overflow(expand(X, 2, low=2), X)), X)

    def _products(self, upper: Rows) -> Rows:
        """From x_i x_j with i ≤ j, either those times 1 or √2, or all pairs."""
        d = self.n_features_in_
        rows, columns = np.triu_indices(d)
        if self.symmetric:
            return upper @ sparse.diags_array(np.where(rows == columns, 1.0, sqrt(2.0)).astype(upper.dtype))
        place = np.empty((d, d), dtype=np.intp)
        place[rows, columns] = place[columns, rows] = np.arange(len(rows))
        return upper[:, place.ravel()]

    def _names(self, names: Array) -> list[str]:
        d = len(names)
        # vec stacks columns: the row index runs fastest.
        pairs = np.transpose(np.triu_indices(d)) if self.symmetric else [(i, j) for j in range(d) for i in range(d)]
        return [f"{names[i]} {names[j]}" if i != j else f"{names[i]}^2" for i, j in pairs] + list(names)
