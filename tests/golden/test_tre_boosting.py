"""Golden values of boosting."""

import itertools

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from gnomon.losses import LogisticLoss
from gnomon.search import BoostingPlan, Newton, adaboost, boost, code_columns, grow_tree
from gnomon.trees import AdaBoostClassifier, DecisionStump, GradientBoostingRegressor

LINE = np.arange(10.0)[:, None], np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, 1, 1, -1])
STEP = np.arange(1.0, 7.0)[:, None], np.array([1.0, 1, 2, 8, 9, 10])


class BestHalfspace(ClassifierMixin, BaseEstimator):
    """The halfspace through corners of the square with the least weighted error."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        normals = [(np.array(w), b) for w in itertools.product((-1, 0, 1), repeat=2) for b in (-1.5, -0.5, 0.5, 1.5)]
        errors = [np.sum(sample_weight[np.where(X @ w + b > 0, 1, -1) != y]) for w, b in normals]
        self.w_, self.b_ = normals[int(np.argmin(np.round(errors, 12)))]
        return self

    def predict(self, X):
        return np.where(X @ self.w_ + self.b_ > 0, 1, -1)


@pytest.mark.spec("TRE-G28", "TRE-070", "TRE-005")
@pytest.mark.parametrize("estimator", [None, "stump", DecisionStump("misclassification"), DecisionStump("entropy")])
def test_three_stumps_on_a_line(estimator):
    x, y = LINE
    model = AdaBoostClassifier(estimator, n_estimators=3, proba="logistic").fit(x, y)
    assert [stump.tree_.threshold[0] for stump in model.estimators_] == [2.5, 8.5, 5.5]
    left = [stump.predict([[-1.0]])[0] for stump in model.estimators_]
    assert left == [1, 1, -1]
    np.testing.assert_allclose(model.estimator_errors_, [0.3, 0.214286, 0.181818], atol=5e-7)
    np.testing.assert_allclose(model.alphas_, [0.423649, 0.649641, 0.752039], atol=5e-7)
    np.testing.assert_allclose(model.estimator_weights_, 2.0 * model.alphas_)
    np.testing.assert_allclose(model.history_["objective"], [0.916515, 0.752140, 0.580193], atol=5e-7)
    assert model.history_["error"][-1] == 0.0
    np.testing.assert_allclose(model.additive_score(x)[[0, 3, 6, 9]], [0.3213, -0.5260, 0.9780, -0.3213], atol=5e-5)
    assert model.predict_proba([[0.0]])[0, 1] == pytest.approx(0.6553, abs=5e-5)


@pytest.mark.spec("TRE-G28")
def test_weights_after_the_first_stump():
    x, y = LINE
    index = (y > 0).astype(int)

    def learn(w):
        tree = DecisionStump().fit(x, y, w).tree_
        return tree, tree.predict(x)

    found = adaboost(learn, index, 2, 3, keep_weights=True)
    np.testing.assert_allclose(found.weights[1][[6, 7, 8]], 1 / 6)
    np.testing.assert_allclose(np.delete(found.weights[1], [6, 7, 8]), 0.071429, atol=5e-7)


@pytest.mark.spec("TRE-G29", "TRE-L26", "TRE-072")
def test_halfspaces_learn_xor_and_stumps_do_not():
    X, y = XOR
    model = AdaBoostClassifier(BestHalfspace(), n_estimators=3).fit(X, y)
    np.testing.assert_allclose(model.estimator_errors_, [0.25, 0.166667, 0.1], atol=5e-7)
    np.testing.assert_allclose(model.alphas_, [0.549306, 0.804719, 1.098612], atol=5e-7)
    np.testing.assert_allclose(model.history_["objective"], [0.866025, 0.645497, 0.387298], atol=5e-7)
    assert model.score(X, y) == 1.0
    with pytest.raises(ValueError, match="no edge over chance"):
        AdaBoostClassifier().fit(X, y)


@pytest.mark.spec("TRE-G30", "TRE-074")
@pytest.mark.parametrize(
    ("K", "error", "bracket", "beta"), [(3, 0.5, 0.693147, 0.924196), (2, 0.25, 1.098612, 0.549306)]
)
def test_the_step_of_several_classes(K, error, bracket, beta):
    n = 12
    index = np.arange(n) % K
    shares = np.eye(K)[np.where(np.arange(n) < round(n * error), (index + 1) % K, index)]
    found = adaboost(lambda w: (None, shares), index, K, 1)
    assert found.errors[0] == pytest.approx(error)
    assert found.brackets[0] == pytest.approx(bracket, abs=5e-7)
    assert found.betas[0] == pytest.approx(beta, abs=5e-7)


@pytest.mark.spec("TRE-G43", "TRE-075")
def test_squared_error_by_stumps():
    x, y = STEP
    model = GradientBoostingRegressor(n_estimators=3, max_depth=1, learning_rate=0.5, min_samples_leaf=1).fit(x, y)
    assert model.baseline_[0] == pytest.approx(5.166667, abs=5e-7)
    assert [tree.tree_.threshold[0] for tree in model.estimators_.ravel()] == [3.5, 3.5, 4.5]
    errors = [np.sum((y - y.mean()) ** 2), *(np.sum((y - z) ** 2) for z in model.staged_predict(x))]
    np.testing.assert_allclose(errors, [90.833333, 24.708333, 8.177083, 3.391927], atol=5e-7)
    np.testing.assert_allclose(6 * model.train_score_, errors[1:])


@pytest.mark.spec("TRE-G44", "TRE-075")
@pytest.mark.parametrize(("lam", "gain", "leaves"), [(0.0, 1.5, [-2.0, 1.0]), (1.0, 0.583333, [-0.666667, 0.5])])
def test_first_newton_stump_of_the_logistic_loss(lam, gain, leaves):
    x, y = np.arange(1.0, 7.0)[:, None], np.array([-1.0, -1, 1, -1, 1, 1])
    plan = BoostingPlan(LogisticLoss(), learning_rate=1.0, lam=lam, growth={"max_depth": 1, "min_samples_leaf": 1})
    tree = boost(code_columns(x), y, plan, 1, start=np.zeros((6, 1))).trees[0][0]
    assert tree.threshold[0] == 2.5
    np.testing.assert_allclose(tree.answers[1:, 0], leaves, atol=5e-7)
    assert tree.gain[0] * tree.weight[0] == pytest.approx(gain, abs=5e-7)
    options = {"sample_weight": np.full(6, 0.25), "max_depth": 1, "min_impurity": -np.inf}
    grown = grow_tree(code_columns(x), -y / 2, Newton(lam), **options)
    np.testing.assert_allclose(grown.answers[1:, 0], leaves, atol=5e-7)
