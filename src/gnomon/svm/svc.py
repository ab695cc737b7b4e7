"""Support vector classification.

    minimise over f, b    ½‖f‖² + Σᵢ Cᵢ max(0, 1 − yᵢ (f(xᵢ) + b)),    Cᵢ = C · class weight · sample weight        (1)
    maximise over α       Σᵢ αᵢ − ½ Σᵢⱼ αᵢαⱼ yᵢyⱼ k(xᵢ, xⱼ),    0 ≤ αᵢ ≤ Cᵢ,    Σᵢ αᵢyᵢ = 0                        (2)

or with squares of the slacks, which add 1/(2Cᵢ) to the diagonal of the kernel matrix and leave α without an upper
bound. f(x) = Σᵢ αᵢyᵢ k(xᵢ, x). C = ∞ is the hard margin. Cortes & Vapnik (1995), doi:10.1007/BF00994018.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import (
    Array,
    ArrayLike,
    ClassWeight,
    CountOrZero,
    Floats,
    Integers,
    IterationLimit,
    MatrixLike,
    NonNegative,
    Positive,
    PositiveOrInfinite,
    Seed,
    Verbosity,
    available_if,
    is_sparse,
)
from gnomon.kernels import Against, KernelLike
from gnomon.numerics.parallel import blas_threads
from gnomon.numerics.weights import check_weights, class_weights
from gnomon.optim import KernelDual, Solution
from gnomon.penalties.forms import Objective
from gnomon.svm._errors import NotSeparableError
from gnomon.svm._margins import MarginClassifier, margin_part
from gnomon.svm._platt import class_probabilities, sigmoid_of_left_out
from gnomon.svm._reductions import (
    MultiClass,
    by_class,
    dual_coefficients,
    pair_votes,
    two_class_problems,
    votes_and_sums,
)
from gnomon.svm._solvers import SolverName
from gnomon.svm._support import DualProblem, price

__all__ = ["SVC"]

DEPRECATED = (
    "Attribute `prob{}_` was deprecated in scikit-learn 1.9 and goes with `probability` in 1.11; use "
    "CalibratedClassifierCV(SVC(), ensemble=False) or gnomon.decision.CalibratedScorer(SVC()) in its place"
)


class SVC(ClassifierMixin, MarginClassifier):
    """Support vector classification: minimise ½‖f‖² + Σᵢ Cᵢ max(0, 1 − yᵢ (f(xᵢ) + b)).

    Parameters
    ----------
    C : float, default=1.0
        Price of a unit of slack; inf for the hard margin, which exists for separable classes only.
    kernel : Kernel, callable or {"linear", "poly", "rbf", "sigmoid", "precomputed"}, default="rbf"
    degree, gamma, coef0
        Of a kernel that is named; ``gamma="scale"`` is 1/(d Var X), "auto" 1/d.
    shrinking : bool, default=True
        Leave rows out while they seem settled.
    probability : bool, default="deprecated"
        Fit probabilities to scores of five folds. Deprecated with scikit-learn's: a calibrated wrapper
        (`gnomon.decision.CalibratedScorer`, ``CalibratedClassifierCV``) serves every classifier.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of f.
    cache_size : float, default=200
        Megabytes for rows of the kernel matrix.
    class_weight : dict, "balanced" or None, default=None
    verbose : int, default=False
        Whether to send the history to the logger ``gnomon.optim``.
    max_iter : int, default=-1
        Most steps of two variables in each problem, or iterations of another solver; −1 for its own limit.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Of three classes and more: a score for each class, or for each pair.
    break_ties : bool, default=False
        Let the scores of "ovr" decide between classes with as many votes.
    random_state : int, RandomState or None, default=None
        Of the folds of `probability`, and of the order of the rows in "pegasos" (None: always the same).
    loss : {"hinge", "squared_hinge"}, default="hinge"
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, optional
        Another scaling of (1), see `gnomon.penalties.convert_lam`; with `lam` alone "mean_half".
    lam : float, optional
        λ in that scaling, in place of `C`; 0.01 if only `objective` is given.
    prior : float or array of shape (n_classes,), optional
        Prior of ``classes_[1]``, or of all classes, to train for: C_T = C π_T / π_T^emp.
    fit_intercept : bool, default=True
    penalize_intercept : bool, default=False
        Add b² to ‖f‖², as with the kernel k + 1; the dual problem then has no equality.
    multi_class : {"ovo", "ovr"}, default="ovo"
        Every class against every other, or against the rest.
    solver : {"auto", "smo", "qp", "dcd", "primal", "pegasos"}, default="auto"
        Sequential minimal optimisation, which "auto" takes, with an interior point where the kernel has few features;
        a dense quadratic program, exact for up to 2000 rows; dual coordinate ascent, with `penalize_intercept` or
        without an intercept; Newton's method on (1), whose corner is rounded within `tol`, for up to 5000 rows;
        stochastic subgradients, as "dcd" and approximate.
    gap_tol : float, optional
        Stop also when the duality gap is at most this share of the dual objective; for "smo" and "pegasos" (0.01).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_weight_ : ndarray of shape (n_classes,)
        The factor on C of each class.
    support_ : ndarray of int32 of shape (n_SV,)
        Rows with α > 0, class by class.
    support_vectors_ : ndarray, sparse matrix or list of shape (n_SV, n_features)
        Those rows; empty with a precomputed kernel.
    n_support_ : ndarray of int32 of shape (n_classes,)
    dual_coef_ : ndarray or sparse matrix of shape (1, n_SV), (n_classes − 1, n_SV) or (n_classes, n_SV)
        α y; of three classes and more in the layout of LIBSVM, of "ovr" one row for each class.
    coef_ : ndarray or sparse matrix of shape (n_problems, n_features)
        Of a linear kernel only.
    intercept_ : ndarray of shape (n_problems,)
    intercept_interval_ : ndarray of shape (n_problems, 2)
        The b that the optimality conditions allow; where they allow more than one the middle is taken.
    alpha_ : ndarray of shape (n,) or (n_problems, n)
        α of all training rows.
    slack_ : ndarray of shape (n,) or (n_problems, n)
        max(0, 1 − y f) of all training rows; nan where a row is not part of a problem.
    point_classes_ : ndarray of str, of the same shape
        "interior" (α = 0), "margin" (0 < α < C), "bound" (α = C), or "" where a row is not part of a problem.
    margin_ : float or ndarray of shape (n_problems,)
        1/‖f‖, the distance from f = 0 to f = 1 in the feature space.
    objective_, dual_gap_, kkt_residual_ : float
        The value of (1), how far it can be from the minimum at most, and the largest violation of the optimality
        conditions; over all problems.
    loo_bound_ : float
        Number of support vectors divided by n: of separable classes a bound on the expected error of n − 1 rows.
    n_iter_ : ndarray of shape (n_problems,)
        Steps of two variables, or iterations of another solver.
    converged_, stop_reason_, fit_status_ : bool, str, int
    history_ : dict of ndarray
        With a column "problem" where there are several.
    probA_, probB_ : ndarray of shape (n_problems,)
        The sigmoids of `probability`.
    shape_fit_ : tuple of int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    References
    ----------
    Cortes, C. & Vapnik, V. (1995). Support-vector networks. doi:10.1007/BF00994018

    Chang, C.-C. & Lin, C.-J. (2011). LIBSVM: a library for support vector machines. doi:10.1145/1961189.1961199

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.svm import SVC
    >>> X = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0], [0.5, 0.5]])
    >>> y = np.array([-1, -1, 1, 1, 1])
    >>> model = SVC(kernel="linear", tol=1e-9).fit(X, y)
    >>> model.alpha_.round(6), model.coef_.round(6), round(model.objective_, 6)
    (array([1.  , 0.75, 0.75, 0.  , 1.  ]), array([[ 0.5, -1. ]]), 2.875)
    >>> model.slack_.round(6), model.point_classes_
    (array([1.  , 0.  , 0.  , 0.  , 1.25]), array(['bound', 'margin', 'margin', 'interior', 'bound'], dtype='<U8'))
    """

    classes_: Array
    class_weight_: Floats
    intercept_interval_: Floats

    def __init__(
        self,
        *,
        C: PositiveOrInfinite = 1.0,
        kernel: KernelLike = "rbf",
        degree: CountOrZero = 3,
        gamma: NonNegative | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | Literal["deprecated"] = "deprecated",
        tol: Positive = 1e-3,
        cache_size: Positive = 200,
        class_weight: ClassWeight = None,
        verbose: Verbosity = False,
        max_iter: IterationLimit = -1,
        decision_function_shape: MultiClass = "ovr",
        break_ties: bool = False,
        random_state: Seed = None,
        loss: Literal["hinge", "squared_hinge"] = "hinge",
        objective: Objective | None = None,
        lam: Positive | None = None,
        prior: float | ArrayLike | None = None,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        multi_class: MultiClass = "ovo",
        solver: SolverName = "auto",
        gap_tol: Positive | None = None,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.loss = loss
        self.objective = objective
        self.lam = lam
        self.prior = prior
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.multi_class = multi_class
        self.solver = solver
        self.gap_tol = gap_tol

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1), for each problem of two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Factors on C; a row of weight 0 takes no part.

        Returns
        -------
        self
        """
        rows, y = self._read(X, y)
        weights = check_weights(sample_weight, np.empty((len(y), 0)))
        y = self._learn_classes(y, weights)
        problems = self._problems(y, weights)
        against = self._compared(rows)
        solutions = self._solve(against, problems, min(len(problems), blas_threads()))
        self._refuse_overlap(problems, solutions)
        self._report(solutions)
        self._unpack(rows, np.searchsorted(self.classes_, y), problems, solutions)
        self._fit_probabilities(against, problems)
        return self

    # From words to problems.

    def _learn_classes(self, y: Any, weights: Floats) -> Array:
        """Set the classes and their weights; y as an array."""
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, index = np.unique(y, return_inverse=True)
        self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        found = len(np.unique(index[weights > 0.0]))
        if found < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {found} class of positive weight")
        if self.prior is not None:
            factors = class_weights(y, prior=self.prior, sample_weight=weights * self.class_weight_[index])
            self.class_weight_ = self.class_weight_ * np.array(list(factors.values()))
        return y

    def _problems(self, y: Array, weights: Floats) -> list[DualProblem]:
        """(2) for each problem of two classes."""
        if self.multi_class == "ovr" and self.decision_function_shape == "ovo":
            raise ValueError("decision_function_shape='ovo' needs a score for each pair; set multi_class='ovo'")
        index = np.searchsorted(self.classes_, y)
        relative = weights * self.class_weight_[index]
        C = price(self, float(np.sum(relative)))
        found = two_class_problems(np.where(relative > 0.0, index, -1), self.classes_, self.multi_class)
        return [DualProblem(p.rows, self._dual(p.signs, C * relative[p.rows]), p.names) for p in found]

    def _dual(self, signs: Floats, prices: Floats) -> KernelDual:
        """(2) in β = αy."""
        soft = self.loss == "squared_hinge" and bool(np.all(np.isfinite(prices)))
        bound = np.full(len(signs), np.inf) if soft else prices
        return KernelDual(
            signs,
            np.where(signs > 0.0, 0.0, -bound),
            np.where(signs > 0.0, bound, 0.0),
            total=0.0 if self.fit_intercept and not self.penalize_intercept else None,
            ridge=0.5 / prices if soft else None,
        )

    def _refuse_overlap(self, problems: list[DualProblem], solutions: list[Solution[Floats]]) -> None:
        for problem, solution in zip(problems, solutions, strict=True):
            if solution.stop_reason == "diverged" and not problem.dual.bounded:
                raise NotSeparableError(
                    f"the classes {problem.names[0]} and {problem.names[1]} are not separable by kernel="
                    f"{self.kernel!r}; give a finite C, or another kernel"
                )

    # From solutions to attributes.

    def _unpack(
        self, rows: Any, index: Integers, problems: list[DualProblem], solutions: list[Solution[Floats]]
    ) -> None:
        n = len(index)
        coef = np.zeros((n, len(problems)))
        for p, (problem, solution) in enumerate(zip(problems, solutions, strict=True)):
            coef[problem.rows, p] = solution.w
        support = by_class(np.flatnonzero(np.any(coef != 0.0, axis=1)), index)
        sums = np.sum(coef, axis=0)
        self._keep(rows, support, coef[support], self._intercepts(solutions, sums))
        self.n_support_ = np.bincount(index[support], minlength=len(self.classes_)).astype(np.int32)
        self.dual_coef_ = dual_coefficients(
            self._coef, index[support], len(self.classes_), self.multi_class, is_sparse(rows)
        )
        self.n_iter_ = np.array([solution.n_iter for solution in solutions], dtype=np.int32)
        absorbed = sums if self._absorbs_intercept() else np.zeros(len(problems))
        squares = np.array([float(s.w @ s.details["scores"]) for s in solutions]) - absorbed**2
        self._norms = np.sqrt(np.maximum(squares, 0.0))
        self._parts = [margin_part(*pair) for pair in zip(problems, solutions, strict=True)]

    def _intercepts(self, solutions: list[Solution[Floats]], sums: Floats) -> Floats:
        """b of each problem; sets the intervals."""
        shifts = np.array([s.details["shift"] for s in solutions])
        found = sums if self._absorbs_intercept() else np.array([float(s.intercept) for s in solutions]) - shifts
        ranges = np.array([s.details["range"] for s in solutions]) - shifts[:, None]
        free = self.fit_intercept and not self.penalize_intercept
        self.intercept_interval_ = np.sort(ranges, axis=1) if free else np.column_stack([found, found])
        return found

    def _fit_probabilities(self, against: Against, problems: list[DualProblem]) -> None:
        """A and B of each problem, from scores of rows that were left out."""
        self._probA = self._probB = np.empty(0)
        if self.probability == "deprecated":
            return
        warnings.warn(
            "`probability` is deprecated as in scikit-learn 1.9 and goes with it in 1.11; use "
            "CalibratedClassifierCV(SVC(), ensemble=False) or gnomon.decision.CalibratedScorer(SVC()) in its place",
            FutureWarning,
            stacklevel=3,
        )
        if not self.probability:
            return
        rng, found = check_random_state(self.random_state), []
        for rows, dual, _ in problems:
            some = against.take(rows)

            def scores(train: Integers, test: Integers, some: Against = some, dual: KernelDual = dual) -> Floats:
                part = DualProblem(np.arange(len(train)), dual.take(train))
                [solution] = self._solve(some.take(train), [part])
                used = np.flatnonzero(solution.w)
                return some.combine_rows(train[used], solution.w[used], at=test) + solution.intercept

            found.append(sigmoid_of_left_out(dual.target, scores, rng))
        self._probA, self._probB = np.array(found).T

    # What a fitted model says.

    def decision_function(self, X: MatrixLike | list[Any]) -> Floats:
        """Scores f(x) + b of new rows.

        Parameters
        ----------
        X : as in `fit`; with ``kernel="precomputed"`` of shape (n_samples, n_training_rows)

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or, for "ovo", (n_samples, n_pairs)
            Positive for ``classes_[1]`` of two classes, and for the first class of a pair.
        """
        scores = self._scores(X)
        if len(self.classes_) == 2:
            return scores[:, 0]
        if self.multi_class == "ovr" or self.decision_function_shape == "ovo":
            return scores
        return votes_and_sums(scores, len(self.classes_))

    def predict(self, X: MatrixLike | list[Any]) -> Array:
        """The class of every row.

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if len(self.classes_) == 2:
            # A score of zero belongs to the second class, as in LIBSVM.
            return self.classes_[(self.decision_function(X) >= 0.0).astype(np.intp)]
        if self.multi_class == "ovr" or self.break_ties:
            return self.classes_[np.argmax(self.decision_function(X), axis=1)]
        return self.classes_[pair_votes(self._scores(X), len(self.classes_))]

    @available_if(lambda model: model._has_probabilities())
    def predict_proba(self, X: MatrixLike | list[Any]) -> Floats:
        """Probabilities of the classes, by the sigmoids that were fitted with ``probability=True``.

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self._scores(X)
        if not len(self._probA):
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        pairs = self.multi_class == "ovo"
        return class_probabilities(scores, self._probA, self._probB, len(self.classes_), pairs)

    @available_if(lambda model: model._has_probabilities())
    def predict_log_proba(self, X: MatrixLike | list[Any]) -> Floats:
        """Logarithms of `predict_proba`.

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.log(self.predict_proba(X))

    @property
    def probA_(self) -> Floats:
        """A of the sigmoids 1 / (1 + exp(A f + B)); empty without `probability`. Deprecated with it."""
        warnings.warn(DEPRECATED.format("A"), FutureWarning, stacklevel=2)
        return self._probA

    @property
    def probB_(self) -> Floats:
        """B of the sigmoids. Deprecated with `probability`."""
        warnings.warn(DEPRECATED.format("B"), FutureWarning, stacklevel=2)
        return self._probB

    def _has_probabilities(self) -> bool:
        if self.probability == "deprecated" or not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")
        return True
