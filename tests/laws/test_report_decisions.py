"""Aims of a study: costs, priors, calibration, sets; each against its definition or the functions of the library."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

from gnomon import _registry
from gnomon._registry import Candidate, discover, register
from gnomon.decision import Application, empirical_bayes_risk
from gnomon.io import Table, UserError, load, save
from gnomon.report import Aims, _pictures, learn, page, summary
from gnomon.report._calibrate import calibrated_by
from gnomon.report._decisions import cost_curve, decision_findings, decision_outcome
from gnomon.report._sets import SetOutcome, calibrated_sets
from gnomon.report._trials import Trial
from gnomon.report.aims import Stakes, read_costs
from gnomon.report.deployment import Deployed
from gnomon.report.scores import Forecast

TWO = ("bad", "good")


@pytest.fixture
def quick_models(monkeypatch):
    """Two models of scikit-learn in the registry: logistic regression, and one that is far too sure."""
    discover()
    monkeypatch.setattr(_registry, "_registered", _registry._Registered())
    register(Candidate("logistic", "classification", lambda f, s: LogisticRegression(), 1))
    register(Candidate("naive", "classification", lambda f, s: GaussianNB(), 0.5))


def forecasts(n=300, seed=0, classes=TWO):
    """Labels, and probabilities that are right."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(len(classes)), n)
    y = np.array(classes)[np.sum(rng.random((n, 1)) > np.cumsum(proba, axis=1)[:, :-1], axis=1)]
    return y, Forecast(np.array(classes)[np.argmax(proba, axis=1)], proba, np.array(classes))


@pytest.mark.parametrize("priors", [None, np.array([0.1, 0.9])])
def test_the_cost_of_decisions_is_the_empirical_bayes_risk(priors):
    y, f = forecasts()
    costs = np.array([[0.0, 1.0], [5.0, 0.0], [0.4, 0.4]])
    stakes, shares = Stakes(("refuse", "grant", "ask"), costs, priors), np.array([0.4, 0.6])
    found = decision_outcome(y, f, stakes, shares)
    used = shares if priors is None else priors
    proba = f.proba if priors is None else f.proba * priors / shares
    taken = np.argmin(proba @ costs.T, axis=1)
    named = np.array(stakes.actions)[taken]
    assert found.cost.value == pytest.approx(empirical_bayes_risk(y, named, costs, used, actions=stakes.actions))
    blind = costs @ used
    assert found.constant == (stakes.actions[int(np.argmin(blind))], pytest.approx(blind.min()))
    assert found.gain.value == pytest.approx(blind.min() - found.cost.value)
    assert found.counts.sum() == len(y)
    assert found.of_most_probable is None
    assert found.cost.low < found.cost.value < found.cost.high


def test_the_standard_error_of_a_cost_is_that_of_repeated_draws():
    costs, shares = np.array([[0.0, 4.0], [1.0, 0.0]]), np.array([0.5, 0.5])
    found = [decision_outcome(*forecasts(400, seed), Stakes(TWO, costs, None), shares) for seed in range(200)]
    values = [one.cost.value for one in found]
    assert np.std(values) == pytest.approx(np.mean([one.cost.standard_error for one in found]), rel=0.15)


def test_the_curve_of_costs_meets_the_decisions_at_their_threshold():
    y, f = forecasts()
    stakes, shares = Stakes(TWO, np.array([[0.0, 4.0], [1.0, 0.0]]), None), np.array([0.4, 0.6])
    curve, found = cost_curve(y, f, stakes, shares), decision_outcome(y, f, stakes, shares)
    assert curve.used == pytest.approx(0.2)
    # Decisions are those of the least threshold in the curve that is not below the one used.
    at = np.flatnonzero(curve.thresholds >= curve.used)[-1]
    below = np.flatnonzero(curve.thresholds <= curve.used)[0]
    assert found.cost.value == pytest.approx(curve.costs[below] if below > 0 else curve.costs[at])
    assert curve.costs[0] == pytest.approx(0.6 * 4.0)
    assert curve.costs[-1] == pytest.approx(0.4 * 1.0)
    assert cost_curve(y, f, Stakes(("a", "b", "c"), np.ones((3, 2)), None), shares) is None
    other_order = cost_curve(y, f, Stakes(TWO[::-1], stakes.costs[::-1], None), shares)
    np.testing.assert_array_equal(other_order.costs, curve.costs)
    assert other_order.used == curve.used


def test_the_interval_of_a_cost_holds_only_what_decisions_can_cost():
    y, f = forecasts(12)
    # Nearly sure decisions: of a normal interval one end would be negative.
    sure = Forecast(y, np.where(f.classes == y[:, None], 0.98, 0.02), f.classes)
    sure.proba[0] = sure.proba[0, ::-1]
    costs, shares = np.array([[0.1, 4.0], [1.0, 0.1]]), np.array([0.5, 0.5])
    found = decision_outcome(y, sure, Stakes(TWO, costs, None), shares).cost
    assert found.value - 1.96 * found.standard_error < 0.1 == found.low < found.value < found.high <= 2.5


def in_order(classes, n=400):
    """Rows in time: of the second class from a quarter on, of a third class at the very end."""
    rng = np.random.default_rng(0)
    x, k = rng.normal(size=n), np.arange(n)
    y = np.where((k > n // 4) & (x + 0.5 * rng.normal(size=n) > 0.0), "b", "a")
    if classes == 3:
        y = np.where((k > 0.85 * n) & (rng.random(n) < 0.5), "c", y)
    return {"when": k, "x": x, "y": y}


@pytest.mark.usefixtures("quick_models")
def test_a_class_of_later_rows_alone_has_costs_too():
    """The judged model does not know it, the model of all rows does; both decide."""
    data = in_order(3)
    costs = {a: {k: float(a != k) for k in "abc"} for a in "abc"}
    for refit in (True, False):
        study = learn(data, "y", time="when", aims=Aims(costs=costs), refit=refit, metric="cost")
        known = "abc" if refit else "ab"
        assert study.model.classes_.tolist() == list(known)
        last = study.model[-1]
        assert last.costs.shape == (3, len(known))
        assert set(last.decide(study.model[0].transform(Table(data)))) <= set(known)
        assert study.decisions.counts.sum() == len(study.split.test)
        assert study.judgement.scores["cost"] == pytest.approx(study.decisions.cost.value)
        assert "Classes of later rows alone" in [finding.title for finding in study.findings]


@pytest.mark.usefixtures("quick_models")
def test_folds_in_time_begin_where_there_are_two_classes():
    study = learn(in_order(2), "y", time="when")
    assert len(study.split.folds) == 4
    assert "4 times, earlier rows predict" in study.split.rule
    assert study.choice.learned
    late = in_order(2) | {"y": np.where(np.arange(400) < 310, "a", in_order(2)["y"])}
    with pytest.raises(UserError, match="until late, all rows are of one class, a, from which nothing can be learned"):
        learn(late, "y", time="when")


def test_costs_that_decide_nothing_are_said_so():
    y, f = forecasts()
    shares = np.array([0.4, 0.6])
    always = decision_outcome(y, f, Stakes(TWO, np.array([[0.0, 1.0], [1.0, 2.0]]), None), shares)
    assert "always best" in decision_findings(always)[0].title
    useless = Forecast(f.predicted, np.tile(shares, (len(y), 1)), f.classes)
    blind = decision_outcome(y, useless, Stakes(TWO, np.array([[0.0, 1.0], [1.0, 0.0]]), None), shares)
    assert "No gain" in decision_findings(blind)[0].title
    good = decision_outcome(y, f, Stakes(TWO, np.array([[0.0, 1.0], [1.0, 0.0]]), None), shares)
    assert decision_findings(good) == []


def sharpened(f, power):
    """Probabilities that are too sure (power > 1)."""
    p = f.proba**power
    return Forecast(f.predicted, p / p.sum(axis=1, keepdims=True), f.classes)


@pytest.mark.parametrize("classes", [TWO, ("a", "b", "c")])
def test_forecasts_that_are_too_sure_are_calibrated_and_right_ones_are_not(classes):
    y, f = forecasts(1500, classes=classes)
    folds = [(np.setdiff1d(np.arange(1500), part), part) for part in np.array_split(np.arange(1500), 5)]
    verdicts = []
    for power in (1.0, 3.0):
        said = tuple(sharpened(f, power).take(test) for _, test in folds)
        verdicts.append(calibrated_by(Trial(None, forecasts=said), y, folds, classes))
    right, sure = verdicts
    assert right.calibrator is None
    assert sure.calibrator is not None
    assert sure.after == pytest.approx(right.before, rel=0.02)
    assert sure.calibrator.alpha_ == pytest.approx(1 / 3, rel=0.15)


def test_few_rows_of_a_class_are_not_calibrated():
    y, f = forecasts(60)
    y[y == "bad"] = "good"
    y[:3] = "bad"
    folds = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    assert calibrated_by(Trial(None, forecasts=(f.take(folds[0][1]), f.take(folds[1][1]))), y, folds, TWO) is None


@pytest.mark.parametrize(("coverage", "needed"), [(0.9, 9), (0.95, 19), (0.99, 99), (0.5, 1)])
def test_too_few_rows_for_a_coverage_are_told_with_how_many_are_needed(coverage, needed):
    few, enough = (SetOutcome(None, coverage, rows, (0.0, 1.0), False, "") for rows in (needed - 1, needed))
    assert f"a coverage of {coverage:g} needs {needed}, so" in few.shortage
    assert enough.shortage == ""


def test_sets_cover_what_they_promise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    y = X[:, 0] + rng.standard_t(3, size=6000)
    model = LinearRegression().fit(X[:500], y[:500])
    found = calibrated_sets(model, X[500:1500], y[500:1500], 0.8, by_class=False)
    inside = found.sets.predict_interval(X[1500:]).covers(y[1500:]).mean()
    assert found.range[0] - 0.02 < inside < found.range[1] + 0.02
    assert found.range[0] < 0.8 < found.range[1]
    labels = np.where(y > 1.0, "u", "v")
    chooser = LogisticRegression().fit(X[:500], labels[:500])
    sets = calibrated_sets(chooser, X[500:1500], labels[500:1500], 0.8, by_class=True).sets
    holds = sets.predict_set(X[1500:]).covers(labels[1500:])
    assert all(abs(holds[labels[1500:] == name].mean() - 0.8) < 0.05 for name in ("u", "v"))
    few = calibrated_sets(model, X[:3], y[:3], 0.9, by_class=False)
    assert "unbounded" in few.size
    assert few.range == (1.0, 1.0)
    assert few.shortage.startswith("3 held-out rows calibrate, and a coverage of 0.9 needs 9, so no interval has ends")
    rare = np.r_[np.flatnonzero(labels == "u")[:8], np.flatnonzero(labels == "v")[:50]]
    by_class = calibrated_sets(chooser, X[rare], labels[rare], 0.9, by_class=True)
    assert "8 rows of the rarest class calibrate" in by_class.shortage
    with pytest.warns(UserWarning, match="needs calibration rows"):
        assert all("u" in held for held in by_class.sets.predict_set(X[rare]).labels())
    assert not found.shortage


@pytest.mark.parametrize(
    ("aims", "classes", "words"),
    [
        ({"fn_cost": 2.0}, (), "--fn-cost is for classes"),
        ({"costs": {"a": {"x": 1.0}}}, (), "--costs is for classes"),
        ({"prior": 0.2}, ("a", "b", "c"), "--prior is for two classes; the target has 3"),
        ({"positive": "z"}, TWO, "--positive z: the classes are"),
        (
            {"costs": {"a": {"bad": 1.0}, "b": {"bad": 2.0}}},
            TWO,
            "the costs of a lack good; give one for each class: bad, good",
        ),
        ({"costs": {"a": {"bad": 1.0, "Good": 2.0}}}, TWO, "lack good, have Good, which is no class"),
        ({"positive": "bad"}, TWO, "--positive says which class --fn-cost, --fp-cost and --prior are for"),
        ({"costs": {"a": {"bad": 1.0, "good": np.inf}, "b": {"bad": 1.0, "good": 0.0}}}, TWO, "finite"),
        ({"costs": {"a": {"bad": 1.0, "good": 2.0}}}, TWO, "at least two actions"),
    ],
)
def test_aims_that_do_not_fit_the_target_are_refused(aims, classes, words):
    with pytest.raises(UserError, match=words):
        Aims(**aims).stakes(classes)


@pytest.mark.parametrize(
    "aims",
    [{"prior": 0.0}, {"prior": 1.2}, {"coverage": 1.0}, {"coverage": np.nan}, {"fn_cost": -1.0}, {"fp_cost": np.inf},
     {"costs": {}, "fn_cost": 1.0}],
)  # fmt: skip
def test_aims_out_of_range_are_refused(aims):
    with pytest.raises(UserError, match="--"):
        Aims(**aims)


def test_the_positive_class_may_be_the_first():
    stakes = Aims(fn_cost=7.0, fp_cost=2.0, positive="bad", prior=0.2).stakes(TWO)
    np.testing.assert_array_equal(stakes.costs, [[0.0, 2.0], [7.0, 0.0]])
    np.testing.assert_allclose(stakes.priors, [0.2, 0.8])


def test_tables_of_costs_name_what_is_wrong():
    with pytest.raises(UserError, match="name each action once"):
        read_costs(Table({"a": ["x", "x"], "k": ["1", "2"]}))
    with pytest.raises(UserError, match="the cost of y in the column k is 'much', no number"):
        read_costs(Table({"a": ["x", "y"], "k": ["1", "much"]}))


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    y = np.where(x[:, 0] + rng.normal(size=n) > 0.5, "good", "bad")
    return Table({"a": x[:, 0], "b": x[:, 1], "y": y})


def test_a_study_with_aims_is_reported_and_its_model_survives_its_file(quick_models, tmp_path):
    data = table()
    study = learn(data, "y", aims=Aims(fn_cost=4.0, prior=0.6, coverage=0.8))
    last = study.model[-1]
    assert isinstance(last, Deployed)
    save(study.model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    rows = study.model[0].transform(data)
    for one, other in ((again[-1].predict_proba(rows), last.predict_proba(rows)),
                       (again[-1].decide(rows), last.decide(rows)),
                       (again[-1].sets.p_values(rows), last.sets.p_values(rows))):  # fmt: skip
        np.testing.assert_array_equal(one, other)
    decided = Application([0.4, 0.6], cost_matrix=study.decisions.stakes.costs, actions=TWO)
    np.testing.assert_array_equal(last.decide(rows), decided.decide(last.predict_proba(rows)))
    html, said = page(study, data), summary(study)
    assert "Decisions" in html
    assert "Sets that hold the truth" in html
    assert said["decisions"]["best_constant"]["action"] in TWO
    assert said["sets"]["by_class"]


def test_a_study_without_aims_has_no_more_than_a_model(quick_models):
    study = learn(table(), "y")
    assert study.decisions is None
    assert study.sets is None
    assert not isinstance(study.model[-1], Deployed) or study.calibration.calibrator is not None


def test_scores_are_those_of_the_calibrated_model(quick_models):
    """Naive Bayes of copied columns is far too sure; what is judged is what the file does."""
    models = _registry._registered.models
    del models[next(key for key in models if "logistic" in key)]
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1000, 1))
    y = np.where(x[:, 0] + 0.7 * rng.normal(size=1000) > 0, "p", "q")
    data = Table({**{f"c{k}": x[:, 0] + 1e-3 * rng.normal(size=1000) for k in range(2)}, "y": y})
    study = learn(data, "y")
    assert study.calibration.calibrator is not None
    assert study.judgement.scores["log loss"] < study.calibration.before - 0.01
    held = data.take(study.target.rows[study.split.test])
    np.testing.assert_allclose(study.judged.predict_proba(held), study.judgement.forecast.proba)


def test_the_picture_of_costs_shows_what_decisions_at_a_threshold_cost(monkeypatch):
    y, f = forecasts(60)
    costs, shares = np.array([[0.0, 4.0], [1.0, 0.0]]), np.array([0.5, 0.5])
    stakes = Stakes(TWO, costs, None)
    curve, found = cost_curve(y, f, stakes, shares), decision_outcome(y, f, stakes, shares)
    axes = Figure().subplots()
    monkeypatch.setattr(_pictures, "drawn", lambda draw, *rest: draw(axes))
    _pictures.picture_of_costs(curve, found, TWO)
    (step,) = (one for one in axes.patches if isinstance(one, StepPatch))
    assert step.get_data().edges[[0, -1]].tolist() == [0.0, 1.0]
    for left, right, cost in zip(
        step.get_data().edges, step.get_data().edges[1:], step.get_data().values, strict=False
    ):
        second = f.proba[:, 1] > 0.5 * (left + right)
        paid = costs[second.astype(int), (y == TWO[1]).astype(int)]
        assert cost == pytest.approx(0.5 * paid[y == TWO[0]].mean() + 0.5 * paid[y == TWO[1]].mean())
