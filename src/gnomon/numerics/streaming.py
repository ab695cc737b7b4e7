"""Sums over rows that add across chunks, for out-of-core and parallel fits.

    W = Σ sᵢ,    μ = Σ sᵢ vᵢ / W,    S = Σ sᵢ (vᵢ − μ)(vᵢ − μ)ᵀ,        vᵢ = (xᵢ, yᵢ)              (1)

    merged:    S = S₁ + S₂ + (W₁ W₂ / W)(μ₁ − μ₂)(μ₁ − μ₂)ᵀ                                          (2)

Chan, Golub & LeVeque (1983), doi:10.1080/00031305.1983.10483115. A fit by least squares is a function of (1) alone, so
`moments` of chunks, their sum, and a solve serve data in memory, in chunks and on threads. The rows are visited
once, in blocks that stay in cache. Where a few of them show a mean that is large beside the standard deviation, blocks
are shifted by it, so that subtracting Wμμᵀ in the end causes no cancellation; else BLAS reads the rows where they are.
"""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from gnomon._jit import jit, jit_no_alloc
from gnomon._typing import ArrayLike, Floats, Integers, Matrix, Numbers, is_sparse
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows

__all__ = ["Moments", "group_moments", "is_near_zero", "moments", "rough_moments"]

ROUGH = 256
"""Rows of a rough mean."""

NEAR = 9.0
"""Up to so large a μ²/σ² a column is not shifted: its scatter S is right to 1 + μ²/σ² ulp, so a digit is lost."""

SHORT = 2**17
"""Numbers in a block of narrow rows: 1 MB of doubles."""

PLAIN = 2048
"""Rows at least in a block that is not copied."""

_WIDE = 1024
"""From this many columns on BLAS's own threads split one product better than our chunks of rows do."""


class Moments(NamedTuple):
    """W, μ and S of equation (1): total weight, mean and scatter of some rows, or of several groups of rows at once.

    Two of them add by equation (2), so a sum over chunks is ``moments(A) + moments(B)``.

    Parameters
    ----------
    weight : float or ndarray of shape (k,)
        Σ sᵢ.
    mean : ndarray of shape (d,) or (k, d)
        μ = Σ sᵢ vᵢ / Σ sᵢ.
    scatter : ndarray of shape (d, d) or (k, d, d)
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

    def __add__(self, other: "Moments") -> "Moments":  # type: ignore[override]  # tuples are joined, moments added
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
        if np.any(np.asarray(self.weight) <= ddof):
            least = float(np.min(self.weight))
            raise ValueError(f"a total weight of {least:g} leaves nothing to divide by at ddof={ddof}; add rows")
        return self.scatter / _widen(self.weight - ddof, self.scatter.ndim)

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

    def pooled(self) -> "Moments":
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
        return _from_sums(*_sparse_sums([X, *further], weights))
    parts = [np.asarray(part) for part in (X, *further)]
    n_jobs = n_jobs or blas_threads()
    if single and weights is None and all(part.dtype == np.float32 for part in parts):
        found = _dense_moments(parts, None, np.float32, n_jobs)
        if _holds_squares(parts, found):
            return found
    return _dense_moments(parts, weights, np.float64, n_jobs)


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


def rough_moments(X: Floats, *, rows: int = ROUGH) -> tuple[Floats, Floats]:
    """Means and variances of the columns of a few rows spread over all.

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.streaming import rough_moments
    >>> rough_moments(np.array([[1.0], [3.0]]))
    (array([2.]), array([1.]))
    """
    step = max(1, X.shape[0] // rows)
    few = X[::step][:rows]
    with np.errstate(over="ignore", invalid="ignore"):
        return np.mean(few, axis=0, dtype=float), np.var(few, axis=0, dtype=float)


def is_near_zero(mean: Floats, variance: Floats, *, limit: float = NEAR) -> bool:
    """Whether sums of products of the columns lose hardly any digits, as they are, where the means are subtracted.

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.streaming import is_near_zero
    >>> is_near_zero(np.array([1.0, 0.0]), np.array([1.0, 0.0])), is_near_zero(np.array([1e3]), np.array([1.0]))
    (True, False)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.all(mean * mean <= limit * variance))


def _group_squares(X: Matrix, index: Integers, n_groups: int, weights: Floats | None, n_jobs: int | None) -> Moments:
    s = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=float)
    if is_sparse(X):
        belongs = sparse.csr_array((s, (index, np.arange(len(s)))), shape=(n_groups, len(s)))
        X, shift = _full_columns_shifted(X)
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


def _dense_moments(parts: Sequence[Floats], weights: Floats | None, dtype: Any, n_jobs: int) -> Moments:
    rough = [rough_moments(part) for part in parts]
    shift, variance = (np.concatenate(both) for both in zip(*rough, strict=True))
    # About the mean, few rows in special positions keep sums that are exact; and to copy them costs nothing.
    plain = weights is None and len(parts) == 1 and len(parts[0]) > 4 * ROUGH and _is_read_by_blas(parts[0], dtype)
    if plain and is_near_zero(shift, variance):
        found = _from_sums(_in_pieces(partial(_plain_sums, parts[0]), len(parts[0]), len(shift), n_jobs), 0.0)
        # The few rows may have been unlike the others; twice the limit, because they are few.
        if np.isnan(found.mean).any() or is_near_zero(found.mean, found.variance(), limit=2.0 * NEAR):
            return found
        shift = found.mean
    work = partial(_block_sums, parts, weights, shift.astype(dtype))
    return _from_sums(_in_pieces(work, len(parts[0]), len(shift), n_jobs), shift.astype(dtype))


def _is_read_by_blas(part: Floats, dtype: Any) -> bool:
    return part.dtype == dtype and (part.flags.c_contiguous or part.flags.f_contiguous)


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


def _in_pieces(sums: Callable[[slice], Floats], n: int, width: int, n_jobs: int) -> Floats:
    """The sums over pieces of rows, added: the same pieces for any number of threads, so that sums are the same too."""
    most = 1 if width > _WIDE else max(1, min(16, n // max(4 * width, SHORT // width)))
    pieces = 1 << (most.bit_length() - 1)  # a power of two, which is a multiple of most numbers of threads
    return reduce(np.add, map_chunks(sums, split_rows(n, pieces), n_jobs))


def _block_length(width: int) -> int:
    # For wide rows enough of them to amortise the addition of width² sums.
    return max(2 * width, SHORT // width)


def _plain_sums(X: Floats, rows: slice) -> Floats:
    """Σ uᵢuᵢᵀ with u = (x, 1) over a slice of rows, without copying them."""
    d = X.shape[1]
    length = min(max(_block_length(d), PLAIN), rows.stop - rows.start)
    product, ones, total = np.empty((d, d), X.dtype), np.ones(length, X.dtype), np.zeros((d + 1, d + 1))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(rows.start, rows.stop, length):
            B = X[start : min(start + length, rows.stop)]
            total[:d, :d] += np.matmul(B.T, B, out=product)
            total[d, :d] += ones[: len(B)] @ B
    total[:d, d], total[d, d] = total[d, :d], rows.stop - rows.start
    return total


def _block_sums(parts: Sequence[Floats], weights: Floats | None, shift: Floats, rows: slice) -> Floats:
    """Σ sᵢ uᵢuᵢᵀ with u = (v − shift, 1) over a slice of rows: products, sums and the total weight in one matrix."""
    width = len(shift) + 1
    length = min(_block_length(width), rows.stop - rows.start)
    block, product = np.empty((length, width), shift.dtype), np.empty((width, width), shift.dtype)
    total = np.zeros((width, width))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(rows.start, rows.stop, length):
            here = slice(start, min(start + length, rows.stop))
            B = block[: here.stop - here.start]
            _fill(B, [part[here] for part in parts], shift)
            if weights is not None:
                # With square roots of the weights the product is symmetric, and BLAS computes only half of it.
                B *= np.sqrt(weights[here], dtype=float)[:, None]
            total += np.matmul(B.T, B, out=product)
    return total


def _fill(B: Floats, parts: Sequence[Floats], shift: Floats) -> None:
    start = 0
    for part in parts:
        stop = start + part.shape[1]
        np.subtract(part, shift[start:stop], out=B[:, start:stop])
        start = stop
    B[:, -1] = 1.0


def _sparse_sums(parts: Sequence[Matrix], weights: Floats | None) -> tuple[Floats, Floats]:
    """The same matrix for a sparse first part, and the shift."""
    n = parts[0].shape[0]
    ones = sparse.csr_array(np.ones((n, 1)))
    rows, shift = _full_columns_shifted(sparse.hstack([sparse.csr_array(part, dtype=float) for part in parts]))
    V = sparse.hstack([rows, ones], format="csr")
    if weights is not None:
        V = sparse.diags_array(np.sqrt(np.asarray(weights, dtype=float))) @ V
    return (V.T @ V).toarray(), shift


def _full_columns_shifted(X: Any) -> tuple[Any, Floats]:
    """X less a rough mean of its columns without a zero, and that shift.

    A column with zeros varies about as much as it is far from zero; only where there are none can digits cancel.
    """
    rows = sparse.csr_array(X)
    n, d = rows.shape
    if not np.any(np.bincount(rows.indices, minlength=d) >= n):
        return rows, np.zeros(d)
    rows = sparse.csr_array(rows, copy=True)
    rows.sum_duplicates()
    full = np.bincount(rows.indices, minlength=d) == n
    step = max(1, n // ROUGH)
    shift = np.where(full, np.asarray(rows[::step][:ROUGH].mean(axis=0), dtype=float).ravel(), 0.0)
    shift = shift.astype(rows.dtype).astype(float)
    with np.errstate(over="ignore", invalid="ignore"):
        rows.data -= shift[rows.indices].astype(rows.dtype)
    return rows, shift


def _from_sums(total: Floats, shift: float | Floats) -> Moments:
    weight, sums = total[-1, -1], total[-1, :-1]
    with np.errstate(invalid="ignore", over="ignore"):
        return Moments(float(weight), shift + sums / weight, total[:-1, :-1] - np.outer(sums, sums / weight))
