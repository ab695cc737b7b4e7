"""What a search by cross-validation has found so far, in a file.

    file = (which search it is, state of the optimiser, point and scores of every fold)               (1)

A search that finds the file of an earlier one with the same identity (`gnomon.base.checkpoint`) goes on where that one
ended. The file is JSON; it holds numbers and the indices of choices, so that nothing in it is executed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gnomon.base.checkpoint import refuse_other_fit
from gnomon.base.files import write_text

__all__ = ["SearchFile"]


class SearchFile:
    """The file (1); without a path nothing is kept."""

    def __init__(self, path: Path | None, identity: Mapping[str, str]):
        self._path, self._identity = path, identity

    def read(self) -> dict[str, Any] | None:
        """What is in the file; None where there is none."""
        if self._path is None or not self._path.exists():
            return None
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            identity = dict(found["search"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"checkpoint={str(self._path)!r} is no file of a search ({type(error).__name__}); give another path, "
                "or delete it"
            ) from None
        refuse_other_fit(self._path, identity, self._identity)
        return found

    def write(self, state: dict[str, Any], folds: Sequence[dict[str, Any] | None]) -> None:
        """Replace the file by what is known now."""
        if self._path is not None:
            text = json.dumps(
                {"search": self._identity, "state": state, "folds": [fold and _plain(fold) for fold in folds]}
            )
            write_text(self._path, text)


def _plain(fold: dict[str, Any]) -> dict[str, Any]:
    """What is known of a fold, in types that JSON has."""
    return {name: _number(value) for name, value in fold.items()}


def _number(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _number(part) for name, part in value.items()}
    return value.item() if isinstance(value, np.generic) else value
