"""Products of powers of columns, or of orthogonal polynomials of them.

    φ(x)_a = f_{|a|} Π_j r_{a_j} b_{a_j}(x_j),    a ∈ N^d,  low ≤ |a| = Σ a_j ≤ k                              (1)

The order is scikit-learn's: by degree, then by the sorted variables. Each product is one multiplication of an earlier
product: with j the first variable of a and p = a_j it is b_p(x_j) times that of a without j. The polynomials of
one variable follow b_{p+1}(x) = α_p x b_p(x) − β_p b_{p−1}(x). Knuth (2011), The Art of Computer Programming 4A,
section 7.2.1.3 (combinations and their rank); Gautschi (2004), Orthogonal Polynomials, section 1.3.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Literal, TypeAlias

import numpy as np
from scipy import sparse

from gnomon._jit import jit, jit_no_alloc, subroutine
from gnomon._typing import ArrayLike, Compressed, Floats, Integers, Matrix, is_sparse
from gnomon.numerics.design import canonical

__all__ = ["RECURRENCES", "expand", "exponents", "kernel_scales"]

Basis: TypeAlias = Literal["monomial", "chebyshev", "legendre"]

RECURRENCES: dict[Basis, Callable[[int], tuple[float, float]]] = {
    "monomial": lambda p: (1.0, 0.0),
    "chebyshev": lambda p: (1.0 if p == 0 else 2.0, 1.0),
    "legendre": lambda p: ((2 * p + 1) / (p + 1), p / (p + 1)),
}
"""α_p and β_p of each basis; every one begins with b₀ = 1, b₁ = x."""


def expand(
    X: Matrix,
    degree: int,
    *,
    low: int = 0,
    basis: Basis = "monomial",
    roots: ArrayLike | None = None,
    factors: ArrayLike | None = None,
) -> Matrix:
    """Equation (1) for every row of X; of sparse rows, which need the monomial basis, sparse rows.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n, d), of floats
    degree : int
        Highest degree k.
    low : int, default=0
        Lowest degree.
    basis : {"monomial", "chebyshev", "legendre"}, default="monomial"
        The polynomials b_p.
    roots, factors : array-like of length k + 1, optional
        r_p and f_m; ones by default.

    Returns
    -------
    ndarray or CSR array with one column for every a, of X's type

    References
    ----------
    Knuth, D. E. (2011). The Art of Computer Programming, volume 4A, section 7.2.1.3. ISBN 978-0-201-03804-0.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.monomials import expand
    >>> expand(np.array([[2.0, 3.0]]), 2)
    array([[1., 2., 3., 4., 6., 9.]])
    >>> expand(np.array([[0.5]]), 3, basis="chebyshev")
    array([[ 1. ,  0.5, -0.5, -1. ]])
    """
    ones = np.ones(degree + 1, dtype=X.dtype)
    roots = ones if roots is None else np.asarray(roots, dtype=X.dtype)
    factors = ones if factors is None else np.asarray(factors, dtype=X.dtype)
    recurrence = np.array([RECURRENCES[basis](p) for p in range(degree)], dtype=X.dtype).reshape(degree, 2)
    sizes = _sizes(X.shape[1], degree)
    count = int(sizes[low:, -1].sum())
    if is_sparse(X):
        X = canonical(X)
        return sparse.csr_array(_expand_sparse(X, recurrence, roots, factors, sizes, low), shape=(X.shape[0], count))
    out = np.empty((X.shape[0], count), dtype=X.dtype)
    _expand_rows(np.ascontiguousarray(X), recurrence, roots, factors, _starts(sizes), *_plan(sizes), low, out)
    return out


def kernel_scales(degree: int, c0: float) -> tuple[list[float], list[float]]:
    """r_p = √(1/p!) and f_m = √(k!/(k−m)! c₀^{k−m}): with them φ(x)ᵀφ(z) = (c₀ + xᵀz)^k.

    Parameters
    ----------
    degree : int
        k.
    c0 : float
        c₀ ≥ 0.

    Returns
    -------
    roots, factors : lists of length k + 1
        Arguments of `expand`.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.1. ISBN 978-0-262-19475-4.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.monomials import expand, kernel_scales
    >>> roots, factors = kernel_scales(2, 1.0)
    >>> x, z = expand(np.array([[1.0, 2.0], [3.0, -1.0]]), 2, roots=roots, factors=factors)
    >>> round(float(x @ z), 10)
    4.0
    """
    k = degree
    roots = [factorial(p) ** -0.5 for p in range(k + 1)]
    factors = [(factorial(k) // factorial(k - m)) ** 0.5 * c0 ** ((k - m) / 2) for m in range(k + 1)]
    return roots, factors


def exponents(d: int, degree: int, *, low: int = 0) -> Integers:
    """The exponents a of equation (1), one row for every column of `expand`.

    References
    ----------
    Knuth, D. E. (2011). The Art of Computer Programming, volume 4A, section 7.2.1.3. ISBN 978-0-201-03804-0.

    Examples
    --------
    >>> from gnomon.numerics.monomials import exponents
    >>> exponents(2, 2).tolist()
    [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]
    """
    sizes = _sizes(d, degree)
    starts = _starts(sizes)
    sources, entries = _plan(sizes)
    powers = np.zeros((starts[-1], d), dtype=np.int64)
    for m in range(1, degree + 1):
        columns = np.arange(starts[m], starts[m + 1])
        j, p = np.divmod(entries[columns], degree + 1)
        powers[columns] = powers[sources[columns]]
        powers[columns, j] = p
    return powers[starts[low] :]


def _sizes(d: int, k: int) -> Integers:
    """sizes[m, v]: the number of monomials of degree exactly m in v variables."""
    sizes = np.zeros((k + 1, d + 1), dtype=np.int64)
    sizes[0] = 1
    for m in range(1, k + 1):
        sizes[m, 1:] = np.cumsum(sizes[m - 1, 1:])
    return sizes


def _starts(sizes: Integers) -> Integers:
    """Where the columns of each degree begin; the last entry is where they end."""
    return np.concatenate([[0], np.cumsum(sizes[:, -1])])


def _plan(sizes: Integers) -> tuple[Integers, Integers]:
    """For every column its source and, as j (k + 1) + p, the entry of the table of polynomials that multiplies it."""
    starts = _starts(sizes)
    # Unsigned indices avoid the branch by which Numba wraps negative ones around.
    sources, entries = np.zeros(starts[-1], dtype=np.uint32), np.zeros(starts[-1], dtype=np.uint32)
    _fill_plan(sizes, starts, sources, entries)
    return sources, entries


@jit_no_alloc
def _fill_plan(sizes: Integers, starts: Integers, sources: Integers, entries: Integers) -> None:
    k, d = sizes.shape[0] - 1, sizes.shape[1] - 1
    column = 1
    for m in range(1, k + 1):
        for j in range(d):
            for p in range(m, 0, -1):
                length = sizes[m - p, d - 1 - j]
                for t in range(length):
                    sources[column + t] = starts[m - p + 1] - length + t
                    entries[column + t] = j * (k + 1) + p
                column += length


@subroutine
def _polynomials(x: Floats, recurrence: Floats, roots: Floats, table: Floats) -> None:
    """table[j (k + 1) + p] = r_p b_p(x_j)."""
    k = len(recurrence)
    for j in range(len(x)):
        before, now = x.dtype.type(0), x.dtype.type(1)
        for p in range(k):
            before, now = now, recurrence[p, 0] * x[j] * now - recurrence[p, 1] * before
            table[j * (k + 1) + p + 1] = now * roots[p + 1]


@subroutine
def _products(
    table: Floats,
    factors: Floats,
    starts: Integers,
    sources: Integers,
    entries: Integers,
    low: int,
    row: Floats,
    out: Floats,
) -> None:
    """Equation (1) for one row, every column from one that exists; `row` keeps those below the highest degree."""
    row[0] = 1
    for c in range(1, len(row)):
        row[c] = row[sources[c]] * table[entries[c]]
    k, made = len(factors) - 1, 0
    for m in range(low, k):
        for c in range(starts[m], starts[m + 1]):
            out[made] = row[c] * factors[m]
            made += 1
    last, last_sources, last_entries = out[made:], sources[starts[k] :], entries[starts[k] :]
    for c in range(len(last)):
        last[c] = row[last_sources[c]] * (table[last_entries[c]] * factors[k])


@jit
def _expand_rows(
    X: Floats,
    recurrence: Floats,
    roots: Floats,
    factors: Floats,
    starts: Integers,
    sources: Integers,
    entries: Integers,
    low: int,
    out: Floats,
) -> None:
    table, row = np.ones(X.shape[1] * len(factors) + 1, dtype=X.dtype), np.empty(max(starts[-2], 1), dtype=X.dtype)
    for i in range(X.shape[0]):
        _polynomials(X[i], recurrence, roots, table)
        _products(table, factors, starts, sources, entries, low, row, out[i])


def _expand_sparse(
    X: Compressed, recurrence: Floats, roots: Floats, factors: Floats, sizes: Integers, low: int
) -> tuple[Floats, Integers, Integers]:
    """The same on the non-zeros of every row; their products are the non-zeros of the mapped row.

    Rows with equally many non-zeros are dense rows of these.
    """
    counts = np.diff(X.indptr)
    inner_sizes = _sizes(np.max(counts, initial=0), len(factors) - 1)
    ends = np.concatenate([[0], np.cumsum(np.sum(inner_sizes[low:], axis=0)[counts])])
    values = np.empty(ends[-1], dtype=X.dtype)
    columns: Integers = np.empty(ends[-1], dtype=sparse.get_index_dtype(maxval=int(sizes[low:, -1].sum())))
    for z in np.unique(counts):
        rows, inner = np.flatnonzero(counts == z), np.ascontiguousarray(inner_sizes[:, : z + 1])
        here, plan = X.indptr[rows, None] + np.arange(z), (_starts(inner), *_plan(inner))
        there = ends[rows, None] + np.arange(np.sum(inner[low:, -1]))
        products, places = np.empty(there.shape, dtype=X.dtype), np.empty(there.shape, dtype=columns.dtype)
        _expand_rows(X.data[here], recurrence, roots, factors, *plan, low, products)
        _find_places(X.indices[here], sizes, *plan, low, places)
        values[there], columns[there] = products, places
    return values, columns, ends


@jit
def _find_places(
    variables: Integers,
    sizes: Integers,
    starts: Integers,
    sources: Integers,
    entries: Integers,
    low: int,
    out: Integers,
) -> None:
    """The column of every product of the variables of each row, by the combinatorial number system.

    A monomial with variables i₁ ≤ … ≤ i_m is Σ_s sizes[s, d − 1 − i_{m+1−s}] places before the last of its degree.
    """
    k, d = sizes.shape[0] - 1, sizes.shape[1] - 1
    before = np.zeros(starts[-1], dtype=np.int64)
    steps = np.zeros(variables.shape[1] * (k + 1) + 1, dtype=np.int64)
    for i in range(len(variables)):
        first, last = 0, -1
        for m in range(k + 1):
            last += sizes[m, d]
            first += sizes[m, d] if m < low else 0
            for j in range(variables.shape[1]):
                for p in range(1, m + 1):
                    at = j * (k + 1) + p
                    steps[at] = (steps[at - 1] if p > 1 else 0) + sizes[m - p + 1, d - 1 - variables[i, j]]
            for c in range(starts[m], starts[m + 1]):
                before[c] = before[sources[c]] + steps[entries[c]]
                if m >= low:
                    out[i, c - starts[low]] = last - before[c] - first
