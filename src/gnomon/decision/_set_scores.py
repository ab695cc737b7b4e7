"""Scores of a class against the probabilities of a model: small for classes that belong in the set.

    lac    s(x, k) = 1 − p_k(x)                                                                                   (1)
    aps    s(x, k) = Σ_{j: rank j < rank k} p_j(x) + u p_k(x)                                                     (2)
    raps   s(x, k) = (2) + λ max(0, rank k − ρ)                                                                   (3)

rank 1 is the most probable class, ties in the order of the classes; u = 1, or uniform where randomised. (1): Sadinle,
Lei & Wasserman (2019), Least ambiguous set-valued classifiers with bounded error levels,
doi:10.1080/01621459.2017.1395341; (2): Romano, Sesia & Candès (2020), Classification with valid and adaptive coverage,
NeurIPS 33, arXiv:2006.02544; (3): Angelopoulos, Bates, Malik & Jordan (2021), Uncertainty sets for image classifiers
using conformal prediction, ICLR, arXiv:2009.14193.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gnomon._typing import Floats
from gnomon.numerics.validation import check_integer, check_non_negative

__all__ = ["AdaptiveScore", "SetConformity", "set_score"]

SetScore: TypeAlias = Callable[[Floats, Floats], Floats]
"""From probabilities (m, K) and u (m,) to scores (m, K)."""

SetConformity: TypeAlias = Literal["lac", "aps", "raps"] | SetScore


@dataclass(frozen=True)
class AdaptiveScore:
    """Scores (2) and (3): sets that grow with the difficulty of a row.

    Parameters
    ----------
    penalty : float, default=0.0
        λ ≥ 0: what each rank beyond `free_ranks` adds.
    free_ranks : int, default=0
        ρ ≥ 0: ranks without a penalty.

    References
    ----------
    Angelopoulos, A., Bates, S., Malik, J. & Jordan, M. I. (2021). Uncertainty sets for image classifiers using
    conformal prediction. ICLR. arXiv:2009.14193

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decision import AdaptiveScore
    >>> p = np.array([[0.2, 0.5, 0.3]])
    >>> AdaptiveScore()(p), AdaptiveScore(penalty=0.1, free_ranks=1)(p)
    (array([[1. , 0.5, 0.8]]), array([[1.2, 0.5, 0.9]]))
    """

    penalty: float = 0.0
    free_ranks: int = 0

    def __post_init__(self) -> None:
        check_non_negative("penalty", self.penalty)
        check_integer("free_ranks", self.free_ranks, 0)

    def __call__(self, proba: Floats, u: Floats | float = 1.0) -> Floats:
        """The score of every class of every row.

        Parameters
        ----------
        proba : ndarray of shape (m, K)
        u : float or ndarray of shape (m,), default=1.0

        Returns
        -------
        ndarray of shape (m, K)
        """
        order = np.argsort(-proba, axis=1, kind="stable")
        ordered = np.take_along_axis(proba, order, axis=1)
        share = np.broadcast_to(u, len(proba))[:, None]
        # What is left below each rank, so that the last ranks of all rows tie at exactly one.
        after = np.cumsum(ordered[:, :0:-1], axis=1)[:, ::-1]
        reached = 1.0 - np.column_stack([after, np.zeros(len(ordered))]) - (1.0 - share) * ordered
        beyond = np.maximum(np.arange(1, proba.shape[1] + 1) - self.free_ranks, 0)
        scores = np.empty_like(ordered)
        np.put_along_axis(scores, order, reached + self.penalty * beyond, axis=1)
        return scores


def least_ambiguous(proba: Floats, u: Floats | float = 1.0) -> Floats:
    """Equation (1)."""
    return 1.0 - proba


def set_score(conformity: SetConformity) -> SetScore:
    """The score of a word, or the one given."""
    return conformity if callable(conformity) else _WORDS[conformity]


_WORDS: dict[str, SetScore] = {
    "lac": least_ambiguous,
    "aps": AdaptiveScore(),
    "raps": AdaptiveScore(penalty=0.01, free_ranks=5),
}
