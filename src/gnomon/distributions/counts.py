"""Categorical columns of several classes: counts that add, and tables of probabilities.

    P(X_j = v | c) = (n_{cjv} + α_v) / (n_{cj} + Σ_v α_v),    v over the V_j values of column j                 (1)

n_{cjv} is the weight of the rows of class c with the value v in column j, n_{cj} their sum over v: cells that are
missing are not counted, or are a value of their own. α > 0 is the posterior mean under Dirichlet(α). In tables a value
of column j has a slot; two more slots stand for "none of the values" and for "missing" (`numerics.domains`). Good
(1965), The Estimation of Probabilities; Heckerman, Geiger & Chickering (1995), doi:10.1023/A:1022623210503.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon.distributions.conjugate import DirichletCategorical, Estimation, check_prior
from gnomon.distributions.dirichlet import Dirichlet
from gnomon.numerics.domains import Domain
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.validation import check_numbers

__all__ = [
    "CategoryCounts",
    "CategoryGaps",
    "CategoryPrior",
    "LogTable",
    "UnknownValues",
    "gather",
    "pseudo_counts",
    "smooth",
]

CategoryPrior: TypeAlias = DirichletCategorical | Dirichlet
"""A law of the probabilities of the values of a column."""

CategoryGaps: TypeAlias = Literal["marginalize", "state", "error"]
"""Missing cells are integrated out, are a value of their own, or are refused."""

UnknownValues: TypeAlias = Literal["floor", "ignore", "error"]
"""A value that its column does not have counts as never met, has the factor one, or is refused."""


@dataclass(frozen=True)
class CategoryCounts:
    """n of equation (1): the weight of every class, and for each column the weight of every slot but "none".

    Parameters
    ----------
    weight : ndarray of shape (C,)
    names : tuple
        Of the columns.
    domains : tuple of Domain
    counts : tuple of ndarray of shape (C, V + 1)
        Missing cells are last.

    References
    ----------
    Good, I. J. (1965). The Estimation of Probabilities: An Essay on Modern Bayesian Methods.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import CategoryCounts
    >>> from gnomon.numerics.domains import Domain
    >>> hue, codes = (Domain(2, ("blue", "red")),), np.array([[0], [1], [1], [3]])
    >>> counts = CategoryCounts.of_codes(codes, ("hue",), hue, np.array([0, 0, 1, 1]), np.array([2.0, 2.0]))
    >>> counts.counts[0].tolist(), (counts + counts).counts[0].tolist()
    ([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], [[2.0, 2.0, 0.0], [0.0, 2.0, 2.0]])
    >>> counts.tables([1.0])[0].probabilities.round(4).tolist()
    [[0.5, 0.5], [0.3333, 0.6667]]
    """

    weight: Array
    names: tuple[Any, ...]
    domains: tuple[Domain, ...]
    counts: tuple[Floats, ...]

    @classmethod
    def of_codes(
        cls,
        codes: Integers,
        names: tuple[Any, ...],
        domains: tuple[Domain, ...],
        index: Integers,
        class_weight: Array,
        weights: Floats | None = None,
    ) -> Self:
        """The counts of rows of slots (n, d), with the classes `index` and weights of one by default."""
        ends = np.cumsum([0, *(domain.size + 2 for domain in domains)])
        s = np.ones(len(codes)) if weights is None else weights.astype(float)
        k = len(class_weight)

        def work(rows: slice) -> Floats:
            return _count(codes[rows], ends[:-1], index[rows], s[rows], np.zeros((ends[-1], k)))

        chunks = split_rows(len(codes), max(1, min(8, codes.size // 2**18)))
        total = reduce(np.add, map_chunks(work, chunks, blas_threads()))
        tables = [total[a:b].T for a, b in pairwise(ends)]
        return cls(class_weight, names, domains, tuple(np.delete(table, -2, axis=1) for table in tables))

    def __add__(self, other: Self) -> Self:
        domains = tuple(map(Domain.joined, self.domains, other.domains, self.names))
        both = []
        for place, domain in enumerate(domains):
            total = np.zeros((len(self.weight), domain.size + 1))
            for part in (self, other):
                # Codes without a name have no counts, but may share a position with named ones.
                np.add.at(total.T, domain.slots_of(part.domains[place]), part.counts[place].T)
            both.append(total)
        return replace(self, weight=self.weight + other.weight, domains=domains, counts=tuple(both))

    def sizes(self, missing: CategoryGaps = "marginalize") -> list[int]:
        """How many values each column has: with "state", missing cells are one more where there were some."""
        gaps = [missing == "state" and bool(np.any(counts[:, -1] > 0.0)) for counts in self.counts]
        return [domain.size + gap for domain, gap in zip(self.domains, gaps, strict=True)]

    def tables(
        self,
        alphas: Sequence[ArrayLike],
        *,
        missing: CategoryGaps = "marginalize",
        handle_unknown: UnknownValues = "floor",
        estimate: Estimation = "mle",
        priors: Sequence[CategoryPrior] | None = None,
    ) -> list[LogTable]:
        """The tables (1) of every column.

        Parameters
        ----------
        alphas : list
            α of each column: a number, or one for each of its values.
        missing : {"marginalize", "state", "error"}
            With "state" missing cells are a value of columns in which some were missing; else they have the factor one.
        handle_unknown : {"floor", "ignore", "error"}
            A value that the domain does not have counts as one that was never met; or has the factor one.
        estimate, priors
            As in `pseudo_counts`; one prior for each column.
        """
        out = []
        for place, (size, domain) in enumerate(zip(self.sizes(missing), self.domains, strict=True)):
            is_state, labels = size > domain.size, domain.labels
            counts = self.counts[place][:, :size]
            prior = None if priors is None else priors[place]
            added = pseudo_counts(alphas[place], estimate, prior, size, f"column {self.names[place]!r}")
            p = smooth(counts, added)
            unseen = _floor(counts, added) if handle_unknown == "floor" else np.ones(len(counts))
            gap = p[:, -1] if is_state else np.ones(len(counts))
            with np.errstate(divide="ignore"):
                logs = np.log(np.column_stack([p[:, : domain.size], unseen, gap]))
            labels = np.append(labels.astype(object), [None]) if is_state else labels
            out.append(LogTable(np.ascontiguousarray(logs.T), p, labels, is_state))
        return out


@jit
def _count(codes: Integers, starts: Integers, index: Integers, s: Floats, out: Floats) -> Floats:
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            out[starts[j] + codes[i, j], index[i]] += s[i]
    return out


def pseudo_counts(
    alpha: ArrayLike, estimate: Estimation, prior: CategoryPrior | None, n_values: int, what: str
) -> Floats:
    """What is added to the counts: α, or the parameters of a Dirichlet prior for its mean, less one for its mode.

    Parameters
    ----------
    alpha : float or array-like of shape (n_values,)
    estimate : {"mle", "map", "predictive"}
        With a prior, its mode or its mean; without one it has no effect.
    prior : DirichletCategorical or Dirichlet, optional
        In the place of α.
    n_values : int
    what : str
        Whose values they are, for messages.

    Returns
    -------
    ndarray of shape (n_values,)

    References
    ----------
    Good, I. J. (1965). The Estimation of Probabilities: An Essay on Modern Bayesian Methods.

    Examples
    --------
    >>> from gnomon.distributions import Dirichlet, pseudo_counts
    >>> prior = Dirichlet([2.0, 3.0])
    >>> [pseudo_counts(1.0, estimate, prior, 2, "a column").tolist() for estimate in ("map", "predictive")]
    [[1.0, 2.0], [2.0, 3.0]]
    """
    if prior is None:
        return np.broadcast_to(check_numbers("alpha", alpha), (n_values,))
    check_prior(prior, (DirichletCategorical, Dirichlet))
    added = np.asarray(prior.alpha, dtype=float) - (estimate == "map")
    if added.shape != (n_values,):
        raise ValueError(
            f"parameter_prior has {added.shape[-1]} values where {what} has {n_values}; give one parameter for each"
        )
    return added


def smooth(counts: Floats, added: Floats) -> Floats:
    """Probabilities by equation (1), along the last axis.

    Nothing counted and nothing added leaves 0/0, whose limit as α falls to 0 is the uniform law.

    Parameters
    ----------
    counts : ndarray of shape (..., V)
    added : ndarray of shape (V,)
        α; where it is negative, of a mode at the border, it takes away no more than there is.

    Returns
    -------
    ndarray of shape (..., V)

    References
    ----------
    Good, I. J. (1965). The Estimation of Probabilities: An Essay on Modern Bayesian Methods.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import smooth
    >>> smooth(np.array([[3.0, 0.0], [0.0, 0.0]]), np.array([1.0, 1.0])).tolist()
    [[0.8, 0.2], [0.5, 0.5]]
    """
    raised = np.maximum(counts + added, 0.0)
    raised = np.where(np.sum(raised, axis=-1, keepdims=True) > 0.0, raised, 1.0)
    return raised / np.sum(raised, axis=-1, keepdims=True)


def _floor(counts: Floats, added: Floats) -> Floats:
    """α/(n + Σα): the probability of a value that was never met, with the α of an average one."""
    mass = np.sum(np.maximum(counts + added, 0.0), axis=1)
    average = max(float(np.sum(added)) / max(added.size, 1), 0.0)
    return np.divide(average, mass, out=np.zeros_like(mass), where=mass > 0.0)


@dataclass(frozen=True)
class LogTable:
    """log P(slot | class) of one column.

    Where missing cells are a state, it is the last of the probabilities, and the last label is None.

    Parameters
    ----------
    logs : ndarray of shape (V + 2, C)
    probabilities : ndarray of shape (C, V)
    labels : ndarray
        The values behind the probabilities, as far as they have names.
    is_state : bool
        Whether missing cells are a value.

    References
    ----------
    Good, I. J. (1965). The Estimation of Probabilities: An Essay on Modern Bayesian Methods.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import CategoryCounts
    >>> from gnomon.numerics.domains import Domain
    >>> codes, hue = np.array([[0], [1], [1], [3]]), (Domain(2, ("blue", "red")),)
    >>> counts = CategoryCounts.of_codes(codes, ("hue",), hue, np.zeros(4, dtype=int), np.array([4.0]))
    >>> (table,) = counts.tables([1.0], missing="state")
    >>> table.values, table.probabilities.round(4).tolist()
    (['blue', 'red', None], [[0.2857, 0.4286, 0.2857]])
    >>> table.sample(0, 3, np.random.default_rng(0)).tolist()
    ['red', 'blue', 'blue']
    """

    logs: Floats
    probabilities: Floats
    labels: Array
    is_state: bool

    @property
    def values(self) -> list[Any]:
        """What every probability belongs to; a value that is known to exist but not by name is its number."""
        named = self.labels.tolist()[: len(self.labels) - self.is_state]
        unnamed = range(len(named), self.probabilities.shape[1] - self.is_state)
        return [*named, *unnamed, *([None] if self.is_state else [])]

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """n values of the column from the law of class k; None is a missing cell."""
        p = self.probabilities[k]
        slots = rng.choice(len(p), size=n, p=p / np.sum(p))
        values = self.values
        return np.array([values[slot] for slot in slots], dtype=object)


def gather(codes: Integers, tables: Sequence[Floats], weights: Floats | None = None) -> Floats:
    """Σ_j v_j log P(x_ij | c) for rows of slots, shape (n, C); `weights` are v, one by default.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions.counts import gather
    >>> logs = np.log([[0.25, 0.5], [0.75, 0.5], [1.0, 1.0], [1.0, 1.0]])
    >>> np.exp(gather(np.array([[0, 1], [1, 3]]), [logs, logs])).round(4).tolist()
    [[0.1875, 0.25], [0.75, 0.5]]
    """
    starts = np.cumsum([0, *(len(table) for table in tables)])[:-1]
    if weights is not None:
        # A weight of zero drops the column, impossible values included.
        tables = [v * table if v > 0.0 else np.zeros_like(table) for v, table in zip(weights, tables, strict=True)]
    stacked = np.concatenate(tables)
    out = np.empty((len(codes), stacked.shape[1]))

    def work(rows: slice) -> None:
        _gather(codes[rows], starts, stacked, out[rows])

    map_chunks(work, split_rows(len(codes), max(1, min(16, codes.size // 2**16))), blas_threads())
    return out


@jit
def _gather(codes: Integers, starts: Integers, stacked: Floats, out: Floats) -> None:
    for i in range(codes.shape[0]):
        for c in range(out.shape[1]):
            out[i, c] = 0.0
        for j in range(codes.shape[1]):
            slot = starts[j] + codes[i, j]
            for c in range(out.shape[1]):
                out[i, c] += stacked[slot, c]
