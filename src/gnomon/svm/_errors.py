"""What a hard margin raises where there is none."""

from __future__ import annotations

__all__ = ["NotSeparableError"]


class NotSeparableError(ValueError):
    """No function of the kernel has both classes on their sides: the hard margin does not exist.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.svm import SVC
    >>> SVC(C=np.inf, kernel="linear").fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    Traceback (most recent call last):
    ...
    gnomon.svm._errors.NotSeparableError: the classes 0 and 1 are not separable by kernel='linear'; ...
    """
