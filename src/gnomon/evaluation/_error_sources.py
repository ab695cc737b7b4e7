"""Three sources of error.

    R(f̃_N) − R(f*) = [R(f_F*) − R(f*)] + [R(f_N) − R(f_F*)] + [R(f̃_N) − R(f_N)]                    (1)
                       model             estimation         optimisation

f* is the best prediction there is, f_F* the best of the family F, f_N the minimiser on N rows, f̃_N what a solver with a
budget returns. Bottou & Bousquet (2008), The tradeoffs of large scale learning, NIPS 20. The choice of a solver acts on
the last two terms: a cheaper step allows more rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.parallel import Parallel, delayed

from gnomon._typing import Array, ArrayLike, Floats, RandomState
from gnomon.losses import Loss, SquaredLoss
from gnomon.numerics.estimates import mean_estimate
from gnomon.numerics.random import check_rng, spawn_seeds
from gnomon.numerics.validation import check_integer

__all__ = ["ErrorSources", "error_sources"]


class ErrorSources(NamedTuple):
    """The terms of (1), signed, and the risk R(f*), the smallest possible.

    Fields
    ------
    model, estimation, optimization : float
        Means over the training sets.
    least_risk : float
        R(f*).
    standard_errors : tuple of float
        Of the three, over training sets; those of one training set are NaN, and the first is that of the test rows.

    References
    ----------
    Bottou, L. & Bousquet, O. (2008). The tradeoffs of large scale learning. NIPS 20, 161–168.

    Examples
    --------
    >>> from gnomon.evaluation import ErrorSources
    >>> sources = ErrorSources(model=0.5, estimation=0.25, optimization=0.0, least_risk=1.0)
    >>> sources.excess, sources.excess + sources.least_risk
    (0.75, 1.75)
    """

    model: float
    estimation: float
    optimization: float
    least_risk: float
    standard_errors: tuple[float, float, float] = (np.nan, np.nan, np.nan)

    @property
    def excess(self) -> float:
        """R(f̃_N) − R(f*), the sum of the three."""
        return self.model + self.estimation + self.optimization


def error_sources(
    estimator: BaseEstimator,
    sampler: Callable[[int, np.random.Generator], tuple[Array, Array]],
    f_true: Callable[[Any], ArrayLike],
    n_train: int,
    *,
    budget: Mapping[str, Any],
    loss: Loss | Callable[[Array, Array], Floats] | None = None,
    n_datasets: int = 1,
    n_large: int = 100_000,
    n_test: int = 100_000,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> ErrorSources:
    """Split the excess risk of a budgeted fit into its three sources, where data can be drawn and f* is known.

    Parameters
    ----------
    estimator : estimator
        Set to a tight tolerance; its family is F.
    sampler : callable (n, rng) → X, y
    f_true : callable X → best predictions f*(X)
    n_train : int
        N.
    budget : dict
        Parameters that make the estimator stop short, for example ``{"max_iter": 5}``.
    loss : gnomon.losses object or callable, optional
        ``loss(y, prediction)`` per row; the square of the difference by default.
    n_datasets : int, default=1
        Training sets of N rows, over which the last two sources are averaged.
    n_large, n_test : int, default=100_000
        Rows for f_F*, and fresh rows on which every risk is measured.
    random_state : None, int, Generator or RandomState
    n_jobs : int, optional
        Processes over the training sets, as in joblib.

    Returns
    -------
    ErrorSources

    References
    ----------
    Bottou, L. & Bousquet, O. (2008). The tradeoffs of large scale learning. NIPS 20, 161–168.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import error_sources
    >>> from gnomon.linear import LinearRegression
    >>> def parabola(n, rng):
    ...     x = rng.uniform(-1, 1, (n, 1))
    ...     return x, x[:, 0] ** 2 + 0.1 * rng.standard_normal(n)
    >>> sources = error_sources(
    ...     LinearRegression(), parabola, lambda x: x[:, 0] ** 2, 20, budget={}, n_datasets=20, random_state=0
    ... )
    >>> abs(round(sources.model - 4 / 45, 2)), sources.estimation > 0, sources.optimization
    (0.0, True, 0.0)
    """
    rng = check_rng(random_state)
    X_test, y_test = sampler(check_integer("n_test", n_test, 1), rng)
    X_large, y_large = sampler(check_integer("n_large", n_large, 1), rng)
    price = _per_row(SquaredLoss() if loss is None else loss)

    def risks(model: BaseEstimator) -> Floats:
        return price(np.asarray(y_test), np.asarray(model.predict(X_test)))

    least = price(np.asarray(y_test), np.asarray(f_true(X_test)))
    family = risks(clone(estimator).fit(X_large, y_large))
    seeds = spawn_seeds(rng, check_integer("n_datasets", n_datasets, 1))
    n = check_integer("n_train", n_train, 1)
    work = (delayed(_pair)(estimator, dict(budget), sampler, n, seed, risks) for seed in seeds)
    exact, short = np.transpose(Parallel(n_jobs=n_jobs)(work))
    parts = exact - np.mean(family), short - exact
    model, estimation, optimization = (mean_estimate(part) for part in (family - least, *parts))
    return ErrorSources(
        model.value,
        estimation.value,
        optimization.value,
        float(np.mean(least)),
        (model.standard_error, estimation.standard_error, optimization.standard_error),
    )


def _pair(
    estimator: BaseEstimator, budget: dict[str, Any], sampler: Any, n: int, seed: int, risks: Callable[[Any], Floats]
) -> tuple[float, float]:
    """R(f_N) and R(f̃_N) of one training set."""
    X, y = sampler(n, np.random.default_rng(seed))
    exact = float(np.mean(risks(clone(estimator).fit(X, y))))
    return exact, exact if not budget else float(np.mean(risks(clone(estimator).set_params(**budget).fit(X, y))))


def _per_row(loss: Any) -> Callable[[Array, Array], Floats]:
    return loss.value if isinstance(loss, Loss) else loss
