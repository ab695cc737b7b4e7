"""Multi-class reductions: any two-class learner for any number of classes, with a reject option."""

from __future__ import annotations

from gnomon.multiclass._class_bits import class_bits
from gnomon.multiclass._code_report import CodeReport, code_report
from gnomon.multiclass._coding_matrix import coding_matrix
from gnomon.multiclass._vote_accuracy import vote_accuracy
from gnomon.multiclass.adaboost_ecc import AdaBoostECC
from gnomon.multiclass.compare import (
    ReductionComparison,
    compare_reductions,
    kernel_work,
    number_of_classifiers,
)
from gnomon.multiclass.decoding import code_distances
from gnomon.multiclass.indicator_regression import IndicatorRegression
from gnomon.multiclass.one_vs_one import OneVsOneClassifier
from gnomon.multiclass.one_vs_rest import OneVsRestClassifier
from gnomon.multiclass.output_code import OutputCodeClassifier

__all__ = [
    "AdaBoostECC",
    "CodeReport",
    "IndicatorRegression",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
    "ReductionComparison",
    "class_bits",
    "code_distances",
    "code_report",
    "coding_matrix",
    "compare_reductions",
    "kernel_work",
    "number_of_classifiers",
    "vote_accuracy",
]
