"""Kernel logistic regression.

    minimise over β, b    ½ βᵀKβ + C Σᵢ sᵢ log(1 + e^{−yᵢ fᵢ}),    f = Kβ + b,    P(y | x) = 1/(1 + e^{−y f(x)})     (1)
    maximise over 0 < a < 1    −½ βᵀKβ − C Σᵢ sᵢ [aᵢ log aᵢ + (1 − aᵢ) log(1 − aᵢ)],    βᵢ = C sᵢ aᵢ yᵢ            (2)

with Σᵢ βᵢ = 0 where b is free. For K classes softmax cross-entropy of K functions, with the penalty ½ Σₖ βₖᵀKβₖ. Zhu &
Hastie (2005), doi:10.1198/106186005X25619; the dual: Keerthi, Duan, Shevade & Poo (2005),
doi:10.1007/s10994-005-0768-5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _num_samples

from gnomon._typing import (
    Array,
    ArrayLike,
    ClassWeight,
    Count,
    Floats,
    MatrixLike,
    NonNegative,
    Numbers,
    Positive,
    Seed,
)
from gnomon.base import kernel_of, warn_of_wild_scales
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.base.forms import named_form
from gnomon.base.reports import report
from gnomon.kernels import Against, KernelLike, Linear, warn_unless_psd
from gnomon.losses import LogisticLoss, SoftmaxLoss
from gnomon.numerics.special import log_sigmoid, log_softmax
from gnomon.numerics.weights import check_weights
from gnomon.optim import KernelProblem, Solution, fit_kernel, warn_unless_all_converged
from gnomon.optim.solution import History, StopReason
from gnomon.penalties import objective_form
from gnomon.penalties.forms import Objective
from gnomon.svm._classes import classes_of, read_classes, signs_against_rest
from gnomon.svm._expansion import Expansion, origin_scores, without_origin
from gnomon.svm.kernel_machine import KernelMachine

__all__ = ["KernelLogisticRegression"]

MultiClass: TypeAlias = Literal["auto", "softmax", "ovr"]
SolverName: TypeAlias = Literal["auto", "newton", "lbfgs", "dual_newton"]


class KernelLogisticRegression(CallbackSupportMixin, ClassifierMixin, KernelMachine):
    """Kernel logistic regression, equation (1).

    With p = σ(f) the gradient of (1) in β is K(β + g), gᵢ = −C sᵢ yᵢ σ(−yᵢ fᵢ), and the Hessian K + KWK with
    W = diag(C sᵢ pᵢ(1 − pᵢ)): Newton's step solves (I + WK) β = Wf − g. The dual follows from
    log(1 + e^{−m}) = max over a of −a m − a log a − (1 − a) log(1 − a): what is left is least for βᵢ = C sᵢ aᵢ yᵢ,
    and aᵢ = σ(−yᵢ fᵢ) at the optimum. That is never zero, so every row has a dual coefficient, unlike in a support
    vector machine; in exchange the scores are log-odds. Primal minus dual value is a certificate: no function has an
    objective below `objective_` − `dual_gap_`.

    Parameters
    ----------
    kernel : Kernel, callable or str, default="rbf"
    C : float, default=1.0
        Factor on the loss.
    gamma : float or {"scale", "auto"}, default="scale"
        Of a kernel that is named: 1/(d Var X), 1/d or a number.
    degree, coef0 : float
        Of a kernel that is named.
    fit_intercept : bool, default=True
        Whether b is free; it is not penalised.
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, optional
        A textbook form of (1): Σℓ + λ‖f‖², (1/n)Σℓ + λ‖f‖², Σℓ + (λ/2)‖f‖², (1/n)Σℓ + (λ/2)‖f‖², CΣℓ + ½‖f‖² or
        (λ/n)Σℓ + ½‖f‖², n = Σ sᵢ; with `lam` alone "mean_half".
    lam : float, optional
        λ in that form, in place of `C`; 0.01 if only `objective` is given.
    multi_class : {"auto", "softmax", "ovr"}, default="auto"
        One softmax over K > 2 classes ("auto" too), or each class against the rest. Two classes have one function.
    class_weight : dict, "balanced" or None, default=None
        Price of each class, multiplied into the weights of its rows.
    solver : {"auto", "newton", "lbfgs", "dual_newton"}, default="auto"
        "newton" and "lbfgs" minimise (1), "dual_newton" maximises (2) in one aᵢ after the other, which a free b does
        not allow. A softmax needs "lbfgs"; "auto" is that, or else "newton".
    tol : float, default=1e-6
        Stop when the duality gap is at most this share of the objective.
    max_iter : int, default=1000
    random_state : int, RandomState or None, default=None
        Of "dual_newton", which shuffles the rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        β.
    intercept_ : float or ndarray of shape (n_classes,)
    X_fit_ : ndarray, sparse matrix or list
        The training rows.
    objective_ : float
        Value of what is minimised, in the form that `objective` names; summed over the problems of "ovr".
    dual_gap_ : float
        `objective_` exceeds the minimum by no more than this.
    gradient_norm_ : float
        ‖K(β + g)‖∞ at the end, in units of (1).
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str
    history_ : dict of ndarray
        In units of (1).
    n_parameters_ : int
        Rows with a dual coefficient.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Zhu, J. & Hastie, T. (2005). Kernel logistic regression and the import vector machine. doi:10.1198/106186005X25619

    Keerthi, S. S., Duan, K. B., Shevade, S. K. & Poo, A. N. (2005). A fast dual algorithm for kernel logistic
    regression. doi:10.1007/s10994-005-0768-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF
    >>> from gnomon.svm import KernelLogisticRegression
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    >>> model = KernelLogisticRegression(RBF(1.0), fit_intercept=False, tol=1e-12).fit(X, y)
    >>> model.dual_coef_.round(7), round(model.objective_, 7), model.dual_gap_ < 1e-11
    (array([-0.4813771,  0.4813771,  0.4813771, -0.4813771]), 2.6980635, True)
    >>> f = model.decision_function(X)
    >>> bool(np.allclose(model.dual_coef_, (2 * y - 1) / (1 + np.exp((2 * y - 1) * f))))
    True
    >>> model.predict_proba(X)[:, 1].round(7)
    array([0.4813771, 0.5186229, 0.5186229, 0.4813771])
    """

    classes_: Array
    dual_coef_: Floats
    intercept_: Numbers
    X_fit_: Any
    objective_: float
    dual_gap_: float
    gradient_norm_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        C: Positive = 1.0,
        gamma: NonNegative | Literal["scale", "auto"] = "scale",
        degree: NonNegative = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        objective: Objective | None = None,
        lam: Positive | None = None,
        multi_class: MultiClass = "auto",
        class_weight: ClassWeight = None,
        solver: SolverName = "auto",
        tol: NonNegative = 1e-6,
        max_iter: Count = 1000,
        random_state: Seed = None,
    ):
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.objective = objective
        self.lam = lam
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        rows, index = read_classes(self, X, y)
        s = check_weights(sample_weight, np.empty((_num_samples(rows), 0)))
        price = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[index], sample_weight=s)
        s = s * price[index]
        scaling = self._scaling(float(np.sum(s)))
        self._kernel, self.X_fit_ = kernel_of(self, rows), rows
        warn_of_wild_scales(self, rows, self._kernel)
        warn_unless_psd(self._kernel.against(rows))
        against = without_origin(self._kernel, rows) if self.fit_intercept else self._kernel.against(rows)
        gram = against.matrix()
        problem = KernelProblem(
            gram.astype(float, copy=False),
            index,
            SoftmaxLoss(),
            scaling.C * s,
            self.fit_intercept,
            eps=float(np.finfo(gram.dtype).eps),
        )
        with fit_tasks(self, "iteration", X=X, y=y) as told:
            solutions = [
                fit_kernel(
                    part,
                    solver=self._solver(part),
                    tol=self.tol,
                    max_iter=self.max_iter,
                    callback=told.rows(),
                    random_state=self.random_state,
                )
                for part in self._parts(problem)
            ]
            self._set([_in_place(solution, against) for solution in solutions], scaling.unit, gram.dtype)
        warn_unless_all_converged(solutions, self.max_iter)
        return self

    def decision_function(self, X: MatrixLike | list[Any]) -> Floats:
        """f(x): log-odds of ``classes_[1]``, or a score for every class.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        rows = self._rows(X)
        return self._expansion().scores(rows)

    def predict(self, X: MatrixLike | list[Any]) -> Array:
        """The most probable class.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return classes_of(self.classes_, scores)

    def predict_proba(self, X: MatrixLike | list[Any]) -> Floats:
        """P(class | x), a column per class.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: MatrixLike | list[Any]) -> Floats:
        """log P(class | x), a column per class; finite where the probability underflows.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        z = self.decision_function(X)
        if z.ndim == 1:
            return np.stack([log_sigmoid(-z), log_sigmoid(z)], axis=1)
        # The softmax of the logarithms of p is p/Σp.
        return log_softmax(log_sigmoid(z) if self.multi_class == "ovr" else z)

    def _expansion(self) -> Expansion:
        return Expansion(self._kernel, self.X_fit_, self.dual_coef_, self.intercept_)

    def _scaling(self, total: float) -> _Scaling:
        form = objective_form(*(named_form(self, "C", objective="mean_half", lam=0.01) or ("C", self.C)), total)
        unit = form.strength if form.half else 2.0 * form.strength
        return _Scaling(form.loss_scale / unit, unit)

    def _parts(self, problem: KernelProblem) -> list[KernelProblem]:
        """The problem of all classes at once, or one for each class against the rest."""
        K = len(self.classes_)
        if K > 2 and self.multi_class != "ovr":
            return [replace(problem, n_scores=K)]
        return [replace(problem, y=signs, loss=LogisticLoss()) for signs in signs_against_rest(problem.y, K)]

    def _solver(self, problem: KernelProblem) -> str:
        """The solver that "auto" means; ValueError where the given one does not apply."""
        joint = problem.n_scores > 1
        if joint and self.solver not in ("auto", "lbfgs"):
            raise ValueError(
                f"solver={self.solver!r} has one score per row, and a softmax one for each of {problem.n_scores} "
                "classes; use solver='lbfgs', or multi_class='ovr'"
            )
        if self.solver == "dual_newton" and self.fit_intercept:
            raise ValueError(
                "solver='dual_newton' moves one dual variable at a time, which a free intercept does not allow; set "
                "fit_intercept=False (a constant in the kernel is a penalised intercept), or use 'newton'"
            )
        return ("lbfgs" if joint else "newton") if self.solver == "auto" else self.solver

    def _set(self, solutions: list[Solution[Floats]], unit: float, dtype: Any) -> None:
        report(self, solutions)
        self.objective_, self.dual_gap_ = unit * self.objective_, unit * self.dual_gap_
        self.gradient_norm_ = max(solution.gradient_norm for solution in solutions)
        betas, b = [solution.w for solution in solutions], [solution.intercept for solution in solutions]
        several = len(solutions) > 1
        self.dual_coef_ = np.ascontiguousarray(np.column_stack(betas) if several else betas[0], dtype=dtype)
        self.intercept_ = np.asarray(b if several else b[0], dtype=dtype) if len(self.classes_) > 2 else float(b[0])


def _in_place(solution: Solution[Floats], against: Against) -> Solution[Floats]:
    """The solution with the origin of the rows where it was; the mean of β has no part in scores of centred rows."""
    if not isinstance(against.kernel, Linear) or against.prepared.origin is None:
        return solution
    beta = solution.w - np.mean(solution.w, axis=0)
    return solution._replace(w=beta, intercept=solution.intercept - origin_scores(against, beta))


class _Scaling(NamedTuple):
    """C of (1), and what (1) is multiplied by in the form of the user."""

    C: float
    unit: float
