"""
How much data is enough?
========================

More rows help as long as the error comes from having few of them. Learning curves show how fast it falls and where it
would end; bias, variance and the sources of the error say whether rows, another model or more patience would help.
"""

import numpy as np
from sklearn.model_selection import ShuffleSplit, learning_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon import plot
from gnomon.evaluation import bias_variance, diagnose_fit, error_sources, learning_curve_rate, required_n
from gnomon.features import PolynomialMap
from gnomon.linear import LinearRegression, SGDRegressor
