"""The risk of a rule: on rows, and on a known generator.

    R̂ = (1/Σs) Σᵢ sᵢ ℓ(yᵢ, f(xᵢ)),        R = E[ℓ(Y, f(X))]                                                 (1)

Vapnik (1992), Principles of risk minimization for learning theory, NIPS 4, 831–838.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, RandomState
from gnomon.base.trials import positive_rows
from gnomon.evaluation._measures import GivenLoss, RowLoss, read_loss
from gnomon.losses import Loss
from gnomon.numerics.estimates import Estimate, mean_estimate
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.numerics.weights import check_weights

__all__ = ["ClassRisk", "empirical_risk", "true_risk"]


class ClassRisk(NamedTuple):
    """What the rows of either class add to the risk (1): R̂ = positive + negative.

    Fields
    ------
    positive, negative : float

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. https://www.ijcai.org/Proceedings/01/IJCAI-2001-k.pdf

    Examples
    --------
    >>> from gnomon.evaluation import empirical_risk
    >>> from gnomon.losses import ZeroOneLoss
    >>> empirical_risk([0, 0, 0, 1], [-1.0, 2.0, -3.0, -0.5], ZeroOneLoss(), per_class=True)
    ClassRisk(positive=0.25, negative=0.25)
    """

    positive: float
    negative: float


def empirical_risk(
    y_true: ArrayLike,
    predictions: ArrayLike,
    loss: Loss | Callable[[Array, Array], ArrayLike],
    *,
    reduction: Literal["mean", "sum"] = "mean",
    per_class: bool = False,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float | ClassRisk:
    """R̂ of equation (1) from targets and what was predicted for them.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Numbers; or labels of any kind for a loss over classes.
    predictions : array-like of shape (n,) or (n, K)
        What the loss takes: predictions, scores of the positive class, or scores of all classes.
    loss : Loss or callable
        Of `gnomon.losses`, or a function ``loss(y, predictions)`` of one value for each row.
    reduction : {"mean", "sum"}, default="mean"
        Whether Σᵢ sᵢ ℓᵢ is divided by Σᵢ sᵢ.
    per_class : bool, default=False
        Return what the rows of the positive and of the negative class add to it.
    pos_label : label or "rare", optional
        Which of two labels is positive; the greater by default.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    float or ClassRisk

    References
    ----------
    Vapnik, V. (1992). Principles of risk minimization for learning theory. NIPS 4, 831–838.

    Examples
    --------
    >>> from gnomon.evaluation import empirical_risk
    >>> from gnomon.losses import HingeLoss, SquaredLoss
    >>> empirical_risk([0.0, 1.0, 3.0], [0.0, 2.0, 5.0], SquaredLoss(), reduction="sum")
    5.0
    >>> empirical_risk(["no", "yes"], [0.5, 0.5], HingeLoss())
    1.0
    """
    y, z = np.asarray(y_true), np.asarray(predictions)
    if len(y) != len(z) or len(y) == 0:
        raise ValueError(f"y_true has {len(y)} rows and predictions {len(z)}; give one prediction for each of ≥ 1 rows")
    if z.dtype.kind == "f" and np.any(np.isnan(z)):
        raise ValueError(f"predictions contains NaN in {int(np.sum(np.isnan(z)))} places; repair what made them")
    check_choice("reduction", reduction, ("mean", "sum"))
    s = np.asarray(check_weights(sample_weight, np.empty((len(y), 0))), dtype=float)
    # A row of weight zero is no row, even where its loss is infinite.
    y, z, s = y[s > 0.0], z[s > 0.0], s[s > 0.0]
    signs = positive_rows(y, pos_label, s)[0] if per_class or _of_two_classes(loss) else None
    rows = RowLoss(loss, _classes_of_columns(loss, y, z))
    coded = y if signs is None or not _of_two_classes(loss) else signs
    terms = s * rows.values(rows.targets(coded), z)
    terms = terms / np.sum(s) if reduction == "mean" else terms
    if per_class and signs is not None:
        return ClassRisk(float(np.sum(terms[signs])), float(np.sum(terms[~signs])))
    return float(np.sum(terms))


def _classes_of_columns(loss: Any, y: Array, z: Array) -> Array | None:
    """For a loss of K scores, the labels in the order of the columns."""
    if not (isinstance(loss, Loss) and loss.targets == "index"):
        return None
    K = z.shape[1] if z.ndim == 2 else 0
    numbered = y.dtype.kind in "iu" and np.all((y >= 0) & (y < K))
    classes = np.arange(K) if numbered else np.unique(y)
    if len(classes) != K:
        raise ValueError(f"predictions has shape {z.shape} for {len(classes)} labels; give a column for each of them")
    return classes


def _of_two_classes(loss: Any) -> bool:
    return isinstance(loss, Loss) and loss.targets in ("sign", "unit")


def true_risk(
    model: Any,
    sampler: Callable[[int, np.random.Generator], tuple[Array, Array]],
    *,
    loss: GivenLoss = None,
    n_samples: int = 100_000,
    random_state: RandomState = None,
    level: float = 0.95,
) -> Estimate:
    """R of equation (1) for a fitted model and a known generator, by Monte-Carlo.

    Parameters
    ----------
    model : fitted estimator
    sampler : callable
        ``sampler(n, rng)`` → X, y.
    loss : Loss or callable, optional
        Squared error of a regressor, 0/1 loss of a classifier by default.
    n_samples : int, default=100_000
    random_state : None, int, Generator or RandomState
    level : float, default=0.95
        Of the interval.

    Returns
    -------
    Estimate
        With the standard error of the Monte-Carlo mean.

    References
    ----------
    Vapnik, V. (1992). Principles of risk minimization for learning theory. NIPS 4, 831–838.

    Examples
    --------
    The mean of coin flips, 0 or 1, has the risk ¼:

    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon.evaluation import true_risk
    >>> mean = DummyRegressor(strategy="constant", constant=0.5).fit([[0.0]], [0.0])
    >>> true_risk(mean, lambda n, rng: (np.zeros((n, 1)), rng.integers(0, 2, n)), random_state=0).value
    0.25
    """
    X, y = sampler(check_integer("n_samples", n_samples, 2), check_rng(random_state))
    y = np.asarray(y)
    losses: Floats = read_loss(model, y, loss).of_rows(model, X, y)
    return mean_estimate(losses, level=level)
