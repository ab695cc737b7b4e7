"""Hyper-parameters by the maximum of a smooth criterion.

    maximise over θ = log(hyper-parameters, σ²)    C(θ) + Σ log prior(θⱼ),    low ≤ θ ≤ high                    (1)

C is the evidence (Rasmussen & Williams 2006, section 5.4.1) or the leave-one-out score (section 5.4.2). The search is
L-BFGS-B, Byrd et al. (1995), doi:10.1137/0916069, from the given start and from points drawn uniformly between the
bounds.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Floats
from gnomon.numerics.parallel import map_chunks

__all__ = ["Criterion", "Optimizer", "Tuned", "tune"]

Criterion: TypeAlias = Callable[[Floats], tuple[float, Floats]]
"""θ → value and gradient of what is maximised."""
Optimizer: TypeAlias = Literal["fmin_l_bfgs_b"] | Callable[..., Any] | None

EDGE = 1e-3
"""How near to a bound, in units of log θ, a hyper-parameter is said to lie on it."""


STOPS = {0: "tol", 1: "max_iter", 2: "no_change"}
"""What a status of SciPy's L-BFGS-B means."""


class Tuned(NamedTuple):
    """The best end of all searches.

    Fields
    ------
    theta : ndarray
    value : float
        C at θ, priors included.
    slope : float
        The largest entry of the gradient that bounds do not stop.
    stop_reason : {"tol", "max_iter", "no_change"}
        The last where no step of a line search rises, as where the gradient is none.
    message : str
        Of the optimiser.
    n_iter : int
    history : ndarray
        C after each iteration of the search that was kept.
    values : ndarray
        C at the end of every search.
    """

    theta: Floats
    value: float
    slope: float
    stop_reason: str
    message: str
    n_iter: int
    history: Floats
    values: Floats

    @property
    def converged(self) -> bool:
        """Whether the tolerance was met."""
        return self.stop_reason == "tol"


class _End(NamedTuple):
    theta: Floats
    value: float
    stop_reason: str
    message: str
    n_iter: int
    history: Floats


def tune(
    criterion: Criterion,
    start: Floats,
    bounds: Floats,
    *,
    optimizer: Optimizer = "fmin_l_bfgs_b",
    n_restarts: int = 0,
    rng: np.random.RandomState,
    names: Sequence[str],
    n_jobs: int | None = None,
) -> Tuned:
    """Maximise (1); warnings say where a search stopped short and which hyper-parameter lies on a bound."""
    if n_restarts > 0 and not np.all(np.isfinite(bounds)):
        raise ValueError("n_restarts_optimizer needs finite bounds of all hyper-parameters; give them")
    starts = [start, *(rng.uniform(bounds[:, 0], bounds[:, 1]) for _ in range(n_restarts))]
    ends = map_chunks(lambda x: _search(criterion, x, bounds, optimizer), starts, n_jobs or 1)
    best = max(ends, key=lambda end: end.value)
    slope = _free_slope(criterion(best.theta)[1], best.theta, bounds)
    found = Tuned(
        best.theta,
        best.value,
        slope,
        best.stop_reason,
        best.message,
        best.n_iter,
        best.history,
        np.array([end.value for end in ends]),
    )
    _warn(found, bounds, names)
    return found


def _search(criterion: Criterion, start: Floats, bounds: Floats, optimizer: Optimizer) -> _End:
    seen: list[float] = []

    def cost(theta: Floats, eval_gradient: bool = True) -> Any:
        value, gradient = criterion(np.asarray(theta, dtype=float))
        seen.append(value)
        # A matrix that is not positive definite: as bad as anything, without a direction.
        value, gradient = (value, gradient) if np.isfinite(value) else (-1e300, np.zeros_like(theta))
        return (-value, -gradient) if eval_gradient else -value

    if callable(optimizer):
        theta, least = optimizer(cost, start, bounds=bounds)
        return _End(np.asarray(theta, dtype=float), -float(least), "tol", "", len(seen), np.array(seen))
    if optimizer != "fmin_l_bfgs_b":
        raise ValueError(f"Unknown optimizer {optimizer!r}; give 'fmin_l_bfgs_b', a function or None")
    path: list[float] = []
    found = optimize.minimize(
        cost,
        start,
        method="L-BFGS-B",
        jac=True,
        bounds=bounds,
        callback=lambda intermediate_result: path.append(-float(intermediate_result.fun)),
    )
    return _End(found.x, -float(found.fun), STOPS[found.status], str(found.message), int(found.nit), np.array(path))


def _free_slope(gradient: Floats, theta: Floats, bounds: Floats) -> float:
    """The largest slope along which θ may still move."""
    up = (gradient > 0.0) & (theta < bounds[:, 1])
    down = (gradient < 0.0) & (theta > bounds[:, 0])
    return float(np.max(np.abs(gradient[up | down]), initial=0.0))


def _warn(found: Tuned, bounds: Floats, names: Sequence[str]) -> None:
    if not found.converged:
        warnings.warn(
            f"the search for hyper-parameters ended after {found.n_iter} iterations with the slope {found.slope:.3g} "
            f"({found.message}); start elsewhere, or give a function as optimizer",
            ConvergenceWarning,
            stacklevel=4,
        )
    for name, value, (low, high) in zip(names, found.theta, bounds, strict=True):
        for end, side in ((low, "lower"), (high, "upper")):
            if abs(value - end) < EDGE:
                warnings.warn(
                    f"{name} lies on its {side} bound {np.exp(end):.3g}; widen the bounds, or fix it",
                    ConvergenceWarning,
                    stacklevel=4,
                )
