"""What the tests of multi-class reductions share: clouds of classes, real tables, and bases with few methods."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from real_data import data_path

__all__ = ["Given", "Hard", "blobs", "box_blobs", "real_table"]


def blobs(C, n=200, spread=1.5, seed=0):
    """Round clouds around a circle, so that every class can be separated from the rest by a line."""
    angle = 2 * np.pi * np.arange(C) / C + 0.3
    return make_blobs(
        n, centers=5 * np.column_stack([np.cos(angle), np.sin(angle)]), cluster_std=spread, random_state=seed
    )


def box_blobs(C=5, n=200, seed=0, spread=1.5):
    """Round clouds anywhere in a box of four dimensions."""
    return make_blobs(n, 4, centers=C, cluster_std=spread, center_box=(-4, 4), random_state=seed)


def real_table(name):
    """Standardised columns and labels; vowels have the label first, the others last."""
    if name == "vowel":
        frame = pd.read_csv(data_path("esl/vowel.train.csv.gz"))
        X, y = frame.filter(like="x."), frame["y"]
    else:
        frame = pd.read_csv(data_path(f"tabular/{name}.csv.gz"), header=None)
        X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    return StandardScaler().fit_transform(X.to_numpy(dtype=float)), y.to_numpy()


class Hard(ClassifierMixin, BaseEstimator):
    """Only `predict`: neither scores, nor probabilities, nor weights; counts the rows that it is asked about."""

    asked = 0

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        type(self).asked += len(X)
        return self.model_.predict(X)


class Given(ClassifierMixin, BaseEstimator):
    """Every fit takes the next of the given lines, (w, b); copies share them."""

    def __init__(self, lines):
        self.lines = lines

    def __sklearn_clone__(self):
        return Given(self.lines)

    def fit(self, X, y):
        self.coef_, self.intercept_ = next(self.lines)
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return np.asarray(X) @ self.coef_ + self.intercept_

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)
