"""Which scaling of λ the words of a model name.

    A Σᵢ sᵢ ℓᵢ + B Ω:    A and B from `objective` and `lam`, or from scikit-learn's `alpha` or `C`                 (1)

Only one of them may be given: a strength that is given must be the one that is used.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator

from gnomon.penalties.forms import Objective

__all__ = ["named_form"]


def named_form(
    model: BaseEstimator, own: Literal["alpha", "C"], *, objective: Objective, lam: float
) -> tuple[Objective, float] | None:
    """The textbook form and its λ, or None where scikit-learn's parameter `own` says the strength.

    `objective` and `lam` stand for that of the two which the model leaves out.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base.forms import named_form
    >>> class Shrunken(BaseEstimator):
    ...     def __init__(self, alpha=1.0, objective=None, lam=None):
    ...         self.alpha, self.objective, self.lam = alpha, objective, lam
    >>> named_form(Shrunken(alpha=2.0), "alpha", objective="sum", lam=1.0)
    >>> named_form(Shrunken(lam=0.5), "alpha", objective="sum", lam=1.0)
    ('sum', 0.5)
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
