"""What the family offers to the command line: the kernels that `gnomon warmup` compiles.

polynomial maps of dense and sparse rows, and the errors of subsets of columns                   (1)
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from gnomon._registry import register_warmup

__all__ = []


def _warm_maps() -> None:
    from gnomon.features import PolynomialMap

    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    for rows in (X, X.astype(np.float32), sparse.csr_array(X)):
        PolynomialMap().fit_transform(rows)


def _warm_selection() -> None:
    from gnomon.features import subset_score

    subset_score("least_squares", [[0.0], [1.0], [3.0], [2.0]], [0.0, 1.0, 2.0, 3.0], [0], cv=2)


register_warmup("features: polynomial maps", _warm_maps)
register_warmup("features: selection of columns", _warm_selection)
