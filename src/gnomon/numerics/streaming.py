"""Sums over rows that add: the spine of out-of-core and parallel fits.

    W = Σ sᵢ,    μ = Σ sᵢ vᵢ / W,    S = Σ sᵢ (vᵢ − μ)(vᵢ − μ)ᵀ,        vᵢ = (xᵢ, yᵢ)              (1)

    merged:    S = S₁ + S₂ + (W₁ W₂ / W)(μ₁ − μ₂)(μ₁ − μ₂)ᵀ                                          (2)

Chan, Golub & LeVeque (1983), doi:10.1080/00031305.1983.10483115. A fit by least squares is a function of (1) alone, so
`moments` of a chunk, `merge_moments`, and a solve serve data in memory, in chunks and on threads. The rows are visited
once, in blocks that stay in cache, shifted by a rough mean so that subtracting Wμμᵀ in the end cancels nothing.
"""

from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy import sparse

from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows

__all__ = ["Moments", "merge_moments", "moments"]

_WIDE = 1024
"""From this many columns on BLAS's own threads split one product better than our chunks of rows do."""


class Moments(NamedTuple):
    """W, μ and S of equation (1): total weight, mean and scatter of some rows.

    Parameters
    ----------
    weight : float
        Σ sᵢ.
    mean : ndarray of shape (d,)
        μ = Σ sᵢ vᵢ / Σ sᵢ.
    scatter : ndarray of shape (d, d)
        Σ sᵢ (vᵢ − μ)(vᵢ − μ)ᵀ.

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.streaming import Moments
    >>> Moments(3.0, np.array([3.0]), np.array([[14.0]])).covariance(ddof=1)
    array([[7.]])
    """

    weight: float
    mean: np.ndarray
    scatter: np.ndarray

    def covariance(self, ddof=0):
        """Scatter divided by the total weight less `ddof`."""
        if self.weight <= ddof:
            raise ValueError(f"a total weight of {self.weight:g} leaves nothing to divide by at ddof={ddof}; add rows")
        return self.scatter / (self.weight - ddof)

    def about_zero(self):
        """Σ sᵢ vᵢ vᵢᵀ, the scatter about the origin."""
        return self.scatter + self.weight * np.outer(self.mean, self.mean)


def moments(X, weights=None, *, targets=None, n_jobs=None):
    """Moments of the rows of `X`, or of [X targets], in double precision.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,), optional
        Row weights sᵢ ≥ 0, not all zero; weight 2 equals the row twice.
    targets : ndarray of shape (n_samples, n_targets), optional
        Further columns, kept last.
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
    parts = [X] if targets is None else [X, targets]
    if weights is not None and not np.sum(weights) > 0.0:
        raise ValueError(f"weights sum to {np.sum(weights):g}; give at least one row a positive weight")
    if sparse.issparse(X):
        return _from_sums(_sparse_sums(parts, weights), 0.0)
    width = sum(part.shape[1] for part in parts)
    shift = np.concatenate([_rough_mean(part) for part in parts])
    chunks = split_rows(X.shape[0], _pieces(X.shape[0], width))
    sums = map_chunks(lambda rows: _block_sums(parts, weights, shift, rows), chunks, n_jobs or blas_threads())
    return _from_sums(reduce(np.add, sums), shift)


def merge_moments(a, b):
    """Moments of two sets of rows together, equation (2).

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.streaming import merge_moments, moments
    >>> X = np.array([[1.0], [2.0], [6.0]])
    >>> float(merge_moments(moments(X[:1]), moments(X[1:])).scatter[0, 0]), float(moments(X).scatter[0, 0])
    (14.0, 14.0)
    """
    total = a.weight + b.weight
    step = b.mean - a.mean
    mean = a.mean + step * (b.weight / total)
    return Moments(total, mean, a.scatter + b.scatter + np.outer(step, step) * (a.weight * b.weight / total))


def _pieces(n, width):
    """Chunks of rows: the same whatever the threads, hence the same sums; enough that a thread held up does fewer."""
    return 1 if width > _WIDE else max(1, min(16, n // (4 * _block_length(width))))


def _block_length(width):
    # 1 MB of doubles for narrow rows; for wide ones enough rows that adding width² numbers costs little.
    return max(2 * width, 2**17 // width)


def _rough_mean(part, *, rows=256):
    """The mean of a few rows spread over all: near enough to μ to prevent cancellation."""
    step = max(1, part.shape[0] // rows)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.mean(part[::step][:rows], axis=0, dtype=float)


def _block_sums(parts, weights, shift, rows):
    """Σ sᵢ uᵢuᵢᵀ with u = (v − shift, 1) over a slice of rows: products, sums and the total weight in one matrix."""
    width = len(shift) + 1
    length = min(_block_length(width), rows.stop - rows.start)
    block, product, total = np.empty((length, width)), np.empty((width, width)), np.zeros((width, width))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(rows.start, rows.stop, length):
            here = slice(start, min(start + length, rows.stop))
            B = block[: here.stop - here.start]
            _fill(B, [part[here] for part in parts], shift)
            if weights is not None:
                # The square root keeps the product symmetric, so BLAS does half of the work.
                B *= np.sqrt(weights[here])[:, None]
            np.matmul(B.T, B, out=product)
            total += product
    return total


def _fill(B, parts, shift):
    start = 0
    for part in parts:
        stop = start + part.shape[1]
        np.subtract(part, shift[start:stop], out=B[:, start:stop])
        start = stop
    B[:, -1] = 1.0


def _sparse_sums(parts, weights):
    """The same matrix for a sparse first part, without a shift: sparse columns have means near zero."""
    n = parts[0].shape[0]
    ones = sparse.csr_array(np.ones((n, 1)))
    V = sparse.hstack([sparse.csr_array(part, dtype=float) for part in parts] + [ones], format="csr")
    if weights is not None:
        V = sparse.diags_array(np.sqrt(np.asarray(weights, dtype=float))) @ V
    return (V.T @ V).toarray()


def _from_sums(total, shift):
    weight, sums = total[-1, -1], total[-1, :-1]
    with np.errstate(invalid="ignore", over="ignore"):
        return Moments(float(weight), shift + sums / weight, total[:-1, :-1] - np.outer(sums, sums / weight))
