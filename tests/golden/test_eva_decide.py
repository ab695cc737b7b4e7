"""Golden values of decisions, detection costs and calibration."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, log_softmax
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin

from gnomon.decision import (
    Application,
    RejectClassifier,
    ScoreCalibrator,
    act_dcf,
    bayes_action,
    bayes_decision,
    bayes_error_curve,
    bayes_risk,
    cllr,
    cost_threshold,
    dcf,
    empirical_bayes_risk,
    expected_cost,
    min_cllr,
    min_dcf,
    population_minimizer,
    proper_score,
    shift_prior,
)
from gnomon.distributions import Exponential, Normal
from gnomon.evaluation import eer, score_curve
from gnomon.losses import ExponentialLoss, HingeLoss, LogisticLoss, SquaredHingeLoss, SquaredLoss
from real_data import data_path

S = np.array([-2.0, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1])
Y = np.array([0, 0, 1, 0, 1, 1, 1, 0])


def near(value, abs=1e-6):
    return pytest.approx(value, abs=abs)


@pytest.mark.spec("EVA-G18")
def test_cost_of_likelihood_ratios_and_pooled_scores():
    assert cllr(Y, S) == near(0.674370)
    assert min_cllr(Y, S) == near(0.344361)
    pooled = ScoreCalibrator("pav", laplace=False).fit(S, Y).transform(S)
    middle = np.isin(S, (-0.5, -0.1, 0.2))
    np.testing.assert_allclose(pooled[middle], -np.log(2.0))
    np.testing.assert_array_equal(pooled[~middle], np.where(S[~middle] < 0.0, -np.inf, np.inf))


COSTS = [  # prior, miss, false alarm: actual, minimum; effective prior, threshold, accept all, reject all
    ((0.5, 1, 1), (0.5, 0.25), (0.5, 0.0, 0.5, 0.5)),
    ((0.8, 1, 1), (0.75, 0.5), (0.8, -1.386294, 0.2, 0.8)),
    ((0.5, 10, 1), (1.0, 0.5), (0.909091, -2.302585, 0.5, 5.0)),
    ((0.8, 1, 10), (0.5, 0.25), (0.285714, 0.916291, 2.0, 0.8)),
    ((0.2, 1, 10), (1.0, 0.25), (0.0243902, 3.688879, 8.0, 0.2)),
    ((0.2, 1, 1), (0.5, 0.25), (0.2, 1.386294, 0.8, 0.2)),
]


@pytest.mark.spec("EVA-G19", "EVA-G23", "EVA-070", "EVA-071", "EVA-075", "EVA-076", "EVA-077")
@pytest.mark.parametrize(("numbers", "costs", "facts"), COSTS)
def test_actual_and_minimum_cost(numbers, costs, facts):
    app = Application(*numbers)
    assert (act_dcf(Y, S, app), min_dcf(Y, S, app).value) == near(costs)
    t = min_dcf(Y, S, app).threshold
    assert dcf(Y, (t < S).astype(int), app) == near(costs[1])
    reject, accept = app.dummy_cost
    assert (app.effective_prior, app.threshold, accept, reject) == near(facts)


@pytest.mark.spec("EVA-G20", "EVA-078")
def test_bayes_error_curve():
    o = [-2, -1, 0, 1, 2]
    found = bayes_error_curve({"one": S, "two": -S}, Y, o)
    np.testing.assert_allclose(found.actual["one"], [1, 0.5, 0.5, 0.5, 0.75])
    np.testing.assert_allclose(found.minimum["one"], [0.25, 0.25, 0.25, 0.5, 0.5])
    np.testing.assert_allclose(bayes_error_curve(S, Y, o, tie="positive").actual["scores"], [0.75, 0.5, 0.5, 0.75, 1])
    assert len(bayes_error_curve(S, Y).log_odds) == 121


@pytest.mark.spec("EVA-G21", "EVA-081")
def test_logistic_calibration():
    table = {0.5: (1.845211, -0.036650, -0.036650), 0.2: (2.235729, -1.462608, -0.076314),
             0.9: (2.024246, 2.271314, 0.074089)}  # fmt: skip
    for prior, expected in table.items():
        found = ScoreCalibrator(prior=prior).fit(S, Y)
        assert (found.alpha_, found.beta_, found.gamma_) == near(expected)
    llr = ScoreCalibrator().fit(S, Y).transform(S)
    assert cllr(Y, llr) == near(0.625288)
    assert (act_dcf(Y, llr, Application(0.8)), act_dcf(Y, llr, Application(0.5, 10, 1))) == near((0.5, 0.75))


@pytest.mark.spec("EVA-G22")
@pytest.mark.parametrize(
    ("prior", "slope", "offset", "objective"),
    [(0.5, 0.770643, 0.216016, 0.592223), (0.2, 0.636987, -1.129801, 0.446353), (0.4, 0.745542, -0.173422, 0.579267)],
)
def test_prior_weighted_logistic_regression(prior, slope, offset, objective):
    found = ScoreCalibrator(prior=prior, lam=0.1).fit([-2, -1, 0.5, -0.5, 1], ["-", "-", "-", "z", "z"])
    assert (found.alpha_, found.beta_, found.objective_) == near((slope, offset, objective))


@pytest.mark.spec("EVA-G24", "EVA-074")
def test_normalised_cost_of_rates():
    y = np.repeat([1, 0], [100, 100])
    decided = np.concatenate([np.arange(100) >= 21, np.arange(100) < 13]).astype(int)
    app = Application(0.3, 2.0, 7.0)
    assert app.effective_prior == near(0.109091)
    assert dcf(y, decided, app, normalize=False) == near(0.763)
    assert dcf(y, decided, app) == near(1.271667)
    assert dcf(y, decided, Application(app.effective_prior)) == near(1.271667)
    ratio = dcf(y, decided, app, normalize=False) / dcf(y, decided, Application(app.effective_prior), normalize=False)
    assert ratio == near(5.5)
    y = np.repeat([1, 0], [30, 70])
    decided = np.concatenate([np.arange(30) >= 3, np.arange(70) < 14]).astype(int)
    assert np.mean(y != decided) == near(0.17)
    assert dcf(y, decided, Application(0.3)) == near(0.566667)


@pytest.mark.spec("EVA-G25", "EVA-061", "EVA-073")
def test_three_classes():
    C = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    np.testing.assert_allclose(expected_cost([[0.4, 0.25, 0.35]], C), [[0.95, 0.75, 1.05]])
    assert bayes_decision([[0.4, 0.25, 0.35]], C).tolist() == [1]
    app = Application([0.3, 0.4, 0.3], cost_matrix=C)
    np.testing.assert_allclose(app.dummy_cost, [1.0, 0.6, 1.0])
    counts = np.array([[8, 1, 2], [1, 7, 2], [1, 2, 6]])
    a, k = (np.repeat(index.ravel(), counts.ravel()) for index in np.indices((3, 3)))
    assert empirical_bayes_risk(k, a, C, app.priors) == near(0.39)
    assert dcf(k, a, app) == near(0.65)
    assert np.mean(np.asarray(C)[a, k]) == near(0.4)


@pytest.mark.spec("EVA-G26", "EVA-072")
def test_known_normal_laws():
    laws = [Normal(-1.0, 1.0), Normal(1.0, 1.0)]
    for prior, risk, normalised in [(0.5, 0.158655, 0.317311), (0.2, 0.112067, 0.560333), (0.1, 0.070061, 0.700607)]:
        found = bayes_risk(laws, Application(prior)).value
        assert found == near(risk)
        assert found / min(Application(prior).dummy_cost) == near(normalised)
    assert Application(0.2).threshold / 2.0 == near(0.693147)
    spread = [Normal(0.0, 1.0), Normal(0.0, 4.0)]
    assert bayes_risk(spread, Application(0.5)).value == near(0.338663)
    drawn = bayes_risk(spread, Application(0.5), method="monte_carlo", n_draws=20_000)
    assert abs(drawn.value - 0.338663) < 4 * drawn.standard_error
    misses, alarms = 0.503355, 0.173970
    assert 0.5 * (misses + alarms) == near(0.338663)
    spread_of_mean = np.sqrt((0.25 * misses * (1 - misses) + 0.25 * alarms * (1 - alarms)) / 20_000)
    assert drawn.standard_error == pytest.approx(spread_of_mean, rel=0.02)
    ends = np.array([1.359555, 1.359557, -1.359555, -1.359557])
    logs = np.column_stack([norm.logpdf(ends), norm.logpdf(ends, scale=2.0)])
    assert Application(0.5).decide(logs, "log_likelihood").tolist() == [0, 1, 0, 1]
    x = np.linspace(-9, 9, 200_001)
    density = np.exp(-0.5 * (x - 1.0) ** 2)
    density /= density.sum()
    assert density @ np.log2(1.0 + np.exp(-2.0 * x)) == near(0.514056)
    mirrored = np.append(np.ones(len(x)), np.zeros(len(x)))
    trials = {"y_true": mirrored, "scores": np.append(2 * x, -2 * x), "sample_weight": np.append(density, density)}
    assert cllr(**trials) == near(0.514056)
    assert eer(**trials).value == near(0.158655, 1e-4)
    curve = score_curve(**trials)
    assert curve.roc_auc == near(0.921350, 1e-5)
    at = curve.at([Application(0.2).threshold], strict=True)
    assert (1.0 - at.tpr[0], at.fpr[0]) == near((0.379478, 0.045214), 1e-4)
    assert act_dcf(app=Application(0.2), **trials) == near(0.560333, 1e-4)


@pytest.mark.spec("EVA-G27", "EVA-064")
def test_threshold_of_costs():
    for alarm, miss, expected in [(1, 9, 0.1), (1, 1, 0.5), (4, 1, 0.8)]:
        assert cost_threshold([[0, miss], [alarm, 0]]) == near(expected)
        assert cost_threshold([[0, alarm], [miss, 0]], orientation="class_action") == near(expected)
    assert cost_threshold([[0, 10], [2, 1]]) == near(0.181818)


class Given(ClassifierMixin, BaseEstimator):
    """A classifier that says the probabilities that it is given."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.column_stack([1.0 - X[:, 0], X[:, 0]]) if X.shape[1] == 1 else X

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


@pytest.mark.spec("EVA-G28", "EVA-065")
def test_doubt():
    X = np.array([0.85, 0.8, 0.7, 0.5, 0.2, 0.15])[:, None]
    y = ["yes", "yes", "yes", "no", "no", "no"]
    found = RejectClassifier(Given(), cost=0.2).fit(X, y).predict(X)
    assert found.tolist() == ["yes", "yes", "reject", "reject", "no", "no"]
    assert RejectClassifier(Given(), cost=0.3).fit(X, y).predict([[0.7]]).tolist() == ["yes"]
    rounded = [[np.nextafter(0.8, 0.0)]]
    assert RejectClassifier(Given(), cost=0.2).fit(X, y).predict(rounded).tolist() == ["yes"]
    three = np.array([[0.55, 0.3, 0.15], [0.62, 0.2, 0.18], [0.1, 0.1, 0.8]])
    found = RejectClassifier(Given(), cost=0.4).fit(three, ["a", "b", "c"]).predict(three)
    assert found.tolist() == ["reject", "a", "c"]
    doubt = np.vstack([1.0 - np.eye(3), np.full(3, 0.4)])
    np.testing.assert_array_equal(bayes_decision(three, doubt, actions=["a", "b", "c", "reject"]), found)


@pytest.mark.spec("EVA-G29", "EVA-066")
def test_actions_of_regression():
    found = bayes_action((10.0, 2.0), (3.0, 1.0))
    assert (found.action, found.cost) == near((11.348980, 2.542213))
    assert bayes_action((10.0, 2.0), (1.0, 3.0)).action == near(8.651020)
    at_mean = bayes_action((10.0, 2.0), lambda y, a: 3.0 * np.maximum(y - 10, 0) + np.maximum(10 - y, 0) + 0.0 * a).cost
    assert at_mean == near(3.191538, 1e-4)
    assert bayes_action(Exponential(1.0), (3.0, 1.0)).action == near(1.386294)
    assert bayes_action([1, 2, 3, 4, 10], (3.0, 1.0)) == near((4.0, 4.8))
    assert bayes_action((10.0, 2.0), "squared") == near((10.0, 4.0))
    assert bayes_action((10.0, 2.0), "zero_one").action == near(10.0, 1e-3)


@pytest.mark.spec("EVA-G30", "EVA-068")
def test_minimisers_in_the_population():
    table = {"logistic": 1.386294, "exponential": 0.693147, "squared": 0.6, "hinge": 1.0, "zero_one": 1.0}
    assert {name: float(population_minimizer(name, 0.8)) for name in table} == near(table)
    for loss, name in [(LogisticLoss(), "logistic"), (ExponentialLoss(), "exponential"), (SquaredLoss(), "squared"),
                       (HingeLoss(), "hinge")]:  # fmt: skip
        assert population_minimizer(loss, 0.8) == near(table[name])
    assert population_minimizer(SquaredHingeLoss(), 0.8) == near(0.6)


@pytest.mark.spec("EVA-G32")
def test_probabilities_under_another_prior():
    assert shift_prior([0.8], 0.5, 0.1)[0] == near(0.307692)


@pytest.mark.spec("EVA-G40")
def test_published_predictions():
    table = pd.read_csv(data_path("rbooks/modeldata_hpc_cv.csv.gz"))
    names = ["VF", "F", "M", "L"]
    k, q = table["obs"].map(names.index).to_numpy(), table[names].to_numpy()
    q = q / q.sum(axis=1, keepdims=True)
    shares = np.bincount(k) / len(k)
    most = bayes_decision(q)
    assert np.mean(most == k) == near(0.708682)
    assert dcf(k, most, Application(shares)) == near(0.594817)
    C = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    graded = Application(shares, cost_matrix=C)
    assert dcf(k, graded.decide(q), graded) == near(0.465162)
    assert dcf(k, most, graded) == near(0.474268)
    assert dcf(k, graded.decide(q), Application([0.25] * 4, cost_matrix=C)) == near(0.567055)


@pytest.fixture(scope="module")
def nist():
    with np.load(data_path("scores/nist_det_demo_scores.npz")) as file:
        target, other = file["target"], file["nontarget"]
    return np.append(target, other), np.repeat([1, 0], [len(target), len(other)])


@pytest.mark.spec("EVA-G41")
def test_speaker_scores(nist):
    s, y = nist
    assert (cllr(y, s), min_cllr(y, s)) == near((0.800561, 0.353567))
    apps = [Application(0.5), Application(0.01), Application(0.01, 10, 1), Application(0.9)]
    assert [min_dcf(y, s, app).value for app in apps] == near([0.190969, 0.625724, 0.388268, 0.664359])
    assert [act_dcf(y, s, app) for app in apps] == near([0.625770, 0.639476, 0.714844, 0.995051])
    found = ScoreCalibrator().fit(s, y)
    llr = found.transform(s)
    assert (found.alpha_, found.gamma_, cllr(y, llr)) == near((1.498770, -3.122041, 0.366011))
    assert [act_dcf(y, llr, app) for app in apps] == near([0.191629, 0.671415, 0.398398, 0.672111])
    found = ScoreCalibrator(prior=0.01).fit(s, y)
    assert (found.alpha_, found.gamma_) == near((1.681795, -3.444990))
    assert act_dcf(y, found.transform(s), apps[1]) == near(0.633829)


SYSTEMS = {
    "sst2_gpt2_4shot": ((0.995600, 0.812191, 1, 1.073298), (0.223322, 0.554640, 0.660088, 0.384858)),
    "sst2_gpt2": ((0.828383, 0.818232, 1, 0.917166), (0.298130, 0.638111, 0.661184, 0.477723)),
    "fvcaus_plda": ((3.915479, 1.992363, 1.048676, 1.966410), (0.012220, 0.006517, 0.004379, 0.006106)),
    "pneumoniamnist_resnet50": ((0.277778, 0.735577, 0.478632, 0.801632), (0.217949, 0.403846, 0.448718, 0.301571)),
    "adrenalmnist_resnet50": ((0.927536, 1.013423, 1.122271, 0.930998), (0.826087, 0.704698, 0.668122, 0.714093)),
    "pathmnist_resnet50": ((0.113660, 0.683565, 0.142257, 0.328548), None),
    "iemocap_wav2vec_pt": ((0.503563, 1.056276, 0.607094, 0.634654), None),
    "agnews_gpt2": ((0.779649, 1.009342, 0.935789, 0.813817), None),
    "cifar10_resnet-20": ((0.082222, 0.405800, 0.120889, 0.122264), None),
    "cifar10_vgg19_bn": ((0.067667, 0.486400, 0.099889, 0.152825), None),
    "cifar10_repvgg_a2": ((0.052556, 0.309000, 0.075667, 0.092148), None),
}


def four_costs(k, q):
    K = q.shape[1]
    shares = np.bincount(k) / len(k)
    wrong = 1.0 - np.eye(K)
    rare = wrong * np.append(np.ones(K - 1), 10.0)
    apps = [Application(shares, cost_matrix=C) for C in (wrong, np.vstack([wrong, np.full(K, 0.1)]), rare)]
    names = [*range(K), -1]
    costs = [dcf(k, np.array(names)[app.decide(q)], app) for app in apps]
    return [*costs, proper_score(k, q)]


@pytest.mark.spec("EVA-G42")
@pytest.mark.parametrize("name", SYSTEMS)
def test_table_of_systems(name):
    with np.load(data_path(f"scores/{name}.npz")) as file:
        logs, k = log_softmax(file["scores"].astype(float), axis=1), file["targets"].astype(int)
    raw, pooled = SYSTEMS[name]
    assert four_costs(k, np.exp(logs)) == near(raw, 2e-6)
    if pooled:
        llr = ScoreCalibrator("pav", laplace=False).fit(logs[:, 1] - logs[:, 0], k).transform(logs[:, 1] - logs[:, 0])
        p = expit(llr + np.log(np.mean(k) / (1.0 - np.mean(k))))
        assert four_costs(k, np.column_stack([1.0 - p, p])) == near(pooled, 2e-6)
