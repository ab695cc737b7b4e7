"""Anomalies of one normal law.

    log p(x) = −½ (x − μ)ᵀ Σ⁻¹ (x − μ) − ½ log |2πΣ|,     x is an anomaly  ⇔  log p(x) ≤ log ε              (1)
    μ = mean of the good rows,    Σ = Σᵢ sᵢ (xᵢ − μ)(xᵢ − μ)ᵀ / (W − ddof)                                  (2)

A diagonal Σ is the product of one normal law per column; a full one also detects unusual combinations. Barnett &
Lewis (1994), Outliers in Statistical Data; Bishop (2006), Pattern Recognition and Machine Learning, section 2.3.
"""

from __future__ import annotations

from typing import Any

from gnomon._typing import CountOrZero, Floats, ProperShare
from gnomon.anomaly._base import Tie
from gnomon.anomaly._density_rule import DensityRule
from gnomon.anomaly._normal import CovarianceType, NormalRows, Shrinkage
from gnomon.distributions import MultivariateNormal

__all__ = ["GaussianDetector"]


class GaussianDetector(NormalRows, DensityRule):
    """Flag rows of low density under one normal law, equation (1).

    At most one of `epsilon`, `log_epsilon` and `contamination` is given; without them `level` sets the threshold, by
    the quantile of χ² with as many degrees of freedom as columns.

    Parameters
    ----------
    covariance_type : {"full", "diag", "spherical"}, default="full"
        "diag": one normal law per column, independent; with one column all are the same.
    ddof : int, default=0
        0 is maximum likelihood; 1 divides by N − 1.
    shrinkage : float in [0, 1], "ledoit_wolf" or "oas", optional
        (1 − s) Σ + s (tr Σ/d) I, with s given or estimated; for few rows or singular Σ.
    epsilon : float, optional
        ε ≥ 0, on the scale of the density.
    log_epsilon : float, optional
        log ε.
    contamination : float in [0, 1), optional
        The share of the training rows to be flagged.
    level : float in (0, 1), default=0.95
        The probability of the region of good rows under the fitted law.
    tie : {"anomaly", "normal"}, default="anomaly"
        What p(x) = ε is.

    Attributes
    ----------
    density_ : MultivariateNormal
        p.
    location_ : ndarray of shape (n_features,)
        μ.
    covariance_ : ndarray of shape (n_features, n_features)
        Σ as a matrix.
    moments_ : Moments
        Weight, mean and scatter of the rows, to which `partial_fit` adds.
    log_epsilon_ : float
        log ε.
    offset_ : float
        `decision_function` is `score_samples` less this.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Barnett, V. & Lewis, T. (1994). Outliers in Statistical Data, third edition. Wiley.

    Ledoit, O. & Wolf, M. (2004). A well-conditioned estimator for large-dimensional covariance matrices.
    doi:10.1016/S0047-259X(03)00096-4

    Examples
    --------
    >>> from gnomon.anomaly import GaussianDetector
    >>> detector = GaussianDetector().fit([[1.0], [2.0], [3.0], [4.0]])
    >>> detector.score_samples([[6.0]]).round(6), detector.predict([[2.0], [6.0]])
    (array([-5.93051]), array([ 1, -1]))
    """

    def __init__(
        self,
        covariance_type: CovarianceType = "full",
        ddof: CountOrZero = 0,
        *,
        shrinkage: Shrinkage = None,
        epsilon: float | None = None,
        log_epsilon: float | None = None,
        contamination: float | None = None,
        level: ProperShare = 0.95,
        tie: Tie = "anomaly",
    ):
        self.covariance_type = covariance_type
        self.ddof = ddof
        self.shrinkage = shrinkage
        self.epsilon = epsilon
        self.log_epsilon = log_epsilon
        self.contamination = contamination
        self.level = level
        self.tie = tie

    @property
    def _density(self) -> MultivariateNormal:
        return self.density_

    def _draws(self) -> dict[str, Any]:
        # For a normal distribution there is a formula, equation (2) of `_levels`.
        return {"n_draws": 0, "rng": None}

    def _scores(self, X: Floats) -> Floats:
        return self._normals.log_densities(X)[:, 0]
