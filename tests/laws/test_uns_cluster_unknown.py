"""Clusters by distances of which some are no number."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.cluster import (
    AgglomerativeClustering,
    DivisiveClustering,
    KMedoids,
    PairwiseClustering,
    intra_inter,
    silhouettes,
)

LABELS = np.arange(12) % 3
ROWS = np.vstack([np.random.default_rng(0).normal(size=(10, 3)), np.ones((2, 3))])


def unknown(x, y):
    return np.nan if x[0] == y[0] == 1.0 else abs(x[0] - y[0])


USES = {
    "average": lambda metric: AgglomerativeClustering(3, metric=metric, linkage="average").fit(ROWS),
    "single": lambda metric: AgglomerativeClustering(3, metric=metric, linkage="single").fit(ROWS),
    "diana": lambda metric: DivisiveClustering(3, method="diana", metric=metric).fit(ROWS),
    "medoids": lambda metric: KMedoids(3, metric=metric).fit(ROWS),
    "pairs": lambda metric: PairwiseClustering(3, metric=metric).fit(ROWS),
    "silhouettes": lambda metric: silhouettes(ROWS, LABELS, metric=metric),
    "ratio": lambda metric: intra_inter(ROWS, LABELS, metric=metric),
}


@pytest.mark.parametrize("metric", ["correlation", unknown], ids=["correlation", "function"])
@pytest.mark.parametrize("use", USES)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_a_distance_that_is_no_number_is_refused_with_its_rows(use, metric):
    with pytest.raises(ValueError, match=r"^metric=.* is nan for the rows \d+ and \d+"):
        USES[use](metric)


def test_a_similarity_that_is_no_number_is_refused_with_its_rows():
    with pytest.raises(ValueError, match=r"^similarity=.* is nan for the rows 10 and 10"):
        PairwiseClustering(3, similarity=unknown).fit(ROWS)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_new_rows_without_a_distance_from_the_medoids_are_refused():
    model = KMedoids(3, metric="correlation").fit(ROWS[:10])
    with pytest.raises(ValueError, match=r"^metric='correlation' is nan for the rows 0 and 0"):
        model.predict(ROWS[10:])
