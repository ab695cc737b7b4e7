"""Tables and domains: what arrays and frames become, and the slots of their cells."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator

from gnomon.base import map_rows, table_rows
from gnomon.numerics.domains import Domain, domains_of, encode
from gnomon.numerics.tables import as_table, assert_complete
from gnomon.numerics.validation import machine_numbers

ROWS = [["red", 2, True], ["blue", 0, False], [None, 1, None]]
KINDS = {
    "list": lambda: ROWS,
    "object": lambda: np.array(ROWS, dtype=object),
    "pandas": lambda: pd.DataFrame(ROWS, columns=["x0", "x1", "x2"]),
    "polars": lambda: pl.DataFrame(ROWS, schema=["x0", "x1", "x2"], orient="row"),
    "arrow": lambda: pl.DataFrame(ROWS, schema=["x0", "x1", "x2"], orient="row").to_arrow(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_is_the_same_whatever_it_came_in(kind):
    for table in (as_table(KINDS[kind]()), table_rows(BaseEstimator(), KINDS[kind]())):
        assert table.shape == (3, 3)
        assert table.categorical == (0, 2)
        assert table.column(0).cells.tolist() == ["red", "blue", None]
        np.testing.assert_array_equal(table.numbers([2, 1]), [[1, 2], [0, 0], [np.nan, 1]])
        assert table.column(2).missing.tolist() == [False, False, True]
        assert table[1:].column(0).cells.tolist() == ["blue", None]
        assert table.cell(0, 0) == "red"
        codes = encode(table, [2, 0, 1], domains_of(table, [2, 0, 1]))
        assert codes.tolist() == [[1, 1, 2], [0, 0, 0], [3, 3, 1]]


def test_truth_values_of_an_array_are_categories():
    bits = np.array([[True, False], [False, False]])
    assert as_table(bits).categorical == as_table(bits.tolist()).categorical == (0, 1)
    assert as_table(bits).column(0).is_category
    np.testing.assert_array_equal(encode(as_table(bits), [0, 1], [Domain(2), Domain(2)]), bits)


@pytest.mark.parametrize("which", [[0, 1, 2], [2, 0, 1], [1], [2, 1]])
def test_columns_come_in_the_order_in_which_they_are_named(which):
    X = np.array([[0, 1, 5], [1, 3, 2]])
    table = as_table(X)
    np.testing.assert_array_equal(table.block(which), X[:, which])
    np.testing.assert_array_equal(table.numbers(which), X[:, which])
    np.testing.assert_array_equal(encode(table, which, domains_of(table, which)), X[:, which])
    assert [domain.size for domain in domains_of(table, which)] == [X[:, j].max() + 1 for j in which]


def test_a_whole_matrix_is_not_copied():
    X = np.arange(6.0).reshape(3, 2)
    assert np.shares_memory(as_table(X).numbers(range(2)), X)


@pytest.mark.parametrize("cells", [[1, 2, None], [True, False, None], ["b", "a", None]])
def test_the_categories_of_a_type_are_a_domain_and_gaps_are_none_of_them(cells):
    column = pd.Categorical(cells)
    table = as_table(pd.DataFrame({"a": column}))
    (domain,) = domains_of(table, [0])
    assert domain.declared
    assert domain.labels.tolist() == column.categories.tolist()
    assert table.column(0).missing.tolist() == [False, False, True]
    np.testing.assert_array_equal(domain.codes(table.column(0)), [*column.codes[:2], 3])


DECLARED = {
    "pandas": lambda cells, values: pd.DataFrame({"c": pd.Categorical(cells, categories=values)}),
    "polars": lambda cells, values: pl.DataFrame({"c": pl.Series(cells, dtype=pl.Enum(values))}),
}


@pytest.mark.parametrize("kind", DECLARED)
@pytest.mark.parametrize("rows", [slice(None), [2, 0], slice(1, 2)])
@pytest.mark.parametrize("known", [("a", "b", "c"), ("c", "b"), ("a",), ("x",)])
def test_places_among_declared_categories_are_what_the_cells_say(kind, rows, known):
    cells = ["b", None, "a", "b", None, "c"]
    column = as_table(DECLARED[kind](cells, ["c", "b", "unmet", "a"])).column(0)[rows]
    plain = as_table([[cell] for cell in cells]).column(0)[rows]
    assert column.places is not None
    assert column.cells.tolist() == plain.cells.tolist()
    assert column.missing.tolist() == plain.missing.tolist()
    domain = Domain(len(known), known)
    assert domain.codes(column).tolist() == domain.codes(plain).tolist()


@pytest.mark.parametrize("dtype", [">f8", "<f8", ">i4", "f2", "g", "u1", "u8", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_of_any_type_have_the_same_slots(dtype, order):
    X = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype).copy(order=order)
    X.flags.writeable = False
    table = as_table(X)
    np.testing.assert_array_equal(encode(table, [0, 1], domains_of(table, [0, 1])), [[0, 1], [1, 0], [1, 1]])
    assert machine_numbers(X).dtype.isnative


def test_declared_values_and_least_sizes():
    table = as_table([["a", 1], ["b", 0]])
    named = domains_of(table, [0, 1], {"x0": np.array(["b", "a", "c"])})
    assert named[0].values == ("b", "a", "c")
    assert named[1].size == 2
    assert [d.size for d in domains_of(table, [0, 1], [["a", "b"], None], min_categories=[4, 3])] == [4, 3]


@pytest.mark.parametrize(
    ("categories", "words"),
    [
        ([2, 2], "given as 2; give a list"),
        (["ab", "01"], "given as 'ab'; give a list"),
        ([["a", None], None], "a missing cell is no value"),
        ([["a", np.nan], None], "a missing cell is no value"),
        ([["a", "a"], None], "list each value once"),
        ([[], None], "list each value once"),
        ([["a", "b"]], "each of the 2 columns"),
        ("all", "must be 'auto'"),
        (3, "must be 'auto'"),
        ({"z": ["a"]}, "does not have"),
    ],
)
def test_categories_that_cannot_be_are_refused(categories, words):
    for table in (as_table([["a", 1], ["b", 0]]), as_table(np.array([[0, 1], [1, 0]]))):
        with pytest.raises(ValueError, match=words):
            domains_of(table, [0, 1], categories)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        ([[1.0, np.inf]], ValueError, "infinity"),
        (pd.DataFrame({"a": [-np.inf]}), ValueError, "column 'a'"),
        (pd.DataFrame({"a": pd.date_range("2000", periods=2)}), TypeError, "dates"),
        (np.array([[np.ones(2), 1], ["a", 2]], dtype=object), TypeError, "must be a string or a number, not ndarray"),
        ([["a", {}]], TypeError, "not dict"),
        (np.zeros(3), ValueError, "shape"),
        (np.zeros((0, 2)), ValueError, "at least one row"),
        (pl.DataFrame({"a": []}), ValueError, "at least one row"),
    ],
)
def test_what_is_no_table_is_refused(X, error, words):
    with pytest.raises(error, match=words):
        as_table(X)


def test_who_takes_no_gaps_says_what_to_do():
    table = as_table(pl.DataFrame({"a": ["x", None, None], "b": [1.0, 2.0, 3.0]}))
    with pytest.raises(ValueError, match=r"NaN in column 'a' \(2 rows\); grow a tree"):
        assert_complete(table, "grow a tree")
    assert_complete(table[:1])
    with pytest.raises(ValueError, match="'a' holds 'x', which is no number"):
        table.numbers([0])
    with pytest.raises(ValueError, match=r"\['a', 'b'\] have several kinds"):
        table.block([0])


def test_rows_alone_and_rows_with_labels():
    X, y = np.zeros((3, 1)), np.arange(3)
    assert map_rows(len, X) == 3
    assert map_rows(len, (X, y))[1] is y
    with pytest.raises(ValueError, match="inconsistent numbers"):
        table_rows(BaseEstimator(), pd.DataFrame(X), y[:2])
