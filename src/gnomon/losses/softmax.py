"""Softmax cross-entropy.

    ℓ(y, z) = −log softmax(z)_y = log Σₖ e^{zₖ} − z_y,    y ∈ {0, …, K−1}, z ∈ ℝᴷ                       (1)

Bridle (1990), doi:10.1007/978-3-642-76153-9_28.
"""

import numpy as np

from gnomon._jit import noun
from gnomon.losses._base import Loss
from gnomon.numerics.special import entropy_term, log_softmax, softmax

__all__ = ["SoftmaxLoss"]


@noun
class SoftmaxLoss(Loss):
    """Softmax cross-entropy ℓ(y, z) = −log softmax(z)_y; rows of z hold the K scores of a sample.

    The gradient is p − onehot(y) with p = softmax(z); the curvature is the diagonal p(1 − p) of the Hessian
    diag(p) − ppᵀ ≼ ½(I − 11ᵀ/K); the conjugate, with a = u + onehot(y) in the simplex, is Σₖ aₖ log aₖ.

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
    """

    targets = "index"
    by_row = True

    def value(self, y, z):
        z = np.asarray(z)
        return -np.take_along_axis(log_softmax(z), np.asarray(y)[..., None], axis=-1)[..., 0]

    def gradient(self, y, z):
        p = softmax(z)
        return p - _one_hot(y, p)

    def curvature(self, y, z):
        p = softmax(z)
        return p * (1.0 - p)

    def cross_curvature(self, y, z, k, l):
        """∂²ℓ/∂zₖ∂zₗ = pₖ (1[k = l] − pₗ), for every row."""
        p = softmax(z)
        return p[:, k] * ((k == l) - p[:, l])

    def total_curvature(self, y, z, s):
        """Σᵢ sᵢ (diag(pᵢ) − pᵢpᵢᵀ), the Hessian in a shift of all rows."""
        p = softmax(z)
        return np.diag(s @ p) - (p * s[:, None]).T @ p

    def conjugate(self, y, u):
        a = u + _one_hot(y, u)
        # The corners of the simplex are where a gradient ends up; rounding must not push it out.
        a = np.where(np.abs(a) <= 8.0 * np.finfo(a.dtype).eps, 0.0, a)
        outside = np.abs(np.sum(a, axis=-1) - 1.0) > 1e-3
        return np.where(outside, np.inf, np.sum(entropy_term(a), axis=-1))

    def row(self, y, z, g):
        """ℓ(y, z) for one row of scores, with its gradient written to `g`: what compiled loops call."""
        top = z[0]
        for k in range(1, z.shape[0]):
            top = max(top, z[k])
        total = 0.0
        for k in range(z.shape[0]):
            g[k] = np.exp(z[k] - top)
            total += g[k]
        for k in range(z.shape[0]):
            g[k] /= total
        g[y] -= 1.0
        return np.log(total) + top - z[y]

    @property
    def smoothness(self):
        return 0.5

    def inverse(self, z):
        return softmax(z)

    def link(self, mean):
        return np.log(mean)


def _one_hot(y, like):
    """Rows of zeros with a one at the index y."""
    like = np.asarray(like)
    return (np.arange(like.shape[-1]) == np.asarray(y)[..., None]).astype(like.dtype)
