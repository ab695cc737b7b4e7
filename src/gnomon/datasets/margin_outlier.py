"""Two clouds with a wide gap between them, and one row in it.

    x | y = 0 ~ N((−2, 0), σ²I),    x | y = 1 ~ N((2, 0), σ²I),    and one x of class 1 near the cloud of class 0   (1)

The classes can be separated by a line, but only by one that the single row dictates: the hard margin is narrow and
tilted, the soft margin ignores the row and has the smaller error. Cortes & Vapnik (1995), doi:10.1007/BF00994018.
"""

from __future__ import annotations

import numpy as np

from gnomon._typing import Floats, Integers, RandomState
from gnomon.numerics.random import check_rng

__all__ = ["make_margin_outlier"]


def make_margin_outlier(
    n_samples: int = 40, *, sd: float = 0.6, outlier: bool = True, random_state: RandomState = None
) -> tuple[Floats, Integers]:
    """Rows of two classes, equation (1).

    Parameters
    ----------
    n_samples : int, default=40
        Rows of the two clouds together.
    sd : float, default=0.6
        σ; draws beyond 2σ from the centre of a cloud are drawn in to 2σ, which keeps the gap between the clouds.
    outlier : bool, default=True
        Whether to add the single row, as the last one; test rows are drawn without it.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    X : ndarray of shape (n_samples + outlier, 2)
    y : ndarray of shape (n_samples + outlier,)

    References
    ----------
    Cortes, C. & Vapnik, V. (1995). Support-vector networks. doi:10.1007/BF00994018

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.datasets import make_margin_outlier
    >>> from gnomon.svm import SVC
    >>> X, y = make_margin_outlier(random_state=0)
    >>> hard, soft = (SVC(kernel="linear", C=C).fit(X, y) for C in (np.inf, 1.0))
    >>> bool(hard.margin_ < 0.3 * soft.margin_), float(hard.score(X, y))
    (True, 1.0)
    """
    rng = check_rng(random_state)
    y = np.arange(n_samples) % 2
    noise = rng.normal(size=(n_samples, 2))
    length = np.linalg.norm(noise, axis=1, keepdims=True)
    noise *= np.minimum(1.0, 2.0 / np.maximum(length, 1e-300))
    X = sd * noise + np.column_stack([4.0 * y - 2.0, np.zeros(n_samples)])
    if not outlier:
        return X, y
    # Above the cloud of class 0, a little further from its centre than its furthest row.
    return np.vstack([X, [-2.0, 0.0] + (2.0 * sd + 0.2) * np.array([0.6, 0.8])]), np.append(y, 1)
