"""k-means with a price for each cluster.

    minimise over k and centres    Σᵢ minⱼ ‖xᵢ − μⱼ‖² + λ k                                          (1)

A row farther than √λ from all centres becomes one; then means are taken, until nothing changes. Kulis & Jordan (2012),
Revisiting k-means: new algorithms via Bayesian nonparametrics, ICML.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array

from gnomon._typing import Floats, Integers, MatrixLike
from gnomon.numerics.validation import FLOATS, check_integer, check_positive
from gnomon.optim import nearest_center

__all__ = ["PricedClusters", "dp_means"]


class PricedClusters(NamedTuple):
    """The end of `dp_means`.

    Fields
    ------
    centers : ndarray of shape (k, d)
    labels : ndarray of int of shape (n,)
    objective : float
        The value of (1).
    history : ndarray
        (1) after every round; it never rises.

    References
    ----------
    Kulis, B. & Jordan, M. I. (2012). Revisiting k-means: new algorithms via Bayesian nonparametrics. ICML.

    Examples
    --------
    >>> from gnomon.cluster import dp_means
    >>> dp_means([[0.0], [1.0], [10.0], [11.0]], 9.0).objective
    19.0
    """

    centers: Floats
    labels: Integers
    objective: float
    history: Floats


def dp_means(X: MatrixLike, penalty: float, *, max_iter: int = 300) -> PricedClusters:
    """Minimise (1) from one cluster on: a local minimum.

    Parameters
    ----------
    X : array-like of shape (n, d)
    penalty : float
        λ > 0, in squared units of X.
    max_iter : int, default=300

    Returns
    -------
    PricedClusters

    References
    ----------
    Kulis, B. & Jordan, M. I. (2012). Revisiting k-means: new algorithms via Bayesian nonparametrics. ICML.

    Examples
    --------
    >>> from gnomon.cluster import dp_means
    >>> dp_means([[0.0], [1.0], [10.0], [11.0]], 9.0).centers.tolist()
    [[0.5], [10.5]]
    """
    rows = check_array(X, dtype=FLOATS, input_name="X")
    lam = check_positive("penalty", penalty)
    centers = rows.mean(axis=0, keepdims=True)
    history: list[float] = []
    labels = np.zeros(len(rows), dtype=np.int64)
    for _ in range(check_integer("max_iter", max_iter, low=1)):
        centers = _with_far_rows(rows, centers, lam)
        labels, squares = nearest_center(rows, centers)
        used, labels = np.unique(labels, return_inverse=True)
        history.append(float(squares.sum()) + lam * len(used))
        centers = np.array([rows[labels == j].mean(axis=0) for j in range(len(used))])
        if len(history) > 1 and history[-1] >= history[-2] * (1.0 - 1e-12):
            break
    else:
        warnings.warn(
            f"not converged in {max_iter} iterations; raise max_iter={max_iter}", ConvergenceWarning, stacklevel=2
        )
    labels, squares = nearest_center(rows, centers)
    # A centre that lost its last row costs nothing, for it is none.
    used, labels = np.unique(labels, return_inverse=True)
    return PricedClusters(centers[used], labels, float(squares.sum()) + lam * len(used), np.array(history))


def _with_far_rows(X: Floats, centers: Floats, lam: float) -> Floats:
    """Centres, and the farthest row again and again while it is worth a cluster."""
    squares = nearest_center(X, centers)[1]
    while np.max(squares) > lam:
        new = X[int(np.argmax(squares))]
        centers = np.vstack([centers, new])
        squares = np.minimum(squares, np.sum((X - new) ** 2, axis=1))
    return centers
