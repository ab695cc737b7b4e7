"""Sums of products of rows, over pieces of them.

    T = Σ sᵢ uᵢuᵢᵀ    with    uᵢ = (vᵢ − c, 1)                                                      (1)

holds the products, the sums and the total weight. The rows are visited once, in blocks that stay in cache. Where a few
of them show a mean that is large beside the standard deviation, c is that mean, so that subtracting Wμμᵀ in the end
causes no cancellation; else c = 0 and BLAS reads the rows where they are. Chan, Golub & LeVeque (1983),
doi:10.1080/00031305.1983.10483115.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial, reduce
from typing import Any

import numpy as np
from scipy import sparse

from gnomon._typing import Floats, Matrix
from gnomon.numerics.parallel import calm_blas, map_chunks, split_rows

__all__ = ["dense_sums", "full_columns_shifted", "is_near_zero", "rough_moments", "sparse_sums"]

ROUGH = 256
"""Rows of a rough mean."""

NEAR = 9.0
"""Up to so large a μ²/σ² a column is not shifted: its scatter S is right to 1 + μ²/σ² ulp, so a digit is lost."""

SAME = 1e-12
"""Below this standard deviation, in units of |μ|, a column is the same in all rows that were seen, but for rounding."""

SHORT = 2**17
"""Numbers in a block of narrow rows: 1 MB of doubles."""

PLAIN = {"f": 2**11, "d": 2**14}
"""Rows at least in a block that is not copied; of single precision fewer, whose sum is rounded anew for each block."""

_WIDE = 1024
"""From this many columns on BLAS's own threads split one product better than our chunks of rows do."""

_WORTH_THREADS = 10**7
"""Multiplications from which on BLAS's threads save more time than waking them takes."""


def dense_sums(parts: Sequence[Floats], weights: Floats | None, dtype: Any, n_jobs: int) -> tuple[Floats, Floats]:
    """T of the rows of tables beside each other, with products in precision `dtype`, and c.

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics._row_sums import dense_sums
    >>> dense_sums([np.array([[1.0], [3.0]])], None, np.float64, 1)
    (array([[2., 0.],
           [0., 2.]]), array([2.]))
    """
    rough = [rough_moments(part) for part in parts]
    shift, variance = (np.concatenate(both) for both in zip(*rough, strict=True))
    # About the mean, few rows in special positions keep sums that are exact; and to copy them costs nothing.
    plain = weights is None and len(parts) == 1 and len(parts[0]) > 4 * ROUGH and _is_read_by_blas(parts[0], dtype)
    # A rare mark is the same in all of the few rows, and so is a constant: only all rows tell them apart.
    varies = np.sqrt(variance) > SAME * np.abs(shift)
    if plain and is_near_zero(shift[varies], variance[varies]):
        total = _in_pieces(partial(_plain_sums, parts[0]), len(parts[0]), len(shift), n_jobs)
        # The few rows may have been unlike the others; twice the limit, because they are few.
        with np.errstate(over="ignore", invalid="ignore"):
            shift = total[-1, :-1] / total[-1, -1]
            variance = np.diagonal(total)[:-1] / total[-1, -1] - shift * shift
        if np.isnan(shift).any() or is_near_zero(shift, variance, limit=2.0 * NEAR):
            return total, np.zeros_like(shift)
    shift = shift.astype(dtype)
    return _in_pieces(partial(_block_sums, parts, weights, shift), len(parts[0]), len(shift), n_jobs), shift


def sparse_sums(parts: Sequence[Matrix], weights: Floats | None) -> tuple[Floats, Floats]:
    """T and c for a sparse first table.

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> from scipy import sparse
    >>> from gnomon.numerics._row_sums import sparse_sums
    >>> sparse_sums([sparse.csr_array([[1.0, 0.0], [0.0, 3.0]])], None)[0]
    array([[1., 0., 1.],
           [0., 9., 3.],
           [1., 3., 2.]])
    """
    n = parts[0].shape[0]
    ones = sparse.csr_array(np.ones((n, 1)))
    rows, shift = full_columns_shifted(sparse.hstack([sparse.csr_array(part, dtype=float) for part in parts]))
    V = sparse.hstack([rows, ones], format="csr")
    if weights is not None:
        V = sparse.diags_array(np.sqrt(np.asarray(weights, dtype=float))) @ V
    return (V.T @ V).toarray(), shift


def full_columns_shifted(X: Any) -> tuple[Any, Floats]:
    """X less a rough mean of its columns without a zero, and that shift.

    A column with zeros varies about as much as it is far from zero; only where there are none can digits cancel.

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> from scipy import sparse
    >>> from gnomon.numerics._row_sums import full_columns_shifted
    >>> full_columns_shifted(sparse.csr_array([[5.0, 0.0], [7.0, 3.0]]))[0].toarray()
    array([[-1.,  0.],
           [ 1.,  3.]])
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


def rough_moments(X: Floats, *, rows: int = ROUGH) -> tuple[Floats, Floats]:
    """Means and variances of the columns of a few rows spread over all.

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics._row_sums import rough_moments
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
    >>> from gnomon.numerics._row_sums import is_near_zero
    >>> is_near_zero(np.array([1.0, 0.0]), np.array([1.0, 0.0])), is_near_zero(np.array([1e3]), np.array([1.0]))
    (True, False)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.all(mean * mean <= limit * variance))


def _is_read_by_blas(part: Floats, dtype: Any) -> bool:
    return part.dtype == dtype and (part.flags.c_contiguous or part.flags.f_contiguous)


def _in_pieces(sums: Callable[[slice], Floats], n: int, width: int, n_jobs: int) -> Floats:
    """The sums over pieces of rows, added: the same pieces for any number of threads, so that sums are the same too."""
    most = 1 if width > _WIDE else max(1, min(16, n // (4 * max(width, SHORT // width))))
    pieces = 1 << (most.bit_length() - 1)  # a power of two, which is a multiple of most numbers of threads
    with nullcontext() if n * width * width > _WORTH_THREADS else calm_blas(0):
        return reduce(np.add, map_chunks(sums, split_rows(n, pieces), n_jobs))


def _block_length(width: int) -> int:
    # For wide rows enough of them to amortise the addition of width² sums.
    return max(2 * width, SHORT // width)


def _plain_sums(X: Floats, rows: slice) -> Floats:
    """Σ uᵢuᵢᵀ with u = (x, 1) over a slice of rows, without copying them."""
    d = X.shape[1]
    length = min(max(_block_length(d), PLAIN[X.dtype.char]), rows.stop - rows.start)
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
