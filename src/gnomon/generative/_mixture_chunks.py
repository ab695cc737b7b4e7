"""Mixtures of more rows than fit in memory.

    N, F, S = Σ over chunks of their N, F, S:    a pass over all chunks is one step of EM                      (1)
    s̄ ← (1 − ηₜ) s̄ + ηₜ s(chunk t; θ),    θ = M-step of s̄,    ηₜ = t^{−0.6}                                 (2)

The expected sums of EM add over rows, so (1) makes exactly the steps that the whole table would make. (2) makes a step
after every chunk and needs each one once: Cappé & Moulines (2009), doi:10.1111/j.1467-9868.2009.00698.x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.utils.validation import _num_samples

from gnomon._typing import ArrayLike, Floats
from gnomon.distributions.normals import Responsibilities
from gnomon.numerics.streaming import Moments
from gnomon.optim import CovarianceControl, EMResult, GaussianEM, NormalMixture, Restart

__all__ = ["ChunkedEM", "per_unit", "step_after_chunk"]

_DECAY = 0.6


@dataclass(frozen=True)
class ChunkedEM:
    """The steps of `GaussianEM`, the expectations summed over chunks by (1).

    `first` has the first chunk and all options, `read` begins a pass, and `steps_of` makes the steps of one chunk.
    """

    first: GaussianEM
    read: Callable[[], Iterator[tuple[ArrayLike, ArrayLike | None]]]
    steps_of: Callable[[ArrayLike, ArrayLike | None], GaussianEM]

    @property
    def X(self) -> Floats:
        """Rows that show the floating type."""
        return self.first.X

    @property
    def control(self) -> CovarianceControl:
        """Of the covariances."""
        return self.first.control

    @cached_property
    def total_weight(self) -> float:
        """Σ sᵢ, which takes a pass."""
        return sum(float(_num_samples(X) if weights is None else np.sum(weights)) for X, weights in self.read())

    def e_step(self, theta: NormalMixture) -> tuple[Responsibilities, float]:
        """Equation (1)."""
        parts = (self.steps_of(X, weights).e_step(theta)[0] for X, weights in self.read())
        total, value = next(parts)
        for part in parts:
            total, value = total + part.moments, value + part.log_likelihood
        return Responsibilities(total, value), value + self.control.log_prior(theta.laws)

    def m_step(self, posterior: Responsibilities) -> NormalMixture | Restart[NormalMixture]:
        """That of `GaussianEM`."""
        return self.first.m_step(posterior)


def step_after_chunk(
    steps: GaussianEM, theta: NormalMixture, average: Moments, count: int
) -> tuple[EMResult[NormalMixture, Responsibilities], Moments]:
    """θ and the average sums after chunk number `count` (from 1), by equation (2)."""
    posterior, value = steps.e_step(theta)
    share = count**-_DECAY
    average = _times(average, 1.0 - share) + _times(per_unit(posterior.moments), share)
    step = steps.m_step(Responsibilities(_times(average, count * steps.total_weight), value))
    history = {"iteration": np.array([count]), "objective": np.array([value])}
    theta = step.theta if isinstance(step, Restart) else step
    return EMResult(theta, posterior, value, count, False, "max_iter", True, history, None), average


def per_unit(moments: Moments) -> Moments:
    """The same moments of all components, of total weight one."""
    return _times(moments, 1.0 / np.sum(moments.weight))


def _times(moments: Moments, factor: float) -> Moments:
    return Moments(factor * moments.weight, moments.mean, factor * moments.scatter)
