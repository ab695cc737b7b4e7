"""Several models and several scorers on the same splits.

    scores[m, s, j] of model m by scorer s on split j;    a against b:  dⱼ = scores[a, s, j] − scores[b, s, j]      (1)

Differences on the same split are paired, and their test counts that training rows overlap: Nadeau & Bengio (2003),
doi:10.1023/A:1024068626366.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import is_classifier

from gnomon._typing import AnyRows, ArrayLike, Floats, Folds, Scoring
from gnomon.base.columns import configured
from gnomon.base.imbalance import warn_if_imbalanced
from gnomon.evaluation._measures import read_score
from gnomon.evaluation._paired_tests import PairedTest, corrected_t_test
from gnomon.evaluation._samples import Fold, read_sample
from gnomon.evaluation._select_model import Candidates, named_models
from gnomon.numerics.parallel import map_chunks

__all__ = ["ModelComparison", "compare_models"]

Scorings: TypeAlias = Scoring | Sequence[str] | Mapping[str, Scoring]


class ModelComparison(NamedTuple):
    """Scores of all models by all scorers on all splits, greater is better.

    Fields
    ------
    models, scorers : list of str
    scores : ndarray of shape (n_models, n_scorers, k)
    test_share : float
        The mean share of the rows that a split holds out.

    References
    ----------
    Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. doi:10.1023/A:1024068626366

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon.evaluation import compare_models
    >>> from gnomon.generative import GaussianNB, LinearDiscriminantAnalysis
    >>> models = {"naive Bayes": GaussianNB(), "LDA": LinearDiscriminantAnalysis()}
    >>> found = compare_models(models, *load_iris(return_X_y=True), scoring=["accuracy", "neg_log_loss"])
    >>> print(found)
    model        accuracy          neg_log_loss
    naive Bayes  0.9533 ± 0.01333  -0.1354 ± 0.03876
    LDA          0.98 ± 0.01333    -0.04666 ± 0.02685
    >>> round(found.difference("LDA", "naive Bayes").p_value, 3)
    0.227
    """

    models: list[str]
    scorers: list[str]
    scores: Floats
    test_share: float

    @property
    def mean(self) -> Floats:
        """Over the splits, (n_models, n_scorers)."""
        return np.mean(self.scores, axis=2)

    @property
    def se(self) -> Floats:
        """sd/√k over the splits, (n_models, n_scorers); nan for one split alone."""
        k = self.scores.shape[2]
        return np.std(self.scores, axis=2, ddof=1) / np.sqrt(k) if k > 1 else np.full(self.scores.shape[:2], np.nan)

    def paired(self, first: str, second: str, scorer: str | None = None) -> Floats:
        """dⱼ of equation (1) for every split; by the first scorer unless another is named."""
        s = self._place("scorer", self.scorers, self.scorers[0] if scorer is None else scorer)
        a, b = (self._place("model", self.models, name) for name in (first, second))
        return self.scores[a, s] - self.scores[b, s]

    def difference(self, first: str, second: str, scorer: str | None = None, *, level: float = 0.95) -> PairedTest:
        """The corrected paired test of two models."""
        return corrected_t_test(self.paired(first, second, scorer), test_share=self.test_share, level=level)

    @staticmethod
    def _place(what: str, names: list[str], name: str) -> int:
        if name not in names:
            raise ValueError(f"{what} {name!r} was not compared; choose from {names}")
        return names.index(name)

    def __str__(self) -> str:
        texts = [
            [f"{m:.4g} ± {e:.4g}" for m, e in zip(*row, strict=True)] for row in zip(self.mean, self.se, strict=True)
        ]
        table = [["model", *self.scorers], *([name, *row] for name, row in zip(self.models, texts, strict=True))]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ("  ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=True)) for row in table)
        return "\n".join(line.rstrip() for line in lines)


def compare_models(
    models: Candidates,
    X: AnyRows,
    y: ArrayLike | None,
    *,
    scoring: Scorings = None,
    cv: Folds = 5,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> ModelComparison:
    """A table of models by scorers on one validation scheme, with paired tests of their differences.

    An `ImbalanceWarning` says where accuracy is among the scores and a class is so rare that it tells little.

    Parameters
    ----------
    models : list of estimators or of (estimator, parameters), or dict of these by name
    X, y : array-like
    scoring : str, callable, list of str, or dict of scorers by name, optional
        By default accuracy for classifiers and R² for regressors.
    cv : int, splitter or iterable, default=5
        The same splits for all; as in `cv_risk`.
    groups, sample_weight : array-like of shape (n,), optional
        For the splits; for fits and scores.
    n_jobs : int, optional
        Threads; None is one.

    Returns
    -------
    ModelComparison

    References
    ----------
    Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. doi:10.1023/A:1024068626366

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon.evaluation import compare_models
    >>> from gnomon.linear import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((50, 2))
    >>> models = {"mean": DummyRegressor(), "line": LinearRegression()}
    >>> found = compare_models(models, X, X[:, 0] + rng.standard_normal(50))
    >>> found.difference("line", "mean").p_value < 0.1
    True
    """
    candidates = named_models(models)
    sample = read_sample(X, y, groups=groups, sample_weight=sample_weight)
    first = next(iter(candidates.values()))
    scorers = _named_scorers(scoring, "accuracy" if is_classifier(first) else "r2")
    if is_classifier(first):
        warn_if_imbalanced(sample.y, scorers, sample_weight=sample.weights, stacklevel=3)
    folds = sample.folds(first, cv)
    work = [(one, fold) for one in candidates.values() for fold in folds]

    def judge(job: tuple[Any, Fold]) -> list[float]:
        estimator, fold = job
        model, here = sample.at(fold.train).fit(estimator), sample.at(fold.test)
        measures = (read_score(estimator, one, sample.weights is not None) for one in scorers.values())
        return [measure.score(model, here.X, here.y, here.weights) for measure in measures]

    scores = np.array(map_chunks(configured(judge), work, n_jobs)).reshape(len(candidates), len(folds), len(scorers))
    share = float(np.mean([len(fold.test) / (len(fold.test) + len(fold.train)) for fold in folds]))
    return ModelComparison(list(candidates), list(scorers), np.moveaxis(scores, 1, 2), share)


def _named_scorers(scoring: Scorings, default: str) -> dict[str, Scoring]:
    if scoring is None:
        return {default: default}
    if isinstance(scoring, Mapping):
        return dict(scoring)
    if isinstance(scoring, str):
        return {scoring: scoring}
    if callable(scoring):
        return {getattr(scoring, "__name__", "score"): scoring}
    return {name: name for name in scoring}
