"""Change of units, for every estimator: predictions are the same in metres and in millimetres, or the fit says so."""

from sklearn.base import is_classifier, is_regressor

import public_names
from conversions import CONVERTED, precise
from gnomon.testing import check_units
from many_checks import over

# What has no symmetry: the rule that ends the steps of scikit-learn's perceptron has the units of the data.
WITHOUT = {"Perceptron"}


def held(estimator):
    predicts = is_classifier(estimator) or is_regressor(estimator)
    return predicts and type(estimator).__name__ not in WITHOUT


@over(filter(held, public_names.estimators()))
def test_predictions_do_not_depend_on_units(estimator):
    check_units(precise(estimator), convert=CONVERTED.get(type(estimator).__name__))
