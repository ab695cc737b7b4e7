"""Bootstrap estimates of the error.

    loob    (1/n) Σᵢ mean loss of row i over the samples without it                                       (1)
    .632    0.368 err + 0.632 loob,        err the error on the training rows
    .632+   (1 − w) err + w e₁,   e₁ = min(loob, γ),   w = 0.632/(1 − 0.368 R),
            R = (e₁ − err)/(γ − err) if both exceed err, else 0,     γ = (1/n²) Σᵢ Σⱼ ℓ(yᵢ, f(xⱼ))               (2)

Efron & Tibshirani (1997), Improvements on cross-validation: the .632+ bootstrap method,
doi:10.1080/01621459.1997.10474007.
"""

from __future__ import annotations

import warnings
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import AnyRows, ArrayLike, Floats, RandomState
from gnomon.base.columns import configured
from gnomon.evaluation._measures import GivenLoss, RowLoss, read_loss
from gnomon.evaluation._samples import Fold, Observations, read_sample
from gnomon.evaluation.bootstrap_split import BootstrapSplit
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.validation import check_choice

__all__ = ["BootstrapError", "bootstrap_error"]

BootstrapMethod: TypeAlias = Literal["loob", ".632", ".632+"]

_BLOCK = 2**20
"""Pairs of rows whose losses are computed at once."""


class BootstrapError(NamedTuple):
    """The three errors that bootstrap estimates are made of, equations (1) and (2).

    Fields
    ------
    training : float
        err, of the model of all rows on these rows.
    out_of_bag : float
        loob.
    no_information : float
        γ, the error if targets did not depend on x.
    method : {"loob", ".632", ".632+"}
        Which estimate `value` is.

    References
    ----------
    Efron, B. & Tibshirani, R. (1997). Improvements on cross-validation: the .632+ bootstrap method.
    doi:10.1080/01621459.1997.10474007

    Examples
    --------
    >>> from gnomon.evaluation import BootstrapError
    >>> found = BootstrapError(training=0.1, out_of_bag=0.3, no_information=0.5, method=".632+")
    >>> round(found.overfitting, 6), round(found.weight, 6), round(found.value, 6)
    (0.5, 0.77451, 0.254902)
    """

    training: float
    out_of_bag: float
    no_information: float
    method: BootstrapMethod = ".632+"

    @property
    def overfitting(self) -> float:
        """R of equation (2): 0 for none, 1 where the rows out of bag are predicted no better than by chance."""
        least = min(self.out_of_bag, self.no_information)
        if not (self.out_of_bag > self.training and self.no_information > self.training):
            return 0.0
        return (least - self.training) / (self.no_information - self.training)

    @property
    def weight(self) -> float:
        """w, the share of the out-of-bag error in the estimate."""
        return {"loob": 1.0, ".632": 0.632, ".632+": 0.632 / (1.0 - 0.368 * self.overfitting)}[self.method]

    @property
    def value(self) -> float:
        """The estimate of the chosen method."""
        held_out = min(self.out_of_bag, self.no_information) if self.method == ".632+" else self.out_of_bag
        return (1.0 - self.weight) * self.training + self.weight * held_out


def bootstrap_error(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike,
    *,
    method: BootstrapMethod = ".632+",
    loss: GivenLoss = None,
    n_resamples: int = 200,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> BootstrapError:
    """The error of an estimator on new rows, by the bootstrap.

    Parameters
    ----------
    estimator : estimator
    X, y : array-like
    method : {"loob", ".632", ".632+"}, default=".632+"
    loss : Loss or callable, optional
        By default squared error of a regressor and 0/1 loss of a classifier.
    n_resamples : int, default=200
    groups : array-like of shape (n,), optional
        Whole groups are drawn.
    sample_weight : array-like of shape (n,), optional
        Rows are drawn alike; weights count in the fits and in the means. A row of weight zero is no row.
    random_state : None, int, Generator or RandomState
    n_jobs : int, optional
        Threads; None is one.

    Returns
    -------
    BootstrapError

    References
    ----------
    Efron, B. & Tibshirani, R. (1997). Improvements on cross-validation: the .632+ bootstrap method.
    doi:10.1080/01621459.1997.10474007

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon.evaluation import bootstrap_error
    >>> from gnomon.generative import GaussianNB
    >>> found = bootstrap_error(GaussianNB(), *load_iris(return_X_y=True), n_resamples=50, random_state=0)
    >>> found.training < found.value < found.no_information
    True
    """
    check_choice("method", method, get_args(BootstrapMethod))
    sample = read_sample(X, y, groups=groups, sample_weight=sample_weight)
    sample = sample.at(sample.present)
    measure = read_loss(estimator, sample.y, loss)
    model = sample.fit(estimator)
    folds = sample.folds(estimator, BootstrapSplit(n_resamples, random_state=random_state))
    training = measure.risk(model, sample.X, sample.y, sample.weights)
    out_of_bag = _out_of_bag(sample, measure, estimator, folds, n_jobs)
    return BootstrapError(training, out_of_bag, _no_information(sample, measure, model), method)


def _out_of_bag(
    sample: Observations, measure: RowLoss, estimator: BaseEstimator, folds: list[Fold], n_jobs: int | None
) -> float:
    def losses(fold: Fold) -> Floats:
        here = sample.at(fold.test)
        return measure.of_rows(sample.at(fold.train).fit(estimator), here.X, here.y)

    total, count = np.zeros(sample.n), np.zeros(sample.n)
    for fold, found in zip(folds, map_chunks(configured(losses), folds, n_jobs), strict=True):
        total[fold.test] += found
        count[fold.test] += 1.0
    seen = count > 0.0
    if not np.all(seen):
        warnings.warn(
            f"{int(np.sum(~seen))} rows are in every sample, so they do not count; raise n_resamples={len(folds)}",
            UserWarning,
            stacklevel=3,
        )
    weights = None if sample.weights is None else sample.weights[seen]
    return float(np.average(total[seen] / count[seen], weights=weights))


def _no_information(sample: Observations, measure: RowLoss, model: BaseEstimator) -> float:
    """γ of equation (2), over all pairs of a target and an answer."""
    targets, answers = measure.targets(sample.y), measure.answers(model, sample.X)
    n = sample.n
    s = np.ones(n) if sample.weights is None else sample.weights
    step, total = max(1, _BLOCK // n), 0.0
    for start in range(0, n, step):
        rows = np.arange(start, min(n, start + step))
        pairs = measure.values(np.repeat(targets[rows], n, axis=0), np.concatenate([answers] * len(rows)))
        total += float(s[rows] @ pairs.reshape(len(rows), n) @ s)
    return total / float(np.sum(s)) ** 2
