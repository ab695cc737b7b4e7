"""The four ways to set the threshold of a density: ε, log ε, a share of the training rows, or a probability."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from gnomon._typing import Floats
from gnomon.anomaly._base import WeightedDetector, contamination_threshold, one_given
from gnomon.anomaly._levels import log_thresholds
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_integer, check_interval, check_non_negative

__all__ = ["DensityRule"]


class DensityRule(WeightedDetector):
    """Base of the detectors whose score is log p(x)."""

    @property
    @abstractmethod
    def _density(self) -> Any:
        """The fitted density."""

    def _threshold(self, X: Any, weights: Floats | None) -> float:
        name, value = one_given(epsilon=self.epsilon, log_epsilon=self.log_epsilon, contamination=self.contamination)
        ways = {
            "epsilon": lambda: _log(check_non_negative("epsilon", value)),
            "log_epsilon": lambda: check_interval("log_epsilon", value, -np.inf, np.finfo(float).max),
            "contamination": lambda: contamination_threshold(self._scores(X), value, weights),
            None: self._level_threshold,
        }
        return ways[name]()

    def _note_threshold(self, threshold: float) -> None:
        self.log_epsilon_ = threshold

    def _level_threshold(self) -> float:
        return log_thresholds(self._density, np.array([self.level]), **self._draws())[0]

    def _draws(self) -> dict[str, Any]:
        """How a law that has no formula for its levels is drawn from."""
        return {"n_draws": check_integer("n_draws", self.n_draws, 100), "rng": check_rng(self.random_state)}


def _log(epsilon: float) -> float:
    return np.log(epsilon) if epsilon > 0.0 else -np.inf
