"""What may be asked of the training of a network.

    J(θ) = (1/n) [Σᵢ sᵢ ℓᵢ(θ) + ½ α Σ ‖W‖² + λ₁ Σ ‖W‖₁],    minimised by `solver` in at most `max_iter` epochs    (1)

The names are those of the parameters of the estimators (`_parameters`), which scikit-learn's networks have too where
these have them; `TrainingOptions.of` reads them from an estimator. One table says which solvers take whole sets of rows
and which mini-batches, and what each can use. Bottou, Curtis & Nocedal (2018), doi:10.1137/16M1080173.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from gnomon.neural._parameters import Clock, TrainingParameters
from gnomon.numerics.validation import check_choice, check_integer, check_interval, check_non_negative, check_positive
from gnomon.optim import UPDATE_RULES, RateDrops
from gnomon.optim.schedules import Capped, ConstantRate, Inverse, InverseT0, Power, Schedule
from gnomon.optim.updates import Adam, GradientSteps, UpdateRule
from gnomon.penalties import convert_lam

__all__ = ["DESCENTS", "TrainingOptions"]

DESCENTS = ("lbfgs", "bfgs", "cg", "newton")
"""Solvers of the whole objective, which neither mini-batches nor chance may enter."""

THEIRS = ("constant", "invscaling", "adaptive")
"""Words for rates that scikit-learn's networks take beside every solver. Of the parameters that they share with ours
each is read by the solvers that have it, as there; any other is refused where it cannot be used."""

LEAST_RATE = 1e-6
"""Where the rates of "adaptive" end."""


@dataclass(kw_only=True, eq=False)
class TrainingOptions(TrainingParameters):
    """The parameters of one training, with where it is computed; what does not fit together is refused.

    Parameters
    ----------
    device, masks
        As of `NetworkClassifier`.
    """

    device: str = "cpu"
    masks: Literal["numpy", "native"] = "numpy"

    def __post_init__(self) -> None:
        check_choice("solver", self.solver, (*UPDATE_RULES, *DESCENTS)) if isinstance(self.solver, str) else None
        for name in ("alpha", "l1", "tol"):
            check_non_negative(name, getattr(self, name))
        for name in ("learning_rate_init", "max_norm", "tol_grad"):
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name))
        check_integer("max_iter", self.max_iter, 1)
        check_integer("n_restarts", self.n_restarts, 1)
        if self.n_iter_no_change != math.inf:
            check_integer("n_iter_no_change", self.n_iter_no_change, 0)
        if self.per is not None:
            check_choice("per", self.per, ("update", "epoch", "row"))
        if isinstance(self.momentum, (int, float)):
            check_interval("momentum", self.momentum, 0.0, 1.0)
        self._refuse_what_does_not_fit()

    @classmethod
    def of(cls, estimator: Any, **changes: Any) -> TrainingOptions:
        """The options that an estimator has among its parameters; those it lacks are the defaults."""
        given = estimator.get_params(deep=False)
        return cls(**{**{f.name: given[f.name] for f in fields(cls) if f.name in given}, **changes})

    @property
    def full_batch(self) -> bool:
        """Whether the solver is a descent on the whole objective."""
        return isinstance(self.solver, str) and self.solver in DESCENTS

    @property
    def rule(self) -> UpdateRule:
        """The update rule of a solver by mini-batches."""
        own = {
            "adam": lambda: Adam(self.beta_1, self.beta_2, self.epsilon),
            "sgd": lambda: GradientSteps(nesterov=self._looks_ahead),
            "gd": lambda: GradientSteps(nesterov=self._looks_ahead),
        }
        if isinstance(self.solver, UpdateRule):
            return self.solver
        return own[self.solver]() if self.solver in own else UPDATE_RULES[self.solver]

    @property
    def _looks_ahead(self) -> bool:
        return self.nesterovs_momentum and self.momentum != 0

    @property
    def schedule(self) -> Schedule | Callable[[int], float] | None:
        """The rates without their drops; None for a solver that has none."""
        if not self.rule.has_rate:
            return None
        if not isinstance(self.learning_rate, str):
            return (
                ConstantRate(self.learning_rate_init)
                if isinstance(self.learning_rate, RateDrops)
                else self.learning_rate
            )
        words: dict[str, Callable[[], Schedule]] = {
            "invscaling": self._power,
            "power": self._power,
            "inv": lambda: Inverse(self.learning_rate_init),
            "inv_t0": lambda: InverseT0(self.learning_rate_init),
            "capped": Capped,
        }
        return words.get(self.learning_rate, lambda: ConstantRate(self.learning_rate_init))()

    def _power(self) -> Schedule:
        rate, p = self.learning_rate_init, self.power_t
        return Power(rate, p) if p > 0.0 else ConstantRate(rate)

    @property
    def drops(self) -> RateDrops | None:
        """What stalls do to the rate."""
        if isinstance(self.learning_rate, RateDrops):
            return self.learning_rate
        words: dict[Any, Callable[[], RateDrops]] = {
            "plateau": RateDrops,
            "adaptive": lambda: RateDrops.down_to(max(self.learning_rate_init, LEAST_RATE), LEAST_RATE, factor=0.2),
        }
        return (
            words[self.learning_rate]() if isinstance(self.learning_rate, str) and self.learning_rate in words else None
        )

    @property
    def clock(self) -> Clock:
        """What t of the schedule counts; scikit-learn's "invscaling" counts rows."""
        if self.per is not None:
            return self.per
        return "row" if isinstance(self.learning_rate, str) and self.learning_rate == "invscaling" else "update"

    @property
    def patience(self) -> int:
        """`n_iter_no_change` as a whole number."""
        return sys.maxsize if self.n_iter_no_change == math.inf else int(self.n_iter_no_change)

    def warn_of_batch_size(self, n: int, *, stacklevel: int) -> None:
        """A warning where a mini-batch was to have more rows than there are."""
        if not isinstance(self.batch_size, str) and self.batch_size > n:
            message = f"batch_size={self.batch_size} is larger than the {n} rows, which are all taken; give at most {n}"
            warnings.warn(message, UserWarning, stacklevel=stacklevel + 1)

    def rows_of_a_batch(self, n: int) -> int:
        """How many rows an update takes."""
        whole = self.solver == "gd" or self.rule.compares_gradients
        return (n if whole else min(200, n)) if isinstance(self.batch_size, str) else min(self.batch_size, n)

    def penalties(self, n: float) -> dict[str, Any]:
        """The penalties of (1) as a problem takes them; n is the weight of all rows."""
        return {
            "alpha": convert_lam(float(self.alpha), self.objective, "sum_half", n=n),
            "l1": convert_lam(float(self.l1), self.objective, "sum_half", n=n, penalty="l1"),
            "max_norm": self.max_norm,
            "penalty_scale": self.penalty_scale,
            "penalize_intercept": self.penalize_intercept,
        }

    def _refuse_what_does_not_fit(self) -> None:
        if not self.shuffle and not (isinstance(self.sampling, str) and self.sampling == "shuffle"):
            raise ValueError("shuffle=False takes the rows in their order and sampling draws them; leave one out")
        if self.per is not None and (self.full_batch or not self.rule.has_rate):
            raise ValueError(f"per={self.per!r} is for rates and solver={self.solver!r} has none; leave it out")
        if self.checkpoint is not None:
            path = str(self.checkpoint)
            if self.n_restarts > 1:
                raise ValueError(f"checkpoint={path!r} is for one start, and n_restarts={self.n_restarts}; give 1")
            if self.masks != "numpy":
                raise ValueError(f"checkpoint={path!r} keeps NumPy's generator; give masks='numpy', not {self.masks!r}")
        if self.curvature != "gauss_newton" and self.solver != "newton":
            raise ValueError(
                f"curvature={self.curvature!r} is for solver='newton', not {self.solver!r}; choose it, or leave "
                "curvature out"
            )
        steps = None if self.full_batch else self.rule
        own_rate = not isinstance(self.learning_rate, str) or self.learning_rate not in THEIRS
        if own_rate and not (steps and steps.has_rate):
            raise ValueError(
                f"learning_rate={self.learning_rate!r} is for rates and solver={self.solver!r} has none; leave it out"
            )
        if isinstance(self.momentum, Schedule) and not (steps and steps.has_momentum):
            raise ValueError(
                f"momentum={self.momentum!r} is for 'sgd' and 'gd', and solver={self.solver!r} has none; leave it out"
            )
        if not self.full_batch:
            return
        if self.track_objective:
            raise ValueError(
                f"track_objective=True is for mini-batches, and the history of solver={self.solver!r} has the "
                "objective of all rows; leave it out"
            )
        free = {
            "l1": 0.0, "max_norm": None, "adapt_ratio": None, "checkpoint": None, "augment": None,
            "sampling": "shuffle", "penalty_scale": "all",
        }  # fmt: skip
        for name, idle in free.items():
            if isinstance(given := getattr(self, name), np.ndarray) or given != idle:
                raise ValueError(
                    f"{name}={getattr(self, name)!r} cannot be used by solver={self.solver!r}, which needs one "
                    f"smooth objective; choose 'adam', 'sgd', 'gd' or 'rprop', or leave {name} out"
                )
