"""The scalings of λ: one model, six ways to write it.

    A · Σᵢ sᵢ ℓᵢ + B · Ω(w)        only ρ = B/A matters                                              (1)

    "sum"        Σℓ + λΩ                     "mean"        (1/n)Σℓ + λΩ
    "sum_half"   Σℓ + (λ/2)‖w‖²              "mean_half"   (1/n)Σℓ + (λ/2)‖w‖²
    "C"          CΣℓ + ½‖w‖²                 "loss_mean"   (λ/n)Σℓ + ½‖w‖²       (λ on the loss)

with λ‖w‖₁ (or ‖w‖₁ in the last row) for an L1 penalty, and half the square in an elastic net of the lower four. n is
the total weight Σ sᵢ. Hastie, Tibshirani & Friedman (2009), section 3.4, doi:10.1007/978-0-387-84858-7, use "sum";
Schölkopf & Smola (2002) "C".
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias, get_args

__all__ = ["OBJECTIVES", "Form", "convert_lam", "objective_form"]

Objective: TypeAlias = Literal["sum", "mean", "sum_half", "mean_half", "C", "loss_mean"]
Scaling: TypeAlias = Objective | Literal["alpha_ridge", "alpha_lasso"]
Norm: TypeAlias = Literal["l1", "l2"]

OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


class Form(NamedTuple):
    """A and B of (1), and whether a squared norm is halved.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 3.4.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from gnomon.penalties import objective_form
    >>> objective_form("mean_half", 0.1, n=4)
    Form(loss_scale=0.25, strength=0.1, half=True)
    """

    loss_scale: float
    strength: float
    half: bool


def objective_form(objective: Objective, lam: float, n: float) -> Form:
    """A, B and the half of (1) for the scaling `objective` with its λ (for "C": its C) and total weight n.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 3.4.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from gnomon.penalties import objective_form
    >>> objective_form("loss_mean", 2.0, n=4)
    Form(loss_scale=0.5, strength=1.0, half=True)
    """
    if objective not in OBJECTIVES:
        raise ValueError(f"objective={objective!r} is unknown; choose from {list(OBJECTIVES)}")
    on_loss = objective in ("C", "loss_mean")
    if lam < 0 or (on_loss and lam == 0):
        name, bound = ("C" if objective == "C" else "lam"), ("> 0" if on_loss else "≥ 0")
        raise ValueError(f"{name}={lam!r} must be {bound} for objective={objective!r}; give another value")
    per_row = 1.0 / n if objective in ("mean", "mean_half", "loss_mean") else 1.0
    half = halves_square(objective)
    return Form(lam * per_row, 1.0, half) if on_loss else Form(per_row, float(lam), half)


def halves_square(objective: Scaling) -> bool:
    """Whether a squared norm is halved in a scaling; also for scikit-learn's words.

    Examples
    --------
    >>> from gnomon.penalties.forms import halves_square
    >>> [halves_square(word) for word in ("sum", "C", "alpha_ridge", "alpha_lasso")]
    [False, True, False, True]
    """
    return objective not in ("sum", "mean", "alpha_ridge")


def convert_lam(lam: float, objective: Scaling, to: Scaling, *, n: float, penalty: Norm = "l2") -> float:
    """Translate λ between the six scalings, and scikit-learn's words "alpha_ridge", "alpha_lasso" and "C".

    Parameters
    ----------
    lam : float
        λ (or C, or α) in the scaling `objective`.
    objective, to : str
        One of the six scalings, or "alpha_ridge" (scikit-learn's Ridge: the sum form) or "alpha_lasso" (its Lasso and
        ElasticNet: Σℓ/(2n) + α‖w‖₁, or + (α/2)‖w‖²).
    n : float
        Total weight of the rows.
    penalty : {"l2", "l1"}, default="l2"
        Which Ω: an L1 norm is never halved.

    Returns
    -------
    float
        Where λ stands on the loss, no penalty at all is inf.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 3.4.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from gnomon.penalties import convert_lam
    >>> [round(convert_lam(2.0, "sum", to, n=3), 7) for to in ("mean", "sum_half", "mean_half", "C", "loss_mean")]
    [0.6666667, 4.0, 1.3333333, 0.25, 0.75]
    """
    rho = _ratio(lam, objective, n, penalty)
    unit = _ratio(1.0, to, n, penalty)
    if to not in ("C", "loss_mean"):
        return rho / unit
    return unit / rho if rho > 0.0 else math.inf


def _ratio(lam: float, objective: Scaling, n: float, penalty: Norm) -> float:
    """ρ = B/A against the natural Ω."""
    if penalty not in ("l1", "l2"):
        raise ValueError(f"penalty={penalty!r} is unknown; choose 'l1' or 'l2'")
    if objective == "alpha_ridge":
        return lam
    if objective == "alpha_lasso":
        return lam * n * (2.0 if penalty == "l1" else 1.0)
    form = objective_form(objective, lam, n)
    return form.strength * (0.5 if form.half and penalty == "l2" else 1.0) / form.loss_scale
