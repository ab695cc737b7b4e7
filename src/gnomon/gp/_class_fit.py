"""A latent process of classes: the approximation of its posterior, and its hyper-parameters.

    θ̂ = argmax log q(y | θ),    K(θ̂) → posterior of the latent scores                                    (1)

Rasmussen & Williams (2006), section 5.5.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.base import count_rows, take_rows
from gnomon.gp._observations import QUIET
from gnomon.gp._tuning import Optimizer, Tuned, tune
from gnomon.infer import ClassLink, ClassPosterior, SoftmaxPosterior, laplace_classes, laplace_softmax
from gnomon.kernels import Kernel, contract_tiles
from gnomon.numerics.linalg import NotPositiveDefiniteError
from gnomon.numerics.parallel import calm_blas, split_rows

__all__ = [
    "ClassProblem",
    "EvidenceSearch",
    "LatentProcess",
    "SignedLabels",
    "SoftmaxLabels",
    "evidence_of",
    "fit_latent",
]

BLOCK = 1 << 19
"""Covariances of new points with training rows that are in memory at once."""


class SignedLabels(NamedTuple):
    """Labels ±1 of two classes, with weights."""

    signs: Floats
    link: ClassLink
    weights: Floats
    max_iter: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the scores."""
        return self.signs.shape

    def approximate(self, K: Floats, start: Any) -> ClassPosterior:
        """The posterior of the scores, for their covariance K; `start` is one of another K."""
        return laplace_classes(
            K, self.signs, self.link, sample_weight=self.weights, start=start, max_iter=self.max_iter
        )


class SoftmaxLabels(NamedTuple):
    """Places of the labels among several classes, with weights."""

    places: Integers
    n_classes: int
    weights: Floats
    max_iter: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the scores."""
        return self.n_classes, len(self.places)

    def approximate(self, K: Floats, start: Any) -> SoftmaxPosterior:
        """The posterior of the scores of all classes, for the covariance K of each; `start` is one of another K."""
        return laplace_softmax(
            K, self.places, self.n_classes, sample_weight=self.weights, start=start, max_iter=self.max_iter
        )


class ClassProblem(NamedTuple):
    """Rows and what is known of their classes."""

    rows: Any
    labels: SignedLabels | SoftmaxLabels


class EvidenceSearch(NamedTuple):
    """How hyper-parameters are looked for."""

    optimizer: Optimizer
    n_restarts: int
    rng: np.random.RandomState


class LatentProcess(NamedTuple):
    """Scores after the labels.

    Fields
    ------
    kernel : Kernel
    problem : ClassProblem
    posterior : ClassPosterior or SoftmaxPosterior
    tuned : Tuned or None
    """

    kernel: Kernel
    problem: ClassProblem
    posterior: Any
    tuned: Tuned | None

    def mean(self, X: Any) -> Floats:
        """Of the scores of each row."""
        return self._blocks(X, lambda k, prior: self.posterior.mean(k))

    def spread(self, X: Any) -> Floats:
        """Their variances, or for several classes their covariance matrices."""
        return self._blocks(X, self.posterior.spread)

    def _blocks(self, X: Any, function: Callable[[Floats, Floats], Floats]) -> Floats:
        rows = self.problem.rows
        given, n, q = self.kernel.against(rows), count_rows(rows), count_rows(X)
        parts = [take_rows(X, some) for some in split_rows(q, max(1, -(-q * n // BLOCK)))]
        found = []
        for part in parts:
            k = np.asarray(given.gram(part), dtype=float).T
            found.append(function(k, np.asarray(self.kernel.diag(part), dtype=float)))
        return np.concatenate(found)


def evidence_of(
    kernel: Kernel, problem: ClassProblem, start: ClassPosterior | SoftmaxPosterior | None = None
) -> tuple[float, Floats, ClassPosterior | SoftmaxPosterior]:
    """log q(y), its gradient in log θ, and the posterior, for one kernel."""
    with calm_blas(count_rows(problem.rows) // QUIET):
        P = kernel.prepare(problem.rows)
        K = np.asarray(kernel.gram(problem.rows), dtype=float)
        posterior = _approximated(kernel, problem, K, start)
        slopes = (
            np.asarray(contract_tiles(kernel, P, posterior.evidence_slopes(K).tile), dtype=float)
            if len(kernel.theta)
            else np.empty(0)
        )
    return posterior.log_evidence, slopes, posterior


def _approximated(
    kernel: Kernel, problem: ClassProblem, K: Floats, start: ClassPosterior | SoftmaxPosterior | None
) -> ClassPosterior | SoftmaxPosterior:
    """The posterior for the covariance K; NotPositiveDefiniteError where it is none."""
    if not np.all(np.isfinite(K)):
        raise NotPositiveDefiniteError(f"{kernel!r} gives NaN or infinity for some rows; choose another kernel")
    try:
        return problem.labels.approximate(K, start)
    except np.linalg.LinAlgError:
        raise NotPositiveDefiniteError(
            f"the covariance of the latent scores is not positive semi-definite; {kernel!r} is not known to be "
            f"(psd={kernel.psd!r}), choose another kernel"
        ) from None


def fit_latent(
    kernel: Kernel,
    problem: ClassProblem,
    search: EvidenceSearch,
    start: ClassPosterior | SoftmaxPosterior | None = None,
) -> LatentProcess:
    """(1); `start` is the posterior of an earlier fit."""
    last = start

    def criterion(theta: Floats) -> tuple[float, Floats]:
        nonlocal last
        try:
            value, gradient, posterior = evidence_of(kernel.with_theta(theta), problem, last)
        except NotPositiveDefiniteError:
            return -np.inf, np.zeros_like(theta)
        # The mode is unique: near the last one it is found in fewer steps.
        last = posterior
        return value, gradient

    tuned = None
    if search.optimizer is not None and len(kernel.theta):
        names = [h.name for h in kernel.hyperparameters for _ in h.values]
        tuned = tune(
            criterion,
            kernel.theta,
            kernel.bounds,
            optimizer=search.optimizer,
            n_restarts=search.n_restarts,
            rng=search.rng,
            names=names,
        )
        kernel = kernel.with_theta(tuned.theta)
    posterior = _approximated(kernel, problem, np.asarray(kernel.gram(problem.rows), dtype=float), last)
    return LatentProcess(kernel, problem, posterior, tuned)
