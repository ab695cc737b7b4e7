"""What the rows of a cluster have in common.

    z_kj = (μ_kj − μ_j) / σ_j,    high where z ≥ 1, low where z ≤ −1                                (1)

μ_kj is the mean of column j in cluster k, μ_j and σ_j its mean and standard deviation over all rows. The typical row is
the medoid: the member nearest to the centre. Tan, Steinbach & Kumar (2005), Introduction to Data Mining, chapter 8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers, TableLike
from gnomon.cluster._cluster_rows import cluster_rows
from gnomon.numerics.weights import weighted_quantile

__all__ = ["ClusterProfile", "Standing", "cluster_profile", "standing"]

NOTHING = 1e-12
"""A centre of at most this modulus is zero."""

HIGH = 1.0
"""Standard deviations from the mean of all rows from which on a centre is high or low."""


class Standing(NamedTuple):
    """How far centres are from the mean of all rows.

    Fields
    ------
    z : ndarray of shape (k, d)
        Equation (1); 0 for a constant column.
    words : ndarray of str of shape (k, d)
        "high", "low", "zero" (the centre itself) or "".

    References
    ----------
    Tan, P.-N., Steinbach, M. & Kumar, V. (2005). Introduction to Data Mining, chapter 8. ISBN 978-0-321-32136-7.

    Examples
    --------
    >>> from gnomon.cluster import standing
    >>> found = standing([[25.0, 30.0, 90.0]], mean=[45.0, 60.0, 50.0], sd=[12.0, 20.0, 20.0])
    >>> found.z.round(3), found.words.tolist()
    (array([[-1.667, -1.5  ,  2.   ]]), [['low', 'low', 'high']])
    """

    z: Floats
    words: Array


def standing(centers: ArrayLike, mean: ArrayLike, sd: ArrayLike) -> Standing:
    """Equation (1) for given centres.

    Parameters
    ----------
    centers : array-like of shape (k, d)
    mean, sd : array-like of shape (d,)
        Of all rows.

    Returns
    -------
    Standing

    References
    ----------
    Tan, P.-N., Steinbach, M. & Kumar, V. (2005). Introduction to Data Mining, chapter 8. ISBN 978-0-321-32136-7.

    Examples
    --------
    >>> from gnomon.cluster import standing
    >>> standing([[3.0], [0.0]], mean=[1.0], sd=[2.0]).words.tolist()
    [['high'], ['zero']]
    """
    M, mu, sigma = np.atleast_2d(np.asarray(centers, dtype=float)), np.asarray(mean), np.asarray(sd, dtype=float)
    z = np.divide(M - mu, sigma, out=np.zeros(np.broadcast_shapes(M.shape, sigma.shape)), where=sigma > 0.0)
    words = np.select([np.abs(M) <= NOTHING, z >= HIGH, z <= -HIGH], ["zero", "high", "low"], default="")
    return Standing(z, words)


class ClusterProfile(NamedTuple):
    """What `cluster_profile` found, one row for each cluster.

    Fields
    ------
    labels : ndarray of shape (k,)
    names : tuple of str
        Of the d columns.
    size, share : ndarray of shape (k,)
        Weight of a cluster, and its share of all.
    center, median, sd : ndarray of shape (k, d)
    standing : Standing
        z of equation (1), and "high", "low" or "zero".
    medoid : ndarray of int of shape (k,)
        The row of the table that is nearest to the centre, columns in units of their standard deviation.

    References
    ----------
    Tan, P.-N., Steinbach, M. & Kumar, V. (2005). Introduction to Data Mining, chapter 8. ISBN 978-0-321-32136-7.

    Examples
    --------
    >>> from gnomon.cluster import cluster_profile
    >>> found = cluster_profile([[0.0, 5.0], [0.0, 7.0], [9.0, 6.0]], [0, 0, 1])
    >>> found.size, found.center.tolist(), found.medoid
    (array([2., 1.]), [[0.0, 6.0], [9.0, 6.0]], array([0, 2]))
    >>> print(found)
    cluster 0: 67 % of the rows; x0 zero
    cluster 1: 33 % of the rows; x0 high (9)
    """

    labels: Array
    names: tuple[str, ...]
    size: Floats
    share: Floats
    center: Floats
    median: Floats
    sd: Floats
    standing: Standing
    medoid: Integers

    def words(self, k: int) -> list[str]:
        """What is high, low or zero in the cluster of place k, most unusual first."""
        order = np.argsort(-np.abs(self.standing.z[k]), kind="stable")
        return [
            f"{self.names[j]} {word}" + ("" if word == "zero" else f" ({self.center[k, j]:.4g})")
            for j in order
            if (word := self.standing.words[k, j])
        ]

    def __str__(self) -> str:
        lines = []
        for k, label in enumerate(self.labels.tolist()):
            said = "; ".join(self.words(k)) or "like all rows"
            lines.append(f"cluster {label}: {self.share[k]:.0%} of the rows; {said}".replace("%", " %", 1))
        return "\n".join(lines)


def cluster_profile(X: TableLike, labels: ArrayLike, sample_weight: ArrayLike | None = None) -> ClusterProfile:
    """Sizes, centres and what is unusual about them.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
        Numbers; names of columns are kept.
    labels : array-like of shape (n,)
        The cluster of every row, of any kind of label.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    ClusterProfile

    References
    ----------
    Tan, P.-N., Steinbach, M. & Kumar, V. (2005). Introduction to Data Mining, chapter 8. ISBN 978-0-321-32136-7.

    Examples
    --------
    >>> from gnomon.cluster import cluster_profile
    >>> cluster_profile([[1.0], [2.0], [9.0]], ["a", "a", "b"]).median.tolist()
    [[1.5], [9.0]]
    """
    rows = cluster_rows(X, labels, sample_weight)
    # From one of the rows: a column that is constant has no spread, not that of the rounding of its mean.
    origin = rows.X[np.argmax(rows.weights > 0.0)]
    from_origin = rows.X - origin
    off = np.average(from_origin, axis=0, weights=rows.weights)
    mean, sd = origin + off, np.sqrt(np.average((from_origin - off) ** 2, axis=0, weights=rows.weights))
    parts = [_part(rows.X[members], rows.weights[members], sd) for members in rows.members()]
    size, center, median, spread, typical = map(np.array, zip(*parts, strict=True))
    medoid = np.array([members[place] for members, place in zip(rows.members(), typical, strict=True)])
    share, found = size / size.sum(), standing(center, mean, sd)
    return ClusterProfile(rows.clusters, rows.names, size, share, center, median, spread, found, medoid)


class _ClusterPart(NamedTuple):
    """One cluster; the medoid is a place among its members."""

    size: float
    center: Floats
    median: Floats
    sd: Floats
    medoid: int


def _part(X: Floats, s: Floats, sd: Floats) -> _ClusterPart:
    center = np.average(X, axis=0, weights=s)
    spread = np.sqrt(np.average((X - center) ** 2, axis=0, weights=s))
    median = np.array([weighted_quantile(column, 0.5, s) for column in X.T])
    distance = np.sum(((X - center) / np.where(sd > 0.0, sd, 1.0)) ** 2, axis=1)
    return _ClusterPart(float(s.sum()), center, median, spread, int(np.argmin(distance)))
