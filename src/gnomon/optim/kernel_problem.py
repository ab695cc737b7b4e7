"""The problem of a kernel machine with a smooth loss.

    F(β, b) = Σᵢ sᵢ ℓ(yᵢ, fᵢ) + ½ βᵀKβ,    f = Kβ + b                                              (1)
    D(u) = −Σᵢ sᵢ ℓ*(yᵢ, −uᵢ/sᵢ) − ½ uᵀKu,    Σᵢ uᵢ = 0 where b is free                              (2)

At b with Σᵢ gᵢ = 0, gᵢ = sᵢ ℓ'(yᵢ, fᵢ), the dual point u = −g is feasible, and Fenchel's equality ℓ + ℓ* = ℓ'f leaves

    F(β, b) − D(−g) = ½ (β + g)ᵀK(β + g)                                                           (3)

which is no difference of large numbers. Without a free b, u = β is feasible too where ℓ* is finite, and leaves
Σᵢ sᵢ [ℓ(yᵢ, fᵢ) + ℓ*(yᵢ, −βᵢ/sᵢ)] + βᵀf, which is smaller where β comes from a dual solver. With several scores per row
β and g have a column for each. Wahba (1999), in Advances in Kernel Methods, 69–88; duality: Borwein & Lewis (2006),
theorem 3.3.5, doi:10.1007/978-0-387-31256-9.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import optimize

from gnomon._typing import Array, Floats, Integers, Numbers
from gnomon.losses import Loss
from gnomon.numerics.design import Design
from gnomon.optim.duality import balanced_scores
from gnomon.optim.problem import Problem
from gnomon.penalties import NoPenalty

__all__ = ["KernelPoint", "KernelProblem"]


class KernelPoint(NamedTuple):
    """F of (1) at a point, and how far it is from the optimum.

    Fields
    ------
    beta : ndarray of shape (n,) or (n, K)
    intercept : float or ndarray of shape (K,)
        b, the best for this β where it is free; of several with mean zero.
    scores : ndarray of shape (n,) or (n, K)
        f.
    slopes : ndarray of shape (n,) or (n, K)
        g.
    objective : float
        F.
    gap : float
        F − D at the better of the two dual points.
    gradient_norm : float
        ‖K(β + g)‖∞, the gradient of F in β.

    References
    ----------
    Borwein, J. & Lewis, A. (2006). Convex Analysis and Nonlinear Optimization. doi:10.1007/978-0-387-31256-9

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import LogisticLoss
    >>> from gnomon.optim import KernelProblem
    >>> problem = KernelProblem(np.eye(2), np.array([1.0, -1.0]), LogisticLoss(), np.ones(2), intercept=False)
    >>> round(problem.at(np.zeros(2)).gap, 7)
    0.25
    """

    beta: Floats
    intercept: Numbers
    scores: Floats
    slopes: Floats
    objective: float
    gap: float
    gradient_norm: float


@dataclass(frozen=True, eq=False)
class KernelProblem:
    """Equation (1).

    Parameters
    ----------
    K : ndarray of shape (n, n)
    y : ndarray of shape (n,)
        Targets as the loss wants them.
    loss : Loss
        Smooth, with a conjugate.
    weights : ndarray of shape (n,)
        s.
    intercept : bool, default=True
        Whether b is free; else it is 0.
    n_scores : int, default=1
        Functions: one, or the number of classes for a softmax.
    eps : float, default=2⁻⁵²
        Relative rounding error of the entries of K.

    References
    ----------
    Wahba, G. (1999). Support vector machines, reproducing kernel Hilbert spaces, and randomized GACV. In Advances in
    Kernel Methods, 69–88. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import LogisticLoss
    >>> from gnomon.optim import KernelProblem
    >>> problem = KernelProblem(np.eye(3), np.array([1.0, -1.0, 1.0]), LogisticLoss(), np.ones(3))
    >>> point = problem.at(np.zeros(3))
    >>> round(point.intercept, 7), round(point.objective, 7)
    (0.6931472, 1.9095425)
    """

    K: Floats
    y: Array
    loss: Loss
    weights: Floats
    intercept: bool = True
    n_scores: int = 1
    eps: float = 2.0**-52

    @property
    def zero(self) -> Floats:
        """β = 0."""
        return np.zeros(len(self.K) if self.n_scores == 1 else (len(self.K), self.n_scores))

    @cached_property
    def losses(self) -> Problem:
        """The sum over the rows, as a function of the scores alone."""
        nothing = Design(np.empty((len(self.K), 0)), "free" if self.intercept else "none")
        return Problem(nothing, self.y, self.loss, NoPenalty(), self.weights, self.n_scores)

    def at(self, beta: Floats, image: Floats | None = None, start: Numbers = 0.0) -> KernelPoint:
        """The point (β, b), from Kβ where it is known, and a guess of b."""
        image = self.K @ beta if image is None else image
        scores = image + start
        if self.intercept:
            scores = balanced_scores(self.losses, scores)
        intercept = (scores - image)[0]
        # Adding a constant to the scores of all classes changes nothing: their mean is taken out.
        intercept = intercept - (np.mean(intercept) if self.n_scores > 1 else 0.0)
        scores = image + intercept
        value, g = self.losses.at_scores(scores)
        gradient = image + self.K @ g
        gap = max(0.5 * float(np.sum((beta + g) * gradient)), 0.0)
        return KernelPoint(
            beta,
            float(intercept) if self.n_scores == 1 else intercept,
            scores,
            g,
            value + 0.5 * float(np.sum(beta * image)),
            gap if self.intercept else min(gap, self._gap_at(beta, scores)),
            float(np.max(np.abs(gradient), initial=0.0)),
        )

    def _gap_at(self, beta: Floats, scores: Floats) -> float:
        """F − D(β), no smaller than its own rounding error."""
        terms = self.weights * (self.loss.value(self.y, scores) + self.loss.conjugate(self.y, self._per_weight(-beta)))
        products = beta * scores
        rounding = 64.0 * float(np.finfo(float).eps) * float(np.sum(np.abs(products)) + abs(np.sum(terms)))
        return max(float(np.sum(terms) + np.sum(products)), rounding)

    def _per_weight(self, v: Floats) -> Floats:
        s = self.weights if v.ndim == 1 else self.weights[:, None]
        return np.divide(v, s, out=np.zeros_like(v), where=s > 0)

    def take(self, rows: Integers) -> KernelProblem:
        """The problem of some of the rows."""
        return replace(self, K=self.K[np.ix_(rows, rows)], y=self.y[rows], weights=self.weights[rows])

    def lower_bound(self) -> float:
        """A bound F ≥ D(u) > 0 from the best multiple u of the slopes at β = 0."""
        g = self.at(self.zero).slopes
        square = float(np.sum(g * (self.K @ g)))
        u = self._per_weight(g)

        def minus_dual(c: float) -> float:
            return float(self.weights @ self.loss.conjugate(self.y, c * u)) + 0.5 * c * c * square

        # The best multiple may be tiny, so it is searched on the scale of the quadratic term.
        most = min(1.0, 2.0 * float(np.sum(self.weights)) / square) if square > 0.0 else 1.0
        found = optimize.minimize_scalar(minus_dual, bounds=(0.0, most), method="bounded")
        return max(-float(found.fun), -minus_dual(most), np.finfo(float).tiny)
