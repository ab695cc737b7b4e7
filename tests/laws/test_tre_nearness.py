"""Laws of nearness in forests: proximities, outliers, prototypes, embeddings, forests without labels."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

from gnomon.trees import ExtraTreesRegressor, RandomForestClassifier, RandomTreesEmbedding


def groups(n=60, seed=0):
    """Two classes of points around (0, 0) and (4, 4)."""
    rng = np.random.default_rng(seed)
    y = np.repeat(["near", "far"], n)
    return rng.normal(np.where(y == "near", 0.0, 4.0)[:, None], 1.0, (2 * n, 2)), y


X, Y = groups()


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(30, random_state=0, min_samples_leaf=2).fit(X, Y)


@pytest.fixture(scope="module")
def embedding():
    return RandomTreesEmbedding(20, random_state=0).fit(X)


@pytest.mark.spec("TRE-L23", "TRE-064")
def test_proximity_is_the_share_of_common_leaves(forest):
    leaves = forest.apply(X)
    P = forest.proximity(X)
    np.testing.assert_allclose(P, np.mean(leaves[:, None] == leaves[None], axis=2))
    np.testing.assert_array_equal(P, P.T)
    np.testing.assert_allclose(np.diag(P), 1.0)
    assert np.linalg.eigvalsh(P)[0] > -1e-9
    Z = forest.embed(X)
    np.testing.assert_allclose((Z @ Z.T).toarray() / 30, P)
    np.testing.assert_array_equal(Z.sum(axis=1), 30.0)
    new = X[:7] + 0.1
    np.testing.assert_allclose(
        forest.proximity(new, X), np.mean(forest.apply(new)[:, None] == leaves[None], axis=2)
    )  # fmt: skip


@pytest.mark.spec("TRE-064")
def test_out_of_bag_proximity_counts_the_trees_that_saw_neither(forest):
    leaves = forest.apply(X)
    unseen = np.array([~np.isin(np.arange(len(X)), rows) for rows in forest.estimators_samples_]).T
    both = unseen[:, None] & unseen[None]
    met = np.sum((leaves[:, None] == leaves[None]) & both, axis=2)
    with np.errstate(invalid="ignore"):
        expected = met / np.sum(both, axis=2)
    np.testing.assert_allclose(forest.proximity(X, oob=True), expected)
    with pytest.raises(ValueError, match="leave Y out"):
        forest.proximity(X, X, oob=True)
    with pytest.raises(ValueError, match="rows of fit"):
        forest.proximity(X[:5], oob=True)


@pytest.mark.spec("TRE-064")
def test_large_tables_keep_the_nearest_of_each_row(forest):
    P = forest.proximity(X)
    found = forest.proximity(X, max_dense=50, top=10)
    assert sparse.issparse(found)
    assert np.all(np.diff(found.indptr) <= 10)
    np.testing.assert_allclose(-np.sort(-P, axis=1)[:, :10], -np.sort(-found.toarray(), axis=1)[:, :10])
    there = found.toarray() > 0.0
    np.testing.assert_allclose(found.toarray()[there], P[there])


@pytest.mark.spec("TRE-064")
def test_a_row_far_from_its_class_is_an_outlier(forest):
    rows, y = np.vstack([X, [[4.0, 4.0]]]), np.append(Y, "near")
    model = RandomForestClassifier(60, random_state=0, min_samples_leaf=3).fit(rows, y)
    scores = model.outlier_score(rows, y)
    assert np.argmax(scores) == len(X)
    assert scores[-1] > 10.0
    P = model.proximity(rows)
    for label in ("near", "far"):
        here = y == label
        raw = np.sum(here) / np.sum(P[np.ix_(here, here)] ** 2, axis=1)
        away = raw - np.median(raw)
        # Where most rows are equally near to all, the mean distance from the median is the scale.
        np.testing.assert_allclose(scores[here], away / (np.median(np.abs(away)) or np.mean(np.abs(away))))
    # Without classes all rows are one.
    assert forest.outlier_score(X).shape == (len(X),)
    np.testing.assert_array_equal(forest.outlier_score(np.repeat(X[:1], 5, axis=0)), 0.0)


@pytest.mark.spec("TRE-064")
def test_prototypes_stand_in_the_middle_of_their_class():
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": np.where(Y == "near", "red", "blue")})
    forest = RandomForestClassifier(30, random_state=0).fit(frame, Y)
    typical = forest.prototypes(frame, Y)
    assert list(typical) == ["far", "near"]
    assert typical["near"][2] == "red"
    np.testing.assert_allclose(typical["near"][:2], 0.0, atol=0.8)
    np.testing.assert_allclose(typical["far"][:2], 4.0, atol=0.8)
    # By hand: among the nearest √n rows of a row, those of its class, where these are most.
    nearest = np.argsort(-forest.proximity(frame), axis=1, kind="stable")[:, : int(np.sqrt(len(X)))]
    alike = Y[nearest] == Y[:, None]
    for label in typical:
        centre = np.argmax(np.where(label == Y, np.sum(alike, axis=1), -1))
        np.testing.assert_allclose(typical[label][:2], np.median(X[nearest[centre][alike[centre]]], axis=0))


@pytest.mark.spec("TRE-065", "TRE-L23")
def test_the_embedding_has_one_leaf_for_each_tree(embedding):
    Z = embedding.transform(X)
    assert sparse.issparse(Z)
    assert set(Z.data) == {1.0}
    np.testing.assert_array_equal(Z.sum(axis=1), 20.0)
    assert Z.shape[1] <= 20 * 2**5
    assert max(embedding.forest_.tree(t).max_depth for t in range(20)) == 5
    encoder = embedding.one_hot_encoder_
    np.testing.assert_array_equal(encoder.transform(embedding.apply(X)).toarray(), Z.toarray())
    new = embedding.transform(X[:9] * 10.0)
    assert new.shape == (9, Z.shape[1])
    np.testing.assert_array_equal(new.sum(axis=1), 20.0)
    assert len(embedding.get_feature_names_out()) == Z.shape[1]
    dense = RandomTreesEmbedding(20, random_state=0, sparse_output=False).fit_transform(X)
    np.testing.assert_array_equal(dense, Z.toarray())


@pytest.mark.spec("TRE-L23", "TRE-065")
def test_the_embedding_never_reads_labels(embedding):
    other = RandomTreesEmbedding(20, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(other.apply(X), embedding.apply(X))
    assert len({(int(t.feature[0]), float(t.threshold[0])) for t in map(embedding.forest_.tree, range(20))}) == 20


@pytest.mark.spec("TRE-065")
def test_supervised_forests_embed_as_well():
    forest = ExtraTreesRegressor(10, max_depth=3, random_state=0).fit(X, X[:, 0])
    Z = forest.embed(X)
    np.testing.assert_array_equal(Z.sum(axis=1), 10.0)
    assert Z.shape[1] == sum(tree.get_n_leaves() for tree in forest)


@pytest.mark.spec("TRE-L24")
def test_rows_that_share_a_leaf_are_near(embedding):
    distances = squareform(pdist(X))
    P = embedding.proximity(X)
    off = ~np.eye(len(X), dtype=bool)
    assert np.average(distances[off], weights=P[off]) < 0.5 * np.mean(distances[off])


@pytest.mark.spec("TRE-066")
def test_a_forest_without_labels_finds_dependence():
    rng = np.random.default_rng(0)
    z = rng.normal(size=300)
    tied = np.column_stack([z, z + 0.1 * rng.normal(size=300)])
    loose = rng.normal(size=(300, 2))
    options = {"n_estimators": 40, "min_samples_leaf": 5, "oob_score": True, "random_state": 0}
    found = RandomForestClassifier(**options).fit_unsupervised(tied)
    assert found.oob_score_ > 0.75
    assert RandomForestClassifier(**options).fit_unsupervised(loose).oob_score_ < 0.6
    assert found.classes_.tolist() == [0, 1]
    # The real rows are class 1, and against the diagonal no row is real.
    assert found.predict([[1.0, 1.0], [1.0, -1.0]]).tolist() == [1, 0]


@pytest.mark.spec("TRE-066")
def test_proximities_without_labels_know_the_groups():
    rows, names = groups(50, seed=1)
    forest = RandomForestClassifier(40, min_samples_leaf=3, random_state=0).fit_unsupervised(
        pd.DataFrame({"u": rows[:, 0], "v": rows[:, 1], "side": np.where(names == "near", "l", "r")})
    )
    frame = pd.DataFrame({"u": rows[:, 0], "v": rows[:, 1], "side": np.where(names == "near", "l", "r")})
    P = forest.proximity(frame, oob=True)
    same = names[:, None] == names[None]
    assert np.nanmean(P[same]) > 10 * np.nanmean(P[~same])
