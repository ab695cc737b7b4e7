"""Categorical columns of several classes: counts that add, and tables of probabilities.

    P(X_j = v | c) = (n_{cjv} + α_v) / (n_{cj} + Σ_v α_v),    v over the V_j values of column j                 (1)

n_{cjv} is the weight of the rows of class c with the value v in column j, n_{cj} their sum over v: cells that are
missing are not counted, or are a value of their own. α > 0 is the posterior mean under Dirichlet(α). In tables a value
of column j has a slot; two more slots stand for "none of the values" and for "missing".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon.distributions import Dirichlet, DirichletCategorical
from gnomon.generative._coded import refuse_undeclared, with_gap
from gnomon.generative._naive import check_alpha, check_prior
from gnomon.generative._words import CategoryGaps, Estimation, UnknownValues
from gnomon.numerics.domains import Domain, encode
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.tables import FeatureTable
from gnomon.numerics.validation import check_numbers

__all__ = [
    "CategoryCounts",
    "CategoryPrior",
    "LogTable",
    "column_alphas",
    "column_factors",
    "count_cells",
    "draw",
    "gather",
    "log_tables",
    "pseudo_counts",
    "smooth",
]

CategoryPrior: TypeAlias = DirichletCategorical | Dirichlet
"""A law of the probabilities of the values of a column."""


@dataclass(frozen=True)
class CategoryCounts:
    """Weight of every class, and for each column the weight of every slot but "none": (C, V + 1), missing last."""

    weight: Array
    names: tuple[Any, ...]
    domains: tuple[Domain, ...]
    counts: tuple[Floats, ...]

    def __add__(self, other: CategoryCounts) -> CategoryCounts:
        domains = tuple(map(Domain.joined, self.domains, other.domains, self.names))
        both = []
        for place, domain in enumerate(domains):
            total = np.zeros((len(self.weight), domain.size + 1))
            for part in (self, other):
                # Codes without a name have no counts, but may share a position with named ones.
                np.add.at(total.T, domain.slots_of(part.domains[place]), part.counts[place].T)
            both.append(total)
        return replace(self, weight=self.weight + other.weight, domains=domains, counts=tuple(both))


def count_cells(
    table: FeatureTable,
    which: Sequence[int],
    domains: tuple[Domain, ...],
    index: Integers,
    class_weight: Array,
    weights: Floats | None = None,
) -> CategoryCounts:
    """The counts of equation (1) for the columns `which`."""
    codes = encode(table, which, domains)
    names = tuple(table.names[j] for j in which)
    refuse_undeclared(table, which, domains, codes)
    ends = np.cumsum([0, *(domain.size + 2 for domain in domains)])
    s = np.ones(len(codes)) if weights is None else weights.astype(float)
    k = len(class_weight)

    def work(rows: slice) -> Floats:
        return _count(codes[rows], ends[:-1], index[rows], s[rows], np.zeros((ends[-1], k)))

    chunks = split_rows(len(codes), max(1, min(8, codes.size // 2**18)))
    total = reduce(np.add, map_chunks(work, chunks, blas_threads()))
    tables = [total[a:b].T for a, b in pairwise(ends)]
    return CategoryCounts(class_weight, names, domains, tuple(np.delete(table, -2, axis=1) for table in tables))


@jit
def _count(codes: Integers, starts: Integers, index: Integers, s: Floats, out: Floats) -> Floats:
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            out[starts[j] + codes[i, j], index[i]] += s[i]
    return out


def pseudo_counts(
    alpha: ArrayLike, estimate: Estimation, prior: CategoryPrior | None, n_values: int, what: str
) -> Floats:
    """What is added to the counts: α, or the parameters of a Dirichlet prior for its mean, less one for its mode."""
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
    """
    raised = np.maximum(counts + added, 0.0)
    raised = np.where(np.sum(raised, axis=-1, keepdims=True) > 0.0, raised, 1.0)
    return raised / np.sum(raised, axis=-1, keepdims=True)


@dataclass(frozen=True)
class LogTable:
    """log P(slot | class) of one column, (V + 2, C); the probabilities (C, V) and the labels behind it.

    Where missing cells are a state, it is the last of the probabilities, and the last label is None.
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


def log_tables(
    statistics: CategoryCounts,
    alphas: Sequence[ArrayLike],
    *,
    missing: CategoryGaps = "marginalize",
    handle_unknown: UnknownValues = "floor",
    estimate: Estimation = "mle",
    priors: Sequence[CategoryPrior] | None = None,
) -> list[LogTable]:
    """The tables of every column.

    Parameters
    ----------
    statistics : CategoryCounts
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
    for place, (counts, domain) in enumerate(zip(statistics.counts, statistics.domains, strict=True)):
        is_state = _is_state(counts, missing)
        kept = counts if is_state else counts[:, :-1]
        prior = None if priors is None else priors[place]
        what = f"column {statistics.names[place]!r}"
        added = pseudo_counts(alphas[place], estimate, prior, kept.shape[1], what)
        labels = with_gap(domain.labels) if is_state else domain.labels
        p = smooth(kept, added)
        unseen = _floor(kept, added) if handle_unknown == "floor" else np.ones(len(kept))
        gap = p[:, -1] if is_state else np.ones(len(kept))
        with np.errstate(divide="ignore"):
            logs = np.log(np.column_stack([p[:, : domain.size], unseen, gap]))
        out.append(LogTable(np.ascontiguousarray(logs.T), p, labels, is_state))
    return out


def _floor(counts: Floats, added: Floats) -> Floats:
    """α/(n + Σα): the probability of a value that was never met, with the α of an average one."""
    mass = np.sum(np.maximum(counts + added, 0.0), axis=1)
    average = max(float(np.sum(added)) / max(added.size, 1), 0.0)
    return np.divide(average, mass, out=np.zeros_like(mass), where=mass > 0.0)


def column_alphas(
    alpha: ArrayLike | Sequence[ArrayLike],
    statistics: CategoryCounts,
    missing: CategoryGaps = "marginalize",
    *,
    force_alpha: bool = True,
) -> list[Floats]:
    """α for each column: a number, or one for each of its values (and for the state of missing cells)."""
    d = len(statistics.domains)
    if not np.iterable(alpha):
        return [check_alpha(alpha, (), force_alpha=force_alpha)] * d
    if len(alpha) != d:
        raise ValueError(f"alpha has {len(alpha)} entries for {d} columns; give one number, or one entry for each")
    sizes = [
        domain.size + _is_state(counts, missing)
        for domain, counts in zip(statistics.domains, statistics.counts, strict=True)
    ]
    return [check_alpha(a, (size,), force_alpha=force_alpha) for a, size in zip(alpha, sizes, strict=True)]


def _is_state(counts: Floats, missing: CategoryGaps) -> bool:
    """Whether missing cells are a value of their own: there must have been some."""
    return missing == "state" and bool(np.any(counts[:, -1] > 0.0))


def draw(table: LogTable, k: int, n: int, rng: np.random.Generator) -> Array:
    """n values of a column from the law of class k; None is a missing cell."""
    p = table.probabilities[k]
    slots = rng.choice(len(p), size=n, p=p / np.sum(p))
    values = table.values
    return np.array([values[slot] for slot in slots], dtype=object)


def column_factors(
    codes: Integers, tables: Sequence[LogTable], domains: Sequence[Domain], weights: Floats | None = None
) -> tuple[list[int], Floats]:
    """Places of the columns whose cell in the first row has a factor, and these v_j log P(x_j | c), (m, C)."""
    pairs = enumerate(zip(tables, domains, strict=True))
    there = [j for j, (table, domain) in pairs if table.is_state or codes[0, j] <= domain.size]
    v = np.ones(len(tables)) if weights is None else weights
    terms = [gather(codes[:1, [j]], [tables[j].logs], v[[j]])[0] for j in there]
    return there, np.reshape(terms, (len(there), tables[0].logs.shape[1]))


def gather(codes: Integers, tables: Sequence[Floats], weights: Floats | None = None) -> Floats:
    """Σ_j v_j log P(x_ij | c) for rows of slots, shape (n, C)."""
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
