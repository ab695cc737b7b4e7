"""Golden values of support vector machines: KER-G31 to G40, G43, G44, G51, G52."""

import gzip

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import OneClassSVM as PeerOneClass

from gnomon.kernels import RBF, Polynomial
from gnomon.optim import KernelDual
from gnomon.svm import SVC, SVR, OneClassSVM, check_kkt
from real_data import data_path

EXACT = {"tol": 1e-10}
CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = np.array([-1, 1, 1, -1])
FOUR = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0]])
FIVE, FIVE_Y = np.vstack([FOUR, [[0.5, 0.5]]]), np.array([-1, -1, 1, 1, 1])
LINE = np.array([[0.0], [1.0], [2.0], [3.0], [10.0]])


@pytest.mark.parametrize(
    ("X", "y", "alpha", "w", "b", "value"),
    [
        pytest.param([[0, 0], [2, 0]], [-1, 1], [0.5, 0.5], [1, 0], -1, 0.5, marks=pytest.mark.spec("KER-G31")),
        pytest.param(
            [[1, 1], [2, 2], [0, 0], [-1, 0]], [1, 1, -1, -1], [1, 0, 1, 0], [1, 1], -1, 1,
            marks=pytest.mark.spec("KER-G32", "KER-053", "KER-062"),
        ),
        pytest.param(FOUR, [-1, -1, 1, 1], [0.5, 0.5, 1, 0], [1, -1], -1, 1, marks=pytest.mark.spec("KER-G33")),
    ],
)  # fmt: skip
def test_hard_margin(X, y, alpha, w, b, value):
    model = SVC(C=np.inf, kernel="linear", **EXACT).fit(X, y)
    np.testing.assert_allclose(model.alpha_, alpha, atol=1e-8)
    np.testing.assert_allclose(model.coef_, [w], atol=1e-8)
    assert model.intercept_ == pytest.approx(b)
    assert model.objective_ == pytest.approx(value)
    assert model.margin_ == pytest.approx(1.0 / np.linalg.norm(w))
    assert model.dual_gap_ <= 1e-8
    # Every support vector says the same b.
    slack = np.asarray(y) * model.decision_function(X) - 1.0
    assert slack.min() == pytest.approx(0.0, abs=1e-8)


@pytest.mark.spec("KER-G33", "KER-056")
def test_dual_is_maximised_and_unbounded_below():
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    problem = KernelDual(y, np.full(4, -np.inf), np.full(4, np.inf))
    beta = np.array([0.5, 0.5, 1.0, 0.0]) * y
    values = [-problem.objective(t * beta, FOUR @ FOUR.T @ (t * beta)) for t in (1, 10, 100)]
    np.testing.assert_allclose(values, [1, -80, -9800])


@pytest.mark.spec("KER-G34")
def test_parity_by_squares():
    for X, alpha, b, dual in [
        (CORNERS, [10 / 3, 8 / 3, 8 / 3, 2], -1, 16 / 3),
        (2 * CORNERS - 1, [1 / 8] * 4, 0, 0.25),
    ]:
        model = SVC(C=np.inf, kernel=Polynomial(2), **EXACT).fit(X, XOR)
        np.testing.assert_allclose(model.alpha_, alpha, rtol=1e-7)
        assert model.intercept_ == pytest.approx(b, abs=1e-8)
        assert model.objective_ - model.dual_gap_ == pytest.approx(dual)
        np.testing.assert_allclose(model.decision_function(X), XOR, atol=1e-7)


@pytest.mark.spec("KER-G35", "KER-054", "KER-063", "KER-065")
@pytest.mark.parametrize(
    ("C", "alpha", "w", "b", "interval", "value"),
    [
        (10.0, [8, 3, 1, 0, 10], [1, -1], -1, (-1, -1), 21),
        (1.0, [1, 0.75, 0.75, 0, 1], [0.5, -1], 0, (0, 0), 2.875),
        (0.1, [0.1, 0.1, 0.1, 0, 0.1], [0.05, -0.15], 0.875, (0.85, 0.9), 0.3875),
    ],
)
def test_soft_margin(C, alpha, w, b, interval, value):
    model = SVC(C=C, kernel="linear", **EXACT).fit(FIVE, FIVE_Y)
    np.testing.assert_allclose(model.alpha_, alpha, atol=1e-7)
    np.testing.assert_allclose(model.coef_, [w], atol=1e-7)
    assert model.intercept_ == pytest.approx(b, abs=1e-7)
    np.testing.assert_allclose(model.intercept_interval_, [interval], atol=1e-7)
    assert model.objective_ == pytest.approx(value)
    if C == 1.0:
        np.testing.assert_allclose(model.slack_, [1, 0, 0, 0, 1.25], atol=1e-7)
        assert model.point_classes_.tolist() == ["bound", "margin", "margin", "interior", "bound"]


@pytest.mark.spec("KER-G36", "KER-067")
def test_a_weight_of_two_is_the_row_twice():
    weighted = SVC(kernel="linear", **EXACT).fit(FIVE, FIVE_Y, sample_weight=[1, 1, 1, 1, 2])
    np.testing.assert_allclose(weighted.alpha_, [1, 79 / 81, 0, 8 / 27, 136 / 81], atol=1e-7)
    np.testing.assert_allclose(weighted.coef_, [[-2 / 9, -10 / 9]], atol=1e-7)
    assert weighted.intercept_ == pytest.approx(5 / 3)
    assert weighted.objective_ == pytest.approx(268 / 81)
    twice = SVC(kernel="linear", **EXACT).fit(np.vstack([FIVE, FIVE[-1:]]), [*FIVE_Y, 1])
    np.testing.assert_allclose(twice.coef_, weighted.coef_, atol=1e-7)


@pytest.mark.spec("KER-G37", "KER-055")
def test_squared_hinge():
    model = SVC(kernel="linear", loss="squared_hinge", **EXACT).fit(FIVE, FIVE_Y)
    np.testing.assert_allclose(model.alpha_, np.array([60, 28, 16, 0, 72]) / 31, atol=1e-7)
    np.testing.assert_allclose(model.coef_, [[12 / 31, -20 / 31]], atol=1e-7)
    assert model.intercept_ == pytest.approx(-1 / 31)
    assert model.objective_ == pytest.approx(88 / 31)
    np.testing.assert_allclose(model.slack_, model.alpha_ / 2, atol=1e-7)
    # Slacks that are only counted make no convex problem.
    with pytest.raises(ValueError, match="loss"):
        SVC(kernel="linear", loss="count").fit(FIVE, FIVE_Y)


@pytest.mark.spec("KER-G38", "KER-057")
def test_penalised_intercept():
    model = SVC(C=10.0, kernel="linear", penalize_intercept=True, **EXACT).fit(FIVE, FIVE_Y)
    np.testing.assert_allclose(model.alpha_, [9, 3, 1, 0, 10], atol=1e-6)
    assert model.objective_ == pytest.approx(21.5)
    assert model.intercept_ == pytest.approx(np.sum(model.alpha_ * FIVE_Y))


@pytest.mark.spec("KER-G39", "KER-063")
def test_parity_by_gaussians_without_a_free_support_vector():
    hard = SVC(C=np.inf, kernel=RBF(1.0), **EXACT).fit(CORNERS, XOR)
    np.testing.assert_allclose(hard.alpha_, 6.4591922, rtol=1e-7)
    assert hard.objective_ - hard.dual_gap_ == pytest.approx(12.9183843)
    soft = SVC(C=1.0, kernel=RBF(1.0), **EXACT).fit(CORNERS, XOR)
    np.testing.assert_allclose(soft.alpha_, 1.0)
    np.testing.assert_allclose(soft.decision_function(CORNERS), 0.1548181 * XOR, atol=1e-7)
    np.testing.assert_allclose(soft.intercept_interval_, [[-0.8451819, 0.8451819]], atol=1e-7)
    assert soft.intercept_ == pytest.approx(0.0, abs=1e-9)


@pytest.mark.spec("KER-G40", "KER-067")
def test_prices_of_a_prior():
    X = np.random.default_rng(0).normal(size=(100, 2))
    y = np.array([1] * 10 + [0] * 90)
    model = SVC(prior=0.5).fit(X, y)
    np.testing.assert_allclose(model.class_weight_, [0.5555555556, 5.0])
    np.testing.assert_array_equal(model.dual_coef_, SVC(class_weight={0: 5 / 9, 1: 5.0}).fit(X, y).dual_coef_)
    # Whatever the weights, the prices of the classes are then as the prior says; their sum is that of the weights.
    both = SVC(prior=0.2, class_weight={0: 3.0, 1: 1.0}).fit(X, y)
    np.testing.assert_allclose(both.class_weight_ * [90, 10], 280 * np.array([0.8, 0.2]))


@pytest.mark.spec("KER-G43", "KER-077")
def test_regression():
    x = np.arange(3.0)[:, None]
    model = SVR(kernel="linear", epsilon=0.5, **EXACT).fit(x, x.ravel())
    np.testing.assert_allclose(model.dual_coef_, [[-0.25, 0.25]])
    assert (model.coef_.item(), model.intercept_.item()) == pytest.approx((0.5, 0.5))
    assert model.objective_ == pytest.approx(1 / 8)
    smooth = SVR(kernel=RBF(1.0), C=10.0, epsilon=0.1, **EXACT).fit(x, [0, 1, 1])
    np.testing.assert_allclose(smooth.dual_coef_, [[-1.0165976, 1.0165976]], rtol=1e-7)
    assert smooth.support_.tolist() == [0, 1]
    assert smooth.intercept_ == pytest.approx(0.5)
    assert smooth.predict([[2.0]]) == pytest.approx(0.9790161)


@pytest.mark.spec("KER-G44", "KER-078")
@pytest.mark.parametrize(
    ("nu", "alpha", "rho"),
    [
        (0.2, [0.2587400, 0.0805676, 0.0805676, 0.2587400, 0.3213847], 0.3213847),
        (0.8, [0.25, 0.125, 0.125, 0.25, 0.25], 0.3862828),
        (1.0, [0.2] * 5, 0.4696793),
    ],
)
def test_one_class(nu, alpha, rho):
    model = OneClassSVM(kernel=RBF(1.0), nu=nu, **EXACT).fit(LINE)
    np.testing.assert_allclose(model.alpha_, alpha, atol=1e-7)
    assert model.rho_ == pytest.approx(rho, abs=1e-7)
    assert model.offset_ == pytest.approx(5 * nu * rho, abs=1e-6)
    np.testing.assert_allclose(model.dual_coef_, [5 * nu * model.alpha_[model.support_]])
    if nu == 0.8:
        f = [-0.0407723, 0, 0, -0.0407723, -0.1362828]
        np.testing.assert_allclose(model.decision_function(LINE) / (5 * nu), f, atol=1e-7)


@pytest.mark.spec("KER-G51")
def test_heart_scale():
    X, y = load_svmlight_file(str(data_path("svm/heart_scale")))
    model = SVC(C=1.0, gamma=1 / 13, **EXACT).fit(X.toarray(), y)
    assert model.objective_ - model.dual_gap_ == pytest.approx(100.87729, abs=5e-6)
    assert model.n_support_.sum() == 132
    assert np.count_nonzero(model.point_classes_ == "bound") == 107
    assert model.intercept_ == pytest.approx(0.424508, abs=5e-7) or model.intercept_ == pytest.approx(
        -0.424508, abs=5e-7
    )
    assert model.score(X.toarray(), y) == pytest.approx(0.8666667)
    assert check_kkt(model, X.toarray(), y, 1e-8)


@pytest.mark.spec("KER-G52", "KER-015")
def test_svmguide1_needs_scaling():
    tables = []
    for name in ("svm/svmguide1.gz", "svm/svmguide1.t.gz"):
        with gzip.open(data_path(name)) as file:
            tables.append(load_svmlight_file(file, n_features=4))
    (X, y), (T, t) = tables
    X, T = X.toarray(), T.toarray()
    scaler = MinMaxScaler((-1, 1)).fit(X)
    with pytest.warns(UserWarning, match="features on wild scales"):
        raw = SVC(gamma=0.25).fit(X, y)
    assert raw.score(T, t) == pytest.approx(0.66925)
    scaled = scaler.transform(X), y
    assert SVC(gamma=0.25).fit(*scaled).score(scaler.transform(T), t) == pytest.approx(0.9615)
    assert SVC(C=2.0, gamma=2.0).fit(*scaled).score(scaler.transform(T), t) == pytest.approx(0.96875)


@pytest.mark.spec("KER-078")
def test_a_row_on_the_border_is_outside():
    """Equal rows have f = 0 exactly."""
    model = OneClassSVM(nu=0.5, gamma=1.0).fit(np.zeros((4, 1)))
    assert model.decision_function([[0.0]]) == [0.0]
    assert model.predict([[0.0]]) == PeerOneClass(nu=0.5, gamma=1.0).fit(np.zeros((4, 1))).predict([[0.0]]) == [-1]
