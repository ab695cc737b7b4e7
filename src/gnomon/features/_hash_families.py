"""Families of hash functions that agree on near rows.

    "hyperplane":  I(aᵀx > 0),   a normal:           P(equal) = 1 − θ/π                              (1)
    "l2":          ⌊(aᵀx + b)/w⌋, a normal:          P = 1 − 2Φ(−w/c) − 2c/(√(2π)w) (1 − e^{−w²/2c²})  (2)
    "l1":          ⌊(aᵀx + b)/w⌋, a Cauchy:          P = (2/π) arctan(w/c) − c/(πw) ln(1 + w²/c²)       (3)
    "minhash":     argmin of a random order of x's members:   P = |A ∩ B| / |A ∪ B|                   (4)

for rows at the angle θ or the distance c, b uniform on [0, w). Charikar (2002), doi:10.1145/509907.509965; Datar et al.
(2004), doi:10.1145/997817.997857; Broder (1997), doi:10.1109/SEQUEN.1997.666900.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse
from scipy.special import ndtr

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.numerics.validation import check_choice, check_positive

__all__ = ["HashKind", "Hashes", "collision_probability", "draw_hashes"]

HashKind: TypeAlias = Literal["hyperplane", "l2", "l1", "minhash"]


def _hyperplane(angle: Floats, width: float) -> Floats:
    return 1.0 - angle / np.pi


def _l2(c: Floats, width: float) -> Floats:
    r = width / c
    return 1.0 - 2.0 * ndtr(-r) + 2.0 / (np.sqrt(2.0 * np.pi) * r) * np.expm1(-0.5 * r * r)


def _l1(c: Floats, width: float) -> Floats:
    r = width / c
    return (2.0 / np.pi) * np.arctan(r) - np.log1p(r * r) / (np.pi * r)


def _jaccard(similarity: Floats, width: float) -> Floats:
    return similarity


PROBABILITIES: dict[str, Callable[[Floats, float], Floats]] = {
    "hyperplane": _hyperplane,
    "l2": _l2,
    "l1": _l1,
    "minhash": _jaccard,
}
"""Equations (1) to (4)."""

HIGHEST = {"hyperplane": np.pi, "l2": np.inf, "l1": np.inf, "minhash": 1.0}


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
    check_choice("kind", kind, tuple(PROBABILITIES))
    check_positive("width", width)
    value = np.asarray(at, dtype=float)
    if not np.all((value >= 0.0) & (value <= HIGHEST[kind])):
        raise ValueError(f"at={at!r} of kind={kind!r} must be in [0, {HIGHEST[kind]:.4g}]")
    with np.errstate(divide="ignore", invalid="ignore"):
        found = PROBABILITIES[kind](value, width)
    # Equal rows are hashed alike, rows at an infinite distance by chance, which is rare without end.
    found = np.where(value == 0.0, 1.0, np.where(np.isinf(value), 0.0, found)) if kind in ("l2", "l1") else found
    return float(found) if np.ndim(found) == 0 else found


class Hashes(NamedTuple):
    """Hash functions that were drawn.

    Fields
    ------
    kind : str
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

    def positions(self, X: Any) -> Floats:
        """aᵀx/w + b: where a row lies among the cells of each hash."""
        assert self.directions is not None
        return np.asarray(X @ self.directions.astype(X.dtype)) / self.width + self.offsets

    def codes(self, X: Any) -> Integers:
        """The hashes of every row, of shape (n, m)."""
        return _min_hashes(X, self.offsets) if self.kind == "minhash" else self.cells(self.positions(X))

    def cells(self, positions: Floats) -> Integers:
        """The cell of each position: its sign for "hyperplane", else the whole number below."""
        if self.kind == "hyperplane":
            return (positions > 0.0).astype(np.int64)
        return np.floor(positions).astype(np.int64)


def draw_hashes(kind: HashKind, d: int, m: int, width: float, rng: np.random.RandomState) -> Hashes:
    """m hash functions of rows with d columns.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features._hash_families import draw_hashes
    >>> draw_hashes("l1", 2, 5, 3.0, np.random.RandomState(0)).directions.shape
    (2, 5)
    """
    if kind == "minhash":
        return Hashes(kind, None, rng.randint(0, 2**63 - 1, size=m, dtype=np.int64).astype(np.uint64), 1.0)
    directions = rng.standard_cauchy(size=(d, m)) if kind == "l1" else rng.standard_normal(size=(d, m))
    if kind == "hyperplane":
        return Hashes(kind, directions, np.zeros(m), 1.0)
    return Hashes(kind, directions, rng.uniform(size=m), width)


def _min_hashes(X: Any, seeds: Any) -> Integers:
    """For every seed the member of each row that comes first in a random order of the columns; −1 for no member."""
    rows = sparse.csr_matrix(X)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    out = np.full((rows.shape[0], len(seeds)), -1, dtype=np.int64)
    full = np.flatnonzero(np.diff(rows.indptr))
    if len(full) == 0:
        return out
    starts = rows.indptr[full]
    for b, seed in enumerate(seeds):
        order = _mixed(rows.indices.astype(np.uint64), seed)
        least = np.minimum.reduceat(order, starts)
        # The mixing is one-to-one, so the least value names its column.
        out[full, b] = rows.indices[order == np.repeat(least, np.diff(rows.indptr)[full])]
    return out


def _mixed(x: Any, seed: Any) -> Any:
    """A one-to-one scrambling of 64 bits, another one for each seed: the finaliser of SplitMix64."""
    with np.errstate(over="ignore"):
        z = x + seed * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
