"""Categorical columns of several classes: domains, counts that add, and tables of probabilities.

    P(X_j = v | c) = (n_{cjv} + α_v) / (n_{cj} + Σ_v α_v),    v over the V_j values of column j                 (1)

n_{cjv} is the weight of the rows of class c with the value v in column j, n_{cj} their sum over v: cells that are
missing are not counted, or are a value of their own. α > 0 is the posterior mean under Dirichlet(α). In tables a value
of column j has a slot; two more slots stand for "none of the values" and for "missing".
"""

from dataclasses import dataclass, replace
from itertools import pairwise, repeat

import numpy as np

from gnomon._jit import jit
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows

__all__ = [
    "CategoryCounts",
    "Domain",
    "count_cells",
    "domains_of",
    "encode",
    "gather",
    "log_tables",
    "pseudo_counts",
    "smooth",
]

MOST_VALUES = 10**7
"""A table of more values than this is a mistake: an identifier, or a measurement."""


@dataclass(frozen=True)
class Domain:
    """The values of a column: listed, or the codes 0 … size − 1, to which numbers are cut, where `values` is None.

    `size` may exceed the number of values that are listed: then some are known to exist but not by name. A domain that
    was `declared` takes no others.
    """

    size: int
    values: tuple | None = None
    declared: bool = False

    @property
    def labels(self):
        """The values in order, as an array."""
        if self.values is None:
            return np.arange(self.size)
        kinds = {type(value) for value in self.values}
        return np.array(self.values) if kinds == {str} else np.array(self.values, dtype=object)

    def codes(self, column):
        """The slot of every cell: that of its value, `size` for none of them, `size` + 1 where it is missing."""
        if self.values is None:
            if not column.is_number:
                return np.where(column.missing, self.size + 1, self.size)
            cells = np.trunc(np.where(column.missing, 0.0, column.cells))
            codes = np.where((cells >= 0.0) & (cells < self.size), cells, self.size).astype(np.intp)
            return np.where(column.missing, self.size + 1, codes)
        slots = {value: slot for slot, value in enumerate(self.values)}
        cells = column.cells.tolist()
        codes = np.fromiter(map(slots.get, cells, repeat(self.size)), dtype=np.intp, count=len(cells))
        return np.where(column.missing, self.size + 1, codes)

    def joined(self, other, name):
        """The domain of both."""
        if self.declared or (self.values is None) != (other.values is None):
            if self == other or self.declared:
                return self
            raise ValueError(f"column {name!r} held numbers in one chunk and other values in another; convert it")
        if self.values is None:
            return Domain(max(self.size, other.size))
        values = ordered(set(self.values) | set(other.values))
        return Domain(max(len(values), self.size, other.size), values)

    def slots_of(self, other):
        """Where the values of another domain, and its slot for missing cells, are in this one's counts."""
        if self.values is None or self == other:
            places = np.arange(other.size)
        else:
            unnamed = range(len(other.values), other.size)
            places = np.array([*map(self.values.index, other.values), *unnamed], dtype=np.intp)
        return np.append(places, self.size)


def ordered(values):
    """Values sorted, numbers before strings."""
    return tuple(sorted(values, key=lambda value: (isinstance(value, str), value)))


def domains_of(table, which, categories="auto", min_categories=None):
    """The domains of the columns `which`: declared by `categories` or by the column, else what the cells hold."""
    least = _least_sizes(min_categories, len(which))
    return tuple(
        _domain(table.column(j), table.names[j], declared, int(size))
        for j, declared, size in zip(which, _declared(categories, table.names, which), least, strict=True)
    )


def _declared(categories, names, which):
    if isinstance(categories, str) and categories == "auto":
        return [None] * len(which)
    if isinstance(categories, dict):
        unknown = [name for name in categories if name not in names]
        if unknown:
            raise ValueError(f"categories names the column {unknown[0]!r}, which X does not have; it has {list(names)}")
        return [categories.get(names[j]) for j in which]
    if isinstance(categories, str) or len(categories) != len(which):
        raise ValueError(
            f"categories={categories!r} must be 'auto', a list with the values of each of the {len(which)} columns, or "
            "a dict from the name of a column to its values"
        )
    return list(categories)


def _least_sizes(min_categories, d):
    if min_categories is None:
        return np.zeros(d, dtype=int)
    least = np.asarray(min_categories)
    if least.dtype.kind != "i":
        raise ValueError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
    if least.shape not in ((), (d,)):
        raise ValueError(f"'min_categories' should have shape ({d},) when an array-like is provided. Got {least.shape}")
    return np.broadcast_to(least, (d,))


def _domain(column, name, declared, least):
    if declared is None:
        declared = column.declared
    if declared is not None:
        values = tuple(value.item() if isinstance(value, np.generic) else value for value in declared)
        if len(set(values)) != len(values) or not values:
            raise ValueError(f"the categories of column {name!r} are {list(values)}; list each value once")
        return Domain(len(values), values, declared=True)
    present = column.cells[~column.missing]
    if len(present) == 0:
        if least == 0:
            raise ValueError(f"column {name!r} has no cells, all are missing; drop it, or declare its categories")
        return Domain(least)
    if not column.is_number:
        values = ordered(set(present.tolist()))
        return Domain(max(len(values), least), values)
    if np.min(present) <= -1.0:
        raise ValueError(
            f"Negative values in data passed to a categorical model: column {name!r} holds {np.min(present):g}; codes "
            "are whole numbers from 0 on, so recode it, or declare its categories"
        )
    if np.max(present) >= MOST_VALUES:
        raise ValueError(
            f"column {name!r} holds {np.max(present):g}; codes run from 0 to the largest, which would be too many, so "
            "make them strings, or declare the categories"
        )
    return Domain(max(int(np.max(present)) + 1, least))


def encode(table, which, domains):
    """Slots of all cells of the columns `which`, shape (n, len(which))."""
    out = np.empty((len(table), len(which)), dtype=np.intp)
    if _are_codes(table.matrix):
        # Whole numbers need no look-up, only a limit.
        X = table.matrix[:, which]
        sizes = np.array([domain.size for domain in domains])
        np.minimum(X, sizes, out=out, casting="unsafe")
        return np.where(X < 0, sizes, out) if X.dtype.kind == "i" else out
    for place, (j, domain) in enumerate(zip(which, domains, strict=True)):
        out[:, place] = domain.codes(table.column(j))
    return out


def _are_codes(matrix):
    return matrix is not None and matrix.dtype.kind in "iub"


@dataclass(frozen=True)
class CategoryCounts:
    """Weight of every class, and for each column the weight of every slot but "none": (C, V + 1), missing last."""

    weight: np.ndarray
    names: tuple
    domains: tuple
    counts: tuple

    def __add__(self, other):
        domains = tuple(map(Domain.joined, self.domains, other.domains, self.names))
        both = []
        for place, domain in enumerate(domains):
            total = np.zeros((len(self.weight), domain.size + 1))
            for part in (self, other):
                total[:, domain.slots_of(part.domains[place])] += part.counts[place]
            both.append(total)
        return replace(self, weight=self.weight + other.weight, domains=domains, counts=tuple(both))


def count_cells(table, which, domains, index, class_weight, weights=None):
    """The counts of equation (1) for the columns `which`."""
    codes = encode(table, which, domains)
    names = tuple(table.names[j] for j in which)
    _refuse_undeclared(table, which, domains, codes)
    ends = np.cumsum([0, *(domain.size + 2 for domain in domains)])
    s = np.ones(len(codes)) if weights is None else weights.astype(float)
    k = len(class_weight)

    def work(rows):
        return _count(codes[rows], ends[:-1], index[rows], s[rows], np.zeros((ends[-1], k)))

    total = sum(map_chunks(work, split_rows(len(codes), max(1, min(8, codes.size // 2**18))), blas_threads()))
    tables = [total[a:b].T for a, b in pairwise(ends)]
    return CategoryCounts(class_weight, names, domains, tuple(np.delete(table, -2, axis=1) for table in tables))


def _refuse_undeclared(table, which, domains, codes):
    sizes = np.array([domain.size for domain in domains])
    outside = codes == sizes
    if np.any(outside):
        row, place = np.argwhere(outside)[0]
        cell = table.column(which[place]).cells[row]
        raise ValueError(
            f"column {table.names[which[place]]!r} holds {cell!r} in row {row}, which is not among its categories "
            f"{domains[place].labels.tolist()}; add it there, or correct the cell"
        )


@jit
def _count(codes, starts, index, s, out):
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            out[starts[j] + codes[i, j], index[i]] += s[i]
    return out


def pseudo_counts(alpha, estimate, prior, n_values, what):
    """What is added to the counts: α, or the parameters of a Dirichlet prior for its mean, less one for its mode."""
    if prior is None:
        return np.broadcast_to(np.asarray(alpha, dtype=float), (n_values,))
    added = np.asarray(prior.alpha, dtype=float) - (estimate == "map")
    if added.shape != (n_values,):
        raise ValueError(
            f"parameter_prior has {added.shape[-1]} values where {what} has {n_values}; give one parameter for each"
        )
    return added


def smooth(counts, added):
    """Probabilities by equation (1), along the last axis.

    Nothing counted and nothing added leaves 0/0, whose limit as α falls to 0 is the uniform law.
    """
    raised = np.maximum(counts + added, 0.0)
    raised = np.where(np.sum(raised, axis=-1, keepdims=True) > 0.0, raised, 1.0)
    return raised / np.sum(raised, axis=-1, keepdims=True)


@dataclass(frozen=True)
class LogTable:
    """log P(slot | class) of one column, (V + 2, C); the probabilities (C, V) and the labels behind it."""

    logs: np.ndarray
    probabilities: np.ndarray
    labels: np.ndarray


def log_tables(statistics, alphas, *, missing="marginalize", handle_unknown="floor", estimate="mle", priors=None):
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
        is_state = missing == "state" and bool(np.any(counts[:, -1] > 0.0))
        kept = counts if is_state else counts[:, :-1]
        prior = None if priors is None else priors[place]
        what = f"column {statistics.names[place]!r}"
        added = pseudo_counts(alphas[place], estimate, prior, kept.shape[1], what)
        labels = np.append(domain.labels.astype(object), None) if is_state else domain.labels
        p = smooth(kept, added)
        unseen = _floor(kept, added) if handle_unknown == "floor" else np.ones(len(kept))
        gap = p[:, -1] if is_state else np.ones(len(kept))
        with np.errstate(divide="ignore"):
            logs = np.log(np.column_stack([p[:, : domain.size], unseen, gap]))
        out.append(LogTable(np.ascontiguousarray(logs.T), p, labels))
    return out


def _floor(counts, added):
    """α/(n + Σα): the probability of a value that was never met, with the α of an average one."""
    mass = np.sum(np.maximum(counts + added, 0.0), axis=1)
    return np.divide(max(float(np.mean(added)), 0.0), mass, out=np.zeros_like(mass), where=mass > 0.0)


def gather(codes, tables, weights=None):
    """Σ_j v_j log P(x_ij | c) for rows of slots, shape (n, C)."""
    starts = np.cumsum([0, *(len(table) for table in tables)])[:-1]
    if weights is not None:
        # A weight of zero drops the column, impossible values included.
        tables = [v * table if v > 0.0 else np.zeros_like(table) for v, table in zip(weights, tables, strict=True)]
    stacked = np.concatenate(tables)
    out = np.empty((len(codes), stacked.shape[1]))

    def work(rows):
        _gather(codes[rows], starts, stacked, out[rows])

    map_chunks(work, split_rows(len(codes), max(1, min(16, codes.size // 2**16))), blas_threads())
    return out


@jit
def _gather(codes, starts, stacked, out):
    for i in range(codes.shape[0]):
        for c in range(out.shape[1]):
            out[i, c] = 0.0
        for j in range(codes.shape[1]):
            slot = starts[j] + codes[i, j]
            for c in range(out.shape[1]):
                out[i, c] += stacked[slot, c]
