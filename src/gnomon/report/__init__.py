"""A study of one table without leakage, and its report."""

from __future__ import annotations

# ruff: noqa: E402 (what is not installed is named before it is imported)
from gnomon._extras import need

need("the study of a table (gnomon.learn, gnomon.report)", "jinja2", "matplotlib")

from gnomon.report._anomalies import AnomalyStudy, find_anomalies
from gnomon.report._clusters import ClusterStudy, find_clusters
from gnomon.report._study import learn
from gnomon.report._study_record import Study
from gnomon.report.aims import Aims
from gnomon.report.anomaly_pages import anomaly_page, anomaly_summary
from gnomon.report.cluster_pages import cluster_page, cluster_summary
from gnomon.report.pages import page, summary

__all__ = [
    "Aims",
    "AnomalyStudy",
    "ClusterStudy",
    "Study",
    "anomaly_page",
    "anomaly_summary",
    "cluster_page",
    "cluster_summary",
    "find_anomalies",
    "find_clusters",
    "learn",
    "page",
    "summary",
]
