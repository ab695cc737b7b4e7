"""A kernel of scikit-learn's Gaussian processes as one of ours.

    gram(A, B) = k(A, B),    ∂K/∂θ = k(A, eval_gradient=True)                                     (1)

Buitinck et al. (2013), arXiv:1309.0238. Its hyper-parameters are learned under its own names and bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.gaussian_process.kernels import CompoundKernel
from sklearn.gaussian_process.kernels import Kernel as PeerKernel

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.kernels import Hyperparameter, Kernel, noun
from gnomon.kernels.given import Objects

__all__ = ["Adopted", "adopt"]

STEP = 1e-5
"""Of central differences in log θ."""


@noun
class Adopted(Kernel):
    """The kernel (1).

    Parameters
    ----------
    peer : sklearn.gaussian_process.kernels.Kernel
    """

    peer: PeerKernel
    whole: ClassVar[bool] = True

    @property
    def psd(self) -> None:
        """Unknown."""
        return None

    @property
    def takes_objects(self) -> bool:
        """Whether rows may be anything."""
        return not self.peer.requires_vector_input

    def prepare(self, A: Any, like: Any = None) -> Objects:
        """The rows as they are."""
        return Objects(A)

    def cross(self, P: Objects, Q: Objects) -> Floats:
        """A table against itself has noise on its diagonal where the kernel has a white part."""
        return np.asarray(self.peer(P.values) if P is Q else self.peer(P.values, Q.values))

    def pairs(self, P: Objects, Q: Objects, i: Integers, j: Integers) -> Floats:
        """Entries of the matrix."""
        return self.cross(P, Q)[i, j]

    def diagonal(self, P: Objects) -> Floats:
        """Its own ``diag``."""
        return np.asarray(self.peer.diag(P.values))

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        """Those that are not fixed."""
        found, start = [], 0
        for h in self.peer.hyperparameters:
            if not h.fixed:
                bounds = np.exp(self.peer.bounds[start])
                values = np.exp(self.peer.theta[start : start + h.n_elements])
                found.append(Hyperparameter(h.name, values, (float(bounds[0]), float(bounds[1]))))
                start += h.n_elements
        return found

    @property
    def theta(self) -> Floats:
        """As scikit-learn has it."""
        return np.asarray(self.peer.theta, dtype=float)

    @property
    def bounds(self) -> Floats:
        """As scikit-learn has them."""
        return np.asarray(self.peer.bounds, dtype=float).reshape(-1, 2)

    def with_theta(self, theta: ArrayLike) -> Self:
        """Another kernel of scikit-learn."""
        return type(self)(self.peer.clone_with_theta(np.asarray(theta, dtype=float)))

    def slopes(self, P: Objects, Q: Objects) -> Iterator[Floats]:
        """The last axis of the array of gradients; differences for two tables, of which scikit-learn gives none."""
        if P is Q:
            gradients = self.peer(P.values, eval_gradient=True)[1]
            yield from (gradients[..., j] for j in range(gradients.shape[-1]))
            return
        for step in STEP * np.eye(len(self.theta)):
            yield (self.with_theta(self.theta + step).cross(P, Q) - self.with_theta(self.theta - step).cross(P, Q)) / (
                2.0 * STEP
            )


def adopt(kernel: Kernel | PeerKernel) -> Kernel:
    """Ours as it is, scikit-learn's as an `Adopted` one."""
    if isinstance(kernel, CompoundKernel):
        raise ValueError("kernel cannot be a CompoundKernel: it has a matrix for each part; give one of them")
    return Adopted(kernel) if isinstance(kernel, PeerKernel) else kernel
