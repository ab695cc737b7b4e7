"""Which growers may use a criterion, and why.

    a grower may use a criterion  ⇔  the criterion declares every trait that the grower needs                        (1)

Rice (1976), The algorithm selection problem, doi:10.1016/S0065-2458(08)60520-3.
"""

from __future__ import annotations

from typing import NamedTuple

from gnomon.search._criterion import Criterion

__all__ = ["applicable_growers", "require_traits"]


class Need(NamedTuple):
    """A trait that a grower needs, and what for."""

    trait: str
    why: str


ADDITIVE = Need("additive", "nodes are known by sums over their rows")
COMPILED = Need("compiled", "kernels call its verbs; decorate its class with @noun")
IMPURITY = Need("is_impurity", "a node is divided as long as its H is positive")
MONOTONE = Need("monotone_worth", "bounds that leave out splits hold only if no rows make a group worth more")

GROWERS = {
    "grow_in_place": (ADDITIVE, COMPILED, MONOTONE),
    "grow_tree": (ADDITIVE, COMPILED),
    "optimal_tree": (ADDITIVE, COMPILED, MONOTONE),
    "grow_general_tree": (IMPURITY,),
}
INSTEAD = {
    "grow_in_place": "use grow_tree on code_columns(X), which grows the same tree",
    "grow_tree": "use grow_general_tree",
    "grow_general_tree": "use grow_tree",
    "optimal_tree": "choose another criterion, such as Misclassification or SquaredError",
}


def applicable_growers(criterion: Criterion) -> list[str]:
    """The names of the growers that may use a criterion, by the traits that it declares.

    Parameters
    ----------
    criterion : Criterion

    Returns
    -------
    list of str
        Of "grow_in_place", "grow_tree", "optimal_tree" and "grow_general_tree".

    References
    ----------
    Rice, J. R. (1976). The algorithm selection problem. doi:10.1016/S0065-2458(08)60520-3

    Examples
    --------
    >>> from gnomon.search import AbsoluteError, Newton, applicable_growers
    >>> applicable_growers(Newton()), applicable_growers(AbsoluteError())
    (['grow_tree'], ['grow_general_tree'])
    """
    return [grower for grower in GROWERS if not _lacking(grower, criterion)]


def require_traits(grower: str, criterion: Criterion) -> None:
    """Refuse a criterion that lacks a trait which the grower needs: its answer could be wrong."""
    lacking = _lacking(grower, criterion)
    if lacking:
        needs = " and ".join(f"{need.trait}=True ({need.why})" for need in lacking)
        raise ValueError(f"criterion={criterion!r} lacks what {grower} needs: {needs}; {INSTEAD[grower]}")


def _lacking(grower: str, criterion: Criterion) -> list[Need]:
    return [need for need in GROWERS[grower] if not getattr(criterion, need.trait)]
