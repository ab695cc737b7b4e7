"""What a partition of a graph cuts.

    cut = ½ Σ_j W(A_j, Ā_j),   ratio cut = Σ_j W(A_j, Ā_j)/|A_j|,   Ncut = Σ_j W(A_j, Ā_j)/vol(A_j)             (1)

W(A, B) sums the weights of the edges between A and B, vol(A) the degrees of its nodes; every edge is cut once. von
Luxburg (2007), A tutorial on spectral clustering, doi:10.1007/s11222-007-9033-z.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse

from gnomon._typing import ArrayLike, MatrixLike
from gnomon.cluster._graph import check_graph
from gnomon.numerics.coding import label_index
from gnomon.numerics.validation import check_choice

__all__ = ["graph_cut_cost"]


def graph_cut_cost(W: MatrixLike, labels: ArrayLike, kind: Literal["cut", "ratio", "normalized"] = "cut") -> float:
    """The cost (1) of a partition.

    Parameters
    ----------
    W : array-like or sparse matrix of shape (n, n)
        Symmetric weights ≥ 0; loops of a node with itself are not counted.
    labels : array-like of shape (n,)
    kind : {"cut", "ratio", "normalized"}, default="cut"

    Returns
    -------
    float

    References
    ----------
    von Luxburg, U. (2007). A tutorial on spectral clustering. doi:10.1007/s11222-007-9033-z

    Examples
    --------
    >>> from gnomon.cluster import graph_cut_cost
    >>> W = [[0, 1, 0, 0], [1, 0, 0.5, 0], [0, 0.5, 0, 1], [0, 0, 1, 0]]
    >>> graph_cut_cost(W, [0, 0, 1, 1]), graph_cut_cost(W, [0, 0, 1, 1], "ratio")
    (0.5, 0.5)
    """
    check_choice("kind", kind, ("cut", "ratio", "normalized"))
    graph = check_graph(W)
    index, clusters = label_index(labels)
    if len(index) != graph.shape[0]:
        raise ValueError(f"labels have {len(index)} entries and W has {graph.shape[0]} rows; give one for each node")
    Z = sparse.csr_matrix((np.ones(len(index)), (np.arange(len(index)), index)), shape=(len(index), len(clusters)))
    between: Any = np.asarray((Z.T @ (graph @ Z)).todense() if sparse.issparse(graph) else Z.T @ (graph @ Z.toarray()))
    volume = between.sum(axis=1)
    # Summed without the diagonal: as a difference from the volume, a small cut would be rounding.
    outside = np.sum(between, axis=1, where=~np.eye(len(clusters), dtype=bool))
    if kind == "cut":
        return float(0.5 * outside.sum())
    size = np.bincount(index).astype(float) if kind == "ratio" else volume
    return float(np.sum(np.divide(outside, size, out=np.zeros_like(outside), where=size > 0.0)))
