"""Sums over rows that add across chunks, for out-of-core and parallel fits.

    W = Σ sᵢ,    μ = Σ sᵢ vᵢ / W,    S = Σ sᵢ (vᵢ − μ)(vᵢ − μ)ᵀ,        vᵢ = (xᵢ, yᵢ)              (1)

    merged:    S = S₁ + S₂ + (W₁ W₂ / W)(μ₁ − μ₂)(μ₁ − μ₂)ᵀ                                          (2)

Chan, Golub & LeVeque (1983), doi:10.1080/00031305.1983.10483115. A fit by least squares is a function of (1) alone, so
`moments` of chunks, their sum, and a solve serve data in memory, in chunks and on threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy import sparse

from gnomon._jit import jit, jit_no_alloc
from gnomon._typing import ArrayLike, Floats, Integers, Matrix, Numbers, is_sparse
from gnomon.numerics._row_sums import dense_sums, full_columns_shifted, sparse_sums
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.weights import residual_weight

__all__ = ["Moments", "group_moments", "moments"]


class Moments(NamedTuple):
    """W, μ and S of equation (1): total weight, mean and scatter of some rows, or of several groups of rows at once.

    Two of them add by equation (2), so a sum over chunks is ``moments(A) + moments(B)``.

    Parameters
    ----------
    weight : float or ndarray of shape (k,) or (k, d)
        Σ sᵢ.
    mean : ndarray of shape (), (d,) or (k, d)
        μ = Σ sᵢ vᵢ / Σ sᵢ.
    scatter : ndarray of shape (), (d, d), (k, d, d), (d,) or (k, d)
        Σ sᵢ (vᵢ − μ)(vᵢ − μ)ᵀ; where it has the shape of the mean, only the diagonal.

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.streaming import Moments, moments
    >>> Moments(3.0, np.array([3.0]), np.array([[14.0]])).covariance(ddof=1)
    array([[7.]])
    >>> X = np.array([[1.0], [2.0], [6.0]])
    >>> float((moments(X[:1]) + moments(X[1:])).scatter[0, 0]), float(moments(X).scatter[0, 0])
    (14.0, 14.0)
    """

    weight: Numbers
    mean: Floats
    scatter: Floats

    def __add__(self, other: Moments) -> Moments:  # type: ignore[override]  # tuples are joined, moments added
        """Equation (2)."""
        total = self.weight + other.weight
        # A group without rows has weight zero and an arbitrary mean, which must not change the other.
        share = _ratio(other.weight, total)
        step = other.mean - self.mean
        mean = self.mean + step * _widen(share, np.ndim(step))
        both = _widen(self.weight * share, self.scatter.ndim)
        return Moments(total, mean, self.scatter + other.scatter + both * self._square(step))

    def covariance(self, ddof: float = 0) -> Floats:
        """Scatter divided by the total weight less `ddof`."""
        left = residual_weight(self.weight, ddof)
        if np.any(left <= 0.0):
            least = float(np.min(self.weight))
            raise ValueError(f"a total weight of {least:g} leaves nothing to divide by at ddof={ddof}; add rows")
        return self.scatter / _widen(left, self.scatter.ndim)

    def variance(self) -> Floats:
        """Of every column: the diagonal of `covariance`."""
        squares = self.scatter if self.scatter.ndim == self.mean.ndim else np.diagonal(self.scatter, axis1=-2, axis2=-1)
        return squares / _widen(self.weight, self.mean.ndim)

    def mean_square(self) -> Floats:
        """Σ sᵢ vᵢ² / Σ sᵢ of every column."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.variance() + self.mean**2

    def about_zero(self) -> Floats:
        """Σ sᵢ vᵢ vᵢᵀ, the scatter about the origin."""
        return self.about(np.zeros_like(self.mean))

    def about(self, center: Floats) -> Floats:
        """Σ sᵢ (vᵢ − c)(vᵢ − c)ᵀ for another centre c, and its diagonal where that is kept."""
        return self.scatter + _widen(self.weight, self.scatter.ndim) * self._square(self.mean - center)

    def pooled(self) -> Moments:
        """The groups as one, each scattered about its own mean; the mean is that of all rows."""
        weight = np.sum(self.weight)
        mean = np.einsum("k,k...->...", _ratio(self.weight, weight), self.mean)
        return Moments(float(weight), mean, np.sum(self.scatter, axis=0))

    def _square(self, v: Floats) -> Floats:
        return v * v if self.scatter.ndim == self.mean.ndim else v[..., :, None] * v[..., None, :]


def _widen(weight: ArrayLike, ndim: int) -> Floats:
    """Weights of groups, with axes of length one behind."""
    return np.reshape(weight, np.shape(weight) + (1,) * (ndim - np.ndim(weight)))


def _ratio(a: ArrayLike, b: ArrayLike) -> Floats:
    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), b)
    return np.divide(a, b, out=np.zeros(b.shape), where=b > 0.0)


def moments(
    X: Matrix,
    weights: Floats | None = None,
    *,
    targets: Floats | None = None,
    single: bool = False,
    n_jobs: int | None = None,
) -> Moments:
    """Moments of the rows of `X`, or of [X targets], in double precision.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,), optional
        Row weights sᵢ ≥ 0, not all zero; weight 2 equals the row twice.
    targets : ndarray of shape (n_samples, n_targets), optional
        Further columns, kept last.
    single : bool, default=False
        Multiply within blocks of rows in single precision, where X is dense float32 without weights, and its squares
        fit into it; the blocks are added in double precision.
    n_jobs : int, optional
        Threads; by default as many as BLAS may use.

    Returns
    -------
    Moments
        Not a number where `X` or `targets` is not; nothing is raised, so this is also the check.

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.streaming import moments
    >>> moments(np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 5.0], [6.0, 6.0]])).covariance()
    array([[3.5 , 2.25],
           [2.25, 2.5 ]])
    """
    further = [] if targets is None else [targets]
    if weights is not None and not np.sum(weights) > 0.0:
        raise ValueError(f"weights sum to {np.sum(weights):g}; give at least one row a positive weight")
    if is_sparse(X):
        return _from_sums(*sparse_sums([X, *further], weights))
    parts = [np.asarray(part) for part in (X, *further)]
    n_jobs = n_jobs or blas_threads()
    if single and weights is None and all(part.dtype == np.float32 for part in parts):
        found = _from_sums(*dense_sums(parts, None, np.float32, n_jobs))
        if _holds_squares(parts, found):
            return found
    return _from_sums(*dense_sums(parts, weights, np.float64, n_jobs))


def group_moments(
    X: Matrix,
    index: Integers,
    n_groups: int,
    weights: Floats | None = None,
    *,
    diagonal: bool = False,
    n_jobs: int | None = None,
) -> Moments:
    """Moments of the rows of every group, stacked; a group without weight has mean zero.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    index : ndarray of int of shape (n_samples,)
        The group of each row, below `n_groups`.
    n_groups : int
    weights : ndarray of shape (n_samples,), optional
    diagonal : bool, default=False
        Sum squares only, not products of columns.
    n_jobs : int, optional
        Threads; by default as many as BLAS may use.

    Returns
    -------
    Moments

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.streaming import group_moments
    >>> parts = group_moments(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]), 2)
    >>> parts.weight, parts.mean, parts.scatter[:, 0]
    (array([2., 1.]), array([[1.],
           [5.]]), array([[2.],
           [0.]]))
    """
    if diagonal:
        return _group_squares(X, index, n_groups, weights, n_jobs)
    s = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=float)
    d = X.shape[1]
    stacked = Moments(np.zeros(n_groups), np.zeros((n_groups, d)), np.zeros((n_groups, d, d)))
    for k in range(n_groups):
        rows = np.flatnonzero((index == k) & (s > 0.0))
        if len(rows):
            part = moments(X[rows], None if weights is None else s[rows], n_jobs=n_jobs)
            stacked.weight[k], stacked.mean[k], stacked.scatter[k] = part
    return stacked


def _group_squares(X: Matrix, index: Integers, n_groups: int, weights: Floats | None, n_jobs: int | None) -> Moments:
    s = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=float)
    if is_sparse(X):
        belongs = sparse.csr_array((s, (index, np.arange(len(s)))), shape=(n_groups, len(s)))
        X, shift = full_columns_shifted(X)
        total, sums, squares = belongs.sum(axis=1), (belongs @ X).toarray(), (belongs @ X.multiply(X)).toarray()
    else:
        shift = np.zeros((n_groups, X.shape[1]))
        _rough_group_means(X, index, s, np.zeros(n_groups, dtype=np.int64), shift)
        chunks = split_rows(X.shape[0], max(1, min(16, X.size // 2**18)))
        parts = map_chunks(
            lambda rows: _squares(X[rows], index[rows], s[rows], shift, np.zeros((2, *shift.shape))),
            chunks,
            n_jobs or blas_threads(),
        )
        total, sums, squares = np.bincount(index, s, n_groups), *reduce(np.add, parts)
    off = sums * _ratio(1.0, total)[:, None]
    return Moments(total, np.where(total[:, None] > 0.0, shift + off, 0.0), np.maximum(squares - sums * off, 0.0))


@jit
def _squares(X: Floats, index: Integers, s: Floats, shift: Floats, out: Floats) -> Floats:
    """Add Σ s (x − shift) and Σ s (x − shift)² of every group, each with a shift of its own, to the parts of `out`."""
    for i in range(X.shape[0]):
        k = index[i]
        for j in range(X.shape[1]):
            z = X[i, j] - shift[k, j]
            out[0, k, j] += s[i] * z
            out[1, k, j] += s[i] * z * z
    return out


@jit_no_alloc
def _rough_group_means(X: Floats, index: Integers, s: Floats, count: Integers, mean: Floats, rows: int = 64) -> None:
    """The mean of the first few rows of every group, in place of zeros; `count` is a buffer, an integer per group."""
    full = 0
    for i in range(X.shape[0]):
        k = index[i]
        if count[k] == rows or s[i] == 0.0:
            continue
        count[k] += 1
        for j in range(X.shape[1]):
            mean[k, j] += (X[i, j] - mean[k, j]) / count[k]
        if count[k] == rows:
            full += 1
            if full == len(mean):
                break


def _holds_squares(parts: Sequence[Floats], found: Moments) -> bool:
    """Whether every column is zero, or of a size whose squares single precision holds with all their digits."""
    mean_square = found.mean_square()
    start = 0
    for part in parts:
        here = mean_square[start : start + part.shape[1]]
        doubtful = ~((here > 1e-16) & (here < 1e28))
        if np.any(part[:, doubtful]):
            return False
        start += part.shape[1]
    return True


def _from_sums(total: Floats, shift: float | Floats) -> Moments:
    weight, sums = total[-1, -1], total[-1, :-1]
    with np.errstate(invalid="ignore", over="ignore"):
        return Moments(float(weight), shift + sums / weight, total[:-1, :-1] - np.outer(sums, sums / weight))
