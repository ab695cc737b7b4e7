"""The kernel perceptron.

    f = b + Σⱼ αⱼ yⱼ k(xⱼ, ·);    at a mistake, yᵢ f(xᵢ) ≤ 0:    αᵢ ← αᵢ + η cᵢ                          (1)

Each mistake adds a bump at its row. It is the perceptron in the feature space of k, step by step, with
w = Σ αᵢ yᵢ φ(xᵢ). Aizerman, Braverman & Rozonoer (1964), Automation and Remote Control 25, 821–837; averages and votes:
Freund & Schapire (1999), doi:10.1023/A:1007662407062.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight

from gnomon._typing import (
    Array,
    ArrayLike,
    ClassWeight,
    Count,
    Floats,
    Integers,
    MatrixLike,
    NonNegative,
    Positive,
    Seed,
)
from gnomon.base import kernel_of, warn_of_wild_scales
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.base.reports import report
from gnomon.kernels import KernelLike, warn_unless_psd
from gnomon.numerics.gram_design import GramDesign
from gnomon.optim import Selection, Solution, perceptron
from gnomon.optim.solution import History, StopReason
from gnomon.svm._classes import classes_of, read_classes, signs_against_rest
from gnomon.svm._expansion import Expansion
from gnomon.svm.kernel_machine import KernelMachine

__all__ = ["KernelPerceptron"]

Output: TypeAlias = Literal["last", "averaged", "voted"]


class KernelPerceptron(CallbackSupportMixin, ClassifierMixin, KernelMachine):
    """Kernel perceptron: at every mistake yᵢ f(xᵢ) ≤ 0 add η cᵢ yᵢ k(xᵢ, ·) to f.

    The primal perceptron adds η yᵢ φ(xᵢ) to w at a mistake; from w = 0 that leaves w = Σ αᵢ yᵢ φ(xᵢ), αᵢ = η times the
    mistakes at row i, and wᵀφ(x) = Σ αᵢ yᵢ k(xᵢ, x): φ itself is never needed. It descends Σᵢ max(0, −yᵢ f(xᵢ)), row by
    row, without a penalty. If some w* has yᵢ w*ᵀφ(xᵢ) ≥ 1 for all rows, every update with η = 1 adds at least 1 to w*ᵀw
    and at most max k(x, x) to ‖w‖², so there are no more than max k(x, x) ‖w*‖² updates (Novikoff 1962).

    Parameters
    ----------
    kernel : Kernel, callable or str, default="rbf"
    gamma : float or {"scale", "auto"}, default="scale"
        Of a kernel that is named: 1/(d Var X), 1/d or a number.
    degree, coef0 : float
        Of a kernel that is named.
    eta0 : float, default=1.0
        η. Without `bias` it only rescales f.
    selection : {"cyclic", "shuffle", "random", "first_misclassified", "random_misclassified"}, default="cyclic"
        Which row is looked at next; "random" draws rows with replacement.
    bias : float, default=0.0
        b, which is not learned.
    output : {"last", "averaged", "voted"}, default="last"
        The function after the last visit, its mean over all visits, or the vote of the functions, each with as many
        votes as visits that it decided rightly.
    max_iter : int, default=1000
        Passes over the rows.
    class_weight : dict, "balanced" or None, default=None
        cᵢ, the length of the steps of each class.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        α y of the function that predicts ("voted": of the last one); one against the rest for more than two classes.
    alpha_ : ndarray of the same shape
        α ≥ 0.
    mistake_counts_ : ndarray of the same shape
        Updates of every row: α = η c times these for ``output="last"``.
    n_updates_ : int
    intercept_ : float
        `bias`.
    X_fit_ : ndarray, sparse matrix or list
    objective_ : float
        Σᵢ cᵢ max(0, −yᵢ f(xᵢ)) of the last function, summed over problems.
    converged_ : bool
        Whether a pass had no mistakes; means and votes do not need it.
    stop_reason_ : str
    n_iter_ : int
        Passes.
    history_ : dict of ndarray
    n_parameters_ : int
        Rows that were mistaken.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Aizerman, M. A., Braverman, E. M. & Rozonoer, L. I. (1964). Theoretical foundations of the potential function method
    in pattern recognition learning. Automation and Remote Control 25, 821–837.

    Freund, Y. & Schapire, R. (1999). Large margin classification using the perceptron algorithm.
    doi:10.1023/A:1007662407062

    Examples
    --------
    The exclusive or, which no line divides:

    >>> import numpy as np
    >>> from gnomon.kernels import Polynomial
    >>> from gnomon.svm import KernelPerceptron
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    >>> model = KernelPerceptron(Polynomial(2)).fit(X, y)
    >>> model.alpha_, model.n_iter_, model.decision_function(X)
    (array([7., 5., 5., 4.]), 8, array([-1.,  2.,  2., -3.]))
    """

    classes_: Array
    dual_coef_: Floats
    alpha_: Floats
    mistake_counts_: Integers
    n_updates_: int
    X_fit_: Any
    objective_: float
    converged_: bool
    stop_reason_: StopReason
    n_iter_: int
    history_: History

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: NonNegative | Literal["scale", "auto"] = "scale",
        degree: NonNegative = 3,
        coef0: float = 0.0,
        eta0: Positive = 1.0,
        selection: Selection = "cyclic",
        bias: float = 0.0,
        output: Output = "last",
        max_iter: Count = 1000,
        class_weight: ClassWeight = None,
        random_state: Seed = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.eta0 = eta0
        self.selection = selection
        self.bias = bias
        self.output = output
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike) -> Self:
        """Visit the rows until none is mistaken.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        rows, index = read_classes(self, X, y)
        prices = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[index])
        step = float(self.eta0) * prices[index]
        self._kernel, self.X_fit_ = kernel_of(self, rows), rows
        warn_of_wild_scales(self, rows, self._kernel)
        warn_unless_psd(against := self._kernel.against(rows))
        gram = against.matrix()
        design = GramDesign(gram.astype(float, copy=False))
        with fit_tasks(self, "pass", X=X, y=y) as told:
            problems = signs_against_rest(index, len(self.classes_))
            runs = [self._run(design, signs, step, told.rows()) for signs in problems]
            self._set(runs, float(np.sum(prices[index])), gram.dtype)
        if self.output == "last" and not self.converged_ and self.stop_reason_ != "callback":
            self._warn()
        return self

    def decision_function(self, X: MatrixLike | list[Any]) -> Floats:
        """f(x) for ``classes_[1]`` or for every class; with ``output="voted"`` the votes for less those against.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        rows = self._rows(X)
        if self._votes is None:
            return self._expansion().scores(rows)
        counted = np.column_stack([vote.cast(self._expansion(), rows) for vote in self._votes])
        return counted[:, 0] if len(self.classes_) == 2 else counted

    def predict(self, X: MatrixLike | list[Any]) -> Array:
        """The class of every row.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return classes_of(self.classes_, scores)

    def _expansion(self) -> Expansion:
        return Expansion(self._kernel, self.X_fit_, self.dual_coef_, self.intercept_)

    def _run(self, design: GramDesign, signs: Floats, step: Floats, callback: Any) -> _PerceptronRun:
        solution = perceptron(
            design,
            signs,
            step / float(self.eta0),
            np.full((1, design.n), float(self.bias)),
            eta=float(self.eta0),
            selection=self.selection,
            max_iter=self.max_iter,
            keep_log=self.output != "last",
            random_state=check_random_state(self.random_state),
            callback=callback,
        )
        return _PerceptronRun(signs, step, solution)

    def _set(self, runs: Sequence[_PerceptronRun], total: float, dtype: Any) -> None:
        """Set what the runs have found; their objectives are means over a total weight."""
        report(self, [run.solution for run in runs])
        self.objective_ *= total
        counts = np.column_stack([run.solution.details["counts"] for run in runs])
        alphas = np.column_stack([run.alpha(self.output) for run in runs]).astype(dtype)
        signed = alphas * np.column_stack([run.signs for run in runs]).astype(dtype)
        self.n_updates_ = int(np.sum(counts))
        self.mistake_counts_, self.alpha_, self.dual_coef_ = (
            part[:, 0] if len(runs) == 1 else part for part in (counts, alphas, signed)
        )
        self.intercept_ = float(self.bias)
        self._votes = [run.votes() for run in runs] if self.output == "voted" else None

    def _warn(self) -> None:
        left = self.history_["mistakes"][-1]
        warnings.warn(
            f"not converged after {self.n_iter_} passes: the last one met {left:.0f} mistakes, and {self._kernel!r} "
            f"may not separate the classes; raise max_iter={self.max_iter}, choose another kernel, or use "
            "output='averaged'",
            ConvergenceWarning,
            stacklevel=3,
        )


class _PerceptronRun(NamedTuple):
    """One binary problem and how the perceptron went through it."""

    signs: Floats
    step: Floats
    solution: Solution[Floats]

    def alpha(self, output: Output) -> Floats:
        """α of the last function, or of the mean over all visits."""
        if output != "averaged":
            return self.step * self.solution.details["counts"]
        when, which = self.solution.details["log"].T
        total = self.solution.details["visits"]
        share = (total - when + 1) / max(total, 1)
        return self.step * np.bincount(which, weights=share, minlength=len(self.step))

    def votes(self) -> _Votes:
        """The steps between functions, and how long each of them lasted."""
        when, which = self.solution.details["log"].T
        ends = np.append(when, self.solution.details["visits"] + 1)
        return _Votes(which, (self.step * self.signs)[which], np.diff(ends, prepend=0) - 1)


class _Votes(NamedTuple):
    """Functions f_k = b + Σ_{j ≤ k} aⱼ k(x_{iⱼ}, ·) and the votes of each, the first for b alone."""

    rows: Integers
    steps: Floats
    votes: Integers

    def cast(self, expansion: Expansion, X: Any) -> Floats:
        """Σ_k cₖ sign f_k(x)."""
        chosen, place = np.unique(self.rows, return_inverse=True)
        blocks = expansion.gram_blocks(X, chosen)
        return np.concatenate([self._of_block(K, place, expansion.intercept) for K in blocks])

    def _of_block(self, K: Floats, place: Integers, bias: float) -> Floats:
        scores = np.full(len(K), bias)
        total = self.votes[0] * np.sign(scores)
        for i, a, c in zip(place, self.steps, self.votes[1:], strict=True):
            scores += a * K[:, i]
            total += c * np.sign(scores)
        return total
