"""What all steps of preparation share: the columns that they read, kept small in a model file; levels as words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import Array
from gnomon.io.tables import to_text
from gnomon.report._kinds import ColumnKind, from_json, to_json

__all__ = ["MISSING_LEVEL", "OfColumns", "words_of"]

MISSING_LEVEL = "(missing)"


class OfColumns(BaseEstimator):
    """An estimator with columns `kinds`, which a model file holds as one text.

    A file that held every field of every column by itself would take minutes to write and to read in a wide table.
    """

    kinds: Sequence[ColumnKind]

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "kinds": to_json(self.kinds)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({**state, "kinds": from_json(state["kinds"])})


def words_of(values: Array) -> Array:
    """The cells of a category as text, with a name for what is missing."""
    text = to_text(values)
    return np.where(text == "", MISSING_LEVEL, text)
