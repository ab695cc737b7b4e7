"""Laws of coding matrices: what a code promises, what decoding decides, and what no code may be."""

import itertools

import numpy as np
import pytest

from gnomon.losses import ExponentialLoss, HingeLoss, LogisticLoss, SquaredHingeLoss, SquaredLoss
from gnomon.multiclass import code_distances, code_report, coding_matrix

LOSSES = {
    "hinge": lambda z: np.maximum(0.0, 1.0 - z),
    "exponential": lambda z: np.exp(-z),
    "log": lambda z: np.log1p(np.exp(-z)),
    "linear": lambda z: -z,
    "squared": lambda z: (1.0 - z) ** 2,
}
WORDS = ("ovr", "ovo", "binary", "exhaustive", "ecoc", "hamming", "random", "random_sparse")


def margins(n, L, seed=0, scale=2.0):
    return scale * np.random.default_rng(seed).normal(size=(n, L))


def different(code):
    """No column is constant, equal to another or opposite to one."""
    columns = {tuple(sign * column) for column in code.T for sign in (1, -1)}
    return len(columns) == 2 * code.shape[1] and all({1, -1} <= set(column) for column in code.T)


@pytest.mark.spec("TRE-091", "TRE-092", "TRE-093", "TRE-094", "TRE-095", "TRE-096")
@pytest.mark.parametrize("C", [1, 2, 3, 4, 5, 7, 8, 11])
@pytest.mark.parametrize("word", WORDS)
def test_every_word_is_a_code(word, C):
    code = coding_matrix(word, C, random_state=0)
    assert code.shape[0] == C
    assert set(np.unique(code)) <= {-1, 0, 1}
    if C > 1:
        opposed = code[:, None, :] * code[None, :, :] == -1
        assert np.all(np.any(opposed, axis=2) | np.eye(C, dtype=bool))
        # The rows of a Hamming code of three or four words are far apart because columns repeat each other.
        assert different(code) or (word, C) in {("hamming", 3), ("hamming", 4)}


@pytest.mark.spec("TRE-092")
def test_one_vs_rest_and_one_vs_one_as_codes():
    np.testing.assert_array_equal(coding_matrix("ovr", 4), 2 * np.eye(4) - 1)
    pairs = coding_matrix("ovo", 4)
    assert [tuple(np.flatnonzero(column)) for column in pairs.T] == list(itertools.combinations(range(4), 2))
    assert all(column[np.flatnonzero(column)].tolist() == [1, -1] for column in pairs.T)


@pytest.mark.spec("TRE-L34", "TRE-094")
@pytest.mark.parametrize("C", range(2, 12))
def test_all_rows_of_an_exhaustive_code_are_equally_far_apart(C):
    code = coding_matrix("exhaustive", C)
    assert code.shape[1] == 2 ** (C - 1) - 1
    assert different(code)
    distances = code_report(code).row_distances
    np.testing.assert_array_equal(distances, 2.0 ** (C - 2) * (1 - np.eye(C)))


@pytest.mark.spec("TRE-094")
def test_too_many_classes_for_all_columns():
    with pytest.raises(ValueError, match=r"12 classes.*at most 11; choose 'ecoc'"):
        coding_matrix("exhaustive", 12)


@pytest.mark.spec("TRE-094")
@pytest.mark.parametrize("C", [8, 10, 12, 20])
def test_searched_codes_beat_random_ones(C):
    searched = coding_matrix("ecoc", C, random_state=0)
    drawn = coding_matrix("random", C, random_state=0)
    assert searched.shape == drawn.shape
    assert different(searched)
    assert code_report(searched).min_distance > code_report(drawn).min_distance
    if C == 8:
        # Plotkin's bound for eight words of thirty bits, ⌊30 · 8/14⌋ = 17, is out of reach only by parity.
        assert code_report(searched).min_distance == 16.0


@pytest.mark.spec("TRE-095")
@pytest.mark.parametrize("C", [3, 5, 10, 16, 17, 40, 300])
@pytest.mark.parametrize("n_errors", [1, 2, 3])
def test_hamming_and_bch_codes_repair_what_they_promise(C, n_errors):
    code = coding_matrix("hamming", C, n_errors=n_errors)
    report = code_report(code)
    assert report.min_distance >= 2 * n_errors + 1
    assert report.correctable >= n_errors
    assert np.all(np.ptp(code, axis=0) == 2)


@pytest.mark.spec("TRE-095")
def test_more_errors_than_any_code_repairs():
    with pytest.raises(ValueError, match=r"n_errors=400.*choose fewer"):
        coding_matrix("hamming", 3000, n_errors=400)


@pytest.mark.spec("TRE-096")
@pytest.mark.parametrize(("word", "factor"), [("random", 10), ("random_sparse", 15)])
@pytest.mark.parametrize("C", [6, 10, 13])
def test_random_codes(word, factor, C):
    code = coding_matrix(word, C, random_state=1)
    most = {"random": 2 ** (C - 1) - 1, "random_sparse": (3**C - 2 ** (C + 1) + 1) // 2}
    assert code.shape[1] == min(int(np.ceil(factor * np.log2(C))), most[word])
    assert different(code)
    assert np.mean(code == 0) == pytest.approx(0.5 if word == "random_sparse" else 0.0, abs=0.12)
    one = coding_matrix(word, C, n_candidates=1, random_state=1)
    assert code_report(code).min_distance >= code_report(one).min_distance
    np.testing.assert_array_equal(code, coding_matrix(word, C, random_state=1))
    assert not np.array_equal(code, coding_matrix(word, C, random_state=2))


@pytest.mark.spec("TRE-096")
def test_too_few_columns_for_the_classes():
    with pytest.raises(ValueError, match="2 columns cannot tell 5 classes apart; give at least 3"):
        coding_matrix("random", 5, n_columns=2)
    with pytest.raises(ValueError, match=r"none of 3 random codes with 4 columns tells all 16 classes apart"):
        coding_matrix("random", 16, n_columns=4, n_candidates=3, random_state=0)


def all_answers(L):
    return np.array(list(itertools.product((1.0, -1.0), repeat=L)))


def decided(code, k, answers):
    """For all answers: how many non-zero entries of class k are wrong, and whether k alone is nearest."""
    d = code_distances(answers, code, decode="hamming")
    wrong = np.sum((answers != code[k]) & (code[k] != 0), axis=1)
    return wrong, d[:, k] < np.min(np.delete(d, k, axis=1), axis=1)


CODES = {
    "exhaustive 3": coding_matrix("exhaustive", 3),
    "exhaustive 4": coding_matrix("exhaustive", 4),
    "exhaustive 5": coding_matrix("exhaustive", 5),
    "rest 5": coding_matrix("ovr", 5),
    "pairs 3": coding_matrix("ovo", 3),
    "pairs 5": coding_matrix("ovo", 5),
    "bits 6": coding_matrix("binary", 6),
    "hamming 12": coding_matrix("hamming", 12),
    "two errors": coding_matrix("hamming", 8, n_errors=2),
    "random 6": coding_matrix("random", 6, n_columns=13, random_state=0),
    "sparse 3": coding_matrix("random_sparse", 3, random_state=0),
    "sparse 4": coding_matrix("random_sparse", 4, n_columns=12, random_state=0),
    "sparse 5": coding_matrix("random_sparse", 5, n_columns=14, random_state=3),
    "a rare class": np.array([[1, 1, 1, 1, 1, 1], [-1, -1, -1, -1, -1, -1], [0, 0, 0, 0, -1, 1]]),
}


@pytest.mark.spec("TRE-L32", "TRE-099", "TRE-100")
@pytest.mark.parametrize("name", CODES)
def test_reported_errors_are_repaired_and_one_more_is_not(name):
    """By brute force; columns that a class takes no part in may answer anything."""
    code = CODES[name]
    e = code_report(code).correctable
    answers = all_answers(code.shape[1])
    lost = False
    for k in range(len(code)):
        wrong, alone = decided(code, k, answers)
        assert np.all(alone[wrong <= e])
        lost |= not np.all(alone[wrong == e + 1])
    assert lost


@pytest.mark.spec("TRE-099")
def test_the_report_by_hand():
    report = code_report([[1, 1, 0], [-1, 0, 1], [0, -1, -1]])
    np.testing.assert_array_equal(report.row_distances, [[0.5, 2, 2], [2, 0.5, 2], [2, 2, 0.5]])
    np.testing.assert_allclose(report.column_correlations, np.corrcoef([[1, -1, 0], [1, 0, -1], [0, 1, -1]]))
    assert (report.n_classes, report.n_columns, report.min_distance, report.correctable) == (3, 3, 2.0, 0)
    assert report.max_correlation == pytest.approx(0.5)
    assert code_report([[1, 1], [-1, -1]]).max_correlation == pytest.approx(1.0)
    # The dense formula would promise ⌊(23 − 1)/2⌋ = 11.
    assert code_report(coding_matrix("ovo", 10)).correctable == 0


@pytest.mark.spec("TRE-L29", "TRE-101")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [2, 3, 7])
def test_one_vs_rest_by_any_loss_is_the_largest_score(loss, C):
    f = margins(500, C)
    code = 2 * np.eye(C, dtype=int) - 1
    np.testing.assert_array_equal(np.argmin(code_distances(f, code, loss=loss), axis=1), np.argmax(f, axis=1))


@pytest.mark.spec("TRE-101")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("word", ["ovo", "exhaustive", "random_sparse"])
def test_loss_distances_are_the_sum_over_columns(loss, word):
    code = coding_matrix(word, 4, random_state=0)
    f = margins(20, code.shape[1])
    expected = np.sum(LOSSES[loss](code * f[:, None, :]), axis=2)
    np.testing.assert_allclose(code_distances(f, code, loss=loss), expected, rtol=1e-12)


@pytest.mark.spec("TRE-101")
def test_any_loss_of_signs_decodes():
    code, f = coding_matrix("ovo", 3), margins(10, 3)
    expected = np.sum(np.maximum(0.0, 1.0 - code * f[:, None, :]) ** 2, axis=2)
    np.testing.assert_allclose(code_distances(f, code, loss=SquaredHingeLoss()), expected, rtol=1e-12)


@pytest.mark.spec("TRE-100")
def test_zeros_cost_a_half_or_nothing():
    code = np.array([[1, 1, 1, 1], [-1, -1, -1, 1], [0, 0, -1, -1]])
    f = margins(40, 4)
    h = np.where(f > 0, 1, -1)
    half = np.sum((1 - code * h[:, None, :]) / 2, axis=2)
    np.testing.assert_array_equal(code_distances(f, code, decode="hamming"), half)
    ignored = np.sum((code * h[:, None, :] == -1), axis=2) / np.sum(code != 0, axis=1)
    np.testing.assert_allclose(code_distances(f, code, decode="hamming", zero="ignore"), ignored)
    assert not np.array_equal(np.argmin(half, axis=1), np.argmin(ignored, axis=1))
    # An output of zero counts for the side −1.
    assert code_distances([[0.0]], [[1], [-1]], decode="hamming").tolist() == [[1.0, 0.0]]


@pytest.mark.spec("TRE-101")
def test_huge_outputs_stay_finite():
    code = coding_matrix("exhaustive", 4)
    f = np.array([[1e300, -1e300, 900.0, 0.0, -900.0, 1e3, -1e3]])
    for loss in ("hinge", "exponential", "log", "linear"):
        assert np.all(np.isfinite(code_distances(f, code, loss=loss)))


BOUNDED = {"hinge": HingeLoss(), "exponential": ExponentialLoss(), "log": LogisticLoss(), "squared": SquaredLoss()}


@pytest.mark.spec("TRE-L33")
@pytest.mark.parametrize("loss", BOUNDED)
@pytest.mark.parametrize("word", ["ovr", "ovo", "exhaustive", "random", "random_sparse"])
@pytest.mark.parametrize("noise", [0.3, 1.0, 3.0])
def test_the_bound_of_allwein_schapire_and_singer(loss, word, noise):
    """Training error ≤ L̄ · mean binary loss / (ρ L(0)) for decoding by the loss, twice that by Hamming distance."""
    code = coding_matrix(word, 5, random_state=0)
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=400)
    f = code[y] + noise * rng.normal(size=(400, code.shape[1]))
    binary = np.mean(BOUNDED[loss].value(1.0, code[y] * f))
    bound = code.shape[1] * binary / (code_report(code).min_distance * BOUNDED[loss].value(1.0, 0.0))
    answer = np.argmin(code_distances(f, code, loss=loss), axis=1)
    assert np.mean(answer != y) <= bound
    # The step of the proof: over all columns, also those that do not know it, no class has less loss than the answer.
    totals = np.sum(BOUNDED[loss].value(1.0, code * f[:, None]), axis=2)
    np.testing.assert_allclose(totals[np.arange(400), answer], np.min(totals, axis=1))
    assert np.mean(np.argmin(code_distances(f, code, decode="hamming"), axis=1) != y) <= 2 * bound
    if noise == 0.3 and word == "exhaustive":
        assert bound < 1.0
