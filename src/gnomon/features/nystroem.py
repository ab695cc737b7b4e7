"""Nyström features: a kernel seen from landmarks.

    φ(x) = K_mm^{−½} k_m(x),    φ(x)ᵀφ(y) = k_m(x)ᵀ K_mm⁻¹ k_m(y) ≈ k(x, y)                           (1)

K − φφᵀ is positive semi-definite and zero on the landmarks. Williams & Seeger (2001), NIPS; centres of k-means as
landmarks: Zhang, Tsang & Kwok (2008), doi:10.1145/1390156.1390311; by ridge leverage: Musco & Musco (2017), NIPS.
"""

import warnings
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from scipy import linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, Integers, MatrixLike, NonNegative, Seed, is_sparse
from gnomon.base import kernel_rows
from gnomon.base.estimator import Estimator
from gnomon.features._kept_coordinates import LandmarkCoordinates
from gnomon.kernels import Kernel, KernelLike, Precomputed, read_kernel
from gnomon.optim import kmeans, seed_centers

__all__ = ["Nystroem"]

DROP = 1e-12
"""Eigenvalues of K_mm below this share of the largest are rounding."""


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Features of a kernel from a few landmarks, equation (1).

    Parameters
    ----------
    kernel : Kernel, callable or str, default="rbf"
    gamma, coef0, degree : float, optional
        Of a kernel that is named; None for 1/d, 1 and 3.
    kernel_params : dict, optional
        Further arguments of a callable.
    n_components : int, default=100
        m landmarks.
    random_state : int, RandomState or None, default=None
    n_jobs : int, optional
        Kept for compatibility: Gram matrices use as many threads as BLAS has.
    landmarks : {"random", "kmeans", "leverage"} or array-like of shape (m, d), default="random"
        Rows drawn uniformly, centres of k-means, rows drawn by their ridge leverage, or given ones.

    Attributes
    ----------
    components_ : ndarray, sparse matrix or list
        The landmarks.
    component_indices_ : ndarray of int of shape (m,)
        Their rows, where they are rows.
    normalization_ : ndarray of shape (m, m)
        K_mm^{−½}, of the eigenvalues that are not rounding.
    kernel_ : Kernel

    References
    ----------
    Williams, C. K. I. & Seeger, M. (2001). Using the Nyström method to speed up kernel machines. NIPS.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import Nystroem
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0]])
    >>> phi = Nystroem(gamma=0.5, landmarks=X[[0, 3]]).fit(X)
    >>> phi.transform(X[1:2]).round(6)
    array([[0.606531, 0.001466]])
    """

    components_: Any

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: NonNegative | None = None,
        coef0: float | None = None,
        degree: NonNegative | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: Count = 100,
        random_state: Seed = None,
        n_jobs: int | None = None,
        landmarks: Literal["random", "kmeans", "leverage"] | ArrayLike = "random",
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.landmarks = landmarks

    def fit(self, X: MatrixLike | list[Any], y: object = None) -> Self:
        """Choose landmarks and factorise their matrix.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : ignored

        Returns
        -------
        self
        """
        rows = kernel_rows(self, X, kernel=self.kernel, accept_sparse="csr")
        rng = check_random_state(self.random_state)
        self.kernel_ = self._read_kernel(rows)
        chosen = self._choose(rows, rng)
        if chosen is None:
            K = self.kernel_.gram(self.components_)
        else:
            self.component_indices_, self.components_ = chosen, _take(rows, chosen)
            K = self.kernel_.against(rows).rows(chosen)[:, chosen]
        self.normalization_ = _inverse_root(K)
        return self

    def transform(self, X: MatrixLike | list[Any]) -> Floats:
        """φ of every row.

        Parameters
        ----------
        X : as in `fit`; with ``kernel="precomputed"`` comparisons with the training rows, of shape
                (n_samples, n_training_rows)

        Returns
        -------
        Z : ndarray of shape (n_samples, m)
        """
        check_is_fitted(self)
        rows = kernel_rows(self, X, kernel=self.kernel, accept_sparse="csr", reset=False)
        if self._precomputed:
            return rows[:, self.component_indices_] @ self.normalization_.astype(rows.dtype)
        return self.coordinates(np.arange(len(self.normalization_))).outputs(rows)

    def coordinates(self, columns: Integers) -> LandmarkCoordinates:
        """Some columns of `transform` alone.

        Parameters
        ----------
        columns : ndarray of int

        Returns
        -------
        LandmarkCoordinates
        """
        return LandmarkCoordinates(self.kernel_, self.components_, self.normalization_[:, columns])

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernel, Precomputed) or (isinstance(self.kernel, str) and self.kernel == "precomputed")

    def _read_kernel(self, rows: Any) -> Kernel:
        given: Any = self.kernel
        if callable(given) and not isinstance(given, Kernel) and self.kernel_params:
            given = partial(given, **self.kernel_params)
        named = getattr(self, "feature_names_in_", None)
        c, m = 1.0 if self.coef0 is None else self.coef0, 3.0 if self.degree is None else self.degree
        return read_kernel(given, rows, gamma=self.gamma, degree=m, coef0=c, names=named)

    def _choose(self, rows: Any, rng: np.random.RandomState) -> Integers | None:
        """The rows that are landmarks; None where landmarks are other points, which are then set."""
        n = len(rows) if isinstance(rows, list) else rows.shape[0]
        if not isinstance(self.landmarks, str):
            if self._precomputed:
                raise ValueError("landmarks of kernel='precomputed' are rows; use 'random' or 'leverage'")
            self.components_ = kernel_rows(self, self.landmarks, kernel=self.kernel, reset=False, accept_sparse="csr")
            return None
        m = min(self.n_components, n)
        if self.n_components > n:
            warnings.warn(
                f"n_components > n_samples: {self.n_components} landmarks were asked for and there are {n} rows; all "
                "of them are landmarks, so the features are exact",
                stacklevel=3,
            )
        if self.landmarks == "random":
            return rng.permutation(n)[:m]
        if self.landmarks == "leverage":
            return _by_leverage(self.kernel_, rows, n, m, rng)
        if self._precomputed or isinstance(rows, list) or is_sparse(rows):
            raise ValueError("landmarks='kmeans' needs dense rows of numbers; use 'random' or 'leverage'")
        self.components_ = kmeans(rows, rows[seed_centers(rows, m, rng)]).centers.astype(rows.dtype)
        return None

    @property
    def _n_features_out(self) -> int:
        return len(self.normalization_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._precomputed
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _inverse_root(K: Floats) -> Floats:
    """The symmetric K^{−½}, of the eigenvalues that are not rounding."""
    values, U = linalg.eigh(K, check_finite=False)
    keep = values > DROP * max(float(values[-1]), 0.0)
    return (U[:, keep] / np.sqrt(values[keep])) @ U[:, keep].T


def _by_leverage(kernel: Kernel, rows: Any, n: int, m: int, rng: np.random.RandomState) -> Integers:
    """m rows drawn in proportion to ℓ_i = (k_ii − k_iᵀ(K_pp + λI)⁻¹k_i)/λ, from a pilot p of 2 m rows.

    λ is the mean of what m components leave of the pilot, in the size of all rows (Musco & Musco 2017, section 3).
    """
    against = kernel.against(rows)
    pilot = rng.permutation(n)[: min(2 * m, n)]
    cross = against.rows(pilot)
    K = cross[:, pilot]
    values = np.maximum(linalg.eigvalsh(K)[::-1], 0.0)
    lam = max(n / len(pilot) * float(values[m // 2 :].sum()) / m, 1e-6 * float(values[0]))
    solved = linalg.solve(K + lam * np.eye(len(pilot)), cross, assume_a="pos")
    # A leverage is at most 1; what the pilot has not seen is overestimated.
    scores = np.clip((against.diag() - np.einsum("ij,ij->j", cross, solved)) / lam, 1e-12, 1.0)
    return rng.choice(n, size=m, replace=False, p=scores / scores.sum())


def _take(rows: Any, chosen: Integers) -> Any:
    return [rows[i] for i in chosen] if isinstance(rows, list) else rows[chosen]
