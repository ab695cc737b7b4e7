"""The error of a broken law: its name, where it failed, and the two numbers.

    |found − expected| ≤ tol · max(1, |expected|)                                                  (1)

Higham (2002), Accuracy and Stability of Numerical Algorithms, section 1.2, doi:10.1137/1.9780898718027, on errors that
are relative for large numbers and absolute for small ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gnomon._typing import ArrayLike

__all__ = ["known", "require", "require_close"]


def require(holds: bool | np.bool_, law: str, detail: str) -> None:
    """Raise an AssertionError that names the law and what was found, unless it holds."""
    if not holds:
        raise AssertionError(f"law broken: {law}; {detail}")


def require_close(law: str, found: ArrayLike, expected: ArrayLike, *, tol: float, where: str) -> None:
    """Require (1) for every entry; two equal infinities agree, nan agrees with nothing."""
    found, expected = np.broadcast_arrays(np.asarray(found, dtype=float), np.asarray(expected, dtype=float))
    with np.errstate(invalid="ignore"):
        error = np.where(found == expected, 0.0, np.abs(found - expected) / np.maximum(1.0, np.abs(expected)))
    error = np.where(np.isfinite(error), error, np.inf)
    if np.all(error <= tol):
        return
    worst = np.unravel_index(np.argmax(error), error.shape)
    raise AssertionError(
        f"law broken: {law}; at {where} found {found[worst]!s}, expected {expected[worst]!s} (error {error[worst]:.3g})"
    )


def known(verb: Callable[..., Any], *arguments: Any) -> Any:
    """The result of the verb, or None where the noun does not have it."""
    try:
        return verb(*arguments)
    except NotImplementedError:
        return None
