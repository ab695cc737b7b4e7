"""Evaluation: sources of error, under- and over-fitting, complexity, and what one law loses against another."""

from gnomon.base.imbalance import ImbalanceWarning, warn_if_imbalanced
from gnomon.distributions import cross_entropy, entropy, kl_divergence
from gnomon.evaluation._bias_variance import (
    BiasVariance,
    BiasVarianceCurve,
    bias_variance,
    bias_variance_bootstrap,
    split_predictions,
)
from gnomon.evaluation._diagnose_fit import FitDiagnosis, diagnose_fit
from gnomon.evaluation._error_sources import ErrorSources, error_sources
from gnomon.evaluation._instability import instability
from gnomon.evaluation.complexity import (
    Optimism,
    SupportVectorBound,
    effective_dof,
    network_complexity,
    optimism,
    sv_bound,
)
from gnomon.evaluation.rademacher import (
    FiniteClass,
    FunctionClass,
    LinearBall,
    rademacher_bound,
    rademacher_complexity,
)
from gnomon.evaluation.shattering import (
    Dichotomies,
    growth_function,
    is_shattered,
    n_dichotomies,
    vc_bound,
    vc_dimension,
)

__all__ = [
    "BiasVariance",
    "BiasVarianceCurve",
    "Dichotomies",
    "ErrorSources",
    "FiniteClass",
    "FitDiagnosis",
    "FunctionClass",
    "ImbalanceWarning",
    "LinearBall",
    "Optimism",
    "SupportVectorBound",
    "bias_variance",
    "bias_variance_bootstrap",
    "cross_entropy",
    "diagnose_fit",
    "effective_dof",
    "entropy",
    "error_sources",
    "growth_function",
    "instability",
    "is_shattered",
    "kl_divergence",
    "n_dichotomies",
    "network_complexity",
    "optimism",
    "rademacher_bound",
    "rademacher_complexity",
    "split_predictions",
    "sv_bound",
    "vc_bound",
    "vc_dimension",
    "warn_if_imbalanced",
]
