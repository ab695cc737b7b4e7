"""Kernels of histograms.

    χ²(x, x') = Σ_d (x_d − x'_d)² / (x_d + x'_d),    k = exp(−γ χ²)   or   k = −χ²                (1)

Entries are counts or shares, never negative; a term 0/0 is 0. The second is positive semi-definite on coefficients that
sum to zero only. Zhang, Marszałek, Lazebnik & Schmid (2007), doi:10.1007/s11263-006-9794-4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import additive_chi2_kernel

from gnomon._typing import Floats, Integers, is_sparse
from gnomon.kernels._base import WIDE, Bounds, Kernel, Psd, noun
from gnomon.kernels._rows import NumericRows, as_rows, same_width
from gnomon.kernels.radial import check_positive

__all__ = ["AdditiveChi2", "Chi2"]


@noun
class AdditiveChi2(Kernel):
    """−χ²(x, x') of histograms, positive semi-definite on coefficients that sum to zero.

    References
    ----------
    Zhang, J., Marszałek, M., Lazebnik, S. & Schmid, C. (2007). Local features and kernels for classification of texture
    and object categories. doi:10.1007/s11263-006-9794-4

    Examples
    --------
    >>> from gnomon.kernels import AdditiveChi2
    >>> AdditiveChi2().gram([[1.0, 3.0]], [[3.0, 0.0]])
    array([[-4.]])
    """

    @property
    def psd(self) -> Psd:
        """On coefficients that sum to zero."""
        return "conditional"

    @property
    def cpd_order(self) -> int:
        """Constants are left out."""
        return 1

    def prepare(self, A: Any, like: NumericRows | None = None) -> NumericRows:
        """Rows without a negative entry."""
        X = same_width(self, as_rows(A), like)
        if is_sparse(X):
            raise ValueError(f"{type(self).__name__} takes no sparse rows; call X.toarray() first")
        if np.any(X < 0.0):
            raise ValueError(f"X contains negative values, and {type(self).__name__} compares histograms: entries ≥ 0")
        # scikit-learn's loop asks for memory that it could write to.
        return NumericRows(X if X.flags.writeable else X.copy())

    def cross(self, P: NumericRows, Q: NumericRows) -> Floats:
        """(1) of all pairs."""
        if 0 in (len(P), len(Q)):
            return np.empty((len(P), len(Q)), dtype=P.values.dtype)
        return np.asarray(additive_chi2_kernel(P.values, Q.values))

    def pairs(self, P: NumericRows, Q: NumericRows, i: Integers, j: Integers) -> Floats:
        """(1) of the pairs that are listed."""
        a, b = P.values[i], Q.values[j]
        total = a + b
        return -np.sum((a - b) ** 2 / np.where(total > 0.0, total, 1.0), axis=1)

    def diagonal(self, P: NumericRows) -> Floats:
        """Zero."""
        return np.zeros(len(P), dtype=P.values.dtype)


@noun
class Chi2(Kernel):
    """exp(−γ χ²(x, x')) of histograms.

    Parameters
    ----------
    gamma : float, default=1.0
        γ > 0.
    gamma_bounds : (low, high) or "fixed", default=(1e-5, 1e5)

    References
    ----------
    Zhang, J., Marszałek, M., Lazebnik, S. & Schmid, C. (2007). Local features and kernels for classification of texture
    and object categories. doi:10.1007/s11263-006-9794-4

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Chi2
    >>> Chi2(0.5).gram([[1.0, 3.0]], [[3.0, 0.0]]).round(6), np.exp(-0.5 * (4 / 4 + 9 / 3)).round(6)
    (array([[0.135335]]), np.float64(0.135335))
    """

    gamma: float = 1.0
    gamma_bounds: Bounds = field(default=WIDE, kw_only=True)

    def __post_init__(self) -> None:
        check_positive(self, "gamma", self.gamma)

    def prepare(self, A: Any, like: NumericRows | None = None) -> NumericRows:
        """Rows without a negative entry."""
        return CHI2.prepare(A, like)

    def cross(self, P: NumericRows, Q: NumericRows) -> Floats:
        """exp(−γ χ²) of all pairs."""
        return np.exp(float(self.gamma) * CHI2.cross(P, Q))

    def pairs(self, P: NumericRows, Q: NumericRows, i: Integers, j: Integers) -> Floats:
        """exp(−γ χ²) of the pairs that are listed."""
        return np.exp(float(self.gamma) * CHI2.pairs(P, Q, i, j))

    def diagonal(self, P: NumericRows) -> Floats:
        """One."""
        return np.ones(len(P), dtype=P.values.dtype)

    def partial(self, name: str, P: NumericRows, Q: NumericRows) -> Iterator[Floats]:
        """∂k/∂ log γ = −γ χ² exp(−γ χ²)."""
        t = float(self.gamma) * CHI2.cross(P, Q)
        yield t * np.exp(t)


CHI2 = AdditiveChi2()
