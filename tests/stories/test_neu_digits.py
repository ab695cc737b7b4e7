"""A day with networks: digits in small, and MNIST by dense layers."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from gnomon.neural import MLPClassifier
from real_data import data_path


def quiet(model, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args)


@pytest.mark.spec("NEU-001", "NEU-093")
def test_digits_in_a_pipeline():
    X, y = load_digits(return_X_y=True)
    model = MLPClassifier((32,), learning_rate_init=0.01, early_stopping=True, standardize=False, random_state=0)
    scores = cross_val_score(make_pipeline(MinMaxScaler(), model), X, y, cv=3)
    assert scores.mean() > 0.9


@pytest.mark.slow
@pytest.mark.spec("NEU-L40")
def test_mnist_by_one_hidden_layer():
    with np.load(data_path("images/mnist_12k_2k.npz")) as file:
        parts = [file[name] for name in ("X_train", "y_train", "X_test", "y_test")]
    X, y, X_test, y_test = (part.reshape(len(part), -1) / np.float32(255) if part.ndim > 1 else part for part in parts)
    model = MLPClassifier((128,), max_iter=15, standardize=False, random_state=0)
    accuracy = quiet(model, X.astype(np.float32), y).score(X_test.astype(np.float32), y_test)
    assert accuracy >= 0.93
