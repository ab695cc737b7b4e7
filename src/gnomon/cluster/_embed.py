"""Rows in two or three dimensions, to look at.

    "pca": z = Vᵀ(x − x̄), the directions of largest variance                                        (1)

"tsne" (van der Maaten & Hinton 2008, JMLR 9) keeps neighbours near, not distances; "umap" (McInnes, Healy & Melville
2018, arXiv:1802.03426) likewise.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.manifold import TSNE
from sklearn.utils.validation import check_array

from gnomon._typing import Floats, MatrixLike, RandomState
from gnomon.numerics.centred_rows import rows_about
from gnomon.numerics.principal import principal_components
from gnomon.numerics.validation import FLOATS, check_choice, check_integer

__all__ = ["embed"]


def embed(
    X: MatrixLike,
    method: Literal["pca", "tsne", "umap"] = "pca",
    n_components: int = 2,
    *,
    random_state: RandomState = None,
) -> Floats:
    """Rows in few dimensions.

    Parameters
    ----------
    X : array-like of shape (n, d)
    method : {"pca", "tsne", "umap"}, default="pca"
        "umap" needs the package umap-learn.
    n_components : int, default=2
    random_state : int, RandomState or None
        Of "tsne" and "umap".

    Returns
    -------
    ndarray of shape (n, n_components)

    References
    ----------
    van der Maaten, L. & Hinton, G. (2008). Visualizing data using t-SNE. Journal of Machine Learning Research 9.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster import embed
    >>> embed([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]], n_components=1).round(6).ravel()
    array([-5.,  0.,  5.])
    """
    rows = check_array(X, dtype=FLOATS, input_name="X")
    m = check_integer("n_components", n_components, low=1)
    check_choice("method", method, ("pca", "tsne", "umap"))
    if method == "pca":
        if m > min(rows.shape):
            raise ValueError(f"n_components={m} must be at most {min(rows.shape)}, the smaller side of X")
        about = rows_about(rows)
        return about.times(principal_components(about, m, route="full").axes.astype(rows.dtype))
    if method == "tsne":
        perplexity = min(30.0, max(1.0, (len(rows) - 1) / 3.0))
        return TSNE(m, perplexity=perplexity, init="pca", random_state=random_state).fit_transform(rows)
    try:
        from umap import UMAP
    except ImportError:
        raise ImportError("method='umap' needs the package umap-learn: pip install umap-learn") from None
    return np.asarray(UMAP(n_components=m, random_state=random_state).fit_transform(rows))
