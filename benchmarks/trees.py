"""Trees, forests and boosting: targets for their speed, memory and first call."""

from functools import partial
from importlib import import_module

import numpy as np

from benchmarks import _data, _real
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

BEST = "best of LightGBM, scikit-learn"
PACKAGES = ("gnomon.trees", "gnomon.multiclass")


def fit(module, name, **options):
    """Fit the estimator `name` of `module`."""

    def run(data):
        return getattr(import_module(module), name)(**options).fit(data.X, data.y)

    return run


ours = partial(fit, "gnomon.trees")


def peer(module, name, package="scikit-learn", **options):
    return Peer(package, f"{package} ({name})", fit(module, name, **options))


def classes(n, d=30, dtype="float32"):
    """Two classes in clusters, ten of thirty columns informative; rows for training and 20 000 for testing."""
    from sklearn.datasets import make_classification

    X, y = make_classification(n + 20_000, d, n_informative=min(10, d // 3), flip_y=0.05, random_state=0)
    X = X.astype(dtype)
    return _data.make(X[:n], y[:n], X_test=X[n:], y_test=y[n:])


def test_error(data, model):
    """Share of held-out rows that are predicted wrongly."""
    return float(np.mean(model.predict(data.X_test) != data.y_test))


def test_loss(data, model):
    """Mean log-loss on held-out rows, over log 2."""
    p = model.predict_proba(data.X_test)[np.arange(len(data.y_test)), data.y_test]
    return float(-np.mean(np.log(np.maximum(p, 1e-12)))) / np.log(2.0)


def area_missed(data, model):
    """One minus the area under the ROC curve on held-out rows."""
    from sklearn.metrics import roc_auc_score

    return 1.0 - float(roc_auc_score(data.y_test, model.predict_proba(data.X_test)[:, 1]))


def fitted(n, rows):
    """Forests of 100 trees of both, and rows to predict."""
    data = classes(n)
    data.model = ours("RandomForestClassifier", n_jobs=2, random_state=0)(data)
    data.peer = fit("sklearn.ensemble", "RandomForestClassifier", n_jobs=2, random_state=0)(data)
    data.rows = data.X_test[:rows]
    return data


def prediction_error(data, shares):
    return float(np.mean(np.argmax(shares, axis=1) != data.y_test[: len(shares)]))


def share_missed(data, shares):
    """What is given to classes other than the true one."""
    return 1.0 - float(np.mean(shares[np.arange(len(shares)), data.y_test[: len(shares)]]))


def gradient_boosting(**more):
    steps = {"max_iter": 100, "early_stopping": False, "random_state": 0}
    light = {"n_estimators": 100, "num_leaves": 31, "n_jobs": 2, "verbose": -1, "random_state": 0}
    return {
        "ours": ours("HistGradientBoostingClassifier", n_jobs=2, **steps),
        "peers": (
            peer("sklearn.ensemble", "HistGradientBoostingClassifier", package=BEST, **steps),
            peer("lightgbm", "LGBMClassifier", package=BEST, **light),
        ),
        "targets": {BEST: 1.0},
        **more,
    }


ROWS = (
    Row(
        name="RandomForestClassifier, 100 trees, 100k×30",
        make=classes,
        size={"n": 100_000},
        quick={"n": 6000},
        ours=ours("RandomForestClassifier", n_jobs=2, random_state=0),
        peers=(peer("sklearn.ensemble", "RandomForestClassifier", n_jobs=2, random_state=0),),
        quality=test_error,
        targets={"scikit-learn": 10.0},
        tolerance=0.005,
        memory=({"n": 100_000},),
        memory_limit=None,
    ),
    Row(
        name="predict_proba of 20k rows, forest of 100 trees on 100k×30",
        make=partial(fitted, rows=20_000),
        size={"n": 100_000},
        quick={"n": 6000},
        ours=lambda data: data.model.predict_proba(data.rows),
        peers=(Peer("scikit-learn", "scikit-learn", lambda data: data.peer.predict_proba(data.rows)),),
        quality=prediction_error,
        targets={"scikit-learn": 4.0},
        tolerance=0.005,
    ),
    Row(
        name="predict_proba of one row, forest of 100 trees on 20k×30",
        make=partial(fitted, rows=1),
        size={"n": 20_000},
        quick={"n": 6000},
        ours=lambda data: data.model.predict_proba(data.rows),
        peers=(Peer("scikit-learn", "scikit-learn", lambda data: data.peer.predict_proba(data.rows)),),
        quality=share_missed,
        targets={"scikit-learn": 20.0},
        tolerance=0.15,  # three standard errors of the mean of a hundred trees for one row
    ),
    Row(
        name="ExtraTreesClassifier, 100 trees, 100k×30",
        make=classes,
        size={"n": 100_000},
        quick={"n": 6000},
        ours=ours("ExtraTreesClassifier", n_jobs=2, random_state=0),
        peers=(peer("sklearn.ensemble", "ExtraTreesClassifier", n_jobs=2, random_state=0),),
        quality=test_error,
        targets={"scikit-learn": 5.0},
        tolerance=0.005,
    ),
    Row(
        name="DecisionTreeClassifier, fully grown, 200k×30",
        make=classes,
        size={"n": 200_000},
        quick={"n": 6000},
        ours=ours("DecisionTreeClassifier", n_jobs=2, random_state=0),
        peers=(peer("sklearn.tree", "DecisionTreeClassifier", random_state=0),),
        quality=test_error,
        targets={"scikit-learn": 5.0},
        tolerance=0.01,
        ladder=tuple({"n": n} for n in (10_000, 100_000, 1_000_000)),
        memory=({"n": 200_000},),
        memory_limit=None,
    ),
    Row(
        name="gradient boosting, 100 rounds, 100k×30",
        make=classes,
        size={"n": 100_000},
        quick={"n": 6000},
        quality=test_loss,
        tolerance=0.005,
        ladder=tuple({"n": n} for n in (10_000, 100_000, 1_000_000)),
        memory=({"n": 100_000},),
        memory_limit=None,
        **gradient_boosting(),
    ),
    Row(
        name="gradient boosting of Adult, categories as they are",
        make=_real.adult,
        size={},
        quick={"n": 3000},
        quality=area_missed,
        tolerance=0.002,
        **gradient_boosting(),
    ),
    Row(
        name="RandomForestClassifier of Adult, one column per level",
        make=_real.one_hot_adult,
        size={},
        quick={"n": 3000},
        ours=ours("RandomForestClassifier", n_jobs=2, random_state=0),
        peers=(peer("sklearn.ensemble", "RandomForestClassifier", n_jobs=2, random_state=0),),
        quality=test_error,
        targets={"scikit-learn": 1.0},
        tolerance=0.005,
    ),
    Row(
        name="ExtraTreesClassifier of forest cover, 8000×54, 7 classes",
        make=_real.cover,
        size={},
        quick={"n": 1000},
        ours=ours("ExtraTreesClassifier", n_jobs=2, random_state=0),
        peers=(peer("sklearn.ensemble", "ExtraTreesClassifier", n_jobs=2, random_state=0),),
        quality=test_error,
        targets={"scikit-learn": 1.0},
        tolerance=0.01,
    ),
)
