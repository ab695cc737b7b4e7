"""A network for tables with words in them.

    x  →  (numbers, E₁[word₁], E₂[word₂], …)  →  ReLU layers  →  output,    E_k a trained table of numbers per word (1)

What the command line compares with other models: columns of words are found and coded, a word that was not seen in
training has zeros, and held-out rows say when to stop. Guo & Berkhahn (2016), arXiv:1604.06737; Prechelt (1998),
doi:10.1007/3-540-49430-8_3.
"""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.preprocessing import OrdinalEncoder

from gnomon._typing import Array, Floats
from gnomon.neural.layered import NetworkClassifier, NetworkRegressor
from gnomon.neural.layers import Dense, Embedding, Layer

__all__ = ["TableClassifier", "TableRegressor", "WordCodes"]

WIDTHS = (64, 32)
SMALLEST_BATCH, LARGEST_BATCH, UPDATES = 32, 256, 100
"""Rows of an update: so many that an epoch has about a hundred updates."""


class TableClassifier(ClassifierMixin, BaseEstimator):
    """Classes by (1) with a softmax, or one output for two classes.

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
        self.widths = widths
        self.alpha = alpha
        self.learning_rate_init = learning_rate_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Code the words, and train."""
        self.codes_ = WordCodes().fit(X)
        rows = self.codes_.transform(X)
        counts = np.unique(np.asarray(y), return_counts=True)[1]
        # Held-out rows need one of every class, and so do those that are left.
        holds_out = bool(np.min(counts) >= 2 and 0.1 * len(rows) >= len(counts))
        model = NetworkClassifier(_layers(self.codes_, self.widths), **_options(self, rows, holds_out))
        self.model_ = model.fit(rows, y, sample_weight)
        self.classes_, self.n_features_in_ = model.classes_, rows.shape[1]
        return self

    def predict(self, X: Any) -> Array:
        """The class of each row."""
        return self.model_.predict(self.codes_.transform(X))

    def predict_proba(self, X: Any) -> Floats:
        """P(class | row)."""
        return self.model_.predict_proba(self.codes_.transform(X))


class TableRegressor(RegressorMixin, BaseEstimator):
    """Numbers by (1) with the squared error; the target is to be standardised.

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
        self.widths = widths
        self.alpha = alpha
        self.learning_rate_init = learning_rate_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Code the words, and train."""
        self.codes_ = WordCodes().fit(X)
        rows = self.codes_.transform(X)
        model = NetworkRegressor(_layers(self.codes_, self.widths), **_options(self, rows, True))
        self.model_ = model.fit(rows, y, sample_weight)
        self.n_features_in_ = rows.shape[1]
        return self

    def predict(self, X: Any) -> Floats:
        """The number of each row."""
        return self.model_.predict(self.codes_.transform(X))


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


def _layers(codes: WordCodes, widths: tuple[int, ...]) -> list[Layer]:
    return [*codes.layers(), *(Dense(width, "relu") for width in widths)]


def _options(model: Any, rows: Floats, holds_out: bool) -> dict[str, Any]:
    return {
        "early_stopping": holds_out,
        "monitor": "loss" if holds_out else "score",
        "batch_size": int(np.clip(len(rows) // UPDATES, SMALLEST_BATCH, LARGEST_BATCH)),
        "alpha": model.alpha,
        "learning_rate_init": model.learning_rate_init,
        "max_iter": 1000,
        "standardize": False,
        "engine": "numpy",
        "random_state": model.random_state,
    }
