"""What compiles the kernels of clustering before they are needed."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gnomon._registry import register_warmup
from gnomon._typing import Floats


def _rows() -> Floats:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(place, size=(40, 4)) for place in (0.0, 3.0, 6.0)])


def _warm_centers() -> None:
    from gnomon.cluster import KMeans, KMedians, SoftKMeans, SphericalKMeans

    X = _rows()
    for rows in (X, sp.csr_array(X)):
        KMeans(3, random_state=0).fit(rows).predict(rows)
    for kind in (KMedians, SoftKMeans, SphericalKMeans):
        kind(3, random_state=0).fit(X).predict(X)


def _warm_pairs() -> None:
    from gnomon.cluster import AgglomerativeClustering, KernelKMeans, KMedoids, PairwiseClustering

    X = _rows()
    for linkage in ("ward", "average", "complete", "single"):
        AgglomerativeClustering(3, linkage=linkage).fit(X)
    for kind in (KMedoids, KernelKMeans, PairwiseClustering):
        kind(3, random_state=0).fit(X)


register_warmup("cluster: centres", _warm_centers)
register_warmup("cluster: trees and pairs", _warm_pairs)
