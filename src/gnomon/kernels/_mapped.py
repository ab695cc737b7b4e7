"""Kernels of mapped rows.

    k(x_A, x'_A),    k(g(x), g(x')),    k(x, x') / √(k(x, x) k(x', x'))                           (1)

Each is k on other objects, and valid as k is (Schölkopf & Smola 2002, section 13.1).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import narwhals as nw
import numpy as np

from gnomon._typing import Floats, Integers, is_sparse
from gnomon.kernels._algebra import KernelProduct, KernelSum
from gnomon.kernels._base import Kernel, Psd, noun
from gnomon.kernels._features import beside
from gnomon.kernels._pattern import Pattern

__all__ = ["Normalized", "OnColumns", "Warped"]


@noun
class _Inside(Kernel):
    kernel: Kernel

    @property
    def psd(self) -> Psd:
        """As the kernel inside."""
        return self.kernel.psd

    @property
    def cpd_order(self) -> int:
        """As the kernel inside."""
        return self.kernel.cpd_order

    @property
    def whole(self) -> bool:  # type: ignore[override]
        """As the kernel inside."""
        return self.kernel.whole

    @abstractmethod
    def mapped(self, A: Any) -> Any:
        """The rows that the kernel inside sees."""

    def on_grid(self, X: Any) -> bool:
        """Whether the mapped rows are."""
        return self.kernel.on_grid(self.mapped(X))

    def prepare(self, A: Any, like: Any = None) -> Any:
        """The mapped rows, prepared by the kernel inside."""
        return self.kernel.prepare(self.mapped(A), like)

    def map_size(self, A: Any) -> float:
        """That of the kernel inside."""
        return self.kernel.map_size(self.mapped(A))

    def features(self, X: Any) -> Any:
        """Those of the mapped rows."""
        return self.kernel.features(self.mapped(X))

    def cross(self, P: Any, Q: Any) -> Floats:
        """As the kernel inside."""
        return self.kernel.cross(P, Q)

    def pairs(self, P: Any, Q: Any, i: Integers, j: Integers) -> Floats:
        """As the kernel inside."""
        return self.kernel.pairs(P, Q, i, j)

    def diagonal(self, P: Any) -> Floats:
        """As the kernel inside."""
        return self.kernel.diagonal(P)

    def pattern(self, P: Any, Q: Any) -> Pattern | None:
        """As the kernel inside."""
        return self.kernel.pattern(P, Q)

    def slopes(self, P: Any, Q: Any) -> Iterator[Floats]:
        """As the kernel inside."""
        return self.kernel.slopes(P, Q)

    def slope_products(self, P: Any, Q: Any, M: Floats, B: Floats) -> Floats:
        """As the kernel inside."""
        return self.kernel.slope_products(P, Q, M, B)


@noun
class OnColumns(_Inside):
    """A kernel of some columns.

    Parameters
    ----------
    kernel : Kernel
    columns : int, str, slice, or a sequence of int or str
        Indices, or names where the rows are a data frame.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 13.1. MIT Press.

    Examples
    --------
    >>> import pandas as pd
    >>> from gnomon.kernels import Linear
    >>> k = Linear().on("a") * Linear().on([1])
    >>> k.gram(pd.DataFrame({"a": [2.0], "b": [3.0]}))
    array([[36.]])
    """

    columns: Any

    @property
    def scales_columns(self) -> bool:
        """Yes: by those that are left out."""
        return True

    def summands(self) -> list[Kernel]:
        """Those of the kernel inside, of the same columns."""
        return [OnColumns(part, self.columns) for part in self.kernel.summands()]

    @property
    def constant(self) -> float | None:
        """As the kernel inside."""
        return self.kernel.constant

    def linear_weights(self, d: int) -> Floats:
        """Those of the kernel inside, at its columns."""
        weights, places = np.zeros(d), np.atleast_1d(np.arange(d)[self.located(None).columns])
        weights[places] = self.kernel.linear_weights(len(places))
        return weights

    def mapped(self, A: Any) -> Any:
        """The columns, as a matrix."""
        frame = nw.from_native(A, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return self.located(frame.columns).mapped(frame.to_numpy())
        rows: Any = A.tocsr() if is_sparse(A) else np.asarray(A)
        chosen = self.located(None).columns
        width = rows.shape[1]
        outside = [] if isinstance(chosen, slice) else [c for c in np.ravel(chosen) if not -width <= c < width]
        if outside:
            raise ValueError(f"columns={self.columns!r}: {outside[0]} is none of the {width} columns 0 to {width - 1}")
        return rows[:, chosen if isinstance(chosen, slice) else np.atleast_1d(chosen)]

    def sample_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Zero in the columns that are left out."""
        full = np.zeros((n, d))
        chosen = np.atleast_1d(np.arange(d)[self.located(None).columns])
        full[:, chosen] = self.kernel.sample_spectrum(n, len(chosen), rng)
        return full

    def located(self, names: Sequence[str] | None) -> Self:
        """Names replaced by their places in `names`."""
        inside = self.kernel.located(None)
        if isinstance(self.columns, slice) or np.asarray(self.columns).dtype.kind in "iub":
            return self.with_params(kernel=inside)
        if names is None:
            raise ValueError(f"columns={self.columns!r} are names, and X has none; give a data frame, or indices")
        places = {name: place for place, name in enumerate(names)}
        wanted = np.atleast_1d(np.asarray(self.columns)).tolist()
        unknown = [name for name in wanted if name not in places]
        if unknown:
            raise ValueError(f"columns={self.columns!r}: {unknown[0]!r} is not a column; X has {', '.join(names)}")
        return self.with_params(kernel=inside, columns=[places[name] for name in wanted])

    def __repr__(self) -> str:
        inside = f"({self.kernel!r})" if isinstance(self.kernel, KernelSum | KernelProduct) else repr(self.kernel)
        return f"{inside}.on({self.columns!r})"


@noun
class Warped(_Inside):
    """k(g(x), g(x')).

    Parameters
    ----------
    kernel : Kernel
    g : callable
        From rows to as many rows.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 13.1. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> Linear().warp(np.log).gram([[np.e]], [[np.e**3]])
    array([[3.]])
    """

    g: Callable[[Any], Any]

    @property
    def scales_columns(self) -> bool:
        """Yes: by g."""
        return True

    def mapped(self, A: Any) -> Any:
        """g of the rows."""
        return self.g(A)


@noun
class Normalized(_Inside):
    """k(x, x') / √(k(x, x) k(x', x')), the cosine of the angle between two rows in the feature space.

    Parameters
    ----------
    kernel : Kernel

    References
    ----------
    Shawe-Taylor, J. & Cristianini, N. (2004). Kernel Methods for Pattern Analysis, section 5.1.
    doi:10.1017/CBO9780511809682

    Examples
    --------
    >>> from gnomon.kernels import Linear
    >>> Linear().normalized().gram([[1.0, 1.0]], [[2.0, 0.0]])
    array([[0.70710678]])
    """

    @property
    def support_radius(self) -> float:
        """As the kernel inside."""
        return self.kernel.support_radius

    def mapped(self, A: Any) -> Any:
        """The rows as they are."""
        return A

    def features(self, X: Any) -> Any:
        """Those of the kernel inside, of length one."""
        Z = self.kernel.features(X)
        lengths = self._lengths(self.kernel.prepare(X))[:, None]
        return beside(Z).multiply(1.0 / lengths).tocsr() if is_sparse(Z) else Z / lengths

    def cross(self, P: Any, Q: Any) -> Floats:
        """Rows and columns divided by their lengths."""
        return self.kernel.cross(P, Q) / np.multiply.outer(self._lengths(P), self._lengths(Q))

    def pairs(self, P: Any, Q: Any, i: Integers, j: Integers) -> Floats:
        """Values divided by both lengths."""
        return self.kernel.pairs(P, Q, i, j) / (self._lengths(P)[i] * self._lengths(Q)[j])

    def diagonal(self, P: Any) -> Floats:
        """One."""
        return np.ones_like(self._lengths(P))

    def slopes(self, P: Any, Q: Any) -> Iterator[Floats]:
        """The quotient rule; a diagonal changes too."""
        lengths, K = np.multiply.outer(self._lengths(P), self._lengths(Q)), self.cross(P, Q)
        p, q = self.kernel.diagonal(P), self.kernel.diagonal(Q)
        for G, rows, columns in zip(
            self.kernel.slopes(P, Q), self.kernel.slopes(P, P), self.kernel.slopes(Q, Q), strict=True
        ):
            yield G / lengths - 0.5 * K * np.add.outer(np.diag(rows) / p, np.diag(columns) / q)

    def slope_products(self, P: Any, Q: Any, M: Floats, B: Floats) -> Floats:
        """One matrix after another."""
        return Kernel.slope_products(self, P, Q, M, B)

    def _lengths(self, P: Any) -> Floats:
        squares = self.kernel.diagonal(P)
        if not np.all(squares > 0.0):
            raise ValueError(
                "a row has length 0 in the feature space, so no direction; leave it out, or add a constant"
            )
        return np.sqrt(squares)
