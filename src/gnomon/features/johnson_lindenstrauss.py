"""How many random directions keep all distances.

    (1 − ε) ‖xᵢ − xⱼ‖² ≤ ‖zᵢ − zⱼ‖² ≤ (1 + ε) ‖xᵢ − xⱼ‖²  for all pairs,    m ≥ 4 ln n / (ε²/2 − ε³/3)     (1)

One projection of n rows to m directions fails a given pair with probability at most 2 exp(−m (ε²/2 − ε³/3) / 2), so all
n²/2 pairs hold with probability at least 1 − δ once m ≥ (4 ln n + 2 ln(1/δ)) / (ε²/2 − ε³/3). Dasgupta & Gupta (2003),
doi:10.1002/rsa.10073.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from gnomon._typing import ArrayLike, Floats, Integers, MatrixLike, RandomState
from gnomon.features._row_pairs import of_pairs, row_sums
from gnomon.numerics.validation import FLOATS, check_integer, check_interval
from gnomon.optim.center_distances import row_unit

__all__ = ["Distortion", "jl_distortion", "johnson_lindenstrauss_min_dim"]


def johnson_lindenstrauss_min_dim(n_samples: ArrayLike, *, eps: ArrayLike = 0.1, delta: float | None = None) -> Any:
    """Directions m that keep all squared distances of n rows to a factor 1 ± ε, rounded up.

    Parameters
    ----------
    n_samples : int or array-like of int
        n, ≥ 1.
    eps : float or array-like, default=0.1
        ε in (0, 1).
    delta : float, optional
        δ in (0, 1): m of (1) with success at least 1 − δ. The bound without it promises success with probability 1/n
        or more, which a second draw repeats.

    Returns
    -------
    int or ndarray of int

    References
    ----------
    Dasgupta, S. & Gupta, A. (2003). An elementary proof of a theorem of Johnson and Lindenstrauss.
    doi:10.1002/rsa.10073

    Examples
    --------
    >>> from gnomon.features import johnson_lindenstrauss_min_dim
    >>> int(johnson_lindenstrauss_min_dim(1000, eps=0.5)), int(johnson_lindenstrauss_min_dim(1000, eps=0.5, delta=0.01))
    (332, 443)
    """
    n, e = np.asarray(n_samples), np.asarray(eps, dtype=float)
    if np.any(e <= 0.0) or np.any(e >= 1.0) or not np.all(np.isfinite(e)):
        raise ValueError(f"eps={eps!r} must be in (0, 1); it is the share by which squared distances may change")
    if n.dtype.kind not in "iuf" or np.any(n < 1):
        raise ValueError(f"n_samples={n_samples!r} must be ≥ 1; give the number of rows")
    extra = 0.0 if delta is None else 2.0 * np.log(1.0 / check_interval("delta", delta, 0.0, 1.0, closed="neither"))
    return np.ceil((4.0 * np.log(n) + extra) / (e**2 / 2.0 - e**3 / 3.0)).astype(np.int64)


class Distortion(NamedTuple):
    """Ratios of squared distances after and before a map.

    Fields
    ------
    ratios : ndarray
        ‖zᵢ − zⱼ‖² / ‖xᵢ − xⱼ‖² of the pairs of different rows that were looked at.

    References
    ----------
    Dasgupta, S. & Gupta, A. (2003). An elementary proof of a theorem of Johnson and Lindenstrauss.
    doi:10.1002/rsa.10073

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import jl_distortion
    >>> found = jl_distortion([[0.0], [1.0], [3.0]], [[0.0], [1.0], [4.0]])
    >>> found.ratios.round(3), round(found.share(0.5), 3)
    (array([1.   , 1.778, 2.25 ]), 0.333)
    """

    ratios: Floats

    def share(self, eps: float) -> float:
        """The share of pairs inside 1 ± ε."""
        return float(np.mean(np.abs(self.ratios - 1.0) <= eps))


def jl_distortion(
    X: MatrixLike, Z: MatrixLike, *, n_pairs: int | None = 100_000, random_state: RandomState = None
) -> Distortion:
    """How much a map X ↦ Z changes squared distances.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    Z : array-like or sparse matrix of shape (n, m)
        The same rows, mapped.
    n_pairs : int or None, default=100_000
        Pairs that are drawn where there are more; None for all.
    random_state : int, RandomState or None
        Of that draw.

    Returns
    -------
    Distortion

    References
    ----------
    Dasgupta, S. & Gupta, A. (2003). An elementary proof of a theorem of Johnson and Lindenstrauss.
    doi:10.1002/rsa.10073

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import RandomProjection, jl_distortion
    >>> X = np.random.default_rng(0).normal(size=(60, 2000))
    >>> Z = RandomProjection(800, random_state=0).fit_transform(X)
    >>> jl_distortion(X, Z).share(0.3)
    1.0
    """
    X = check_array(X, dtype=FLOATS, accept_sparse="csr", input_name="X")
    Z = check_array(Z, dtype=FLOATS, accept_sparse="csr", input_name="Z")
    n = X.shape[0]
    if Z.shape[0] != n:
        raise ValueError(f"X has {n} rows and Z has {Z.shape[0]}; give the same rows before and after the map")
    if n < 2:
        raise ValueError("X has 1 row, and a distance needs two; give more rows")
    i, j = _pairs(n, n_pairs, random_state)
    of_X, of_Z = row_unit(X), row_unit(Z)
    before, after = _squares(of_X.inward(X), i, j), _squares(of_Z.inward(Z), i, j)
    apart = before > 0.0
    if not np.any(apart):
        raise ValueError("all rows of X that were compared are equal, and a ratio needs a distance; give other rows")
    return Distortion(of_Z.over(of_X).outward(after[apart] / before[apart], 2))


def _squares(rows: Any, i: Integers, j: Integers) -> Floats:
    """Squared distances of pairs of rows."""
    return of_pairs(lambda a, b: row_sums(a - b, 2), rows, rows, i, j)


def _pairs(n: int, n_pairs: int | None, random_state: RandomState) -> tuple[Integers, Integers]:
    total = n * (n - 1) // 2
    if n_pairs is None or check_integer("n_pairs", n_pairs, low=1) >= total:
        return np.triu_indices(n, 1)
    rng = check_random_state(random_state)
    i = rng.randint(0, n, size=n_pairs)
    j = rng.randint(0, n - 1, size=n_pairs)
    return i, j + (j >= i)
