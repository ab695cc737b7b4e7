"""Laplace's approximation of a Gaussian process with two classes.

    ψ(z) = Σ wᵢ log p(yᵢ | zᵢ) − ½ zᵀK⁻¹z,    ẑ = argmax ψ,    W = −∇² Σ wᵢ log p at ẑ                        (1)
    B = I + W^½KW^½ = LLᵀ,    a = b − W^½B⁻¹W^½Kb,  b = Wz + ∇ log p,  z ← Ka                              (2)
    log q(y) = −½ aᵀẑ + Σ wᵢ log p(yᵢ | ẑᵢ) − ½ log |B|                                                    (3)
    z(x) | y ~ N( k(x)ᵀ∇ log p(y | ẑ),  k(x, x) − ‖L⁻¹W^½k(x)‖² )                                          (4)

Rasmussen & Williams (2006), algorithms 3.1, 3.2 and 5.1. B has no eigenvalue below one, so that nothing is lost where K
is singular.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from gnomon._typing import Floats
from gnomon.infer._latent_mode import Labels, find_mode
from gnomon.infer.class_links import ClassLink, Derivatives
from gnomon.infer.entry_slopes import EntrySlopes
from gnomon.numerics.linalg import CholeskyPrecision
from gnomon.numerics.parallel import calm_blas

__all__ = ["ClassPosterior", "laplace_classes"]


class ClassPosterior(NamedTuple):
    """The approximation at the mode.

    Fields
    ------
    mode, coef : ndarray of shape (n,)
        ẑ and a = K⁻¹ẑ.
    slope : ndarray of shape (n,)
        ∇ Σ wᵢ log p at the mode, equal to a at the maximum.
    root : ndarray of shape (n,)
        W^½.
    lower : ndarray of shape (n, n)
        L; what is above its diagonal is never read.
    third : ndarray of shape (n,)
        Third derivatives of wᵢ log p.
    log_evidence : float
        (3).
    psi : float
        ψ(ẑ).
    n_iter : int
    history : ndarray
        ψ after every iteration.
    converged : bool
        Whether a = ∇ log p holds, up to rounding.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, chapter 3. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import LogitClasses, laplace_classes
    >>> found = laplace_classes(np.eye(2), np.array([-1.0, 1.0]), LogitClasses())
    >>> found.mode.round(4), bool(np.abs(found.mode - found.slope).max() < 1e-9)
    (array([-0.4011,  0.4011]), True)
    """

    mode: Floats
    coef: Floats
    slope: Floats
    root: Floats
    lower: Floats
    third: Floats
    log_evidence: float
    psi: float
    n_iter: int
    history: Floats
    converged: bool

    def mean(self, k: Floats) -> Floats:
        """Of z(x), for covariances k of shape (n, q): (4)."""
        return k.T @ self.slope

    def spread(self, k: Floats, prior: Floats) -> Floats:
        """Variances of the scores at new points; `prior` is k(x, x)."""
        return np.maximum(prior - self.explained(k), 0.0)

    def explained(self, k: Floats) -> Floats:
        """What (4) takes from k(x, x)."""
        return CholeskyPrecision(self.lower).quadratic(self.root[:, None] * k)

    def evidence_slopes(self, K: Floats) -> EntrySlopes:
        """G with ∂ log q = Σ Gᵢⱼ ∂Kᵢⱼ, the way of the mode included: algorithm 5.1 as one matrix.

        With R = W^½B⁻¹W^½ the posterior variances are diag(W⁻¹ − W⁻¹RW⁻¹), so that B⁻¹ is all that is needed.
        """
        precision = CholeskyPrecision(self.lower)
        R = precision.lower_inverse()
        ratio = np.divide(self.third, self.root**2, out=np.zeros_like(self.third), where=self.root > 0.0)
        shift = 0.5 * (1.0 - np.diagonal(R)) * ratio
        R *= self.root[:, None]
        R *= self.root
        u = shift - self.root * precision.solve(self.root * (K @ shift))
        left = 0.5 * np.column_stack([self.coef, u, self.slope])
        return EntrySlopes(R, -0.5, left, np.column_stack([self.coef, self.slope, u]))


def laplace_classes(
    K: Floats,
    y: Floats,
    link: ClassLink,
    *,
    sample_weight: Floats | None = None,
    start: ClassPosterior | None = None,
    max_iter: int = 100,
) -> ClassPosterior:
    """Find the mode (1) by Newton's method in the form (2), with steps halved until ψ does not fall.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Positive semi-definite.
    y : ndarray of shape (n,)
        ±1.
    link : ClassLink
    sample_weight : ndarray of shape (n,), optional
        w of (1).
    start : ClassPosterior, optional
        Of these rows with another covariance or with other labels, where ψ is higher near its mode than at zero.
    max_iter : int, default=100

    Returns
    -------
    ClassPosterior

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, algorithm 3.1. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import LogitClasses, laplace_classes
    >>> x, y = np.arange(4.0), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> K = np.exp(-0.5 * (x[:, None] - x) ** 2)
    >>> found = laplace_classes(K, y, LogitClasses())
    >>> found.mode.round(6), round(found.log_evidence, 6)
    (array([-0.556689, -0.335684,  0.335684,  0.556689]), -2.732538)
    """
    w = np.ones(len(y)) if sample_weight is None else sample_weight

    def likelihood(z: Floats) -> tuple[float, Floats]:
        d = _weighted(link, y, z, w)
        return float(np.sum(d.value)), d.slope

    labels = Labels(y.shape, likelihood, lambda z: _newton(K, z, _weighted(link, y, z, w)))
    found = find_mode(K, labels, start=None if start is None else (start.coef, start.mode), max_iter=max_iter)
    d = _weighted(link, y, found.mode, w)
    root = np.sqrt(d.curvature)
    lower = _factor(K, root)
    evidence = found.psi - float(np.sum(np.log(np.diagonal(lower))))
    return ClassPosterior(
        found.mode, found.coef, found.slope, root, lower, d.third, evidence, found.psi, len(found.history),
        found.history, found.converged,
    )  # fmt: skip


def _newton(K: Floats, z: Floats, d: Derivatives) -> Floats:
    """a of (2)."""
    root = np.sqrt(d.curvature)
    b = d.curvature * z + d.slope
    return b - root * linalg.cho_solve((_factor(K, root), True), root * (K @ b), check_finite=False)


def _factor(K: Floats, root: Floats) -> Floats:
    """L of (2)."""
    # By columns, as LAPACK takes it.
    B = K.T * root
    B *= root[:, None]
    B[np.diag_indices_from(B)] += 1.0
    with calm_blas(len(B)):
        lower, info = lapack.dpotrf(B, lower=1, clean=0, overwrite_a=1)
    if info != 0:
        raise np.linalg.LinAlgError("the covariance of the latent scores is not positive semi-definite")
    return lower


def _weighted(link: ClassLink, y: Floats, z: Floats, w: Floats) -> Derivatives:
    return Derivatives(*(w * part for part in link.derivatives(y, z)))
