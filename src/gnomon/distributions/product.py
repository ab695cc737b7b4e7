"""Product of independent groups of columns.

    log p(x) = Σ_g log p_g(x_g),    the groups g of columns disjoint                                (1)

Each group has a law of its own, of any family, and is fitted by itself. Feller (1968), An Introduction to Probability
Theory and Its Applications, volume 1, section V.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers, Numbers
from gnomon.distributions._base import Distribution, DistributionFamily, sum_of_logs
from gnomon.numerics.validation import assert_finite

__all__ = ["Product"]

T = TypeVar("T")

Model: TypeAlias = type[Distribution] | DistributionFamily
Models: TypeAlias = Model | Sequence[tuple[ArrayLike, Model]]


@dataclass(frozen=True, eq=False)
class PartStatistics:
    """The statistics of every group, which add group by group."""

    groups: tuple[tuple[Integers, Model], ...]
    parts: tuple[Any, ...]

    @property
    def weight(self) -> Numbers:
        """Σ sᵢ."""
        return self.parts[0].weight

    def __add__(self, other: PartStatistics) -> PartStatistics:
        return PartStatistics(self.groups, tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))


@dataclass(frozen=True, eq=False)
class Product(Distribution):
    """Law of a vector whose groups of columns are independent.

    Parameters
    ----------
    groups : sequence of (columns, law)
        Columns as an int (entries, for a law of one variable) or a sequence (rows); together every column from 0 on,
        each once. A law of one variable with one parameter for several columns serves each of them.

    References
    ----------
    Feller, W. (1968). An Introduction to Probability Theory and Its Applications, volume 1, section V.3.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Bernoulli, MultivariateNormal, Normal, Product
    >>> law = Product([(0, Bernoulli(0.25)), ([1, 2], MultivariateNormal(np.zeros(2), np.eye(2)))])
    >>> round(float(law.log_density([1, 0.0, 0.0])), 7)
    -3.2241714
    >>> X = np.array([[0.0, 1.0], [1.0, 5.0], [1.0, 3.0]])
    >>> fitted = Product.fit(X, models=[(0, Bernoulli), (1, Normal.family(ddof=1))])
    >>> fitted.mean.round(6), fitted.n_parameters
    (array([0.666667, 3.      ]), 3)
    """

    groups: Sequence[tuple[Any, Distribution]]

    vectors = True
    summed_options: ClassVar[tuple[str, ...]] = ("models",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", _checked_groups(self.groups))

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None, *, models: Models) -> PartStatistics:
        """The statistics of every group.

        Parameters
        ----------
        X : array-like of shape (n, d)
        sample_weight : array-like of shape (n,), optional
        models : a class of distributions or a family, or a sequence of (columns, such)
            One alone is for each column by itself.
        """
        X = np.asarray(X)
        if X.ndim != 2:
            raise ValueError(f"X has shape {X.shape}; give an array of shape (n, d)")
        models = _checked_groups(models if np.iterable(models) else [(j, models) for j in range(X.shape[1])])
        _check_width(X, models, "X")
        return PartStatistics(models, tuple(model.statistics(X[:, cols], sample_weight) for cols, model in models))

    @classmethod
    def from_statistics(cls, statistics: PartStatistics, *, models: Models | None = None) -> Self:
        """Each group from its own statistics; `models`, where given, must be those that these were made with."""
        if models is not None and not _same_models(models, statistics.groups):
            raise ValueError(
                f"models={models!r} are not those that the statistics were made with, {list(statistics.groups)}; leave "
                "them out, or sum the rows again"
            )
        pairs = zip(statistics.groups, statistics.parts, strict=True)
        return cls([(cols, model.from_statistics(part)) for (cols, model), part in pairs])

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return sum(cols.size for cols, _ in self.groups)

    @property
    def mean(self) -> Floats:
        """Of every column."""
        return self._spread(lambda law: law.mean)

    @property
    def var(self) -> Floats:
        """Of every column."""
        return self._spread(lambda law: law.var)

    @property
    def cov(self) -> Floats:
        """Zero between groups."""
        out = np.diag(self.var).astype(float)
        for cols, law in self.groups:
            if law.vectors:
                out[np.ix_(cols, cols)] = law.cov_matrix
        return out

    @property
    def mode(self) -> Floats:
        return self._spread(lambda law: law.mode)

    @property
    def n_parameters(self) -> int:
        return sum(law.n_parameters for _, law in self.groups)

    def log_density(self, x: ArrayLike) -> Numbers:
        x = np.asarray(x)
        rows = np.atleast_2d(x)
        _check_width(rows, self.groups, "x")
        assert_finite(rows, "x")
        out = sum_of_logs(np.stack([law.row_log_density(rows[:, cols]) for cols, law in self.groups], axis=1))
        return out if x.ndim == 2 else out[0]

    def observed_log_density(self, X: Floats) -> Floats:
        parts = [law.observed_log_density(X[:, np.atleast_1d(cols)]) for cols, law in self.groups]
        return sum_of_logs(np.stack(parts, axis=1))

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        out = np.empty((n, self.dimension))
        for cols, law in self.groups:
            draws = law.sample(n, rng)
            # A scalar law shared by several columns is drawn independently for each.
            more = [law.sample(n, rng) for _ in range(1, cols.size)] if draws.ndim == 1 else []
            out[:, np.ravel(cols)] = np.column_stack([draws, *more])
        return out

    def quantile(self, p: ArrayLike) -> Numbers:
        """Quantiles of every column by itself."""
        return self._spread(lambda law: law.quantile(p))

    def entropy(self) -> float:
        """The sum over the groups."""
        return float(sum(np.sum(np.broadcast_to(law.entropy(), _count(law, cols))) for cols, law in self.groups))

    def _spread(self, quantity: Callable[[Distribution], Numbers]) -> Floats:
        out = np.empty(self.dimension)
        for cols, law in self.groups:
            out[cols] = quantity(law)
        return out


def _same_models(models: Models, groups: tuple[tuple[Integers, Model], ...]) -> bool:
    if not np.iterable(models):
        return all(np.ndim(cols) == 0 and model == models for cols, model in groups)
    given = _checked_groups(models)
    return len(given) == len(groups) and all(
        np.array_equal(a, b) and model == other for (a, model), (b, other) in zip(given, groups, strict=True)
    )


def _count(law: Distribution, cols: Integers) -> tuple[int, ...]:
    """How often the entropy of a law enters: once for a law of vectors, else once for each column."""
    return (1,) if law.vectors else cols.shape


def _checked_groups(groups: Iterable[tuple[Any, T]]) -> tuple[tuple[Integers, T], ...]:
    groups = tuple((np.asarray(cols, dtype=int), law) for cols, law in groups)
    columns = np.concatenate([np.ravel(cols) for cols, _ in groups]) if groups else np.array([])
    if not np.array_equal(np.sort(columns), np.arange(columns.size)) or columns.size == 0:
        raise ValueError(
            f"the groups hold the columns {np.sort(columns).tolist()}; give every column from 0 on once, in one group"
        )
    return groups


def _check_width(X: Array, groups: Iterable[tuple[Integers, Any]], name: str) -> None:
    d = sum(cols.size for cols, _ in groups)
    if X.ndim != 2 or X.shape[1] != d:
        raise ValueError(f"{name} has shape {X.shape}; give rows of {d} numbers, one for each column of the groups")
