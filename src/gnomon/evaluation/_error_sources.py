"""Three sources of error.

    R(f̃_N) − R(f*) = [R(f_F*) − R(f*)] + [R(f_N) − R(f_F*)] + [R(f̃_N) − R(f_N)]                    (1)
                       model             estimation         optimisation

f* is the best prediction there is, f_F* the best of the family F, f_N the minimiser on N rows, f̃_N what a solver with a
budget returns. Bottou & Bousquet (2008), The tradeoffs of large scale learning, NIPS 20. The choice of a solver acts on
the last two terms: a cheaper step allows more rows.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from gnomon._typing import Array, Floats, RandomState

__all__ = ["ErrorSources", "error_sources"]


class ErrorSources(NamedTuple):
    """The terms of (1), signed, and the risk R(f*), the smallest possible.

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

    @property
    def excess(self) -> float:
        """R(f̃_N) − R(f*), the sum of the three."""
        return self.model + self.estimation + self.optimization


def error_sources(
    estimator: BaseEstimator,
    generator: Callable[[int, np.random.Generator], tuple[Array, Array, Array]],
    n_samples: int,
    *,
    budget: Mapping[str, Any],
    loss: Callable[[Array, Array], Floats] | None = None,
    n_large: int = 100_000,
    n_test: int = 100_000,
    random_state: RandomState = None,
) -> ErrorSources:
    """Split the excess risk of a budgeted fit into its three sources, for a generator that is known.

    Parameters
    ----------
    estimator : estimator
        Set to a tight tolerance; its family is F.
    generator : callable
        ``generator(n, rng)`` → X, y and the best predictions f*(X).
    n_samples : int
        N.
    budget : dict
        Parameters that make the estimator stop short, for example ``{"max_iter": 5}``.
    loss : callable, optional
        ``loss(y, prediction)`` per row; the square of the difference by default.
    n_large, n_test : int, default=100_000
        Rows for f_F*, and fresh rows on which every risk is measured.
    random_state : None, int or Generator

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
    ...     return x, x[:, 0] ** 2 + 0.1 * rng.standard_normal(n), x[:, 0] ** 2
    >>> sources = error_sources(LinearRegression(), parabola, 20, budget={}, random_state=0)
    >>> abs(round(sources.model - 4 / 45, 2)), sources.estimation > 0, sources.optimization
    (0.0, True, 0.0)
    """
    rng = np.random.default_rng(random_state)
    loss = (lambda y, prediction: (y - prediction) ** 2) if loss is None else loss
    X_test, y_test, best = generator(n_test, rng)
    X_large, y_large, _ = generator(n_large, rng)
    X, y, _ = generator(n_samples, rng)

    def risk(model: BaseEstimator) -> float:
        return float(np.mean(loss(y_test, model.predict(X_test))))

    least = float(np.mean(loss(y_test, best)))
    family = risk(clone(estimator).fit(X_large, y_large))
    exact = risk(clone(estimator).fit(X, y))
    budgeted = risk(clone(estimator).set_params(**budget).fit(X, y))
    return ErrorSources(family - least, exact - family, budgeted - exact, least)
