"""Rows as short codes whose agreement tells how near they are.

    P(code_b(x) = code_b(y)) = p(nearness of x and y)    for every b = 1 … m, independently          (1)

p is that of `collision_probability`; the share of equal codes estimates it, and its inverse the angle, distance or
Jaccard similarity. Charikar (2002), doi:10.1145/509907.509965; Datar et al. (2004), doi:10.1145/997817.997857; Broder
(1997), doi:10.1109/SEQUEN.1997.666900.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Count, Floats, Integers, Positive, Seed
from gnomon.features._base import FeatureMap, Rows
from gnomon.features._hash_families import FAMILIES, HashKind

__all__ = ["RandomHash"]

WIDTH = 4.0


class RandomHash(FeatureMap):
    """Random hashes of rows, equation (1).

    Parameters
    ----------
    kind : {"hyperplane", "l2", "l1", "minhash"}, default="hyperplane"
        For angles, Euclidean and Manhattan distances, and sets: a row's members are its columns that are not zero.
    n_bits : int, default=64
        m, the number of hashes.
    width : float, default=4.0
        Width w of the cells of "l2" and "l1", in units of the distance.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    hashes_ : Hashes
        The functions that were drawn.

    References
    ----------
    Charikar, M. S. (2002). Similarity estimation techniques from rounding algorithms. doi:10.1145/509907.509965

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import RandomHash
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> codes = RandomHash(n_bits=4000, random_state=0).fit_transform(X)
    >>> codes.shape, codes.dtype
    ((2, 500), dtype('uint8'))
    >>> angle = RandomHash(n_bits=4000, random_state=0).fit(X).estimate(codes[:1], codes[1:])
    >>> round(float(np.degrees(angle[0, 0])))
    45
    """

    _sparse = True
    learns_nothing = True

    def __init__(
        self,
        kind: HashKind = "hyperplane",
        n_bits: Count = 64,
        *,
        width: Positive = WIDTH,
        random_state: Seed = None,
    ):
        self.kind = kind
        self.n_bits = n_bits
        self.width = width
        self.random_state = random_state

    def estimate(self, A: ArrayLike, B: ArrayLike) -> Floats:
        """What two coded rows tell of the rows: the angle, the distance, or the Jaccard similarity, for all pairs.

        Parameters
        ----------
        A, B : array-like of codes, of shapes (n, k) and (m, k)

        Returns
        -------
        ndarray of shape (n, m)
        """
        check_is_fitted(self)
        return FAMILIES[self.kind].estimate(self._equal_shares(np.asarray(A), np.asarray(B)), self.width)

    def _learn(self, X: Rows) -> None:
        if self.width != WIDTH and not FAMILIES[self.kind].has_width:
            raise ValueError(f"width={self.width} is of the kinds 'l2' and 'l1', not of {self.kind!r}; leave it out")
        rng = check_random_state(self.random_state)
        self.hashes_ = FAMILIES[self.kind].draw(X.shape[1], self.n_bits, self.width, rng)

    def _map(self, X: Rows) -> Any:
        codes = self.hashes_.codes(X)
        return np.packbits(codes.astype(bool), axis=1) if FAMILIES[self.kind].one_bit else codes

    def _names(self, names: Array) -> Sequence[str]:
        size = -(-self.n_bits // 8) if FAMILIES[self.kind].one_bit else self.n_bits
        return [f"randomhash{j}" for j in range(size)]

    def _equal_shares(self, A: Integers, B: Integers) -> Floats:
        if FAMILIES[self.kind].one_bit:
            different = np.array([np.bitwise_count(a ^ B).sum(axis=1, dtype=np.int64) for a in A])
            return 1.0 - different / self.n_bits
        return np.array([np.mean(a == B, axis=1) for a in A])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags
