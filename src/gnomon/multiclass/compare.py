"""Comparison of reductions: the number of fits of each, their cost, and their errors.

    one-vs-rest C,    one-vs-one C(C − 1)/2,    bits ⌈log₂ C⌉,    a code as many as it has columns            (1)

Errors are measured on held-out rows of the same folds for all. Rifkin & Klautau (2004), In defense of one-vs-all
classification, JMLR 5, 101–141; Allwein, Schapire & Singer (2000), Reducing multiclass to binary, JMLR 1, 113–141.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length

from gnomon._typing import AnyRows, Array, ArrayLike, Folds, Integers, RandomState
from gnomon.base import offers
from gnomon.base.folds import read_folds
from gnomon.multiclass._base import single_labels
from gnomon.multiclass._coding_matrix import CODES, Code, coding_matrix
from gnomon.multiclass.one_vs_one import OneVsOneClassifier, PairDecision
from gnomon.multiclass.one_vs_rest import OneVsRestClassifier
from gnomon.multiclass.output_code import OutputCodeClassifier
from gnomon.numerics.validation import check_choice, check_integer

__all__ = ["ReductionComparison", "compare_reductions", "kernel_work", "number_of_classifiers"]

_FEWEST_WORDS = 4
_MOST_DENSE = 7
"""Up to so many classes the exhaustive code is compared too; beyond it has over a hundred columns."""


class ReductionComparison(NamedTuple):
    """The outcome of `compare_reductions`.

    Parameters
    ----------
    best : str
        The reduction with the lowest error; the first of equals.
    table : dict of str to ndarray
        One entry for each reduction: "reduction", "n_classifiers", "fit_seconds" and "predict_seconds" (mean over
        folds), "error" (mean over folds of the share of wrong answers) and "error_se" (its standard error).

    References
    ----------
    Rifkin, R. & Klautau, A. (2004). In defense of one-vs-all classification. JMLR 5, 101–141.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.multiclass import ReductionComparison
    >>> numbers = {"n_classifiers": [3], "fit_seconds": [0.5], "predict_seconds": [0.1]}
    >>> table = {"reduction": ["ovr"], **numbers, "error": [0.25], "error_se": [0.01]}
    >>> print(ReductionComparison("ovr", {name: np.array(column) for name, column in table.items()}))
    reduction  n_classifiers  fit_seconds  predict_seconds  error  error_se
    ovr                    3          0.5              0.1   0.25      0.01
    """

    best: str
    table: dict[str, Array]

    def __str__(self) -> str:
        cells = [[name, *(_text(value) for value in column)] for name, column in self.table.items()]
        widths = [max(map(len, column)) for column in cells]
        rows = zip(*cells, strict=True)
        sides = ["<", *[">"] * (len(cells) - 1)]
        return "\n".join("  ".join(f"{c:{s}{w}}" for c, s, w in zip(r, sides, widths, strict=True)) for r in rows)


def number_of_classifiers(n_classes: int, reduction: Code = "ovr") -> int:
    """How many binary classifiers a reduction fits, equation (1).

    Parameters
    ----------
    n_classes : int
        C ≥ 1. Two classes need one classifier, one class none.
    reduction : str, default="ovr"
        "ovr", "ovo", or another code of `coding_matrix`: "binary", "hamming", "exhaustive", "ecoc", "random",
        "random_sparse".

    Returns
    -------
    int

    References
    ----------
    Allwein, E. L., Schapire, R. E. & Singer, Y. (2000). Reducing multiclass to binary. JMLR 1, 113–141.

    Examples
    --------
    >>> from gnomon.multiclass import number_of_classifiers
    >>> [number_of_classifiers(10, reduction) for reduction in ("ovr", "ovo", "binary", "hamming")]
    [10, 45, 4, 7]
    """
    check_choice("reduction", reduction, CODES)
    C = check_integer("n_classes", n_classes, 1)
    # The matrix of all pairs of many classes would be large.
    known = {"ovr": C if C > 2 else C - 1, "ovo": C * (C - 1) // 2}
    return known[reduction] if reduction in known else coding_matrix(reduction, C, random_state=0).shape[1]


def kernel_work(n_samples: int, n_classes: int, reduction: Literal["ovr", "ovo"] = "ovr") -> float:
    """Work of kernel machines whose cost is the square of their rows, classes of equal size.

    C fits on all rows: C N². C(C − 1)/2 fits on 2N/C rows: 2N²(C − 1)/C.

    Parameters
    ----------
    n_samples : int
        N.
    n_classes : int
        C ≥ 2.
    reduction : {"ovr", "ovo"}, default="ovr"

    Returns
    -------
    float

    References
    ----------
    Platt, J. C., Cristianini, N. & Shawe-Taylor, J. (2000). Large margin DAGs for multiclass classification.
    NIPS 12, 547–553.

    Examples
    --------
    >>> from gnomon.multiclass import kernel_work
    >>> kernel_work(1000, 10, "ovo"), kernel_work(1000, 10, "ovr")
    (1800000.0, 10000000.0)
    """
    check_choice("reduction", reduction, ("ovr", "ovo"))
    N, C = check_integer("n_samples", n_samples, 1), check_integer("n_classes", n_classes, 2)
    rows = N if reduction == "ovr" else 2.0 * N / C
    return float(number_of_classifiers(C, reduction) * rows**2)


def compare_reductions(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike,
    *,
    reductions: Mapping[str, BaseEstimator] | None = None,
    cv: Folds = 5,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> ReductionComparison:
    """Fit one base classifier by several reductions and compare fits, time and error.

    Parameters
    ----------
    estimator : estimator
        The base.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    reductions : dict of str to estimator, optional
        Classifiers under their names; one without `estimators_` counts as one fit. None: one-vs-rest ("ovr");
        one-vs-one by votes ("ovo"), by a decision graph ("dag") and, if the base has probabilities, by coupling
        ("coupling"); the codes "binary", "ecoc", "random" and "random_sparse", for at most 7 classes "exhaustive", for
        at least 5 "hamming".
    cv : int or splitter, default=5
        The folds; as in scikit-learn they are stratified.
    n_jobs : int, optional
        Threads of each reduction.
    random_state : None, int, Generator or RandomState
        For codes that are drawn.

    Returns
    -------
    ReductionComparison
        With `best` and `table`; printed it is a table in text.

    References
    ----------
    Rifkin, R. & Klautau, A. (2004). In defense of one-vs-all classification. JMLR 5, 101–141.

    Allwein, E. L., Schapire, R. E. & Singer, Y. (2000). Reducing multiclass to binary. JMLR 1, 113–141.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon.multiclass import compare_reductions
    >>> compared = compare_reductions(GaussianNB(), *load_iris(return_X_y=True), random_state=0)
    >>> dict(zip(compared.table["reduction"].tolist(), compared.table["n_classifiers"].tolist()))["ovo"]
    3
    >>> float(compared.table["error"].min()) < 0.1
    True
    """
    y = single_labels(y)
    check_consistent_length(X, y)
    if reductions is None:
        reductions = _reductions(estimator, len(np.unique(y)), n_jobs, random_state)
    folds = read_folds(cv, np.zeros(len(y)), y, classifier=True)
    measured = [[_measure(model, X, y, *fold) for fold in folds] for model in reductions.values()]
    fits, seconds, waits, errors = np.moveaxis(np.array(measured), -1, 0)
    table = {
        "reduction": np.array(list(reductions)),
        "n_classifiers": np.max(fits, axis=1).astype(int),
        "fit_seconds": np.mean(seconds, axis=1),
        "predict_seconds": np.mean(waits, axis=1),
        "error": np.mean(errors, axis=1),
        "error_se": np.std(errors, axis=1, ddof=1) / np.sqrt(len(folds)),
    }
    return ReductionComparison(str(table["reduction"][np.argmin(table["error"])]), table)


def _reductions(
    estimator: BaseEstimator, n_classes: int, n_jobs: int | None, random_state: RandomState
) -> dict[str, BaseEstimator]:
    pairs: list[PairDecision] = ["vote", "dag"]
    pairs += ["coupling"] if "proba" in offers(estimator) else []
    codes = ["binary", "ecoc", "random", "random_sparse"]
    codes += ["exhaustive"] if n_classes <= _MOST_DENSE else []
    # A Hamming code of four words repeats columns.
    codes += ["hamming"] if n_classes > _FEWEST_WORDS else []
    names = {"vote": "ovo"}
    draw: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs}
    return {
        "ovr": OneVsRestClassifier(estimator, n_jobs=n_jobs),
        **{names.get(d, d): OneVsOneClassifier(estimator, decision=d, n_jobs=n_jobs) for d in pairs},
        **{code: OutputCodeClassifier(estimator, code=code, **draw) for code in codes},
    }


def _measure(
    model: BaseEstimator, X: AnyRows, y: Array, train: Integers, test: Integers
) -> tuple[int, float, float, float]:
    """Number of fits, seconds to fit and to predict, and share of errors, of one fold."""
    start = perf_counter()
    model = clone(model).fit(_safe_indexing(X, train), y[train])
    fitted = perf_counter()
    answers = model.predict(_safe_indexing(X, test))
    answered = perf_counter()
    n_fits = len(getattr(model, "estimators_", [model]))
    return n_fits, fitted - start, answered - fitted, float(np.mean(answers != y[test]))


def _text(value: Any) -> str:
    return str(value) if isinstance(value, (str, np.integer)) else f"{value:.3g}"
