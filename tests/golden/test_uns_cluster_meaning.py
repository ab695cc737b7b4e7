"""Golden values of what clusters mean."""

import numpy as np
import pytest

from gnomon.cluster import compare_labels, feature_separation, standing

P7 = np.array([[1, 1], [1.5, 2], [3, 4], [5, 7], [3.5, 5], [4.5, 5], [3.5, 4.5]])


@pytest.mark.spec("UNS-G29", "UNS-059")
def test_separation_of_seven_points():
    found = feature_separation(P7, [0, 0, 1, 1, 1, 1, 1])
    assert pytest.approx([17.756005, 16.240602], abs=1e-6) == found.F
    assert found.eta_squared == pytest.approx([0.780278, 0.764602], abs=1e-6)
    assert found.order.tolist() == [0, 1]


@pytest.mark.spec("UNS-G30", "UNS-061")
def test_clusters_beside_labels():
    clusters = [0] * 6 + [1] * 4
    found = compare_labels(clusters, ["a"] * 5 + ["b"] + ["b"] * 4)
    assert found.table.tolist() == [[5, 1], [0, 4]]
    assert (found.purity, found.matched_accuracy) == pytest.approx((0.9, 0.9))
    values = (found.adjusted_rand, found.normalized_mutual_info, found.adjusted_mutual_info)
    assert values == pytest.approx((0.597015, 0.618977, 0.581459), abs=1e-6)
    # Purity is by clusters: two pure clusters of one label are pure.
    assert compare_labels([0, 0, 1, 1, 1], ["a"] * 5).purity == 1.0


@pytest.mark.spec("UNS-G31", "UNS-058")
def test_young_big_spenders():
    found = standing([[25.0, 30.0, 90.0]], mean=[45.0, 60.0, 50.0], sd=[12.0, 20.0, 20.0])
    assert found.z[0] == pytest.approx([-1.6667, -1.5, 2.0], abs=1e-4)
    assert found.words[0].tolist() == ["low", "low", "high"]
