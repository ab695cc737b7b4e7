"""Factorisation of a matrix under constraints.

    minimise over Z, H    ½ ‖X − Z H‖² + Ω_Z(Z) + Ω_H(H)                                          (1)

    F̂ₖ = Fₖ + βₖ (Fₖ − Fₖ₋₁),    βₖ = (tₖ − 1)/tₖ₊₁,    tₖ₊₁ = ½ + √(¼ + tₖ²),    F = Z, H        (2)

One factor after the other is updated with the other fixed; the data enter by X Hᵀ and XᵀZ alone, so a sparse X is never
filled. With weights w ∈ [0, 1] of cells, the current product stands for the share that is missing, which bounds (1)
from above and touches it: no update raises (1). Each update begins at (2), beyond the last two, where both constraints
know how; a round that would raise (1), or hardly lower it, is taken again without, and t begins at 1. Cichocki & Phan
(2009), doi:10.1587/transfun.E92.A.708; (2): Ang & Gillis (2019), doi:10.1162/neco_a_01157, with the β and the restarts
of O'Donoghue & Candès (2015), doi:10.1007/s10208-013-9150-3; for missing cells Srebro & Jaakkola (2003), Weighted
low-rank approximations, ICML.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats, is_sparse
from gnomon.numerics.parallel import split_rows
from gnomon.optim._follow import follow
from gnomon.optim.factors import Constraint
from gnomon.optim.rules import Check, StopRule
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import ObjectiveChange

__all__ = ["Factors", "change_in_units", "factor_unit", "factorize", "half_square"]

ORDINARY = (1e-4, 1e4)
"""Between these a mean size of entries is ordinary."""

SLACK = 1e-9
"""A rise of (1) by this share of ½‖X‖² is rounding, in double precision; in single that of some units of rounding."""

STALL = 0.1
"""A round beyond the last updates that lowers (1) by a smaller share of the last fall is taken again without."""

BLOCK = 2**17
"""Numbers of a table whose residuals are found at once: they stay in cache."""


class Factors(NamedTuple):
    """Z and H of X ≈ Z H.

    Fields
    ------
    left : ndarray of shape (n, m)
    right : ndarray of shape (m, d)

    References
    ----------
    Cichocki, A. & Phan, A.-H. (2009). Fast local algorithms for large scale nonnegative matrix and tensor
    factorizations. doi:10.1587/transfun.E92.A.708

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import Factors
    >>> Factors(np.ones((2, 1)), np.ones((1, 3))).right.shape
    (1, 3)
    """

    left: Floats
    right: Floats


def factorize(
    X: Any,
    start: Factors,
    left: Constraint,
    right: Constraint,
    *,
    mask: Floats | None = None,
    tol: float = 1e-4,
    stop: StopRule | None = None,
    fixed_right: bool = False,
    max_iter: int = 200,
    callback: Callback | None = None,
) -> Solution[Factors]:
    """Minimise (1) from a start that obeys the constraints.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
    start : Factors
    left, right : Constraint
        Of Z and of H.
    mask : ndarray of shape (n, d), optional
        Weights of cells in [0, 1]; what X holds where it is 0 is not used.
    tol : float, default=1e-4
        Stop when a round lowers (1) by at most this share of it.
    stop : StopRule, optional
        Another rule in its place. Its `kkt` is the violation of the optimality conditions, as a share of that at the
        start, where both constraints know theirs.
    fixed_right : bool, default=False
        H stays as it is.
    max_iter : int, default=200
    callback : callable, optional

    Returns
    -------
    Solution
        With `Factors` in `w`.

    References
    ----------
    Cichocki, A. & Phan, A.-H. (2009). Fast local algorithms for large scale nonnegative matrix and tensor
    factorizations. doi:10.1587/transfun.E92.A.708

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import Factors, factorize
    >>> from gnomon.optim.factors import NonNegative
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0]])
    >>> found = factorize(X, Factors(np.ones((2, 1)), np.ones((1, 2))), NonNegative(), NonNegative(), tol=1e-12)
    >>> (found.w.left @ found.w.right).round(6)
    array([[1., 2.],
           [2., 4.]])
    """
    problem = _FactorProblem(X, left, right, mask, fixed_right, _square(X, mask))
    return follow(_rounds(problem, start), stop or change_in_units(X, tol), max_iter=max_iter, callback=callback)


def factor_unit(X: Any) -> float:
    """One where the mean size of the entries is ordinary, else that size: for thresholds that are fixed numbers.

    References
    ----------
    Gill, P., Murray, W. & Wright, M. (1981). Practical Optimization, section 8.7. doi:10.1137/1.9781611975604

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import factor_unit
    >>> factor_unit(np.full((2, 2), 3.0)), factor_unit(np.full((2, 2), 3e-9))
    (1.0, 3e-09)
    """
    size = float(abs(X).mean())
    return 1.0 if ORDINARY[0] <= size <= ORDINARY[1] or size == 0.0 else size


def change_in_units(X: Any, tol: float) -> ObjectiveChange:
    """Stop when a round lowers (1) by at most this share of it, or of what is rounding for these rows.

    References
    ----------
    Gill, P., Murray, W. & Wright, M. (1981). Practical Optimization, section 8.2.3. doi:10.1137/1.9781611975604

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import change_in_units
    >>> rules = [change_in_units(unit * np.ones((2, 2)), 1e-3) for unit in (1.0, 2.0**40)]
    >>> rules[1].floor == 2.0**80 * rules[0].floor
    True
    """
    values = X.data if is_sparse(X) else X  # type: ignore[attr-defined]
    return ObjectiveChange(tol, 0.5 * float(np.finfo(X.dtype).eps) * float(np.vdot(values, values)))


def half_square(X: Any, Z: Floats, H: Floats, mask: Floats | None = None) -> float:
    """½ ‖X − Z H‖², over the weighted cells where there is a mask.

    References
    ----------
    Srebro, N. & Jaakkola, T. (2003). Weighted low-rank approximations. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import half_square
    >>> half_square(np.array([[3.0]]), np.array([[1.0]]), np.array([[1.0]]))
    2.0
    """
    if is_sparse(X):
        return _half_square_of_products(_square(X), float(np.sum((X @ H.T) * Z)), Z.T @ Z, H)  # type: ignore[operator]
    # In blocks that stay in cache, instead of another table of the size of X.
    blocks = split_rows(len(X), X.size // BLOCK)
    return 0.5 * float(sum(_square(X[rows] - Z[rows] @ H, None if mask is None else mask[rows]) for rows in blocks))


def _square(X: Any, mask: Floats | None = None) -> float:
    """‖X‖², over the weighted cells where there is a mask."""
    if is_sparse(X):
        return float(X.multiply(X).sum())  # type: ignore[attr-defined]
    return float(np.vdot(X, X) if mask is None else np.vdot(X * mask, X))


def _half_square_of_products(square: float, cross: float, G: Floats, H: Floats) -> float:
    """½ ‖X − Z H‖² from ‖X‖², tr(Zᵀ X Hᵀ) and G = ZᵀZ; rounding may make it negative, which is not returned."""
    return 0.5 * max(square - 2.0 * cross + float(np.sum(G * (H @ H.T))), 0.0)


class _FactorUpdates(NamedTuple):
    """The updates of Z and H, Z beyond its own, for which H was updated, (1) there, and the violations met."""

    left: Floats
    right: Floats
    beyond: Floats
    value: float
    violation: float


class _FactorProblem(NamedTuple):
    """Equation (1), and ‖X‖²."""

    X: Any
    left: Constraint
    right: Constraint
    mask: Floats | None
    fixed_right: bool
    square: float

    def round(self, begin: Factors, before: Floats, beta: float) -> _FactorUpdates:
        """Z and then H updated from `begin`, Z extrapolated from `before`."""
        Z, H = begin
        updated, off_left = self.left.update_from(Z, H @ H.T, np.asarray(self._seen(Z, H) @ H.T))
        Z = self.left.beyond(updated, before, beta)
        G, B = Z.T @ Z, np.asarray(self._seen(Z, H).T @ Z)
        off_right = 0.0
        if not self.fixed_right:
            moved, off_right = self.right.update_from(np.ascontiguousarray(H.T), G, B)
            H = moved.T
        if self.mask is None:
            fit = _half_square_of_products(self.square, float(np.sum(B * H.T)), G, H)
        else:
            fit = half_square(self.X, Z, H, self.mask)
        return _FactorUpdates(updated, H, Z, fit + self.penalty(Z, H), off_left + off_right)

    @property
    def goes_beyond(self) -> bool:
        """Whether both factors do: one alone would leave the other ever further behind."""
        return self.left.goes_beyond and (self.fixed_right or self.right.goes_beyond)

    def penalty(self, Z: Floats, H: Floats) -> float:
        """Ω_Z(Z) + Ω_H(H)."""
        return self.left.value(Z) + self.right.value(H.T)

    def _seen(self, Z: Floats, H: Floats) -> Any:
        return self.X if self.mask is None else self.mask * self.X + (1.0 - self.mask) * (Z @ H)


def _rounds(of: _FactorProblem, start: Factors) -> Iterator[Check[Factors]]:
    now = half_square(of.X, *start, of.mask) + of.penalty(*start)
    slack = max(SLACK, 32.0 * float(np.finfo(start.left.dtype).eps))
    yield Check(0, start, now)
    kept = begin = last = start
    first, t, fall = np.nan, 1.0, 0.0
    for iteration in count(1):
        beta, t = _momentum(t) if of.goes_beyond else (0.0, 1.0)
        found = of.round(begin, last.left, beta)
        # A step across the valley ends about as high as it began, which is no sign of a minimum.
        if beta > 0.0 and found.value > now - STALL * fall:
            beta, t = _momentum(1.0)
            found = of.round(kept, kept.left, beta)
        value = found.value
        if value > now + slack * max(of.square, abs(now)) or np.isnan(value):
            raise ArithmeticError(
                f"an update raised the objective from {now:.10g} to {value:.10g}; a constraint's `update` must not"
            )
        first = found.violation if iteration == 1 else first
        share = found.violation / first if first > 0.0 else found.violation
        fall, now, kept = now - value, min(value, now), Factors(found.beyond, found.right)
        yield Check(iteration, kept, now, kkt=share)
        ahead = found.right if of.fixed_right else of.right.beyond(found.right.T, last.right.T, beta).T
        begin, last = Factors(found.beyond, ahead), Factors(found.left, found.right)


def _momentum(t: float) -> tuple[float, float]:
    """β of (2) and the next t."""
    following = 0.5 + float(np.sqrt(0.25 + t * t))
    return (t - 1.0) / following, following
