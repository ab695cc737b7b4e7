"""Scores of a number against what a model says of it, and the numbers whose score is at most r.

    absolute     s = |y − f(x)|                            C = [f − r, f + r]                                     (1)
    normalized   s = |y − f(x)| / σ(x)                     C = [f − rσ, f + rσ]                                   (2)
    quantile     s = max(l(x) − y, y − u(x))               C = [l − r, u + r]                                     (3)

(1), (2): Papadopoulos, Proedrou, Vovk & Gammerman (2002), doi:10.1007/3-540-36755-1_29; Lei, G'Sell, Rinaldo,
Tibshirani & Wasserman (2018), doi:10.1080/01621459.2017.1307116, section 5.2. (3): Romano, Patterson & Candès (2019),
Conformalized quantile regression, NeurIPS 32, arXiv:1905.03222.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, Floats, Integers
from gnomon.base.left_out import FitTask

__all__ = ["IntervalScore", "interval_score"]

LEAST = 0.01
"""σ(x) is at least this part of the mean absolute residual: a model of it may say zero, or less."""


class IntervalScore(Protocol):
    """How members are fitted, what they answer, and what these answers mean."""

    def learn(self, task: FitTask, rows: Integers) -> tuple[Any, ...]:
        """A member."""

    def given(self) -> tuple[Any, ...]:
        """The member that the user has fitted."""

    def answer(self, member: tuple[Any, ...], X: Any) -> Floats:
        """Columns for `score` and `ends`, (m, c)."""

    def score(self, y: Array, *answers: Any) -> Floats:
        """s of (1), (2) or (3)."""

    def ends(self, r: Any, *answers: Any) -> tuple[Floats, Floats]:
        """C of the same."""


class AbsoluteScore(NamedTuple):
    """Equation (1)."""

    estimator: BaseEstimator

    def learn(self, task: FitTask, rows: Integers) -> tuple[Any, ...]:
        return (task.fit(self.estimator, rows),)

    def given(self) -> tuple[Any, ...]:
        return _fitted(self.estimator)

    def answer(self, member: tuple[Any, ...], X: Any) -> Floats:
        return _predicted(member[0], X)[:, None]

    def score(self, y: Array, f: Floats) -> Floats:
        return np.abs(y - f)

    def ends(self, r: Any, f: Floats) -> tuple[Floats, Floats]:
        return f - r, f + r


class FlooredSpread(NamedTuple):
    """A model of σ, kept from zero."""

    model: Any
    floor: float

    def predict(self, X: Any) -> Floats:
        """σ(x) of rows."""
        return np.maximum(_predicted(self.model, X), self.floor)


class NormalizedScore(NamedTuple):
    """Equation (2); σ is a model of the absolute residuals at rows left out, or the estimator's own."""

    estimator: BaseEstimator
    spread: Any

    def learn(self, task: FitTask, rows: Integers) -> tuple[Any, ...]:
        model = task.fit(self.estimator, rows)
        if self.spread == "return_std":
            return (model,)
        residuals = np.abs(task.y - self._left_out(task, rows))
        mean = float(np.average(residuals[rows], weights=task.weights[rows]))
        other = self.estimator if self.spread is None else self.spread
        spread = task.fit(other, rows, target=residuals, main=other is self.estimator)
        return model, FlooredSpread(spread, max(LEAST * mean, np.finfo(float).tiny))

    def _left_out(self, task: FitTask, rows: Integers) -> Floats:
        """The prediction of each row by a model that has not seen it; all else stays as y is."""
        found = np.array(task.y, dtype=float)
        different = np.unique(rows)  # A resample repeats rows; the copies are left out together.
        for _, out in KFold(min(5, len(different)), shuffle=True, random_state=0).split(different):
            held_out = different[out]
            model = task.fit(self.estimator, rows[~np.isin(rows, held_out)])
            found[held_out] = _predicted(model, _safe_indexing(task.X, held_out))
        return found

    def given(self) -> tuple[Any, ...]:
        if self.spread is None:
            raise ValueError(
                "method='prefit' with conformity='normalized' needs the fitted model of the spread too; give spread=, "
                "a fitted model or 'return_std'"
            )
        if self.spread == "return_std":
            return _fitted(self.estimator)
        model, spread = _fitted(self.estimator, self.spread)
        return model, FlooredSpread(spread, float(np.finfo(float).tiny))

    def answer(self, member: tuple[Any, ...], X: Any) -> Floats:
        if self.spread == "return_std":
            return np.column_stack(member[0].predict(X, return_std=True)).astype(float)
        return np.column_stack([_predicted(model, X) for model in member])

    def score(self, y: Array, f: Floats, sigma: Floats) -> Floats:
        return np.abs(y - f) / sigma

    def ends(self, r: Any, f: Floats, sigma: Floats) -> tuple[Floats, Floats]:
        return f - r * sigma, f + r * sigma


class QuantileScore(NamedTuple):
    """Equation (3); l and u are models of the quantiles (1 ∓ c)/2, or any others."""

    low: BaseEstimator
    high: BaseEstimator

    def learn(self, task: FitTask, rows: Integers) -> tuple[Any, ...]:
        return tuple(task.fit(model, rows, main=False) for model in self)

    def given(self) -> tuple[Any, ...]:
        return _fitted(*self)

    def answer(self, member: tuple[Any, ...], X: Any) -> Floats:
        return np.column_stack([_predicted(model, X) for model in member])

    def score(self, y: Array, low: Floats, high: Floats) -> Floats:
        return np.maximum(low - y, y - high)

    def ends(self, r: Any, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        return low - r, high + r


def interval_score(owner: Any) -> IntervalScore:
    """The score that a `ConformalRegressor` asks for; options that it has no use for are refused."""
    for name, score in (("spread", "normalized"), ("bounds", "quantile")):
        if getattr(owner, name) is not None and owner.conformity != score:
            raise ValueError(
                f"{name} is for conformity={score!r}, and conformity={owner.conformity!r} does not use it; leave it out"
            )
    if owner.conformity == "absolute":
        return AbsoluteScore(owner.estimator)
    if owner.conformity == "normalized":
        return NormalizedScore(owner.estimator, owner.spread)
    return QuantileScore(*_bounds(owner))


def _bounds(owner: Any) -> tuple[BaseEstimator, BaseEstimator]:
    if owner.bounds is not None:
        if len(owner.bounds) != 2:
            raise ValueError(f"bounds has {len(owner.bounds)} estimators; give two, for the lower and the upper end")
        return tuple(owner.bounds)
    if owner.method == "prefit":
        raise ValueError("method='prefit' with a quantile score needs the two fitted models; give bounds=(low, high)")
    levels = 0.5 * (1.0 - owner.coverage), 0.5 * (1.0 + owner.coverage)
    low, high = (_at_level(owner.estimator, level) for level in levels)
    return low, high


def _at_level(estimator: BaseEstimator, level: float) -> BaseEstimator:
    """A clone whose parameter of the quantile, by the names of scikit-learn, is `level`."""
    params = estimator.get_params()

    def loss(name: str) -> Any:
        return params.get(f"{name.rpartition('__')[0]}__loss".removeprefix("__"))

    named = [name for name in params if name.split("__")[-1] == "quantile" and loss(name) in (None, "quantile")]
    named = named or [name for name in params if name.split("__")[-1] == "alpha" and loss(name) == "quantile"]
    if len(named) != 1:
        raise ValueError(
            f"{type(estimator).__name__} has no parameter `quantile` in use (nor `alpha` with loss='quantile'), which "
            "the quantile score sets; give an estimator of quantiles, or bounds=(low, high)"
        )
    return clone(estimator).set_params(**{named[0]: level})


def _fitted(*models: Any) -> tuple[Any, ...]:
    for model in models:
        check_is_fitted(model)
    return models


def _predicted(model: Any, X: Any) -> Floats:
    return np.asarray(model.predict(X), dtype=float)
