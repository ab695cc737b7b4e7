"""What a careful expert does with a table in ten minutes, in scikit-learn alone.

boosting     histogram boosting with native categories and early stopping
extra trees  four hundred of them, probabilities kept away from zero
linear       gaps filled and marked, scaled, one column per level; words and letters of texts; strength by 3 folds
mean         of the two that are best

The one of least loss over the same folds of the same training rows is taken. Parts of a date are its place in day and
week.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from gnomon.report.scores import SCORES, Forecast

__all__ = ["Expert", "expert"]

MOST_LEVELS = 250
TOPICS = 50
TREES = 400
SEED = 0


@dataclass(frozen=True)
class Expert:
    """What the expert chose, its loss in cross-validation, and its forecast of the held-out rows."""

    chosen: str
    loss: float
    forecast: Forecast


def expert(table, kinds, y, folds, unseen, classes):
    """Compare the pipelines on the folds of the training rows `table`, and let the best one speak of `unseen`."""
    task = "classification" if classes else "regression"
    loss = SCORES[task][0].of
    truth = np.concatenate([y[test] for _, test in folds])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = {}
        for name, pipeline in PIPELINES.items():
            parts = [pipeline(table.take(train), kinds, y[train], table.take(test), classes) for train, test in folds]
            said[name] = np.concatenate(parts)
        ranked = sorted(said, key=lambda name: loss(truth, _forecast(said[name], classes)))
        options = {name: [name] for name in said} | {f"mean of {ranked[0]} and {ranked[1]}": ranked[:2]}
        losses = {
            name: loss(truth, _forecast(np.mean([said[m] for m in members], axis=0), classes))
            for name, members in options.items()
        }
        best = min(losses, key=losses.get)
        final = np.mean([PIPELINES[m](table, kinds, y, unseen, classes) for m in options[best]], axis=0)
    return Expert(best, losses[best], _forecast(final, classes))


def _forecast(said, classes):
    if not classes:
        return Forecast(said)
    names = np.asarray(classes)
    return Forecast(names[np.argmax(said, axis=1)], said, names)


def _boosting(table, kinds, y, unseen, classes):
    X, Z, levels = _codes(table, kinds, unseen)
    make = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    model = make(
        learning_rate=0.06, max_iter=300, early_stopping=True, categorical_features=levels, random_state=SEED
    ).fit(X, y)
    return _said(model, Z, classes)


def _extra_trees(table, kinds, y, unseen, classes):
    X, Z, _ = _codes(table, kinds, unseen)
    fill = SimpleImputer(strategy="median", keep_empty_features=True).fit(X)
    options = {"n_estimators": TREES, "min_samples_leaf": 2, "n_jobs": 2, "random_state": SEED}
    if not classes:
        return ExtraTreesRegressor(**options, max_features=1 / 3).fit(fill.transform(X), y).predict(fill.transform(Z))
    shares = _said(ExtraTreesClassifier(**options).fit(fill.transform(X), y), fill.transform(Z), classes)
    return (len(y) * shares + 1.0) / (len(y) + len(classes))


def _linear(table, kinds, y, unseen, classes):
    parts = list(_columns(table, kinds, unseen))
    X, Z = (sp.hstack([sp.csr_matrix(part[k]) for part in parts], format="csr") for k in (0, 1))
    if X.shape[1] <= 300:
        X, Z = X.toarray(), Z.toarray()
    if not classes:
        return RidgeCV(np.logspace(-3, 5, 17)).fit(X, y).predict(Z)
    model = LogisticRegressionCV(
        Cs=(0.01, 0.1, 1.0, 10.0, 100.0), cv=3, scoring="neg_log_loss", max_iter=500, l1_ratios=(0.0,),
        use_legacy_attributes=False,
    ).fit(X, y)  # fmt: skip
    return _said(model, Z, classes)


PIPELINES = {"boosting": _boosting, "extra trees": _extra_trees, "linear": _linear}


def _said(model, Z, classes):
    if not classes:
        return model.predict(Z)
    shares = np.zeros((Z.shape[0], len(classes)))
    shares[:, np.searchsorted(np.asarray(classes), model.classes_)] = model.predict_proba(Z)
    return shares


def _of(kinds, *wanted):
    return [kind for kind in kinds if kind.kind in wanted]


def _numbers(table, kinds):
    columns = [table[kind.name].astype(float)[:, None] for kind in _of(kinds, "number")]
    columns += [_clock(table[kind.name]) for kind in _of(kinds, "date")]
    return np.hstack(columns) if columns else np.empty((len(table), 0))


def _clock(when):
    days = when.astype("datetime64[s]").astype(float) / 86_400.0
    turns = np.column_stack([days, (days + 3.0) / 7.0]) % 1.0
    return np.hstack([turns, np.sin(2.0 * np.pi * turns), np.cos(2.0 * np.pi * turns)])


def _levels(table, kinds):
    columns = [np.array(table[kind.name].tolist(), dtype=object)[:, None] for kind in _of(kinds, "category")]
    return np.hstack(columns) if columns else np.empty((len(table), 0), dtype=object)


def _texts(table, kinds):
    return [table[kind.name].tolist() for kind in _of(kinds, "text")]


def _codes(table, kinds, unseen):
    """Numbers with gaps, codes of levels, topics of texts; and which columns are codes."""
    A, B = _numbers(table, kinds), _numbers(unseen, kinds)
    C, D = _levels(table, kinds), _levels(unseen, kinds)
    width = C.shape[1]
    if width:
        coder = OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=MOST_LEVELS
        ).fit(C)
        A, B = np.hstack([A, coder.transform(C)]), np.hstack([B, coder.transform(D)])
    mask = np.arange(A.shape[1]) >= A.shape[1] - width
    for train, test in zip(_texts(table, kinds), _texts(unseen, kinds), strict=True):
        topics = make_pipeline(_words(), TruncatedSVD(TOPICS, random_state=SEED)).fit(train)
        A, B = np.hstack([A, topics.transform(train)]), np.hstack([B, topics.transform(test)])
        mask = np.append(mask, np.zeros(TOPICS, dtype=bool))
    return A, B, mask


def _columns(table, kinds, unseen):
    A, B = _numbers(table, kinds), _numbers(unseen, kinds)
    if A.shape[1]:
        fill = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
        steps = make_pipeline(fill, StandardScaler()).fit(A)
        yield steps.transform(A), steps.transform(B)
    C, D = _levels(table, kinds), _levels(unseen, kinds)
    if C.shape[1]:
        coder = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=2).fit(C)
        yield coder.transform(C), coder.transform(D)
    for train, test in zip(_texts(table, kinds), _texts(unseen, kinds), strict=True):
        for vectorizer in (
            _words(),
            TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True, min_df=2),
        ):
            yield vectorizer.fit_transform(train), vectorizer.transform(test)


def _words():
    return TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2)
