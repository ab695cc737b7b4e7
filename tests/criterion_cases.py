"""Every split criterion once, with targets that it can take and its impurity by definition; some of a user's own."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gnomon.search import (
    AbsoluteError,
    ClassCriterion,
    CountsCriterion,
    Criterion,
    Entropy,
    Gini,
    Misclassification,
    Newton,
    PinballError,
    PoissonDeviance,
    SeveralOutputs,
    SquaredError,
    SumCriterion,
    applicable_growers,
    noun,
)


@noun
class RootGini(ClassCriterion):
    """H = Σ_k √(p_k (1 − p_k)), concave as every criterion that bounds serve."""

    size: int

    monotone_worth = class_weights = True

    def worth(self, sums, at):
        n, total = self.mass(sums, at), 0.0
        for k in range(1, self.width()):
            total += np.sqrt(max(sums[at + k] * (n - sums[at + k]), 0.0))
        return -total


@noun
class SquaredGini(ClassCriterion):
    """H = (Σ_k p_k (1 − p_k))²: not concave, so that a group may be worth more with rows added."""

    size: int

    class_weights = True

    def worth(self, sums, at):
        n, total = self.mass(sums, at), 0.0
        for k in range(1, self.width()):
            total += sums[at + k] * (n - sums[at + k])
        return -total * total / (n * n * n)


@noun
class Gamma(SumCriterion):
    """Half the gamma deviance, n H = n log ȳ − Σ w log y."""

    size: int = 3

    targets = "positive"
    monotone_worth = True

    def weigh(self, sums, at, y, i, w):
        sums[at + 1] += w
        sums[at + 2] += w * y[i]
        sums[at + 3] += w * np.log(y[i])

    def mass(self, sums, at):
        return sums[at + 1]

    def center(self, sums, at):
        return sums[at + 2] / sums[at + 1]

    def worth(self, sums, at):
        return self.merit(sums, at) + sums[at + 3]

    def merit(self, sums, at):
        return -sums[at + 1] * np.log(sums[at + 2] / sums[at + 1])


@dataclass(frozen=True)
class PlainVariance(SumCriterion):
    """The variance in plain Python: not compiled."""

    size: int = 3

    centred = monotone_worth = True

    def weigh(self, sums, at, y, i, w):
        sums[at + 1] += w
        sums[at + 2] += w * y[i]
        sums[at + 3] += w * y[i] ** 2

    def mass(self, sums, at):
        return sums[at + 1]

    def center(self, sums, at):
        return sums[at + 2] / sums[at + 1]

    def worth(self, sums, at):
        return min(sums[at + 2] ** 2 / sums[at + 1] - sums[at + 3], 0.0)


def gini(y, w):
    return float(1.0 - np.sum((np.bincount(y, w) / np.sum(w)) ** 2))


def entropy(y, w):
    p = np.bincount(y, w) / np.sum(w)
    return float(-np.sum(p[p > 0.0] * np.log2(p[p > 0.0])))


def misclassification(y, w):
    return float(1.0 - np.max(np.bincount(y, w)) / np.sum(w))


def root_gini(y, w):
    p = np.bincount(y, w) / np.sum(w)
    return float(np.sum(np.sqrt(p * (1.0 - p))))


def variance(y, w):
    return float(np.average((y - np.average(y, weights=w)) ** 2, weights=w))


def poisson(y, w):
    mean = np.average(y, weights=w)
    if mean == 0.0:
        return np.inf
    return float(np.average(y * np.log(np.where(y > 0.0, y, 1.0) / mean) + mean - y, weights=w))


def gamma(y, w):
    return float(np.log(np.average(y, weights=w)) - np.average(np.log(y), weights=w))


def pinball(alpha, factor):
    def loss(y, w):
        r = y[:, None] - y[None, :]
        return factor * float(np.min(np.average(np.maximum(alpha * r, (alpha - 1.0) * r), axis=0, weights=w)))

    return loss


def newton(lam):
    return lambda g, h: -0.5 * np.sum(g) ** 2 / (np.sum(h) + lam) / np.sum(h)


def mean_of(each):
    """The mean of an impurity over outputs."""
    return lambda y, w: float(np.mean([each(column, w) for column in np.reshape(y, (len(w), -1)).T]))


def labels(k):
    def draw(signal, rng):
        noisy = signal + rng.normal(0.0, 0.5, len(signal)) > 1.0
        return np.minimum(noisy + rng.integers(0, k - 1, len(signal)), k - 1)

    return draw


def numbers(signal, rng):
    return signal + rng.normal(0.0, 0.3, len(signal))


def pairs(signal, rng):
    return signal[:, None] + rng.normal(0.0, 0.3, (len(signal), 2))


@dataclass(frozen=True)
class Case:
    """A criterion, targets that follow a signal between 0 and 2, and H by definition."""

    criterion: Criterion
    draw: Callable
    impurity: Callable

    def may_use(self, grower):
        return grower in applicable_growers(self.criterion)


CRITERIA = {
    "Gini, 2 classes": Case(Gini(2), labels(2), gini),
    "Gini, 3 classes": Case(Gini(3), labels(3), gini),
    "Gini, 6 classes": Case(Gini(6), labels(6), gini),
    "entropy": Case(Entropy(2), labels(2), entropy),
    "entropy, 4 classes": Case(Entropy(4), labels(4), entropy),
    "misclassification": Case(Misclassification(2), labels(2), misclassification),
    "two outputs": Case(
        SeveralOutputs.of(Gini, (2, 3)),
        lambda signal, rng: np.column_stack([labels(2)(signal, rng), labels(3)(signal, rng)]),
        mean_of(gini),
    ),
    "a function": Case(CountsCriterion(3, lambda n: 1.0 - np.max(n) / np.sum(n)), labels(3), misclassification),
    "own, concave": Case(RootGini(3), labels(3), root_gini),
    "own, not concave": Case(SquaredGini(2), labels(2), lambda y, w: gini(y, w) ** 2),
    "squared error": Case(SquaredError(), lambda signal, rng: numbers(signal, rng)[:, None], mean_of(variance)),
    "squared error, rounded": Case(
        SquaredError(), lambda signal, rng: np.round(4 * signal - 3.0 + rng.normal(size=len(signal))), variance
    ),
    "squared errors": Case(SquaredError.of(2), pairs, mean_of(variance)),
    "own, plain Python": Case(PlainVariance(), numbers, variance),
    "Poisson": Case(PoissonDeviance(), lambda signal, rng: rng.poisson(signal).astype(float), poisson),
    "own, gamma": Case(Gamma(), lambda signal, rng: rng.gamma(2.0, signal + 0.1), gamma),
    "absolute error": Case(AbsoluteError(), numbers, mean_of(pinball(0.5, 2.0))),
    "pinball": Case(PinballError(0.2), pairs, mean_of(pinball(0.2, 1.0))),
    "Newton": Case(Newton(0.5), lambda signal, rng: rng.normal(size=len(signal)), newton(0.5)),
}
"""By name; which growers may use one, its traits say."""
