"""Gradients of a network against differences.

    b_j = (J(θ + ε e_j) − J(θ − ε e_j)) / 2ε,    error_j = |a_j − b_j| / max(|a_j| + |b_j|, 10⁻⁸),    a = ∇J     (1)

What rounding of J may add to |a_j − b_j|, some units of its last place divided by ε, is no error. A coordinate whose
step moves a unit to another linear piece (over a kink of a rectifier, to another maximum) has no derivative that (1)
could show; it is left out and counted. Nocedal & Wright (2006), section 8.1, doi:10.1007/978-0-387-40065-5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, RandomState
from gnomon.neural.network import NeuralNetwork
from gnomon.numerics.random import check_rng

__all__ = ["ArrayCheck", "NetworkGradientReport", "check_gradient"]

_ULPS = 8.0
"""Rounding errors of J, in units of its last place."""

_MOST_ROWS = 256
"""Rows that are surely one pass, whose patterns of activations are then all there."""


@dataclass(frozen=True)
class ArrayCheck:
    """How well the gradient of one array of parameters agrees with differences.

    Parameters
    ----------
    name, layer : str
        Of the array, as "dense_1.W", and of its layer.
    max_error : float
        The largest error (1).
    where : tuple of int
        The entry that has it.
    checked, skipped : int
        Entries compared, and entries left out since a pattern of activations changed.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 8.1. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> from gnomon.neural import ArrayCheck
    >>> ArrayCheck("dense_1.W", "dense_1", 1e-9, (0, 0), 12, 1).skipped
    1
    """

    name: str
    layer: str
    max_error: float
    where: tuple[int, ...]
    checked: int
    skipped: int


@dataclass(frozen=True)
class NetworkGradientReport:
    """The answer of `check_gradient`; true as a condition when every array agrees.

    Parameters
    ----------
    arrays : tuple of ArrayCheck
    tol : float

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 8.1. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> from gnomon.neural import ArrayCheck, NetworkGradientReport
    >>> print(NetworkGradientReport((ArrayCheck("dense_1.W", "dense_1", 1e-9, (0, 0), 12, 1),), 1e-6))
    array                  largest error   at                checked   skipped
    dense_1.W                      1e-09   (0, 0)                 12         1
    """

    arrays: tuple[ArrayCheck, ...]
    tol: float

    @property
    def max_error(self) -> float:
        """The largest error of all arrays."""
        return max((check.max_error for check in self.arrays), default=0.0)

    @property
    def passed(self) -> bool:
        """Whether no error exceeds the tolerance."""
        return self.max_error <= self.tol

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        lines = [f"{'array':<20}{'largest error':>16}   {'at':<15}{'checked':>10}{'skipped':>10}"]
        for check in self.arrays:
            at = str(check.where)
            lines.append(f"{check.name:<20}{check.max_error:>16.2g}   {at:<15}{check.checked:>10}{check.skipped:>10}")
        return "\n".join(lines)


def check_gradient(
    network: NeuralNetwork,
    X: Any,
    y: Any,
    s: ArrayLike | None = None,
    *,
    theta: Floats | None = None,
    loss: Any = None,
    alpha: float = 0.0,
    eps: float = 1e-5,
    tol: float = 1e-6,
    random_state: RandomState = 0,
) -> NetworkGradientReport:
    """Compare the gradient of J with central differences (1), parameter by parameter.

    Parameters
    ----------
    network : NeuralNetwork
    X, y, s
        As of `NeuralNetwork.value_and_gradient`, for at most 256 rows; a few are enough.
    theta : ndarray, optional
        Where to compare; by default first values of the network.
    loss, alpha
        As of `NeuralNetwork.value_and_gradient`.
    eps, tol : float
        ε of (1), and the largest error allowed.
    random_state : int, Generator, RandomState or None, default=0
        Draws θ, unless it is given, and the masks of random layers, which are then held fixed.

    Returns
    -------
    NetworkGradientReport

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 8.1. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork, check_gradient
    >>> from gnomon.neural.layers import Dense, Dropout
    >>> network = NeuralNetwork([Dense(4, "relu"), Dropout(0.5), Dense(1)], 3)
    >>> rng = np.random.default_rng(0)
    >>> report = check_gradient(network, rng.normal(size=(6, 3)), rng.normal(size=(6, 1)))
    >>> bool(report), [check.checked + check.skipped for check in report.arrays]
    (True, [12, 4, 4, 1])
    """
    rng = check_rng(random_state)
    inputs = {name: x.astype(float) for name, x in zip(network.input_shapes, network.read(X), strict=True)}
    problem = network.problem(inputs, y, s, loss=loss, alpha=alpha)
    if problem.n_rows > _MOST_ROWS:
        raise ValueError(
            f"check_gradient is for at most {_MOST_ROWS} rows and X has {problem.n_rows}; a few are enough"
        )
    start = network.init(rng) if theta is None else np.array(theta, dtype=float)
    problem.freeze(network.draw(rng, problem.n_rows))
    scratch, claimed = np.empty_like(start), np.empty_like(start)

    def evaluate(at: Floats, gradient: Floats) -> tuple[float, list[Array]]:
        return problem.batch_value_and_gradient(at, slice(None), gradient), problem.patterns()

    _, pattern = evaluate(start, claimed)
    error = np.empty_like(start)
    for j in range(len(start)):
        step = np.zeros_like(start)
        step[j] = eps
        (above, p), (below, q) = evaluate(start + step, scratch), evaluate(start - step, scratch)
        b = (above - below) / (2 * eps)
        same = _equal(p, pattern) and _equal(q, pattern)
        rounding = _ULPS * np.finfo(float).eps * max(abs(above), abs(below)) / eps
        gap = max(abs(claimed[j] - b) - rounding, 0.0)
        error[j] = gap / max(abs(claimed[j]) + abs(b), 1e-8) if same else np.nan
    return NetworkGradientReport(_by_array(network, error), tol)


def _equal(a: Sequence[Array], b: Sequence[Array]) -> bool:
    return all(np.array_equal(x, z) for x, z in zip(a, b, strict=True))


def _by_array(network: NeuralNetwork, error: Floats) -> tuple[ArrayCheck, ...]:
    found = []
    for group in network.groups():
        if not group.trainable:
            continue
        part = error[group.where].reshape(group.shape)
        skipped = int(np.sum(np.isnan(part)))
        worst = np.where(np.isnan(part), 0.0, part)
        place = np.unravel_index(int(np.argmax(worst)), group.shape)
        where, size = tuple(int(k) for k in place), float(np.max(worst, initial=0.0))
        found.append(ArrayCheck(group.name, group.layer, size, where, part.size - skipped, skipped))
    return tuple(found)
