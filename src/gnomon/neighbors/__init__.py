"""Models of similarity to stored points: nearest neighbours, landmarks, networks of radial functions."""

from __future__ import annotations

from gnomon.neighbors._error_curve import ErrorCurve
from gnomon.neighbors.classifier import KNeighborsClassifier
from gnomon.neighbors.rbf_network_classifier import RBFNetworkClassifier
from gnomon.neighbors.rbf_network_regressor import RBFNetworkRegressor
from gnomon.neighbors.regressor import KNeighborsRegressor
from gnomon.neighbors.similarity import SimilarityModel

__all__ = [
    "ErrorCurve",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "SimilarityModel",
]
