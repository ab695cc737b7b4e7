"""The perceptron, a linear classifier that learns from its mistakes.

    at a mistake, yᵢ (xᵢᵀw + b) ≤ 0:    w ← w + η cᵢ yᵢ xᵢ,    b ← b + η cᵢ yᵢ                             (1)

Rosenblatt (1958), doi:10.1037/h0042519; at most (R/γ)² mistakes on separable data, Novikoff (1962), Proc. Symposium on
the Mathematical Theory of Automata 12, 615–622. The parameters, defaults and, visit for visit, the steps are
scikit-learn's; `selection`, `init`, `mode`, `pocket` and `multi_class` are the textbook's switches.
"""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets, unique_labels

from gnomon._typing import (
    Array,
    ArrayLike,
    ClassWeight,
    Count,
    Floats,
    Integers,
    Matrix,
    MatrixLike,
    NonNegative,
    Positive,
    ProperShare,
    Seed,
    Share,
    Verbosity,
)
from gnomon.base import validate_rows
from gnomon.base.callbacks import UNHEARD, CallbackSupportMixin, Tasks, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.base.going_on import check_known_classes, check_known_columns
from gnomon.linear._classifier import SparseCoefficients, class_scores, classes_of
from gnomon.linear._perceptron_fit import Examples, Mode, MultiClass, PenaltyWord, Start, StartWord, fit_perceptron
from gnomon.linear._runs import check_classes
from gnomon.numerics.validation import check_non_negative
from gnomon.numerics.weights import check_weights
from gnomon.optim import Selection
from gnomon.optim.solution import History, StopReason

__all__ = ["Perceptron"]


class Perceptron(CallbackSupportMixin, SparseCoefficients, ClassifierMixin, Estimator):
    """Perceptron: at every mistake yᵢ (xᵢᵀw + b) ≤ 0 add η cᵢ yᵢ (xᵢ, 1) to (w, b).

    By default it takes the steps of scikit-learn's Perceptron, in the same order. With `selection` and ``tol=None`` it
    is the algorithm of the textbook, which stops after a pass without mistakes.

    Parameters
    ----------
    penalty : {None, "l2", "l1", "elasticnet"}, default=None
        Shrink w by α times this penalty's slope at every visit; the square is halved.
    alpha : float, default=0.0001
    l1_ratio : float, default=0.15
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Passes over the data.
    tol : float or None, default=1e-3
        Stop when the mean loss of a pass has not fallen by tol for `n_iter_no_change` passes. None: stop after a pass
        without mistakes; as in scikit-learn, `max_iter` passes without such a one are then no reason for a warning,
        unless `selection` or `mode` ask for the algorithm of the textbook.
    shuffle : bool, default=True
        Visit the rows in a new order in every pass.
    verbose : int, default=0
        Whether to send the history to the logger ``gnomon.optim``.
    eta0 : float, default=1.0
        η. It only rescales w, unless there is a penalty or a start.
    n_jobs : int or None, default=None
        Threads for the problems of one against rest; the result does not depend on it.
    random_state : int, RandomState or None, default=0
    early_stopping : bool, default=False
        Judge passes by the accuracy on a held-out part instead of the loss.
    validation_fraction : float, default=0.1
    n_iter_no_change : int, default=5
    class_weight : dict, "balanced" or None, default=None
        c of every class: it changes the length of the steps.
    warm_start : bool, default=False
        Start from the coefficients of the last fit.
    selection : {None, "cyclic", "shuffle", "random", "first_misclassified", "random_misclassified"}, default=None
        Which row is looked at next; replaces `shuffle`.
    init : {"zeros", "random", "linear_regression"} or ndarray, default="zeros"
        Start: zeros, seeded normal numbers, the least-squares fit to the labels ±1, or coefficients of shape
        (n_features,) or (n_rows, n_features), with a further column for intercepts if wanted.
    mode : {"online", "batch"}, default="online"
        Move at every mistake, or once per pass by the sum over all mistakes.
    pocket : bool, default=False
        Keep the weights with the least weighted training error, the earliest among equals.
    multi_class : {"ovr", "joint"}, default="ovr"
        One weight vector per class against the rest, or all at once: at s_y ≤ max_{j≠y} s_j add ηx to w_y and subtract
        it from the best wrong class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    n_updates_ : int
        Number of mistakes made.
    mistake_counts_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
        α: how often each row was a mistake, so that w = w₀ + η Σ αᵢ cᵢ yᵢ xᵢ without penalty.
    objective_ : float
        Mean loss max(0, −y f) at the end, summed over the problems of one against rest.
    converged_ : bool
    stop_reason_ : str
        "perfect" after a pass without mistakes, "no_change", "validation" or "max_iter".
    history_ : dict of ndarray
        One row per pass: "iteration", "objective" (mean loss met on the way, with the penalty that `tol` sees),
        "mistakes", with a pocket "error".
    n_iter_ : int
    t_ : float
        Number of visits plus one.
    n_features_in_ : int

    Notes
    -----
    With float64 data, coefficients and passes agree with those of scikit-learn 1.9 to rounding. `tol` compares, as
    there, the loss plus the penalty of the coordinates of the last updated row only, as that update left them; a visit
    thus costs no more than the stored entries of its row. Two things differ: ``tol=None``, and `early_stopping` with a
    squared penalty, where the held-out rows are scored by w, not by w without the shrinkage gathered so far.

    References
    ----------
    Rosenblatt, F. (1958). The perceptron: a probabilistic model for information storage and organization in the brain.
    doi:10.1037/h0042519

    Tsuruoka, Y., Tsujii, J. & Ananiadou, S. (2009). Stochastic gradient descent training for L1-regularized log-linear
    models with cumulative penalty. ACL 47, 477–485. doi:10.3115/1687878.1687946

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import Perceptron
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([0, 1, 1, 1])
    >>> model = Perceptron(selection="cyclic", tol=None).fit(X, y)
    >>> model.coef_, model.intercept_, model.n_updates_, model.mistake_counts_
    (array([[2., 2.]]), array([-1.]), 9, array([5, 2, 2, 0]))
    """

    classes_: Array
    coef_: Floats
    intercept_: Floats
    n_updates_: int
    mistake_counts_: Integers
    objective_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History
    t_: float

    def __init__(
        self,
        *,
        penalty: PenaltyWord = None,
        alpha: NonNegative = 0.0001,
        l1_ratio: Share = 0.15,
        fit_intercept: bool = True,
        max_iter: Count = 1000,
        tol: NonNegative | None = 1e-3,
        shuffle: bool = True,
        verbose: Verbosity = 0,
        eta0: Positive = 1.0,
        n_jobs: int | None = None,
        random_state: Seed = 0,
        early_stopping: bool = False,
        validation_fraction: ProperShare = 0.1,
        n_iter_no_change: Count = 5,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        selection: Selection | None = None,
        init: StartWord | Array = "zeros",
        mode: Mode = "online",
        pocket: bool = False,
        multi_class: MultiClass = "ovr",
    ):
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.selection = selection
        self.init = init
        self.mode = mode
        self.pocket = pocket
        self.multi_class = multi_class

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Make passes until `tol` or `max_iter`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        coef_init, intercept_init : ndarray, optional
            Start, as in scikit-learn; `init` serves the same purpose.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        goes_on = self.warm_start and "coef_" in vars(self)
        if goes_on:
            check_known_columns(self, X)
        X, y = validate_rows(self, X, y, accept_sparse="csr")
        check_classification_targets(y)
        check_non_negative("tol", self.tol or 0.0)
        if goes_on:
            check_known_classes(self.classes_, np.unique(y))
        previous = (self.coef_, self.intercept_) if goes_on else (None, None)
        start = (
            (coef_init if coef_init is not None else previous[0]),
            (intercept_init if intercept_init is not None else previous[1]),
        )
        self.classes_ = unique_labels(y)
        self.t_ = 1.0
        with fit_tasks(self, "pass", self._most_passes(), X=X, y=y) as told:
            self._learn(X, y, sample_weight, start, self.max_iter, told)
        asked = self.tol is not None or self.selection is not None or self.mode == "batch"
        if asked and not self.converged_ and self.stop_reason_ != "callback":
            warnings.warn(
                f"not converged after {self.n_iter_} passes; raise max_iter={self.max_iter}, give a tol, or use "
                "pocket=True or AveragedPerceptron if the classes overlap",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Make one pass over these rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All classes; needed in the first call only.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        first = "classes_" not in vars(self)
        X, y = validate_rows(self, X, y, accept_sparse="csr", reset=first)
        if first:
            if classes is None:
                raise ValueError("classes=None in the first call to partial_fit; give all classes that will come")
            if self.class_weight == "balanced":
                raise ValueError("class_weight='balanced' needs all rows; give partial_fit a dict of weights")
            self.classes_, self.t_ = unique_labels(classes), 1.0
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes={classes!r} differ from those of the first call, {self.classes_.tolist()}")
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(f"y has labels {unknown.tolist()} that are not in classes={self.classes_.tolist()}")
        start = (None, None) if first else (self.coef_, self.intercept_)
        return self._learn(X, y, sample_weight, start, 1, UNHEARD)

    def _most_passes(self) -> int:
        K = len(self.classes_)
        return self.max_iter * (1 if K == 2 or self.multi_class == "joint" else K)

    def _learn(
        self, X: Matrix, y: Array, sample_weight: ArrayLike | None, start: Start, max_iter: int, told: Tasks
    ) -> Self:
        check_classes(self.classes_)
        examples = Examples(X, np.searchsorted(self.classes_, y), check_weights(sample_weight, X))
        fit_perceptron(
            self,
            examples,
            start,
            max_iter,
            check_random_state(self.random_state),
            told,
        )
        return self

    def decision_function(self, X: MatrixLike) -> Floats:
        """The score xᵀw + b of ``classes_[1]``, or a score per class."""
        return class_scores(self, X)

    def predict(self, X: MatrixLike) -> Array:
        """The class of every row."""
        z = self.decision_function(X)
        return classes_of(self.classes_, z)
