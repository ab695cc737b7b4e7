"""An index of similar rows by locality-sensitive hashing.

    candidate of x:  a row that agrees with x in all K hashes of at least one of L tables
    P(candidate) = 1 − (1 − p^K)^L                                                                 (1)

p is the probability that one hash is equal, `collision_probability`. Candidates are compared with x exactly, so what is
returned is right, and what is missing is what (1) says. Indyk & Motwani (1998), doi:10.1145/276698.276876; probing the
neighbouring cells: Lv et al. (2007), VLDB.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, CountOrZero, Floats, Integers, MatrixLike, Positive, ProperShare, Seed
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.features._hash_families import FAMILIES, HashFamily, HashKind, collision_probability
from gnomon.features._row_pairs import of_pairs
from gnomon.numerics.parallel import map_chunks, split_rows
from gnomon.numerics.validation import check_integer, check_non_negative

__all__ = ["LSHIndex"]

SAMPLE = 100
"""Rows whose neighbours tell how near neighbours are."""

MOST_TABLES = 256
MOST_BITS = 32


class LSHIndex(Estimator):
    """Approximate nearest neighbours by hash tables, equation (1).

    Parameters
    ----------
    kind : {"hyperplane", "l2", "l1", "minhash"}, default="l2"
        What is near: a small cosine distance, Euclidean or Manhattan distance, or Jaccard distance of the sets of
        columns that are not zero.
    n_tables : int or "auto", default="auto"
        L; "auto" the least work for `target_recall`, by the distances of a sample of the rows.
    n_bits : int or "auto", default="auto"
        K, hashes of a table; likewise.
    width : float or "auto", default="auto"
        Width of the cells of "l2" and "l1"; "auto" is four times the median distance to the nearest neighbours.
    n_probes : int, default=0
        Neighbouring cells that are looked at too in each table, nearest first; not for "minhash".
    target_recall : float, default=0.9
        Share of the `n_neighbors` nearest rows that "auto" is to find.
    n_neighbors : int, default=10
        Neighbours that a query asks for by default.
    n_jobs : int, optional
        Threads.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    n_tables_, n_bits_, width_
        L, K and w.
    n_samples_fit_ : int
        Rows in the index.

    References
    ----------
    Indyk, P. & Motwani, R. (1998). Approximate nearest neighbors: towards removing the curse of dimensionality.
    doi:10.1145/276698.276876

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import LSHIndex
    >>> X = np.random.default_rng(0).normal(size=(500, 8))
    >>> index = LSHIndex(n_neighbors=2, random_state=0).fit(X)
    >>> distances, rows = index.kneighbors(X[:1])
    >>> int(rows[0, 0]), float(distances[0, 0])
    (0, 0.0)
    """

    _stored: ClassVar[dict[str, str]] = {
        "_factors": "int (n_bits,)",
        "_order": "int (n_tables, n_samples_fit) below n_samples_fit",
        "_sorted": "int (n_tables, n_samples_fit)",
    }

    def __init__(
        self,
        kind: HashKind = "l2",
        n_tables: Count | Literal["auto"] = "auto",
        n_bits: Count | Literal["auto"] = "auto",
        *,
        width: Positive | Literal["auto"] = "auto",
        n_probes: CountOrZero = 0,
        target_recall: ProperShare = 0.9,
        n_neighbors: Count = 10,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.kind = kind
        self.n_tables = n_tables
        self.n_bits = n_bits
        self.width = width
        self.n_probes = n_probes
        self.target_recall = target_recall
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Put rows into the tables.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        X = self._rows(X, reset=True)
        if self.n_probes and not self._family.has_cells:
            raise ValueError(f"n_probes={self.n_probes}: cells of kind={self.kind!r} have no neighbours; leave it out")
        if self.width != "auto" and not self._family.has_width:
            raise ValueError(f"width={self.width} is of the kinds 'l2' and 'l1', not of {self.kind!r}; leave it out")
        rng = check_random_state(self.random_state)
        self.n_samples_fit_ = X.shape[0]
        near = self._nearness(X, rng)
        self.width_ = _width(near) if self.width == "auto" else float(self.width)
        self.n_bits_, self.n_tables_ = self._sizes(near, X.shape)
        hashes = self._family.draw(X.shape[1], self.n_bits_ * self.n_tables_, self.width_, rng)
        # Sums of codes times odd numbers, modulo 2^64, tell the cells of a table apart.
        self._factors = rng.randint(0, 2**62, size=self.n_bits_, dtype=np.int64).astype(np.uint64) * 2 + 1
        keys = self._keys(hashes.codes(X))
        self._order = np.argsort(keys, axis=1, kind="stable")
        self._sorted = np.take_along_axis(keys, self._order, axis=1)
        self.hashes_, self._X = hashes, X
        return self

    def kneighbors(
        self, X: MatrixLike | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """The nearest candidates of every row, nearest first; of equal distances the first row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), optional
            None for the rows of the index, each without itself.
        n_neighbors : int, optional
            k; by default that of the constructor.
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_queries, k)
            Infinite where there were fewer candidates.
        indices : ndarray of shape (n_queries, k)
            −1 where there were fewer candidates.
        """
        k = self.n_neighbors if n_neighbors is None else check_integer("n_neighbors", n_neighbors, low=1)
        found = self._search(X)
        distances, indices = [np.concatenate(part) for part in zip(*(_first(part, k) for part in found), strict=True)]
        return (distances, indices) if return_distance else indices

    def radius_neighbors(self, X: MatrixLike | None = None, radius: float = 1.0, return_distance: bool = True) -> Any:
        """All candidates within a distance of every row, nearest first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), optional
            None for the rows of the index, each without itself.
        radius : float, default=1.0
        return_distance : bool, default=True

        Returns
        -------
        distances, indices : ndarray of arrays, of shape (n_queries,)
        """
        check_non_negative("radius", radius)
        distances: list[Floats] = []
        indices: list[Integers] = []
        for part in self._search(X):
            inside = part.distances <= radius
            cuts = np.searchsorted(part.queries[inside], np.arange(1, part.n_queries))
            distances += np.split(part.distances[inside], cuts)
            indices += np.split(part.rows[inside], cuts)
        return (_ragged(distances), _ragged(indices)) if return_distance else _ragged(indices)

    def recall_estimate(self, at: ArrayLike) -> Any:
        """Equation (1): the probability that a row is a candidate, without the cells that are probed.

        Parameters
        ----------
        at : float or array-like
            The angle in radians, the distance, or the Jaccard similarity.

        Returns
        -------
        float or ndarray
        """
        check_is_fitted(self)
        p = collision_probability(self.kind, at, width=self.width_)
        return 1.0 - (1.0 - p**self.n_bits_) ** self.n_tables_

    def _rows(self, X: MatrixLike, *, reset: bool) -> Any:
        """Rows as they are compared: of unit length, or as sets, or as they are."""
        X = validate_rows(self, X, reset=reset, accept_sparse="csr")
        return self._family.prepare(X)

    @property
    def _family(self) -> HashFamily:
        return FAMILIES[self.kind]

    def _nearness(self, X: Any, rng: np.random.RandomState) -> _Nearness | None:
        """How near the neighbours of a sample of the rows are, and other rows; None where nothing depends on it."""
        auto = "auto" in (self.n_tables, self.n_bits) or (self.width == "auto" and self._family.has_width)
        n = X.shape[0]
        if not auto or n < 2:
            return None
        sample = rng.permutation(n)[:SAMPLE]
        others = rng.randint(0, n, size=1000)
        k = min(self.n_neighbors, n - 1)
        near, far = [], []
        for i in sample:
            D = self._family.distances(X[[i]], X)
            far.append(D[others])
            D[i] = np.inf
            near.append(np.partition(D, k - 1)[:k])
        return _Nearness(*(self._family.argument(np.array(part)) for part in (near, far)))

    def _sizes(self, near: _Nearness | None, shape: tuple[int, int]) -> tuple[int, int]:
        """K and L: given, or of those that reach the recall the pair of least work."""
        if near is None:
            return (1 if self.n_bits == "auto" else self.n_bits), (1 if self.n_tables == "auto" else self.n_tables)
        p_near = self._family.probability(near.neighbors, self.width_)
        p_far = self._family.probability(near.others, self.width_)
        best: tuple[float, float, int, int] = (np.inf, np.inf, 1, 1)
        for K in range(1, MOST_BITS + 1) if self.n_bits == "auto" else [self.n_bits]:
            L = _tables(p_near**K, self.target_recall) if self.n_tables == "auto" else self.n_tables
            missed = max(self.target_recall - float(np.mean(1.0 - (1.0 - p_near**K) ** L)), 0.0)
            # A query computes K L hashes and a distance for every candidate, all of about d operations.
            work = K * L + shape[0] * float(np.mean(1.0 - (1.0 - p_far**K) ** L))
            best = min(best, (missed, work, K, L))
        if best[0] > 0.01 and "auto" in (self.n_bits, self.n_tables):
            warnings.warn(
                f"{best[3]} tables find about {self.target_recall - best[0]:.0%} of the {self.n_neighbors} nearest "
                f"rows, below target_recall={self.target_recall:g}; lower n_bits, raise width, or set n_probes",
                stacklevel=3,
            )
        return best[2], best[3]

    def _keys(self, codes: Integers) -> Any:
        """The cells of codes of shape (n, L K), as numbers of shape (L, n)."""
        tables = codes.reshape(len(codes), self.n_tables_, self.n_bits_).astype(np.uint64)
        with np.errstate(over="ignore"):
            return np.ascontiguousarray((tables @ self._factors).T)

    def _search(self, X: MatrixLike | None) -> list[_Candidates]:
        check_is_fitted(self)
        itself = X is None
        rows = self._X if X is None else _like(self._rows(X, reset=False), self._X)
        blocks = split_rows(rows.shape[0], -(-rows.shape[0] // 256))
        return map_chunks(
            lambda block: self._candidates(rows[block], block.start if itself else None), blocks, self.n_jobs
        )

    def _candidates(self, Q: Any, first: int | None) -> _Candidates:
        """The candidates of a few queries with their distances, by query, distance and row."""
        n, q = self.n_samples_fit_, Q.shape[0]
        starts, ends = self._ranges(Q)
        counts = (ends - starts).ravel()
        # Places in a table of everything between starts and ends, one range after the other.
        places = np.repeat(starts.ravel() - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
        table, query = np.divmod(np.repeat(np.arange(counts.size) % (self.n_tables_ * q), counts), q)
        pairs = np.unique(query * n + self._order[table, places])
        queries, rows = np.divmod(pairs, n)
        if first is not None:
            other = rows != queries + first
            queries, rows = queries[other], rows[other]
        distances = of_pairs(self._family.distance, Q, self._X, queries, rows)
        order = np.lexsort((rows, distances, queries))
        return _Candidates(q, queries[order], rows[order], distances[order])

    def check_consistent(self) -> None:
        """Refuse rows, dense or sparse, that are not those of the tables."""
        if "_X" in vars(self) and self._X.shape != (self.n_samples_fit_, self.n_features_in_):
            raise ValueError(f"the rows are not {self.n_samples_fit_} of {self.n_features_in_} columns")

    def _ranges(self, Q: Any) -> tuple[Integers, Integers]:
        """Where the cells that are looked at begin and end in each table, of shape (1 + probes, L, q)."""
        keys = self._probed(Q)
        starts, ends = np.empty(keys.shape, dtype=np.int64), np.empty(keys.shape, dtype=np.int64)
        for table, ordered in enumerate(self._sorted):
            starts[:, table] = np.searchsorted(ordered, keys[:, table], side="left")
            ends[:, table] = np.searchsorted(ordered, keys[:, table], side="right")
        return starts, ends

    def _probed(self, Q: Any) -> Any:
        """Cells to look at, of shape (1 + probes, L, q): that of each query, then its neighbours, nearest first."""
        if self.n_probes == 0:
            return self._keys(self.hashes_.codes(Q))[None]
        positions = self.hashes_.positions(Q)
        codes = self._family.cells(positions)
        steps, costs = (self._by_table(part) for part in self._family.steps(positions, codes))
        # One step of a hash to a neighbouring cell changes the key by the factor of that hash.
        factors = np.repeat(self._factors, steps.shape[-1] // self.n_bits_)
        nearest_first = np.argsort(costs, axis=-1, kind="stable")
        own = self._keys(codes)
        keys = [own]
        for probe in range(min(self.n_probes, steps.shape[-1])):
            chosen = nearest_first[..., probe]
            step = np.take_along_axis(steps, chosen[..., None], axis=-1)[..., 0]
            with np.errstate(over="ignore"):
                keys.append(own + (step.astype(np.uint64) * factors[chosen]).T)
        return np.stack(keys)

    def _by_table(self, changes: Any) -> Any:
        """Changes of codes, of shape (c, q, L K), as those of each table, of shape (q, L, K c)."""
        c, q, _ = changes.shape
        return np.moveaxis(changes.reshape(c, q, self.n_tables_, self.n_bits_), 0, -1).reshape(q, self.n_tables_, -1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Nearness(NamedTuple):
    """Angles, distances or similarities of a sample of rows to their neighbours and to any rows."""

    neighbors: Floats
    others: Floats


class _Candidates(NamedTuple):
    """Candidates by query, distance and row."""

    n_queries: int
    queries: Integers
    rows: Integers
    distances: Floats


def _width(near: _Nearness | None) -> float:
    middle = 0.0 if near is None else float(np.median(near.neighbors))
    return 4.0 * middle if middle > 0.0 else 1.0


def _tables(p: Floats, recall: float) -> int:
    """The least L with a mean of 1 − (1 − p)^L of at least the recall, or as many as there may be."""
    low, high = 1, MOST_TABLES
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if np.mean(1.0 - (1.0 - p) ** middle) >= recall else (middle + 1, high)
    return low


def _like(rows: Any, X: Any) -> Any:
    """Rows as a CSR matrix where X is one, else as an array."""
    return sparse.csr_matrix(rows) if sparse.issparse(X) else rows.toarray() if sparse.issparse(rows) else rows


def _first(found: _Candidates, k: int) -> tuple[Floats, Integers]:
    """The first k candidates of every query."""
    starts = np.searchsorted(found.queries, np.arange(found.n_queries))
    rank = np.arange(len(found.queries)) - starts[found.queries]
    keep = rank < k
    distances = np.full((found.n_queries, k), np.inf)
    indices = np.full((found.n_queries, k), -1, dtype=np.int64)
    distances[found.queries[keep], rank[keep]] = found.distances[keep]
    indices[found.queries[keep], rank[keep]] = found.rows[keep]
    return distances, indices


def _ragged(parts: list[Any]) -> Any:
    out = np.empty(len(parts), dtype=object)
    out[:] = parts
    return out
