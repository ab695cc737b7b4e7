"""The width that the spread of the rows suggests.

    γ = 1 / (d Var X),    Var X of all entries, rows with their weights                              (1)

The rule of scikit-learn's support vector machines for ``gamma="scale"``.
"""

from typing import Any

import numpy as np

from gnomon._typing import Array, Floats, is_sparse

__all__ = ["gamma_of_spread"]


def gamma_of_spread(X: Any, weights: Floats) -> float:
    """Equation (1), in a unit in which squares do not overflow; 1 where all entries are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neighbors._spread import gamma_of_spread
    >>> X = np.array([[0.0], [2.0]])
    >>> gamma_of_spread(X, np.ones(2)), gamma_of_spread(X, np.array([1.0, 3.0]))
    (1.0, 1.3333333333333333)
    """
    entries: Array = X.tocsr().data if is_sparse(X) else X
    unit = float(np.max(np.abs(entries), initial=0.0)) or 1.0
    shares = weights / np.sum(weights)
    Z: Any = X / unit
    mean = float(shares @ np.ravel(Z.mean(axis=1)))
    squares = Z.multiply(Z).mean(axis=1) - mean**2 if is_sparse(X) else np.mean((Z - mean) ** 2, axis=1)
    variance = float(shares @ np.ravel(squares))
    return 1.0 / (X.shape[1] * variance) / unit / unit if variance > 0.0 else 1.0
