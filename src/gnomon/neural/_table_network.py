"""A network for tables with words in them.

    x  →  (numbers, E₁[word₁], E₂[word₂], …)  →  ReLU layers  →  output,    E_k a trained table of numbers per word (1)

What the command line compares with other models: columns of words are found and coded, a word that was not seen in
training has zeros, and held-out rows say when to stop. Guo & Berkhahn (2016), arXiv:1604.06737; Prechelt (1998),
doi:10.1007/3-540-49430-8_3.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.preprocessing import OrdinalEncoder

from gnomon._typing import Array, Floats
from gnomon.base.parameters import store
from gnomon.neural.layered import NetworkClassifier, NetworkRegressor
from gnomon.neural.layers import Dense, Embedding, Layer

__all__ = ["TableClassifier", "TableRegressor", "WordCodes"]

WIDTHS = (64, 32)
SMALLEST_BATCH, LARGEST_BATCH, UPDATES = 32, 256, 100
"""Rows of an update: so many that an epoch has about a hundred updates."""


class TableNetwork(BaseEstimator):
    """Base of both: (1), early stopping, and a mini-batch that suits the rows.

    Parameters
    ----------
    widths : tuple of int, default=(64, 32)
    alpha : float, default=1e-4
        Penalty of the squared weights.
    learning_rate_init : float, default=3e-3
        Step of Adam.
    random_state : int, optional
    """

    def __init__(
        self,
        widths: tuple[int, ...] = WIDTHS,
        alpha: float = 1e-4,
        learning_rate_init: float = 3e-3,
        random_state: int | None = None,
    ):
        store(self, locals())

    def predict(self, X: Any) -> Array:
        """The class or the number of each row."""
        return self.model_.predict(self.codes_.transform(X))

    def _train(self, kind: type[Any], X: Any, y: Any, sample_weight: Any, holds_out: bool) -> None:
        self.codes_ = WordCodes().fit(X)
        rows = self.codes_.transform(X)
        self.model_ = kind(
            [*self.codes_.layers(), *(Dense(width, "relu") for width in self.widths)],
            early_stopping=holds_out,
            monitor="loss" if holds_out else "score",
            batch_size=int(np.clip(len(rows) // UPDATES, SMALLEST_BATCH, LARGEST_BATCH)),
            alpha=self.alpha,
            learning_rate_init=self.learning_rate_init,
            max_iter=1000,
            standardize=False,
            engine="numpy",
            random_state=self.random_state,
        ).fit(rows, y, sample_weight)
        self.n_features_in_ = rows.shape[1]


class TableClassifier(ClassifierMixin, TableNetwork):
    """Classes by (1) with a softmax, or one output for two classes."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Code the words, and train."""
        counts = np.unique(np.asarray(y), return_counts=True)[1]
        # Held-out rows need one of every class, and so do those that are left.
        holds_out = bool(np.min(counts) >= 2 and 0.1 * np.sum(counts) >= len(counts))
        self._train(NetworkClassifier, X, y, sample_weight, holds_out)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Any) -> Floats:
        """P(class | row)."""
        return self.model_.predict_proba(self.codes_.transform(X))


class TableRegressor(RegressorMixin, TableNetwork):
    """Numbers by (1) with the squared error; the target is to be standardised."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Code the words, and train."""
        self._train(NetworkRegressor, X, y, sample_weight, True)
        return self


class WordCodes(TransformerMixin, BaseEstimator):
    """Columns of words as codes 0, 1, …; −1 for a word that was not there. Columns of numbers are as they are."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the columns that hold words, and their words."""
        X = np.asarray(X)
        held = [any(isinstance(value, str) for value in column) for column in X.T] if X.dtype == object else []
        self.columns_ = np.flatnonzero(held)
        encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        self.encoder_ = encoder.fit(X[:, self.columns_]) if len(self.columns_) else None
        return self

    def transform(self, X: Any) -> Floats:
        """A matrix of numbers."""
        X = np.array(X, copy=True)
        if self.encoder_ is not None:
            X[:, self.columns_] = self.encoder_.transform(X[:, self.columns_])
        return X.astype(float)

    def layers(self) -> list[Layer]:
        """The layer that turns codes into trained numbers, if there are words."""
        if self.encoder_ is None:
            return []
        return [Embedding(self.columns_.tolist(), [len(words) for words in self.encoder_.categories_])]
