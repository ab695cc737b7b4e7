"""Ridge regression for many ρ at once, with its exact leave-one-out residuals.

    ZᵀZ = V diag(σ²) Vᵀ,    w(ρ) = V diag(1/(σ² + ρ)) P,    P = VᵀZᵀt,    Q = (X − x̄) V
    hᵢ(ρ) = sᵢ (1/Σs + Σⱼ Qᵢⱼ²/(σⱼ² + ρ)),    yᵢ − ŷ₋ᵢ = (yᵢ − ȳ − Σⱼ QᵢⱼPⱼ/(σⱼ² + ρ)) / (1 − hᵢ)                 (1)

One decomposition serves every ρ: fitted values and leverages of all of them are two products with Q and with its
squares. Golub, Heath & Wahba (1979), doi:10.1080/00401706.1979.10489751.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeVar, cast

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.linalg.leverage import loo_residuals
from gnomon.numerics.linalg.normal import split_moments
from gnomon.numerics.linalg.rows import Rows, _blocks
from gnomon.numerics.linalg.triangular import svd_with_squares, triangle
from gnomon.numerics.parallel import blas_threads, map_chunks
from gnomon.numerics.validation import check_choice

__all__ = ["RidgePath", "ridge_path"]

Result = TypeVar("Result")

_TRUSTED = 1e8
"""The largest ratio of σ² + ρ, greatest to least, up to which eigenvalues of ZᵀZ are used in place of an SVD of Z."""


class RidgePath(NamedTuple):
    """σ², V and P of equation (1), from which the fit for any ρ follows.

    Parameters
    ----------
    squares : ndarray of shape (m,)
    V : ndarray of shape (d, m), or what multiplies like it
    P : ndarray of shape (m, k)
    x_mean, y_mean : ndarray
    rows : Rows
    Q : ndarray of shape (n, m), optional
        Where it is known: from ZZᵀ it follows without a product with X.

    References
    ----------
    Golub, G. H., Heath, M. & Wahba, G. (1979). Generalized cross-validation as a method for choosing a good ridge
    parameter. doi:10.1080/00401706.1979.10489751

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import Rows, ridge_path
    >>> X, Y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([[0.0], [1.0], [1.0]])
    >>> path = ridge_path(Rows(X, Y, intercept=False), smallest=1.0)
    >>> path.coef(np.array([1.0])).round(7).ravel(), path.dof(np.array([1.0])).round(7)
    (array([0.2, 0.4]), array([1.3333333]))
    >>> path.loo_residuals(np.array([1.0])).round(7).ravel()
    array([-0.3333333,  0.5454545,  0.       ])
    """

    squares: Floats
    V: Floats | _Combinations
    P: Floats
    x_mean: Floats
    y_mean: Floats
    rows: Rows
    Q: Floats | None = None

    def coef(self, rho: Floats) -> Floats:
        """w for each ρ and target, of shape (len(rho), d, k)."""
        # One product for all ρ and targets.
        shrunk = self.P[:, None, :] / (self.squares[:, None] + rho)[:, :, None]
        w = self.V @ shrunk.reshape(len(self.P), -1)
        return np.moveaxis(w.reshape(len(w), *shrunk.shape[1:]), 1, 0)

    def intercept(self, coef: Floats) -> Floats:
        """b that belongs to such coefficients, of shape (len(rho), k)."""
        return self.y_mean - self.x_mean @ coef

    def dof(self, rho: ArrayLike) -> Floats:
        """tr H for each ρ, with one for a free b."""
        return np.sum(self.squares / (self.squares + np.asarray(rho)[:, None]), axis=1) + self.rows.intercept

    def loo_residuals(self, rho: Floats) -> Floats:
        """yᵢ − ŷ₋ᵢ for every row, target and ρ: shape (n, k, len(rho))."""
        return np.concatenate(self.map_loo(lambda _, residuals: residuals, rho))

    def loo_residuals_by_row(self, rho: Floats) -> Floats:
        """yᵢ − ŷ₋ᵢ where the fit without row i has its own ρ: from ρ of shape (n, k) > 0, the shape of the result.

        The penalty of a mean of losses shrinks with the rows that are left.
        """
        plain, n = self.rows._replace(weights=None), self.rows.shape[0]
        Q = plain.centred(slice(0, n), self.x_mean, self.y_mean)[0] @ cast(Floats, self.V) if self.Q is None else self.Q
        s = np.ones(n) if self.rows.weights is None else self.rows.weights
        T = self.rows.Y - self.y_mean
        out = np.empty(T.shape)
        for k in range(T.shape[1]):
            shrunk = Q / (self.squares + rho[:, k, None])
            h = s * (np.sum(Q * shrunk, axis=1) + (1.0 / self.rows.total if self.rows.intercept else 0.0))
            out[:, k] = loo_residuals(T[:, k] - shrunk @ self.P[:, k], h)
        return out

    def map_loo(self, function: Callable[[slice, Floats], Result], rho: Floats) -> list[Result]:
        """function(rows, their leave-one-out residuals) for one block of rows after the other, on threads."""
        inverse = 1.0 / (self.squares[:, None] + rho)
        plain = self.rows._replace(weights=None)

        def of_block(block: slice) -> Result:
            T = self.rows.Y[block] - self.y_mean
            Q = (
                plain.centred(block, self.x_mean, self.y_mean)[0] @ cast(Floats, self.V)
                if self.Q is None
                else self.Q[block]
            )
            fitted = np.stack([Q @ (p[:, None] * inverse) for p in self.P.T], axis=1)
            h = self._leverages(Q, inverse, block)
            # Without a row of leverage one there is no fit: its residual is infinite.
            with np.errstate(divide="ignore", invalid="ignore"):
                return function(block, (T[:, :, None] - fitted) / (1.0 - h)[:, None, :])

        width = max(self.rows.shape[1], self.P.shape[1] * len(rho))
        return map_chunks(of_block, _blocks(slice(0, self.rows.shape[0]), width), blas_threads())

    def _leverages(self, Q: Floats, inverse: Floats, block: slice) -> Floats:
        h = (Q * Q) @ inverse + (1.0 / self.rows.total if self.rows.intercept else 0.0)
        return h if self.rows.weights is None else h * self.rows.weights[block][:, None]


def ridge_path(rows: Rows, smallest: float, *, mode: Literal["auto", "eigen", "svd"] = "auto") -> RidgePath:
    """The decomposition of equation (1).

    Parameters
    ----------
    rows : Rows
    smallest : float
        The least ρ that will be asked for; it decides whether "auto" may use eigenvalues.
    mode : {"auto", "eigen", "svd"}, default="auto"
        "eigen" decomposes ZᵀZ or ZZᵀ, whichever is smaller; "svd" the triangular factor of Z.

    Returns
    -------
    RidgePath

    References
    ----------
    Golub, G. H., Heath, M. & Wahba, G. (1979). Generalized cross-validation as a method for choosing a good ridge
    parameter. doi:10.1080/00401706.1979.10489751

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import Rows, ridge_path
    >>> path = ridge_path(Rows(np.eye(3), np.array([[3.0], [-0.2], [-2.0]]), intercept=False), smallest=1.0)
    >>> path.coef(np.array([1.0])).ravel()
    array([ 1.5, -0.1, -1. ])
    """
    check_choice("mode", mode, ("auto", "eigen", "svd"))
    found = None if mode == "svd" else _primal(rows) if rows.shape[0] >= rows.shape[1] else _dual(rows)
    if found is not None:
        largest, least = np.max(found.squares, initial=0.0), np.min(found.squares, initial=0.0)
        if mode == "eigen" or largest <= _TRUSTED * (least + smallest):
            return found
    factor = triangle(rows)
    U, s, Vt = svd_with_squares(factor.R)
    return RidgePath(s**2, Vt.T, s[:, None] * (U.T @ factor.z), factor.x_mean, factor.y_mean, rows)


def _primal(rows: Rows) -> RidgePath | None:
    S, c, _, x_mean, y_mean = split_moments(rows.moments(), rows.shape[1], intercept=rows.intercept)
    if not np.all(np.isfinite(S)):
        return None
    values, V = np.linalg.eigh(S)
    # Along directions with singular value zero (centring leaves at least one if n = d) there is only rounding.
    P = np.where((values > len(values) * np.finfo(float).eps * values[-1])[:, None], V.T @ c, 0.0)
    return RidgePath(np.maximum(values, 0.0), V, P, x_mean, y_mean, rows)


def _dual(rows: Rows) -> RidgePath | None:
    x_mean, y_mean = rows.means()
    root = rows.roots()
    with np.errstate(over="ignore", invalid="ignore"):
        G = rows.inner_products(x_mean)
        K = root * G * root.T
    if not np.all(np.isfinite(K)):
        return None
    values, U = np.linalg.eigh(K)
    # Directions with singular value zero (centring leaves at least one) contribute nothing to w.
    kept = values > len(values) * np.finfo(float).eps * values[-1]
    values, U = values[kept], U[:, kept]
    length = np.sqrt(values)
    A = root * U / length
    P = length[:, None] * (U.T @ (root * (rows.Y - y_mean)))
    return RidgePath(values, _Combinations(rows, x_mean, A), P, x_mean, y_mean, rows, G @ A)


class _Combinations(NamedTuple):
    """V = (X − x̄)ᵀA, which for many columns is far larger than A and is never formed."""

    rows: Rows
    x_mean: Floats
    A: Floats

    def __matmul__(self, other: Floats) -> Floats:
        return self.rows.combine(self.A @ other, self.x_mean)
