"""Where a training stands: all that the next update depends on.

    state_k  →  state_{k+1},    so that a training that begins at state_k takes the same steps, bit by bit        (1)

The checks of the epochs so far belong to it: given again to a stop rule, they lead it to where it stood. Only those
that may yet be returned hold their θ.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats
from gnomon.optim.rules import Check
from gnomon.optim.schedules import Schedule

__all__ = ["Past", "TrainingState"]


class TrainingState(NamedTuple):
    """A training between two epochs.

    Fields
    ------
    theta : ndarray
    memory : tuple of ndarray
        Of the update rule: velocities, moments, step sizes.
    updates, epoch : int
        How many there were.
    factor, dropped : float
        What the rate of the schedule is multiplied by: to follow the update ratio, and after stalls.
    schedule : Schedule
    rng : dict
        The state of the generator.
    checks : tuple of Check
        One for the start and for each epoch.

    References
    ----------
    Bottou, L., Curtis, F. E. & Nocedal, J. (2018). Optimization methods for large-scale machine learning.
    doi:10.1137/16M1080173

    Examples
    --------
    Ten epochs are five and five more:

    >>> import numpy as np
    >>> from gnomon.optim import train
    >>> from gnomon.optim.batch_problem import ParameterGroup
    >>> class Mean:
    ...     n_rows, size, dtype, rows = 4, 1, np.dtype(float), np.array([1.0, 2.0, 3.0, 6.0])
    ...     groups = (ParameterGroup("mean", 0, 1, (1,), "bias", 0),)
    ...     def batch_value_and_gradient(self, theta, rows, gradient):
    ...         residual = theta[0] - self.rows[rows]
    ...         gradient[0] = np.mean(residual)
    ...         return float(0.5 * np.mean(residual**2))
    ...     def value_and_gradient(self, theta):
    ...         gradient = np.empty(1)
    ...         return self.batch_value_and_gradient(theta, slice(None), gradient), gradient
    ...     def value(self, theta):
    ...         return self.value_and_gradient(theta)[0]
    >>> options = {"schedule": 0.1, "batch_size": 1, "tol": None, "random_state": 0}
    >>> half = train(Mean(), np.zeros(1), max_iter=5, **options)
    >>> rest = train(Mean(), np.zeros(1), max_iter=10, state=half.details["state"], **options)
    >>> bool(rest.w == train(Mean(), np.zeros(1), max_iter=10, **options).w)
    True
    """

    theta: Floats
    memory: tuple[Floats, ...]
    updates: int
    epoch: int
    factor: float
    dropped: float
    schedule: Schedule
    rng: dict[str, Any]
    checks: tuple[Check[Any], ...]

    @property
    def latest(self) -> TrainingState:
        """The same, as if the epochs so far belonged to another training."""
        # Read from a model file, a check is a plain tuple.
        return self._replace(checks=(Check(*self.checks[-1])._replace(w=self.theta),))


class Past:
    """The checks of a training: θ stays with the last, the one of least loss and the one of the best score."""

    def __init__(self, checks: Iterable[Check[Any]] = ()) -> None:
        self.checks: list[Check[Any]] = []
        self._kept: dict[str, int] = {}
        for check in checks:
            self.add(check)

    def add(self, check: Check[Any]) -> Check[Any]:
        """Append a check, and return it."""
        new, before = len(self.checks), dict(self._kept)
        self.checks.append(check)
        self._kept["last"] = new
        if "loss" not in before or check.objective < self.checks[before["loss"]].objective:
            self._kept["loss"] = new
        score = check.more.get("validation", np.nan)
        if score == score and ("score" not in before or score > self.checks[before["score"]].more["validation"]):
            self._kept["score"] = new
        for k in set(before.values()) - set(self._kept.values()):
            self.checks[k] = self.checks[k]._replace(w=None)
        return check
