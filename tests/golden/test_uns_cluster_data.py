"""Golden values of clustering on tables whose groups are known."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from gnomon.cluster import KMeans, cluster_profile, compare_labels
from gnomon.datasets import (
    load_fruits,
    make_customers,
    make_elongated,
    make_groups,
    make_rings,
    make_tshirts,
    make_uniform_box,
)
from gnomon.optim import seed_centers


@pytest.mark.spec("UNS-G32", "UNS-108")
def test_fruits_by_colour_and_by_colour_and_size():
    fruits = load_fruits()
    colour = KMeans(2, n_init=5, random_state=0).fit(fruits.data[:, :1]).labels_
    assert adjusted_rand_score(fruits.target // 2, colour) == 1.0
    scaled = StandardScaler().fit_transform(fruits.data)
    three = KMeans(3, n_init=10, random_state=0).fit(scaled).labels_
    assert adjusted_rand_score(np.minimum(fruits.target, 2), three) == 1.0


@pytest.mark.spec("UNS-G32", "UNS-108")
def test_sizes_of_shirts_are_in_order():
    X, y = make_tshirts(600, random_state=0)
    model = KMeans(3, n_init=5, random_state=0).fit(X)
    order = np.argsort(model.cluster_centers_[:, 0])
    assert np.all(np.diff(model.cluster_centers_[order, 1]) > 0)
    assert compare_labels(model.labels_, y).matched_accuracy > 0.8


@pytest.mark.spec("UNS-108", "UNS-058")
def test_customers_are_told_in_words():
    customers = make_customers(random_state=0)
    labels = KMeans(4, n_init=5, random_state=0).fit(customers.data).labels_
    assert adjusted_rand_score(customers.target, labels) > 0.95
    profile = cluster_profile(customers.data, customers.target)
    assert profile.standing.words[0].tolist() == ["low", "low", "high"]


@pytest.mark.spec("UNS-108")
def test_other_tables():
    X, y = make_rings(300, radii=(1, 2, 4), noise=0.0, random_state=0)
    assert np.linalg.norm(X, axis=1) == pytest.approx(np.array([1.0, 2.0, 4.0])[y])
    X, y = make_rings(4000, radii=(1, 3), noise=0.2, random_state=0)
    radii = np.linalg.norm(X, axis=1)
    assert [radii[y == j].std() for j in (0, 1)] == pytest.approx([0.2, 0.2], rel=0.05)
    X, y = make_elongated(400, random_state=0)
    assert X[y == 1, 0].mean() - X[y == 0, 0].mean() == pytest.approx(3.0, abs=0.1)
    X, y = make_uniform_box(50, 3, random_state=0)
    assert X.min() >= 0.0
    assert X.max() <= 1.0
    assert len(set(y)) == 1
    with pytest.raises(ValueError, match="corners"):
        make_groups((1, 1, 1, 1, 1))


@pytest.mark.spec("UNS-G09", "UNS-L06", "UNS-L07")
def test_seeds_of_groups_of_unequal_sizes():
    X, y = make_groups(random_state=0)
    least = sum(np.sum((X[y == j] - X[y == j].mean(axis=0)) ** 2) for j in range(4))

    def cost(rows):
        return np.min(np.sum((X[:, None] - X[rows]) ** 2, axis=2), axis=1).sum() / least

    rng = np.random.RandomState(0)
    plain = np.mean([cost(seed_centers(X, 4, rng, n_trials=1)) for _ in range(60)])
    uniform = np.mean([cost(seed_centers(X, 4, rng, method="random")) for _ in range(60)])
    farthest = np.mean([cost(seed_centers(X, 4, rng, method="farthest")) for _ in range(20)])
    assert 3.0 < plain < 6.0
    assert 8 * (np.log(4) + 2) == pytest.approx(27.1, abs=0.05)
    assert 15.0 < uniform < 70.0
    assert 1.5 < farthest < 3.0
