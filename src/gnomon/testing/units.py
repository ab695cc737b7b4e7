"""The law of units: metres or millimetres, a thermometer's zero, or weights that sum to one must not matter.

    fit(c X + o, d y, k s)  predicts  d · (what fit(X, y, s) predicts)                               (1)

for every scale c > 0 and offset o of the columns, scale d of the target and factor k of the weights, as far as the
model has that symmetry: a penalty, a bandwidth or a floor has a unit and must be converted with the data. Equality
holds to the digits that the data still have: an offset of 10⁸ standard deviations leaves half of them. A fit that
cannot keep (1) must say so, by an error or a warning. Higham (2002), section 1.7, doi:10.1137/1.9780898718027.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils.validation import has_fit_parameter

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.testing._law import require, require_close
from gnomon.testing._tables import fitted, table_of

__all__ = ["CHANGES_OF_UNITS", "EPS", "ChangeOfUnits", "Convert", "applies", "as_it_is", "check_units", "in_words"]

EPS = float(np.finfo(float).eps)


class ChangeOfUnits(NamedTuple):
    """A change of units: factors of the columns, the target and the weights, and an offset in standard deviations.

    Examples
    --------
    >>> from gnomon.testing import ChangeOfUnits
    >>> ChangeOfUnits(x=1000.0)
    ChangeOfUnits(x=1000.0, offset=0.0, y=1.0, weight=1.0)
    """

    x: float = 1.0
    offset: float = 0.0
    y: float = 1.0
    weight: float = 1.0

    def rows(self, X: Floats) -> Floats:
        """X in these units."""
        return (X + self.offset * np.std(X, axis=0)) * self.x

    @property
    def digits_lost(self) -> float:
        """By which factor rounding errors grow, relative to the spread of a column."""
        return 1.0 + abs(self.offset)


CHANGES_OF_UNITS = (
    *(ChangeOfUnits(x=c) for c in (1e-150, 1e-8, 1e8, 1e150)),
    *(ChangeOfUnits(offset=o) for o in (1e4, -1e7, 1e9, 1e12)),
    *(ChangeOfUnits(y=d) for d in (1e-150, 1e-8, 1e8, 1e150)),
    *(ChangeOfUnits(weight=k) for k in (1e-150, 1e-6, 1e6, 1e150)),
)
"""The changes of units that `check_units` tries."""

Convert = Callable[[Any, ChangeOfUnits], BaseEstimator | None]
"""The estimator with its parameters in other units; None where it has no such symmetry."""


def check_units(
    estimator: BaseEstimator,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    convert: Convert | None = None,
    units: Iterable[ChangeOfUnits] = CHANGES_OF_UNITS,
    tol: float = 1e-6,
) -> None:
    """Predictions do not depend on the units of X, y and the weights: equation (1).

    A fit that raises a ValueError, or warns, passes: it does not claim that its answer is right.

    Parameters
    ----------
    estimator : estimator
        Unfitted; it is cloned. Transformers pass: what they return may have any unit.
    X, y : array-like, optional
        The rows; by default a small table that suits the estimator's tags.
    convert : callable (estimator, units) → estimator or None, optional
        Gives the estimator with its own parameters in other units (``alpha · c · d`` for a lasso), None where it has no
        such symmetry. By default its parameters have no unit.
    units : iterable of ChangeOfUnits, default=CHANGES_OF_UNITS
    tol : float, default=1e-6
        Largest difference, relative to max(1, |output|) in the original units, beyond what rounding of the data
        explains.

    Raises
    ------
    AssertionError
        With every change of units under which the law is broken.

    Examples
    --------
    >>> from gnomon.linear import Ridge
    >>> from gnomon.testing import check_units
    >>> check_units(Ridge(), convert=lambda ridge, u: ridge.set_params(alpha=u.x**2 * u.weight))
    """
    X, y = table_of(estimator, X, y)
    expected = _answers(fitted(estimator, X, y), X)
    broken = []
    for change in units:
        try:
            _check_one(estimator, X, y, expected, change, convert or as_it_is, tol)
        except AssertionError as error:
            broken.append(f"{in_words(change)}: {error}")
    require(not broken, "predictions do not depend on units", f"{type(estimator).__name__}: {'; '.join(broken)}")


def _check_one(
    estimator: BaseEstimator,
    X: Floats,
    y: Array,
    expected: dict[str, Array],
    change: ChangeOfUnits,
    convert: Convert,
    tol: float,
) -> None:
    model = convert(clone(estimator), change) if applies(estimator, change) else None
    if model is None:
        return
    found = _answers_or_refusal(model, change.rows(X), y * change.y if change.y != 1.0 else y, change.weight)
    allowed = tol + 1e3 * EPS * change.digits_lost
    for method, values in found.items():
        where = f"{type(estimator).__name__}.{method}"
        if values.dtype.kind == "f":
            require_close("same numbers", values / change.y, expected[method], tol=allowed, where=where)
        else:
            others = float(np.mean(values != expected[method]))
            require(others <= allowed, "same labels", f"{where} gives other labels for {others:.0%} of the rows")


def _answers_or_refusal(model: BaseEstimator, X: Floats, y: Array, weight: float) -> dict[str, Array]:
    """The answers of the fitted model; nothing if it was refused, or warned of."""
    weights = {"sample_weight": np.full(len(y), weight)} if weight != 1.0 else {}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = _answers(fitted(model, X, y, **weights), X)
        except ValueError:
            return {}
    # Of an overflow NumPy warns by itself; that tells a user nothing.
    raw = [warning for warning in said if warning.category is RuntimeWarning]
    require(not raw, "warnings say what to do", f"{raw[0].message if raw else ''}")
    return {} if said else found


def applies(estimator: BaseEstimator, change: ChangeOfUnits) -> bool:
    """Whether the estimator has such units at all: weights, and a target that is a number."""
    weighted = change.weight == 1.0 or has_fit_parameter(estimator, "sample_weight")
    return weighted and (change.y == 1.0 or is_regressor(estimator))


def _answers(model: Any, X: Floats) -> dict[str, Array]:
    """Predictions, or probabilities of classes: neither has the unit of a column, as scores may have."""
    if not (is_classifier(model) or is_regressor(model)):
        return {}
    method = "predict" if getattr(model, "predict_proba", None) is None else "predict_proba"
    return {method: np.asarray(getattr(model, method)(X))}


def as_it_is(estimator: Any, change: ChangeOfUnits) -> BaseEstimator:
    """The estimator itself: its parameters have no unit."""
    return estimator


def in_words(change: ChangeOfUnits) -> str:
    """What is changed, for a sentence."""
    names = {"x": "X·", "offset": "X+sd·", "y": "y·", "weight": "weights·"}
    same = ChangeOfUnits()._asdict()
    return ", ".join(f"{names[name]}{value:g}" for name, value in change._asdict().items() if value != same[name])
