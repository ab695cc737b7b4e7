"""Near the minimum of a dual problem whose kernel has few features.

    minimise over β    ½ ‖Φᵀβ‖² + ½ Σᵢ rᵢβᵢ² − tᵀβ + ε‖β‖₁,    l ≤ β ≤ u,    Σᵢ βᵢ = s                (1)

K = ΦΦᵀ. An interior point needs some twenty factors of the order of the number of features, whatever the sizes of K and
C, while steps of two variables grow in number with both. What it finds has no zeros: variables go to the bounds that
its path points to, and steps of two variables take over from there. Ferris & Munson (2002),
doi:10.1137/S1052623400374379; Fine & Scheinberg (2001), JMLR 2, 243–264.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.optim.box_program import BoxProgram, FeatureCurvature
from gnomon.optim.dual_program import DualProgram
from gnomon.optim.kernel_dual import KernelDual

__all__ = ["feature_start"]

MOST_STEPS = 100
"""Of the path; some twenty are usual."""

END, NEAR = 1e-12, 1e-3
"""The path ends where its gap is this share of the objective; or where, nearer than the second, it no longer falls."""


class FeatureStart(NamedTuple):
    """β, and how many steps led to it."""

    beta: Floats
    n_iter: int


def feature_start(X: Floats, problem: KernelDual, max_iter: int = MOST_STEPS) -> FeatureStart:
    """A feasible β near the minimum of (1).

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Φ.
    problem : KernelDual
        With bounds or a ridge.
    max_iter : int, default=100
        Most steps of the path.

    Returns
    -------
    FeatureStart

    References
    ----------
    Fine, S. & Scheinberg, K. (2001). Efficient SVM training using low-rank kernel representations. JMLR 2, 243–264.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import KernelDual
    >>> from gnomon.optim._feature_start import feature_start
    >>> x = np.arange(3.0)
    >>> feature_start(x[:, None], KernelDual(x, -np.ones(3), np.ones(3), epsilon=0.5)).beta.round(6) + 0.0
    array([-0.25,  0.  ,  0.25])
    """

    def curvature(rows: Integers, a: Floats, ridge: Floats, unit: float) -> FeatureCurvature:
        return FeatureCurvature(X[rows] * (np.sqrt(unit) * a)[:, None], ridge)

    program = DualProgram.of(problem, np.einsum("ij,ij->i", X, X), curvature)
    n_iter = _walk(program.box, min(max_iter, MOST_STEPS))
    low, high = program.box.places()
    x = np.where(low, 0.0, np.where(high, program.box.h, program.box.x))
    few = int(np.sum(~low & ~high)) <= 2 * (X.shape[1] + 1)
    beta = program.beta(program.box.polished() if few else x)
    return FeatureStart(problem.balanced(beta), n_iter)


def _walk(box: BoxProgram, max_iter: int) -> int:
    """Follow the path to its end; the number of steps."""
    last = np.inf
    for step in range(max_iter):
        gap, size = len(box.x) * box.complementarity, abs(box.value)
        if gap <= END * size or (gap <= NEAR * size and gap >= last):
            return step
        last = gap
        if not box.advance():
            return step
    return max_iter
