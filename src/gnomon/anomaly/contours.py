"""Nested regions of one density.

    R_λ = {x : p(x) > ε_λ},    P(X ∈ R_λ) = λ,    λ₁ < λ₂ < …   ⇒   R_λ₁ ⊂ R_λ₂ ⊂ …                        (1)

Each is the smallest region of its probability: Hyndman (1996), Computing and graphing highest density regions,
doi:10.1080/00031305.1996.10473566. A one-class support vector machine draws such regions without a density.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Bools, Floats, Integers, RandomState
from gnomon.anomaly._levels import check_level, log_thresholds
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.distributions import MultivariateNormal, fit_density, row_log_density
from gnomon.distributions.density import Density
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_integer
from gnomon.numerics.weights import check_weights

__all__ = ["NestedContours"]


class NestedContours(Estimator):
    """Regions of several probabilities under one density, equation (1).

    Parameters
    ----------
    density : type, DistributionFamily or estimator, default=MultivariateNormal
        A `Distribution` class, one with options, or an estimator with `score_samples` and `sample`.
    levels : sequence of float in (0, 1), default=(0.5, 0.9, 0.99)
        λ of each region, in any order.
    n_draws : int, default=10000
        Draws for the levels where the density has no formula for them.
    random_state : None, int, Generator or RandomState
        Of these draws.

    Attributes
    ----------
    density_ : Distribution or estimator
        p.
    levels_ : ndarray of shape (n_levels,)
        The levels, ascending and each once: region 0 is the innermost.
    log_epsilons_ : ndarray of shape (n_levels,)
        log ε of each, descending.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Hyndman, R. J. (1996). Computing and graphing highest density regions. doi:10.1080/00031305.1996.10473566

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.anomaly import NestedContours
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> contours = NestedContours(levels=(0.5, 0.95)).fit(X)
    >>> contours.region_index([[0.0, 0.0], [1.5, 1.0], [4.0, 0.0]])
    array([0, 1, 2])
    """

    def __init__(
        self,
        density: Density = MultivariateNormal,
        levels: ArrayLike = (0.5, 0.9, 0.99),
        *,
        n_draws: int = 10_000,
        random_state: RandomState = None,
    ):
        self.density = density
        self.levels = levels
        self.n_draws = n_draws
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the density and find the thresholds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X = validate_rows(self, X, ensure_min_samples=2)
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        levels = np.ravel(np.array(self.levels, dtype=object))
        self.levels_ = np.unique([check_level("levels", level) for level in levels])
        if self.levels_.size == 0:
            raise ValueError(f"levels={self.levels!r} must be numbers between 0 and 1; give at least one")
        self.density_ = fit_density(self.density, X, weights)
        n_draws, rng = check_integer("n_draws", self.n_draws, 100), check_rng(self.random_state)
        self.log_epsilons_ = log_thresholds(self.density_, self.levels_, n_draws=n_draws, rng=rng)
        return self

    def score_samples(self, X: ArrayLike) -> Floats:
        """log p(x) of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores, dtype = self._scores(X)
        return scores.astype(dtype, copy=False)

    def contains(self, X: ArrayLike) -> Bools:
        """Which regions hold each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool of shape (n_samples, n_levels)
        """
        return self._scores(X)[0][:, None] > self.log_epsilons_

    def region_index(self, X: ArrayLike) -> Integers:
        """The innermost region that holds each row, from 0; the number of levels for a row outside all of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        return np.sum(~self.contains(X), axis=1)

    def _scores(self, X: ArrayLike) -> tuple[Floats, np.dtype]:
        """log p(x) in double precision, which alone can be compared with a threshold, and the type of X."""
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False)
        return row_log_density(self.density_, X), X.dtype
