"""Gradients of bounded norm.

    g ← g · min(1, c/‖g‖₂)                                                                                       (1)

of every mini-batch. Where J has steep walls, as for recurrent networks, one step along an unbounded gradient may undo
many others: Pascanu, Mikolov & Bengio (2013), PMLR 28(3):1310–1318, algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gnomon._typing import Floats
from gnomon.optim.batch_problem import BatchProblem, ParameterGroup, Rows

__all__ = ["Clipped"]


class Clipped:
    """A problem for `train` whose mini-batch gradients have a norm of at most `bound`; J and ∇J over all rows stay.

    Parameters
    ----------
    problem : BatchProblem
    bound : float
        c of (1).

    References
    ----------
    Pascanu, R., Mikolov, T. & Bengio, Y. (2013). On the difficulty of training recurrent neural networks. PMLR
    28(3):1310–1318.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> from gnomon.optim import Clipped
    >>> problem = NeuralNetwork([Dense(1, bias=False)], 2).problem(np.array([[3.0, 4.0]]), np.array([[-1.0]]))
    >>> theta, gradient = np.zeros(2), np.empty(2)
    >>> problem.batch_value_and_gradient(theta, slice(None), gradient), gradient
    (0.5, array([3., 4.]))
    >>> Clipped(problem, 1.0).batch_value_and_gradient(theta, slice(None), gradient), gradient
    (0.5, array([0.6, 0.8]))
    """

    def __init__(self, problem: BatchProblem, bound: float) -> None:
        if not bound > 0.0:
            raise ValueError(f"bound={bound!r} must be positive; give the largest norm of a gradient")
        self.problem, self.bound = problem, float(bound)

    @property
    def n_rows(self) -> int:
        """Rows of the problem."""
        return self.problem.n_rows

    @property
    def size(self) -> int:
        """Length of θ."""
        return self.problem.size

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """Of θ."""
        return self.problem.dtype

    @property
    def groups(self) -> Sequence[ParameterGroup]:
        """Named parts of θ."""
        return self.problem.groups

    def batch_value_and_gradient(self, theta: Floats, rows: Rows, gradient: Floats) -> float:
        """The value over some rows, with the gradient (1) written."""
        value = self.problem.batch_value_and_gradient(theta, rows, gradient)
        norm = float(np.linalg.norm(gradient))
        if norm > self.bound:
            gradient *= self.bound / norm
        return value

    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]:
        """J and ∇J over all rows, as they are."""
        return self.problem.value_and_gradient(theta)

    def value(self, theta: Floats) -> float:
        """J over all rows."""
        return self.problem.value(theta)
