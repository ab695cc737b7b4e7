"""Ratios and products of named columns.

    φ(x) = (x, x_a / x_b, …, x_a · x_b, …)                                                             (1)

A machine with much load and little traffic is odd although neither number is; their ratio shows it, even to a model
that looks at each column alone. Guyon & Elisseeff (2003), An introduction to variable and feature selection, section 5,
https://jmlr.org/papers/v3/guyon03a.html.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from gnomon._typing import Array, Floats, Integers
from gnomon.features._base import Column, FeatureMap
from gnomon.numerics.validation import check_choice, check_positive

__all__ = ["RatioFeatures"]


class RatioFeatures(FeatureMap):
    """Append ratios and products of columns, equation (1).

    A denominator nearer to zero than a floor counts as the floor, with its sign (zero is positive), so that no ratio is
    infinite or NaN: 0/0 = 0, and x/0 is as large as the smallest denominator of the training rows makes it.

    Parameters
    ----------
    ratios : list of (numerator, denominator), default=()
        Columns by position or name.
    products : list of (column, column), default=()
    floor : "smallest" or float, default="smallest"
        The least modulus of a denominator: the smallest that is not zero among the training rows, for each
        denominator, or a number > 0.
    keep : {"all", "none"}, default="all"
        Whether the columns themselves come first.

    Attributes
    ----------
    floors_ : ndarray of shape (n_ratios,)
        The least modulus of each denominator.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Guyon, I. & Elisseeff, A. (2003). An introduction to variable and feature selection.
    https://jmlr.org/papers/v3/guyon03a.html

    Examples
    --------
    >>> from gnomon.features import RatioFeatures
    >>> ratio = RatioFeatures([(0, 1)], [(0, 1)]).fit([[1.0, 2.0], [3.0, 4.0]])
    >>> ratio.transform([[3.0, 4.0], [6.0, 0.0]]).tolist()
    [[3.0, 4.0, 0.75, 12.0], [6.0, 0.0, 3.0, 0.0]]
    >>> ratio.get_feature_names_out().tolist()
    ['x0', 'x1', 'x0/x1', 'x0*x1']
    """

    _stored: ClassVar[dict[str, str]] = {
        "_ratios": "int (n_ratios, 2) below n_features",
        "_products": "int (n_products, 2) below n_features",
        "floors_": "(n_ratios,)",
    }

    def __init__(
        self,
        ratios: Sequence[tuple[Column, Column]] = (),
        products: Sequence[tuple[Column, Column]] = (),
        *,
        floor: Literal["smallest"] | float = "smallest",
        keep: Literal["all", "none"] = "all",
    ):
        self.ratios = ratios
        self.products = products
        self.floor = floor
        self.keep = keep

    def _learn(self, X: Floats) -> None:
        self._ratios, self._products = self._pairs("ratios", self.ratios), self._pairs("products", self.products)
        if self.keep == "none" and not len(self._ratios) + len(self._products):
            raise ValueError("keep='none' without ratios and products makes no column; give some pairs")
        if isinstance(self.floor, str) and check_choice("floor", self.floor, ["smallest"]):
            self.floors_ = np.array([_smallest(X[:, j]) for j in self._ratios[:, 1]])
        else:
            self.floors_ = np.full(len(self._ratios), float(check_positive("floor", self.floor)))

    def _pairs(self, name: str, pairs: Sequence[tuple[Column, Column]]) -> Integers:
        places = [self._places(pair) for pair in pairs]
        if any(len(pair) != 2 for pair in places):
            raise ValueError(f"{name}={pairs!r} must be pairs of columns; give [(a, b), …]")
        return np.array(places, dtype=np.intp).reshape(-1, 2)

    def _map(self, X: Floats) -> Floats:
        above, below = X[:, self._ratios[:, 0]], X[:, self._ratios[:, 1]]
        below = np.copysign(np.maximum(np.abs(below), self.floors_.astype(X.dtype)), below + 0)
        left, right = X[:, self._products[:, 0]], X[:, self._products[:, 1]]
        # Overflow gives the largest finite number, so that later steps meet no infinity.
        with np.errstate(over="ignore"):
            made = np.nan_to_num(np.hstack([above / below, left * right]))
        return np.hstack([X, made]) if self.keep == "all" else made

    def _names(self, names: Array) -> list[str]:
        made = [f"{names[a]}/{names[b]}" for a, b in self._ratios] + [
            f"{names[a]}*{names[b]}" for a, b in self._products
        ]
        return [*names, *made] if self.keep == "all" else made


def _smallest(column: Floats) -> float:
    """The smallest modulus that is not zero; 1 for a column of zeros."""
    sizes = np.abs(column[column != 0])
    return float(np.min(sizes)) if sizes.size else 1.0
