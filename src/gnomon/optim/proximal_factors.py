"""Constraints on a factor by their proximal operators.

    F ← prox_{Ω/L}(F − (F G − B)/L),    L = ‖G‖                                                    (1)

lowers ½ tr(F G Fᵀ) − tr(F Bᵀ) + Ω(F), whose gradient changes by at most L ‖ΔF‖. Bolte, Sabach & Teboulle (2014),
doi:10.1007/s10107-013-0701-9.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

from gnomon._typing import Floats
from gnomon.optim.constraint import Constraint
from gnomon.optim.factor_rows import keep_largest, project_simplex

__all__ = ["AtMost", "Proximal", "Simplex"]

PROXIMAL_STEPS = 10
"""Steps of one update."""


class Proximal(Constraint):
    """A constraint by its proximal operator.

    Parameters
    ----------
    prox : callable (F, step) → F
        argmin_U ½ ‖U − F‖² + step Ω(U), of the factor as rows of codes.
    value : callable F → float, optional
        Ω(F); 0 by default.

    References
    ----------
    Bolte, J., Sabach, S. & Teboulle, M. (2014). Proximal alternating linearized minimization.
    doi:10.1007/s10107-013-0701-9

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factors import Proximal
    >>> box = Proximal(lambda F, step: np.clip(F, 0.0, 1.0))
    >>> box.update(np.zeros((1, 2)), np.eye(2), np.array([[3.0, 0.5]]))
    array([[1. , 0.5]])
    """

    def __init__(self, prox: Callable[[Floats, float], Floats], value: Callable[[Floats], float] | None = None) -> None:
        self.prox = prox
        self._value = value

    def update(self, F: Floats, G: Floats, B: Floats) -> Floats:
        """Some steps (1)."""
        lipschitz = float(linalg.eigvalsh(G)[-1])
        if not lipschitz > 0.0:
            return self.prox(F, 1.0)
        step = 1.0 / lipschitz
        F = self.prox(F, 0.0) if not np.any(F) else F
        for _ in range(PROXIMAL_STEPS):
            F = self.prox(F - step * (F @ G - B), step)
        return F

    def value(self, F: Floats) -> float:
        """Ω(F)."""
        return 0.0 if self._value is None else float(self._value(F))


class Simplex(Proximal):
    """Rows of shares: ≥ 0, with the sum 1.

    References
    ----------
    Duchi, J. et al. (2008). Efficient projections onto the l1-ball for learning in high dimensions.
    doi:10.1145/1390156.1390191

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factors import Simplex
    >>> Simplex().update(np.zeros((1, 2)), np.eye(2), np.array([[0.9, 0.5]]))
    array([[0.7, 0.3]])
    """

    def __init__(self) -> None:
        super().__init__(lambda F, step: project_simplex(F))


class AtMost(Proximal):
    """At most `n_active` numbers of a row differ from zero.

    Parameters
    ----------
    n_active : int

    References
    ----------
    Blumensath, T. & Davies, M. E. (2008). Iterative thresholding for sparse approximations.
    doi:10.1007/s00041-008-9035-z

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factors import AtMost
    >>> AtMost(1).update(np.zeros((1, 3)), np.eye(3), np.array([[1.0, -5.0, 2.0]]))
    array([[ 0., -5.,  0.]])
    """

    def __init__(self, n_active: int) -> None:
        if n_active < 1:
            raise ValueError(f"n_active={n_active!r} must be a whole number ≥ 1")
        self.n_active = n_active
        super().__init__(lambda F, step: keep_largest(F, n_active))
