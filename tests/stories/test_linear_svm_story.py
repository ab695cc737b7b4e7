"""Sorting text with linear separators: spam in short messages, praise and blame in film reviews."""

import gzip
import tarfile

import numpy as np
import pytest
from sklearn import svm
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

from gnomon.linear import AveragedPerceptron, LinearSVC, LinearSVM, Perceptron
from real_data import data_path


@pytest.fixture(scope="module")
def messages():
    with gzip.open(data_path("text/sms_spam.tsv.gz"), "rt", encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t", 1) for line in lines if "\t" in line]
    return [text for _, text in pairs], np.array([label for label, _ in pairs])


@pytest.fixture(scope="module")
def reviews():
    with tarfile.open(data_path("text/review_polarity.tar.gz")) as archive:
        members = [member for member in archive.getmembers() if member.name.endswith(".txt")]
        members = [member for member in members if "/pos/" in member.name or "/neg/" in member.name]
        texts = [archive.extractfile(member).read().decode("latin-1") for member in members]
    return texts, np.array(["praise" if "/pos/" in member.name else "blame" for member in members])


@pytest.mark.spec("LIN-140", "LIN-141", "LIN-143", "LIN-144")
def test_spam(messages):
    texts, labels = messages
    train, test, y, y_test = train_test_split(texts, labels, test_size=0.3, random_state=0, stratify=labels)
    words = TfidfVectorizer().fit(train)
    X, X_test = words.transform(train), words.transform(test)
    model = LinearSVM(C=1.0).fit(X, y)
    assert model.converged_
    assert model.dual_gap_ <= 1e-5 * model.objective_
    assert model.score(X_test, y_test) > 0.98
    # A prior of one half moves the plane towards the many: more spam is found, and more ham is lost.
    even = LinearSVM(C=1.0, prior=0.5).fit(X, y)
    spam = y_test == "spam"
    found, found_even = (np.mean(m.predict(X_test)[spam] == "spam") for m in (model, even))
    lost, lost_even = (np.mean(m.predict(X_test)[~spam] == "spam") for m in (model, even))
    assert found_even >= found
    assert lost_even >= lost
    # The messages that the plane is least sure of hold most of its errors.
    f, wrong = np.abs(model.decision_function(X_test)), model.predict(X_test) != y_test
    assert np.median(f[wrong]) < np.quantile(f, 0.1)


@pytest.mark.spec("LIN-140", "LIN-084", "LIN-086")
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_reviews_are_solved_to_a_smaller_gap_than_liblinears(reviews, loss):
    texts, labels = reviews
    X = TfidfVectorizer().fit_transform(texts)
    ours = LinearSVC(loss=loss, random_state=0).fit(X, labels)
    theirs = svm.LinearSVC(loss=loss, random_state=0, max_iter=10_000).fit(X, labels)
    signs = np.where(labels == "praise", 1.0, -1.0)
    hinge = np.maximum(0.0, 1.0 - signs * theirs.decision_function(X))
    value = np.sum(hinge if loss == "hinge" else hinge**2) + 0.5 * (np.sum(theirs.coef_**2) + theirs.intercept_[0] ** 2)
    assert ours.objective_ == pytest.approx(value, rel=1e-5)
    assert ours.dual_gap_ <= 1e-5 * ours.objective_
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.999


@pytest.mark.spec("LIN-140", "LIN-100", "LIN-105")
def test_reviews_out_of_sample(reviews):
    texts, labels = reviews
    words = TfidfVectorizer(min_df=2)
    models = {"svm": LinearSVC(), "averaged": AveragedPerceptron(), "last": Perceptron(tol=None)}
    pipelines = {name: make_pipeline(words, model) for name, model in models.items()}
    scores = {name: np.mean(cross_val_score(model, texts, labels, cv=3)) for name, model in pipelines.items()}
    assert scores["svm"] > 0.84
    assert scores["averaged"] > 0.82
    assert scores["averaged"] >= scores["last"] - 0.01


@pytest.mark.spec("LIN-140")
def test_choosing_c_by_accuracy(reviews):
    texts, labels = reviews
    X = TfidfVectorizer(min_df=3).fit_transform(texts)
    search = GridSearchCV(LinearSVC(), {"C": [0.01, 0.1, 1.0]}, cv=3, scoring="accuracy").fit(X, labels)
    assert search.best_score_ > 0.83
    assert search.best_params_["C"] > 0.01
