"""Coordinates in which a linear map with an intercept is well conditioned, whatever the units of its columns.

    X w + b = Z u + c = M φ,    zⱼ = 2^(−eⱼ)(xⱼ − x̄ⱼ),    wⱼ = 2^(−eⱼ) uⱼ,    b = c − x̄ᵀw                   (1)

Scaling by powers of two loses no digit, and centring before anything else loses none that X has: Higham (2002),
sections 1.7 and 2.2, doi:10.1137/1.9780898718027. M spans the columns of [Z, 1] and has MᵀM = n I (a pivoted QR
factorisation); a large sparse X is only scaled, M = [Z, 1], because M would be dense.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import lsmr

from gnomon._typing import Floats, Integers, Matrix, is_sparse
from gnomon.numerics.linalg.rows import binary_exponent
from gnomon.numerics.linalg.triangular import shortest

__all__ = ["Coordinates", "coordinates"]

_SMALL = 2**18
"""Entries of a sparse X up to which M is formed as a dense matrix."""

_EPS = np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class Coordinates:
    """X in the coordinates of (1).

    Parameters
    ----------
    Z : ndarray or sparse matrix of shape (n, d)
        Scaled columns, centred where there is an intercept; of a sparse X only those without a zero are centred.
    exponent : ndarray of int of shape (d,)
        eⱼ.
    center : ndarray of shape (d,)
        x̄ⱼ, in the units of X.
    intercept : bool
    M : ndarray or sparse matrix of shape (n, k)
    order : ndarray of int
        The columns, those that M is built from first.
    R : ndarray of shape (rank, d) or None
        Z = 1 hᵀ + M R with R[:, order] upper triangular, where M is orthogonal; None where M = [Z, 1].
    means : ndarray of shape (d,)
        h.

    References
    ----------
    Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms. doi:10.1137/1.9780898718027

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import coordinates
    >>> X = np.array([[1e9], [1e9 + 1.0], [1e9 + 2.0]])
    >>> found = coordinates(X, intercept=True)
    >>> bool(np.allclose(found.M.T @ found.M, 3.0 * np.eye(2)))
    True
    >>> w, b = found.to_data(*found.columns(found.fit(np.array([1.0, 3.0, 5.0]))), 0, 0.0)
    >>> w.round(7), round(b)
    (array([2.]), -1999999999)
    """

    Z: Matrix
    exponent: Integers
    center: Floats
    intercept: bool
    M: Matrix
    order: Integers
    R: Floats | None
    means: Floats

    def fit(self, v: Floats) -> Floats:
        """φ with M φ nearest to v."""
        if self.R is None:
            return np.asarray(lsmr(self.M, v, atol=1e-15, btol=1e-15, conlim=0.0, maxiter=10 * max(self.M.shape))[0])
        return np.asarray(self.M.T @ v) / len(v)

    def reject(self, v: Floats) -> Floats:
        """What M cannot explain of v; the second time removes what rounding left."""
        for _ in range(2):
            v = v - self.M @ self.fit(v)
        return v

    def columns(self, phi: Floats) -> tuple[Floats, float]:
        """u and c of φ."""
        d = self.Z.shape[1]
        if self.R is None:
            return phi[:d], float(phi[d]) if self.intercept else 0.0
        tail = phi[int(self.intercept) :]
        u = self._regular(tail) if len(tail) == d else self._shortest(tail)
        return u, float(phi[0] - self.means @ u) if self.intercept else 0.0

    def _regular(self, tail: Floats) -> Floats:
        assert self.R is not None
        u = np.empty(len(self.order))
        u[self.order] = linalg.solve_triangular(self.R[:, self.order], tail, check_finite=False)
        return u

    def _shortest(self, tail: Floats) -> Floats:
        """Of all u with R u = tail, where columns depend on each other, the one with the shortest w."""
        assert self.R is not None
        D = np.exp2(np.minimum(np.max(self.exponent) - self.exponent, 1000).astype(float))
        return shortest(self.R / D, tail) / D

    def to_data(
        self, u: Floats, c: float, exponent: int, y_mean: float, dtype: Any = np.float64
    ) -> tuple[Floats, float]:
        """w, rounded to `dtype`, and b in the units of X and y, where u and c explain 2^(−exponent)(y − ȳ)."""
        with np.errstate(over="ignore", under="ignore"):
            w = np.ldexp(u, exponent - self.exponent).astype(dtype).astype(float)
            off = np.abs(np.ldexp(w, self.exponent - exponent) - u)
        # A relative error of ε in the largest uⱼ is what rounding costs anyway.
        lost = ~(off <= np.finfo(dtype).eps * np.max(np.abs(u), initial=0.0))
        if np.any(lost):
            j = int(np.argmax(lost))
            raise ValueError(
                f"the coefficient of column {j} would be about {np.sign(u[j]):+.0f}·2^{exponent - self.exponent[j]}, "
                f"outside the range of floats; scale column {j} of X, or y"
            )
        return w, float(self._offset(w, y_mean) + Fraction(c) * Fraction(2) ** int(exponent)) if self.intercept else 0.0

    def from_data(self, w: Floats, b: float, exponent: int, y_mean: float) -> tuple[Floats, float]:
        """u and c of w and b: exactly what rounding w and b to floats has left."""
        u = np.ldexp(w, self.exponent - exponent)
        if not self.intercept:
            return u, 0.0
        return u, float((Fraction(b) - self._offset(w, y_mean)) / Fraction(2) ** int(exponent))

    def _offset(self, w: Floats, y_mean: float) -> Fraction:
        """ȳ − x̄ᵀw without rounding: its terms may be 10¹² times as large as the sum."""
        shifted = np.flatnonzero(self.center * w)
        products = (Fraction(float(self.center[j])) * Fraction(float(w[j])) for j in shifted)
        return Fraction(y_mean) - sum(products, Fraction(0))


def coordinates(X: Matrix, *, intercept: bool) -> Coordinates:
    """The coordinates (1) of X.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
    intercept : bool

    Returns
    -------
    Coordinates

    References
    ----------
    Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms. doi:10.1137/1.9780898718027

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import coordinates
    >>> coordinates(np.array([[1.0, 2.0], [2.0, 4.0], [5.0, 10.0]]), intercept=False).M.shape
    (3, 1)
    """
    if is_sparse(X) and X.shape[0] * X.shape[1] > _SMALL:
        Z, exponent, center = _scaled_sparse(X, intercept)
        one = [sparse.csr_array(np.ones((X.shape[0], 1)))] if intercept else []
        M = sparse.hstack([Z, *one], format="csr")
        return Coordinates(Z, exponent, center, intercept, M, np.arange(X.shape[1]), None, np.zeros(X.shape[1]))
    Z, exponent, center = _scaled(X.toarray() if is_sparse(X) else X, intercept)
    # The mean of a column of 10⁸ ± 1 is a float only to 10⁻⁸: a second centring makes columns orthogonal to 1.
    h = Z.mean(axis=0) if intercept else np.zeros(Z.shape[1])
    M, R, order = _orthogonal(Z - h)
    if intercept:
        M = np.hstack([np.ones((len(Z), 1)), M])
    return Coordinates(Z, exponent, center, intercept, M, order, R, h)


def _scaled(X: Floats, intercept: bool) -> tuple[Floats, Integers, Floats]:
    first = binary_exponent(X, axis=0)
    Z = np.ldexp(X.astype(float), -first)
    mean = Z.mean(axis=0) if intercept else np.zeros(Z.shape[1])
    Z -= mean
    # A centred column that is only rounding error carries no information.
    Z[:, np.max(np.abs(Z), axis=0, initial=0.0) <= 4.0 * _EPS * np.abs(mean)] = 0.0
    second = binary_exponent(Z, axis=0)
    return np.ldexp(Z, -second), first + second, np.ldexp(mean, first)


def _scaled_sparse(X: Any, intercept: bool) -> tuple[Any, Integers, Floats]:
    """A column with a zero has |x̄| ≤ √n sd and needs no centring; one without keeps its pattern when centred."""
    X = X.tocsc().astype(float)
    n, d = X.shape
    center, exponent = np.zeros(d), np.zeros(d, dtype=int)
    full = np.diff(X.indptr) == n
    for j in np.flatnonzero(np.diff(X.indptr)):
        stored = slice(X.indptr[j], X.indptr[j + 1])
        z, e, mean = _scaled(X.data[stored, None], bool(intercept and full[j]))
        X.data[stored], exponent[j], center[j] = z[:, 0], e[0], mean[0]
    return X.tocsr(), exponent, center


def _orthogonal(Z: Floats) -> tuple[Floats, Floats, Integers]:
    """M, R and the order of columns of Z = M R, with MᵀM = n I and as many columns of M as the rank."""
    n = len(Z)
    Q, R, order = linalg.qr(Z, mode="economic", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > max(Z.shape) * _EPS * np.max(diagonal, initial=0.0)))
    return np.sqrt(n) * Q[:, :rank], R[:rank, np.argsort(order)] / np.sqrt(n), order
