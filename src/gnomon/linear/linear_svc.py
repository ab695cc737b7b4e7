"""Linear support vector classification, scikit-learn's way.

    minimise over w, b    C Σᵢ sᵢ max(0, 1 − yᵢ (xᵢᵀw + b))² + ½ (‖w‖² + (b/κ)²)                      (1)

κ = `intercept_scaling`: b is κ times the weight of a constant column κ, and penalised with the others. Fan et al.
(2008), LIBLINEAR, JMLR 9, 1871–1874; Hsieh et al. (2008), doi:10.1145/1390156.1390208.
"""

from __future__ import annotations

from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import (
    Array,
    ArrayLike,
    ClassWeight,
    CountOrZero,
    Floats,
    Matrix,
    MatrixLike,
    NonNegative,
    Numbers,
    Positive,
    Seed,
    Verbosity,
)
from gnomon.base.callbacks import CallbackSupportMixin, Tasks, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.linear._classifier import SparseCoefficients, class_scores, classes_of
from gnomon.linear._forms import Strength, named_form
from gnomon.linear._report import log_row, most_iterations, report
from gnomon.linear._svm_fit import PricedRows, fit_against_rest, labelled_rows, positive_classes
from gnomon.losses import HingeLoss, Loss, MulticlassHinge, SquaredHingeLoss
from gnomon.numerics.design import Design
from gnomon.optim import Problem, multiclass_dual, warn_unless_converged
from gnomon.optim.solution import History, StopReason
from gnomon.optim.units import RELATIVE, solve_naturally, weight_unit
from gnomon.penalties import L1, L2, Form, objective_form
from gnomon.penalties.forms import Norm, Objective

__all__ = ["LinearSVC"]

Hinge: TypeAlias = Literal["squared_hinge", "hinge"]
MultiClass: TypeAlias = Literal["ovr", "crammer_singer"]

LOSSES: dict[Hinge, Loss] = {"squared_hinge": SquaredHingeLoss(), "hinge": HingeLoss()}
# Up to this number of columns, further Newton steps cost next to nothing.
NARROW = 200
# The primal solvers bound the whole gradient. Newton's method squares its error at every step, so it goes on.
UNITS = {"newton": 1e-5, "lbfgs": 1.0}


class LinearSVC(CallbackSupportMixin, SparseCoefficients, ClassifierMixin, Estimator):
    """Linear support vector classification: minimise C Σᵢ sᵢ max(0, 1 − yᵢ (xᵢᵀw + b))² + ½ (‖w‖² + (b/κ)²).

    The parameters and their defaults are scikit-learn's. The intercept is penalised; for a free one use `LinearSVM`.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        "l1" replaces ½‖·‖² by the sum of moduli; it needs the squared hinge.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
    dual : "auto" or bool, default="auto"
        Solve the dual (by dual coordinate ascent) or the primal; "auto" takes the faster that exists.
    tol : float, default=1e-4
        Largest violation of the optimality conditions; with penalty "l1" the duality gap as a part of `objective_`.
        (LIBLINEAR's violation, there relative to that of w = 0, says nothing of the minimum once C is large.)
    C : float, default=1.0
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        One against the rest, or all classes at once with the multi-class hinge (then `loss`, `penalty` and `dual` are
        not used).
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1.0
    class_weight : dict, "balanced" or None, default=None
        Price of each class. As in LIBLINEAR, of one class against the rest only its own rows are priced.
    verbose : int, default=0
        Whether to send the history to the logger ``gnomon.optim``.
    random_state : int, RandomState or None, default=None
        Order of the samples in the dual.
    max_iter : int, default=1000
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, optional
        Another scaling of (1), see `LinearSVM`; with `lam` alone "mean_half".
    lam : float, optional
        λ in that scaling, in place of `C`; 0.01 if only `objective` is given (for "C" `C` itself).
    prior : float or array of shape (n_classes,), optional
        Prior of ``classes_[1]``, or of all classes, to train for: C_T = C π_T / π_T^emp.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
        0.0 without an intercept.
    objective_ : float
        Value of (1), summed over the problems of one against rest.
    dual_gap_ : float
        How far `objective_` can be from the minimum at most.
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str
    history_ : dict of ndarray
    n_features_in_ : int

    References
    ----------
    Fan, R.-E., Chang, K.-W., Hsieh, C.-J., Wang, X.-R. & Lin, C.-J. (2008). LIBLINEAR: a library for large linear
    classification. JMLR 9, 1871–1874.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import LinearSVC
    >>> X = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0], [0.5, 0.5]])
    >>> y = np.array([-1, -1, 1, 1, 1])
    >>> model = LinearSVC(tol=1e-10).fit(X, y)
    >>> model.coef_.round(4), model.intercept_.round(4), round(model.objective_, 4), round(model.dual_gap_, 7)
    (array([[ 0.3837, -0.646 ]]), array([-0.0248]), 2.8391, 0.0)
    """

    classes_: Array
    coef_: Floats
    intercept_: Numbers
    objective_: float
    dual_gap_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History

    def __init__(
        self,
        penalty: Norm = "l2",
        loss: Hinge = "squared_hinge",
        *,
        dual: Literal["auto"] | bool = "auto",
        tol: Positive = 1e-4,
        C: Positive = 1.0,
        multi_class: MultiClass = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: Positive = 1.0,
        class_weight: ClassWeight = None,
        verbose: Verbosity = 0,
        random_state: Seed = None,
        max_iter: CountOrZero = 1000,
        objective: Objective | None = None,
        lam: NonNegative | None = None,
        prior: float | ArrayLike | None = None,
    ):
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.objective = objective
        self.lam = lam
        self.prior = prior

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1)."""
        rows = labelled_rows(self, X, y, sample_weight, rest_priced=False, dtype=np.float64)
        form = _scaling(self, rows.total)
        self._strength = Strength.of(form, 1.0 if self.penalty == "l1" else 0.0, rows.total)
        bias = float(self.intercept_scaling) if self.fit_intercept else 1.0
        column: dict[str, Any] = {"intercept": "penalized" if self.fit_intercept else "none", "bias": bias}
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        if self.multi_class == "crammer_singer":
            with fit_tasks(self, "iteration", self.max_iter, X=X, y=y) as told:
                return self._fit_jointly(rows, form, column, limits, told)
        solver = _solver(self, rows.X)
        penalty = L2(form.strength, half=form.half) if self.penalty == "l2" else L1(form.strength)
        # Short runs are certified at their end only: on small data a check costs as much as a pass.
        limits |= {"random_state": self.random_state, "check_every": 100} if solver == "dcd" else {}
        limits |= {"relative_to": "objective"} if solver == "cd" else {}
        unit = form.loss_scale / weight_unit(form.loss_scale * rows.weights)
        limits |= {"tol": self.tol * unit * _gradient_unit(rows, solver)} if solver in UNITS else {}
        options = column | limits
        most = most_iterations(self, solver, len(positive_classes(self)))
        with fit_tasks(self, "iteration", most, X=X, y=y) as told:
            fit_against_rest(self, rows, LOSSES[self.loss], penalty, form.loss_scale, solver, told, **options)
            self.intercept_ = self.intercept_ if self.fit_intercept else 0.0
            return self

    def _fit_jointly(
        self, rows: PricedRows, form: Form, column: dict[str, Any], limits: dict[str, Any], told: Tasks
    ) -> Self:
        """All classes at once; of two, the difference of their vectors is kept, as in scikit-learn."""
        design = Design(rows.X, **column)
        weights = (form.loss_scale * rows.weights).astype(rows.X.dtype, copy=False)
        penalty = L2(form.strength, half=form.half)
        problem = Problem(design, rows.class_index, MulticlassHinge(), penalty, weights, n_scores=len(self.classes_))
        callback = told.rows(log_row if self.verbose else None)
        limits |= {"random_state": self.random_state, "callback": callback}
        solution = solve_naturally(multiclass_dual, problem, RELATIVE, **limits)
        warn_unless_converged(solution, self.max_iter)
        coef, intercept = design.split(problem.matrix(solution.w))
        intercept = np.broadcast_to(intercept, len(coef))
        if len(coef) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef, np.array(intercept) if self.fit_intercept else 0.0
        return report(self, [solution])

    def lam_in(self, name: Objective) -> float:
        """The λ (for "C": C) of this fit in another of the six scalings of `objective`."""
        check_is_fitted(self, "coef_")
        return self._strength.lam_in(name)

    def decision_function(self, X: MatrixLike) -> Floats:
        """The score xᵀw + b of ``classes_[1]``, or a score per class."""
        return class_scores(self, X)

    def predict(self, X: MatrixLike) -> Array:
        """The class of every row."""
        z = self.decision_function(X)
        return classes_of(self.classes_, z)


def _scaling(model: LinearSVC, n: float) -> Form:
    named = named_form(model, "C", objective="mean_half", lam=0.01)
    return objective_form(*(named or ("C", model.C)), n)


def _solver(model: LinearSVC, X: Matrix) -> str:
    """The solver for the words of the model; combinations that LIBLINEAR lacks are refused as by scikit-learn."""
    if model.penalty == "l1":
        if model.loss == "hinge" or model.dual is True:
            raise ValueError(
                f"penalty='l1' with loss={model.loss!r} and dual={model.dual!r} is not supported; "
                "use loss='squared_hinge' and dual=False, or LinearSVM(penalty='l1')"
            )
        return "cd"
    if model.loss == "hinge":
        if model.dual is False:
            raise ValueError("loss='hinge' with dual=False is not supported; use dual=True or 'auto'")
        return "dcd"
    narrow = X.shape[1] <= NARROW
    dual = model.dual if model.dual != "auto" else not narrow and X.shape[0] < X.shape[1]
    return "dcd" if dual else "newton" if narrow else "lbfgs"


def _gradient_unit(rows: PricedRows, solver: str) -> float:
    """What ‖∇‖∞ is measured in: the weight of the smaller class, times a small number where digits are cheap."""
    smaller = float(np.min(np.bincount(rows.class_index, weights=rows.weights)))
    return max(UNITS[solver] * smaller, 1e-6 * rows.total)
