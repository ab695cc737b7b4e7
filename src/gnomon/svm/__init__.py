"""Support vector machines and other models that are a sum of kernels at training rows."""

from gnomon.svm.kernel_machine import KernelMachine
from gnomon.svm.kernel_ridge import KernelRidge
from gnomon.svm.multiclass_svc import MulticlassSVC
from gnomon.svm.nested_one_class import NestedOneClassSVM

__all__ = ["KernelMachine", "KernelRidge", "MulticlassSVC", "NestedOneClassSVM"]
