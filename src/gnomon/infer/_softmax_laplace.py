"""Laplace's approximation of a Gaussian process with several classes, all of one kernel.

    ψ(F) = Σᵢ wᵢ log softmax(fᵢ)[yᵢ] − ½ Σ_c f_cᵀK⁻¹f_c,    W = D − ΠΠᵀ at its maximum                            (1)
    E_c = D_c^½ (I + D_c^½KD_c^½)⁻¹ D_c^½,    (K + W⁻¹)⁻¹ = E − ER(Σ_c E_c)⁻¹RᵀE                                  (2)
    log q(y) = −½ Σ_c a_cᵀf_c + Σᵢ wᵢ log p(yᵢ | fᵢ) − ½ Σ_c log |I + D_c^½KD_c^½| − ½ log |Σ_c E_c|                (3)

Rasmussen & Williams (2006), algorithms 3.3 and 3.4, with the last term of (3), which they leave out: |I + KW| is the
product of the determinants of all classes times |Σ_c E_c|, as Σ_c π_c = 1 at every row. With weights D_c has wᵢπᵢ, and
Σ log wᵢ is taken from the last term.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.special import log_softmax

from gnomon._typing import Floats, Integers
from gnomon.infer._latent_mode import Labels, find_mode
from gnomon.infer.entry_slopes import EntrySlopes
from gnomon.numerics.parallel import calm_blas

__all__ = ["SoftmaxPosterior", "laplace_softmax"]


class _Curvature(NamedTuple):
    """The factors (2): E_c of shape (C, n, n), the lower factor of their sum, and Σ_c ½ log |B_c|."""

    E: Floats
    total: Floats
    half_log_det: float

    def inverse_times(self, x: Floats) -> Floats:
        """(K + W⁻¹)⁻¹x for x of shape (C, n)."""
        Ex = np.einsum("cij,cj->ci", self.E, x)
        shared = linalg.cho_solve((self.total, True), Ex.sum(axis=0), check_finite=False)
        return Ex - np.einsum("cij,j->ci", self.E, shared)

    def half(self, K: Floats) -> Floats:
        """V_c with V_cᵀV_d = K E_c (ΣE)⁻¹ E_d K, of shape (C, n, q) for K of shape (n, q)."""
        return np.stack([linalg.solve_triangular(self.total, E @ K, lower=True, check_finite=False) for E in self.E])


class SoftmaxPosterior(NamedTuple):
    """The approximation at the mode.

    Fields
    ------
    mode, coef, slope, proba : ndarray of shape (C, n)
        F, a = K⁻¹F, the gradient of the log-likelihood, and softmax(F).
    weights : ndarray of shape (n,)
    curvature : factors of (2)
    log_evidence, psi : float
    n_iter : int
    history : ndarray
    converged : bool

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, section 3.5. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import laplace_softmax
    >>> found = laplace_softmax(np.eye(3), np.array([0, 1, 2]), 3)
    >>> bool(np.allclose(found.coef, found.slope)), bool(np.allclose(found.mode.sum(axis=0), 0.0))
    (True, True)
    """

    mode: Floats
    coef: Floats
    slope: Floats
    proba: Floats
    weights: Floats
    curvature: _Curvature
    log_evidence: float
    psi: float
    n_iter: int
    history: Floats
    converged: bool

    def mean(self, k: Floats) -> Floats:
        """Of the scores at new points, of shape (q, C), for covariances k of shape (n, q)."""
        return k.T @ self.slope.T

    def spread(self, k: Floats, prior: Floats) -> Floats:
        """Covariances of the scores at each new point, of shape (q, C, C); `prior` is k(x, x)."""
        V = self.curvature.half(k)
        found = np.einsum("cij,dij->jcd", V, V)
        own = np.stack([np.einsum("ij,ij->j", k, E @ k) for E in self.curvature.E], axis=1)
        diagonal = np.arange(len(V))
        found[:, diagonal, diagonal] += prior[:, None] - own
        return found

    def evidence_slopes(self, K: Floats) -> EntrySlopes:
        """G with ∂ log q = Σ Gᵢⱼ ∂Kᵢⱼ, the way of the mode included."""
        curvature, p = self.curvature, self.proba
        halves = np.stack([linalg.solve_triangular(curvature.total, E, lower=True) for E in curvature.E])
        explicit = self.coef.T @ self.coef - np.sum(curvature.E, axis=0) + np.einsum("cki,ckj->ij", halves, halves)
        S = self.spread(K, np.diagonal(K))
        u = np.einsum("icc->ci", S) - 2.0 * np.einsum("icd,di->ci", S, p)
        s = -0.5 * p * (u - np.sum(p * u, axis=0)) * self.weights
        v = s - curvature.inverse_times(s @ K)
        return EntrySlopes(explicit, 0.5, 0.5 * np.vstack([v, self.slope]).T, np.vstack([self.slope, v]).T)


def laplace_softmax(
    K: Floats,
    y: Integers,
    n_classes: int,
    *,
    sample_weight: Floats | None = None,
    start: SoftmaxPosterior | None = None,
    max_iter: int = 100,
) -> SoftmaxPosterior:
    """Find the maximum of (1) by Newton's method, with steps halved until ψ does not fall.

    Parameters
    ----------
    K : ndarray of shape (n, n)
    y : ndarray of int of shape (n,)
        Places of the classes.
    n_classes : int
    sample_weight : ndarray of shape (n,), optional
    start : SoftmaxPosterior, optional
        Of these rows with another covariance or with other labels, where ψ is higher near its mode than at zero.
    max_iter : int, default=100

    Returns
    -------
    SoftmaxPosterior

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, algorithm 3.3. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import laplace_softmax
    >>> x = np.array([0.0, 2.0, 4.0])
    >>> found = laplace_softmax(np.exp(-0.5 * (x[:, None] - x) ** 2), np.array([0, 1, 2]), 3)
    >>> found.mode[:, 0].round(6), found.proba[:, 0].round(6)
    (array([ 0.464717, -0.191124, -0.273593]), array([0.50077 , 0.259902, 0.239328]))
    """
    n = len(y)
    w = np.ones(n) if sample_weight is None else sample_weight
    truth = np.eye(n_classes)[y].T

    def likelihood(F: Floats) -> tuple[float, Floats]:
        log_p = log_softmax(F, axis=0)
        return float(np.sum(w * np.sum(truth * log_p, axis=0))), w * (truth - np.exp(log_p))

    labels = Labels(truth.shape, likelihood, lambda F: _newton(K, F, truth, w))
    found = find_mode(K, labels, start=None if start is None else (start.coef, start.mode), max_iter=max_iter)
    p = _softmax(found.mode)
    curvature = _curvature(K, w * p)
    shared = float(np.sum(np.log(np.diagonal(curvature.total)) - 0.5 * np.log(w)))
    evidence = found.psi - curvature.half_log_det - shared
    return SoftmaxPosterior(
        found.mode, found.coef, found.slope, p, w, curvature, evidence, found.psi, len(found.history),
        found.history, found.converged,
    )  # fmt: skip


def _newton(K: Floats, F: Floats, truth: Floats, w: Floats) -> Floats:
    """The full step: a of the quadratic model at F."""
    p = _softmax(F)
    curvature = _curvature(K, w * p)
    b = w * (p * F - p * np.sum(p * F, axis=0)) + w * (truth - p)
    return b - curvature.inverse_times(b @ K)


def _curvature(K: Floats, d: Floats) -> _Curvature:
    """The factors (2) for D of shape (C, n)."""
    E, half_log_det = np.empty((len(d), *K.shape)), 0.0
    for c, root in enumerate(np.sqrt(d)):
        B = root[:, None] * K * root
        B[np.diag_indices_from(B)] += 1.0
        with calm_blas(len(B)):
            L = linalg.cholesky(B, lower=True, overwrite_a=True, check_finite=False)
            half = linalg.solve_triangular(L, np.diag(root), lower=True, check_finite=False)
            E[c] = half.T @ half
        half_log_det += float(np.sum(np.log(np.diagonal(L))))
    with calm_blas(len(K)):
        total = linalg.cholesky(E.sum(axis=0), lower=True, check_finite=False)
    return _Curvature(E, total, half_log_det)


def _softmax(F: Floats) -> Floats:
    return np.exp(log_softmax(F, axis=0))
