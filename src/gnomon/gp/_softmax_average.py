"""The mean of a softmax under a normal law: class probabilities of Gaussian scores.

    E softmax(z),    z ~ N(m, S) = m + R e,  e ~ N(0, I)                                             (1)

A softmax does not see what all scores have in common, so that S may be replaced by PSP with P = I − 11ᵀ/C, and R has
C − 1 columns. "quadrature" is a product of Gauss–Hermite rules over them, and for two classes the mean of a logistic
function of their difference; else (1) is a mean over pairs ±e of draws, the same at every row. Rasmussen & Williams
(2006), section 3.5; Golub & Welsch (1969), doi:10.1090/S0025-5718-69-99647-1.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from gnomon._typing import Floats
from gnomon.infer import sigmoid_average

__all__ = ["softmax_by_draws", "softmax_by_quadrature"]

NODES = {3: 64, 4: 28}
"""Of the rule along each direction, by the number of classes: some ten thousand products of them at most."""
BLOCK = 1 << 20
"""Scores that are in memory at once."""


class WeightedPoints(NamedTuple):
    """Points e of shape (n, k), and their weights, which sum to one."""

    points: Floats
    weights: Floats


def softmax_by_draws(mean: Floats, covariance: Floats, n_draws: int, seed: int) -> Floats:
    """(1) for m of shape (q, C) and S of shape (q, C, C) by pairs of draws."""
    draws = np.random.default_rng(seed).standard_normal((n_draws, mean.shape[1]))
    return _average(
        WeightedPoints(np.vstack([draws, -draws]), np.full(2 * n_draws, 0.5 / n_draws)), mean, _roots(covariance)
    )


def softmax_by_quadrature(mean: Floats, covariance: Floats) -> Floats:
    """(1) by quadrature, for four classes at most."""
    classes = mean.shape[1]
    if classes == 2:
        gap = covariance[:, 0, 0] + covariance[:, 1, 1] - 2.0 * covariance[:, 0, 1]
        first = sigmoid_average(mean[:, 0] - mean[:, 1], np.maximum(gap, 0.0))
        return np.column_stack([first, 1.0 - first])
    if classes not in NODES:
        raise ValueError(
            f"integration='quadrature' is for {max(NODES)} classes at most with multi_class='softmax', and there are "
            f"{classes}; choose integration='erf', which takes n_draws draws there"
        )
    centred = covariance - covariance.mean(axis=1, keepdims=True)
    centred = centred - centred.mean(axis=2, keepdims=True)
    # Of C eigenvalues the first is that of the common part, which is zero.
    return _average(_hermite(classes - 1, NODES[classes]), mean, _roots(centred)[:, :, 1:])


def _hermite(k: int, nodes: int) -> WeightedPoints:
    x, w = np.polynomial.hermite_e.hermegauss(nodes)
    points = np.stack([axis.ravel() for axis in np.meshgrid(*[x] * k, indexing="ij")], axis=1)
    weights = reduce(np.multiply.outer, [w / w.sum()] * k).ravel()
    # Products far in the tails weigh less than rounding.
    some = weights > 1e-18
    return WeightedPoints(points[some], weights[some] / weights[some].sum())


def _roots(covariance: Floats) -> Floats:
    """R with RRᵀ = S for each row, by ascending eigenvalues."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]


def _average(rule: WeightedPoints, mean: Floats, roots: Floats) -> Floats:
    step = max(1, BLOCK // max(mean.size, 1))
    total = np.zeros_like(mean)
    for start in range(0, len(rule.weights), step):
        e, w = (part[start : start + step] for part in rule)
        z = mean[:, None, :] + e @ np.swapaxes(roots, 1, 2)
        total += np.einsum("qnc,n->qc", softmax(z, axis=2), w)
    return total
