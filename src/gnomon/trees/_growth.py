"""From an estimator's parameters to a grown tree.

    fractions become numbers: min_samples_split, min_samples_leaf of the rows, max_features of the columns,
    min_weight_fraction_leaf of the weight; (n/N)·gain ≥ min_impurity_decrease becomes n·gain ≥ N·min_impurity_decrease

Names and their meaning are scikit-learn's (Pedregosa et al. 2011, JMLR 12).
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from math import ceil, log2, sqrt
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Count, Integers, Positive, ProperShare, RandomState, SomeShare, Within
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_integer

__all__ = [
    "BagSize",
    "Binning",
    "Bins",
    "LeafCount",
    "LeafShare",
    "LeafSize",
    "MaxFeatures",
    "MonotonicConstraints",
    "SplitSize",
    "SplitterWord",
    "bins_of",
    "growth_options",
    "monotone_of",
    "resolve_max_features",
    "seed_of",
]

Bins: TypeAlias = Annotated[int, Within(2, 255, closed="both")]
Binning: TypeAlias = Bins | Literal["auto"] | None
LeafCount: TypeAlias = Annotated[int, Within(2, closed="both")]
LeafShare: TypeAlias = Annotated[float, Within(0.0, 0.5, closed="both")]
"""A part of the weight that each of two leaves can have."""

MaxFeatures: TypeAlias = Count | SomeShare | Literal["sqrt", "log2"] | None
"""A number of columns, a share of them, or a function of their number; None for all."""

SplitSize: TypeAlias = LeafCount | SomeShare
"""Rows of a node that may be split: a number, or a share of all."""

LeafSize: TypeAlias = Count | ProperShare
"""Rows of a leaf: a number, or a share of all."""

BagSize: TypeAlias = Count | Positive | None
"""Draws of rows: a number, or a multiple of the total weight; None for as many as there are rows."""

SplitterWord: TypeAlias = Literal["best", "random"]

MonotonicConstraints: TypeAlias = ArrayLike | dict[str, int] | None
"""1, 0 or −1 for every column, or by name for some."""

BINNED_FROM = 20_000
"""Rows from which ``binning="auto"`` uses 255 bins."""


def growth_options(estimator: Any, n_rows: int, n_features: int, total_weight: float) -> dict[str, Any]:
    """The keyword arguments of `grow_tree` for an estimator's parameters."""
    depth, leaves = estimator.max_depth, estimator.max_leaf_nodes
    return {
        "max_depth": None if depth is None else int(depth),
        "max_leaf_nodes": None if leaves is None else int(leaves),
        "min_samples_split": _count("min_samples_split", estimator.min_samples_split, n_rows, least=2),
        "min_samples_leaf": _count("min_samples_leaf", estimator.min_samples_leaf, n_rows, least=1),
        "min_weight_leaf": estimator.min_weight_fraction_leaf * total_weight,
        "min_impurity": estimator.min_impurity,
        "min_gain": estimator.min_impurity_decrease * total_weight,
        "max_features": resolve_max_features(estimator.max_features, n_features),
        "monotone": _kept_monotone(estimator, n_features),
    }


def _kept_monotone(estimator: Any, p: int) -> Integers | None:
    """The constraints of `monotonic_cst`; refused with options under which leaves may violate them."""
    given = vars(estimator)
    monotone = monotone_of(estimator.monotonic_cst, p, given.get("feature_names_in_"))
    if monotone is None or not np.any(monotone):
        return monotone
    refits = given.get("pruning") == "reduced_error" and given.get("refit_leaves")
    breaking = {
        "multiple outputs": given.get("n_outputs_", 1) > 1,
        "multiclass classification": np.max(given.get("n_classes_", 2)) > 2,
        "categorical features (give 0 for them)": np.any(monotone[estimator.coding_.category] != 0),
        "leaf_alpha > 0, by which small leaves move most": given.get("leaf_alpha", 0.0) > 0.0,
        "leaf_model, whose answers vary within a leaf": given.get("leaf_model", "constant") != "constant",
        "refit_leaves=True, which estimates leaves anew": refits,
        "pruning='error_based', which estimates leaves anew": given.get("pruning") == "error_based",
    }
    for what, there in breaking.items():
        if there:
            raise ValueError(f"monotonic_cst: not supported for {what}; leave out the one or the other")
    return monotone


def resolve_max_features(max_features: MaxFeatures, p: int) -> int:
    """The number of columns, of p, that `max_features` means."""
    if max_features is None:
        return p
    if isinstance(max_features, str):
        return max(1, int(sqrt(p) if max_features == "sqrt" else log2(p)))
    if isinstance(max_features, numbers.Integral):
        return min(int(max_features), p)
    return max(1, int(max_features * p))


def bins_of(binning: Binning, n: int) -> int | None:
    """The number of bins for n rows; None is one for every distinct value."""
    if binning == "auto":
        return 255 if n > BINNED_FROM else None
    return None if binning is None else int(binning)


def seed_of(random_state: RandomState) -> int:
    """One seed for the draws of a tree."""
    return int(check_rng(random_state).integers(0, 2**63))


def _count(name: str, value: float, n: int, least: int) -> int:
    if isinstance(value, numbers.Integral):
        return check_integer(name, value, least)
    return max(least, ceil(value * n))


def monotone_of(cst: MonotonicConstraints, p: int, names: Sequence[str] | None) -> Integers | None:
    """1, −1 or 0 for each of p columns, from an array or a dict by name; None if there is no constraint."""
    if cst is None:
        return None
    if isinstance(cst, dict):
        if names is None:
            raise ValueError("monotonic_cst is a dict and the columns of X have no names; give a data frame, or one "
                             "value for each column")  # fmt: skip
        unknown = [name for name in cst if name not in list(names)]
        if unknown:
            raise ValueError(f"monotonic_cst names {unknown[0]!r}, which is no column of X; it has {list(names)}")
        cst = [cst.get(name, 0) for name in names]
    cst = np.asarray(cst)
    if cst.shape != (p,) or not np.all(np.isin(cst, (-1, 0, 1))):
        raise ValueError(f"monotonic_cst has shape {cst.shape} and values {np.unique(cst)[:5].tolist()}; "
                         f"monotonic_cst must be {p} values, 1, 0 or -1, one for each column")  # fmt: skip
    return cst.astype(np.int8)
