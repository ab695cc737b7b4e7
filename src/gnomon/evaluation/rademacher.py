"""How well a class of functions fits pure noise.

    R̂ = E_σ sup_f (1/N) Σᵢ σᵢ f(xᵢ),    σᵢ = ±1 with probability ½                                                 (1)
    ‖w‖₂ ≤ B:  (B/N) E‖Σ σᵢ xᵢ‖₂     ‖w‖₁ ≤ B:  (B/N) E‖Σ σᵢ xᵢ‖_∞     |F| functions:  ≤ √(2 ln|F| / N)        (2)
    R ≤ R_train + R̂ + 3 √(ln(2/δ) / (2N))  with probability 1 − δ                                                 (3)

For functions with values ±1, sup (1/N) Σ σᵢ f(xᵢ) is 2·accuracy − 1 of the best fit to the labels σ: (1) is how well
random labels are learnt, on a scale where guessing is 0. The class of the 0/1 losses has half of it, and (3) is for a
loss of that class. Bartlett & Mendelson (2002), Rademacher and Gaussian complexities, JMLR 3, 463–482; the last of (2):
Massart (2000), doi:10.5802/afst.961.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import log, sqrt
from typing import Any, Literal, Protocol

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_array
from sklearn.utils.parallel import Parallel, delayed

from gnomon._typing import ArrayLike, Floats, RandomState
from gnomon.numerics.estimates import Estimate, mean_estimate
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer, check_interval, check_positive

__all__ = ["FiniteClass", "FunctionClass", "LinearBall", "rademacher_bound", "rademacher_complexity"]

_MOST_POINTS = 16
"""All 2^N draws of σ are taken together for no more points."""


class FunctionClass(Protocol):
    """A class of functions that knows its suprema: `LinearBall`, `FiniteClass`, `Dichotomies`, or one of your own.

    References
    ----------
    Bartlett, P. L. & Mendelson, S. (2002). Rademacher and Gaussian complexities. JMLR 3, 463–482.

    Examples
    --------
    Functions that are constant, ±1:

    >>> import numpy as np
    >>> from gnomon.evaluation import rademacher_complexity
    >>> class Constants:
    ...     def suprema(self, X, signs):
    ...         return np.abs(np.mean(signs, axis=1))
    >>> rademacher_complexity(Constants(), np.zeros((4, 1)), n_draws="all").value
    0.375
    """

    def suprema(self, X: Floats, signs: Floats) -> Floats:
        """sup_f (1/N) Σ σᵢ f(xᵢ) for every row σ of `signs`."""
        ...


@dataclass(frozen=True)
class LinearBall:
    """The functions wᵀx with ‖w‖ ≤ B: the first two of (2).

    Parameters
    ----------
    radius : float, default=1.0
        B.
    norm : {"l2", "l1"}, default="l2"

    References
    ----------
    Bartlett, P. L. & Mendelson, S. (2002). Rademacher and Gaussian complexities. JMLR 3, 463–482.

    Examples
    --------
    >>> from gnomon.evaluation import LinearBall, rademacher_complexity
    >>> round(rademacher_complexity(LinearBall(), [[1.0, 2.0], [3.0, -1.0], [0.0, 1.0]], n_draws="all").value, 6)
    1.314392
    """

    radius: float = 1.0
    norm: Literal["l2", "l1"] = "l2"

    def suprema(self, X: Floats, signs: Floats) -> Floats:
        """(B/N) times the dual norm of Σ σᵢ xᵢ, for every row σ of `signs`."""
        check_choice("norm", self.norm, ("l2", "l1"))
        dual = np.linalg.norm(signs @ X, ord=2 if self.norm == "l2" else np.inf, axis=1)
        return check_positive("radius", self.radius) / len(X) * dual


@dataclass(frozen=True)
class FiniteClass:
    """So many functions with values in [−1, 1]; its value is the bound in (2), whatever the points.

    Parameters
    ----------
    size : int
        |F|.

    References
    ----------
    Massart, P. (2000). Some applications of concentration inequalities to statistics. doi:10.5802/afst.961

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import FiniteClass, rademacher_complexity
    >>> round(rademacher_complexity(FiniteClass(100), np.zeros((50, 1))).value, 4)
    0.4292
    """

    size: int

    def suprema(self, X: Floats, signs: Floats) -> Floats:
        """√(2 ln|F| / N), for every row of `signs`."""
        return np.full(len(signs), sqrt(2.0 * log(check_integer("size", self.size, 1)) / len(X)))


@dataclass(frozen=True)
class _FittedLabels:
    """The functions that an estimator can be fitted to be."""

    estimator: BaseEstimator
    n_jobs: int | None

    def suprema(self, X: Floats, signs: Floats) -> Floats:
        return np.array(Parallel(n_jobs=self.n_jobs)(delayed(_success)(self.estimator, X, one) for one in signs))


def _success(estimator: Any, X: Floats, signs: Floats) -> float:
    """2·accuracy − 1 on the labels that it was fitted to; one label for all is always learnt."""
    y = signs.astype(int)
    if np.all(y == y[0]):
        return 1.0
    return 2.0 * float(np.mean(clone(estimator).fit(X, y).predict(X) == y)) - 1.0


def rademacher_complexity(
    functions: BaseEstimator | FunctionClass,
    X: ArrayLike,
    n_draws: int | Literal["all"] = 100,
    *,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> Estimate:
    """R̂ of equation (1), for the points that are given.

    Parameters
    ----------
    functions : classifier, or object with ``suprema(X, signs)``
        A classifier is fitted to random labels: a lower bound where its fit does not minimise the errors. `LinearBall`,
        `FiniteClass` and the `Dichotomies` of `n_dichotomies` have closed forms.
    X : array-like of shape (N, D)
    n_draws : int or "all", default=100
        Draws of σ; "all" takes the 2^N of at most 16 points, and the expectation is exact.
    random_state : None, int, Generator or RandomState
    n_jobs : int, optional
        Processes over the draws, for a classifier, as in joblib.

    Returns
    -------
    Estimate

    References
    ----------
    Bartlett, P. L. & Mendelson, S. (2002). Rademacher and Gaussian complexities. JMLR 3, 463–482.

    Examples
    --------
    A nearest neighbour learns any labels; lines on a square almost all:

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from gnomon.evaluation import n_dichotomies, rademacher_complexity
    >>> square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> rademacher_complexity(KNeighborsClassifier(1), square).value
    1.0
    >>> rademacher_complexity(n_dichotomies(square), square, n_draws="all").value
    0.9375
    """
    rows = check_array(X, dtype=float)
    N = len(rows)
    own = getattr(functions, "suprema", None)
    suprema = _FittedLabels(functions, n_jobs).suprema if own is None else own
    if n_draws == "all":
        if N > _MOST_POINTS:
            raise ValueError(f"X has {N} points, and 2^{N} draws are too many; give n_draws a number")
        value = float(np.mean(suprema(rows, np.array(list(product([-1.0, 1.0], repeat=N))))))
        return Estimate(value, 0.0, value, value)
    draws = check_rng(random_state).choice([-1.0, 1.0], (check_integer("n_draws", n_draws, 2), N))
    return mean_estimate(suprema(rows, draws))


def rademacher_bound(train_risk: float, complexity: float, n: int, delta: float = 0.05) -> float:
    """The bound (3) on the 0/1 risk of whatever function of the class was chosen on n rows.

    Parameters
    ----------
    train_risk : float
    complexity : float
        R̂ of the functions with values ±1, on the training rows: `rademacher_complexity`.
    n : int
        N.
    delta : float in (0, 1), default=0.05

    References
    ----------
    Bartlett, P. L. & Mendelson, S. (2002). Rademacher and Gaussian complexities. JMLR 3, 463–482.

    Examples
    --------
    >>> from gnomon.evaluation import rademacher_bound
    >>> round(rademacher_bound(0.1, 0.2, 1000), 6)
    0.428841
    """
    check_interval("delta", delta, 0.0, 1.0, closed="neither")
    return float(train_risk) + float(complexity) + 3.0 * sqrt(log(2.0 / delta) / (2.0 * check_integer("n", n, 1)))
