"""Better coordinates for a model with a free intercept.

    z = Xw + b = (X − 1x̄ᵀ)w + κc,    b = κc − x̄ᵀw,    x̄ = Σᵢ sᵢxᵢ / Σᵢ sᵢ                            (1)

Columns far from zero make w and b strongly correlated, and gradient methods slow. In the coordinates
φ = (w, c) they are orthogonal, and κ gives c the curvature of the stiffest direction of w. A penalty on w sees no
difference, and X is never centred itself, so it may be sparse. Friedman, Hastie & Tibshirani (2010), section 2.1,
doi:10.18637/jss.v033.i01, centre for the same reason.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from gnomon._typing import Floats
from gnomon.numerics.design import Design
from gnomon.optim.problem import Problem, largest_eigenvalue

__all__ = ["CentredProblem"]


class CentredProblem:
    """The data term of a problem with a free intercept as a function of φ of (1)."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.total = float(np.sum(problem.weights, dtype=float))
        mean = np.asarray(problem.design.X.T @ problem.weights, dtype=float) / self.total
        self.mean = mean.astype(problem.design.dtype)

    @cached_property
    def _largest(self) -> float:
        return largest_eigenvalue(_CentredRows(self.problem.design, self.mean), self.problem.weights)

    @property
    def lipschitz(self) -> float:
        """Lipschitz constant of the gradient in φ."""
        return self.problem.loss.smoothness * (self._largest or self.total)

    @property
    def scale(self) -> float:
        """κ."""
        return math.sqrt((self._largest or self.total) / self.total)

    def from_theta(self, theta: Floats) -> Floats:
        """φ of θ."""
        d, bias = self.problem.design.d, self.problem.design.bias
        phi = np.array(self.problem.matrix(theta))
        phi[..., d] = (bias * phi[..., d] + phi[..., :d] @ self.mean) / self.scale
        return phi.ravel()

    def to_theta(self, phi: Floats) -> Floats:
        """θ of φ."""
        d, bias = self.problem.design.d, self.problem.design.bias
        theta = np.array(self.problem.matrix(phi))
        theta[..., d] = (self.scale * theta[..., d] - theta[..., :d] @ self.mean) / bias
        return theta.ravel()

    def data_term(self, phi: Floats) -> tuple[float, Floats]:
        """Σᵢ sᵢ ℓ(yᵢ, zᵢ) and its gradient in φ."""
        d, bias = self.problem.design.d, self.problem.design.bias
        value, gradient = self.problem.data_term(self.to_theta(phi))
        g = self.problem.matrix(gradient)
        g[..., d] /= bias
        g[..., :d] -= g[..., d, None] * self.mean
        g[..., d] *= self.scale
        return value, g.ravel()


class _CentredRows:
    """The rows of X minus their mean, as a linear map."""

    def __init__(self, design: Design, mean: Floats) -> None:
        self.X, self.mean, self.width = design.X, mean, design.d

    def apply(self, w: Floats) -> Floats:
        return self.X @ w - self.mean @ w

    def adjoint(self, g: Floats) -> Floats:
        return self.X.T @ g - np.sum(g) * self.mean
