"""The perceptrons keep scikit-learn's contract."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from gnomon.linear import AveragedPerceptron, Perceptron, VotedPerceptron

# A weight makes one step longer; a row that comes twice makes two steps, if both are mistakes. The namesake has this too.
ONLINE = "a weight scales a step, a repeated row is visited again"


def expected_failures(estimator):
    if type(estimator) is not Perceptron:
        return {}
    return {f"check_sample_weight_equivalence_on_{kind}_data": ONLINE for kind in ("dense", "sparse")}


# With class weights 1000 : 0.0001 the perceptron does not settle within the passes that the check allows.
@pytest.mark.filterwarnings("ignore:not converged after 1000 passes")
@parametrize_with_checks(
    [Perceptron(), AveragedPerceptron(), VotedPerceptron()], expected_failed_checks=expected_failures
)
def test_contract(estimator, check):
    check(estimator)
