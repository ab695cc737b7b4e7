"""Golden values of impurities, of the weather data and its trees, and of other forms of tests and leaves."""

import numpy as np
import pytest

from gnomon.datasets import load_weather_play
from gnomon.search import Entropy, Gini, code_columns, score_columns
from gnomon.trees import DecisionTreeClassifier, DecisionTreeRegressor, impurity

KINDS = ("misclassification", "gini", "entropy")
GRID = np.array([[a, b] for a in range(3) for b in range(3)], dtype=float)
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def weather():
    bunch = load_weather_play()
    return bunch.data, bunch.target


def coded(gap=False, fill=None):
    """The weather as codes in sorted order; `gap` takes the outlook of (overcast, mild, high, true) away."""
    X, y = weather()
    codes = np.column_stack([np.unique(X[:, j].astype(str), return_inverse=True)[1] for j in range(4)]).astype(float)
    row = X.astype(str).tolist().index(["overcast", "mild", "high", "true"])
    if gap:
        codes[row, 0] = np.nan if fill is None else fill
    return code_columns(codes, category=[True] * 4), (y == "yes").astype(np.int32)


def rules(tree, domains):
    """The tree as nested dictionaries from values to classes."""

    def below(node):
        if tree.is_leaf[node]:
            return int(np.argmax(tree.answers[node]))
        values = domains[tree.feature[node]]
        _, cells, branches, _ = tree.tests.test(tree.tests.which[node])
        children = tree.children(node)
        return {values[c]: below(children[b]) for c, b in zip(cells, branches, strict=True)}

    return below(0)


@pytest.mark.spec("TRE-G01", "TRE-016", "TRE-017", "TRE-018", "TRE-022")
def test_three_colours():
    found = [impurity([3, 6, 1], kind) for kind in KINDS]
    assert found == pytest.approx([0.4, 0.54, 1.295462], abs=5e-7)
    assert found[2] * np.log(2) == pytest.approx(0.897946, abs=5e-7)
    assert impurity([0.3, 0.6, 0.1], "gini") == pytest.approx(0.54)


@pytest.mark.spec("TRE-G02", "TRE-G03", "TRE-022")
def test_sixteen_rows_and_uniform_classes():
    counts = np.array([[16, 0], [15, 1], [8, 8]])
    found = np.column_stack([impurity(counts, kind) for kind in KINDS])
    np.testing.assert_allclose(found, [[0, 0, 0], [0.0625, 0.1171875, 0.337290], [0.5, 0.5, 1]], atol=5e-7)
    for k, bits in ((3, 1.584963), (4, 2.0)):
        assert [impurity(np.ones(k), kind) for kind in KINDS] == pytest.approx([1 - 1 / k, 1 - 1 / k, bits], abs=5e-7)


@pytest.mark.spec("TRE-G04")
def test_two_splits_with_equal_errors():
    def split(parts, kind):
        counts = np.array(parts, dtype=float)
        return np.average(impurity(counts, kind), weights=counts.sum(axis=1))

    a, b = [(300, 100), (100, 300)], [(200, 400), (200, 0)]
    assert [split(a, kind) for kind in KINDS] == pytest.approx([0.25, 0.375, 0.811278], abs=5e-7)
    assert [split(b, kind) for kind in KINDS] == pytest.approx([0.25, 0.333333, 0.688722], abs=5e-7)


@pytest.mark.spec("TRE-G07", "TRE-G08", "TRE-019")
def test_scores_of_the_weather():
    assert [impurity([5, 9], kind) for kind in KINDS] == pytest.approx([0.357143, 0.459184, 0.940286], abs=5e-7)
    columns, y = coded()
    scores = np.array(score_columns(columns, y, Entropy(2)))
    np.testing.assert_allclose(scores[:, 0], [0.246750, 0.029223, 0.151836, 0.048127], atol=5e-7)
    np.testing.assert_allclose(scores[:, 1], [1.577406, 1.556657, 1, 0.985228], atol=5e-7)
    np.testing.assert_allclose(scores[:, 2], [0.156428, 0.018773, 0.151836, 0.048849], atol=5e-7)
    ginis = [score.impurity for score in score_columns(columns, y, Gini(2))]
    np.testing.assert_allclose(ginis, [0.342857, 0.440476, 0.367347, 0.428571], atol=5e-7)
    mean = np.mean(scores[:, 0])
    assert mean == pytest.approx(0.118984, abs=5e-7)
    assert np.flatnonzero(scores[:, 0] >= mean).tolist() == [0, 2]


@pytest.mark.spec("TRE-G09", "TRE-023", "TRE-024", "TRE-011")
@pytest.mark.parametrize(
    "options", [{"algorithm": "id3"}, {"algorithm": "c4.5", "pruning": "none"}, {"algorithm": "c4.5"}]
)
def test_id3_and_c45_on_the_weather(options):
    X, y = weather()
    model = DecisionTreeClassifier(**options).fit(X, y)
    domains = [np.unique(X[:, j].astype(str)) for j in range(4)]
    assert rules(model.tree_, domains) == {
        "overcast": 1,
        "sunny": {"high": 0, "normal": 1},
        "rainy": {"true": 0, "false": 1},
    }
    assert model.score(X, y) == 1.0
    inner = ~model.tree_.is_leaf
    np.testing.assert_allclose(model.tree_.gain[inner], [0.246750, 0.970951, 0.970951], atol=5e-7)


@pytest.mark.spec("TRE-G10", "TRE-011", "TRE-025")
def test_cart_on_the_weather():
    X, y = weather()
    model = DecisionTreeClassifier().fit(X, y)
    assert (
        model.export_text()
        == """\
x0 in {rainy, sunny}:
    x2 = high:
        x0 = sunny: no {no: 3, yes: 0}
        x0 = rainy:
            x3 = true: no {no: 1, yes: 0}
            x3 = false: yes {no: 0, yes: 1}
    x2 = normal:
        x3 = true:
            x0 = rainy: no {no: 1, yes: 0}
            x0 = sunny: yes {no: 0, yes: 1}
        x3 = false: yes {no: 0, yes: 3}
x0 = overcast: yes {no: 0, yes: 4}"""
    )
    assert model.score(X, y) == 1.0
    tree = model.tree_
    below = tree.weight * tree.impurity

    def split(node):
        return np.sum(below[tree.children(node)]) / tree.weight[node]

    order = [node for node in range(tree.node_count) if not tree.is_leaf[node]]
    assert [split(node) for node in order] == pytest.approx([0.357143, 0.32, 0.2, 0.0, 0.2, 0.0], abs=5e-7)
    assert tree.max_depth == 4
    entropy = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(X, y).tree_
    assert np.sum((entropy.weight * entropy.impurity)[1:]) / 14 == pytest.approx(0.714286, abs=5e-7)


@pytest.mark.spec("TRE-G12", "TRE-026", "TRE-027", "TRE-029")
@pytest.mark.parametrize(
    ("missing", "fill", "expected"),
    [
        ("fractional", None, (0.199041, 1.809200, 0.110016)),
        ("own_value", None, (0.246750, 1.809200, 0.136386)),
        ("own_value", 1.0, (0.199963, None, 0.130642)),  # the most frequent value, rainy, in its place
    ],
)
def test_a_missing_outlook(missing, fill, expected):
    columns, y = coded(gap=True, fill=fill)
    score = score_columns(columns, y, Entropy(2), missing=missing)[0]
    gain, info, ratio = expected
    assert (score.gain, score.gain_ratio) == pytest.approx((gain, ratio), abs=5e-7)
    assert info is None or score.split_info == pytest.approx(info, abs=5e-7)


@pytest.mark.spec("TRE-G12", "TRE-027")
def test_the_most_frequent_outlook_is_the_first_of_two():
    X, y = weather()
    X = X.copy()
    X[X.astype(str).tolist().index(["overcast", "mild", "high", "true"]), 0] = None
    model = DecisionTreeClassifier(missing="most_frequent").fit(X, y)
    assert model.fill_values_[0] == "rainy"


@pytest.mark.spec("TRE-G13", "TRE-029")
def test_a_row_without_outlook_goes_down_every_branch():
    X, y = weather()
    model = DecisionTreeClassifier(algorithm="c4.5").fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[None, "mild", "high", "true"]]), [[10 / 14, 4 / 14]])


@pytest.mark.spec("TRE-G18", "TRE-021", "TRE-007")
def test_absolute_error_is_not_moved_by_a_giant():
    model = DecisionTreeRegressor(criterion="absolute_error", max_depth=1)
    model.fit(np.arange(1.0, 7.0)[:, None], [1, 1, 2, 8, 9, 100])
    tree = model.tree_
    assert tree.threshold[0] == 5.5
    assert np.sum((tree.weight * tree.impurity)[1:]) / 6 == pytest.approx(2.5)
    assert tree.answers[1:].ravel().tolist() == [2.0, 100.0]


@pytest.mark.spec("TRE-G20", "TRE-013")
@pytest.mark.parametrize("oblique", ["lda", "logistic", "oc1"])
def test_one_oblique_test_parts_the_grid(oblique):
    y = (GRID.sum(axis=1) >= 2).astype(int)
    stump = DecisionTreeClassifier(max_depth=1).fit(GRID, y)
    assert np.sum(stump.predict(GRID) != y) == 2
    model = DecisionTreeClassifier(max_depth=1, split="oblique", oblique=oblique, random_state=0).fit(GRID, y)
    assert np.sum(model.predict(GRID) != y) == 0
    if oblique != "oc1":
        np.testing.assert_allclose(model.tree_.tests.coefs, [1.0, 1.0, 1.5])


@pytest.mark.spec("TRE-G21", "TRE-L09")
@pytest.mark.parametrize(
    "options", [{}, {"missing": "fractional"}, {"criterion": "gain_ratio"}, {"reuse_features": False}]
)
def test_exclusive_or(options):
    y = [0, 1, 1, 0]
    model = DecisionTreeClassifier(**options).fit(XOR, y)
    tree = model.tree_
    assert tree.gain[0] == pytest.approx(0.0, abs=1e-12)
    assert (tree.max_depth, tree.n_leaves, model.score(XOR, y)) == (2, 4, 1.0)
    if not options:
        path = model.cost_complexity_pruning_path(XOR, y)
        assert path.ccp_alphas[-1] == pytest.approx(0.5 / 3)


@pytest.mark.spec("TRE-G23", "TRE-031", "TRE-040")
def test_balanced_weights_and_pseudo_counts():
    X, y = weather()
    tree = DecisionTreeClassifier(class_weight="balanced", max_depth=0).fit(X, y).tree_
    counts = np.array([np.sum(y == "no"), np.sum(y == "yes")])
    np.testing.assert_allclose(tree.answers[0] * tree.weight[0] / counts, [1.4, 0.777778], atol=5e-7)
    model = DecisionTreeClassifier(algorithm="id3", leaf_alpha=1).fit(X, y)
    # Sunny and humid: three rows, all "no".
    np.testing.assert_allclose(model.predict_proba([["sunny", "hot", "high", "true"]]), [[0.8, 0.2]])


@pytest.mark.spec("TRE-G19", "TRE-041")
def test_two_lines_in_two_leaves():
    x, y = np.arange(6.0)[:, None], np.array([0.0, 1.0, 2.0, 7.0, 6.0, 5.0])
    options = {"leaf_model": "linear", "leaf_ridge": 0.0, "smooth": 0.0, "min_samples_linear": 2}
    model = DecisionTreeRegressor(max_depth=1, **options).fit(x, y)
    assert model.tree_.threshold[0] == 2.5
    np.testing.assert_allclose(model.predict(x), y, atol=1e-12)
    np.testing.assert_allclose(model.predict([[2.4], [2.6]]), [2.4, 7.4])
