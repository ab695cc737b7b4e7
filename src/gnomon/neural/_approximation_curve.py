"""How the error of a network falls with its width.

    e(H) = ‖f − f_H‖_p on a box,    f_H with H hidden units                                              (1)

On an interval, H rectified units interpolate f at H + 1 equidistant points, with ‖f − f_H‖_∞ ≤ h² max|f''|/8 for pieces
of length h. That a network of H large enough exists for every continuous f and every bounded, non-constant φ is the
theorem of Hornik (1991), doi:10.1016/0893-6080(91)90009-T; it says nothing about training, which is the other method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers, RandomState
from gnomon.neural._exact_network import exact_network
from gnomon.neural.function import NetworkFunction
from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers.dense import Dense
from gnomon.neural.network import NeuralNetwork
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.optim import lbfgs

__all__ = ["ApproximationCurve", "approximation_curve"]

Method: TypeAlias = Literal["interpolate", "train"]

_SLOPE = 7.0
"""The standard deviation of z over the box at the start, times √12: a unit bends within the box."""


class ApproximationCurve(NamedTuple):
    """Errors over widths.

    Fields
    ------
    widths : ndarray of int
    errors : ndarray
        ‖f − f_H‖_p, the volume of the box included.
    p : float
    functions : list of NetworkFunction
        The network of each width.

    References
    ----------
    Hornik, K. (1991). Approximation capabilities of multilayer feedforward networks.
    doi:10.1016/0893-6080(91)90009-T

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import approximation_curve
    >>> approximation_curve(np.square, [2, 4], p=np.inf, box=(0.0, 1.0)).errors.round(6)  # h²·2/8
    array([0.0625  , 0.015625])
    """

    widths: Integers
    errors: Floats
    p: float
    functions: list[NetworkFunction]

    @property
    def rate(self) -> float:
        """The r of e ≈ C H^{−r}, by least squares on logarithms."""
        return float(-np.polyfit(np.log(self.widths), np.log(self.errors), 1)[0])


def approximation_curve(
    f: Callable[[Any], ArrayLike],
    widths: Sequence[int],
    p: float = 2.0,
    *,
    box: ArrayLike = (0.0, 1.0),
    method: Method = "interpolate",
    activation: str | ActivationFunction = "tanh",
    n_points: int = 10_001,
    n_restarts: int = 3,
    max_iter: int = 500,
    random_state: RandomState = 0,
) -> ApproximationCurve:
    """The error of networks of one hidden layer for a known function, over their width.

    Parameters
    ----------
    f : callable
        Rows of the box (in one dimension: numbers) → values.
    widths : sequence of int
        H.
    p : float, default=2.0
        Of the norm; ``inf`` for the largest error.
    box : pair of floats, or sequence of pairs
        An interval, or one for each dimension.
    method : {"interpolate", "train"}, default="interpolate"
        Rectified units by construction (in one dimension), or training by L-BFGS.
    activation : str or activation, default="tanh"
        Of trained networks.
    n_points : int, default=10001
        Points at which the error is taken, and (every fourth) trained: a grid in one dimension, else drawn.
    n_restarts : int, default=3
        Trainings of each width, of which the one of least error counts.
    max_iter : int, default=500
        Iterations of each training.
    random_state : int, Generator, RandomState or None, default=0

    Returns
    -------
    ApproximationCurve

    References
    ----------
    Hornik, K. (1991). doi:10.1016/0893-6080(91)90009-T

    Examples
    --------
    Twice the units, a quarter of the error:

    >>> import numpy as np
    >>> from gnomon.neural import approximation_curve
    >>> found = approximation_curve(np.sin, [8, 16, 32], p=np.inf, box=(0.0, 2 * np.pi))
    >>> found.errors.round(5), round(found.rate, 2)
    (array([0.07038, 0.01885, 0.00479]), 1.94)
    """
    check_choice("method", method, ("interpolate", "train"))
    sides = np.atleast_2d(np.asarray(box, dtype=float))
    if sides.shape[1] != 2 or not np.all(sides[:, 0] < sides[:, 1]):
        raise ValueError(f"box={box!r} must be a pair (low, high), low < high, or one for each dimension")
    if method == "interpolate" and len(sides) != 1:
        raise ValueError(f"method='interpolate' is for one dimension and box has {len(sides)}; use method='train'")
    for width in widths:
        check_integer("widths", width, 1)
    check_integer("n_points", n_points, 2)
    if not p >= 1:
        raise ValueError(f"p={p!r} must be ≥ 1; inf is the largest error")
    rng = check_rng(random_state)
    points = _points(sides, n_points, rng)
    values = _values(f, points)
    if method == "interpolate":
        functions = [_interpolated(f, sides, int(width)) for width in widths]
    else:
        functions = _trained(points[::4], values[::4], widths, activation, n_restarts, max_iter, rng)
    volume = float(np.prod(sides[:, 1] - sides[:, 0]))
    errors = [_norm(values - g.output(points), p, volume) for g in functions]
    return ApproximationCurve(np.array(list(widths), dtype=int), np.array(errors), float(p), functions)


def _points(sides: Floats, n: int, rng: np.random.Generator) -> Floats:
    if len(sides) == 1:
        return np.linspace(sides[0, 0], sides[0, 1], n)[:, None]
    return rng.uniform(sides[:, 0], sides[:, 1], (n, len(sides)))


def _values(f: Callable[[Any], ArrayLike], points: Floats) -> Floats:
    values: Array = np.asarray(f(points[:, 0] if points.shape[1] == 1 else points), dtype=float)
    if values.shape != (len(points),):
        raise ValueError(f"f gave shape {values.shape} for {len(points)} points; it must give one number for each")
    return values[:, None]


def _interpolated(f: Callable[[Any], ArrayLike], sides: Floats, width: int) -> NetworkFunction:
    knots = np.linspace(sides[0, 0], sides[0, 1], width + 1)[:, None]
    return exact_network(knots, _values(f, knots), "relu", direction=(1.0,)).function


def _trained(
    X: Floats,
    y: Floats,
    widths: Sequence[int],
    activation: str | ActivationFunction,
    n_restarts: int,
    max_iter: int,
    rng: np.random.Generator,
) -> list[NetworkFunction]:
    """For each width the best of several trainings.

    One of them starts at the network before, with new units of outgoing weight 0: so no wider network is worse.
    """
    found: list[NetworkFunction] = []
    for width in widths:
        network = NeuralNetwork([Dense(int(width), activation), Dense(1)], X.shape[1])
        starts = [_start(network, X, rng) for _ in range(n_restarts)]
        if found and found[-1].network.n_parameters <= network.n_parameters:
            starts.append(_grown(found[-1], NetworkFunction(network, starts[0])))
        problem = network.problem(X, y)
        ends = [lbfgs(problem.value_and_gradient, theta, tol=1e-9, max_iter=max_iter) for theta in starts]
        found.append(NetworkFunction(network, min(ends, key=lambda solution: solution.objective).w))
    return found


def _start(network: NeuralNetwork, X: Floats, rng: np.random.Generator) -> Floats:
    """First weights with which every unit has its middle at a random point of the box, and some curvature in it."""
    low, high = X.min(axis=0), X.max(axis=0)
    theta = network.init(rng)
    W, b = network.views(theta)["dense_1"][:2]
    W *= _SLOPE / (high - low)[:, None]
    b -= np.einsum("hd,dh->h", rng.uniform(low, high, (len(b), len(low))), W)
    return theta


def _grown(before: NetworkFunction, start: NetworkFunction) -> Floats:
    """The parameters of a narrower network, with the further hidden units of a start and no weight on them."""
    theta = np.array(start.theta)
    own, given = start.network.views(theta), before.network.views(before.theta)
    for part, narrow in zip(own["dense_1"], given["dense_1"], strict=True):
        part[..., : narrow.shape[-1]] = narrow
    (V, c), (narrow, constant) = own["dense_2"], given["dense_2"]
    V[...] = 0.0
    V[: len(narrow)] = narrow
    c[...] = constant
    return theta


def _norm(errors: Floats, p: float, volume: float) -> float:
    sizes = np.abs(errors[:, 0])
    return float(sizes.max() if math.isinf(p) else (volume * np.mean(sizes**p)) ** (1.0 / p))
