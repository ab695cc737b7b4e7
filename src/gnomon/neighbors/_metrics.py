"""Metrics by name, as scikit-learn reads them.

    d_p(x, x') = (Σ_j |x_j − x'_j|^p)^{1/p}:  p = 1 manhattan, 2 euclidean, ∞ chebyshev                              (1)

What an algorithm cannot search by is refused, in the words of the parameter.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import VALID_METRICS, VALID_METRICS_SPARSE

from gnomon._typing import ArrayLike, is_sparse

__all__ = ["Algorithm", "EffectiveMetric", "MetricLike", "check_sparse", "read_metric"]

Algorithm: TypeAlias = Literal["auto", "ball_tree", "kd_tree", "brute"]
MetricLike: TypeAlias = str | Callable[..., Any] | DistanceMetric


class EffectiveMetric(NamedTuple):
    """A metric by its shortest name, and its parameters.

    Fields
    ------
    metric : str, callable or DistanceMetric
    params : dict
    """

    metric: Any
    params: dict[str, Any]

    @property
    def columns_alike(self) -> bool:
        """Whether every column is compared in the unit that it has; of a kernel that is its own to say."""
        return isinstance(self.metric, str) and self.metric in ALIKE and self.params.get("w") is None


MINKOWSKI = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
"""Names of Minkowski distances by their exponent."""

ALIKE = {*MINKOWSKI.values(), "minkowski", "cityblock", "l1", "l2", "sqeuclidean", "kernel"}
"""Metrics that add up, or compare, differences of columns as they are."""


def read_metric(
    metric: MetricLike, metric_params: Mapping[str, Any] | None, p: float | None, algorithm: Algorithm
) -> EffectiveMetric:
    """The metric that an estimator was given, refused where the algorithm cannot search by it.

    Examples
    --------
    >>> from gnomon.neighbors._metrics import read_metric
    >>> read_metric("minkowski", None, 1, "auto")
    EffectiveMetric(metric='manhattan', params={})
    """
    check_metric(algorithm, metric)
    params = dict(metric_params or {})
    if "p" in params and p is not None:
        warnings.warn(
            "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
            SyntaxWarning,
            stacklevel=4,
        )
    if not (isinstance(metric, str) and metric == "minkowski"):
        return EffectiveMetric(metric, params)
    p, w = params.pop("p", p), params.pop("w", None)
    if w is None and p in MINKOWSKI:
        return EffectiveMetric(MINKOWSKI[p], params)
    check_minkowski(algorithm, p, w)
    return EffectiveMetric(metric, {**params, "p": p, "w": w})


def check_metric(algorithm: Algorithm, metric: MetricLike) -> None:
    """Refuse a metric that the algorithm cannot search by."""
    if isinstance(metric, DistanceMetric):
        return
    if callable(metric):
        if algorithm == "kd_tree":
            raise ValueError(
                f"algorithm='kd_tree' does not support the callable metric={metric!r}; choose 'ball_tree', 'brute' or "
                "'auto'"
            )
        return
    if algorithm == "auto":
        algorithm = "ball_tree" if metric in VALID_METRICS["ball_tree"] else "brute"
    if metric not in VALID_METRICS[algorithm]:
        raise ValueError(
            f"metric={metric!r} is not valid with algorithm={algorithm!r}; choose from "
            f"{sorted(VALID_METRICS[algorithm])}, or give a function of two rows"
        )


def check_minkowski(algorithm: Algorithm, p: float, w: ArrayLike | None) -> None:
    """Refuse exponents and weights of columns that a tree cannot use; warn of an exponent that makes no metric."""
    if p < 1.0:
        if algorithm in ("kd_tree", "ball_tree"):
            raise ValueError(
                f'algorithm="{algorithm}" does not support 0 < p < 1 for the Minkowski metric. To resolve this problem '
                'either set p >= 1 or algorithm="brute".'
            )
        warnings.warn(
            "Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing the execution with "
            "`algorithm='brute'`.",
            stacklevel=5,
        )
    if w is not None and algorithm == "kd_tree":
        raise ValueError(
            "algorithm='kd_tree' is not valid for metric='minkowski' with a weight parameter 'w': try "
            "algorithm='ball_tree' or algorithm='brute' instead."
        )


def check_sparse(rows: Any, metric: Any, algorithm: Algorithm) -> None:
    """Refuse a metric that is not defined for sparse rows; warn where a tree was asked for them."""
    if not is_sparse(rows):
        return
    if algorithm not in ("auto", "brute"):
        warnings.warn("cannot use tree with sparse input: using brute force", stacklevel=4)
    if isinstance(metric, str) and metric not in VALID_METRICS_SPARSE["brute"]:
        raise ValueError(
            f"metric={metric!r} is not valid for sparse input; choose from {sorted(VALID_METRICS_SPARSE['brute'])}, a "
            "function of two rows, or give dense rows"
        )
