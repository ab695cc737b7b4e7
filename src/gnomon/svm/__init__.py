"""Support vector machines and other models that are a sum of kernels at training rows."""

from __future__ import annotations

from gnomon.svm._check_kkt import KKTReport, check_kkt
from gnomon.svm._errors import NotSeparableError
from gnomon.svm.kernel_logistic import KernelLogisticRegression
from gnomon.svm.kernel_machine import KernelMachine
from gnomon.svm.kernel_perceptron import KernelPerceptron
from gnomon.svm.kernel_ridge import KernelRidge
from gnomon.svm.kernel_ridge_cv import KernelRidgeCV
from gnomon.svm.multiclass_svc import MulticlassSVC
from gnomon.svm.nested_one_class import NestedOneClassSVM
from gnomon.svm.one_class import OneClassSVM
from gnomon.svm.svc import SVC
from gnomon.svm.svr import SVR

__all__ = [
    "SVC",
    "SVR",
    "KKTReport",
    "KernelLogisticRegression",
    "KernelMachine",
    "KernelPerceptron",
    "KernelRidge",
    "KernelRidgeCV",
    "MulticlassSVC",
    "NestedOneClassSVM",
    "NotSeparableError",
    "OneClassSVM",
    "check_kkt",
]
