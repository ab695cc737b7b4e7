"""Spectral clustering.

    L = D − W,    L_sym = I − D^{−½} W D^{−½},    L u = λ D u    (the random walk)                  (1)

The k smallest eigenvectors of a Laplacian relax the ratio cut ("none") or the normalised cut ("sym", "rw") of
`graph_cut_cost`; their rows are clustered. "rw" gives u = D^{−½}v from the eigenvectors v of L_sym (Shi & Malik 2000,
doi:10.1109/34.868688), "sym" the rows of v scaled to unit length (Ng, Jordan & Weiss 2002, NIPS). A new row x takes the
place u(x) = Σ_i w(x, x_i) u_i / ((1 − λ) d(x)) among them (Nyström extension: Bengio et al. 2004,
doi:10.1162/0899766041732396).
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import ClusterMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Count, Floats, Integers, MatrixLike, NonNegative, Seed, Verbosity
from gnomon.base import kernel_rows
from gnomon.base.estimator import Estimator
from gnomon.base.progress import progress_of
from gnomon.cluster._discrete import cluster_qr, discretize
from gnomon.cluster._graph import edges, read_affinity
from gnomon.cluster._spectrum import ITERATIVE, ZERO, Eigen, Laplacian, LaplacianSpectrum, smallest_eigenvectors
from gnomon.kernels import KernelLike, Precomputed
from gnomon.optim import kmeans, nearest_center, seed_centers

__all__ = ["SpectralClustering"]

EigenSolver: TypeAlias = Literal["arpack", "lobpcg", "amg"] | None
Labelling: TypeAlias = Literal["kmeans", "discretize", "cluster_qr", "fiedler"]

DENSE = 1000
"""Up to so many rows all eigenvalues are computed."""


class SpectralClustering(ClusterMixin, Estimator):
    """Clusters as the parts of a graph that few edges join, equation (1).

    Parameters
    ----------
    n_clusters : int, default=8
        k.
    eigen_solver : {"arpack", "lobpcg", "amg"} or None, default=None
        None for a direct solution of small graphs and "arpack" of others; those that are named are used at every
        size. "amg" is scikit-learn's, which needs pyamg, and is refused here.
    n_components : int, optional
        Eigenvectors that are clustered; None for k.
    random_state : int, RandomState or None, default=None
    n_init : int, default=10
        Starts of k-means.
    gamma : float or "median", default=1.0
        Of a kernel that is named; "median" is 1/(2 m) for the median m of the squared distances.
    affinity : str, Kernel or callable, default="rbf"
        A kernel, by name or as an object; "nearest_neighbors" (edges to the neighbours of either row), "mutual" (of
        both rows), "self_tuning"; "precomputed" for a matrix W, "precomputed_nearest_neighbors" for one of distances.
    n_neighbors : int, default=10
        q.
    eigen_tol : float or "auto", default="auto"
    assign_labels : {"kmeans", "discretize", "cluster_qr", "fiedler"}, default="kmeans"
        How rows of eigenvectors become clusters; "fiedler", for k = 2, is the sign of the second eigenvector.
    degree, coef0 : float
        Of a kernel that is named.
    kernel_params : dict, optional
        Further arguments of a callable.
    n_jobs : int, optional
        Threads of the search for neighbours.
    verbose : bool or int, default=False
        Write to stderr what each of the three steps found.
    laplacian : {"rw", "sym", "none"}, default="rw"
        As in (1); "none" is L itself.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n,)
        Rows without an edge have clusters of their own, after the first k.
    affinity_matrix_ : ndarray or sparse matrix of shape (n, n)
        W.
    eigenvalues_ : ndarray
        The smallest of the Laplacian, in rising order.
    embedding_ : ndarray of shape (n, n_components)
        The rows that were clustered.
    suggested_k_ : int
        argmax of λ_{k+1} − λ_k: the largest gap.
    n_connected_ : int
        Connected components of the graph, rows that are alone among them. Of the others, as many as eigenvalues are
        zero.
    eigen_residual_ : float
        max ‖L u − λ u‖ over the eigenvectors, of the symmetric form.

    References
    ----------
    von Luxburg, U. (2007). A tutorial on spectral clustering. doi:10.1007/s11222-007-9033-z

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster import SpectralClustering
    >>> X = np.array([[0.0], [0.3], [0.6], [5.0], [5.3], [5.6]])
    >>> model = SpectralClustering(2, random_state=0).fit(X)
    >>> labels = model.labels_
    >>> bool(len(set(labels[:3])) == 1 and len(set(labels[3:])) == 1 and labels[0] != labels[3]), model.suggested_k_
    (True, 2)
    """

    _stored: ClassVar[dict[str, str]] = {
        "_rows": "(n, n_columns)",
        "_centers": "(k, m)",
        "_degrees": "(n_joined,)",
        "_vectors": "(n_joined, n_vectors)",
        "_joined": "int (n_joined,) below n",
    }

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        eigen_solver: EigenSolver = None,
        n_components: Count | None = None,
        random_state: Seed = None,
        n_init: Count = 10,
        gamma: NonNegative | Literal["median"] = 1.0,
        affinity: KernelLike = "rbf",
        n_neighbors: Count = 10,
        eigen_tol: NonNegative | Literal["auto"] = "auto",
        assign_labels: Labelling = "kmeans",
        degree: NonNegative = 3,
        coef0: float = 1.0,
        kernel_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        verbose: Verbosity = False,
        laplacian: Laplacian = "rw",
    ):
        self.n_clusters = n_clusters
        self.eigen_solver = eigen_solver
        self.n_components = n_components
        self.random_state = random_state
        self.n_init = n_init
        self.gamma = gamma
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.eigen_tol = eigen_tol
        self.assign_labels = assign_labels
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.laplacian = laplacian

    def fit(self, X: MatrixLike | list[Any], y: object = None) -> Self:
        """Cut the graph of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), the matrix W with
                ``affinity="precomputed"``, or a list of objects for a kernel of pairs
        y : ignored

        Returns
        -------
        self
        """
        if self.eigen_solver == "amg":
            raise ValueError("eigen_solver='amg' is not offered; use 'arpack', 'lobpcg' or None")
        if self.assign_labels == "fiedler" and (self.n_clusters != 2 or self.n_components == 1):
            raise ValueError(
                f"assign_labels='fiedler' is the sign of the second eigenvector, and n_clusters={self.n_clusters}, "
                f"n_components={self.n_components}; give n_clusters=2 and two components, or another assign_labels"
            )
        rows = kernel_rows(self, X, kernel=self.affinity, accept_sparse="csr")
        rng = check_random_state(self.random_state)
        self._affinity, self._rows = read_affinity(self, rows), rows
        self.affinity_matrix_ = self._affinity.graph(rows)
        W = edges(self.affinity_matrix_)
        degrees = np.asarray(W.sum(axis=1), dtype=float).ravel()
        joined = np.flatnonzero(degrees > 0.0)
        self._refuse(len(degrees), len(joined))
        report = progress_of(2 * bool(self.verbose), "step") or (lambda done, total, note="": None)
        report(1, 3, f": graph of {len(degrees)} rows, {len(joined)} with an edge")
        graph = W if len(joined) == len(degrees) else W[joined][:, joined]
        found = smallest_eigenvectors(graph, degrees[joined], self.laplacian, self._eigen(len(joined), rng))
        self.eigenvalues_, self.eigen_residual_ = found.values, found.residual
        report(2, 3, f": {len(found.values)} eigenvectors, residual {found.residual:.2g}")
        self.n_connected_ = self._parts(W, len(degrees) - len(joined))
        self.suggested_k_ = int(np.argmax(np.diff(found.values))) + 1 if len(found.values) > 1 else 1
        m = self.n_components or self.n_clusters
        Z = _scaled(found.vectors[:, :m], degrees[joined], self.laplacian)
        labels, self._centers = self._assign(Z, found.vectors, degrees[joined], rng)
        self._store(len(degrees), joined, labels, Z, found, degrees)
        report(3, 3, f": {self.assign_labels}, {len(np.unique(labels))} clusters")
        return self

    def predict(self, X: MatrixLike | list[Any]) -> Integers:
        """The cluster of new rows: their place among the eigenvectors, and the nearest centre.

        Parameters
        ----------
        X : as in `fit`; with ``affinity="precomputed"`` the weights of edges to the training rows, of shape
                (n_samples, n_training_rows)

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = kernel_rows(self, X, kernel=self.affinity, accept_sparse="csr", reset=False)
        w = self._affinity.across(rows, self._rows)[:, self._joined]
        degrees = np.asarray(w.sum(axis=1), dtype=float).ravel()
        if np.any(degrees <= 0.0):
            row = int(np.argmin(degrees))
            raise ValueError(
                f"row {row} of X has no edge to any training row, so it has no cluster; widen the affinity"
            )
        m = self.embedding_.shape[1]
        u = _extended(w, degrees, self._degrees, self._vectors[:, :m], self.eigenvalues_[:m], self.laplacian)
        return nearest_center(_scaled(u, degrees, self.laplacian), self._centers)[0]

    def _refuse(self, n: int, joined: int) -> None:
        if n < 2:
            raise ValueError(f"n_samples={n}: one row has no edges; give two or more")
        if self.n_clusters > n:
            raise ValueError(f"n_clusters={self.n_clusters} must be at most the number of rows, n_samples={n}")
        if joined < n:
            warnings.warn(
                f"{n - joined} of {n} rows have no edge to another row and are clusters of their own; widen the "
                "affinity, or drop them",
                stacklevel=3,
            )
        if joined < max(self.n_clusters, 2):
            raise ValueError(
                f"only {joined} rows have an edge to another row, fewer than n_clusters={self.n_clusters}; widen the "
                "affinity (a smaller gamma, more n_neighbors)"
            )

    def _parts(self, W: Any, alone: int) -> int:
        """Connected parts of the graph; a warning where there are several beside the rows that are alone."""
        # A row with edges to all others joins them, as in the graph of most kernels.
        if np.count_nonzero(W[0] if isinstance(W, np.ndarray) else W[[0]].data) == W.shape[0] - 1:
            return 1
        # Of a dense matrix SciPy would take weights below 1e-8 for none.
        parts = int(connected_components(sparse.csr_matrix(W), directed=False)[0])
        if parts - alone > 1:
            warnings.warn(
                f"Graph is not fully connected: it has {parts - alone} parts without an edge between them, and the "
                f"n_clusters={self.n_clusters} clusters follow them; widen the affinity if they should not",
                stacklevel=3,
            )
        return parts

    def _number(self, n: int) -> int:
        """Eigenvalues to compute: those that are clustered, and some more to see the largest gap."""
        return min(n, max((self.n_components or self.n_clusters) + 1, 10))

    def _eigen(self, n: int, rng: np.random.RandomState) -> Eigen:
        """The way that was asked for; of small graphs all eigenvectors at once, where none was or it finds too few."""
        tol = 0.0 if self.eigen_tol == "auto" else float(self.eigen_tol)
        name, m = self.eigen_solver or "arpack", self._number(n)
        needed, most = self.n_components or self.n_clusters, ITERATIVE[name].most(n)
        if self.eigen_solver is None:
            return Eigen(None if n <= DENSE or 3 * m > n else name, m, tol, rng)
        if needed <= most:
            return Eigen(name, min(m, most), tol, rng)
        warnings.warn(
            f"eigen_solver={name!r} finds at most {most} eigenvectors of {n} rows, and {needed} are needed: all are "
            "computed directly; use eigen_solver=None",
            RuntimeWarning,
            stacklevel=3,
        )
        return Eigen(None, m, tol, rng)

    def _assign(
        self, Z: Floats, vectors: Floats, degrees: Floats, rng: np.random.RandomState
    ) -> tuple[Integers, Floats]:
        k = self.n_clusters
        if self.assign_labels == "fiedler":
            sides = _sides(Z, vectors, degrees, self.laplacian)
            return nearest_center(Z, sides)[0].astype(np.int32), sides
        if self.assign_labels == "kmeans":
            runs = [kmeans(Z, Z[seed_centers(Z, k, rng)]) for _ in range(self.n_init)]
            best = min(runs, key=lambda run: run.objective)
            return best.labels.astype(np.int32), best.centers
        labels = cluster_qr(Z, k) if self.assign_labels == "cluster_qr" else discretize(Z, k, rng)
        means = [Z[labels == j].mean(axis=0) if np.any(labels == j) else np.full(Z.shape[1], np.inf) for j in range(k)]
        return labels, np.array(means)

    def _store(
        self, n: int, joined: Integers, labels: Integers, Z: Floats, found: LaplacianSpectrum, degrees: Floats
    ) -> None:
        self.labels_ = np.empty(n, dtype=labels.dtype)
        self.labels_[joined] = labels
        alone = np.setdiff1d(np.arange(n), joined)
        self.labels_[alone] = self.n_clusters + np.arange(len(alone))
        self.embedding_ = np.zeros((n, Z.shape[1]))
        self.embedding_[joined] = Z
        self._joined, self._degrees, self._vectors = joined, degrees[joined], found.vectors

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        given = self.affinity
        tags.input_tags.pairwise = isinstance(given, Precomputed) or str(given).startswith("precomputed")
        return tags


def _scaled(u: Floats, degrees: Floats, laplacian: Laplacian) -> Floats:
    """The rows that are clustered, from eigenvectors of the symmetric form."""
    if laplacian == "rw":
        return u / np.sqrt(degrees)[:, None]
    if laplacian == "none":
        return np.array(u)
    lengths = np.linalg.norm(u, axis=1, keepdims=True)
    return u / np.where(lengths > 0.0, lengths, 1.0)


def _sides(Z: Floats, vectors: Floats, degrees: Floats, laplacian: Laplacian) -> Floats:
    """Two centres −c and c: the nearer one of a row z tells the sign of zᵀc, the entry of the Fiedler vector.

    Of a graph in two parts any vectors that are constant on them may be found; the Fiedler vector is the combination
    of the first two that is orthogonal to the one vector that every graph has.
    """
    always = np.ones(len(degrees)) if laplacian == "none" else np.sqrt(degrees)
    first, second = always @ vectors[:, :2]
    c = np.zeros(Z.shape[1])
    c[:2] = np.sign(first or 1.0) * np.array([-second, first])
    c *= np.max(np.abs(Z)) / np.linalg.norm(c)
    return np.stack([-c, c])


def _extended(w: Any, new: Floats, old: Floats, u: Floats, values: Floats, laplacian: Laplacian) -> Floats:
    """Eigenvectors at new rows: what (1) says of a row whose edges are w."""
    if laplacian == "none":
        place, by = np.asarray(w @ u), new[:, None] - values
    else:
        place, by = np.asarray(w @ (u / np.sqrt(old)[:, None])), np.sqrt(new)[:, None] * (1.0 - values)
    # Edges say nothing of an eigenvector that they take to zero.
    return np.divide(place, by, out=np.zeros_like(place), where=np.abs(by) > ZERO * np.abs(by).max())
