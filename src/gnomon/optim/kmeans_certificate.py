"""A lower bound on the cost of k-means.

    J* ≥ Σⱼ λⱼ − Σ_{j<k} λⱼ                                                                          (1)

where λ₁ ≥ λ₂ ≥ … are the eigenvalues of the scatter Σ s (x − x̄)(x − x̄)ᵀ: k means and the mean of all rows span at most
k − 1 directions, and no k − 1 directions leave less than the last eigenvalues. Zha et al. (2001), Spectral relaxation
for k-means clustering, NIPS; Ding & He (2004), doi:10.1145/1015330.1015408.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from gnomon._typing import Compressed, Floats, Matrix, is_sparse
from gnomon.numerics.streaming import Moments, moments
from gnomon.optim.center_distances import row_unit

__all__ = ["BoundSums", "bound_of_sums", "kmeans_lower_bound"]


class BoundSums(NamedTuple):
    """What the bound is made of; the sums of chunks add.

    Fields
    ------
    rows : Moments
    beside : float
        Sums of squares that rounding is relative to, beside the scatter.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.kmeans_certificate import BoundSums, bound_of_sums
    >>> parts = [np.array([[0.0, 0.0], [0.0, 1.0]]), np.array([[9.0, 0.0], [9.0, 1.0]])]
    >>> round(bound_of_sums(BoundSums.of(parts[0]) + BoundSums.of(parts[1]), 2), 9)
    1.0
    """

    rows: Moments
    beside: float

    @classmethod
    def of(cls, X: Matrix, weights: Floats | None = None, *, n_jobs: int | None = None) -> BoundSums:
        """Those of some rows, in units in which squares neither overflow nor vanish."""
        found = moments(X, weights, n_jobs=n_jobs)
        return cls(found, _from_zero(X, found))

    def __add__(self, other: BoundSums) -> BoundSums:  # type: ignore[override]  # tuples are joined, sums added
        """The sums of both; their means are subtracted, so that rounding is relative to these too."""
        both = self.rows + other.rows
        far = float(min(self.rows.weight, other.rows.weight) * np.sum(both.mean**2))
        return BoundSums(both, self.beside + other.beside + far)


def kmeans_lower_bound(X: Matrix, k: int, weights: Floats | None = None, *, n_jobs: int | None = None) -> float:
    """The bound (1), less what rounding may have added to it.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
    k : int
    weights : ndarray of shape (n,), optional
    n_jobs : int, optional

    Returns
    -------
    float

    References
    ----------
    Ding, C. & He, X. (2004). K-means clustering via principal component analysis. doi:10.1145/1015330.1015408

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import kmeans_lower_bound
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]])
    >>> round(kmeans_lower_bound(X, 2), 9)
    1.0
    """
    if k > X.shape[1]:
        return 0.0
    unit = row_unit(X)
    return float(unit.outward(bound_of_sums(BoundSums.of(unit.inward(X), weights, n_jobs=n_jobs), k), 2))


def bound_of_sums(sums: BoundSums, k: int) -> float:
    """The bound (1) of rows whose sums are known."""
    scatter = sums.rows.scatter
    d = len(scatter)
    if k > d:
        return 0.0
    rest = linalg.eigvalsh(scatter, subset_by_index=(0, d - k)) if d > 1 else scatter.ravel()
    slack = d * np.finfo(float).eps * (float(np.trace(scatter)) + sums.beside)
    return float(max(0.0, np.sum(rest) - slack))


def _from_zero(X: Matrix, found: Moments) -> float:
    """What sums of squares of sparse columns with zeros have beside the scatter, for they are made from zero."""
    if not is_sparse(X):
        return 0.0
    rows: Compressed = X.tocsr()
    some = np.bincount(rows.indices, minlength=rows.shape[1]) < rows.shape[0]
    return float(found.weight * np.sum(found.mean[some] ** 2))
