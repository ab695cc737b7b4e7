"""Laws of one-vs-rest, one-vs-one, regression on codes and refusals."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from gnomon.features import decode_labels, encode_labels
from gnomon.linear import LeastSquaresClassifier
from gnomon.losses import BinaryCrossEntropy, OneVsRestCrossEntropy
from gnomon.multiclass import (
    IndicatorRegression,
    OneVsOneClassifier,
    OneVsRestClassifier,
    class_bits,
    code_distances,
)
from gnomon.numerics.coding import class_pairs, couple_pairs, dag_winners, pair_code, pair_sums
from reduction_cases import Given, Hard, blobs

REDUCTIONS = [OneVsRestClassifier, OneVsOneClassifier]
BASES = [LogisticRegression(), LinearSVC(C=0.1), GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)]


# Labels as numbers.


@pytest.mark.spec("TRE-080")
@pytest.mark.parametrize("C", [1, 2, 3, 4, 5, 8, 9, 100])
def test_bits_count_from_zero_with_the_most_significant_first(C):
    B = class_bits(C)
    assert B.shape == (C, int(np.ceil(np.log2(C))))
    np.testing.assert_array_equal(B @ (1 << np.arange(B.shape[1])[::-1]), np.arange(C))


@pytest.mark.spec("TRE-080")
@pytest.mark.parametrize("coding", ["one_hot", "one_hot_sign", "posterior"])
def test_the_largest_entry_decodes(coding):
    y = np.array(["b", "c", "a", "b"])
    codes, classes = encode_labels(y, coding)
    np.testing.assert_array_equal(decode_labels(codes, classes, coding), y)
    if coding == "one_hot_sign":
        np.testing.assert_array_equal(np.sum(codes == 1.0, axis=1), 1)
    else:
        np.testing.assert_allclose(np.sum(codes, axis=1), 1.0)


# Numbers of fits and votes.


@pytest.mark.spec("TRE-L28", "TRE-082", "TRE-086", "TRE-087")
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("C", [3, 4, 6])
def test_numbers_of_fits_and_sum_of_votes(base, C):
    X, y = blobs(C)
    rest, one = OneVsRestClassifier(base).fit(X, y), OneVsOneClassifier(base).fit(X, y)
    assert len(rest.estimators_) == C
    assert len(one.estimators_) == C * (C - 1) // 2
    votes = one.votes(X)
    np.testing.assert_array_equal(np.sum(votes, axis=1), C * (C - 1) / 2)
    # The tie term never turns a difference of one vote.
    np.testing.assert_array_less(np.abs(one.decision_function(X) - votes), 0.5)
    best = np.max(votes, axis=1)
    np.testing.assert_array_equal(votes[np.arange(len(X)), one.predict(X)], best)


@pytest.mark.spec("TRE-L28", "TRE-082")
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_two_classes_are_left_to_the_base(reduction, base):
    X, y = blobs(2, spread=4.0)
    y = np.array(["ham", "spam"])[y]
    model = reduction(base).fit(X, y)
    assert len(model.estimators_) == 1
    np.testing.assert_array_equal(model.predict(X), clone(base).fit(X, y).predict(X))


@pytest.mark.spec("TRE-086")
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_pair_sees_only_its_rows(n_jobs):
    X, y = blobs(4)
    model = OneVsOneClassifier(GaussianNB(), n_jobs=n_jobs).fit(X, y)
    for (i, j), fitted in zip(class_pairs(4), model.estimators_, strict=True):
        np.testing.assert_allclose(fitted.theta_, [X[y == i].mean(axis=0), X[y == j].mean(axis=0)])


# One-vs-rest.


@pytest.mark.spec("TRE-083")
def test_three_ways_to_combine():
    X, y = blobs(4, spread=3.0)
    base = LogisticRegression()
    fits = [clone(base).fit(X, y == k) for k in range(4)]
    f = np.column_stack([fit.decision_function(X) for fit in fits])
    p = np.column_stack([fit.predict_proba(X)[:, 1] for fit in fits])
    np.testing.assert_array_equal(OneVsRestClassifier(base, combine="score").fit(X, y).predict(X), np.argmax(f, 1))
    np.testing.assert_array_equal(OneVsRestClassifier(base, combine="proba").fit(X, y).predict(X), np.argmax(p, 1))
    hard = OneVsRestClassifier(base, combine="hard").fit(X, y).predict(X)
    sure = np.sum(f > 0, axis=1) == 1
    np.testing.assert_array_equal(hard, np.where(sure, np.argmax(f, axis=1), -1))
    assert np.sum(np.max(f, axis=1) < 0) > 0  # all negative, and still an answer by "score"
    assert OneVsRestClassifier(GaussianNB()).fit(X, y)._kind("auto") == "proba"
    only_hard = OneVsRestClassifier(Hard()).fit(X, y)
    np.testing.assert_array_equal(only_hard.predict(X), hard)
    with pytest.raises(AttributeError, match="decision_function"):
        only_hard.decision_function(X)
    with pytest.raises(ValueError, match=r"Hard gives \['hard'\], not 'proba'.*Calibrated"):
        OneVsRestClassifier(Hard(), combine="proba").fit(X, y)


@pytest.mark.spec("TRE-L30", "TRE-084")
def test_scaling_one_line_changes_raw_answers_only():
    X, y = blobs(3, spread=3.0)
    scaled = OneVsRestClassifier(LogisticRegression(), normalize=True).fit(X, y)
    w = np.array([fit.coef_[0] for fit in scaled.estimators_])
    b = np.array([fit.intercept_[0] for fit in scaled.estimators_])
    distance = (X @ w.T + b) / np.linalg.norm(w, axis=1)
    np.testing.assert_allclose(scaled.decision_function(X), distance)
    for normalize, same in ((False, False), (True, True)):
        before, after = (
            OneVsRestClassifier(Given(iter(zip(w * c, b * c[:, 0], strict=True))), normalize=normalize)
            .fit(X, y)
            .predict(X)
            for c in (np.ones((3, 1)), np.array([[1.0], [20.0], [1.0]]))
        )
        assert np.array_equal(before, after) == same


@pytest.mark.spec("TRE-084")
def test_norms_of_kernel_expansions_and_pipelines():
    X, y = load_iris(return_X_y=True)
    linear = OneVsRestClassifier(SVC(kernel="linear"), normalize=True).fit(X, y)
    # ⟨x, x'⟩ as a kernel of its own has no coef_; its expansion has the same norm.
    expansion = OneVsRestClassifier(SVC(kernel="poly", degree=1, gamma=1.0), normalize=True).fit(X, y)
    np.testing.assert_allclose(expansion.weight_norms_, linear.weight_norms_, rtol=1e-6)
    pipe = OneVsRestClassifier(make_pipeline(StandardScaler(), LinearSVC(C=0.1)), normalize=True).fit(X, y)
    np.testing.assert_allclose(pipe.weight_norms_, [np.linalg.norm(e[-1].coef_) for e in pipe.estimators_])
    with pytest.raises(ValueError, match="combine='score'"):
        OneVsRestClassifier(GaussianNB(), normalize=True).fit(X, y)
    with pytest.raises(ValueError, match="normalize=True needs an estimator with coef_"):
        OneVsRestClassifier(CountingScores(), normalize=True).fit(X, y)


class CountingScores(Hard):
    def decision_function(self, X):
        return self.model_.decision_function(X)


@pytest.mark.spec("TRE-082")
def test_balance_weighs_both_sides_equally():
    X, y = blobs(5)
    balanced = OneVsRestClassifier(LogisticRegression(), balance=True).fit(X, y)
    expected = OneVsRestClassifier(LogisticRegression(class_weight="balanced")).fit(X, y)
    np.testing.assert_allclose(balanced.decision_function(X), expected.decision_function(X), rtol=1e-6)


@pytest.mark.spec("TRE-085", "TRE-L36")
def test_with_a_logistic_base_the_fit_minimises_the_sum_of_binary_cross_entropies():
    X, y = blobs(4, spread=3.0)
    model = OneVsRestClassifier(LogisticRegression(C=np.inf, tol=1e-10, max_iter=2000)).fit(X, y)
    Z = model.decision_function(X)
    loss, design = OneVsRestCrossEntropy(), np.column_stack([X, np.ones(len(X))])
    np.testing.assert_allclose(design.T @ loss.gradient(y, Z) / len(X), 0.0, atol=1e-5)  # column by column
    value = np.mean(loss.value(y, Z))
    P, T = 1.0 / (1.0 + np.exp(-Z)), np.eye(4)[y]
    assert value == pytest.approx(-np.mean(np.sum(T * np.log(P) + (1 - T) * np.log1p(-P), axis=1)))
    rng = np.random.default_rng(0)
    assert all(np.mean(loss.value(y, Z + 0.1 * design @ rng.normal(size=(3, 4)))) > value for _ in range(20))
    np.testing.assert_allclose(model.predict_proba(X), P / P.sum(axis=1, keepdims=True))


@pytest.mark.spec("TRE-L36")
@pytest.mark.parametrize("digit", [0.0, 1.0])
def test_a_sure_and_right_digit_costs_nothing(digit):
    assert BinaryCrossEntropy(from_score=False).value(digit, digit) == 0.0


class Never(Hard):
    def predict_proba(self, X):
        return np.tile([1.0, 0.0], (len(X), 1))


@pytest.mark.spec("TRE-085")
def test_probability_zero_everywhere_becomes_uniform_with_a_warning():
    X, y = blobs(3)
    model = OneVsRestClassifier(Never()).fit(X, y)
    with pytest.warns(UserWarning, match="200 rows have probability zero in every class"):
        np.testing.assert_allclose(model.predict_proba(X), 1 / 3)


@pytest.mark.spec("TRE-L37", "TRE-083")
def test_a_class_between_two_others():
    """No line has it on one side: hard answers refuse it, least squares masks it, squares or pairs find it."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(np.repeat([0.0, 3.0, 6.0], 100), 0.5)[:, None], np.repeat([0, 1, 2], 100)
    middle = X[y == 1]
    linear = LogisticRegression(C=100.0)
    hard = OneVsRestClassifier(linear, combine="hard").fit(X, y)
    assert np.all(hard.is_rejected(middle))
    assert 1 not in LeastSquaresClassifier().fit(X, y).predict(X)
    assert 1 not in IndicatorRegression(LinearRegression()).fit(X, y).predict(X)
    squares = OneVsRestClassifier(make_pipeline(PolynomialFeatures(2), linear), combine="hard").fit(X, y)
    assert squares.score(X, y) > 0.98
    assert IndicatorRegression(make_pipeline(PolynomialFeatures(2), LinearRegression())).fit(X, y).score(X, y) > 0.98
    assert OneVsOneClassifier(linear).fit(X, y).score(X, y) > 0.98


# One-vs-one.


@pytest.mark.spec("TRE-L31", "TRE-087")
@pytest.mark.parametrize("C", [3, 4, 5])
def test_votes_are_hamming_decoding_with_half_for_zeros(C):
    rng = np.random.default_rng(C)
    h, M = rng.choice([-1, 1], size=(300, C * (C - 1) // 2)), pair_code(C)
    distance = code_distances(h.astype(float), M, decode="hamming", zero="half")
    votes = pair_sums(h > 0, h < 0, C)
    # A class has C − 1 duels, and every column in which it takes no part costs ½.
    np.testing.assert_allclose(distance, (C - 1) - votes + (M.shape[1] - (C - 1)) / 2)
    np.testing.assert_array_equal(np.argmin(distance, axis=1), np.argmax(votes, axis=1))


@pytest.mark.spec("TRE-L31", "TRE-088")
@pytest.mark.parametrize("C", [3, 4, 6])
def test_the_graph_finds_the_class_that_beats_all_others_with_few_evaluations(C):
    rng = np.random.default_rng(C)
    wins = rng.random((400, C * (C - 1) // 2)) < 0.5
    place = {(i, j): l for l, (i, j) in enumerate(map(tuple, class_pairs(C).tolist()))}
    votes = pair_sums(wins, ~wins, C)
    champion = np.max(votes, axis=1) == C - 1
    evaluations = []

    def beats(i, j, rows):
        evaluations.append(len(rows))
        return wins[rows, place[i, j]]

    winner, path = dag_winners(400, rng.permutation(C), beats)
    np.testing.assert_array_equal(winner[champion], np.argmax(votes, axis=1)[champion])
    assert sum(evaluations) == 400 * (C - 1)
    assert path.shape == (400, C - 1, 2)


@pytest.mark.spec("TRE-088", "TRE-L31")
def test_the_graph_asks_each_row_c_minus_one_times():
    X, y = blobs(5)
    names = np.array(["a", "b", "c", "d", "e"])
    model = OneVsOneClassifier(Hard(), decision="dag", order=list("bdace")).fit(X, names[y])
    Hard.asked = 0
    answers = model.predict(X)
    assert Hard.asked == 4 * len(X)
    champion = np.max(model.votes(X), axis=1) == 4
    np.testing.assert_array_equal(answers[champion], names[np.argmax(model.votes(X), axis=1)][champion])
    left, duels = model.dag_path(X)
    np.testing.assert_array_equal(left, answers)
    assert duels[0, 0].tolist() == ["b", "e"]
    assert all(label in duel for label, duel in zip(answers, duels[:, -1], strict=True))
    with pytest.raises(ValueError, match="must hold each of the classes"):
        OneVsOneClassifier(Hard(), decision="dag", order=["a", "b"]).fit(X, names[y])
    # The list is looked at before anything is fitted: there are no lines to take.
    for order in ([0, 1, 2, 3, 7], [0, 1, 2, 3, 3], ["a", "b", "c", "d", "e"]):
        with pytest.raises(ValueError, match=r"order=.*must hold each of the classes \[0, 1, 2, 3, 4\] once"):
            OneVsOneClassifier(Given(iter(())), decision="dag", order=order).fit(X, y)


@pytest.mark.spec("TRE-089")
@pytest.mark.parametrize("method", ["wu_lin_weng", "hastie_tibshirani"])
@pytest.mark.parametrize("C", [2, 3, 5])
def test_coupling_recovers_probabilities_that_agree(method, C):
    P = np.random.default_rng(0).dirichlet(np.ones(C), 50)
    i, j = class_pairs(C).T
    r = P[:, i] / (P[:, i] + P[:, j])
    np.testing.assert_allclose(couple_pairs(r, C, method=method), P, atol=1e-6)


@pytest.mark.spec("TRE-089")
def test_coupling_is_the_minimum_and_survives_certainty():
    rng = np.random.default_rng(0)
    r, (i, j) = rng.random((30, 6)), class_pairs(4).T

    def cost(p):
        return np.sum(((1 - r) * p[:, i] - r * p[:, j]) ** 2, axis=1)

    best = couple_pairs(r, 4)
    assert np.all(best >= 0)
    for _ in range(50):
        assert np.all(cost(rng.dirichlet(np.ones(4), 30)) >= cost(best) - 1e-12)
    certain = couple_pairs((rng.random((64, 6)) < 0.5).astype(float), 4)
    assert np.all(np.isfinite(certain))
    np.testing.assert_allclose(certain.sum(axis=1), 1.0)


@pytest.mark.spec("TRE-089")
def test_coupling_by_divergence_is_stationary_where_pairs_differ_in_size():
    """Hastie & Tibshirani (1998), eq. 7: Σ_j n_ij (r_ij − μ_ij) = 0 for every class, μ_ij = p_i/(p_i + p_j)."""

    def slopes(r, p, counts):
        i, j = class_pairs(p.shape[1]).T
        off = counts * (r - p[:, i] / (p[:, i] + p[:, j]))
        return pair_sums(off, -off, p.shape[1])

    rng = np.random.default_rng(0)
    r, counts = rng.uniform(0.02, 0.98, (40, 10)), rng.integers(1, 200, 10).astype(float)
    p = couple_pairs(r, 5, method="hastie_tibshirani", counts=counts)
    np.testing.assert_allclose(slopes(r, p, counts), 0.0, atol=1e-6)
    assert np.max(np.abs(slopes(r, couple_pairs(r, 5, method="hastie_tibshirani"), counts))) > 1.0
    X, y = blobs(4, n=300, spread=3.0)
    keep = np.random.default_rng(0).random(300) < np.array([1.0, 0.5, 0.2, 0.7])[y]
    X, y = X[keep], y[keep]
    model = OneVsOneClassifier(LogisticRegression(), coupling="hastie_tibshirani").fit(X, y)
    r = np.column_stack([fit.predict_proba(X)[:, 0] for fit in model.estimators_])
    sizes = np.sum(np.bincount(y)[class_pairs(4)], axis=1)
    np.testing.assert_allclose(slopes(r, model.predict_proba(X), sizes), 0.0, atol=1e-4)


@pytest.mark.spec("TRE-089")
@pytest.mark.parametrize("coupling", ["wu_lin_weng", "hastie_tibshirani"])
def test_coupled_probabilities_decide(coupling):
    X, y = blobs(4)
    model = OneVsOneClassifier(LogisticRegression(), decision="coupling", coupling=coupling).fit(X, y)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X), np.argmax(P, axis=1))
    assert model.score(X, y) == pytest.approx(OneVsOneClassifier(LogisticRegression()).fit(X, y).score(X, y), abs=0.03)
    with pytest.raises(ValueError, match="not 'proba'"):
        OneVsOneClassifier(LinearSVC(), decision="coupling").fit(X, y)


@pytest.mark.spec("TRE-087")
def test_ties_by_margin_do_not_favour_later_classes():
    """Three probabilities in a cycle, equally sure: from ½ they tie, by themselves the last class is preferred."""
    p = np.array([[0.4, 0.6, 0.4]])
    sums = {centre: pair_sums(centre - p, p - centre, 3)[0] for centre in (0.0, 0.5)}
    assert np.argmax(sums[0.0]) == 2
    assert np.ptp(sums[0.5]) == pytest.approx(0.0, abs=1e-12)
    X, y = blobs(4)
    for tie in ("score", "margin", "first"):
        model = OneVsOneClassifier(GaussianNB(), tie=tie).fit(X, y)
        np.testing.assert_array_less(np.abs(model.decision_function(X) - model.votes(X)), 0.5)


# Regression on codes.


@pytest.mark.spec("TRE-L35", "TRE-090")
@pytest.mark.parametrize("regressor", [Ridge(1.0), RandomForestRegressor(10, random_state=0), SVR()])
def test_one_hot_does_not_depend_on_the_order_of_the_classes(regressor):
    X, y = blobs(4, n=120)
    order = np.array([2, 0, 3, 1])
    a = IndicatorRegression(regressor).fit(X, y)
    b = IndicatorRegression(regressor).fit(X, order[y])
    np.testing.assert_allclose(b.decision_function(X)[:, order], a.decision_function(X), atol=1e-9)


@pytest.mark.spec("TRE-L35", "TRE-090")
def test_integers_depend_on_the_order_of_the_classes():
    X, y = blobs(4)
    order = np.array([2, 0, 3, 1])
    a = IndicatorRegression(Ridge(), coding="integer").fit(X, y)
    b = IndicatorRegression(Ridge(), coding="integer").fit(X, order[y])
    assert np.any(order[a.predict(X)] != b.predict(X))
    g = a.regressor_.predict(X)
    np.testing.assert_array_equal(a.predict(X), np.clip(np.rint(g), 0, 3))
    assert a.score(X, y) < IndicatorRegression(Ridge()).fit(X, y).score(X, y)
