"""Labels of anomalies: 1 is anomalous and positive, 0 is good; not the −1 and +1 of `predict`."""

from __future__ import annotations

import numpy as np

from gnomon._typing import ArrayLike, Bools
from gnomon.base.targets import check_target

__all__ = ["anomalous", "require_anomalies"]


def anomalous(y: ArrayLike, n_rows: int | None = None, label: object = None) -> Bools:
    """Which rows are anomalous, as booleans; with a `label` those that have it, and all others are good."""
    y = np.asarray(check_target(y))
    if y.ndim != 1 or (n_rows is not None and len(y) != n_rows):
        wanted = "one label per row" if n_rows is None else f"one label for each of the {n_rows} rows"
        raise ValueError(f"y has shape {y.shape}; give {wanted}: 1 for anomalous, 0 for good")
    if label is not None:
        return y == label
    labels = np.unique(y)
    if y.dtype.kind not in "biuf" or not np.all(np.isin(labels, [0, 1])):
        shown = labels[:5].tolist()
        raise ValueError(
            f"y holds the labels {shown}; give 1 for anomalous and 0 for good, for example y = (labels == -1) where "
            "−1 means anomalous as in predict"
        )
    return y.astype(bool)


def require_anomalies(bad: Bools, where: str, least: int = 1) -> None:
    """Refuse labels without enough anomalies to choose or judge anything."""
    if np.sum(bad) < least:
        raise ValueError(
            f"{where} holds {np.sum(bad)} anomalous rows (y = 1) where at least {least} are needed; label some, or "
            "set the threshold without labels by level= or contamination="
        )
