"""The length of the normal of a boundary, by which scores become distances.

    ‖w‖ for f(x) = wᵀx + b;    √(αᵀKα) for f(x) = Σᵢ αᵢ k(xᵢ, x) + b, which is √(Σᵢ αᵢ (f(xᵢ) − b))         (1)

Schölkopf & Smola (2002), Learning with Kernels, section 7.3, doi:10.7551/mitpress/4175.001.0001.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from gnomon._typing import Array, Floats

__all__ = ["known_norms", "weight_norms"]

_SMALL = 0.01
"""A norm this far below the median makes the scores of its class meaningless."""


def weight_norms(estimators: Sequence[Any], classes: Array) -> Floats:
    """‖w‖ of every fitted binary classifier; ValueError where there is none, a warning where one is tiny."""
    norms = [_norm(estimator) for estimator in estimators]
    if None in norms:
        unknown = _last(estimators[norms.index(None)])
        raise ValueError(
            f"normalize=True needs an estimator with coef_, weight_norm_ or support_vectors_; {type(unknown).__name__} "
            "has none of them; set normalize=False"
        )
    norms = np.array(norms)
    names = classes[-len(norms) :]
    if np.any(norms == 0.0):
        raise ValueError(
            f"the classifiers of {names[norms == 0.0].tolist()} have ‖w‖ = 0, so no distance from a boundary exists; "
            "set normalize=False"
        )
    weak = norms < _SMALL * np.median(norms)
    if np.any(weak):
        warnings.warn(
            f"the classifiers of {names[weak].tolist()} have ‖w‖ below {_SMALL} of the median: classes without linear "
            "signal, whose normalised scores swamp the others; set normalize=False, or give more features",
            stacklevel=4,
        )
    return norms


def known_norms(estimators: Sequence[Any]) -> Floats | None:
    """‖w‖ of every fitted binary classifier; None where one of them has none, or is constant."""
    norms = [_norm(estimator) for estimator in estimators]
    return np.array(norms) if all(norms) else None


def _norm(estimator: Any) -> float | None:
    last = _last(estimator)
    found = (known(last) for known in (_linear_norm, _stated_norm, _kernel_norm))
    return next((norm for norm in found if norm is not None), None)


def _last(estimator: Any) -> Any:
    """Inside a pipeline the last step is linear in what it is given."""
    return getattr(estimator, "steps", [("", estimator)])[-1][1]


def _linear_norm(estimator: Any) -> float | None:
    w = getattr(estimator, "coef_", None)
    return None if w is None else float(np.linalg.norm(_dense(w)))


def _stated_norm(estimator: Any) -> float | None:
    norm = getattr(estimator, "weight_norm_", None)
    return None if norm is None else float(np.ravel(norm)[0])


def _kernel_norm(estimator: Any) -> float | None:
    support, alpha = getattr(estimator, "support_vectors_", None), getattr(estimator, "dual_coef_", None)
    if support is None or alpha is None or support.shape[0] != alpha.shape[1]:
        return None
    f = np.ravel(estimator.decision_function(support)) - np.ravel(estimator.intercept_)
    return float(np.sqrt(max(float(np.ravel(_dense(alpha)) @ f), 0.0)))


def _dense(values: Any) -> Array:
    return values.toarray() if sparse.issparse(values) else np.asarray(values)
