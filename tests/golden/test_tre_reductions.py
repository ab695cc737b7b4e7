"""Golden values of multi-class reductions: TRE-G31 to G33, G36, G40 to G42."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from gnomon.linear import LeastSquaresClassifier
from gnomon.losses import BinaryCrossEntropy
from gnomon.multiclass import (
    OneVsOneClassifier,
    OneVsRestClassifier,
    class_bits,
    coding_matrix,
    kernel_work,
    number_of_classifiers,
    vote_accuracy,
)
from gnomon.numerics.coding import couple_pairs, dag_winners, pair_sums
from reduction_cases import Given


@pytest.mark.spec("TRE-G31", "TRE-084")
def test_raw_and_normalised_scores_of_given_lines():
    w, b = np.array([[4.0, 0.0], [0.0, 1.0], [-0.6, -0.8]]), np.array([-4.0, 0.0, 0.0])
    x, y = np.array([[1.5, 1.8]]), np.array([0, 1, 2])
    for normalize, scores, answer in ((False, [2.0, 1.8, -2.34], 0), (True, [0.5, 1.8, -2.34], 1)):
        lines = iter(zip(w, b, strict=True))
        model = OneVsRestClassifier(Given(lines), normalize=normalize).fit(np.zeros((3, 2)), y)
        np.testing.assert_allclose(model.decision_function(x), [scores])
        assert model.predict(x).tolist() == [answer]


@pytest.fixture(scope="module")
def line():
    """Three Gaussians at 0, 3 and 6 with standard deviation ½, 100 rows each."""
    rng = np.random.default_rng(0)
    return rng.normal(np.repeat([0.0, 3.0, 6.0], 100), 0.5)[:, None], np.repeat([0, 1, 2], 100)


@pytest.mark.spec("TRE-G31", "TRE-L37", "TRE-084", "TRE-083")
@pytest.mark.parametrize("base", [LogisticRegression(C=100.0), LinearSVC(C=1.0, random_state=0, max_iter=100_000)])
def test_a_class_in_the_middle_of_a_line(line, base):
    X, y = line
    raw = OneVsRestClassifier(base).fit(X, y)
    assert raw.score(X, y) == pytest.approx(1.0, abs=0.005)
    with pytest.warns(UserWarning, match=r"classifiers of \[1\] have ‖w‖ below 0.01"):
        scaled = OneVsRestClassifier(base, normalize=True).fit(X, y)
    assert scaled.score(X, y) == pytest.approx(2 / 3, abs=0.01)
    assert scaled.weight_norms_[1] < 0.1
    hard = OneVsRestClassifier(base, combine="hard").fit(X, y)
    report = hard.answer_report(X, y)
    assert report.coverage == pytest.approx(2 / 3, abs=0.01)
    assert report.accuracy == pytest.approx(1.0, abs=0.005)
    assert set(hard.predict(X[y == 1]).tolist()) == {-1}
    masked = LeastSquaresClassifier().fit(X, y)
    assert masked.score(X, y) == pytest.approx(2 / 3, abs=0.01)
    assert 1 not in masked.predict(X)


@pytest.mark.spec("TRE-G32", "TRE-106", "TRE-080")
def test_numbers_of_classifiers():
    C = [3, 4, 5, 8, 10, 1000]
    assert [number_of_classifiers(c) for c in C] == C
    assert [number_of_classifiers(c, "ovo") for c in C] == [3, 6, 10, 28, 45, 499500]
    assert [number_of_classifiers(c, "binary") for c in C] == [2, 2, 3, 3, 4, 10]
    assert [class_bits(c).shape[1] for c in C] == [2, 2, 3, 3, 4, 10]
    assert number_of_classifiers(10, "hamming") == coding_matrix("hamming", 10).shape[1] == 7


@pytest.mark.spec("TRE-G33", "TRE-087", "TRE-088")
def test_votes_and_a_cycle():
    wins = np.array([[True, True, False]])
    np.testing.assert_array_equal(pair_sums(wins, ~wins, 3), [[2, 0, 1]])
    cycle = {(0, 1): True, (1, 2): True, (0, 2): False}
    wins = np.array([[True, False, True]])
    np.testing.assert_array_equal(pair_sums(wins, ~wins, 3), [[1, 1, 1]])
    for order, winner in (((0, 1, 2), 1), ((0, 2, 1), 2), ((1, 0, 2), 0)):
        found, path = dag_winners(1, order, lambda i, j, rows: np.full(len(rows), cycle[i, j]))
        assert found.tolist() == [winner]
        assert path.shape == (1, 2, 2)


@pytest.mark.spec("TRE-G33", "TRE-087", "TRE-088")
def test_a_cycle_through_the_estimator():
    """The lines are constant: 0 beats 1, 1 beats 2, 2 beats 0; the signed scores break the tie."""
    scores = {(0, 1): -1.0, (0, 2): 3.0, (1, 2): -0.5}
    X, y = np.zeros((3, 1)), np.array([0, 1, 2])

    def fitted(**options):
        lines = iter([(np.zeros(1), f) for f in scores.values()])
        return OneVsOneClassifier(Given(lines), **options).fit(X, y)

    np.testing.assert_array_equal(fitted().votes(X[:1]), [[1, 1, 1]])
    sums = np.array([1.0 - 3.0, -1.0 + 0.5, 3.0 - 0.5])
    np.testing.assert_allclose(fitted().decision_function(X[:1]), [1 + sums / (3 * (1 + np.abs(sums)))])
    assert fitted().predict(X[:1]).tolist() == [2]
    assert fitted(tie="first").predict(X[:1]).tolist() == [0]
    for order, winner in (([0, 1, 2], 1), ([0, 2, 1], 2), ([1, 0, 2], 0)):
        assert fitted(decision="dag", order=order).predict(X[:1]).tolist() == [winner]


@pytest.mark.spec("TRE-G36")
def test_votes_of_many_weak_members():
    """101 members, each right with probability 0.4: it matters how the errors are spread."""
    assert vote_accuracy(101, [0.4, 0.6, 0.0]) == pytest.approx(0.020897, abs=5e-7)
    assert vote_accuracy(101, [0.4, 0.3, 0.3]) == pytest.approx(0.795077, abs=5e-7)


@pytest.mark.spec("TRE-G40", "TRE-086")
def test_work_of_kernel_machines():
    assert [kernel_work(1000, C, "ovo") for C in (10, 3)] == pytest.approx([1.8e6, 4e6 / 3])
    assert [kernel_work(1000, C) for C in (10, 3)] == [1e7, 3e6]


@pytest.mark.spec("TRE-G41", "TRE-089")
def test_pairwise_coupling():
    p = couple_pairs(np.array([[0.9, 0.8, 0.6]]), 3)
    np.testing.assert_allclose(p, [[0.742258, 0.109242, 0.148500]], atol=5e-7)


@pytest.mark.spec("TRE-G42", "TRE-085")
@pytest.mark.parametrize(
    ("p", "digits"),
    [([0.9, 0.1, 0.0, 0.0], [0.105361, 0.105361, 0, 0]), ([0.1, 0.9, 0.0, 0.0], [2.302585, 2.302585, 0, 0])],
)
def test_cross_entropy_of_each_digit(p, digits):
    found = BinaryCrossEntropy(from_score=False).value(np.array([1.0, 0.0, 0.0, 0.0]), np.array(p))
    np.testing.assert_allclose(found, digits, atol=5e-7)
