"""The table of all combinations of values: Bayes' rule without any assumption of independence.

    P(x | c) = (n_{c,x} + α) / (N_c + α ∏_j V_j),    n_{c,x} the weight of rows of class c that equal x           (1)

One cell for each of the ∏ V_j combinations. With few rows most are empty, which is why naive Bayes, with Σ V_j numbers
in place of ∏ V_j, mostly does better; with many rows the table needs no assumption. Missing values are summed over; in
`fit` EM shares a row that has some among the cells it may belong to: Dempster, Laird & Rubin (1977), section 4.1,
doi:10.1111/j.2517-6161.1977.tb01600.x. Duda, Hart & Stork (2001), Pattern Classification, section 2.9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import xlogy
from sklearn.utils import Tags

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, Integers, TableLike
from gnomon.generative._coded import CodedRows, declared_codes, known_codes, read_table, refuse_empty
from gnomon.generative._naive import NaiveClassifier, check_alpha
from gnomon.generative._rows import LabelledRows
from gnomon.generative._words import CategoryGaps, UnknownValues, ZeroPolicy
from gnomon.numerics.domains import Categories, Domain, domains_of, sizes_of
from gnomon.numerics.weights import Priors
from gnomon.optim import em, observed_rows, warn_unless_em_converged

__all__ = ["JointTableClassifier"]

MOST_CELLS = 10**7
GAP, UNKNOWN = -1, -2
"""Codes of cells that are missing, and of values that their column does not have."""


class JointTableClassifier(NaiveClassifier):
    """Bayes' rule over the joint table of categorical columns, equation (1).

    Parameters
    ----------
    alpha : float, default=0.0
        Pseudo-count of every cell; 0 is maximum likelihood.
    priors : None, "uniform", array-like of shape (n_classes,) or dict, default=None
        Class priors; None takes the weighted shares of the classes.
    prior_alpha : float, default=0.0
        Pseudo-count of every class where the priors are shares.
    categories : "auto", list of array-like, or dict, default="auto"
        The values of every column, met or not, as in `CategoricalNB`.
    handle_unknown : {"floor", "ignore", "error"}, default="floor"
        A value that is none of them, at prediction: the row is one that was never met, with a warning; the column is
        summed over as if it were missing; or an error.
    missing : {"marginalize", "state", "error"}, default="marginalize"
        NaN and None: at prediction the table is summed over the column, in `fit` EM shares the row among the cells it
        may belong to. "state": a value of its own. "error": refused.
    zero_policy : {"prior", "raise"}, default="prior"
        For a row to which every class gives probability zero: the posterior is the prior, with a warning; or an error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_, class_prior_, class_log_prior_ : ndarray of shape (n_classes,)
    categories_ : list of ndarray
        The values of each column; None among them is the state of missing cells.
    n_cells_ : int
        ∏ V_j, at most 10⁷.
    statistics_ : JointCounts
        The cells that were met, and their counts: what `partial_fit` adds to.
    n_parameters_ : int
    score_type_ : str
        "llr".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Duda, R. O., Hart, P. E. & Stork, D. G. (2001). Pattern Classification, section 2.9. Wiley.

    Dempster, A. P., Laird, N. M. & Rubin, D. B. (1977). Maximum likelihood from incomplete data via the EM algorithm,
    section 4.1. doi:10.1111/j.2517-6161.1977.tb01600.x

    Examples
    --------
    >>> from gnomon.datasets import load_weather_play
    >>> from gnomon.generative import JointTableClassifier
    >>> weather = load_weather_play()
    >>> model = JointTableClassifier(alpha=1).fit(weather.data, weather.target)
    >>> model.n_cells_, model.n_parameters_
    (36, 71)
    >>> model.predict_proba([["sunny", "hot", "high", "true"]]).round(6)
    array([[0.549451, 0.450549]])
    """

    _stored: ClassVar[dict[str, str]] = {"_cells": "int (n_met, n_joint)", "_counts": "(n_met, n_classes)"}

    def __init__(
        self,
        alpha: float = 0.0,
        *,
        priors: Priors = None,
        prior_alpha: float = 0.0,
        categories: Categories = "auto",
        handle_unknown: UnknownValues = "floor",
        missing: CategoryGaps = "marginalize",
        zero_policy: ZeroPolicy = "prior",
    ):
        self.alpha = alpha
        self.priors = priors
        self.prior_alpha = prior_alpha
        self.categories = categories
        self.handle_unknown = handle_unknown
        self.missing = missing
        self.zero_policy = zero_policy

    @property
    def n_parameters_(self) -> int:
        return len(self.classes_) * self.n_cells_ - 1

    def _read(self, X: TableLike, y: ArrayLike | None = "no_validation", *, reset: bool = True) -> Any:
        return read_table(self, X, y, reset=reset)

    def _statistics(self, rows: LabelledRows, before: Any = None) -> JointCounts:
        which = range(self.n_features_in_)
        domains = domains_of(rows.X, which, self.categories)
        codes = declared_codes(rows.X, which, domains)
        gaps = codes > sizes_of(domains)
        weights = np.ones(len(codes)) if rows.weights is None else rows.weights
        counts = np.zeros((len(codes), len(rows.classes)))
        counts[np.arange(len(codes)), rows.index] = weights
        return JointCounts(rows.counts, rows.X.names, domains, np.where(gaps, GAP, codes), counts).merged()

    def _solve(self, found: JointCounts) -> None:
        self._alpha = check_alpha(self.alpha, (), force_alpha=True).item()
        gaps = found.cells == GAP
        self._states = np.any(gaps, axis=0) & (self.missing == "state")
        pairs = list(zip(found.domains, self._states, strict=True))
        self._sizes = [max(domain.size, 1) + int(state) for domain, state in pairs]
        self.categories_ = [np.append(x.labels.astype(object), [None]) if state else x.labels for x, state in pairs]
        self.n_cells_ = math.prod(self._sizes)
        if self.n_cells_ > MOST_CELLS:
            raise ValueError(
                f"the joint table of {len(self._sizes)} columns has {self.n_cells_:.3g} cells, more than 10⁷; take "
                "CategoricalNB, or fewer columns or values"
            )
        self._cells, self._counts = np.where(gaps, np.array(self._sizes) - 1, found.cells), found.counts
        if np.any(gaps) and self.missing == "marginalize":
            self._cells, self._counts = shared_counts(found, self._sizes, self._alpha)

    def _verify(self) -> None:
        refuse_empty(self.statistics_)

    def _class_priors(self) -> Priors:
        return self.priors

    def _rows(self, X: AnyRows) -> CodedRows:
        table, domains = super()._rows(X), self.statistics_.domains
        which = range(self.n_features_in_)
        codes, sizes = known_codes(table, which, domains, self.handle_unknown), sizes_of(domains)
        unknown = GAP if self.handle_unknown == "ignore" else UNKNOWN
        gap = np.where(self._states, sizes, GAP)
        codes = np.where(codes > sizes, gap, np.where(codes == sizes, unknown, codes))
        return CodedRows(codes, table.dtype)

    def _class_log_densities(self, rows: CodedRows) -> Floats:
        codes = rows.codes
        out = np.empty((len(codes), len(self.classes_)))
        for part in observed_rows(np.where(codes == GAP, np.nan, codes)):
            out[part.rows] = self._marginal(part.columns, part.X.astype(int))
        return out

    def _marginal(self, columns: Integers, codes: Integers) -> Floats:
        """log P(x_o | c) of rows of codes in some columns, the table summed over the others."""
        sizes = [self._sizes[j] for j in columns]
        keys, place = np.unique(_keys(self._cells[:, columns], sizes), return_inverse=True)
        counts = np.zeros((len(keys), len(self.classes_)))
        np.add.at(counts, place, self._counts)
        wanted = np.where(np.any(codes == UNKNOWN, axis=1), -1, _keys(np.maximum(codes, 0), sizes))
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        n = np.where((keys[at] == wanted)[:, None], counts[at], 0.0)
        each, total = self._alpha * (self.n_cells_ / math.prod(sizes)), self._alpha * self.n_cells_ + self.class_count_
        # A class without rows, and nothing added: the limit as α falls to 0 is uniform.
        p = np.where(total > 0.0, (n + each) / np.where(total > 0.0, total, 1.0), 1.0 / math.prod(sizes))
        with np.errstate(divide="ignore"):
            return np.log(p)

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Array:
        counts, added = self._counts[:, k], self._alpha * self.n_cells_
        total = np.sum(counts)
        # The pseudo-counts are a uniform law over all cells; so is that of a class without rows.
        free = added / (added + total) if total > 0.0 else 1.0
        met = self._cells[rng.choice(len(counts), size=n, p=counts / total if total > 0.0 else None)]
        cells = np.where((rng.random(n) < free)[:, None], rng.integers(self._sizes, size=met.shape), met)
        values = [categories.astype(object) for categories in self.categories_]
        return np.column_stack([values[j][cells[:, j]] for j in range(len(values))])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.classifier_tags.poor_score = True
        return tags


@dataclass(frozen=True)
class JointCounts:
    """The weight of every class; cells that were met, (m, d), −1 for a missing value; their weight in each class."""

    weight: Array
    names: tuple[Any, ...]
    domains: tuple[Domain, ...]
    cells: Integers
    counts: Floats

    def merged(self) -> JointCounts:
        """The same counts with every cell once."""
        cells, place = np.unique(self.cells, axis=0, return_inverse=True)
        counts = np.zeros((len(cells), self.counts.shape[1]))
        np.add.at(counts, place.ravel(), self.counts)
        return replace(self, cells=cells, counts=counts)

    def __add__(self, other: JointCounts) -> JointCounts:
        domains = tuple(map(Domain.joined, self.domains, other.domains, self.names))
        cells = np.vstack([part.moved(domains) for part in (self, other)])
        counts = np.vstack([self.counts, other.counts])
        return JointCounts(self.weight + other.weight, self.names, domains, cells, counts).merged()

    def moved(self, domains: Sequence[Domain]) -> Integers:
        """The cells in the codes of larger domains."""
        columns = []
        for j, domain in enumerate(domains):
            slots = np.append(domain.slots_of(self.domains[j])[:-1], GAP)
            columns.append(slots[self.cells[:, j]])
        return np.column_stack(columns)


def shared_counts(
    found: JointCounts, sizes: Sequence[int], alpha: float, *, tol: float = 1e-9, max_iter: int = 1000
) -> tuple[Integers, Floats]:
    """Cells and their counts, where EM has shared rows with missing values among the cells they may belong to."""
    k, axes = found.counts.shape[1], np.arange(len(sizes))
    parts = []
    for part in observed_rows(np.where(found.cells == GAP, np.nan, found.cells)):
        shape = [size if j in part.columns else 1 for j, size in enumerate(sizes)]
        table = np.zeros((math.prod(shape), k))
        keys = _keys(part.X.astype(int), [sizes[j] for j in part.columns])
        np.add.at(table, keys, found.counts[part.rows])
        parts.append((table.reshape(*shape, k), tuple(np.setdiff1d(axes, part.columns).tolist())))

    def e_step(p: Floats) -> tuple[Floats, float]:
        expected, objective = np.zeros_like(p), alpha * np.sum(np.log(p)) if alpha else 0.0
        for n, missing in parts:
            m = np.sum(p, axis=missing, keepdims=True)
            expected += p * np.divide(n, m, out=np.zeros_like(n), where=m > 0.0)
            objective += float(np.sum(xlogy(n, m)))
        return expected, objective

    def m_step(expected: Floats) -> Floats:
        raised = expected + alpha
        total = np.sum(raised, axis=tuple(axes.tolist()), keepdims=True)
        return np.divide(raised, total, out=np.full_like(raised, 1.0 / math.prod(sizes)), where=total > 0.0)

    start = np.full((*sizes, k), 1.0 / math.prod(sizes))
    result = em(e_step, m_step, start, tol=tol, max_iter=max_iter, total_weight=float(np.sum(found.weight)))
    warn_unless_em_converged(result, max_iter)
    counts = result.posterior.reshape(-1, k)
    met = np.flatnonzero(np.any(counts > 0.0, axis=1))
    return np.column_stack(np.unravel_index(met, sizes)), counts[met]


def _keys(codes: Integers, sizes: Sequence[int]) -> Integers:
    """One number for every combination of codes."""
    return np.ravel_multi_index(tuple(codes.T), sizes) if sizes else np.zeros(len(codes), dtype=int)
