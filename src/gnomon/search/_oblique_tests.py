"""Tests of a weighted sum of columns.

    Σ_j a_j x_j ≤ t,    a_j = v_j / s_j  with v a direction in the columns (x_j − m_j) / s_j of the node's rows     (1)

A direction turns rows into one number each, and the cuts of that number compete with the tests of single columns.
Columns that are constant in the node, and categories, take no part. Murthy, Kasif & Salzberg (1994),
arXiv:cs/9408103.
"""

from __future__ import annotations

import numpy as np

from gnomon.numerics.scale import PowerOfTwo
from gnomon.search._column_tests import OBLIQUE, CandidateTests, Grouping, NodeTest, cuts

EQUAL_SUMS = 1e-10
"""Sums closer than this, relative to their spread, are equal: rounding must not part rows."""


def oblique_families(splitter, held):
    """For each direction, its cuts and a mask of the rows that they cannot place."""
    columns = splitter.columns
    numbers = np.flatnonzero(~columns.category & held.allowed)
    values = splitter.values(held.rows)
    X = np.stack([values(j) for j in numbers], axis=1) if len(numbers) else np.zeros((len(held.rows), 0))
    known = ~np.any(np.isnan(X), axis=1)
    # Powers of two bring columns of any size to where squares are numbers.
    unit = PowerOfTwo.of(X[known], axis=0)
    scale = unit.outward(np.std(unit.inward(X[known]), axis=0)) if np.any(known) else np.zeros(len(numbers))
    used = scale > EQUAL_SUMS * np.max(np.abs(X[known]), axis=0, initial=0.0)
    if np.sum(used) < 2:
        return []
    center = np.mean(X[known][:, used], axis=0)
    Z = (X[known][:, used] - center) / scale[used]
    y, w = splitter.y[held.rows[known]], held.w[known]

    def cut_sums(z):
        return _cut_sums(splitter, z, y, w)

    directions = splitter.forms.oblique(Z, y, w, splitter.criterion.classes, cut_sums, splitter.rng)
    out = []
    for direction in np.atleast_2d(directions):
        there = np.abs(direction) > EQUAL_SUMS * np.max(np.abs(direction), initial=0.0)
        if np.sum(there) > 1 and np.all(np.isfinite(direction)):
            a = (direction / scale[used])[there]
            out.append(_families(splitter, held, X[:, used][:, there], numbers[used][there], a))
    return out


def _families(splitter, held, X, numbers, a):
    """The cuts of X a, with the largest weight brought to one."""
    a = a / a[np.argmax(np.abs(a))]
    lost = np.any(np.isnan(X), axis=1)
    total = sum(c * X[:, i] for i, c in enumerate(a))
    y, w = splitter.y[held.rows], held.w
    if splitter.missing != "own_value":
        total, y, w = total[~lost], y[~lost], w[~lost]
    else:
        lost = np.zeros(len(lost), dtype=bool)
    g = _grouped(splitter, total, y, w)
    cells, main = np.append(numbers, -1), int(numbers[np.argmax(np.abs(a))])

    def oblique(family):
        def write(c):
            test, missing = family.write(c)
            branches = np.zeros(len(cells), dtype=int)
            return NodeTest(main, np.nan, OBLIQUE, cells, branches, np.append(a, test.threshold)), missing

        return CandidateTests(family.parts, write)

    return [oblique(family) for family in cuts(g)] if len(g.values) > 1 else [], lost


def _grouped(splitter, total, y, w):
    """Rows by their sum; those that are not known are one group."""
    order = np.argsort(total, kind="stable")
    ordered = total[order]
    n_known = int(np.searchsorted(ordered, np.inf))
    spread = np.max(np.abs(ordered[:n_known]), initial=0.0)
    new = np.zeros(len(total), dtype=np.int64)
    new[1:n_known] = np.diff(ordered[:n_known]) > EQUAL_SUMS * spread
    new[n_known : n_known + 1] = 1 if n_known else 0
    group = np.empty(len(total), dtype=np.int64)
    group[order] = np.cumsum(new)
    k = int(np.max(group)) + 1
    first = np.flatnonzero(np.concatenate([[1], new[1:n_known]])) if n_known else np.zeros(0, dtype=int)
    low, high = ordered[first], ordered[np.append(first[1:], n_known)[: len(first)] - 1]
    return Grouping(0, splitter.criterion.groups(y, w, group, k), low, high, k - 1 if n_known < len(total) else -1)


def _cut_sums(splitter, z, y, w):
    """The largest sum of worths over the cuts of one number per row, and the cut: −∞ where there is none."""
    g = _grouped(splitter, z, y, w)
    if len(g.values) < 2:
        return -np.inf, 0.0
    family = cuts(g)[0]
    parts, bounds = family.parts, splitter.bounds
    large = np.all((parts.count >= bounds.min_rows) & (parts.mass >= bounds.min_mass), axis=0)
    worth = np.where(large, np.sum(parts.worth, axis=0), -np.inf)
    best = int(np.argmax(worth))
    return worth[best], family.write(best)[0].threshold
