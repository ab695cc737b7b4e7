"""Distances in the feature space of a kernel.

    ‖Φ(x) − Φ(x')‖² = k(x, x) + k(x', x') − 2 k(x, x')
    ‖Φ(x) − Σ_j w_j Φ(y_j)‖² = k(x, x) − 2 Σ_j w_j k(x, y_j) + Σ_jl w_j w_l k(y_j, y_l)             (1)

Schölkopf & Smola (2002), section 2.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.kernels._base import Kernel

__all__ = ["distance_to_mean", "kernel_distance"]


def kernel_distance(kernel: Kernel, A: Any, B: Any = None, *, squared: bool = False) -> Floats:
    """Distances (1) between rows in the feature space.

    Parameters
    ----------
    kernel : Kernel
    A, B : rows; B is A where it is None
    squared : bool, default=False

    Returns
    -------
    ndarray of shape (n, m)

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.2. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import Linear, kernel_distance
    >>> kernel_distance(Linear(), [[0.0, 0.0]], [[3.0, 4.0]])
    array([[5.]])
    """
    own = kernel.diag(A)
    D = np.add.outer(own, own if B is None else kernel.diag(B)) - 2.0 * kernel.gram(A, B)
    return _root(D, squared, zero_diagonal=B is None)


def distance_to_mean(
    kernel: Kernel, A: Any, B: Any, weights: ArrayLike | None = None, *, squared: bool = False
) -> Floats:
    """Distances (1) of rows from the mean of others in the feature space.

    Parameters
    ----------
    kernel : Kernel
    A : rows
    B : rows whose mean is taken, those of a class for example
    weights : array-like of shape (m,), optional
        Of the rows B; equal by default.
    squared : bool, default=False

    Returns
    -------
    ndarray of shape (n,)

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 1.2. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import Linear, distance_to_mean
    >>> distance_to_mean(Linear(), [[3.0, 5.0]], [[0.0, 0.0], [0.0, 2.0]])
    array([5.])
    """
    against = kernel.against(B)
    w = np.ones(len(against.prepared)) if weights is None else np.asarray(weights, dtype=float)
    if w.shape != (len(against.prepared),) or not np.all(w >= 0.0) or not w.sum() > 0.0:
        raise ValueError(f"weights must be ≥ 0, one for each of {len(against.prepared)} rows, and not all zero")
    w = w / w.sum()
    D = kernel.diag(A) - 2.0 * against.gram(A) @ w + w @ against.matrix() @ w
    return _root(D, squared)


def _root(D: Floats, squared: bool, *, zero_diagonal: bool = False) -> Floats:
    """Distances from their squares, rounding below zero removed."""
    np.maximum(D, 0.0, out=D)
    if zero_diagonal:
        np.fill_diagonal(D, 0.0)
    return D if squared else np.sqrt(D)
