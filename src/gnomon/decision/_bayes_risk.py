"""What decisions cost where the laws of the classes are known.

    B = Σ_k π_k ∫ C[a(x), k] f(x | k) dx                                                                  (1)

The decisions a(x) are those of a recogniser, who may believe in other laws than the evaluator's f. Berger (1985),
Statistical Decision Theory and Bayesian Analysis, doi:10.1007/978-1-4757-4286-2; Duda, Hart & Stork (2001), section
2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from gnomon._typing import Floats, Integers, RandomState
from gnomon.decision._posteriors import posteriors
from gnomon.decision.application import Application
from gnomon.distributions import row_log_density, sample_density
from gnomon.infer import expected_cost
from gnomon.numerics.estimates import Estimate, mean_estimate
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer

__all__ = ["bayes_risk"]


def bayes_risk(
    densities: Sequence[Any],
    app: Application,
    recognizer: Sequence[Any] | Callable[[Floats], Integers] | None = None,
    *,
    method: Literal["quadrature", "monte_carlo"] = "quadrature",
    n_draws: int = 100_000,
    random_state: RandomState = 0,
) -> Estimate:
    """Equation (1).

    Parameters
    ----------
    densities : sequence of n_classes distributions or fitted density estimators
        f(x | k), from which the truth comes.
    app : Application
    recognizer : sequence of densities or callable, optional
        Who decides: by the laws that it believes in, or as a function from rows of shape (n, d) to the numbers of
        actions. By default it knows the truth, and the risk is the least possible.
    method : {"quadrature", "monte_carlo"}, default="quadrature"
        Integration over one column, or the mean over draws of each class.
    n_draws : int, default=100_000
        From each class; for quadrature they say where the laws are.
    random_state : int, Generator or RandomState, default=0

    Returns
    -------
    Estimate
        Of quadrature without a standard error.

    References
    ----------
    Berger, J. O. (1985). Statistical Decision Theory and Bayesian Analysis. doi:10.1007/978-1-4757-4286-2

    Examples
    --------
    >>> from gnomon.decision import Application, bayes_risk
    >>> from gnomon.distributions import Normal
    >>> laws = [Normal(-1.0, 1.0), Normal(1.0, 1.0)]
    >>> round(bayes_risk(laws, Application(0.5)).value, 6)
    0.158655

    A recogniser that takes the classes for closer together than they are is right here all the same, by symmetry:

    >>> round(bayes_risk(laws, Application(0.5), [Normal(-0.1, 1.0), Normal(0.1, 1.0)]).value, 6)
    0.158655
    """
    check_choice("method", method, ("quadrature", "monte_carlo"))
    if len(densities) != app.n_classes:
        raise ValueError(
            f"densities has {len(densities)} laws for the {app.n_classes} classes of app; give one for each"
        )
    rng = check_rng(random_state)
    n = check_integer("n_draws", n_draws, 2)
    decide = recognizer if callable(recognizer) else _believer(densities if recognizer is None else recognizer, app)
    draws = [sample_density(f, n, rng) for f in densities]
    C, p = np.asarray(app.costs), np.asarray(app.priors)
    if method == "monte_carlo":
        paid = [mean_estimate(C[decide(rows), k]) for k, rows in enumerate(draws)]
        error = float(np.sqrt(np.sum([(share * one.standard_error) ** 2 for share, one in zip(p, paid, strict=True)])))
        value = float(p @ [one.value for one in paid])
        return Estimate(value, error, value - 1.959964 * error, value + 1.959964 * error)
    if draws[0].shape[1] != 1:
        raise ValueError(f"rows have {draws[0].shape[1]} columns; quadrature is for one, choose method='monte_carlo'")
    x, w = _nodes(np.concatenate(draws)[:, 0], decide)
    mass = [w * np.exp(row_log_density(f, x[:, None])) for f in densities]
    actions = decide(x[:, None])
    value = float(sum(share * (C[actions, k] @ m) for k, (share, m) in enumerate(zip(p, mass, strict=True))))
    return Estimate(value, np.nan, value, value)


def _believer(laws: Sequence[Any], app: Application) -> Callable[[Floats], Integers]:
    def decide(X: Floats) -> Integers:
        logs = np.column_stack([row_log_density(f, X) for f in laws])
        return expected_cost(posteriors(logs, "log_likelihood", app.priors), app.costs).actions

    return decide


def _nodes(draws: Floats, decide: Callable[[Floats], Integers]) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss's rule in cells where the draws are, divided where the decision changes."""
    low, high = np.min(draws), np.max(draws)
    grid = np.linspace(low - (high - low), high + (high - low), 6001)
    while True:
        actions = decide(grid[:, None])
        change = np.flatnonzero(actions[1:] != actions[:-1])
        wide = change[np.diff(grid)[change] > 1e-10 * (high - low)]
        if not len(wide):
            break
        grid = np.sort(np.concatenate([grid, 0.5 * (grid[wide] + grid[wide + 1])]))
    t, w = np.polynomial.legendre.leggauss(6)
    half = 0.5 * np.diff(grid)[:, None]
    return np.ravel(grid[:-1, None] + half * (1.0 + t)), np.ravel(half * w)
