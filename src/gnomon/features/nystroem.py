"""Nyström features: a kernel seen from landmarks.

    φ(x) = K_mm^{−½} k_m(x),    φ(x)ᵀφ(y) = k_m(x)ᵀ K_mm⁻¹ k_m(y) ≈ k(x, y)                           (1)

K − φφᵀ is positive semi-definite and zero on the landmarks. Williams & Seeger (2001), NIPS; centres of k-means as
landmarks: Zhang, Tsang & Kwok (2008), doi:10.1145/1390156.1390311; by ridge leverage: Musco & Musco (2017), NIPS.
"""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from scipy import linalg
from sklearn.utils import check_random_state

from gnomon._typing import ArrayLike, Count, Floats, Integers, NonNegative, Seed, Within, is_sparse
from gnomon.base import count_rows, has_columns, is_given_matrix, kernel_of, kernel_rows, take_rows
from gnomon.features._kept_coordinates import LandmarkCoordinates
from gnomon.features._kernel_map import KernelMap, warn_of_negative
from gnomon.kernels import Kernel, KernelLike
from gnomon.optim import kmeans, seed_centers

__all__ = ["Nystroem"]

Degree: TypeAlias = Annotated[float, Within(1.0)] | None
Landmarks: TypeAlias = Literal["random", "kmeans", "leverage"] | ArrayLike

DROP = 1e-12
"""Eigenvalues of K_mm below this share of the largest are rounding."""


class Nystroem(KernelMap):
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
        degree: Degree = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: Count = 100,
        random_state: Seed = None,
        n_jobs: int | None = None,
        landmarks: Landmarks = "random",
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

    def _read(self, rows: Any) -> Kernel:
        words = {"gamma": self.gamma, "coef0": self.coef0, "degree": self.degree}
        if not isinstance(self.kernel, str) or is_given_matrix(self.kernel):
            given = {name: value for name, value in words.items() if value is not None}
            if given:
                raise ValueError(f"Don't pass gamma, coef0 or degree with kernel={self.kernel!r}; found {given}")
            return kernel_of(self, rows, pairs=True)
        # What is given by its own name comes before what stands in `kernel_params`.
        more = {name: value for name, value in (self.kernel_params or {}).items() if words.get(name, 0.0) is None}
        return kernel_of(SimpleNamespace(**{**self.get_params(), **more}), rows)

    def _learn(self, rows: Any) -> None:
        rng = check_random_state(self.random_state)
        self.kernel_ = self._kernel
        chosen = self._choose(rows, rng)
        if chosen is None:
            K = self.kernel_.gram(self.components_)
        else:
            self.component_indices_, self.components_ = chosen, take_rows(rows, chosen)
            K = self.kernel_.against(rows).rows(chosen)[:, chosen]
        values, U = linalg.eigh(K, check_finite=False)
        eps = float(np.finfo(K.dtype).eps)
        warn_of_negative(values, 1e-8 + len(K) * eps, "choose a kernel with psd=True", stacklevel=3)
        self.normalization_ = _inverse_root(values, U, max(DROP, eps))

    def _map(self, rows: Any) -> Floats:
        if is_given_matrix(self.kernel):
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

    def _choose(self, rows: Any, rng: np.random.RandomState) -> Integers | None:
        """The rows that are landmarks; None where landmarks are other points, which are then set."""
        n = count_rows(rows)
        if not isinstance(self.landmarks, str):
            if is_given_matrix(self.kernel):
                raise ValueError("landmarks of kernel='precomputed' are rows; use 'random' or 'leverage'")
            self.components_ = kernel_rows(self, self.landmarks, kernel=self.kernel, reset=False, accept_sparse="csr")
            return None
        m = min(self.n_components, n)
        if self.n_components > n:
            warnings.warn(
                f"n_components > n_samples: {self.n_components} landmarks were asked for and there are {n} rows; all "
                "of them are landmarks, so the features are exact",
                stacklevel=4,
            )
        if self.landmarks == "random":
            return rng.permutation(n)[:m]
        if self.landmarks == "leverage":
            return _by_leverage(self.kernel_, rows, n, m, rng)
        if is_given_matrix(self.kernel) or not has_columns(rows) or is_sparse(rows):
            raise ValueError("landmarks='kmeans' needs dense rows of numbers; use 'random' or 'leverage'")
        self.components_ = kmeans(rows, rows[seed_centers(rows, m, rng)]).centers.astype(rows.dtype)
        return None

    @property
    def _n_features_out(self) -> int:
        return len(self.normalization_)


def _inverse_root(values: Floats, U: Floats, share: float) -> Floats:
    """K^{−½} = U sign(Λ) |Λ|^{−½} Uᵀ, of the eigenvalues that are not rounding."""
    keep = np.abs(values) > share * float(np.max(np.abs(values)))
    return (U[:, keep] * (np.sign(values[keep]) / np.sqrt(np.abs(values[keep])))) @ U[:, keep].T


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
