"""Are the optimality conditions of a support vector machine met?

    g = Kβ + rβ − t:    ∂₊F(β)ᵢ + b ≥ 0 where βᵢ < uᵢ,    ∂₋F(β)ᵢ + b ≤ 0 where βᵢ > lᵢ              (1)
    l ≤ β ≤ u,    Σᵢ βᵢ = s                                                                          (2)
    Lᵢ(zᵢ) = βᵢzᵢ − ε|βᵢ| − ½rᵢβᵢ²,    z = t − f − b                                                  (3)

for the dual problem of `gnomon.optim.KernelDual`. In classification (1) reads: α = 0 ⇒ yf ≥ 1, 0 < α < C ⇒ yf = 1,
α = C ⇒ yf ≤ 1; and (3) α(yf − 1 + ξ) = 0 and (C − α)ξ = 0. Kuhn & Tucker (1951), Nonlinear programming.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats, MatrixLike, Positive
from gnomon.numerics.weights import check_weights
from gnomon.svm._support import DualProblem, SupportVectorMachine

__all__ = ["KKTReport", "check_kkt"]


class KKTReport(NamedTuple):
    """How far a machine is from the optimality conditions; true as a condition where they hold.

    Fields
    ------
    stationarity : float
        Largest violation of (1), in units of f.
    feasibility : float
        Largest violation of (2), as a share of the largest |β|.
    complementarity : float
        Largest difference of the two sides of (3), in units of the objective.
    dual_gap : float
        The sum of these differences: the objective exceeds its minimum by no more.
    tol : float

    References
    ----------
    Kuhn, H. W. & Tucker, A. W. (1951). Nonlinear programming. Proc. 2nd Berkeley Symposium, 481–492.

    Examples
    --------
    >>> from gnomon.svm import KKTReport
    >>> bool(KKTReport(1e-4, 0.0, 1e-3, 0.01, tol=1e-3)), bool(KKTReport(0.1, 0.0, 1e-3, 0.01, tol=1e-3))
    (True, False)
    """

    stationarity: float
    feasibility: float
    complementarity: float
    dual_gap: float
    tol: float

    @property
    def residual(self) -> float:
        """The larger of the violations of (1) and (2)."""
        return max(self.stationarity, self.feasibility)

    def __bool__(self) -> bool:
        return self.residual <= self.tol


def check_kkt(
    model: SupportVectorMachine,
    X: MatrixLike | list[Any],
    y: ArrayLike | None = None,
    tol: Positive = 1e-3,
    *,
    sample_weight: ArrayLike | None = None,
) -> KKTReport:
    """The optimality conditions (1) to (3) of a fitted machine, from its scores at the training rows.

    Parameters
    ----------
    model : SVC, SVR or OneClassSVM
        Fitted.
    X, y : as in ``model.fit``
    tol : float, default=1e-3
        Up to which violation the conditions count as met.
    sample_weight : as in ``model.fit``

    Returns
    -------
    KKTReport
        Of several problems the worst of each number, and the sum of the gaps.

    References
    ----------
    Kuhn, H. W. & Tucker, A. W. (1951). Nonlinear programming. Proc. 2nd Berkeley Symposium, 481–492.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.svm import SVC, check_kkt
    >>> X, y = np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([-1, 1])
    >>> model = SVC(kernel="linear", C=10.0).fit(X, y)
    >>> report = check_kkt(model, X, y)
    >>> bool(report), report.dual_gap
    (True, 0.0)
    """
    scores = model._scores(X)
    weights = check_weights(sample_weight, np.empty((len(scores), 0)))
    problems = model._problems(None if y is None else np.asarray(y), weights)
    beta = np.zeros(scores.shape)
    beta[model.support_] = model._coef
    found = [
        _of_problem(problem, beta[problem.rows, p], scores[problem.rows, p], float(model.intercept_[p]))
        for p, problem in enumerate(problems)
    ]
    stationarity, feasibility, complementarity, gaps = np.array(found).T
    return KKTReport(
        float(np.max(stationarity)), float(np.max(feasibility)), float(np.max(complementarity)), float(sum(gaps)), tol
    )


def _of_problem(problem: DualProblem, beta: Floats, scores: Floats, intercept: float) -> tuple[float, ...]:
    dual = problem.dual
    # A penalised intercept is a part of f.
    b = 0.0 if dual.total is None else intercept
    f = scores - b
    g = dual.gradient(beta, f) + b
    stationarity = max(0.0, -float(np.min(g + dual.upward(beta))), float(np.max(g + dual.downward(beta))))
    outside = max(float(np.max(dual.lower - beta)), float(np.max(beta - dual.upper)), 0.0)
    imbalance = 0.0 if dual.total is None else abs(float(np.sum(beta)) - dual.total)
    unit = float(np.max(np.abs(beta), initial=0.0)) or 1.0
    z = dual.target - scores
    own = beta * z - dual.epsilon * np.abs(beta) - (0.0 if dual.ridge is None else 0.5 * dual.ridge * beta**2)
    terms = np.maximum(dual.losses(z) - own, 0.0)
    worst = float(np.max(terms, initial=0.0))
    return stationarity, max(outside, imbalance) / unit, worst, dual.gap(beta, f, b)
