"""Which scaling of λ the words of a model name, and λ in another one.

    A Σᵢ sᵢ ℓᵢ + B Ω(w):    A and B from `objective` and `lam`, or from scikit-learn's `alpha` or `C`              (1)

Only one of them may be given: a strength that is given must be the one that is used.
"""

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator

from gnomon.penalties import convert_lam
from gnomon.penalties.forms import Norm, Objective, Scaling

__all__ = ["check_constraint", "lam_of", "named_form"]


def named_form(
    model: BaseEstimator, own: Literal["alpha", "C"], *, objective: Objective, lam: float
) -> tuple[Objective, float] | None:
    """The textbook form and its λ, or None where scikit-learn's parameter `own` says the strength.

    `objective` and `lam` stand for that of the two which the model leaves out.
    """
    if model.lam is None and model.objective in (None, own):
        return None
    value = getattr(model, own)
    if not np.array_equal(value, 1.0):
        raise ValueError(
            f"{own}={value!r} and objective={model.objective!r}, lam={model.lam!r} are both given and exclude each "
            f"other; give {own}, or objective and lam"
        )
    return model.objective or objective, lam if model.lam is None else model.lam


def check_constraint(model: BaseEstimator) -> None:
    """Refuse a bound together with the strength that it replaces."""
    if model.lam is not None or not np.array_equal(model.alpha, 1.0):
        raise ValueError(
            f"constraint={model.constraint!r} takes the place of alpha={model.alpha!r} and lam={model.lam!r}: they "
            "exclude each other; give one of them"
        )


def lam_of(rho: float, objective: Scaling, total: float, penalty: Norm = "l2") -> float:
    """λ of `objective` for the ρ of Σ s r² + ρ Ω(w); where λ multiplies the loss, ρ = 0 is λ = ∞ and ρ = ∞ is λ = 0."""
    return float(convert_lam(rho, "sum", objective, n=total, penalty=penalty))
