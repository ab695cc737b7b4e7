"""Growing trees of every form of test, impurity and treatment of missing values.

    while a node is open: take one, divide its rows by the test with the largest score, open the parts               (1)

The same loop as `grow_tree`, `grow`, with a splitter in NumPy that knows tests of many branches, gain ratios, columns
that are tested once, rows that go down several branches, back-up tests, and weighted sums of columns: Quinlan (1986),
doi:10.1007/BF00116251; Quinlan (1993), C4.5: Programs for Machine Learning; Breiman et al. (1984),
doi:10.1201/9781315139470; Murthy, Kasif & Salzberg (1994), arXiv:cs/9408103.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Integers
from gnomon.search._choices import CHOICES, TestChoice
from gnomon.search._column_tests import CATEGORY_TESTS, COMPARED, NUMBER_TESTS, CategoricalTest, NumericTest
from gnomon.search._criterion import Criterion
from gnomon.search._general_splitter import (
    Bounds,
    Forms,
    GeneralSplitter,
    GrowingNodes,
    MissingRows,
    ObliqueDirections,
    OpenNode,
)
from gnomon.search._grow import CutSearch, grow, leaf_limit
from gnomon.search._grow_ordered import grow_ordered
from gnomon.search._growers import require_traits
from gnomon.search._read_off import in_preorder
from gnomon.search._work import DEEPEST
from gnomon.search.columns import Columns
from gnomon.search.tree import Tests, Tree
from gnomon.search.units import in_safe_units

__all__ = ["ColumnScore", "data_thresholds", "grow_general_tree", "score_columns"]

UNBOUNDED = 2**31


@in_safe_units
def grow_general_tree(
    columns: Columns,
    y: Array,
    criterion: Criterion,
    *,
    sample_weight: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    splitter: CutSearch = "best",
    numeric_test: NumericTest = "le",
    categorical_split: CategoricalTest = "subset",
    choice: TestChoice = "gain",
    reuse_features: bool = True,
    missing: MissingRows = "own_value",
    oblique: ObliqueDirections | None = None,
    declared: Integers | None = None,
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_weight_leaf: float = 0.0,
    min_impurity: float = 0.0,
    min_gain: float = 0.0,
    max_features: int | None = None,
    max_leaf_nodes: int | None = None,
    monotone: ArrayLike | None = None,
    seed: int = 0,
) -> Tree:
    """Grow a tree by (1), with tests of any form.

    Parameters
    ----------
    columns, y, criterion, sample_weight, rows, splitter
        As in `grow_tree`; the criterion may be any impurity, compiled or not, with sums or without.
    numeric_test : {"le", "three_way"}, default="le"
        x ≤ t against x > t, or x < t, x = t and x > t with t a value; a branch without rows is dropped.
    categorical_split : {"subset", "multiway", "equality"}, default="subset"
        A set of values against the others, a branch for each value, or one value against the rest.
    choice : {"gain", "gain_ratio", "c4.5"}, default="gain"
        What is largest at the chosen test; "c4.5": the gain ratio, among tests of at least the mean gain.
    reuse_features : bool, default=True
        Whether a column may be tested again below a node that tests it.
    missing : {"own_value", "fractional", "surrogate"}, default="own_value"
        Rows without a value are a group of their own, go down every branch in parts, or follow back-up tests.
    oblique : callable, optional
        (Z, y, w, classes, cut_sums, rng) → directions, one per row; Z are the standardised columns of the node, and
        ``cut_sums(z)`` is the largest sum of worths over the cuts of z, with its threshold.
    declared : ndarray of int of shape (n_features,), optional
        How many values a category has, met or not; each gets a branch of a multiway test. 0: those that are met.
    max_depth, min_samples_split, min_samples_leaf, min_weight_leaf, min_impurity, min_gain, max_features
        As in `grow_tree`.
    max_leaf_nodes, seed
        Likewise.
    monotone : array-like of shape (n_features,), optional
        As in `grow_tree`, with a criterion of one ordered target and plain cuts of numbers; else only zeros.

    Returns
    -------
    Tree

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. doi:10.1007/BF00116251

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Entropy, code_columns, grow_general_tree
    >>> X, y = np.array([[0.0], [1.0], [2.0], [2.0]]), np.array([0, 1, 0, 0])
    >>> tree = grow_general_tree(code_columns(X, category=[True]), y, Entropy(2), categorical_split="multiway")
    >>> tree.n_leaves, tree.predict(np.array([[1.0], [2.0]])).argmax(axis=1)
    (3, array([1, 0]))
    """
    require_traits("grow_general_tree", criterion)
    p = len(columns.sizes)
    bounds = Bounds(
        DEEPEST if max_depth is None else min(max_depth, DEEPEST), max(min_samples_split, 2), float(min_samples_leaf),
        float(min_weight_leaf), criterion.purest(float(min_impurity)), float(min_gain),
        p if max_features is None else max_features, UNBOUNDED if max_leaf_nodes is None else max_leaf_nodes,
    )  # fmt: skip
    tests = NUMBER_TESTS[numeric_test], CATEGORY_TESTS[categorical_split]
    if missing == "surrogate" and (numeric_test, categorical_split) not in (("le", "subset"), ("le", "equality")):
        raise ValueError(
            f"missing='surrogate' needs tests of two branches, and numeric_test={numeric_test!r}, "
            f"categorical_split={categorical_split!r} make more; choose 'le' and 'subset', or missing='fractional'"
        )
    _refuse_bins(columns, numeric_test, oblique)
    w = np.ones(columns.n_samples) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    rows = np.flatnonzero(w) if rows is None else np.asarray(rows)
    plain = numeric_test == "le" and choice == "gain" and reuse_features and missing == "own_value" and oblique is None
    monotone = np.zeros(p, dtype=np.int8) if monotone is None else np.asarray(monotone, dtype=np.int8)
    if criterion.pinball is not None and plain and not columns.has_categories:
        how = {"random": splitter == "random", "max_leaves": max_leaf_nodes, "seed": seed}
        return grow_ordered(columns, y, criterion.pinball, w, rows, bounds, monotone=monotone, **how)
    if np.any(monotone):
        raise ValueError(
            "monotonic_cst goes with tests of two branches of one column, a criterion of sums (or columns of numbers "
            "alone) and missing='own_value'; leave it out, or the option that needs more"
        )
    declared = np.zeros(p, dtype=int) if declared is None or categorical_split != "multiway" else declared
    forms = Forms(*tests, oblique, CHOICES[choice], splitter == "random", reuse_features, declared)
    general = _splitter(columns, y, criterion, w, rows, forms, bounds, missing, seed)
    nodes = GrowingNodes(len(general.held[0].rows))
    made = grow(general, nodes, leaf_limit(max_leaf_nodes))
    return _as_tree(general, nodes.table[:made])


def _refuse_bins(columns, numeric_test, oblique):
    """Tests that need the values themselves cannot be grown from bins: rows would go elsewhere in prediction."""
    if np.array_equal(columns.low, columns.high):
        return
    for what, there in (("numeric_test='three_way'", numeric_test == "three_way"), ("split='oblique'", oblique)):
        if there:
            raise ValueError(
                f"{what} needs the values of columns, and bins hold several values each; choose binning=None, or tests "
                "x ≤ t of one column"
            )


def _splitter(columns, y, criterion, w, rows, forms, bounds, missing, seed):
    """The splitter with the root open."""
    rng = np.random.default_rng(seed)
    splitter = GeneralSplitter(columns, criterion, np.asarray(y), forms, bounds, missing, rng)
    splitter.held[0] = OpenNode(rows, w[rows], np.ones(len(columns.sizes), dtype=bool), -1)
    return splitter


def _as_tree(splitter, nodes):
    """The nodes in preorder, with their answers, their tests and what prediction needs beside them."""
    order, ends, records, _ = in_preorder(nodes)
    nodes = nodes[order]
    inner = nodes.branches > 0
    found = [splitter.found[node] if is_inner else None for node, is_inner in zip(order, inner, strict=True)]
    records["threshold"][inner] = [test.test.threshold for test in found if test is not None]
    listed = np.array([test is not None and test.test.kind != COMPARED for test in found])
    summaries = [splitter.summaries[node] for node in order]
    mass = np.array([summary.mass for summary in summaries])
    worth = np.array([summary.worth for summary in summaries])
    tests = [tuple(test.test[2:]) for test, is_listed in zip(found, listed, strict=True) if is_listed]
    return Tree(
        nodes=records,
        answers=np.array([summary.answer for summary in summaries]),
        impurity=splitter.criterion.impurities(worth, mass),
        weight=mass,
        n_rows=np.array([summary.n_rows for summary in summaries]).astype(np.int32),
        missing=np.array([0 if test is None else test.missing for test in found], dtype=np.int16),
        ends=ends,
        n_features=len(splitter.columns.sizes),
        tests=Tests.of(np.where(listed, np.cumsum(listed) - 1, -1), tests),
        extra=_extra(splitter, order, inner, np.where(inner, nodes.gain, 0.0) / np.maximum(mass, 1e-300)),
    )


def _extra(splitter, order, inner, gain):
    """By node: with fractions, that there are such and the gains of the known rows; with surrogates, the tests."""
    if splitter.missing == "fractional":
        return {"fractional": np.ones(len(order), dtype=bool), "gain": gain}
    if splitter.missing == "surrogate":
        tests = np.empty(len(order), dtype=object)
        for new, node in enumerate(order):
            tests[new] = [tuple(test) for test in splitter.surrogates[node]] if inner[new] else []
        return {"surrogates": tests}
    return {}


def data_thresholds(tree: Tree, columns: Columns, sample_weight: ArrayLike | None = None) -> Tree:
    """The tree whose thresholds are the largest values of `columns` that are not above them; no row changes its way.

    Parameters
    ----------
    tree : Tree
    columns : Columns
    sample_weight : ndarray of shape (n_samples,), optional
        Values of rows without weight do not count.

    Returns
    -------
    Tree

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning, §2.4. ISBN 978-1-55860-238-0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, data_thresholds, grow_tree
    >>> columns = code_columns(np.array([[1.0], [2.0], [5.0]]))
    >>> tree = grow_tree(columns, np.array([0, 0, 1]), Gini(2))
    >>> float(tree.threshold[0]), float(data_thresholds(tree, columns).threshold[0])
    (3.5, 2.0)
    """
    nodes = tree.nodes.copy()
    rows = slice(None) if sample_weight is None else np.flatnonzero(sample_weight)
    tested = ~tree.is_leaf & np.isfinite(tree.threshold)
    for j in np.unique(tree.feature[tested]):
        met = np.unique(columns.codes[j, rows])
        values = columns.high[columns.starts[j] + met[met < columns.sizes[j]].astype(np.int64)]
        here = tested & (tree.feature == j)
        nodes["threshold"][here] = values[np.searchsorted(values, tree.threshold[here], side="right") - 1]
    return replace(tree, nodes=nodes)


class ColumnScore(NamedTuple):
    """Scores of the best test of one column at a node.

    Parameters
    ----------
    gain, split_info, gain_ratio : float
        Bits, where the criterion is the entropy; NaN where the column has no test.
    impurity : float
        H(split).

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. ISBN 978-1-55860-238-0

    Examples
    --------
    >>> from gnomon.search import ColumnScore
    >>> ColumnScore(0.5, 1.0, 0.5, 0.25).gain_ratio
    0.5
    """

    gain: float
    split_info: float
    gain_ratio: float
    impurity: float


def score_columns(
    columns: Columns,
    y: Array,
    criterion: Criterion,
    *,
    sample_weight: ArrayLike | None = None,
    numeric_test: NumericTest = "le",
    categorical_split: CategoricalTest = "multiway",
    choice: TestChoice = "gain",
    missing: MissingRows = "own_value",
) -> list[ColumnScore]:
    """The best test of every column at the root, as `ColumnScore` each.

    gain = H(node) − H(split), split information −Σ (n_b/n) log₂(n_b/n), and their ratio; with ``missing="fractional"``
    the gain is that of the known rows times their share, and the missing ones are one more part.

    Parameters
    ----------
    columns, y, criterion, sample_weight, numeric_test, categorical_split, choice, missing
        As in `grow_general_tree`.

    Returns
    -------
    list of ColumnScore

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. ISBN 978-1-55860-238-0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Entropy, code_columns, score_columns
    >>> X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1])
    >>> score_columns(code_columns(X, category=[True]), y, Entropy(2))[0].gain_ratio
    1.0
    """
    p = len(columns.sizes)
    bounds = Bounds(UNBOUNDED, 2, 1.0, 0.0, 0.0, 0.0, p, UNBOUNDED)
    forms = Forms(
        NUMBER_TESTS[numeric_test], CATEGORY_TESTS[categorical_split], None, CHOICES[choice], False, True,
        np.zeros(p, dtype=int),
    )  # fmt: skip
    w = np.ones(columns.n_samples) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    splitter = _splitter(columns, y, criterion, w, np.flatnonzero(w), forms, bounds, missing, 0)
    found = splitter.root_scores()
    return [
        ColumnScore(np.nan, np.nan, np.nan, np.nan) if one is None else ColumnScore(*map(float, one)) for one in found
    ]
