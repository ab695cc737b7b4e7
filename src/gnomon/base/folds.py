"""Folds of a cross-validation.

    rows = T₁ ∪ … ∪ T_k,    fold j trains on the rows outside T_j and is tested on T_j,    k ≤ n              (1)

scikit-learn's splitters, with a refusal that says what to do where there are fewer rows than folds. Stone (1974),
doi:10.1111/j.2517-6161.1974.tb00994.x.
"""

from __future__ import annotations

import numbers
import reprlib
from typing import Any, cast

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.validation import _num_samples

from gnomon._typing import Array, Folds, Integers

__all__ = ["read_folds"]


def read_folds(
    cv: Folds,
    X: Any,
    y: Array | None = None,
    *,
    classifier: bool = False,
    shuffle: bool = False,
    seed: int = 0,
    **params: Any,
) -> list[tuple[Integers, Integers]]:
    """Training and test rows of every fold.

    Parameters
    ----------
    cv : int, splitter, iterable or None
        As in scikit-learn; None is five folds.
    X, y : array-like
        Rows and targets.
    classifier : bool, default=False
        Whether folds are stratified by y.
    shuffle : bool, default=False
        Whether folds that are given by their number draw their rows in a random order.
    seed : int, default=0
        Of that order.
    **params
        For the splitter, as `groups`.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base.folds import read_folds
    >>> len(read_folds(2, np.zeros((4, 1))))
    2
    >>> read_folds(None, np.zeros((3, 1)))
    Traceback (most recent call last):
    ...
    ValueError: cv=None is 5 folds and needs as many rows, but n_samples=3; give more rows, or a cv of at most 3 folds
    """
    try:
        splitter = check_cv(cv, y, classifier=classifier)
        if cv is None or isinstance(cv, numbers.Integral):
            _refuse_few(cv, splitter, X, y)
        if shuffle and isinstance(cv, numbers.Integral):
            splitter.shuffle, splitter.random_state = True, seed
        return list(splitter.split(X, y, **params))
    except (TypeError, ValueError) as error:
        # Words of scikit-learn name its own arguments.
        text = str(error) if str(error).startswith("cv=") else f"cv={reprlib.repr(cv)}: {error}"
        raise (TypeError if isinstance(error, TypeError) else ValueError)(text) from None


def _refuse_few(cv: Folds, splitter: Any, X: Any, y: Array | None) -> None:
    n, k = _num_samples(X), splitter.n_splits
    if n < k:
        most = f"a cv of at most {n} folds" if n > 1 else "a model without cross-validation"
        raise ValueError(f"cv={cv!r} is {k} folds and needs as many rows, but n_samples={n}; give more rows, or {most}")
    if type(splitter).__name__ == "StratifiedKFold":
        most = int(np.max(np.unique(cast(Array, y), return_counts=True)[1]))
        if most < k:
            raise ValueError(
                f"cv={cv!r} is {k} folds and needs as many rows of a class, but the largest class has {most}; give "
                "more rows, or fewer folds"
            )
