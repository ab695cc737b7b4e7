"""Cells of the first layer.

    bit h of x is 1[z_h > 0],  z = xᵀW_1 + b_1;    at most Σ_{i≤d} C(H, i) codes occur in R^d           (1)

H hyperplanes cut the space into convex polytopes; the bits say on which side of each a row is. The number of cells of
an arrangement: Schläfli (1901); Cover (1965), doi:10.1109/PGEC.1965.264137.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon.numerics.validation import check_integer

if TYPE_CHECKING:
    from gnomon.neural.network import NeuralNetwork

__all__ = ["CellCodes", "cells_of", "max_cells"]


class CellCodes(NamedTuple):
    """The cells of rows.

    Fields
    ------
    codes : ndarray of shape (n, H)
        The bits of each row.
    cells : ndarray of shape (m, H)
        The codes that occur, in lexicographic order.
    cell : ndarray of shape (n,)
        The index of each row's cell.
    counts : ndarray of shape (m,)
        Rows of each cell.
    purity : ndarray of shape (m,) or None
        The share of the most frequent class of each cell, if y was given.
    most : int
        How many cells H hyperplanes can have in this space.

    References
    ----------
    Cover, T. M. (1965). Geometrical and statistical properties of systems of linear inequalities.
    doi:10.1109/PGEC.1965.264137

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> axes = NetworkFunction(NeuralNetwork([Dense(2, "relu", bias=False)], 2), np.eye(2).ravel())
    >>> found = axes.encode_cells([[1, 1], [-1, 1], [2, 3]], y=["a", "b", "b"])
    >>> found.cells, found.counts, found.purity, found.most
    (array([[0, 1],
           [1, 1]], dtype=int8), array([1, 2]), array([1. , 0.5]), 4)
    """

    codes: Array
    cells: Array
    cell: Integers
    counts: Integers
    purity: Floats | None
    most: int


def max_cells(n_hyperplanes: int, n_features: int) -> int:
    """How many cells so many hyperplanes can have: Σ_{i≤d} C(H, i).

    Parameters
    ----------
    n_hyperplanes, n_features : int
        H and d.

    Returns
    -------
    int

    References
    ----------
    Cover, T. M. (1965). doi:10.1109/PGEC.1965.264137

    Examples
    --------
    Three lines cut the plane into seven cells at most:

    >>> from gnomon.neural import max_cells
    >>> max_cells(3, 2)
    7
    """
    check_integer("n_hyperplanes", n_hyperplanes, 0)
    check_integer("n_features", n_features, 0)
    return sum(comb(n_hyperplanes, i) for i in range(n_features + 1))


def cells_of(network: NeuralNetwork, theta: Floats, X: Any, y: ArrayLike | None = None) -> CellCodes:
    """The cells of the first layer that has weights."""
    first = next((node for node in network.nodes if node.parameters), None)
    if first is None:
        raise ValueError("the network has no layer with weights, so it has no cells; give one that has")
    Z = network.forward(theta, X)[0][first.name]
    codes = (Z.reshape(len(Z), -1) > 0).astype(np.int8)
    cells, cell, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    cell = cell.reshape(-1)
    purity = None if y is None else _purity(cell, np.asarray(y), counts)
    return CellCodes(codes, cells, cell, counts, purity, max_cells(codes.shape[1], int(np.prod(first.input_shapes[0]))))


def _purity(cell: Integers, y: Array, counts: Integers) -> Floats:
    if y.shape != cell.shape:
        raise ValueError(f"y has shape {y.shape}; give a class for each of {len(cell)} rows")
    classes, index = np.unique(y, return_inverse=True)
    table = np.zeros((len(counts), len(classes)))
    np.add.at(table, (cell, index), 1.0)
    return table.max(axis=1) / counts
