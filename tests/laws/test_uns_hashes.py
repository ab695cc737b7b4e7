"""Laws of random hashes and of the index that is made of them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise_distances

from gnomon.features import LSHIndex, RandomHash, collision_probability

# A kind, two rows, what its probability depends on, and the width of its cells.
PAIRS = [
    ("hyperplane", [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], np.pi / 4, 4.0),
    ("hyperplane", [1.0, 2.0, 2.0], [-2.0, 1.0, 0.0], np.pi / 2, 4.0),
    ("l2", [0.0, 0.0, 0.0], [2.0, 1.0, 2.0], 3.0, 4.0),
    ("l2", [1.0, 0.0, 5.0], [1.0, 1.0, 5.0], 1.0, 2.0),
    ("l1", [0.0, 0.0, 0.0], [1.0, -1.0, 1.0], 3.0, 4.0),
    ("minhash", [1.0, 1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 2.0, 1.0, 0.0], 0.5, 4.0),
]
M = 20_000


@pytest.mark.spec("UNS-L37", "UNS-100")
@pytest.mark.parametrize(("kind", "x", "y", "at", "width"), PAIRS)
def test_codes_are_equal_as_often_as_the_formula_says(kind, x, y, at, width):
    p = collision_probability(kind, at, width=width)
    hashed = RandomHash(kind, M, width=width, random_state=0).fit([x, y])
    codes = hashed.transform([x, y])
    bits = np.unpackbits(codes, axis=1)[:, :M] if kind == "hyperplane" else codes
    assert np.mean(bits[0] == bits[1]) == pytest.approx(p, abs=4.5 * np.sqrt(p * (1 - p) / M))
    assert hashed.estimate(codes[:1], codes[1:])[0, 0] == pytest.approx(at, rel=0.05)


@pytest.mark.spec("UNS-100", "UNS-G50")
def test_probabilities_of_equal_codes():
    angles = np.radians([90.0, 60.0, 45.0])
    assert collision_probability("hyperplane", angles) == pytest.approx([0.5, 2 / 3, 0.75])
    found = collision_probability("l2", [1.0, 2.0, 4.0, 8.0], width=4.0)
    assert found == pytest.approx([0.800532, 0.609548, 0.368746, 0.195417], abs=1e-6)
    for kind in ("l2", "l1"):
        assert collision_probability(kind, [0.0, np.inf]).tolist() == [1.0, 0.0]
        assert np.all(np.diff(collision_probability(kind, np.logspace(-3, 3, 50))) < 0)
    for kind, at in [("hyperplane", 4.0), ("l2", -1.0), ("minhash", 1.5), ("hyperplane", np.nan)]:
        with pytest.raises(ValueError, match="at="):
            collision_probability(kind, at)


@pytest.mark.spec("UNS-100")
def test_empty_sets_and_sparse_rows():
    X = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 3.0, 1.0]])
    codes = RandomHash("minhash", 16, random_state=0).fit_transform(X)
    assert np.all(codes[:2] == -1)
    assert set(codes[2]) == {1, 2}
    assert np.array_equal(RandomHash("minhash", 16, random_state=0).fit_transform(sparse.csr_matrix(X)), codes)


@pytest.mark.spec("UNS-101", "UNS-G50", "UNS-L37")
def test_candidates_are_as_many_as_the_formula_says():
    index = LSHIndex("hyperplane", 10, 8, random_state=0).fit(np.eye(3))
    assert index.recall_estimate(np.radians([30.0, 90.0])) == pytest.approx([0.929140, 0.038383], abs=1e-6)
    # Pairs at one distance, each far from all other pairs.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)) * 1e6
    step = rng.normal(size=X.shape)
    Y = X + 2.0 * step / np.linalg.norm(step, axis=1, keepdims=True)
    index = LSHIndex("l2", 5, 4, width=4.0, random_state=1).fit(X)
    indices = index.kneighbors(Y, 1, return_distance=False)[:, 0]
    expected = index.recall_estimate(2.0)
    assert np.mean(indices == np.arange(400)) == pytest.approx(expected, abs=4.0 * np.sqrt(0.25 / 400))


METRICS = {"hyperplane": "cosine", "l2": "euclidean", "l1": "manhattan", "minhash": "jaccard"}


@pytest.mark.spec("UNS-101")
@pytest.mark.parametrize("kind", METRICS)
def test_what_is_found_is_right(kind):
    rng = np.random.default_rng(3)
    X = (rng.random((150, 12)) < 0.4).astype(float) if kind == "minhash" else rng.normal(size=(150, 12))
    Q = X[:20] if kind == "minhash" else X[:20] + 0.1
    index = LSHIndex(kind, n_neighbors=5, random_state=0).fit(X)
    distances, indices = index.kneighbors(Q)
    D = pairwise_distances(Q != 0 if kind == "minhash" else Q, X != 0 if kind == "minhash" else X, metric=METRICS[kind])
    rows = np.arange(20)[:, None]
    found = indices >= 0
    assert np.all(np.isinf(distances[~found]))
    assert distances[found] == pytest.approx(D[rows, indices][found], abs=1e-12)
    nearest = np.sort(D, axis=1)[:, :5]
    assert np.mean(distances <= nearest + 1e-12) > 0.75
    radius = float(np.median(nearest))
    near, where = index.radius_neighbors(Q, radius)
    for i in range(20):
        assert np.all(np.diff(near[i]) >= 0)
        assert set(where[i]) <= set(np.flatnonzero(D[i] <= radius + 1e-12))
    # Of its own rows none finds itself.
    own = index.kneighbors(return_distance=False)
    assert not np.any(own == np.arange(150)[:, None])
    same = LSHIndex(kind, n_neighbors=5, random_state=0, n_jobs=2).fit(sparse.csr_matrix(X)).kneighbors(Q)
    assert np.array_equal(same[1], indices)


@pytest.mark.spec("UNS-101")
@pytest.mark.parametrize("kind", ["hyperplane", "l2", "l1"])
def test_probing_neighbouring_cells_finds_more(kind):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 8))
    Q = X[:100] + 0.2 * rng.normal(size=(100, 8))
    hits = [
        np.mean(LSHIndex(kind, 2, 8, n_probes=p, random_state=0).fit(X).kneighbors(Q, 1)[1][:, 0] == np.arange(100))
        for p in (0, 2, 6)
    ]
    assert hits[0] < hits[1] < hits[2]


@pytest.mark.spec("UNS-101")
def test_tables_are_chosen_for_the_recall_that_is_asked_for():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(1500, 6))
    exact = np.argsort(pairwise_distances(X[:200], X), axis=1)[:, 1:6]
    for target in (0.5, 0.9):
        index = LSHIndex(target_recall=target, n_neighbors=5, random_state=0).fit(X)
        found = index.kneighbors(return_distance=False)[:200]
        recall = np.mean([len(set(a) & set(b)) / 5 for a, b in zip(exact, found, strict=True)])
        assert recall == pytest.approx(target, abs=0.1)
    with pytest.warns(UserWarning, match="target_recall"):
        LSHIndex(n_bits=32, width=0.5, random_state=0).fit(X)


@pytest.mark.spec("UNS-101")
def test_bad_queries_are_refused():
    X = np.eye(3)
    with pytest.raises(ValueError, match="row 1 of X is zero"):
        LSHIndex("hyperplane").fit([[1.0], [0.0]])
    for options, name in [
        ({"kind": "minhash", "n_probes": 1}, "n_probes"),
        ({"kind": "hyperplane", "width": 2.0}, "width"),
    ]:
        with pytest.raises(ValueError, match=name):
            LSHIndex(**options).fit(X)
    for kind in ("hyperplane", "minhash"):
        with pytest.raises(ValueError, match="is of the kinds"):
            RandomHash(kind, width=2.0).fit(X)
    index = LSHIndex(random_state=0).fit(X)
    with pytest.raises(ValueError, match="radius"):
        index.radius_neighbors(X, -1.0)
    with pytest.raises(ValueError, match="n_neighbors"):
        index.kneighbors(X, 0)
    assert LSHIndex(random_state=0).fit([[1.0]]).kneighbors([[1.0]], 2)[1].tolist() == [[0, -1]]
