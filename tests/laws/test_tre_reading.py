"""Reading trees: rules, text, SQL and Python say what the tree does; contributions add up; importances count."""

import sqlite3

import numpy as np
import pytest

from gnomon.search import (
    Entropy,
    Gini,
    SquaredError,
    Words,
    code_columns,
    contributions,
    explain_forest,
    explain_row,
    forest_importance,
    grow_general_tree,
    grow_tree,
    read_tree,
    tree_importance,
    tree_rules,
    tree_text,
)

SKIES = ("clear", "a, b: c", 'say "hi"', "5", "it's")
LABELS = np.array(["no", "or missing", "yes: it = so"])


def table(n, seed, gaps=0.0):
    """Two columns of numbers, one of five categories and one of three, some cells missing."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=n).round(1), rng.uniform(size=n), rng.integers(0, 5, n), rng.integers(0, 3, n)]
    ).astype(float)
    y = (np.nan_to_num(X[:, 0]) > 0.2).astype(int) + np.isin(X[:, 2], (1, 3)) * (X[:, 1] > 0.4)
    X[rng.uniform(size=X.shape) < gaps] = np.nan
    flip = rng.uniform(size=n) < 0.15
    return X, np.where(flip, rng.integers(0, 3, n), y)


WORDS = Words(("age in years", "income", "the sky", "wind"), (None, None, SKIES, (0, 1, 2)), LABELS)
PLAIN = {"category": [False, False, True, True]}


def binary(X, y, **options):
    return grow_tree(code_columns(X, **PLAIN), y, Gini(3), max_depth=5, **options)


def general(**options):
    def grow(X, y):
        return grow_general_tree(code_columns(X, **PLAIN), y, Entropy(3), max_depth=4, min_samples_leaf=2, **options)

    return grow


def tilted(X, y):
    """Oblique tests of the numbers, on rows without gaps in them."""

    def directions(Z, *_):
        return np.ones((1, Z.shape[1]))

    X = np.nan_to_num(X[:, :2])
    return grow_general_tree(code_columns(X), y, Gini(3), max_depth=4, oblique=directions)


GROWERS = {
    "subsets": binary,
    "equality": lambda X, y: binary(X, y, categorical_split="equality"),
    "drawn": lambda X, y: binary(X, y, splitter="random", seed=3),
    "multiway": general(categorical_split="multiway", reuse_features=False),
    "three ways": general(numeric_test="three_way", categorical_split="multiway"),
}
CASES = [(name, gaps) for name in GROWERS for gaps in (0.0, 0.2)]


def grown(name, gaps, seed=0):
    X, y = table(150, seed, gaps)
    return GROWERS[name](X, y), X, y


def fresh(seed=9):
    return table(300, seed, 0.25)[0]


@pytest.mark.spec("TRE-045", "TRE-L10")
@pytest.mark.parametrize(("name", "gaps"), CASES)
@pytest.mark.parametrize("simplify", [False, True])
def test_exactly_one_rule_fires_and_says_what_the_tree_says(name, gaps, simplify):
    tree, X, _ = grown(name, gaps)
    rules = tree_rules(tree, WORDS)
    rules = rules.simplify() if simplify else rules
    for rows in (X, fresh()):
        fires = rules.fires(rows)
        np.testing.assert_array_equal(fires.sum(axis=1), 1)
        said = [rules[k].label for k in fires.argmax(axis=1)]
        assert said == [WORDS.label(answer) for answer in tree.predict(rows)]
    if not simplify:
        leaves = [rule for rule in rules if tree.is_leaf[rule.node]]
        assert len(leaves) == tree.n_leaves
        assert sum(rule.n_rows for rule in leaves) == tree.n_rows[0]
        fires = rules.fires(X)
        np.testing.assert_array_equal(fires[:, [tree.is_leaf[rule.node] for rule in rules]].sum(axis=0),
                                      [rule.n_rows for rule in leaves])  # fmt: skip


@pytest.mark.spec("TRE-045")
@pytest.mark.parametrize(("name", "gaps"), CASES)
def test_a_column_has_one_condition_in_a_rule(name, gaps):
    tree, _, _ = grown(name, gaps)
    for rule in tree_rules(tree, WORDS):
        columns = [condition.columns for condition in rule.conditions]
        assert len(columns) == len(set(columns))


@pytest.mark.spec("TRE-045")
@pytest.mark.parametrize(("name", "gaps"), CASES)
def test_simplified_rules_are_fewer_and_keep_all_rows(name, gaps):
    tree, _, _ = grown(name, gaps)
    rules = tree_rules(tree, WORDS)
    short = rules.simplify()
    assert len(short) <= len(rules)
    assert sum(rule.n_rows for rule in short) == sum(rule.n_rows for rule in rules)
    total = sum(rule.weight * rule.answer for rule in short)
    np.testing.assert_allclose(total, sum(rule.weight * rule.answer for rule in rules))


@pytest.mark.spec("TRE-046", "TRE-042", "TRE-L10")
@pytest.mark.parametrize(("name", "gaps"), CASES)
def test_text_reads_back_as_the_same_tree(name, gaps):
    tree, X, _ = grown(name, gaps)
    again, words = read_tree(tree_text(tree, WORDS), words=WORDS)
    assert words is WORDS
    for rows in (X, fresh()):
        np.testing.assert_array_equal(again.apply(rows), tree.apply(rows))
        np.testing.assert_allclose(again.predict(rows), tree.predict(rows), rtol=0, atol=1e-12)
    np.testing.assert_allclose(again.weight, tree.weight)
    np.testing.assert_array_equal(again.n_rows, tree.n_rows)
    np.testing.assert_array_equal(again.missing, np.where(tree.is_leaf, -1, tree.missing))
    assert tree_text(again, words) == tree_text(tree, WORDS)


@pytest.mark.spec("TRE-046", "TRE-L10")
def test_text_says_its_own_words_to_a_reader_that_knows_none():
    X, y = table(200, 1)
    words = Words(("age", "income", "sky", "wind"), (None, None, ("blue", "grey", "red", "dark", "white"), (0, 1, 2)),
                  np.array(["no", "perhaps", "yes"]))  # fmt: skip
    tree = binary(X, y)
    again, found = read_tree(tree_text(tree, words), columns=words.names)
    assert set(found.values[2]) <= set(words.values[2])
    recoded = X.copy()
    for j in (2, 3):
        codes = [found.values[j].index(value) if value in found.values[j] else np.nan for value in words.values[j]]
        recoded[:, j] = np.array(codes)[X[:, j].astype(int)]
    np.testing.assert_allclose(again.predict(recoded), tree.predict(X), atol=1e-12)


@pytest.mark.spec("TRE-046", "TRE-045", "TRE-L10")
def test_oblique_tests_read_back():
    X, y = table(120, 2)
    tree = tilted(X, y)
    assert np.any(tree.tests.kinds == 2)
    words = Words(("age in years", "income"), (None, None), LABELS)
    again, _ = read_tree(tree_text(tree, words), words=words)
    rows = fresh()[:, :2]
    np.testing.assert_array_equal(again.apply(rows), tree.apply(rows))
    fires = tree_rules(tree, words).fires(rows)
    np.testing.assert_array_equal(fires.sum(axis=1), 1)


@pytest.mark.spec("TRE-046", "TRE-L10")
def test_a_regression_tree_reads_back_to_the_last_digit():
    X, _ = table(100, 3)
    y = np.random.default_rng(0).normal(size=(100, 1)) / 3.0
    tree = grow_tree(code_columns(X, **PLAIN), y, SquaredError(), max_depth=4, sample_weight=np.linspace(0.1, 2, 100))
    words = Words(WORDS.names, WORDS.values)
    again, _ = read_tree(tree_text(tree, words), words=words)
    np.testing.assert_array_equal(again.predict(X), tree.predict(X))
    np.testing.assert_allclose(again.weight, tree.weight)


def in_sqlite(rules, X):
    """The labels that SQLite gives to rows."""
    base = sqlite3.connect(":memory:")
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in WORDS.names)
    base.execute(f"CREATE TABLE t ({names})")
    rows = [[WORDS.cell(j, x) for j, x in enumerate(row)] for row in X]
    base.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    return base, [label for (label,) in base.execute(f"SELECT {rules.to_sql()} FROM t ORDER BY rowid")]


@pytest.mark.spec("TRE-045", "TRE-L10")
@pytest.mark.parametrize(("name", "gaps"), CASES)
def test_sql_and_python_and_the_normal_forms_predict_the_same(name, gaps):
    tree, _, _ = grown(name, gaps)
    X = fresh()
    expected = [WORDS.label(answer) for answer in tree.predict(X)]
    rules = tree_rules(tree, WORDS).simplify()
    base, said = in_sqlite(rules, X)
    assert said == expected
    space: dict = {}
    exec(rules.to_python(), space)
    rows = [{name: WORDS.cell(j, x) for j, (name, x) in enumerate(zip(WORDS.names, row, strict=True))} for row in X]
    assert [space["predict"](row) for row in rows] == expected
    for label in LABELS.tolist():
        query = f"SELECT rowid - 1 FROM t WHERE {rules.to_dnf(label, dialect='sql')}"
        assert {row for (row,) in base.execute(query)} == {i for i, other in enumerate(expected) if other == label}


@pytest.mark.spec("TRE-045")
def test_unseen_values_follow_the_missing_ones_in_sql_and_python():
    tree, _, _ = grown("subsets", 0.2)
    rules = tree_rules(tree, WORDS)
    space: dict = {}
    exec(rules.to_python(), space)
    for age in (-1.0, 1.0):
        row = dict(zip(WORDS.names, (age, 0.5, "never met", 7), strict=True))
        expected = WORDS.label(tree.predict(np.array([[age, 0.5, np.nan, np.nan]]))[0])
        assert space["predict"](row) == expected


@pytest.mark.spec("TRE-044", "TRE-L11")
@pytest.mark.parametrize(("name", "gaps"), CASES)
def test_contributions_and_the_root_add_up_to_the_leaf(name, gaps):
    tree, _, _ = grown(name, gaps)
    X = fresh()
    parts = contributions(tree, X)
    np.testing.assert_allclose(tree.answers[0] + parts.sum(axis=1), tree.predict(X), rtol=0, atol=1e-13)
    used = np.unique(tree.feature[~tree.is_leaf])
    unused = np.setdiff1d(np.arange(4), used)
    assert not np.any(parts[:, unused])


@pytest.mark.spec("TRE-044", "TRE-L11")
def test_contributions_of_oblique_and_fractional_trees_add_up():
    X, y = table(120, 2, 0.2)
    oblique = tilted(X, y)
    rows = np.nan_to_num(fresh()[:, :2])
    np.testing.assert_allclose(
        oblique.answers[0] + contributions(oblique, rows).sum(axis=1), oblique.predict(rows), atol=1e-13
    )
    parted = general(missing="fractional", categorical_split="multiway")(X, y)
    rows = fresh()
    np.testing.assert_allclose(
        parted.answers[0] + contributions(parted, rows).sum(axis=1), parted.predict(rows), atol=1e-13
    )


@pytest.mark.spec("TRE-044")
def test_an_explanation_tells_the_way():
    tree, X, _ = grown("subsets", 0.0)
    told = explain_row(tree, WORDS, X[0])
    path = tree.path(int(tree.apply(X[:1])[0]))
    assert [step.node for step in told.steps] == path[:-1]
    for step, node, child in zip(told.steps, path[:-1], path[1:], strict=True):
        assert step.columns == (WORDS.names[tree.feature[node]],)
        assert step.value == WORDS.cell(tree.feature[node], X[0, tree.feature[node]])
        np.testing.assert_array_equal(step.before, tree.answers[node])
        np.testing.assert_array_equal(step.after, tree.answers[child])
        assert step.branch in str(told)
    assert told.label == WORDS.label(tree.predict(X[:1])[0])


@pytest.mark.spec("TRE-044")
def test_a_forest_is_explained_by_means():
    X, y = table(150, 0)
    trees = [binary(X, y, seed=seed, max_features=2) for seed in range(5)]
    told = explain_forest(trees, WORDS, X[3])
    each = [explain_row(tree, WORDS, X[3]) for tree in trees]
    np.testing.assert_allclose(told.answer, np.mean([one.answer for one in each], axis=0))
    for name in WORDS.names:
        np.testing.assert_allclose(told.contributions[name], np.mean([one.contributions[name] for one in each], axis=0))
    np.testing.assert_allclose(told.root + sum(told.contributions.values()), told.answer, atol=1e-13)


@pytest.mark.spec("TRE-047", "TRE-048", "TRE-049")
@pytest.mark.parametrize(("name", "gaps"), CASES)
def test_importances_count_what_they_say(name, gaps):
    tree, X, _ = grown(name, gaps)
    passed = tree.decision_path(X).toarray().astype(bool)
    tests = np.array([[tree.feature[node] == j for node in range(tree.node_count)] for j in range(4)])
    times = passed.astype(int) @ tests.T.astype(int)
    np.testing.assert_allclose(tree_importance(tree, "tests"), times.mean(axis=0))
    np.testing.assert_allclose(tree_importance(tree, "samples"), (times > 0).mean(axis=0))
    depth = [tree.depth[tests[j]].min() if tests[j].any() else tree.max_depth for j in range(4)]
    np.testing.assert_array_equal(tree_importance(tree, "depth"), depth)
    mdi = tree_importance(tree, "impurity")
    drops = np.array([np.sum((tree.weight * tree.gain)[tests[j]]) for j in range(4)])
    np.testing.assert_allclose(mdi, drops / drops.sum())


@pytest.mark.spec("TRE-048", "TRE-L06")
def test_an_unused_column_has_no_importance_and_the_depth_of_the_tree():
    X, y = table(100, 5)
    X[:, 1] = 3.0
    tree = binary(X, y)
    for kind, value in (("samples", 0.0), ("tests", 0.0), ("impurity", 0.0), ("depth", tree.max_depth)):
        assert tree_importance(tree, kind)[1] == value
    mean, spread = forest_importance([tree, tree], "depth")
    np.testing.assert_array_equal(mean, tree_importance(tree, "depth"))
    np.testing.assert_array_equal(spread, 0.0)
