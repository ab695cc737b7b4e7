"""A kernel for arguments of known types, called without looking the types up.

A call of a kernel from Python compares the types of all arguments with those it was compiled for, which for a small
kernel takes longer than its work. `entry_of` gives the function behind that comparison. It is no public name of Numba:
where a release lacks it, or nothing is compiled, the kernel itself is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

__all__ = ["entry_of"]


def entry_of(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The compiled form of a kernel for arguments of these types; arguments of other types must not be given to it.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon._jit import jit
    >>> from gnomon._jit.entries import entry_of
    >>> @jit
    ... def doubled(x):
    ...     return 2.0 * x
    >>> entry_of(doubled, np.ones(2))(np.array([1.0, 3.0]))
    array([2., 6.])
    """
    kernel(*arguments)
    forms = getattr(kernel, "overloads", {})
    form = forms.get(tuple(numba.typeof(argument) for argument in arguments)) if forms else None
    found: Callable[..., Any] = getattr(form, "entry_point", kernel)
    return found
