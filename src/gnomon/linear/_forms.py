"""Which scaling of λ the words of a model name, and λ in another one.

    A Σᵢ sᵢ ℓᵢ + B Ω(w):    A and B from `objective` and `lam`, or from scikit-learn's `alpha` or `C`              (1)

Only one of them may be given: a strength that is given must be the one that is used.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from gnomon.base.forms import named_form
from gnomon.numerics.validation import check_choice
from gnomon.penalties import Form, convert_lam
from gnomon.penalties.forms import OBJECTIVES, Norm, Scaling, halves_square

__all__ = ["Strength", "check_constraint", "is_smoother", "lam_of", "named_form"]


def check_constraint(model: BaseEstimator) -> None:
    """Refuse a bound together with the strength that it replaces."""
    if model.lam is not None or not np.array_equal(model.alpha, 1.0):
        raise ValueError(
            f"constraint={model.constraint!r} takes the place of alpha={model.alpha!r} and lam={model.lam!r}: they "
            "exclude each other; give one of them"
        )


def is_smoother(model: BaseEstimator) -> Literal[True]:
    """Whether ŷ = H y with an H that does not depend on y; AttributeError where a constraint makes it depend."""
    bounds = {"positive": model.positive or None, "constraint": vars(model).get("constraint")}
    for name, value in bounds.items():
        if value is not None:
            raise AttributeError(
                f"{name}={value!r} makes the fit depend on y beyond ŷ = H y, so leave-one-out has no closed form; "
                "refit without each row (gnomon.evaluation.loo_residuals)"
            )
    return True


def lam_of(rho: float, objective: Scaling, total: float, penalty: Norm = "l2") -> float:
    """λ of `objective` for the ρ of Σ s r² + ρ Ω(w); where λ multiplies the loss, ρ = 0 is λ = ∞ and ρ = ∞ is λ = 0."""
    return float(convert_lam(rho, "sum", objective, n=total, penalty=penalty))


class Strength(NamedTuple):
    """What a fit was penalised by, whatever its scaling: A Σᵢ sᵢ ℓᵢ + B (r ‖w‖₁ + (1 − r) ‖w‖²), maybe with ½ ‖w‖².

    Fields
    ------
    rho : float
        B/A; 0 without a penalty.
    share : float
        r.
    half : bool
        Whether the square is halved.
    total : float
        Σᵢ sᵢ, with the prices of classes in it.
    """

    rho: float
    share: float
    half: bool
    total: float

    @classmethod
    def of(cls, form: Form, share: float, total: float) -> Strength:
        """The strength of a scaling."""
        return cls(form.strength / form.loss_scale, share, form.half, total)

    def lam_in(self, name: Scaling, words: tuple[Scaling, ...] = OBJECTIVES) -> float:
        """λ (for "C": C) of the scaling `name`, with the same r."""
        check_choice("name", name, words)
        if self.share == 0.0:
            return lam_of(self.rho * (0.5 if self.half else 1.0), name, self.total)
        if self.share < 1.0 and halves_square(name) != self.half:
            # B r and B (1 − r) with one of them doubled: another B and another r.
            square = (1.0 - self.share) * (0.5 if self.half else 2.0)
            lam = lam_of(self.rho * (self.share + square), name, self.total, "l1")
            raise ValueError(
                f"{name!r} {'does not halve' if self.half else 'halves'} the square of an elastic net, so no λ with "
                f"l1_ratio={self.share:g} is this fit; use lam={lam!r} with "
                f"l1_ratio={self.share / (self.share + square)!r}"
            )
        return lam_of(self.rho, name, self.total, "l1")
