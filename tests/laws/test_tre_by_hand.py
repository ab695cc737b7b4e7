"""Trees by hand: ways to write one, places in errors, leaves estimated from rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score

from gnomon.datasets import load_weather_play
from gnomon.search import read_tree, tree_text
from gnomon.search.words import spell
from gnomon.trees import DecisionTreeClassifier, HandTreeClassifier, HandTreeRegressor, Tree

TEXT = """
# what an expert would say
outlook = overcast: yes
outlook = sunny:
|   humidity = high: no
|   humidity = normal: yes
outlook = rainy:
|   windy = true: no
|   else: yes
"""
DICT = {
    "outlook": {
        "overcast": "yes",
        "sunny": {"humidity": {"high": "no", "normal": "yes"}},
        "rainy": {"windy": {"true": "no", "false": "yes"}},
    }
}
TUPLE = (
    "outlook",
    {"overcast"},
    "yes",
    ("outlook", "sunny", ("humidity", "high", "no", "yes"), ("windy", ["true"], "no", "yes")),
)
DOMAINS = {"outlook": ["overcast", "rainy", "sunny"], "humidity": ["high", "normal"], "windy": ["false", "true"]}


@pytest.mark.spec("TRE-042", "TRE-L10")
@pytest.mark.parametrize("spec", [TEXT, DICT, TUPLE])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_text_dict_and_tuple_say_the_same(spec, frame):
    weather = load_weather_play()
    rows = frame({name: weather.data[:, j].astype(str) for j, name in enumerate(weather.feature_names)})
    model = Tree.from_rules(spec, categories=DOMAINS)
    np.testing.assert_array_equal(model.predict(rows), weather.target)
    assert model.score(rows, weather.target) == 1.0
    np.testing.assert_array_equal(model.predict_proba(rows).max(axis=1), 1.0)
    assert model.explain(rows[:1]).label == "yes"


@pytest.mark.spec("TRE-042")
def test_numbers_sets_sums_and_three_ways():
    text = """
        age ≤ 30:
            2.0*income - 0.5*age <= 10: poor {poor: 3, rich: 1}
            2.0*income - 0.5*age > 10: rich
        age > 30:
            children < 2: rich
            children = 2: poor
            children > 2: poor
    """
    model = Tree.from_rules(text, columns=["income", "age", "children"])
    X = np.array([[10.0, 20, 0], [11, 20, 0], [0, 31, 1], [0, 31, 2], [0, 31, 3]])
    assert model.predict(X).tolist() == ["poor", "rich", "rich", "poor", "poor"]
    np.testing.assert_allclose(model.predict_proba(X)[0], [0.75, 0.25])
    swapped = Tree.from_rules({"age": {"> 30": "old", "<= 30": "young"}})
    assert swapped.predict([[30.0], [30.1]]).tolist() == ["young", "old"]
    below = Tree.from_rules({"age": {"< 30": "young", ">= 30": "old"}})
    assert below.predict([[29.9], [30.0]]).tolist() == ["young", "old"]
    exact = Tree.from_rules({"age": {"= 30": "thirty", "else": "unlike"}})
    assert exact.predict([[30.0], [31.0], [np.nan]]).tolist() == ["thirty", "unlike", "unlike"]


@pytest.mark.spec("TRE-042")
def test_numbers_as_answers_make_a_regressor():
    model = Tree.from_rules({"x": {"<= 1": 2.5, "> 1": {"x": {"<= 3": 4.0, "> 3": 7.0}}}})
    assert isinstance(model, HandTreeRegressor)
    np.testing.assert_array_equal(model.predict([[0.0], [2.0], [9.0]]), [2.5, 4.0, 7.0])
    assert model.score([[0.0], [2.0], [9.0]], [2.5, 4.0, 7.0]) == 1.0
    again = Tree.from_rules(model.export_text())
    np.testing.assert_array_equal(again.predict([[0.0], [2.0], [9.0]]), [2.5, 4.0, 7.0])


WRONG = {
    "unknown column": ("outlok = sunny: no\noutlok = rainy: yes", "line 1.*'outlok' is no column.*'outlook'"),
    "missing branch": ("outlook = sunny: no\noutlook = rainy: yes", "line 1.*no branch for \\['overcast'\\]"),
    "half a line": ("age ≤ 3: a\nage > 4: b", "line 2.*between 3 and 4 have no branch"),
    "overlap": ("age ≤ 5: a\nage > 4: b", "line 2.*between 4 and 5 have two branches"),
    "one side": ("age ≤ 5: a\nage is missing: b", "some values of 'age' have no branch"),
    "two branches": ("outlook in {sunny, rainy}: a\noutlook = sunny: b\nelse: c", "line 2.*'sunny'.*branch already"),
    "unknown value": ("outlook = snowy: a\nelse: b", "line 1.*'snowy' is no value of 'outlook'"),
    "two columns": ("outlook = sunny: a\nage ≤ 3: b", "line 2.*tests 'age'"),
    "no colon": ("outlook = sunny: a\nelse b", "line 2.*no colon"),
    "no answer": ("outlook = sunny:\nelse: b", "line 1.*no answer"),
    "answer and more": ("outlook = sunny: a\n    age ≤ 3: b\nelse: c", "line 2.*answer already"),
    "ragged": ("outlook = sunny:\n    age ≤ 3: b\n  age > 3: c\nelse: d", "line 3.*indented"),
    "order": ("outlook ≤ sunny: a\noutlook > sunny: b", "line 1.*no order"),
    "number": ("age ≤ young: a\nage > young: b", "line 1.*'young' is none"),
    "twice missing": ("age ≤ 3 or missing: a\nage > 3 or missing: b", "line 2.*missing values have a branch"),
    "single": ("age ≤ 3: a", "single branch"),
    "no test": ("outlook: a", "line 1.*is no test"),
    "bad weight": ("outlook = sunny: a {a: many}\nelse: b", "line 1.*no weight"),
    "nothing": ("\n \n", "empty"),
    "known and compared": ("age is known: a\nage ≤ 3: b\nage > 3: c", "line 1.*has one already"),
    "nothing for else": ("age ≤ 3: a\nage > 3 or missing: b\nelse: c", "line 3.*has one already"),
    "two below": ("age ≤ 3: a\nage < 3: b\nage ≥ 3: c", "have two branches|has one already"),
    "only missing": ("age is missing: a\nelse: stop", "known values of 'age' have no branch"),
    "two elses": ("outlook = sunny: a\nelse: b\nelse: c", "line 3.*'else' stands twice"),
    "two elses of numbers": ("age ≤ 3: a\nelse: b\nelse: stop", "line 2.*'else' stands twice"),
    "half a quotation": ('age ≤ 3: "a\nage > 3: b', "line 1.*cannot be read"),
    "half a list": ("age ≤ 3: [1, 2\nage > 3: b", "line 1.*cannot be read"),
    "sum of words": ("2*outlook ≤ 3: a\nelse: b", "line 1.*cannot be added up"),
    "in a dict": ({"outlook": {"sunny": {"humdity": {"high": "no", "normal": "yes"}}, "else": "no"}},
                  "outlook → sunny → humdity.*no column"),
    "dict of two": ({"outlook": {"sunny": "a"}, "age": {"<= 3": "b"}}, "the root.*one column"),
    "short tuple": (("age", 3.0, "young"), "the root.*3 parts"),
}  # fmt: skip


@pytest.mark.spec("TRE-042")
@pytest.mark.parametrize("name", WRONG)
def test_errors_say_where(name):
    spec, message = WRONG[name]
    columns = ["outlook", "humidity", "age"]
    with pytest.raises(ValueError, match=message):
        Tree.from_rules(spec, columns=columns, categories={k: v for k, v in DOMAINS.items() if k in columns})


@pytest.mark.spec("TRE-042")
def test_unknown_labels_and_open_trees_are_refused():
    with pytest.raises(ValueError, match=r"line 2.*'c' is no class"):
        Tree.from_rules("age ≤ 3: a\nage > 3: c", classes=["a", "b"])
    with pytest.raises(ValueError, match="classes="):
        Tree.from_rules(("age", 3.0, "?", "?"))
    with pytest.raises(ValueError, match="has no column 'age'"):
        Tree.from_rules(("age", 3.0, "a", "b")).predict(pd.DataFrame({"old": [1.0], "tall": [2.0]}))


@pytest.mark.spec("TRE-042")
def test_columns_are_found_by_name_and_truth_values_by_their_words():
    by_number = Tree.from_rules(("x2", 3.0, "a", ("x0", 1.0, "b", "c")))
    assert by_number.predict([[0.0, 9.0, 9.0], [2.0, 0.0, 9.0], [0.0, 9.0, 1.0]]).tolist() == ["b", "c", "a"]
    windy = pd.DataFrame({"wind": [3.0, 1.0], "windy": [True, False]})
    for model in (Tree.from_rules("windy = true: no\nwindy = false: yes"),
                  HandTreeClassifier("windy = true: ?\nwindy = false: ?").fit(windy, ["no", "yes"])):  # fmt: skip
        assert model.predict(windy).tolist() == ["no", "yes"]


@pytest.mark.spec("TRE-042")
def test_missing_values_go_where_the_text_says():
    stays, words = read_tree("sky = red: no {no: 3, yes: 1}\nsky = blue: yes\nsky = grey: yes")
    gap = np.array([[np.nan]])
    np.testing.assert_allclose(stays.predict(gap), [[0.75, 0.25]])
    goes, _ = read_tree("sky = red: no\nsky = blue or missing: yes", words=None)
    np.testing.assert_array_equal(goes.predict(gap), [[0.0, 1.0]])
    own, words = read_tree("age ≤ 3: no\nage > 3: no\nage is missing: yes")
    assert words.label(own.predict(gap)[0]) == "yes"
    assert tree_text(own, words).endswith("age is missing: yes")
    heavier, _ = read_tree("age ≤ 3: no {no: 2, yes: 0}\nage > 3: yes {no: 0, yes: 5}")
    np.testing.assert_array_equal(heavier.predict(gap), [[0.0, 1.0]])


@pytest.mark.spec("TRE-042")
def test_filled_leaves_have_the_frequencies_of_the_rows():
    weather = load_weather_play(as_frame=True)
    structure = ("outlook", "sunny", "?", ("windy", "true", "?", "?"))
    model = HandTreeClassifier(structure).fit(weather.data, weather.target)
    shares = model.predict_proba(weather.data)
    sunny = (weather.data["outlook"] == "sunny").to_numpy()
    np.testing.assert_allclose(shares[sunny], [[3 / 5, 2 / 5]] * 5)
    windy = ~sunny & (weather.data["windy"] == "true").to_numpy()
    np.testing.assert_allclose(shares[windy], [[2 / 4, 2 / 4]] * 4)
    doubled = HandTreeClassifier(structure).fit(weather.data, weather.target, np.full(14, 2.0))
    np.testing.assert_allclose(doubled.predict_proba(weather.data), shares)
    np.testing.assert_allclose(doubled.tree_.weight, 2 * model.tree_.weight)
    assert model.tree_.n_rows.tolist() == [14, 5, 9, 4, 5]
    scores = cross_val_score(HandTreeClassifier(DICT), weather.data, weather.target, cv=3)
    np.testing.assert_array_equal(scores, 1.0)


@pytest.mark.spec("TRE-042")
def test_filling_the_structure_of_a_grown_tree_gives_it_back():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=80), "b": rng.choice(["u", "v", "w"], 80), "c": rng.normal(size=80)})
    y = np.where((X["a"] > 0) ^ (X["b"] == "v"), "p", "q")
    grown = DecisionTreeClassifier(max_depth=3).fit(X, y)
    filled = HandTreeClassifier(grown.export_text(counts=False)).fit(X, y)
    np.testing.assert_allclose(filled.predict_proba(X), grown.predict_proba(X))
    np.testing.assert_allclose(filled.tree_.impurity, grown.tree_.impurity, atol=1e-15)
    np.testing.assert_array_equal(Tree.from_rules(grown.export_text()).predict(X), grown.predict(X))
    means = HandTreeRegressor(("a", 0.0, "?", "?")).fit(X, X["c"] + 1e6)
    assert means.predict(X[:1])[0] == pytest.approx((X["c"] + 1e6)[(X["a"] > 0) == (X["a"][0] > 0)].mean())
    assert means.tree_.impurity[0] == pytest.approx(X["c"].var(ddof=0), rel=1e-9)


@pytest.mark.spec("TRE-042")
def test_a_leaf_without_rows_keeps_what_was_written():
    model = HandTreeClassifier("x0 ≤ 0: b\nx0 > 0: ?").fit([[1.0], [2.0], [3.0]], ["a", "b", "a"])
    np.testing.assert_allclose(model.predict_proba([[-1.0], [1.0]]), [[0.0, 1.0], [2 / 3, 1 / 3]])


@pytest.mark.spec("TRE-042")
def test_a_column_with_a_factor_is_compared_with_it():
    model = Tree.from_rules("2*x ≤ 6: a\n2*x > 6: b")
    assert model.predict([[3.0], [3.5]]).tolist() == ["a", "b"]
    assert Tree.from_rules("-0.5*x ≤ -3: a\nelse: b").predict([[6.0], [5.9]]).tolist() == ["a", "b"]
    again = Tree.from_rules(model.export_text())
    assert again.predict([[3.0], [3.5]]).tolist() == ["a", "b"]
    spaced = Tree.from_rules('2*"age in years" ≤ 6: a\nelse: b')
    assert Tree.from_rules(spaced.export_text()).predict([[3.0], [3.5]]).tolist() == ["a", "b"]
    assert '2.0*"age in years" <= 6.0' in spaced.to_sql()


ELSE = {
    "age ≤ 30: a\nage > 30: b\nelse: c": "abc",
    "age < 30: a\nage = 30: a\nage > 30: b\nelse: c": "abc",
    "age = 20: a\nage ≠ 20: b\nelse: c": "abc",
    "age is known: a\nelse: b": "aab",
    "age is missing: a\nelse: b": "bba",
    "age ≤ 30: a\nelse: b": "abb",
    "age ≤ 30: a\nage is missing: c\nelse: b": "abc",
    "2*age + 3*size ≤ 70: a\n2*age + 3*size > 70: b\nelse: c": "abc",
}


@pytest.mark.spec("TRE-042")
@pytest.mark.parametrize("text", ELSE)
def test_else_takes_what_is_left_and_missing_values_if_that_is_all(text):
    model = Tree.from_rules(text, columns=["age", "size"])
    rows = [[20.0, 1.0], [40.0, 1.0], [np.nan, 1.0]]
    assert model.predict(rows).tolist() == list(ELSE[text])
    again = Tree.from_rules(model.export_text(), columns=["age", "size"])
    assert again.predict(rows).tolist() == list(ELSE[text])


@pytest.mark.spec("TRE-042", "TRE-046")
def test_words_that_look_like_syntax_are_read_as_words():
    model = Tree.from_rules("state = sensor missing: a\nstate = fine or missing: b")
    assert model.words_.values == (("fine", "sensor missing"),)
    assert model.predict([["sensor missing"], [None]]).tolist() == ["a", "b"]
    labels = ["{odd}", 'a "{" b', "grade (3 rows)", "plain"]
    X, y = np.arange(4.0)[:, None], labels
    grown = DecisionTreeClassifier().fit(X, y)
    for counts in (True, False):
        assert Tree.from_rules(grown.export_text(counts=counts)).predict(X).tolist() == labels
    assert spell(1e300) == "1e+300"
    huge = Tree.from_rules("x = 1e+300: a\nx = 2: b")
    assert Tree.from_rules(huge.export_text()).predict([[1e300], [2.0]]).tolist() == ["a", "b"]


@pytest.mark.spec("TRE-042")
def test_frames_are_never_taken_by_position():
    model = Tree.from_rules(("age", 30.0, "young", ("size", 1.0, "small", "large")))
    assert model.predict([[40.0, 2.0]]).tolist() == ["large"]
    assert model.predict(pd.DataFrame({"size": [2.0], "age": [40.0]})).tolist() == ["large"]
    assert model.predict(pd.DataFrame(np.array([[40.0, 2.0]]))).tolist() == ["large"]
    for frame in (pd.DataFrame, pl.DataFrame):
        with pytest.raises(ValueError, match="no column 'age'"):
            model.predict(frame({"years": [40.0], "size": [2.0]}))


@pytest.mark.spec("TRE-042")
def test_an_open_leaf_without_rows_answers_as_the_node_above():
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "b"]
    text = "x0 ≤ 2.5:\n    x0 ≤ 0: ?\n    x0 > 0: ?\nx0 > 2.5: ?"
    model = HandTreeClassifier(text).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[-1.0], [1.0], [9.0]]), [[0.5, 0.5], [0.5, 0.5], [0, 1]])
    numbers = HandTreeRegressor(text).fit(X, [1.0, 3.0, 8.0, 8.0])
    np.testing.assert_allclose(numbers.predict([[-1.0], [9.0]]), [2.0, 8.0])
    numbers.fill_leaves([[1.0], [9.0]], [5.0, 7.0])
    np.testing.assert_allclose(numbers.predict([[-1.0], [9.0]]), [5.0, 7.0])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        numbers.fill_leaves([[1.0], [9.0]], [5.0, 7.0, 8.0])


@pytest.mark.spec("TRE-042", "TRE-046")
def test_whether_there_is_a_value_can_be_asked_of_any_column():
    frame = pd.DataFrame({"sky": ["red", None, "blue"], "age": [1.0, 2.0, np.nan]})
    model = Tree.from_rules("sky is known: a\nelse: b")
    assert model.predict(frame).tolist() == ["a", "b", "a"]
    assert Tree.from_rules("age is missing: a\nelse: b").predict(frame).tolist() == ["b", "b", "a"]
    grown = DecisionTreeClassifier().fit(frame[["sky"]], ["a", "b", "a"])
    assert Tree.from_rules(grown.export_text()).predict(frame).tolist() == ["a", "b", "a"]
