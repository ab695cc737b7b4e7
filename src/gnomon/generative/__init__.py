"""Generative models: classifiers by Bayes' rule, mixtures, semi-supervised and open-set learning."""

from gnomon.generative._explanation import Explanation

__all__ = ["Explanation"]
