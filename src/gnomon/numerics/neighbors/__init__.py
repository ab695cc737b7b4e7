"""Nearest rows, and rows within a radius, by any metric: exact, of equal distances the lower index."""

from __future__ import annotations

from gnomon.numerics.neighbors._index import index_rows, nearest_neighbors, radius_neighbors
from gnomon.numerics.neighbors._pairwise import BlockIndex
from gnomon.numerics.neighbors._radius import RadiusNeighbors
from gnomon.numerics.neighbors._result import Neighbors, RowIndex

__all__ = [
    "BlockIndex",
    "Neighbors",
    "RadiusNeighbors",
    "RowIndex",
    "index_rows",
    "nearest_neighbors",
    "radius_neighbors",
]
