"""The public laws hold for every loss, penalty and estimator of the package, and each law can be broken."""

import numpy as np
import pytest

import public_names
from gnomon.losses import (
    BinaryCrossEntropy,
    BinomialFamily,
    CallableLoss,
    DevianceLoss,
    GammaFamily,
    GaussianFamily,
    HingeLoss,
    IdentityLink,
    InverseGaussianFamily,
    InverseLink,
    LogisticLoss,
    LogitLink,
    LogLink,
    LpLoss,
    MulticlassHinge,
    PoissonFamily,
    ProbitLink,
    SoftmaxLoss,
    SquaredHingeLoss,
    SquaredLoss,
    TweedieFamily,
    Weighted,
)
from gnomon.penalties import L1, L2, ElasticNetPenalty
from gnomon.testing import check_loss, check_penalty

EXPECTED = {"curvature": "expected"}

# What needs arguments, and further cases of what does not.
LOSSES = [
    (CallableLoss(lambda y, z: (y - z) ** 2), {"tol": 1e-4}),
    (DevianceLoss(BinomialFamily(), LogitLink()), {}),
    (DevianceLoss(BinomialFamily(), ProbitLink()), EXPECTED),
    (DevianceLoss(GammaFamily(), InverseLink()), EXPECTED),
    (DevianceLoss(GaussianFamily(), IdentityLink()), {}),
    (DevianceLoss(InverseGaussianFamily(), LogLink()), EXPECTED),
    (DevianceLoss(PoissonFamily(), LogLink()), {}),
    (DevianceLoss(TweedieFamily(1.5), LogLink()), EXPECTED),
    (Weighted(LogisticLoss(), (2.0, 0.5)), {}),
    (Weighted(MulticlassHinge(), (1.0, 2.0, 3.0)), {}),
    (BinaryCrossEntropy(from_score=False), {"scores": np.linspace(0.05, 0.94, 14)}),
    (LpLoss(0.5), {}),
    (LpLoss(1.5), {"tol": 1e-4}),
    (LpLoss(4.0), {}),
    (SoftmaxLoss(reference=True), {}),
    (SquaredLoss(half=True), {}),
]
DEFAULTS = [(cls(), {}) for cls in public_names.losses() if cls not in {CallableLoss, DevianceLoss, Weighted}]
PENALTIES = [cls() for cls in public_names.penalties()]
VARIANTS = [
    L2(0.7, half=True),
    ElasticNetPenalty(0.7, 0.3, half=True),
    ElasticNetPenalty(0.7, 0.3, positive=True),
    ElasticNetPenalty(0.7, 0.0),
    ElasticNetPenalty(0.7, 1.0),
]


@pytest.mark.spec("LIN-L01", "LIN-L03")
@pytest.mark.parametrize(("loss", "options"), DEFAULTS + LOSSES, ids=repr)
def test_losses(loss, options):
    check_loss(loss, **options)


def test_every_public_loss_is_tried():
    assert {type(loss) for loss, _ in DEFAULTS + LOSSES} == set(public_names.losses())


@pytest.mark.parametrize("penalty", PENALTIES + VARIANTS, ids=repr)
def test_penalties(penalty):
    check_penalty(penalty)


class WrongGradient(LogisticLoss):
    def gradient(self, y, z):
        return 0.9 * super().gradient(y, z)


class WrongPair(LogisticLoss):
    def pair(self, y, z):
        return self.value(y, z), 2.0 * self.gradient(y, z)


class WrongCurvature(LogisticLoss):
    def curvature(self, y, z):
        return 0.25 + 0.0 * z


class WrongSmoothness(LogisticLoss):
    smoothness = 0.1


class TooSmallConjugate(LogisticLoss):
    def conjugate(self, y, u):
        return super().conjugate(y, u) - 0.01


class TooLargeConjugate(LogisticLoss):
    def conjugate(self, y, u):
        return super().conjugate(y, u) + 0.01


class WrongLink(LogisticLoss):
    def link(self, mean):
        return mean


class WrongProx(HingeLoss):
    def prox(self, y, z, step):
        return z + step * y


class WrongDualStep(SquaredHingeLoss):
    def dual_step(self, y, alpha, score, norm, weight):
        return alpha


class WrongDualSlope(SquaredHingeLoss):
    def dual_slope(self, y, alpha, score, weight):
        return y * score - 1.0 + alpha / weight


class WrongDualBend(SquaredHingeLoss):
    def dual_bend(self, alpha, weight):
        return 1.0 / weight


BROKEN_LOSSES = [
    (WrongGradient(), "gradient is the derivative"),
    (WrongPair(), "pair is value and gradient"),
    (WrongCurvature(), "curvature is the derivative"),
    (WrongSmoothness(), "no curvature exceeds"),
    (TooSmallConjugate(), "conjugate ≥ u·z"),
    (TooLargeConjugate(), "conjugate = u·z"),
    (WrongLink(), "is the prediction"),
    (WrongProx(), "prox is the minimiser"),
    (WrongDualStep(), "dual_step maximises"),
    (WrongDualSlope(), "dual_slope is minus"),
    (WrongDualBend(), "dual_bend is minus"),
    (CallableLoss(lambda y, z: np.cos(z), convex=True), "says it is convex"),
    (CallableLoss(lambda y, z: np.inf + z), "finite somewhere"),
]


@pytest.mark.parametrize(("loss", "law"), BROKEN_LOSSES, ids=lambda case: type(case).__name__)
def test_a_wrong_loss_is_found_out(loss, law):
    with pytest.raises(AssertionError, match=f"law broken: .*{law}"):
        check_loss(loss)


class WrongTermInPython(L2):
    def term(self, w):
        return super().term(w) * (1.0 + 1e-9)


class WrongSlope(L1):
    def slope(self, w):
        return self.strength * (2.0 * (w >= 0.0) - 1.0)


class WrongGap(L1):
    def gap(self, w, g):
        return np.abs(g + self.slope(w))


class WrongGapOffZero(L1):
    def gap(self, w, g):
        return np.where(w == 0.0, super().gap(w, g), 0.0)


class WrongPenaltyProx(L1):
    def prox(self, x, step):
        return 0.99 * super().prox(x, step)


class WrongPenaltyConjugate(L2):
    def conjugate(self, v):
        return 1.1 * super().conjugate(v)


class SmallDualScale(L1):
    def dual_scale(self, v):
        return 0.5 * super().dual_scale(v)


class LargeDualScale(L1):
    def dual_scale(self, v):
        return 1.0


class WrongBend(L1):
    bend = 0.5


BROKEN_PENALTIES = [
    (WrongTermInPython(), "term is the same in a kernel"),
    (WrongSlope(), "sub-gradient of least modulus"),
    (WrongGap(), "gap is"),
    (WrongGapOffZero(), "gap is the distance"),
    (WrongPenaltyProx(), "prox is the minimiser"),
    (WrongPenaltyConjugate(), "at the slope"),
    (LargeDualScale(), "finite at dual_scale"),
    (SmallDualScale(), "largest factor"),
    (WrongBend(), "below its chords"),
]


@pytest.mark.parametrize(("penalty", "law"), BROKEN_PENALTIES, ids=lambda case: type(case).__name__)
def test_a_wrong_penalty_is_found_out(penalty, law):
    with pytest.raises(AssertionError, match=f"law broken: .*{law}"):
        check_penalty(penalty)
