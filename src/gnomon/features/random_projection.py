"""Random projection.

    z = R x,    E ‖R x‖² = ‖x‖²,    R of shape (m, d), independent of the data                      (1)

"gaussian": entries N(0, 1/m). "sparse": ±1/√(q m) with probability q/2 each, else 0 (Li, Hastie & Church 2006,
doi:10.1145/1150402.1150436; q = 1/3: Achlioptas 2003, doi:10.1016/S0022-0000(03)00025-4). "sign": the same with q = 1.
"hadamard": √(d'/m) P H D, random signs D, the orthonormal Walsh–Hadamard matrix H of order d' = 2^⌈log₂ d⌉ and a choice
P of m of its rows, applied in O(d' log d') without a matrix (Ailon & Chazelle 2009, doi:10.1137/060673096; Tropp 2011,
doi:10.1142/S1793536911000787). How large m must be: `johnson_lindenstrauss_min_dim`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import linalg, sparse
from sklearn.utils import check_random_state

from gnomon._typing import Array, Count, Floats, ProperShare, Seed, SomeShare
from gnomon.features._base import InvertibleMap, Rows
from gnomon.features.johnson_lindenstrauss import johnson_lindenstrauss_min_dim

__all__ = ["RandomProjection"]

ProjectionKind: TypeAlias = Literal["gaussian", "sparse", "sign", "hadamard"]


class RandomProjection(InvertibleMap):
    """Rows projected on random directions, equation (1): distances are kept, whatever the data.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        m; "auto" is what `johnson_lindenstrauss_min_dim` asks for with `eps` and `delta`, with a warning where that is
        no reduction.
    kind : {"gaussian", "sparse", "sign", "hadamard"}, default="gaussian"
    density : float, optional
        q of "sparse"; None for 1/√d.
    eps : float, default=0.1
        ε of "auto".
    delta : float, optional
        Probability of failure that "auto" allows.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    components_ : ndarray or CSR matrix of shape (m, d)
        R; not stored for "hadamard".
    signs_, chosen_ : ndarray
        D and the rows P of "hadamard".
    n_components_ : int
        m.
    density_ : float
        q.

    References
    ----------
    Achlioptas, D. (2003). Database-friendly random projections. doi:10.1016/S0022-0000(03)00025-4

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import RandomProjection
    >>> X = np.random.default_rng(0).normal(size=(3, 1000))
    >>> Z = RandomProjection(400, kind="hadamard", random_state=0).fit_transform(X)
    >>> Z.shape, (np.sum(Z**2, axis=1) / np.sum(X**2, axis=1)).round(1)
    ((3, 400), array([1. , 0.9, 1. ]))
    """

    _sparse = True
    learns_nothing = True

    def __init__(
        self,
        n_components: Count | Literal["auto"] = "auto",
        *,
        kind: ProjectionKind = "gaussian",
        density: SomeShare | None = None,
        eps: ProperShare = 0.1,
        delta: ProperShare | None = None,
        random_state: Seed = None,
    ):
        self.n_components = n_components
        self.kind = kind
        self.density = density
        self.eps = eps
        self.delta = delta
        self.random_state = random_state

    def _learn(self, X: Rows) -> None:
        n, d = X.shape
        self._refuse_idle_options()
        self.n_components_ = m = self._size(n, d)
        rng = check_random_state(self.random_state)
        if self.kind == "hadamard":
            order = 1 << (d - 1).bit_length()
            if m > order:
                raise ValueError(f"n_components={m} is more than the {order} rows of the Hadamard matrix; choose fewer")
            self.signs_ = rng.choice(np.array([-1.0, 1.0]), size=d)
            self.chosen_ = np.sort(rng.permutation(order)[:m])
        elif self.kind == "gaussian":
            self.components_ = (rng.standard_normal(size=(m, d)) / np.sqrt(m)).astype(X.dtype)
        else:
            self.density_ = 1.0 if self.kind == "sign" else (self.density or 1.0 / np.sqrt(d))
            self.components_ = _sparse_signs(m, d, self.density_, rng).astype(X.dtype)

    def _map(self, X: Rows) -> Rows:
        if self.kind != "hadamard":
            Z = X @ self.components_.T.astype(X.dtype)
            return Z if sparse.issparse(Z) or isinstance(Z, np.ndarray) else np.asarray(Z)
        dense = X.toarray() if sparse.issparse(X) else X
        order = 1 << (self.n_features_in_ - 1).bit_length()
        padded = np.zeros((len(dense), order), dtype=X.dtype)
        np.multiply(dense, self.signs_.astype(X.dtype), out=padded[:, : self.n_features_in_])
        # √(order/m) of (1) and 1/√order of the orthonormal H.
        return walsh_hadamard(padded)[:, self.chosen_] / np.sqrt(X.dtype.type(self.n_components_))

    def _unmap(self, Z: Rows) -> Rows:
        """The shortest x with R x = z, or nearest to it."""
        R = self._map(np.eye(self.n_features_in_)).T if self.kind == "hadamard" else self.components_
        R = R.toarray() if sparse.issparse(R) else R
        Z = Z.toarray() if sparse.issparse(Z) else Z
        return Z @ linalg.pinv(R).T.astype(Z.dtype)

    def _names(self, names: Array) -> Sequence[str]:
        return [f"{type(self).__name__.lower()}{j}" for j in range(self.n_components_)]

    def _size(self, n: int, d: int) -> int:
        if self.n_components != "auto":
            return self.n_components
        m = int(johnson_lindenstrauss_min_dim(max(n, 2), eps=self.eps, delta=self.delta))
        if m >= d:
            warnings.warn(
                f"eps={self.eps:g} asks for {m} directions and X has {d} columns: this is no reduction; raise eps, or "
                "give n_components",
                stacklevel=4,
            )
        return m

    def _refuse_idle_options(self) -> None:
        if self.density is not None and self.kind != "sparse":
            raise ValueError(f"density={self.density} is of kind='sparse', and kind={self.kind!r}; leave it out")
        if self.delta is not None and self.n_components != "auto":
            raise ValueError(f"delta={self.delta} is of n_components='auto'; leave one of them out")


def walsh_hadamard(A: Floats) -> Floats:
    """A H for the matrix H of ±1 of Walsh and Hadamard, in place; the number of columns is a power of two.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features.random_projection import walsh_hadamard
    >>> walsh_hadamard(np.eye(2))
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    n, order = A.shape
    step = 1
    while step < order:
        pairs = A.reshape(n, order // (2 * step), 2, step)
        left = pairs[:, :, 0].copy()
        pairs[:, :, 0] += pairs[:, :, 1]
        np.subtract(left, pairs[:, :, 1], out=pairs[:, :, 1])
        step *= 2
    return A


def _sparse_signs(m: int, d: int, q: float, rng: np.random.RandomState) -> Any:
    """A CSR matrix whose entries are ±1/√(q m) with probability q, else 0."""
    counts = rng.binomial(d, q, size=m)
    columns = [np.sort(rng.permutation(d)[:k]) for k in counts]
    indptr = np.concatenate([[0], np.cumsum(counts)])
    values = rng.choice(np.array([-1.0, 1.0]), size=indptr[-1]) / np.sqrt(q * m)
    return sparse.csr_matrix((values, np.concatenate(columns), indptr), shape=(m, d))
