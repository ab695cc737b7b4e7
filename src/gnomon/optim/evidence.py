"""Evidence maximisation for Bayesian linear regression.

    y | w ~ N(Xw, β⁻¹I),  w ~ N(0, α⁻¹I):
    log p(y | α, β) = ½ [d log α + n log β − β‖y − Xm‖² − α‖m‖² − log |αI + βXᵀX| − n log 2π]          (1)
    γ = Σᵢ λᵢ/(λᵢ + α),    α ← γ/‖m‖²,    β ← (n − γ)/‖y − Xm‖²                                     (2)

with m the posterior mean and λᵢ the eigenvalues of βXᵀX. One SVD of X serves every iteration, so each costs O(d).
MacKay (1992), doi:10.1162/neco.1992.4.3.415, equations 4.8 to 4.10.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import linalg

from gnomon._typing import Floats
from gnomon.optim.solution import History, Trace

__all__ = ["Evidence", "maximize_evidence"]

Precision: TypeAlias = Literal["prior", "noise"]

LIMIT = 1e12
"""How far a precision may run from the scale of the data where the evidence grows for ever."""


class Evidence(NamedTuple):
    """The end of (2).

    Parameters
    ----------
    prior_precision, noise_precision : float
        α and β.
    gamma : float
        γ, the number of coefficients that the data determine.
    log_evidence : float
        (1) at α and β.
    n_iter : int
    converged : bool
        Whether both precisions had stopped changing, and neither had to be stopped.
    history : dict of str to ndarray
    stopped : tuple of str
        "prior" and "noise": the precisions that were stopped at `LIMIT` because the evidence grows with them for ever.

    References
    ----------
    MacKay, D. J. C. (1992). Bayesian interpolation. doi:10.1162/neco.1992.4.3.415

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import maximize_evidence
    >>> found = maximize_evidence(np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 2.0]))
    >>> found.converged, round(found.gamma, 4)
    (True, 0.9793)
    """

    prior_precision: float
    noise_precision: float
    gamma: float
    log_evidence: float
    n_iter: int
    converged: bool
    history: History
    stopped: tuple[Precision, ...] = ()


def maximize_evidence(
    X: Floats, y: Floats, *, n: float | None = None, rest: float = 0.0, tol: float = 1e-10, max_iter: int = 1000
) -> Evidence:
    """Maximise (1) over α and β by the fixed point (2).

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of shape (m,)
        The rows; or, for more rows than are kept, their triangular factor and what QR makes of y.
    n : float, optional
        Number (total weight) of the rows; m by default.
    rest : float, default=0.0
        Squared length of the part of the full y that the factor has left out.
    tol : float, default=1e-10
        Stop where neither log α nor log β changes by more.
    max_iter : int, default=1000

    Returns
    -------
    Evidence

    References
    ----------
    MacKay, D. J. C. (1992). Bayesian interpolation. doi:10.1162/neco.1992.4.3.415

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import maximize_evidence
    >>> X = np.column_stack([np.ones(5), np.arange(5.0)])
    >>> best = maximize_evidence(X, np.array([0.1, 0.9, 2.2, 2.8, 4.1]))
    >>> round(best.prior_precision, 6), round(best.noise_precision, 5), round(best.gamma, 6)
    (2.011964, 28.37702, 1.952529)
    >>> round(best.log_evidence, 7)
    -3.3574906
    """
    n = float(len(y) if n is None else n)
    U, s, _ = linalg.svd(X, full_matrices=False)
    # After scaling by the norms of X and y nothing overflows, and one bound suits all data.
    wide, long = float(np.max(s, initial=0.0)) or 1.0, float(np.hypot(np.linalg.norm(y), np.sqrt(rest))) or 1.0
    inside = U.T @ (y / long)
    outside = rest / long**2 + max(float(np.sum((y / long) ** 2) - inside @ inside), 0.0)
    data = _Rotated(n * (s / wide) ** 2, n * inside**2, n * outside, n)
    alpha, beta, step, trace = 1.0, 1.0, np.inf, Trace()
    to_prior, to_noise = (wide / long) ** 2, n / long**2
    shift = 0.5 * n * float(np.log(to_noise))
    for iteration in range(max_iter + 1):
        gamma, size, rss = data.moments(alpha, beta)
        value = data.log_evidence(alpha, beta) + shift
        trace.add(iteration, value, prior_precision=to_prior * alpha, noise_precision=to_noise * beta)
        if step <= tol or iteration == max_iter:
            break
        old = np.array([alpha, beta])
        alpha, beta = _bounded(gamma, size), _bounded(n - gamma, rss)
        step = np.max(np.abs(np.log([alpha, beta] / old)))
    found: dict[Precision, float] = {"prior": alpha, "noise": beta}
    stopped = tuple(name for name, value in found.items() if value in (1.0 / LIMIT, LIMIT))
    converged = bool(step <= tol) and not stopped
    return Evidence(to_prior * alpha, to_noise * beta, gamma, value, iteration, converged, trace.history, stopped)


def _bounded(a: float, b: float) -> float:
    """a/b, kept within `LIMIT` of one."""
    return float(np.clip(a / b if b > 0.0 else np.inf, 1.0 / LIMIT, LIMIT))


class _Rotated(NamedTuple):
    """(1) in the coordinates of the singular vectors: s², (Uᵀy)², the rest of ‖y‖², and n."""

    squares: Floats
    inside: Floats
    rest: float
    n: float

    def moments(self, alpha: float, beta: float) -> tuple[float, float, float]:
        """γ, ‖m‖² and ‖y − Xm‖²."""
        total = alpha + beta * self.squares
        gamma = float(np.sum(beta * self.squares / total))
        size = float(np.sum(beta**2 * self.squares * self.inside / total**2))
        return gamma, size, self.rest + float(np.sum(self.inside * (alpha / total) ** 2))

    def log_evidence(self, alpha: float, beta: float) -> float:
        """Equation (1)."""
        _, size, rss = self.moments(alpha, beta)
        log_det = float(np.sum(np.log1p(beta * self.squares / alpha)))
        return float(0.5 * (self.n * np.log(beta / (2.0 * np.pi)) - beta * rss - alpha * size - log_det))
