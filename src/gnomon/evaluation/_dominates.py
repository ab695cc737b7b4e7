"""Dominance of curves.

    curve 1 dominates curve 2:    TP₁(FP) ≥ TP₂(FP) for all FP    ⇔    P₁(TP) ≥ P₂(TP) for all TP                    (1)

Both curves are polylines of counts, with jumps; they are compared from both sides at every vertex of either, which
decides for all points between. Davis & Goadrich (2006), theorem 3.2, doi:10.1145/1143844.1143874.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from gnomon.numerics.curves import ThresholdCurve, one_sided
from gnomon.numerics.validation import check_choice

__all__ = ["dominates"]

Space: TypeAlias = Literal["roc", "pr"]

SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
ROUNDING = 1e-13
"""Differences below this part of the range are rounding errors of the interpolation."""


def dominates(c1: ThresholdCurve, c2: ThresholdCurve, *, space: Space = "roc", strict: bool = False) -> bool:
    """Whether one curve is nowhere below another, equation (1).

    Parameters
    ----------
    c1, c2 : ThresholdCurve
        From `score_curve`, of the same numbers of positives and of negatives.
    space : {"roc", "pr"}, default="roc"
        TPR over FPR with straight lines, or precision over recall with FP linear in TP; both say the same.
    strict : bool, default=False
        Whether it must also be above somewhere.

    Returns
    -------
    bool

    References
    ----------
    Davis, J. & Goadrich, M. (2006). The relationship between precision-recall and ROC curves.
    doi:10.1145/1143844.1143874

    Examples
    --------
    >>> from gnomon.evaluation import dominates, score_curve
    >>> y = [0, 0, 1, 1]
    >>> good, poor = score_curve(y, [0.1, 0.4, 0.5, 0.8]), score_curve(y, [0.1, 0.4, 0.35, 0.8])
    >>> dominates(good, poor), dominates(poor, good), dominates(good, good, strict=True)
    (True, False, False)
    """
    sizes = np.array([[c1.positives, c1.negatives], [c2.positives, c2.negatives]])
    if not np.allclose(sizes[0], sizes[1], rtol=1e-9, atol=0.0) or np.min(sizes) <= 0.0:
        raise ValueError(
            f"c1 has {sizes[0, 0]:g} positives and {sizes[0, 1]:g} negatives, c2 {sizes[1, 0]:g} and {sizes[1, 1]:g}; "
            "dominance needs the same numbers of both, and rows of both classes"
        )
    # More TP at every FP, or less FP at every TP.
    pr = check_choice("space", space, get_args(Space)) == "pr"
    (x1, y1), (x2, y2) = ((c.tp, -c.fp) if pr else (c.fp, c.tp) for c in (c1, c2))
    places = np.union1d(x1, x2)
    lead = np.concatenate([one_sided(x1, y1, places, side) - one_sided(x2, y2, places, side) for side in SIDES])
    slack = ROUNDING * (c1.negatives if pr else c1.positives)
    return bool(np.all(lead >= -slack) and (not strict or np.any(lead > slack)))
