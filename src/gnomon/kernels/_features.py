"""Tables of features, joined.

    sum of kernels: Φ = (Φ₁, Φ₂);    product: Φ_ij = Φ₁ᵢ Φ₂ⱼ                                       (1)

Schölkopf & Smola (2002), section 13.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from gnomon._typing import Floats, is_sparse
from gnomon.kernels._rows import to_dense

__all__ = ["beside", "row_products"]


def beside(*tables: Any) -> Any:
    """Columns of all tables; sparse where one is."""
    if any(is_sparse(table) for table in tables):
        return sparse.csr_array(sparse.hstack([sparse.csr_array(table) for table in tables]))
    return np.hstack(tables)


def row_products(A: Any, B: Any) -> Floats:
    """All products of a column of A and a column of B."""
    a, b = to_dense(A), to_dense(B)
    return (a[:, :, None] * b[:, None, :]).reshape(len(a), a.shape[1] * b.shape[1])
