"""Moves of the multi-class dual that keep every class in balance.

    Σᵢ Bᵢₖ = 0 for every class k,    arcs (k → a):  Bᵢₐ rises, Bᵢₖ falls by as much,  cost  Gᵢₐ − Gᵢₖ               (1)

With a free b per class, no row of the dual can move alone: what one row takes from class k and gives to class a, others
must take back. The best row for each pair of classes makes a graph of K nodes, and feasible directions are its cycles.
A cycle of negative cost is a descent direction; if there is none, the potentials of the nodes are the b_k, and B is
optimal: the theory of minimum-cost circulations, Ahuja, Magnanti & Orlin (1993), Network Flows, section 9.3. With two
classes the cycle of two arcs is the pair of sequential minimal optimisation. Least mean cost of a cycle: Karp (1978),
doi:10.1016/0012-365X(78)90011-0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit_no_alloc, subroutine
from gnomon._typing import Floats, Integers
from gnomon.optim.kernel_dual import ROUNDING

__all__ = ["ClassArcs", "Cycle", "class_arcs", "class_potentials", "descend_cycles", "least_mean_cycle"]

STEPS = 1000
"""Steps for each row, at most."""

FLOOR = 1e-12
"""Least curvature along a cycle, as a share of the largest of a row."""


class ClassArcs(NamedTuple):
    """The best arcs of (1): ``cost[k, a]``, inf where no row can move so, and the row and direction of each.

    Fields
    ------
    cost : ndarray of shape (K, K)
    mover : ndarray of int of shape (K, K)
    other : ndarray of int of shape (K, K)
        The class besides that of the row: a coefficient Bᵢ,other falls where the row is of class a, and rises where it
        is of class k.
    """

    cost: Floats
    mover: Integers
    other: Integers

    @classmethod
    def empty(cls, K: int) -> ClassArcs:
        """Space for the arcs of K classes."""
        return cls(np.empty((K, K)), np.empty((K, K), dtype=np.int64), np.empty((K, K), dtype=np.int64))


def class_arcs(y: Integers, C: Floats, margin: float, B: Floats, F: Floats) -> ClassArcs:
    """The best arcs at B with scores F = KB; what only the rounding of Σᵢ Bᵢₖ keeps off a bound counts as at it.

    Examples
    --------
    At B = 0 every row would move towards its class:

    >>> import numpy as np
    >>> from gnomon.optim.class_cycles import class_arcs
    >>> class_arcs(np.array([0, 1]), np.ones(2), 2.0, np.zeros((2, 2)), np.zeros((2, 2))).cost
    array([[inf, -2.],
           [-2., inf]])
    """
    arcs = ClassArcs.empty(B.shape[1])
    _find_arcs(y, C, margin, B, F, ROUNDING * float(np.finfo(float).eps) * float(np.sum(np.abs(B))), arcs)
    return arcs


class Cycle(NamedTuple):
    """A cycle of classes, ``nodes[0] → nodes[1] → … → nodes[0]``, and the mean cost of its arcs."""

    mean: float
    nodes: Integers


def least_mean_cycle(cost: Floats) -> Cycle:
    """The cycle of least mean cost.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.class_cycles import least_mean_cycle
    >>> cost = np.array([[np.inf, -1.0, 2.0], [2.0, np.inf, -1.0], [-1.0, 2.0, np.inf]])
    >>> least_mean_cycle(cost).mean
    -1.0
    """
    K = len(cost)
    walk, parent, nodes = np.empty((K + 1, K)), np.empty((K + 1, K), dtype=np.int64), np.empty(K, dtype=np.int64)
    mean, length = _karp(cost, walk, parent, nodes)
    return Cycle(mean, nodes[:length])


def class_potentials(cost: Floats) -> Floats:
    """b with ``cost[k, a] + b[a] − b[k] ≥ mean`` of the least cycle, in the middle of all such; they sum to zero.

    Examples
    --------
    Of two classes, b₁ − b₀ lies between −cost[0, 1] and cost[1, 0]:

    >>> import numpy as np
    >>> from gnomon.optim.class_cycles import class_potentials
    >>> class_potentials(np.array([[np.inf, 1.0], [3.0, np.inf]]))
    array([-0.5,  0.5])
    """
    K = len(cost)
    if K == 1:
        return np.zeros(1)
    raised = cost - min(least_mean_cycle(cost).mean, 0.0)
    # Rounding of the mean would leave cycles that are negative by as much.
    raised += 1e-14 * np.max(np.abs(raised[np.isfinite(raised)]), initial=0.0)
    np.fill_diagonal(raised, 0.0)
    # Floyd and Warshall; SciPy's takes a cost of zero for the lack of an arc.
    distance = raised
    for via in range(K):
        distance = np.minimum(distance, distance[:, via, None] + distance[via])
    # D(u → r) and −D(r → u) are potentials for every r, and so is their mean.
    return 0.5 * np.mean(distance - distance.T, axis=1)


def descend_cycles(y: Integers, C: Floats, margin: float, K: Floats, B: Floats, F: Floats, tol: float) -> Floats:
    """Minimise the dual over all rows of a square K with every Σᵢ Bᵢₖ kept as it is; B and F in place."""
    m = B.shape[1]
    least = max(FLOOR * float(np.max(np.diag(K), initial=0.0)), 1e-290)
    walk, parent, nodes = np.empty((m + 1, m)), np.empty((m + 1, m), dtype=np.int64), np.empty(m, dtype=np.int64)
    _descend(y, C, margin, K, B, F, tol, STEPS * len(K), least, ClassArcs.empty(m), walk, parent, nodes)
    return B


@jit_no_alloc
def _find_arcs(y: Integers, C: Floats, margin: float, B: Floats, F: Floats, rounding: float, arcs: ClassArcs) -> None:
    arcs.cost[:, :] = np.inf
    arcs.mover[:, :] = -1
    for i in range(B.shape[0]):
        a, edge = y[i], min(rounding, 0.25 * C[i])
        for k in range(B.shape[1]):
            if k == a:
                continue
            cost = F[i, a] - F[i, k] - margin
            if B[i, k] > edge - C[i] and cost < arcs.cost[k, a]:
                arcs.cost[k, a], arcs.mover[k, a], arcs.other[k, a] = cost, i, k
            if B[i, k] < -edge and -cost < arcs.cost[a, k]:
                arcs.cost[a, k], arcs.mover[a, k], arcs.other[a, k] = -cost, i, k


@jit_no_alloc
def _karp(cost: Floats, walk: Floats, parent: Integers, nodes: Integers) -> tuple[float, int]:
    """Least mean, and the length of a cycle that has it: walk[s, v] is the least cost of s arcs that end in v."""
    K = cost.shape[0]
    walk[0, :] = 0.0
    for s in range(1, K + 1):
        for v in range(K):
            walk[s, v], parent[s, v] = np.inf, 0
            for u in range(K):
                if walk[s - 1, u] + cost[u, v] < walk[s, v]:
                    walk[s, v], parent[s, v] = walk[s - 1, u] + cost[u, v], u
    least, end = np.inf, 0
    for v in range(K):
        if walk[K, v] < np.inf:
            largest = -np.inf
            for s in range(K):
                if walk[s, v] < np.inf:
                    largest = max(largest, (walk[K, v] - walk[s, v]) / (K - s))
            if largest < least:
                least, end = largest, v
    if least == np.inf:
        return least, 0
    return least, _first_cycle(parent, end, nodes)


@subroutine
def _first_cycle(parent: Integers, end: int, nodes: Integers) -> int:
    """The nodes of the first cycle on the walk that ends in `end`, in the order of its arcs; returns their number."""
    K = parent.shape[1]
    start, v = K, end
    # K arcs pass K + 1 nodes, so one of them twice; step back from the end to the second visit.
    for s in range(K, -1, -1):
        u = v
        for t in range(s, 0, -1):
            u = parent[t, u]
            if u == v:
                start, length = s, s - t + 1
                for position in range(length - 1, -1, -1):
                    nodes[position] = v
                    v = parent[start - (length - 1 - position), v]
                return length
        if s > 0:
            v = parent[s, v]
    return 0


@jit_no_alloc
def _descend(
    y: Integers,
    C: Floats,
    margin: float,
    K: Floats,
    B: Floats,
    F: Floats,
    tol: float,
    steps: int,
    least: float,
    arcs: ClassArcs,
    walk: Floats,
    parent: Integers,
    nodes: Integers,
) -> None:
    for _ in range(steps):
        _find_arcs(y, C, margin, B, F, 0.0, arcs)
        mean, length = _best_pair(arcs.cost, nodes)
        if mean >= -tol and B.shape[1] > 2:
            mean, length = _karp(arcs.cost, walk, parent, nodes)
        if not mean < -tol or not _move(y, C, K, B, F, arcs, nodes, length, -mean * length, least):
            return


@subroutine
def _best_pair(cost: Floats, nodes: Integers) -> tuple[float, int]:
    """The cycle of two arcs of least cost."""
    least = np.inf
    for k in range(cost.shape[0]):
        for a in range(k):
            if cost[k, a] + cost[a, k] < least:
                least, nodes[0], nodes[1] = cost[k, a] + cost[a, k], k, a
    return 0.5 * least, 2


@subroutine
def _move(
    y: Integers,
    C: Floats,
    K: Floats,
    B: Floats,
    F: Floats,
    arcs: ClassArcs,
    nodes: Integers,
    length: int,
    slope: float,
    least: float,
) -> bool:
    """The exact step along a cycle, as far as the box allows; whether it moved anything."""
    curvature, room = 0.0, np.inf
    for s in range(length):
        k, a = nodes[s], nodes[(s + 1) % length]
        i, other = arcs.mover[k, a], arcs.other[k, a]
        room = min(room, B[i, other] + C[i] if other == k else -B[i, other])
        for t in range(length):
            v, u = nodes[t], nodes[(t + 1) % length]
            # (e_a − e_k)ᵀ(e_u − e_v)
            shared = int(a == u) + int(k == v) - int(a == v) - int(k == u)
            curvature += shared * K[i, arcs.mover[v, u]]
    step = min(slope / max(curvature, least), room)
    if not step > 0.0:
        return False
    for s in range(length):
        k, a = nodes[s], nodes[(s + 1) % length]
        i, other = arcs.mover[k, a], arcs.other[k, a]
        whole = step == (B[i, other] + C[i] if other == k else -B[i, other])
        B[i, k] -= step
        B[i, a] += step
        if whole:
            B[i, other] = -C[i] if other == k else 0.0
        for j in range(B.shape[0]):
            F[j, k] -= step * K[i, j]
            F[j, a] += step * K[i, j]
    return True
