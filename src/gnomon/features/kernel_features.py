"""Similarities to landmarks as features.

    x ↦ (k(x, l_1), …, k(x, l_m))                                                                 (1)

A linear model of them is a kernel expansion with m terms, whatever the number of rows. Landmarks are given, drawn from
the rows, or the centres of k-means. Moody & Darken (1989), Fast learning in networks of locally-tuned processing units,
doi:10.1162/neco.1989.1.2.281.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_array

from gnomon._typing import ArrayLike, Floats, NonNegative, Seed, is_sparse
from gnomon.base import count_rows, has_columns, is_given_matrix, kernel_of, take_rows
from gnomon.features._kernel_map import KernelMap
from gnomon.kernels import Kernel, KernelLike
from gnomon.numerics.validation import FLOATS, check_integer
from gnomon.optim import kmeans, seed_centers

__all__ = ["KernelFeatures"]


class KernelFeatures(KernelMap):
    """Similarities (1) of rows to landmarks.

    Parameters
    ----------
    landmarks : int or array-like of shape (m, d), default=100
        How many are chosen from the training rows, of which there may be fewer; or the landmarks themselves, a list of
        objects for a kernel of pairs.
    kernel : Kernel, callable or str, default="rbf"
        A name as in scikit-learn; a matrix that is precomputed has such features as its columns already.
    selection : {"kmeans", "random"}, default="kmeans"
        How they are chosen: centres of k-means, from dense rows, or different rows at random.
    gamma : float, optional
        Of a kernel that is named; None for 1/d.
    degree, coef0 : float
        Of a kernel that is named.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    landmarks_ : ndarray of shape (m, d), sparse matrix or list

    References
    ----------
    Moody, J. & Darken, C. J. (1989). Fast learning in networks of locally-tuned processing units.
    doi:10.1162/neco.1989.1.2.281

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import KernelFeatures
    >>> from gnomon.kernels import RBF
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> found = KernelFeatures(2, RBF(1.0), random_state=0).fit(X)
    >>> sorted(found.landmarks_.ravel().tolist())
    [0.5, 10.5]
    >>> KernelFeatures([[1.0]], RBF(1.0)).fit_transform(X).ravel().round(3)
    array([0.607, 1.   , 0.   , 0.   ])
    """

    def __init__(
        self,
        landmarks: int | ArrayLike | list[Any] = 100,
        kernel: KernelLike = "rbf",
        *,
        selection: Literal["kmeans", "random"] = "kmeans",
        gamma: NonNegative | None = None,
        degree: NonNegative = 3,
        coef0: float = 1.0,
        random_state: Seed = None,
    ):
        self.landmarks = landmarks
        self.kernel = kernel
        self.selection = selection
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.random_state = random_state

    def _read(self, rows: Any) -> Kernel:
        return kernel_of(self, rows)

    def _learn(self, rows: Any) -> None:
        if is_given_matrix(self.kernel):
            raise ValueError("kernel='precomputed' leaves nothing to compare; choose columns of the matrix instead")
        if self._chooses:
            check_integer("landmarks", self.landmarks, low=1)
            self.landmarks_ = self._chosen(rows, min(int(self.landmarks), count_rows(rows)))  # type: ignore[arg-type]
        elif not has_columns(rows):
            self.landmarks_ = list(self.landmarks)  # type: ignore[arg-type]
        else:
            self.landmarks_ = check_array(self.landmarks, dtype=FLOATS, accept_sparse="csr", input_name="landmarks")
            if self.landmarks_.shape[1] != rows.shape[1]:
                raise ValueError(
                    f"landmarks have {self.landmarks_.shape[1]} columns and X has {rows.shape[1]}; give landmarks "
                    "with the columns of X"
                )

    def _chosen(self, rows: Any, m: int) -> Any:
        rng = check_random_state(self.random_state)
        if self.selection == "random":
            chosen = np.sort(rng.permutation(count_rows(rows))[:m])
            return take_rows(rows, chosen)
        if not has_columns(rows) or is_sparse(rows):
            raise ValueError("selection='kmeans' takes no sparse rows and no objects; use selection='random'")
        start = rows[seed_centers(rows, m, rng)]
        # Any landmarks will do, and these few iterations leave none where there are no rows.
        return kmeans(rows, start, max_iter=30).centers.astype(rows.dtype, copy=False)

    def _map(self, rows: Any) -> Floats:
        return self._kernel.against(self.landmarks_).gram(rows)

    @property
    def _chooses(self) -> bool:
        """Whether landmarks are chosen, not given."""
        return np.ndim(self.landmarks) == 0

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not (self._chooses and self.selection == "kmeans")
        return tags

    @property
    def _n_features_out(self) -> int:
        return count_rows(self.landmarks_)
