"""What Bayesian regression keeps of the rows, and how two summaries add.

    √s [X − x̄, y − ȳ] = Q [R z; 0 t]    ⇒    Σ sᵢ (yᵢ − xᵢᵀw − b)² = ‖z − Rw‖² + ‖t‖² + W (ȳ − x̄ᵀw − b)²    (1)

Two sets of rows together have the triangle of [R₁ z₁; R₂ z₂; √(W₁W₂/W) (x̄₁ − x̄₂, ȳ₁ − ȳ₂)]: Chan, Golub & LeVeque
(1983), doi:10.1080/00031305.1983.10483115, in the form of a QR update, which does not square the condition of X.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from gnomon._typing import Floats, Matrix
from gnomon.numerics.linalg import Rows, triangle

__all__ = ["Summary", "merge_summaries", "summarize"]

LARGEST = 5e8
"""Numbers in R, 4 GB, up to which a sparse X is made dense."""


class Summary(NamedTuple):
    """W, R, z, ‖t‖², x̄ and ȳ of (1); the means are zero where there is no intercept."""

    total: float
    R: Floats
    z: Floats
    rest: float
    x_mean: Floats
    y_mean: float
    intercept: bool


def summarize(X: Matrix, y: Floats, weights: Floats, *, intercept: bool) -> Summary:
    """The summary (1) of some rows."""
    n, d = X.shape
    if sparse.issparse(X) and d * min(n, d) > LARGEST:
        raise ValueError(
            f"X has {n} rows and {d} columns, whose dense factor has {min(n, d)} × {d} numbers; at most {LARGEST:.0e} "
            "are allowed: select columns first, or use Ridge, whose sparse solver forms no such matrix"
        )
    found = triangle(Rows(X, y[:, None], weights, intercept))
    total = float(np.sum(weights))
    return Summary(total, found.R, found.z[:, 0], float(found.rest[0]), found.x_mean, float(found.y_mean[0]), intercept)


def merge_summaries(a: Summary, b: Summary) -> Summary:
    """The summary of two sets of rows together."""
    total = a.total + b.total
    apart = np.sqrt(a.total * b.total / total) * np.append(b.x_mean - a.x_mean, b.y_mean - a.y_mean)
    stack = np.vstack([np.column_stack([a.R, a.z]), np.column_stack([b.R, b.z]), apart])
    T = linalg.qr(stack, mode="r", check_finite=False)[0]
    d, share = a.R.shape[1], b.total / total
    rest = a.rest + b.rest + float(np.sum(T[d:, d] ** 2))
    x_mean, y_mean = a.x_mean + share * (b.x_mean - a.x_mean), a.y_mean + share * (b.y_mean - a.y_mean)
    return Summary(total, T[:d, :d], T[:d, d], rest, x_mean, y_mean, a.intercept)
