"""Anomaly detection: learn what good data look like, choose a threshold honestly.

    x is an anomaly  ⇔  p(x) ≤ ε                                                                        (1)

p is any density fitted to good rows, or a distance in its place. Labels `y` are 1 for anomalous and 0 for good;
`predict` says −1 for anomalous and +1 for good, as scikit-learn's detectors do.

Detector or classifier?

==================================================  ===================================================
choose a detector when                              choose a classifier when
==================================================  ===================================================
bad rows are few (0 to about 20, or below 1 %)      there are many rows of both kinds
good rows are many and similar to each other        the classes are less skewed
future anomalies may be of kinds never seen         future bad rows will be like those at hand
examples: faulty engines, intrusions, fraud of      examples: spam, weather, diseases with many
new kinds, machines of a data centre                recorded cases
==================================================  ===================================================

With few bad rows a classifier knows them too poorly, and accuracy says nothing: calling everything good is right 99.8 %
of the time at 0.2 % anomalies. `evaluate_detectors` therefore reports precision, recall and Fβ beside it. As the share
of bad rows in training grows, classifiers overtake. Chandola, Banerjee & Kumar (2009), doi:10.1145/1541880.1541882.
"""

from __future__ import annotations

from gnomon.anomaly.centroid_distance import CentroidDistanceDetector
from gnomon.anomaly.contours import NestedContours
from gnomon.anomaly.density_detector import DensityDetector
from gnomon.anomaly.evaluate import DetectorComparison, DetectorScores, evaluate_detectors
from gnomon.anomaly.gaussian_detector import GaussianDetector
from gnomon.anomaly.gaussianity import ColumnShape, GaussianityReport, gaussianity_report
from gnomon.anomaly.log_shift import LogShift
from gnomon.anomaly.mahalanobis import MahalanobisDetector
from gnomon.anomaly.split import AnomalySplit, anomaly_split
from gnomon.anomaly.threshold import ThresholdChoice, select_threshold
from gnomon.anomaly.tuned_detector import TunedDetector

__all__ = [
    "AnomalySplit",
    "CentroidDistanceDetector",
    "ColumnShape",
    "DensityDetector",
    "DetectorComparison",
    "DetectorScores",
    "GaussianDetector",
    "GaussianityReport",
    "LogShift",
    "MahalanobisDetector",
    "NestedContours",
    "ThresholdChoice",
    "TunedDetector",
    "anomaly_split",
    "evaluate_detectors",
    "gaussianity_report",
    "select_threshold",
]
