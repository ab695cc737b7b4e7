"""What clusterers share.

1 ≤ k ≤ n                                                                                       (1)
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Floats, Integers
from gnomon.optim.solution import History

__all__ = ["check_n_clusters", "same_partition", "warn_if_few", "warn_unless_settled"]


def check_n_clusters(k: int, n: int) -> None:
    """Refuse more clusters than rows: (1)."""
    if k > n:
        raise ValueError(f"n_samples={n} should be >= n_clusters={k}; give more rows or fewer clusters")


def same_partition(a: Integers, b: Integers) -> bool:
    """Whether two labellings are the same up to the numbers of the clusters."""
    pairs = np.unique(np.stack([a, b]), axis=1).shape[1]
    return pairs == len(np.unique(a)) == len(np.unique(b))


def warn_if_few(labels: Integers, k: int, *, stacklevel: int = 3) -> None:
    """Say that fewer clusters than asked for have rows."""
    found = len(np.unique(labels))
    if found < k:
        message = (
            f"Number of distinct clusters ({found}) found smaller than n_clusters ({k}). Possibly due to duplicate "
            "points in X; give fewer n_clusters"
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)


def warn_unless_settled(converged: bool, reason: str, max_iter: int, history: History, *, stacklevel: int = 3) -> None:
    """Say how much the last iteration gained where `max_iter` ended the run."""
    if converged or reason == "callback":
        return
    last: Floats = np.diff(history["objective"])[-1:]
    gained = f" (the last iteration lowered the objective by {-last[0]:.3g})" if len(last) else ""
    message = f"not converged in {max_iter} iterations{gained}; raise max_iter={max_iter}, or loosen tol"
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)
