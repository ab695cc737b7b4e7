"""Linear support vector machine.

    minimise over w, b    A Σᵢ sᵢ max(0, 1 − yᵢ (xᵢᵀw + b)) + B Ω(w),    Ω = ‖w‖² or ‖w‖₁                         (1)

or with the squared hinge max(0, ·)². A and B follow from `objective` and `lam`:

    "sum"        Σℓ + λΩ                     "mean"        (1/n)Σℓ + λΩ
    "sum_half"   Σℓ + (λ/2)‖w‖²              "mean_half"   (1/n)Σℓ + (λ/2)‖w‖²
    "C"          CΣℓ + ½‖w‖²                 "loss_mean"   (λ/n)Σℓ + ½‖w‖²

with n = Σ sᵢ, so C = 1/(nλ) for "mean_half"; an L1 norm is never halved. Cortes & Vapnik (1995),
doi:10.1007/BF00994018.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self, TypeAlias

from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, ClassWeight, Floats, MatrixLike, Verbosity
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.linear._classifier import class_scores, classes_of
from gnomon.linear._forms import Strength
from gnomon.linear._report import most_iterations
from gnomon.linear._sampling import ClassSampling, sampling_options
from gnomon.linear._scores import intercept_of
from gnomon.linear._svm_fit import fit_against_rest, labelled_rows, positive_classes
from gnomon.losses import HingeLoss, Loss, SquaredHingeLoss
from gnomon.numerics.validation import check_positive
from gnomon.optim.solution import History, StopReason
from gnomon.penalties import L1, L2, Form, objective_form
from gnomon.penalties.forms import Norm, Objective

__all__ = ["LinearSVM"]

Hinge: TypeAlias = Literal["hinge", "squared_hinge"]

LOSSES: dict[Hinge, Loss] = {"hinge": HingeLoss(), "squared_hinge": SquaredHingeLoss()}
PENALTIES: tuple[Norm, ...] = ("l2", "l1")


class LinearSVM(CallbackSupportMixin, ClassifierMixin, Estimator):
    """Linear support vector machine: minimise A Σᵢ sᵢ max(0, 1 − yᵢ (xᵢᵀw + b)) + B Ω(w).

    Scores are distances from the separating plane times ‖w‖: their modulus is a confidence, not a probability. More
    than two classes are separated one against the rest.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge"}, default="hinge"
    penalty : {"l2", "l1"}, default="l2"
        Ω. With "l1" some coefficients are exactly zero.
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, optional
        The scaling of (1), see the module; "mean_half" by default.
    lam : float, optional
        λ in that scaling; 0.01 by default.
    C : float, optional
        The weight of the loss in the scaling "C"; instead of `lam`.
    solver : str, default="auto"
        "qp" (exact, any intercept), "lp" (exact, hinge with L1), "dcd" (dual coordinate ascent, penalised intercept or
        none), "newton" and "lbfgs" (squared hinge), "cd" and "fista" (squared hinge, also L1), "gd", "sgd", "asgd",
        "pegasos" (approximate) or another solver of `gnomon.optim.fit_linear`; an unsuitable one is refused with the
        list of those that suit.
    solver_options : dict, optional
        Further options of the solver, for example ``{"batch_size": 10}``.
    sampling : {"uniform", "shuffle", "cyclic", "balanced"} or array-like of shape (n_samples,), optional
        For "sgd" and "asgd": the order of the rows, each class drawn as often as the others, or the probability of each
        row. The objective stays (1); with ``solver_options={"correct": False}`` that of rows weighted by n qᵢ.
    fit_intercept : bool, default=True
    penalize_intercept : bool, default=False
        Treat b as the weight of a constant column, penalised like the others.
    class_weight : dict, "balanced" or None, default=None
        Factor on the weight of every class, so that each sample has its own Cᵢ.
    prior : float or array of shape (n_classes,), optional
        Prior of ``classes_[1]``, or of all classes, to train for: C_T = C π_T / π_T^emp.
    tol : float, optional
        Tolerance of the solver; its own default where None. For "cd" the duality gap as a part of `objective_`.
    max_iter : int, optional
        Largest number of iterations of the solver; its own default where None.
    verbose : int, default=0
        Whether to send the history to the logger ``gnomon.optim``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples), or None
        α ≥ 0, where the solver has a dual: w is the sum of α y x, divided by twice B (L2) or B (half forms).
    objective_ : float
        Value of (1), summed over the problems of one against rest.
    dual_gap_ : float
        How far `objective_` can be from the minimum at most; nan where no dual is known.
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str
    history_ : dict of ndarray
        With a column "problem" for one against rest.
    n_features_in_ : int

    References
    ----------
    Cortes, C. & Vapnik, V. (1995). Support-vector networks. doi:10.1007/BF00994018

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import LinearSVM
    >>> X = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0], [0.5, 0.5]])
    >>> y = np.array([-1, -1, 1, 1, 1])
    >>> model = LinearSVM(C=1.0).fit(X, y)
    >>> model.coef_.round(4), (model.intercept_ + 0.0).round(4), round(model.objective_, 4), round(model.dual_gap_, 7)
    (array([[ 0.5, -1. ]]), array([-0.]), 2.875, 0.0)
    """

    classes_: Array
    coef_: Floats
    intercept_: Floats
    dual_coef_: Floats | None
    objective_: float
    dual_gap_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History

    def __init__(
        self,
        loss: Hinge = "hinge",
        penalty: Norm = "l2",
        *,
        objective: Objective | None = None,
        lam: float | None = None,
        C: float | None = None,
        solver: str = "auto",
        solver_options: Mapping[str, Any] | None = None,
        sampling: ClassSampling = None,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        class_weight: ClassWeight = None,
        prior: float | ArrayLike | None = None,
        tol: float | None = None,
        max_iter: int | None = None,
        verbose: Verbosity = 0,
    ):
        self.loss = loss
        self.penalty = penalty
        self.objective = objective
        self.lam = lam
        self.C = C
        self.solver = solver
        self.solver_options = solver_options
        self.sampling = sampling
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.class_weight = class_weight
        self.prior = prior
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1)."""
        rows = labelled_rows(self, X, y, sample_weight)
        loss = LOSSES[self.loss]
        form = scaling(self, rows.total)
        self._strength = Strength.of(form, 1.0 if self.penalty == "l1" else 0.0, rows.total)
        penalty = L2(form.strength, half=form.half) if self.penalty == "l2" else L1(form.strength)
        solver = _solver(self)
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        options = {name: value for name, value in limits.items() if value is not None}
        # For large C the loss of the best constant says nothing about the minimum.
        options |= {"relative_to": "objective"} if solver == "cd" else {}
        options |= sampling_options(self, solver) | dict(self.solver_options or {})
        options |= {"intercept": intercept_of(self)}
        most = most_iterations(self, solver, len(positive_classes(self)))
        with fit_tasks(self, "iteration", most, X=X, y=y) as told:
            return fit_against_rest(self, rows, loss, penalty, form.loss_scale, solver, told, **options)

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


def _solver(model: LinearSVM) -> str:
    """The solver's name, where "auto" leaves no choice but one that reads `tol` in its own unit."""
    lasso = (model.loss, model.penalty) == ("squared_hinge", "l1")
    return "cd" if model.solver == "auto" and lasso else model.solver


def scaling(model: LinearSVM, n: float) -> Form:
    """The scaling of (1) that `objective`, `lam` and `C` name, for total weight n."""
    if model.C is None:
        return objective_form(model.objective or "mean_half", 0.01 if model.lam is None else model.lam, n)
    if model.lam is not None or model.objective not in (None, "C"):
        raise ValueError(
            f"C={model.C!r} and lam={model.lam!r}, objective={model.objective!r} both set the scaling; give one of them"
        )
    return objective_form("C", check_positive("C", model.C), n)
