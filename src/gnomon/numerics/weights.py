"""Sample and class weights.

    n = Σᵢ sᵢ                                                                                     (1)

A weight of two is the row twice, so every count and every mean is taken with weights: frequency weights in the words of
Lumley (2010), Complex Surveys, doi:10.1002/9780470580066.
"""

import numpy as np
from sklearn.utils.validation import _check_sample_weight

__all__ = ["check_weights"]


def check_weights(sample_weight, X):
    """Sample weights as an array of X's floating type; ones by default.

    Raises ValueError for negative weights and for weights that are all zero.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), float or None
    X : ndarray or sparse matrix of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples,)

    References
    ----------
    Lumley, T. (2010). Complex Surveys: A Guide to Analysis Using R. doi:10.1002/9780470580066

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.weights import check_weights
    >>> check_weights(None, np.zeros((3, 1)))
    array([1., 1., 1.])
    """
    if sample_weight is not None and not np.any(np.asarray(sample_weight)):
        raise ValueError("sample_weight is zero for every row; at least one row needs a positive weight")
    weights = _check_sample_weight(sample_weight, X, dtype=X.dtype)
    if np.any(weights < 0):
        worst = int(np.argmin(weights))
        raise ValueError(
            f"sample_weight[{worst}]={weights[worst]:g} is negative; weights must be ≥ 0, remove such rows"
        )
    return weights
