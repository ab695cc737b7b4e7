"""Discriminant projection.

    maximise over w    L(w) = wᵀ S_B w / wᵀ S_W w,        S_B w = λ S_W w,   λ = L(w)              (1)

The first m ≤ C − 1 generalised eigenvectors separate the class means in units of the spread within the classes. Joint
diagonalisation: P whitens S_W, U_B are the eigenvectors of P S_B Pᵀ, W = Pᵀ U_B. Fisher (1936),
doi:10.1111/j.1469-1809.1936.tb02137.x; Fukunaga (1990), section 10.2.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from scipy import linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Count, Floats, Integers, Share
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.coding import label_index
from gnomon.numerics.linalg import check_squares
from gnomon.numerics.scatter import between_class_cov, discriminant_axes, fix_signs, within_class_cov
from gnomon.numerics.shrinkage import ledoit_wolf_share, quartic_sums, shrink_cov
from gnomon.numerics.streaming import group_moments
from gnomon.numerics.weights import check_weights

__all__ = ["DiscriminantProjection", "FisherRatio", "fisher_ratio"]

Solver: TypeAlias = Literal["svd", "eigen", "joint_diagonalization", "binary"]

RANK = 1e-10
"""Eigenvalues of S_W below this share of the largest count as zero."""


class DiscriminantProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """The directions that separate classes best, equation (1).

    Parameters
    ----------
    n_components : int, optional
        At most min(C − 1, d), which is what None means.
    solver : {"svd", "eigen", "joint_diagonalization", "binary"}, default="svd"
        The singular value decomposition of the rows about their class means, which also takes columns that depend on
        each other; the generalised eigenproblem; whitening then rotation; w ∝ S_W⁻¹(μ₁ − μ₀) for two classes.
    shrinkage : float or "auto", optional
        Share of a multiple of the identity in S_W; "auto" by Ledoit & Wolf (2004). Not with "svd".
    scaling : {"within", "unit"}, default="within"
        Columns of W with wᵀS_W w = 1, or with ‖w‖ = 1.
    orthonormal : bool, default=False
        Orthonormal columns of the same subspace, by QR.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    components_ : ndarray of shape (m, d)
        Wᵀ. The largest entry of each row is positive; of two classes, the second one projects higher.
    eigenvalues_ : ndarray of shape (m,)
        λ, the value of (1) of each direction.
    mean_ : ndarray of shape (d,)
    means_ : ndarray of shape (C, d)
    within_, between_ : ndarray of shape (d, d)
        S_W, with its shrinkage, and S_B, divided by the weight of all rows.

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems.
    doi:10.1111/j.1469-1809.1936.tb02137.x

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition import DiscriminantProjection
    >>> X = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [3, 2], [4, 2], [3, 3], [4, 4]])
    >>> found = DiscriminantProjection(scaling="unit").fit(X, np.repeat([0, 1], 4))
    >>> found.components_.round(6), found.eigenvalues_.round(6)
    (array([[0.958798, 0.284088]]), array([10.241379]))
    """

    def __init__(
        self,
        n_components: Count | None = None,
        *,
        solver: Solver = "svd",
        shrinkage: Share | Literal["auto"] | None = None,
        scaling: Literal["within", "unit"] = "within",
        orthonormal: bool = False,
    ):
        self.n_components = n_components
        self.solver = solver
        self.shrinkage = shrinkage
        self.scaling = scaling
        self.orthonormal = orthonormal

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the directions (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), optional
            Row weights; 2 equals the row twice.

        Returns
        -------
        self
        """
        X, y = validate_rows(self, X, y, ensure_min_samples=2)
        check_squares(X, "variances are made of them, so scale that column first, for example with MaxNormScaler")
        weights = check_weights(sample_weight, X)
        index, self.classes_ = label_index(y)
        C, d = len(self.classes_), X.shape[1]
        m = self._number(C, d)
        parts = group_moments(X, index, C, weights, diagonal=True)
        self.means_, self.mean_ = parts.mean, np.average(X, axis=0, weights=weights)
        self.between_ = between_class_cov(X, index, C, weights)
        self.within_ = self._within(X, index, C, weights)
        values, W = self._axes(X, index, weights)
        W, values = W[:, :m], np.maximum(values[:m], 0.0)
        if self.scaling == "unit":
            W = W / np.linalg.norm(W, axis=0)
        if C == 2:
            W = W * np.where((self.means_[1] - self.means_[0]) @ W < 0.0, -1.0, 1.0)
        if self.orthonormal:
            W = fix_signs(linalg.qr(W, mode="economic")[0])
        self.components_, self.eigenvalues_ = np.ascontiguousarray(W.T), values
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Wᵀ(x − x̄) of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        Z : ndarray of shape (n_samples, m)
        """
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False)
        return (X - self.mean_.astype(X.dtype)) @ self.components_.T.astype(X.dtype)

    def _number(self, C: int, d: int) -> int:
        if C < 2:
            raise ValueError(f"y has one class, {self.classes_.tolist()[0]!r}; at least 2 classes are needed")
        if self.solver == "binary" and C > 2:
            raise ValueError(f"solver='binary' separates two classes, y has {C}; use 'eigen'")
        if self.solver == "svd" and self.shrinkage is not None:
            raise ValueError(f"shrinkage={self.shrinkage!r} needs S_W, which solver='svd' does not form; use 'eigen'")
        most = min(C - 1, d)
        if self.n_components is not None and self.n_components > most:
            raise ValueError(
                f"n_components={self.n_components} must be at most min(classes − 1, columns) = {most}: no further one "
                "separates anything"
            )
        return most if self.n_components is None else int(self.n_components)

    def _within(self, X: Floats, index: Integers, C: int, weights: Floats) -> Floats:
        S = within_class_cov(X, index, C, weights)
        if self.shrinkage is None:
            return S
        share: Any = self.shrinkage
        if share == "auto":
            parts = group_moments(X, index, C, weights, diagonal=True)
            share = ledoit_wolf_share(S, float(weights.sum()), float(quartic_sums(X, index, parts, weights).sum()))
        return shrink_cov(S, share)

    def _axes(self, X: Floats, index: Integers, weights: Floats) -> tuple[Floats, Floats]:
        """λ, largest first, and W with WᵀS_W W = I."""
        if self.solver == "svd":
            return _axes_of_rows(X, index, weights, self.means_, self.mean_)
        # λ does not depend on the units of the columns, but whether a matrix is singular would.
        unit = _spread(X, self.within_, len(self.classes_))
        within, between = (S / unit / unit[:, None] for S in (self.within_, self.between_))
        _check_rank(within, X.shape[0], len(self.classes_))
        if self.solver == "eigen":
            values, W = discriminant_axes(within, between)
        elif self.solver == "binary":
            w = linalg.solve(within, (self.means_[1] - self.means_[0]) / unit, assume_a="pos")
            w /= np.sqrt(w @ within @ w)
            values, W = np.array([w @ between @ w]), w[:, None]
        else:
            roots, U = linalg.eigh(within)
            P = (U / np.sqrt(roots)) @ U.T
            values, rotation = linalg.eigh(P @ between @ P.T)
            values, W = values[::-1], P.T @ rotation[:, ::-1]
        return values, fix_signs(W / unit[:, None])

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class FisherRatio(NamedTuple):
    """The separation of classes along directions.

    Fields
    ------
    between, within : float or ndarray
        wᵀS_B w and wᵀS_W w; matrices for several directions.
    ratio : float
        L(w), for several directions Tr((WᵀS_W W)⁻¹ WᵀS_B W).

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems.
    doi:10.1111/j.1469-1809.1936.tb02137.x

    Examples
    --------
    >>> from gnomon.decomposition import fisher_ratio
    >>> round(fisher_ratio([[0.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1], [1.0]).ratio, 12)
    6.25
    """

    between: Any
    within: Any
    ratio: float


def fisher_ratio(X: ArrayLike, y: ArrayLike, w: ArrayLike, sample_weight: ArrayLike | None = None) -> FisherRatio:
    """The criterion (1) of a direction, or its trace form for several.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
    w : array-like of shape (d,) or (d, m)
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    FisherRatio

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems.
    doi:10.1111/j.1469-1809.1936.tb02137.x

    Examples
    --------
    >>> from gnomon.decomposition import fisher_ratio
    >>> X = [[0.0, 1.0], [2.0, 3.0], [5.0, 1.0], [7.0, 3.0]]
    >>> round(fisher_ratio(X, [0, 0, 1, 1], [1.0, 0.0]).ratio, 12)
    6.25
    """
    rows = np.asarray(X, dtype=float)
    index, classes = label_index(y)
    weights = check_weights(sample_weight, rows)
    W = np.asarray(w, dtype=float)
    columns = W.reshape(len(W), -1)
    between = columns.T @ between_class_cov(rows, index, len(classes), weights) @ columns
    within = columns.T @ within_class_cov(rows, index, len(classes), weights) @ columns
    ratio = float(np.trace(linalg.solve(within, between, assume_a="pos")))
    return (
        FisherRatio(float(between[0, 0]), float(within[0, 0]), ratio)
        if W.ndim == 1
        else FisherRatio(between, within, ratio)
    )


def _spread(X: Floats, S: Floats, C: int) -> Floats:
    """Standard deviations of the columns; an error where one has none within the classes."""
    spread = np.sqrt(np.diag(S))
    constant = np.flatnonzero(spread <= _rounding(X))
    if len(constant):
        _refuse_rank(f"at most {len(S) - len(constant)}", X.shape, C, f"column {constant[0]} is constant")
    return spread


def _rounding(X: Floats) -> Floats:
    """What the standard deviation of a column may be by rounding alone."""
    return 8.0 * np.finfo(X.dtype).eps * np.max(np.abs(X), axis=0)


def _check_rank(S: Floats, n: int, C: int) -> None:
    values = linalg.eigvalsh(S)
    rank = int(np.sum(values > RANK * values[-1]))
    if rank < len(S):
        _refuse_rank(str(rank), (n, len(S)), C, "columns depend on each other")


def _refuse_rank(rank: str, shape: tuple[int, ...], C: int, why: str) -> None:
    raise ValueError(
        f"the covariance within the classes has rank {rank} in {shape[1]} columns ({shape[0]} rows, {C} classes): "
        f"{why}; use solver='svd', shrinkage='auto', or PCA before it"
    )


def _axes_of_rows(X: Floats, index: Integers, weights: Floats, means: Floats, mean: Array) -> tuple[Floats, Floats]:
    """Both decompositions by singular values of rows: S_W is not formed, and directions without spread are left out."""
    total = weights.sum()
    rows = np.sqrt(weights / total)[:, None] * (X - means[index])
    scale = np.linalg.norm(rows, axis=0)
    varies = scale > _rounding(X)
    scale = np.where(varies, scale, 1.0)
    rows = np.where(varies, rows / scale, 0.0)
    _, spread, Vt = linalg.svd(rows, full_matrices=False, check_finite=False)
    rank = int(np.sum(spread > np.sqrt(RANK) * spread[0])) if spread[0] > 0.0 else 0
    if rank == 0:
        raise ValueError("every class is a single point, so there is no spread within; add rows, or use PCA")
    whiten = (Vt[:rank].T / spread[:rank]) / scale[:, None]
    shares = np.bincount(index, weights, minlength=len(means)) / total
    _, lengths, rotation = linalg.svd(np.sqrt(shares)[:, None] * (means - mean) @ whiten, full_matrices=False)
    return lengths**2, fix_signs(whiten @ rotation.T)
