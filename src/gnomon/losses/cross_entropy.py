"""Cross-entropies: of one probability, of one sigmoid per class, and of a softmax with both terms.

    binary       ℓ(y, z) = −y log p − (1 − y) log(1 − p),    p = σ(z),  y ∈ [0, 1]                 (1)
    one-vs-rest  ℓ(y, s) = Σₖ of (1) at 1[y = k] and sₖ                                             (2)
    two-term     ℓ(y, s) = −log Z_y − Σ_{k≠y} log(1 − Zₖ),    Z = softmax(s)                        (3)

(1) is the logistic loss in the coding {0, 1}; (2) is not the softmax loss, and neither is (3), which is not convex.
Bishop (2006), Pattern Recognition and Machine Learning, sections 4.3.2 to 4.3.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon._jit import choose, jitable, noun
from gnomon._typing import Floats, Numbers
from gnomon.losses._base import Loss
from gnomon.numerics.special import entropy_term, log_softmax, logit, one_hot, sigmoid, sigmoid_slope

__all__ = ["BinaryCrossEntropy", "OneVsRestCrossEntropy", "TwoTermCrossEntropy"]


@jitable
def _cost(y: Numbers, p: Numbers) -> Numbers:
    """−y log p with 0 log 0 = 0."""
    return choose(y == 0.0, 0.0, choose(p > 0.0, -y * np.log(choose(p > 0.0, p, 1.0)), np.inf))


@jitable
def _over(y: Numbers, p: Numbers) -> Numbers:
    """y / p with 0/0 = 0."""
    return choose(y == 0.0, 0.0, choose(p > 0.0, y / choose(p > 0.0, p, 1.0), np.inf))


@noun
class BinaryCrossEntropy(Loss):
    """Binary cross-entropy −y log p − (1 − y) log(1 − p) for y ∈ [0, 1], soft targets included.

    With ``from_score=True`` p = σ(z): the gradient is σ(z) − y, the curvature σ(z)(1 − σ(z)) ≤ ¼, and with a = u + y
    the conjugate a log a + (1 − a) log(1 − a). At y ∈ {0, 1} it is the logistic loss of 2y − 1.

    Parameters
    ----------
    from_score : bool, default=True
        Whether z is a score; otherwise it is the probability p itself.
    clip : float, default=0.0
        Probabilities are kept in [clip, 1 − clip]; without it a sure and wrong prediction costs infinitely much. Used
        only with ``from_score=False``.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 4.3.2.

    Examples
    --------
    >>> from gnomon.losses import BinaryCrossEntropy
    >>> round(float(BinaryCrossEntropy().value(1.0, 0.0)), 7)
    0.6931472
    >>> round(float(BinaryCrossEntropy(from_score=False).value(1.0, 0.9)), 7)
    0.1053605
    >>> round(float(BinaryCrossEntropy().gradient(0.25, 0.0)), 7)
    0.25
    """

    from_score: bool = True
    clip: float = 0.0

    targets = "unit"

    def __post_init__(self) -> None:
        if not 0.0 <= self.clip < 0.5:
            raise ValueError(f"clip={self.clip!r} must be in [0, 0.5); give a small number such as 1e-15")

    @property
    def smooth(self) -> bool:
        """Whether the gradient is Lipschitz continuous: only in the score."""
        return self.from_score

    @property
    def smoothness(self) -> float:
        return 0.25 if self.from_score else np.inf

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        if self.from_score:
            return y * np.logaddexp(0.0, -z) + (1.0 - y) * np.logaddexp(0.0, z)
        p = np.minimum(np.maximum(z, self.clip), 1.0 - self.clip)
        return _cost(y, p) + _cost(1.0 - y, 1.0 - p)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        if self.from_score:
            return (1.0 - y) * sigmoid(z) - y * sigmoid(-z)
        p = np.minimum(np.maximum(z, self.clip), 1.0 - self.clip)
        return _over(1.0 - y, 1.0 - p) - _over(y, p)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        if self.from_score:
            return sigmoid_slope(z)
        p = np.minimum(np.maximum(z, self.clip), 1.0 - self.clip)
        return _over(1.0 - y, (1.0 - p) ** 2) + _over(y, p**2)

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        if not self.from_score:
            raise NotImplementedError("the conjugate is closed for scores only; use from_score=True")
        return entropy_term(u + y) + entropy_term(1.0 - u - y)

    def inverse(self, z: Numbers) -> Numbers:
        return sigmoid(z) if self.from_score else z

    def link(self, mean: Numbers) -> Numbers:
        return logit(mean) if self.from_score else mean


@dataclass(frozen=True)
class OneVsRestCrossEntropy(Loss):
    """Sum of K binary cross-entropies on the one-hot code of y: K sigmoids, not a softmax.

    y is the index of a class, z has K scores per row. The gradient is σ(z_k) − 1[y = k].

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 4.1.2.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import OneVsRestCrossEntropy
    >>> OneVsRestCrossEntropy().value(np.array([0]), np.zeros((1, 3))).round(7)
    array([2.0794415])
    >>> OneVsRestCrossEntropy().gradient(np.array([0]), np.zeros((1, 3)))
    array([[-0.5,  0.5,  0.5]])
    """

    targets = "index"

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return np.sum(BinaryCrossEntropy().value(one_hot(y, z), z), axis=-1)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return BinaryCrossEntropy().gradient(one_hot(y, z), z)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return BinaryCrossEntropy().curvature(one_hot(y, z), z)

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        return np.sum(BinaryCrossEntropy().conjugate(one_hot(y, u), u), axis=-1)

    @property
    def smoothness(self) -> float:
        return 0.25

    def inverse(self, z: Numbers) -> Numbers:
        return sigmoid(z)

    def link(self, mean: Numbers) -> Numbers:
        return logit(mean)


@dataclass(frozen=True)
class TwoTermCrossEntropy(Loss):
    """Softmax cross-entropy with both terms: −log Z_y − Σ_{k≠y} log(1 − Z_k), Z = softmax(z).

    Not convex, and not the usual softmax loss; for two classes it is twice that. Its second derivatives are at most
    K/2, a bound that depends on the number of scores, so `smoothness` names none. The gradient is
    Z_y − 1 − Σ_{j≠y} Z_j Z_y/(1 − Z_j) for the true class and 2 Z_k − Σ_{j≠k,y} Z_j Z_k/(1 − Z_j) for another class k.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 4.3.4.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import TwoTermCrossEntropy
    >>> y, s = np.array([0]), np.array([[1.0, -1.0, 0.0]])
    >>> TwoTermCrossEntropy().value(y, s).round(7)
    array([0.7826282])
    >>> TwoTermCrossEntropy().gradient(y, s).round(7)
    array([[-0.6161328,  0.1508888,  0.465244 ]])
    """

    targets = "index"
    convex = False

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        log_in, log_out = _log_softmax_and_complement(z)
        return -np.sum(np.where(one_hot(y, z) == 1.0, log_in, log_out), axis=-1)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        log_in, log_out = _log_softmax_and_complement(z)
        Z, truth = np.exp(log_in), one_hot(y, z)
        top = one_hot(np.argmax(z, axis=-1), z)
        # Z_j/(1 − Z_j) is at most 1 except for the largest Z, for which Z_k Z_j/(1 − Z_j) is computed in logarithms.
        odds = (1.0 - truth) * (1.0 - top) * np.exp(np.minimum(log_in - log_out, 0.0))
        large = (1.0 - truth) * top
        top_out = np.sum(top * log_out, axis=-1, keepdims=True)
        share = (1.0 - top) * np.exp(np.minimum(log_in - top_out, 0.0))
        pulled = Z * (np.sum(odds, axis=-1, keepdims=True) - odds) + share * np.sum(large * Z, axis=-1, keepdims=True)
        return (2.0 - truth) * Z - truth - pulled

    def inverse(self, z: Numbers) -> Numbers:
        return np.exp(log_softmax(z))

    def link(self, mean: Numbers) -> Numbers:
        return np.log(mean)


def _log_softmax_and_complement(z: Floats) -> tuple[Floats, Floats]:
    """log Z and log(1 − Z), the latter exact also where Z rounds to one."""
    log_in = log_softmax(z)
    top = one_hot(np.argmax(z, axis=-1), z) == 1.0
    small = np.where(top, 0.0, np.exp(log_in))
    rest = np.where(top, -np.inf, z)
    most = np.max(rest, axis=-1, keepdims=True)
    log_rest = most + np.log(np.sum(np.exp(rest - most), axis=-1, keepdims=True))
    return log_in, np.where(top, log_rest - (z - log_in), np.log1p(-small))
