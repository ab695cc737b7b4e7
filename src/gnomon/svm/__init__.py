"""Support vector machines and other models that are a sum of kernels at training rows."""

from gnomon.svm.kernel_machine import KernelMachine
from gnomon.svm.kernel_ridge import KernelRidge

__all__ = ["KernelMachine", "KernelRidge"]
