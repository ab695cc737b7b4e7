"""k-means clustering.

    minimise over centres μ₁ … μ_k    J = Σᵢ sᵢ minⱼ ‖xᵢ − μⱼ‖²                                         (1)

a sum, not a mean. Lloyd's iteration ends at a local minimum; how far that may be from the least J is bounded by the
principal components: J* ≥ total sum of squares − the k − 1 largest eigenvalues of the scatter. Lloyd (1982),
doi:10.1109/TIT.1982.1056489; Ding & He (2004), doi:10.1145/1015330.1015408.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, Integers, Matrix, MatrixLike, NonNegative, Seed, Verbosity
from gnomon.base import validate_rows
from gnomon.base.chunks import Chunks
from gnomon.base.estimator import Estimator
from gnomon.base.parameters import store
from gnomon.cluster._base import check_n_clusters, warn_if_few, warn_unless_settled
from gnomon.cluster._fit_centers import ChunkReader, FoundCenters, centers_of_chunks, centers_of_rows
from gnomon.cluster._starts import Init, Starts, dense
from gnomon.cluster._whitening import whitening
from gnomon.cluster.agglomerative import LinkageWord
from gnomon.numerics.validation import FLOATS
from gnomon.numerics.weights import check_weights
from gnomon.optim import distances_to, nearest_center

__all__ = ["KMeans"]

Algorithm: TypeAlias = Literal["lloyd", "elkan", "hamerly", "yinyang", "auto"]
OnEmpty: TypeAlias = Literal["farthest", "keep", "drop", "raise"]

UNLIKE = 100.0
"""Standard deviations of columns that differ by more than this factor make one of them count alone."""


class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """Clusters around k means, equation (1).

    Distances depend on the scales of the columns: standardise columns of different kinds first.

    Parameters
    ----------
    n_clusters : int, default=8
    init : str, callable or array, default="k-means++"
        Where to start: "k-means++", rows drawn by their squared distance from those drawn before; "random", rows at
        random; "farthest", the row that is farthest from those taken before; "random_partition", the means of random
        groups; "agglomerative", the means of the clusters of a tree of merges; ``init(X, n_clusters, random_state=…)``;
        or centres of shape (n_clusters, n_features).
    n_init : int or "auto", default="auto"
        Runs, of which the best is kept; "auto" is 10 for "random", "random_partition" and a callable, else 1.
    max_iter : int, default=300
    tol : float, default=1e-4
        Stop when the centres move, in sum of squares, by at most this times the mean variance of the columns; 0 goes on
        until no row changes its cluster.
    verbose : int, default=0
        Log every iteration.
    random_state : int, RandomState or None, default=None
    copy_x : bool, default=True
        Kept for compatibility: X is never written to.
    algorithm : {"lloyd", "elkan", "hamerly", "yinyang", "auto"}, default="lloyd"
        How the nearest centres are found; all have the same result. "hamerly", "elkan" and "yinyang" keep a bound for
        all other centres, for each of them, or for groups; "lloyd" and "auto" choose by n, k and memory.
    on_empty : {"farthest", "keep", "drop", "raise"}, default="farthest"
        What becomes of a centre without rows: it moves to the row that is farthest from its centre, it stays, it is
        left out, or ValueError.
    refine : {"exchange"}, optional
        After Lloyd's iteration, move single rows as long as that lowers J.
    metric : {"euclidean", "mahalanobis"}, default="euclidean"
        "mahalanobis": √((x − μ)ᵀ VI (x − μ)), the same as whitened rows.
    VI : array-like of shape (n_features, n_features), optional
        Of "mahalanobis"; the inverse covariance of the rows by default.
    n_local_trials : int or "auto", default="auto"
        Of "k-means++": candidates for each centre, 2 + ⌊ln k⌋ by default; with 1 the expected cost of the start is at
        most 8 (ln k + 2) times the least.
    first : int or "random", default="random"
        Of "farthest": the row to begin with.
    linkage : str, default="median"
        Of "agglomerative": as of `AgglomerativeClustering`.
    init_size : int, optional
        Of "agglomerative": rows of which the tree is made; all up to 2000, else a sample of 2000, or of three for each
        cluster.
    certificate : bool or "auto", default="auto"
        Whether to compute `lower_bound_`; "auto" does up to 200 columns.
    warn_scale : bool, default=False
        Warn where standard deviations of columns differ more than a hundredfold.
    keep_rows : bool, default=False
        Keep the training rows, for `similar_items`.
    n_jobs : int, optional
        Threads, over runs or rows; by default as many as BLAS may use. They do not change the result.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    labels_ : ndarray of int of shape (n_samples,)
    inertia_, objective_ : float
        J.
    lower_bound_ : float
        No centres have a lower J than this; nan where it was not computed.
    gap_ : float
        (J − lower_bound_) / J.
    n_iter_ : int
        Iterations of the run that was kept.
    converged_ : bool
    stop_reason_ : str
    history_ : dict of str to ndarray
        "iteration", "objective" and "seconds" of that run.
    restarts_ : ndarray
        J of every run.
    n_relocated_ : int
        How often a centre without rows was moved to a row.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Lloyd, S. (1982). Least squares quantization in PCM. doi:10.1109/TIT.1982.1056489

    Ding, C. & He, X. (2004). K-means clustering via principal component analysis. doi:10.1145/1015330.1015408

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster import KMeans
    >>> X = np.array([[1, 1], [1.5, 2], [3, 4], [5, 7], [3.5, 5], [4.5, 5], [3.5, 4.5]])
    >>> found = KMeans(2, init=X[[0, 3]]).fit(X)
    >>> found.history_["objective"].round(6)
    array([33.25    , 11.225694,  8.525   ])
    >>> found.cluster_centers_
    array([[1.25, 1.5 ],
           [3.9 , 5.1 ]])

    No two centres can do better than 0.44:

    >>> round(found.lower_bound_, 6)
    0.442912
    """

    _stored: ClassVar[dict[str, str]] = {
        "_centers": "(k, n_features)",
        "_spread": "(k,)",
        "cluster_centers_": "(k, n_features)",
    }

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        init: Init = "k-means++",
        n_init: Count | Literal["auto"] = "auto",
        max_iter: Count = 300,
        tol: NonNegative = 1e-4,
        verbose: Verbosity = 0,
        random_state: Seed = None,
        copy_x: bool = True,
        algorithm: Algorithm = "lloyd",
        on_empty: OnEmpty = "farthest",
        refine: Literal["exchange"] | None = None,
        metric: Literal["euclidean", "mahalanobis"] = "euclidean",
        VI: ArrayLike | None = None,
        n_local_trials: Count | Literal["auto"] = "auto",
        first: int | Literal["random"] = "random",
        linkage: LinkageWord = "median",
        init_size: Count | None = None,
        certificate: bool | Literal["auto"] = "auto",
        warn_scale: bool = False,
        keep_rows: bool = False,
        n_jobs: int | None = None,
    ):
        store(self, locals())

    def fit(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X = validate_rows(self, X, accept_sparse="csr", order="C", accept_large_sparse=False)
        check_n_clusters(self.n_clusters, X.shape[0])
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warnings.warn(
                "algorithm='elkan' doesn't make sense for a single cluster, which has no second centre to bound; "
                "give algorithm='lloyd'",
                RuntimeWarning,
                stacklevel=2,
            )
        weights = check_weights(sample_weight, X).astype(float)
        if self.warn_scale:
            _warn_unlike_scales(X)
        self._factor = whitening(X, weights, self.metric, self.VI)
        rows = self._in_metric(X)
        draws = self._starts().draw(X, weights, check_random_state(self.random_state))
        found = centers_of_rows(self, rows, weights, [dense(self._in_metric(start)) for start in draws])
        self._keep(found)
        self.labels_ = found.labels.astype(np.int32)
        self._fit_rows: Any = rows if self.keep_rows else None
        warn_if_few(self.labels_[weights > 0.0], self.n_clusters if self.on_empty != "drop" else 0)
        return self

    def fit_chunks(self, chunks: Chunks) -> Self:
        """Minimise (1) over rows that come in chunks, in the memory of one chunk.

        The steps are those of `fit` on all rows; starts are made from the first chunk, or are the array `init`. There
        are no `labels_`: predict them chunk by chunk.

        Parameters
        ----------
        chunks : iterable, or function that returns one
            Of X, or of pairs (X, sample_weight). It is read once for every step; a generator can only be read once, so
            give the function that makes it.

        Returns
        -------
        self
        """
        self._refuse_what_needs_all_rows()
        read = ChunkReader(self, chunks)
        first = read.first()
        check_n_clusters(self.n_clusters, first[0].shape[0])
        draws = self._starts().draw(*first, check_random_state(self.random_state))
        self._factor, self._fit_rows = None, None
        self.__dict__.pop("labels_", None)
        self._keep(centers_of_chunks(self, read, draws))
        return self

    def fit_predict(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Integers:
        """Fit, and the cluster of every training row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def fit_transform(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Floats:
        """Fit, and the distances of the training rows from the centres."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def predict(self, X: MatrixLike) -> Integers:
        """The nearest centre of each row; the lowest of several.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        return self._nearest(X)[0].astype(np.int32)

    def transform(self, X: MatrixLike) -> Floats:
        """Distances from the centres.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        D : ndarray of shape (n_samples, n_clusters)
        """
        return distances_to(self._rows(X), self._centers, n_jobs=self.n_jobs)

    def score_samples(self, X: MatrixLike) -> Floats:
        """Minus the squared distance of each row from its centre.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        return -self._nearest(X)[1]

    def score(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """−J of rows; it rises with the number of clusters, so it cannot choose that number.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        rows = self._rows(X)
        return -float(check_weights(sample_weight, rows) @ nearest_center(rows, self._centers, n_jobs=self.n_jobs)[1])

    def one_hot(self, X: MatrixLike) -> Any:
        """Z of X ≈ Z W, where W are the centres: a one for the cluster of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        Z : CSR array of shape (n_samples, n_clusters)
        """
        labels = self.predict(X)
        n = len(labels)
        return sparse.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, len(self.cluster_centers_)))

    def inverse_transform(self, Z: MatrixLike) -> Floats:
        """Z W: the centre of each row, or a mixture of centres.

        Parameters
        ----------
        Z : array-like or sparse matrix of shape (n_samples, n_clusters)
            As `one_hot` gives it, or shares.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        Z = check_array(Z, dtype=FLOATS, accept_sparse="csr", input_name="Z")
        if Z.shape[1] != len(self.cluster_centers_):
            raise ValueError(f"Z has {Z.shape[1]} columns; give one for each of {len(self.cluster_centers_)} clusters")
        return Z @ self.cluster_centers_

    def outlier_score(self, X: MatrixLike) -> Floats:
        """The distance from the own centre, divided by the root mean square of its training rows: 1 is typical.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        labels, squares = self._nearest(X)
        apart, usual = np.sqrt(squares), self._spread[labels]
        alone = np.where(apart > 0.0, np.inf, 1.0)
        return np.divide(apart, usual, out=alone, where=usual > 0.0)

    def similar_items(self, x: ArrayLike, q: int = 5) -> tuple[Integers, Floats]:
        """The training rows in the cluster of a row that are nearest to it.

        Parameters
        ----------
        x : array-like of shape (n_features,)
        q : int, default=5

        Returns
        -------
        rows : ndarray of int of shape (q,) or fewer
            Nearest first.
        distances : ndarray
        """
        check_is_fitted(self)
        if not self.keep_rows:
            raise ValueError("keep_rows=False: the training rows are not there; fit with keep_rows=True")
        row = self._rows(np.atleast_2d(x))
        inside = np.flatnonzero(self.labels_ == nearest_center(row, self._centers)[0][0])
        apart = distances_to(self._fit_rows[inside], dense(row))[:, 0]
        order = np.argsort(apart, kind="stable")[:q]
        return inside[order], apart[order]

    def _starts(self) -> Starts:
        own = (self.n_local_trials, self.first, self.linkage, self.init_size)
        return Starts(self.init, self.n_clusters, self.n_init, *own)

    def _refuse_what_needs_all_rows(self) -> None:
        """Options that chunks cannot have."""
        plain = {"refine": None, "metric": "euclidean", "keep_rows": False, "on_empty": "farthest", "warn_scale": False}
        idle = [f"{name}={getattr(self, name)!r}" for name, value in plain.items() if getattr(self, name) != value]
        if self.algorithm not in ("lloyd", "auto"):
            idle.append(f"algorithm={self.algorithm!r}")
        if idle:
            raise ValueError(f"{', '.join(idle)} need all rows at once; leave them out, or use fit")

    def _keep(self, found: FoundCenters) -> None:
        """Unpack what was found into attributes."""
        run = found.run
        self._centers, self._spread = run.centers, found.spread
        self.cluster_centers_ = run.centers if self._factor is None else self._factor.back(run.centers)
        self.inertia_ = self.objective_ = run.objective
        self.n_iter_, self.converged_, self.stop_reason_ = run.n_iter, run.converged, run.stop_reason
        self.history_, self.n_relocated_, self.restarts_ = run.history, run.n_relocated, found.restarts
        self.lower_bound_ = found.lower_bound
        self.gap_ = 1.0 - self.lower_bound_ / self.inertia_ if self.inertia_ > 0.0 else 0.0
        warn_unless_settled(run.converged, run.stop_reason, self.max_iter, run.history, stacklevel=4)

    def _rows(self, X: MatrixLike) -> Matrix:
        check_is_fitted(self)
        return self._in_metric(validate_rows(self, X, reset=False, accept_sparse="csr", order="C"))

    def _in_metric(self, X: Matrix) -> Matrix:
        """Rows whose Euclidean distances are those of the metric."""
        return X if self._factor is None else self._factor.there(X)

    def _nearest(self, X: MatrixLike) -> tuple[Integers, Floats]:
        rows = self._rows(X)
        return nearest_center(rows, self._centers, n_jobs=self.n_jobs)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _warn_unlike_scales(X: Matrix) -> None:
    spread = np.std(dense(X), axis=0)
    spread = spread[spread > 0.0]
    if len(spread) and np.max(spread) > UNLIKE * np.min(spread):
        warnings.warn(
            f"standard deviations of columns differ by a factor of {np.max(spread) / np.min(spread):.3g}, so those of "
            "small ones hardly count; put a StandardScaler in front",
            UserWarning,
            stacklevel=4,
        )
