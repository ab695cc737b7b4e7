"""Expectation maximisation.

    ℓ(θ) = log ∫ p(x, h | θ) dh,      θₜ = argmax_θ Q(θ; θₜ₋₁),    Q(θ; θ') = E_{h | x, θ'} log p(x, h | θ)         (1)
    ℓ(θ) = Q(θ; θ') + H(h | x, θ') + KL(p(h | x, θ') ‖ p(h | x, θ))                                            (2)

By (2) no step lowers ℓ; one that does is an error of the caller's steps or rounding, and is reported. The caller
provides the two steps and may represent the posterior as they like (an array of responsibilities, expected statistics).
Dempster, Laird & Rubin (1977), doi:10.1111/j.2517-6161.1977.tb01600.x; equation (2): Neal & Hinton (1998),
doi:10.1007/978-94-011-5014-9_12.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.special import log_sum_exp
from gnomon.numerics.validation import check_choice, check_integer, check_non_negative
from gnomon.optim.solution import Callback, History, StopReason, Trace

__all__ = ["EMBound", "EMResult", "Restart", "em", "em_bound"]

Theta = TypeVar("Theta")
Posterior = TypeVar("Posterior")
OnDecrease: TypeAlias = Literal["warn", "raise", "ignore"]

ROUNDING = 1e-9
"""A fall of ℓ below this, relative to 1 + |ℓ|, is rounding."""

SUMMATION = 1e-13
"""A change of ℓ below this, relative to 1 + |ℓ|, is no change."""


class EMResult(NamedTuple, Generic[Theta, Posterior]):
    """The end of a run of EM, the best one if there were several.

    Parameters
    ----------
    theta : object
        The parameters that were found.
    posterior : object
        What the E-step gave for them.
    objective : float
        ℓ at theta (penalised, or of complete data, if that is what the E-step returns).
    n_iter : int
        M-steps made.
    converged : bool
    stop_reason : str
        "tol", "no_change" (hard assignments repeat), "max_iter", "callback" or "interrupted".
    monotone : bool
        Whether the objective never fell by more than rounding.
    history : dict of str to ndarray
        "iteration", "objective" and "seconds", an entry per E-step.
    restarts : ndarray
        The final objective of every start, NaN for those that an interrupt left out; None where none were made.
    n_restarts : int
        How often the M-step of this run returned a `Restart`.

    References
    ----------
    Dempster, A. P., Laird, N. M. & Rubin, D. B. (1977). Maximum likelihood from incomplete data via the EM algorithm.
    doi:10.1111/j.2517-6161.1977.tb01600.x

    Examples
    --------
    >>> from gnomon.optim import em
    >>> result = em(lambda w: (w, -((w - 2.0) ** 2)), lambda w: 1.0 + 0.5 * w, 0.0, tol=1e-12)
    >>> round(result.theta, 5), result.converged, result.monotone
    (2.0, True, True)
    """

    theta: Theta
    posterior: Posterior
    objective: float
    n_iter: int
    converged: bool
    stop_reason: StopReason
    monotone: bool
    history: History
    restarts: Floats | None
    n_restarts: int = 0


class Restart(NamedTuple, Generic[Theta]):
    """What an M-step returns in place of the maximiser when it starts again from another θ: ℓ may then fall.

    Parameters
    ----------
    theta : object
        The new start.

    References
    ----------
    Ueda, N., Nakano, R., Ghahramani, Z. & Hinton, G. (2000). SMEM algorithm for mixture models.
    doi:10.1162/089976600300015088

    Examples
    --------
    A step that starts again from −9, whose likelihood is lower, is no decrease of EM:

    >>> from gnomon.optim import Restart, em
    >>> def m_step(w):
    ...     return Restart(-9.0) if w == 1.0 else 1.0 + 0.5 * w
    >>> result = em(lambda w: (w, -((w - 2.0) ** 2)), m_step, 0.0)
    >>> result.history["objective"][:4].tolist(), result.monotone, result.n_restarts
    ([-4.0, -1.0, -121.0, -30.25], True, 1)
    """

    theta: Theta


def em(
    e_step: Callable[[Theta], tuple[Posterior, float]],
    m_step: Callable[[Posterior], Theta | Restart[Theta]],
    theta0: Theta | Callable[[int], Theta],
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
    hard: bool = False,
    n_init: int = 1,
    total_weight: float = 1.0,
    on_decrease: OnDecrease = "warn",
    callback: Callback | None = None,
    n_jobs: int | None = None,
) -> EMResult[Theta, Posterior]:
    """Maximise ℓ of equation (1) by alternating expectation and maximisation.

    Parameters
    ----------
    e_step : callable
        ``e_step(theta)`` returns the posterior of the hidden variables and ℓ(theta).
    m_step : callable
        ``m_step(posterior)`` returns the maximiser of Q, or a `Restart`.
    theta0 : object, or callable
        The start; with ``n_init`` > 1 a function of the number of the start.
    tol : float, default=1e-6
        Stop when ℓ per unit of weight gains less than this; 0 stops when it gains nothing.
    max_iter : int, default=500
        Largest number of M-steps.
    hard : bool, default=False
        The posterior is an array of responsibilities with one row per observation; replace each row by its argmax, and
        stop when no row changes.
    n_init : int, default=1
    total_weight : float, default=1.0
        The weight of all observations, for `tol`.
    on_decrease : {"warn", "raise", "ignore"}, default="warn"
        What to do if ℓ falls although the theory forbids it; "ignore" where a regularised M-step allows it.
    callback : callable, optional
        Called with each row of the history; True stops.
    n_jobs : int, optional
        Threads over starts.

    Returns
    -------
    EMResult

    References
    ----------
    Dempster, A. P., Laird, N. M. & Rubin, D. B. (1977). Maximum likelihood from incomplete data via the EM algorithm.
    doi:10.1111/j.2517-6161.1977.tb01600.x

    Examples
    --------
    Two coins, tossed ten times each round, which one is not known; the mean number of heads of each:

    >>> import numpy as np
    >>> from scipy.stats import binom
    >>> from gnomon.optim import em
    >>> heads = np.array([5, 9, 8, 4, 7])
    >>> def e_step(p):
    ...     joint = 0.5 * binom.pmf(heads[:, None], 10, p)
    ...     return joint / joint.sum(axis=1, keepdims=True), float(np.log(joint.sum(axis=1)).sum())
    >>> def m_step(gamma):
    ...     return gamma.T @ heads / (10 * gamma.sum(axis=0))
    >>> result = em(e_step, m_step, np.array([0.6, 0.5]), tol=1e-10)
    >>> result.theta.round(2), result.monotone
    (array([0.8 , 0.52]), True)
    """
    check_non_negative("tol", tol)
    check_integer("max_iter", max_iter, low=0)
    check_integer("n_init", n_init, low=1)
    check_choice("on_decrease", on_decrease, ["warn", "raise", "ignore"])
    if n_init > 1 and not callable(theta0):
        raise ValueError(f"n_init={n_init} starts need theta0 to be a function of the number of the start")

    found: dict[int, EMResult[Theta, Posterior]] = {}

    def run(number: int) -> None:
        # After an interrupt the best result so far is returned; no further start is run.
        if not any(result.stop_reason == "interrupted" for result in list(found.values())):
            start = theta0(number) if callable(theta0) else theta0
            found[number] = _run(
                e_step,
                m_step,
                start,
                tol * total_weight,
                max_iter,
                min(1.0, total_weight),
                hard=hard,
                callback=callback,
            )

    try:
        map_chunks(run, range(n_init), n_jobs)
    except KeyboardInterrupt:
        if not found:
            raise
    ends = np.array([found[number].objective if number in found else np.nan for number in range(n_init)])
    # The first of equally good runs, whatever the order of threads; NaN is the worst.
    best = found[max(sorted(found), key=lambda number: -np.inf if np.isnan(ends[number]) else ends[number])]
    _report_decrease(best, on_decrease)
    return best._replace(restarts=ends)


class EMBound(NamedTuple):
    """The three terms of equation (2).

    Parameters
    ----------
    q : float
        Q(θ; θ').
    entropy : float
        H(h | x, θ').
    kl : float
        KL(p(h | x, θ') ‖ p(h | x, θ)) ≥ 0, zero at θ = θ'.

    References
    ----------
    Neal, R. & Hinton, G. (1998). A view of the EM algorithm that justifies incremental, sparse, and other variants.
    doi:10.1007/978-94-011-5014-9_12

    Examples
    --------
    A lower bound on the log-likelihood, short of it by the divergence:

    >>> from gnomon.optim import EMBound
    >>> bound = EMBound(q=-3.0, entropy=0.5, kl=0.25)
    >>> bound.log_likelihood, bound.q + bound.entropy
    (-2.25, -2.5)
    """

    q: float
    entropy: float
    kl: float

    @property
    def log_likelihood(self) -> float:
        """ℓ(θ), their sum."""
        return self.q + self.entropy + self.kl


def em_bound(old_log_joint: Floats, new_log_joint: Floats, sample_weight: ArrayLike | None = None) -> EMBound:
    """Q, entropy and divergence of equation (2) for finitely many hidden values.

    Parameters
    ----------
    old_log_joint, new_log_joint : ndarray of shape (n, k)
        log p(xᵢ, hᵢ = j | θ') and log p(xᵢ, hᵢ = j | θ).
    sample_weight : ndarray of shape (n,), optional

    Returns
    -------
    EMBound

    References
    ----------
    Neal, R. & Hinton, G. (1998). A view of the EM algorithm that justifies incremental, sparse, and other variants.
    doi:10.1007/978-94-011-5014-9_12

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import em_bound
    >>> joint = np.log([[0.1, 0.3]])
    >>> bound = em_bound(joint, joint)
    >>> round(bound.log_likelihood, 7) == round(float(np.log(0.4)), 7), bound.kl
    (True, 0.0)
    """
    s = np.ones(len(old_log_joint)) if sample_weight is None else np.asarray(sample_weight)
    old, new = _log_posterior(old_log_joint), _log_posterior(new_log_joint)
    gamma = np.exp(old)

    def mean(values: Floats) -> float:
        # A hidden value of probability zero contributes nothing, although its logarithm is −∞.
        terms = np.multiply(gamma, values, out=np.zeros_like(gamma), where=gamma > 0.0)
        return float(s @ np.sum(terms, axis=1))

    difference = np.subtract(old, new, out=np.zeros_like(gamma), where=gamma > 0.0)
    return EMBound(mean(new_log_joint), -mean(old), mean(difference))


def _log_posterior(log_joint: Floats) -> Floats:
    return log_joint - log_sum_exp(log_joint)[:, None]


def _run(
    e_step: Callable[[Theta], tuple[Posterior, float]],
    m_step: Callable[[Posterior], Theta | Restart[Theta]],
    theta: Theta,
    least_gain: float,
    max_iter: int,
    one: float,
    *,
    hard: bool,
    callback: Callback | None,
) -> EMResult[Theta, Posterior]:
    """One run, in which ℓ is rounded as if it were at least `one`; an interrupt ends it with the best result so far."""
    trace = Trace(callback)
    posterior, objective = e_step(theta)
    posterior = _one_hot(posterior) if hard else posterior
    reason: StopReason | None = "callback" if trace.add(0, objective) else None
    monotone, n_iter, n_restarts = True, 0, 0
    try:
        while reason is None and n_iter < max_iter:
            step = m_step(posterior)
            moved = isinstance(step, Restart)
            after = step.theta if isinstance(step, Restart) else step
            found, value = e_step(after)
            found = _one_hot(found) if hard else found
            last, last_posterior = objective, posterior
            # One assignment, so that an interrupt cannot leave half of it undone.
            theta, posterior, objective = after, found, value
            n_iter, n_restarts = n_iter + 1, n_restarts + moved
            monotone = monotone and (moved or objective >= last - ROUNDING * (one + abs(last)))
            asked = trace.add(n_iter, objective)
            repeats = hard and np.array_equal(cast(Array, posterior), cast(Array, last_posterior))
            nothing = max(least_gain, SUMMATION * (one + abs(last)))
            reason = _why(abs(objective - last) < nothing and not moved, repeats, asked)
    except KeyboardInterrupt:
        reason = "interrupted"
    reason = reason or "max_iter"
    met = reason in ("tol", "no_change")
    return EMResult(theta, posterior, float(objective), n_iter, met, reason, monotone, trace.history, None, n_restarts)


def _why(gains_nothing: bool, repeats: bool, asked: bool) -> StopReason | None:
    if repeats:
        return "no_change"
    # A decrease alone is no convergence; a small one is, where a regularised M-step allows decreases.
    if gains_nothing:
        return "tol"
    return "callback" if asked else None


def _one_hot(gamma: Any) -> Any:
    out = np.zeros_like(gamma)
    np.put_along_axis(out, np.argmax(gamma, axis=1)[:, None], 1.0, axis=1)
    return out


def _report_decrease(result: EMResult[Any, Any], on_decrease: OnDecrease) -> None:
    if result.monotone or on_decrease == "ignore":
        return
    worst = float(np.min(np.diff(result.history["objective"])))
    message = (
        f"the log-likelihood fell by {-worst:.3g} in a step of EM, which theory forbids; check that m_step maximises "
        "what e_step expects, or look for a degenerate component"
    )
    if on_decrease == "raise":
        raise ArithmeticError(message)
    warnings.warn(message, ConvergenceWarning, stacklevel=4)
