"""The smallest gradient that can be distinguished from zero, and results that overflow.

    |computed ∂F/∂wⱼ − true| ≈ ε Σᵢ |gᵢ xᵢⱼ| ≤ ε ‖g/√s‖ ‖√s xⱼ‖,    gᵢ = sᵢ ℓ'(yᵢ, zᵢ)                (1)

A tolerance below (1) can never be met, however long a solver runs. Higham (2002), section 3.1,
doi:10.1137/1.9780898718027.
"""

from __future__ import annotations

import math

import numpy as np

from gnomon._typing import ArrayLike, Floats, is_sparse
from gnomon.optim.problem import Problem

__all__ = ["attainable_tol", "refuse_overflow"]


def attainable_tol(problem: Problem, theta: Floats, tol: float) -> float:
    """`tol`, or in single precision the rounding error (1) of the gradient at θ where that is larger."""
    dtype = problem.design.dtype
    if dtype == np.float64:
        return tol
    X, s = problem.design.X, problem.weights
    g = problem.at_scores(problem.scores(theta))[1].reshape(len(s), -1)
    residual = np.divide(np.sum(np.square(g), axis=1), s, out=np.zeros_like(s), where=s > 0)
    squares = X.multiply(X).T @ s if is_sparse(X) else np.einsum("ij,ij,i->j", X, X, s)
    constant = 0.0 if problem.design.intercept == "none" else problem.design.bias**2 * float(np.sum(s))
    largest = float(np.max(squares, initial=constant))
    return max(tol, 4.0 * float(np.finfo(dtype).eps) * math.sqrt(largest * float(np.sum(residual))))


def refuse_overflow(*results: ArrayLike) -> None:
    """ValueError unless every number of the results is finite."""
    if not all(np.all(np.isfinite(result)) for result in results):
        raise ValueError("the arithmetic overflowed; scale the columns of X (and y), or give a smaller step")
