"""Evaluation: sources of error, and diagnosis of under- and over-fitting."""

from gnomon.evaluation._diagnose_fit import FitDiagnosis, diagnose_fit
from gnomon.evaluation._error_sources import ErrorSources, error_sources

__all__ = ["ErrorSources", "FitDiagnosis", "diagnose_fit", "error_sources"]
