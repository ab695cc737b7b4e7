"""The values of MAPIE in `mapie_values.json`; run with MAPIE 1.6.0 beside scikit-learn: ``python mapie_values.py``."""

import json
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, QuantileRegressor, Ridge
from sklearn.model_selection import KFold, LeaveOneOut
from sklearn.naive_bayes import GaussianNB

STORED = Path(__file__).with_suffix(".json")

X, Y = load_diabetes(return_X_y=True)
TRAIN, CALIBRATE, NEW = np.arange(150), np.arange(150, 300), np.arange(300, 306)
ONE_OUT = np.arange(60)
A, B = load_iris(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(150)
LEARN, HOLD, ASK = ORDER[:50], ORDER[50:100], ORDER[100:]
COVERAGE = 0.85


def values():
    from mapie.classification import SplitConformalClassifier
    from mapie.regression import ConformalizedQuantileRegressor, CrossConformalRegressor, SplitConformalRegressor

    def interval(model, **options):
        return model.predict_interval(X[NEW], **options)[1][:, :, 0].T.tolist()

    fitted = Ridge(0.1).fit(X[TRAIN], Y[TRAIN])
    split = SplitConformalRegressor(fitted, COVERAGE).conformalize(X[CALIBRATE], Y[CALIBRATE])
    cross = CrossConformalRegressor(Ridge(0.1), COVERAGE, cv=KFold(7)).fit_conformalize(X[TRAIN], Y[TRAIN])
    plus = CrossConformalRegressor(LinearRegression(), COVERAGE, cv=LeaveOneOut())
    plus.fit_conformalize(X[ONE_OUT], Y[ONE_OUT])
    ends = [QuantileRegressor(quantile=q, alpha=0.0).fit(X[TRAIN], Y[TRAIN]) for q in (0.075, 0.925, 0.5)]
    quantile = ConformalizedQuantileRegressor(ends, COVERAGE, prefit=True).conformalize(X[CALIBRATE], Y[CALIBRATE])
    found = {"split": interval(split), "cross": interval(cross), "jackknife+": interval(plus)}
    found["quantile"] = interval(quantile, symmetric_correction=True)
    classes = GaussianNB().fit(A[LEARN], B[LEARN])
    sets = SplitConformalClassifier(classes, [0.8, 0.98]).conformalize(A[HOLD], B[HOLD]).predict_set(A[ASK])[1]
    return found | {"lac": sets.astype(int).sum(axis=0).tolist()}


if __name__ == "__main__":
    STORED.write_text(json.dumps(values(), indent=1), encoding="utf-8")
    sys.stdout.write(STORED.read_text(encoding="utf-8"))
