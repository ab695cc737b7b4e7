"""Softmax cross-entropy.

    ℓ(y, z) = −log softmax(z)_y = log Σₖ e^{zₖ} − z_y,    y ∈ {0, …, K−1}, z ∈ ℝᴷ                       (1)

Bridle (1990), doi:10.1007/978-3-642-76153-9_28. With a reference class z has K−1 columns and the score of the last
class is 0, which makes the scores unique: Agresti (2002), section 7.1, doi:10.1002/0471249688.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import noun, verb
from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.losses._base import Loss
from gnomon.numerics.exponentials import exp_of_negative
from gnomon.numerics.special import entropy_term, log_softmax, one_hot, softmax

__all__ = ["SoftmaxLoss"]


@noun
class SoftmaxLoss(Loss):
    """Softmax cross-entropy ℓ(y, z) = −log softmax(z)_y; rows of z hold the K scores of a sample.

    The gradient is p − onehot(y) with p = softmax(z); the curvature is the diagonal p(1 − p) of the Hessian
    diag(p) − ppᵀ ≼ ½(I − 11ᵀ/K); the conjugate, with a = u + onehot(y) in the simplex, is Σₖ aₖ log aₖ.

    Parameters
    ----------
    reference : bool, default=False
        The last class has the score 0 and no column in z.

    References
    ----------
    Bridle, J. S. (1990). Probabilistic interpretation of feedforward classification network outputs.
    doi:10.1007/978-3-642-76153-9_28

    Böhning, D. (1992). Multinomial logistic regression algorithm. doi:10.1007/BF00048682

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SoftmaxLoss
    >>> y, z = np.array([0]), np.array([[1.0, -1.0, 0.0]])
    >>> SoftmaxLoss().value(y, z).round(7)
    array([0.407606])
    >>> SoftmaxLoss().gradient(y, z).round(7)
    array([[-0.334759 ,  0.0900306,  0.2447285]])
    >>> SoftmaxLoss(reference=True).value(y, z[:, :2]).round(7)
    array([0.407606])
    """

    reference: bool = False

    targets = "index"
    by_row = True

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        logs = log_softmax(self._all_scores(z))
        return -np.take_along_axis(logs, np.asarray(y)[..., None], axis=-1)[..., 0]

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        p = self.masses(z)
        return p - one_hot(y, p)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        p = self.masses(z)
        return p * (1.0 - p)

    def curvature_times(self, y: Numbers, z: Numbers, r: Numbers) -> Numbers:
        p = self.masses(z)
        return p * (r - np.sum(p * r, axis=-1, keepdims=True))

    def masses(self, z: Floats) -> Floats:
        """p, for the columns of z: the Hessian of every row is diag(p) − ppᵀ."""
        p = softmax(self._all_scores(z))
        return p[..., :-1] if self.reference else p

    def total_curvature(self, y: Numbers, z: Floats, s: Floats) -> Floats:
        """Σᵢ sᵢ (diag(pᵢ) − pᵢpᵢᵀ), the Hessian in a shift of all rows."""
        p = self.masses(z)
        return np.diag(s @ p) - (p * s[:, None]).T @ p

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        a = u + one_hot(y, u)
        a = np.concatenate([a, 1.0 - np.sum(a, axis=-1, keepdims=True)], axis=-1) if self.reference else a
        # A gradient may reach a corner of the simplex; rounding must not push it outside.
        a = np.where(np.abs(a) <= 8.0 * np.finfo(a.dtype).eps, 0.0, a)
        outside = np.abs(np.sum(a, axis=-1) - 1.0) > 1e-3
        return np.where(outside, np.inf, np.sum(entropy_term(a), axis=-1))

    @verb
    def row(self, y: int, z: Floats, g: Floats) -> float:
        """ℓ(y, z) for one row of scores, with its gradient written to `g`: what compiled loops call."""
        K = z.shape[0]
        top = 0.0 if self.reference else z[0]
        for k in range(K):
            top = max(top, z[k])
        for k in range(K):
            g[k] = exp_of_negative(z[k] - top)
        # A loop of its own: the one above has no sum whose order would keep it from being vectorised.
        total = np.exp(-top) if self.reference else 0.0
        for k in range(K):
            total += g[k]
        share = 1.0 / total
        for k in range(K):
            g[k] *= share
        loss = np.log(total) + top
        if y < K:
            g[y] -= 1.0
            loss -= z[y]
        return loss

    @property
    def smoothness(self) -> float:
        return 0.5

    def inverse(self, z: Numbers) -> Numbers:
        return softmax(self._all_scores(z))

    def link(self, mean: Numbers) -> Numbers:
        scores = np.log(mean)
        return scores[..., :-1] - scores[..., -1:] if self.reference else scores

    def _all_scores(self, z: ArrayLike) -> Floats:
        z = np.asarray(z)
        return np.concatenate([z, np.zeros_like(z[..., :1])], axis=-1) if self.reference else z
