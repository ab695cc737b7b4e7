"""Anomalies of any density.

    x is an anomaly  ⇔  p(x) ≤ ε                                                                        (1)

with p fitted to good rows: a normal law, a product of histograms, a kernel density, a mixture, or the evidence of a
generative classifier. Bishop (1994), Novelty detection and neural network validation, doi:10.1049/ip-vis:19941330.
"""

from __future__ import annotations

from typing import Any

from gnomon._typing import Floats, ProperShare, RandomState
from gnomon.anomaly._base import Tie
from gnomon.anomaly._density_rule import DensityRule
from gnomon.distributions import MultivariateNormal, fit_density, row_log_density
from gnomon.distributions.density import Density

__all__ = ["DensityDetector"]


class DensityDetector(DensityRule):
    """Flag rows of low density, equation (1).

    The scores are log p(x); a density may exceed 1, so they may be positive. All computation is in logarithms. At most
    one of `epsilon`, `log_epsilon` and `contamination` is given; without them `level` sets the threshold.

    Parameters
    ----------
    density : type, DistributionFamily or estimator, default=MultivariateNormal
        A `Distribution` class, one with options, or an estimator with `score_samples`. A density that is fitted
        already, such as a generative classifier, goes in as ``sklearn.frozen.FrozenEstimator(model)``.
    epsilon : float, optional
        ε ≥ 0, on the scale of the density.
    log_epsilon : float, optional
        log ε.
    contamination : float in [0, 1), optional
        The share of the training rows to be flagged: log ε is that quantile of their scores.
    level : float in (0, 1), default=0.95
        The probability of the region of good rows under the fitted density.
    tie : {"anomaly", "normal"}, default="anomaly"
        What p(x) = ε is.
    n_draws : int, default=10000
        Draws for `level` where the density has no formula for it.
    random_state : None, int, Generator or RandomState
        Of these draws.

    Attributes
    ----------
    density_ : Distribution or estimator
        p.
    log_epsilon_ : float
        log ε.
    offset_ : float
        `decision_function` is `score_samples` less this: the next number above log ε, or log ε for ``tie="normal"``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Bishop, C. M. (1994). Novelty detection and neural network validation. doi:10.1049/ip-vis:19941330

    Hyndman, R. J. (1996). Computing and graphing highest density regions. doi:10.1080/00031305.1996.10473566

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.anomaly import DensityDetector
    >>> from gnomon.distributions import KDE
    >>> X = np.random.default_rng(0).normal(size=(500, 1))
    >>> DensityDetector(KDE, contamination=0.01).fit(X).predict([[0.0], [6.0]])
    array([ 1, -1])
    """

    def __init__(
        self,
        density: Density = MultivariateNormal,
        *,
        epsilon: float | None = None,
        log_epsilon: float | None = None,
        contamination: float | None = None,
        level: ProperShare = 0.95,
        tie: Tie = "anomaly",
        n_draws: int = 10_000,
        random_state: RandomState = None,
    ):
        self.density = density
        self.epsilon = epsilon
        self.log_epsilon = log_epsilon
        self.contamination = contamination
        self.level = level
        self.tie = tie
        self.n_draws = n_draws
        self.random_state = random_state

    def _learn(self, X: Floats, weights: Floats | None) -> None:
        if len(X) < 2:
            raise ValueError(f"n_samples={len(X)} cannot show what is usual; give at least two rows")
        self.density_ = fit_density(self.density, X, weights)

    @property
    def _density(self) -> Any:
        return self.density_

    def _scores(self, X: Floats) -> Floats:
        return row_log_density(self.density_, X)
