"""Laws of the kernel perceptron: it is the perceptron in the feature space of its kernel."""

import inspect

import numpy as np
import pytest
from sklearn.datasets import make_circles
from sklearn.exceptions import ConvergenceWarning

from gnomon.kernels import RBF, FeatureMapKernel, Linear, Polynomial
from gnomon.linear import AveragedPerceptron, VotedPerceptron
from gnomon.numerics.design import Design
from gnomon.numerics.gram_design import GramDesign
from gnomon.optim import SELECTIONS, perceptron
from gnomon.svm import KernelPerceptron

RNG = np.random.default_rng(3)
X = RNG.integers(-3, 4, (40, 2)).astype(float)
# A margin around the curve x₁² + x₂ = 1.5, for whole numbers.
Y = np.where(X[:, 0] ** 2 + X[:, 1] > 1.5, 1.0, -1.0)
NEW = RNG.standard_normal((9, 2))


def phi(A):
    return np.column_stack([np.ones(len(A)), A, A**2, A[:, 0] * A[:, 1]])


@pytest.mark.spec("KER-044", "KER-L11")
@pytest.mark.parametrize("selection", SELECTIONS)
def test_the_same_updates_as_the_perceptron_on_features(selection):
    F = phi(X)
    primal = perceptron(
        Design(F, "none"), Y, np.ones(40), np.zeros((1, 6)), selection=selection, keep_log=True, random_state=0
    )
    dual = perceptron(
        GramDesign(F @ F.T), Y, np.ones(40), np.zeros((1, 40)), selection=selection, keep_log=True, random_state=0
    )
    np.testing.assert_array_equal(dual.details["log"], primal.details["log"])
    np.testing.assert_array_equal(dual.w[0], F @ primal.w[0])
    model = KernelPerceptron(FeatureMapKernel(phi), selection=selection, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.dual_coef_ @ F, primal.w[0])
    assert model.n_updates_ == primal.details["n_updates"] == len(primal.details["log"])


@pytest.mark.spec("KER-044", "KER-L12", "KER-L43")
def test_updates_are_bounded_where_classes_are_separable():
    # For whole numbers 2(x₁² + x₂ − 1.5) is odd, so this w* has y f ≥ 1; the constant of the kernel is 1.
    best = np.array([-3.0, 0.0, 2.0, 2.0, 0.0, 0.0])
    assert np.min(Y * (phi(X) @ best)) >= 1.0
    model = KernelPerceptron(FeatureMapKernel(phi)).fit(X, Y)
    assert model.converged_
    assert model.stop_reason_ == "perfect"
    assert 0 < model.n_updates_ <= np.max(np.sum(phi(X) ** 2, axis=1)) * (best @ best)
    assert np.all(model.predict(X) == Y)
    few, signs = np.eye(3)[:2], [1, -1]
    weights = KernelPerceptron(Linear()).fit(few, signs).dual_coef_ @ few
    assert weights[2] == 0.0


@pytest.mark.spec("KER-044", "KER-L12")
def test_a_line_through_the_origin_does_not_learn_the_exclusive_or_and_says_so():
    square, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]
    with pytest.warns(ConvergenceWarning, match="not converged after 50 passes: the last one met"):
        model = KernelPerceptron(Linear(), max_iter=50).fit(square, y)
    assert not model.converged_
    assert model.stop_reason_ == "max_iter"


@pytest.mark.spec("KER-044", "KER-L13")
def test_one_update_adds_one_bump():
    with pytest.warns(ConvergenceWarning):
        one = KernelPerceptron(RBF(1.0), eta0=0.5, bias=0.25, max_iter=1).fit(X[:2], [1, -1] if Y[0] > 0 else [-1, 1])
    assert one.n_updates_ == 1
    i = int(np.argmax(one.mistake_counts_))
    bump = 0.5 * np.sign(one.dual_coef_[i]) * RBF(1.0).gram(NEW, X[[i]])[:, 0]
    np.testing.assert_allclose(one.decision_function(NEW), 0.25 + bump, atol=1e-15)
    # Mistakes alone have a coefficient, and nothing shrinks them.
    model = KernelPerceptron(RBF(1.0), eta0=0.5, bias=0.25).fit(X, Y)
    K, signs, counts = RBF(1.0).gram(X), np.where(model.classes_[1] == Y, 1.0, -1.0), np.zeros(40)
    for i in np.tile(np.arange(40), model.n_iter_):
        counts[i] += signs[i] * (0.25 + 0.5 * (counts * signs) @ K[i]) <= 0.0
    np.testing.assert_array_equal(model.mistake_counts_, counts)
    np.testing.assert_array_equal(model.alpha_, 0.5 * model.mistake_counts_)
    assert model.n_parameters_ == np.count_nonzero(model.mistake_counts_) < 40
    assert not {"lam", "C", "alpha"} & inspect.signature(KernelPerceptron).parameters.keys()


@pytest.mark.spec("KER-044")
def test_prices_of_classes_are_lengths_of_steps():
    model = KernelPerceptron(RBF(1.0), class_weight={-1: 3.0, 1: 0.5}).fit(X, Y)
    np.testing.assert_array_equal(model.alpha_, np.where(Y > 0, 0.5, 3.0) * model.mistake_counts_)


@pytest.mark.spec("KER-044")
@pytest.mark.parametrize(("output", "peer"), [("averaged", AveragedPerceptron), ("voted", VotedPerceptron)])
@pytest.mark.parametrize("target", [Y, np.sign(X[:, 0]) + np.sign(X[:, 1])], ids=["two", "several"])
def test_means_and_votes_are_those_of_the_linear_model(output, peer, target):
    linear = peer(selection="cyclic", fit_intercept=False, max_iter=4).fit(X, target)
    model = KernelPerceptron(Linear(), output=output, max_iter=4).fit(X, target)
    np.testing.assert_allclose(model.decision_function(NEW), linear.decision_function(NEW), atol=1e-12)
    np.testing.assert_array_equal(model.predict(NEW), linear.predict(NEW))


@pytest.mark.spec("KER-044", "KER-L41")
def test_a_gaussian_separates_rings():
    rings, inside = make_circles(120, noise=0.05, factor=0.4, random_state=0)
    assert KernelPerceptron(RBF(0.5)).fit(rings, inside).score(rings, inside) == 1.0
    several = (rings[:, 0] > 0).astype(int) + 2 * inside
    model = KernelPerceptron(RBF(0.3)).fit(rings, several)
    assert model.score(rings, several) == 1.0
    assert model.dual_coef_.shape == (120, 4)


@pytest.mark.spec("KER-044")
def test_the_objective_is_the_perceptron_loss():
    with pytest.warns(ConvergenceWarning):
        model = KernelPerceptron(Polynomial(1), max_iter=3, class_weight={-1: 2.0, 1: 1.0}).fit(X, Y)
    loss = np.where(Y > 0, 1.0, 2.0) * np.maximum(0.0, -Y * model.decision_function(X))
    assert model.objective_ == pytest.approx(np.sum(loss))
