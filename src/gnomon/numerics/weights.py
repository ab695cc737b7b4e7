"""Sample and class weights, class priors.

    n = Σᵢ sᵢ                                                                                     (1)
    π_c = (N_c + a) / (N + C a),    N_c = Σ_{i in c} sᵢ                                             (2)
    Q(p) = inf {x : F(x) ≥ p},    F(x) = Σ sᵢ 1[xᵢ ≤ x] / Σ sᵢ                                       (3)
    weight of class c = π_c / (N_c / N),    so that the weights have mean 1 and class c the share π_c         (4)
    p'_c ∝ p_c π'_c / π_c    where the prior changes from π to π'                                        (5)

A weight of two is the row twice, so every count and every mean is taken with weights: frequency weights in the words of
Lumley (2010), Complex Surveys, doi:10.1002/9780470580066. Elkan (2001), The foundations of cost-sensitive learning;
Saerens, Latinne & Decaestecker (2002), doi:10.1162/089976602753284446.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from gnomon._typing import Array, ArrayLike, Elementwise, Floats, Matrix, Numbers
from gnomon.numerics.validation import check_choice, check_interval, check_non_negative, check_numbers, check_positive

__all__ = [
    "check_weights",
    "class_priors",
    "class_shares",
    "class_weights",
    "effective_train_prior",
    "remove_prior",
    "residual_weight",
    "row_weight",
    "shift_prior",
    "weighted_quantile",
]


ROUNDING = 1e-9
"""What is left of weights below this share of them is rounding of their sum."""

Priors: TypeAlias = Literal["uniform"] | ArrayLike | Mapping[Any, float] | None


def check_weights(sample_weight: ArrayLike | None, X: Matrix) -> Floats:
    """Sample weights as an array of X's floating type; ones by default.

    Raises ValueError for negative weights, for weights that are all zero, and for those without a finite sum.

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
    with np.errstate(over="ignore"):
        total = np.sum(weights)
    if not np.isfinite(total):
        raise ValueError(
            f"sample_weight has entries up to {np.max(weights):g}, and no finite sum; divide all by the largest"
        )
    return weights


def residual_weight(weight: Numbers, ddof: float) -> Numbers:
    """W − ddof, by which a variance is divided; 0 where the two differ by rounding only.

    Parameters
    ----------
    weight : float or ndarray
        W, the sum of weights, or those of several groups.
    ddof : float

    Returns
    -------
    float or ndarray

    References
    ----------
    Lumley, T. (2010). Complex Surveys. doi:10.1002/9780470580066

    Examples
    --------
    Ten weights of a tenth are one row, of which the mean takes the one degree of freedom:

    >>> import numpy as np
    >>> from gnomon.numerics.weights import residual_weight
    >>> float(sum([0.1] * 10)), float(residual_weight(sum([0.1] * 10), 1)), float(residual_weight(3.0, 1))
    (0.9999999999999999, 0.0, 2.0)
    """
    left = weight - ddof
    return np.where(np.abs(left) > ROUNDING * np.abs(weight), left, 0.0)[()]


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


def class_weights(
    y: ArrayLike,
    *,
    prior: float | Priors = None,
    ratio: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> dict[Any, float]:
    """The weight of each class, as `class_weight` of estimators takes it: equation (4), or a ratio of costs.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    prior : float, array-like, dict or "uniform", optional
        π: one number is that of the greater of two labels. None and no `ratio`: "uniform", which is what scikit-learn
        calls "balanced", N/(C N_c).
    ratio : float, optional
        The weight of the greater of two labels where the other has weight 1.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    dict from labels to weights

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI, 973–978.

    Examples
    --------
    >>> from gnomon.numerics.weights import class_weights
    >>> y = ["F"] * 90 + ["T"] * 10
    >>> {label: round(weight, 6) for label, weight in class_weights(y).items()}
    {'F': 0.555556, 'T': 5.0}
    >>> {label: round(weight, 6) for label, weight in class_weights(y, prior=0.2).items()}
    {'F': 0.888889, 'T': 2.0}
    """
    labels, index = np.unique(np.asarray(y), return_inverse=True)
    counts = np.bincount(index, weights=None if sample_weight is None else np.asarray(sample_weight, dtype=float))
    if ratio is not None:
        if prior is not None:
            raise ValueError("prior and ratio both say what the classes weigh; give one of them")
        _require_two(labels, "ratio")
        return dict(zip(labels.tolist(), [1.0, check_positive("ratio", float(ratio))], strict=True))
    if len(labels) == 0:
        raise ValueError("y has no rows; give labels of every class")
    shares = class_shares(prior, labels)
    if not np.all(counts > 0.0):
        raise ValueError(
            f"prior={shares.tolist()} is for classes with weight, but {labels[counts == 0.0].tolist()} have none; "
            "leave their rows out, or give them weight"
        )
    return dict(zip(labels.tolist(), (shares * np.sum(counts) / counts).tolist(), strict=True))


def class_shares(prior: float | Priors, classes: ArrayLike) -> Floats:
    """The positive prior of every class: equal shares by default; one number is that of the second of two.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI, 973–978.

    Examples
    --------
    >>> from gnomon.numerics.weights import class_shares
    >>> class_shares(0.2, ["no", "yes"])
    array([0.8, 0.2])
    """
    labels = np.asarray(classes)
    if prior is None or isinstance(prior, str):
        return class_priors(prior or "uniform", labels, name="prior")
    if isinstance(prior, Mapping):
        prior = _in_order(prior, labels.tolist(), "prior")
    elif np.ndim(prior) == 0:
        _require_two(labels, "prior")
        check_interval("prior", float(check_numbers("prior", prior)), 0.0, 1.0, closed="neither")
    return _vector("prior", prior, len(labels))


def effective_train_prior(
    y: ArrayLike, class_weight: Mapping[Any, float] | None = None, *, sample_weight: ArrayLike | None = None
) -> Floats:
    """π of a model that was trained with class weights c: π_k = c_k N_k / Σ_j c_j N_j, in the order of the labels.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    class_weight : dict from labels to weights, optional
        A label that is missing has weight 1.
    sample_weight : array-like of shape (n_samples,), optional
        Of which N_k are the sums.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI, 973–978.

    Examples
    --------
    >>> from gnomon.numerics.weights import effective_train_prior
    >>> effective_train_prior([0] * 90 + [1] * 10, {1: 9.0})
    array([0.5, 0.5])
    """
    labels, index = np.unique(np.asarray(y), return_inverse=True)
    counts = np.bincount(index, weights=None if sample_weight is None else np.asarray(sample_weight, dtype=float))
    class_weight = {} if class_weight is None else class_weight
    if unknown := set(class_weight) - set(labels.tolist()):
        raise ValueError(f"class_weight names {sorted(unknown, key=str)}, which y lacks; it has {labels.tolist()}")
    mass = counts * np.array([check_non_negative("class_weight", class_weight.get(k, 1.0)) for k in labels.tolist()])
    if not np.sum(mass) > 0.0:
        raise ValueError("class_weight and sample_weight leave no class any weight; at least one needs some")
    return mass / np.sum(mass)


def shift_prior(proba: ArrayLike, prior: float | ArrayLike, target: float | ArrayLike) -> Floats:
    """Probabilities under another prior: equation (5).

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes), or (n_samples,) for the positive of two classes
    prior, target : array-like of shape (n_classes,), or float for the positive of two classes
        π that the probabilities were learned under, and π'.

    Returns
    -------
    ndarray of the shape of `proba`

    References
    ----------
    Saerens, M., Latinne, P. & Decaestecker, C. (2002). Adjusting the outputs of a classifier to new a priori
    probabilities. doi:10.1162/089976602753284446

    Examples
    --------
    >>> from gnomon.numerics.weights import shift_prior
    >>> shift_prior([0.8], 0.5, 0.1).round(6)
    array([0.307692])
    >>> shift_prior([[0.2, 0.8]], [0.5, 0.5], [0.9, 0.1]).round(6)
    array([[0.692308, 0.307692]])
    """
    p = check_numbers("proba", proba)
    rows = np.column_stack([1.0 - p, p]) if p.ndim == 1 else p
    if rows.ndim != 2 or not np.all((rows >= 0.0) & (rows <= 1.0)):
        raise ValueError(f"proba of shape {p.shape} must be probabilities: one or n_classes numbers for each row")
    if np.any(np.abs(np.sum(rows, axis=1) - 1.0) > 1e-6):
        worst = int(np.argmax(np.abs(np.sum(rows, axis=1) - 1.0)))
        raise ValueError(f"proba[{worst}]={rows[worst].tolist()} must sum to 1; divide each row by its sum")
    K = rows.shape[1]
    joint = rows * (_vector("target", target, K) / _vector("prior", prior, K))
    joint /= np.sum(joint, axis=1, keepdims=True)
    return joint[:, 1] if p.ndim == 1 else joint


def remove_prior(log_odds: ArrayLike, prior: float | ArrayLike) -> Floats:
    """Log-likelihood ratios from posterior log-odds: log-odds − log(π/(1 − π)).

    Of shape (n_samples, n_classes), where `prior` has n_classes numbers, log posteriors become log-likelihoods up to a
    constant of each row: log p_k − log π_k.

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.numerics.weights import remove_prior
    >>> remove_prior([0.0], 0.1).round(6)
    array([2.197225])
    """
    scores = np.asarray(log_odds, dtype=float)
    if scores.ndim == 2:
        return scores - np.log(_vector("prior", prior, scores.shape[1]))
    share = _vector("prior", prior, 2)
    return scores - np.log(share[1] / share[0])


def _vector(name: str, prior: float | ArrayLike, n_classes: int) -> Floats:
    """A positive prior of every class; one number is that of the second of two."""
    p = check_numbers(name, prior)
    p = np.array([1.0 - p, p]) if p.ndim == 0 else p
    if p.shape != (n_classes,) or not np.all(p > 0.0) or not abs(np.sum(p) - 1.0) < 1e-6:
        raise ValueError(
            f"{name}={p.tolist()} must be {n_classes} numbers in (0, 1) that sum to 1, or one number for two classes"
        )
    return p


def _require_two(labels: Array, name: str) -> None:
    if len(labels) != 2:
        raise ValueError(f"{name} as one number is for two classes; y has {len(labels)}: {labels.tolist()}")


def _in_order(priors: Mapping[Any, float], labels: list[Any], name: str) -> list[float]:
    if set(priors) != set(labels):
        raise ValueError(f"{name} has the classes {list(priors)}, the data {labels}; give one prior for each of these")
    return [priors[label] for label in labels]
