"""Classification by the nearest neighbours.

    p(c | x) = Σ_{i ∈ N_k(x)} w_i [y_i = c] / Σ_{i ∈ N_k(x)} w_i,    ŷ(x) = argmax_c p(c | x)                       (1)

With k = 1 the cells of constant ŷ are those of Voronoi; with k = n every row gets the most frequent class.
Cover & Hart (1967), doi:10.1109/TIT.1967.1053964.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Bools, Count, Floats, Integers, MatrixLike, PositiveOrInfinite, Seed
from gnomon.kernels import KernelLike
from gnomon.neighbors._metrics import Algorithm, MetricLike
from gnomon.neighbors._neighbors_model import Neighborhood, NeighborsModel, Weights

__all__ = ["KNeighborsClassifier"]


class KNeighborsClassifier(ClassifierMixin, NeighborsModel):
    """Vote (1) of the k nearest stored rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        k.
    weights : {"uniform", "distance"}, Kernel, callable or None, default="uniform"
        w: equal; 1/d, or equal for rows at distance zero alone where there are any; k(x, x_i) of a kernel; or a
        function of the array of distances.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are searched; the result is the same. "auto" is a k-d tree for few columns, else a comparison
        with every row by BLAS.
    leaf_size : int, default=30
        Of trees.
    p : float, default=2
        Exponent of the Minkowski distance.
    metric : str, callable or DistanceMetric, default="minkowski"
        A name of scikit-learn or SciPy, a function of two rows, or "precomputed" for distances in place of rows.
    metric_params : dict, optional
        Further arguments of the metric.
    n_jobs : int, optional
        Threads of the search; None for as many as BLAS has.
    kernel : Kernel, callable or str, optional
        Nearest by the distance in the feature space of a kernel, in place of the metric.
    tie : {"lowest", "nearest", "random"}, default="lowest"
        Which of the classes with most votes is predicted: the first of `classes_`, that of the nearest neighbour among
        them, or one drawn at random.
    random_state : int, RandomState or None, default=None
        Of ``tie="random"``.

    Attributes
    ----------
    classes_ : ndarray, or a list of them for several outputs
    effective_metric_ : str or callable
        The metric by its shortest name, "kernel" where a kernel was given.
    effective_metric_params_ : dict
    effective_dof_ : float
        n/k.
    n_samples_fit_ : int
        n.
    outputs_2d_ : bool
        Whether y had several columns.

    References
    ----------
    Cover, T. & Hart, P. (1967). Nearest neighbor pattern classification. doi:10.1109/TIT.1967.1053964

    Examples
    --------
    Two of the three nearest rows of 3 have class 1:

    >>> from gnomon.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(3).fit([[0.0], [1.0], [2.0], [4.0], [7.0]], [0, 0, 1, 1, 1])
    >>> model.predict([[3.0]]), model.predict_proba([[3.0]]).round(3)
    (array([1]), array([[0.333, 0.667]]))
    >>> model.error_curve(loo=True, ks=[1, 2, 3]).errors
    array([0.2, 0.4, 0.6])
    """

    _stored: ClassVar[dict[str, str]] = {"_codes": "int (n_samples_fit, n_outputs)"}

    def __init__(
        self,
        n_neighbors: Count | None = 5,
        *,
        weights: Weights = "uniform",
        algorithm: Algorithm = "auto",
        leaf_size: Count = 30,
        p: PositiveOrInfinite | None = 2,
        metric: MetricLike = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        kernel: KernelLike | None = None,
        tie: Literal["lowest", "nearest", "random"] = "lowest",
        random_state: Seed = None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.kernel = kernel
        self.tie = tie
        self.random_state = random_state

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike) -> Self:
        """Store the rows and their classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), distances of shape (n_samples, n_samples) with
                ``metric="precomputed"``, or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)

        Returns
        -------
        self
        """
        y = self._fit_rows(X, y)
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                "(n_samples,), for example using ravel().",
                DataConversionWarning,
                stacklevel=2,
            )
        check_classification_targets(y)
        self.outputs_2d_ = y.ndim == 2 and y.shape[1] > 1
        columns = [np.unique(column, return_inverse=True) for column in y.reshape(len(y), -1).T]
        self._classes = [classes for classes, _ in columns]
        self._codes = np.column_stack([codes for _, codes in columns])
        self.classes_ = self._classes if self.outputs_2d_ else self._classes[0]
        return self

    def predict(self, X: MatrixLike | list[Any] | None) -> Array:
        """The class with most votes.

        Parameters
        ----------
        X : as in `fit`, distances to the stored rows with ``metric="precomputed"``, or None
            None for the stored rows, none of which votes for itself.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        check_is_fitted(self)
        return self._predicted(self._find(X, self._k(None)))

    def predict_proba(self, X: MatrixLike | list[Any] | None) -> Floats | list[Floats]:
        """Shares of the votes.

        Parameters
        ----------
        X : as in `predict`

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or a list of them for several outputs
        """
        check_is_fitted(self)
        votes = self._votes(self._find(X, self._k(None)))
        shares: list[Floats] = [counts / counts.sum(axis=1, keepdims=True) for counts in votes]
        return shares if self.outputs_2d_ else shares[0]

    def _votes(self, found: Neighborhood) -> list[Floats]:
        """The weight of each class among the neighbours, for each output."""
        indices = found.neighbors.indices
        weights = self._neighbor_weights(found)
        if weights is None:
            weights = np.ones(indices.shape)
        elif np.any(np.all(weights == 0.0, axis=1)):
            raise ValueError(
                "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if "
                "you are using a user-defined function."
            )
        rows = np.arange(len(indices))
        votes: list[Floats] = []
        for codes, classes in zip(self._codes.T, self._classes, strict=True):
            counts = np.zeros((len(indices), len(classes)))
            for j in range(indices.shape[1]):
                counts[rows, codes[indices[:, j]]] += weights[:, j]
            votes.append(counts)
        return votes

    def check_consistent(self) -> None:
        """Refuse codes of rows that are not there, or of classes that are not."""
        if "_codes" not in vars(self):
            return
        sizes = [len(classes) for classes in self._classes]
        if self._codes.shape != (self.n_samples_fit_, len(sizes)) or np.any((self._codes < 0) | (self._codes >= sizes)):
            raise ValueError(f"the codes of rows are not those of {self.n_samples_fit_} rows and {sizes} classes")

    def _predicted(self, found: Neighborhood) -> Array:
        columns = [
            classes[self._winners(counts, codes[found.neighbors.indices])]
            for counts, classes, codes in zip(self._votes(found), self._classes, self._codes.T, strict=True)
        ]
        return np.column_stack(columns).astype(self._classes[0].dtype) if self.outputs_2d_ else columns[0]

    def _winners(self, votes: Floats, codes: Integers) -> Integers:
        """The class with most votes, by the rule for ties; `codes` are the classes of the neighbours, nearest first."""
        if self.tie == "lowest":
            return np.argmax(votes, axis=1)
        most: Bools = votes == votes.max(axis=1, keepdims=True)
        if self.tie == "random":
            return np.argmax(most * check_random_state(self.random_state).uniform(0.5, 1.0, most.shape), axis=1)
        among = np.take_along_axis(most, codes, axis=1)
        return np.take_along_axis(codes, np.argmax(among, axis=1)[:, None], axis=1)[:, 0]

    def _losses(self, y: Array, predicted: Array) -> Floats:
        wrong = np.asarray(y).reshape(len(predicted), -1) != predicted.reshape(len(predicted), -1)
        return np.any(wrong, axis=1).astype(float)

    def _stored_target(self) -> Array:
        columns = [classes[codes] for classes, codes in zip(self._classes, self._codes.T, strict=True)]
        return np.column_stack(columns) if self.outputs_2d_ else columns[0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
