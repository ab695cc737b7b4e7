"""Tables with categories as numbers: numbers as they are, categories as codes, NaN where a cell is missing.

A column is a category if its type says so (strings, truth values, pandas' categorical, polars' Enum) or if
`categorical_features` names it. The code of a category is its place among the values of `categories`, of the column's
type, or of those that were met; a value that was not is missing, or an error where `unseen` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Bools, Floats, Sparse, TableLike, is_sparse
from gnomon.base.going_on import check_known_columns
from gnomon.base.rows import read_rows, table_rows
from gnomon.numerics.domains import Categories, Domain, domains_of, listed_values, ordered
from gnomon.numerics.tables import FeatureTable, as_frame
from gnomon.numerics.validation import FLOATS, assert_not_infinite, check_choice

__all__ = ["CategoricalFeatures", "Coding", "Unseen", "fitted_rows", "new_rows"]

CategoricalFeatures: TypeAlias = Literal["from_dtype"] | ArrayLike | None
"""Which columns are categories: those whose type says so, and these by names, numbers or a mask."""

Unseen: TypeAlias = Literal["missing", "error"]


@dataclass(frozen=True, eq=False)
class Coding:
    """How columns become numbers: their names, and the domain of each category (None: numbers)."""

    names: tuple[str, ...]
    domains: tuple[Domain | None, ...]

    @cached_property
    def category(self) -> Bools:
        """Which columns are categories."""
        return np.array([domain is not None for domain in self.domains])

    def labels(self, codes: Sequence[float] | Floats) -> list[Any]:
        """One code for each column as the value it stands for; numbers are their own, None where there is none."""
        found = []
        for domain, code in zip(self.domains, codes, strict=True):
            value = None if np.isnan(code) else float(code)
            found.append(value if value is None or domain is None else domain.labels[int(value)])
        return found

    def matrix(self, table: FeatureTable, unseen: Unseen = "missing") -> Floats:
        """The table as floats."""
        out = np.empty(table.shape)
        for j, domain in enumerate(self.domains):
            column = table.column(j)
            if domain is None:
                out[:, j] = table.numbers([j])[:, 0]
                continue
            codes = domain.codes(column)
            if unseen == "error" and np.any(codes == domain.size):
                row = int(np.argmax(codes == domain.size))
                raise ValueError(
                    f"X holds {table.cell(row, j)!r} in column {self.names[j]!r}, which fit did not see; it saw "
                    f"{domain.labels[:10].tolist()}; drop the row, declare categories=, or choose unseen='missing'"
                )
            out[:, j] = np.where(codes >= domain.size, np.nan, codes)
        return out


def fitted_rows(
    estimator: Any,
    X: TableLike | Sparse,
    y: ArrayLike | None = "no_validation",
    *,
    goes_on: bool = False,
    **options: Any,
) -> Any:
    """X as numbers (and y) for `fit`; sets the coding, or keeps that of a fit that this one goes on with."""
    check_choice("unseen", estimator.unseen, ("missing", "error"))
    if goes_on:
        check_known_columns(estimator, X)
    if _plain(X) and (not estimator.coding_.category.any() if goes_on else _by_type(estimator.categorical_features)):
        checked = _numbers(estimator, X, y, reset=True, **options)
        names = vars(estimator).get("feature_names_in_", [f"x{j}" for j in range(estimator.n_features_in_)])
        estimator.coding_ = Coding(tuple(names), (None,) * estimator.n_features_in_)
        return checked
    checked = table_rows(estimator, X, y, **options)
    table, *rest = checked if isinstance(checked, tuple) else (checked,)
    if not goes_on:
        estimator.coding_ = _learn(table, estimator.categorical_features, estimator.categories)
    matrix = estimator.coding_.matrix(table, estimator.unseen if goes_on else "missing")
    return (matrix, *rest) if rest else matrix


def new_rows(estimator: Any, X: TableLike | Sparse | FeatureTable) -> Any:
    """X as numbers, checked against the table of `fit`, unless it is a table with its columns already."""
    if _is_ready(estimator, X):
        return X
    if _plain(X) and not np.any(estimator.coding_.category):
        return _numbers(estimator, X, reset=False)
    return estimator.coding_.matrix(table_rows(estimator, X, reset=False), estimator.unseen)


FEW_CELLS = 4096


def _is_ready(estimator: Any, X: object) -> bool:
    """Whether X is a small array with nothing to convert or to warn of: for single rows, checks would cost the most."""
    return (
        type(X) is np.ndarray
        and X.dtype in FLOATS
        and X.ndim == 2
        and 0 < X.size <= FEW_CELLS
        and X.shape[1] == estimator.n_features_in_
        and "feature_names_in_" not in vars(estimator)
        and not estimator.coding_.category.any()
        and not np.isinf(X).any()
    )


def _plain(X: TableLike | Sparse | FeatureTable) -> bool:
    """Whether X is an array of numbers, or a frame of nothing else."""
    if is_sparse(X) or isinstance(X, FeatureTable):
        return is_sparse(X)
    frame = as_frame(X)
    if frame is not None:
        return all(kind.is_numeric() for kind in frame.schema.values())
    return np.asarray(X).dtype.kind in "fiu"


def _numbers(estimator: Any, X: Any, y: ArrayLike | None = "no_validation", **options: Any) -> Any:
    options = {"dtype": FLOATS, "accept_sparse": ("csr", "csc"), "ensure_all_finite": False, **options}
    checked = read_rows(estimator, X, y, **options)
    rows = checked[0] if isinstance(checked, tuple) else checked
    assert_not_infinite(rows, columns=vars(estimator).get("feature_names_in_"))
    return checked


def _learn(table: FeatureTable, categorical_features: CategoricalFeatures, categories: Categories | None) -> Coding:
    which = np.flatnonzero(_chosen(table, categorical_features)).tolist()
    categories = "auto" if categories is None else categories
    domains: list[Domain | None] = [None] * len(table.names)
    for j, listed in zip(which, listed_values(categories, table.names, which), strict=True):
        column = table.column(j)
        if listed is None and column.is_number:
            # Categories may be any numbers: each value that occurs is one. Booleans keep their type.
            values = ordered(set(column.cells[~column.missing].tolist()))
            domains[j] = Domain(len(values), tuple(map(bool, values)) if column.is_category else values)
        else:
            domains[j] = domains_of(table, [j], categories)[0]
    return Coding(table.names, tuple(domains))


def _by_type(categorical_features: CategoricalFeatures) -> bool:
    if isinstance(categorical_features, str):
        check_choice("categorical_features", categorical_features, ("from_dtype",))
        return True
    return categorical_features is None


def _chosen(table: FeatureTable, categorical_features: CategoricalFeatures) -> Bools:
    from_type = np.array([table.column(j).is_category for j in range(len(table.names))])
    if _by_type(categorical_features):
        return from_type
    given = np.asarray(categorical_features)
    p = len(table.names)
    if given.dtype == bool and given.shape == (p,):
        return given | from_type
    mask = from_type.copy()
    for feature in given.tolist():
        if feature in table.names:
            mask[table.names.index(feature)] = True
        elif isinstance(feature, int) and 0 <= feature < p:
            mask[feature] = True
        else:
            raise ValueError(
                f"categorical_features names {feature!r}, which is no column; X has {list(table.names)}: give names, "
                "numbers of columns, a mask with one truth value per column, or 'from_dtype'"
            )
    return mask
