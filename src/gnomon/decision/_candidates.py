"""What the family offers to the command line: the kernels that `gnomon warmup` compiles.

counts at every threshold, their convex hull, and Venn–Abers probabilities                        (1)
"""

from __future__ import annotations

from gnomon._registry import register_warmup

__all__ = []


def _warm_calibration() -> None:
    from gnomon.decision import Application, ScoreCalibrator, min_dcf

    y, scores = [0, 1, 0, 1], [0.0, 1.0, 2.0, 3.0]
    min_dcf(y, scores, Application(0.5))
    ScoreCalibrator("venn_abers").fit(scores, y)


register_warmup("decision: costs and calibration of scores", _warm_calibration)
