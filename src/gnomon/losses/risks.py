"""The risk of each class.

    R_c = Σ_{i: yᵢ = c} sᵢ ℓ(yᵢ, zᵢ),    R(c₁, …, c_K) = Σ_c price_c · R_c                            (1)

Elkan (2001), https://www.ijcai.org/Proceedings/01/IJCAI-2001-k.pdf.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers, MatrixLike
from gnomon.losses._base import Loss

__all__ = ["ClassRisks", "class_risks", "class_targets"]


class ClassRisks(NamedTuple):
    """Risks by class, equation (1).

    Parameters
    ----------
    classes : ndarray of shape (K,)
    risks : ndarray of shape (K,)
        R_c, the summed losses.
    counts : ndarray of shape (K,)
        Total weight of the rows of each class.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. https://www.ijcai.org/Proceedings/01/IJCAI-2001-k.pdf

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import ClassRisks
    >>> report = ClassRisks(np.array([-1, 1]), risks=np.array([5.0, 3.0]), counts=np.array([10.0, 10.0]))
    >>> report.total((2.0, 4.0)), 2.0 * report.total((1.0, 2.0))
    (22.0, 22.0)
    >>> report.means
    array([0.5, 0.3])
    """

    classes: Array
    risks: Floats
    counts: Floats

    @property
    def means(self) -> Floats:
        """Mean loss of each class; nan for a class without rows."""
        return np.divide(self.risks, self.counts, out=np.full(len(self.counts), np.nan), where=self.counts > 0)

    def total(self, costs: ArrayLike | None = None) -> float:
        """Σ_c price_c R_c, in the order of `classes`; all prices 1 by default."""
        costs = np.ones(len(self.classes)) if costs is None else np.asarray(costs, dtype=float)
        if costs.shape != self.risks.shape:
            raise ValueError(f"costs has shape {costs.shape}; give one price for each of {list(self.classes)}")
        return float(costs @ self.risks)


def class_risks(
    model: Any, X: MatrixLike, y: ArrayLike, *, loss: Loss | None = None, sample_weight: ArrayLike | None = None
) -> ClassRisks:
    """Risk of a fitted classifier on each class.

    Parameters
    ----------
    model : classifier
        With `classes_` and `predict`; with `decision_function` if a loss is given.
    X : array of shape (n, d)
    y : array of shape (n,)
    loss : Loss, optional
        A loss of the scores of `decision_function`; errors (0 or 1) by default.
    sample_weight : array of shape (n,), optional

    Returns
    -------
    ClassRisks
        R₋ and R₊ are ``risks[0]`` and ``risks[1]`` of two classes.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. https://www.ijcai.org/Proceedings/01/IJCAI-2001-k.pdf

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from gnomon.losses import class_risks
    >>> X, y = np.zeros((4, 1)), np.array([0, 0, 0, 1])
    >>> report = class_risks(DummyClassifier().fit(X, y), X, y)
    >>> report.risks, report.total((1.0, 5.0))
    (array([0., 1.]), 5.0)
    """
    y, classes = np.asarray(y), np.asarray(model.classes_)
    index = np.searchsorted(classes, y)
    known = index < len(classes)
    if not np.all(known) or np.any(classes[index] != y):
        raise ValueError(f"y has labels outside {list(classes)}, the classes of {type(model).__name__}")
    s = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    losses = np.asarray(model.predict(X)) != y if loss is None else _losses(loss, model, X, index)
    return ClassRisks(
        classes,
        # NumPy's stub takes weighted sums for counts.
        np.bincount(index, weights=s * losses, minlength=len(classes)),  # type: ignore[arg-type]
        np.bincount(index, weights=s, minlength=len(classes)),  # type: ignore[arg-type]
    )


def class_targets(loss: Loss, index: Integers) -> Array:
    """The places of classes as a loss over classes takes them: −1 and +1, 0 and 1, or the places themselves.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. https://www.ijcai.org/Proceedings/01/IJCAI-2001-k.pdf

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import HingeLoss
    >>> from gnomon.losses.risks import class_targets
    >>> class_targets(HingeLoss(), np.array([0, 1, 1]))
    array([-1.,  1.,  1.])
    """
    targets = {"sign": 2.0 * index - 1.0, "unit": index.astype(float), "index": index}
    if loss.targets not in targets:
        raise ValueError(f"loss={loss!r} is not a loss over classes; choose one with targets in {list(targets)}")
    return targets[loss.targets]


def _losses(loss: Loss, model: Any, X: MatrixLike, index: Integers) -> Floats:
    targets = class_targets(loss, index)
    scores = np.asarray(model.decision_function(X))
    if (scores.ndim > 1) != (loss.targets == "index"):
        given, wanted = ("one score per class", "'index'") if scores.ndim > 1 else ("one score", "'sign' or 'unit'")
        raise ValueError(f"loss={loss!r} does not fit a model with {given}; choose one with targets {wanted}")
    return loss.value(targets, scores)
