"""Kernels of the distance.

    k(x, x') = φ(s),    s = (x − x')ᵀ A (x − x') / ℓ²                                             (1)

A subclass writes φ and, for gradients, φ'. With one length scale ∂k/∂ log ℓ = −2 s φ'(s); with one per column
∂k/∂ log ℓ_d = −2 φ'(s) (x_d − x'_d)² / ℓ_d². Another separation s of the rows, such as Σ_d |x_d − x'_d| / ℓ_d, has its
degree in place of the 2. Rasmussen & Williams (2006), section 4.2.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import field
from typing import Any, Self

import numpy as np
from scipy import sparse

from gnomon._typing import ArrayLike, Floats, Integers, is_sparse
from gnomon.kernels._base import WIDE, Bounds, Kernel, noun
from gnomon.kernels._pattern import Pattern, within
from gnomon.kernels._rows import (
    SQUARES,
    NumericRows,
    Separation,
    as_rows,
    same_width,
    to_dense,
    weighted_squares,
    with_squares,
)

__all__ = ["DistanceKernel", "Radial", "check_positive"]


class DistanceKernel(Kernel):
    """The verbs of a kernel (1); a subclass says what its `scale` is."""

    metric: Any = None

    @abstractmethod
    def profile(self, s: Floats) -> Floats:
        """φ(s), elementwise, for s ≥ 0."""

    def slope(self, s: Floats) -> Floats:
        """φ'(s), elementwise; at s = 0 any finite number will do where φ' is infinite."""
        raise NotImplementedError(f"{type(self).__name__} has no slope; fix its length scale or write the verb `slope`")

    @property
    @abstractmethod
    def scale(self) -> Any:
        """ℓ, or one for each column."""

    @property
    def separation(self) -> Separation:
        """What s in (1) is; `SHARP_SQUARES` where φ is a function of √s, so that small distances keep their digits."""
        return SQUARES

    @property
    def cutoff(self) -> float:
        """√s from which on φ is zero."""
        return np.inf

    @property
    def support_radius(self) -> float:
        """From which distance on the kernel is zero."""
        return self.cutoff * float(np.max(self.scale)) if self.metric is None else np.inf

    @property
    def columns(self) -> range | None:
        """How many columns the rows may have, where not every number is allowed."""
        return None

    @property
    def scales_columns(self) -> bool:
        """Where columns have widths or weights of their own."""
        return np.ndim(self.scale) > 0 or self.metric is not None

    def settled(self, d: int) -> Self:
        """The same kernel with what depends on the number of columns decided."""
        return self

    def prepare(self, A: Any, like: NumericRows | None = None) -> NumericRows:
        """Rows shifted by the middle of the first ones, then in units of ℓ and of the metric."""
        X = same_width(self, as_rows(A), like)
        if self.columns is not None and X.shape[1] not in self.columns:
            allowed = f"{self.columns[0]}" + ("" if len(self.columns) == 1 else f" to {self.columns[-1]}")
            raise ValueError(
                f"{type(self).__name__} compares rows of {allowed} column(s), these have {X.shape[1]}; choose columns "
                "with .on(columns), or multiply kernels of single columns with TensorProduct"
            )
        if is_sparse(X):
            if like is None or like.origin is None:
                return with_squares(self._scaled(X), None)
            X = to_dense(X)
        origin = _origin(X) if like is None else like.origin
        return with_squares(self._scaled(X if origin is None else X - origin), origin)

    def cross(self, P: NumericRows, Q: NumericRows) -> Floats:
        """φ of all separations."""
        return self.settled(P.values.shape[1]).profile(self.separation.cross(P, Q))

    def pairs(self, P: NumericRows, Q: NumericRows, i: Integers, j: Integers) -> Floats:
        """φ of the separations that are listed."""
        return self.settled(P.values.shape[1]).profile(self.separation.pairs(P, Q, i, j))

    def diagonal(self, P: NumericRows) -> Floats:
        """φ(0)."""
        zero = np.zeros(1, dtype=P.values.dtype)
        return np.full(len(P), self.settled(P.values.shape[1]).profile(zero)[0])

    def partial(self, name: str, P: NumericRows, Q: NumericRows) -> Iterator[Floats]:
        """∂K/∂ log ℓ, or ∂K/∂ log ℓ_d for each column."""
        s, k = self.separation.cross(P, Q), self.settled(P.values.shape[1])
        if name != "length_scale":
            yield k.shape_slope(name, s)
        elif np.ndim(self.scale) == 0:
            yield -self.separation.degree * s * k.slope(s)
        else:
            factor = -self.separation.degree * k.slope(s)
            for d in range(len(self.scale)):
                yield factor * self._share(P, Q, d)

    def pattern(self, P: NumericRows, Q: NumericRows) -> Pattern | None:
        """Pairs of rows within the cutoff, by a tree of the rows."""
        if not np.isfinite(self.cutoff):
            return None
        return within(to_dense(P.values), to_dense(Q.values), self.cutoff)

    def sample_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Frequencies of the kernel of unit length scale, in the units of the rows."""
        return self.unit_spectrum(n, d, rng) @ self._scaled(np.eye(d)).T

    def unit_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Frequencies z of shape (n, d) with φ(‖u‖²) = φ(0) E cos zᵀu."""
        return Kernel.sample_spectrum(self, n, d, rng)

    def shape_slope(self, name: str, s: Floats) -> Floats:
        """∂φ/∂ log of a hyper-parameter other than ℓ."""
        raise NotImplementedError(f"{type(self).__name__} has no derivative in {name}; fix it: {name}_bounds='fixed'")

    def slope_products(self, P: NumericRows, Q: NumericRows, M: Floats, B: Floats) -> Floats:
        """(M ∘ ∂K/∂θ)B; where s is a sum of squares one product of matrices serves all length scales."""
        if np.ndim(self.scale) == 0 or self.metric is not None or self.separation.degree != 2:
            return super().slope_products(P, Q, M, B)
        s, k = self.separation.cross(P, Q), self.settled(P.values.shape[1])
        found: list[Any] = []
        for hyper in self.own_hyperparameters():
            if hyper.name != "length_scale":
                found.append((M * k.shape_slope(hyper.name, s)) @ B)
                continue
            W = k.slope(s)
            W *= M
            W *= -2.0
            found.extend(weighted_squares(P, Q, W, s, B))
        return np.stack(found) if found else np.empty((0, len(P), B.shape[1]))

    def _share(self, P: NumericRows, Q: NumericRows, d: int) -> Floats:
        """The share of column d in s."""
        if self.metric is not None and np.ndim(self.metric) == 2:
            raise NotImplementedError("a full metric has no share of a column; give one length scale")
        a, b = (to_dense(R.values[:, [d]]) for R in (P, Q))
        return self.separation.column(a - b.T)

    def _scaled(self, X: Any) -> Any:
        return self.by_metric(_by_columns(X, self._unit(X)))

    def _unit(self, X: Any) -> Floats:
        """1/ℓ for the columns of X."""
        return 1.0 / np.asarray(self.scales(X.shape[1]), dtype=X.dtype)

    def scales(self, d: int) -> float | Floats:
        """ℓ, refused where it is not for rows of d columns."""
        if np.ndim(self.scale) and np.shape(self.scale) != (d,):
            raise ValueError(f"length_scale has shape {np.shape(self.scale)}; give one number, or one for each of {d}")
        return self.scale

    def by_metric(self, X: Any) -> Any:
        """X B, where A = B Bᵀ."""
        d = X.shape[1]
        if self.metric is None:
            return X
        A = np.asarray(self.metric, dtype=float)
        if A.shape == (d,) and np.all(A >= 0.0):
            return _by_columns(X, np.sqrt(A).astype(X.dtype))
        if A.shape != (d, d):
            raise ValueError(
                f"metric has shape {A.shape}; give a weight ≥ 0 for each of {d} columns, or a {d} × {d} matrix"
            )
        try:
            L = np.linalg.cholesky(A).astype(X.dtype)
        except np.linalg.LinAlgError:
            least = np.linalg.eigvalsh((A + A.T) / 2)[0]
            raise ValueError(f"metric must be positive definite; its least eigenvalue is {least:.3g}") from None
        return X @ L


@noun
class Radial(DistanceKernel):
    """Base of the kernels of a scaled distance: subclass it, decorate with ``gnomon.kernels.noun``, write `profile`.

    Parameters
    ----------
    length_scale : float or array of shape (d,), default=1.0
        ℓ in (1), or one for each column.
    length_scale_bounds : (low, high) or "fixed", default=(1e-5, 1e5)
    metric : array of shape (d,) or (d, d), optional
        The diagonal of A, or A itself, positive definite.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, section 4.2. MIT Press.

    Examples
    --------
    The Cauchy kernel, ready for every kernel machine:

    >>> import numpy as np
    >>> from gnomon.kernels import Radial, noun
    >>> @noun
    ... class Cauchy(Radial):
    ...     def profile(self, s):
    ...         return 1.0 / (1.0 + s)
    ...
    ...     def slope(self, s):
    ...         return -1.0 / (1.0 + s) ** 2
    >>> Cauchy(length_scale=2.0).gram(np.array([[0.0], [2.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    length_scale: Any = 1.0
    length_scale_bounds: Bounds = field(default=WIDE, kw_only=True)
    metric: ArrayLike | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_positive(self, "length_scale", self.scale)

    @property
    def scale(self) -> Any:
        """ℓ."""
        return self.length_scale

    def hyper_value(self, name: str) -> Any:
        """ℓ, in whichever way it was given, or another field."""
        return self.scale if name == "length_scale" else getattr(self, name)


def check_positive(kernel: Kernel, name: str, value: Any) -> None:
    """Refuse a parameter that is not positive."""
    numbers = np.asarray(value, dtype=float)
    if numbers.ndim > 1 or not np.all(numbers > 0.0):
        raise ValueError(f"{name}={value!r} of {type(kernel).__name__} must be > 0; give a positive number")


def _by_columns(X: Any, factor: Floats) -> Any:
    return sparse.csr_matrix(X.multiply(factor)) if sparse.issparse(X) else X * factor


def _origin(X: Floats) -> Floats:
    """The middle of some entries of each column, zero where there is none.

    No outlier moves it far; and an entry itself, unlike a mean, leaves rows on a grid on it.
    """
    if not len(X):
        return np.zeros(X.shape[1], dtype=X.dtype)
    some = X[np.linspace(0, len(X) - 1, min(len(X), 101)).astype(int)]
    return np.partition(some, len(some) // 2, axis=0)[len(some) // 2]
