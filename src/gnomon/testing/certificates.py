"""The law of certificates: the objective is what the fitted coefficients cost, and the gap bounds what is possible.

    objective_ = F(model),    F(model) − dual_gap_ ≤ F(other fit)    for fits of cX + o, dy, ks in every unit     (1)

F is computed anew from the fitted attributes, on rows in extended precision, so that an offset of 10⁸ standard
deviations is not lost on the way. A fit that is wrong and says that it is right breaks (1): one in other units shows
that less is possible. Higham (2002), section 1.7, doi:10.1137/1.9780898718027; the gap: Boyd & Vandenberghe (2004),
Convex Optimization, section 5.5.1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.testing._law import require
from gnomon.testing._tables import fitted, table_of
from gnomon.testing.units import CHANGES_OF_UNITS, EPS, ChangeOfUnits, Convert, applies, as_it_is, in_words

__all__ = ["check_certificate"]

SHORT = 1e-3
"""By how much a fit that says it converged, and has no gap, may exceed what is possible, as a share of F."""

Objective = Callable[[Any, Any, Any, Any], Any]
"""The value of what a fitted model minimises, from (model, X, y, sample_weight): rows and weights of long doubles."""


class _Claim(NamedTuple):
    """What a fit in some units says: where, F as it is, and as it says, and its gap, all in the original unit of F."""

    where: str
    value: float
    objective: float
    gap: float
    allowed: float
    certified: bool


def check_certificate(
    estimator: BaseEstimator,
    objective: Objective,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    unit: Callable[[ChangeOfUnits], float] | None = None,
    convert: Convert | None = None,
    units: Iterable[ChangeOfUnits] = CHANGES_OF_UNITS,
    tol: float = 1e-6,
) -> None:
    """`objective_` and `dual_gap_` are true in every unit of X, y and the weights: equation (1).

    A fit that raises a ValueError passes. One that warns must be as true as any other: short of the optimum, its gap
    says so. A model without `objective_` is held to its gap alone, one without a gap to its objective.

    Parameters
    ----------
    estimator : estimator
        Unfitted; it is cloned.
    objective : callable (model, X, y, sample_weight) → float
        F of a fitted model. X, numeric y and the weights are long doubles; labels are as they were given.
    X, y : array-like, optional
        The rows; by default a small table that suits the estimator's tags.
    unit : callable (units) → float, optional
        The unit of F in other units, such as ``lambda u: u.y**2``; by default F has none.
    convert : callable (estimator, units) → estimator or None, optional
        As in `check_units`.
    units : iterable of ChangeOfUnits, default=CHANGES_OF_UNITS
    tol : float, default=1e-6
        Largest relative error of the two numbers, beyond what rounding of the data explains.

    Raises
    ------
    AssertionError
        With every change of units under which the law is broken.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import Lasso
    >>> from gnomon.testing import check_certificate
    >>> def cost(model, X, y, s):
    ...     r = y - X @ model.coef_ - model.intercept_
    ...     return 0.5 * s @ r**2 / s.sum() + model.alpha * np.abs(model.coef_).sum()
    >>> check_certificate(
    ...     Lasso(0.1), cost, unit=lambda u: u.y**2, convert=lambda lasso, u: lasso.set_params(alpha=0.1 * u.x * u.y)
    ... )
    """
    X, y = table_of(estimator, X, y)
    value_of = unit or _without_unit
    claims, broken = [], []
    for change in (ChangeOfUnits(), *units):
        model = (convert or as_it_is)(clone(estimator), change) if applies(estimator, change) else None
        if model is None:
            continue
        try:
            claims += _claims(model, objective, X, y, change, value_of(change), tol)
        except AssertionError as error:
            broken.append(str(error))
    best = min(claims, key=lambda claim: claim.value, default=None)
    for claim in claims:
        broken += _faults(claim, best or claim)
    require(not broken, "a certificate is true in every unit", f"{type(estimator).__name__}: {'; '.join(broken)}")


def _without_unit(change: ChangeOfUnits) -> float:
    return 1.0


def _claims(
    estimator: Any, objective: Objective, X: Floats, y: Array, change: ChangeOfUnits, unit: float, tol: float
) -> list[_Claim]:
    """The claim of a fit in other units; none if it was refused."""
    rows, target = change.rows(X), y * change.y if change.y != 1.0 else y
    weights = np.full(len(y), change.weight)
    given = {"sample_weight": weights} if change.weight != 1.0 else {}
    where = in_words(change) or "as given"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            model = fitted(estimator, rows, target, **given)
        except ValueError:
            return []
    long = np.longdouble
    numbers = target.astype(long) if target.dtype.kind == "f" else target
    value = float(np.sum(np.asarray(objective(model, rows.astype(long), numbers, weights.astype(long)) / long(unit))))
    require(np.isfinite(value), "the objective is a number", f"{where}: {value}")
    claimed, gap = (float(np.sum(_stated(model, name)) / unit) for name in ("objective_", "dual_gap_"))
    allowed = tol + 1e3 * EPS * change.digits_lost
    return [_Claim(where, value, claimed, gap, allowed, certified=not said and _converged(model))]


def _stated(model: Any, name: str) -> Floats:
    return np.asarray(vars(model).get(name, np.nan), dtype=float)


def _converged(model: Any) -> bool:
    return bool(np.all(vars(model).get("converged_", True)))


def _faults(claim: _Claim, best: _Claim) -> list[str]:
    """Sentences on what a claim says wrongly, beside the one with the least value."""
    size = max(abs(claim.value), abs(best.value))
    found = []
    if abs(claim.objective - claim.value) > claim.allowed * size:
        found.append(f"{claim.where}: objective_ {claim.objective:.10g}, and the coefficients cost {claim.value:.10g}")
    if claim.gap < -claim.allowed * size:
        found.append(f"{claim.where}: dual_gap_ {claim.gap:.3g} is negative")
    # Rounding changes the data of both, and with them what is possible.
    slack = (claim.allowed + best.allowed) * size
    excess = claim.value - best.value
    if excess - claim.gap > slack or (claim.certified and excess > max(slack, SHORT * size)):
        found.append(
            f"{claim.where}: {claim.value:.10g} where {best.value:.10g} is possible, dual_gap_ {claim.gap:.3g}"
        )
    return found
