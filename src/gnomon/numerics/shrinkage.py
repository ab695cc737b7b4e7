"""Covariances shrunk towards a multiple of the identity.

    Σ(s) = (1 − s) Σ + s m I,        m = tr Σ / d                                                     (1)
    Ledoit–Wolf:  s = min(β, δ)/δ,   δ = ‖Σ − mI‖²/d,   β = (q/n − ‖Σ‖²)/(d n),   q = Σᵢ sᵢ ‖zᵢ‖⁴            (2)
    OAS:  s = min(1, (a + m²) / ((n + 1)(a − m²/d))),   a = ‖Σ‖²/d²                                     (3)

with Frobenius norms, zᵢ = xᵢ − μ and the maximum-likelihood Σ of n rows. (2) estimates the share of least error:
Ledoit & Wolf (2004), doi:10.1016/S0047-259X(03)00096-4; (3) is its value for normal rows: Chen, Wiesel, Eldar &
Hero (2010), doi:10.1109/TSP.2010.2053029. Apart from q everything is a function of the moments, and q is one pass.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit
from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.streaming import Moments

__all__ = ["ledoit_wolf_share", "oas_share", "quartic_sums", "shrink_cov"]


def shrink_cov(cov: Floats, share: ArrayLike) -> Floats:
    """Σ(s) of equation (1), for one matrix or a stack of them.

    Parameters
    ----------
    cov : ndarray of shape (..., d, d)
    share : float or ndarray
        s in [0, 1], one for all matrices or one for each.

    Returns
    -------
    ndarray of shape (..., d, d)

    References
    ----------
    Ledoit, O. & Wolf, M. (2004). A well-conditioned estimator for large-dimensional covariance matrices.
    doi:10.1016/S0047-259X(03)00096-4

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.shrinkage import shrink_cov
    >>> shrink_cov(np.array([[2.0, 1.0], [1.0, 4.0]]), 0.5)
    array([[2.5, 0.5],
           [0.5, 3.5]])
    """
    d = cov.shape[-1]
    size = np.trace(cov, axis1=-2, axis2=-1) / d
    share = np.asarray(share, dtype=float)[..., None, None]
    return (1.0 - share) * cov + share * size[..., None, None] * np.eye(d)


def quartic_sums(
    X: Floats,
    index: Integers,
    moments: Moments,
    weights: ArrayLike | None = None,
    *,
    scale: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """q of equation (2) for every group: Σ sᵢ ‖zᵢ/scale‖⁴, with z about the mean of the row's group.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    index : ndarray of int of shape (n_samples,)
        The group of each row.
    moments : Moments
        Of the groups, as `group_moments` gives them.
    weights : ndarray of shape (n_samples,), optional
    scale : ndarray of shape (n_groups, n_features), optional
        Units of the columns; one by default.
    n_jobs : int, optional

    Returns
    -------
    ndarray of shape (n_groups,)

    References
    ----------
    Ledoit, O. & Wolf, M. (2004). A well-conditioned estimator for large-dimensional covariance matrices.
    doi:10.1016/S0047-259X(03)00096-4

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.shrinkage import quartic_sums
    >>> from gnomon.numerics.streaming import group_moments
    >>> X, one = np.array([[0.0], [2.0], [4.0]]), np.zeros(3, dtype=int)
    >>> quartic_sums(X, one, group_moments(X, one, 1))
    array([32.])
    """
    mean = np.atleast_2d(moments.mean)
    s = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)
    precision = np.ones_like(mean) if scale is None else np.asarray(scale, dtype=float) ** -2.0
    chunks = split_rows(len(X), max(1, min(16, X.size // 2**18)))
    parts = map_chunks(
        lambda rows: _quartics(X[rows], index[rows], s[rows], mean, precision), chunks, n_jobs or blas_threads()
    )
    return np.sum(parts, axis=0)


@jit
def _quartics(X: Floats, index: Integers, s: Floats, mean: Floats, precision: Floats) -> Floats:
    out = np.zeros(len(mean))
    for i in range(X.shape[0]):
        k = index[i]
        square = 0.0
        for j in range(X.shape[1]):
            z = X[i, j] - mean[k, j]
            square += z * z * precision[k, j]
        out[k] += s[i] * square * square
    return out


def ledoit_wolf_share(cov: Floats, n: float | Floats, quartic: float | Floats) -> Floats:
    """s of equation (2).

    Parameters
    ----------
    cov : ndarray of shape (..., d, d)
        Maximum-likelihood covariances.
    n : float or ndarray
        Rows of each.
    quartic : float or ndarray
        q of each.

    Returns
    -------
    ndarray

    References
    ----------
    Ledoit, O. & Wolf, M. (2004). A well-conditioned estimator for large-dimensional covariance matrices.
    doi:10.1016/S0047-259X(03)00096-4

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.shrinkage import ledoit_wolf_share
    >>> cov = np.array([[13.0, 9.0], [9.0, 13.0]]) / 3.0
    >>> round(float(ledoit_wolf_share(cov, 6.0, 4 * 2.0**4 + 2 * 18.0**2)), 6)
    0.584362
    """
    d = cov.shape[-1]
    cov, unit = _in_units(cov)
    quartic = np.asarray(quartic) / unit / unit
    square = np.sum(cov**2, axis=(-2, -1))
    delta = square / d - np.mean(np.diagonal(cov, axis1=-2, axis2=-1), axis=-1) ** 2
    beta = (quartic / n - square) / (d * np.asarray(n))
    return np.clip(_ratio(np.minimum(beta, delta), delta), 0.0, 1.0)


def oas_share(cov: Floats, n: float | Floats) -> Floats:
    """s of equation (3).

    Parameters
    ----------
    cov : ndarray of shape (..., d, d)
        Maximum-likelihood covariances.
    n : float or ndarray
        Rows of each.

    Returns
    -------
    ndarray

    References
    ----------
    Chen, Y., Wiesel, A., Eldar, Y. C. & Hero, A. O. (2010). Shrinkage algorithms for MMSE covariance estimation.
    doi:10.1109/TSP.2010.2053029

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.shrinkage import oas_share
    >>> round(float(oas_share(np.array([[2.0, 0.0], [0.0, 4.0]]), 20)), 7)
    1.0
    """
    d = cov.shape[-1]
    cov, _ = _in_units(cov)
    size = np.trace(cov, axis1=-2, axis2=-1) / d
    alpha = np.mean(cov**2, axis=(-2, -1))
    spread = (np.asarray(n) + 1.0) * (alpha - size**2 / d)
    return np.clip(_ratio(alpha + size**2, spread, otherwise=0.0 if d == 1 else 1.0), 0.0, 1.0)


def _in_units(cov: Floats) -> tuple[Floats, Floats]:
    """The covariances divided by their mean variance, and the mean variance: a share does not depend on units."""
    size = np.mean(np.diagonal(cov, axis1=-2, axis2=-1), axis=-1)
    unit = np.where(size > 0.0, size, 1.0)
    return cov / unit[..., None, None], unit


def _ratio(a: Floats, b: Floats, otherwise: float = 0.0) -> Floats:
    """a/b, and `otherwise` where b is zero up to rounding: every share then gives the same matrix."""
    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), b)
    return np.divide(a, b, out=np.full(b.shape, otherwise), where=b > np.finfo(float).eps * np.abs(a))
