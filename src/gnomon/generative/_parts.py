"""The factors of a general naive Bayes model: groups of columns, each with a law for every class.

    log f_c(x) = Σ_g v_g log f_g(x_g | c),    g over the groups whose cells are there                              (1)

A part knows its columns. It sums rows (`statistics`, which add) and makes laws of the sums; laws have `log_densities`
(n, C), `factors` for an explanation, `sample` and `n_parameters`. Categories and normal columns are done for all
columns of a part at once; any other density is fitted to the rows of each class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import Array, Floats, Integers
from gnomon.distributions import Normal
from gnomon.distributions.counts import CategoryCounts, LogTable, gather
from gnomon.distributions.density import (
    Density,
    density_parameters,
    fit_density,
    observed_log_density,
    row_log_density,
    sample_density,
    takes_gaps,
)
from gnomon.generative._coded import column_alphas, column_factors, declared_codes, known_codes, refuse_empty
from gnomon.generative._gaps import fit_observed
from gnomon.generative._gaussian_cells import CellLaws, CellMoments, cell_moments, refuse_constant
from gnomon.generative._rows import LabelledRows
from gnomon.generative._words import CategoryGaps, UnknownValues
from gnomon.numerics.domains import Categories, Domain, domains_of
from gnomon.numerics.tables import FeatureTable

__all__ = ["CategoryPart", "DensityPart", "NormalPart", "Options", "Part", "PartSums"]


@dataclass(frozen=True)
class Options:
    """Those of `NaiveBayes` that parts need; `weights` has the v of every column."""

    alpha: float
    categories: Categories
    handle_unknown: UnknownValues
    missing: CategoryGaps
    var_smoothing: float
    weights: Floats
    names: tuple[Any, ...]


@dataclass(frozen=True)
class PartSums:
    """The weight of every class, the parts, and the sums of each; they add part by part."""

    weight: Array
    parts: tuple[Part, ...]
    sums: tuple[Any, ...]

    def __add__(self, other: PartSums) -> PartSums:
        sums = tuple(part.add(a, b) for part, a, b in zip(self.parts, self.sums, other.sums, strict=True))
        return PartSums(self.weight + other.weight, self.parts, sums)


@dataclass(frozen=True)
class CategoryPart:
    """Categorical columns; or, `of_gaps`, whether the cells of the columns are missing."""

    columns: tuple[int, ...]
    of_gaps: bool = False

    def statistics(self, rows: LabelledRows, options: Options) -> CategoryCounts:
        """`CategoryCounts` of the columns."""
        table = self.view(rows.X)
        if self.of_gaps:
            domains = (Domain(2),) * len(self.columns)
        else:
            domains = domains_of(table, self.columns, options.categories)
        codes, names = declared_codes(table, self.columns, domains), tuple(table.names[j] for j in self.columns)
        return CategoryCounts.of_codes(codes, names, domains, rows.index, rows.counts, rows.weights)

    def add(self, a: CategoryCounts, b: CategoryCounts) -> CategoryCounts:
        """The counts of both."""
        return a + b

    def view(self, table: FeatureTable) -> FeatureTable:
        """The table whose columns are counted."""
        if not self.of_gaps:
            return table
        gaps = np.zeros(table.shape, dtype=int)
        gaps[:, self.columns] = np.isnan(table.numbers(self.columns))
        return FeatureTable(tuple(f"{name} missing" for name in table.names), gaps)

    def laws(self, counts: CategoryCounts, classes: list[Any], options: Options) -> CategoryLaws:
        """`CategoryLaws` from the counts."""
        alphas = column_alphas(options.alpha, counts, options.missing)
        handle_unknown = options.handle_unknown
        tables = counts.tables(alphas, missing=options.missing, handle_unknown=handle_unknown)
        return CategoryLaws(self, counts, tables, options)


@dataclass(frozen=True, eq=False)
class CategoryLaws:
    """Tables of probabilities of categorical columns; those of a class without rows are uniform."""

    needs_rows = False

    part: CategoryPart
    counts: CategoryCounts
    tables: list[LogTable]
    options: Options

    @property
    def weights(self) -> Floats:
        """v of the columns."""
        return self.options.weights[list(self.part.columns)]

    @property
    def n_parameters(self) -> int:
        """V − 1 for each class and column."""
        return sum(table.probabilities[:, 1:].size for table in self.tables)

    def verify(self) -> None:
        """Refuse columns without a cell."""
        refuse_empty(self.counts)

    def log_densities(self, table: FeatureTable) -> Floats:
        """Σ_j v_j log P(x_j | c), (n, C)."""
        return gather(self._codes(table), [part.logs for part in self.tables], self.weights)

    def factors(self, table: FeatureTable) -> tuple[list[str], list[Floats]]:
        """Names and terms of the columns that are there."""
        there, terms = column_factors(self._codes(table), self.tables, self.counts.domains, self.weights)
        return [str(self.counts.names[j]) for j in there], list(terms)

    def sample(self, k: int, n: int, rng: np.random.Generator) -> dict[int, Array]:
        """A column of drawn values for each column of the part; of gaps, none."""
        if self.part.of_gaps:
            return {}
        return {j: part.sample(k, n, rng) for j, part in zip(self.part.columns, self.tables, strict=True)}

    def _codes(self, table: FeatureTable) -> Integers:
        table, columns = self.part.view(table), self.part.columns
        return known_codes(table, columns, self.counts.domains, self.options.handle_unknown)


@dataclass(frozen=True)
class NormalPart:
    """Columns of numbers, each normal within a class."""

    columns: tuple[int, ...]

    def statistics(self, rows: LabelledRows, options: Options) -> CellMoments:
        """`CellMoments` of the columns."""
        X = rows.X.numbers(self.columns)
        return cell_moments(X, rows.index, rows.counts, rows.weights, refuse=lambda X: None)

    def add(self, a: CellMoments, b: CellMoments) -> CellMoments:
        """The moments of both."""
        return a + b

    def laws(self, moments: CellMoments, classes: list[Any], options: Options) -> NormalLaws:
        """`NormalLaws` from the moments."""
        var = moments.variances(shared=False) + options.var_smoothing * np.max(moments.total_variance())
        empty = (moments.weight == 0.0)[:, None]
        law = Normal(moments.cells.mean, np.where(empty & (var == 0.0), 1.0, var))
        cells = CellLaws(law, options.weights[list(self.columns)])
        return NormalLaws(self.columns, [options.names[j] for j in self.columns], classes, moments, cells)


@dataclass(frozen=True, eq=False)
class NormalLaws:
    """A normal law for every class and column."""

    needs_rows = True

    columns: tuple[int, ...]
    names: list[Any]
    classes: list[Any]
    moments: CellMoments
    cells: CellLaws

    @property
    def n_parameters(self) -> int:
        """Two for each class and column."""
        return self.cells.law.n_parameters

    def verify(self) -> None:
        """Refuse columns that are constant within a class."""
        refuse_constant(self.cells.law.var, self.moments, self.classes, self.names)

    def log_densities(self, table: FeatureTable) -> Floats:
        """Σ_j v_j log N(x_j; μ, σ²), (n, C)."""
        return self.cells.log_densities(table.numbers(self.columns), refuse=lambda X: None)

    def factors(self, table: FeatureTable) -> tuple[list[str], list[Floats]]:
        """Names and terms of the columns that are there."""
        X = table.numbers(self.columns)[:1]
        terms = np.stack([self.cells.cells(X, c)[0] for c in range(len(self.classes))], axis=1)
        seen = np.flatnonzero(~np.isnan(X[0]))
        return [str(self.names[j]) for j in seen], list(terms[seen])

    def sample(self, k: int, n: int, rng: np.random.Generator) -> dict[int, Array]:
        """A column of draws for each column of the part."""
        return dict(zip(self.columns, self.cells[k].sample(n, rng).T, strict=True))


@dataclass(frozen=True)
class Sums:
    """The statistics of the rows of a class, and the density that is made of them."""

    density: Any
    statistics: Any

    def __add__(self, other: Sums | FittedDensity) -> Sums:
        if isinstance(other, FittedDensity):
            return other + self
        return Sums(self.density, self.statistics + other.statistics)

    def law(self) -> Any:
        """The density, given all rows so far; a `Complaint` where these allow none."""
        try:
            return self.density.from_statistics(self.statistics)
        except ValueError as error:
            # The first chunks may be too short for a law; the error is raised when the law is needed.
            return Complaint(str(error))


@dataclass(frozen=True)
class FittedDensity:
    """A density that was fitted to rows of a class, to which no others can be added."""

    density: Any

    def __add__(self, other: object) -> NoReturn:
        raise ValueError(
            f"partial_fit: {self.density!r} has no statistics that add; call fit with all rows, or take a Distribution "
            "class, and rows without gaps"
        )

    def law(self) -> Any:
        """The density."""
        return self.density


@dataclass(frozen=True)
class Complaint:
    """Why the rows of a class allow no density."""

    text: str


ClassSums: TypeAlias = "tuple[Sums | FittedDensity | None, ...]"
"""The statistics of every class; None for a class without rows."""


@dataclass(frozen=True)
class DensityPart:
    """A group of columns with any density; of `entries` the density takes a vector, else rows."""

    columns: tuple[int, ...]
    density: Density
    entries: bool = False

    def statistics(self, rows: LabelledRows, options: Options) -> ClassSums:
        """`Sums` or `FittedDensity` of each class; None for a class without rows."""
        X = rows.X.numbers(self.columns)
        return tuple(self._of_class(X, rows, k) for k in range(len(rows.classes)))

    def add(self, a: ClassSums, b: ClassSums) -> ClassSums:
        """The statistics of both."""
        return tuple(y if x is None else x if y is None else x + y for x, y in zip(a, b, strict=True))

    @property
    def adds(self) -> bool:
        """Whether the density is made of statistics that add, and not fitted as an estimator is."""
        return not isinstance(self.density, BaseEstimator)

    @property
    def takes_gaps(self) -> bool:
        """Whether the density itself deals with missing cells."""
        return takes_gaps(self.density)

    def laws(self, statistics: ClassSums, classes: list[Any], options: Options) -> DensityLaws:
        """`DensityLaws` from the statistics."""
        return DensityLaws(self, [None if part is None else part.law() for part in statistics], classes, options)

    def shaped(self, X: Floats) -> Floats:
        """Rows as the density takes them."""
        return X[:, 0] if self.entries and self.adds else X

    def describe(self, names: Sequence[Any]) -> str:
        """The columns, for messages."""
        return f"columns {[names[j] for j in self.columns]}"

    def _of_class(self, X: Floats, rows: LabelledRows, k: int) -> Sums | FittedDensity | None:
        here = (rows.index == k) & ~np.all(np.isnan(X), axis=1)
        if not np.any(here):
            return None
        X, weights = X[here], None if rows.weights is None else rows.weights[here].astype(float)
        label, names = rows.classes.tolist()[k], rows.X.names
        try:
            return self._sums(X, weights)
        except ValueError as error:
            raise ValueError(f"{self.describe(names)}, class {label!r} with {len(X)} rows: {error}") from error

    def _sums(self, X: Floats, weights: Floats | None) -> Sums | FittedDensity:
        if np.any(np.isnan(X)) and not self.takes_gaps:
            try:
                return FittedDensity(fit_observed(self.density, X, weights))
            except ValueError as error:
                raise ValueError(f"{error}; or give each column a group of its own") from error
        if self.adds:
            return Sums(self.density, self.density.statistics(self.shaped(X), weights))
        return FittedDensity(fit_density(self.density, X, weights))


@dataclass(frozen=True, eq=False)
class DensityLaws:
    """One density for every class; None for a class without rows, a complaint where the rows allow no density."""

    needs_rows = True

    part: DensityPart
    laws: list[Any]
    classes: list[Any]
    options: Options

    @property
    def weight(self) -> float:
        """v of the group."""
        return float(self.options.weights[self.part.columns[0]])

    @property
    def n_parameters(self) -> int:
        """Of all densities."""
        return sum(density_parameters(law) for law in self.laws if law is not None)

    def verify(self) -> None:
        """Raise what is wrong with the weights of the columns, or was with the rows of a class."""
        v = self.options.weights[list(self.part.columns)]
        if np.any(v != v[0]):
            raise ValueError(
                f"feature_weight={v.tolist()} within {self.part.describe(self.options.names)}, which have one factor; "
                "give them the same"
            )
        for label, law in zip(self.classes, self.laws, strict=True):
            if isinstance(law, Complaint):
                raise ValueError(f"{self.part.describe(self.options.names)}, class {label!r}: {law.text}")

    def log_densities(self, table: FeatureTable) -> Floats:
        """v log f(x | c) from the cells that are there, (n, C)."""
        X = table.numbers(self.part.columns)
        out = np.zeros((len(X), len(self.laws)))
        if self.weight == 0.0:
            return out
        there = ~np.all(np.isnan(X), axis=1)
        for k, law in enumerate(self.laws):
            if law is not None and np.any(there):
                out[there, k] = self._log_density(law, X[there])
        return self.weight * out

    def factors(self, table: FeatureTable) -> tuple[list[str], list[Floats]]:
        """One factor for the group, if one of its cells is there."""
        names = self.options.names
        if np.all(np.isnan(table.numbers(self.part.columns)[:1])):
            return [], []
        return ["+".join(str(names[j]) for j in self.part.columns)], [self.log_densities(table[:1])[0]]

    def sample(self, k: int, n: int, rng: np.random.Generator) -> dict[int, Array]:
        """A column of draws for each column of the part."""
        if self.laws[k] is None:
            raise ValueError(
                f"{self.part.describe(self.options.names)} are missing in every row of class {self.classes[k]!r}, so "
                "nothing can be drawn; drop the columns, or fill them in"
            )
        return dict(zip(self.part.columns, sample_density(self.laws[k], n, rng).T, strict=True))

    def _log_density(self, law: Any, X: Floats) -> Floats:
        if np.any(np.isnan(X)):
            try:
                return observed_log_density(law, X)
            except ValueError as error:
                raise ValueError(
                    f"some rows have only a part of {self.part.describe(self.options.names)}: {error}"
                ) from error
        return row_log_density(law, self.part.shaped(X))


Part: TypeAlias = CategoryPart | NormalPart | DensityPart
