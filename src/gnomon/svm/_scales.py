"""Columns on wild scales.

    sd_max > 100 · lower quartile of the sd of the columns that vary                                  (1)

Then at least a quarter of the columns is not seen in distances and inner products.
"""

import warnings
from typing import Any

import numpy as np

from gnomon.kernels import Kernel

__all__ = ["warn_of_wild_scales"]

WILD = 100.0
"""From this ratio on, (1) is warned of."""


def warn_of_wild_scales(kernel: Kernel, rows: Any, names: Any = None, *, stacklevel: int = 3) -> None:
    """Warn where (1) holds for a dense table; others, and rows that are no table, have scales of their own."""
    if kernel.whole or not isinstance(rows, np.ndarray) or rows.shape[1] < 2:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        unit = np.max(np.abs(rows), axis=0, initial=0.0)
        sd = unit * np.std(rows / np.where(unit > 0.0, unit, 1.0), axis=0)
    found = sd[sd > 0.0]
    if len(found) < 2:
        return
    small = np.sort(found)[(len(found) - 1) // 4]
    largest = int(np.argmax(sd))
    if sd[largest] > WILD * small:
        column = largest if names is None else repr(str(names[largest]))
        warnings.warn(
            f"features on wild scales: column {column} has standard deviation {sd[largest]:.3g}, a quarter of them "
            f"at most {small:.3g}, which the kernel hardly sees; put a StandardScaler or MinMaxScaler before the model",
            stacklevel=stacklevel,
        )
