"""Error rates of hard decisions.

    TPR = TP/(TP + FN),  FNR = 1 − TPR,  FPR = FP/(FP + TN),  TNR = 1 − FPR,  precision = TP/(TP + FP)              (1)
    F_β = (1 + β²) P R/(β² P + R) = (1 + β²) TP/((1 + β²) TP + β² FN + FP)                                   (2)

of each class against all others, and their averages: macro (means over classes), weighted (by the rows of the class),
micro (of the summed counts). The macro F is the mean of the F, not the F of the means. Sokolova & Lapalme (2009),
doi:10.1016/j.ipm.2009.03.002.
"""

from __future__ import annotations

import warnings
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from gnomon._typing import Array, ArrayLike, Floats, Numbers
from gnomon.evaluation._confusion_matrix import confusion_matrix
from gnomon.numerics.curves import ratio
from gnomon.numerics.estimates import share_interval
from gnomon.numerics.validation import check_choice, check_interval, check_positive

__all__ = ["RateRow", "Rates", "rates"]

Average: TypeAlias = Literal["macro", "micro", "weighted"]
ZeroDivision: TypeAlias = Literal["warn"] | float


class RateRow(NamedTuple):
    """The rates (1) and (2) of one class, or an average of them.

    Fields
    ------
    tpr, fnr, fpr, tnr, precision, f_beta : float
        `tpr` is the recall.

    References
    ----------
    Sokolova, M. & Lapalme, G. (2009). A systematic analysis of performance measures for classification tasks.
    doi:10.1016/j.ipm.2009.03.002

    Examples
    --------
    >>> from gnomon.evaluation import rates
    >>> rates([0, 0, 1, 1], [0, 1, 1, 1]).of(1).precision.__round__(4)
    0.6667
    """

    tpr: float
    fnr: float
    fpr: float
    tnr: float
    precision: float
    f_beta: float


class Rates(NamedTuple):
    """Rates of every class.

    Fields
    ------
    classes : ndarray of shape (n_classes,)
    tp, fp, fn, tn : ndarray of shape (n_classes,)
        Counts of each class against all others.
    tpr, fnr, fpr, tnr, precision, f_beta : ndarray of shape (n_classes,)
        `tpr` is the recall.
    accuracy, constant_accuracy : float
        The share of correct decisions, and that of the best constant one, which says little where classes are rare.
    beta, zero_division : float
        As asked for.

    References
    ----------
    Sokolova, M. & Lapalme, G. (2009). A systematic analysis of performance measures for classification tasks.
    doi:10.1016/j.ipm.2009.03.002

    Examples
    --------
    >>> from gnomon.evaluation import rates
    >>> found = rates([0, 0, 1, 1], [0, 1, 1, 1])
    >>> found.tpr.tolist(), round(found.average("macro").f_beta, 4), found.accuracy, found.constant_accuracy
    ([0.5, 1.0], 0.7333, 0.75, 0.5)
    """

    classes: Array
    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats
    tpr: Floats
    fnr: Floats
    fpr: Floats
    tnr: Floats
    precision: Floats
    f_beta: Floats
    accuracy: float
    constant_accuracy: float
    beta: float
    zero_division: float

    def of(self, label: object) -> RateRow:
        """The rates of one class."""
        names = self.classes.tolist()
        place = names.index(check_choice("label", label, names))
        return RateRow(*(float(values[place]) for values in self._by_class))

    def average(self, kind: Average = "macro") -> RateRow:
        """An average over the classes; a class whose rate is undefined (nan) has no part in it."""
        if check_choice("kind", kind, get_args(Average)) == "micro":
            tp, fp, fn, tn = (float(np.sum(part)) for part in (self.tp, self.fp, self.fn, self.tn))
            return RateRow(*(float(v) for v in _rates_of(tp, fp, fn, tn, self.beta, self.zero_division)))
        weight = self.tp + self.fn if kind == "weighted" else np.ones(len(self.classes))
        return RateRow(*(_mean(values, weight) for values in self._by_class))

    def interval(self, name: str, level: float = 0.95) -> tuple[Floats, Floats]:
        """Wilson's interval of "tpr", "fnr", "fpr", "tnr" or "precision" of every class."""
        shares = {"tpr": (self.tp, self.fn), "fnr": (self.fn, self.tp), "fpr": (self.fp, self.tn),
                  "tnr": (self.tn, self.fp), "precision": (self.tp, self.fp)}  # fmt: skip
        part, rest = shares[check_choice("name", name, shares)]
        return share_interval(part, part + rest, level)

    @property
    def _by_class(self) -> tuple[Floats, ...]:
        return self.tpr, self.fnr, self.fpr, self.tnr, self.precision, self.f_beta

    def __str__(self) -> str:
        rows = [(str(label), self.of(label)) for label in self.classes.tolist()]
        rows += [(kind, self.average(kind)) for kind in get_args(Average)]
        width = max(8, *(len(name) for name, _ in rows))
        head = " ".join([" " * width, *(f"{field:>9}" for field in RateRow._fields)])
        lines = [" ".join([f"{name:<{width}}", *(f"{v:9.4f}" for v in row)]) for name, row in rows]
        constant = f"accuracy {self.accuracy:.4f} (best constant prediction {self.constant_accuracy:.4f})"
        return "\n".join([head, *lines, constant])


def rates(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    beta: float = 1.0,
    zero_division: ZeroDivision = "warn",
    sample_weight: ArrayLike | None = None,
) -> Rates:
    """All rates of hard decisions, of each class and on average, equations (1) and (2).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    labels : array-like, optional
        The classes in their order; those of `y_true`, sorted, by default.
    beta : float, default=1.0
        Of F_β: above 1 a missed row counts more, below a false alarm.
    zero_division : "warn" or float, default="warn"
        What 0/0 is: nan with a warning, or this number in [0, 1] (or nan) without.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    Rates

    References
    ----------
    Sokolova, M. & Lapalme, G. (2009). A systematic analysis of performance measures for classification tasks.
    doi:10.1016/j.ipm.2009.03.002

    Examples
    --------
    Counts as weights: TP 40, FN 10, FP 30, TN 920.

    >>> from gnomon.evaluation import rates
    >>> print(rates([1, 1, 0, 0], [1, 0, 1, 0], sample_weight=[40, 10, 30, 920]))
                   tpr       fnr       fpr       tnr precision    f_beta
    0           0.9684    0.0316    0.2000    0.8000    0.9892    0.9787
    1           0.8000    0.2000    0.0316    0.9684    0.5714    0.6667
    macro       0.8842    0.1158    0.1158    0.8842    0.7803    0.8227
    micro       0.9600    0.0400    0.0400    0.9600    0.9600    0.9600
    weighted    0.9600    0.0400    0.1916    0.8084    0.9684    0.9631
    accuracy 0.9600 (best constant prediction 0.9500)
    """
    matrix = confusion_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    check_positive("beta", beta)
    otherwise, warn = np.nan, isinstance(zero_division, str)
    if isinstance(zero_division, str):
        check_choice("zero_division", zero_division, ("warn",))
    elif not np.isnan(zero_division):
        otherwise = float(check_interval("zero_division", zero_division, 0, 1))
    tp = np.diagonal(matrix.counts)
    fn = matrix.true_totals - tp
    fp = matrix.predicted_totals[: len(tp)] - tp
    n = float(np.sum(matrix.counts))
    tn = n - tp - fn - fp
    found = _rates_of(tp, fp, fn, tn, beta, otherwise)
    if warn and np.any(np.isnan(found)):
        without = [name for name, values in zip(RateRow._fields, found, strict=True) if np.any(np.isnan(values))]
        warnings.warn(
            f"{', '.join(without)} of some classes is 0/0, set to nan; give zero_division= a number to say otherwise",
            UndefinedMetricWarning,
            stacklevel=2,
        )
    constant = float(np.max(matrix.true_totals)) / n
    counts, accuracy = (tp, fp, fn, tn), float(np.sum(tp)) / n
    return Rates._make((matrix.classes, *counts, *found, accuracy, constant, float(beta), otherwise))


def _rates_of(tp: Numbers, fp: Numbers, fn: Numbers, tn: Numbers, beta: float, otherwise: float) -> tuple[Floats, ...]:
    shares = ((tp, fn), (fn, tp), (fp, tn), (tn, fp), (tp, fp))
    square = beta**2
    f_beta = ratio((1.0 + square) * tp, (1.0 + square) * tp + square * fn + fp, otherwise)
    return (*(ratio(part, part + rest, otherwise) for part, rest in shares), f_beta)


def _mean(values: Floats, weight: Floats) -> float:
    known = ~np.isnan(values)
    return float(ratio(np.sum(values[known] * weight[known]), np.sum(weight[known])))
