"""Bias, variance and noise, as measurements.

    E(Y − ĥ_D(X))² = E(Y − h*)² + E_X (E_D ĥ_D − h*)² + E_X E_D (ĥ_D − E_D ĥ_D)²                                   (1)
                     noise        bias²                 variance
    0/1 loss:  main = mode of ĥ_D over D,  bias = 1[main ≠ h*],  variance = P_D(ĥ_D ≠ main),
               P_D(ĥ_D ≠ h*) = bias + c₂ variance,   c₂ = 1 where bias = 0,  else −P_D(ĥ_D = h* | ĥ_D ≠ main)       (2)

Of M training sets, variance with 1/(M − 1), and bias² less variance/M, are without bias themselves (`corrected`; bias²
may then be negative); with 1/M and nothing taken off, (1) is an identity. Geman, Bienenstock & Doursat (1992),
doi:10.1162/neco.1992.4.1.1; (2): Domingos (2000), A unified bias–variance decomposition, ICML, 231–238. For two classes
c₂ = −1 at a biased point: there, variance helps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import AnyRows, Array, ArrayLike, Bools, Floats, RandomState
from gnomon.evaluation._refits import bootstrap_refits, drawn_refits, set_parameter
from gnomon.numerics.estimates import Estimate, normal_quantile
from gnomon.numerics.random import check_rng, spawn_seeds
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.numerics.weights import check_weights

__all__ = ["BiasVariance", "BiasVarianceCurve", "bias_variance", "bias_variance_bootstrap", "split_predictions"]

Kind: TypeAlias = Literal["squared", "zero_one"]
Sampler: TypeAlias = Callable[[int, np.random.Generator], tuple[Any, Any]]


class BiasVariance(NamedTuple):
    """The terms of (1) or (2), averaged over the test points, and the first two at each of them.

    Fields
    ------
    bias : Estimate
        bias²; for the 0/1 loss the share of biased points. Where the truth is not known, bias² + noise, which then
        cannot be told apart.
    variance : Estimate
    noise : Estimate
        NaN where the truth is not known.
    total : Estimate
        Their sum; for the 0/1 loss the expected error. Standard errors are over training sets and test points.
    net_variance : float
        What variance adds to the error: itself, or the mean of c₂ variance.
    bias_at, variance_at : ndarray of shape (n_points,)
    X : the test points

    References
    ----------
    Geman, S., Bienenstock, E. & Doursat, R. (1992). Neural networks and the bias/variance dilemma.
    doi:10.1162/neco.1992.4.1.1

    Examples
    --------
    >>> from gnomon.evaluation import split_predictions
    >>> found = split_predictions([[1.0], [2.0], [3.0]], [2.5], corrected=False)
    >>> found.bias.value, round(found.variance.value, 6)
    (0.25, 0.666667)
    """

    bias: Estimate
    variance: Estimate
    noise: Estimate
    total: Estimate
    net_variance: float
    bias_at: Floats
    variance_at: Floats
    X: Any = None


class BiasVarianceCurve(NamedTuple):
    """`BiasVariance` over the values of a parameter, all from the same training sets and test points.

    Fields
    ------
    parameter : str
    values : list
    parts : list of BiasVariance

    References
    ----------
    Geman, S., Bienenstock, E. & Doursat, R. (1992). Neural networks and the bias/variance dilemma.
    doi:10.1162/neco.1992.4.1.1

    Examples
    --------
    >>> from gnomon.evaluation import BiasVarianceCurve, split_predictions
    >>> parts = [split_predictions([[1.0], [2.0]], [0.0]), split_predictions([[0.5], [1.0]], [0.0])]
    >>> BiasVarianceCurve("alpha", [0.0, 1.0], parts).of("total").round(3).tolist()
    [2.5, 0.625]
    """

    parameter: str
    values: list[Any]
    parts: list[BiasVariance]

    def of(self, term: Literal["bias", "variance", "noise", "total"]) -> Floats:
        """One term at every value."""
        return np.array([getattr(part, term).value for part in self.parts])


def split_predictions(
    predictions: ArrayLike,
    best: ArrayLike,
    y: ArrayLike | None = None,
    *,
    loss: Kind = "squared",
    corrected: bool = True,
    sample_weight: ArrayLike | None = None,
    known: ArrayLike | None = None,
) -> BiasVariance:
    """(1) or (2) for predictions that were made already.

    Parameters
    ----------
    predictions : array-like of shape (n_models, n_points)
        Of models of different training sets.
    best : array-like of shape (n_points,)
        h*: the best prediction at each point.
    y : array-like of shape (n_points,), optional
        Targets, for the noise; without them there is none.
    loss : {"squared", "zero_one"}, default="squared"
    corrected : bool, default=True
        Whether bias² and variance are estimated without bias, or such that (1) is an identity.
    sample_weight : array-like of shape (n_points,), optional
    known : array-like of bool of shape (n_models, n_points), optional
        Which predictions count, at least two at each point; all by default.

    Returns
    -------
    BiasVariance

    References
    ----------
    Domingos, P. (2000). A unified bias–variance decomposition and its applications. ICML, 231–238.

    Examples
    --------
    Three of five models say 1 (Domingos's example); where the truth is 0 the two others are right:

    >>> from gnomon.evaluation import split_predictions
    >>> votes = [[1, 1], [1, 1], [1, 1], [0, 0], [0, 0]]
    >>> found = split_predictions(votes, [1, 0], loss="zero_one")
    >>> found.bias_at.tolist(), found.variance_at.tolist(), found.total.value
    ([0.0, 1.0], [0.4, 0.4], 0.5)
    """
    check_choice("loss", loss, _SPLITS)
    P, h = np.asarray(predictions), np.asarray(best)
    if P.ndim != 2 or h.shape != (P.shape[1],) or len(P) < 2 or P.shape[1] == 0:
        raise ValueError(
            f"predictions of shape {P.shape} and best of shape {h.shape} must be (n_models, n_points) with two models "
            "or more, and (n_points,)"
        )
    mask = np.ones(P.shape, dtype=bool) if known is None else np.asarray(known, dtype=bool)
    w = check_weights(sample_weight, np.empty((len(h), 0)))
    target = None if y is None else np.asarray(y)
    return _SPLITS[loss](P, mask, h, target, w / np.sum(w), corrected)


@overload
def bias_variance(
    estimator: BaseEstimator,
    sampler: Sampler,
    f_true: Callable[[Any], ArrayLike],
    n_train: int,
    n_datasets: int = 200,
    param: None = None,
    *,
    loss: Kind = ...,
    corrected: bool = ...,
    n_test: int = ...,
    random_state: RandomState = ...,
    n_jobs: int | None = ...,
) -> BiasVariance: ...


@overload
def bias_variance(
    estimator: BaseEstimator,
    sampler: Sampler,
    f_true: Callable[[Any], ArrayLike],
    n_train: int,
    n_datasets: int,
    param: tuple[str, Sequence[Any]],
    *,
    loss: Kind = ...,
    corrected: bool = ...,
    n_test: int = ...,
    random_state: RandomState = ...,
    n_jobs: int | None = ...,
) -> BiasVarianceCurve: ...


def bias_variance(
    estimator: BaseEstimator,
    sampler: Sampler,
    f_true: Callable[[Any], ArrayLike],
    n_train: int,
    n_datasets: int = 200,
    param: tuple[str, Sequence[Any]] | None = None,
    *,
    loss: Kind = "squared",
    corrected: bool = True,
    n_test: int = 1000,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> BiasVariance | BiasVarianceCurve:
    """(1) or (2) of an estimator, where data can be drawn and the best prediction is known.

    Parameters
    ----------
    estimator : classifier or regressor
    sampler : callable (n, rng) → X, y
    f_true : callable X → best predictions
        E[Y | x], or the most probable class.
    n_train : int
        Rows of a training set.
    n_datasets : int, default=200
        M.
    param : pair (str, sequence), optional
        A parameter, as in ``set_params``, and its values, which are all fitted to the same training sets.
    loss : {"squared", "zero_one"}, default="squared"
    corrected : bool, default=True
        Whether bias² and variance are estimated without bias, or such that (1) is an identity.
    n_test : int, default=1000
        Test points, drawn once by `sampler`.
    random_state : None, int, Generator or RandomState
    n_jobs : int, optional
        Processes over the training sets, as in joblib: −1 uses all cores.

    Returns
    -------
    BiasVariance, or with `param` BiasVarianceCurve

    References
    ----------
    Geman, S., Bienenstock, E. & Doursat, R. (1992). Neural networks and the bias/variance dilemma.
    doi:10.1162/neco.1992.4.1.1

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import bias_variance
    >>> from gnomon.linear import LinearRegression
    >>> def cubic(n, rng):
    ...     x = rng.uniform(-1.5, 1.5, (n, 1))
    ...     return x, x[:, 0] ** 3 - x[:, 0] + 0.5 * rng.standard_normal(n)
    >>> found = bias_variance(LinearRegression(), cubic, lambda x: x[:, 0] ** 3 - x[:, 0], 20, random_state=0)
    >>> abs(found.bias.value - 0.26) < 0.05, abs(found.variance.value - 0.063) < 0.02
    (True, True)
    """
    name, values = (None, [None]) if param is None else (param[0], list(param[1]))
    rng = check_rng(random_state)
    X_test, y_test = sampler(check_integer("n_test", n_test, 1), rng)
    estimators = [set_parameter(estimator, name, value) for value in values]
    seeds = spawn_seeds(rng, check_integer("n_datasets", n_datasets, 2))
    found = drawn_refits(estimators, sampler, check_integer("n_train", n_train, 1), X_test, seeds, n_jobs)
    best, y = np.ravel(np.asarray(f_true(X_test))), np.ravel(np.asarray(y_test))
    options: dict[str, Any] = {"loss": loss, "corrected": corrected}
    parts = [split_predictions(found[:, k], best, y, **options)._replace(X=X_test) for k in range(len(values))]
    return parts[0] if name is None else BiasVarianceCurve(name, values, parts)


def bias_variance_bootstrap(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike,
    *,
    test: tuple[AnyRows, ArrayLike] | None = None,
    loss: Kind = "squared",
    n_resamples: int = 200,
    corrected: bool = True,
    sample_weight: ArrayLike | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> BiasVariance:
    """Variance of an estimator on real data, and bias² with noise as one number, from bootstrap training sets.

    With y in place of h* the two cannot be told apart. Bootstrap samples have fewer distinct rows than the data, so
    both terms are those of somewhat smaller training sets.

    Parameters
    ----------
    estimator : classifier or regressor
    X, y : rows and targets
    test : pair of rows and targets, optional
        Points at which models are compared; by default every row, by the models that did not see it.
    loss : {"squared", "zero_one"}, default="squared"
    n_resamples : int, default=200
    corrected : bool, default=True
        As in `bias_variance`.
    sample_weight : array-like of shape (n_samples,), optional
        For the fits, and for the averages over rows out of bag.
    random_state : None, int, Generator or RandomState
    n_jobs : int, optional
        Processes over the resamples, as in joblib.

    Returns
    -------
    BiasVariance
        Its `bias` is bias² + noise (0/1 loss: the error of the main prediction), and `noise` is NaN.

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. doi:10.1214/aos/1176344552

    Kohavi, R. & Wolpert, D. (1996). Bias plus variance decomposition for zero-one loss functions. ICML, 275–283.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from gnomon.evaluation import bias_variance_bootstrap
    >>> from gnomon.linear import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> line = bias_variance_bootstrap(Ridge(), X, y, n_resamples=30, random_state=0)
    >>> tree = bias_variance_bootstrap(DecisionTreeRegressor(random_state=0), X, y, n_resamples=30, random_state=0)
    >>> tree.variance.value > 10 * line.variance.value
    True
    """
    refits = bootstrap_refits(estimator, X, y, test, sample_weight, n_resamples, random_state, n_jobs)
    options: dict[str, Any] = {"loss": loss, "corrected": corrected, "known": refits.known}
    found = split_predictions(refits.predictions, np.asarray(refits.y), sample_weight=refits.weights, **options)
    return found._replace(noise=_estimate(np.nan, np.nan), X=X if test is None else test[0])


def _split_squared(P: Array, known: Bools, h: Array, y: Array | None, w: Floats, corrected: bool) -> BiasVariance:
    P, h = np.where(known, P, 0.0).astype(float), h.astype(float)
    count = np.sum(known, axis=0)
    mean = np.sum(P, axis=0) / count
    deviation = np.where(known, P - mean, 0.0)
    variance = np.sum(deviation**2, axis=0) / (count - 1 if corrected else count)
    bias = (mean - h) ** 2 - (variance / count if corrected else 0.0)
    noise = np.zeros(len(h)) if y is None else (y.astype(float) - h) ** 2
    # How much each model moves the two means over points: influence functions.
    scale = len(P) / count
    moves = 2.0 * (deviation * (mean - h) * scale) @ w
    spreads = (deviation**2 * scale) @ w
    at = {"bias": bias, "variance": variance, "noise": noise, "total": bias + variance + noise}
    over_models = {"bias": moves, "variance": spreads, "noise": np.zeros(len(P)), "total": moves + spreads}
    found = {term: _averaged(values, w, over_models[term]) for term, values in at.items()}
    return BiasVariance(**found, net_variance=found["variance"].value, bias_at=bias, variance_at=variance)


def _split_zero_one(P: Array, known: Bools, h: Array, y: Array | None, w: Floats, corrected: bool) -> BiasVariance:
    classes = np.unique(np.concatenate([np.unique(P), np.unique(h)]))
    index, best = np.searchsorted(classes, P), np.searchsorted(classes, h)
    votes = np.stack([np.sum(known & (index == k), axis=0) for k in range(len(classes))])
    share, places = votes / np.sum(known, axis=0), np.arange(len(h))
    main = np.argmax(votes, axis=0)
    bias, variance = (main != best).astype(float), 1.0 - share[main, places]
    # c₂ variance of (2): what is wrong where the main prediction is right, less what is right where it is wrong.
    net = np.where(bias > 0.0, -share[best, places], variance)
    wrong = known & ((h if y is None else y) != P)
    scale = len(P) / np.sum(known, axis=0)
    strays = (known & (index != main)) * scale
    at = {
        "bias": bias,
        "variance": variance,
        "noise": np.zeros(len(h)) if y is None else (np.asarray(y) != h).astype(float),
        "total": np.sum(wrong, axis=0) / np.sum(known, axis=0),
    }
    none = np.zeros(len(P))
    over_models = {"bias": none, "variance": strays @ w, "noise": none, "total": (wrong * scale) @ w}
    found = {term: _averaged(values, w, over_models[term]) for term, values in at.items()}
    return BiasVariance(**found, net_variance=float(w @ net), bias_at=bias, variance_at=variance)


_SPLITS = {"squared": _split_squared, "zero_one": _split_zero_one}


def _averaged(at: Floats, w: Floats, by_model: Floats) -> Estimate:
    """The mean over points; its variance is that over points plus that over models."""
    value = float(w @ at)
    points = float(np.sum((w * (at - value)) ** 2)) if len(at) > 1 else 0.0
    return _estimate(value, float(np.sqrt(points + np.var(by_model, ddof=1) / len(by_model))))


def _estimate(value: float, error: float) -> Estimate:
    z = normal_quantile(0.95)
    return Estimate(value, error, value - z * error, value + z * error)
