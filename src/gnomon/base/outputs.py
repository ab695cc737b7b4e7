"""Outputs of fitted two-class problems for new rows.

    score  f(x) > 0,    probability  p(x) > ½,    or the side itself:  side 1, else side 0                     (1)

Allwein, Schapire & Singer (2000), Reducing multiclass to binary, JMLR 1, 113–141.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from gnomon._typing import Array, Integers, MatrixLike
from gnomon.base.columns import FittedColumns, configured
from gnomon.numerics.parallel import map_chunks

__all__ = ["column_output", "column_outputs", "offers"]


Output: TypeAlias = Literal["score", "proba", "hard"]


def offers(estimator: BaseEstimator) -> list[Output]:
    """The outputs that an estimator has, best first: "score", "proba", "hard".

    A regressor's prediction is a score around ½.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon.base import offers
    >>> offers(GaussianNB())
    ['proba', 'hard']
    """
    if is_regressor(estimator):
        return ["score", "hard"]
    methods: dict[Output, str] = {"score": "decision_function", "proba": "predict_proba", "hard": "predict"}
    return [kind for kind, method in methods.items() if getattr(estimator, method, None) is not None]


def column_output(estimator: BaseEstimator, X: MatrixLike, kind: Output) -> Array:
    """What a fitted column says of every row: its score, the probability of side 1, or the side 0 or 1 itself.

    Parameters
    ----------
    estimator : estimator
        From `fit_columns`.
    X : array-like, sparse matrix or data frame
    kind : {"score", "proba", "hard"}
        One that `offers` names. A score speaks for side 1 above 0 (a regressor's above ½), a probability above ½.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon.base import column_output
    >>> model = GaussianNB().fit(np.array([[0.0], [1.0], [4.0], [5.0]]), [0, 0, 1, 1])
    >>> column_output(model, [[0.5], [4.5]], "proba").round(3).tolist()
    [0.0, 1.0]
    """
    if is_regressor(estimator):
        value = np.ravel(estimator.predict(X))
        return value if kind == "score" else (value > 0.5).astype(int)
    if kind == "score":
        return np.ravel(estimator.decision_function(X))
    return estimator.predict_proba(X)[:, 1] if kind == "proba" else np.ravel(estimator.predict(X))


def column_outputs(
    columns: FittedColumns, X: MatrixLike, kind: Output, *, pairwise: bool = False, n_jobs: int | None = None
) -> Array:
    """`column_output` of all columns, side by side.

    Parameters
    ----------
    columns : FittedColumns
    X : array-like, sparse matrix or data frame
    kind : {"score", "proba", "hard"}
    pairwise : bool, default=False
        Whether `X` holds kernel values with all training rows, of which each column takes those that it saw.
    n_jobs : int, optional

    Returns
    -------
    ndarray of shape (n_samples, n_columns)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon.base import FittedColumns, column_outputs
    >>> model = GaussianNB().fit(np.array([[0.0], [1.0], [4.0], [5.0]]), [0, 0, 1, 1])
    >>> column_outputs(FittedColumns([model, model], [None, None]), [[0.5], [4.5]], "hard").tolist()
    [[0, 0], [1, 1]]
    """

    def output(column: tuple[BaseEstimator, Integers | None]) -> Array:
        estimator, rows = column
        return column_output(estimator, _safe_indexing(X, rows, axis=1) if pairwise and rows is not None else X, kind)

    found = map_chunks(configured(output), zip(columns.estimators, columns.rows, strict=True), n_jobs)
    return np.column_stack(found) if found else np.empty((_num_samples(X), 0))
