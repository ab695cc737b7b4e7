"""Anomalies that fit no cluster.

    d(x) = minⱼ ‖x − cⱼ‖,      x is an anomaly  ⇔  d(x) ≥ threshold                                      (1)

with the centres c₁ … c_k of k-means. Lloyd (1982), doi:10.1109/TIT.1982.1056489; Chandola, Banerjee & Kumar (2009),
Anomaly detection: a survey, section 6, doi:10.1145/1541880.1541882.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Count, Floats, NonNegative, RandomState
from gnomon.anomaly._base import Detector, Tie, contamination_threshold, one_given
from gnomon.numerics.random import check_rng
from gnomon.optim import kmeans, nearest_center, seed_centers

__all__ = ["CentroidDistanceDetector"]

DEFAULT_SHARE = 0.05


class CentroidDistanceDetector(Detector):
    """Flag rows far from every centre of k-means, equation (1).

    The score is −d. Distances are in the units of the columns: standardise columns of different kinds first.

    Parameters
    ----------
    n_clusters : int, default=8
        Centres; at most one for each different row.
    threshold : float, optional
        The least distance of an anomaly.
    contamination : float in [0, 1), optional
        The share of the training rows to be flagged; 0.05 where no threshold is given either.
    tie : {"anomaly", "normal"}, default="anomaly"
        What d = threshold is.
    n_init : int, default=5
        Starts of k-means, of which the best is kept.
    max_iter : int, default=300
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    centers_ : ndarray of shape (n_clusters, n_features)
    threshold_ : float
        The least distance of an anomaly.
    inertia_ : float
        The sum of squared distances of the training rows from their centres.
    n_iter_ : int
        Iterations of the start that was kept.
    converged_ : bool
        Whether its last iteration moved no row to another centre.
    offset_ : float
        `decision_function` is `score_samples` less this.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Lloyd, S. (1982). Least squares quantization in PCM. doi:10.1109/TIT.1982.1056489

    Chandola, V., Banerjee, A. & Kumar, V. (2009). Anomaly detection: a survey. doi:10.1145/1541880.1541882

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.anomaly import CentroidDistanceDetector
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> detector = CentroidDistanceDetector(2, threshold=2.0, random_state=0).fit(X)
    >>> detector.score_samples([[5.0], [11.0]]), detector.predict([[5.0], [11.0]])
    (array([-4.5, -0.5]), array([-1,  1]))
    """

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        threshold: NonNegative | None = None,
        contamination: float | None = None,
        tie: Tie = "anomaly",
        n_init: Count = 5,
        max_iter: Count = 300,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.contamination = contamination
        self.tie = tie
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _learn(self, X: Floats, weights: Floats | None) -> None:
        k, rng = self.n_clusters, check_rng(self.random_state)
        if len(X) <= k:
            raise ValueError(f"n_samples={len(X)} must exceed n_clusters={k}; give more rows or fewer centres")
        starts = [X[seed_centers(X, k, rng)] for _ in range(self.n_init)]
        runs = [kmeans(X, start, max_iter=self.max_iter) for start in starts]
        best = min(runs, key=lambda run: run.objective)
        self.centers_, self.inertia_ = best.centers, best.objective
        self.n_iter_, self.converged_ = best.n_iter, best.converged
        if not best.converged:
            warnings.warn(
                f"k-means did not converge in {self.max_iter} iterations, so the centres are not final; raise "
                f"max_iter={self.max_iter}, or take fewer n_clusters",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _scores(self, X: Floats) -> Floats:
        return -np.sqrt(nearest_center(X, self.centers_)[1]).astype(float)

    def _threshold(self, X: Any, weights: Floats | None) -> float:
        name, value = one_given(threshold=self.threshold, contamination=self.contamination)
        if name == "threshold":
            return -value
        return contamination_threshold(self._scores(X), DEFAULT_SHARE if name is None else value)

    def _note_threshold(self, threshold: float) -> None:
        self.threshold_ = -threshold
