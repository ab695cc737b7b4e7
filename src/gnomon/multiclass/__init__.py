"""Multi-class reductions: any two-class learner for any number of classes, and a real "don't know"."""

from gnomon.multiclass.one_vs_one import OneVsOneClassifier
from gnomon.multiclass.one_vs_rest import OneVsRestClassifier

__all__ = [
    "OneVsOneClassifier",
    "OneVsRestClassifier",
]
