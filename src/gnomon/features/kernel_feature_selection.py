"""A kernel approximated by the coordinates that matter.

    φ̃: many explicit coordinates of a kernel,    keep m of them,    f(x) = wᵀφ̃_kept(x)                  (1)

The map that is left computes the kept coordinates and no others; there is no kernel at prediction. "l1" follows the
lasso path to the m-th column that joins (Efron et al. 2004, doi:10.1214/009053604000000067), "forward" is orthogonal
matching pursuit (Pati, Rezaiifar & Krishnaprasad 1993, doi:10.1109/ACSSC.1993.342465), "leverage" takes the columns
with most weight in the leading singular vectors (Mahoney & Drineas 2009, doi:10.1073/pnas.0803205106).
"""

from __future__ import annotations

from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import linalg
from sklearn.base import TransformerMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from gnomon._typing import Array, ArrayLike, Count, Floats, Integers, MatrixLike
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.base.targets import check_target
from gnomon.features.fourier import RandomFourierFeatures
from gnomon.numerics.coding import label_index
from gnomon.optim import lasso_knots

__all__ = ["KernelFeatureSelection"]

SelectorWord: TypeAlias = Literal["l1", "forward", "leverage"] | Any


class KernelFeatureSelection(TransformerMixin, Estimator):
    """The most useful coordinates of an explicit map of a kernel, equation (1).

    Parameters
    ----------
    map : transformer, optional
        With `coordinates(columns)`: `RandomFourierFeatures`, `Nystroem` or `PolynomialMap`; by default Fourier
        features of an RBF kernel.
    selector : {"l1", "forward", "leverage"} or selector, default="forward"
        A way of (1), or a selector of scikit-learn, which decides by itself how many to keep.
    n_keep : int, default=20
        m.

    Attributes
    ----------
    kept_ : ndarray of int
        Columns of the map that are kept.
    coordinates_ : KeptCoordinates
        What computes them.

    References
    ----------
    Rahimi, A. & Recht, B. (2008). Weighted sums of random kitchen sinks. NIPS.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import KernelFeatureSelection, PolynomialMap
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> chosen = KernelFeatureSelection(PolynomialMap(3), n_keep=1).fit(X, X[:, 0] * X[:, 2] ** 2)
    >>> chosen.get_feature_names_out().tolist()
    ['x0 x2^2']
    """

    def __init__(
        self,
        map: Any = None,
        selector: SelectorWord = "forward",
        n_keep: Count = 20,
    ):
        self.map = map
        self.selector = selector
        self.n_keep = n_keep

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Choose the coordinates.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Numbers or classes; "leverage" needs none.

        Returns
        -------
        self
        """
        base = RandomFourierFeatures(random_state=0) if self.map is None else self.map
        if getattr(base, "coordinates", None) is None:
            raise ValueError(
                f"map={base!r} has no `coordinates`; give RandomFourierFeatures, Nystroem or PolynomialMap"
            )
        X = validate_rows(self, X, accept_sparse="csr")
        self.map_ = clone(base).fit(X)
        Z = np.asarray(self.map_.transform(X), dtype=float)
        self.kept_ = np.sort(self._choose(Z, y))
        self.coordinates_ = self.map_.coordinates(self.kept_)
        return self

    def transform(self, X: MatrixLike) -> Floats:
        """The kept coordinates of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        Z : ndarray of shape (n_samples, n_kept)
        """
        check_is_fitted(self)
        return self.coordinates_.outputs(validate_rows(self, X, reset=False, accept_sparse="csr"))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Any:
        """Names of the kept coordinates, as the map names them.

        Parameters
        ----------
        input_features : array-like of str, optional

        Returns
        -------
        ndarray of object
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        return np.asarray(self.map_.get_feature_names_out(names), dtype=object)[self.kept_]

    def _choose(self, Z: Floats, y: ArrayLike | None) -> Integers:
        if not isinstance(self.selector, str):
            if getattr(self.selector, "get_support", None) is None:
                raise ValueError(f"selector={self.selector!r} must be 'l1', 'forward', 'leverage' or a selector")
            return np.flatnonzero(clone(self.selector).fit(Z, y).get_support())
        if self.n_keep > Z.shape[1]:
            raise ValueError(f"n_keep={self.n_keep} is more than the {Z.shape[1]} coordinates of the map; keep fewer")
        if self.selector == "leverage":
            return _by_leverage(Z, self.n_keep)
        if self.selector not in ("l1", "forward"):
            raise ValueError(f"selector={self.selector!r} must be 'l1', 'forward', 'leverage' or a selector")
        if y is None:
            raise ValueError(
                f"selector={self.selector!r} requires y to be passed, but the target y is None; 'leverage' needs none"
            )
        y = check_target(y)
        if len(y) != len(Z):
            raise ValueError(f"X has {len(Z)} rows and y has {len(y)}; give one target for each row")
        Y = _targets(y)
        centred = Z - Z.mean(axis=0)
        return (_on_path if self.selector == "l1" else _forward)(centred, Y - Y.mean(axis=0), self.n_keep)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.map is None or get_tags(self.map).input_tags.sparse
        tags.target_tags.required = not (isinstance(self.selector, str) and self.selector == "leverage")
        return tags


def _targets(y: Array) -> Floats:
    """y as columns of numbers; classes of other kinds as columns of 0 and 1."""
    if y.dtype.kind in "fiub":
        return y.reshape(len(y), -1).astype(float)
    index, classes = label_index(y)
    return np.eye(len(classes))[index]


def _forward(Z: Floats, Y: Floats, m: int) -> Integers:
    """The column that explains most of what is left joins, m times."""
    Z, left = Z.copy(), Y.copy()
    lengths = np.linalg.norm(Z, axis=0)
    floor, chosen = 1e-10 * lengths, list[int]()
    for _ in range(m):
        now = np.linalg.norm(Z, axis=0)
        usable = now > np.maximum(floor, np.finfo(float).tiny)
        gains = np.full(Z.shape[1], -1.0)
        gains[usable] = np.sum((Z[:, usable].T @ left) ** 2, axis=1) / now[usable] ** 2
        gains[chosen] = -2.0
        j = int(np.argmax(gains))
        chosen.append(j)
        if now[j] > 0.0 and usable[j]:
            q = Z[:, j] / now[j]
            left -= np.outer(q, q @ left)
            Z -= np.outer(q, q @ Z)
    return np.array(chosen)


def _on_path(Z: Floats, Y: Floats, m: int) -> Integers:
    """The m columns that join the lasso paths of the targets first, columns scaled to one length."""
    lengths = np.linalg.norm(Z, axis=0)
    Z = Z / np.where(lengths > 0.0, lengths, 1.0)
    joined = np.full(Z.shape[1], -np.inf)
    for t in Y.T:
        knots = lasso_knots(Z, t, max_knots=4 * m + 1)
        active = knots.coefs != 0.0
        first = np.argmax(active, axis=0)
        level = knots.tau[np.maximum(first - 1, 0)] / max(float(knots.tau[0]), np.finfo(float).tiny)
        joined = np.maximum(joined, np.where(active.any(axis=0), level, -np.inf))
    return np.argsort(-joined, kind="stable")[:m]


def _by_leverage(Z: Floats, m: int) -> Integers:
    _, s, Vt = linalg.svd(Z, full_matrices=False, check_finite=False)
    rank = min(m, int(np.sum(s > 1e-10 * s[0])) or 1)
    return np.argsort(-np.sum(Vt[:rank] ** 2, axis=0), kind="stable")[:m]
