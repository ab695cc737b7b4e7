"""Regularised risk: any loss, any penalty, any solver that can minimise their sum.

    minimise over w, b    A Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + B Ω(w)                                          (1)

The named models of this package are instances of (1): ridge is the squared loss with L2, the lasso with L1, logistic
regression the logistic loss, and so on. A and B follow from `objective` and `lam`:

    "sum"        Σℓ + λΩ                     "mean"        (1/n)Σℓ + λΩ
    "sum_half"   Σℓ + (λ/2)‖w‖²              "mean_half"   (1/n)Σℓ + (λ/2)‖w‖²
    "C"          λΣℓ + ½‖w‖²                 "loss_mean"   (λ/n)Σℓ + ½‖w‖²

with n = Σ sᵢ; an L1 norm is never halved. Vapnik (1998), Statistical Learning Theory; Hastie, Tibshirani & Friedman
(2009), section 3.4 and 12.3, doi:10.1007/978-0-387-84858-7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import DTypeLike
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from gnomon._typing import Array, ArrayLike, ClassWeight, Floats, Integers, Matrix, MatrixLike
from gnomon.base import validate_rows
from gnomon.base.callbacks import CallbackSupportMixin, Tasks, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.linear._classifier import classes_of
from gnomon.linear._nouns import check_targets, named
from gnomon.linear._report import most_iterations, report
from gnomon.linear._sampling import ClassSampling, RowSampling, sampling_options
from gnomon.linear._scores import intercept_of, linear_scores
from gnomon.losses import AbsoluteLoss, HingeLoss, LogisticLoss, Loss, SoftmaxLoss, SquaredHingeLoss, SquaredLoss
from gnomon.numerics.design import Design
from gnomon.numerics.weights import check_weights
from gnomon.optim import Solution, fit_linear, warn_unless_converged
from gnomon.optim.solution import History, StopReason
from gnomon.penalties import L1, L2, NoPenalty, Penalty, objective_form
from gnomon.penalties.forms import Norm, Objective

__all__ = ["LinearModelClassifier", "LinearModelRegressor"]

NumberLoss: TypeAlias = Literal["squared", "absolute"]
LossWord: TypeAlias = NumberLoss | Literal["logistic", "softmax", "hinge", "squared_hinge"]

LOSSES: dict[LossWord, Loss] = {
    "squared": SquaredLoss(),
    "absolute": AbsoluteLoss(),
    "logistic": LogisticLoss(),
    "softmax": SoftmaxLoss(),
    "hinge": HingeLoss(),
    "squared_hinge": SquaredHingeLoss(),
}
PENALTIES: dict[Norm | None, Penalty] = {"l1": L1(), "l2": L2(), None: NoPenalty()}
# How a loss wants two classes: the codes of the first and of the second.
CODES: dict[str, tuple[float, float]] = {"sign": (-1.0, 1.0), "real": (-1.0, 1.0), "unit": (0.0, 1.0)}


class LinearModelRegressor(CallbackSupportMixin, RegressorMixin, Estimator):
    """Linear regression with any loss and penalty: minimise A Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + B Ω(w).

    Predictions are ``loss.inverse(Xw + b)``.

    Parameters
    ----------
    loss : Loss or str, default="squared"
        Any loss of `gnomon.losses` for numbers, a user's own, or "squared" or "absolute".
    penalty : Penalty, {"l2", "l1"} or None, default="l2"
        Ω, any penalty of `gnomon.penalties` or a user's own.
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, default="sum"
        The scaling of (1), see the module.
    lam : float, default=1.0
        λ in that scaling (for "C": C).
    solver : str, default="auto"
        A solver of `gnomon.optim.fit_linear`; an unsuitable one is refused with the list of those that suit.
    solver_options : dict, optional
        Further options of the solver, for example ``{"step": "armijo"}`` or ``{"random_state": 0}``.
    sampling : {"uniform", "shuffle", "cyclic"} or array-like of shape (n_samples,), optional
        For "sgd" and "asgd": the order of the rows, or the probability of each. The objective stays (1); with
        ``solver_options={"correct": False}`` that of rows weighted by n qᵢ.
    fit_intercept : bool, default=True
    penalize_intercept : bool, default=False
        Treat b as the weight of a constant column, penalised like the others.
    tol : float, default=1e-6
        Tolerance of the solver.
    max_iter : int, default=1000

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    objective_ : float
        Value of (1).
    dual_gap_ : float
        How far `objective_` can be from the minimum at most; nan where no dual is known.
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str
    history_ : dict of ndarray
    n_features_in_ : int

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 3.4.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    Ridge, and the same loss with an L1 penalty:

    >>> import numpy as np
    >>> from gnomon.linear import LinearModelRegressor
    >>> from gnomon.penalties import L1
    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([0.0, 1.0, 1.0])
    >>> LinearModelRegressor(lam=1.0, fit_intercept=False, tol=1e-10).fit(X, y).coef_.round(4)
    array([0.2, 0.4])
    >>> LinearModelRegressor(penalty=L1(), lam=0.5, fit_intercept=False, tol=1e-10).fit(X, y).coef_.round(4)
    array([0.0833, 0.5   ])
    """

    coef_: Floats
    intercept_: float
    objective_: float
    dual_gap_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History

    def __init__(
        self,
        loss: Loss | NumberLoss = "squared",
        penalty: Penalty | Norm | None = "l2",
        *,
        objective: Objective = "sum",
        lam: float = 1.0,
        solver: str = "auto",
        solver_options: Mapping[str, Any] | None = None,
        sampling: RowSampling = None,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        tol: float = 1e-6,
        max_iter: int = 1000,
    ):
        self.loss = loss
        self.penalty = penalty
        self.objective = objective
        self.lam = lam
        self.solver = solver
        self.solver_options = solver_options
        self.sampling = sampling
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1)."""
        X, y = validate_rows(self, X, y, accept_sparse=("csr", "csc"), y_numeric=True)
        loss = _for_numbers(self.loss, y)
        with fit_tasks(self, "iteration", most_iterations(self, self.solver, 1), X=X, y=y) as told:
            solution = _solve(self, X, y.astype(X.dtype), loss, check_weights(sample_weight, X), told)
            self.coef_, self.intercept_ = solution.w, float(solution.intercept)
            return report(self, [solution])

    def predict(self, X: MatrixLike) -> Floats:
        """The prediction ``loss.inverse(Xw + b)`` for every row."""
        return named("loss", self.loss, LOSSES).inverse(linear_scores(self, X))


def _has_probabilities(model: LinearModelClassifier) -> bool:
    """Whether the loss maps scores to probabilities."""
    loss = named("loss", model.loss, LOSSES)
    z = np.array([[-30.0, 0.0, 30.0]])
    p = np.asarray(loss.inverse(z if loss.targets == "index" else z[0]))
    if not (np.all(p >= 0.0) and np.all(p <= 1.0)):
        raise AttributeError(f"loss={loss!r} gives scores, not probabilities; calibrate it, or choose a likelihood")
    return True


class LinearModelClassifier(CallbackSupportMixin, ClassifierMixin, Estimator):
    """Linear classification with any loss and penalty: minimise A Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + B Ω(w).

    A loss over class indices (softmax, multi-class hinge) is fitted jointly; any other is fitted to two classes, and
    to more of them one against the rest. The class of a row is that of the largest score, ties to the first.

    Parameters
    ----------
    loss : Loss or str, default="logistic"
        Any loss of `gnomon.losses` for classes, a user's own, or "logistic", "softmax", "hinge", "squared_hinge" or
        "squared" (on codes −1 and +1).
    penalty : Penalty, {"l2", "l1"} or None, default="l2"
        Ω, any penalty of `gnomon.penalties` or a user's own.
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, default="mean_half"
        The scaling of (1), see the module.
    lam : float, default=0.01
        λ in that scaling (for "C": C).
    solver : str, default="auto"
        A solver of `gnomon.optim.fit_linear`; an unsuitable one is refused with the list of those that suit.
    solver_options : dict, optional
        Further options of the solver, for example ``{"step": "armijo"}`` or ``{"random_state": 0}``.
    sampling : {"uniform", "shuffle", "cyclic", "balanced"} or array-like of shape (n_samples,), optional
        For "sgd" and "asgd": the order of the rows, each class drawn as often as the others, or the probability of each
        row. The objective stays (1); with ``solver_options={"correct": False}`` that of rows weighted by n qᵢ.
    fit_intercept : bool, default=True
    penalize_intercept : bool, default=False
        Treat b as the weight of a constant column, penalised like the others.
    class_weight : dict, "balanced" or None, default=None
        Price of each class, multiplied into the weights of its rows.
    tol : float, default=1e-6
        Tolerance of the solver.
    max_iter : int, default=1000

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        One row for two classes, unless the loss has a score per class.
    intercept_ : ndarray
    objective_ : float
        Value of (1), summed over the problems of one-against-rest.
    dual_gap_ : float
        How far `objective_` can be from the minimum at most; nan where no dual is known.
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str
    history_ : dict of ndarray
        With a column "problem" for one-against-rest.
    n_features_in_ : int

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 12.3.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import LinearModelClassifier
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["a", "b", "a", "b"])
    >>> model = LinearModelClassifier(objective="C", lam=1.0, tol=1e-10).fit(X, y)
    >>> model.intercept_.round(4), model.coef_.round(4)
    (array([-0.6793]), array([[0.4529]]))
    >>> model.predict([[0.5], [2.5]])
    array(['a', 'b'], dtype='<U1')
    """

    classes_: Array
    coef_: Floats
    intercept_: Floats
    objective_: float
    dual_gap_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History

    def __init__(
        self,
        loss: Loss | LossWord = "logistic",
        penalty: Penalty | Norm | None = "l2",
        *,
        objective: Objective = "mean_half",
        lam: float = 0.01,
        solver: str = "auto",
        solver_options: Mapping[str, Any] | None = None,
        sampling: ClassSampling = None,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
    ):
        self.loss = loss
        self.penalty = penalty
        self.objective = objective
        self.lam = lam
        self.solver = solver
        self.solver_options = solver_options
        self.sampling = sampling
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1), once or for each class against the rest."""
        X, y = validate_rows(self, X, y, accept_sparse=("csr", "csc"))
        check_classification_targets(y)
        loss = named("loss", self.loss, LOSSES)
        self.classes_, index = np.unique(y, return_inverse=True)
        K = len(self.classes_)
        if K < 2:
            raise ValueError(f"y has one class only, {self.classes_[0]!r}; a classifier needs rows of two classes")
        weights = check_weights(sample_weight, X)
        price = compute_class_weight(self.class_weight, classes=self.classes_, y=y, sample_weight=weights)
        weights = weights * price.astype(X.dtype)[index]
        targets, n_scores = _targets(loss, index, K, X.dtype)
        with fit_tasks(self, "iteration", most_iterations(self, self.solver, len(targets)), X=X, y=y) as told:
            solutions = [_solve(self, X, t, loss, weights, told, n_scores) for t in targets]
            self.coef_ = np.vstack([np.atleast_2d(solution.w) for solution in solutions])
            self.intercept_ = np.concatenate([_biases(solution, n_scores, X.dtype) for solution in solutions])
            return report(self, solutions)

    def decision_function(self, X: MatrixLike) -> Floats:
        """The score of `classes_[1]` for two classes (positive: that class), of every class for more."""
        z = linear_scores(self, X)
        if z.shape[1] == 1:
            loss = named("loss", self.loss, LOSSES)
            return z[:, 0] - (loss.link(0.5) if loss.targets == "unit" else 0.0)
        return z[:, 1] - z[:, 0] if len(self.classes_) == 2 else z

    def predict(self, X: MatrixLike) -> Array:
        """The class of every row."""
        z = self.decision_function(X)
        return classes_of(self.classes_, z)

    @available_if(_has_probabilities)
    def predict_proba(self, X: MatrixLike) -> Floats:
        """The probability of every class; those of one-against-rest are divided by their sum."""
        p = named("loss", self.loss, LOSSES).inverse(linear_scores(self, X))
        if p.shape[1] == 1:
            return np.hstack([1.0 - p, p])
        total = np.sum(p, axis=1, keepdims=True)
        return np.divide(p, total, out=np.full_like(p, 1.0 / p.shape[1]), where=total > 0.0)


def _for_numbers(word: Loss | NumberLoss, y: Floats) -> Loss:
    """The loss, of which y must be targets."""
    loss = named("loss", word, LOSSES)
    if loss.targets in ("sign", "index"):
        raise ValueError(f"loss={loss!r} is for classes; use LinearModelClassifier, or a loss for numbers")
    check_targets(loss, loss.targets, y)
    return loss


def _targets(loss: Loss, index: Integers, K: int, dtype: DTypeLike) -> tuple[list[Array], int]:
    """The targets of each problem to solve, and the number of scores of each."""
    if loss.targets == "index":
        return [index], K
    if loss.targets not in CODES:
        raise ValueError(f"loss={loss!r} is for numbers; use LinearModelRegressor, or a loss for classes")
    codes = np.array(CODES[loss.targets], dtype=dtype)
    positive = [1] if K == 2 else range(K)
    return [codes[(index == k).astype(int)] for k in positive], 1


def _solve(
    model: LinearModelRegressor | LinearModelClassifier,
    X: Matrix,
    y: Array,
    loss: Loss,
    weights: Floats,
    told: Tasks,
    n_scores: int = 1,
) -> Solution[Floats]:
    form = objective_form(model.objective, model.lam, float(np.sum(weights, dtype=float)))
    penalty = named("penalty", model.penalty, PENALTIES).scaled(form.strength, half=form.half)
    options = {
        "tol": model.tol,
        "max_iter": model.max_iter,
        **sampling_options(model, model.solver),
        **(model.solver_options or {}),
    }
    options["callback"] = told.rows(options.get("callback"))
    solution = fit_linear(
        Design(X, intercept=intercept_of(model)),
        y,
        loss,
        penalty,
        (form.loss_scale * weights).astype(X.dtype),
        solver=model.solver,
        n_scores=n_scores,
        **options,
    )
    return warn_unless_converged(solution, model.max_iter, stacklevel=4)


def _biases(solution: Solution[Floats], n_scores: int, dtype: DTypeLike) -> Floats:
    return np.full(n_scores, solution.intercept, dtype=dtype)
