"""How many principal components.

    share:      the fewest m with Σ_{j≤m} λⱼ ≥ r Σ λⱼ                                             (1)
    evidence:   argmax of Laplace's approximation of p(rows | m)                                  (2)
    parallel:   the first m with λ_{m+1} below that of columns that were permuted apart           (3)
    elbow:      argmax of the likelihood of two groups of eigenvalues, one variance               (4)

λ are variances, never singular values. (2): Minka (2000), Automatic choice of dimensionality for PCA, NIPS; (3): Horn
(1965), doi:10.1007/BF02289447; (4): Zhu & Ghodsi (2006), doi:10.1016/j.csda.2005.09.010.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import gammaln
from sklearn.utils import check_random_state

from gnomon._typing import Array, Floats, Matrix, Seed, is_sparse
from gnomon.numerics.centred_rows import rows_about
from gnomon.numerics.principal import ITERATIVE, principal_components
from gnomon.numerics.validation import check_choice

__all__ = [
    "HowMany",
    "count_by_elbow",
    "count_by_evidence",
    "count_by_reference",
    "count_by_share",
    "number_asked",
    "number_kept",
    "parallel_variances",
]

HowMany: TypeAlias = int | float | Literal["mle", "parallel", "elbow"] | None
WORDS = ("mle", "parallel", "elbow")
REFERENCES = 20

NOTHING = 1e-15
"""Eigenvalues below this share of the largest are rounding."""


def number_asked(n_components: HowMany, n: int, d: int, solver: str) -> int:
    """How many components are computed, before a rule chooses among them; an error where that can't be.

    Examples
    --------
    >>> from gnomon.decomposition._how_many import number_asked
    >>> number_asked(3, 10, 5, "full"), number_asked(0.9, 10, 5, "full")
    (3, 5)
    """
    most = min(n, d)
    whole = isinstance(n_components, int | np.integer) and not isinstance(n_components, bool)
    iterative = solver in ITERATIVE
    if isinstance(n_components, str):
        check_choice("n_components", n_components, WORDS)
        if n_components == "mle" and n < d:
            raise ValueError("n_components='mle' is only supported if n_samples >= n_features; choose another rule")
    if n_components is None:
        return 1 if solver == "power" else most - (solver == "arpack")
    if whole and not isinstance(n_components, str):
        least = 1 if iterative else 0
        top = most - 1 if solver == "arpack" else most
        if not least <= n_components <= top:
            raise ValueError(
                f"n_components={n_components} must be between {least} and {top} for {n} rows and {d} columns with "
                f"svd_solver={solver!r}, at most min(n_samples, n_features)"
            )
        return int(n_components)
    if iterative:
        raise ValueError(
            f"n_components={n_components!r} needs all components, and svd_solver={solver!r} finds a few; give a whole "
            "number, or svd_solver='full'"
        )
    if not isinstance(n_components, str) and not 0.0 < n_components <= 1.0:
        raise ValueError(f"n_components={n_components!r} must be a whole number, a share in (0, 1], or one of {WORDS}")
    return most


def count_by_share(values: Floats, total: float, share: float) -> int:
    """Equation (1).

    Examples
    --------
    The squares of these eigenvalues' roots are what counts:

    >>> import numpy as np
    >>> from gnomon.decomposition._how_many import count_by_share
    >>> count_by_share(np.array([4.0, 1.0, 0.25]), 5.25, 0.75)
    1
    """
    reached = np.cumsum(values) / total if total > 0.0 else np.ones(len(values))
    return min(int(np.searchsorted(reached, share * (1.0 - 1e-12), side="left")) + 1, len(values))


def count_by_evidence(values: Floats, n: float) -> int:
    """Equation (2).

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._how_many import count_by_evidence
    >>> count_by_evidence(np.array([9.0, 5.0, 0.11, 0.1, 0.09]), 200)
    2
    """
    d = len(values)
    evidence = [-np.inf] + [_log_evidence(values, m, n) for m in range(1, d)]
    return int(np.argmax(evidence))


def _log_evidence(values: Floats, m: int, n: float) -> float:
    """Minka (2000), equation 30, without the terms that are the same for every m."""
    d = len(values)
    if not values[m - 1] > NOTHING * values[0]:
        return -np.inf
    noise = max(float(np.sum(values[m:])) / (d - m), NOTHING * values[0])
    i = np.arange(1, m + 1)
    log_sphere = float(np.sum(gammaln((d - i + 1) / 2.0) - np.log(np.pi) * (d - i + 1) / 2.0)) - m * np.log(2.0)
    log_kept = -0.5 * n * float(np.sum(np.log(values[:m])))
    log_left = -0.5 * n * (d - m) * np.log(noise)
    size = d * m - m * (m + 1) / 2.0
    log_laplace = 0.5 * np.log(2.0 * np.pi) * (size + m)
    smoothed = np.concatenate([values[:m], np.full(d - m, noise)])
    log_hessian = 0.0
    for a in range(m):
        others = np.arange(a + 1, d)
        gaps = (values[a] - values[others]) * (1.0 / smoothed[others] - 1.0 / smoothed[a])
        log_hessian += float(np.sum(np.log(np.maximum(gaps, np.finfo(float).tiny)) + np.log(n)))
    return log_sphere + log_kept + log_left + log_laplace - 0.5 * log_hessian - 0.5 * m * np.log(n)


def count_by_elbow(values: Floats) -> int:
    """Equation (4).

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._how_many import count_by_elbow
    >>> count_by_elbow(np.array([9.0, 8.0, 1.0, 0.9, 0.8, 0.7]))
    2
    """
    d = len(values)
    if d < 3:
        return d
    # Shares: squares of eigenvalues, which are squares, may be no numbers.
    values = values / (values[0] or 1.0)
    within = np.array([np.sum((v - v.mean()) ** 2) + np.sum((w - w.mean()) ** 2) for v, w in _splits(values)])
    return int(np.argmin(within)) + 1


def _splits(values: Floats) -> list[tuple[Floats, Floats]]:
    return [(values[:m], values[m:]) for m in range(1, len(values))]


def reference_variances(
    n_components: HowMany, X: Matrix, weights: Floats | None, seed: Seed, *, center: bool
) -> Floats | None:
    """What `parallel_variances` gives, for the rule that compares with it; None for the others.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._how_many import reference_variances
    >>> reference_variances(2, np.ones((3, 2)), None, 0, center=True) is None
    True
    """
    if not (isinstance(n_components, str) and n_components == "parallel"):
        return None
    if weights is not None or is_sparse(X):
        raise ValueError("n_components='parallel' permutes dense columns of equal weight; choose another rule")
    return parallel_variances(X, check_random_state(seed), center=center)


def parallel_variances(X: Array, rng: Any, *, center: bool = True, quantile: float = 0.95) -> Floats:
    """Eigenvalues of rows whose columns were permuted independently: a quantile over 20 permutations, for (3).

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._how_many import parallel_variances
    >>> X = np.random.default_rng(0).normal(size=(200, 1)) + 0.1 * np.ones((1, 3))
    >>> reference = parallel_variances(np.repeat(X, 3, axis=1)[:, :3], np.random.default_rng(1))
    >>> bool(reference[0] < 2 * reference[2])
    True
    """
    found = []
    for _ in range(REFERENCES):
        mixed = np.column_stack([rng.permutation(column) for column in X.T])
        found.append(principal_components(rows_about(mixed, center=center), min(X.shape)).values)
    return np.quantile(found, quantile, axis=0)


def count_by_reference(values: Floats, reference: Floats) -> int:
    """Equation (3): how many of the first eigenvalues are above those of permuted columns.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._how_many import count_by_reference
    >>> count_by_reference(np.array([5.0, 2.0, 0.5]), np.array([2.5, 1.5, 1.0]))
    2
    """
    return int(np.argmin(np.append(values > reference, False)))


def number_kept(n_components: HowMany, values: Floats, total: float, n: float, reference: Floats | None) -> int:
    """How many of the components that were computed are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._how_many import number_kept
    >>> number_kept(0.9, np.array([8.0, 1.5, 0.5]), 10.0, 20, None)
    2
    """
    if reference is not None:
        return count_by_reference(values, reference)
    if isinstance(n_components, str):
        return count_by_evidence(values / n, n) if n_components == "mle" else count_by_elbow(values)
    if n_components is None or isinstance(n_components, int | np.integer):
        return len(values)
    return count_by_share(values, total, n_components)
