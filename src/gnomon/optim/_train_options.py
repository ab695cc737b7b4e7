"""What may be asked of a training by mini-batches, and what goes with what.

word or value  →  value,    or a ValueError that names the argument                               (1)
"""

from __future__ import annotations

import warnings
from typing import Literal, TypeAlias

import numpy as np

from gnomon._typing import Floats
from gnomon.numerics.validation import check_choice
from gnomon.optim.schedules import RateLike, as_schedule
from gnomon.optim.updates import Adam, GradientSteps, Rprop, UpdateRule

__all__ = ["FULL_BATCH", "UPDATE_RULES", "AdaptRatio", "Clock", "RowSampling", "check_fit", "row_sampling"]

UPDATE_RULES: dict[str, UpdateRule] = {
    "gd": GradientSteps(),
    "sgd": GradientSteps(),
    "adam": Adam(),
    "rprop": Rprop(),
    "rprop+": Rprop("rprop+"),
    "irprop-": Rprop("irprop-"),
}
"""The solvers by the words that stand for them."""

FULL_BATCH = ("gd", "rprop", "rprop+", "irprop-")

RowSampling: TypeAlias = Literal["shuffle", "cyclic", "uniform"] | Floats
Clock: TypeAlias = Literal["update", "epoch", "row"]
AdaptRatio: TypeAlias = tuple[float, float] | Literal["normalise"] | None


def update_rule(solver: str | UpdateRule) -> UpdateRule:
    return (
        solver if isinstance(solver, UpdateRule) else UPDATE_RULES[check_choice("solver", solver, tuple(UPDATE_RULES))]
    )


def without_replacement(sampling: RowSampling) -> bool:
    return isinstance(sampling, str) and sampling in ("shuffle", "cyclic")


def row_sampling(sampling: RowSampling, n: int) -> RowSampling:
    if isinstance(sampling, str):
        return check_choice("sampling", sampling, ("shuffle", "cyclic", "uniform"))
    p = np.asarray(sampling, dtype=float)
    if p.shape != (n,) or np.any(p < 0.0) or not np.sum(p) > 0.0:
        raise ValueError(f"sampling of shape {p.shape} must hold {n} probabilities ≥ 0, not all zero")
    return p / np.sum(p)


def check_fit(
    rule: UpdateRule, schedule: RateLike | None, momentum: RateLike, ratio: AdaptRatio, rows: int, n: int
) -> None:
    """Refuse what the solver cannot use."""
    if schedule is not None and not rule.has_rate:
        raise ValueError(f"schedule={schedule!r} has no meaning for {rule!r}, whose steps are its own; leave it out")
    if momentum != 0.0 and not rule.has_momentum:
        raise ValueError(f"momentum={momentum!r} has no meaning for {rule!r}; only gradient steps have one")
    if rule.has_momentum and not 0.0 <= float(as_schedule(momentum)(0)) <= 1.0:
        raise ValueError(f"momentum={momentum!r} must be in [0, 1]; 0 for none")
    if ratio is not None and not rule.has_rate:
        raise ValueError(f"adapt_ratio={ratio!r} has no meaning for {rule!r}, whose steps are its own; leave it out")
    if isinstance(ratio, str) and (ratio != "normalise" or not rule.proximal):
        raise ValueError(
            f"adapt_ratio={ratio!r} cannot be used by {rule!r}; give (low, high), or for gradient steps 'normalise'"
        )
    if not (ratio is None or isinstance(ratio, str)) and not (len(ratio) == 2 and 0.0 <= ratio[0] <= ratio[1]):
        raise ValueError(f"adapt_ratio={ratio!r} must be (low, high) with 0 ≤ low ≤ high; give such a range")
    if rule.compares_gradients and rows < n / 10:
        message = f"{rule!r} compares gradients of different batches of {rows} of {n} rows; give larger batches"
        warnings.warn(message, UserWarning, stacklevel=4)
