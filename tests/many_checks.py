"""Many small checks in one test, which reports every failure, not only the first."""

import pytest
from sklearn.utils.estimator_checks import check_estimator

FAILURES = (Exception, BaseExceptionGroup, pytest.fail.Exception)


def over(estimators, smoke=()):
    """One test for each estimator, by the name of its class; those of the names in `smoke` bear that mark."""
    named = [(type(estimator).__name__, estimator) for estimator in estimators]
    lacking = [name for name in smoke if name not in dict(named)]
    assert not lacking, f"no such estimators: {lacking}"
    cases = [pytest.param(each, marks=pytest.mark.smoke if name in smoke else ()) for name, each in named]
    return pytest.mark.parametrize("estimator", cases, ids=[name for name, _ in named])


def check_all(cases):
    """Call every case of ``(name, function)``; raise what failed, each with the name of its case."""
    failed = []
    for name, case in cases:
        try:
            case()
        except FAILURES as error:
            error.add_note(f"case: {name}")
            failed.append(error)
    if failed:
        raise BaseExceptionGroup("some cases fail", failed)


def check_contract(estimator, expected=None):
    """Every check that scikit-learn has for `estimator`; those of `expected`, by name with the reason, must fail."""
    results = check_estimator(estimator, expected_failed_checks=expected, on_fail=None, on_skip=None)
    check_all((result["check_name"], lambda result=result: _judge(result)) for result in results)


def _judge(result):
    if result["status"] == "failed":
        raise result["exception"]
    reason = result["expected_to_fail_reason"]
    assert not (result["expected_to_fail"] and result["status"] == "passed"), f"passes, although {reason}"
