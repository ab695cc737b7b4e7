"""Kernel principal component analysis.

    K' = H K H = Σⱼ λⱼ vⱼ vⱼᵀ,   H = I − 11ᵀ/n,     zⱼ(x) = Σᵢ αᵢⱼ k'(x, xᵢ),   αⱼ = vⱼ / √λⱼ            (1)

The principal components of the rows in the feature space of k: αⱼᵀK'αⱼ = 1, the training scores are √λⱼ vⱼ, and there
may be more of them than columns. A new row is centred by the means of the training rows. Schölkopf, Smola & Müller
(1998), doi:10.1162/089976698300017467; pre-images by ridge regression: Bakır, Weston & Schölkopf (2003), NIPS.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from gnomon._typing import Count, CountOrZero, Floats, MatrixLike, NonNegative, Seed
from gnomon.base import has_columns, is_given_matrix, kernel_of, kernel_rows, take_rows
from gnomon.base.estimator import Estimator
from gnomon.kernels import Against, KernelLike
from gnomon.numerics.linalg import symmetric_operator, top_eigh
from gnomon.numerics.parallel import blas_threads, map_tiles
from gnomon.numerics.scatter import fix_signs
from gnomon.numerics.validation import FLOATS

__all__ = ["KernelPCA"]

EigenSolver: TypeAlias = Literal["auto", "dense", "arpack", "randomized", "nystroem"]

BLOCK = 64
"""Rows of the kernel matrix that are centred at once, while they are in the processor's cache."""

ZERO = {"f": 1e-6, "d": 1e-10}
"""Eigenvalues below this share of the largest are rounding, in single and double precision."""

NEGATIVE = {"f": 5e-3, "d": 1e-5}
"""An eigenvalue below minus this share of the largest is no rounding: the kernel is none."""


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Principal components in the feature space of a kernel.

    Parameters
    ----------
    n_components : int, optional
        None for all that are not zero.
    kernel : Kernel, callable or {"linear", "poly", "rbf", "sigmoid", "cosine", "precomputed"}, default="linear"
    gamma : float, optional
        Of a kernel that is named; None for 1/d.
    degree, coef0 : float
        Of a kernel that is named.
    kernel_params : dict, optional
        Further arguments of a callable.
    alpha : float, default=1.0
        Ridge strength of the map back.
    fit_inverse_transform : bool, default=False
        Learn a map from scores to rows.
    eigen_solver : {"auto", "dense", "arpack", "randomized", "nystroem"}, default="auto"
        "nystroem" compares with `n_landmarks` random rows instead of all of them.
    tol : float, default=0
    max_iter : int, optional
    iterated_power : int or "auto", default="auto"
    remove_zero_eig : bool, default=False
        Leave out components without variance also where `n_components` is given.
    random_state : int, RandomState or None, default=None
    copy_X : bool, default=True
        Store a copy of the rows.
    n_jobs : int, optional
        Kept for compatibility: Gram matrices use as many threads as BLAS has.
    center : bool, default=True
        False leaves K as it is: directions through the origin of the feature space.
    n_landmarks : int, default=100
        Of "nystroem".

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (m,)
        λ of K'; the variance in feature space is λ/n.
    eigenvectors_ : ndarray of shape (n, m)
        v; the largest entry of each is positive.
    X_fit_ : ndarray, sparse matrix or list
        The training rows, or the landmarks.
    X_transformed_fit_ : ndarray of shape (n, m)
        Scores of the training rows, where `fit_inverse_transform`.
    dual_coef_ : ndarray of shape (n, d)
        Of the map back.
    gamma_ : float
        γ that was used.

    References
    ----------
    Schölkopf, B., Smola, A. & Müller, K.-R. (1998). Nonlinear component analysis as a kernel eigenvalue problem.
    doi:10.1162/089976698300017467

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition import KernelPCA
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0]])
    >>> found = KernelPCA(kernel="rbf", gamma=0.5).fit(X)
    >>> found.eigenvalues_.round(6)
    array([1.265367, 0.632121, 0.310477])
    >>> np.allclose(found.transform(X), found.eigenvectors_ * np.sqrt(found.eigenvalues_))
    True
    """

    _stored: ClassVar[dict[str, str]] = {
        "_column_means": "(n,)",
        "_row_weights": "(n,)",
        "_scaled_alphas": "(n, n_directions)",
    }

    def __init__(
        self,
        n_components: Count | None = None,
        *,
        kernel: KernelLike = "linear",
        gamma: NonNegative | None = None,
        degree: NonNegative = 3,
        coef0: float = 1.0,
        kernel_params: dict[str, Any] | None = None,
        alpha: NonNegative = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: EigenSolver = "auto",
        tol: NonNegative = 0,
        max_iter: Count | None = None,
        iterated_power: CountOrZero | Literal["auto"] = "auto",
        remove_zero_eig: bool = False,
        random_state: Seed = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
        center: bool = True,
        n_landmarks: Count = 100,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.center = center
        self.n_landmarks = n_landmarks

    def fit(self, X: MatrixLike | list[Any], y: object = None) -> Self:
        """Find the components (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : ignored

        Returns
        -------
        self
        """
        if self.fit_inverse_transform and is_given_matrix(self.kernel):
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel; give rows and a kernel")
        rows = kernel_rows(self, X, kernel=self.kernel, accept_sparse="csr", copy=self.copy_X)
        width = rows.shape[1] if has_columns(rows) else 1
        self.gamma_ = 1.0 / width if self.gamma is None else self.gamma
        rng = check_random_state(self.random_state)
        self._kernel = kernel_of(self, rows, pairs=True)
        self.X_fit_ = rows
        against = self._kernel.against(rows)
        if self.eigen_solver == "nystroem":
            self._fit_landmarks(against, rng)
        else:
            self._fit_all(against.matrix(), rng)
        if self.fit_inverse_transform:
            self._fit_back(rows)
        return self

    def transform(self, X: MatrixLike | list[Any]) -> Floats:
        """Scores (1) of rows.

        Parameters
        ----------
        X : as in `fit`; with ``kernel="precomputed"`` of shape (n_samples, n_training_rows)

        Returns
        -------
        Z : ndarray of shape (n_samples, m)
        """
        check_is_fitted(self)
        rows = kernel_rows(self, X, kernel=self.kernel, accept_sparse="csr", reset=False)
        K = self._against().gram(rows)
        if self.center:
            # k'(x) = k(x) − K1/n − 1ᵀk(x)/n + 1ᵀK1/n², the last three from the training rows.
            K = K - self._column_means - (K @ self._row_weights)[:, None] + self._grand_mean
        return K @ self._scaled_alphas

    def fit_transform(self, X: MatrixLike | list[Any], y: object = None) -> Floats:
        """Fit, and the scores √λⱼ vⱼ of the training rows.

        Parameters
        ----------
        X : as in `fit`
        y : ignored

        Returns
        -------
        Z : ndarray of shape (n_samples, m)
        """
        self.fit(X)
        return self.eigenvectors_ * np.sqrt(self.eigenvalues_)

    def inverse_transform(self, X: Any) -> Floats:
        """Rows whose scores are near these, by the map that was learned.

        Parameters
        ----------
        X : array-like of shape (n_samples, m)

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        if not self.fit_inverse_transform:
            raise NotFittedError("the map back was not learned; set fit_inverse_transform=True and fit again")
        check_is_fitted(self)
        Z = check_array(X, dtype=FLOATS, input_name="X")
        return self._score_kernel.gram(Z, self.X_transformed_fit_) @ self.dual_coef_

    def _against(self) -> Against:
        return self._kernel.against(self.X_fit_)

    def _fit_all(self, K: Floats, rng: np.random.RandomState) -> None:
        n = len(K)
        means = K.mean(axis=0)
        grand = float(means.mean())
        if not np.isfinite(grand):
            raise ValueError("the kernel of the rows of X is more than floats hold; scale X first, with StandardScaler")
        # Of the eigenvalues; where centring cancels all entries, nothing else is left.
        rounding = 4.0 * n * float(np.finfo(K.dtype).eps * np.max(np.abs(np.diagonal(K))))
        if self.center:
            # A matrix or a function that was given may give what is the user's own.
            K = _centred(K.copy() if self._kernel.whole else K, means, grand)
        values, V = self._eigen(K, rounding, rng)
        keep = values > 0.0 if (self.remove_zero_eig or self.n_components is None) else np.ones(len(values), dtype=bool)
        self.eigenvalues_, self.eigenvectors_ = values[keep], fix_signs(V[:, keep])
        self._column_means, self._grand_mean, self._row_weights = means, grand, np.full(n, 1.0 / n, dtype=K.dtype)
        self._scaled_alphas = _over_roots(self.eigenvectors_, self.eigenvalues_)

    def _eigen(self, K: Floats, rounding: float, rng: np.random.RandomState) -> tuple[Floats, Floats]:
        """λ and v of K', largest first; rounding is zero, and a kernel that is none is refused."""
        n = len(K)
        m = n if self.n_components is None else min(n, self.n_components)
        solver = self.eigen_solver
        if solver == "auto":
            # A reduction to tridiagonal form costs about as much as a Krylov space for a tenth of the spectrum, or for
            # a twentieth where the eigenvalues fall slowly.
            solver = "arpack" if n > 200 and m < max(10, n // 20) else "dense"
        if solver == "arpack" and m >= n:
            warnings.warn(
                f"eigen_solver='arpack' finds at most {n - 1} components of {n} rows, and {m} are needed: all are "
                "computed directly; use eigen_solver='dense'",
                RuntimeWarning,
                stacklevel=4,
            )
            solver = "dense"
        if solver == "dense":
            values, V = top_eigh(K, m)
        elif solver == "arpack":
            start = rng.uniform(-1.0, 1.0, size=n)
            try:
                values, V = eigsh(symmetric_operator(K), m, which="LA", tol=self.tol, maxiter=self.max_iter, v0=start)
            except ArpackNoConvergence as error:
                raise RuntimeError(f"{error}; raise max_iter={self.max_iter}, or use eigen_solver='dense'") from None
        else:
            values, V = _random_range(K, m, self.iterated_power, rng)
        values, V = values[::-1][:m], V[:, ::-1][:, :m]
        return _without_rounding(values, rounding), V

    def _fit_landmarks(self, against: Against, rng: np.random.RandomState) -> None:
        """The components of φ(x) = K_mm^{−½} k_m(x) for landmarks m: Williams & Seeger (2001), NIPS."""
        n = len(against.prepared)
        if self.n_landmarks >= n:
            self._fit_all(against.matrix(), rng)
            return
        chosen = np.sort(rng.permutation(n)[: self.n_landmarks])
        cross = against.rows(chosen).T
        values, U = linalg.eigh(cross[chosen], check_finite=False)
        values = _without_rounding(values[::-1])
        whiten = _over_roots(U[:, ::-1][:, values > 0.0], values[values > 0.0])
        features = cross @ whiten
        means, largest = features.mean(axis=0), np.max(np.abs(features), initial=0.0)
        means = means if self.center else np.zeros_like(means)
        features -= means
        _, singular, Vt = linalg.svd(features, full_matrices=False)
        rounding = float(features.size * (np.finfo(cross.dtype).eps * largest) ** 2)
        m = min(int(np.sum(_without_rounding(singular**2, rounding) > 0.0)), self.n_components or len(singular))
        V, singular = Vt[:m].T, singular[:m]
        vectors = (features @ V) / singular
        self.eigenvalues_, self.eigenvectors_ = singular**2, fix_signs(vectors)
        self._scaled_alphas = whiten @ (V * np.sign(np.sum(self.eigenvectors_ * vectors, axis=0)))
        # The mean of the features, as a shift of the comparisons: (k_m(x) − shift) whiten = k_m(x) whiten − means.
        self._column_means = means @ linalg.pinv(whiten)
        self._grand_mean, self._row_weights = 0.0, np.zeros(len(chosen), dtype=features.dtype)
        self.X_fit_ = take_rows(self.X_fit_, chosen)

    def _fit_back(self, rows: Any) -> None:
        """Ridge regression from scores to rows, with the same kernel on scores."""
        Z = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
        self.X_transformed_fit_ = Z
        self._score_kernel = kernel_of(self, Z, gamma=self.gamma_, pairs=True)
        K = self._score_kernel.gram(Z)
        K[np.diag_indices_from(K)] += self.alpha
        target = rows.toarray() if not isinstance(rows, np.ndarray) else rows
        try:
            self.dual_coef_ = linalg.solve(K, target, assume_a="pos", overwrite_a=True)
        except linalg.LinAlgError:
            raise linalg.LinAlgError(
                f"alpha={self.alpha} leaves the equations of the map back singular: some rows have the same scores; "
                "raise alpha"
            ) from None

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.pairwise = is_given_matrix(self.kernel)
        return tags


def _centred(K: Floats, means: Floats, grand: float) -> Floats:
    """K' of (1), in place of K."""

    def center(rows: slice) -> None:
        block = K[rows]
        # Not the column means: a given matrix need not be symmetric.
        own = block.mean(axis=1, keepdims=True) - grand
        block -= means
        block -= own

    map_tiles(center, [slice(i, i + BLOCK) for i in range(0, len(K), BLOCK)], blas_threads())
    return K


def _random_range(K: Floats, m: int, iterated_power: Any, rng: np.random.RandomState) -> tuple[Floats, Floats]:
    """Eigenvalues of largest modulus by a random range (Halko et al. 2011, algorithm 5.3), ascending."""
    n = len(K)
    steps = (7 if m < 0.1 * n else 4) if iterated_power == "auto" else iterated_power
    Q = rng.normal(size=(n, min(m + 10, n))).astype(K.dtype)
    for _ in range(steps + 1):
        Q = linalg.qr(K @ Q, mode="economic", check_finite=False)[0]
    values, U = linalg.eigh(Q.T @ K @ Q, check_finite=False)
    return values, Q @ U


def _without_rounding(values: Floats, rounding: float = 0.0) -> Floats:
    """Eigenvalues, of which those that may be rounding are zero; an error where one is truly negative."""
    zero, negative = ZERO[values.dtype.char], NEGATIVE[values.dtype.char]
    most = float(np.max(np.abs(values), initial=0.0))
    least = float(np.min(values, initial=0.0))
    if least < -max(negative * most, rounding):
        raise ValueError(
            f"There are significant negative eigenvalues: the least is {least:.3g}, the largest {most:.3g}: no "
            "positive semi-definite kernel has them; choose another one, or other parameters"
        )
    if least < -max(zero * most, rounding):
        warnings.warn(
            f"an eigenvalue of the kernel matrix is {least:.3g}, the largest is {most:.3g}: the kernel is not quite "
            "positive semi-definite; it is taken as zero",
            stacklevel=4,
        )
    return np.where(values > max(zero * most, rounding), values, 0.0)


def _over_roots(V: Floats, values: Floats) -> Floats:
    """v/√λ, and zero where λ is."""
    return np.divide(V, np.sqrt(values), out=np.zeros_like(V), where=values > 0.0)
