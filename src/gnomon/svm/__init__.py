"""Support vector machines and other models that are a sum of kernels at training rows."""

from gnomon.svm.kernel_logistic import KernelLogisticRegression
from gnomon.svm.kernel_machine import KernelMachine
from gnomon.svm.kernel_perceptron import KernelPerceptron
from gnomon.svm.kernel_ridge import KernelRidge
from gnomon.svm.kernel_ridge_cv import KernelRidgeCV

__all__ = ["KernelLogisticRegression", "KernelMachine", "KernelPerceptron", "KernelRidge", "KernelRidgeCV"]
