"""The triangular factor of the rows, a block at a time, and what is solved with it.

    √s [X − x̄, Y − ȳ] = Q [R z; 0 t],    min Σ s r² = ‖R w − z‖² + ‖t‖²                             (1)

Householder QR of a stack of blocks, R ← qr([R; next block]), keeps one block and one triangle in memory and never
squares the condition number: Golub & Van Loan (2013), section 5.3; Demmel, Grigori, Hoemmen & Langou (2012),
doi:10.1137/080731992. Where R is singular the solution of least norm is taken, by the SVD of the scaled R.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from gnomon._typing import Floats
from gnomon.numerics.linalg.normal import split_moments
from gnomon.numerics.linalg.rows import Rows
from gnomon.numerics.streaming import Moments

__all__ = ["Triangle", "inverse_root", "triangle", "triangle_of_moments"]

_EPS = np.finfo(float).eps


class Triangle(NamedTuple):
    """R, z, ‖t‖² of equation (1), the means, and the rank.

    Parameters
    ----------
    R : ndarray of shape (min(n, d), d)
    z : ndarray of shape (min(n, d), k)
    rest : ndarray of shape (k,)
        ‖t‖² of each target.
    x_mean, y_mean : ndarray
    rank : int
        Number of singular values of R, its columns scaled to length one, above rounding.
    condition : float
        Their ratio, largest to smallest; inf where R is singular.

    References
    ----------
    Golub, G. H. & Van Loan, C. F. (2013). Matrix Computations, section 5.3. ISBN 978-1-4214-0794-4.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import Rows, triangle
    >>> X, Y = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]), np.array([[1.0], [2.0], [2.0]])
    >>> found = triangle(Rows(X, Y, intercept=False))
    >>> found.rank, found.least_squares()[0].round(7).ravel()
    (1, array([0.3928571, 0.3928571]))
    """

    R: Floats
    z: Floats
    rest: Floats
    x_mean: Floats
    y_mean: Floats
    rank: int
    condition: float

    def least_squares(self, *, by_svd: bool = False) -> tuple[Floats, Floats]:
        """The minimiser of (1) of least norm, and its cost."""
        if self.rank == len(self.R) == self.R.shape[1] and not by_svd and _is_triangular(self.R):
            return linalg.solve_triangular(self.R, self.z, check_finite=False), self.rest
        U, s, Vt, scale = self._svd()
        inside = U.T @ self.z
        rss = self._outside(U, inside)
        if self.rank == self.R.shape[1]:
            return Vt.T @ (inside / s[:, None]) / scale[:, None], rss
        # All minimisers have Vᵀ D w = c.
        return shortest(Vt * scale, inside / s[:, None]), rss

    def ridge(self, rho: Floats) -> tuple[Floats, Floats, Floats]:
        """The minimisers of (1) + ρ‖w‖² for one ρ per target, their costs, and tr S(S + ρI)⁻¹; of least norm at 0."""
        free = rho == 0.0
        if not np.any(free):
            return self._shrunk(rho)
        exact = (*self.least_squares(), np.full(len(rho), float(self.rank)))
        if np.all(free):
            return exact
        pairs = zip(exact, self._shrunk(np.where(free, 1.0, rho)), strict=True)
        w, rss, dof = (np.where(free, plain, shrunk) for plain, shrunk in pairs)
        return w, rss, dof

    def _shrunk(self, rho: Floats) -> tuple[Floats, Floats, Floats]:
        U, s, Vt = svd_with_squares(self.R)
        inside = U.T @ self.z
        shrink = s[:, None] ** 2 / (s[:, None] ** 2 + rho)
        w = Vt.T @ (s[:, None] / (s[:, None] ** 2 + rho) * inside)
        return w, self._outside(U, inside) + np.sum(((1.0 - shrink) * inside) ** 2, axis=0), np.sum(shrink, axis=0)

    def _outside(self, U: Floats, inside: Floats) -> Floats:
        """‖t‖² + ‖z − U Uᵀz‖², from the vector itself: a difference of squares would lose half of its digits."""
        return self.rest + np.sum((self.z - U @ inside) ** 2, axis=0)

    def _svd(self) -> tuple[Floats, Floats, Floats, Floats]:
        scale = _column_scale(self.R)
        U, s, Vt = linalg.svd(self.R / scale, full_matrices=False, check_finite=False)
        r = self.rank
        return U[:, :r], s[:r], Vt[:r], scale


def triangle(rows: Rows) -> Triangle:
    """R, z and ‖t‖² of equation (1) for the given rows.

    Parameters
    ----------
    rows : Rows

    Returns
    -------
    Triangle

    References
    ----------
    Demmel, J., Grigori, L., Hoemmen, M. & Langou, J. (2012). Communication-optimal parallel and sequential QR and LU
    factorizations. doi:10.1137/080731992

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import Rows, triangle
    >>> found = triangle(Rows(np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.0], [1.0]])))
    >>> w, rss = found.least_squares()
    >>> w.round(7), rss.round(7)
    (array([[0.5]]), array([0.1666667]))
    """
    n, d, k = rows.shape
    x_mean, y_mean = rows.means()
    # The mean of a column of 10⁹ ± 1 is a float only to 10⁻⁷; a column √s in front takes up what centring has left.
    one = int(rows.intercept)
    R = np.empty((0, one + d + k))
    length = max(4 * (d + k), 2**16 // (d + k))
    roots = rows.roots()[:, :one]
    for start in range(0, n, length):
        block = slice(start, min(start + length, n))
        stack = np.vstack([R, np.hstack([roots[block], *rows.centred(block, x_mean, y_mean)])])
        R = linalg.qr(stack, mode="r", overwrite_a=True, check_finite=False)[0][: one + d + k]
    if not np.all(np.isfinite(R)):
        rows.refuse_overflow()
    # Centred rows have one dimension less: its singular value is zero.
    R = np.vstack([R[one:, one:], np.zeros((one, d + k))])
    m = min(len(R), d)
    # A centred column that is only rounding error carries no information about w.
    noise = 8.0 * _EPS * np.abs(x_mean) * np.sqrt(rows.total)
    Rx = R[:m, :d] * (_column_norms(R[:m, :d]) > noise)
    rank, condition = _rank_and_condition(Rx, max(n, d) * _EPS)
    return Triangle(Rx, R[:m, d:], np.sum(R[d:, d:] ** 2, axis=0), x_mean, y_mean, rank, condition)


def triangle_of_moments(sums: Moments, d: int, *, intercept: bool) -> Triangle:
    """The same from moments alone, R = Λ^½ VᵀD with D⁻¹SD⁻¹ = VΛVᵀ: for rows that are no longer available.

    The scatter squares the condition number, so singular values below √ε of the largest are not seen.

    References
    ----------
    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import triangle_of_moments
    >>> from gnomon.numerics.streaming import moments
    >>> sums = moments(np.array([[0.0], [1.0], [2.0]]), targets=np.array([[0.0], [1.0], [1.0]]))
    >>> triangle_of_moments(sums, 1, intercept=True).least_squares()[0].round(7)
    array([[0.5]])
    """
    S, c, T, x_mean, y_mean = split_moments(sums, d, intercept=intercept)
    noise = 8.0 * _EPS * np.abs(x_mean) * np.sqrt(sums.weight)
    scale = np.sqrt(np.where(np.diag(S) > noise**2, np.diag(S), np.inf))
    values, V = linalg.eigh(S / np.outer(scale, scale))
    kept = values > 8 * d * _EPS * np.max(values, initial=0.0)
    root = np.sqrt(values[kept])
    R = root[:, None] * V[:, kept].T * np.where(np.isfinite(scale), scale, 0.0)
    z = (V[:, kept].T @ (c / scale[:, None])) / root[:, None]
    rest = np.maximum(np.diag(T) - np.sum(z**2, axis=0), 0.0)
    rank, condition = _rank_and_condition(R, np.sqrt(_EPS))
    return Triangle(R, z, rest, x_mean, y_mean, rank, condition)


def _rank_and_condition(R: Floats, tol: float) -> tuple[int, float]:
    """Both from the singular values of R with its columns scaled to length one."""
    s = linalg.svdvals(R / _column_scale(R), check_finite=False) if R.size else np.zeros(0)
    rank = int(np.sum(s > tol * np.max(s, initial=0.0)))
    return rank, (float(s[0] / s[-1]) if 0 < rank == R.shape[1] else np.inf)


def inverse_root(R: Floats, rank: int) -> Floats:
    """W with R W orthonormal and W Wᵀ a generalised inverse of RᵀR; R⁻¹ where R is square and regular.

    References
    ----------
    Golub, G. H. & Van Loan, C. F. (2013). Matrix Computations, section 5.5. ISBN 978-1-4214-0794-4.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import inverse_root
    >>> W = inverse_root(np.array([[2.0, 1.0], [0.0, 1.0]]), 2)
    >>> W @ W.T
    array([[ 0.5, -0.5],
           [-0.5,  1. ]])
    """
    if rank == R.shape[0] == R.shape[1] and _is_triangular(R):
        return linalg.solve_triangular(R, np.eye(rank), check_finite=False)
    scale = _column_scale(R)
    _, s, Vt = linalg.svd(R / scale, full_matrices=False, check_finite=False)
    return Vt[:rank].T / s[:rank] / scale[:, None]


def shortest(A: Floats, C: Floats) -> Floats:
    """The W of least norm with A W = C, for an A with independent rows, whatever the units of its columns.

    It lies in the span of Aᵀ = Q T; rows of Aᵀ sorted by size and pivoting keep the error of each row relative to its
    own size: Cox & Higham (1998), doi:10.1137/S0895479896295996.

    References
    ----------
    Cox, A. J. & Higham, N. J. (1998). Stability of Householder QR factorization for weighted least squares problems.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg.triangular import shortest
    >>> shortest(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]), np.array([2.0, 2.0]))
    array([1., 1., 1.])
    """
    order = np.argsort(-np.max(np.abs(A), axis=0, initial=0.0), kind="stable")
    Q, T, pivots = linalg.qr(A[:, order].T, mode="economic", pivoting=True, check_finite=False)
    W = np.empty((A.shape[1], *C.shape[1:]))
    W[order] = Q @ linalg.solve_triangular(T, C[pivots], trans="T", check_finite=False)
    return W


def svd_with_squares(R: Floats) -> tuple[Floats, Floats, Floats]:
    """The singular value decomposition of R; an error where σ² would overflow."""
    U, s, Vt = linalg.svd(R, full_matrices=False, check_finite=False)
    if np.max(s, initial=0.0) > np.sqrt(np.finfo(float).max):
        raise ValueError(
            f"X has columns of length {s[0]:.3g}, whose squares overflow; divide the columns by their scale"
        )
    return U, s, Vt


def _is_triangular(R: Floats) -> bool:
    return not np.any(np.tril(R, -1))


def _column_scale(R: Floats) -> Floats:
    norms = _column_norms(R)
    return np.where(norms > 0.0, norms, 1.0)


def _column_norms(R: Floats) -> Floats:
    # hypot neither overflows nor underflows, whatever the units of the columns.
    return np.hypot.reduce(R, axis=0)
