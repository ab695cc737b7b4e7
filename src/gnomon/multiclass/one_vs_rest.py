"""One-vs-rest: a classifier for each class against all others.

    f_k fitted to 2·1[y = k] − 1,  k = 1 … C;    ŷ = argmax_k f_k(x)  or  argmax_k p_k(x)                   (1)
    hard:  the class k with f_k(x) > 0 if there is exactly one, else "don't know"                            (2)
    normalised:  f_k(x)/‖w_k‖ in (1), the signed distance from the boundary of class k                       (3)

Rifkin & Klautau (2004), In defense of one-vs-all classification, JMLR 5, 101–141.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, ClassVar, Self, TypeAlias, get_args

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin, is_regressor
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from gnomon._typing import (
    AnyRows,
    Array,
    ArrayLike,
    Bools,
    Compressed,
    Floats,
    Integers,
    MatrixLike,
    Sparse,
    Verbosity,
    available_if,
    is_sparse,
)
from gnomon.base import FittedColumns, column_outputs, fit_columns, given_rows
from gnomon.base.callbacks import fit_tasks
from gnomon.base.columns import ConstantSide
from gnomon.base.delegation import base_has
from gnomon.base.outputs import Output
from gnomon.base.progress import progress_of
from gnomon.base.targets import check_target
from gnomon.multiclass._base import (
    Problems,
    Reduction,
    Wanted,
    continue_fits,
    given_params,
    single_labels,
)
from gnomon.multiclass.norms import weight_norms
from gnomon.numerics.coding import BinaryProblem, label_index
from gnomon.numerics.validation import check_choice

__all__ = ["OneVsRestClassifier"]

LabelsOrMatrix: TypeAlias = Array | Any
"""Labels; for a multi-label target a matrix of 0 and 1, sparse if that was: who fitted knows which."""


class OneVsRestClassifier(MultiOutputMixin, Reduction):
    """One binary classifier for each class against the rest, combined by (1), (2) or (3).

    With two classes there is one fit, and f_0 = −f_1. A matrix of 0 and 1 as `y` is a multi-label target: each column
    is decided alone, none or several may hold. The namesake in scikit-learn gives the same results by default.

    Parameters
    ----------
    estimator : estimator
        Any classifier, or a regressor, whose prediction is then a score around ½.
    n_jobs : int, optional
        Threads for the fits. scikit-learn's estimators on liblinear's dual solver draw from one generator of the
        process: their answers are the same from run to run with one thread only.
    verbose : int, default=0
        1: about ten lines of progress on stderr; more: a line for each fit.
    combine : {"auto", "score", "proba", "hard"}, default="auto"
        What is compared: scores, even if all are negative, or probabilities, by (1); or sides, by (2). "auto" takes the
        first of these that the estimator has.
    normalize : bool, default=False
        Whether scores (of a regressor: minus ½) are divided by ‖w_k‖, equation (3). The estimator must have `coef_`,
        `weight_norm_`, or a kernel expansion. A class without linear signal has a tiny norm, and then swamps the
        others: a warning says so.
    balance : bool, default=False
        Whether the class and the rest weigh the same in each fit.
    reject_threshold, reject_margin : float, optional
        Refuse where the best score is smaller, or leads the second by less; for ``combine="proba"`` it is the
        probability of `predict_proba`.
    reject_label : label, optional
        What refused rows are called. None: −1 for numbers, "reject" for strings.

    Attributes
    ----------
    estimators_ : list of estimators
        One for each class; a single one if there are two classes.
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    label_binarizer_ : LabelBinarizer
    multilabel_ : bool
    reject_label_ : label or None
        None where nothing is ever refused.
    weight_norms_ : ndarray
        ‖w_k‖, with ``normalize=True``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Rifkin, R. & Klautau, A. (2004). In defense of one-vs-all classification. JMLR 5, 101–141.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from gnomon.multiclass import OneVsRestClassifier
    >>> X, y = np.array([[0.0], [1.0], [5.0], [6.0], [10.0], [11.0]]), np.repeat(["low", "mid", "top"], 2)
    >>> model = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    >>> model.predict([[0.5], [10.5]]).tolist(), len(model.estimators_)
    (['low', 'top'], 3)
    >>> hard = OneVsRestClassifier(LogisticRegression(), combine="hard").fit(X, y)
    >>> hard.predict([[0.5], [5.5], [10.5]]).tolist()  # no line has the middle on one side
    ['low', 'reject', 'top']
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        n_jobs: int | None = None,
        verbose: Verbosity = 0,
        combine: Wanted = "auto",
        normalize: bool = False,
        balance: bool = False,
        reject_threshold: float | None = None,
        reject_margin: float | None = None,
        reject_label: object = None,
    ):
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.combine = combine
        self.normalize = normalize
        self.balance = balance
        self.reject_threshold = reject_threshold
        self.reject_margin = reject_margin
        self.reject_label = reject_label

    def fit(self, X: AnyRows, y: MatrixLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit one classifier for each class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array-like of shape (n_samples,), or matrix of 0 and 1 of shape (n_samples, n_classes)
        sample_weight : array-like of shape (n_samples,), optional
        **fit_params
            For the estimator, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        self._check_parameters()
        X = given_rows(self, self.estimator, X, reset=True)
        weights, params = given_params(self, "fit", X, sample_weight, fit_params)
        self.label_binarizer_ = LabelBinarizer(sparse_output=True)
        y = check_target(y, sparse=is_sparse(y) and y.shape[1] > 1)
        Y = self._sides(X, self.label_binarizer_.fit_transform(y))
        if self.n_classes_ == 1 and not self.multilabel_:
            warnings.warn(f"y has only one class, {self.classes_.tolist()}, which every answer will be", stacklevel=2)
            return self._finish(FittedColumns([ConstantSide().fit(X)], [None]))
        options: dict[str, Any] = {"weights": weights, "balance": self.balance, "params": params, "n_jobs": self.n_jobs}
        with fit_tasks(self, "column", Y.shape[1], X=X, y=y) as told:
            report = told.reported(progress_of(self.verbose, "fit"))
            return self._finish(fit_columns(self.estimator, X, self._problems(Y), report=report, **options))

    __metadata_request__partial_fit: ClassVar = {"sample_weight": UNUSED}

    @available_if(base_has("partial_fit"))
    def partial_fit(
        self,
        X: AnyRows,
        y: MatrixLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        **partial_fit_params: Any,
    ) -> Self:
        """Continue the fits with more rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), optional
            All classes; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional
        **partial_fit_params
            For the estimator, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        self._check_parameters()
        if self.balance:
            raise ValueError("balance=True needs all rows at once; use fit, or balance=False")
        columns = continue_fits(self, X, y, classes, sample_weight, partial_fit_params, self._more_problems)
        return self._finish(columns)

    def predict(self, X: AnyRows) -> LabelsOrMatrix:
        """The class of every row, `reject_label_` where the answer is refused; for multi-label targets a matrix.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,), or matrix of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        if not self.multilabel_:
            return self._answers(X)
        kind = self._kind(self.combine)
        signed = kind == "score" and not is_regressor(self.estimator)
        held = self._outputs(X, kind) > (0.0 if signed else 0.5)
        return self.label_binarizer_.inverse_transform(sparse.csc_array(held.astype(int)))

    @available_if(base_has("predict_proba"))
    def predict_proba(self, X: AnyRows) -> Floats:
        """Probabilities of the classes: p_k/Σp; for multi-label targets each p_k as it is.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        P = self._outputs(X, "proba")
        if self.multilabel_:
            return P
        return _shares(self._of_all_classes(P, total=1.0))

    @available_if(base_has("decision_function"))
    def decision_function(self, X: AnyRows) -> Floats:
        """Scores f_k(x), or f_k(x)/‖w_k‖; for two classes the score of the second.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        check_is_fitted(self)
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @property
    def multilabel_(self) -> bool:
        """Whether the target was a matrix of 0 and 1."""
        return self.label_binarizer_.y_type_.startswith("multilabel")

    def _check_parameters(self) -> None:
        check_choice("combine", self.combine, ("auto", *get_args(Output)))
        kind = self._kind(self.combine)
        if self._refusal().asked and kind == "hard":
            raise ValueError(
                f"reject_threshold={self.reject_threshold!r} and reject_margin={self.reject_margin!r} need scores or "
                "probabilities, and hard answers have none; leave both out, or set combine='score' or 'proba'"
            )
        if self.normalize and kind != "score":
            raise ValueError(f"normalize=True divides scores, but {kind!r} is compared; set combine='score'")

    def _sides(self, X: AnyRows, Y: Sparse) -> Compressed:
        """The targets of all problems as columns; sets what depends on the labels alone."""
        check_consistent_length(X, Y)
        self.classes_ = self.label_binarizer_.classes_
        if self.multilabel_ and self._refusal().asked:
            raise ValueError("a multi-label target has no 'don't know'; leave reject_threshold and reject_margin out")
        self._settle_reject_label()
        return sparse.csc_array(Y)

    def _more_problems(self, X: AnyRows, y: MatrixLike, weights: Floats | None, *, first: bool) -> Problems:
        if first:
            self.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(self.classes_)
        if not self.multilabel_:
            y = self.classes_[label_index(single_labels(y), self.classes_)[0]]
        return self._problems(self._sides(X, self.label_binarizer_.transform(y)))

    def _problems(self, Y: Compressed) -> Problems:
        names = self.classes_[-Y.shape[1] :]

        def make(k: int) -> BinaryProblem:
            positive = np.zeros(Y.shape[0], dtype=bool)
            column = slice(Y.indptr[k], Y.indptr[k + 1])
            positive[Y.indices[column]] = Y.data[column] != 0
            return BinaryProblem(None, positive, (f"not {names[k]}", str(names[k])))

        return [partial(make, k) for k in range(Y.shape[1])]

    def _finish(self, columns: FittedColumns) -> Self:
        self.estimators_, self._rows = columns
        if self.normalize:
            self.weight_norms_ = weight_norms(self.estimators_, self.classes_)
        return self

    def _may_refuse(self) -> bool:
        return not self.multilabel_ and (self._refusal().asked or self._kind(self.combine) == "hard")

    def check_consistent(self) -> None:
        """Refuse estimators of other classes than those of the model; two may share one."""
        n_columns, n_classes = len(vars(self).get("estimators_", ())), len(vars(self).get("classes_", ()))
        if n_columns not in (n_classes, 1) or (n_columns == 1 and n_classes > 2):
            raise ValueError(f"{n_columns} estimators are in a model of {n_classes} classes")

    def _outputs(self, X: AnyRows, kind: Output) -> Array:
        X = given_rows(self, self.estimator, X, reset=False)
        pairwise = self.__sklearn_tags__().input_tags.pairwise
        columns = FittedColumns(self.estimators_, self._rows)
        return column_outputs(columns, X, kind, pairwise=pairwise, n_jobs=self.n_jobs)

    def _scores(self, X: AnyRows) -> Floats:
        """Scores of all columns, or distances; a class without rows is never the best of several."""
        scores = self._outputs(X, "score")
        if self.normalize:
            boundary = 0.5 if is_regressor(self.estimator) else 0.0
            scores = (scores - boundary) / self.weight_norms_
        if not self.multilabel_ and scores.shape[1] > 1:
            scores[:, [isinstance(one, ConstantSide) and one.side == 0 for one in self.estimators_]] = -np.inf
        return scores

    def _of_all_classes(self, S: Array, *, total: float) -> Array:
        """One column for each class: of two classes that of the first is `total` minus that of the second."""
        return np.column_stack([total - S, S])[:, : self.n_classes_] if S.shape[1] == 1 else S

    def _decide(self, X: AnyRows) -> tuple[Integers, Bools]:
        check_is_fitted(self)
        if self.multilabel_:
            raise ValueError("a multi-label target has no 'don't know'; use predict")
        kind, refusal = self._kind(self.combine), self._refusal()
        signed = kind == "score" and (self.normalize or not is_regressor(self.estimator))
        S = self._scores(X) if kind == "score" else self._outputs(X, kind)
        S = self._of_all_classes(S, total=0 if signed else 1)
        best = np.argmax(S, axis=1)
        if kind == "hard":
            return best, np.sum(S, axis=1) != 1
        return best, refusal.of(_shares(S) if kind == "proba" and refusal.asked else S)


def _shares(P: Floats) -> Floats:
    """p_k/Σp; uniform, with a warning, where all are zero."""
    total = np.sum(P, axis=1, keepdims=True)
    if np.any(nothing := total[:, 0] == 0.0):
        warnings.warn(
            f"{int(np.sum(nothing))} rows have probability zero in every class and get uniform probabilities; "
            "calibrate the estimator",
            stacklevel=3,
        )
        P, total = np.where(nothing[:, None], 1.0, P), np.where(nothing[:, None], P.shape[1], total)
    return P / total
