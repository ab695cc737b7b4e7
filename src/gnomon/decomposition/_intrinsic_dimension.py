"""How many dimensions rows really have.

    share: the fewest components with 95 % of the variance
    participation: (Σ λ)² / Σ λ²                                                                  (1)
    two neighbours: the slope d of −log(1 − F(μ)) = d log μ,  μ = r₂/r₁                           (2)

(1) counts linear directions; (2) sees curved sheets too: Facco et al. (2017), doi:10.1038/s41598-017-11873-y.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array

from gnomon._typing import ArrayLike, Floats
from gnomon.decomposition._how_many import count_by_share
from gnomon.numerics.centred_rows import rows_about
from gnomon.numerics.principal import principal_components
from gnomon.numerics.validation import FLOATS, check_choice

__all__ = ["intrinsic_dimension"]

KEPT = 0.9
"""The largest tenth of the ratios is left out of the fit: there two neighbours say little."""


def intrinsic_dimension(
    X: ArrayLike, method: Literal["share", "participation", "two_neighbors"] = "two_neighbors", *, share: float = 0.95
) -> float:
    """The dimension of the rows of X.

    Parameters
    ----------
    X : array-like of shape (n, d)
    method : {"share", "participation", "two_neighbors"}, default="two_neighbors"
    share : float, default=0.95
        Of the variance, for "share".

    Returns
    -------
    float

    References
    ----------
    Facco, E. et al. (2017). Estimating the intrinsic dimension of datasets by a minimal neighborhood information.
    doi:10.1038/s41598-017-11873-y

    Examples
    --------
    A circle has one dimension; its variance has two:

    >>> import numpy as np
    >>> from gnomon.decomposition import intrinsic_dimension
    >>> t = np.random.default_rng(0).uniform(0, 2 * np.pi, size=1000)
    >>> circle = np.column_stack([np.cos(t), np.sin(t)])
    >>> round(intrinsic_dimension(circle)), round(intrinsic_dimension(circle, "participation"))
    (1, 2)
    """
    check_choice("method", method, ("share", "participation", "two_neighbors"))
    X = check_array(X, dtype=FLOATS, ensure_min_samples=3)
    if method == "two_neighbors":
        return _two_neighbors(X)
    found = principal_components(rows_about(X), min(X.shape))
    if not found.total > 0.0:
        return 0.0
    if method == "share":
        return float(count_by_share(found.values, found.total, share))
    shares = found.values / found.total
    return float(1.0 / np.sum(shares**2))


def _two_neighbors(X: Floats) -> float:
    """Equation (2): a line through the origin, by least squares."""
    distances = NearestNeighbors(n_neighbors=3).fit(X).kneighbors(X)[0]
    apart = distances[distances[:, 1] > 0.0]
    if len(apart) < 2:
        raise ValueError(f"X has {len(apart)} rows that differ from their neighbour, 2 are needed; drop duplicates")
    log_ratio = np.sort(np.log(apart[:, 2] / apart[:, 1]))
    n = len(log_ratio)
    kept = max(int(KEPT * n), 1)
    y = -np.log1p(-np.arange(1, kept + 1) / (n + 1))
    x = log_ratio[:kept]
    return float(x @ y / (x @ x)) if np.any(x > 0.0) else float("inf")
