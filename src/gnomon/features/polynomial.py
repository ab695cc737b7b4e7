"""Polynomial maps.

    φ(x)_a = c_a Π_j b_{a_j}(x_j),    a ∈ N^d,  |a| = Σ a_j ≤ k                                          (1)

Basis b_p: x^p, or the Chebyshev or Legendre polynomial of degree p. The kernel weights
c_a² = k! / (Π a_j! (k − |a|)!) c₀^{k−|a|} make φ(x)ᵀφ(z) = (c₀ + xᵀz)^k by the multinomial theorem.
Schölkopf & Smola (2002), Learning with Kernels, section 2.1; orthogonal bases: Trefethen (2013), Approximation Theory
and Approximation Practice, doi:10.1137/1.9781611975949.
"""

from __future__ import annotations

from math import comb
from typing import Literal

import numpy as np

from gnomon._typing import Array, CountOrZero, Floats, Integers, NonNegative
from gnomon.features._base import FeatureMap, Rows, check_pair, refuse_overflow
from gnomon.features._kept_coordinates import MonomialCoordinates
from gnomon.numerics.monomials import Basis, expand, exponents, kernel_scales

__all__ = ["PolynomialMap", "polynomial_columns"]


def polynomial_columns(n_features: int, degree: int, *, homogeneous: bool = False) -> int:
    """Number of monomials in d variables of degree ≤ k, C(d+k, k), or exactly k, C(d+k−1, k): an exact integer.

    Parameters
    ----------
    n_features : int
        Number of variables d.
    degree : int
        Degree k.
    homogeneous : bool, default=False
        Count degree exactly k.

    Returns
    -------
    int

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.1. ISBN 978-0-262-19475-4.

    Examples
    --------
    >>> from gnomon.features import polynomial_columns
    >>> polynomial_columns(100, 5), polynomial_columns(10_000, 2, homogeneous=True)
    (96560646, 50005000)
    """
    return comb(n_features + degree - homogeneous, degree)


class PolynomialMap(FeatureMap):
    """All monomials of the columns up to a degree, φ(x)_a = c_a Π_j b_{a_j}(x_j), in scikit-learn's order.

    The plain case equals `sklearn.preprocessing.PolynomialFeatures`. Sparse rows stay sparse with the monomial basis.

    Parameters
    ----------
    degree : int, default=2
        Highest total degree k ≥ 0.
    basis : {"monomial", "chebyshev", "legendre"}, default="monomial"
        Polynomials of one variable. The orthogonal ones stay well conditioned at degree 100, where powers do not.
    homogeneous : bool, default=False
        Only degree exactly k; there is no constant column then.
    weights : {None, "kernel"}, default=None
        "kernel" (monomials only): φ(x)ᵀφ(z) = (c₀ + xᵀz)^k, homogeneous (xᵀz)^k.
    c0 : float, default=1.0
        c₀ ≥ 0 of the kernel.
    include_bias : bool, default=True
        Include the column of degree 0.
    domain : {"fit"} or (float, float), default="fit"
        For the orthogonal bases: the interval of every column that is moved to [−1, 1], "fit" for the range of the
        training rows. Outside of it the polynomials grow quickly.
    max_columns : int, default=1_000_000
        Refuse to make more columns than this.

    Attributes
    ----------
    n_output_features_ : int
        Number of columns made.
    powers_ : ndarray of shape (n_output_features_, n_features_in_)
        The exponents a.
    domain_ : ndarray of shape (2, n_features_in_)
        Lower and upper end of the interval of every column; −1 and 1 leave a column as it is.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.1. ISBN 978-0-262-19475-4.

    Trefethen, L. N. (2013). Approximation Theory and Approximation Practice. doi:10.1137/1.9781611975949

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import PolynomialMap
    >>> phi = PolynomialMap(degree=2).fit([[1.0, 2.0]])
    >>> phi.transform([[1.0, 2.0]]).tolist(), phi.get_feature_names_out().tolist()
    ([[1.0, 1.0, 2.0, 1.0, 2.0, 4.0]], ['1', 'x0', 'x1', 'x0^2', 'x0 x1', 'x1^2'])
    >>> x, z = PolynomialMap(degree=2, weights="kernel").fit_transform([[1.0, 2.0], [3.0, -1.0]])
    >>> round(float(x @ z), 7)  # (1 + 1·3 + 2·(−1))²
    4.0
    """

    learns_nothing = True

    def __init__(
        self,
        degree: CountOrZero = 2,
        *,
        basis: Basis = "monomial",
        homogeneous: bool = False,
        weights: Literal["kernel"] | None = None,
        c0: NonNegative = 1.0,
        include_bias: bool = True,
        domain: Literal["fit"] | tuple[float, float] = "fit",
        max_columns: int = 1_000_000,
    ):
        self.degree = degree
        self.basis = basis
        self.homogeneous = homogeneous
        self.weights = weights
        self.c0 = c0
        self.include_bias = include_bias
        self.domain = domain
        self.max_columns = max_columns

    def _learn(self, X: Rows) -> None:
        self._check_parameters()
        d, k = X.shape[1], self.degree
        count = polynomial_columns(d, k, homogeneous=self.homogeneous)
        count -= not (self.homogeneous or self.include_bias)
        if count > self.max_columns:
            raise ValueError(
                f"degree={k} with {d} columns makes {count} columns, more than max_columns={self.max_columns}; lower "
                "the degree, use a kernel, or raise max_columns"
            )
        if count == 0:
            raise ValueError("degree=0 without include_bias makes no column; raise the degree or include the bias")
        self.n_output_features_ = count
        self.domain_ = self._intervals(X)

    def _map(self, X: Rows) -> Rows:
        if self.basis != "monomial":
            middle, half = self.domain_.mean(axis=0), np.diff(self.domain_, axis=0)[0] / 2
            X = ((X - middle) / half).astype(X.dtype, copy=False)
        roots, factors = (None, None) if self.weights is None else kernel_scales(self.degree, self.c0)
        made = expand(X, self.degree, low=self._lowest, basis=self.basis, roots=roots, factors=factors)
        return refuse_overflow(made, X)

    def coordinates(self, columns: Integers) -> MonomialCoordinates:
        """Some columns of `transform` alone; of monomials.

        Parameters
        ----------
        columns : ndarray of int

        Returns
        -------
        MonomialCoordinates
        """
        if self.basis != "monomial":
            raise ValueError(f"basis={self.basis!r} is made by a recurrence; single columns need basis='monomial'")
        powers = self.powers_[columns]
        ones = np.ones(len(columns))
        return MonomialCoordinates(powers, ones if self.weights is None else self._kernel_weights(powers))

    def _kernel_weights(self, powers: Integers) -> Floats:
        """c_a of (1)."""
        roots, factors = (np.array(scales) for scales in kernel_scales(self.degree, self.c0))
        return factors[powers.sum(axis=1)] * np.prod(roots[powers], axis=1)

    @property
    def powers_(self) -> Integers:
        """Exponents a of every column."""
        return exponents(self.n_features_in_, self.degree, low=self._lowest)

    def _names(self, names: Array) -> list[str]:
        word = WORDS[self.basis]
        return [" ".join(word(names[j], a[j]) for j in np.flatnonzero(a)) or "1" for a in self.powers_]

    @property
    def _lowest(self) -> int:
        """The least degree of a column."""
        return self.degree if self.homogeneous else int(not self.include_bias)

    def _intervals(self, X: Rows) -> Floats:
        ends = np.ones((2, X.shape[1]), dtype=X.dtype) * np.array([[-1], [1]], dtype=X.dtype)
        if self.basis == "monomial":
            return ends
        if not isinstance(self.domain, str):
            low, high = check_pair("domain", self.domain)
            if not low < high:
                raise ValueError(f"domain={self.domain!r} must be 'fit' or two numbers with low < high")
            return (ends * (high - low) + (high + low)) / 2
        low, high = X.min(axis=0), X.max(axis=0)
        # A constant column has range zero: it is put in the middle of an interval of length 2.
        flat = low == high
        return np.array([low - flat, high + flat])

    def _check_parameters(self) -> None:
        if self.weights == "kernel" and self.basis != "monomial":
            raise ValueError(f"weights='kernel' needs basis='monomial', not {self.basis!r}; no kernel belongs to it")

    @property
    def _sparse(self) -> bool:
        # Of the bases only the powers are zero at zero.
        return self.basis == "monomial"


WORDS = {
    "monomial": lambda name, p: f"{name}^{p}" if p > 1 else name,
    "chebyshev": lambda name, p: f"T{p}({name})",
    "legendre": lambda name, p: f"P{p}({name})",
}
