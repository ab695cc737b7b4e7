"""Naive Bayes on real data: short messages, film reviews, and a census straight from a data frame."""

import tarfile

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.naive_bayes as peer
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from gnomon.generative import BernoulliNB, CategoricalNB, JointTableClassifier, MultinomialNB, NaiveBayes
from real_data import data_path


@pytest.fixture(scope="module")
def messages():
    table = pd.read_csv(data_path("text/sms_spam.tsv.gz"), sep="\t", header=None, names=["label", "text"], quoting=3)
    return train_test_split(table["text"], table["label"], random_state=0, stratify=table["label"])


@pytest.fixture(scope="module")
def reviews():
    with tarfile.open(data_path("text/review_polarity.tar.gz")) as archive:
        files = [member for member in archive.getmembers() if member.name.endswith(".txt")]
        texts = [archive.extractfile(member).read().decode("latin-1") for member in files]
    return texts, np.array([member.name.split("/")[-2] for member in files])


@pytest.fixture(scope="module")
def census():
    train, test = (pd.read_csv(data_path(f"tabular/adult_{part}.csv.gz"), na_values="?") for part in ("train", "test"))
    return train, test


@pytest.mark.spec("GEN-047", "GEN-055", "GEN-027", "GEN-032")
def test_spam(messages):
    texts, held_out, y, truth = messages
    words = CountVectorizer().fit(texts)
    X, Z = words.transform(texts), words.transform(held_out)
    model, theirs = MultinomialNB().fit(X, y), peer.MultinomialNB().fit(X, y)
    np.testing.assert_allclose(model.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(Z), theirs.predict_proba(Z), atol=1e-12)
    assert model.score(Z, truth) > 0.975
    strongest = words.get_feature_names_out()[np.argsort(-model.coef_[0])[:10]]
    assert {"claim", "prize"} <= set(strongest)
    # A filter that may lose no message: the prior says so, no refit.
    careful = model.predict(Z, priors={"ham": 1.0 - 1e-6, "spam": 1e-6})
    assert np.sum((careful == "spam") & (truth == "ham")) < np.sum((model.predict(Z) == "spam") & (truth == "ham"))
    why = model.explain(Z[[int(np.argmax(model.llr(Z)))]])
    assert np.sum(why.log_ratio()) == pytest.approx(np.max(model.llr(Z)))
    pairs = make_pipeline(CountVectorizer(ngram_range=(1, 2)), MultinomialNB(alpha=0.1)).fit(texts, y)
    assert pairs[-1].n_features_in_ > 4 * model.n_features_in_
    assert pairs.score(held_out, truth) > 0.98


@pytest.mark.spec("GEN-048", "GEN-047")
def test_spam_in_chunks(messages):
    texts, held_out, y, truth = messages
    words = CountVectorizer(binary=True).fit(texts)
    X, Z, labels = words.transform(texts), words.transform(held_out), y.to_numpy()
    for cls in (BernoulliNB, MultinomialNB):
        whole, chunked = cls().fit(X, labels), cls()
        for rows in np.array_split(np.arange(len(labels)), 9):
            chunked.partial_fit(X[rows], labels[rows], classes=["ham", "spam"])
        np.testing.assert_array_equal(chunked.feature_log_prob_, whole.feature_log_prob_)
        assert whole.score(Z, truth) > 0.96


@pytest.mark.spec("GEN-047", "GEN-055")
def test_film_reviews(reviews):
    texts, y = reviews
    counts = CountVectorizer(min_df=2)
    accuracy = cross_val_score(make_pipeline(counts, MultinomialNB()), texts, y, cv=5)
    assert np.mean(accuracy) > 0.79
    X, Z, y, truth = train_test_split(texts, y, random_state=1, stratify=y)
    X, Z = counts.fit_transform(X), counts.transform(Z)
    mine, theirs = MultinomialNB().fit(X, y), peer.MultinomialNB().fit(X, y)
    np.testing.assert_allclose(mine.predict_log_proba(Z), theirs.predict_log_proba(Z), rtol=1e-12, atol=1e-9)
    # Words of a review depend on each other, so its posteriors are far too sure.
    positive = mine.predict_proba(Z)[:, 1]
    assert np.mean(np.maximum(positive, 1.0 - positive)) > 0.97
    share, predicted = calibration_curve(truth == mine.classes_[1], positive, n_bins=10)
    assert share[0] - predicted[0] > 0.1
    assert predicted[-1] - share[-1] > 0.1
    calibrated = CalibratedClassifierCV(MultinomialNB(), cv=5).fit(X, y)
    assert log_loss(truth, calibrated.predict_proba(Z)) < 0.5 * log_loss(truth, mine.predict_proba(Z))
    assert calibrated.score(Z, truth) > 0.77


@pytest.mark.spec("GEN-041", "GEN-042", "GEN-034", "GEN-045")
def test_the_census_goes_in_as_it_is(census):
    train, test = census
    X, Z = train.drop(columns="income"), test.drop(columns="income")
    truth = test["income"].str.rstrip(".")
    model = NaiveBayes().fit(X, train["income"])
    assert X.isna().sum().sum() > 4000
    posterior = model.predict_proba(Z)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, rtol=1e-12)
    assert np.mean(model.predict(Z) == truth) > 0.82 > np.mean(truth == "<=50K")
    polars = NaiveBayes().fit(pl.from_pandas(X), train["income"].to_numpy())
    np.testing.assert_allclose(polars.predict_proba(pl.from_pandas(Z)), posterior, rtol=1e-9, atol=1e-12)
    skewed = [(["capital_gain", "capital_loss"], "histogram"), ([c for c in X if X[c].dtype != "int64"], "categorical")]
    skewed.append(([c for c in X if X[c].dtype == "int64" and not c.startswith("capital")], "kde"))
    better = NaiveBayes(skewed, handle_unknown="ignore").fit(X.iloc[:8000], train["income"][:8000])
    assert log_loss(truth[:4000], better.predict_proba(Z[:4000])) < log_loss(truth[:4000], posterior[:4000])
    systematic = NaiveBayes(missing="state").fit(X, train["income"])
    assert np.mean(systematic.predict(Z) == truth) > 0.82
    why = systematic.explain(Z[Z["occupation"].isna()].iloc[[0]])
    assert "occupation" in why.names


@pytest.mark.spec("GEN-043", "GEN-041", "GEN-052")
def test_categories_of_the_census_agree_with_codes_made_for_scikit_learn(census):
    columns = ["workclass", "education", "marital_status", "relationship", "race", "sex"]
    train, test = (part.dropna()[[*columns, "income"]] for part in census)
    X, Z = train[columns], test[columns]
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(X)
    known = np.all(codes.transform(Z) >= 0, axis=1)
    theirs = peer.CategoricalNB().fit(codes.transform(X), train["income"])
    mine = CategoricalNB().fit(X, train["income"])
    expected = theirs.predict_proba(codes.transform(Z[known]))
    np.testing.assert_allclose(mine.predict_proba(Z[known]), expected, atol=1e-12)
    declared = CategoricalNB().fit(X.astype("category"), train["income"])
    np.testing.assert_array_equal(declared.predict_proba(X), mine.predict_proba(X))
    joint = JointTableClassifier(alpha=0.01).fit(X, train["income"])
    truth = test["income"].str.rstrip(".")
    assert np.mean(joint.predict(Z) == truth) > np.mean(mine.predict(Z) == truth)


@pytest.mark.spec("GEN-024", "GEN-044")
def test_smoothing_is_chosen_by_cross_validation(messages):
    texts, held_out, y, truth = messages
    pipe = make_pipeline(CountVectorizer(), MultinomialNB())
    search = GridSearchCV(pipe, {"multinomialnb__alpha": [1e-3, 0.1, 1.0, 10.0]}, scoring="neg_log_loss", cv=3)
    search.fit(texts, y)
    assert search.best_params_["multinomialnb__alpha"] in (0.1, 1.0)
    assert search.score(held_out, truth) > -0.15
