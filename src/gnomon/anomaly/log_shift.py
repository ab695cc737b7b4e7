"""Columns made more nearly normal by a shifted logarithm.

    z = log(x + k),    x = exp(z) − k,    log p_x(x) = log p_z(z) − Σ log(x + k)                            (1)
    k = argmax over k > −min x of W(log(x + k))                                                     (2)

W is the statistic of Shapiro & Wilk (1965), doi:10.1093/biomet/52.3-4.591. The likelihood of k has no maximum, it grows
without bound as k → −min x (Hill 1963, doi:10.1080/01621459.1963.10500841), so (2) is used in its place.
"""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import shapiro
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from gnomon._typing import ArrayLike, Floats
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.validation import FLOATS, check_choice, check_numbers

__all__ = ["LogShift"]

MOST_FOR_SHAPIRO = 5000
SPREADS = np.linspace(-7.0, 5.0, 25)


class LogShift(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """z = log(x + k) in every column, equation (1).

    For other shapes see scikit-learn's `PowerTransformer` and `QuantileTransformer`.

    Parameters
    ----------
    k : float, array-like of shape (n_features,) or "auto", default="auto"
        The shift; "auto" finds that of equation (2) for every column.
    on_domain : {"raise", "flag"}, default="raise"
        What is done in `transform` with x + k ≤ 0, where there is no logarithm: an error, or z so far below all
        logarithms that every detector flags the row.

    Attributes
    ----------
    k_ : ndarray of shape (n_features,)
        The shifts.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Shapiro, S. S. & Wilk, M. B. (1965). An analysis of variance test for normality. doi:10.1093/biomet/52.3-4.591

    Hill, B. M. (1963). The three-parameter lognormal distribution and Bayesian analysis of a point-source epidemic.
    doi:10.1080/01621459.1963.10500841

    Examples
    --------
    >>> from gnomon.anomaly import LogShift
    >>> shift = LogShift(k=1.0).fit([[0.0], [1.0], [3.0]])
    >>> shift.transform([[0.0], [2.0]]).round(6).tolist(), shift.log_jacobian([[2.0]]).round(6).tolist()
    ([[0.0], [1.098612]], [-1.098612])
    """

    def __init__(self, k: ArrayLike | Literal["auto"] = "auto", *, on_domain: Literal["raise", "flag"] = "raise"):
        self.k = k
        self.on_domain = on_domain

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Find the shifts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        X = validate_rows(self, X)
        if isinstance(self.k, str):
            check_choice("k", self.k, ("auto",))
            if len(X) < 3:
                raise ValueError(f"n_samples={len(X)} rows do not determine k='auto'; give three or more, or k itself")
            self.k_ = np.array([_best_shift(column) for column in X.T.astype(float)])
        else:
            self.k_ = self._given(X)
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """log(x + k).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return self._logs(self._checked(X))

    def inverse_transform(self, X: ArrayLike) -> Floats:
        """exp(z) − k.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Logarithms z.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        Z = check_array(X, dtype=FLOATS)
        if Z.shape[1] != len(self.k_):
            raise ValueError(f"X has {Z.shape[1]} features, but LogShift was fitted to {len(self.k_)} features")
        with np.errstate(over="ignore"):
            return (np.exp(Z, dtype=float) - self.k_).astype(Z.dtype)

    def log_jacobian(self, X: ArrayLike) -> Floats:
        """log |dz/dx| = −Σ log(x + k) of every row: add it to log densities of z to have those of x.

        −∞ for a row with x + k ≤ 0, whose density is zero (``on_domain="flag"``).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows in the original units.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._checked(X)
        possible = np.all(X.astype(float) + self.k_ > 0.0, axis=1)
        return np.where(possible, -np.sum(self._logs(X), axis=1), -np.inf).astype(X.dtype)

    def _checked(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        return validate_rows(self, X, reset=False)

    def _given(self, X: Floats) -> Floats:
        try:
            k = np.broadcast_to(check_numbers("k", self.k), X.shape[1:]).copy()
        except ValueError:
            raise ValueError(f"k={self.k!r} must be 'auto', a number or {X.shape[1]} numbers") from None
        if not np.all(np.isfinite(k)):
            raise ValueError(f"k={self.k!r} must be finite; give numbers")
        outside = np.flatnonzero(np.min(X, axis=0) + k <= 0.0)
        if outside.size and self.on_domain == "raise":
            j = int(outside[0])
            raise ValueError(f"k={k[j]:g} must exceed {-np.min(X[:, j]):g}, minus the least x of column {j}; give more")
        return k

    def _logs(self, X: Floats) -> Floats:
        # In double precision, so that the smallest training value plus the shift is still positive after rounding.
        shifted = X.astype(float) + self.k_
        outside = shifted <= 0.0
        if self.on_domain == "raise" and np.any(outside):
            i, j = np.argwhere(outside)[0].tolist()
            raise ValueError(
                f"row {i} has {X[i, j]:g} in column {j}, not above −k={-self.k_[j]:g} where log(x + k) begins; give "
                "on_domain='flag' to have such rows called anomalies"
            )
        # No logarithm of a float is below −746; the fourth root keeps squares finite.
        far_below = -(float(np.finfo(X.dtype).max) ** 0.25)
        return np.where(outside, far_below, np.log(np.where(outside, 1.0, shifted))).astype(X.dtype)


def _best_shift(x: Floats) -> float:
    """Equation (2) over k = −min x + spread · eᵘ: a grid in u, then golden section between its neighbours."""
    x = _few_quantiles(x)
    low, spread = np.min(x), np.ptp(x)
    # Far from zero the shift may round to −min x, where the logarithm is −∞.
    least = np.spacing(abs(low)) - low
    if spread == 0.0:
        return float(max(1.0 - low, least))

    def loss(u: float) -> float:
        return -shapiro(np.log(x - low + spread * np.exp(u))).statistic

    values = [loss(u) for u in SPREADS]
    best = int(np.argmin(values))
    ends = SPREADS[max(best - 1, 0)], SPREADS[min(best + 1, len(SPREADS) - 1)]
    found = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-6})
    u = found.x if found.fun < values[best] else SPREADS[best]
    return float(max(spread * np.exp(u) - low, least))


def _few_quantiles(x: Floats) -> Floats:
    """The values in order, thinned evenly to as many as W is made for; both ends stay."""
    x = np.sort(x)
    if len(x) <= MOST_FOR_SHAPIRO:
        return x
    return x[np.linspace(0, len(x) - 1, MOST_FOR_SHAPIRO).round().astype(int)]
