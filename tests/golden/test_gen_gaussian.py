"""Golden values of normal classes: ratios, forms, boundaries, few rows, conditional laws."""

import numpy as np
import pytest
from scipy.optimize import brentq

from gnomon.distributions import MultivariateNormal, Normal
from gnomon.generative import DensityImputer, GaussianClassifier, GenerativeClassifier, LinearDiscriminantAnalysis
from gnomon.optim import AddedVariance, CovarianceFloor

PLUS, MINUS = np.array([1.0, 0.0]), np.array([-1.0, 0.5])
COV_PLUS, COV_MINUS = np.array([[1.0, 0.3], [0.3, 2.0]]), np.array([[0.7, -0.2], [-0.2, 1.0]])
POINT = np.array([[0.4, -1.0]])


def close(value, expected, digits=6):
    np.testing.assert_allclose(value, expected, rtol=0.0, atol=0.51 * 10.0**-digits)


@pytest.mark.spec("GEN-G25", "GEN-028", "GEN-029", "GEN-034", "GEN-037", "GEN-057", "GEN-058")
def test_two_normal_classes_that_are_known():
    model = GaussianClassifier.from_parameters([MINUS, PLUS], [COV_MINUS, COV_PLUS], [0.7, 0.3])
    close(model.decision_function(POINT), [0.307039])
    close(model.llr(POINT), [1.154336])
    close(model.score_samples(POINT), [-3.170056])
    close(model.decision_function([[0.4, np.nan]]), [0.194365])
    A, b, c = model.quadratic_form_
    close(A, [[0.234016, 0.230049], [0.230049, 0.268523]])
    close(b, [2.410757, -0.384341])
    close(c, -0.316233)
    close(model.quadratic_form_(POINT), model.llr(POINT), 12)


@pytest.mark.spec("GEN-G25", "GEN-025", "GEN-037")
def test_the_same_by_densities_of_any_kind():
    laws = {-1: MultivariateNormal(MINUS, COV_MINUS), 1: MultivariateNormal(PLUS, COV_PLUS)}
    model = GenerativeClassifier.from_densities(laws, {-1: 0.7, 1: 0.3})
    close(model.decision_function(POINT), [0.307039])
    close(model.score_samples(POINT), [-3.170056])
    shared = GenerativeClassifier.from_densities([Normal(MINUS, [0.5, 2.0]), Normal(PLUS, [0.5, 2.0])], [0.7, 0.3])
    close(shared.decision_function(POINT), [1.065202])


@pytest.mark.spec("GEN-G25", "GEN-056", "GEN-058")
def test_tied_normal_classes_that_are_known():
    tied = GaussianClassifier.from_parameters([MINUS, PLUS], COV_PLUS, covariance_type="tied")
    close(tied.decision_function(POINT), [1.589005])
    diagonal = GaussianClassifier.from_parameters([MINUS, PLUS], [0.5, 2.0], [0.7, 0.3], covariance_type="tied_diag")
    close(diagonal.decision_function(POINT), [1.065202])
    close(POINT @ diagonal.coef_[0] + diagonal.intercept_, [1.065202])


@pytest.mark.spec("GEN-G26", "GEN-026", "GEN-027", "GEN-028")
def test_boundaries_on_the_line():
    model = GaussianClassifier.from_parameters([[-1.0], [1.0]], 1.0, covariance_type="tied_spherical")
    close(-model.intercept_ / model.coef_[0], [0.0])
    skewed = GaussianClassifier.from_parameters([[-1.0], [1.0]], 1.0, [0.2, 0.8], covariance_type="tied_spherical")
    close(-skewed.intercept_ / skewed.coef_[0], [-0.693147])
    close(model.log_odds([[-np.log(2.0)]], priors=[0.2, 0.8]), [0.0])
    nested = GaussianClassifier.from_parameters([[0.0], [0.0]], [4.0, 1.0], covariance_type="spherical")
    root = brentq(lambda x: nested.llr([[x]])[0], 0.5, 3.0, xtol=1e-12)
    close(root, 1.359556)
    close(nested.llr([[1.0], [-root]]), [0.318147, 0.0])


@pytest.mark.spec("GEN-G27", "GEN-056", "GEN-058")
def test_tied_covariance_of_two_squares():
    X = [[0, 0], [1, 0], [0, 1], [1, 1], [3, 2], [4, 2], [3, 3], [4, 4]]
    model = GaussianClassifier("tied").fit(X, np.repeat([0, 1], 4))
    close(model.covariances_, [[0.25, 0.0625], [0.0625, 0.46875]])
    close(model.linear_form_.b, [11.172414, 3.310345])
    close(model.linear_form_.c, -27.724138)
    close(model.llr([[2.0, 1.5]]), [-0.413793])


@pytest.mark.spec("GEN-G28", "GEN-056", "GEN-059")
@pytest.mark.parametrize(
    ("ddof", "cov", "w", "b"),
    [
        (0, [[0.666667, 0.5], [0.5, 0.888889]], [7.135135, 0.486486], -34.378378),
        (1, [[1.0, 0.75], [0.75, 1.333333]], [4.756757, 0.324324], -22.918919),
    ],
)
def test_denominators_of_the_tied_covariance(ddof, cov, w, b):
    X = np.array([[1.0, 2], [2, 3], [3, 3], [6, 5], [7, 8], [8, 7]])
    model = GaussianClassifier("tied", ddof=ddof).fit(X, np.repeat([0, 1], 3))
    close(model.covariances_, cov)
    close(model.coef_, [w])
    close(model.intercept_, [b])
    if ddof == 0:
        lda = LinearDiscriminantAnalysis().fit(X, np.repeat([0, 1], 3))
        close(lda.coef_, [w])
        close(lda.intercept_, [b])


@pytest.mark.spec("GEN-G29", "GEN-058")
def test_unbalanced_classes_need_the_means_of_the_classes():
    X = np.array([[-1.0], [0.0], [1.0]] * 3 + [[2.0], [4.0]])
    y = np.repeat(["-", "+"], [9, 2])
    model = GaussianClassifier("tied").fit(X, np.where(y == "+", 1, 0))
    close(model.covariances_, [[8.0 / 11.0]])
    close(model.coef_, [[4.125]])
    close(model.intercept_, [-7.691577])
    close(-model.intercept_ / model.coef_[0], [1.864625])
    total = -X.mean() * model.coef_[0]
    close(total, [-2.25])
    close(-total / model.coef_[0], [0.545455])


@pytest.mark.spec("GEN-G46", "GEN-035")
def test_conditional_law_of_two_cells():
    law = MultivariateNormal([1.0, 2.0, 3.0], [[2.0, 0.5, 0.3], [0.5, 1.0, 0.2], [0.3, 0.2, 1.5]])
    given = law.condition([0], [3.0])
    close(given.mean, [2.5, 3.3])
    close(given.cov, [[0.875, 0.125], [0.125, 1.455]])
    row = [[3.0, np.nan, np.nan]]
    for strategy in ("mean", "mode"):
        close(DensityImputer.from_density(law, strategy).transform(row), [[3.0, 2.5, 3.3]])
    drawn = DensityImputer.from_density(law, "sample", random_state=0).transform(np.repeat(row, 20000, axis=0))
    np.testing.assert_allclose(drawn[:, 1:].mean(axis=0), [2.5, 3.3], atol=4.0 * np.sqrt(1.455 / 20000))
    np.testing.assert_allclose(np.cov(drawn[:, 1:].T), given.cov, atol=0.06)


@pytest.mark.spec("GEN-G55", "GEN-060")
def test_covariances_of_few_rows():
    one = np.array([[[2.0, 1.0], [1.0, 2.0]]])
    close(CovarianceFloor(1.5).covariances(one, np.ones(1), "full")[0], [[2.25, 0.75], [0.75, 2.25]])
    close(AddedVariance(0.5).covariances(one, np.ones(1), "full")[0], [[2.5, 1.0], [1.0, 2.5]])
    X = np.array([[2.0, 0], [-2, 0], [0, 2], [0, -2], [3, 3], [-3, -3]])
    y = np.zeros(6)
    close(GaussianClassifier().fit(X, y).covariances_[0], np.array([[13, 9], [9, 13]]) / 3.0)
    close(GaussianClassifier(shrinkage=0.3).fit(X, y).covariances_[0, 0, 1], 2.1)
    close(GaussianClassifier(shrinkage="ledoit_wolf").fit(X, y).shrinkage_, [0.584362])
