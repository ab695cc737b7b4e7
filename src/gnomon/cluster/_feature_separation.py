"""Which columns tell clusters apart.

    F_j = [Σ_k n_k (μ_kj − μ_j)² / (K − 1)] / [Σ_k Σ_{i∈k} (x_ij − μ_kj)² / (n − K)],   η²_j = B_j / (B_j + W_j)   (1)

B and W are the sums of squares between and within clusters. This describes: the same rows made the clusters, so no
p-value of F would be valid, and none is given. Fisher (1925), Statistical Methods for Research Workers, chapter 7.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats, Integers, TableLike
from gnomon.cluster._cluster_rows import cluster_rows

__all__ = ["FeatureSeparation", "feature_separation"]


class FeatureSeparation(NamedTuple):
    """Equation (1) for every column.

    Fields
    ------
    names : tuple of str
    F, eta_squared : ndarray of shape (d,)
        F is infinite where clusters have no spread, nan where there are as many clusters as rows.
    order : ndarray of int of shape (d,)
        Columns by falling η².

    References
    ----------
    Fisher, R. A. (1925). Statistical Methods for Research Workers, chapter 7. Oliver & Boyd.

    Examples
    --------
    >>> from gnomon.cluster import feature_separation
    >>> print(feature_separation([[0.0, 1.0], [0.2, 2.0], [5.0, 1.0], [5.2, 2.0]], [0, 0, 1, 1]))
    x0: η² 0.998, F 1250
    x1: η² 0.000, F 0
    """

    names: tuple[str, ...]
    F: Floats
    eta_squared: Floats
    order: Integers

    def __str__(self) -> str:
        return "\n".join(f"{self.names[j]}: η² {self.eta_squared[j]:.3f}, F {self.F[j]:.4g}" for j in self.order)


def feature_separation(X: TableLike, labels: ArrayLike, sample_weight: ArrayLike | None = None) -> FeatureSeparation:
    """How far apart the clusters are in every column, as a share of its variance.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
    labels : array-like of shape (n,)
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    FeatureSeparation

    References
    ----------
    Fisher, R. A. (1925). Statistical Methods for Research Workers, chapter 7. Oliver & Boyd.

    Examples
    --------
    >>> from gnomon.cluster import feature_separation
    >>> feature_separation([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]).eta_squared.round(4)
    array([0.9412])
    """
    rows = cluster_rows(X, labels, sample_weight)
    K, n = len(rows.clusters), float(rows.weights.sum())
    if K < 2:
        raise ValueError(f"labels name 1 cluster, {rows.clusters[0]!r}; nothing is separated: give two or more")
    # Rows about a row, in units of the largest: squares of a far or huge column lose nothing.
    Z = rows.X - rows.X[0]
    unit = np.max(np.abs(Z), axis=0)
    Z = Z / np.where(unit > 0.0, unit, 1.0)
    mean = np.average(Z, axis=0, weights=rows.weights)
    between, within = np.zeros(Z.shape[1]), np.zeros(Z.shape[1])
    for members in rows.members():
        s = rows.weights[members]
        center = np.average(Z[members], axis=0, weights=s)
        between += s.sum() * (center - mean) ** 2
        within += s @ (Z[members] - center) ** 2
    total = between + within
    share = np.divide(between, total, out=np.zeros_like(total), where=total > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        F = (between / (K - 1)) / (within / (n - K)) if n > K else np.full(len(share), np.nan)
    F = np.where(total > 0.0, F, 0.0) if n > K else F
    return FeatureSeparation(rows.names, F, share, np.argsort(-share, kind="stable"))
