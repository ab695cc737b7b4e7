"""A physician's day: a tree of coronary heart disease is read, taken apart, carried to a database, and written anew."""

import sqlite3

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from gnomon.trees import DecisionTreeClassifier, HandTreeClassifier, RandomForestClassifier, Tree
from real_data import data_path

EXPERT = """
age ≤ 30: ?
age > 30:
    famhist = Present:
        ldl ≤ 5: ?
        ldl > 5: ?
    famhist = Absent:
        tobacco ≤ 8: ?
        tobacco > 8: ?
"""


def heart(gaps=0.0):
    frame = pd.read_csv(data_path("esl/SAheart.csv.gz"))
    X = frame[["sbp", "tobacco", "ldl", "adiposity", "famhist", "typea", "obesity", "alcohol", "age"]].copy()
    y = np.where(frame["chd"].astype(str).isin(["1", "Yes", "yes"]), "disease", "healthy")
    rng = np.random.default_rng(0)
    for name in X:
        X.loc[rng.uniform(size=len(X)) < gaps, name] = None if X[name].dtype == object else np.nan
    return X, y


FORMS = {
    "cart": {"max_depth": 4},
    "c4.5": {"algorithm": "c4.5", "missing": "own_value"},
    "three ways": {"numeric_test": "three_way", "max_depth": 3},
}


@pytest.mark.spec("TRE-044", "TRE-045", "TRE-046", "TRE-L10", "TRE-L11")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gaps", [0.0, 0.15])
def test_what_is_read_is_what_is_predicted(form, gaps):
    X, y = heart(gaps)
    model = DecisionTreeClassifier(**FORMS[form]).fit(X, y)
    answers = model.predict(X)
    again = Tree.from_rules(model.export_text(), columns=list(X), categories={"famhist": ["Absent", "Present"]})
    np.testing.assert_array_equal(again.predict(X), answers)
    base = sqlite3.connect(":memory:")
    X.to_sql("patients", base, index=False)
    said = [label for (label,) in base.execute(f"SELECT {model.to_sql()} FROM patients ORDER BY rowid")]
    assert said == answers.tolist()
    for i in (0, 100, 461):
        told = model.explain(X.iloc[[i]])
        assert told.label == answers[i]
        total = told.root + sum(told.contributions.values())
        np.testing.assert_allclose(total, model.predict_proba(X.iloc[[i]])[0], atol=1e-12)


@pytest.mark.spec("TRE-044", "TRE-048")
def test_a_forest_gives_reasons_too():
    X, y = heart()
    forest = RandomForestClassifier(30, min_samples_leaf=5, random_state=0).fit(X, y)
    told = forest.explain(X.iloc[[3]])
    np.testing.assert_allclose(told.answer, forest.predict_proba(X.iloc[[3]])[0])
    np.testing.assert_allclose(told.root + sum(told.contributions.values()), told.answer)
    mean, spread = forest.importance("depth")
    assert list(X)[int(np.argmin(mean))] in ("age", "tobacco", "ldl", "famhist")
    assert np.all(spread >= 0.0)


@pytest.mark.spec("TRE-042")
def test_an_expert_writes_a_tree_and_the_data_judge_it():
    X, y = heart()
    guess = max(np.mean(y == "healthy"), np.mean(y == "disease"))
    scores = cross_val_score(HandTreeClassifier(EXPERT), X, y, cv=5)
    assert np.mean(scores) > guess
    model = HandTreeClassifier(EXPERT).fit(X, y)
    assert model.get_n_leaves() == 5
    shares = model.predict_proba(X)
    np.testing.assert_allclose(np.sum(shares, axis=0), [np.sum(y == "disease"), np.sum(y == "healthy")])
    terms = ["age > 30.0 and famhist = Present and ldl > 5.0", "age > 30.0 and famhist = Absent and tobacco > 8.0"]
    assert model.to_dnf("disease", rows="complete") == f"({terms[0]}) or ({terms[1]})"
