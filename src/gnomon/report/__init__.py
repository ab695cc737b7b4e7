"""An honest study of one table, and the page that tells of it."""

from gnomon.report._anomalies import AnomalyStudy, find_anomalies
from gnomon.report._anomaly_page import anomaly_page, anomaly_summary
from gnomon.report._page import page, summary
from gnomon.report._study import Study, learn

__all__ = [
    "AnomalyStudy",
    "Study",
    "anomaly_page",
    "anomaly_summary",
    "find_anomalies",
    "learn",
    "page",
    "summary",
]
