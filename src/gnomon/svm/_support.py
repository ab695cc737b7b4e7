"""What support vector machines share.

    f_p(x) = Σ_{i in SV} β_ip k(xᵢ, x) + b_p                                                          (1)

for one function or several; SV are the rows with a coefficient in any of them. Schölkopf & Smola (2002), chapter 7.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _num_samples, check_is_fitted

from gnomon._typing import Floats, Integers, is_sparse
from gnomon.base import has_columns, is_given_matrix, kernel_of, kernel_rows, take_rows, warn_of_wild_scales
from gnomon.base.forms import named_form
from gnomon.base.reports import report
from gnomon.kernels import Against, Constant, Kernel, Linear, Precomputed, warn_unless_psd
from gnomon.numerics.gather import collect_columns
from gnomon.numerics.parallel import map_chunks
from gnomon.optim import KernelDual, Solution, warn_unless_all_converged
from gnomon.optim.solution import History, StopReason, log_row
from gnomon.penalties import convert_lam
from gnomon.svm._expansion import Expansion, column_weights, origin_scores
from gnomon.svm._solvers import machine_history, solve_dual
from gnomon.svm.kernel_machine import KernelMachine

__all__ = ["DualProblem", "SupportVectorMachine", "price"]


TABLE: dict[str, Any] = {"dtype": np.float64, "order": "C", "accept_sparse": "csr", "accept_large_sparse": False}
"""How tables are read."""


MOST_COLUMNS = 512
"""Most columns of a map of features that takes the place of its kernel."""


SMALL = 2**20
"""Sparse rows with up to so many entries, zeros included, are compared as dense ones: the machine is then the same."""


class DualProblem(NamedTuple):
    """A problem over some of the training rows.

    Fields
    ------
    rows : ndarray of int
        Which of the rows that were given take part.
    dual : KernelDual
    names : tuple of str
        Of the classes, negative first, where there are any.
    """

    rows: Integers
    dual: KernelDual
    names: tuple[str, ...] = ()


class SupportVectorMachine(KernelMachine):
    """Base of the machines: reads kernel and rows, solves dual problems, keeps the support vectors, scores."""

    _stored: ClassVar[dict[str, str]] = {"_coef": "(n_vectors, n_problems)", "intercept_": "(n_problems,)"}

    kernel: Any
    support_: Integers
    support_vectors_: Any
    dual_coef_: Any
    intercept_: Floats
    objective_: float
    dual_gap_: float
    kkt_residual_: float
    converged_: bool
    stop_reason_: StopReason
    fit_status_: int
    history_: History
    n_iter_: Any
    shape_fit_: tuple[int, ...]

    @abstractmethod
    def _problems(self, y: Any, weights: Floats) -> list[DualProblem]:
        """The dual problems for targets y and weights of the rows."""

    @property
    def coef_(self) -> Any:
        """Weights of the columns, of a linear kernel only."""
        check_is_fitted(self)
        if not isinstance(self._kernel, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef: Any = column_weights(self.support_vectors_, self._coef).T
        coef = sparse.csr_matrix(coef) if is_sparse(self.support_vectors_) else coef
        (coef.data if sparse.issparse(coef) else coef).flags.writeable = False
        return coef

    # Fit.

    def _read(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        if is_sparse(X) and is_given_matrix(self.kernel):
            raise TypeError("Sparse precomputed kernels are not supported.")
        found = kernel_rows(self, X, y, kernel=self.kernel, **TABLE, **options)
        rows = found if isinstance(y, str) else found[0]
        self.shape_fit_ = rows.shape if has_columns(rows) else (len(rows),)
        self._kernel = kernel_of(self, _compact(rows))
        warn_of_wild_scales(self, rows, self._kernel, stacklevel=4)
        return found

    def _compared(self, rows: Any) -> Against:
        """The kernel of the dual problem, with the training rows."""
        kernel: Kernel = self._kernel
        # A function reads rows as they were given.
        rows = rows if kernel.whole else _compact(rows)
        warn_unless_psd(kernel.against(rows), stacklevel=4)
        kernel = kernel + Constant(1.0) if self._absorbs_intercept() else kernel
        if not has_columns(rows):
            return kernel.against(rows)
        free = bool(vars(self).get("fit_intercept", False)) and not self._absorbs_intercept()
        # A finite map with few columns: the machine is a linear one of these.
        most = min(MOST_COLUMNS, self.shape_fit_[0] // 4) if self.solver in ("auto", "smo") else 0
        columns = kernel.finite_map(rows, sys.maxsize if free and isinstance(kernel, Linear) else most)
        if columns is None:
            return kernel.against(rows)
        if not free or is_sparse(columns):
            return Linear().against(columns)
        # Where Σβ = 0 the origin of the columns has no part in the problem but in b.
        return Linear().centred(columns)

    def _absorbs_intercept(self) -> bool:
        """Whether b is a part of f, penalised with it."""
        return bool(vars(self).get("penalize_intercept", False))

    def _solve(self, against: Against, problems: Sequence[DualProblem], threads: int = 1) -> list[Solution[Floats]]:
        """A solution for each problem, several at a time."""
        n = len(against.prepared)
        limit = None if self.max_iter == -1 else self.max_iter
        common = _common_matrix(against, problems, threads, self.cache_size)
        taken = 0.0 if common is None else common.matrix.nbytes / 2**20
        options: dict[str, Any] = {
            "tol": self.tol,
            "max_iter": limit,
            "cache_size": (self.cache_size - taken) / threads,
            "shrinking": self.shrinking,
            "callback": log_row if self.verbose else None,
            "gap_tol": self.gap_tol,
            "random_state": vars(self).get("random_state"),
        }

        def work(problem: DualProblem) -> Solution[Floats]:
            if common is not None:
                some, more = common.of(problem), {**options, "working_set": len(problem.rows)}
            else:
                some, more = against if len(problem.rows) == n else against.take(problem.rows), options
            found = solve_dual(self.solver, some, problem.dual, more)
            return found._replace(details={**found.details, "shift": float(origin_scores(some, found.w))})

        return map_chunks(work, problems, threads)

    def _keep(self, rows: Any, support: Integers, coef: Floats, intercepts: Floats) -> None:
        """Set the function (1): support vectors, the coefficients of each, and the intercepts."""
        self.support_ = support.astype(np.int32)
        self._coef, self.intercept_ = coef, intercepts
        self.support_vectors_ = take_rows(rows, support)
        self._vectors = self.support_vectors_ if self._kernel.whole else _compact(self.support_vectors_)
        if is_given_matrix(self.kernel):
            self._vectors, self.support_vectors_ = rows[np.ix_(support, support)], np.empty((0, 0))

    def _keep_one(self, rows: Any, problem: DualProblem, solution: Solution[Floats]) -> None:
        """Set the function of a machine with a single problem, and what belongs to it."""
        coef = np.zeros((self.shape_fit_[0], 1))
        coef[problem.rows, 0] = solution.w
        support = np.flatnonzero(coef)
        absorbed = self._absorbs_intercept()
        b = np.array([float(np.sum(solution.w)) if absorbed else solution.intercept - solution.details["shift"]])
        self._keep(rows, support, coef[support], b)
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self.dual_coef_ = sparse.csr_matrix(self._coef.T) if is_sparse(rows) else np.ascontiguousarray(self._coef.T)
        free = problem.dual.total is not None
        interval = np.sort([solution.details["range"]], axis=1) - solution.details["shift"]
        self.intercept_interval_ = interval if free else np.column_stack([b, b])
        self.n_iter_ = solution.n_iter

    def _report(self, solutions: Sequence[Solution[Floats]]) -> None:
        """Set what the solutions say about themselves together, and warn where one fell short."""
        limit = None if self.max_iter == -1 else self.max_iter
        warn_unless_all_converged(solutions, limit, stacklevel=4)
        report(self, solutions)
        # P = (F + P) − F, where F is what the solver minimised.
        self.objective_ = self.dual_gap_ - self.objective_
        self.history_ = machine_history(self.solver, self.history_)
        self.kkt_residual_ = max(solution.gradient_norm for solution in solutions)
        self.fit_status_ = int(not self.converged_)

    # Scores.

    def _expansion(self) -> Expansion:
        return Expansion(self._kernel, self._vectors, self._coef, self.intercept_)

    def _rows(self, X: Any) -> Any:
        """New rows; of a precomputed matrix the columns of the support vectors."""
        rows = super()._rows(X)
        if is_given_matrix(self.kernel):
            return rows[:, self.support_]
        return rows if self._kernel.whole else _compact(rows)

    def _scores(self, X: Any) -> Floats:
        """(1) of new rows, of shape (n, p)."""
        rows = self._rows(X)
        if not len(self.support_):
            return np.zeros((_num_samples(rows), self._coef.shape[1])) + self.intercept_
        return self._expansion().scores(rows)


def _compact(rows: Any) -> Any:
    return rows.toarray() if sparse.issparse(rows) and rows.shape[0] * rows.shape[1] <= SMALL else rows


class _CommonMatrix(NamedTuple):
    """K of all rows for several problems, and where in it each row is."""

    matrix: Floats
    places: Integers

    def of(self, problem: DualProblem) -> Against:
        """The block of a problem."""
        chosen = self.places[problem.rows]
        block = np.empty((len(chosen), len(chosen)), dtype=self.matrix.dtype)
        collect_columns(block, self.matrix, chosen, chosen)
        return Precomputed().against(block)


def _common_matrix(
    against: Against, problems: Sequence[DualProblem], threads: int, megabytes: float
) -> _CommonMatrix | None:
    """K, where it has fewer entries than the blocks of the problems together, and fits the cache with two of them for
    each thread; None where not, and where products with columns are cheaper."""
    n, sizes = len(against.prepared), [len(problem.rows) for problem in problems]
    if len(problems) == 1 or isinstance(against.kernel, Linear) or sum(m * m for m in sizes) < n * n:
        return None
    if 8 * (n * n + 2 * threads * max(sizes) ** 2) > megabytes * 2**20:
        return None
    # Rows of the same problems side by side: a block is then a few squares, and not scattered over all memory.
    key, places = np.zeros(n), np.empty(n, dtype=np.int64)
    for number, problem in enumerate(problems):
        key[problem.rows] += number * number
    order = np.argsort(key, kind="stable")
    places[order] = np.arange(n)
    return _CommonMatrix(against.take(order).matrix(), places)


def price(model: Any, total: float) -> float:
    """C of a model, from whichever scaling was given, for rows of that total weight."""
    if model.penalize_intercept and not model.fit_intercept:
        raise ValueError("penalize_intercept=True needs an intercept; set fit_intercept=True")
    form = named_form(model, "C", objective="mean_half", lam=0.01)
    return model.C if form is None else convert_lam(form[1], form[0], "C", n=total)
