"""Basis expansion: a linear model in any functions of the columns.

    φ(x) = (f₁(x), …, f_m(x)),    design matrix Φ with rows φ(xᵢ)ᵀ                                     (1)

Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, chapter 5, doi:10.1007/978-0-387-84858-7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.features._base import Column, FeatureMap
from gnomon.numerics.sharing import read_only

__all__ = ["BasisExpansion"]

RowFunction: TypeAlias = Callable[[Array], ArrayLike]
Functions: TypeAlias = Sequence[RowFunction | tuple[Column, RowFunction]] | None


class BasisExpansion(FeatureMap):
    """Functions of the rows, or of single columns, as columns: φ(x) = (f₁(x), …, f_m(x)).

    Each function takes an array and returns an array: a plain one is given all rows, X of shape (n, d), and returns
    one value per row or several columns; one in a pair ``(column, function)`` is given that column, of shape (n,).
    With the identity among the functions the original columns are kept. Sparse input is refused, because a function
    of zero need not be zero.

    Parameters
    ----------
    functions : list of callables or of (column, callable), optional
        The functions; the column is a position or a name. By default the identity.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen in `fit`.
    n_output_features_ : int
        Number of columns made.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, chapter 5.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import BasisExpansion
    >>> phi = BasisExpansion([(0, np.log), lambda X: X[:, 0] / X[:, 1], lambda X: X**2])
    >>> phi.fit([[1.0, 2.0]]).design_matrix([[1.0, 2.0]]).tolist()
    [[0.0, 0.5, 1.0, 4.0]]
    >>> phi.get_feature_names_out().tolist()
    ['log(x0)', 'f1', 'f2_0', 'f2_1']
    """

    def __init__(self, functions: Functions = None):
        self.functions = functions

    def design_matrix(self, X: ArrayLike) -> Floats:
        """Φ, the matrix whose rows are φ(xᵢ)ᵀ: another name of `transform`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns of `fit`.

        Returns
        -------
        Phi : ndarray of shape (n_samples, n_output_features_)
        """
        return self.transform(X)

    def _learn(self, X: Floats) -> None:
        if self.functions is not None and len(self.functions) == 0:
            raise ValueError("functions=[] makes no column; give at least one function, or None for the identity")
        self._widths = [block.shape[1] for block in self._blocks(X)]
        self.n_output_features_ = sum(self._widths)

    def _map(self, X: Floats) -> Floats:
        return np.hstack(self._blocks(X)).astype(X.dtype, copy=False)

    def _blocks(self, X: Floats) -> list[Array]:
        X = read_only(X)
        return [_as_columns(f(X if j is None else X[:, j]), len(X), f) for j, f in self._pairs()]

    def _pairs(self) -> list[tuple[int | None, RowFunction]]:
        """(None, f) for a function of whole rows, (j, f) for one of column j."""
        pairs: list[Any] = [(None, f) if callable(f) else f for f in self.functions or [_identity]]
        for pair in pairs:
            if np.shape(pair) != (2,) or not callable(pair[1]):
                raise ValueError(f"functions has {pair!r}; give functions, or pairs of a column and a function")
        return [(j if j is None else self._places(j)[0], f) for j, f in pairs]

    def _names(self, names: Array) -> Sequence[str] | Array:
        made = []
        for place, ((j, f), width) in enumerate(zip(self._pairs(), self._widths, strict=True)):
            stem = f"f{place}" if j is None else f"{getattr(f, '__name__', 'f')}({names[j]})"
            made += [stem] if width == 1 else [f"{stem}_{c}" for c in range(width)]
        return names if self.functions is None else made


def _identity(X: Array) -> Array:
    return X


def _as_columns(values: ArrayLike, n: int, f: RowFunction) -> Array:
    values = np.asarray(values)
    if values.ndim not in (1, 2) or len(values) != n:
        raise ValueError(
            f"function {f!r} returned shape {values.shape} for {n} rows; return one value per row, or a row of values"
        )
    if not np.isfinite(values).all():
        raise ValueError(f"function {f!r} returned NaN or infinite values; give a function that is finite on X")
    return values.reshape(n, -1)
