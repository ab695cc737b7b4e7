"""Stochastic subgradients for kernel machines.

    β ← (1 − 1/t) β + (U/t) vᵢ eᵢ,    vᵢ = ∂ℓᵢ at row i,    P(i) = Uᵢ/U                                        (1)

minimises (λ/2)‖f‖² + Σᵢ (Uᵢ/U) ℓᵢ(f(xᵢ)), λ = 1/U, with steps η = 1/(λt): Uᵢ = C of a row, ℓ the hinge or the
ε-insensitive loss, v its slope, −1, 0 or 1. So βᵢ = U cᵢ/t with the signed number cᵢ of visits at which row i had a
loss. Shalev-Shwartz, Singer, Srebro & Cotter (2011), figure 3, doi:10.1007/s10107-010-0420-4. Rows are visited in
random order, each once in a pass where all Uᵢ are equal, so that β stays in its box, and is a point of the dual
problem: its gap is known after every pass.
"""

from __future__ import annotations

import itertools

import numpy as np
from sklearn.utils import check_random_state

from gnomon._jit import jit_no_alloc
from gnomon._typing import Floats, Integers, Seed
from gnomon.kernels import Against
from gnomon.optim._follow import Checks, follow
from gnomon.optim.kernel_dual import KernelDual
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import Check, RelativeGap

__all__ = ["kernel_pegasos"]

GAP = 1e-2
"""The gap, as a share of the dual objective, that is enough where none is asked for."""


def kernel_pegasos(
    against: Against,
    problem: KernelDual,
    *,
    max_iter: int | None = None,
    gap_tol: float | None = None,
    random_state: Seed = 0,
    callback: Callback | None = None,
) -> Solution[Floats]:
    """Minimise a primal problem without intercept, approximately: the error falls as 1/t.

    Parameters
    ----------
    against : Against
        The kernel and the n rows.
    problem : KernelDual
        With ``total=None``, finite bounds and no ridge.
    max_iter : int, optional
        Passes; 10000 by default.
    gap_tol : float, optional
        Stop when the duality gap is at most this share of the dual objective; 0.01 by default.
    random_state : int, RandomState or None, default=0
        Order of the rows.
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    Solution
        As from `smo`.

    References
    ----------
    Shalev-Shwartz, S., Singer, Y., Srebro, N. & Cotter, A. (2011). Pegasos: primal estimated sub-gradient solver for
    SVM. doi:10.1007/s10107-010-0420-4

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> from gnomon.optim import KernelDual, kernel_pegasos
    >>> y = np.array([-1.0, 1.0])
    >>> problem = KernelDual(y, np.array([-1.0, 0.0]), np.array([0.0, 1.0]), total=None)
    >>> found = kernel_pegasos(Linear().against(np.array([[-1.0], [1.0]])), problem, gap_tol=1e-3)
    >>> found.details["scores"].round(2), bool(found.dual_gap <= 1e-3 * abs(found.objective))
    (array([-1.,  1.]), True)
    """
    if problem.total is not None or problem.ridge is not None or not problem.bounded:
        raise ValueError("a subgradient step needs bounds, no ridge and no free intercept; use smo")
    K = against.matrix().astype(float)
    limit = 10_000 if max_iter is None else max_iter
    rule = RelativeGap(GAP if gap_tol is None else gap_tol)
    checks = _passes(K, problem, check_random_state(random_state))
    found = follow(checks, rule, max_iter=limit, callback=callback)
    return problem.certified(found, K @ found.w)


def _passes(K: Floats, problem: KernelDual, rng: np.random.RandomState) -> Checks:
    n, bounds = len(K), np.maximum(problem.upper, -problem.lower)
    total = float(np.sum(bounds))
    counts, sums, alike = np.zeros(n), np.zeros(n), bool(np.all(bounds == bounds[0]))
    for iteration in itertools.count():
        steps = max(iteration * n, 1)
        beta = np.clip(counts * (total / steps), problem.lower, problem.upper)
        f = K @ beta
        yield Check(iteration, beta, problem.objective(beta, f), gap=problem.gap(beta, f, 0.0))
        order = rng.permutation(n) if alike else rng.choice(n, n, p=bounds / total)
        sides = problem.target, problem.lower, problem.upper, problem.epsilon
        _visit(K, *sides, order, iteration * n, total, counts, sums)


@jit_no_alloc
def _visit(
    K: Floats,
    target: Floats,
    lower: Floats,
    upper: Floats,
    epsilon: float,
    order: Integers,
    done: int,
    total: float,
    counts: Floats,
    sums: Floats,
) -> None:
    """A pass of (1): `sums` are K counts."""
    for step in range(order.shape[0]):
        i = order[step]
        t = max(done + step, 1)
        z = target[i] - sums[i] * (total / t)
        v = 0.0
        if z > epsilon and upper[i] > 0.0:
            v = 1.0
        elif z < -epsilon and lower[i] < 0.0:
            v = -1.0
        if v != 0.0:
            counts[i] += v
            for j in range(sums.shape[0]):
                sums[j] += v * K[i, j]
