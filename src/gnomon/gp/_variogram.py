"""The empirical variogram of scattered observations.

    γ(r) = 1/(2 |N_r|) Σ_{(i,j) ∈ N_r} (yᵢ − yⱼ)²,    N_r: pairs whose distance falls into the bin of r      (1)

For a process with the kernel k and noise σ², γ(r) estimates σ² + k(0) − k(r): it starts at the nugget σ² and rises to
the sill σ² + k(0). Matheron (1963), doi:10.2113/gsecongeo.58.8.1246; Cressie (1993), Statistics for Spatial Data,
section 2.4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from gnomon._typing import ArrayLike, Floats, Integers, is_sparse
from gnomon.numerics.validation import check_integer

__all__ = ["Variogram", "variogram"]

BLOCK = 1 << 22
"""Pairs of rows that are in memory at once."""


class Variogram(NamedTuple):
    """Equation (1), one entry for each bin that has a pair.

    Fields
    ------
    distance : ndarray
        The mean distance of the pairs in a bin.
    semivariance : ndarray
        γ.
    n_pairs : ndarray of int

    References
    ----------
    Matheron, G. (1963). Principles of geostatistics. doi:10.2113/gsecongeo.58.8.1246

    Examples
    --------
    >>> from gnomon.gp import variogram
    >>> variogram([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0], bins=[0.0, 1.5, 3.0]).semivariance
    array([2.5, 8. ])
    """

    distance: Floats
    semivariance: Floats
    n_pairs: Integers


def variogram(X: ArrayLike, y: ArrayLike, *, bins: int | ArrayLike = 15, cutoff: float | None = None) -> Variogram:
    """Half the mean square of differences over the distance of the rows, equation (1).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Places.
    y : array-like of shape (n_samples,)
        Values, less their trend where there is one.
    bins : int or array-like, default=15
        How many bins of equal width reach up to `cutoff`, or their edges; a pair on an edge belongs to the bin below.
    cutoff : float, optional
        The largest distance; by default a third of the diagonal of the box around the rows. Not with edges.

    Returns
    -------
    Variogram

    References
    ----------
    Matheron, G. (1963). Principles of geostatistics. doi:10.2113/gsecongeo.58.8.1246

    Examples
    --------
    White noise of variance 1 has no structure: γ is 1 at every distance.

    >>> import numpy as np
    >>> from gnomon.gp import variogram
    >>> rng = np.random.default_rng(0)
    >>> found = variogram(rng.uniform(size=(1500, 2)), rng.standard_normal(1500), bins=3)
    >>> found.semivariance.round(1), int(found.n_pairs.sum())
    (array([1., 1., 1.]), 497183)
    """
    rows, values = _read(X, y)
    edges = _edges(rows, bins, cutoff)
    n, m = len(values), len(edges) - 1
    pairs, distances, squares = np.zeros(m), np.zeros(m), np.zeros(m)
    step = max(1, BLOCK // n)
    for start in range(0, n, step):
        block = slice(start, start + step)
        r = cdist(rows[block], rows)
        # Every pair once: those with a later row.
        i, j = np.nonzero((r <= edges[-1]) & (np.arange(n) > np.arange(n)[block, None]))
        near = r[i, j]
        # The first bin has both of its edges, so that pairs at one place count.
        place = np.maximum(np.searchsorted(edges, near, side="left") - 1, 0)
        inside = near >= edges[0]
        place, near, gap = place[inside], near[inside], (values[block][i] - values[j])[inside]
        pairs += np.bincount(place, minlength=m)
        distances += np.bincount(place, near, minlength=m)
        squares += np.bincount(place, gap**2, minlength=m)
    some = pairs > 0
    if not np.any(some):
        raise ValueError(f"no two rows are from {edges[0]:.3g} to {edges[-1]:.3g} apart; give other bins or a cutoff")
    return Variogram(distances[some] / pairs[some], 0.5 * squares[some] / pairs[some], pairs[some].astype(np.intp))


def _read(X: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    if is_sparse(X):
        raise TypeError("X is sparse; places are dense coordinates, give X.toarray()")
    rows, values = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if rows.ndim != 2 or values.shape != (len(rows),):
        raise ValueError(
            f"X has shape {rows.shape} and y {values.shape}; give places of shape (n, d) and one value for each"
        )
    if len(rows) < 2:
        raise ValueError(f"X has {len(rows)} row; a variogram compares pairs, give two rows at least")
    if not (np.all(np.isfinite(rows)) and np.all(np.isfinite(values))):
        raise ValueError("X or y contains NaN or infinity; leave these rows out")
    return rows, values


def _edges(rows: Floats, bins: int | ArrayLike, cutoff: float | None) -> Floats:
    if np.ndim(bins):
        edges = np.asarray(bins, dtype=float)
        if cutoff is not None:
            raise ValueError(f"cutoff={cutoff!r} and bins with edges say the same thing; give one of them")
        if edges.ndim != 1 or len(edges) < 2 or not np.all(np.diff(edges) > 0.0) or edges[0] < 0.0:
            raise ValueError(f"bins={edges} must be two or more increasing distances ≥ 0, or a number of bins")
        return edges
    check_integer("bins", bins, 1)
    far = float(np.linalg.norm(np.ptp(rows, axis=0))) / 3.0 if cutoff is None else float(cutoff)
    if not far > 0.0 or not np.isfinite(far):
        advice = "all rows are at one place" if cutoff is None else f"cutoff={cutoff!r}"
        raise ValueError(f"{advice}; a variogram needs distances > 0, give another cutoff")
    return np.linspace(0.0, far, int(np.asarray(bins)) + 1)
