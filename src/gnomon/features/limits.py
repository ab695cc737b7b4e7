"""Limits: clip large values.

    cap        φ(x) = min(x, T)                                                                     (1)
    winsorise  φ(x) = min(max(x, l), u),    l and u limits, or quantiles of the training rows          (2)

Hastings, Mosteller, Tukey & Winsor (1947), Low moments for small samples, doi:10.1214/aoms/1177730388; Dixon (1960),
Simplified estimation from censored normal samples, doi:10.1214/aoms/1177705900.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.features._base import FeatureMap, Rows, check_pair

__all__ = ["Cap", "Winsorizer"]


class Cap(FeatureMap):
    """Values cut off above, φ(x) = min(x, T); sparse rows are accepted when T ≥ 0.

    The companion indicator I(x > t) is `sklearn.preprocessing.Binarizer(threshold=t)`.

    Parameters
    ----------
    T : float or array-like of shape (n_features,), default=1.0
        The largest value that is let through, of all columns or of each.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen in `fit`.

    References
    ----------
    Hastings, C., Mosteller, F., Tukey, J. W. & Winsor, C. P. (1947). Low moments for small samples.
    doi:10.1214/aoms/1177730388

    Examples
    --------
    >>> from gnomon.features import Cap
    >>> Cap(3.0).fit_transform([[-1.0], [2.0], [5.0]]).ravel().tolist()
    [-1.0, 2.0, 3.0]
    """

    _sparse = True

    learns_nothing = True

    def __init__(self, T: ArrayLike = 1.0):
        self.T = T

    def _learn(self, X: Rows) -> None:
        T = _per_column(self.T, X, "T")
        if sparse.issparse(X) and (T < 0).any():
            raise ValueError(f"T={self.T!r} is negative, which would fill the zeros of sparse rows; give dense rows")

    def _map(self, X: Rows) -> Rows:
        T = _per_column(self.T, X, "T")
        # x − max(x − T, 0) would round; replacing values above T does not.
        out = X.copy()
        values, limits = (out.data, T[out.indices]) if sparse.issparse(X) else (out, T)
        np.minimum(values, limits, out=values)
        return out

    def _names(self, names: Array) -> Array:
        return names


class Winsorizer(FeatureMap):
    """Values clipped to quantiles of the training rows, or to given limits, also on new rows.

    A value beyond a limit becomes the limit, however large it is. Sparse input is refused: a limit above zero would
    fill the zeros.

    Parameters
    ----------
    quantiles : (float, float), default=(0.05, 0.95)
        Levels of the lower and the upper limit, linearly interpolated.
    limits : (lower, upper), optional
        The limits themselves, numbers or one per column; ±inf for none. They replace `quantiles`.

    Attributes
    ----------
    lower_, upper_ : ndarray of shape (n_features_in_,)
        The limits of each column.

    References
    ----------
    Dixon, W. J. (1960). Simplified estimation from censored normal samples. doi:10.1214/aoms/1177705900

    Examples
    --------
    >>> from gnomon.features import Winsorizer
    >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0], [9.0], [10.0], [100.0]]
    >>> winsorizer = Winsorizer(quantiles=(0.1, 0.9)).fit(X)
    >>> winsorizer.lower_.tolist(), winsorizer.upper_.tolist(), winsorizer.transform([[1e6]]).tolist()
    ([2.0], [10.0], [[10.0]])
    """

    def __init__(
        self, quantiles: tuple[float, float] = (0.05, 0.95), *, limits: tuple[ArrayLike, ArrayLike] | None = None
    ):
        self.quantiles = quantiles
        self.limits = limits

    def _learn(self, X: Floats) -> None:
        if self.limits is not None:
            self.lower_, self.upper_ = (_per_column(limit, X, "limits") for limit in check_pair("limits", self.limits))
        else:
            low, high = check_pair("quantiles", self.quantiles)
            if not 0.0 <= low <= high <= 1.0:
                raise ValueError(f"quantiles={self.quantiles!r} must be two levels with 0 ≤ low ≤ high ≤ 1")
            self.lower_, self.upper_ = np.quantile(X, (low, high), axis=0).astype(X.dtype)
        if not (self.lower_ <= self.upper_).all():
            raise ValueError(f"limits={self.limits!r} must have lower ≤ upper in every column; swap them")

    def _map(self, X: Floats) -> Floats:
        return np.clip(X, self.lower_.astype(X.dtype), self.upper_.astype(X.dtype))

    def _names(self, names: Array) -> Array:
        return names


def _per_column(values: ArrayLike, X: Rows, name: str) -> Floats:
    values = np.asarray(values, dtype=X.dtype)
    if values.shape not in ((), (X.shape[1],)) or np.isnan(values).any():
        raise ValueError(f"{name}={values.tolist()!r} must be a number, or one for each of {X.shape[1]} columns")
    return np.broadcast_to(values, X.shape[1:])
