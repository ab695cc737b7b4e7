"""Models of a skewed number on another scale, where its law is nearer to a normal one.

    f fits  T(y/u),    ŷ(x) = (u/m) Σ_j T⁻¹(f(x) + e_j)                                                       (1)

T is the logarithm of positive numbers, else the Yeo–Johnson map, which bends at 1: u is the middle size of the targets,
so that forecasts are the same in every unit. e_j are residuals of rows that the fit has not seen:
(1) is the mean in the units of y, which a squared loss asks for. Without the e_j, T⁻¹(f(x)) is the median, which an
absolute loss asks for. Duan (1983), Smearing estimate, doi:10.1080/01621459.1983.10478017; Yeo & Johnson (2000),
doi:10.1093/biomet/87.4.954.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.stats import skew
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.preprocessing import FunctionTransformer, PowerTransformer

from gnomon._registry import Candidate, Facts
from gnomon._typing import Array, Floats, Matrix
from gnomon.io.tables import listed
from gnomon.report._budget import longest_fit
from gnomon.report._entrants import matrices
from gnomon.report._findings import Finding
from gnomon.report._question import TableQuestion
from gnomon.report._trials import Folds, Trial, Tryout, best_first, trial_of, try_fold
from gnomon.report.ending import ENDINGS

__all__ = ["Rescaled", "RescaledRegressor", "rescaled", "scale_findings", "scale_of"]

MOST_MODELS = 3
MUCH_SKEWED = 1.0
LESS_SKEWED = 0.5
"""Of the skewness, what may be left on the other scale."""
FITS = 3.0
"""How long a fit takes with its residuals, in fits without."""
MOST_RESIDUALS = 200
LARGEST = 1e100
NO_TIME = "the time did not suffice for it"
OF_MEDIANS = (
    "MAE", "median absolute error", "mean absolute percentage error", "d2 absolute error score",
    "mean squared log error", "root mean squared log error", "max error",
)  # fmt: skip
"""Scores that do not ask for the mean."""


class Rescaled(NamedTuple):
    """The trials on another scale, also those for which there was no time; its name; whether the user ended them."""

    trials: list[Trial]
    scale: str
    interrupted: bool


def scale_of(y: Floats) -> str:
    """ "log" or "Yeo–Johnson" where that makes a skewed target much less so, else nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report._scales import scale_of
    >>> z = np.random.default_rng(0).normal(size=500)
    >>> scale_of(z), scale_of(np.exp(z)), scale_of(np.exp(z) - 1.0)
    ('', 'log', 'Yeo–Johnson')
    """
    name = "log" if np.min(y) > 0.0 else "Yeo–Johnson"
    z = y / unit_of(y)
    before = abs(skew(z))
    after = abs(skew(SCALES[name]().fit_transform(z[:, None])[:, 0]))
    return name if before > MUCH_SKEWED and after < LESS_SKEWED * before else ""


def unit_of(y: Floats) -> float:
    """u of (1): the median of the sizes of targets that are not zero, so large that cubes of y/u are numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report._scales import unit_of
    >>> unit_of(np.array([0.0, 0.0, -1.0, 2.0, 60.0]))
    2.0
    >>> unit_of(np.array([-1e-200, 0.0, 1e-200, 1e150])) > 0.99e50  # whose cube is about 1e150
    True
    """
    sizes = np.abs(y[y != 0.0])
    return max(float(np.median(sizes)), float(np.max(sizes)) / LARGEST)


def rescaled(asked: TableQuestion, trials: Sequence[Trial], folds: Folds) -> Rescaled:
    """The best few models on another scale, in the same folds, as far as the time suffices."""
    scale = scale_of(asked.y) if not asked.target.classes else ""
    best = best_first(trials[1:], asked.scores[0])[: MOST_MODELS if scale else 0]
    found: list[Trial] = []
    try:
        for trial in best:
            asked.progress(len(found), len(best), f"cross-validating {trial.candidate.name} on a {scale} scale")
            found.append(_tried(asked, trial, scale, folds))
    except ENDINGS:
        return Rescaled(found, scale, interrupted=True)
    return Rescaled(found, scale, interrupted=False)


def _tried(asked: TableQuestion, trial: Trial, scale: str, folds: Folds) -> Trial:
    """The trial on the scale, stopped where it takes longer than there is time for."""
    smear = asked.scores[0].name not in OF_MEDIANS
    candidate = on_scale(trial.entrant.candidate, scale, smear=smear)
    tryout = Tryout(trial.entrant._replace(candidate=candidate), asked.scores)
    if FITS * trial.seconds > asked.budget.left_for_search:
        return Trial(tryout.entrant, stopped=NO_TIME)
    for fold, prepared in zip(folds, matrices(asked.used, [trial.entrant], asked.train, asked.y, folds), strict=True):
        most = longest_fit(asked.budget.left_for_search, FITS * trial.seconds / len(folds))
        try_fold(tryout, fold, prepared, asked.y, (), asked.wishes.seed, most)
        ahead = len(folds) - len(tryout.scores)
        if not tryout.is_running:
            break
        if ahead and ahead * float(np.mean(tryout.seconds)) > asked.budget.left_for_search:
            tryout.stopped = NO_TIME
            break
    return trial_of(tryout, folds)


def on_scale(plain: Candidate, scale: str, *, smear: bool) -> Candidate:
    """A candidate whose model is fitted on a scale; what is said of its parts would be of that scale, and is not."""
    said = "the mean over residuals of rows left out" if smear else "the median"
    return replace(
        plain,
        name=f"{plain.name} on a {scale} scale",
        make=RescaledMake(plain, scale, smear),
        complexity=plain.complexity + 0.5,
        note=f"{plain.note}; fitted on a {scale} scale, forecasts are {said} in the units of the target",
        explain=None,
        shares=None,
        rules=None,
        space=plain.space and partial(_prefixed, plain),
    )


def _prefixed(plain: Candidate, facts: Facts) -> dict[str, Any]:
    space = plain.space(facts) if plain.space else {}
    return {f"regressor__{name}": values for name, values in space.items()}


@dataclass(frozen=True)
class RescaledMake:
    """Builds the model of a candidate for another scale."""

    candidate: Candidate
    scale: str
    smear: bool

    def __call__(self, facts: Facts, seed: int) -> RescaledRegressor:
        """The unfitted estimator."""
        return RescaledRegressor(self.candidate.make(facts, seed), self.scale, smear=self.smear)


def scale_findings(found: Rescaled, chosen: Trial, target: str) -> list[Finding]:
    """That the chosen model, or one of a mean, learns on another scale."""
    names = {trial.candidate.name for trial in found.trials}
    used = [e.candidate.name for e in (chosen.entrant, *chosen.entrant.members) if e.candidate.name in names]
    if not used:
        return []
    text = (
        f"{target} is skewed, and cross-validation is better on a {found.scale} scale ({listed(used)}). Forecasts, "
        f"scores and intervals are in the units of {target}."
    )
    return [Finding("note", "Learned on another scale", text)]


def _log() -> FunctionTransformer:
    return FunctionTransformer(np.log, np.exp)


SCALES = {"log": _log, "Yeo–Johnson": PowerTransformer}


class RescaledRegressor(RegressorMixin, BaseEstimator):
    """Equation (1) around a regressor.

    Parameters
    ----------
    regressor : regressor
    scale : {"log", "Yeo–Johnson"}
    smear : bool, default=True
        Whether predictions are means, by the residuals of three folds; otherwise medians.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon.report._scales import RescaledRegressor
    >>> X, y = np.zeros((4, 1)), np.exp([0.0, 2.0, 0.0, 2.0])
    >>> median = RescaledRegressor(DummyRegressor(), "log", smear=False).fit(X, y)
    >>> bool(np.isclose(median.predict(X[:1])[0], np.e))
    True
    """

    def __init__(self, regressor: BaseEstimator, scale: str, *, smear: bool = True):
        self.regressor = regressor
        self.scale = scale
        self.smear = smear

    def fit(self, X: Matrix, y: Array) -> Self:
        """Fit the regressor to T(y/u), and to two thirds of the rows for the residuals of the others."""
        y = np.asarray(y, dtype=float)
        self.unit_ = unit_of(y)
        own = (y / self.unit_)[:, None]
        self.transformer_ = SCALES[self.scale]().fit(own)
        z = self.transformer_.transform(own)[:, 0]
        self.regressor_ = clone(self.regressor).fit(X, z)
        self.range_ = np.array([np.min(z), np.max(z)])
        self.residuals_ = self._residuals(X, z)
        return self

    def _residuals(self, X: Matrix, z: Floats) -> Floats:
        if not self.smear:
            return np.zeros(1)
        return _thinned(z - cross_val_predict(self.regressor, X, z, cv=KFold(3, shuffle=True, random_state=0)))

    def predict(self, X: Matrix) -> Floats:
        """(1), within the range of the targets."""
        said = np.asarray(self.regressor_.predict(X), dtype=float).reshape(-1, 1)
        z = np.clip(said + self.residuals_, *self.range_)
        own = self.transformer_.inverse_transform(z.reshape(-1, 1)).reshape(z.shape)
        return self.unit_ * np.mean(own, axis=1)


def _thinned(residuals: Floats) -> Floats:
    """The residuals, or of many the middles of as many equal parts."""
    if len(residuals) <= MOST_RESIDUALS:
        return residuals
    return np.quantile(residuals, (np.arange(MOST_RESIDUALS) + 0.5) / MOST_RESIDUALS)
