"""One kernel for each column.

    tensor product: Π_d k_d(x_d, x'_d);    additive: Σ_q w_q e_q(k_1, …, k_D),
    e_q(k_1, …, k_D) = Σ_{d₁ < … < d_q} k_{d₁} ⋯ k_{d_q}                                          (1)

A function of the additive kernel of order 1 is a sum of functions of single columns. The elementary symmetric
polynomials e_q of all orders cost O(D q): e_q of k_1 … k_d is e_q of the first d − 1 plus k_d times their e_{q−1}.
Stitson et al. (1999), Support vector regression with ANOVA decomposition kernels, MIT Press; Duvenaud, Nickisch &
Rasmussen (2011), Additive Gaussian processes, NIPS.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import reduce
from itertools import combinations
from math import prod
from operator import mul
from typing import Any, Self

import numpy as np
from scipy import sparse

from gnomon._typing import Floats, Integers, is_sparse
from gnomon.kernels._algebra import product_psd, sum_psd
from gnomon.kernels._base import WIDE, Bounds, Kernel, Psd, noun
from gnomon.kernels._features import beside, row_products
from gnomon.kernels._pattern import Pattern, intersection, union
from gnomon.kernels._rows import JointRows, as_rows

__all__ = ["Additive", "TensorProduct"]


@noun
class _PerColumn(Kernel):
    kernels: Sequence[Kernel]

    def __post_init__(self) -> None:
        if len(self.kernels) == 0 or not all(isinstance(k, Kernel) for k in self.kernels):
            raise ValueError(f"kernels={self.kernels!r} of {type(self).__name__} must be kernels, one for each column")

    @property
    def takes_objects(self) -> bool:
        """No: rows have columns."""
        return False

    @property
    def scales_columns(self) -> bool:
        """Yes: each has a kernel."""
        return True

    @property
    def whole(self) -> bool:  # type: ignore[override]
        """Whether a part must see all rows at once."""
        return any(k.whole for k in self.kernels)

    def children(self) -> dict[str, Kernel]:
        """k1, k2, …"""
        return {f"k{d + 1}": k for d, k in enumerate(self.kernels)}

    def with_children(self, children: Mapping[str, Kernel]) -> Self:
        """The same with other kernels."""
        return replace(self, kernels=list({**self.children(), **children}.values())) if children else self

    def on_grid(self, X: Any) -> bool:
        """Whether every column is on the grid of its kernel."""
        rows = as_rows(X)
        return all(k.on_grid(rows[:, [d]]) for d, k in enumerate(self.kernels))

    def prepare(self, A: Any, like: JointRows | None = None) -> JointRows:
        """Every column prepared by its kernel."""
        X = as_rows(A)
        if X.shape[1] != len(self.kernels):
            raise ValueError(
                f"{type(self).__name__} has {len(self.kernels)} kernels, one for each column, and the rows have "
                f"{X.shape[1]} columns"
            )
        X = sparse.csc_array(X) if is_sparse(X) else X
        others = [None] * len(self.kernels) if like is None else like.parts
        return JointRows(
            tuple(k.prepare(X[:, [d]], other) for d, (k, other) in enumerate(zip(self.kernels, others, strict=True)))
        )

    def cross(self, P: JointRows, Q: JointRows) -> Floats:
        """The matrices of the columns, joined."""
        return self.join(self._each(P, Q))

    def pairs(self, P: JointRows, Q: JointRows, i: Integers, j: Integers) -> Floats:
        """The values of the columns, joined."""
        each = zip(self.kernels, P.parts, Q.parts, strict=True)
        return self.join([k.pairs(p, q, i, j) for k, p, q in each])

    def diagonal(self, P: JointRows) -> Floats:
        """The diagonals of the columns, joined."""
        return self.join([k.diagonal(p) for k, p in zip(self.kernels, P.parts, strict=True)])

    def slopes(self, P: JointRows, Q: JointRows) -> Iterator[Floats]:
        """Those of its own, then by the chain rule those of the columns."""
        each = self._each(P, Q)
        yield from self.own_slopes(each)
        for d, (k, p, q) in enumerate(zip(self.kernels, P.parts, Q.parts, strict=True)):
            if len(k.theta):
                factor = self.slope_in([*each[:d], *each[d + 1 :]], each[d])
                yield from (factor * G for G in k.slopes(p, q))

    def _each(self, P: JointRows, Q: JointRows) -> list[Floats]:
        # The same object on both sides says that a matrix is symmetric.
        others = P.parts if P is Q else Q.parts
        return [k.cross(p, q) for k, p, q in zip(self.kernels, P.parts, others, strict=True)]

    def _patterns(self, P: JointRows, Q: JointRows) -> list[Pattern | None]:
        return [k.pattern(p, q) for k, p, q in zip(self.kernels, P.parts, Q.parts, strict=True)]

    @abstractmethod
    def join(self, each: list[Floats]) -> Floats:
        """The value from those of the columns."""

    @abstractmethod
    def slope_in(self, others: list[Floats], one: Floats) -> Floats:
        """The derivative of `join` in the value of one column."""

    def own_slopes(self, each: list[Floats]) -> Iterator[Floats]:
        """Derivatives in hyper-parameters that belong to no column."""
        return iter(())


@noun
class TensorProduct(_PerColumn):
    """Π_d k_d(x_d, x'_d), a kernel for each column; on a grid of rows its Gram matrix is a Kronecker product.

    Parameters
    ----------
    kernels : sequence of Kernel
        k_1, …, k_D; kept as they are, for solvers that use the Kronecker product.

    References
    ----------
    Stitson, M. et al. (1999). Support vector regression with ANOVA decomposition kernels. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import BSpline, Matern, TensorProduct
    >>> k = TensorProduct([BSpline(1), Matern(nu=0.5)])
    >>> k.gram([[0.0, 0.0]], [[0.3, 2.0]]).round(6), round(0.7 * np.exp(-2), 6)
    (array([[0.094735]]), np.float64(0.094735))
    """

    @property
    def psd(self) -> Psd:
        """The weakest of all."""
        return product_psd(*self.kernels)

    def by_axis(self, d: int) -> list[Kernel] | None:
        """Those that it is made of."""
        return list(self.kernels) if d == len(self.kernels) else None

    def join(self, each: list[Floats]) -> Floats:
        """The product."""
        return reduce(mul, each)

    def slope_in(self, others: list[Floats], one: Floats) -> Floats:
        """The product of the others."""
        return reduce(mul, others, np.ones_like(one))

    def map_size(self, A: Any) -> float:
        """Those of all columns, multiplied."""
        return prod(k.on([d]).map_size(A) for d, k in enumerate(self.kernels))

    def features(self, X: Any) -> Any:
        """Products of the features of all columns."""
        return reduce(row_products, (k.on([d]).features(X) for d, k in enumerate(self.kernels)))

    def sample_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """One column after another."""
        return np.hstack([k.sample_spectrum(n, 1, rng) for k in self.kernels])

    def pattern(self, P: JointRows, Q: JointRows) -> Pattern | None:
        """Where all may differ from zero."""
        return intersection(*self._patterns(P, Q))


@noun
class Additive(_PerColumn):
    """Σ_d k_d(x_d, x'_d), or the elementary symmetric polynomials (1) of higher orders: ANOVA kernels.

    Parameters
    ----------
    kernels : sequence of Kernel
        k_1, …, k_D.
    order : int, default=1
        q.
    orders : sequence of int, optional
        Several orders q, in place of `order`.
    weights : sequence of float, optional
        w_q ≥ 0 of `orders`; one by default. They are learned where they are given and positive.
    weights_bounds : (low, high) or "fixed", default=(1e-5, 1e5)

    References
    ----------
    Stitson, M. et al. (1999). Support vector regression with ANOVA decomposition kernels. MIT Press.

    Duvenaud, D., Nickisch, H. & Rasmussen, C. E. (2011). Additive Gaussian processes. NIPS.

    Examples
    --------
    >>> from gnomon.kernels import Additive, Constant
    >>> parts = [Constant(0.5), Constant(0.2), Constant(0.8)]
    >>> [round(Additive(parts, order=q).gram([[0.0, 0.0, 0.0]]).item(), 10) for q in (1, 2, 3)]
    [1.5, 0.66, 0.08]
    >>> Additive(parts, orders=[1, 2], weights=[2.0, 1.0]).gram([[0.0, 0.0, 0.0]]).round(10)
    array([[3.66]])
    """

    order: int = 1
    orders: Sequence[int] | None = field(default=None, kw_only=True)
    weights: Sequence[float] | None = field(default=None, kw_only=True)
    weights_bounds: Bounds = field(default=WIDE, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        most = len(self.kernels)
        for q in self._orders:
            if isinstance(q, bool) or q != int(q) or not 1 <= q <= most:
                raise ValueError(f"order={q!r} of Additive must be a whole number from 1 to {most}, its columns")
        w = np.asarray(self._weights, dtype=float)
        known = w.shape == (len(self._orders),) and bool(np.all((w >= 0.0) & np.isfinite(w)))
        if len(set(self._orders)) != len(self._orders) or not known:
            raise ValueError(
                f"weights={self.weights!r} of Additive must be ≥ 0 and finite, one for each of the orders "
                f"{list(self._orders)}"
            )

    @property
    def _orders(self) -> Sequence[int]:
        return (self.order,) if self.orders is None else self.orders

    @property
    def _weights(self) -> Sequence[float]:
        return [1.0] * len(self._orders) if self.weights is None else [float(w) for w in self.weights]

    @property
    def psd(self) -> Psd:
        """The weakest of all."""
        return sum_psd(*self.kernels) if max(self._orders) == 1 else product_psd(*self.kernels)

    @property
    def cpd_order(self) -> int:
        """The largest of all."""
        return max(k.cpd_order for k in self.kernels)

    def join(self, each: list[Floats]) -> Floats:
        """(1)."""
        e = _symmetric(each, max(self._orders))
        return sum(w * e[q] for q, w in zip(self._orders, self._weights, strict=True))  # type: ignore[return-value]

    def slope_in(self, others: list[Floats], one: Floats) -> Floats:
        """Σ_q w_q e_{q−1} of the others."""
        e = _symmetric(others, max(self._orders) - 1) if others else [np.ones_like(one)]
        return sum(w * e[q - 1] for q, w in zip(self._orders, self._weights, strict=True))  # type: ignore[return-value]

    def own_slopes(self, each: list[Floats]) -> Iterator[Floats]:
        """w_q e_q."""
        if self.own_hyperparameters():
            e = _symmetric(each, max(self._orders))
            yield from (w * e[q] for q, w in zip(self._orders, self._weights, strict=True))

    def pattern(self, P: JointRows, Q: JointRows) -> Pattern | None:
        """Where one may differ from zero."""
        return union(*self._patterns(P, Q))

    def map_size(self, A: Any) -> float:
        """Those of all summands, added."""
        return sum(term.map_size(A) for term in self.summands())

    def features(self, X: Any) -> Any:
        """Those of all summands, beside each other."""
        return beside(*(term.features(X) for term in self.summands()))

    def summands(self) -> list[Kernel]:
        """A kernel for each column, or set of columns, of every order."""
        single = [k.on([d]) for d, k in enumerate(self.kernels)]
        return [
            reduce(mul, chosen) if w == 1.0 else w * reduce(mul, chosen)
            for q, w in zip(self._orders, self._weights, strict=True)
            for chosen in combinations(single, int(q))
        ]


def _symmetric(each: list[Floats], most: int) -> list[Floats]:
    """e_0, …, e_most."""
    e = [np.ones_like(each[0])] + [np.zeros_like(each[0]) for _ in range(most)]
    for k in each:
        for q in range(most, 0, -1):
            e[q] = e[q] + k * e[q - 1]
    return e
