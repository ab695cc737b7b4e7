"""Where EM for a mixture starts.

    γ⁰ᵢⱼ = 1 if row i is with seed j, then one M-step;    or    w = 1/k,  μⱼ = seed j,  Σⱼ = total covariance     (1)

The two customs give different starts from the same seeds. Biernacki, Celeux & Govaert (2003),
doi:10.1016/S0167-9473(02)00163-9.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.distributions import Normals
from gnomon.distributions.normals import MixtureCovarianceType, covariance_shape
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_numbers
from gnomon.optim import GaussianEM, NormalMixture, kmeans, seed_centers

__all__ = ["StartCustom", "StartMethod", "drawn_starts"]

StartMethod: TypeAlias = Literal["kmeans", "k-means++", "random", "random_from_data", "lbg"]
"""How the rows of the first responsibilities are found; "lbg" grows by splitting."""

StartCustom: TypeAlias = Literal["responsibilities", "total", "total_spherical"]
"""Whether they become one M-step, or means with the covariance of all rows."""

Labelling: TypeAlias = Callable[[Floats, Floats | None, int, np.random.Generator], tuple[Integers | slice, Integers]]
"""(X, weights, k, rng) → rows, and the component of each."""


def drawn_starts(model: BaseEstimator, steps: GaussianEM) -> list[NormalMixture]:
    """θ⁰ of every start that the options of a Gaussian mixture ask for; one alone if it is given as a whole."""
    rng, k = check_rng(model.random_state), model.n_components
    given = (model.weights_init, model.means_init, model.precisions_init, model.covariances_init)
    if is_whole(*given):
        return [given_start(blank(k, steps), *given)]
    draws = [start_of(model.init_params, steps, k, model.start, rng) for _ in range(model.n_init)]
    return [given_start(theta, *given) for theta in draws]


def start_of(
    method: StartMethod, steps: GaussianEM, k: int, start: StartCustom, rng: np.random.Generator
) -> NormalMixture:
    """θ⁰ of k components by a named method other than growth, in one of the two customs of equation (1)."""
    labelled: dict[str, Labelling] = {
        "kmeans": _kmeans_labels,
        "k-means++": lambda X, s, k, rng: (seed_centers(X, k, rng, s), np.arange(k)),
        "random_from_data": lambda X, s, k, rng: (seed_centers(X, k, rng, s, method="random"), np.arange(k)),
    }
    X = steps.filled
    if check_choice("init_params", method, [*labelled, "random", "lbg"]) == "random":
        gamma = rng.uniform(size=(len(X), k))
        gamma /= np.sum(gamma, axis=1, keepdims=True)
        theta = steps.from_responsibilities(gamma)
    else:
        rows, index = labelled[method](X, steps.sample_weight, k, rng)
        theta = steps.from_labels(index, k, rows)
    return theta if start == "responsibilities" else steps.from_means(theta.laws.means, start)


def is_whole(weights: object, means: object, precisions: object, covariances: object) -> bool:
    """Whether the user gives every part of θ⁰, so that nothing need be drawn."""
    return weights is not None and means is not None and (precisions is not None or covariances is not None)


def blank(k: int, steps: GaussianEM) -> NormalMixture:
    """A θ⁰ of k components all of whose parts will be replaced."""
    kind, d = steps.covariance_type, steps.X.shape[1]
    return NormalMixture(np.full(k, 1.0 / k), Normals(np.zeros((k, d)), np.ones(covariance_shape(kind, k, d)), kind))


def given_start(
    theta: NormalMixture,
    weights: ArrayLike | None,
    means: ArrayLike | None,
    precisions: ArrayLike | None,
    covariances: ArrayLike | None,
) -> NormalMixture:
    """θ⁰ with those parts replaced that the user gives; errors name them."""
    k, d = theta.laws.means.shape
    kind = theta.laws.covariance_type
    shape = covariance_shape(kind, k, d)
    weights = theta.weights if weights is None else _checked("weights_init", weights, (k,))
    if np.any(weights < 0.0) or not np.isclose(np.sum(weights), 1.0):
        raise ValueError(f"weights_init={weights!r} must be ≥ 0 and sum to 1")
    means = theta.laws.means if means is None else _checked("means_init", means, (k, d))
    cov = theta.laws.covariances
    if precisions is not None:
        cov = _inverse(_checked("precisions_init", precisions, shape), kind)
    if covariances is not None:
        cov = _checked("covariances_init", covariances, shape)
    return NormalMixture(weights, Normals(means, cov, kind))


def _kmeans_labels(X: Floats, s: Floats | None, k: int, rng: np.random.Generator) -> tuple[slice, Integers]:
    return slice(None), kmeans(X, X[seed_centers(X, k, rng, s)], s, tol=1e-4).labels


def _checked(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Floats:
    value = check_numbers(name, value)
    if value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; give {shape}")
    return value


def _inverse(precisions: Floats, kind: MixtureCovarianceType) -> Floats:
    if kind not in ("full", "tied"):
        return 1.0 / precisions
    d = precisions.shape[-1]
    try:
        found = [cho_solve(cho_factor(P), np.eye(d)) for P in precisions.reshape(-1, d, d)]
    except np.linalg.LinAlgError:
        raise ValueError("precisions_init is not positive definite; give symmetric matrices that are") from None
    return np.stack(found).reshape(precisions.shape)
