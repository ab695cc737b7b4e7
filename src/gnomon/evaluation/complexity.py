"""What a fitted model costs in complexity, from numbers that it publishes.

    optimism of a linear smoother ŷ = Hy   op = (2σ²/n) tr H,    C_p = training error + op                          (1)
    support vectors                        E_out ≤ E_in + c·#SV/(N − 1);    leave-one-out errors ≤ #SV               (2)
    network with layers B₁ … B_L           ∏ ‖B_l‖₁ · p^{L/2},  p the share of units that dropout keeps              (3)

(1): Mallows (1973), doi:10.2307/1267380; Efron (2004), doi:10.1198/016214504000000692. (2): Vapnik (1998), theorem
10.5, ISBN 978-0-471-03003-4. (3) holds up to a constant and compares networks, no more: Gao & Zhou (2016), Dropout
Rademacher complexity of deep neural networks, doi:10.1007/s11432-015-5470-z.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import AnyRows, ArrayLike, Floats
from gnomon.numerics.validation import check_choice, check_interval, check_non_negative, check_numbers, check_positive
from gnomon.numerics.weights import check_weights

__all__ = ["Optimism", "SupportVectorBound", "effective_dof", "network_complexity", "optimism", "sv_bound"]


class Optimism(NamedTuple):
    """The terms of (1).

    Fields
    ------
    train : float
        Mean squared error on the training rows.
    optimism : float
    cp : float
        Their sum, an estimate of the error on new targets at the same rows.
    dof, sigma2 : float
        tr H and σ².

    References
    ----------
    Mallows, C. L. (1973). Some comments on C_p. doi:10.2307/1267380

    Examples
    --------
    >>> from gnomon.evaluation import Optimism
    >>> Optimism(train=1.0, optimism=0.2, cp=1.2, dof=2.0, sigma2=1.0).cp
    1.2
    """

    train: float
    optimism: float
    cp: float
    dof: float
    sigma2: float


class SupportVectorBound(NamedTuple):
    """The terms of (2).

    Fields
    ------
    train : float
        E_in, the training error.
    n_support : int
        #SV.
    bound : float
        E_in + c·#SV/(N − 1).
    loo_bound : float
        #SV/N: of separable classes, a bound on the leave-one-out error.

    References
    ----------
    Vapnik, V. N. (1998). Statistical Learning Theory, theorem 10.5. ISBN 978-0-471-03003-4

    Examples
    --------
    >>> from gnomon.evaluation import SupportVectorBound
    >>> SupportVectorBound(train=0.0, n_support=3, bound=3 / 99, loo_bound=0.03).loo_bound
    0.03
    """

    train: float
    n_support: int
    bound: float
    loo_bound: float


def effective_dof(model: BaseEstimator) -> float:
    """The effective number of parameters of a fitted model.

    tr H where the model publishes it (`effective_dof_`); n/k of k nearest neighbours; the number of support vectors; or
    the free parameters (`n_parameters_`; the rank of least squares).

    Parameters
    ----------
    model : fitted estimator, or a pipeline that ends in one

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, sections 2.3 and 7.6.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from gnomon.evaluation import effective_dof
    >>> effective_dof(KNeighborsRegressor(5).fit(np.zeros((40, 1)), np.zeros(40)))
    8.0
    """
    check_is_fitted(model)
    last = model[-1] if isinstance(model, Pipeline) else model
    for attribute, read in _READERS.items():
        if getattr(last, attribute, None) is not None:
            return float(np.sum(read(last)))
    raise ValueError(f"{type(last).__name__} has none of {list(_READERS)}; give the number of its parameters yourself")


def _n_support(model: Any) -> int:
    found = getattr(model, "n_support_", None)
    return len(model.support_) if found is None else int(np.sum(found))


_READERS: dict[str, Callable[[Any], Any]] = {
    "effective_dof_": lambda model: model.effective_dof_,
    "n_samples_fit_": lambda model: model.n_samples_fit_ / model.n_neighbors,
    "n_support_": _n_support,
    "support_": _n_support,
    "n_parameters_": lambda model: model.n_parameters_,
    "rank_": lambda model: model.rank_ + bool(model.fit_intercept),
}


def optimism(
    model: BaseEstimator,
    X: AnyRows,
    y: ArrayLike,
    *,
    sigma2: float | None = None,
    dof: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> Optimism:
    """(1) of a fitted linear smoother on its training rows.

    Parameters
    ----------
    model : fitted regressor
    X, y : its training rows
    sigma2 : float, optional
        The variance of the noise; by default Σ r²/(n − tr H), good where the model has little bias.
    dof : float, optional
        tr H; by default `effective_dof`.
    sample_weight : array-like of shape (n_samples,), optional
        Those of the fit.

    Returns
    -------
    Optimism

    References
    ----------
    Mallows, C. L. (1973). Some comments on C_p. doi:10.2307/1267380

    Efron, B. (2004). The estimation of prediction error. doi:10.1198/016214504000000692

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import optimism
    >>> from gnomon.linear import LinearRegression
    >>> x, y = np.arange(4.0)[:, None], np.array([0.0, 1.0, 1.0, 3.0])
    >>> found = optimism(LinearRegression().fit(x, y), x, y, sigma2=0.35)
    >>> round(found.train, 3), found.dof, round(found.optimism, 3), round(found.cp, 3)
    (0.175, 2.0, 0.35, 0.525)
    """
    target = check_numbers("y", y)
    w = check_weights(sample_weight, np.empty((len(target), 0)))
    n = float(np.sum(w))
    p = effective_dof(model) if dof is None else check_non_negative("dof", float(dof))
    train = float(w @ (target - np.ravel(model.predict(X))) ** 2) / n
    if sigma2 is None:
        if p >= n:
            raise ValueError(f"tr H={p:g} of {n:g} rows leaves no residuals to find σ² from; give sigma2")
        sigma2 = n * train / (n - p)
    op = 2.0 * check_non_negative("sigma2", float(sigma2)) * p / n
    return Optimism(train, op, train + op, p, float(sigma2))


def sv_bound(
    model: BaseEstimator, X: AnyRows, y: ArrayLike, *, c: float = 1.0, sample_weight: ArrayLike | None = None
) -> SupportVectorBound:
    """(2) of a fitted support vector classifier on its training rows.

    Parameters
    ----------
    model : fitted classifier
        With `n_support_` or `support_`.
    X, y : its training rows
    c : float, default=1.0
        The constant in (2).
    sample_weight : array-like of shape (n_samples,), optional
        Of the training error; support vectors are counted as rows.

    Returns
    -------
    SupportVectorBound

    References
    ----------
    Vapnik, V. N. (1998). Statistical Learning Theory, theorem 10.5. ISBN 978-0-471-03003-4

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from gnomon.evaluation import sv_bound
    >>> X, y = np.arange(10.0)[:, None], np.arange(10) > 4
    >>> sv_bound(SVC(kernel="linear", C=1e6).fit(X, y), X, y).loo_bound
    0.2
    """
    check_is_fitted(model)
    if getattr(model, "n_support_", getattr(model, "support_", None)) is None:
        raise ValueError(
            f"{type(model).__name__} has neither n_support_ nor support_; give a support vector classifier"
        )
    labels = np.asarray(y)
    n, found = len(labels), _n_support(model)
    if n < 2:
        raise ValueError("y has one row; (2) needs two or more")
    w = check_weights(sample_weight, np.empty((n, 0)))
    train = float(w @ (model.predict(X) != labels) / np.sum(w))
    return SupportVectorBound(train, found, train + check_positive("c", c) * found / (n - 1), found / n)


def network_complexity(
    model: BaseEstimator | Sequence[ArrayLike],
    *,
    keep: float | Sequence[float] = 1.0,
    norm: Literal["unit", "entry"] = "unit",
) -> float:
    """(3) of a network: a number to compare networks by.

    Parameters
    ----------
    model : fitted network with `coefs_`, or sequence of matrices of shape (n_in, n_out)
        ‖B‖₁ is the largest sum of |weights| into one unit.
    keep : float or sequence of float in (0, 1], default=1.0
        p: the share of units that dropout keeps, in all layers or in each.
    norm : {"unit", "entry"}, default="unit"
        ‖B‖₁ as said, or the sum of |weights| of the whole layer, which is larger.

    References
    ----------
    Gao, W. & Zhou, Z.-H. (2016). Dropout Rademacher complexity of deep neural networks. doi:10.1007/s11432-015-5470-z

    Examples
    --------
    >>> from gnomon.evaluation import network_complexity
    >>> layers = [[[1.0, -2.0], [1.0, 0.5]], [[3.0], [-1.0]]]
    >>> network_complexity(layers), network_complexity(layers, keep=0.25)
    (10.0, 2.5)
    """
    coefs = getattr(model, "coefs_", model)
    if isinstance(coefs, BaseEstimator):
        raise ValueError(f"{type(model).__name__} has no coefs_; give a fitted network, or its matrices")
    layers: list[Floats] = [np.atleast_2d(check_numbers("model", layer)) for layer in coefs]
    shares = np.broadcast_to(check_numbers("keep", keep), (len(layers),))
    for share in shares.tolist():
        check_interval("keep", share, 0.0, 1.0, closed="right")
    check_choice("norm", norm, ("unit", "entry"))
    sizes = [np.linalg.norm(layer, 1) if norm == "unit" else np.sum(np.abs(layer)) for layer in layers]
    return float(np.prod(sizes) * np.prod(np.sqrt(shares)))
