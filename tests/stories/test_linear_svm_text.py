"""Linear SVMs on text: unsolicited messages and film reviews, from raw words to certified classifiers."""

import csv
import gzip
import tarfile
from functools import cache

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

from gnomon.linear import LinearSVC, LinearSVM
from real_data import data_path


@cache
def messages():
    """Words of the messages as sparse rows, in two halves, and whether each is spam."""
    with gzip.open(data_path("text/sms_spam.tsv.gz"), "rt", encoding="utf-8") as file:
        label, text = zip(*csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE), strict=True)
    halves = train_test_split(np.array(text), np.array(label), test_size=0.5, random_state=0, stratify=label)
    words = TfidfVectorizer(sublinear_tf=True).fit(halves[0])
    return words, words.transform(halves[0]), words.transform(halves[1]), halves[2], halves[3]


@cache
def reviews():
    with tarfile.open(data_path("text/review_polarity.tar.gz")) as archive:
        files = [member for member in archive.getmembers() if member.isfile() and member.name.endswith(".txt")]
        text = [archive.extractfile(member).read().decode("utf-8", "replace") for member in files]
    return text, np.array(["pos" if "/pos/" in member.name else "neg" for member in files])


@pytest.mark.spec("LIN-140", "LIN-141", "LIN-144")
def test_spam_is_told_from_ham():
    words, train, test, y, truth = messages()
    assert set(y) == {"ham", "spam"}
    model = LinearSVC(random_state=0).fit(train, y)
    found = model.predict(test)
    assert f1_score(truth, found, pos_label="spam") > 0.92
    assert model.converged_
    assert model.dual_gap_ < 0.01 * model.objective_
    # Wrong answers are given with less confidence than right ones.
    confidence = np.abs(model.decision_function(test))
    assert np.median(confidence[found != truth]) < 0.5 * np.median(confidence[found == truth])
    # The heaviest words are those of prizes and premium numbers.
    names = words.get_feature_names_out()
    heaviest = set(names[np.argsort(model.coef_[0])[-40:]])
    assert {"txt", "claim", "free", "mobile"} <= heaviest


@pytest.mark.spec("LIN-141", "LIN-086")
def test_all_solvers_of_the_hinge_find_one_classifier():
    _, train, test, y, _ = messages()
    words = {"lam": 1e-3, "penalize_intercept": True}
    exact = LinearSVM(**words, solver="dcd", tol=1e-6).fit(train, y)
    assert exact.dual_gap_ < 1e-4 * exact.objective_
    with pytest.warns(Warning, match="not converged"):
        pegasos = LinearSVM(**words, solver="pegasos", max_iter=20, solver_options={"tol": None}).fit(train, y)
    with pytest.warns(Warning, match="not converged"):
        averaged = LinearSVM(**words, solver="asgd", max_iter=20, solver_options={"tol": None}).fit(train, y)
    for rough in (pegasos, averaged):
        assert exact.objective_ - exact.dual_gap_ <= rough.objective_ < 1.1 * exact.objective_
        assert np.mean(rough.predict(test) == exact.predict(test)) > 0.99


@pytest.mark.spec("LIN-143")
def test_prices_and_priors_move_the_balance():
    _, train, test, y, truth = messages()
    fits = {
        "plain": LinearSVC(random_state=0),
        "dear": LinearSVC(class_weight={"spam": 10.0, "ham": 1.0}, random_state=0),
        "prior": LinearSVC(prior=0.02, random_state=0),
    }
    found = {name: model.fit(train, y).predict(test) for name, model in fits.items()}
    recall = {name: recall_score(truth, labels, pos_label="spam") for name, labels in found.items()}
    precision = {name: precision_score(truth, labels, pos_label="spam") for name, labels in found.items()}
    assert recall["prior"] < recall["plain"] < recall["dear"]
    assert precision["prior"] >= precision["plain"] >= precision["dear"]


@pytest.mark.spec("LIN-142")
def test_a_few_words_suffice():
    words, train, test, y, truth = messages()
    sparing = LinearSVC(penalty="l1", C=0.5, max_iter=10_000).fit(train, y)
    kept = words.get_feature_names_out()[sparing.coef_[0] != 0.0]
    assert 20 < len(kept) < 0.05 * train.shape[1]
    assert {"txt", "free"} <= set(kept)
    assert f1_score(truth, sparing.predict(test), pos_label="spam") > 0.85
    # The linear program of the plain hinge on the same messages also keeps few.
    exact = LinearSVM(penalty="l1", objective="sum", lam=3.0).fit(train[:600], y[:600])
    assert exact.stop_reason_ == "exact"
    assert 0 < np.count_nonzero(exact.coef_) < 60
    assert exact.dual_gap_ < 1e-6 * exact.objective_


@pytest.mark.spec("LIN-140")
def test_a_grid_over_the_strength_in_a_pipeline():
    text, y = reviews()
    assert np.unique(y, return_counts=True)[1].tolist() == [1000, 1000]
    pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True, min_df=5), LinearSVC(random_state=0))
    rows = pipeline[:-1].fit_transform(text)
    search = GridSearchCV(LinearSVC(random_state=0), {"C": [1e-4, 0.1, 1.0]}, cv=3).fit(rows, y)
    assert search.best_params_["C"] > 1e-4
    assert search.best_score_ > 0.84
    free = cross_val_score(LinearSVM(loss="squared_hinge", lam=0.01), rows, y, cv=3)
    assert free.mean() > 0.82
    first = pipeline.fit(text[::2], y[::2])
    assert first.score(text[1::2], y[1::2]) > 0.8
