"""A Gaussian process at new points, before and after observations, in the units of the user.

    f = m + c + s · g,    g | y ~ GP with mean h(x)ᵀβ + k(x)ᵀa and covariance k − kᵀA⁻¹k + …              (1)

c and s are the centre and the scale of the targets (0 and 1 unless they were normalised). Rasmussen & Williams (2006),
sections 2.2 and A.2. New points are taken in blocks, so that memory does not grow with their number.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats
from gnomon.base import take_rows
from gnomon.gp._trend import Trend
from gnomon.infer import Conditioned
from gnomon.kernels import Against, Kernel
from gnomon.numerics.linalg import NotPositiveDefiniteError, SparsePrecision, factor_covariance
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows

__all__ = ["Process", "TargetScale"]

BLOCK = 1 << 20
"""Covariances of new points with observations that a thread has at once: more, and they leave the cache."""

NEGATIVE = 1e-8
"""What rounding may leave of a variance below zero, relative to the prior one."""


class TargetScale(NamedTuple):
    """Centre c and scale s of the targets, each of shape (m,)."""

    centre: Floats
    spread: Floats


class Process(NamedTuple):
    """The law (1).

    Fields
    ------
    kernel : Kernel
    trend : Trend
    scale : TargetScale
    rows : array or list, or None
        The observed rows; None before observations.
    found : Conditioned or None
    """

    kernel: Kernel
    trend: Trend
    scale: TargetScale
    rows: Any = None
    found: Conditioned | None = None

    @property
    def given(self) -> Against:
        """The kernel with the observed rows, prepared when they are needed: a file holds the rows alone."""
        return self.kernel.against(self.rows)

    def mean(self, X: Any) -> Floats:
        """Of f at each row, of shape (q, m)."""
        found, m = self.found, len(self.scale.centre)
        known = self.trend.known(X, m) + self.scale.centre
        if found is None:
            return np.broadcast_to(known, (len(X), m)).copy()
        given = self.given
        near = given.sparse_gram(X)
        g = np.reshape(given.combine(X, found.coef) if near is None else near @ found.coef, (len(X), -1))
        h = self.trend.columns(X)
        return known + self.scale.spread * (g if h is None else g + h @ found.drift)

    def at_training_rows(self, coef: Floats) -> Floats:
        """K times coef, of the shape of coef."""
        return self.given.combine_rows(np.arange(len(coef)), coef).reshape(coef.shape)

    def moments(self, X: Any) -> tuple[Floats, Floats]:
        """Mean and variance of f at each row, each of shape (q, m), from the same covariances."""
        prior, found = np.asarray(self.kernel.diag(X), dtype=float), self.found
        if found is None:
            return self.mean(X), self._in_units(prior)
        ready = found._replace(precision=found.precision.for_columns(len(prior)))
        both = self._blocks(X, lambda k, h: np.column_stack([ready.mean(k, h), ready.explained(k, h)]))
        known = self.trend.known(X, len(self.scale.centre)) + self.scale.centre
        mean = known + self.scale.spread * both[:, :-1]
        return mean, self._in_units(self._checked(prior - both[:, -1], prior))

    def covariance(self, X: Any) -> Floats:
        """Of f at all rows together, of shape (q, q, m)."""
        C = np.array(self.kernel.gram(X), dtype=float)
        if self.found is not None:
            k = self._cross(X)
            C -= self.found.explained_covariance(k, self.trend.columns(X))
            C = 0.5 * (C + C.T)
            self._checked(np.diagonal(C), np.asarray(self.kernel.diag(X), dtype=float))
        return self._in_units(C)

    def weights(self, X: Any) -> Floats:
        """w with E f(x) = Σ wᵢyᵢ for observations without a known mean, of shape (q, n)."""
        found = self.found
        assert found is not None
        return found.weights(self._cross(X), self.trend.columns(X))

    def sample(self, X: Any, n_samples: int, rng: np.random.RandomState, noise: float | Floats = 0.0) -> Floats:
        """Draws of f (with `noise` of the observations) at all rows together, of shape (q, m, n_samples)."""
        mean, covariance = self.mean(X), self.covariance(X)
        q, m = mean.shape
        draws = np.empty((q, m, n_samples))
        root = _root(
            covariance[:, :, 0] / max(self.scale.spread[0] ** 2, np.finfo(float).tiny)
            + np.diag(np.broadcast_to(noise, q))
        )
        for j in range(m):
            draws[:, j] = mean[:, [j]] + self.scale.spread[j] * (root @ rng.standard_normal((q, n_samples)))
        return draws

    def _blocks(self, X: Any, function: Callable[[Floats, Floats | None], Floats]) -> Floats:
        """A function of the covariances with the observations, for blocks of new points."""
        assert self.found is not None
        n, q = len(self.found.y), len(X)
        parts = [take_rows(X, rows) for rows in split_rows(q, max(1, -(-q * max(n, 1) // BLOCK)))]
        found = map_chunks(lambda part: function(self._cross(part), self.trend.columns(part)), parts, blas_threads())
        return np.concatenate(found) if found else np.empty((0, 1 + len(self.scale.centre)))

    def _cross(self, X: Any) -> Any:
        """k(X_train, X), sparse where the factor of A is."""
        assert self.found is not None
        near = self.given.sparse_gram(X) if isinstance(self.found.precision, SparsePrecision) else None
        return np.asarray(self.given.gram(X), dtype=float).T if near is None else near.T

    def _checked(self, variance: Floats, prior: Floats) -> Floats:
        """Variances that rounding left below zero set to zero; those that the kernel left there refused."""
        worst = float(np.min(variance + NEGATIVE * prior, initial=0.0))
        if worst < 0.0:
            text = f"the posterior variance is {np.min(variance):.3g} where the prior one is {np.max(prior):.3g}"
            if self.kernel.psd is not True:
                raise NotPositiveDefiniteError(
                    f"{text}: {self.kernel!r} is no covariance of these rows (psd={self.kernel.psd!r}); "
                    "choose a kernel that is positive semi-definite"
                )
            warnings.warn(
                f"{text}; it is set to 0: the observations leave no digits, give noise", UserWarning, stacklevel=4
            )
        return np.maximum(variance, 0.0)

    def _in_units(self, values: Floats) -> Floats:
        return values[..., None] * self.scale.spread**2


def _root(C: Floats) -> Floats:
    """R with RRᵀ = C: a Cholesky factor, or from eigenvalues where C is singular."""
    try:
        return np.tril(factor_covariance(C, jitter=False).lower)
    except NotPositiveDefiniteError:
        values, vectors = np.linalg.eigh(C)
        return vectors * np.sqrt(np.maximum(values, 0.0))
