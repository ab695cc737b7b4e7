"""One estimator for each column of a coding matrix, fitted to its two-class problem.

    column l:  f_l fitted to the rows i with M[cᵢ, l] ≠ 0 and sᵢ > 0,  target tᵢ = 1 where M[cᵢ, l] = +1, else 0     (1)

Any classifier or regressor may be fitted to the columns. Allwein, Schapire & Singer (2000), Reducing multiclass to
binary, JMLR 1, 113–141.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import _check_method_params, _num_samples

from gnomon._typing import ArrayLike, Floats, Integers, MatrixLike
from gnomon.base.weights import check_takes_weights, weight_parameter
from gnomon.numerics.coding import BinaryProblem
from gnomon.numerics.parallel import map_chunks

__all__ = [
    "ConstantSide",
    "FittedColumns",
    "configured",
    "fit_columns",
    "refit_columns",
]


Item = TypeVar("Item")
Result = TypeVar("Result")


class FittedColumns(NamedTuple):
    """The fitted problems of `fit_columns`.

    Parameters
    ----------
    estimators : list
        One for each problem.
    rows : list of ndarray or None
        The rows that each saw; None is all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon.base import fit_columns
    >>> from gnomon.numerics.coding import BinaryProblem
    >>> problem = BinaryProblem(np.array([0, 1, 3]), np.array([False, False, True]), ("a", "c"))
    >>> fitted = fit_columns(GaussianNB(), np.array([[0.0], [1.0], [2.0], [9.0]]), [lambda: problem])
    >>> fitted.estimators[0].theta_.ravel().tolist(), fitted.rows[0].tolist()
    ([0.5, 9.0], [0, 1, 3])
    """

    estimators: list[Any]
    rows: list[Integers | None]


class ConstantSide(BaseEstimator):
    """The answer of a problem in which one side has no rows; scores are 0 and 1, as in scikit-learn."""

    def __init__(self, side: int = 0) -> None:
        self.side = side

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        self.classes_ = np.array([0, 1])
        # No boundary, so no distance from it: where scores are divided by norms, this one is unchanged.
        self.weight_norm_ = 1.0
        return self

    def predict(self, X: MatrixLike) -> Integers:
        return np.full(_num_samples(X), self.side)

    def decision_function(self, X: MatrixLike) -> Floats:
        return np.full(_num_samples(X), float(self.side))

    def predict_proba(self, X: MatrixLike) -> Floats:
        return np.tile(np.eye(2)[self.side], (_num_samples(X), 1))


def fit_columns(
    estimator: BaseEstimator,
    X: MatrixLike,
    problems: Sequence[Callable[[], BinaryProblem]],
    *,
    weights: Floats | None = None,
    balance: bool = False,
    params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    report: Callable[[int, int], object] | None = None,
) -> FittedColumns:
    """Fit a clone of `estimator` to every problem, on `n_jobs` threads.

    A problem whose rows are all on one side gets a constant answer and a warning. Rows of weight zero take no part.

    Parameters
    ----------
    estimator : estimator
        Classifier or regressor; its targets are 0 and 1.
    X : array-like, sparse matrix or data frame
        Rows that scikit-learn can index; a square matrix of kernel values if the estimator is pairwise.
    problems : sequence of callables () → BinaryProblem
        Made when their turn comes, so that only those at work are in memory.
    weights : ndarray of shape (n_samples,), optional
    balance : bool, default=False
        Whether the weights of both sides are scaled to equal sums.
    params : dict, optional
        More for `estimator.fit`; arrays with one entry for each row are cut to the rows of the problem.
    n_jobs : int, optional
    report : callable (done, total), optional
        Called after each fit.

    Returns
    -------
    FittedColumns

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from gnomon.base import column_output, fit_columns
    >>> from gnomon.numerics.coding import code_problem, rest_code
    >>> X, index = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    >>> M, classes = rest_code(3), np.array(["a", "b", "c"])
    >>> problems = [lambda l=l: code_problem(index, M[:, l], classes) for l in range(3)]
    >>> fitted = fit_columns(LogisticRegression(), X, problems, n_jobs=2)
    >>> np.argmax([column_output(e, X, "score") for e in fitted.estimators], axis=0)[[0, -1]].tolist()
    [0, 2]
    """
    if weights is not None or balance:
        check_takes_weights(estimator)
    done = []

    def fit_one(problem: Callable[[], BinaryProblem]) -> tuple[BaseEstimator, Integers | None]:
        fitted = _fit_problem(estimator, X, problem(), weights, balance=balance, params=params or {})
        done.append(1)
        if report is not None:
            report(len(done), len(problems))
        return fitted

    fitted = map_chunks(configured(fit_one), problems, n_jobs)
    return FittedColumns([model for model, _ in fitted], [rows for _, rows in fitted])


def refit_columns(
    estimators: Iterable[BaseEstimator],
    X: MatrixLike,
    problems: Iterable[Callable[[], BinaryProblem]],
    *,
    weights: Floats | None = None,
    params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
) -> list[Any]:
    """Call `partial_fit` of every estimator with the rows of its problem; without rows an estimator stays as it is.

    Parameters
    ----------
    estimators : list of estimators
        Changed in place.
    X, problems, weights, params, n_jobs
        As in `fit_columns`.

    Returns
    -------
    list of estimators

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon.base import refit_columns
    >>> from gnomon.numerics.coding import BinaryProblem
    >>> X, problem = np.arange(4.0)[:, None], BinaryProblem(None, np.array([False, False, True, True]), ("a", "b"))
    >>> model = refit_columns([GaussianNB()], X, [lambda: problem])[0]
    >>> refit_columns([model], X, [lambda: problem])[0].class_count_.tolist()
    [4.0, 4.0]
    """

    def refit(pair: tuple[BaseEstimator, Callable[[], BinaryProblem]]) -> BaseEstimator:
        estimator, make = pair
        rows, positive, _ = make()
        if len(positive) == 0:
            return estimator
        sent = dict(params or {}) if weights is None else {**(params or {}), "sample_weight": weights}
        sent = _check_method_params(X, params=sent, indices=rows)
        part = X if rows is None else _rows_of(estimator, X, rows)
        return estimator.partial_fit(part, positive.astype(int), classes=np.array([0, 1]), **sent)

    return map_chunks(configured(refit), zip(estimators, problems, strict=True), n_jobs)


def configured(function: Callable[[Item], Result]) -> Callable[[Item], Result]:
    """`function` under the settings of scikit-learn that hold here; they belong to a thread."""
    config = get_config()

    def call(item: Item) -> Result:
        with config_context(**config):
            return function(item)

    return call


def _fit_problem(
    estimator: BaseEstimator,
    X: MatrixLike,
    problem: BinaryProblem,
    weights: Floats | None,
    *,
    balance: bool,
    params: Mapping[str, Any],
) -> tuple[BaseEstimator, Integers | None]:
    rows, positive, s = problem.rows, problem.positive, None
    if weights is not None:
        s = weights if rows is None else weights[rows]
        if not np.all(used := s > 0.0):
            rows, positive, s = (np.arange(len(s)) if rows is None else rows)[used], positive[used], s[used]
    if np.all(positive) or not np.any(positive):
        side = int(len(positive) > 0 and positive[0])
        warnings.warn(
            f"no row of {problem.names[1 - side]!r} takes part in a fit, so its answer is always "
            f"{problem.names[side]!r}; give rows of both",
            stacklevel=2,
        )
        return ConstantSide(side).fit(X), rows
    target = positive.astype(int)
    s = _balanced(target, s) if balance else s
    if rows is not None:
        X, params = _rows_of(estimator, X, rows), _check_method_params(X, params=params, indices=rows)
    return clone(estimator).fit(X, target, **params, **weight_parameter(estimator, s)), rows


def _rows_of(estimator: BaseEstimator, X: MatrixLike, rows: Integers) -> MatrixLike:
    part = _safe_indexing(X, rows)
    return _safe_indexing(part, rows, axis=1) if get_tags(estimator).input_tags.pairwise else part


def _balanced(target: Integers, weights: Floats | None) -> Floats:
    """Weights by which both sides have the same sum, and all rows the sum that they had."""
    s = np.ones(len(target)) if weights is None else weights
    sums = np.bincount(target, weights=s)
    return s * (np.sum(s) / (2.0 * sums))[target]
