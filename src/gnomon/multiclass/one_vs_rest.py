"""One-vs-rest: a classifier for each class against all others.

    f_k fitted to 2·1[y = k] − 1,  k = 1 … C;    ŷ = argmax_k f_k(x)  or  argmax_k p_k(x)                   (1)
    hard:  the class k with f_k(x) > 0 if there is exactly one, else "don't know"                            (2)
    normalised:  f_k(x)/‖w_k‖ in (1), the signed distance from the boundary of class k                       (3)

Rifkin & Klautau (2004), In defense of one-vs-all classification, JMLR 5, 101–141.
"""

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, clone, is_regressor
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from gnomon.multiclass._base import Reduction, base_has, checked_target, given_rows, log_fits, routed
from gnomon.multiclass._norms import weight_norms
from gnomon.multiclass._reject import weak_rows
from gnomon.numerics.coding import Columns, Problem, column_outputs, fit_columns, refit_columns
from gnomon.numerics.coding.columns import ConstantSide
from gnomon.numerics.validation import check_choice

__all__ = ["OneVsRestClassifier"]


class OneVsRestClassifier(MultiOutputMixin, Reduction):
    """One binary classifier for each class against the rest, combined by (1), (2) or (3).

    With two classes there is one fit, and f_0 = −f_1. A matrix of 0 and 1 as `y` is a multi-label target: each column
    is decided alone, none or several may hold. The namesake in scikit-learn gives the same results by default.

    Parameters
    ----------
    estimator : estimator
        Any classifier, or a regressor, whose prediction is then a score around ½.
    n_jobs : int, optional
        Threads for the fits.
    verbose : int, default=0
        Whether progress goes to the logger ``gnomon.multiclass``.
    combine : {"auto", "score", "proba", "hard"}, default="auto"
        What is compared: scores, even if all are negative, or probabilities, by (1); or sides, by (2). "auto" takes the
        first of these that the estimator has.
    normalize : bool, default=False
        Whether scores are divided by ‖w_k‖, equation (3). The estimator must have `coef_`, `weight_norm_`, or a kernel
        expansion. A class without linear signal has a tiny norm, and then swamps the others: a warning says so.
    balance : bool, default=False
        Whether the class and the rest weigh the same in each fit.
    reject_threshold, reject_margin : float, optional
        Refuse where the best score (or probability) is smaller, or leads the second by less.
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
        estimator,
        *,
        n_jobs=None,
        verbose=0,
        combine="auto",
        normalize=False,
        balance=False,
        reject_threshold=None,
        reject_margin=None,
        reject_label=None,
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

    def fit(self, X, y, sample_weight=None, **fit_params):
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
        weights, params = routed(self, "fit", X, sample_weight, fit_params)
        self.label_binarizer_ = LabelBinarizer(sparse_output=True)
        Y = self._sides(X, self.label_binarizer_.fit_transform(checked_target(y)))
        if self.n_classes_ == 1 and not self.multilabel_:
            return self._finish(Columns([ConstantSide().fit(X)], [None]))
        options = {"weights": weights, "balance": self.balance, "params": params, "n_jobs": self.n_jobs}
        report = log_fits if self.verbose else None
        return self._finish(fit_columns(self.estimator, X, self._problems(Y), report=report, **options))

    @available_if(base_has("partial_fit"))
    def partial_fit(self, X, y, classes=None, sample_weight=None, **partial_fit_params):
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
        first = _check_partial_fit_first_call(self, classes)
        if first:
            self.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(self.classes_)
        X = given_rows(self, self.estimator, X, reset=first)
        weights, params = routed(self, "partial_fit", X, sample_weight, partial_fit_params)
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(f"y has labels {unknown.tolist()} that are not in classes={self.classes_.tolist()}")
        problems = self._problems(self._sides(X, self.label_binarizer_.transform(y)))
        old = [clone(self.estimator) for _ in problems] if first else self.estimators_
        new = refit_columns(old, X, problems, weights=weights, params=params, n_jobs=self.n_jobs)
        return self._finish(Columns(new, [None] * len(new)))

    def predict(self, X):
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
            return super().predict(X)
        kind = self._kind(self.combine)
        signed = kind == "score" and not is_regressor(self.estimator)
        held = self._outputs(X, kind) > (0.0 if signed else 0.5)
        return self.label_binarizer_.inverse_transform(sparse.csc_array(held.astype(int)))

    @available_if(base_has("predict_proba"))
    def predict_proba(self, X):
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
        if P.shape[1] == 1:
            P = np.column_stack([1.0 - P, P])[:, : self.n_classes_]
        total = np.sum(P, axis=1, keepdims=True)
        if np.any(nothing := total[:, 0] == 0.0):
            warnings.warn(
                f"{int(np.sum(nothing))} rows have probability zero in every class and get uniform probabilities; "
                "calibrate the estimator",
                stacklevel=2,
            )
            P, total = np.where(nothing[:, None], 1.0, P), np.where(nothing[:, None], P.shape[1], total)
        return P / total

    @available_if(base_has("decision_function"))
    def decision_function(self, X):
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
    def multilabel_(self):
        """Whether the target was a matrix of 0 and 1."""
        return self.label_binarizer_.y_type_.startswith("multilabel")

    def _check_parameters(self):
        check_choice("combine", self.combine, ("auto", "score", "proba", "hard"))
        kind = self._kind(self.combine)
        limits = {"reject_threshold": self.reject_threshold, "reject_margin": self.reject_margin}
        asked = [name for name, value in limits.items() if value is not None]
        if asked and kind == "hard":
            raise ValueError(f"{asked[0]}={limits[asked[0]]!r} needs scores or probabilities, not combine='hard'")
        if self.normalize and kind != "score":
            raise ValueError(f"normalize=True divides scores, but {kind!r} is compared; set combine='score'")
        weak_rows(np.zeros((1, 2)), self.reject_threshold, self.reject_margin)

    def _sides(self, X, Y):
        """The targets of all problems as columns; sets what depends on the labels alone."""
        check_consistent_length(X, Y)
        self.classes_ = self.label_binarizer_.classes_
        if self.multilabel_ and (self.reject_threshold is not None or self.reject_margin is not None):
            raise ValueError("a multi-label target has no 'don't know'; leave reject_threshold and reject_margin out")
        self._settle_reject_label()
        return sparse.csc_array(Y)

    def _problems(self, Y):
        names = self.classes_[-Y.shape[1] :]

        def make(k):
            positive = np.zeros(Y.shape[0], dtype=bool)
            column = slice(Y.indptr[k], Y.indptr[k + 1])
            positive[Y.indices[column]] = Y.data[column] != 0
            return Problem(None, positive, (f"not {names[k]}", str(names[k])))

        return [lambda k=k: make(k) for k in range(Y.shape[1])]

    def _finish(self, columns):
        self.estimators_, self._rows = columns
        if self.normalize:
            self.weight_norms_ = weight_norms(self.estimators_, self.classes_)
        return self

    def _may_refuse(self):
        asked = self.reject_threshold is not None or self.reject_margin is not None
        return not self.multilabel_ and (asked or self._kind(self.combine) == "hard")

    def _outputs(self, X, kind):
        X = given_rows(self, self.estimator, X, reset=False)
        pairwise = self.__sklearn_tags__().input_tags.pairwise
        columns = Columns(self.estimators_, self._rows)
        return column_outputs(columns, X, kind, pairwise=pairwise, n_jobs=self.n_jobs)

    def _scores(self, X):
        """Scores of all columns; a class without rows is never the best of several."""
        scores = self._outputs(X, "score")
        if not self.multilabel_ and scores.shape[1] > 1:
            scores[:, [isinstance(estimator, ConstantSide) for estimator in self.estimators_]] = -np.inf
        return scores / self.weight_norms_ if self.normalize else scores

    def _decide(self, X):
        check_is_fitted(self)
        if self.multilabel_:
            raise ValueError("a multi-label target has no 'don't know'; use predict")
        kind = self._kind(self.combine)
        S = self._scores(X) if kind == "score" else self._outputs(X, kind)
        if S.shape[1] == 1:
            signed = kind == "score" and not is_regressor(self.estimator)
            S = np.column_stack([-S if signed else 1 - S, S])
        limits = (self.reject_threshold, self.reject_margin)
        return np.argmax(S, axis=1), np.sum(S, axis=1) != 1 if kind == "hard" else weak_rows(S, *limits)
