"""Many trees from resampled rows, and their sum.

    F(x) = Σ_t answer of the leaf of x in tree t                                                                  (1)

Tree t depends on its seed alone, never on the other trees or on threads. Breiman (2001), doi:10.1023/A:1010933404324.
The trees stand one after the other in the same arrays as one tree's; many rows go down them together, tree by tree, so
that a node is looked up once for all that pass it.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from gnomon._jit import inner, jit
from gnomon.numerics.parallel import map_chunks, map_until_interrupt
from gnomon.search.grow import grow_tree
from gnomon.search.grow_general import grow_general_tree
from gnomon.search.traverse import as_dense, drop, pieces, room
from gnomon.search.tree import LEAF, Tests, Tree

__all__ = ["Bags", "Forest", "grow_forest"]


@dataclass(frozen=True)
class Bags:
    """Which rows each tree sees: `size` rows drawn from n with replacement, or without, or all if `size` is None.

    Parameters
    ----------
    n : int
        Number of rows.
    size : int or None
        Rows drawn for each tree.
    replace : bool, default=True
    seeds : tuple of int
        One for each tree.

    References
    ----------
    Breiman, L. (1996). Bagging predictors. doi:10.1007/BF00058655

    Examples
    --------
    >>> from gnomon.search import Bags
    >>> bags = Bags(5, 5, seeds=(1, 2))
    >>> int(bags.counts(0).sum()), int(Bags(5, None, seeds=(1,)).counts(0).sum())
    (5, 5)
    """

    n: int
    size: int | None
    replace: bool = True
    seeds: tuple = ()

    def counts(self, t):
        """How often each row is in the bag of tree t."""
        if self.size is None:
            return np.ones(self.n)
        drawn = np.random.default_rng(self.seeds[t])
        rows = drawn.integers(0, self.n, self.size) if self.replace else drawn.permutation(self.n)[: self.size]
        return np.bincount(rows, minlength=self.n).astype(float)


def grow_forest(
    columns, y, criterion, bags, *, weights=None, features=None, first=0, n_jobs=None, progress=None, **options
):
    """Grow the trees number `first` and up, one for each seed of `bags`.

    An interrupt ends the growing, not the work done: the trees before the first unfinished one are returned.

    Parameters
    ----------
    columns, y, criterion
        As in `grow_tree`.
    bags : Bags
        The rows of each tree.
    weights : callable counts → weights, optional
        From how often rows are in the bag to the weights of the tree; the counts themselves by default.
    features : callable seed → array of columns, optional
        The columns that a tree may test; all by default.
    first : int, default=0
        Trees before it exist already.
    n_jobs : int, optional
        Threads.
    progress : callable, optional
        Called with the number of each tree that is done.
    **options
        Passed to `grow_tree`.

    Returns
    -------
    list of Tree

    References
    ----------
    Breiman, L. (2001). Random forests. doi:10.1023/A:1010933404324

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Bags, Gini, code_columns, grow_forest
    >>> x, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
    >>> trees = grow_forest(code_columns(x), y, Gini(2), Bags(8, 8, seeds=(1, 2, 3)))
    >>> len(trees)
    3
    """

    def work(t):
        counts, seed = bags.counts(t), bags.seeds[t]
        sample_weight = counts if weights is None else weights(counts)
        tree = _grow_one(columns, y, criterion, features, sample_weight=sample_weight, seed=seed, **options)
        if progress is not None:
            progress(t)
        return tree

    return map_until_interrupt(work, range(first, len(bags.seeds)), n_jobs)


def _grow_one(columns, y, criterion, features, *, seed, monotone=None, **options):
    """A tree of all columns, or of some."""
    chosen = slice(None) if features is None else features(seed)
    options["monotone"] = None if monotone is None else monotone[chosen]
    # A criterion that is not compiled needs the order of the targets.
    grow = grow_general_tree if criterion.record is None else grow_tree
    if features is None:
        return grow(columns, y, criterion, seed=seed, **options)
    tree = grow(columns.take(chosen), y, criterion, seed=seed, **options)
    nodes = tree.nodes.copy()
    nodes["feature"] = np.where(tree.is_leaf, LEAF, chosen[np.maximum(tree.feature, 0)])
    return replace(tree, nodes=nodes, n_features=len(columns.sizes))


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees in one set of arrays.

    Parameters
    ----------
    whole : Tree
        The arrays of all trees, one after the other; children are numbered from the root of their own tree.
    roots : ndarray of int of shape (n_trees + 1,)
        Where each tree begins.

    References
    ----------
    Breiman, L. (2001). Random forests. doi:10.1023/A:1010933404324

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Forest, Gini, code_columns, grow_tree
    >>> x, y = np.arange(4.0)[:, None], np.array([0, 0, 1, 1], dtype=np.int32)
    >>> tree = grow_tree(code_columns(x), y, Gini(2))
    >>> Forest.of([tree, tree]).sum(np.array([[0.0], [3.0]]))
    array([[2., 0.],
           [0., 2.]])
    """

    whole: Tree
    roots: np.ndarray

    @classmethod
    def of(cls, trees):
        """Put trees one after the other."""
        roots = np.concatenate([[0], np.cumsum([tree.node_count for tree in trees])])
        fields = ("nodes", "answers", "impurity", "weight", "n_rows", "missing", "ends")
        joined = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in fields}
        whole = replace(trees[0], **joined, tests=_join_tests([tree.tests for tree in trees]))
        return cls(whole, roots)

    def __len__(self):
        return len(self.roots) - 1

    def tree(self, t):
        """Tree number t; its arrays are views."""
        part = slice(self.roots[t], self.roots[t + 1])
        names = ("nodes", "answers", "impurity", "weight", "n_rows", "missing", "ends")
        views = {name: getattr(self.whole, name)[part] for name in names}
        return replace(self.whole, **views, tests=self.whole.tests._replace(which=self.whole.tests.which[part]))

    def code(self, X, n_jobs=None):
        """The leaf of every row in every tree as a sparse matrix: one 1 per tree in the column of the leaf."""
        column = np.cumsum(self.whole.is_leaf) - 1
        leaves = self.leaves(X, n_jobs)
        indices = column[leaves + self.roots[:-1]].ravel()
        starts = np.arange(0, leaves.size + 1, len(self))
        return sparse.csr_array((np.ones(leaves.size), indices, starts), shape=(len(leaves), self.whole.n_leaves))

    def leaves(self, X, n_jobs=None):
        """The leaf of every row in every tree, numbered within the tree."""
        out = np.empty((X.shape[0], len(self)), dtype=np.int64)
        self._each(X, n_jobs, lambda rows, part: _leaves(*self._arrays(), self.roots, part, out[rows]))
        return out

    def sum(self, X, n_jobs=None, *, hard=False):
        """(1); `hard`: one vote of each tree for its largest answer."""
        out = np.zeros((X.shape[0], self.whole.answers.shape[1]))
        answers = self.whole.answers
        self._each(X, n_jobs, lambda rows, part: _add(*self._arrays(), answers, self.roots, part, hard, out[rows]))
        return out

    def sum_row(self, x, *, hard=False):
        """(1) of one row of float64 numbers, without a pool of threads."""
        out = np.zeros((1, self.whole.answers.shape[1]))
        _add(*self._arrays(), self.whole.answers, self.roots, x.reshape(1, -1), hard, out)
        return out[0]

    def _arrays(self):
        return self.whole.nodes, self.whole.missing, self.whole.ends, self.whole.tests

    def _each(self, X, n_jobs, work):
        map_chunks(lambda rows: work(rows, as_dense(X[rows])), pieces(X.shape[0], n_jobs), n_jobs)


def _join_tests(tests):
    """Tests of all trees, numbered through."""
    counts = np.array([len(test.kinds) for test in tests])
    offsets = np.concatenate([[0], np.cumsum(counts)])[:-1]
    which = [np.where(test.which >= 0, test.which + offset, -1) for test, offset in zip(tests, offsets, strict=True)]
    entries = np.concatenate([[0], np.cumsum([len(test.cells) for test in tests])])
    starts = [test.starts[:-1] + entry for test, entry in zip(tests, entries, strict=False)]
    parts = [np.concatenate([getattr(test, name) for test in tests]) for name in ("cells", "branches", "coefs")]
    kinds = np.concatenate([test.kinds for test in tests])
    return Tests(np.concatenate(which).astype(np.int32), kinds, np.concatenate([*starts, entries[-1:]]), *parts)


@jit
def _leaves(nodes, missing, ends, tests, roots, X, out):
    at, space = np.empty(X.shape[0], dtype=np.int64), room(X)
    for t in range(len(roots) - 1):
        drop(nodes, missing, ends, tests, roots[t], X, space, at)
        for i in range(len(at)):
            out[i, t] = at[i]


@jit
def _add(nodes, missing, ends, tests, answers, roots, X, hard, out):
    at, space = np.empty(X.shape[0], dtype=np.int64), room(X)
    for t in range(len(roots) - 1):
        drop(nodes, missing, ends, tests, roots[t], X, space, at)
        if hard:
            for i in range(len(at)):
                out[i, np.argmax(answers[roots[t] + at[i]])] += 1.0
        else:
            _add_answers(answers[roots[t] : roots[t + 1]], at, out)


@inner
def _add_answers(answers, at, out):
    for i in range(len(at)):
        leaf = np.uint64(at[i])
        for k in range(answers.shape[1]):
            out[i, k] += answers[leaf, k]
