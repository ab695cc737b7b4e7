"""Trees of merges.

    merge the clusters a, b of least δ(a, b);   δ(a∪b, c) = α_a δ_ac + α_b δ_bc + β δ_ab + γ |δ_ac − δ_bc|        (1)

    single      ½, ½, 0, −½                    complete   ½, ½, 0, ½
    average     n_a/n_ab, n_b/n_ab, 0, 0       weighted   ½, ½, 0, 0
    centroid    n_a/n_ab, n_b/n_ab, −n_a n_b/n_ab², 0      median   ½, ½, −¼, 0                  (δ squared)
    ward        (n_a + n_c)/N, (n_b + n_c)/N, −n_c/N, 0,   N = n_a + n_b + n_c                   (δ squared)

Lance & Williams (1967), doi:10.1093/comjnl/9.4.373. Single linkage is a minimum spanning tree, found with O(n) memory:
Prim (1957). Where δ(a∪b, c) ≥ min(δ_ac, δ_bc), clusters that are each other's nearest may be merged at once: chains of
nearest neighbours, O(n²): Murtagh (1983), doi:10.1093/comjnl/26.4.354; Ward's from means: `ward_chain`.
Centroid and median linkage are not of that kind and may invert (a merge below the last): the generic algorithm of
Müllner (2011), arXiv:1109.2378. Rows of the result are (id, id, height, size), as in SciPy.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from gnomon._jit import compiled, jit, noun, subroutine, verb
from gnomon._typing import Floats, Integers
from gnomon.numerics.validation import check_choice
from gnomon.search._ward_chain import ward_chain

__all__ = ["LINKAGES", "SQUARED", "Linkage", "merge_rows", "merge_tree"]

Linkage: TypeAlias = Literal["single", "complete", "average", "weighted", "centroid", "median", "ward"]


@noun
class LanceWilliams:
    """The coefficients of (1): α = half + share n_a/n_ab + third (n_a + n_c)/N and so on."""

    half: float = 0.0
    share: float = 0.0
    third: float = 0.0
    beta: float = 0.0
    product: float = 0.0
    gamma: float = 0.0

    @verb
    def joined(self, ac: float, bc: float, ab: float, a: float, b: float, c: float) -> float:
        """δ(a∪b, c) for clusters of these sizes."""
        both, all_three = a + b, a + b + c
        alpha_a = self.half + self.share * a / both + self.third * (a + c) / all_three
        alpha_b = self.half + self.share * b / both + self.third * (b + c) / all_three
        beta = self.beta + self.product * a * b / (both * both) - self.third * c / all_three
        return alpha_a * ac + alpha_b * bc + beta * ab + self.gamma * abs(ac - bc)


LINKAGES: dict[str, LanceWilliams] = {
    "single": LanceWilliams(half=0.5, gamma=-0.5),
    "complete": LanceWilliams(half=0.5, gamma=0.5),
    "average": LanceWilliams(share=1.0),
    "weighted": LanceWilliams(half=0.5),
    "centroid": LanceWilliams(share=1.0, product=-1.0),
    "median": LanceWilliams(half=0.5, beta=-0.25),
    "ward": LanceWilliams(third=1.0),
}

SQUARED = ("centroid", "median", "ward")
"""Linkages whose (1) is for squared Euclidean distances."""


def merge_tree(D: Floats, linkage: Linkage, *, sort_pairs: bool = True) -> Floats:
    """The tree of merges from distances; for centroid, median and ward linkage these are Euclidean.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Symmetric.
    linkage : {"single", "complete", "average", "weighted", "centroid", "median", "ward"}
    sort_pairs : bool, default=True
        The cluster of the lower number first. With False, the first of single linkage is that which Prim's algorithm
        reaches first from row 0.

    Returns
    -------
    ndarray of shape (n − 1, 4)
        The two clusters of each merge, its height and size; the i-th merge makes cluster n + i.

    References
    ----------
    Müllner, D. (2011). Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import merge_tree
    >>> x = np.array([0.0, 1.0, 3.0, 8.0])
    >>> merge_tree(abs(x - x[:, None]), "average")[:, 2].round(6)
    array([1.      , 2.5     , 6.666667])
    """
    check_choice("linkage", linkage, list(LINKAGES))
    work = np.array(D, dtype=float, order="C")
    if linkage in SQUARED:
        work *= work
    if linkage == "single":
        return _labelled(_spanning_tree(work), sort_pairs)
    formula = compiled(LINKAGES[linkage])
    if linkage in ("centroid", "median"):
        found = _generic(work, formula)
        return _numbered(found, np.sqrt(np.maximum(found[:, 2], 0.0)), sort_pairs)
    found = _matrix_chain(work, formula)
    heights = np.sqrt(np.maximum(found[:, 2], 0.0)) if linkage in SQUARED else found[:, 2]
    return _labelled(np.column_stack([found[:, :2], heights]), sort_pairs)


def merge_rows(X: Floats, linkage: Literal["single", "ward"], *, sort_pairs: bool = True) -> Floats:
    """The tree of merges of rows by Euclidean distances, without the matrix of these.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    linkage : {"single", "ward"}
    sort_pairs : bool, default=True
        As of `merge_tree`.

    Returns
    -------
    ndarray of shape (n − 1, 4)
        As of `merge_tree`.

    References
    ----------
    Murtagh, F. (1983). A survey of recent advances in hierarchical clustering algorithms. doi:10.1093/comjnl/26.4.354

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import merge_rows
    >>> merge_rows(np.array([[0.0], [1.0], [3.0], [8.0]]), "ward")[:, 2].round(6)
    array([1.      , 2.886751, 8.164966])
    """
    check_choice("linkage", linkage, ["single", "ward"])
    rows = np.array(X, dtype=float, order="C")
    if linkage == "single":
        return _labelled(_row_spanning_tree(rows), sort_pairs)
    found = ward_chain(rows)
    return _labelled(np.column_stack([found[:, :2], np.sqrt(found[:, 2])]), sort_pairs)


def _labelled(edges: Floats, sort_pairs: bool) -> Floats:
    """Edges in the order of their heights, between the clusters that they join."""
    return _numbered(*_in_order(edges), sort_pairs)


def _in_order(edges: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(edges[:, 2], kind="stable")
    return edges[order], edges[order, 2]


def _numbered(edges: Floats, heights: Floats, sort_pairs: bool) -> Floats:
    """Merges of the clusters that hold the two rows of each edge."""
    n = len(edges) + 1
    merges = np.empty((n - 1, 4))
    merges[:, 2] = heights
    _number_clusters(edges[:, :2].astype(np.int64), merges)
    if sort_pairs:
        merges[:, :2].sort(axis=1)
    return merges


@jit
def _number_clusters(pairs: Integers, merges: Floats) -> None:
    n = len(pairs) + 1
    parent, size = np.arange(2 * n - 1), np.ones(2 * n - 1)
    for i in range(n - 1):
        a, b = _root(parent, pairs[i, 0]), _root(parent, pairs[i, 1])
        parent[a] = parent[b] = n + i
        size[n + i] = size[a] + size[b]
        merges[i, 0], merges[i, 1], merges[i, 3] = a, b, size[n + i]


@subroutine
def _root(parent: Integers, i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@jit
def _spanning_tree(D: Floats) -> Floats:
    """Edges (row, row, distance) of a minimum spanning tree: Prim's algorithm."""
    n = len(D)
    edges, nearest = np.empty((n - 1, 3)), np.zeros(n, dtype=np.int64)
    apart, inside, last = np.full(n, np.inf), np.zeros(n, dtype=np.bool_), 0
    for i in range(n - 1):
        inside[last] = True
        best = -1
        for j in range(n):
            if not inside[j]:
                if D[last, j] < apart[j]:
                    apart[j], nearest[j] = D[last, j], last
                if best < 0 or apart[j] < apart[best]:
                    best = j
        edges[i, 0], edges[i, 1], edges[i, 2] = nearest[best], best, apart[best]
        last = best
    return edges


@jit
def _row_spanning_tree(X: Floats) -> Floats:
    n, d = X.shape
    edges, nearest = np.empty((n - 1, 3)), np.zeros(n, dtype=np.int64)
    apart, inside, last = np.full(n, np.inf), np.zeros(n, dtype=np.bool_), 0
    for i in range(n - 1):
        inside[last] = True
        best = -1
        for j in range(n):
            if not inside[j]:
                square = 0.0
                for f in range(d):
                    square += (X[last, f] - X[j, f]) ** 2
                if square < apart[j]:
                    apart[j], nearest[j] = square, last
                if best < 0 or apart[j] < apart[best]:
                    best = j
        edges[i, 0], edges[i, 1], edges[i, 2] = nearest[best], best, np.sqrt(apart[best])
        last = best
    return edges


@jit
def _matrix_chain(D: Floats, formula: Any) -> Floats:
    """Merges by chains of nearest neighbours; D is overwritten."""
    n = len(D)
    merges, size, chain = np.empty((n - 1, 3)), np.ones(n), np.empty(n, dtype=np.int64)
    alive, length = np.arange(n), 0
    n_alive = n
    for i in range(n - 1):
        if length == 0:
            chain[0], length = alive[0], 1
        while True:
            a = chain[length - 1]
            # The one before in the chain is taken among equally near ones, so that every chain ends.
            b = chain[length - 2] if length > 1 else -1
            least = D[a, b] if length > 1 else np.inf
            for p in range(n_alive):
                c = alive[p]
                if c != a and D[a, c] < least:
                    b, least = c, D[a, c]
            if length > 1 and b == chain[length - 2]:
                break
            chain[length] = b
            length += 1
        length -= 2
        merges[i, 0], merges[i, 1], merges[i, 2] = a, b, least
        n_alive = _join(D, formula, a, b, size, alive, n_alive)
    return merges


@subroutine
def _join(D: Floats, formula: Any, a: int, b: int, size: Floats, alive: Integers, n_alive: int) -> int:
    """Merge cluster a into cluster b."""
    between = D[a, b]
    kept = 0
    for p in range(n_alive):
        c = alive[p]
        if c == a:
            continue
        alive[kept] = c
        kept += 1
        if c != b:
            value = formula.joined(D[a, c], D[b, c], between, size[a], size[b], size[c])
            D[b, c] = value
            D[c, b] = value
    size[b] += size[a]
    return kept


@jit
def _generic(D: Floats, formula: Any) -> Floats:
    """Merges of the closest pair, each row keeping a lower bound on its distance from the rows behind it."""
    n = len(D)
    merges, size = np.empty((n - 1, 3)), np.ones(n)
    alive, n_alive = np.arange(n), n
    nearest, bound = np.zeros(n, dtype=np.int64), np.full(n, np.inf)
    for p in range(n - 1):
        _nearest_behind(D, alive, n_alive, p, nearest, bound)
    for i in range(n - 1):
        p = _least_bound(alive, n_alive, bound)
        # A bound may lie below the distance; the pair is the closest once it does not.
        while bound[alive[p]] != D[alive[p], nearest[alive[p]]]:
            _nearest_behind(D, alive, n_alive, p, nearest, bound)
            p = _least_bound(alive, n_alive, bound)
        a = alive[p]
        b = nearest[a]
        merges[i, 0], merges[i, 1], merges[i, 2] = a, b, D[a, b]
        n_alive = _join(D, formula, a, b, size, alive, n_alive)
        _follow_join(D, alive, n_alive, a, b, nearest, bound)
    return merges


@subroutine
def _nearest_behind(D: Floats, alive: Integers, n_alive: int, p: int, nearest: Integers, bound: Floats) -> None:
    a = alive[p]
    bound[a] = np.inf
    for q in range(p + 1, n_alive):
        c = alive[q]
        if D[a, c] < bound[a]:
            nearest[a], bound[a] = c, D[a, c]


@subroutine
def _least_bound(alive: Integers, n_alive: int, bound: Floats) -> int:
    best = 0
    for p in range(1, n_alive - 1):
        if bound[alive[p]] < bound[alive[best]]:
            best = p
    return best


@subroutine
def _follow_join(D: Floats, alive: Integers, n_alive: int, a: int, b: int, nearest: Integers, bound: Floats) -> None:
    for p in range(n_alive):
        c = alive[p]
        if c == b:
            _nearest_behind(D, alive, n_alive, p, nearest, bound)
        elif c < b:
            if D[c, b] < bound[c]:
                nearest[c], bound[c] = b, D[c, b]
            elif nearest[c] == a:
                nearest[c] = b
