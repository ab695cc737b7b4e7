"""The linear SVMs keep scikit-learn's contract."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from gnomon.linear import LinearSVC, LinearSVM

ESTIMATORS = [LinearSVM(), LinearSVM(loss="squared_hinge", penalty="l1"), LinearSVC()]


@parametrize_with_checks(ESTIMATORS)
def test_contract(estimator, check):
    check(estimator)
