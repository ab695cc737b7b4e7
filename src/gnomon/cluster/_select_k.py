"""How many clusters there are, with an honest "no clear answer".

    k = argmax or argmin of a curve over the k that are tried, or None where the curve says nothing      (1)

No way is right for all data, so one has to be named: `METHODS`. What each computes stands in `k_rules` and beside its
function in `k_curves`. Tibshirani, Walther & Hastie (2001), doi:10.1111/1467-9868.00293; Lange, Roth, Braun & Buhmann
(2004), doi:10.1162/089976604773717621; Hamerly & Elkan (2003), NIPS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import signature
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from gnomon._typing import MatrixLike, Seed
from gnomon.cluster import k_curves
from gnomon.cluster.k_means import KMeans
from gnomon.cluster.k_selection import KSelection, KTrial
from gnomon.numerics.validation import FLOATS, check_choice, check_integer

__all__ = ["select_k"]

Method: TypeAlias = Literal[
    "elbow",
    "penalty",
    "stability",
    "prediction_strength",
    "capacity",
    "heldout",
    "gap",
    "gmeans",
    "bic",
    "silhouette",
    "calinski_harabasz",
    "davies_bouldin",
    "downstream",
]

METHODS: dict[str, Callable[..., KSelection]] = {
    "elbow": k_curves.by_elbow,
    "penalty": k_curves.by_penalty,
    "stability": k_curves.by_stability,
    "prediction_strength": k_curves.by_prediction_strength,
    "capacity": k_curves.by_capacity,
    "heldout": k_curves.by_held_out_cost,
    "gap": k_curves.by_gap,
    "gmeans": k_curves.by_gmeans,
    "bic": k_curves.by_bic,
    "silhouette": k_curves.by_silhouette,
    "calinski_harabasz": k_curves.by_calinski_harabasz,
    "davies_bouldin": k_curves.by_davies_bouldin,
    "downstream": k_curves.by_downstream,
}


def select_k(
    X: MatrixLike,
    ks: Iterable[int] = range(1, 11),
    *,
    method: Method,
    estimator: BaseEstimator | None = None,
    sample_size: int | None = None,
    random_state: Seed = None,
    **options: Any,
) -> KSelection:
    """Try several numbers of clusters and choose one, or none.

    Parameters
    ----------
    X : array-like of shape (n, d)
    ks : iterable of int, default=range(1, 11)
    method : str
        "elbow" (`min_strength=1`, `n_references=0`), "penalty" (`penalty=λ`), "stability" and "capacity"
        (`n_splits=20`), "prediction_strength" (`n_splits=20`, `threshold=0.8`), "heldout" (`n_splits=5`), "gap"
        (`n_references=20`, `reference="pca"` or "box", `rule="first_se"` or "max"), "gmeans" (`alpha=1e-4`,
        `bonferroni=False`), "bic", "silhouette", "calinski_harabasz", "davies_bouldin", "downstream"
        (`scorer(labels, model)`, or `pipeline` with the clusterer inside, `y`, `cv` and `scoring` of its
        cross-validation; `cost_per_cluster=0`). "capacity" leans to larger numbers where groups overlap.
    estimator : clusterer, optional
        With `n_clusters`; `KMeans` by default. Ways that place new rows need its `predict`.
    sample_size : int, optional
        So many rows, drawn once, stand for all.
    random_state : int, RandomState or None
        Draws rows, halves and references, and the seed of every fit where that of `estimator` is None.
    **options
        Of the method.

    Returns
    -------
    KSelection

    References
    ----------
    Tibshirani, R., Walther, G. & Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
    statistic. doi:10.1111/1467-9868.00293

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster import select_k
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.3, size=(40, 2)) for c in (0.0, 4.0, 8.0)])
    >>> select_k(X, range(1, 7), method="elbow", random_state=0).k
    3
    >>> print(select_k(rng.uniform(size=(200, 2)), range(1, 7), method="elbow", random_state=0))
    no elbow: the strongest bend ...
    """
    check_choice("method", method, tuple(METHODS))
    _check_options(method, options)
    if options.get("pipeline") is not None and (estimator is not None or sample_size is not None):
        raise ValueError("estimator and sample_size have no meaning beside pipeline, which has its own; leave them out")
    rows = check_array(X, dtype=FLOATS, input_name="X")
    rng = check_random_state(random_state)
    if sample_size is not None and check_integer("sample_size", sample_size, low=2) < len(rows):
        rows = rows[np.sort(rng.permutation(len(rows))[:sample_size])]
    numbers = _numbers(ks, len(rows))
    base = KMeans(n_init=5) if estimator is None else estimator
    if "n_clusters" not in base.get_params(deep=False):
        raise ValueError(f"estimator={base!r} has no n_clusters to try; give a clusterer that has, as KMeans")
    return METHODS[method](KTrial(rows, numbers, base, rng), **options)


def _check_options(method: Method, options: dict[str, Any]) -> None:
    known = [name for name, p in signature(METHODS[method]).parameters.items() if p.kind is p.KEYWORD_ONLY]
    for name, value in options.items():
        if name not in known:
            what = f"its options are {', '.join(known)}" if known else "it has none"
            raise TypeError(f"{name}={value!r} is no option of method={method!r}: {what}")


def _numbers(ks: Iterable[int], n: int) -> list[int]:
    found = sorted({check_integer("ks", k, low=1) for k in ks})
    if not found:
        raise ValueError("ks is empty; give the numbers of clusters to try, for example range(1, 11)")
    if found[-1] > n:
        raise ValueError(f"ks goes up to {found[-1]}, and there are {n} rows; try at most as many")
    return found
