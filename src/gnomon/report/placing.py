"""The model that a search for groups writes: each row goes to the nearest representative.

    group(x) = argminⱼ ‖x − μⱼ‖,    oddness(x) = ‖x − μⱼ‖ / rⱼ  of that j                                    (1)

rⱼ² is the mean of ‖xᵢ − μⱼ‖² over the rows of group j, so 1 is typical. MacQueen (1967), Berkeley Symposium 5.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import Floats, Integers, Matrix
from gnomon.optim import nearest_center

__all__ = ["NearestGroup", "group_spreads"]


class NearestGroup(BaseEstimator):
    """Equation (1); there is nothing to fit.

    Parameters
    ----------
    centers : ndarray of shape (n_groups, n_features)
        μ.
    spreads : ndarray of shape (n_groups,)
        r > 0.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report.placing import NearestGroup
    >>> model = NearestGroup(np.array([[0.0], [10.0]]), np.array([1.0, 2.0]))
    >>> X = np.array([[0.5], [13.0]])
    >>> model.predict(X), model.oddness(X)
    (array([1, 2]), array([0.5, 1.5]))
    """

    def __init__(self, centers: Floats, spreads: Floats):
        self.centers = centers
        self.spreads = spreads

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Matrix, y: object = None) -> Self:
        """Nothing: the groups were found before."""
        return self

    def predict(self, X: Matrix) -> Integers:
        """The number of the group of each row, from 1; the lowest of several."""
        return nearest_center(X, self.centers)[0] + 1

    def oddness(self, X: Matrix) -> Floats:
        """The distance of each row from its representative, in units of what is usual in its group."""
        labels, squares = nearest_center(X, self.centers)
        return np.sqrt(squares) / self.spreads[labels]


def group_spreads(squares: Floats, labels: Integers, k: int) -> Floats:
    """r of (1) from squared distances to the own representative; that of all rows for a group without any spread."""
    overall = float(np.sqrt(np.mean(squares))) or 1.0
    sizes = np.bincount(labels, minlength=k)
    own = np.sqrt(np.bincount(labels, squares, k) / np.maximum(sizes, 1))
    return np.where(own > 0.0, own, overall)
