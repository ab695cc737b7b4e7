"""Golden values of coding matrices and their decoding."""

import itertools

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from gnomon.multiclass import OutputCodeClassifier, code_distances, code_report, coding_matrix
from gnomon.multiclass._code_search import count_columns


def signs(*rows):
    return np.array([[1 if letter == "+" else -1 for letter in row] for row in rows])


@pytest.mark.spec("TRE-G34", "TRE-094")
def test_exhaustive_code_of_four_classes():
    np.testing.assert_array_equal(coding_matrix("exhaustive", 4), signs("+++++++", "----+++", "--++--+", "-+-+-+-"))


@pytest.mark.spec("TRE-G34", "TRE-099")
@pytest.mark.parametrize(("C", "columns", "distance", "corrects"), [(4, 7, 4, 1), (5, 15, 8, 3), (6, 31, 16, 7)])
def test_exhaustive_codes_correct(C, columns, distance, corrects):
    report = code_report(coding_matrix("exhaustive", C))
    assert (report.n_columns, report.min_distance, report.correctable) == (columns, distance, corrects)


@pytest.mark.spec("TRE-G34", "TRE-092", "TRE-099")
@pytest.mark.parametrize(("C", "distance"), [(3, 2.0), (4, 3.5), (10, 23.0)])
def test_one_vs_one_is_far_apart_and_corrects_nothing(C, distance):
    rest, pairs = code_report(coding_matrix("ovr", C)), code_report(coding_matrix("ovo", C))
    assert (rest.min_distance, pairs.min_distance, pairs.correctable) == (2.0, distance, 0)


F = np.array([[0.2, -0.1, 3.0, -0.3, 0.1, 2.0, -4.0]])
DISTANCES = {
    ("hamming", "log"): ([3, 3, 5, 5], 0),
    ("loss", "hinge"): ([9.1, 12.7, 12.5, 8.7], 3),
    ("loss", "exponential"): ([58.96187, 78.590918, 66.618263, 25.020791], 3),
    ("loss", "log"): ([7.034953, 9.834953, 9.234953, 6.334953], 3),
}


@pytest.mark.spec("TRE-G35", "TRE-100", "TRE-101")
@pytest.mark.parametrize("case", DISTANCES)
def test_distances_of_one_row_of_outputs(case):
    decode, loss = case
    expected, winner = DISTANCES[case]
    found = code_distances(F, coding_matrix("exhaustive", 4), decode=decode, loss=loss)
    np.testing.assert_allclose(found, [expected], atol=5e-7, rtol=1e-7)
    assert np.argmin(found) == winner


class Reader(ClassifierMixin, BaseEstimator):
    """A classifier that finds the column of X which is its target, and takes later entries there as log-odds."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.column_ = int(np.argmax(np.all((X > 0) == (y[:, None] == 1), axis=0)))
        return self

    def predict_proba(self, X):
        p = 1.0 / (1.0 + np.exp(-X[:, self.column_]))
        return np.column_stack([1.0 - p, p])

    def predict(self, X):
        return (X[:, self.column_] > 0).astype(int)


@pytest.mark.spec("TRE-G35", "TRE-101", "TRE-102")
def test_the_classifier_decodes_that_row():
    code = coding_matrix("exhaustive", 4)
    model = OutputCodeClassifier(Reader(), code="exhaustive").fit(code, ["a", "b", "c", "d"])
    np.testing.assert_allclose(model.predict_proba(F), [[0.313936, 0.019090, 0.034785, 0.632189]], atol=5e-7)
    np.testing.assert_allclose(model.decision_function(F), [[-7.034953, -9.834953, -9.234953, -6.334953]], atol=5e-7)
    assert model.predict(F).tolist() == ["d"]
    model = OutputCodeClassifier(Reader(), code="exhaustive", decode="hamming").fit(code, ["a", "b", "c", "d"])
    np.testing.assert_array_equal(model.decision_function(F), [[-3, -3, -5, -5]])
    assert model.predict(F).tolist() == ["a"]


def chance_of_being_right(code, flip=0.1):
    """Hamming decoding when every bit is wrong with the same chance, by all patterns of errors."""
    patterns = np.array(list(itertools.product((1, -1), repeat=code.shape[1])))
    flips = np.sum(patterns < 0, axis=1)
    chances = flip**flips * (1 - flip) ** (code.shape[1] - flips)
    right = [np.argmin(code_distances(word * patterns, code, decode="hamming"), axis=1) == k
             for k, word in enumerate(code)]  # fmt: skip
    return np.mean(right, axis=0) @ chances


@pytest.mark.spec("TRE-G37", "TRE-093", "TRE-095", "TRE-100")
@pytest.mark.parametrize(
    ("code", "C", "chance"),
    [
        ("binary", 4, 0.81),
        ("ovr", 4, 0.792),
        ("exhaustive", 4, 0.93312),
        ("binary", 16, 0.6561),
        ("hamming", 16, 0.850306),
    ],
)
def test_independent_errors_are_repaired(code, C, chance):
    assert chance_of_being_right(coding_matrix(code, C)) == pytest.approx(chance, abs=5e-7)


@pytest.mark.spec("TRE-G38", "TRE-095")
def test_words_of_the_hamming_code():
    words = (coding_matrix("hamming", 16) + 1) // 2
    assert ["".join(map(str, word)) for word in words[:4]] == ["0000000", "1101001", "0101010", "1000011"]
    assert code_report(2 * words - 1).min_distance == 3.0


@pytest.mark.spec("TRE-G39", "TRE-096")
@pytest.mark.parametrize(("C", "dense", "ternary"), [(3, 3, 6), (4, 7, 25), (5, 15, 90)])
def test_number_of_different_columns(C, dense, ternary):
    """What is counted is what can be drawn, and a random code asks for no more."""
    assert (count_columns(C), count_columns(C, sparse=True)) == (dense, ternary)
    assert coding_matrix("random", C, n_columns=1000, random_state=0).shape == (C, dense)
    assert coding_matrix("random_sparse", C, n_columns=1000, random_state=0).shape == (C, ternary)
    columns = {column for column in itertools.product((-1, 0, 1), repeat=C) if {1, -1} <= set(column)}
    different = {max(column, tuple(-entry for entry in column)) for column in columns}
    assert len(different) == ternary
    assert sum(0 not in column for column in different) == dense


@pytest.mark.spec("TRE-G32", "TRE-093", "TRE-095")
def test_lengths_of_codes():
    assert [coding_matrix("binary", C).shape[1] for C in (3, 4, 5, 8, 10, 1000)] == [2, 2, 3, 3, 4, 10]
    assert [coding_matrix("ovr", C).shape[1] for C in (3, 8, 1000)] == [3, 8, 1000]
    assert [coding_matrix("ovo", C).shape[1] for C in (3, 4, 5, 8, 10)] == [3, 6, 10, 28, 45]
    assert coding_matrix("hamming", 10).shape[1] == 7
