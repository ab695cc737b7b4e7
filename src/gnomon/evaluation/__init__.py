"""Evaluation: where an error comes from, and what a curve of errors says."""

from gnomon.evaluation._diagnose_fit import FitDiagnosis, diagnose_fit
from gnomon.evaluation._error_sources import ErrorSources, error_sources

__all__ = ["ErrorSources", "FitDiagnosis", "diagnose_fit", "error_sources"]
