"""Laws of decisions under costs, detection costs, calibration and fusion."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.optimize import isotonic_regression
from scipy.special import expit, log_softmax, logit, softmax
from scipy.stats import norm
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from gnomon import decision
from gnomon.decision import (
    Application,
    BayesDecisionClassifier,
    CalibratedScorer,
    DecisionRegressor,
    RejectClassifier,
    ScoreCalibrator,
    ScoreFusion,
    ThresholdTuner,
    act_dcf,
    bayes_action,
    bayes_decision,
    bayes_error_curve,
    bayes_risk,
    bayes_threshold,
    calibration_loss,
    calibration_split,
    cllr,
    confidence,
    cost_scorer,
    cost_threshold,
    dcf,
    dcf_scorer,
    empirical_bayes_risk,
    expected_cost,
    min_cllr,
    min_dcf,
    population_minimizer,
    proper_score,
    reject_curve,
    shift_prior,
)
from gnomon.distributions import Normal
from gnomon.linear import BayesianLinearRegression
from gnomon.linear import LinearRegression as OurLinearRegression
from gnomon.linear import LogisticRegression as OurLogisticRegression
from gnomon.numerics.curves import threshold_curve
from gnomon.testing import check_weights_are_repetitions

APPS = [Application(*numbers) for numbers in product((0.05, 0.5, 0.9), (1.0, 7.0), (1.0, 20.0))]


def tied_trials(seed, n=60):
    """Scores with ties and infinities, of two classes."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    s = np.round(rng.normal(size=n) + y, 1)
    s[rng.integers(n, size=3)] = [np.inf, -np.inf, 0.0]
    return y, s


def true_ratios(n=40_000, seed=0):
    """y and x of N(±1, 1): the log-likelihood ratio is 2x."""
    y = np.arange(n) % 2
    return y, np.random.default_rng(seed).normal(size=n) + 2.0 * y - 1.0


def counted(y, s, t, app):
    """The detection cost by its definition."""
    miss, alarm = np.mean(s[y == 1] <= t), np.mean(s[y == 0] > t)
    (_, fn), (fp, _) = app.costs
    return app.priors[1] * fn * miss + app.priors[0] * fp * alarm


@pytest.mark.spec("EVA-L24", "EVA-076", "EVA-077")
@pytest.mark.parametrize("seed", range(5))
def test_costs_of_scores_by_direct_counting(seed):
    y, s = tied_trials(seed)
    for app in APPS:
        best, dummy = min_dcf(y, s, app), min(app.dummy_cost)
        every = [counted(y, s, t, app) for t in np.append(s, -np.inf)]
        every.append(app.dummy_cost[1])  # accepting all, −∞ scores included
        assert best.value == pytest.approx(min(every) / dummy)
        assert act_dcf(y, s, app) == pytest.approx(counted(y, s, app.threshold, app) / dummy)
        assert 0.0 <= best.value <= 1.0
        assert best.value <= act_dcf(y, s, app) + 1e-12
        assert calibration_loss(y, s, app) == pytest.approx(act_dcf(y, s, app) - best.value)
        constant = [dcf(y, np.full(len(y), a), app) for a in (0, 1)]
        assert min(constant) == pytest.approx(1.0)
        scaled = Application(app.priors[1], 1e140 * app.costs[0][1], 1e140 * app.costs[1][0])
        assert (min_dcf(y, s, scaled).value, act_dcf(y, s, scaled)) == pytest.approx((best.value, act_dcf(y, s, app)))
        decided = (s > app.threshold).astype(int)
        assert dcf(y, decided, app) == pytest.approx(act_dcf(y, s, app))


@pytest.mark.spec("EVA-076")
def test_useless_scores_are_not_used():
    y = np.array([0, 0, 0, 1, 1, 1])
    s = np.array([4.0, 5.0, 6.0, 1.0, 2.0, 3.0])
    assert min_dcf(y, s, Application(0.01)) == (1.0, np.inf)
    assert min_dcf(y, s, Application(0.99)) == (pytest.approx(1.0), -np.inf)


@pytest.mark.spec("EVA-L21", "EVA-L25", "EVA-071")
def test_effective_prior_and_monotone_maps():
    y, s = tied_trials(1)
    s = np.clip(s, -9.0, 9.0)
    for app in APPS:
        same = Application(app.effective_prior)
        assert bayes_threshold(app) == pytest.approx(bayes_threshold(same))
        assert act_dcf(y, s, app) == pytest.approx(act_dcf(y, s, same))
        ratio = act_dcf(y, s, app, normalize=False) / act_dcf(y, s, same, normalize=False)
        assert ratio == pytest.approx(app.priors[1] * app.costs[0][1] + app.priors[0] * app.costs[1][0])
        assert min_dcf(y, np.exp(s), app).value == pytest.approx(min_dcf(y, s, app).value)
        np.testing.assert_array_equal(app.decide(s, "llr"), s > app.threshold)
    assert cllr(y, np.exp(s)) != pytest.approx(cllr(y, s))
    assert Application.from_log_odds(-1.5).log_odds == pytest.approx(-1.5)


@pytest.mark.spec("EVA-L26", "EVA-073")
def test_error_rates_are_costs():
    y, s = tied_trials(2)
    decided = (s > 0.3).astype(int)
    share = np.mean(y)
    assert dcf(y, decided, Application(share), normalize=False) == pytest.approx(np.mean(y != decided))
    balanced = 0.5 * (np.mean(decided[y == 1] == 0) + np.mean(decided[y == 0] == 1))
    assert dcf(y, decided, Application(0.5), normalize=False) == pytest.approx(balanced)
    app = Application(0.3, 2.0, 7.0)
    risk = empirical_bayes_risk(y, decided, [[0, 2.0], [7.0, 0]], 0.3)
    assert risk == pytest.approx(dcf(y, decided, app, normalize=False))
    assert risk == pytest.approx(
        empirical_bayes_risk(y, decided, [[0, 7.0], [2.0, 0]], 0.3, orientation="class_action")
    )
    words = np.array(["no", "yes"])
    assert dcf(words[y], words[decided], app) == pytest.approx(dcf(y, decided, app))
    assert dcf(words[1 - y], words[1 - decided], app, pos_label="no") == pytest.approx(dcf(y, decided, app))
    rare = "no" if np.mean(y) > 0.5 else "yes"
    assert dcf(words[y], words[decided], app, pos_label="rare") == dcf(words[y], words[decided], app, pos_label=rare)


@pytest.mark.spec("EVA-L27", "EVA-072")
def test_true_ratios_are_calibrated_and_true_beliefs_are_cheapest():
    y, x = true_ratios()
    for o in (-3.0, -1.0, 0.0, 2.0):
        app = Application.from_log_odds(o)
        lost = calibration_loss(y, 2.0 * x, app)
        assert 0.0 <= lost < 0.03
        assert lost == pytest.approx(act_dcf(y, 2.0 * x, app) - min_dcf(y, 2.0 * x, app).value, abs=1e-12)
        assert calibration_loss(y, 2.0 * x + 3.0, app) > max(lost, 0.01)
    laws = [Normal(-1.0, 1.0), Normal(1.0, 1.0)]
    app = Application(0.2, 3.0, 1.0)
    best = bayes_risk(laws, app).value
    for beliefs in ([Normal(-2.0, 1.0), Normal(1.0, 1.0)], [Normal(-1.0, 1.0), Normal(1.0, 9.0)]):
        assert bayes_risk(laws, app, beliefs).value > best + 1e-3
    drawn = bayes_risk(laws, app, lambda X: (X[:, 0] > 0.5 * app.threshold).astype(int), method="monte_carlo")
    assert abs(drawn.value - best) < 4.0 * drawn.standard_error


def pav(y, s):
    return ScoreCalibrator("pav", laplace=False).fit(s, y).transform(s)


@pytest.mark.spec("EVA-L28")
@pytest.mark.parametrize("seed", range(5))
def test_pooled_scores_have_no_calibration_loss(seed):
    y, s = tied_trials(seed)
    found = bayes_error_curve({"pooled": pav(y, s), "raw": s}, y, np.linspace(-7, 7, 203))
    np.testing.assert_allclose(found.actual["pooled"], found.minimum["pooled"], atol=1e-12)
    np.testing.assert_allclose(found.minimum["pooled"], found.minimum["raw"], atol=1e-12)
    # The same by isotonic regression of the labels.
    values, index = np.unique(s, return_inverse=True)
    counts = np.bincount(index)
    p = isotonic_regression(np.bincount(index, y) / counts, weights=counts).x[index]
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(expit(pav(y, s) + logit(np.mean(y))), p, atol=1e-12)
    assert len(values) < len(s)


@pytest.mark.spec("EVA-L28")
def test_smoothed_ends_are_finite_and_monotone():
    y, s = tied_trials(0)
    found = ScoreCalibrator("pav").fit(s, y)
    grid = np.concatenate([[-np.inf], np.linspace(-9, 9, 999), [np.inf]])
    llr = found.transform(grid)
    assert np.all(np.isfinite(llr))
    assert np.all(np.diff(llr) >= 0.0)
    # One trial of each class more at both ends.
    more, labels = np.concatenate([s, [np.inf] * 2, [-np.inf] * 2]), np.concatenate([y, [0, 1, 0, 1]])
    separate = np.where(np.isinf(s), np.sign(s) * 1e300, s)  # an infinite score is not tied with the ends
    more[: len(s)] = separate
    moved = pav(labels, more)[: len(s)] + logit(np.mean(labels)) - logit(np.mean(y))
    np.testing.assert_allclose(ScoreCalibrator("pav").fit(separate, y).transform(separate), moved)
    for labels in ([1, 1, 0, 0, 1], [0, 0, 1, 0, 1]):
        ends = np.array([-np.inf, -np.inf, 0.0, 1.0, np.inf])
        far = np.clip(ends, -1e300, 1e300)
        expected = ScoreCalibrator("pav").fit(far, labels).transform(far)
        np.testing.assert_allclose(ScoreCalibrator("pav").fit(ends, labels).transform(ends), expected)


@pytest.mark.spec("EVA-L29")
def test_area_below_the_bayes_error_curve():
    y, s = tied_trials(3)
    s = np.clip(s, -4.0, 4.0)
    o = np.linspace(-40.0, 40.0, 800_001)
    points = threshold_curve(s, y).at(-o, strict=True)
    cost = expit(o) * points.fn / points.positives + expit(-o) * points.fp / points.negatives
    assert np.sum(cost) * (o[1] - o[0]) == pytest.approx(2.0 * np.log(2.0) * cllr(y, s), rel=1e-4)


@pytest.mark.spec("EVA-078")
def test_bayes_errors_at_great_odds():
    found = bayes_error_curve([-1.0, 0.0, 1.0, 2.0], [0, 1, 0, 1], [-800.0, -2.0, 800.0])
    np.testing.assert_array_equal(found.actual["scores"], [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(found.minimum["scores"], [0.5, 0.5, 0.5])


@pytest.mark.spec("EVA-L30", "EVA-080", "EVA-081")
def test_logistic_calibration():
    y, x = true_ratios(4000)
    found = ScoreCalibrator().fit(x, y)
    moved = ScoreCalibrator().fit(3.0 * x - 5.0, y)
    np.testing.assert_allclose(moved.transform(3.0 * x - 5.0), found.transform(x), atol=1e-7)
    keep = (y == 0) | (np.arange(len(y)) % 3 == 0)
    x, y = x[keep], y[keep]
    plain = LogisticRegression(C=np.inf, tol=1e-10).fit(x[:, None], y)
    share = ScoreCalibrator(prior=float(np.mean(y))).fit(x, y)
    assert (share.alpha_, share.beta_) == pytest.approx((plain.coef_[0, 0], plain.intercept_[0]), abs=1e-5)
    np.testing.assert_allclose(share.predict_proba(x), plain.predict_proba(x[:, None]), atol=1e-6)
    w = np.arange(len(y)) % 3
    weighted, repeated = ScoreCalibrator(lam=0.1).fit(x, y, w), ScoreCalibrator(lam=0.1).fit(*np.repeat([x, y], w, 1))
    assert (weighted.alpha_, weighted.gamma_) == pytest.approx((repeated.alpha_, repeated.gamma_), abs=1e-7)
    y, x = true_ratios(200_000)
    for prior in (0.1, 0.5, 0.8):
        found = ScoreCalibrator(prior=prior).fit(x, y)
        assert (found.alpha_, found.gamma_) == pytest.approx((2.0, 0.0), abs=0.06)
    assert found.score_type_ == "llr"


@pytest.mark.spec("EVA-L31", "EVA-061", "EVA-063")
def test_bayes_decisions_by_brute_force():
    rng = np.random.default_rng(0)
    q, C = rng.dirichlet(np.ones(4), 50), rng.normal(size=(3, 4))
    costs = np.array([[sum(C[a, k] * row[k] for k in range(4)) for a in range(3)] for row in q])
    np.testing.assert_allclose(expected_cost(q, C), costs)
    best = np.argmin(costs, axis=1)
    np.testing.assert_array_equal(bayes_decision(q, C), best)
    np.testing.assert_array_equal(bayes_decision(q, 7.0 * C + [1.0, -2.0, 0.0, 5.0]), best)
    np.testing.assert_array_equal(bayes_decision(q, C.T, orientation="class_action"), best)
    np.testing.assert_array_equal(bayes_decision(np.log(q), C, kind="log_posterior"), best)
    priors = rng.dirichlet(np.ones(4))
    np.testing.assert_array_equal(bayes_decision(np.log(q / priors) + 9, C, kind="log_likelihood", priors=priors), best)
    np.testing.assert_array_equal(bayes_decision(q), np.argmax(q, axis=1))
    assert bayes_decision([[0.5, 0.5]]).tolist() == [0]
    shifted = expected_cost(np.log(q[:, 1] / q[:, 0]), C[:, :2], kind="llr", priors=0.3)
    joint = q[:, :2] * [0.7, 0.3]
    np.testing.assert_allclose(shifted, joint / joint.sum(axis=1, keepdims=True) @ C[:, :2].T)
    # Another matrix for each row.
    many = rng.normal(size=(50, 3, 4))
    own = [np.argmin(M @ row) for M, row in zip(many, q, strict=True)]
    np.testing.assert_array_equal(bayes_decision(q, many), own)
    with pytest.raises(ValueError, match=r"posterior\[0\]"):
        bayes_decision([[0.5, 0.6]])


@pytest.mark.spec("EVA-L32", "EVA-065")
def test_doubt():
    y, x = true_ratios(4000)
    X = x[:, None]
    p = np.column_stack([expit(-2 * x), expit(2 * x)])
    curve = reject_curve(y, p)
    kept = [np.max(p, axis=1) >= t for t in curve.threshold[::500]]
    np.testing.assert_allclose(curve.coverage[::500], [np.mean(rows) for rows in kept])
    np.testing.assert_allclose(curve.error[::500], [np.mean((x[rows] > 0) != y[rows]) for rows in kept])
    some = np.max(p, axis=1) < 0.9
    for found, expected in zip(reject_curve(y, p, some.astype(float)), reject_curve(y[some], p[some]), strict=True):
        np.testing.assert_array_equal(found, expected)
    coverage = [np.mean(RejectClassifier(GaussianNB(), c).fit(X, y).predict(X) != -1) for c in (0.0, 0.1, 0.3, 0.5)]
    assert np.all(np.diff(coverage) >= 0.0)
    assert coverage[0] < 0.001
    assert coverage[-1] == 1.0
    wrong = [1.0 - np.mean((f := RejectClassifier(GaussianNB(), c).fit(X, y).predict(X))[f != -1] == y[f != -1])
             for c in (0.05, 0.2, 0.5)]  # fmt: skip
    assert np.all(np.diff(wrong) > 0.0)
    for model in (GaussianNB(), LinearSVC()):
        tuned = RejectClassifier(model, coverage=0.7).fit(X, y)
        assert np.mean(tuned.predict(X) != -1) == pytest.approx(0.7, abs=0.03)
    margin = RejectClassifier(LinearSVC(), threshold=1.0).fit(X, y)
    np.testing.assert_array_equal(margin.predict(X) == -1, np.abs(margin.estimator_.decision_function(X)) < 1.0)
    with pytest.raises(ValueError, match="needs probabilities"):
        RejectClassifier(LinearSVC(), 0.2).fit(X, y)
    with pytest.raises(ValueError, match="give one of"):
        RejectClassifier(GaussianNB()).fit(X, y)
    check_weights_are_repetitions(RejectClassifier(GaussianNB(), coverage=0.8))
    for given in ({"cost": 0.2}, {"threshold": 0.8}):
        with pytest.raises(ValueError, match=r"cv=5 is for coverage.* leave cv out"):
            RejectClassifier(GaussianNB(), **given, cv=5).fit(X, y)
    with pytest.raises(ValueError, match="is one of the classes"):
        RejectClassifier(GaussianNB(), 0.2, reject_label=1).fit(X, y)
    iris = load_iris()
    frame = RejectClassifier(make_pipeline(StandardScaler(), LogisticRegression()), 0.3).fit(iris.data, iris.target)
    assert set(frame.predict(iris.data)) == {-1, 0, 1, 2}


@pytest.mark.spec("EVA-L33", "EVA-066", "EVA-067")
def test_quantile_actions():
    rng = np.random.default_rng(0)
    for law in (norm(3.0, 2.0), Normal(3.0, 4.0), (3.0, 2.0)):
        found = bayes_action(law, (3.0, 1.0))
        assert norm.cdf(found.action, 3.0, 2.0) == pytest.approx(0.75)
        assert bayes_action(law, "absolute").action == pytest.approx(3.0)
        numeric = bayes_action(law, lambda y, a: 3.0 * np.maximum(y - a, 0) + np.maximum(a - y, 0))
        assert numeric == pytest.approx((found.action, found.cost), abs=1e-3)
    draws = rng.exponential(size=999)
    grid = np.linspace(0, 5, 5001)
    pinball = [np.mean(np.maximum(0.8 * (draws - a), 0.2 * (a - draws))) for a in grid]
    assert bayes_action(draws, (0.8, 0.2)).action == pytest.approx(grid[np.argmin(pinball)], abs=2e-3)
    assert bayes_action(draws, "squared").action == pytest.approx(np.mean(draws))
    for scale in (1e-150, 1e150):
        far = bayes_action((10.0 * scale, 2.0 * scale), lambda y, a: 3.0 * np.maximum(y - a, 0) + np.maximum(a - y, 0))
        assert (far.action / scale, far.cost / scale) == pytest.approx((11.34898, 2.542213), rel=1e-4)
    assert bayes_action([1.0, 2.0, 2.0, 9.0], "zero_one").action == 2.0
    assert bayes_action(norm(3.0, 2.0), "zero_one").action == pytest.approx(3.0, abs=1e-3)
    X = rng.uniform(size=(3000, 1))
    y = 10.0 * X[:, 0] + rng.normal(size=3000)
    for model in (LinearRegression(), OurLinearRegression(), BayesianLinearRegression(sigma2=1.0)):
        buyer = DecisionRegressor(model, under=9.0).fit(X, y)
        assert np.mean(y <= buyer.predict(X)) == pytest.approx(0.9, abs=0.02)
        assert np.mean(y <= buyer.set_params(over=9.0).predict(X)) == pytest.approx(0.5, abs=0.02)
    process = GaussianProcessRegressor(RBF(0.5) + WhiteKernel(1.0), optimizer=None, normalize_y=True)
    few = DecisionRegressor(process, under=9.0).fit(X[:100], y[:100])
    mean, sd = few.estimator_.predict(X[:9], return_std=True)
    np.testing.assert_allclose(few.predict(X[:9]), mean + sd * norm.ppf(0.9))
    tree = sklearn.tree.DecisionTreeRegressor(random_state=0)
    assert DecisionRegressor(tree).fit(X, y).sigma_ < 0.01
    assert DecisionRegressor(tree, cv=5).fit(X, y).sigma_ > 1.0


@pytest.mark.spec("EVA-L36")
def test_priors_shift_and_return():
    p = np.random.default_rng(0).uniform(0.01, 0.99, 50)
    moved = shift_prior(p, 0.3, 0.05)
    np.testing.assert_allclose(logit(moved) - logit(p), logit(0.05) - logit(0.3))
    np.testing.assert_allclose(shift_prior(moved, 0.05, 0.3), p)
    np.testing.assert_allclose(shift_prior(p, 0.3, 0.3), p)


@pytest.mark.spec("EVA-069")
def test_confidence_of_two_classes():
    p = np.array([[0.2, 0.8], [0.45, 0.55]])
    np.testing.assert_allclose(confidence(p), np.abs(2.0 * p[:, 1] - 1.0))


@pytest.mark.spec("EVA-068")
def test_minimiser_by_search_and_with_costs():
    p = np.array([0.1, 0.3, 0.6])
    np.testing.assert_allclose(population_minimizer("logistic", p, cost_fn=4.0), logit(p) + np.log(4.0))
    z = np.linspace(-4, 4, 80_001)
    for q in p:
        risk = q * np.log1p(np.exp(-z)) + (1 - q) * np.log1p(np.exp(z))
        assert population_minimizer("logistic", q) == pytest.approx(z[np.argmin(risk)], abs=1e-3)


def blobs(seed=0, n=400, centres=((0, 0), (2, 0), (0, 2))):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % len(centres)
    return np.asarray(centres)[y] + rng.normal(size=(n, 2)), y


@pytest.mark.spec("EVA-062", "EVA-070")
@pytest.mark.parametrize("base", [LogisticRegression(), OurLogisticRegression(), GaussianNB()], ids=str)
def test_decisions_of_any_classifier_change_with_costs_and_priors(base):
    X, y = blobs()
    names = np.array(["ash", "birch", "cedar"])[y]
    model = BayesDecisionClassifier(base).fit(X, names)
    np.testing.assert_array_equal(model.predict(X), model.estimator_.predict(X))
    C = np.array([[0, 1, 9], [1, 0, 9], [1, 1, 0], [0.2, 0.2, 0.2]])
    model.set_params(cost_matrix=C)
    p = model.estimator_.predict_proba(X)
    np.testing.assert_allclose(model.predict_expected_cost(X), p @ C.T)
    expected = np.array(["ash", "birch", "cedar", "reject"])[np.argmin(p @ C.T, axis=1)]
    np.testing.assert_array_equal(model.predict(X), expected)
    model.set_params(priors={"ash": 0.8, "birch": 0.1, "cedar": 0.1})
    np.testing.assert_allclose(model.predict_proba(X), shift_prior(p, model.class_prior_, [0.8, 0.1, 0.1]))
    app = Application([0.8, 0.1, 0.1], cost_matrix=C, actions=["cut", "wait", "plant", "ask"])
    by_app = BayesDecisionClassifier(base, app).fit(X, names)
    np.testing.assert_array_equal(by_app.predict_expected_cost(X), model.predict_expected_cost(X))
    assert set(by_app.predict(X)) <= {"cut", "wait", "plant", "ask"}
    each = np.tile(C, (len(X), 1, 1))
    each[0] = [[9, 9, 9], [9, 9, 9], [9, 9, 9], [0, 0, 0]]
    assert model.predict(X, cost_matrix=each)[0] == "reject"


@pytest.mark.spec("EVA-079")
def test_thresholds_of_an_application():
    y, x = true_ratios(3000)
    X, app = x[:, None], Application(0.1, cost_fn=2.0)
    for base in (LogisticRegression(), LinearSVC(), GaussianNB()):
        model = ThresholdTuner(app, estimator=base).fit(X, y)
        assert dcf(y, model.predict(X), app) < dcf(y, base.fit(X, y).predict(X), app)
        assert dcf(y, model.predict(X), app) < min_dcf(y, x, app).value + 0.05
    few = (y == 0) | (np.arange(len(y)) % 4 == 1)
    theory = ThresholdTuner(app, estimator=LogisticRegression(), method="theoretical").fit(X[few], y[few])
    assert theory.threshold_ == app.threshold
    llr = logit(theory.estimator_.predict_proba(X)[:, 1]) - logit(np.mean(y[few]))
    np.testing.assert_array_equal(theory.predict(X), llr > app.threshold)
    assert theory.cost_ == pytest.approx(dcf(y[few], theory.predict(X[few]), app))
    tied = ThresholdTuner(app, method="theoretical").fit(x, y)
    assert tied.predict([app.threshold, np.nextafter(app.threshold, np.inf)]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="needs calibrated probabilities"):
        ThresholdTuner(app, estimator=LinearSVC(), method="theoretical").fit(X, y)
    of_scores = ThresholdTuner(app).fit(x, y)
    assert of_scores.cost_ == pytest.approx(min_dcf(y, x, app).value)
    assert dcf(y, of_scores.predict(x), app) == pytest.approx(of_scores.cost_)
    peer = TunedThresholdClassifierCV(GaussianNB(), scoring=dcf_scorer(app)).fit(X, y)
    assert dcf(y, peer.predict(X), app) < min_dcf(y, x, app).value + 0.06
    with pytest.raises(ValueError, match="give an estimator"):
        ThresholdTuner(app).fit(np.zeros((4, 2)), [0, 1, 0, 1])
    train, test = np.arange(2000), np.arange(2000, 3000)
    w = np.where(x > 0.5, 0.0, 1.0 + np.arange(3000) % 3)
    held = ThresholdTuner(app, estimator=GaussianNB(), cv=[(train, test)]).fit(X, y, w)
    scores = logit(GaussianNB().fit(X[train], y[train], w[train]).predict_proba(X[test])[:, 1])
    assert held.cost_ == pytest.approx(min_dcf(y[test], scores, app, sample_weight=w[test]).value)
    assert held.cost_ != pytest.approx(min_dcf(y[test], scores, app).value, rel=0.01)
    with pytest.raises(ValueError, match=r"\['groups'\] are for an estimator"):
        ThresholdTuner(app).fit(x, y, groups=y)
    for unused in (ThresholdTuner(app, cv=3), ThresholdTuner(app, estimator=GaussianNB(), method="theoretical", cv=5)):
        with pytest.raises(ValueError, match=r"cv=\d is for out-of-fold scores .* leave cv out"):
            unused.fit(X if unused.estimator else x, y)
    absent = ThresholdTuner(app).fit([9.0, -1.0, 0.0, 1.0, 2.0], list("abbcc"), sample_weight=[0, 1, 1, 1, 1])
    assert absent.predict([-1.0, 2.0]).tolist() == ["b", "c"]


@pytest.mark.spec("EVA-079")
@pytest.mark.parametrize("prior", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("ends", [(-np.inf, np.inf), (-np.inf, 2.0), (-2.0, np.inf)])
def test_the_cost_of_a_threshold_is_that_of_its_decisions(prior, ends):
    app = Application(prior)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y, s = np.arange(8) % 2, rng.choice([*ends, -1.0, 1.0], 8)
        tuner = ThresholdTuner(app).fit(s, y)
        assert dcf(y, tuner.predict(s), app) == pytest.approx(tuner.cost_)
        np.testing.assert_array_equal(tuner.decision_function(s) > 0.0, tuner.predict(s))


@pytest.mark.spec("EVA-019")
def test_models_are_selected_by_their_cost():
    X, y = blobs()
    C = np.array([[0, 1, 20], [1, 0, 20], [1, 1, 0]])
    app = Application([1 / 3] * 3, cost_matrix=C)
    search = GridSearchCV(
        BayesDecisionClassifier(LogisticRegression()), {"cost_matrix": [1.0 - np.eye(3), C]}, scoring=dcf_scorer(app)
    ).fit(X, y)
    np.testing.assert_array_equal(search.best_params_["cost_matrix"], C)
    two = y != 2
    scores = {kind: dcf_scorer(Application(0.2), kind) for kind in ("decisions", "minimum", "actual")}
    found = cross_validate(LogisticRegression(), X[two], y[two], scoring=scores)
    assert np.all(found["test_minimum"] >= found["test_actual"])
    model = LogisticRegression().fit(X[two], y[two])
    np.testing.assert_allclose(
        scores["actual"](model, X[two], y[two]),
        -act_dcf(y[two], model.decision_function(X[two]), Application(0.2)),
    )
    with pytest.raises(ValueError, match="no single threshold"):
        dcf_scorer(app, "minimum")


def test_costs_of_each_row_reach_a_grid_search():
    X, y = blobs(n=300, centres=((0, 0), (1.5, 0)))
    rng = np.random.default_rng(1)
    amounts = rng.lognormal(2.0, 1.5, len(y))
    costs = np.zeros((len(y), 2, 2))
    costs[:, 0, 1], costs[:, 1, 0] = amounts, 3.0
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = cost_scorer().set_score_request(costs=True)
        search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e3]}, scoring=scorer, error_score="raise")
        search.fit(X, y, costs=costs)
    assert search.best_params_["var_smoothing"] == 1e-9
    model = GaussianNB().fit(X, y)
    p = model.predict_proba(X)
    paid = [M[np.argmin(M @ row), k] for M, row, k in zip(costs, p, y, strict=True)]
    with sklearn.config_context(enable_metadata_routing=True):
        assert scorer(model, X, y, costs=costs) == pytest.approx(-np.mean(paid))
    assert cost_scorer(costs[0])(model, X, y) < 0.0
    with pytest.raises(ValueError, match="no costs"):
        cost_scorer()(model, X, y)


@pytest.mark.spec("EVA-082")
@pytest.mark.parametrize("base", [LinearSVC(), SVC(), RandomForestClassifier(20, random_state=0)], ids=str)
def test_calibrated_scores_of_any_classifier(base):
    y, x = true_ratios(1500)
    X, app = x[:, None], Application(0.1)
    model = CalibratedScorer(base).fit(X[:1000], y[:1000])
    assert calibration_loss(y[1000:], model.llr(X[1000:]), app) < 0.25
    assert cllr(y[1000:], model.llr(X[1000:])) < 0.75
    np.testing.assert_allclose(model.decision_function(X), model.llr(X) + np.log(model.prior_[1] / model.prior_[0]))
    np.testing.assert_allclose(logit(model.predict_proba(X)[:, 1]), model.decision_function(X), rtol=1e-6)
    decided = BayesDecisionClassifier(model, priors=[0.9, 0.1]).fit(X[:1000], y[:1000])
    assert np.mean(decided.predict(X)) < np.mean(model.predict(X))
    other = CalibratedScorer(base).fit(X[:1000], y[:1000], X_cal=X[1000:], y_cal=y[1000:])
    assert other.calibrator_.alpha_ != model.calibrator_.alpha_


@pytest.mark.spec("EVA-082")
def test_calibration_on_the_training_rows_is_refused_or_warned_of():
    y, x = true_ratios(300)
    X, tree = x[:, None], DecisionTreeClassifier(random_state=0)
    same = [{"X_cal": rows, "y_cal": y} for rows in (X, X.copy())]
    for options, given in [({"cv": "train"}, {}), *(({}, each) for each in same)]:
        with pytest.raises(ValueError, match="training rows"):
            CalibratedScorer(tree, **options).fit(X, y, **given)
        loose = CalibratedScorer(tree, ScoreCalibrator("pav"), allow_train=True, **options)
        with pytest.warns(UserWarning, match="too sure"):
            sure = loose.fit(X, y, **given).llr(X)
        assert cllr(y, sure) < cllr(y, CalibratedScorer(tree, ScoreCalibrator("pav")).fit(X, y).llr(X))
    with pytest.raises(ValueError, match="belong together"):
        CalibratedScorer(tree).fit(X, y, X_cal=X)
    with pytest.raises(ValueError, match="y_cal has"):
        CalibratedScorer(tree).fit(X, y, X_cal=X[:50], y_cal=y[:50] + 5)


def test_calibration_of_several_classes():
    X, y = blobs(n=3000)
    logs = np.column_stack([norm.logpdf(X - c).sum(axis=1) for c in ((0, 0), (2, 0), (0, 2))])
    spoiled = 3.0 * logs + [1.0, -2.0, 0.5] + np.arange(3000)[:, None] % 7
    true = log_softmax(logs, axis=1)
    for method, tolerance in [("logistic", 0.02), ("matrix", 0.02)]:
        found = ScoreCalibrator(method).fit(spoiled, y).transform(spoiled)
        kl = np.mean(np.sum(np.exp(true) * (true - log_softmax(found, axis=1)), axis=1))
        assert 0.0 <= kl < tolerance
    scale = ScoreCalibrator("temperature").fit(3.0 * logs, y)
    assert scale.alpha_ == pytest.approx(1 / 3, abs=0.02)
    rare = ScoreCalibrator(prior=[0.8, 0.1, 0.1]).fit(spoiled, y)
    np.testing.assert_allclose(rare.predict_proba(spoiled).mean(axis=1), 1 / 3)
    split = calibration_split(y, spoiled)
    assert split.calibration > 0.2
    assert split.discrimination == pytest.approx(proper_score(y, true, kind="log_posterior"), abs=0.01)
    # Two columns are the two-class map.
    two = y != 2
    pair, ratio = spoiled[two][:, :2], spoiled[two][:, 1] - spoiled[two][:, 0]
    both = ScoreCalibrator(prior=[0.7, 0.3]).fit(pair, y[two]).transform(pair)
    alone = ScoreCalibrator(prior=0.3).fit(ratio, y[two]).transform(ratio)
    np.testing.assert_allclose(both[:, 1] - both[:, 0], alone, atol=1e-6)
    model = CalibratedScorer(GaussianNB()).fit(X, y)
    assert proper_score(y, model.predict_proba(X)) < 1.05 * proper_score(y, true, kind="log_posterior")
    np.testing.assert_allclose(model.predict_proba(X), softmax(model.decision_function(X), axis=1))


@pytest.mark.parametrize("method", ["temperature", "beta", "venn_abers", "pav", "logistic"])
def test_every_map_repairs_overconfident_scores(method):
    y, x = true_ratios(4000)
    train, test = np.arange(4000) < 2000, np.arange(4000) >= 2000
    s = 6.0 * x
    llr = ScoreCalibrator(method).fit(s[train], y[train]).transform(s)
    assert np.all(np.diff(llr[np.argsort(s, kind="stable")]) >= -1e-12)
    assert cllr(y[test], llr[test]) < cllr(y[test], 2.0 * x[test]) + 0.02
    assert cllr(y[test], s[test]) > cllr(y[test], llr[test]) + 0.1
    assert min_cllr(y[test], s[test]) <= cllr(y[test], llr[test])


def spherical(k, q):
    return 1.0 - q[np.arange(len(k)), k] / np.linalg.norm(q, axis=1)


@pytest.mark.parametrize(
    "rule", ["log", "brier", Application(0.5, 3.0, 1.0), spherical], ids=["log", "brier", "costs", "spherical"]
)
def test_any_proper_score_is_divided(rule):
    y, x = true_ratios(2000)
    priors = 0.3
    spoiled, good = (calibration_split(y, s, rule, priors=priors) for s in (6.0 * x + 1.0, 2.0 * x))
    assert spoiled.actual == pytest.approx(spoiled.discrimination + spoiled.calibration)
    assert spoiled.discrimination == pytest.approx(good.discrimination)
    assert spoiled.calibration > good.calibration > -1e-12


@pytest.mark.parametrize("lam", [0.0, 0.1])
def test_fusion_of_systems_with_missing_scores(lam):
    y, _ = true_ratios(4000)
    rng = np.random.default_rng(5)
    S = rng.normal(size=(4000, 3)) + (2.0 * y - 1.0)[:, None] * [1.0, 0.7, 0.0] + [5.0, 0.0, 0.0]
    fusion = ScoreFusion(lam=lam).fit(S, y)
    if lam == 0.0:
        np.testing.assert_allclose(fusion.coef_, [2.0, 1.4, 0.0], atol=0.15)
        assert fusion.intercept_ == pytest.approx(-10.0, abs=0.7)
    one = ScoreCalibrator(lam=lam).fit(S[:, 0], y)
    single = ScoreFusion(lam=lam).fit(S[:, :1], y)
    np.testing.assert_allclose(single.llr(S[:, :1]), one.transform(S[:, 0]), atol=1e-6)
    holes = S.copy()
    holes[rng.random(4000) < 0.3, 1] = np.nan
    gone = ScoreFusion(lam=lam).fit(holes, y)
    assert cllr(y, fusion.llr(S)) < cllr(y, gone.llr(holes)) < cllr(y, one.transform(S[:, 0]))
    twice = ScoreFusion(lam=lam).fit(holes, y, sample_weight=np.full(len(y), 2.0))
    np.testing.assert_allclose(twice.llr(holes), gone.llr(holes), atol=1e-6)
    frame = pd.DataFrame(holes, columns=["a", "b", "c"])
    np.testing.assert_allclose(ScoreFusion(lam=lam).fit(frame, y).llr(frame), gone.llr(holes))


def test_a_row_of_weight_zero_is_no_row():
    X, y = blobs(n=150)
    w = (y != 2).astype(float)
    app = Application(0.3)
    for model in (
        BayesDecisionClassifier(GaussianNB(), priors=[0.9, 0.1]),
        RejectClassifier(GaussianNB(), 0.2),
        CalibratedScorer(GaussianNB(), cv="train", allow_train=True),
        ThresholdTuner(app, estimator=GaussianNB(), method="theoretical"),
    ):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the calibrator is fitted")
            weighted, without = clone(model).fit(X, y, sample_weight=w), clone(model).fit(X[y != 2], y[y != 2])
        np.testing.assert_array_equal(weighted.classes_, [0, 1])
        np.testing.assert_array_equal(weighted.predict(X), without.predict(X))


def test_beta_calibration_never_falls():
    rng = np.random.default_rng(0)
    s = rng.normal(scale=2.0, size=3000)
    y = (rng.random(3000) < expit(np.where(s < 0, 0.5 * s, -0.3 * s))).astype(int)
    found = ScoreCalibrator("beta").fit(s, y)
    assert min(found.map_.a, found.map_.b) == 0.0
    assert np.all(np.diff(found.transform(np.linspace(-9, 9, 99))) >= 0.0)


def functions_of_scores():
    app = Application(0.2, 3.0, 1.0)
    found = {
        "cllr": cllr,
        "min_cllr": min_cllr,
        "min_dcf": lambda y, s, **w: min_dcf(y, s, app, **w).value,
        "act_dcf": lambda y, s, **w: act_dcf(y, s, app, **w),
        "calibration_loss": lambda y, s, **w: calibration_loss(y, s, app, **w),
        "bayes_error_curve": lambda y, s, **w: bayes_error_curve(s, y, **w).actual["scores"],
        "calibration_split": lambda y, s, **w: calibration_split(y, s, **w),
    }
    for method in ("logistic", "temperature", "beta", "pav", "venn_abers"):
        found[method] = lambda y, s, method=method, sample_weight=None: (
            ScoreCalibrator(method).fit(s, y, sample_weight).transform([-1.0, 0.0, 1.0])
        )
    return found


@pytest.mark.parametrize("function", functions_of_scores().values(), ids=functions_of_scores())
def test_weights_kinds_of_arrays_and_refusals(function):
    y, s = tied_trials(4)
    s = np.round(8.0 * np.clip(s, -3.0, 3.0)) / 8.0  # numbers of single precision
    w = np.random.default_rng(0).integers(0, 4, len(y))
    expected = function(np.repeat(y, w), np.repeat(s, w))
    np.testing.assert_allclose(function(y, s, sample_weight=w), expected, atol=1e-6)
    plain = function(y, s)
    frozen = s.copy()
    frozen.setflags(write=False)
    kinds = [(y.astype(bool), frozen), (np.array(["no", "yes"])[y], s), (pd.Series(y), pd.Series(s)),
             (y, np.repeat(s, 2)[::2]), (y.tolist(), s.tolist())]  # fmt: skip
    for labels, scores in kinds:
        np.testing.assert_allclose(function(labels, scores), plain, atol=1e-9)
    np.testing.assert_allclose(function(y, s.astype(np.float32)), plain, rtol=1e-2, atol=1e-4)
    for labels, scores, words in [
        (np.zeros(60), s, "two classes"),
        (y, np.where(s > 0, np.nan, s), "NaN"),
        ([], [], "no rows"),
        ([1], [0.5], "two classes"),
        (y[:-1], s, "for each row|row"),
    ]:
        with pytest.raises(ValueError, match=words):
            function(labels, scores)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_costs_and_calibration_at_every_scale(scale):
    y, s = tied_trials(4)
    s = np.clip(s, -3.0, 3.0)
    assert min_dcf(y, scale * s, Application(0.2)).value == pytest.approx(min_dcf(y, s, Application(0.2)).value)
    for method in ("logistic", "temperature", "pav", "venn_abers"):
        found = ScoreCalibrator(method).fit(scale * s, y).transform(scale * s)
        np.testing.assert_allclose(found, ScoreCalibrator(method).fit(s, y).transform(s), atol=1e-6)


@pytest.mark.spec("EVA-081")
def test_unusual_scores_are_exact_or_refused():
    y, s = tied_trials(4)
    for method in ("logistic", "temperature", "beta"):
        with pytest.raises(ValueError, match="infinite values"):
            ScoreCalibrator(method).fit(s, y)
    assert np.all(np.isfinite(ScoreCalibrator("venn_abers").fit(s, y).transform(s)))
    rows = np.column_stack([np.zeros(60), np.clip(s, -3.0, 3.0)])
    for method in ("logistic", "temperature", "matrix"):
        by_class = ScoreCalibrator(method).fit(rows, y)
        with pytest.raises(ValueError, match="infinite values"):
            by_class.transform([[0.0, -np.inf]])
    one_sided = ScoreCalibrator("beta").fit([-4.0, -1.0, 0.5, 1.0, 0.6, 1.0], [0, 0, 1, 0, 1, 0])
    assert min(one_sided.map_.a, one_sided.map_.b) == 0.0
    far = one_sided.transform([-np.inf, -40.0, 40.0, np.inf])
    assert not np.any(np.isnan(far))
    assert np.all(np.diff(far) >= 0.0)
    with pytest.warns(UserWarning, match="is negative"):
        ScoreCalibrator().fit(-np.clip(s, -3, 3), y)
    with pytest.warns(ConvergenceWarning, match="lam > 0"):
        ScoreCalibrator().fit([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ScoreCalibrator(lam=0.1).fit([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1]).alpha_ < 5.0
    constant = ScoreCalibrator().fit([1.0, 1.0, 1.0, 1.0], [0, 1, 0, 1])
    np.testing.assert_allclose(constant.transform([1.0, np.inf]), 0.0, atol=1e-9)
    three = np.array([0, 1, 2] * 20)
    assert cllr(three, s, pos_label=2) == pytest.approx(cllr(three == 2, s))
    with pytest.raises(ValueError, match="pos_label"):
        cllr(three, s)


REFUSED = [
    (lambda: Application(0.0), "prior"),
    (lambda: Application(1.0), "prior"),
    (lambda: Application(-0.2), "prior"),
    (lambda: Application(np.nan), "prior"),
    (lambda: Application([0.5, 0.6]), "sum to 1"),
    (lambda: Application([1.0, 0.0]), r"\(0, 1\)"),
    (lambda: Application(0.5, cost_fn=0.0), "cost_fn"),
    (lambda: Application(0.5, cost_fp=-1.0), "cost_fp"),
    (lambda: Application([0.2, 0.3, 0.5], cost_fn=2.0), "two classes"),
    (lambda: Application(0.5, 2.0, cost_matrix=[[0, 1], [1, 0]]), "leave cost_fn"),
    (lambda: Application(0.5, cost_matrix=[[0, 1, 2], [1, 0, 2]]), "classes"),
    (lambda: Application(0.5, cost_matrix=[[0, np.inf], [1, 0]]), "finite"),
    (lambda: Application(0.5, cost_matrix=[[0, 1], [1, 0]], actions=["a"]), "actions"),
    (lambda: Application([0.2, 0.3, 0.5]).threshold, "calibrate"),
    (lambda: min_dcf([0, 1, 2], [0.1, 0.2, 0.3], Application([0.2, 0.3, 0.5]), pos_label=1), "calibrate"),
    (lambda: cost_threshold([[0, 0], [1, 0]]), "always best"),
    (lambda: cost_threshold(np.ones((3, 2))), "bayes_decision"),
    (lambda: bayes_decision([0.0], kind="llr"), "needs priors"),
    (lambda: bayes_decision([0.0], kind="llr", priors=1.5), "priors"),
    (lambda: bayes_decision([[0.5, 0.5]], priors=0.5), "leave them out"),
    (lambda: bayes_decision([[-np.inf, -np.inf]], kind="log_likelihood", priors=0.5), "no posterior"),
    (lambda: bayes_decision([[np.nan, 1.0]]), "NaN"),
    (lambda: dcf([0, 0, 0], [0, 0, 1], Application(0.5)), "every class"),
    (lambda: dcf([0, 1, 1], [0, 0, 7], Application(0.5)), "decisions has"),
    (lambda: empirical_bayes_risk([0, 0], [0, 1], [[0, 1], [1, 0]], 0.5, classes=[0, 1]), "no row of"),
    (lambda: ScoreCalibrator("pav", prior=0.3).fit([0.0, 1.0], [0, 1]), "every prior"),
    (lambda: ScoreCalibrator("logistic", laplace=False).fit([0.0, 1.0], [0, 1]), "laplace"),
    (lambda: ScoreCalibrator("matrix").fit([0.0, 1.0], [0, 1]), "not for one score"),
    (lambda: ScoreCalibrator("pav").fit(np.eye(2), [0, 1]), "not for 2 columns"),
    (lambda: ScoreCalibrator(prior=1.0).fit([0.0, 1.0], [0, 1]), "prior"),
    (lambda: ScoreFusion(prior=2.0).fit(np.eye(4), [0, 1, 0, 1]), "prior"),
    (lambda: bayes_action((0.0, -1.0), "squared"), "sd"),
    (lambda: bayes_action([], "squared"), "samples"),
    (lambda: population_minimizer("logistic", 1.5), "probabilities"),
    (lambda: dcf([0, 1, 2], [0, 1, 2], Application([0.2, 0.3, 0.5]), pos_label=1), "two labels"),
    (lambda: dcf([0, 1], [0, 1], Application(0.5), pos_label=7), "pos_label"),
    (lambda: proper_score([0, 1], [[1.0, 1.0], [0.5, 0.5]]), "sum to 1"),
    (lambda: proper_score([0, 1], [[0.5, 0.0], [0.5, 0.5]], "brier"), "sum to 1"),
    (lambda: bayes_error_curve([0.1, 0.2], [0, 1], [np.inf]), "finite"),
    (
        lambda: BayesDecisionClassifier(GaussianNB(), priors=[0.0, 1.0]).fit(*blobs(centres=((0, 0), (1, 1)))),
        r"\(0, 1\)",
    ),
    (lambda: BayesDecisionClassifier(LinearSVC()).fit(*blobs()), "predict_proba"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_refusals_say_what_is_allowed(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()


@pytest.mark.spec("EVA-075")
def test_costs_that_decide_nothing_are_said_so():
    idle = [[0, 0], [1, 1]]
    for call in (
        lambda: Application(0.5, cost_matrix=idle),
        lambda: bayes_decision([[0.5, 0.5]], idle),
        lambda: BayesDecisionClassifier(GaussianNB(), idle).fit(*blobs(centres=((0, 0), (1, 1)))),
    ):
        with pytest.warns(UserWarning, match="always best"):
            call()
    with pytest.warns(UserWarning, match="always"), pytest.raises(ValueError, match="normalize=False"):
        dcf([0, 1], [0, 1], Application(0.5, cost_matrix=idle))


def test_estimators_are_cloned_and_searched_with_their_nouns():
    X, y = blobs(centres=((0, 0), (2, 1)))
    app = Application(0.1, 5.0, 1.0)
    pipeline = make_pipeline(StandardScaler(), CalibratedScorer(LinearSVC(), ScoreCalibrator()))
    grid = {"calibratedscorer__calibrator__method": ["logistic", "pav"], "calibratedscorer__estimator__C": [0.1, 1.0]}
    search = GridSearchCV(pipeline, grid, scoring=dcf_scorer(app, "actual"), cv=3).fit(X, y)
    assert set(search.best_params_) == set(grid)
    tuner = clone(ThresholdTuner(app, estimator=GaussianNB()))
    assert tuner.app == app
    assert hash(app) == hash(Application(0.1, 5.0, 1.0))
    assert len(decision.__all__) == len(set(decision.__all__))


@pytest.mark.parametrize("method", ["logistic", "temperature"])
def test_two_columns_are_calibrated_as_their_difference(method):
    """The penalty is that of the scale, however many columns it multiplies."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    s = rng.normal(2.0 * y - 1.0)
    columns = np.column_stack([-0.5 * s, 0.5 * s])
    for lam in (0.0, 0.3):
        one, two = (ScoreCalibrator(method, lam=lam).fit(scores, y) for scores in (s, columns))
        np.testing.assert_allclose(two.alpha_, one.alpha_, rtol=1e-6)
        np.testing.assert_allclose(np.diff(two.transform(columns))[:, 0], one.transform(s), rtol=1e-5, atol=1e-8)


def test_rows_that_are_no_probabilities_have_no_other_prior():
    with pytest.raises(ValueError, match="must sum to 1"):
        shift_prior([[0.5, 0.6]], [0.5, 0.5], [0.1, 0.9])
