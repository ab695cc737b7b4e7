"""Golden values of graph cuts."""

import numpy as np
import pytest

from gnomon.cluster import SpectralClustering, graph_cut_cost


def two_triangles():
    W = np.zeros((6, 6))
    for a, b in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)]:
        W[a, b] = W[b, a] = 1.0
    W[2, 3] = W[3, 2] = 0.1
    return W


@pytest.mark.spec("UNS-G20", "UNS-043", "UNS-044", "UNS-045")
def test_two_triangles():
    W, labels = two_triangles(), [0, 0, 0, 1, 1, 1]
    plain = SpectralClustering(2, affinity="precomputed", laplacian="none", random_state=0).fit(W)
    assert plain.eigenvalues_ == pytest.approx([0, 0.063771, 3, 3, 3, 3.136229], abs=1e-6)
    fiedler = plain.embedding_[:, 1] * np.sign(plain.embedding_[0, 1])
    expected = [0.416918, 0.416918, 0.390331]
    assert fiedler == pytest.approx([*expected, *(-v for v in reversed(expected))], abs=1e-6)
    walk = SpectralClustering(2, affinity="precomputed", laplacian="sym", random_state=0).fit(W)
    assert walk.eigenvalues_ == pytest.approx([0, 0.031407, 1.452381, 1.5, 1.5, 1.516212], abs=1e-6)
    assert plain.suggested_k_ == walk.suggested_k_ == 2
    costs = [graph_cut_cost(W, labels, kind) for kind in ("cut", "ratio", "normalized")]
    assert costs == pytest.approx([0.1, 0.066667, 0.032787], abs=1e-6)
