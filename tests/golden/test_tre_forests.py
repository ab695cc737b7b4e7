"""Golden values of forests: votes, proximities, densities, bootstrap samples."""

import numpy as np
import pytest

from gnomon.search import Bags, Forest, Gini, code_columns, grow_tree
from gnomon.trees import DecisionTreeClassifier, DensityTree, RandomForestClassifier

X4 = np.arange(4.0)[:, None]


def forest_of(trees, **options):
    """A fitted forest with these trees."""
    model = RandomForestClassifier(len(trees), random_state=0, **options).fit(X4, [0, 0, 1, 1])
    model.forest_ = Forest.of(trees)
    return model


@pytest.mark.spec("TRE-G24")
def test_soft_and_hard_votes():
    leaf = grow_tree(code_columns(X4), np.array([0, 0, 1, 1], dtype=np.int32), Gini(2), max_depth=0)
    trees = [leaf.with_answers(np.array([shares])) for shares in ([0.9, 0.1], [0.4, 0.6], [0.4, 0.6])]
    soft, hard = forest_of(trees), forest_of(trees, voting="hard")
    np.testing.assert_allclose(soft.predict_proba(X4[:1]), [[0.566667, 0.433333]], atol=5e-7)
    assert soft.predict(X4[:1]) == [0]
    assert hard.predict(X4[:1]) == [1]
    np.testing.assert_allclose(hard.predict_proba(X4[:1]), [[1 / 3, 2 / 3]])
    assert soft.compile_row()(X4[0]) == 0
    assert hard.compile_row()(X4[0]) == 1


@pytest.mark.spec("TRE-G25")
def test_proximities_of_two_trees():
    columns = code_columns(X4)
    trees = [grow_tree(columns, np.array(y, dtype=np.int32), Gini(2)) for y in ([0, 0, 1, 1], [0, 1, 1, 1])]
    P = forest_of(trees).proximity(X4)
    np.testing.assert_array_equal(P, [[1, 0.5, 0, 0], [0.5, 1, 0.5, 0.5], [0, 0.5, 1, 1], [0, 0.5, 1, 1]])


@pytest.mark.spec("TRE-G26", "TRE-067")
def test_densities_of_two_cells():
    cut = DecisionTreeClassifier().fit([[0.4], [0.6]], [0, 1])
    density = DensityTree.of(cut, [[0.1], [0.2], [0.3], [0.9]], box=(0, 1))
    np.testing.assert_allclose(density.cells().density, [1.5, 0.5])
    np.testing.assert_allclose(
        np.exp(density.score_samples([[0.0], [0.5], [0.51], [1.0], [1.1]])), [1.5, 1.5, 0.5, 0.5, 0]
    )


@pytest.mark.spec("TRE-G27")
@pytest.mark.parametrize(("n", "share"), [(10, 0.651322), (100, 0.633968), (2000, 0.632121)])
def test_share_of_rows_in_a_bag(n, share):
    assert 1 - (1 - 1 / n) ** n == pytest.approx(share, abs=5e-7 if n < 2000 else 1e-4)
    n_bags = 200_000 // n
    bags = Bags(n, n, seeds=tuple(range(n_bags)))
    found = np.array([np.mean(bags.counts(t) > 0) for t in range(n_bags)])
    assert np.mean(found) == pytest.approx(share, abs=4 * np.std(found) / np.sqrt(n_bags) + 1e-4)
