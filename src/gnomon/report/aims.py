"""What the forecasts of a study are for: costs of actions, another prior, a coverage.

    C[a, k]    what action a costs where the truth is class k                                                   (1)

Elkan (2001), The foundations of cost-sensitive learning, IJCAI, 973–978.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gnomon._typing import Floats
from gnomon.io import Table, UserError
from gnomon.io.tables import as_float, listed, to_text

__all__ = ["Aims", "Stakes", "read_costs"]


@dataclass(frozen=True)
class Stakes:
    """Equation (1) with its names, and the priors of the classes where the model will be used (None: the table's)."""

    actions: tuple[str, ...]
    costs: Floats
    priors: Floats | None


@dataclass(frozen=True)
class Aims:
    """What is asked of a study beyond forecasts; the options of `gnomon learn` of the same names.

    Parameters
    ----------
    costs : dict of action → dict of class → float, optional
        Equation (1). Actions need not be classes.
    fn_cost, fp_cost : float, optional
        Two classes: what a missed positive and a false alarm cost; the one that is not given costs 1.
    positive : str, optional
        Two classes: which one is positive, for these, `prior` and metrics; the second in order if not given.
    prior : float, optional
        Two classes: the share of positives where the model will be used, if it is not that of the table.
    coverage : float, optional
        The probability with which sets of classes, or intervals of numbers, shall hold the truth.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI, 973–978.

    Examples
    --------
    >>> from gnomon.report import Aims
    >>> stakes = Aims(fn_cost=5.0, prior=0.1).stakes(("good", "bad"))
    >>> stakes.actions, stakes.costs.tolist(), stakes.priors.tolist()
    (('good', 'bad'), [[0.0, 5.0], [1.0, 0.0]], [0.9, 0.1])
    """

    costs: Mapping[str, Mapping[str, float]] | None = None
    fn_cost: float | None = None
    fp_cost: float | None = None
    positive: str | None = None
    prior: float | None = None
    coverage: float | None = None

    def __post_init__(self) -> None:
        for option, value in (("--fn-cost", self.fn_cost), ("--fp-cost", self.fp_cost)):
            if value is not None and not 0.0 < value < np.inf:
                raise UserError(f"{option} {value:g} must be greater than 0 and finite")
        for option, value in (("--prior", self.prior), ("--coverage", self.coverage)):
            if value is not None and not 0.0 < value < 1.0:
                raise UserError(f"{option} {value:g} must lie between 0 and 1")
        if self.costs is not None and (self.fn_cost, self.fp_cost) != (None, None):
            raise UserError("--costs holds all costs; leave out --fn-cost and --fp-cost, or --costs")

    def stakes(self, classes: Sequence[str], *, positive_is_used: bool = False) -> Stakes | None:
        """Costs and priors for the classes of the target; None where neither is given, or the target is a number.

        `positive_is_used` says that a metric asks for the positive class too.
        """
        of_two = {"--fn-cost": self.fn_cost, "--fp-cost": self.fp_cost, "--prior": self.prior}
        given = [option for option, value in (*of_two.items(), ("--positive", self.positive)) if value is not None]
        if not classes and (given or self.costs is not None):
            raise UserError(f"{(given or ['--costs'])[0]} is for classes; this target is a number")
        if given and len(classes) != 2:
            raise UserError(f"{given[0]} is for two classes; the target has {len(classes)}: {listed(classes)}")
        if self.positive is not None and self.positive not in classes:
            raise UserError(f"--positive {self.positive}: the classes are {listed(classes)}")
        unused = self.positive is not None and not positive_is_used
        if unused and all(value is None for value in of_two.values()):
            raise UserError(
                "--positive says which class --fn-cost, --fp-cost and --prior are for; give one of these, or a --metric"
            )
        second = len(classes) == 2 and self.positive in (None, classes[1])
        priors = None if self.prior is None else np.array([1.0 - self.prior, self.prior][:: 1 if second else -1])
        if self.costs is not None:
            return Stakes(tuple(self.costs), _matrix(self.costs, classes), priors)
        if not any(value is not None for value in of_two.values()):
            return None
        miss, alarm = self.fn_cost or 1.0, self.fp_cost or 1.0
        costs = np.array([[0.0, miss], [alarm, 0.0]] if second else [[0.0, alarm], [miss, 0.0]])
        return Stakes(tuple(classes), costs, priors)


def _matrix(costs: Mapping[str, Mapping[str, float]], classes: Sequence[str]) -> Floats:
    """Actions by classes, in the order of the latter."""
    for action, row in costs.items():
        if set(row) != set(classes):
            absent = [f"lack {name}" for name in classes if name not in row]
            strange = [f"have {name}, which is no class" for name in row if name not in classes]
            raise UserError(
                f"the costs of {action} {', '.join(absent + strange)}; give one for each class: {listed(classes)}"
            )
    found = np.array([[float(row[name]) for name in classes] for row in costs.values()])
    if len(found) < 2 or not np.all(np.isfinite(found)):
        raise UserError("costs must be finite numbers for at least two actions")
    return found


def read_costs(table: Table) -> dict[str, dict[str, float]]:
    """Costs from a table whose first column names the actions and whose others are the classes.

    Examples
    --------
    >>> from gnomon.io import Table
    >>> from gnomon.report.aims import read_costs
    >>> read_costs(Table({"action": ["grant", "refuse"], "good": ["0", "1"], "bad": ["5", "0"]}))
    {'grant': {'good': 0.0, 'bad': 5.0}, 'refuse': {'good': 1.0, 'bad': 0.0}}
    """
    first, *classes = table.names
    names = to_text(table[first]).tolist()
    if len(set(names)) < len(names) or not all(names):
        raise UserError(f"the first column of the costs, {first}, must name each action once: {listed(names)}")
    numbers = {name: as_float(table[name]) for name in classes}
    for name, values in numbers.items():
        if (gaps := np.isnan(values)).any():
            place = int(np.argmax(gaps))
            cell = str(to_text(table[name])[place])
            raise UserError(
                f"the cost of {names[place]} in the column {name} is {cell!r}, no number; write each like 0.5, with a "
                "column for each class"
            )
    return {action: {name: float(numbers[name][i]) for name in classes} for i, action in enumerate(names)}
