"""Where a factorisation starts.

    nndsvd: from X ≈ Σⱼ σⱼ uⱼ vⱼᵀ, the larger of the positive and the negative part of each uⱼ vⱼᵀ  (1)

Boutsidis & Gallopoulos (2008), doi:10.1016/j.patcog.2007.09.010.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Floats, is_sparse
from gnomon.numerics.centred_rows import rows_about
from gnomon.numerics.principal import principal_components
from gnomon.optim import Factors, factor_unit, kmeans, seed_centers

__all__ = ["FactorStart", "start_factors"]

Way: TypeAlias = Literal["random", "nndsvd", "nndsvda", "nndsvdar", "pca", "kmeans"]


class FactorStart(NamedTuple):
    """How a factorisation starts.

    Fields
    ------
    way : str
    positive : bool
        Random numbers ≥ 0.
    """

    way: Way
    positive: bool = False


def start_factors(X: Any, m: int, start: FactorStart, rng: np.random.RandomState) -> Factors:
    """Z and H to start from.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._factor_start import FactorStart, start_factors
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0]])
    >>> found = start_factors(X, 1, FactorStart("nndsvd"), np.random.RandomState(0))
    >>> (found.left @ found.right).round(6)
    array([[1., 2.],
           [2., 4.]])
    """
    # Starts have fixed thresholds, as in scikit-learn.
    unit = factor_unit(X)
    if unit != 1.0:
        Z, H = start_factors(X / X.dtype.type(unit), m, start, rng)
        root = X.dtype.type(np.sqrt(unit))
        return Factors(Z, unit * H) if start.way == "kmeans" else Factors(root * Z, root * H)
    if start.way == "random":
        return _random(X, m, start.positive, rng)
    if start.way == "kmeans":
        dense = X.toarray() if is_sparse(X) else X  # type: ignore[attr-defined]
        found = kmeans(dense, dense[seed_centers(dense, m, rng)])
        return Factors(np.eye(m, dtype=dense.dtype)[found.labels], found.centers.astype(dense.dtype))
    few = m < 0.5 * min(X.shape)
    rows = rows_about(X, center=False)
    found = principal_components(rows, min(m, *X.shape), route="randomized" if few else "full", rng=rng)
    V = found.axes.astype(X.dtype)
    U = rows.times(V)
    if start.way == "pca":
        return Factors(_wide(U, m), _wide(V, m).T)
    return _nndsvd(X, U, V, np.sqrt(found.values), m, start.way, rng)


def _random(X: Any, m: int, positive: bool, rng: np.random.RandomState) -> Factors:
    scale = float(np.sqrt(abs(X.mean()) / m)) or 1.0
    H = scale * rng.standard_normal(size=(m, X.shape[1])).astype(X.dtype)
    Z = scale * rng.standard_normal(size=(X.shape[0], m)).astype(X.dtype)
    return Factors(np.abs(Z), np.abs(H)) if positive else Factors(Z, H)


def _nndsvd(X: Any, US: Floats, V: Floats, s: Floats, m: int, way: Way, rng: np.random.RandomState) -> Factors:
    Z, H = np.zeros((X.shape[0], m), dtype=X.dtype), np.zeros((m, X.shape[1]), dtype=X.dtype)
    for j in range(len(s)):
        if s[j] <= 0.0:
            continue
        u, v = US[:, j] / s[j], V[:, j]
        parts = [(np.maximum(u, 0.0), np.maximum(v, 0.0)), (np.maximum(-u, 0.0), np.maximum(-v, 0.0))]
        lengths = [(float(np.linalg.norm(a)), float(np.linalg.norm(b))) for a, b in parts]
        k = int(lengths[1][0] * lengths[1][1] > lengths[0][0] * lengths[0][1])
        (a, b), (p, q) = parts[k], lengths[k]
        if p > 0.0 and q > 0.0:
            scale = np.sqrt(s[j] * p * q)
            Z[:, j], H[j] = scale * a / p, scale * b / q
    Z[Z < 1e-6], H[H < 1e-6] = 0.0, 0.0
    mean = float(X.mean())
    if way == "nndsvda":
        Z[Z == 0.0], H[H == 0.0] = mean, mean
    elif way == "nndsvdar":
        Z[Z == 0.0] = np.abs(mean * rng.standard_normal(size=int(np.sum(Z == 0.0))) / 100.0)
        H[H == 0.0] = np.abs(mean * rng.standard_normal(size=int(np.sum(H == 0.0))) / 100.0)
    return Factors(Z, H)


def _wide(A: Floats, m: int) -> Floats:
    """A with columns of zeros up to m."""
    return np.pad(A, ((0, 0), (0, m - A.shape[1])))
