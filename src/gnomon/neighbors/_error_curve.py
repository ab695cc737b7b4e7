"""The error of a model by nearest neighbours for several k, from one search.

    E(k) = mean over rows of loss(y, ŷ_k(x)),    ŷ_k from the first k of the neighbours that were found              (1)

Hastie, Tibshirani & Friedman (2009), section 2.3.3: n/k is the effective number of parameters.
"""

from __future__ import annotations

from typing import NamedTuple

from gnomon._typing import Floats, Integers

__all__ = ["ErrorCurve"]


class ErrorCurve(NamedTuple):
    """Errors for several numbers of neighbours.

    Fields
    ------
    ks : ndarray of int
    errors : ndarray
        Share of wrong labels, or mean squared error.
    effective_dof : ndarray
        n/k.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 2.3.3.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from gnomon.neighbors import KNeighborsRegressor
    >>> model = KNeighborsRegressor().fit([[0.0], [1.0], [2.0], [4.0], [7.0]], [0, 0, 1, 1, 1])
    >>> curve = model.error_curve([[0.0], [1.0], [2.0], [4.0], [7.0]], [0, 0, 1, 1, 1])
    >>> curve.errors.round(7)
    array([0.       , 0.05     , 0.1555556, 0.175    , 0.24     ])
    >>> curve.best_k
    1
    """

    ks: Integers
    errors: Floats
    effective_dof: Floats

    @property
    def best_k(self) -> int:
        """The smallest k of least error."""
        return int(self.ks[self.errors.argmin()])
