"""The curve of refits with other costs.

    ŵ(r) = argmin  r Σ₊ ℓ + Σ₋ ℓ,    r = c₊/c₋;    a point (FPR, TPR) for each r                                  (1)

Each point is another model, and its hard decisions; the curve may lie above or below that of one model under all
thresholds, and need not be monotone. Bach, Heckerman & Horvitz (2006), Considering cost asymmetry in learning
classifiers, JMLR 7, 1713–1741.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing

from gnomon._typing import Array, ArrayLike, Floats, Folds, MatrixLike
from gnomon.base.folds import read_folds
from gnomon.base.trials import positive_rows
from gnomon.base.weights import check_takes_weights, weight_parameter
from gnomon.numerics.curves import ratio
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.validation import check_numbers
from gnomon.numerics.weights import check_weights

__all__ = ["CostRatioCurve", "cost_ratio_curve"]


class CostRatioCurve(NamedTuple):
    """A point for each ratio of costs.

    Fields
    ------
    ratios : ndarray of shape (m,)
    tp, fp, fn, tn : ndarray of shape (m,)
        Counts over all test rows.

    References
    ----------
    Bach, F. R., Heckerman, D. & Horvitz, E. (2006). Considering cost asymmetry in learning classifiers. JMLR 7,
    1713–1741.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import CostRatioCurve
    >>> one = np.ones(1)
    >>> CostRatioCurve(one, tp=3 * one, fp=one, fn=one, tn=3 * one).precision
    array([0.75])
    """

    ratios: Floats
    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    @property
    def tpr(self) -> Floats:
        """The recall."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def recall(self) -> Floats:
        """Another name of `tpr`."""
        return self.tpr

    @property
    def fpr(self) -> Floats:
        """False positives among the negatives."""
        return ratio(self.fp, self.fp + self.tn)

    @property
    def precision(self) -> Floats:
        """True positives among those called so; nan where none is."""
        return ratio(self.tp, self.tp + self.fp)


def cost_ratio_curve(
    estimator: BaseEstimator,
    X: MatrixLike,
    y: ArrayLike,
    ratios: ArrayLike,
    *,
    cv: Folds = 5,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> CostRatioCurve:
    """Error rates of a classifier that is fitted anew for each ratio of costs, equation (1).

    Parameters
    ----------
    estimator : classifier
        Whose `fit` takes `sample_weight`; a pipeline's last step.
    X, y : array-like
    ratios : array-like of shape (m,)
        c₊/c₋ > 0.
    cv : int, splitter or iterable of (train, test), default=5
        Test rows are decided by the model of their training rows, and counted together; one pair is a hold-out.
    pos_label : label or "rare", optional
        The greater of two labels by default.
    sample_weight : array-like of shape (n,), optional
        Of the rows, in training and in the counts.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    CostRatioCurve

    References
    ----------
    Bach, F. R., Heckerman, D. & Horvitz, E. (2006). Considering cost asymmetry in learning classifiers. JMLR 7,
    1713–1741.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import cost_ratio_curve
    >>> from gnomon.linear import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 2
    >>> X = rng.normal(y)[:, None]
    >>> cost_ratio_curve(LogisticRegression(), X, y, [0.2, 1.0, 5.0]).tpr
    array([0.27, 0.73, 0.98])
    """
    r = np.atleast_1d(check_numbers("ratios", ratios))
    if r.ndim != 1 or not len(r) or not np.all((r > 0.0) & (r < np.inf)):
        raise ValueError(f"ratios={r.tolist()} must be finite numbers > 0; give costs of a miss over a false alarm")
    check_takes_weights(estimator)
    labels = np.asarray(y)
    weights = check_weights(sample_weight, np.zeros((len(labels), 1)))
    positive, (_, name) = positive_rows(labels, pos_label, weights)
    splits = read_folds(cv, X, labels, classifier=True)

    def counts(task: tuple[float, tuple[Array, Array]]) -> Floats:
        cost, (train, test) = task
        w = weights[train] * np.where(positive[train], cost, 1.0)
        model = clone(estimator).fit(_safe_indexing(X, train), labels[train], **weight_parameter(estimator, w))
        called = np.asarray(model.predict(_safe_indexing(X, test))) == name
        return 1.0 * np.bincount(2 * positive[test] + called, weights[test], minlength=4)

    found = map_chunks(counts, [(cost, split) for cost in r.tolist() for split in splits], n_jobs)
    tn, fp, fn, tp = np.sum(np.reshape(found, (len(r), len(splits), 4)), axis=1).T
    return CostRatioCurve(r, tp, fp, fn, tn)
