"""Detectors compared by an honest protocol.

    fit on good training rows  →  ε by a metric on validation rows  →  one number on test rows                   (1)

The detector with the best validation value is chosen; its test value is the number to report. Accuracy is shown
together with that of calling every row good, and never decides. Davis & Goadrich (2006), The relationship between
precision-recall and ROC curves, doi:10.1145/1143844.1143874.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _num_samples

from gnomon._typing import ArrayLike, Bools, RandomState
from gnomon.anomaly._labels import anomalous, require_anomalies
from gnomon.anomaly.split import AnomalySplit, anomaly_split
from gnomon.anomaly.threshold import Metric, Placement, metric_values, select_threshold
from gnomon.numerics.curves import threshold_curve
from gnomon.numerics.validation import check_positive

__all__ = ["DetectorComparison", "DetectorScores", "evaluate_detectors"]


class DetectorScores(NamedTuple):
    """One detector under the protocol (1); all but the threshold and `validation` are of the test rows.

    Parameters
    ----------
    name : str
    threshold : float
        ε, in the unit of the detector's scores.
    validation : float
        The metric on the validation rows at ε, where it is greatest.
    test : float
        The metric on the test rows at ε.
    tpr, fpr, tnr, fnr : float
        Rates of true and false positives and negatives; anomalies are the positives.
    precision, recall, f_beta : float
        Precision is 1 where nothing is flagged.
    pr_auc, roc_auc : float
        Areas below the precision-recall curve (by steps) and the ROC curve.
    accuracy, all_good_accuracy, base_rate : float
        The share of rows called rightly, the same for calling every row good, and the share of anomalies.
    detector : estimator
        Fitted to the training rows.

    References
    ----------
    Davis, J. & Goadrich, M. (2006). The relationship between precision-recall and ROC curves.
    doi:10.1145/1143844.1143874

    Examples
    --------
    >>> from gnomon.anomaly import GaussianDetector, evaluate_detectors
    >>> from gnomon.datasets import make_engines
    >>> X, y = make_engines(300, 20, random_state=0)
    >>> scores = evaluate_detectors({"normal": GaussianDetector()}, X, y, random_state=0).best
    >>> scores.name, scores.precision, scores.recall, round(scores.base_rate, 3)
    ('normal', 1.0, 1.0, 0.143)
    """

    name: str
    threshold: float
    validation: float
    test: float
    tpr: float
    fpr: float
    tnr: float
    fnr: float
    precision: float
    recall: float
    f_beta: float
    pr_auc: float
    roc_auc: float
    accuracy: float
    all_good_accuracy: float
    base_rate: float
    detector: BaseEstimator


class DetectorComparison(NamedTuple):
    """What `evaluate_detectors` found.

    Parameters
    ----------
    scores : tuple of DetectorScores
        The best on validation first.
    split : AnomalySplit
        Which rows served for what.

    References
    ----------
    Davis, J. & Goadrich, M. (2006). The relationship between precision-recall and ROC curves.
    doi:10.1145/1143844.1143874

    Examples
    --------
    >>> from gnomon.anomaly import CentroidDistanceDetector, GaussianDetector, evaluate_detectors
    >>> from gnomon.datasets import make_engines
    >>> X, y = make_engines(300, 20, random_state=0)
    >>> detectors = {"distance": CentroidDistanceDetector(3, random_state=0), "normal": GaussianDetector()}
    >>> found = evaluate_detectors(detectors, X, y, random_state=0)
    >>> found.best.name, found.table()["test"], [len(rows) for rows in found.split]
    ('normal', [1.0, 0.8], [180, 70, 70])
    """

    scores: tuple[DetectorScores, ...]
    split: AnomalySplit

    @property
    def best(self) -> DetectorScores:
        """The detector of the greatest validation value; its `test` is the number to report."""
        return self.scores[0]

    def table(self) -> dict[str, list[Any]]:
        """All numbers as a dict of columns, ready for a data frame."""
        names = [name for name in DetectorScores._fields if name != "detector"]
        return {name: [getattr(row, name) for row in self.scores] for name in names}

    def __str__(self) -> str:
        shown = ("validation", "test", "precision", "recall", "fpr", "pr_auc", "roc_auc", "accuracy")
        width = max(len(row.name) for row in self.scores) + 2
        head = " " * width + " ".join(f"{name:>10}" for name in shown)
        lines = [
            row.name.ljust(width) + " ".join(f"{getattr(row, name):10.4f}" for name in shown) for row in self.scores
        ]
        baseline = f"calling every test row good: accuracy {self.best.all_good_accuracy:.4f}"
        return "\n".join([head, *lines, baseline])


def evaluate_detectors(
    detectors: dict[str, BaseEstimator] | Sequence[BaseEstimator],
    X: ArrayLike,
    y: ArrayLike,
    *,
    metric: Metric = "f1",
    beta: float = 1.0,
    placement: Placement = "score",
    split: AnomalySplit | None = None,
    train_fraction: float = 0.6,
    validation_fraction: float = 0.5,
    random_state: RandomState = None,
) -> DetectorComparison:
    """Compare detectors by the protocol (1).

    Parameters
    ----------
    detectors : dict of name → estimator, or sequence of estimators
        Anything with `fit` and `score_samples` whose scores are low for odd rows; pipelines too.
    X : array-like or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        1 for anomalous, 0 for good.
    metric : {"f1", "fbeta"} or callable (y, flagged) → float, default="f1"
    beta : float, default=1.0
        β of "fbeta" and of the column `f_beta`.
    placement : {"score", "midpoint"}, default="score"
        Where the threshold lies, see `select_threshold`.
    split : AnomalySplit, optional
        The three sets of rows; drawn by `anomaly_split` where not given.
    train_fraction, validation_fraction : float, default=0.6, 0.5
        Of `anomaly_split`.
    random_state : None, int, Generator or RandomState
        Of the split.

    Returns
    -------
    DetectorComparison

    References
    ----------
    Davis, J. & Goadrich, M. (2006). The relationship between precision-recall and ROC curves.
    doi:10.1145/1143844.1143874

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.anomaly import GaussianDetector, evaluate_detectors
    >>> rng = np.random.default_rng(0)
    >>> good = rng.multivariate_normal([0, 0], [[1, 0.95], [0.95, 1]], size=1000)
    >>> X = np.r_[good, rng.uniform([1.5, -2.5], [2.5, -1.5], size=(20, 2))]
    >>> detectors = {kind: GaussianDetector(kind) for kind in ("diag", "full")}
    >>> found = evaluate_detectors(detectors, X, np.repeat([0, 1], [1000, 20]), random_state=0)
    >>> found.best.name, round(found.best.test, 2)
    ('full', 1.0)
    """
    (X,) = indexable(X)
    bad = anomalous(y, _num_samples(X))
    if split is None:
        split = anomaly_split(
            bad,
            train_fraction=train_fraction,
            validation_fraction=validation_fraction,
            random_state=random_state,
        )
    _refuse_dishonest(split, bad)
    check_positive("beta", beta)
    of_metric = beta if isinstance(metric, str) and metric == "fbeta" else 1.0
    choose = {"metric": metric, "beta": of_metric, "placement": placement}
    found = [_judged(name, model, X, bad, split, choose, beta) for name, model in _named(detectors)]
    return DetectorComparison(tuple(sorted(found, key=lambda row: -row.validation)), split)


def _named(detectors: dict[str, BaseEstimator] | Sequence[BaseEstimator]) -> list[tuple[str, BaseEstimator]]:
    if isinstance(detectors, BaseEstimator):
        raise ValueError(f"detectors={detectors!r} is one estimator; give a list or a dict of them")
    pairs = list(detectors.items()) if isinstance(detectors, dict) else [(str(model), model) for model in detectors]
    if not pairs:
        raise ValueError("detectors is empty; give at least one")
    return pairs


def _refuse_dishonest(split: AnomalySplit, bad: Bools) -> None:
    """A split that trains on anomalies, or uses a row twice, or has nothing to find in the test rows."""
    require_anomalies(bad[split.test], "split.test")
    used, times = np.unique(np.concatenate(split), return_counts=True)
    if np.any(times > 1):
        raise ValueError(
            f"row {used[np.argmax(times > 1)]} is in split more than once; give disjoint train, validation and test "
            "rows, see anomaly_split"
        )
    if np.any(bad[split.train]):
        raise ValueError(
            f"split.train holds {np.sum(bad[split.train])} anomalous rows; a detector is fitted to good rows only, see "
            "anomaly_split"
        )


def _judged(
    name: str, model: BaseEstimator, X: Any, bad: Bools, split: AnomalySplit, choose: dict[str, Any], beta: float
) -> DetectorScores:
    fitted = clone(model).fit(_safe_indexing(X, split.train))
    held_out = (_safe_indexing(X, rows) for rows in (split.validation, split.test))
    validation, test = (np.asarray(fitted.score_samples(rows), dtype=float) for rows in held_out)
    choice = select_threshold(validation, bad[split.validation], **choose)
    truth = bad[split.test]
    curve = threshold_curve(-test, truth)
    at = curve.at([-choice.threshold])
    rates = {rate: float(getattr(at, rate)[0]) for rate in ("tpr", "fpr", "precision", "recall", "accuracy")}
    return DetectorScores(
        name=name,
        threshold=choice.threshold,
        validation=choice.value,
        test=float(metric_values(choose["metric"], choose["beta"], at, test, truth)[0]),
        tnr=1.0 - rates["fpr"],
        fnr=1.0 - rates["tpr"],
        f_beta=float(at.f_beta(beta)[0]),
        pr_auc=curve.average_precision,
        roc_auc=curve.roc_auc,
        all_good_accuracy=float(1.0 - np.mean(truth)),
        base_rate=float(np.mean(truth)),
        detector=fitted,
        **rates,
    )
