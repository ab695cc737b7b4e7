"""Anomalies by the distance from the mean.

    d²(x) = (x − μ)ᵀ Σ⁻¹ (x − μ),      x is an anomaly  ⇔  d²(x) ≥ threshold                             (1)

For normal rows d² follows χ² with as many degrees of freedom as columns. Mahalanobis (1936), On the generalised
distance in statistics, Proceedings of the National Institute of Sciences of India 2, 49-55.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import chi2

from gnomon._typing import ArrayLike, CountOrZero, Floats, NonNegative, ProperShare
from gnomon.anomaly._base import Tie, contamination_threshold, one_given
from gnomon.anomaly._normal import CovarianceType, NormalRows, Shrinkage

__all__ = ["MahalanobisDetector"]


class MahalanobisDetector(NormalRows):
    """Flag rows far from the mean in units of the covariance, equation (1).

    The score is −d². It orders rows as `GaussianDetector` does; its unit does not depend on the units of the columns.

    Parameters
    ----------
    covariance_type : {"full", "diag", "spherical"}, default="full"
    ddof : int, default=0
        0 is maximum likelihood; 1 divides by N − 1.
    shrinkage : float in [0, 1], "ledoit_wolf" or "oas", optional
        (1 − s) Σ + s (tr Σ/d) I, with s given or estimated; for few rows or singular Σ.
    threshold : float, optional
        The least d² of an anomaly.
    contamination : float in [0, 1), optional
        The share of the training rows to be flagged.
    level : float in (0, 1), default=0.95
        Where neither is given, the threshold is this quantile of χ².
    tie : {"anomaly", "normal"}, default="anomaly"
        What d² = threshold is.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        μ.
    covariance_ : ndarray of shape (n_features, n_features)
        Σ as a matrix.
    density_ : MultivariateNormal
        The law of μ and Σ.
    moments_ : Moments
        Weight, mean and scatter of the rows, to which `partial_fit` adds.
    threshold_ : float
        The least d² of an anomaly.
    offset_ : float
        `decision_function` is `score_samples` less this.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Mahalanobis, P. C. (1936). On the generalised distance in statistics. Proceedings of the National Institute of
    Sciences of India 2, 49-55.

    Examples
    --------
    >>> from gnomon.anomaly import MahalanobisDetector
    >>> detector = MahalanobisDetector().fit([[-1.0, 0.0], [1.0, 0.0], [0.0, -2.0], [0.0, 2.0]])
    >>> detector.mahalanobis([[1.0, 2.0], [3.0, 0.0]]).round(6), round(detector.threshold_, 6)
    (array([ 4., 18.]), 5.991465)
    """

    def __init__(
        self,
        covariance_type: CovarianceType = "full",
        ddof: CountOrZero = 0,
        *,
        shrinkage: Shrinkage = None,
        threshold: NonNegative | None = None,
        contamination: float | None = None,
        level: ProperShare = 0.95,
        tie: Tie = "anomaly",
    ):
        self.covariance_type = covariance_type
        self.ddof = ddof
        self.shrinkage = shrinkage
        self.threshold = threshold
        self.contamination = contamination
        self.level = level
        self.tie = tie

    def mahalanobis(self, X: ArrayLike) -> Floats:
        """d² of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return -self.score_samples(X)

    def _scores(self, X: Floats) -> Floats:
        # log p = constant − ½ d²; rounding must not make a distance negative.
        return 2.0 * np.minimum(self._normals.log_densities(X)[:, 0] - self._normals.log_norms[0], 0.0)

    def _threshold(self, X: Any, weights: Floats | None) -> float:
        name, value = one_given(threshold=self.threshold, contamination=self.contamination)
        ways = {
            "threshold": lambda: -value,
            "contamination": lambda: contamination_threshold(self._scores(X), value, weights),
            None: lambda: -chi2.ppf(self.level, self.n_features_in_),
        }
        return ways[name]()

    def _note_threshold(self, threshold: float) -> None:
        self.threshold_ = -threshold
