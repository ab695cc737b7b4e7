"""Generative models: classifiers by Bayes' rule, mixtures, semi-supervised and open-set learning."""

__all__: list[str] = []
