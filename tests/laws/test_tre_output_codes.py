"""Laws of classifiers made of a coding matrix: any base, any labels, votes, probabilities, learnt codes, refusals."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import Perceptron, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from gnomon.multiclass import (
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
    _data_codes,
    code_distances,
    code_report,
    coding_matrix,
)
from gnomon.multiclass._data_codes import stagewise_code
from gnomon.trees import AdaBoostClassifier as Boosted
from reduction_cases import Hard
from reduction_cases import box_blobs as blobs

WORDS = ("ovr", "ovo", "binary", "exhaustive", "ecoc", "hamming", "random", "random_sparse", "pca", "stagewise")


@pytest.mark.spec("TRE-091", "TRE-092", "TRE-093", "TRE-094", "TRE-095", "TRE-096", "TRE-097", "TRE-098")
@pytest.mark.parametrize("word", [None, *WORDS])
@pytest.mark.parametrize("base", [GaussianNB(), LinearSVC(random_state=0), KNeighborsClassifier(), Ridge()], ids=repr)
def test_every_code_learns_with_every_base(word, base):
    """Bases with probabilities, with scores, without weights, and a regressor."""
    X, y = blobs()
    names = np.array(["ash", "beech", "elm", "fir", "oak"])[y]
    model = OutputCodeClassifier(base, code=word, random_state=0, n_jobs=2).fit(X, names)
    assert model.score(X, names) > (0.5 if word in ("binary", "pca") else 0.75)
    assert model.code_book_.shape == (5, len(model.estimators_))
    assert model.n_features_in_ == 4
    again = OutputCodeClassifier(base, code=word, random_state=0).fit(X, names)
    np.testing.assert_array_equal(again.code_book_, model.code_book_)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.spec("TRE-091")
def test_columns_see_the_classes_that_are_not_zero():
    X, y = blobs(4)
    code = np.array([[1, 1, 0, 0], [-1, 0, 1, 1], [0, -1, -1, 0], [-1, 1, 1, -1]])
    model = OutputCodeClassifier(GaussianNB(), code=code).fit(X, y)
    for estimator, column in zip(model.estimators_, code.T, strict=True):
        assert np.sum(estimator.class_count_) == np.sum(np.isin(y, np.flatnonzero(column)))
        direct = GaussianNB().fit(X[column[y] != 0], column[y][column[y] != 0] > 0)
        np.testing.assert_allclose(estimator.predict_proba(X), direct.predict_proba(X))


BAD = {
    "another entry": ([[1, 2], [-1, 1], [1, -1]], r"entries \[2\]; only −1, 0 and 1"),
    "no minus": ([[1, 1], [0, -1], [1, -1]], r"no \+1 or no −1 in the columns \[0\]"),
    "not separated": ([[1, 1], [0, 1], [-1, -1]], r"classes in rows \[0, 1\] apart"),
    "rows": ([[1], [-1]], r"shape \(2, 1\); give a matrix with one row for each class, 3 rows"),
    "no matrix": ([1, -1, 1], r"shape \(3,\)"),
    "no columns": (np.empty((3, 0)), r"classes in rows \[0, 1\] apart"),
}


@pytest.mark.spec("TRE-091")
@pytest.mark.parametrize("case", BAD)
def test_a_matrix_that_is_no_code_is_refused(case):
    code, words = BAD[case]
    with pytest.raises(ValueError, match=words):
        OutputCodeClassifier(GaussianNB(), code=code).fit(*load_iris(return_X_y=True))


@pytest.mark.spec("TRE-091")
@pytest.mark.parametrize("column", [[1, -1, 1], [-1, 1, -1]])
def test_equal_and_opposite_columns_are_warned_of(column):
    code = np.column_stack([[1, -1, 1], [1, 1, -1], column])
    with pytest.warns(UserWarning, match=r"equal or opposite columns, at \[2\]"):
        OutputCodeClassifier(GaussianNB(), code=code).fit(*load_iris(return_X_y=True))


@pytest.mark.spec("TRE-092", "TRE-L29")
@pytest.mark.parametrize("loss", ["hinge", "exponential", "log", "linear", "squared"])
def test_the_code_of_one_vs_rest_is_one_vs_rest(loss):
    X, y = blobs()
    base = SVC(gamma=0.05)
    code = OutputCodeClassifier(base, code="ovr", loss=loss).fit(X, y)
    np.testing.assert_array_equal(code.predict(X), OneVsRestClassifier(base).fit(X, y).predict(X))


@pytest.mark.spec("TRE-L31", "TRE-092", "TRE-100")
def test_pairs_decoded_by_hamming_distance_are_votes():
    X, y = blobs(6, spread=3.0)
    base = DecisionTreeClassifier(max_depth=1)
    code = OutputCodeClassifier(base, code="ovo", decode="hamming").fit(X, y)
    pairs = OneVsOneClassifier(base, tie="first").fit(X, y)
    votes = pairs.votes(X)
    lost = -code.decision_function(X) + votes
    np.testing.assert_array_equal(lost, lost[0, 0])
    np.testing.assert_array_equal(code.predict(X), pairs.predict(X))
    assert np.any(np.sort(votes, axis=1)[:, -1] == np.sort(votes, axis=1)[:, -2])


@pytest.mark.spec("TRE-L35")
@pytest.mark.parametrize("decode", ["loss", "hamming"])
@pytest.mark.parametrize("word", ["exhaustive", "ovo", "random_sparse"])
def test_permuting_labels_with_the_rows_of_the_code_permutes_predictions(word, decode):
    X, y = blobs()
    code = coding_matrix(word, 5, random_state=0)
    order = np.array([3, 0, 4, 1, 2])
    first = OutputCodeClassifier(GaussianNB(), code=code, decode=decode).fit(X, y)
    # Class k is called order[k], so its codeword is row order[k].
    renamed = OutputCodeClassifier(GaussianNB(), code=code[np.argsort(order)], decode=decode).fit(X, order[y])
    d, e = first.decision_function(X), renamed.decision_function(X)
    np.testing.assert_allclose(e[:, order], d, rtol=1e-9)
    clear = np.sum(d == np.max(d, axis=1, keepdims=True), axis=1) == 1
    np.testing.assert_array_equal(renamed.predict(X)[clear], order[first.predict(X)][clear])
    assert np.mean(clear) > 0.8


@pytest.mark.spec("TRE-101")
def test_which_outputs_are_decoded_by_which_loss():
    X, y = blobs()
    code = coding_matrix("exhaustive", 5)
    bayes = OutputCodeClassifier(GaussianNB(), code=code).fit(X, y)
    p = np.column_stack([e.predict_proba(X)[:, 1] for e in bayes.estimators_])
    p = np.clip(p, np.finfo(float).eps, 1 - np.finfo(float).eps)
    np.testing.assert_allclose(-bayes.decision_function(X), code_distances(np.log(p / (1 - p)), code, loss="log"))
    machine = OutputCodeClassifier(LinearSVC(random_state=0), code=code).fit(X, y)
    f = np.column_stack([e.decision_function(X) for e in machine.estimators_])
    np.testing.assert_allclose(-machine.decision_function(X), code_distances(f, code, loss="hinge"))
    hard = OutputCodeClassifier(Hard(), code=code).fit(X, y)
    h = np.column_stack([2.0 * e.predict(X) - 1.0 for e in hard.estimators_])
    np.testing.assert_allclose(-hard.decision_function(X), 2.0 * code_distances(h, code, decode="hamming"))


@pytest.mark.spec("TRE-102")
@pytest.mark.parametrize("word", ["exhaustive", "ovo", "random_sparse"])
def test_probabilities_are_products_over_columns(word):
    X, y = blobs(4)
    model = OutputCodeClassifier(GaussianNB(), code=word, random_state=0, decode="hamming").fit(X, y)
    p = np.column_stack([e.predict_proba(X)[:, 1] for e in model.estimators_])[:, None, :]
    M = model.code_book_
    factors = np.where(M > 0, p, np.where(M < 0, 1.0 - p, 0.5))
    expected = np.prod(factors, axis=2)
    np.testing.assert_allclose(model.predict_proba(X), expected / np.sum(expected, axis=1, keepdims=True), atol=1e-9)


@pytest.mark.spec("TRE-102")
def test_without_probabilities_there_are_none():
    model = OutputCodeClassifier(LinearSVC()).fit(*blobs())
    with pytest.raises(AttributeError, match="predict_proba"):
        _ = model.predict_proba


@pytest.mark.spec("TRE-097")
def test_classes_on_a_line_are_cut_in_the_middle_first():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 30)
    X = np.column_stack([3.0 * y, np.zeros(120)]) + 0.1 * rng.normal(size=(120, 2))
    code = OutputCodeClassifier(GaussianNB(), code="pca").fit(X, y).code_book_
    assert np.abs(code[:, 0] @ [-1, -1, 1, 1]) == 4
    same = OutputCodeClassifier(GaussianNB(), code="pca").fit(1e3 * X + 7.0, y).code_book_
    np.testing.assert_array_equal(same, code)


@pytest.mark.spec("TRE-097")
@pytest.mark.parametrize("rounding", [-1e-17, 0.0, 1e-17])
def test_rounding_does_not_choose_a_sign(rounding, monkeypatch):
    """A class in the middle of a line has no part in the first direction, and gets +1."""
    E = np.array([[-np.sqrt(0.5), -np.sqrt(1 / 6)], [rounding, np.sqrt(2 / 3)], [np.sqrt(0.5), -np.sqrt(1 / 6)]])
    monkeypatch.setattr(_data_codes, "_directions", lambda *rows: E)
    code = _data_codes.pca_code(np.zeros((3, 1)), np.arange(3), np.ones(3))
    np.testing.assert_array_equal(code, [[-1, -1], [1, 1], [1, -1]])


@pytest.mark.spec("TRE-097")
@pytest.mark.parametrize(("C", "n_columns"), [(5, None), (6, 3), (7, 4)])
def test_no_single_flip_improves_the_data_driven_code(C, n_columns):
    X, y = blobs(C, 300, seed=1)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 300)
    model = OutputCodeClassifier(GaussianNB(), code="pca", n_columns=n_columns)
    code = model.fit(X, y, sample_weight=weights).code_book_
    assert code.shape == (C, n_columns or C - 1)
    share = np.array([np.sum(weights[y == k]) for k in range(C)]) / np.sum(weights)
    means = np.array([np.average(X[y == k], axis=0, weights=weights[y == k]) for k in range(C)])
    centred = np.sqrt(share)[:, None] * (means - share @ means)
    E = np.linalg.eigh(centred @ centred.T)[1][:, ::-1][:, : code.shape[1]]
    E = E * np.sign(E[np.argmax(np.abs(E), axis=0), np.arange(code.shape[1])])
    assert score(code, E) >= score(np.where(E >= 0, 1, -1), E)
    for entry in np.ndindex(*code.shape):
        flipped = code.copy()
        flipped[entry] *= -1
        assert score(flipped, E) <= score(code, E)


def score(code, E):
    """ρ (nothing for what is no code), then the agreement with E, which rounding may blur."""
    return (code_report(code).min_distance if valid(code) else -1.0, round(float(np.sum(code * E)), 9))


def valid(code):
    columns = {tuple(sign * column) for column in code.T for sign in (1, -1)}
    rows = {tuple(row) for row in code}
    return len(columns) == 2 * code.shape[1] and len(rows) == len(code) and np.all(np.ptp(code, axis=0) == 2)


@pytest.mark.spec("TRE-098")
def test_stages_separate_what_is_confused():
    X, y = blobs(6, 400, spread=2.5)
    options = {"code": "stagewise", "random_state": 0}
    model = OutputCodeClassifier(GaussianNB(), n_columns=12, patience=3, **options).fit(X, y)
    L, errors = model.code_book_.shape[1], model.history_["validation"]
    assert L <= 12
    assert valid(model.code_book_)
    assert len(model.history_["objective"]) == len(errors) == len(model.history_["iteration"]) >= L
    # The columns that are kept end where the error was lowest; the stages after it brought no gain.
    assert errors[L - 1] == np.min(errors)
    assert len(errors) - L in (0, 3) or len(errors) == 12
    assert errors[L - 1] < errors[1] < errors[0]


@pytest.mark.spec("TRE-098")
def test_a_stage_parts_the_most_confused_pair_by_the_candidate_that_errs_least():
    C, rng = 5, np.random.default_rng(0)
    index, stages = np.repeat(np.arange(C), 4), []
    weights = np.array([1.0, 2.0, 1.0, 3.0, 1.0])[index]

    def answers(columns):
        stages.append((columns, columns[index] + 1.2 * rng.normal(size=(20, columns.shape[1]))))
        return stages[-1][1]

    options = {"n_columns": 8, "n_candidates": 6, "patience": 8, "rng": np.random.default_rng(1)}
    found, history = stagewise_code(answers, code_distances, index, weights, C, **options)
    code, f, decided_by_loss = np.empty((C, 0), dtype=int), np.empty((20, 0)), 0
    a, b = np.triu_indices(C, 1)
    for t, (columns, margins) in enumerate(stages):
        answer = np.argmin(code_distances(f, code), axis=1)
        mixed = np.array([[np.sum(weights[(index == k) & (answer == j)]) for j in range(C)] for k in range(C)])
        alike = np.all(code[a] == code[b], axis=1)
        pair = np.argmax(np.where(alike | ~np.any(alike), (mixed + mixed.T)[a, b], -1.0))
        assert np.all(columns[a[pair]] == -columns[b[pair]])
        costs = []
        for column, margin in zip(columns.T, margins.T, strict=True):
            d = code_distances(np.c_[f, margin], np.c_[code, column])
            wrong = np.average(np.argmin(d, axis=1) != index, weights=weights)
            costs.append((wrong, np.average(d[np.arange(20), index], weights=weights)))
        best = costs.index(min(costs))
        decided_by_loss += best != int(np.argmin([wrong for wrong, _ in costs]))
        assert (history["validation"][t], history["objective"][t]) == pytest.approx(costs[best])
        code, f = np.c_[code, columns[:, best]], np.c_[f, margins[:, best]]
    np.testing.assert_array_equal(code[:, : found.shape[1]], found)
    assert decided_by_loss


@pytest.mark.spec("TRE-098")
@pytest.mark.parametrize("seed", range(5))
def test_stages_keep_to_the_length_that_is_asked_for(seed):
    X, y = blobs(7, 140, spread=2.5)
    options = {"code": "stagewise", "random_state": seed}
    model = OutputCodeClassifier(GaussianNB(), n_columns=3, **options).fit(X, y)
    assert model.code_book_.shape == (7, 3)
    assert valid(model.code_book_)
    with pytest.raises(ValueError, match="2 columns cannot tell 7 classes apart"):
        OutputCodeClassifier(GaussianNB(), n_columns=2, **options).fit(X, y)
    again = model.set_params(code="ovr").fit(X, y)
    assert not any(name == "history_" for name in vars(again))


@pytest.mark.spec("TRE-098")
def test_stages_end_when_everything_is_right():
    X, y = blobs(4, 200, spread=0.01)
    model = OutputCodeClassifier(DecisionTreeClassifier(random_state=0), code="stagewise", random_state=0).fit(X, y)
    assert model.history_["validation"][-1] == 0.0
    assert model.code_book_.shape[1] <= 3


@pytest.mark.spec("TRE-098")
def test_stages_need_rows_to_measure_by():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="needs a class with two rows or more"):
        OutputCodeClassifier(GaussianNB(), code="stagewise").fit(X[[0, 50, 100]], y[[0, 50, 100]])


@pytest.mark.spec("TRE-103")
def test_boosting_inside_a_code():
    """Stumps cannot tell three neighbours on a line apart, boosted stumps can, in every column of the code."""
    X, y = load_iris(return_X_y=True)
    base = AdaBoostClassifier(n_estimators=20, random_state=0)
    model = OutputCodeClassifier(base, code="exhaustive", loss="exponential").fit(X, y)
    assert all(e.score(X, M > 0) > 0.5 for e, M in zip(model.estimators_, model.code_book_.T[:, y], strict=True))
    assert model.score(X, y) > 0.97
    f = np.column_stack([e.decision_function(X) for e in model.estimators_])
    np.testing.assert_allclose(-model.decision_function(X), code_distances(f, model.code_book_, loss="exponential"))


@pytest.mark.spec("TRE-103", "TRE-L33")
def test_the_additive_score_of_boosting_bounds_the_error():
    X, y = blobs(4, 200, spread=2.0)
    model = OutputCodeClassifier(Boosted(n_estimators=30, random_state=0), code="exhaustive", loss="exponential")
    model.fit(X, y)
    F = np.column_stack([e.additive_score(X) for e in model.estimators_])
    # Each column needs an edge over one half only, and the sum of its steps is what is decoded, not the mean.
    assert all(np.all(e.estimator_errors_[: e.n_iter_] < 0.5) for e in model.estimators_)
    assert np.max(np.abs(F)) > 1.0
    np.testing.assert_allclose(
        -model.decision_function(X), code_distances(F, model.code_book_, loss="exponential"), rtol=1e-9
    )
    losses = np.exp(-model.code_book_[y] * F)
    bound = losses.shape[1] * np.mean(losses) / code_report(model.code_book_).min_distance
    assert 1.0 - model.score(X, y) <= bound < 1.0
    alone = OutputCodeClassifier(Boosted(), loss="exponential").fit(X, np.full(len(y), "only"))
    assert set(alone.predict(X)) == {"only"}


@pytest.mark.spec("TRE-105")
def test_words_that_are_too_far_from_every_codeword_are_refused():
    X, y = blobs(4, 300, spread=3.0)
    names = np.array(["ash", "beech", "elm", "fir"])[y]
    base, code = GaussianNB(), coding_matrix("exhaustive", 4)
    shares = []
    for most in (0, 1, 2, 7):
        model = OutputCodeClassifier(base, code=code, max_distance=most).fit(X, names)
        h = np.column_stack([2 * e.predict(X) - 1 for e in model.estimators_])
        sure = OutputCodeClassifier(base, code=code).fit(X, names).predict(X)
        wrong = np.sum(h != code[np.searchsorted(model.classes_, sure)], axis=1)
        np.testing.assert_array_equal(model.is_rejected(X), wrong > most)
        np.testing.assert_array_equal(model.predict(X), np.where(wrong > most, "reject", sure))
        shares.append(model.answer_report(X, names).coverage)
    assert shares == sorted(shares)
    assert shares[0] < shares[-1] == 1.0
    radius = OutputCodeClassifier(base, code=code, max_distance="radius").fit(X, names)
    assert radius.max_distance_ == 1.0
    assert radius.answer_report(X, names).coverage == shares[1]
    assert radius.answer_report(X, names).accuracy >= model.answer_report(X, names).accuracy


@pytest.mark.spec("TRE-105", "TRE-099")
def test_a_code_that_is_sure_of_nothing_has_no_radius():
    code = np.array([[1, -1, -1, 1], [-1, 1, -1, 1], [-1, -1, 1, 1], [0, 0, 0, -1]])
    assert code_report(code).correctable == -1
    with pytest.raises(ValueError, match=r"'radius' would refuse every row.*give max_distance as a number, or a code"):
        OutputCodeClassifier(GaussianNB(), code=code, max_distance="radius").fit(*blobs(4))


@pytest.mark.spec("TRE-105")
def test_zeros_of_a_code_are_no_errors():
    X, y = blobs(4, 100, spread=0.2)
    model = OutputCodeClassifier(GaussianNB(), code="ovo", max_distance="radius").fit(X, y)
    assert model.max_distance_ == 0.0
    assert not np.any(model.is_rejected(X))


@pytest.mark.spec("TRE-105")
def test_refusals_by_distance_and_by_margin():
    X, y = blobs(4, 300, spread=3.0)
    plain = OutputCodeClassifier(GaussianNB(), code="exhaustive").fit(X, y)
    S = plain.decision_function(X)
    assert plain.reject_label_ is None
    low = OutputCodeClassifier(GaussianNB(), code="exhaustive", reject_threshold=-5.0).fit(X, y)
    np.testing.assert_array_equal(low.is_rejected(X), np.max(S, axis=1) < -5.0)
    close = OutputCodeClassifier(GaussianNB(), code="exhaustive", reject_margin=1.0, reject_label=99).fit(X, y)
    top = np.sort(S, axis=1)
    np.testing.assert_array_equal(close.predict(X) == 99, top[:, -1] - top[:, -2] < 1.0)
    with pytest.raises(ValueError, match="reject_label=-1 is one of the classes"):
        OutputCodeClassifier(GaussianNB(), code="exhaustive", max_distance=1).fit(X, y - 1)
    assert set(OutputCodeClassifier(GaussianNB()).fit(X, y - 1).predict(X)) == {-1, 0, 1, 2}


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"max_distance": "far"}, r"max_distance='far'.*radius"),
        ({"max_distance": -1}, "max_distance=-1 must be ≥ 0"),
        ({"code": "hadamard"}, r"code='hadamard'.*stagewise"),
        ({"code_size": 0.5}, "1 columns cannot tell 3 classes apart"),
        ({"code_size": 0.0}, "code_size=0.0 must be a number > 0"),
        ({"n_candidates": 0}, "n_candidates=0 must be a whole number ≥ 1"),
        ({"loss": "zero_one"}, r"loss='zero_one'.*exponential"),
    ],
)
def test_options_that_mean_nothing_are_refused(option, words):
    with pytest.raises(ValueError, match=words):
        OutputCodeClassifier(GaussianNB(), **option).fit(*load_iris(return_X_y=True))


def test_two_classes_are_the_base_and_one_class_is_certain():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], np.array(["a", "b"])[y[:100]]
    for word in (None, *WORDS):
        model = OutputCodeClassifier(GaussianNB(), code=word).fit(X, y)
        assert model.code_book_.tolist() == [[-1], [1]]
        np.testing.assert_allclose(model.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X), atol=1e-9)
        assert model.decision_function(X).shape == (100,)
    alone = OutputCodeClassifier(GaussianNB()).fit(X, ["a"] * 100)
    assert set(alone.predict(X)) == {"a"}
    assert np.all(alone.predict_proba(X) == 1.0)
    ignoring = OutputCodeClassifier(GaussianNB(), decode="hamming", zero="ignore").fit(X, ["a"] * 100)
    assert set(ignoring.predict(X)) == {"a"}


@pytest.mark.spec("TRE-096")
def test_the_length_of_a_random_code_in_columns_or_for_each_class():
    X, y = blobs(5)
    assert OutputCodeClassifier(GaussianNB(), n_columns=9).fit(X, y).code_book_.shape == (5, 9)
    assert OutputCodeClassifier(GaussianNB(), code_size=2.0).fit(X, y).code_book_.shape == (5, 10)


def test_several_labels_per_row_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="OneVsRestClassifier"):
        OutputCodeClassifier(GaussianNB()).fit(X, np.eye(3, dtype=int)[y] | 1)


@pytest.mark.parametrize("word", ["exhaustive", "ovo", "pca", "stagewise"])
def test_sparse_rows_give_the_same_model(word):
    X, y = blobs()
    X = np.where(X > 0, StandardScaler().fit_transform(X), 0.0)
    base = LinearSVC(dual=False, tol=1e-8)
    dense = OutputCodeClassifier(base, code=word, random_state=0).fit(X, y)
    thin = OutputCodeClassifier(base, code=word, random_state=0).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("word", ["exhaustive", "ovo", "pca"])
def test_weights_are_repetitions(word):
    X, y = blobs()
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weights[y == 4] = 0
    twice = np.repeat(np.arange(len(y)), weights)
    weighted = OutputCodeClassifier(GaussianNB(), code=word).fit(X, y, sample_weight=weights)
    repeated = OutputCodeClassifier(GaussianNB(), code=word).fit(X[twice], y[twice])
    assert weighted.classes_.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-7)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        OutputCodeClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=weights)
    assert OutputCodeClassifier(Perceptron()).fit(X, y, sample_weight=np.ones(len(y))).score(X, y) > 0.5
