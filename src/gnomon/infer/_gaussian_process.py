"""Conditioning a Gaussian process on observations.

    f ~ GP(hᵀβ, k),  y = f(X) + ε,  ε ~ N(0, N),  A = K + N                                        (1)
    β = (HᵀA⁻¹H)⁻¹HᵀA⁻¹y,    a = A⁻¹(y − Hβ) = Py                                                 (2)
    mean(x) = h(x)ᵀβ + k(x)ᵀa,    var(x) = k(x, x) − k(x)ᵀA⁻¹k(x) + r(x)ᵀ(HᵀA⁻¹H)⁻¹r(x)            (3)
    log p(y) = −½ yᵀPy − ½ log |A| − ½ log |HᵀA⁻¹H| − ½ (n − p) log 2π                             (4)
    y₋ᵢ: mean yᵢ − aᵢ/Pᵢᵢ, variance 1/Pᵢᵢ                                                          (5)
    ½ (observed + expected information of θ) = ½ aᵀ∂ᵢA P ∂ⱼA a                                     (6)

with r(x) = h(x) − HᵀA⁻¹k(x) and P = A⁻¹ − A⁻¹H(HᵀA⁻¹H)⁻¹HᵀA⁻¹, which is A⁻¹ where the mean is known (p = 0). (2)–(4):
Rasmussen & Williams (2006), sections 2.2 and 2.7; (5): Sundararajan & Keerthi (2001), doi:10.1162/08997660151134343,
and with a drift Dubrule (1983), doi:10.1007/BF01033232; (6), where A is linear in θ, and else up to terms of mean zero:
Gilmour, Thompson & Cullis (1995), doi:10.2307/2533274. Several columns of y share A.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from gnomon._typing import Floats
from gnomon.infer.entry_slopes import EntrySlopes
from gnomon.numerics.linalg import NotPositiveDefiniteError, Precision

__all__ = ["Conditioned", "Left", "condition"]

LOG_2PI = float(np.log(2.0 * np.pi))
LOST = 1e-12
"""Share of (A⁻¹)ᵢᵢ that rounding may leave of Pᵢᵢ = 0."""


class Left(NamedTuple):
    """The laws (5) of each observation given the others.

    Fields
    ------
    mean : ndarray of shape (n, m)
    variance : ndarray of shape (n,)
        Of the observation, noise included.

    References
    ----------
    Sundararajan, S. & Keerthi, S. S. (2001). Predictive approaches for choosing hyperparameters in Gaussian processes.
    doi:10.1162/08997660151134343

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import condition
    >>> from gnomon.numerics.linalg import factor_covariance
    >>> condition(factor_covariance(np.eye(2)), np.ones((2, 1))).left_out().mean
    array([[0.],
           [0.]])
    """

    mean: Floats
    variance: Floats


class Conditioned(NamedTuple):
    """A process after its observations, as far as they are concerned: what (3)–(5) need beside k(x) and h(x).

    Fields
    ------
    precision : Precision
        A⁻¹.
    y : ndarray of shape (n, m)
    coef : ndarray of shape (n, m)
        a of (2).
    drift : ndarray of shape (p, m)
        β.
    solved : ndarray of shape (n, p)
        A⁻¹H.
    root : ndarray of shape (p, p)
        The lower Cholesky factor of HᵀA⁻¹H.
    residual : ndarray of shape (n, m)
        y − Hβ, of which (4) takes yᵀPy = rᵀa: y itself may be far from zero.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, chapter 2. MIT Press.

    Examples
    --------
    Two observations of a process with k(x, x') = exp(−½(x − x')²), and its law between them:

    >>> import numpy as np
    >>> from gnomon.infer import condition
    >>> from gnomon.kernels import RBF
    >>> from gnomon.numerics.linalg import factor_covariance
    >>> X, y = np.array([[0.0], [1.0]]), np.array([[1.0], [2.0]])
    >>> found = condition(factor_covariance(RBF().gram(X)), y)
    >>> k = RBF().gram(X, [[0.5]])
    >>> found.mean(k).round(7), (1.0 - found.explained(k)).round(7), round(found.log_evidence(), 7)
    (array([[1.6479553]]), array([0.0304564]), -3.6444465)
    """

    precision: Precision
    y: Floats
    coef: Floats
    drift: Floats
    solved: Floats
    root: Floats
    residual: Floats

    def mean(self, k: Floats, h: Floats | None = None) -> Floats:
        """Equation (3) for the covariances k of shape (n, q) with q new points, and their drift h of shape (q, p)."""
        found = k.T @ self.coef
        return found if h is None else found + h @ self.drift

    def explained(self, k: Floats, h: Floats | None = None) -> Floats:
        """What (3) takes from k(x, x), for each new point."""
        found = self.precision.quadratic(k)
        if h is not None:
            S = self._unexplained_drift(k, h)
            found = found - np.einsum("ij,ij->j", S, S)
        return found

    def explained_covariance(self, k: Floats, h: Floats | None = None) -> Floats:
        """What conditioning takes from the joint covariance of the new points."""
        found = self.precision.product(k)
        if h is not None:
            S = self._unexplained_drift(k, h)
            found = found - S.T @ S
        return found

    def weights(self, k: Floats, h: Floats | None = None) -> Floats:
        """w with mean(x) = wᵀy, of shape (q, n)."""
        found = self.precision.solve(k)
        if h is not None:
            found = found + self.solved @ linalg.cho_solve((self.root, True), h.T - self.solved.T @ k)
        return found.T

    def log_evidence(self) -> float:
        """Equation (4), summed over the columns of y."""
        n, m = self.y.shape
        drift = 2.0 * float(np.sum(np.log(np.diagonal(self.root))))
        shared = self.precision.log_det + drift + (n - len(self.drift)) * LOG_2PI
        return -0.5 * (float(np.sum(self.residual * self.coef)) + m * shared)

    def evidence_slopes(self) -> EntrySlopes:
        """G with ∂ log p = Σ Gᵢⱼ ∂Aᵢⱼ: ½(aaᵀ − mP)."""
        m, V = self.y.shape[1], self._drift_root().T
        return EntrySlopes(
            self.precision.lower_inverse(), -0.5 * m, 0.5 * np.hstack([self.coef, m * V]), np.hstack([self.coef, V])
        )

    def average_information(self, changes: Floats) -> Floats:
        """½ Σ uᵢᵀPuⱼ over the columns of y, for the changes uᵢ = ∂Aᵢa of shape (p, n, m): (6)."""
        found = np.zeros((len(changes), len(changes)))
        for U in changes.transpose(2, 1, 0):
            V = self._drift_root() @ U
            found += 0.5 * (self.precision.product(U) - V.T @ V)
        return found

    def left_out(self) -> Left:
        """The laws (5); ValueError where the other rows do not determine the drift."""
        diagonal, V = self.precision.diagonal(), self._drift_root()
        P = diagonal - np.einsum("ij,ij->j", V, V)
        lost = LOST * diagonal >= P
        if len(self.drift) and np.any(lost):
            raise ValueError(
                f"without row {int(np.argmax(lost))} the {len(self.drift)} coefficients of the mean are not "
                "determined, so that nothing is known of its value; give more rows, or a mean with fewer coefficients"
            )
        return Left(self.y - self.coef / P[:, None], 1.0 / P)

    def left_out_score(self) -> float:
        """Σ log p(yᵢ | y₋ᵢ)."""
        left = self.left_out()
        squares = self.coef**2 * left.variance[:, None]
        return -0.5 * float(np.sum(squares + np.log(left.variance)[:, None] + LOG_2PI))

    def left_out_slopes(self) -> EntrySlopes:
        """G with ∂ Σ log p(yᵢ | y₋ᵢ) = Σ Gᵢⱼ ∂Aᵢⱼ, Sundararajan & Keerthi (2001), section 3."""
        P = self._projected()
        c = 1.0 / np.diagonal(P)
        u = P @ (c[:, None] * self.coef)
        d = c * np.sum(1.0 + self.coef**2 * c[:, None], axis=1)
        return EntrySlopes((P * d) @ P, -0.5, 0.5 * np.hstack([u, self.coef]), np.hstack([self.coef, u]))

    def _unexplained_drift(self, k: Floats, h: Floats) -> Floats:
        """S with SᵀS = r(x)ᵀ(HᵀA⁻¹H)⁻¹r(x)."""
        return linalg.solve_triangular(self.root, h.T - self.solved.T @ k, lower=True)

    def _projected(self) -> Floats:
        """P of (2)."""
        V = self._drift_root()
        return self.precision.dense() - V.T @ V

    def _drift_root(self) -> Floats:
        """V with VᵀV = A⁻¹ − P, of shape (p, n)."""
        return linalg.solve_triangular(self.root, self.solved.T, lower=True) if len(self.root) else self.solved.T


def condition(precision: Precision, y: Floats, H: Floats | None = None) -> Conditioned:
    """Solve (2).

    Parameters
    ----------
    precision : Precision
        A⁻¹ of (1).
    y : ndarray of shape (n, m)
        Observations less their known mean.
    H : ndarray of shape (n, p), optional
        Columns of a drift with free coefficients.

    Returns
    -------
    Conditioned

    Raises
    ------
    NotPositiveDefiniteError
        Where columns of the drift depend on each other.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, section 2.7. MIT Press.

    Examples
    --------
    The drift that explains all of y leaves nothing to the process:

    >>> import numpy as np
    >>> from gnomon.infer import condition
    >>> from gnomon.numerics.linalg import factor_covariance
    >>> found = condition(factor_covariance(np.eye(3)), np.full((3, 1), 5.0), np.ones((3, 1)))
    >>> found.drift, bool(np.abs(found.coef).max() < 1e-12)
    (array([[5.]]), True)
    """
    n, m = y.shape
    if H is None:
        empty = np.empty((n, 0))
        return Conditioned(precision, y, precision.solve(y), np.empty((0, m)), empty, np.empty((0, 0)), y)
    solved = precision.solve(H)
    try:
        root = linalg.cholesky(_symmetric(H.T @ solved), lower=True)
    except np.linalg.LinAlgError:
        raise NotPositiveDefiniteError(
            f"the {H.shape[1]} columns of the mean depend on each other, up to rounding; leave some out, or centre them"
        ) from None
    # (2) is the same for y − Hb and β − b: least squares take away what may be large beside the rest.
    b = np.linalg.lstsq(H, y, rcond=None)[0]
    left = y - H @ b
    more = linalg.cho_solve((root, True), solved.T @ left)
    residual = left - H @ more
    return Conditioned(precision, y, precision.solve(residual), b + more, solved, root, residual)


def _symmetric(A: Floats) -> Floats:
    return 0.5 * (A + A.T)
