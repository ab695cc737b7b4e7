"""Golden values of losses, penalties and risks."""

import numpy as np
import pytest

from gnomon.losses import (
    BinaryCrossEntropy,
    ClassRisks,
    LogisticLoss,
    MulticlassHinge,
    OneVsRestCrossEntropy,
    TwoTermCrossEntropy,
    Weighted,
    ZeroOneLoss,
    class_risks,
)
from gnomon.numerics.special import sigmoid
from gnomon.penalties import L0, L1, L2, ElasticNetPenalty, soft_threshold

Y = np.array([3.0, -0.2, -2.0])


@pytest.mark.spec("LIN-G08")
def test_lasso_of_one_coordinate_is_a_soft_threshold():
    """min (y − w)² + λ|w| is the proximal step ½ of the penalty."""
    np.testing.assert_allclose(L1(1.0).prox(np.array([0.3, 1.0, -2.0]), 0.5), [0.0, 0.5, -1.5])


@pytest.mark.spec("LIN-G09")
def test_soft_threshold_and_projection_on_the_l1_ball():
    np.testing.assert_allclose(soft_threshold(Y, 0.5), [2.5, 0.0, -1.5])
    np.testing.assert_allclose(L1().project(Y, 4.0), [2.5, 0.0, -1.5])
    np.testing.assert_allclose(L1().project(Y, 2.0), [1.5, 0.0, -0.5])


@pytest.mark.spec("LIN-G10")
def test_four_penalties_on_the_identity():
    """min ‖y − w‖² + Ω(w) is the proximal step ½ of Ω."""
    np.testing.assert_allclose(L2(1.0).prox(Y, 0.5), [1.5, -0.1, -1.0])
    np.testing.assert_allclose(L1(1.0).prox(Y, 0.5), [2.5, 0.0, -1.5])
    np.testing.assert_allclose(L0(1.0).prox(Y, 0.5), [3.0, 0.0, -2.0])
    np.testing.assert_allclose(
        ElasticNetPenalty(1.0, 0.5).prox(Y, 0.5), [1.8333333, 0.0, -1.1666667], rtol=0, atol=5e-8
    )


@pytest.mark.spec("LIN-G40")
def test_logistic_loss_and_sigmoid():
    margins = np.array([0.0, 1.0, -1.0, 5.0, -5.0])
    expected = [0.6931472, 0.3132617, 1.3132617, 0.0067153, 5.0067153]
    np.testing.assert_allclose(LogisticLoss().value(1.0, margins), expected, rtol=0, atol=5e-8)
    assert sigmoid(1.0) == pytest.approx(0.7310586, abs=5e-8)


@pytest.mark.spec("LIN-G41")
def test_two_term_cross_entropy():
    y, s = np.array([0]), np.array([[1.0, -1.0, 0.0]])
    np.testing.assert_allclose(TwoTermCrossEntropy().value(y, s), [0.7826282], rtol=0, atol=5e-8)
    np.testing.assert_allclose(
        TwoTermCrossEntropy().gradient(y, s), [[-0.6161328, 0.1508888, 0.4652440]], rtol=0, atol=5e-8
    )


@pytest.mark.spec("LIN-G42", "LIN-010", "LIN-013")
def test_cross_entropy_of_each_digit():
    code, loss = np.array([1.0, 0.0, 0.0, 0.0]), BinaryCrossEntropy(from_score=False)
    np.testing.assert_allclose(
        loss.value(code, np.array([0.9, 0.1, 0.0, 0.0])), [0.1053605, 0.1053605, 0, 0], rtol=0, atol=5e-8
    )
    wrong = np.array([0.1, 0.9, 0.0, 0.0])
    np.testing.assert_allclose(loss.value(code, wrong), [2.3025851, 2.3025851, 0, 0], rtol=0, atol=5e-8)
    np.testing.assert_array_equal(loss.value(code, np.array([0.0, 1.0, 0.0, 0.0])), [np.inf, np.inf, 0.0, 0.0])
    clipped = BinaryCrossEntropy(from_score=False, clip=1e-15).value(code, np.array([0.0, 1.0, 0.0, 0.0]))
    np.testing.assert_allclose(clipped, [34.5387764, 34.5395760, 0.0, 0.0], rtol=0, atol=5e-8)
    scores = np.log(np.array([[0.9, 0.1, 0.5]])) - np.log1p(-np.array([[0.9, 0.1, 0.5]]))
    np.testing.assert_allclose(
        OneVsRestCrossEntropy().value(np.array([0]), scores), 2 * 0.1053605 + np.log(2), atol=1e-7
    )


@pytest.mark.spec("LIN-G43", "LIN-014")
def test_multiclass_hinge_pulls_although_the_class_is_right():
    y, s = np.array([0]), np.array([[1.0, 0.8, -1.0]])
    np.testing.assert_allclose(MulticlassHinge().value(y, s), [0.8])
    np.testing.assert_array_equal(MulticlassHinge().gradient(y, s), [[-1.0, 1.0, 0.0]])


class Sure:
    """A classifier that says +1 for every row, with margin one."""

    classes_ = np.array([-1, 1])

    def decision_function(self, X):
        return np.where(X[:, 0] > 0, 1.0, -1.0)

    def predict(self, X):
        return self.decision_function(X).astype(int)


@pytest.mark.spec("LIN-G61", "LIN-016")
def test_total_risk_is_the_negative_price_times_that_of_the_ratio():
    report = ClassRisks(np.array([-1, 1]), risks=np.array([5.0, 3.0]), counts=np.array([9.0, 9.0]))
    assert report.total((2.0, 4.0)) == 22.0
    assert 2.0 * report.total((1.0, 2.0)) == 22.0
    # Three errors among the positives and five among the negatives, found by a model.
    y = np.repeat([1, -1, 1, -1], [3, 5, 2, 2])
    X = np.where(np.arange(12) < 8, -y, y)[:, None].astype(float)
    found = class_risks(Sure(), X, y)
    np.testing.assert_array_equal(found.risks, [5.0, 3.0])
    assert found.total((2.0, 4.0)) == 22.0
    weighted = class_risks(Sure(), X, y, loss=Weighted(ZeroOneLoss(), (2.0, 4.0)))
    assert weighted.total() == 22.0
    # Prices enter by their ratio alone: c₋ R(c₊/c₋, 1).
    assert 2.0 * class_risks(Sure(), X, y, loss=Weighted.by_ratio(ZeroOneLoss(), 2.0)).total() == 22.0
