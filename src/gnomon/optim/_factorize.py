"""Factorisation of a matrix under constraints.

    minimise over Z, H    ½ ‖X − Z H‖² + Ω_Z(Z) + Ω_H(H)                                          (1)

One factor after the other is updated with the other fixed; the data enter by X Hᵀ and XᵀZ alone, so a sparse X is never
filled. With weights w ∈ [0, 1] of cells, the current product stands for the share that is missing, which bounds (1)
from above and touches it: no update raises (1). Cichocki & Phan (2009), doi:10.1587/transfun.E92.A.708; for missing
cells Srebro & Jaakkola (2003), Weighted low-rank approximations, ICML.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats, is_sparse
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
    rounds = _rounds(X, start, left, right, mask, fixed_right)
    return follow(rounds, stop or change_in_units(X, tol), max_iter=max_iter, callback=callback)


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
        square = float(X.multiply(X).sum())  # type: ignore[attr-defined]
        cross = float(np.sum((X @ H.T) * Z))  # type: ignore[operator]
        return 0.5 * max(square - 2.0 * cross + float(np.sum((Z.T @ Z) * (H @ H.T))), 0.0)
    off = X - Z @ H
    return 0.5 * float(np.vdot(off, off) if mask is None else np.vdot(off * mask, off))


def _rounds(
    X: Any, start: Factors, left: Constraint, right: Constraint, mask: Floats | None, fixed_right: bool
) -> Iterator[Check[Factors]]:
    Z, H = start
    now = half_square(X, Z, H, mask) + left.value(Z) + right.value(H.T)
    square = 2.0 * half_square(X, np.zeros_like(Z), H, mask)
    slack = max(SLACK, 32.0 * float(np.finfo(Z.dtype).eps))
    yield Check(0, start, now)
    first = np.nan
    for iteration in count(1):
        seen = X if mask is None else mask * X + (1.0 - mask) * (Z @ H)
        Z, off_left = left.update_from(Z, H @ H.T, np.asarray(seen @ H.T))
        seen = X if mask is None else mask * X + (1.0 - mask) * (Z @ H)
        G, B = Z.T @ Z, np.asarray(seen.T @ Z)
        off_right = 0.0
        if not fixed_right:
            moved, off_right = right.update_from(np.ascontiguousarray(H.T), G, B)
            H = moved.T
        violation = off_left + off_right
        first = violation if iteration == 1 else first
        before = now
        # ½‖X − ZH‖² from the products that the update has used; only a masked fit needs the residual.
        fit = (
            0.5 * (square - 2.0 * float(np.sum(B * H.T)) + float(np.sum(G * (H @ H.T))))
            if mask is None
            else half_square(X, Z, H, mask)
        )
        now = max(fit, 0.0) + left.value(Z) + right.value(H.T)
        if now > before + slack * max(square, abs(before)) or np.isnan(now):
            raise ArithmeticError(
                f"an update raised the objective from {before:.10g} to {now:.10g}; a constraint's `update` must not"
            )
        share = violation / first if first > 0.0 else violation
        yield Check(iteration, Factors(Z, H), min(now, before), kkt=share)
