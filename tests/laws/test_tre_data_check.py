"""Laws of the look at a table: what it counts is what trees then meet."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from gnomon.trees import DecisionTreeClassifier, data_check


@pytest.mark.spec("TRE-032")
def test_a_table_with_every_fault_is_described():
    X = pd.DataFrame(
        {
            "hue": ["red", "red", "blue", None, "red", "blue"],
            "again": ["red", "red", "blue", None, "red", "blue"],
            "renamed": ["a", "a", "b", None, "a", "b"],
            "fixed": [7.0] * 6,
            "gaps": [np.nan] * 6,
            "size": [1.0, 1.0, np.nan, 2.0, 3.0, np.nan],
        }
    )
    check = data_check(X, ["no", "yes", "no", "no", "yes", "no"])
    assert (check.n_rows, check.n_columns, check.rows_per_column) == (6, 6, 1.0)
    assert check.class_counts == {"no": 4, "yes": 2}
    assert check.constant == ("fixed", "gaps")
    assert check.duplicates == (("hue", "again"),)
    np.testing.assert_allclose(check.missing_rates, [1 / 6, 1 / 6, 1 / 6, 0, 1, 1 / 3])
    assert check.contradictory_rows == 2
    assert check.least_errors == 1
    text = str(check)
    for words in ("1 rows per column are fewer than 10", "gaps 100.0%", "hue = again", "no 4, yes 2", "max_depth"):
        assert words in text


@pytest.mark.spec("TRE-032", "TRE-L07")
@pytest.mark.parametrize("n_values", [2, 3, 6])
def test_the_least_errors_are_those_of_an_unlimited_tree(n_values):
    rng = np.random.default_rng(n_values)
    X = rng.integers(0, n_values, (300, 3)).astype(float)
    y = rng.integers(0, 3, 300)
    check = data_check(X, y)
    tree = DecisionTreeClassifier().fit(X, y)
    assert check.least_errors == np.sum(tree.predict(X) != y) > 0
    assert check.rows_per_column == 100.0
    assert not any("fewer than" in line for line in check.advice)
    assert data_check(sparse.csr_matrix(X), y).least_errors == check.least_errors


@pytest.mark.spec("TRE-032")
def test_numbers_have_no_classes_and_one_class_is_told():
    X = np.arange(40.0)[:, None]
    check = data_check(X, np.arange(40) + 0.5)
    assert check.class_counts == {}
    assert check.least_errors == check.contradictory_rows == 0
    assert check.advice == ()
    assert "one class" in str(data_check(X, ["a"] * 40))
    with pytest.raises(ValueError, match="inconsistent"):
        data_check(X, [1, 2])
