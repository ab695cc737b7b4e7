"""Leverages, and what follows from them: leave-one-out residuals and generalised cross-validation.

    ŷ = H y,    hᵢ = sᵢ (1/Σs + zᵢᵀ(ZᵀZ + ρI)⁻¹zᵢ)
    yᵢ − ŷ₋ᵢ = rᵢ/(1 − hᵢ),    GCV = (1/n) Σ rᵢ²/(1 − tr H/n)²                                   (1)

zᵢ = xᵢ − x̄ for a free intercept; without one zᵢ = xᵢ and 1/Σs is dropped. The leave-one-out formula is exact: Allen
(1974), doi:10.1080/00401706.1974.10489157; GCV: Golub, Heath & Wahba (1979), doi:10.1080/00401706.1979.10489751.
"""

import numpy as np

from gnomon._typing import Array, Elementwise, Floats, Matrix
from gnomon.numerics.linalg.rows import Rows, _blocks
from gnomon.numerics.linalg.triangular import inverse_root, svd_with_squares, triangle

__all__ = ["gcv_score", "hat_matrix", "in_column_space", "leverages", "loo_residuals"]


def leverages(X: Matrix, *, rho: float = 0.0, weights: Floats | None = None, intercept: bool = True) -> Floats:
    """hᵢ of equation (1) for every row of `X`.

    References
    ----------
    Hoaglin, D. C. & Welsch, R. E. (1978). The hat matrix in regression and ANOVA. doi:10.1080/00031305.1978.10479237

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import leverages
    >>> leverages(np.array([[0.0], [1.0], [2.0]])).round(7)
    array([0.8333333, 0.3333333, 0.8333333])
    """
    n = X.shape[0]
    rows = Rows(X, np.empty((n, 0)), weights, intercept)
    W, x_mean = _inverse_root(rows, rho)
    h = np.empty(n)
    for block in _blocks(slice(0, n), X.shape[1]):
        Z, _ = rows.centred(block, x_mean, np.zeros(0))
        h[block] = np.sum((Z @ W) ** 2, axis=1)
    return h + (_weights(rows) / rows.total if intercept else 0.0)


def hat_matrix(X: Matrix, *, rho: float = 0.0, weights: Floats | None = None, intercept: bool = True) -> Floats:
    """H of equation (1), the n × n matrix that maps y to ŷ.

    References
    ----------
    Hoaglin, D. C. & Welsch, R. E. (1978). The hat matrix in regression and ANOVA. doi:10.1080/00031305.1978.10479237

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import hat_matrix
    >>> hat_matrix(np.array([[1.0], [2.0]]), intercept=False)
    array([[0.2, 0.4],
           [0.4, 0.8]])
    """
    n = X.shape[0]
    rows = Rows(X, np.empty((n, 0)), weights, intercept)
    W, x_mean = _inverse_root(rows, rho)
    Z = rows._replace(weights=None).centred(slice(0, n), x_mean, np.zeros(0))[0] @ W
    H = Z @ Z.T + (1.0 / rows.total if intercept else 0.0)
    return H * _weights(rows)


def loo_residuals(residuals: Floats, h: Floats) -> Floats:
    """yᵢ − ŷ₋ᵢ = rᵢ/(1 − hᵢ); nan for a row that alone determines its own fit.

    References
    ----------
    Allen, D. M. (1974). The relationship between variable selection and data augmentation and a method for prediction.
    doi:10.1080/00401706.1974.10489157

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import loo_residuals
    >>> loo_residuals(np.array([-1 / 6, 1 / 3]), np.array([5 / 6, 1 / 3])).round(7)
    array([-1. ,  0.5])
    """
    left = 1.0 - (h if residuals.ndim == 1 else h[:, None])
    left = np.broadcast_to(np.where(left > 1e-12, left, np.nan), residuals.shape)
    return residuals / left


def gcv_score(rss: Elementwise, dof: Elementwise, n: float) -> Elementwise:
    """GCV of equation (1), from Σ s r², tr H and the total weight n.

    References
    ----------
    Golub, G. H., Heath, M. & Wahba, G. (1979). Generalized cross-validation as a method for choosing a good ridge
    parameter. doi:10.1080/00401706.1979.10489751

    Examples
    --------
    >>> from gnomon.numerics.linalg import gcv_score
    >>> round(gcv_score(0.2, 4 / 3, 3), 7)
    0.216
    """
    return rss / n / (1.0 - dof / n) ** 2


def in_column_space(X: Matrix, y: Array, *, intercept: bool = False, rtol: float = 1e-10) -> bool:
    """Whether y = Xw (+ b) has a solution: the distance of `y` to the column space is at most rtol·‖y‖.

    References
    ----------
    Golub, G. H. & Van Loan, C. F. (2013). Matrix Computations, section 5.3. ISBN 978-1-4214-0794-4.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import in_column_space
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> in_column_space(X, np.array([1.0, 3.0, 5.0])), in_column_space(X, np.array([0.0, 1.0, 1.0]))
    (True, False)
    """
    Y = np.reshape(y, (len(y), -1)).astype(float)
    rss = triangle(Rows(X, Y, None, intercept)).least_squares()[1]
    return bool(np.all(np.sqrt(np.maximum(rss, 0.0)) <= rtol * np.linalg.norm(Y, axis=0)))


def _inverse_root(rows: Rows, rho: float) -> tuple[Floats, Floats]:
    """W with W Wᵀ = (ZᵀZ + ρI)⁻¹ (a generalised inverse where ρ = 0 and Z is deficient), and x̄."""
    found = triangle(rows)
    if rho == 0.0:
        return inverse_root(found.R, found.rank), found.x_mean
    _, s, Vt = svd_with_squares(found.R)
    # Directions outside the row space do not matter: no zᵢ has a component along them.
    return Vt.T / np.sqrt(s**2 + rho), found.x_mean


def _weights(rows: Rows) -> Floats:
    return np.ones(rows.shape[0]) if rows.weights is None else rows.weights
