"""Generative models: classifiers by Bayes' rule, mixtures, semi-supervised and open-set learning."""

from gnomon.generative._explanation import Explanation
from gnomon.generative._forms import LinearForm, QuadraticForm
from gnomon.generative.classifier import GenerativeClassifier
from gnomon.generative.density_gate import DensityGate
from gnomon.generative.discriminant import LinearDiscriminantAnalysis
from gnomon.generative.gaussian_classifier import GaussianClassifier
from gnomon.generative.gaussian_mixture import GaussianMixture
from gnomon.generative.imputer import DensityImputer
from gnomon.generative.quadratic_discriminant import QuadraticDiscriminantAnalysis

__all__ = [
    "DensityGate",
    "DensityImputer",
    "Explanation",
    "GaussianClassifier",
    "GaussianMixture",
    "GenerativeClassifier",
    "LinearDiscriminantAnalysis",
    "LinearForm",
    "QuadraticDiscriminantAnalysis",
    "QuadraticForm",
]
