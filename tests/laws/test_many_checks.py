"""Checks that run together hide no failure."""

import pytest

from gnomon.linear import LinearRegression
from many_checks import check_all, check_contract


def refused(text):
    with pytest.raises(ValueError):
        float(text)


def test_every_failure_is_reported_with_its_case():
    cases = [(text, lambda text=text: refused(text)) for text in ("1", "one", "2")]
    with pytest.raises(BaseExceptionGroup) as caught:
        check_all([*cases, ("within", lambda: check_all(cases))])
    *alone, within = caught.value.exceptions
    assert [error.__notes__ for error in alone] == [["case: 1"], ["case: 2"]]
    assert [error.__notes__ for error in within.exceptions] == [["case: 1"], ["case: 2"]]


class Sticky(LinearRegression):
    def fit(self, X, y):
        self.tol = 1e-3
        return super().fit(X, y)


def test_a_broken_contract_is_reported_and_so_is_an_expected_failure_that_passes():
    with pytest.raises(ExceptionGroup) as caught:
        check_contract(Sticky(), {"check_fit2d_1sample": "nothing"})
    told = [note for error in caught.value.exceptions for note in error.__notes__]
    assert told == [
        "case: check_estimators_overwrite_params",
        "case: check_dont_overwrite_parameters",
        "case: check_fit2d_1sample",
    ]
