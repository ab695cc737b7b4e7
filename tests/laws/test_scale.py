"""Powers of two as units: nothing is rounded, at any scale."""

import numpy as np
import pytest
from scipy import sparse

from gnomon.numerics.scale import PowerOfTwo, largest_entry

X = np.random.default_rng(0).normal(size=(6, 3)) * np.array([1.0, 1e-3, 1e3])
SCALES = (5e-324, 1e-310, 1e-150, 1e-8, 1.0, 1e8, 1e150, 1e304)


@pytest.mark.parametrize("axis", [None, 0, ()], ids=["all", "columns", "entries"])
@pytest.mark.parametrize("scale", SCALES)
def test_there_and_back_no_digit_is_lost_and_the_largest_is_near_one(scale, axis):
    given = X * scale
    unit = PowerOfTwo.of(given, axis=axis)
    inside = unit.inward(given)
    np.testing.assert_array_equal(unit.outward(inside), given)
    largest = np.asarray(largest_entry(inside, axis))
    assert np.all((largest[largest > 0.0] >= 1.0) & (largest[largest > 0.0] < 2.0))


@pytest.mark.parametrize("degree", [1, 2, -1])
@pytest.mark.parametrize("scale", [2.0**-500, 2.0**-20, 2.0**500])
def test_what_is_computed_inside_is_that_of_other_units_bit_by_bit(scale, degree):
    f = {1: lambda A: np.linalg.norm(A), 2: lambda A: np.sum(A**2), -1: lambda A: 1.0 / np.max(A)}[degree]
    here, there = PowerOfTwo.of(X), PowerOfTwo.of(X * scale)
    assert there.exponent - here.exponent == np.log2(scale)
    assert f(there.inward(X * scale)) == f(here.inward(X))
    with np.errstate(over="ignore"):
        expected = here.outward(f(here.inward(X)), degree) * scale**degree
    assert there.outward(f(there.inward(X * scale)), degree) == expected


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.coo_array])
@pytest.mark.parametrize("axis", [None, 0])
def test_sparse_rows_have_the_units_of_dense_ones(form, axis):
    A = np.where(np.abs(X) > 0.3 * np.max(np.abs(X), axis=0), X, 0.0) * 1e-200
    unit = PowerOfTwo.of(form(A), axis=axis)
    np.testing.assert_array_equal(unit.exponent, PowerOfTwo.of(A, axis=axis).exponent)
    found = unit.inward(form(A))
    assert found.format == form(A).format
    np.testing.assert_array_equal(found.toarray(), unit.inward(A))


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_single_precision_stays_single(scale):
    given = (X * scale).astype(np.float32)
    unit = PowerOfTwo.of(given, axis=0)
    assert unit.inward(given).dtype == np.float32
    np.testing.assert_array_equal(unit.outward(unit.inward(given)), given)


def test_zeros_nothing_and_ordinary_sizes_stay_as_they_are():
    for ordinary in (np.zeros(3), np.zeros((0, 2)), sparse.csr_array((2, 2)), 1e150):
        unit = PowerOfTwo.of(ordinary, within=(1e-150, 1e150))
        assert unit.is_one
        assert unit.inward(ordinary) is ordinary
    assert PowerOfTwo.of(1.1e150, within=(1e-150, 1e150)).value == 2.0 ** np.floor(np.log2(1.1e150))
    assert PowerOfTwo.of([[0.0, 3.0]], axis=0).value.tolist() == [1.0, 2.0]


def test_the_unit_of_a_product_is_taken_where_the_product_is_no_number():
    assert PowerOfTwo.of(3e200, 5e200).exponent == np.floor(np.log2(3) + np.log2(5) + 400 * np.log2(10))
    assert PowerOfTwo.of(1e-200, 1e200, within=(0.5, 2.0)).is_one
    assert PowerOfTwo.of(0.0, 1e200).is_one


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_what_is_no_number_has_no_unit(bad):
    with pytest.raises(ValueError, match="a unit is of finite numbers"):
        PowerOfTwo.of([1.0, bad])
