"""Logistic regression.

    minimise over w, b    C Σᵢ sᵢ log(1 + e^{−yᵢ(xᵢᵀw + b)}) + ½‖w‖²,    y ∈ {−1, +1}                    (1)

and for K classes the same with softmax cross-entropy and K vectors. Cox (1958),
doi:10.1111/j.2517-6161.1958.tb00292.x; K classes: Theil (1969), doi:10.2307/2525642. Other penalties, and the scalings

    "sum"        Σℓ + λΩ                     "mean"        (1/n)Σℓ + λΩ
    "sum_half"   Σℓ + (λ/2)‖w‖²              "mean_half"   (1/n)Σℓ + (λ/2)‖w‖²
    "C"          CΣℓ + ½‖w‖²                 "loss_mean"   (λ/n)Σℓ + ½‖w‖²

are reached by words, with n = Σ sᵢ and an L1 norm never halved.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import (
    Array,
    ArrayLike,
    ClassWeight,
    CountOrZero,
    Floats,
    Integers,
    Matrix,
    MatrixLike,
    NonNegative,
    Numbers,
    Positive,
    PositiveOrInfinite,
    Seed,
    Share,
    Verbosity,
    available_if,
)
from gnomon.base import validate_rows
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.linear._classifier import SparseCoefficients, classes_of, rows_to_score, scores_of_rows
from gnomon.linear._logistic_fit import (
    MultiClass,
    Parametrization,
    PenaltyWord,
    Plan,
    class_prices,
    make_plan,
    solve,
)
from gnomon.linear._report import most_iterations, report
from gnomon.linear._sampling import ClassSampling
from gnomon.linear._separation import warn_if_separated
from gnomon.numerics.coding import label_index
from gnomon.numerics.linalg import leverages
from gnomon.numerics.special import log_sigmoid, log_softmax, logit, sigmoid, softmax
from gnomon.numerics.validation import FLOATS, check_interval
from gnomon.numerics.weights import check_weights, effective_train_prior
from gnomon.optim.solution import History, Solution, StopReason, warn_unless_all_converged
from gnomon.penalties.forms import Objective

__all__ = ["LogisticRegression", "convert_parametrization"]


def _is_smooth_and_binary(model: LogisticRegression) -> Literal[True]:
    """Whether one Newton step is defined: a squared penalty or none, and an intercept that is free or absent."""
    share = 0.0 if model.l1_ratio is None else float(model.l1_ratio)
    if model.penalty in ("l1", "elasticnet") or share > 0.0 or model.penalize_intercept or model.solver == "liblinear":
        raise AttributeError(
            "one Newton step needs a squared penalty and a free intercept; refit without each row "
            "(gnomon.evaluation.loo_risk)"
        )
    return True


class LogisticRegression(CallbackSupportMixin, SparseCoefficients, ClassifierMixin, Estimator):
    """Logistic regression: P(classes_[1] | x) = σ(xᵀw + b), for K > 2 classes softmax(Wx + b).

    Takes scikit-learn's parameters with their meaning; those below `solver_options` are further ones.

    Parameters
    ----------
    penalty : {"auto", "l2", "l1", "elasticnet"} or None, default="auto"
        Ω. "auto" reads it from `l1_ratio` and `C`, as scikit-learn does from 1.8 on; it withdraws the other words.
    C : float, default=1.0
        Factor on the loss in (1); inf is no penalty.
    l1_ratio : float in [0, 1], default=0.0
        Share r of the L1 norm in r‖w‖₁ + ½(1 − r)‖w‖². None, which scikit-learn withdraws, is 0.
    dual : bool, default=False
        Solve the dual problem; with "liblinear" only.
    tol : float, default=1e-4
        Stop when no entry of the gradient of the mean loss (plus penalty/n) exceeds it. For "cd" and "prox_newton" the
        bound is on the duality gap relative to the objective, for "dcd" and "dual_newton" on their optimality
        conditions.
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1.0
        Value of the constant column whose weight is a penalised b.
    class_weight : dict, "balanced" or None, default=None
        Price of each class, multiplied into the weights of its rows.
    random_state : int, RandomState or None, default=None
        Seed of the solvers that draw rows or columns; with None every fit draws the same.
    solver : str, default="lbfgs"
        Any of "lbfgs", "newton", "irls", "bfgs", "gd", "momentum", "sgd", "asgd", "sag", "ista", "fista", "cd", "dcd",
        "dual_newton", "prox_newton", as far as it suits penalty and intercept, "auto", or scikit-learn's words:
        "newton-cholesky" is "newton", "newton-cg" "lbfgs", "saga" "sag" or, with an L1 norm, what "auto" is; "sag" is
        "lbfgs" for softmax; "liblinear" penalises b. "auto" is "newton" up to 64 parameters and 4000 rows, above
        "lbfgs"; with an L1 norm "cd", for softmax "prox_newton" up to 4096 parameters, above "fista". L-BFGS is
        preconditioned by the Hessian, from a sample of many rows.
    max_iter : int, default=100
    verbose : int, default=0
        If positive, send the history to the logger ``gnomon.optim``.
    warm_start : bool, default=False
        Start from the last solution.
    n_jobs : int or None, default=None
        Without effect, as in scikit-learn, which withdraws it: threads are those that BLAS may use.
    solver_options : dict, optional
        Further options of the solver.
    sampling : {"uniform", "shuffle", "cyclic", "balanced"} or array-like of shape (n_samples,), optional
        For "sgd" and "asgd": the order of the rows, each class drawn as often as the others, or the probability of each
        row. The objective stays (1); with ``solver_options={"correct": False}`` that of rows weighted by n qᵢ.
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, optional
        A textbook form of (1), see the module; with `lam` alone "mean_half".
    lam : float, optional
        λ in that form, in place of `C`; 0.01 if only `objective` is given (for "C" `C` itself).
    multi_class : {"auto", "softmax", "multinomial", "ovr"}, default="auto"
        One softmax over all classes ("multinomial" is the same), or each class against the rest. "auto" is the
        softmax for more than two classes.
    parametrization : {"full", "reference"}, default="full"
        K vectors, or K − 1 with zeros for a reference class: with a penalty, two different models.
    reference_class : label, optional
        The last class by default.
    sign : {1, -1}, default=1
        −1 writes the model as e^{−wᵀx}: coefficients change their sign, predictions do not.
    prior : float or array of shape (n_classes,), optional
        Class probabilities π of the application: the rows of class c then weigh n πc/nc (for two classes: π of
        ``classes_[1]``).
    threshold : float, default=0.5
        For two classes predict ``classes_[1]`` where its probability exceeds this.
    penalize_intercept : bool, default=False
        Treat b as the weight of a constant column, penalised like the others.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
        As in scikit-learn, 0.0 for "liblinear" without an intercept.
    n_iter_ : ndarray of shape (1,), or (n_classes,) for "ovr"
    converged_ : bool
        False also for separable classes without a penalty.
    stop_reason_ : str
    history_ : dict of ndarray
    objective_ : float
        Value of what is minimised; summed over the problems of "ovr".
    dual_gap_ : float
        `objective_` exceeds the minimum by no more than this; inf without a penalty.
    gradient_norm_ : float
        ‖∇‖∞ of the objective at the end.
    train_prior_ : ndarray of shape (n_classes,)
        Share of each class in the weights of the fit.
    n_parameters_, n_nonzero_ : int
        Free parameters, and coefficients that are not exactly zero.
    n_features_in_ : int

    References
    ----------
    Cox, D. R. (1958). The regression analysis of binary sequences. doi:10.1111/j.2517-6161.1958.tb00292.x

    Theil, H. (1969). A multinomial extension of the linear logit model. doi:10.2307/2525642

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import LogisticRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> model = LogisticRegression(tol=1e-8).fit(X, y)
    >>> model.intercept_.round(7), model.coef_.round(7)
    (array([-0.6793129]), array([[0.4528753]]))
    >>> model.predict_proba([[1.5]])
    array([[0.5, 0.5]])
    >>> LogisticRegression(objective="mean_half", lam=1.0, tol=1e-8).fit(X, y).coef_.round(7)
    array([[0.1907563]])
    """

    classes_: Array
    coef_: Floats
    intercept_: Numbers
    objective_: float
    dual_gap_: float
    n_iter_: Integers
    converged_: bool
    stop_reason_: StopReason
    history_: History
    gradient_norm_: float
    train_prior_: Floats
    n_parameters_: int
    n_nonzero_: int

    def __init__(
        self,
        penalty: PenaltyWord = "auto",
        *,
        C: PositiveOrInfinite = 1.0,
        l1_ratio: Share | None = 0.0,
        dual: bool = False,
        tol: NonNegative = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: Positive = 1.0,
        class_weight: ClassWeight = None,
        random_state: Seed = None,
        solver: str = "lbfgs",
        max_iter: CountOrZero = 100,
        verbose: Verbosity = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        solver_options: Mapping[str, Any] | None = None,
        sampling: ClassSampling = None,
        objective: Objective | None = None,
        lam: NonNegative | None = None,
        multi_class: MultiClass = "auto",
        parametrization: Parametrization = "full",
        reference_class: object = None,
        sign: Literal[1, -1] = 1,
        prior: float | ArrayLike | None = None,
        threshold: Share = 0.5,
        penalize_intercept: bool = False,
    ):
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.solver_options = solver_options
        self.sampling = sampling
        self.objective = objective
        self.lam = lam
        self.multi_class = multi_class
        self.parametrization = parametrization
        self.reference_class = reference_class
        self.sign = sign
        self.prior = prior
        self.threshold = threshold
        self.penalize_intercept = penalize_intercept

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1)."""
        warn_unless_all_converged(self._fit(X, y, sample_weight), self.max_iter)
        return self

    def _fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None) -> list[Solution[Floats]]:
        """Minimise (1) without a word, for a search that fits many times."""
        # As in scikit-learn, LIBLINEAR's coefficients are double.
        liblinear = self.solver == "liblinear"
        X, y = validate_rows(self, X, y, accept_sparse="csr", dtype=np.float64 if liblinear else FLOATS)
        _check_together(self)
        check_classification_targets(y)
        index, self.classes_ = label_index(y)
        K = len(self.classes_)
        if K < 2:
            raise ValueError(
                f"y has only one class, {self.classes_.tolist()}; classification needs two or more classes"
            )
        weights = check_weights(sample_weight, X)
        weights = weights * class_prices(self, index, self.classes_, weights)[index].astype(X.dtype)
        total = float(np.sum(weights, dtype=float))
        self.train_prior_ = effective_train_prior(index, sample_weight=weights)
        plan = make_plan(self, total, K, X.shape)
        self._strength = plan.strength
        most = most_iterations(self, plan.solver, K if plan.kind == "ovr" else 1)
        with fit_tasks(self, "iteration", most, X=X, y=y) as told:
            W, b, solutions = solve(self, plan, X, index, K, weights, self._start(plan, K, X), told)
            self.coef_, self.intercept_ = (self.sign * W).astype(X.dtype), (self.sign * b).astype(X.dtype)
            self.intercept_ = 0.0 if liblinear and not self.fit_intercept else self.intercept_
            report(self, solutions)
            self.n_iter_ = np.array([s.n_iter for s in solutions], dtype=np.int32)
            self.gradient_norm_ = max(s.gradient_norm for s in solutions)
            free_rows = len(W) - (plan.kind == "softmax" and self.parametrization == "reference")
            self.n_parameters_ = free_rows * (X.shape[1] + bool(self.fit_intercept))
            self.n_nonzero_ = int(np.count_nonzero(W))
            if plan.unpenalized:
                z = self._scores(X)
                self.converged_ &= not warn_if_separated(z, X, index, weights, fit_intercept=self.fit_intercept)
        return solutions

    def decision_function(self, X: MatrixLike) -> Floats:
        """Log-odds of ``classes_[1]``, or a score per class."""
        return self._scores(rows_to_score(self, X))

    def predict(self, X: MatrixLike) -> Array:
        """The most probable class; of two, ``classes_[1]`` where its probability exceeds `threshold`."""
        z = self.decision_function(X)
        cut = 0.0 if self.threshold == 0.5 else float(logit(check_interval("threshold", self.threshold, 0.0, 1.0)))
        return classes_of(self.classes_, z, cut)

    def predict_proba(self, X: MatrixLike) -> Floats:
        """P(class | x), a column per class."""
        z = self.decision_function(X)
        if z.ndim == 1:
            return np.stack([sigmoid(-z), sigmoid(z)], axis=1)
        # The softmax of the logarithms of p is p/Σp, also where every p underflows.
        return softmax(log_sigmoid(z) if self.multi_class == "ovr" else z)

    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """log P(class | x), a column per class; finite where the probability underflows."""
        z = self.decision_function(X)
        if z.ndim == 1:
            return np.stack([log_sigmoid(-z), log_sigmoid(z)], axis=1)
        return log_softmax(log_sigmoid(z) if self.multi_class == "ovr" else z)

    def log_likelihood(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Σᵢ sᵢ log P(yᵢ | xᵢ)."""
        logs = self.predict_log_proba(X)
        index, _ = label_index(y, self.classes_)
        weights = np.ones(len(logs)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        return float(weights @ logs[np.arange(len(logs)), index])

    @available_if(_is_smooth_and_binary)
    def approximate_loo_proba(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
        """P₋ᵢ(class | xᵢ) by one Newton step from the fit without row i, for the X and y of `fit`.

        z₋ᵢ = zᵢ + gᵢ/cᵢ · hᵢ/(1 − hᵢ), with slope g and curvature c of the weighted loss and leverage h of the rows
        weighted by c; for two classes and a squared penalty. Prices of classes and ρ stay those of all rows. Pregibon
        (1981), doi:10.1214/aos/1176345513; Rad & Maleki (2020), doi:10.1111/rssb.12374.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A row is left out with all its weight.

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        rows = rows_to_score(self, X)
        z = np.asarray(self._scores(rows), dtype=float)
        index, _ = label_index(y, self.classes_)
        if len(self.classes_) != 2:
            raise ValueError(f"{len(self.classes_)} classes have no single score to correct; refit without each row")
        s = np.asarray(check_weights(sample_weight, rows), dtype=float)
        s = s * class_prices(self, index, self.classes_, s)[index]
        p = sigmoid(z)
        # A curvature that underflows would leave 0/0; such a row has no influence either.
        c = np.maximum(s * p * (1.0 - p), np.finfo(float).tiny)
        rho = self._strength.rho * (1.0 if self._strength.half else 2.0)
        h = leverages(rows, rho=rho, weights=c, intercept=bool(self.fit_intercept))
        z = z + s * (p - index) / c * h / (1.0 - h)
        return np.stack([sigmoid(-z), sigmoid(z)], axis=1)

    def lam_in(self, name: Objective) -> float:
        """The λ (for "C": C) of this fit in another of the six scalings of `objective`."""
        check_is_fitted(self, "coef_")
        return self._strength.lam_in(name)

    def llr(self, X: MatrixLike) -> Floats:
        """Log-odds less those of `train_prior_`; for K classes log P(class | x) less the logs of `train_prior_`."""
        z = self.decision_function(X)
        # A class without weight has probability zero, and a ratio to it is infinite.
        with np.errstate(divide="ignore"):
            logs = np.log(self.train_prior_)
        return z - (logs[1] - logs[0]) if z.ndim == 1 else self.predict_log_proba(X) - logs

    def _scores(self, X: Matrix) -> Floats:
        z = self.sign * scores_of_rows(self, X)
        return z[:, 1] - z[:, 0] if z.ndim == 2 and len(self.classes_) == 2 else z

    def _start(self, plan: Plan, n_classes: int, X: Matrix) -> Floats | None:
        """(rows, width) of the last solution, where one is wanted and fits."""
        rows = 1 if plan.kind == "binary" else n_classes
        if not self.warm_start or vars(self).get("coef_", np.empty(0)).shape != (rows, X.shape[1]):
            return None
        parts = [self.coef_] + ([] if plan.intercept == "none" else [self.intercept_[:, None] / plan.bias])
        return (self.sign * np.hstack(parts)).astype(X.dtype)


def _check_together(model: LogisticRegression) -> None:
    """Refuse what the solver cannot use, and warn of what the penalty does not read, as scikit-learn does."""
    if model.dual and model.solver != "liblinear":
        raise ValueError(f"dual=True is for solver='liblinear', not {model.solver!r}; set dual=False")
    given = model.penalty not in ("auto", "deprecated")
    share = 0.0 if model.l1_ratio is None else float(model.l1_ratio)
    if model.solver == "liblinear" and (model.penalty is None or np.isinf(model.C)):
        raise ValueError("solver='liblinear' needs a penalty; choose another solver, or a finite C")
    if model.solver == "liblinear" and (model.penalty == "elasticnet" or (not given and 0.0 < share < 1.0)):
        raise ValueError(
            f"solver='liblinear' takes the penalty 'l1' or 'l2' alone, not l1_ratio={model.l1_ratio!r}; choose 'saga'"
        )
    if model.dual and (model.penalty == "l1" or (not given and share == 1.0)):
        raise ValueError("dual=True goes with the squared penalty; set dual=False for an L1 norm")
    if model.l1_ratio is None and model.penalty == "elasticnet":
        raise ValueError("penalty='elasticnet' with l1_ratio=None has no share of the L1 norm; give l1_ratio")
    if given:
        _warn(
            "penalty is deprecated in scikit-learn 1.8 and gone in 1.10; leave it out and give l1_ratio=0 for 'l2', "
            "l1_ratio=1 for 'l1', a number between for 'elasticnet', and C=np.inf for None",
            FutureWarning,
        )
    elif model.l1_ratio is None:
        _warn(
            "l1_ratio=None is deprecated in scikit-learn 1.8 and an error in 1.10; give a number in [0, 1]",
            FutureWarning,
        )
    unread = given and model.penalty != "elasticnet" and 0.0 < share < 1.0
    if unread or (model.penalty in ("l1", "l2") and model.l1_ratio != (model.penalty == "l1")):
        _warn(f"l1_ratio={model.l1_ratio!r} is read with penalty='elasticnet' only, not {model.penalty!r}", UserWarning)
    if model.penalty is None and model.C != 1.0:
        _warn(f"C={model.C!r} is not read with penalty=None; leave it out", UserWarning)
    if model.n_jobs is not None:
        _warn(f"n_jobs={model.n_jobs!r} has no effect, and is gone in scikit-learn 1.10; leave it out", FutureWarning)


def _warn(sentence: str, kind: type[Warning]) -> None:
    warnings.warn(sentence, kind, stacklevel=4)


def convert_parametrization(
    coef: Floats, intercept: Floats, *, to: Parametrization, reference: int = -1
) -> tuple[Floats, Floats]:
    """The same probabilities with vectors that sum to zero ("full"), or with a zero reference class.

    Parameters
    ----------
    coef : ndarray of shape (n_classes, n_features)
    intercept : ndarray of shape (n_classes,)
    to : {"full", "reference"}
    reference : int, default=-1
        The position of the reference class.

    Returns
    -------
    coef, intercept : ndarray

    References
    ----------
    Agresti, A. (2002). Categorical Data Analysis, section 7.1. doi:10.1002/0471249688

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import convert_parametrization
    >>> convert_parametrization(np.array([[1.0], [3.0]]), np.array([0.0, 4.0]), to="reference")
    (array([[-2.],
           [ 0.]]), array([-4.,  0.]))
    """
    if to not in get_args(Parametrization):
        raise ValueError(f"to={to!r} is unknown; choose 'full' or 'reference'")
    if to == "full":
        return coef - np.mean(coef, axis=0), intercept - np.mean(intercept)
    return coef - coef[reference], intercept - intercept[reference]
