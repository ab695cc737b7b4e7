"""Linear maps of scores that minimise the cross-entropy of their softmax.

    minimise over θ    ½ λ ‖θ_A‖²  −  Σᵢ wᵢ log softmax(A xᵢ + b + log π)_{kᵢ},    (A, b) = M θ                     (1)

The columns of M say which maps are allowed: a scale for all classes, an offset for each, any matrix; θ_A are those
numbers that A is made of, so that one scale costs ½ λ α² whatever the number of classes. The wᵢ of class k
sum to π_k. Newton's method, in columns of unit size. Brümmer & van Leeuwen (2006), On calibration of language
recognition scores, doi:10.1109/ODYSSEY.2006.248106; Guo et al. (2017), On calibration of modern neural networks, ICML.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax

from gnomon._typing import Floats, Integers
from gnomon.optim import newton

__all__ = ["SoftmaxFit", "affine_maps", "fit_softmax", "scale_maps", "two_class_maps"]


class SoftmaxFit(NamedTuple):
    """The minimiser of (1)."""

    A: Floats
    b: Floats
    objective: float
    n_iter: int
    converged: bool
    gradient_norm: float
    separable: bool
    """Whether some multiple of the map makes no mistake: without λ there is no minimum then."""


def scale_maps(K: int, *, offsets: bool) -> Floats:
    """M of one scale for all K classes and, where asked for, an offset for each but the first."""
    scale = np.append(np.eye(K), np.zeros((K, 1)), axis=1)[None]
    return _stacked([*scale, *(_single(K, K, k, K) for k in range(1, K) if offsets)])


def affine_maps(K: int) -> Floats:
    """M of any A and b; the first row is free in a softmax, and the last column in centred scores: both are zero."""
    return _stacked([_single(K, K, k, j) for k in range(1, K) for j in [*range(K - 1), K]])


def two_class_maps(d: int, *, offset: bool = True) -> Floats:
    """M of the log-odds of two classes, linear in d columns."""
    return _stacked([_single(2, d, 1, j) for j in range(d + offset)])


def fit_softmax(
    X: Floats, k: Integers, weights: Floats, log_prior: Floats, maps: Floats, units: Floats, lam: float
) -> SoftmaxFit:
    """Minimise (1) for rows X of the classes k; `units` are the sizes of the columns."""
    K, d = len(log_prior), X.shape[1]
    Z = np.column_stack([X / units, np.ones(len(X))])
    target = np.eye(K)[k]
    # A has the reciprocal units of the columns; a number that stands in several of its places is counted once.
    squares = np.ravel(np.tile(np.append(1.0 / units / units, 0.0), (K, 1)))
    ridge = lam * (maps.T**2 @ squares) / np.sum(maps != 0.0, axis=0)

    def value_and_gradient(theta: Floats) -> tuple[float, Floats]:
        v = maps @ theta
        log_p = log_softmax(Z @ v.reshape(K, d + 1).T + log_prior, axis=1)
        residual = weights[:, None] * (np.exp(log_p) - target)
        value = 0.5 * float(ridge @ theta**2) - float(weights @ log_p[np.arange(len(k)), k])
        return value, ridge * theta + maps.T @ np.ravel(residual.T @ Z)

    def hessian(theta: Floats) -> Floats:
        p = np.exp(log_softmax(Z @ (maps @ theta).reshape(K, d + 1).T + log_prior, axis=1))
        H = np.empty((K, d + 1, K, d + 1))
        for i in range(K):
            for j in range(i + 1):
                c = weights * p[:, i] * ((i == j) - p[:, j])
                H[i, :, j] = H[j, :, i] = (Z.T * c) @ Z
        return maps.T @ H.reshape(len(maps), len(maps)) @ maps + np.diag(ridge)

    found = newton(value_and_gradient, np.zeros(maps.shape[1]), hessian=hessian, tol=1e-10)
    v = (maps @ found.w).reshape(K, d + 1)
    z = Z @ v.T
    margins = z[np.arange(len(k)), k] - np.max(np.where(target == 1.0, -np.inf, z), axis=1)
    return SoftmaxFit(
        v[:, :-1] / units, v[:, -1], found.objective, found.n_iter, found.converged, found.gradient_norm,
        bool(np.all(margins > 0.0)),
    )  # fmt: skip


def _single(K: int, d: int, k: int, j: int) -> Floats:
    """The map with one entry: row k, column j, of which the last is the offset."""
    one = np.zeros((K, d + 1))
    one[k, j] = 1.0
    return one


def _stacked(maps: list[Floats]) -> Floats:
    return np.array([np.ravel(one) for one in maps]).T
