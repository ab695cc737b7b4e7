"""Evaluation: sources of error, diagnosis of under- and over-fitting, and what one law loses against another."""

from gnomon.base.imbalance import ImbalanceWarning, warn_if_imbalanced
from gnomon.distributions import cross_entropy, entropy, kl_divergence
from gnomon.evaluation._diagnose_fit import FitDiagnosis, diagnose_fit
from gnomon.evaluation._error_sources import ErrorSources, error_sources

__all__ = [
    "ErrorSources",
    "FitDiagnosis",
    "ImbalanceWarning",
    "cross_entropy",
    "diagnose_fit",
    "entropy",
    "error_sources",
    "kl_divergence",
    "warn_if_imbalanced",
]
