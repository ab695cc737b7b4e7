"""Elementwise functions that do not overflow; they work on arrays in Python and on scalars in kernels.

σ(s) = 1 / (1 + e^{−s}),    logit(p) = log(p / (1 − p)) = σ⁻¹(p)                               (1)
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import choose, jit_no_alloc, jitable
from gnomon._typing import ArrayLike, Elementwise, Floats

__all__ = [
    "LOG_2PI",
    "entropy_term",
    "log_shares",
    "log_sigmoid",
    "log_softmax",
    "log_sum_exp",
    "logit",
    "one_hot",
    "sigmoid",
    "sigmoid_slope",
    "soft_threshold",
    "softmax",
]

LOG_2PI = np.log(2.0 * np.pi)


@jitable
def sigmoid(s: Elementwise) -> Elementwise:
    """Logistic function σ(s) = 1/(1 + e^{−s}), without overflow.

    References
    ----------
    Cox, D. R. (1958). The regression analysis of binary sequences. doi:10.1111/j.2517-6161.1958.tb00292.x

    Examples
    --------
    >>> from gnomon.numerics.special import sigmoid
    >>> round(float(sigmoid(1.0)), 7), float(sigmoid(-1000.0))
    (0.7310586, 0.0)
    """
    return np.exp(-np.logaddexp(0.0, -s))


@jitable
def sigmoid_slope(s: Elementwise) -> Elementwise:
    """σ'(s) = σ(s) σ(−s), as exact in the upper tail as in the lower.

    References
    ----------
    Cox, D. R. (1958). The regression analysis of binary sequences. doi:10.1111/j.2517-6161.1958.tb00292.x

    Examples
    --------
    >>> from gnomon.numerics.special import sigmoid_slope
    >>> float(sigmoid_slope(0.0)), float(sigmoid_slope(50.0)) == float(sigmoid_slope(-50.0)) > 0.0
    (0.25, True)
    """
    e = np.exp(-np.abs(s))
    return e / (1.0 + e) ** 2


@jitable
def log_sigmoid(s: Elementwise) -> Elementwise:
    """log σ(s) = −log(1 + e^{−s}), without overflow.

    References
    ----------
    Blanchard, P., Higham, D. J. & Higham, N. J. (2021). Accurately computing the log-sum-exp and softmax functions.
    doi:10.1093/imanum/draa038

    Examples
    --------
    >>> from gnomon.numerics.special import log_sigmoid
    >>> round(float(log_sigmoid(0.0)), 7), float(log_sigmoid(-1000.0))
    (-0.6931472, -1000.0)
    """
    return -np.logaddexp(0.0, -s)


@jitable
def logit(p: Elementwise) -> Elementwise:
    """Log-odds log(p/(1 − p)), the inverse of `sigmoid`.

    References
    ----------
    Cox, D. R. (1958). The regression analysis of binary sequences. doi:10.1111/j.2517-6161.1958.tb00292.x

    Examples
    --------
    >>> from gnomon.numerics.special import logit
    >>> round(float(logit(0.75)), 7)
    1.0986123
    """
    return np.log(p) - np.log1p(-p)


@jitable
def entropy_term(a: Elementwise) -> Elementwise:
    """a log a with 0 log 0 = 0; +inf for a < 0, so that conjugates are +inf outside their domain.

    References
    ----------
    Cover, T. & Thomas, J. (2006). Elements of Information Theory, section 2.1. doi:10.1002/047174882X

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.special import entropy_term
    >>> entropy_term(np.array([0.0, 0.5, 1.0, -0.1])).round(7)
    array([ 0.       , -0.3465736,  0.       ,        inf])
    """
    inside = choose(a > 0.0, a, 1.0)
    return choose(a >= 0.0, a * np.log(inside), np.inf)


@jitable
def soft_threshold(v: Elementwise, t: float | Floats) -> Elementwise:
    """S(v, t) = sign(v) max(|v| − t, 0): argmin_u ½ (u − v)² + t |u|.

    References
    ----------
    Donoho, D. L. (1995). De-noising by soft-thresholding. doi:10.1109/18.382009

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.special import soft_threshold
    >>> soft_threshold(np.array([3.0, -0.2, -2.0]), 0.5)
    array([ 2.5, -0. , -1.5])
    """
    return np.sign(v) * np.maximum(np.abs(v) - t, 0.0)


def log_softmax(scores: Floats) -> Floats:
    """log softmax of each row (last axis), by log-sum-exp.

    References
    ----------
    Blanchard, P., Higham, D. J. & Higham, N. J. (2021). Accurately computing the log-sum-exp and softmax functions.
    doi:10.1093/imanum/draa038

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.special import log_softmax
    >>> log_softmax(np.array([1000.0, 1000.0])).round(7)
    array([-0.6931472, -0.6931472])
    """
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=-1, keepdims=True))


def log_sum_exp(A: Floats) -> Floats:
    """log Σⱼ exp(Aᵢⱼ) of every row, without overflow; −inf for a row of −inf, NaN where an entry is.

    Parameters
    ----------
    A : ndarray of shape (n, k)

    Returns
    -------
    ndarray of shape (n,)

    References
    ----------
    Blanchard, P., Higham, D. J. & Higham, N. J. (2021). Accurately computing the log-sum-exp and softmax functions.
    doi:10.1093/imanum/draa038

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.special import log_sum_exp
    >>> log_sum_exp(np.array([[1000.0, 1000.0], [-np.inf, -np.inf]])).round(7)
    array([1000.6931472,         -inf])
    """
    if A.shape[1] == 1:
        return A[:, 0].astype(float)
    out = np.empty(len(A))
    _fill_log_sum_exp(A, out)
    return out


# The result is allocated by the caller: kernels without allocations compile in half the time.
@jit_no_alloc
def _fill_log_sum_exp(A: Floats, out: Floats) -> None:
    n, k = A.shape
    for i in range(n):
        top = -np.inf
        for c in range(k):
            top = A[i, c] if A[i, c] > top else top
        total = 0.0
        if np.isinf(top):
            for c in range(k):
                total += np.nan if np.isnan(A[i, c]) else 0.0
            out[i] = top + total
            continue
        for c in range(k):
            total += np.exp(A[i, c] - top)
        out[i] = top + np.log(total)


def log_shares(log_joint: Floats, log_weights: Floats) -> Floats:
    """log softmax of each row, with a result where softmax has none.

    Where every entry is −inf the shares are those of `log_weights`; where some are +inf, these share the row by
    their weights.

    Parameters
    ----------
    log_joint : ndarray of shape (n, k)
    log_weights : ndarray of shape (k,)

    Returns
    -------
    ndarray of shape (n, k)

    References
    ----------
    Blanchard, P., Higham, D. J. & Higham, N. J. (2021). Accurately computing the log-sum-exp and softmax functions.
    doi:10.1093/imanum/draa038

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.special import log_shares
    >>> joint = np.array([[0.0, 0.0], [-np.inf, -np.inf], [np.inf, 0.0]])
    >>> np.exp(log_shares(joint, np.log([0.25, 0.75])))
    array([[0.5 , 0.5 ],
           [0.25, 0.75],
           [1.  , 0.  ]])
    """
    total = log_sum_exp(log_joint)
    odd = np.isinf(total)
    if np.any(odd):
        rows = log_joint[odd]
        log_joint = np.array(log_joint)
        log_joint[odd] = np.where(rows == np.max(rows, axis=1, keepdims=True), log_weights, -np.inf)
        total[odd] = log_sum_exp(log_joint[odd])
    return log_joint - total[:, None]


def softmax(scores: ArrayLike) -> Floats:
    """Softmax of each row (last axis): e^{s_k} / Σ_j e^{s_j}.

    References
    ----------
    Blanchard, P., Higham, D. J. & Higham, N. J. (2021). Accurately computing the log-sum-exp and softmax functions.
    doi:10.1093/imanum/draa038

    Examples
    --------
    >>> from gnomon.numerics.special import softmax
    >>> softmax([1.0, -1.0, 0.0]).round(7)
    array([0.665241 , 0.0900306, 0.2447285])
    """
    shifted = np.exp(np.subtract(scores, np.max(scores, axis=-1, keepdims=True)))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def one_hot(y: ArrayLike, like: ArrayLike) -> Floats:
    """Rows of zeros with a one at the index y, in the shape and floating type of the scores `like`.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 4.2.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.special import one_hot
    >>> one_hot(np.array([2, 0]), np.zeros((2, 3)))
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    like = np.asarray(like)
    return (np.asarray(y)[..., None] == np.arange(like.shape[-1])).astype(np.result_type(like, np.float32))
