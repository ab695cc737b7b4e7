"""What a factor of a matrix may be.

    minimise over F    ½ tr(F G Fᵀ) − tr(F Bᵀ) + Ω(F)                                             (1)

For X ≈ Z H with H fixed, F = Z, G = H Hᵀ, B = X Hᵀ; with Z fixed, F = Hᵀ, G = ZᵀZ, B = XᵀZ. Constraints are in
`factors`. Bolte, Sabach & Teboulle (2014), doi:10.1007/s10107-013-0701-9.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from gnomon._typing import Floats

__all__ = ["Constraint"]


class Constraint(ABC):
    """Base of what a factor may be: subclass it and write `update`, or give a proximal operator to `Proximal`.

    References
    ----------
    Bolte, J., Sabach, S. & Teboulle, M. (2014). Proximal alternating linearized minimization for nonconvex and
    nonsmooth problems. doi:10.1007/s10107-013-0701-9

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factors import NonNegative
    >>> NonNegative().update(np.zeros((1, 2)), np.eye(2), np.array([[3.0, -1.0]]))
    array([[3., 0.]])
    """

    @abstractmethod
    def update(self, F: Floats, G: Floats, B: Floats) -> Floats:
        """A factor that obeys the constraint and makes (1) no larger than F does."""

    def update_from(self, F: Floats, G: Floats, B: Floats) -> tuple[Floats, float]:
        """`update`, and how much F violated the optimality conditions before; nan where that is not known."""
        return self.update(F, G, B), np.nan

    @property
    def goes_beyond(self) -> bool:
        """Whether `beyond` goes anywhere."""
        return False

    def beyond(self, F: Floats, before: Floats, beta: float) -> Floats:
        """A factor that obeys the constraint near F + β (F − before), where more updates may lead; F by default."""
        return F

    def value(self, F: Floats) -> float:
        """Ω(F) of a factor that obeys the constraint."""
        return 0.0

    def start(self, F: Floats) -> Floats:
        """A factor near F that obeys the constraint."""
        k = F.shape[1]
        return self.update(np.zeros_like(F), np.eye(k, dtype=F.dtype), F)
