"""Sample and class weights, class priors.

    n = Σᵢ sᵢ                                                                                     (1)
    π_c = (N_c + a) / (N + C a),    N_c = Σ_{i in c} sᵢ                                             (2)
    Q(p) = inf {x : F(x) ≥ p},    F(x) = Σ sᵢ 1[xᵢ ≤ x] / Σ sᵢ                                       (3)

A weight of two is the row twice, so every count and every mean is taken with weights: frequency weights in the words of
Lumley (2010), Complex Surveys, doi:10.1002/9780470580066.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from gnomon._typing import ArrayLike, Elementwise, Floats, Matrix
from gnomon.numerics.validation import check_choice, check_non_negative, check_numbers

__all__ = ["check_weights", "class_priors", "row_weight", "weighted_quantile"]


Priors: TypeAlias = Literal["uniform"] | ArrayLike | Mapping[Any, float] | None


def check_weights(sample_weight: ArrayLike | None, X: Matrix) -> Floats:
    """Sample weights as an array of X's floating type; ones by default.

    Raises ValueError for negative weights and for weights that are all zero.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), float or None
    X : ndarray or sparse matrix of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.weights import check_weights
    >>> check_weights(None, np.zeros((3, 1)))
    array([1., 1., 1.])
    """
    if sample_weight is not None and not np.any(np.asarray(sample_weight)):
        raise ValueError("sample_weight is zero for every row; at least one row needs a positive weight")
    weights = _check_sample_weight(sample_weight, X, dtype=X.dtype)
    if np.any(weights < 0):
        worst = int(np.argmin(weights))
        raise ValueError(
            f"sample_weight[{worst}]={weights[worst]:g} is negative; weights must be ≥ 0, remove such rows"
        )
    return weights


def class_priors(
    priors: Priors, classes: ArrayLike, counts: ArrayLike | None = None, *, alpha: float = 0.0, name: str = "priors"
) -> Floats:
    """The probability of every class, as the user gives it or as the counts say: equation (2).

    Parameters
    ----------
    priors : None, "uniform", array-like of shape (n_classes,) or dict
        None: the shares of equation (2). A dict gives the prior of each class by its label. Numbers must sum to one.
    classes : ndarray of shape (n_classes,)
    counts : array-like of shape (n_classes,), optional
        N_c, weighted; needed where `priors` is None.
    alpha : float, default=0.0
        The pseudo-count a ≥ 0 of every class.
    name : str, default="priors"
        What messages call them.

    Returns
    -------
    ndarray of shape (n_classes,)

    References
    ----------
    Lidstone, G. J. (1920). Note on the general case of the Bayes–Laplace formula for inductive or a posteriori
    probabilities. Transactions of the Faculty of Actuaries 8, 182–192.

    Examples
    --------
    >>> from gnomon.numerics.weights import class_priors
    >>> class_priors(None, ["no", "yes"], [5, 9], alpha=1.0)
    array([0.375, 0.625])
    >>> class_priors({"yes": 0.2, "no": 0.8}, ["no", "yes"])
    array([0.8, 0.2])
    """
    classes = np.asarray(classes)
    if priors is None:
        mass = np.asarray(counts, dtype=float) + check_non_negative("prior_alpha", alpha)
        return mass / np.sum(mass)
    if isinstance(priors, str):
        check_choice(name, priors, ("uniform",))
        return np.full(len(classes), 1.0 / len(classes))
    if isinstance(priors, Mapping):
        priors = _in_order(priors, classes.tolist(), name)
    p = check_numbers(name, priors)
    if p.shape != classes.shape or not np.all(p >= 0.0) or not abs(np.sum(p) - 1.0) < 1e-6:
        raise ValueError(
            f"{name}={p.tolist()} must be {len(classes)} numbers ≥ 0 that sum to 1, one for each of "
            f"{classes.tolist()}; divide them by their sum {np.sum(p):g}, or choose None or 'uniform'"
        )
    return p


def row_weight(weights: Floats | None) -> float:
    """The weight that counts as one row where rows are counted: 1, or that of the heaviest row if it is less.

    A weight of two is the row twice; but weights that are all small, shares of one for example, leave as many rows.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.weights import row_weight
    >>> row_weight(np.array([1.0, 2.0])), row_weight(np.array([0.001, 0.002]))
    (1.0, 0.002)
    """
    return 1.0 if weights is None or len(weights) == 0 else min(1.0, float(np.max(weights)))


def weighted_quantile(
    x: Floats, p: Elementwise, weights: Floats, *, between: Literal["middle", "lower"] = "middle"
) -> Elementwise:
    """Equation (3); where F equals p on an interval its middle is taken, so that Q(½) is the usual median.

    Parameters
    ----------
    x, weights : ndarray of shape (n,)
        Values, and their weights ≥ 0 with a positive sum.
    p : float or ndarray
        In [0, 1].
    between : {"middle", "lower"}, default="middle"
        Which point of such an interval is taken.

    References
    ----------
    Hyndman, R. J. & Fan, Y. (1996). Sample quantiles in statistical packages, definitions 2 and 1.
    doi:10.1080/00031305.1996.10473566

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.weights import weighted_quantile
    >>> float(weighted_quantile(np.array([3.0, 1.0, 2.0]), 0.5, np.array([1.0, 1.0, 2.0])))
    2.0
    """
    order = np.argsort(x, kind="stable")
    x, reached = x[order], np.cumsum(weights[order])
    # Cumulative weights equal p·W only up to rounding.
    target, slack = p * reached[-1], 8.0 * np.finfo(float).eps * reached[-1]
    low = np.searchsorted(reached, target - slack)
    high = np.searchsorted(reached, target + slack) if between == "middle" else low
    return 0.5 * (x[np.minimum(low, len(x) - 1)] + x[np.minimum(high, len(x) - 1)])


def _in_order(priors: Mapping[Any, float], labels: list[Any], name: str) -> list[float]:
    if set(priors) != set(labels):
        raise ValueError(f"{name} has the classes {list(priors)}, the data {labels}; give one prior for each of these")
    return [priors[label] for label in labels]
