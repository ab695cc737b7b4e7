"""Anomaly detection: learn what good data look like, choose a threshold honestly."""

__all__: list[str] = []
