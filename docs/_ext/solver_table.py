"""The directive ``solver-table``: which solver minimises which loss with which penalty, asked of the solvers."""

import inspect

import numpy as np
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from gnomon.losses import AbsoluteLoss, HingeLoss, LogisticLoss, SoftmaxLoss, SquaredHingeLoss, SquaredLoss
from gnomon.numerics.design import Design
from gnomon.optim import SOLVERS, Problem, applicable_solvers
from gnomon.penalties import L1, L2, ElasticNetPenalty, NoPenalty

__all__ = ["LOSSES", "PENALTIES", "SolverTable", "cells", "setup"]

LOSSES = {
    "squared": SquaredLoss(),
    "logistic": LogisticLoss(),
    "softmax": SoftmaxLoss(),
    "squared hinge": SquaredHingeLoss(),
    "hinge": HingeLoss(),
    "absolute": AbsoluteLoss(),
}
PENALTIES = {"none": NoPenalty(), "L2": L2(), "L1": L1(), "EN": ElasticNetPenalty()}


def cells():
    """{(solver, loss): names of the penalties it can take, "*" marking those that need a penalised intercept}."""
    found = {}
    for loss_name, loss in LOSSES.items():
        for penalty_name, penalty in PENALTIES.items():
            free, tied = (set(applicable_solvers(_problem(loss, penalty, mode))) for mode in ("free", "penalized"))
            for solver in free | tied:
                mark = "" if solver in free else "*"
                found.setdefault((solver, loss_name), []).append(penalty_name + mark)
    return found


def _problem(loss, penalty, intercept):
    index = loss.targets == "index"
    y = np.array([0, 1]) if index else np.array([-1.0, 1.0])
    design = Design(np.array([[1.0], [-1.0]]), intercept=intercept)
    return Problem(design, y, loss, penalty, np.ones(2), n_scores=2 if index else 1)


class SolverTable(SphinxDirective):
    """Parses the table from reStructuredText that it writes."""

    def run(self):
        """The nodes of the table."""
        found = cells()
        # Rebuild the page when the solvers change.
        self.env.note_dependency(inspect.getfile(applicable_solvers))
        lines = [".. list-table::", "   :header-rows: 1", "", "   * - solver"]
        lines += [f"     - {name}" for name in LOSSES]
        for solver in SOLVERS:
            lines.append(f"   * - ``{solver}``")
            names = [", ".join(found.get((solver, loss), "–")) for loss in LOSSES]
            lines += [f"     - {name}".replace("*", r"\*") for name in names]
        lines += ["", ".. list-table::", "   :header-rows: 1", "", "   * - solver", "     - needs"]
        for solver, entry in SOLVERS.items():
            lines.append(f"   * - ``{solver}``")
            lines.append(f"     - {'; '.join(need.__doc__ for need in entry.needs) or 'nothing'}")
        box = nodes.container()
        self.state.nested_parse(StringList(lines, source="solver-table"), self.content_offset, box)
        return box.children


def setup(app):
    """Register the directive."""
    app.add_directive("solver-table", SolverTable)
    return {"parallel_read_safe": True}
