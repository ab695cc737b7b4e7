"""Why a tree answers as it does: the tests on the way, and what each column contributed.

    answer(leaf) = answer(root) + Σ_j c_j,    c_j = Σ over nodes of the path testing j of answer(child) − answer(node)
                                                                                                                    (1)

The sums telescope, so that (1) is exact. A weighted sum of columns shares its step among them in proportion to
|w_j x_j|. Of a forest, answers and contributions are the means over its trees. Saabas (2014) for (1); Palczewska et al.
(2014), Interpreting random forest classification models using a feature contribution method, arXiv:1312.1121.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from gnomon._typing import Array, ArrayLike, Compressed, Floats
from gnomon.search.conditions import Reach, branch_conditions, narrowed, reached
from gnomon.search.dialects import TEXT, say
from gnomon.search.tree import Tree
from gnomon.search.walk import leaf_weights
from gnomon.search.words import Cell, ColumnName, Label, Words, spell

__all__ = ["Step", "TreeExplanation", "contributions", "explain_forest", "explain_row"]


class Step(NamedTuple):
    """One test on the way to a leaf.

    Parameters
    ----------
    node, child : int
        Where the test is, and where it leads.
    columns : tuple
        The names of the columns that it tests; one, unless it is a weighted sum.
    value : object
        What the row has there; None where it is missing, a tuple for several columns.
    branch : str
        The condition that led on.
    before, after : ndarray
        The answers of the node and of the branch.

    References
    ----------
    Palczewska, A. et al. (2014). Interpreting random forest classification models using a feature contribution method.
    arXiv:1312.1121

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, Words, code_columns, explain_row, grow_tree
    >>> tree = grow_tree(code_columns(np.array([[1.0], [2.0]])), np.array([0, 1]), Gini(2))
    >>> step = explain_row(tree, Words.plain(tree, np.array(["a", "b"])), np.array([2.0])).steps[0]
    >>> step.value, step.branch, step.before, step.after
    (2.0, 'x0 > 1.5', array([0.5, 0.5]), array([0., 1.]))
    """

    node: int
    child: int
    columns: tuple[ColumnName, ...]
    value: Cell | tuple[Cell, ...]
    branch: str
    before: Floats
    after: Floats


@dataclass(frozen=True, eq=False)
class TreeExplanation:
    """The reason of one answer, equation (1) of the module.

    Parameters
    ----------
    label : object
        What is predicted.
    answer, root : ndarray
        The answer for the row, and the one without looking at it.
    contributions : dict
        c_j by the name of the column; columns that were not tested have zeros.
    steps : tuple of Step
        The way; empty for a forest.
    classes : ndarray, optional

    References
    ----------
    Palczewska, A. et al. (2014). Interpreting random forest classification models using a feature contribution method.
    arXiv:1312.1121

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, Words, code_columns, explain_row, grow_tree
    >>> tree = grow_tree(code_columns(np.array([[1.0], [2.0]])), np.array([0, 1]), Gini(2))
    >>> print(explain_row(tree, Words.plain(tree, np.array(["a", "b"])), np.array([2.0])))
    b, with a 0, b 1
    before any test: a 0.5, b 0.5
    x0 > 1.5 (it is 2.0): a 0.5, b 0.5 → a 0, b 1
    contributions: x0 (a -0.5, b +0.5)
    """

    label: Label
    answer: Floats
    root: Floats
    contributions: dict[ColumnName, Floats]
    steps: tuple[Step, ...] = ()
    classes: Array | None = None

    def __str__(self) -> str:
        lines = [self._headline(), f"before any test: {self._said(self.root)}"]
        for step in self.steps:
            values = (step.value,) if len(step.columns) == 1 else step.value
            value = "missing" if step.value is None else f"it is {', '.join(map(_shown, values))}"
            lines.append(f"{step.branch} ({value}): {self._said(step.before)} → {self._said(step.after)}")
        used = {name: part for name, part in self.contributions.items() if np.any(part != 0.0)}
        by_size = sorted(used, key=lambda name: -float(np.max(np.abs(used[name]))))
        parts = [f"{name} ({self._said(used[name], sign='+')})" for name in by_size]
        return "\n".join([*lines, f"contributions: {', '.join(parts) or 'none'}"])

    def _headline(self) -> str:
        if self.classes is None:
            return self._said(self.answer)
        return f"{spell(self.label)}, with {self._said(self.answer)}"

    def _said(self, numbers: Floats, sign: str = "") -> str:
        names = [""] * len(numbers) if self.classes is None else [f"{spell(k)} " for k in self.classes.tolist()]
        return ", ".join(
            f"{name}{v + 0.0:{sign if abs(v) > 0 else ''}.4g}" for name, v in zip(names, numbers, strict=True)
        )


def _shown(value: Cell) -> str:
    return repr(value) if isinstance(value, float) else spell(value)


def contributions(tree: Tree, X: Array) -> Floats:
    """c of equation (1) for every row, column and answer: an array of shape (n_samples, n_features, n_answers).

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_samples, n_features)

    References
    ----------
    Palczewska, A. et al. (2014). Interpreting random forest classification models using a feature contribution method.
    arXiv:1312.1121

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import SquaredError, code_columns, contributions, grow_tree
    >>> x, y = np.array([[1.0], [2.0]]), np.array([[3.0], [5.0]])
    >>> tree = grow_tree(code_columns(x), y, SquaredError())
    >>> contributions(tree, x).ravel()
    array([-1.,  1.])
    """
    return _parts(tree, X, _ends(tree, X))


def _parts(tree: Tree, X: Array, ends: Compressed) -> Floats:
    """The contributions of rows whose ends are known."""
    out = np.zeros((len(X), tree.n_features, tree.answers.shape[1]))
    for leaf in np.unique(ends.indices):
        rows = ends.indices == leaf
        where = np.repeat(np.arange(len(X)), np.diff(ends.indptr))[rows]
        weight = ends.data[rows]
        path = tree.path(int(leaf))
        for node, child in pairwise(path):
            columns, shares = _shares(tree, node, X[where])
            step = tree.answers[child] - tree.answers[node]
            for j, share in zip(columns, shares.T, strict=True):
                out[where, j] += (weight * share)[:, None] * step
    return out


def _ends(tree: Tree, X: Array) -> sparse.csr_array:
    """Where rows end, with weights that sum to one, as a sparse matrix by rows."""
    if "fractional" in tree.extra:
        return sparse.csr_array(leaf_weights(tree, X))
    n = len(X)
    return sparse.csr_array((np.ones(n), tree.apply(X), np.arange(n + 1)), shape=(n, tree.node_count))


def _shares(tree: Tree, node: int, X: Array) -> tuple[list[int], Floats]:
    """The columns that a node tests, and how rows share its step among them."""
    k = tree.tests.which[node]
    if k < 0 or tree.tests.test(k)[0] != 2:
        return [int(tree.feature[node])], np.ones((len(X), 1))
    _, cells, _, coefs = tree.tests.test(k)
    sizes = np.nan_to_num(np.abs(X[:, cells[:-1]] * coefs[:-1]))
    total = np.sum(sizes, axis=1, keepdims=True)
    even = np.full(sizes.shape, 1.0 / sizes.shape[1])
    return cells[:-1].tolist(), np.divide(sizes, total, out=even, where=total > 0.0)


def explain_row(tree: Tree, words: Words, x: ArrayLike) -> TreeExplanation:
    """The way of one row through a tree, and the contributions of its columns.

    Parameters
    ----------
    tree : Tree
    words : Words
    x : ndarray of shape (n_features,)
        Coded as `Tree.apply` takes it.

    Returns
    -------
    TreeExplanation

    References
    ----------
    Palczewska, A. et al. (2014). Interpreting random forest classification models using a feature contribution method.
    arXiv:1312.1121

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import SquaredError, Words, code_columns, explain_row, grow_tree
    >>> tree = grow_tree(code_columns(np.array([[1.0], [2.0]])), np.array([[3.0], [5.0]]), SquaredError())
    >>> found = explain_row(tree, Words.plain(tree), np.array([1.0]))
    >>> found.label, found.root.tolist(), found.contributions["x0"].tolist()
    (3.0, [4.0], [-1.0])
    """
    X = np.asarray(x, dtype=float)[None, :]
    ends = _ends(tree, X)
    path = tree.path(int(ends.indices[np.argmax(ends.data)]))
    steps = _steps(tree, words, path, X[0])
    answer = (ends @ tree.answers)[0]
    parts = dict(zip(words.names, _parts(tree, X, ends)[0], strict=True))
    return TreeExplanation(words.label(answer), answer, tree.answers[0], parts, steps, words.classes)


def explain_forest(trees: Sequence[Tree], words: Words, x: ArrayLike) -> TreeExplanation:
    """The means of the answers and contributions of many trees for one row.

    Parameters
    ----------
    trees : sequence of Tree
    words : Words
    x : ndarray of shape (n_features,)

    Returns
    -------
    TreeExplanation

    References
    ----------
    Palczewska, A. et al. (2014). Interpreting random forest classification models using a feature contribution method.
    arXiv:1312.1121

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import SquaredError, Words, code_columns, explain_forest, grow_tree
    >>> columns = code_columns(np.array([[1.0], [2.0]]))
    >>> trees = [grow_tree(columns, np.array([[3.0], [b]]), SquaredError()) for b in (5.0, 7.0)]
    >>> found = explain_forest(trees, Words.plain(trees[0]), np.array([2.0]))
    >>> found.label, found.root.tolist(), found.contributions["x0"].tolist()
    (6.0, [4.5], [1.5])
    """
    X = np.asarray(x, dtype=float)[None, :]
    ends = [_ends(tree, X) for tree in trees]
    answer = np.mean([(end @ tree.answers)[0] for tree, end in zip(trees, ends, strict=True)], axis=0)
    root = np.mean([tree.answers[0] for tree in trees], axis=0)
    parts = np.mean([_parts(tree, X, end)[0] for tree, end in zip(trees, ends, strict=True)], axis=0)
    parts = dict(zip(words.names, parts, strict=True))
    return TreeExplanation(words.label(answer), answer, root, parts, (), words.classes)


def _steps(tree: Tree, words: Words, path: list[int], x: Floats) -> tuple[Step, ...]:
    steps: list[Step] = []
    reach: Reach = {}
    for node, child in pairwise(path):
        conditions = narrowed(branch_conditions(tree, node, words), reach)
        condition = conditions[tree.children(node).index(child)]
        reach = reached(condition, reach)
        values = tuple(words.cell(j, x[j]) for j in condition.columns)
        names = tuple(words.names[j] for j in condition.columns)
        value = values[0] if len(values) == 1 else values
        branch = say(condition, words, TEXT)
        steps.append(Step(node, child, names, value, branch, tree.answers[node], tree.answers[child]))
    return tuple(steps)
