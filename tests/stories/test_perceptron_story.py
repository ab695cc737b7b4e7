"""Praise and blame in film reviews: what the mistakes of a perceptron teach, and what their average teaches."""

import tarfile

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from gnomon.linear import AveragedPerceptron, LinearSVC, Perceptron
from real_data import data_path


@pytest.fixture(scope="module")
def reviews():
    with tarfile.open(data_path("text/review_polarity.tar.gz")) as archive:
        members = [member for member in archive.getmembers() if member.name.endswith(".txt")]
        members = [member for member in members if "/pos/" in member.name or "/neg/" in member.name]
        texts = [archive.extractfile(member).read().decode("latin-1") for member in members]
    return texts, np.array(["praise" if "/pos/" in member.name else "blame" for member in members])


@pytest.mark.slow
@pytest.mark.spec("LIN-140", "LIN-100", "LIN-105")
def test_averages_come_close_to_the_svm(reviews):
    texts, labels = reviews
    words = TfidfVectorizer(min_df=2)
    models = {"svm": LinearSVC(), "averaged": AveragedPerceptron(), "last": Perceptron(tol=None)}
    pipelines = {name: make_pipeline(words, model) for name, model in models.items()}
    scores = {name: np.mean(cross_val_score(model, texts, labels, cv=3)) for name, model in pipelines.items()}
    assert scores["svm"] > 0.84
    assert scores["averaged"] > 0.82
    assert scores["averaged"] >= scores["last"] - 0.01
