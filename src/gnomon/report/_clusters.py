"""One search for groups in one table.

1  find the kinds of the columns, prepare them          4  fit it to all rows; number the groups by their size
2  ask in several ways how many groups there are        5  how surely each is found again in half of the rows
3  take that number, or the one that was given          6  what each group is like, and rules that tell them

Every column counts alike: numbers and dates have unit variance, a category at most as much as a number. Hennig (2007),
doi:10.1016/j.csda.2006.11.025; Tibshirani, Walther & Hastie (2001), doi:10.1111/1467-9868.00293.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline

from gnomon._typing import Floats, Integers
from gnomon._words import CLUSTER_METHODS, ClusterMethod
from gnomon.cluster import ClusterRules, silhouettes
from gnomon.decomposition import PCA
from gnomon.io import Table, UserError, as_table
from gnomon.io.tables import TableLike, refuse_unknown
from gnomon.optim import nearest_center, squares_to_own
from gnomon.report._checks import check_gaps
from gnomon.report._cluster_findings import check_codes, check_filled, check_groups
from gnomon.report._cluster_methods import METHODS, Way
from gnomon.report._cluster_number import NumberOfGroups, ask
from gnomon.report._cluster_stability import group_stability
from gnomon.report._cluster_words import Profile, axis_words, profile_of, rules_in_words, separation
from gnomon.report._findings import GRAVITY, Finding
from gnomon.report._kinds import (
    LARGEST_OF_DISTANCES,
    ColumnKind,
    as_kinds,
    check_extent,
    infer_kinds,
    settled_kinds,
    used_kinds,
)
from gnomon.report._progress import Progress, silent, suited_threads
from gnomon.report._stand_ins import check_stand_ins
from gnomon.report.placing import NearestGroup, group_spreads
from gnomon.report.prepare import Preparer
from gnomon.report.reading import reading_remarks

__all__ = ["ClusterStudy", "find_clusters"]

LEAST_ROWS = 20
MOST_CELLS = 250_000_000
MOST_ROWS_OF_SILHOUETTES = 3_000
STEPS = 7


@dataclass(frozen=True)
class RowGroup:
    """One group: its number from 1, its rows and their share of all, its most typical row (from 0), its mean
    silhouette, and how surely it is found again."""

    number: int
    size: int
    share: float
    typical: int
    silhouette: float
    stability: float


@dataclass(frozen=True)
class ClusterStudy:
    """All that `find_clusters` found.

    Parameters
    ----------
    method : {"k-means", "k-medoids", "ward"}
    asked : int or None
        The number of groups that was given.
    number : NumberOfGroups or None
        What the table itself says of it; None where there are too few rows to ask.
    kinds : tuple of ColumnKind
        What each column is, and why an unused one is unused.
    model : Pipeline
        Preparation, and the representatives of the groups; places new rows.
    labels : ndarray of int of shape (n_rows,)
        The group of every row, from 1, the largest first.
    oddness : ndarray of shape (n_rows,)
        Distance from the own representative, in units of what is usual in the group.
    groups : tuple of RowGroup
    profile : Profile
        Every column in every group, and what is worth saying.
    separation : list of (str, float)
        Columns by the share of their variance that lies between groups; empty where there is one group.
    rules : ClusterRules or None
        A small tree that tells the groups, in words.
    map : ndarray of shape (n_rows, 2)
        The rows on their first two principal components; one column where there is only one.
    map_shares : ndarray
        The shares of the variance that these show.
    map_words : tuple of str
        What grows to the right, and upwards.
    agreement : float
        The share of rows that the model places where the table has them.
    n_fitted : int
        Rows that the groups were made of; the others went to the nearest.
    findings : tuple of Finding
        The warnings, gravest first.
    seed : int

    Examples
    --------
    >>> from gnomon.datasets import make_customers
    >>> from gnomon.report import find_clusters
    >>> customers = make_customers(random_state=0)
    >>> study = find_clusters(dict(zip(customers.feature_names, customers.data.T)))
    >>> len(study.groups), study.number.why
    (4, 'the gap statistic and prediction strength agree on 4')
    """

    method: ClusterMethod
    asked: int | None
    number: NumberOfGroups | None
    kinds: tuple[ColumnKind, ...]
    model: Pipeline
    labels: Integers
    oddness: Floats
    groups: tuple[RowGroup, ...]
    profile: Profile
    separation: list[tuple[str, float]]
    rules: ClusterRules | None
    map: Floats
    map_shares: Floats
    map_words: tuple[str, ...]
    agreement: float
    n_fitted: int
    findings: tuple[Finding, ...]
    seed: int


def find_clusters(
    data: TableLike,
    *,
    n_clusters: int | None = None,
    method: ClusterMethod = "k-means",
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> ClusterStudy:
    """Find out whether the rows of a table form groups, how many, and what they are like.

    Parameters
    ----------
    data : Table, dict of columns or data frame
    n_clusters : int, optional
        So many groups, whatever the table says of their number.
    method : {"k-means", "k-medoids", "ward"}, default="k-means"
    drop, keep : sequences of str, default=()
        Columns to leave out; columns to use although they look like identifiers.
    types : dict of str → {"number", "category", "date"}, optional
        What columns are, where the rules would decide otherwise; "date:%d/%m/%Y" gives the form too.
    seed : int, default=0
        Of every random choice.
    progress : callable (done, total, text) → None, optional

    Returns
    -------
    ClusterStudy
        With one group where none were found.

    References
    ----------
    Tibshirani, R., Walther, G. & Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
    statistic. doi:10.1111/1467-9868.00293

    Hennig, C. (2007). Cluster-wise assessment of cluster stability. doi:10.1016/j.csda.2006.11.025

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report import find_clusters
    >>> x = np.random.default_rng(0).normal(size=(120, 3))
    >>> study = find_clusters({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]})
    >>> len(study.groups), study.number.deciding[0].verdict
    (1, 'no groups')
    """
    if method not in CLUSTER_METHODS:
        raise UserError(f"--method {method!r} is unknown; give one of: {', '.join(CLUSTER_METHODS)}")
    table = as_table(data)
    for option, names in {"--drop": drop, "--keep": keep, "--type": [*(types or ())]}.items():
        refuse_unknown(table, option, list(names))
    _check_size(len(table), n_clusters)
    check_extent(table, drop)
    found = infer_kinds(table, table.names, types=types, keep=keep)
    texts = [name for name, kind in found.items() if kind.kind == "text"]
    _refuse_texts(texts, types or {})
    table = as_kinds(table, list(found.values()))
    kinds = settled_kinds(
        table, found, dict.fromkeys(texts, "text") | dict.fromkeys(drop, "dropped"), largest=LARGEST_OF_DISTANCES
    )
    used = used_kinds(kinds)
    # On small matrices BLAS threads cost more than they save.
    with suited_threads(len(table), len(used)):
        return _study(table, kinds, used, n_clusters, method, seed, progress)


def _check_size(n: int, k: int | None) -> None:
    if k is None and n < LEAST_ROWS:
        raise UserError(
            f"at least {LEAST_ROWS} rows are needed to say whether there are groups, and the table has {n}; give more, "
            "or say how many groups to make with --clusters"
        )
    if k is not None and not 2 <= k <= n // 2:
        most = n // 2
        allowed = f"a number from 2 to {most}, so that groups have two rows on average" if most >= 2 else "more rows"
        raise UserError(f"--clusters {k} is not possible in a table of length {n}; give {allowed}")


def _refuse_texts(texts: Sequence[str], types: Mapping[str, str]) -> None:
    told = [name for name in texts if name in types]
    if told:
        raise UserError(f"--type {told[0]}=text: groups are made of numbers, dates and categories; give one of these")


def _study(
    table: Table,
    kinds: tuple[ColumnKind, ...],
    used: tuple[ColumnKind, ...],
    asked: int | None,
    method: ClusterMethod,
    seed: int,
    progress: Progress,
) -> ClusterStudy:
    way, steps = METHODS[method], iter(range(STEPS))

    def step(text: str) -> None:
        progress(next(steps), STEPS, text)

    preparer = Preparer(used, "frequent", "plain").fit(table)
    X = _dense(preparer, table)
    number = ask(X, way.trial, most_rows=way.rows_to_try, seed=seed, progress=step) if len(X) >= LEAST_ROWS else None
    k = asked or (number.k if number else 1)
    _check_distinct(X, k)
    step(f"making {k} groups by {way.name}")
    labels, centers, n_fitted = _grouped(X, k, way, seed)
    squares = squares_to_own(X, centers, labels)
    placing = NearestGroup(centers, group_spreads(squares, labels, k))
    step("trying the groups on halves of the rows")
    stability = group_stability(X, labels, k, way.quick, seed) if k > 1 else np.ones(1)
    step("describing the groups")
    groups = _groups(X, labels, squares, stability, seed)
    parts = separation(preparer, X, labels) if k > 1 else []
    components = PCA(min(2, *X.shape)).fit(X)
    remarks = [*reading_remarks(kinds, texts=False), *check_gaps(table, used), *check_stand_ins(table, used)]
    remarks += [*check_codes(table, used), *check_filled(table, used, labels + 1)]
    findings = [*remarks, *check_groups([(g.size, g.stability) for g in groups], parts, asked, number)]
    return ClusterStudy(
        method=method,
        asked=asked,
        number=number,
        kinds=kinds,
        model=Pipeline([("prepare", preparer), ("model", placing)]),
        labels=labels + 1,
        oddness=np.sqrt(squares) / placing.spreads[labels],
        groups=groups,
        profile=profile_of(table, preparer, X, labels),
        separation=parts,
        rules=rules_in_words(preparer, X, labels, seed) if k > 1 else None,
        map=components.transform(X),
        map_shares=components.explained_variance_ratio_,
        map_words=tuple(axis_words(preparer, direction) for direction in components.components_),
        agreement=float(np.mean(placing.predict(X) == labels + 1)),
        n_fitted=n_fitted,
        findings=tuple(sorted(findings, key=lambda finding: GRAVITY.index(finding.level))),
        seed=seed,
    )


def _dense(preparer: Preparer, table: Table) -> Floats:
    if len(table) * preparer.n_features_out_ > MOST_CELLS:
        raise UserError(
            f"{len(table)} rows of {preparer.n_features_out_} prepared columns are too many; leave out columns of many "
            "levels with --drop, or give a sample of the rows"
        )
    X = preparer.transform(table)
    return np.ascontiguousarray(X.toarray() if preparer.sparse_ else X, dtype=float)


def _check_distinct(X: Floats, k: int) -> None:
    distinct = len(np.unique(X, axis=0))
    if k > distinct:
        raise UserError(
            f"--clusters {k}: only {distinct} rows differ in the columns that are used; give at most so many"
        )


def _grouped(X: Floats, k: int, way: Way, seed: int) -> tuple[Integers, Floats, int]:
    """Labels 0 … k − 1 of all rows, the largest group first; the representatives; how many rows made them."""
    rows = np.sort(np.random.default_rng(seed).permutation(len(X))[: way.most_rows])
    part = X if len(rows) == len(X) else X[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = way.final(k, seed).fit(part)
    centers = way.representatives(model, part)
    labels = nearest_center(X, centers)[0]
    labels[rows] = model.labels_
    order = np.argsort(-np.bincount(labels, minlength=k), kind="stable")
    return np.argsort(order)[labels], np.ascontiguousarray(centers[order]), len(rows)


def _groups(X: Floats, labels: Integers, squares: Floats, stability: Floats, seed: int) -> tuple[RowGroup, ...]:
    rows = np.sort(np.random.default_rng(seed).permutation(len(X))[:MOST_ROWS_OF_SILHOUETTES])
    some, k = labels[rows], len(stability)
    scores = silhouettes(X[rows], some) if 2 <= len(np.unique(some)) < len(rows) else np.full(len(rows), np.nan)
    found = []
    for j in range(k):
        members = np.flatnonzero(labels == j)
        inside = scores[some == j]
        found.append(
            RowGroup(
                number=j + 1,
                size=len(members),
                share=len(members) / len(X),
                typical=int(members[np.argmin(squares[members])]),
                silhouette=float(np.mean(inside)) if len(inside) else float("nan"),
                stability=float(stability[j]),
            )
        )
    return tuple(found)
