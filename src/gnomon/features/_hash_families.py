"""Families of hash functions that agree on near rows.

    "hyperplane":  I(aᵀx > 0),   a normal:           P(equal) = 1 − θ/π                              (1)
    "l2":          ⌊(aᵀx + b)/w⌋, a normal:          P = 1 − 2Φ(−w/c) − 2c/(√(2π)w) (1 − e^{−w²/2c²})  (2)
    "l1":          ⌊(aᵀx + b)/w⌋, a Cauchy:          P = (2/π) arctan(w/c) − c/(πw) ln(1 + w²/c²)       (3)
    "minhash":     argmin of a random order of x's members:   P = |A ∩ B| / |A ∪ B|                   (4)

for rows at the angle θ or the distance c, b uniform on [0, w). Charikar (2002), doi:10.1145/509907.509965; Datar et al.
(2004), doi:10.1145/997817.997857; Broder (1997), doi:10.1109/SEQUEN.1997.666900.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse
from scipy.special import ndtr
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import normalize

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.features._row_pairs import row_sums
from gnomon.numerics.scale import largest_entry
from gnomon.numerics.validation import check_choice, check_positive

__all__ = ["FAMILIES", "HashFamily", "HashKind", "Hashes", "collision_probability"]

HashKind: TypeAlias = Literal["hyperplane", "l2", "l1", "minhash"]

GRID = np.logspace(-6.0, 6.0, 4001)
"""Distances, in units of the width, between which the probability of equal codes is interpolated."""


class Hashes(NamedTuple):
    """Hash functions that were drawn from a family.

    Fields
    ------
    kind : str
        The name of the family.
    directions : ndarray of shape (d, m) or None
        a of (1) to (3).
    offsets : ndarray of shape (m,)
        b, in units of w; for "minhash" the seeds of the random orders.
    width : float
        w; 1 for kinds without one.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features._hash_families import Hashes
    >>> Hashes("l2", np.array([[1.0, 1.0]]), np.array([0.0, 0.5]), 2.0).codes(np.array([[3.0]]))
    array([[1, 2]])
    """

    kind: HashKind
    directions: Floats | None
    offsets: Any
    width: float

    def codes(self, X: Any) -> Integers:
        """The hashes of every row, of shape (n, m)."""
        return FAMILIES[self.kind].codes(self, X)

    def positions(self, X: Any) -> Floats:
        """aᵀx/w + b: where a row lies among the cells of each hash."""
        assert self.directions is not None
        return np.asarray(X @ self.directions.astype(X.dtype)) / self.width + self.offsets


class HashFamily(ABC):
    """What rows a family compares, how near they are, and how often their hashes are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features._hash_families import FAMILIES
    >>> angle = FAMILIES["hyperplane"]
    >>> a, b = angle.prepare(np.array([[3.0, 0.0]])), angle.prepare(np.array([[1.0, 1.0]]))
    >>> angle.probability(angle.argument(angle.distance(a, b)), 1.0).round(3)
    array([0.75])
    """

    name: ClassVar[HashKind]
    metric: ClassVar[str]
    """Of scikit-learn, for the same distance."""
    highest: ClassVar[float]
    """Of what the probability depends on."""
    has_width: ClassVar[bool] = False
    has_cells: ClassVar[bool] = True
    """Whether codes number cells that have neighbours."""
    one_bit: ClassVar[bool] = False

    @abstractmethod
    def prepare(self, X: Any) -> Any:
        """Rows as they are compared."""

    @abstractmethod
    def draw(self, d: int, m: int, width: float, rng: np.random.RandomState) -> Hashes:
        """m hash functions of rows with d columns."""

    def codes(self, hashes: Hashes, X: Any) -> Integers:
        """The hashes of every row, of shape (n, m)."""
        return self.cells(hashes.positions(X))

    @abstractmethod
    def cells(self, positions: Floats) -> Integers:
        """The cell in which each position lies."""

    @abstractmethod
    def steps(self, positions: Floats, codes: Integers) -> tuple[Integers, Floats]:
        """Changes of each code to a neighbouring cell and how far that cell is, of shape (changes, n, m)."""

    @abstractmethod
    def distance(self, a: Any, b: Any) -> Floats:
        """The distance of each row of a to the same row of b."""

    def distances(self, x: Any, X: Any) -> Floats:
        """The distances of one row to all others."""
        return pairwise_distances(x, X, metric=self.metric)[0]

    @abstractmethod
    def argument(self, distances: Floats) -> Floats:
        """What the probability depends on, from a distance."""

    @abstractmethod
    def probability(self, at: Floats, width: float) -> Floats:
        """The probability that one hash is equal: (1) to (4)."""

    @abstractmethod
    def estimate(self, equal: Floats, width: float) -> Floats:
        """What the probability depends on, from the share of hashes that are equal."""


class Hyperplanes(HashFamily):
    """Equation (1); the distance is 1 − cos θ."""

    name, metric, highest, one_bit = "hyperplane", "cosine", np.pi, True

    def prepare(self, X: Any) -> Any:
        """Rows of unit length; first divided by their largest entries, whose squares may be no numbers."""
        largest = largest_entry(X, axis=1)
        if np.any(largest == 0.0):
            raise ValueError(f"row {int(np.argmin(largest))} of X is zero and has no angle; drop such rows")
        return normalize(sparse.diags(1.0 / largest) @ X if sparse.issparse(X) else X / largest[:, None])

    def draw(self, d: int, m: int, width: float, rng: np.random.RandomState) -> Hashes:
        """Normal directions."""
        return Hashes(self.name, rng.standard_normal(size=(d, m)), np.zeros(m), 1.0)

    def cells(self, positions: Floats) -> Integers:
        """The side of the hyperplane."""
        return (positions > 0.0).astype(np.int64)

    def steps(self, positions: Floats, codes: Integers) -> tuple[Integers, Floats]:
        """To the other side."""
        return (1 - 2 * codes)[None], np.abs(positions)[None]

    def distance(self, a: Any, b: Any) -> Floats:
        """Half the squared distance, which is 1 − cos θ for unit vectors."""
        return 0.5 * row_sums(a - b, 2)

    def argument(self, distances: Floats) -> Floats:
        """θ."""
        return np.arccos(np.clip(1.0 - distances, -1.0, 1.0))

    def probability(self, at: Floats, width: float) -> Floats:
        """(1)."""
        return 1.0 - at / np.pi

    def estimate(self, equal: Floats, width: float) -> Floats:
        """θ."""
        return np.pi * (1.0 - equal)


class StableCells(HashFamily):
    """Equations (2) and (3): cells of width w on lines whose directions are stable for the p-norm."""

    highest, has_width = np.inf, True

    def prepare(self, X: Any) -> Any:
        """Rows as they are."""
        return X

    def draw(self, d: int, m: int, width: float, rng: np.random.RandomState) -> Hashes:
        """Directions, then where their first cells begin."""
        directions = self._directions((d, m), rng)
        return Hashes(self.name, directions, rng.uniform(size=m), width)

    def cells(self, positions: Floats) -> Integers:
        """The whole number below."""
        return np.floor(positions).astype(np.int64)

    def steps(self, positions: Floats, codes: Integers) -> tuple[Integers, Floats]:
        """To the cell below and to that above."""
        inside = positions - codes
        ones = np.ones_like(codes)
        return np.stack([-ones, ones]), np.stack([inside, 1.0 - inside])

    def argument(self, distances: Floats) -> Floats:
        """c."""
        return distances

    def probability(self, at: Floats, width: float) -> Floats:
        """(2) or (3); equal rows are hashed alike, and rows at an infinite distance never."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self._formula(width / at)
        return np.where(at == 0.0, 1.0, np.where(np.isinf(at), 0.0, found))

    def estimate(self, equal: Floats, width: float) -> Floats:
        """c, between the points of a grid."""
        at = GRID * width
        # The probability falls with the distance, and `interp` wants it to rise.
        return np.interp(-equal, -self.probability(at, width), at)

    @abstractmethod
    def _directions(self, shape: tuple[int, int], rng: np.random.RandomState) -> Floats: ...

    @abstractmethod
    def _formula(self, r: Floats) -> Floats:
        """The probability for r = w/c."""


class EuclideanCells(StableCells):
    """Equation (2)."""

    name, metric = "l2", "euclidean"

    def distance(self, a: Any, b: Any) -> Floats:
        """‖a − b‖₂."""
        return np.sqrt(row_sums(a - b, 2))

    def _directions(self, shape: tuple[int, int], rng: np.random.RandomState) -> Floats:
        return rng.standard_normal(size=shape)

    def _formula(self, r: Floats) -> Floats:
        return 1.0 - 2.0 * ndtr(-r) + 2.0 / (np.sqrt(2.0 * np.pi) * r) * np.expm1(-0.5 * r * r)


class ManhattanCells(StableCells):
    """Equation (3)."""

    name, metric = "l1", "manhattan"

    def distance(self, a: Any, b: Any) -> Floats:
        """‖a − b‖₁."""
        return row_sums(a - b, 1)

    def _directions(self, shape: tuple[int, int], rng: np.random.RandomState) -> Floats:
        return rng.standard_cauchy(size=shape)

    def _formula(self, r: Floats) -> Floats:
        return (2.0 / np.pi) * np.arctan(r) - np.log1p(r * r) / (np.pi * r)


class MinHashes(HashFamily):
    """Equation (4): rows are sets, and a set is the columns that are not zero."""

    name, metric, highest, has_cells = "minhash", "jaccard", 1.0, False

    def prepare(self, X: Any) -> Any:
        """CSR matrices of ones."""
        members = sparse.csr_matrix(X != 0).astype(np.float64)
        members.sort_indices()
        return members

    def draw(self, d: int, m: int, width: float, rng: np.random.RandomState) -> Hashes:
        """Seeds of random orders."""
        return Hashes(self.name, None, rng.randint(0, 2**63 - 1, size=m, dtype=np.int64).astype(np.uint64), 1.0)

    def codes(self, hashes: Hashes, X: Any) -> Integers:
        """For every seed the member of each row that comes first in a random order of the columns; −1 for none."""
        rows = sparse.csr_matrix(X, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        out = np.full((rows.shape[0], len(hashes.offsets)), -1, dtype=np.int64)
        full = np.flatnonzero(np.diff(rows.indptr))
        if len(full) == 0:
            return out
        starts = rows.indptr[full]
        for b, seed in enumerate(hashes.offsets):
            order = _mixed(rows.indices.astype(np.uint64), seed)
            least = np.minimum.reduceat(order, starts)
            # The mixing is one-to-one, so the least value names its column.
            out[full, b] = rows.indices[order == np.repeat(least, np.diff(rows.indptr)[full])]
        return out

    def cells(self, positions: Floats) -> Integers:
        """Members lie in no cells."""
        raise NotImplementedError("codes of kind='minhash' are members, not cells")

    def steps(self, positions: Floats, codes: Integers) -> tuple[Integers, Floats]:
        """Members lie in no cells."""
        raise NotImplementedError("codes of kind='minhash' are members, not cells")

    def distance(self, a: Any, b: Any) -> Floats:
        """1 − |A ∩ B| / |A ∪ B|."""
        common = np.asarray(a.multiply(b).sum(axis=1)).ravel()
        return _jaccard_distance(common, np.diff(a.indptr), np.diff(b.indptr))

    def distances(self, x: Any, X: Any) -> Floats:
        """The same, of one set to all others."""
        common = np.asarray((X @ x.T).todense()).ravel()
        return _jaccard_distance(common, x.nnz, np.diff(X.indptr))

    def argument(self, distances: Floats) -> Floats:
        """The Jaccard similarity."""
        return 1.0 - distances

    def probability(self, at: Floats, width: float) -> Floats:
        """(4)."""
        return at

    def estimate(self, equal: Floats, width: float) -> Floats:
        """(4)."""
        return equal


FAMILIES: dict[str, HashFamily] = {
    family.name: family for family in (Hyperplanes(), EuclideanCells(), ManhattanCells(), MinHashes())
}


def collision_probability(kind: HashKind, at: ArrayLike, *, width: float = 4.0) -> Any:
    """The probability that one random hash of two rows is equal.

    Parameters
    ----------
    kind : {"hyperplane", "l2", "l1", "minhash"}
    at : float or array-like
        What (1) to (4) depend on: the angle in radians, the distance c, or the Jaccard similarity.
    width : float, default=4.0
        w of "l2" and "l1".

    Returns
    -------
    float or ndarray

    References
    ----------
    Datar, M., Immorlica, N., Indyk, P. & Mirrokni, V. S. (2004). Locality-sensitive hashing scheme based on p-stable
    distributions. doi:10.1145/997817.997857

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import collision_probability
    >>> collision_probability("hyperplane", np.pi / 4), round(collision_probability("l2", 2.0), 6)
    (0.75, 0.609548)
    """
    family = FAMILIES[check_choice("kind", kind, tuple(FAMILIES))]
    check_positive("width", width)
    value = np.asarray(at, dtype=float)
    if not np.all((value >= 0.0) & (value <= family.highest)):
        raise ValueError(f"at={at!r} of kind={kind!r} must be in [0, {family.highest:.4g}]")
    found = family.probability(value, width)
    return float(found) if np.ndim(found) == 0 else found


def _jaccard_distance(common: Floats, left: Any, right: Any) -> Floats:
    union = left + right - common
    # Two empty sets are equal.
    return np.where(union > 0, 1.0 - common / np.maximum(union, 1), 0.0)


def _mixed(x: Any, seed: Any) -> Any:
    """A one-to-one scrambling of 64 bits, another one for each seed: the finaliser of SplitMix64."""
    with np.errstate(over="ignore"):
        z = x + seed * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
