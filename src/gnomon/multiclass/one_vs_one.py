"""One-vs-one: a classifier for each pair of classes.

    C(C − 1)/2 fits, each on the rows of two classes;    votes  v_k(x) = number of pairs that k wins         (1)
    decision function  v_k(x) + s_k/(3 (1 + |s_k|)),  s_k the sum of the signed scores of k's pairs           (2)

Or the loser of each duel leaves a list of classes until one is left (a decision graph, C − 1 evaluations); or the
pairwise probabilities are coupled. Knerr, Personnaz & Dreyfus (1990), doi:10.1007/978-3-642-76153-9_5; Platt,
Cristianini & Shawe-Taylor (2000), NIPS 12, 547–553; Wu, Lin & Weng (2004), JMLR 5, 975–1005.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Bools, Floats, Integers, Verbosity, available_if
from gnomon.base import FittedColumns, column_output, column_outputs, fit_columns, given_rows, offers
from gnomon.base.callbacks import fit_tasks
from gnomon.base.delegation import base_has
from gnomon.base.outputs import Output
from gnomon.base.progress import progress_of
from gnomon.multiclass._base import (
    Problems,
    Reduction,
    continue_fits,
    given_params,
    single_labels,
)
from gnomon.numerics.coding import (
    class_pairs,
    couple_pairs,
    dag_winners,
    label_index,
    pair_problem,
    pair_sums,
)
from gnomon.numerics.coding.pairs import Coupling

__all__ = ["OneVsOneClassifier"]

PairDecision: TypeAlias = Literal["vote", "dag", "coupling"]

Tie: TypeAlias = Literal["score", "margin", "first"]
"""What decides between classes with equal votes."""


class OneVsOneClassifier(Reduction):
    """One binary classifier for each pair of classes; votes, a decision graph or coupled probabilities decide.

    Each fit sees the rows of two classes only, so that a kernel machine, whose work grows with the square of the rows,
    does 2N²(C − 1)/C instead of the C N² of one-vs-rest. The namesake in scikit-learn gives the same by default.

    Parameters
    ----------
    estimator : estimator
        Any classifier, or a regressor, whose prediction is then a score around ½.
    n_jobs : int, optional
        Threads for the fits. scikit-learn's estimators on liblinear's dual solver draw from one generator of the
        process: their answers are the same from run to run with one thread only.
    decision : {"vote", "dag", "coupling"}, default="vote"
        "vote": the class with most votes, equation (1). "dag": the class left over when the first and the last of a
        list duel and the loser leaves. "coupling": the largest probability of `predict_proba`.
    tie : {"score", "margin", "first"}, default="score"
        Between classes with equal votes: the larger s of (2), or the first class. For estimators that have
        probabilities but no scores, "score" adds these themselves, as scikit-learn does, which favours later classes;
        "margin" measures them from ½.
    order : array-like of shape (n_classes,), optional
        The list of classes for "dag"; None is `classes_`. The result may depend on it where no class beats all others.
    coupling : {"wu_lin_weng", "hastie_tibshirani"}, default="wu_lin_weng"
        How `predict_proba` couples the pairs: least squares, or least Kullback–Leibler divergence.
    reject_threshold, reject_margin : float, optional
        Refuse where the best value of the decision function (for "coupling": probability) is smaller, or leads the
        second by less.
    reject_label : label, optional
        What refused rows are called. None: −1 for numbers, "reject" for strings.
    verbose : int, default=0
        1: about ten lines of progress on stderr; more: a line for each fit.

    Attributes
    ----------
    estimators_ : list of estimators
        In the order (0, 1), (0, 2), …, (1, 2), …; side 0 is the first class of a pair.
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    class_count_ : ndarray of shape (n_classes,)
        Sum of the weights of each class.
    pairwise_indices_ : tuple of ndarray or None
        The rows of each fit, if the estimator takes kernel values.
    reject_label_ : label or None
        None where nothing is ever refused.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Knerr, S., Personnaz, L. & Dreyfus, G. (1990). Single-layer learning revisited: a stepwise procedure for building
    and training a neural network. doi:10.1007/978-3-642-76153-9_5

    Platt, J. C., Cristianini, N. & Shawe-Taylor, J. (2000). Large margin DAGs for multiclass classification.
    NIPS 12, 547–553.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from gnomon.multiclass import OneVsOneClassifier
    >>> X, y = np.array([[0.0], [1.0], [5.0], [6.0], [10.0], [11.0]]), np.repeat(["low", "mid", "top"], 2)
    >>> model = OneVsOneClassifier(LogisticRegression()).fit(X, y)
    >>> model.predict([[0.5], [5.5], [10.5]]).tolist()
    ['low', 'mid', 'top']
    >>> model.votes([[0.5]]).tolist()
    [[2.0, 1.0, 0.0]]
    """

    _stored: ClassVar[dict[str, str]] = {"_list": "int (n_classes,) below n_classes"}

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        n_jobs: int | None = None,
        decision: PairDecision = "vote",
        tie: Tie = "score",
        order: ArrayLike | None = None,
        coupling: Coupling = "wu_lin_weng",
        reject_threshold: float | None = None,
        reject_margin: float | None = None,
        reject_label: object = None,
        verbose: Verbosity = 0,
    ):
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.decision = decision
        self.tie = tie
        self.order = order
        self.coupling = coupling
        self.reject_threshold = reject_threshold
        self.reject_margin = reject_margin
        self.reject_label = reject_label
        self.verbose = verbose

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit one classifier for each pair of classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        **fit_params
            For the estimator, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        self._check_parameters()
        X = given_rows(self, self.estimator, X, reset=True)
        index, self.classes_ = label_index(single_labels(y))
        if self.n_classes_ == 1:
            raise ValueError(f"y has only one class, {self.classes_.tolist()}, and no pair; give rows of two or more")
        weights, params = given_params(self, "fit", X, sample_weight, fit_params)
        self.class_count_ = np.bincount(index, weights, minlength=self.n_classes_).astype(float)
        problems = self._problems(X, index)
        with fit_tasks(self, "column", len(problems), X=X, y=y) as told:
            report = told.reported(progress_of(self.verbose, "fit"))
            columns = fit_columns(
                self.estimator, X, problems, weights=weights, params=params, n_jobs=self.n_jobs, report=report
            )
            return self._finish(columns)

    __metadata_request__partial_fit: ClassVar = {"sample_weight": UNUSED}

    @available_if(base_has("partial_fit"))
    def partial_fit(
        self,
        X: AnyRows,
        y: ArrayLike,
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
        columns = continue_fits(self, X, y, classes, sample_weight, partial_fit_params, self._more_problems)
        return self._finish(columns)

    def predict(self, X: AnyRows) -> Array:
        """The class of every row, `reject_label_` where the answer is refused.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return self._answers(X)

    def votes(self, X: AnyRows) -> Floats:
        """How many of its pairs each class wins.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to C (C − 1)/2.
        """
        wins = self._outputs(X, "hard") == 0
        return pair_sums(wins, ~wins, self.n_classes_)

    def decision_function(self, X: AnyRows) -> Floats:
        """Votes and the tie term of (2), whatever `decision` is; for two classes that of the second.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        D = self._vote_scores(X)
        return D[:, -1] if self.n_classes_ <= 2 else D

    @available_if(base_has("predict_proba"))
    def predict_proba(self, X: AnyRows) -> Floats:
        """Probabilities of the classes by coupling those of the pairs.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        if self.n_classes_ == 1:
            return np.ones((_num_samples(given_rows(self, self.estimator, X, reset=False)), 1))
        r = 1.0 - self._outputs(X, "proba")
        if self.n_classes_ == 2:
            return np.column_stack([r, 1.0 - r])
        sizes = np.sum(self.class_count_[class_pairs(self.n_classes_)], axis=1)
        return couple_pairs(r, self.n_classes_, method=self.coupling, counts=sizes)

    def dag_path(self, X: AnyRows) -> tuple[Array, Array]:
        """The duels by which the decision graph comes to its answers.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        answers : ndarray of shape (n_samples,)
            The classes that are left.
        duels : ndarray of shape (n_samples, n_classes − 1, 2)
            The two labels of every duel: the first and the last of the list.
        """
        check_is_fitted(self)
        winner, path = self._walk(given_rows(self, self.estimator, X, reset=False))
        return self.classes_[winner], self.classes_[path]

    def _check_parameters(self) -> None:
        self._kind("proba" if self.decision == "coupling" else "auto")
        if self.decision == "dag" and self._may_refuse():
            raise ValueError("decision='dag' has no scores to refuse by; use 'vote' or 'coupling' with reject options")

    def _more_problems(self, X: AnyRows, y: ArrayLike, weights: Floats | None, *, first: bool) -> Problems:
        index, _ = label_index(single_labels(y), self.classes_)
        counts = np.bincount(index, weights, minlength=self.n_classes_)
        self.class_count_ = counts.astype(float) if first else self.class_count_ + counts
        return self._problems(X, index)

    def _problems(self, X: AnyRows, index: Integers) -> Problems:
        check_consistent_length(X, index)
        self._settle_reject_label()
        self._list = self._order()
        places = np.split(np.argsort(index, kind="stable"), np.cumsum(np.bincount(index, minlength=self.n_classes_)))
        return [partial(pair_problem, places, i, j, self.classes_) for i, j in class_pairs(self.n_classes_)]

    def _finish(self, columns: FittedColumns) -> Self:
        self.estimators_ = columns.estimators
        pairwise = self.__sklearn_tags__().input_tags.pairwise
        self.pairwise_indices_ = tuple(columns.rows) if pairwise else None
        return self

    def _order(self) -> Integers:
        """The list of the decision graph, as indices of classes."""
        if self.order is None:
            return np.arange(self.n_classes_)
        order = np.ravel(self.order)
        if len(order) != self.n_classes_ or set(order.tolist()) != set(self.classes_.tolist()):
            raise ValueError(
                f"order={self.order!r} must hold each of the classes {self.classes_.tolist()} once; add those that "
                "lack, and drop the others"
            )
        return label_index(order, self.classes_)[0]

    def _may_refuse(self) -> bool:
        return self._refusal().asked

    def _outputs(self, X: AnyRows, kind: Output) -> Array:
        check_is_fitted(self)
        X = given_rows(self, self.estimator, X, reset=False)
        return column_outputs(self._columns(), X, kind, pairwise=self.pairwise_indices_ is not None, n_jobs=self.n_jobs)

    def _columns(self) -> FittedColumns:
        return FittedColumns(self.estimators_, list(self.pairwise_indices_ or [None] * len(self.estimators_)))

    def _vote_scores(self, X: AnyRows) -> Floats:
        votes, kinds = self.votes(X), offers(self.estimator)
        if self.tie == "first" or kinds == ["hard"]:
            return votes
        f = self._outputs(X, kinds[0])
        if self.tie == "margin" and (kinds[0] == "proba" or is_regressor(self.estimator)):
            f = f - 0.5
        s = pair_sums(-f, f, self.n_classes_)
        return votes + s / (3.0 * (np.abs(s) + 1.0))

    def _walk(self, X: Any) -> tuple[Integers, Integers]:
        pairs = {(i, j): l for l, (i, j) in enumerate(map(tuple, class_pairs(self.n_classes_).tolist()))}
        columns = self._columns()

        def wins(i: int, j: int, rows: Integers) -> Bools:
            l = pairs[int(i), int(j)]
            part, seen = _safe_indexing(X, rows), columns.rows[l]
            part = part if seen is None else _safe_indexing(part, seen, axis=1)
            return column_output(columns.estimators[l], part, "hard") == 0

        return dag_winners(_num_samples(X), self._list, wins)

    def _decide(self, X: AnyRows) -> tuple[Integers, Bools]:
        check_is_fitted(self)
        if self.decision == "dag":
            winner = self._walk(given_rows(self, self.estimator, X, reset=False))[0]
            return winner, np.zeros(len(winner), dtype=bool)
        S = self.predict_proba(X) if self.decision == "coupling" else self._vote_scores(X)
        return np.argmax(S, axis=1), self._refusal().of(S)
