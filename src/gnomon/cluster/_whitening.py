"""Mahalanobis distances as Euclidean ones.

    (x − y)ᵀ VI (x − y) = ‖Lᵀx − Lᵀy‖²,     VI = L Lᵀ                                                  (1)

Mahalanobis (1936), Proceedings of the National Institute of Sciences of India 2, 49–55.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from gnomon._typing import ArrayLike, Floats, Matrix
from gnomon.numerics.scale import largest_entry
from gnomon.numerics.streaming import moments
from gnomon.numerics.validation import check_numbers

__all__ = ["Factor", "whitening"]

ROUNDING = 1e-10
"""Eigenvalues below this share of the largest are zero."""


class Factor(NamedTuple):
    """L of (1), and its pseudo-inverse."""

    L: Floats
    inverse: Floats

    def there(self, X: Matrix) -> Matrix:
        """Rows whose Euclidean distances are those of (1)."""
        return np.ascontiguousarray(X @ self.L.astype(X.dtype))

    def back(self, rows: Floats) -> Floats:
        """Rows in the original coordinates."""
        return rows @ self.inverse.astype(rows.dtype)


def whitening(X: Matrix, weights: Floats, metric: str, VI: ArrayLike | None) -> Factor | None:
    """L for a metric of this name; None where nothing is to be done."""
    if metric == "euclidean":
        if VI is not None:
            raise ValueError("VI has no meaning for metric='euclidean'; leave it out, or use metric='mahalanobis'")
        return None
    return _of_rows(X, weights) if VI is None else _given(check_numbers("VI", VI), X.shape[1])


def _of_rows(X: Matrix, weights: Floats) -> Factor:
    """For the inverse covariance of the rows."""
    cov = moments(X, weights).covariance()
    # Columns in units of their own: what is singular does not depend on them.
    sd = np.sqrt(np.diag(cov))
    varies = sd > 8.0 * np.finfo(X.dtype).eps * largest_entry(X, axis=0)
    unit = np.where(varies, sd, 1.0)
    values, V = linalg.eigh(cov / unit / unit[:, None])
    if not (np.all(varies) and values[0] > ROUNDING * values[-1]):
        raise ValueError(
            "the covariance of the rows is singular, so it has no inverse for metric='mahalanobis'; give VI, or "
            "leave out columns that others determine"
        )
    return Factor(V / np.sqrt(values) / unit[:, None], (V * np.sqrt(values)).T * unit)


def _given(VI: Floats, d: int) -> Factor:
    if VI.shape != (d, d) or np.max(np.abs(VI - VI.T)) > ROUNDING * np.max(np.abs(VI)):
        raise ValueError(f"VI of shape {VI.shape} must be a symmetric matrix of shape {(d, d)}")
    values, V = linalg.eigh(VI)
    if values[0] < -ROUNDING * abs(values[-1]):
        raise ValueError(f"VI has the negative eigenvalue {values[0]:.3g}; give a positive semi-definite matrix")
    roots = np.sqrt(np.maximum(values, 0.0))
    over = np.divide(1.0, roots, out=np.zeros(d), where=roots > 0.0)
    return Factor(V * roots, (V * over).T)
