"""Coordinate descent with working sets.

    minimise over w, b    Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + Σⱼ Ωⱼ(wⱼ)                                         (1)

    wⱼ ← prox(wⱼ − gⱼ/hⱼ, 1/hⱼ),    gⱼ, hⱼ the slope and curvature of the loss along coordinate j       (2)

Only a working set of coordinates is visited: the support and those that violate the optimality conditions most. On it
the loss is replaced by its quadratic model (for the squared loss, itself), b is eliminated, and (2) is repeated; a line
search makes each model step a descent of (1). The duality gap, over all coordinates, decides when to stop. Tseng & Yun
(2009), doi:10.1007/s10107-007-0170-0; Lee, Sun & Saunders (2014), doi:10.1137/130921428; working sets: Massias,
Gramfort & Salmon (2018), arXiv:1802.07481.
"""

import numpy as np
from scipy import sparse

from gnomon.optim.duality import balanced_scores, dual_at
from gnomon.optim.quadratic_model import QuadraticModel
from gnomon.optim.solution import Solution, Trace

__all__ = ["coordinate_descent", "coordinate_path"]

SMALLEST_SET = 64
NEWTON_STEPS = 5  # models of one working set before all coordinates are looked at again


def coordinate_descent(problem, theta, *, tol=1e-4, max_iter=1000, selection="cyclic", random_state=0, callback=None):
    """Minimise (1) by (2) on working sets.

    Parameters
    ----------
    problem : Problem
        A smooth loss of one score with a curvature, and a separable penalty.
    theta : ndarray
        Where to start.
    tol : float, default=1e-4
        Stop when the duality gap is at most `tol` times the objective; without a conjugate, when the largest violation
        of the optimality conditions is at most `tol` times its start value.
    max_iter : int, default=1000
        Passes over a working set, in all.
    selection : {"cyclic", "random"}, default="cyclic"
        The order of the coordinates.
    random_state : int, default=0
        Seeds that order when it is random.
    callback : callable, optional
        Called with each row of the history; a true result stops the solver.

    Returns
    -------
    Solution

    References
    ----------
    Tseng, P. & Yun, S. (2009). A coordinate gradient descent method for nonsmooth separable minimization.
    doi:10.1007/s10107-007-0170-0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, coordinate_descent
    >>> from gnomon.penalties import L1
    >>> design = Design(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), intercept="none")
    >>> problem = Problem(design, np.array([0.0, 1.0, 1.0]), SquaredLoss(), L1(0.5), np.ones(3))
    >>> coordinate_descent(problem, np.zeros(2), tol=1e-10).w.round(7)
    array([0.0833333, 0.5      ])
    """
    options = {"tol": tol, "max_iter": max_iter, "selection": selection, "random_state": random_state}
    return next(coordinate_path(problem, [problem.penalty], theta, callback=callback, **options))


def coordinate_path(
    problem, penalties, theta, *, tol=1e-4, max_iter=1000, selection="cyclic", random_state=0, callback=None
):
    """Yield the `Solution` of (1) for each penalty in turn, each started from the one before.

    The columns and Gram matrix of the working set are kept along the path.
    """
    if selection not in ("cyclic", "random"):
        raise ValueError(f"selection={selection!r} is unknown; choose 'cyclic' or 'random'")
    seed = 0 if selection == "cyclic" else 1 + int(random_state or 0)
    descent = _Descent(problem, np.array(theta, dtype=problem.design.dtype), seed)
    for penalty in penalties:
        yield descent.run(penalty, tol, max_iter, Trace(callback))


class _Descent:
    """The state of a path: coefficients, scores, working set."""

    def __init__(self, problem, theta, seed):
        self.problem, self.seed = problem, seed
        self.free = problem.design.intercept == "free"
        self.X = _columns(problem.design)
        self.w = theta[: self.X.shape[1]].astype(float)
        self.z = np.asarray(problem.scores(theta), dtype=float)
        if self.free:
            self.z = balanced_scores(problem, self.z)
        null = np.zeros_like(self.z) + problem.offset
        self.scale = problem.at_scores(balanced_scores(problem, null) if self.free else null)[0]
        self.model, self.at = None, None
        self.target = _least_set(self.X)

    def run(self, penalty, tol, max_iter, trace):
        problem, best, first, epochs = self.problem, -np.inf, None, 0
        while True:
            loss, g, v = self._gradient()
            objective = loss + penalty.value(self.w)
            violations = penalty.gap(self.w, v)
            worst = float(np.max(violations, initial=0.0))
            first = worst if first is None else first
            best = max(best, dual_at(problem, penalty, g, v))
            gap = max(objective - best, 0.0) if np.isfinite(best) else np.nan
            stopped = trace.add(epochs, objective, gap=gap, gradient_norm=worst, working_set=self.target)
            reason = _reason(gap, tol * objective, worst, tol * first)
            if reason or stopped or epochs >= max_iter:
                break
            chosen = self._working_set(violations)
            epochs += self._descend(penalty, chosen, g, v, 0.1 * worst, max_iter - epochs)
        theta = self._theta()
        return Solution(
            theta, objective, epochs, bool(reason), reason or ("callback" if stopped else "max_iter"),
            trace.history, dual_gap=gap, gradient_norm=worst,
        )  # fmt: skip

    def _gradient(self):
        """Loss, its gradient in the scores and in all coefficients; kept from the end of one penalty to the next."""
        if self.at is None:
            loss, g = self.problem.at_scores(self.z)
            self.at = loss, g, np.asarray(self.X.T @ g.astype(self.X.dtype), dtype=float)
        return self.at

    def _working_set(self, violations):
        """The support and the worst violators, at least twice as many as last time coefficients were found."""
        support = np.flatnonzero(self.w)
        self.target = min(max(2 * support.size, self.target), violations.size)
        score = violations.copy()
        score[support] = np.inf
        chosen = np.argpartition(-score, self.target - 1)[: self.target]
        return np.sort(chosen[score[chosen] > 0.0])

    def _descend(self, penalty, chosen, g, v, tol, max_epochs):
        """Model steps on one working set until the violations there are at most `tol`."""
        epochs, problem = 0, self.problem
        for _ in range(1 if problem.loss.quadratic else NEWTON_STEPS):
            model = self._model(chosen)
            W, old = model.W, self.w[model.W]
            inner = tol if problem.loss.quadratic else 0.5 * tol
            w, passes = model.minimize(penalty, old, v[W], tol=inner, max_epochs=max_epochs - epochs, seed=self.seed)
            epochs += passes
            self._step(penalty, model, w - old, g)
            if problem.loss.quadratic or epochs >= max_epochs:
                break
            g = problem.at_scores(self.z)[1]
            v = np.zeros_like(v)
            v[W] = self.X[:, W].T @ g
            if np.max(penalty.gap(self.w[W], v[W]), initial=0.0) <= tol:
                break
        return epochs

    def _model(self, chosen):
        if self.model is None or not self.problem.loss.quadratic:
            D = self.problem.weights * self.problem.loss.curvature(self.problem.y, self.z)
            # A saturated row has no curvature left; the floor keeps the model defined and the line search honest.
            D = np.maximum(np.asarray(D, dtype=float), 1e-10 * max(np.max(D), np.finfo(float).tiny))
            self.model = QuadraticModel(self.X, D.astype(self.X.dtype), centred=self.free)
        self.model.include(chosen)
        return self.model

    def _step(self, penalty, model, delta, g):
        """Move along the model's step: all of it for a quadratic loss, else as far as (1) falls (Tseng & Yun, (7))."""
        W, t, self.at = model.W, 1.0, None
        change = model.scores(delta)
        if not self.problem.loss.quadratic:
            t = self._line_search(penalty, W, delta, change, g)
        self.w[W] = self.w[W] + t * delta if t < 1.0 else self.w[W] + delta
        self.z = self.z + t * change
        if self.free and not self.problem.loss.quadratic:
            self.z = balanced_scores(self.problem, self.z)

    def _line_search(self, penalty, W, delta, change, g):
        here = penalty.value(self.w[W])
        start = self.problem.at_scores(self.z)[0] + here
        predicted = float(g @ change) + penalty.value(self.w[W] + delta) - here
        t = 1.0
        for _ in range(40):
            value = self.problem.at_scores(self.z + t * change)[0] + penalty.value(self.w[W] + t * delta)
            if value <= start + 0.01 * t * predicted + 1e-12 * abs(start):
                return t
            t *= 0.5
        return 0.0

    def _theta(self):
        """(w, b): b is what the scores have beyond Xw, the same for every row."""
        w = self.w.astype(self.problem.design.dtype)
        if not self.free:
            return w
        support = np.flatnonzero(w)
        b = np.average(self.z - self.X[:, support] @ w[support] - self.problem.offset, weights=self.problem.weights)
        return np.append(w, np.asarray(b / self.problem.design.bias, dtype=w.dtype))


def _reason(gap, enough, worst, small):
    """Which test is met; without a useful dual point (no conjugate, no strength) the violation decides."""
    if np.isfinite(gap) and gap <= enough:
        return "gap"
    return "kkt" if worst <= (1e-6 * small if np.isfinite(gap) else small) else ""


def _least_set(X):
    """How many columns make a pass over them cost as much as what is done for all rows anyway."""
    per_column = X.nnz / X.shape[1] if sparse.issparse(X) else X.shape[0]
    return max(SMALLEST_SET, int(10 * X.shape[0] / max(per_column, 1.0)))


def _columns(design):
    """X with columns at hand, and the constant column among them when b is penalised."""
    X = design.X
    if design.intercept == "penalized":
        constant = np.full((design.n, 1), design.bias, dtype=design.dtype)
        X = sparse.hstack([X, constant]) if design.sparse else np.hstack([X, constant])
    return sparse.csc_matrix(X) if sparse.issparse(X) else X
