"""Leverages, and what follows from them: leave-one-out residuals and generalised cross-validation.

    ŷ = H y,    hᵢ = sᵢ (1/Σs + zᵢᵀ(ZᵀZ + ρI)⁻¹zᵢ)
    yᵢ − ŷ₋ᵢ = rᵢ/(1 − hᵢ),    GCV = (1/n) Σ rᵢ²/(1 − tr H/n)²                                   (1)

    G = (K + σ²I)⁻¹:    yᵢ − ŷ₋ᵢ = [G y]ᵢ/Gᵢᵢ,    var(yᵢ | others) = 1/Gᵢᵢ                           (2)

zᵢ = xᵢ − x̄ for a free intercept; without one zᵢ = xᵢ and 1/Σs is dropped. The leave-one-out formula is exact: Allen
(1974), doi:10.1080/00401706.1974.10489157; GCV: Golub, Heath & Wahba (1979), doi:10.1080/00401706.1979.10489751; for a
kernel: Rasmussen & Williams (2006), section 5.4.2.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from scipy import linalg

from gnomon._typing import Array, Elementwise, Floats, Matrix
from gnomon.numerics.linalg.rows import Rows, _blocks
from gnomon.numerics.linalg.triangular import inverse_root, svd_with_squares, triangle
from gnomon.numerics.special import LOG_2PI

__all__ = ["KernelLoo", "gcv_score", "hat_matrix", "in_column_space", "kernel_loo", "leverages", "loo_residuals"]


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
    """yᵢ − ŷ₋ᵢ = rᵢ/(1 − hᵢ); +inf, with a warning, for a row that alone determines its own fit (hᵢ = 1).

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
    left = np.broadcast_to(1.0 - (h if h.ndim == residuals.ndim else h[:, None]), residuals.shape)
    alone = left <= 1e-12
    if np.any(alone):
        rows = np.flatnonzero(np.any(alone.reshape(len(alone), -1), axis=1))
        warnings.warn(
            f"{len(rows)} rows determine their own fit (leverage 1, first row {rows[0]}), so the others say nothing of "
            "them: their leave-one-out residual is infinite; drop columns, or add a penalty",
            UserWarning,
            stacklevel=3,
        )
    return np.where(alone, np.inf, residuals / np.where(alone, 1.0, left))


class KernelLoo(NamedTuple):
    """Leave-one-out predictions of a Gaussian process or of kernel ridge regression, equation (2).

    Fields
    ------
    residuals : ndarray of the shape of y
        yᵢ − ŷ₋ᵢ.
    variances : ndarray of shape (n,)
        Of yᵢ given all others, noise included.
    log_density : float
        Σᵢ log N(yᵢ; ŷ₋ᵢ, 1/Gᵢᵢ), summed over the columns of y.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, section 5.4.2.
    ISBN 978-0-262-18253-9

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import kernel_loo
    >>> kernel_loo(np.eye(2), np.array([1.0, -3.0]), 1.0).variances
    array([2., 2.])
    """

    residuals: Floats
    variances: Floats
    log_density: float


def kernel_loo(K: Floats, y: Floats, noise: float | Floats) -> KernelLoo:
    """Equation (2): residuals, variances and log density of every row given all others.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Kernel values of the rows with each other.
    y : ndarray of shape (n,) or (n, k)
        With mean zero under the prior.
    noise : float or ndarray of shape (n,)
        σ², for all rows or for each; the ρ of kernel ridge regression.

    Returns
    -------
    KernelLoo

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, section 5.4.2.
    ISBN 978-0-262-18253-9

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import kernel_loo
    >>> x = np.array([0.0, 1.0, 2.0])
    >>> K, y = np.exp(-0.5 * (x[:, None] - x) ** 2), np.array([0.0, 1.0, 1.0])
    >>> others = np.linalg.solve(K[1:, 1:] + 0.1 * np.eye(2), y[1:])
    >>> kernel_loo(K, y, 0.1).residuals[0].round(9) == (y[0] - K[0, 1:] @ others).round(9)
    np.True_
    """
    y = np.asarray(y, dtype=float)
    A = np.array(K, dtype=float)
    A[np.diag_indices_from(A)] += noise
    try:
        factor = linalg.cho_factor(A, lower=True)
    except linalg.LinAlgError as error:
        raise ValueError("K + σ²I is not positive definite; give a larger noise, or a kernel that is") from error
    G = linalg.cho_solve(factor, np.eye(len(A)))
    variances = 1.0 / np.diagonal(G)
    of_targets = variances if y.ndim == 1 else variances[:, None]
    residuals = (G @ y) * of_targets
    density = -0.5 * np.sum(residuals**2 / of_targets + np.log(of_targets) + LOG_2PI)
    return KernelLoo(residuals, variances, float(density))


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
