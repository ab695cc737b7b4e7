"""Agglomerative clustering.

    begin with each row alone; merge the two clusters a, b with the least δ(a, b), until one is left             (1)

    single      least distance of a row of a and one of b        complete   largest      average   mean
    weighted    mean of the distances of the two parts of a from b
    centroid    ‖μ_a − μ_b‖, the means of all members            median     ‖r_a − r_b‖, r the midpoint of the two parts
    ward        √(2 n_a n_b/(n_a + n_b)) ‖μ_a − μ_b‖, so that Σ h²/2 is the total sum of squares

Ward (1963), doi:10.1080/01621459.1963.10500845; Müllner (2011), arXiv:1109.2378.
"""

from __future__ import annotations

from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.cluster import AgglomerativeClustering as PeerClustering
from sklearn.neighbors import VALID_METRICS
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted, check_memory

from gnomon._typing import Count, Floats, Integers, MatrixLike, NonNegative, available_if
from gnomon.base import is_given_matrix, validate_rows
from gnomon.base.estimator import Estimator
from gnomon.cluster._pairs import Metric, distance_matrix
from gnomon.cluster._tree import cut_tree, has_inversions, n_at_height
from gnomon.numerics.sharing import read_only
from gnomon.optim import nearest_center
from gnomon.optim.center_distances import row_unit
from gnomon.search import SQUARED, merge_rows, merge_tree

__all__ = ["AgglomerativeClustering"]

LinkageWord: TypeAlias = Literal[
    "ward", "complete", "average", "single", "weighted", "centroid", "median", "mean_replacement"
]

THEIRS = ("ward", "complete", "average", "single")
"""Linkages that scikit-learn has, and that a graph of neighbours can restrict."""

EUCLIDEAN = ("euclidean", "l2")


def _has_rows(model: AgglomerativeClustering) -> bool:
    """Distances alone have no means."""
    return not (isinstance(model.metric, str) and model.metric.startswith("precomputed"))


class AgglomerativeClustering(ClusterMixin, Estimator):
    """A tree of merges from single rows to one cluster, and a cut through it, equation (1).

    Parameters
    ----------
    n_clusters : int or None, default=2
        Where to cut; None with `distance_threshold`.
    metric : str or callable, default="euclidean"
        A metric of scikit-learn, a function of two rows, "precomputed" for a matrix of distances, or
        "precomputed_squared" for squared Euclidean ones. Ward, centroid and median linkage need Euclidean distances.
    memory : str or joblib.Memory, optional
        Where trees are kept.
    connectivity : array-like, sparse matrix or callable, optional
        Which rows are neighbours: only clusters with neighbours are merged. For scikit-learn's four linkages, by its
        trees.
    compute_full_tree : bool or "auto", default="auto"
        With `connectivity`: whether to go on below `n_clusters`.
    linkage : str, default="ward"
        "ward", "complete", "average", "single", "weighted", "centroid", "median", or "mean_replacement", which is
        "median": the two closest representatives are replaced by the mean of the two, whatever their sizes.
    distance_threshold : float, optional
        Merge below this height only.
    compute_distances : bool, default=False
        Kept for compatibility: heights are always there.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    n_clusters_ : int
    n_leaves_ : int
    n_connected_components_ : int
    children_ : ndarray of int of shape (n_samples - 1, 2)
    heights_, distances_ : ndarray of shape (n_samples - 1,)
        `distances_`, as in scikit-learn, only with `distance_threshold` or `compute_distances`.
    merges_ : ndarray of shape (n_samples - 1, 4)
        SciPy's form: cluster, cluster, height, size.
    has_inversions_ : bool
        Whether a merge lies below the one before; centroid and median linkage can.
    representatives_ : ndarray of shape (n_samples - 1, n_features)
        Of each merged cluster: the mean of its rows, or of its two parts (median linkage).

    References
    ----------
    Ward, J. H. (1963). Hierarchical grouping to optimize an objective function. doi:10.1080/01621459.1963.10500845

    Müllner, D. (2011). Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378

    Examples
    --------
    >>> from gnomon.cluster import AgglomerativeClustering
    >>> X = [[0.0], [1.0], [3.0], [8.0]]
    >>> tree = AgglomerativeClustering(linkage="average").fit(X)
    >>> tree.labels_, tree.heights_.round(6)
    (array([0, 0, 0, 1]), array([1.      , 2.5     , 6.666667]))
    >>> tree.cut(height=2.0)
    array([0, 0, 2, 1])
    """

    def __init__(
        self,
        n_clusters: Count | None = 2,
        *,
        metric: Metric = "euclidean",
        memory: Any = None,
        connectivity: Any = None,
        compute_full_tree: bool | Literal["auto"] = "auto",
        linkage: LinkageWord = "ward",
        distance_threshold: NonNegative | None = None,
        compute_distances: bool = False,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances

    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Grow the tree and cut it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or a matrix of distances
        y : ignored

        Returns
        -------
        self
        """
        X = validate_rows(self, X, ensure_min_samples=2)
        self._refuse()
        self._rows = X
        if self.connectivity is not None:
            return self._fit_connected(X)
        linkage = "median" if self.linkage == "mean_replacement" else self.linkage
        self._keep_tree(check_memory(self.memory).cache(_tree)(X, linkage, self.metric))
        self.n_leaves_ = len(X)
        self.n_connected_components_ = 1
        # Merges at the threshold itself are not made, as in scikit-learn.
        below = np.nextafter(self.distance_threshold or 0.0, -np.inf)
        self.n_clusters_: int = self.n_clusters or n_at_height(self.heights_, below)
        self.labels_ = cut_tree(self.children_, len(X), self.n_clusters_)
        return self

    def cut(self, k: int | None = None, height: float | None = None) -> Integers:
        """Labels of the training rows by another cut of the same tree.

        Parameters
        ----------
        k : int, optional
            The number of clusters.
        height : float, optional
            Keep the merges up to this height; not for a tree with inversions.

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        if (k is None) == (height is None):
            raise ValueError(f"k={k} and height={height}: give exactly one of them")
        if len(self.children_) < self.n_leaves_ - 1:
            raise ValueError("the tree ends at n_clusters; fit with compute_full_tree=True to cut it elsewhere")
        number = n_at_height(self.heights_, height) if height is not None else k
        return cut_tree(self.children_, self.n_leaves_, number or 0)

    def check_consistent(self) -> None:
        """Refuse a merge tree, labels or rows that are not of the same leaves."""
        if "children_" not in vars(self):
            return
        n, labels, merges = self.n_leaves_, self.labels_, self.children_
        later = n + np.arange(len(merges))[:, None]
        if merges.ndim != 2 or len(merges) >= n or np.any((merges < 0) | (merges >= later)):
            raise ValueError(f"children_ are no merges of {n} leaves")
        if not 1 <= self.n_clusters_ <= n or np.any((labels < 0) | (labels >= self.n_clusters_)):
            raise ValueError(f"labels_ are not those of {self.n_clusters_} clusters")
        if labels.shape != (n,) or ("_rows" in vars(self) and self._rows.shape != (n, self.n_features_in_)):
            raise ValueError(f"labels_ or rows are not those of {n} leaves")

    @available_if(_has_rows)
    def predict(self, X: MatrixLike) -> Integers:
        """The cluster of the cut whose mean is nearest; the lowest of several.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = validate_rows(self, X, reset=False, order="C")
        means = np.array([self._rows[self.labels_ == j].mean(axis=0) for j in range(self.n_clusters_)])
        return nearest_center(rows, means)[0]

    @property
    def representatives_(self) -> Floats:
        """Representatives of the merged clusters."""
        check_is_fitted(self)
        if not _has_rows(self):
            raise AttributeError("distances alone have no representatives; give rows")
        n, equal = self.n_leaves_, self.linkage in ("median", "mean_replacement")
        found = np.concatenate([self._rows, np.empty((len(self.children_), self._rows.shape[1]))])
        sizes = np.concatenate([np.ones(n), self.merges_[:, 3]])
        for i, (a, b) in enumerate(self.children_):
            share = 0.5 if equal else sizes[a] / (sizes[a] + sizes[b])
            found[n + i] = found[b] + share * (found[a] - found[b])
        return found[n:]

    def _refuse(self) -> None:
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                f"n_clusters={self.n_clusters} and distance_threshold={self.distance_threshold}: Exactly one of them "
                "has to be set, and the other needs to be None"
            )
        if self.distance_threshold is not None and not self.compute_full_tree:
            raise ValueError("compute_full_tree must be True if distance_threshold is set")
        squared = self.linkage in (*SQUARED, "mean_replacement")
        known = isinstance(self.metric, str) and self.metric in (*EUCLIDEAN, "precomputed_squared")
        if squared and not known:
            raise ValueError(
                f"linkage={self.linkage!r} needs Euclidean distances, and metric={self.metric!r}; use 'euclidean', or "
                "'precomputed_squared' for a matrix of squared ones"
            )
        if not squared and isinstance(self.metric, str) and self.metric == "precomputed_squared":
            raise ValueError(f"linkage={self.linkage!r} takes distances as they are; use metric='precomputed'")

    def _keep_tree(self, merges: Floats) -> None:
        self.merges_, self.heights_ = np.column_stack([np.sort(merges[:, :2]), merges[:, 2:]]), merges[:, 2]
        self.children_, self.has_inversions_ = merges[:, :2].astype(np.intp), has_inversions(merges[:, 2])
        if self.compute_distances or self.distance_threshold is not None:
            self.distances_ = self.heights_

    def _fit_connected(self, X: Floats) -> Self:
        if self.linkage not in THEIRS:
            raise ValueError(f"connectivity restricts {', '.join(THEIRS)} linkage, not linkage={self.linkage!r}")
        options = {**self.get_params(), "compute_distances": True, "connectivity": self._neighbours(X)}
        found = PeerClustering(**options).fit(X)
        n, sizes = len(X), np.ones(len(X) + len(found.children_))
        for i, (a, b) in enumerate(found.children_):
            sizes[n + i] = sizes[a] + sizes[b]
        self._keep_tree(np.column_stack([found.children_, found.distances_, sizes[n:]]))
        self.children_, self.labels_, self.n_clusters_ = found.children_, found.labels_, found.n_clusters_
        self.n_leaves_, self.n_connected_components_ = found.n_leaves_, found.n_connected_components_
        return self

    def _neighbours(self, X: Floats) -> Any:
        graph = self.connectivity(read_only(X)) if callable(self.connectivity) else self.connectivity
        try:
            graph = check_array(graph, accept_sparse=["csr", "coo", "lil"], input_name="connectivity")
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"connectivity={self.connectivity!r} must be a square matrix or a callable: {error}"
            ) from None
        if graph.shape != (len(X), len(X)):
            raise ValueError(f"connectivity has the shape {graph.shape}; give one of shape {(len(X), len(X))}")
        return graph

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = not _has_rows(self)
        return tags


def _tree(X: Floats, linkage: Any, metric: Metric) -> Floats:
    """The merges, from rows where that needs no matrix, else from all distances."""
    if isinstance(metric, str) and metric == "precomputed_squared":
        return merge_tree(np.sqrt(distance_matrix(X, "precomputed")), linkage)
    if is_given_matrix(metric):
        return merge_tree(distance_matrix(X, metric), linkage)
    unit = row_unit(X)
    rows: Floats = unit.inward(X)
    # Scikit-learn leaves the pairs of its own spanning trees in the order of the walk, and labels follow it.
    sort = linkage != "single" or metric not in VALID_METRICS["ball_tree"]
    if isinstance(metric, str) and metric in EUCLIDEAN and linkage in ("single", "ward"):
        merges = merge_rows(rows, linkage, sort_pairs=sort)
        merges[:, 2] = unit.outward(merges[:, 2])
        return merges
    if isinstance(metric, str) and metric in EUCLIDEAN:
        merges = merge_tree(distance_matrix(rows.astype(float), metric), linkage)
        merges[:, 2] = unit.outward(merges[:, 2])
        return merges
    return merge_tree(distance_matrix(X, metric), linkage, sort_pairs=sort)
