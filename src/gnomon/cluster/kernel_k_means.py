"""Kernel k-means.

    minimise    Σᵢ sᵢ ‖φ(xᵢ) − m_z(i)‖²,     mⱼ = Σ_{l in j} s_l φ(x_l) / Sⱼ,   Sⱼ = Σ_{l in j} s_l            (1)

    ‖φ(x) − mⱼ‖² = k(x, x) − (2/Sⱼ) Σ_{l in j} s_l k(x, x_l) + (1/Sⱼ²) ΣΣ_{l,l' in j} s_l s_l' k(x_l, x_l')        (2)

Dhillon, Guan & Kulis (2004), doi:10.1145/1014052.1014118. For K that is not positive semi-definite, K + σ diag(1/s) has
the same minimisers: it adds σ (n − k) to (1). k-means on all kernel principal components is the same problem.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import linalg
from sklearn.base import ClusterMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, Integers, MatrixLike, NonNegative, Seed
from gnomon.base import is_given_matrix, kernel_of, kernel_rows
from gnomon.base.estimator import Estimator
from gnomon.cluster._base import best_run, check_n_clusters, run_all, warn_if_few, warn_unless_settled
from gnomon.cluster._pairs import check_square
from gnomon.cluster._starts import filled
from gnomon.kernels import KernelLike
from gnomon.numerics.weights import check_weights
from gnomon.optim import Reassigned, kmeans, nearest_center, reassign, seed_centers

__all__ = ["KernelKMeans"]

Start: TypeAlias = Literal["k-means++", "random_partition"] | ArrayLike

NEGATIVE = 1e-8
"""An eigenvalue below minus this share of the largest is no rounding."""


class KernelKMeans(ClusterMixin, Estimator):
    """k-means in the feature space of a kernel, equation (1).

    Parameters
    ----------
    n_clusters : int, default=8
    kernel : Kernel, callable or {"linear", "poly", "rbf", "sigmoid", "cosine", "precomputed"}, default="rbf"
    gamma, degree, coef0
        Of a kernel that is named; γ is 1/d by default.
    algorithm : {"kernel", "kpca"}, default="kernel"
        "kpca" runs k-means on kernel principal components.
    n_components : int, optional
        Of "kpca": how many; all that are not zero by default, which is (1) itself.
    init : {"k-means++", "random_partition"} or array of int, default="k-means++"
        Rows drawn by their squared distance in feature space, a random partition, or labels.
    n_init : int or "auto", default="auto"
        "auto" is 10 for "random_partition", else 1.
    shift : {"auto"}, optional
        Where K has negative eigenvalues, add to its diagonal what makes them zero; by default that is an error.
    max_iter : int, default=300
    random_state : int, RandomState or None, default=None
    n_jobs : int, optional

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    objective_, inertia_ : float
        (1), without what a shift adds.
    shift_ : float
        σ.
    n_iter_, converged_, stop_reason_, history_
        Of the run that was kept.
    restarts_ : ndarray
        (1) of every run.

    References
    ----------
    Dhillon, I. S., Guan, Y. & Kulis, B. (2004). Kernel k-means, spectral clustering and normalized cuts.
    doi:10.1145/1014052.1014118

    Examples
    --------
    Two rings, by the kernel ‖x‖²‖y‖²:

    >>> import numpy as np
    >>> from gnomon.cluster import KernelKMeans
    >>> angles = np.linspace(0.0, 6.0, 20)
    >>> X = np.concatenate([r * np.column_stack([np.cos(angles), np.sin(angles)]) for r in (1.0, 3.0)])
    >>> squares = np.sum(X**2, axis=1)
    >>> found = KernelKMeans(2, kernel="precomputed", random_state=0).fit(np.outer(squares, squares))
    >>> [len(set(found.labels_[half])) for half in (slice(20), slice(20, 40))]
    [1, 1]
    """

    _stored: ClassVar[dict[str, str]] = {
        "_directions": "(n, m)",
        "_means": "(n,)",
        "_combine": "(n, k)",
        "_norms": "(k,)",
        "_centers": "(k, m)",
    }

    def __init__(
        self,
        n_clusters: Count = 8,
        kernel: KernelLike = "rbf",
        *,
        gamma: NonNegative | None = None,
        degree: NonNegative = 3,
        coef0: float = 1.0,
        algorithm: Literal["kernel", "kpca"] = "kernel",
        n_components: Count | None = None,
        init: Start = "k-means++",
        n_init: Count | Literal["auto"] = "auto",
        shift: Literal["auto"] | None = None,
        max_iter: Count = 300,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.algorithm = algorithm
        self.n_components = n_components
        self.init = init
        self.n_init = n_init
        self.shift = shift
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike | list[Any], y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        if self.algorithm == "kernel" and self.n_components is not None:
            raise ValueError("n_components has no meaning for algorithm='kernel'; leave it out, or use 'kpca'")
        rows = kernel_rows(self, X, kernel=self.kernel, accept_sparse="csr")
        self._rows, self._kernel = rows, kernel_of(self, rows)
        K = check_square("K", self._kernel.against(rows).matrix())
        n = len(K)
        check_n_clusters(self.n_clusters, n)
        weights = check_weights(sample_weight, K).astype(float)
        self.shift_ = self._needed_shift(K, weights)
        rng = check_random_state(self.random_state)
        kept = np.where(weights > 0.0, weights, 1.0)
        starts = self._starts(K, weights, rng)
        runs = self._runs(K + np.diag(self.shift_ / kept), weights, starts)
        self._keep(runs, K, weights)
        return self

    def predict(self, X: MatrixLike | list[Any]) -> Integers:
        """The nearest mean in feature space; the lowest of several.

        Parameters
        ----------
        X : as in `fit`; with ``kernel="precomputed"`` of shape (n_samples, n_training_rows)

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = kernel_rows(self, X, kernel=self.kernel, accept_sparse="csr", reset=False)
        cross = self._kernel.against(self._rows).gram(rows)
        if self.algorithm == "kpca":
            return nearest_center((cross - self._means) @ self._directions, self._centers)[0].astype(np.int32)
        return np.argmin(self._norms - 2.0 * (cross @ self._combine), axis=1).astype(np.int32)

    def _needed_shift(self, K: Floats, weights: Floats) -> float:
        """σ that makes K positive semi-definite; zero for kernels that are known to be."""
        if self._kernel.psd is True:
            return 0.0
        n = len(K)
        least, most = (linalg.eigvalsh(K, subset_by_index=(i, i))[0] for i in (0, n - 1))
        if least >= -NEGATIVE * abs(most):
            return 0.0
        if self.shift is None:
            raise ValueError(
                f"the kernel matrix has the eigenvalue {least:.3g}, the largest is {most:.3g}: k-means has no meaning "
                "for it; use shift='auto', or a positive semi-definite kernel"
            )
        return float(-least * np.max(weights))

    def _starts(self, K: Floats, weights: Floats, rng: np.random.RandomState) -> list[Integers]:
        k, n = self.n_clusters, len(K)
        if not isinstance(self.init, str):
            given = np.asarray(self.init)
            if given.shape != (n,) or given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= k:
                raise ValueError(f"init of shape {given.shape} must be a label from 0 to {k - 1} for each of {n} rows")
            return [filled(given.astype(np.int64), k, weights)]
        partition = self.init == "random_partition"
        n_init = (10 if partition else 1) if self.n_init == "auto" else self.n_init
        if partition:
            return [filled(rng.randint(k, size=n), k, weights) for _ in range(n_init)]
        coordinates = _coordinates(K)[0]
        draws = (seed_centers(coordinates, k, rng, weights) for _ in range(n_init))
        return [filled(nearest_center(coordinates, coordinates[rows])[0], k, weights) for rows in draws]

    def _runs(self, K: Floats, weights: Floats, starts: list[Integers]) -> list[Reassigned]:
        k = self.n_clusters
        if self.algorithm == "kpca":
            Z, self._directions, self._means = _coordinates(K, self.n_components)

            def run(start: Integers, n_jobs: int) -> Reassigned:
                means = [np.average(Z[start == j], axis=0, weights=weights[start == j]) for j in range(k)]
                found = kmeans(Z, np.array(means), weights, max_iter=self.max_iter, n_jobs=n_jobs)
                ends = (found.n_iter, found.converged, found.stop_reason, found.history)
                return Reassigned(found.labels, found.objective, *ends)
        else:
            diagonal = np.diag(K)

            def distances(labels: Integers) -> Floats:
                combine, norms = _means(K, labels, weights, k)
                return np.maximum(0.0, diagonal[:, None] - 2.0 * (K @ combine) + norms)

            def run(start: Integers, n_jobs: int) -> Reassigned:
                return reassign(distances, start, weights, max_iter=self.max_iter)

        return run_all(run, starts, self.n_jobs)

    def _keep(self, runs: list[Reassigned], K: Floats, weights: Floats) -> None:
        found, k = best_run(runs), self.n_clusters
        added = self.shift_ * (np.count_nonzero(weights) - k)
        self.labels_ = found.labels.astype(np.int32)
        self.objective_ = self.inertia_ = found.objective - added
        self.n_iter_, self.converged_, self.stop_reason_ = found.n_iter, found.converged, found.stop_reason
        self.history_ = {**found.history, "objective": found.history["objective"] - added}
        self.restarts_ = np.array([run.objective for run in runs]) - added
        self._combine, self._norms = _means(K, found.labels, weights, k)
        if self.algorithm == "kpca":
            self._centers = self._combine.T @ ((K - self._means) @ self._directions)
        # Objects are the same to a kernel where their rows of K are.
        rows = K if isinstance(self._rows, list) else self._rows
        warn_if_few(self.labels_[weights > 0.0], k, rows[weights > 0.0], stacklevel=4)
        warn_unless_settled(found.converged, found.stop_reason, self.max_iter, found.history, stacklevel=4)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_given_matrix(self.kernel)
        return tags


def _means(K: Floats, labels: Integers, weights: Floats, k: int) -> tuple[Floats, Floats]:
    """mⱼ as sums of φ(x_l), and ‖mⱼ‖²."""
    combine = np.zeros((len(K), k))
    combine[np.arange(len(K)), labels] = weights
    combine /= np.maximum(combine.sum(axis=0), np.finfo(float).tiny)
    return combine, np.einsum("ij,ij->j", combine, K @ combine)


def _coordinates(K: Floats, m: int | None = None) -> tuple[Floats, Floats, Floats]:
    """Kernel principal components of the rows, the directions that give them, and the means of K."""
    means = K.mean(axis=0)
    centred = K - means - means[:, None] + K.mean()
    values, V = linalg.eigh(centred)
    values, V = values[::-1], V[:, ::-1]
    keep = values > len(K) * np.finfo(float).eps * max(values[0], 0.0)
    keep[len(K) if m is None else m :] = False
    if not np.any(keep):
        return np.zeros((len(K), 1)), np.zeros((len(K), 1)), means
    V, values = V[:, keep], values[keep]
    return V * np.sqrt(values), V / np.sqrt(values), means
