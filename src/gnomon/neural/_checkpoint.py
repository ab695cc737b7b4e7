"""Trainings that are kept in a file and go on from it.

    file ← state_k after epoch k;    a fit that finds the file goes on with epoch k + 1, to the same bits    (1)

The file is an archive of plain arrays and one text: reading it runs no code. It names the network and the options it
belongs to, and is refused for others.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import asdict, fields, is_dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from gnomon._typing import Floats
from gnomon.base.files import whole_file
from gnomon.optim import TrainingState
from gnomon.optim.rules import Check
from gnomon.optim.schedules import as_schedule

__all__ = ["Checkpoint"]

SECONDS = 1.0
"""Between two writes."""

FREE = frozenset(
    {
        "checkpoint", "curvature", "device", "engine", "max_fun", "max_iter", "n_iter_no_change", "n_jobs",
        "n_restarts", "random_state", "time_limit", "tol", "tol_grad", "track_objective", "verbose",
    }
)  # fmt: skip
"""Options that may change when a training goes on: how long it may last, where it is computed, what is told of it."""


class Checkpoint:
    """The file of one training: `state` is what it held, None where there is none."""

    def __init__(self, path: str | os.PathLike[str], options: Any, problem: Any) -> None:
        if options.n_restarts > 1:
            raise ValueError(f"checkpoint={str(path)!r} is for one start, and n_restarts={options.n_restarts}; give 1")
        if options.masks != "numpy":
            raise ValueError(
                f"checkpoint={str(path)!r} keeps NumPy's generator; give masks='numpy', not {options.masks!r}"
            )
        if kept := [layer for layer in problem.network.layers if layer.remembers]:
            raise ValueError(
                f"checkpoint={str(path)!r} keeps parameters, and {kept[0]!r} has more, as running means; leave one out"
            )
        self._path, self._written = Path(path), time.monotonic()
        if not self._path.parent.is_dir():
            raise ValueError(f"checkpoint={str(path)!r} is in a folder that does not exist; make it, or give another")
        asked = {f.name: _text(getattr(options, f.name)) for f in fields(options) if f.name not in FREE}
        parts = {"network": problem.network.layers, "losses": problem.losses}
        texts = {name: [_text(part) for part in of] for name, of in parts.items()}
        self._mark = json.dumps({"rows": problem.n_rows, **texts, **asked}, sort_keys=True)
        self._schedule = as_schedule(1e-3 if options.schedule is None else options.schedule)
        self.state = self._read() if self._path.exists() else None

    def save(self, state: Callable[[], TrainingState]) -> None:
        """Write the state, unless one was written a moment ago."""
        if time.monotonic() - self._written >= SECONDS:
            self.close(state())

    def close(self, state: TrainingState) -> None:
        """Write the state; a reader finds the old file or the new one, never a part."""
        with whole_file(self._path) as part, part.open("wb") as file:
            np.savez(file, **self._arrays(state))
        self._written = time.monotonic()

    def _arrays(self, state: TrainingState) -> dict[str, Any]:
        text = {
            "mark": self._mark,
            "updates": state.updates,
            "epoch": state.epoch,
            "factor": state.factor,
            "dropped": state.dropped,
            "rng": state.rng,
            "schedule": asdict(state.schedule) if is_dataclass(state.schedule) else {},
            "kept": [k for k, check in enumerate(state.checks) if check.w is not None],
            "names": sorted({name for check in state.checks for name in check.more}),
            "memory": len(state.memory),
        }
        columns = {
            f"more_{name}": np.array([check.more.get(name, np.nan) for check in state.checks])
            for name in text["names"]  # type: ignore[attr-defined]
        }
        return {
            "text": np.array(json.dumps(text)),
            "theta": state.theta,
            **{f"memory_{k}": part for k, part in enumerate(state.memory)},
            **{f"kept_{k}": state.checks[k].w for k in text["kept"]},  # type: ignore[attr-defined]
            "iteration": np.array([check.iteration for check in state.checks]),
            "objective": np.array([check.objective for check in state.checks]),
            "gradient_norm": np.array([check.gradient_norm for check in state.checks]),
            **columns,
        }

    def _read(self) -> TrainingState:
        try:
            with np.load(self._path, allow_pickle=False) as file:
                found = {name: file[name] for name in file.files}
            text = json.loads(str(found["text"]))
        except (KeyError, ValueError, EOFError, BadZipFile) as error:
            raise ValueError(
                f"checkpoint={str(self._path)!r} is no file of a training ({error}); give another, or remove it"
            ) from error
        if text["mark"] != self._mark:
            raise ValueError(
                f"checkpoint={str(self._path)!r} belongs to another training ({text['mark']}) than this one "
                f"({self._mark}); give another file, or remove it"
            )
        plain: Any = self._schedule
        schedule = replace(plain, **text["schedule"]) if text["schedule"] else plain
        memory = tuple(found[f"memory_{k}"] for k in range(text["memory"]))
        numbers = text["updates"], text["epoch"], text["factor"], text["dropped"]
        return TrainingState(found["theta"], memory, *numbers, schedule, text["rng"], _checks(found, text))


def _text(value: Any) -> str:
    """A value as text that is the same in another process, where functions have other addresses."""
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value))


def _checks(found: dict[str, Any], text: dict[str, Any]) -> tuple[Check[Floats], ...]:
    checks: list[Check[Any]] = []
    for k, iteration in enumerate(found["iteration"].tolist()):
        more = {name: found[f"more_{name}"][k] for name in text["names"]}
        w = found[f"kept_{k}"] if k in text["kept"] else None
        norm = float(found["gradient_norm"][k])
        checks.append(Check(iteration, w, float(found["objective"][k]), gradient_norm=norm, more=more))
    return tuple(checks)
