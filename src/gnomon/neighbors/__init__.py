"""Models of similarity to stored points: nearest neighbours, landmarks, networks of radial functions."""

from gnomon.neighbors._error_curve import ErrorCurve
from gnomon.neighbors.classifier import KNeighborsClassifier
from gnomon.neighbors.regressor import KNeighborsRegressor

__all__ = ["ErrorCurve", "KNeighborsClassifier", "KNeighborsRegressor"]
