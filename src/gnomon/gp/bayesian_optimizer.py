"""Bayesian optimisation: the minimum of an expensive function by asking where it is worth evaluating.

    x₁ … x_m  a scrambled Sobol sequence,    x_{n+1} = argmax A(law of f(x) given y₁ … y_n)             (1)

The law is a Gaussian process (`_surrogate.py`), A an acquisition (`gnomon.infer`). Points that were asked and not yet
told count as if their value were its mean given the others, the kriging believer of Ginsbourger, Le Riche & Carraro
(2010), doi:10.1007/978-3-642-10701-6_6. Snoek, Larochelle & Adams (2012), arXiv:1206.2944; Frazier (2018),
arXiv:1807.02811.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Self

import numpy as np

from gnomon._typing import Array, Count, Floats, RandomState
from gnomon.base.files import write_text
from gnomon.gp._acquisition import AcquisitionLike, Aim, aim, read_acquisition
from gnomon.gp._next_point import Candidates, best_point
from gnomon.gp._observations import QUIET
from gnomon.gp._surrogate import Surrogate, Values, draws_of, learned, start_of, surrogate
from gnomon.gp.space import Codes, Space, SpaceLike, sobol
from gnomon.numerics.parallel import calm_blas
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_integer

__all__ = ["BayesianOptimizer"]

DRAWS = 10
"""Of θ for "ei_mcmc"."""
FEW, OFTEN = 20, 10
"""Up to `FEW` values, and at every `OFTEN`-th one, θ is also sought from where it stood before any value."""
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
"""Of a function in memory, which is another one in every process."""
FIRST_SOBOL = 10
"""2 to this power points of the Sobol sequence are at hand for first points."""


@dataclass(frozen=True)
class _Told:
    """One evaluation."""

    codes: Codes
    loss: float
    seconds: float


class BayesianOptimizer:
    """Minimises an expensive function by (1), one question at a time.

    Parameters
    ----------
    space : Space or dict
        Parameters by name; see `Space`.
    acquisition : {"ei", "ei_mcmc", "ei_per_second", "lcb", "pi", "ratio"} or Acquisition, default="ei"
        A of (1): expected improvement; its mean over hyper-parameters drawn by slice sampling; per second, for which
        `tell` needs the seconds; lower confidence bound; probability of improvement; "ratio" is μ/s, for comparison.
    n_initial_points : int, default=10
        m of (1); points that are told without having been asked count.
    n_candidates : int, default=100000
        Points at which A is compared; the 10 best are then improved by L-BFGS-B.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Threads that compare candidates, as in joblib; None for as many as BLAS may use. It changes no answer.

    Attributes
    ----------
    history_ : dict
        "iteration", "objective" (the least loss so far), "loss" and "seconds" of every evaluation.
    best_point_ : dict
    best_loss_ : float
    seed_ : int
        What `random_state` was read as.

    References
    ----------
    Snoek, J., Larochelle, H. & Adams, R. P. (2012). Practical Bayesian optimization of machine learning algorithms.
    arXiv:1206.2944

    Examples
    --------
    A function with two minima, of which −6.0207 at 0.7572 is the lower one:

    >>> import numpy as np
    >>> from gnomon.gp import BayesianOptimizer, Real
    >>> optimizer = BayesianOptimizer({"x": Real(0.0, 1.0)}, n_initial_points=3, n_candidates=1000, random_state=0)
    >>> for _ in range(15):
    ...     point = optimizer.ask()
    ...     optimizer.tell(point, (6 * point["x"] - 2) ** 2 * np.sin(12 * point["x"] - 4))
    >>> optimizer.best_loss_ < -6.01, abs(optimizer.best_point_["x"] - 0.7572) < 0.01
    (True, True)
    """

    def __init__(
        self,
        space: SpaceLike,
        acquisition: AcquisitionLike = "ei",
        *,
        n_initial_points: Count = 10,
        n_candidates: Count = 100_000,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ):
        self.space = space if isinstance(space, Space) else Space(space)
        self.acquisition = acquisition
        self.n_initial_points = check_integer("n_initial_points", n_initial_points, 1)
        self.n_candidates = check_integer("n_candidates", n_candidates, 1, 10_000_000)
        self.n_jobs = n_jobs
        self.seed_ = int(check_rng(random_state).integers(2**63))
        self._rule = read_acquisition(acquisition)
        self._told: list[_Told] = []
        self._pending: list[Codes] = []
        self._n_asked, self._n_first = 0, 0
        self._theta: dict[str, Floats] = {}
        self._candidates: Candidates | None = None

    def __repr__(self) -> str:
        return f"BayesianOptimizer({len(self.space)} parameters, {len(self._told)} evaluations)"

    def ask(self, n: int | None = None) -> Any:
        """The next point to evaluate, or a list of the next n.

        Points that were asked before and are not told yet are taken into account. In a space of finitely many points
        none is asked twice before all have been.

        Parameters
        ----------
        n : int, optional

        Returns
        -------
        dict of parameters by name, or list of them
        """
        if n is None:
            return self._ask()
        return [self._ask() for _ in range(check_integer("n", n, 1))]

    def tell(
        self,
        point: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        loss: float | Iterable[float],
        seconds: float | Iterable[float] | None = None,
    ) -> None:
        """Say what came out at a point, or at each of several, whether they were asked or not.

        Parameters
        ----------
        point : dict, or sequence of dict
        loss : float, or sequence of float
            NaN or an infinity is a run that failed, and counts as the worst loss of those that did not.
        seconds : float or sequence of float, optional
            What the evaluation took.
        """
        if isinstance(point, Mapping):
            self._tell(point, loss, seconds)
            return
        points, losses = list(point), list(np.atleast_1d(np.asarray(loss, dtype=float)))
        times = [None] * len(points) if seconds is None else list(np.atleast_1d(np.asarray(seconds, dtype=float)))
        if not len(points) == len(losses) == len(times):
            raise ValueError(f"{len(points)} points, {len(losses)} losses and {len(times)} seconds; give one of each")
        for one in zip(points, losses, times, strict=True):
            self._tell(*one)

    def predict(self, points: Iterable[Mapping[str, Any]]) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the function at points, given what was told."""
        return self._surrogate().predict(self.space.transform(points))

    def acquisition_values(self, points: Iterable[Mapping[str, Any]]) -> Floats:
        """The criterion at points as it is printed in textbooks; of "ei_mcmc" and "ei_per_second" that of "ei".

        Points that were asked and not told yet count as in `ask`.
        """
        law, known = self._believing()
        best = float(np.min(law.predict(known)[0]))
        return self._rule.criterion.value(*law.predict(self.space.transform(points)), best)

    @property
    def history_(self) -> dict[str, Array]:
        """One entry for every evaluation, in the order in which they were told."""
        losses = np.array([one.loss for one in self._told])
        finite = np.where(np.isfinite(losses), losses, np.inf)
        best = np.minimum.accumulate(finite) if len(finite) else finite
        return {
            "iteration": np.arange(1, len(losses) + 1),
            "objective": np.where(np.isfinite(best), best, np.nan),
            "loss": losses,
            "seconds": np.array([one.seconds for one in self._told]),
        }

    @property
    def points_(self) -> list[dict[str, Any]]:
        """The points that were told, in their order."""
        return [self.space.point(one.codes) for one in self._told]

    @property
    def best_point_(self) -> dict[str, Any]:
        """The point of the least loss, the first of equal ones."""
        return self.space.point(self._best().codes)

    @property
    def best_loss_(self) -> float:
        """The least loss."""
        return self._best().loss

    @property
    def is_exhausted_(self) -> bool:
        """Whether the space has finitely many points, and all have been told or asked."""
        return self._all_candidates().complete and len(self._seen()) >= self._all_candidates().size

    # The state.

    def state(self) -> dict[str, Any]:
        """All that the next questions depend on, in types that JSON has."""
        return {
            **self._identity(),
            "seed": self.seed_,
            "asked": self._n_asked,
            "first": self._n_first,
            "theta": {name: theta.tolist() for name, theta in self._theta.items()},
            "pending": [list(codes) for codes in self._pending],
            "told": [[list(one.codes), _or_none(one.loss), _or_none(one.seconds)] for one in self._told],
        }

    def restored(self, state: Mapping[str, Any]) -> Self:
        """Take over a `state` of an optimiser with the same space and options: the next question is the same."""
        for name, mine in self._identity().items():
            if state.get(name) != mine:
                raise ValueError(
                    f"the state is of another optimisation: its {name} is {state.get(name)!r}, here it is {mine!r}; "
                    "give the same, or another file"
                )
        self.seed_ = int(state["seed"])
        self._n_asked, self._n_first = int(state["asked"]), int(state["first"])
        self._theta = {name: np.array(theta) for name, theta in state["theta"].items()}
        self._pending = [tuple(codes) for codes in state["pending"]]
        self._told = [_Told(tuple(codes), _or_nan(loss), _or_nan(seconds)) for codes, loss, seconds in state["told"]]
        self._candidates = None
        return self

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a file of JSON, whole or not at all."""
        write_text(path, json.dumps(self.state()))

    def restore(self, path: str | PathLike[str]) -> Self:
        """Take over the state of a file that `save` wrote; the space and the options must be the same.

        Returns
        -------
        self
        """
        with open(path, encoding="utf-8") as file:
            return self.restored(json.load(file))

    def _identity(self) -> dict[str, Any]:
        return {
            "space": {name: ADDRESS.sub("", repr(dimension)) for name, dimension in self.space.dimensions.items()},
            "acquisition": repr(self.acquisition),
            "n_initial_points": self.n_initial_points,
            "n_candidates": self.n_candidates,
        }

    # Questions and answers.

    def _tell(self, point: Mapping[str, Any], loss: Any, seconds: Any) -> None:
        codes = self.space.codes(point)
        if not _is_number(loss):
            raise ValueError(f"loss={loss!r} must be one number for one point; give NaN for a run that failed")
        if seconds is not None and (not _is_number(seconds) or seconds < 0.0 or math.isinf(seconds)):
            raise ValueError(f"seconds={seconds!r} must be ≥ 0 and finite; leave them out where they are not known")
        if codes in self._pending:
            self._pending.remove(codes)
        taken = math.nan if seconds is None else float(seconds)
        self._told.append(_Told(codes, float(loss), taken))

    def _ask(self) -> dict[str, Any]:
        known = len(self._told) + len(self._pending)
        finite = sum(math.isfinite(one.loss) for one in self._told)
        codes = self._first_point() if known < self.n_initial_points or finite < 2 else self._next_point()
        self._pending.append(codes)
        self._n_asked += 1
        return self.space.point(codes)

    def _first_point(self) -> Codes:
        """The next point of the Sobol sequence that was not seen; any, where all were."""
        seen, codes = self._seen(), None
        points = sobol(len(self.space), 1 << FIRST_SOBOL, self.seed_)
        for _ in range(len(points)):
            u = points[[self._n_first % len(points)]]
            self._n_first += 1
            codes = self.space.codes_at(self.space.existing(u))[0]
            if codes not in seen:
                return codes
        assert codes is not None
        return codes

    def _next_point(self) -> Codes:
        rng = np.random.default_rng([self.seed_, self._n_asked])
        with calm_blas(len(self._told) // QUIET):
            target, known = self._aim(rng)
        return best_point(self.space, target, self._all_candidates(), known, self._seen(), rng, self.n_jobs)

    def _seen(self) -> set[Codes]:
        return {one.codes for one in self._told} | set(self._pending)

    def _best(self) -> _Told:
        finite = [one for one in self._told if math.isfinite(one.loss)]
        if not finite:
            raise ValueError("no run has succeeded yet; tell a finite loss")
        return min(finite, key=lambda one: one.loss)

    def _all_candidates(self) -> Candidates:
        if self._candidates is None:
            self._candidates = Candidates(self.space, self.n_candidates, self.seed_)
        return self._candidates

    # Laws.

    def _values(self, name: str) -> Values:
        """What a surrogate is learned from: losses, with that of failed runs, or logarithms of seconds."""
        told = self._told if name == "loss" else [one for one in self._told if one.seconds > 0.0]
        if name == "loss":
            losses = np.array([one.loss for one in told])
            worst = np.max(losses[np.isfinite(losses)], initial=-np.inf)
            y = np.where(np.isfinite(losses), losses, worst if np.isfinite(worst) else 0.0)
        else:
            y = np.log([one.seconds for one in told])
        U = self.space.unit_of([one.codes for one in told])
        return Values(self.space.columns(U), y, self.space.groups)

    def _learned(self, name: str, values: Values) -> Floats:
        """θ, sought from where it was found last."""
        first, n = start_of(len(self.space)), len(values.y)
        last = self._theta.get(name)
        starts = [first] if last is None else [last, first] if n <= FEW or n % OFTEN == 0 else [last]
        return learned(values, starts)

    def _check_told(self) -> None:
        if not self._told:
            raise ValueError("nothing has been told yet; tell a loss first")

    def _surrogate(self) -> Surrogate:
        self._check_told()
        values = self._values("loss")
        return surrogate(values, self._learned("loss", values))

    def _believing(self, theta: Floats | None = None) -> tuple[Surrogate, Floats]:
        """The law in which pending points have their mean as value, and the columns of all its points."""
        self._check_told()
        values = self._values("loss")
        theta = self._learned("loss", values) if theta is None else theta
        law = surrogate(values, theta)
        if self._pending:
            Z = self.space.columns(self.space.unit_of(self._pending))
            values = Values(np.vstack([values.Z, Z]), np.append(values.y, law.predict(Z)[0]), values.groups)
            law = surrogate(values, theta)
        return law, values.Z

    def _aim(self, rng: np.random.Generator) -> tuple[Aim, Floats]:
        """What is maximised, and the best places that are known."""
        values = self._values("loss")
        theta = self._theta["loss"] = self._learned("loss", values)
        thetas = draws_of(values, theta, DRAWS, rng) if self._rule.drawn else theta[None, :]
        pairs = [self._believing(one) for one in thetas]
        seconds = self._seconds() if self._rule.timed else None
        order = np.argsort(values.y, kind="stable")[: max(5, len(self.space))]
        known = self.space.unit_of([self._told[i].codes for i in order])
        return aim(self._rule, [law for law, _ in pairs], pairs[0][1], seconds), known

    def _seconds(self) -> Surrogate:
        values = self._values("seconds")
        if len(values.y) < 2:
            raise ValueError(
                f"acquisition={self.acquisition!r} needs the seconds of evaluations; give them to tell(point, loss, "
                "seconds)"
            )
        self._theta["seconds"] = self._learned("seconds", values)
        return surrogate(values, self._theta["seconds"])


def _is_number(value: Any) -> bool:
    return np.ndim(value) == 0 and np.asarray(value).dtype.kind in "biuf"


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else float(value)
