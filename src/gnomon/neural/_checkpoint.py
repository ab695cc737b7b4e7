"""Trainings that are kept in a file and go on from it.

    file ← state_k after epoch k;    a fit that finds the file goes on with epoch k + 1, to the same bits    (1)

The file is an archive of plain arrays and one text: reading it runs no code. It holds the identity of its fit
(`gnomon.base.checkpoint`) and is refused for others. What a fit without a seed begins with is kept too: rows held out
are the same ones when it goes on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, is_dataclass, replace
from typing import Any
from zipfile import BadZipFile

import numpy as np

from gnomon._typing import Floats
from gnomon.base.checkpoint import fit_identity, refuse_other_fit
from gnomon.base.files import whole_file
from gnomon.numerics.random import check_rng
from gnomon.optim import TrainingState
from gnomon.optim.rules import Check
from gnomon.optim.schedules import as_schedule

__all__ = ["Checkpoint"]

SECONDS = 1.0
"""Between two writes."""

FREE = frozenset({"max_iter", "time_limit"})
"""Parameters that may change when a training goes on: how long it may last."""


class Checkpoint:
    """The file of one training.

    Parameters
    ----------
    model : estimator
        With its parameters.
    schedule : Schedule, callable or None
        The rates at their beginning.
    **given
        Rows, targets, weights, and what else the fit is given.

    Attributes
    ----------
    rng : numpy.random.Generator
        Of the fit, at its beginning.
    state : TrainingState or None
        What the file held; None where there is none.
    """

    def __init__(self, model: Any, schedule: Any, **given: Any) -> None:
        self._identity, self._written = fit_identity(model, FREE, **given), time.monotonic()
        self._path = model._progress_path(self._identity)
        self._schedule = as_schedule(1e-3 if schedule is None else schedule)
        if not self._path.parent.is_dir():
            raise ValueError(
                f"checkpoint={str(self._path)!r} is in a folder that does not exist; make it, or give another"
            )
        self._seed: Any = np.random.SeedSequence().entropy
        self.state: TrainingState | None = None
        if self._path.exists():
            self._seed, self.state = self._read()
        self.rng = check_rng(self._seed if model.random_state is None else model.random_state)

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
        text: dict[str, Any] = {
            "identity": self._identity,
            "seed": self._seed,
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
            f"more_{name}": np.array([check.more.get(name, np.nan) for check in state.checks]) for name in text["names"]
        }
        return {
            "text": np.array(json.dumps(text)),
            "theta": state.theta,
            **{f"memory_{k}": part for k, part in enumerate(state.memory)},
            **{f"kept_{k}": state.checks[k].w for k in text["kept"]},
            "iteration": np.array([check.iteration for check in state.checks]),
            "objective": np.array([check.objective for check in state.checks]),
            "gradient_norm": np.array([check.gradient_norm for check in state.checks]),
            **columns,
        }

    def _read(self) -> tuple[int, TrainingState]:
        try:
            with np.load(self._path, allow_pickle=False) as file:
                found = {name: file[name] for name in file.files}
            text = json.loads(str(found["text"]))
            identity, seed = dict(text["identity"]), int(text["seed"])
        except (KeyError, ValueError, TypeError, EOFError, BadZipFile) as error:
            raise ValueError(
                f"checkpoint={str(self._path)!r} is no file of a training ({error}); give another, or remove it"
            ) from error
        refuse_other_fit(self._path, identity, self._identity)
        plain: Any = self._schedule
        schedule = replace(plain, **text["schedule"]) if text["schedule"] else plain
        memory = tuple(found[f"memory_{k}"] for k in range(text["memory"]))
        numbers = text["updates"], text["epoch"], text["factor"], text["dropped"]
        return seed, TrainingState(found["theta"], memory, *numbers, schedule, text["rng"], _checks(found, text))


def _checks(found: dict[str, Any], text: dict[str, Any]) -> tuple[Check[Floats], ...]:
    checks: list[Check[Any]] = []
    for k, iteration in enumerate(found["iteration"].tolist()):
        more = {name: found[f"more_{name}"][k] for name in text["names"]}
        w = found[f"kept_{k}"] if k in text["kept"] else None
        norm = float(found["gradient_norm"][k])
        checks.append(Check(iteration, w, float(found["objective"][k]), gradient_norm=norm, more=more))
    return tuple(checks)
