"""Generative models: classifiers by Bayes' rule, mixtures, semi-supervised and open-set learning."""

from __future__ import annotations

from gnomon.generative._explanation import Explanation
from gnomon.generative._forms import LinearForm, QuadraticForm
from gnomon.generative.classifier import GenerativeClassifier
from gnomon.generative.density_gate import DensityGate
from gnomon.generative.dependence import DependenceReport, dependence_report
from gnomon.generative.discriminant import LinearDiscriminantAnalysis
from gnomon.generative.gaussian_classifier import GaussianClassifier
from gnomon.generative.gaussian_mixture import GaussianMixture
from gnomon.generative.imputer import DensityImputer
from gnomon.generative.joint_table import JointTableClassifier
from gnomon.generative.latent_class import LatentClassModel
from gnomon.generative.mixture_classifier import GaussianMixtureClassifier
from gnomon.generative.mixture_model import MixtureModel
from gnomon.generative.naive_bayes import NaiveBayes
from gnomon.generative.naive_bayes_bernoulli import BernoulliNB
from gnomon.generative.naive_bayes_categorical import CategoricalNB
from gnomon.generative.naive_bayes_gaussian import GaussianNB
from gnomon.generative.naive_bayes_multinomial import MultinomialNB
from gnomon.generative.open_set import OpenSetClassifier
from gnomon.generative.quadratic_discriminant import QuadraticDiscriminantAnalysis
from gnomon.generative.select import ComponentSelection, select_components
from gnomon.generative.semi_supervised import SemiSupervisedClassifier
from gnomon.generative.semi_supervised_pipeline import SemiSupervisedPipeline

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComponentSelection",
    "DensityGate",
    "DensityImputer",
    "DependenceReport",
    "Explanation",
    "GaussianClassifier",
    "GaussianMixture",
    "GaussianMixtureClassifier",
    "GaussianNB",
    "GenerativeClassifier",
    "JointTableClassifier",
    "LatentClassModel",
    "LinearDiscriminantAnalysis",
    "LinearForm",
    "MixtureModel",
    "MultinomialNB",
    "NaiveBayes",
    "OpenSetClassifier",
    "QuadraticDiscriminantAnalysis",
    "QuadraticForm",
    "SemiSupervisedClassifier",
    "SemiSupervisedPipeline",
    "dependence_report",
    "select_components",
]
