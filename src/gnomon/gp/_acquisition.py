"""What is maximised to find the next point.

    log mean over θ of exp merit(μ_θ(x), s_θ(x))  −  log E seconds(x)                                  (1)

θ is one vector, or drawn from its posterior ("ei_mcmc"); the seconds count for "ei_per_second" alone. Their law is that
of their logarithm. Snoek, Larochelle & Adams (2012), sections 3.2 and 3.3, arXiv:1206.2944.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from scipy.special import logsumexp, softmax

from gnomon._typing import Floats
from gnomon.gp._surrogate import Surrogate
from gnomon.infer import (
    Acquisition,
    ExpectedImprovement,
    LowerConfidenceBound,
    MeanRatio,
    Merit,
    ProbabilityOfImprovement,
)

__all__ = ["AcquisitionLike", "AcquisitionRule", "Aim", "read_acquisition"]

AcquisitionName: TypeAlias = Literal["ei", "ei_mcmc", "ei_per_second", "lcb", "pi", "ratio"]
AcquisitionLike: TypeAlias = AcquisitionName | Acquisition


class AcquisitionRule(NamedTuple):
    """A criterion, whether θ is drawn, and whether seconds count."""

    criterion: Acquisition
    drawn: bool = False
    timed: bool = False


RULES: dict[AcquisitionName, AcquisitionRule] = {
    "ei": AcquisitionRule(ExpectedImprovement()),
    "ei_mcmc": AcquisitionRule(ExpectedImprovement(), drawn=True),
    "ei_per_second": AcquisitionRule(ExpectedImprovement(), timed=True),
    "lcb": AcquisitionRule(LowerConfidenceBound()),
    "pi": AcquisitionRule(ProbabilityOfImprovement()),
    "ratio": AcquisitionRule(MeanRatio()),
}
"""Acquisitions by their names."""


def read_acquisition(given: AcquisitionLike) -> AcquisitionRule:
    """The rule of a name, or of a criterion with options."""
    if isinstance(given, Acquisition):
        return AcquisitionRule(given)
    if not isinstance(given, str) or given not in RULES:
        raise ValueError(
            f"acquisition={given!r} is unknown; choose from {list(get_args(AcquisitionName))}, or give an object of "
            "gnomon.infer such as LowerConfidenceBound(kappa=1.0)"
        )
    return RULES[given]


class Aim(NamedTuple):
    """(1) as a function of columns.

    Fields
    ------
    criterion : Acquisition
    laws : list of Surrogate
        One for each θ.
    bests : list of float
        The incumbent by each of them.
    seconds : Surrogate or None
        Of the logarithm of seconds.
    """

    criterion: Acquisition
    laws: list[Any]
    bests: list[float]
    seconds: Any = None

    def _merit(self, law: Any, Z: Floats, best: float) -> Merit:
        mean, std = law.predict(Z)
        return self.criterion.merit(mean, std, best)

    def quick(self) -> Aim:
        """The same in single precision."""
        seconds = None if self.seconds is None else self.seconds.quick()
        return self._replace(laws=[law.quick() for law in self.laws], seconds=seconds)

    def value(self, Z: Floats) -> Floats:
        """(1) for each row."""
        parts = [self._merit(law, Z, best).value for law, best in zip(self.laws, self.bests, strict=True)]
        found = parts[0] if len(parts) == 1 else logsumexp(parts, axis=0) - np.log(len(parts))
        return found if self.seconds is None else found - self.seconds.predict(Z)[0]

    def value_and_slopes(self, Z: Floats) -> tuple[Floats, Floats]:
        """(1), and its derivatives along the columns."""
        values, slopes = [], []
        for law, best in zip(self.laws, self.bests, strict=True):
            at = law.predict_with_slopes(Z)
            merit = self.criterion.merit(at.mean, at.std, best)
            values.append(merit.value)
            slopes.append(merit.by_mean[:, None] * at.by_mean + merit.by_std[:, None] * at.by_std)
        shares = softmax(values, axis=0)
        value = logsumexp(values, axis=0) - np.log(len(values))
        slope = np.einsum("jq,jqd->qd", shares, np.stack(slopes))
        if self.seconds is None:
            return value, slope
        seconds = self.seconds.predict_with_slopes(Z)
        return value - seconds.mean, slope - seconds.by_mean


def aim(rule: AcquisitionRule, laws: list[Surrogate], seen: Floats, seconds: Surrogate | None) -> Aim:
    """(1), where the incumbent is the least mean at the points that were seen: luck of a noisy value is no success."""
    return Aim(rule.criterion, list(laws), [float(np.min(law.predict(seen)[0])) for law in laws], seconds)
