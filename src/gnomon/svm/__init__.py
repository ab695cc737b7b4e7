"""Support vector machines and other models that are a sum of kernels at training rows."""

from gnomon.svm._errors import NotSeparableError
from gnomon.svm.svc import SVC

__all__ = ["SVC", "NotSeparableError"]
