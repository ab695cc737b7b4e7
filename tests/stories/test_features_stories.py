"""A user's day with feature maps, on real data, through public names only."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomTreesEmbedding
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeCV
from sklearn.metrics import balanced_accuracy_score, recall_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedShuffleSplit, cross_val_score
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import resample

from gnomon import linear
from gnomon.datasets import make_heart_attack
from gnomon.features import (
    BasisExpansion,
    ColumnSubset,
    ExhaustiveSelector,
    GreedySelector,
    PolarFeatures,
    PolynomialMap,
    SparseSelector,
    Waterfall,
    Whitener,
    Winsorizer,
    WithinClassWhitener,
)
from real_data import data_path

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def prostate():
    frame = pd.read_csv(data_path("esl/prostate.csv.gz"))
    columns = ["lcavol", "lweight", "age", "lbph", "svi", "lcp", "gleason", "pgg45"]
    return frame[columns].astype(float), frame["lpsa"]


@pytest.mark.spec("LIN-181", "LIN-182", "LIN-183", "LIN-185")
def test_which_measurements_predict_prostate_antigen(prostate):
    X, y = prostate
    best = ExhaustiveSelector("least_squares", cv=10).set_output(transform="pandas").fit(X, y)
    assert {"lcavol", "lweight"} <= set(best.get_feature_names_out())
    assert best.n_subsets_ == 256
    for direction in ("forward", "backward"):
        greedy = GreedySelector("least_squares", direction, stop="full_path", cv=10).fit(X, y)
        assert greedy.error_ >= best.error_ - 1e-12
        assert "lcavol" in greedy.get_feature_names_out()
    sparse = make_pipeline(StandardScaler(), SparseSelector(lam=0.4)).fit(X, y)
    # Three columns survive the lasso of The Elements of Statistical Learning longest.
    assert set(sparse.get_feature_names_out()) == {"lcavol", "lweight", "svi"}


@pytest.mark.spec("LIN-151", "LIN-154", "LIN-159")
def test_curved_ozone_by_a_pipeline_with_a_search_over_the_degree():
    frame = pd.read_csv(data_path("esl/ozone.csv.gz"))
    y = np.cbrt(frame.pop("ozone"))
    model = make_pipeline(Winsorizer((0.01, 0.99)), StandardScaler(), PolynomialMap(), RidgeCV(np.logspace(-3, 3, 13)))
    search = GridSearchCV(model, {"polynomialmap__degree": [1, 2, 3]}, cv=10).fit(frame, y)
    assert search.best_params_["polynomialmap__degree"] > 1
    assert search.best_score_ > cross_val_score(LinearRegression(), frame, y, cv=10).mean()
    wind = make_pipeline(ColumnSubset(["wind"]), LinearRegression()).fit(frame, y)
    assert wind[-1].coef_[0] < 0


@pytest.mark.spec("LIN-157")
def test_age_in_pieces_explains_a_growth_spurt():
    frame = pd.read_csv(data_path("esl/bone.csv.gz"))
    X, y = frame[["age"]], frame["spnbmd"]
    pieces = make_pipeline(Waterfall(breaks=[12.0, 16.0]).set_output(transform="pandas"), LinearRegression())
    straight = cross_val_score(LinearRegression(), X, y, cv=5).mean()
    assert cross_val_score(pieces, X, y, cv=5).mean() > straight
    pieces.fit(X, y)
    slopes = dict(zip(pieces[:-1].get_feature_names_out(), pieces[-1].coef_, strict=True))
    assert slopes["age[12, 16]"] < slopes["age[-inf, 12]"]


@pytest.mark.spec("LIN-172", "LIN-173")
def test_whitening_makes_distances_fair_on_vowels():
    train, test = (pd.read_csv(data_path(f"esl/vowel.{part}.csv.gz")) for part in ("train", "test"))
    X, y = train.filter(like="x."), train["y"]
    a, b = Whitener().fit(X).transform(X[:2])
    difference = (X.iloc[0] - X.iloc[1]).to_numpy()
    mahalanobis = difference @ np.linalg.solve(np.cov(X.T, ddof=0), difference)
    assert_allclose(np.sum((a - b) ** 2), mahalanobis)
    # The nearest mean after whitening within classes is linear discriminant analysis with equal priors.
    nearest = make_pipeline(WithinClassWhitener(), NearestCentroid()).fit(X, y)
    discriminant = LinearDiscriminantAnalysis(priors=np.full(11, 1 / 11)).fit(X, y)
    new = test.filter(like="x.")
    assert (nearest.predict(new) == discriminant.predict(new)).all()
    # The test error of Table 4.1 of The Elements of Statistical Learning.
    assert_allclose(1 - nearest.score(new, test["y"]), 0.56, atol=0.005)


@pytest.mark.spec("LIN-160")
def test_homes_by_the_sea_in_polar_coordinates():
    frame = pd.read_csv(data_path("tabular/california_housing.csv.gz"))
    X = frame[["longitude", "latitude", "median_income"]][:2000]
    polar = PolarFeatures("mean", columns=[("longitude", "latitude")]).set_output(transform="pandas")
    Z = polar.fit_transform(X)
    assert Z.columns.tolist() == ["r(longitude,latitude)", "theta(longitude,latitude)", "median_income"]
    assert_allclose(polar.inverse_transform(Z), X, rtol=1e-10)


@pytest.mark.spec("LIN-186")
def test_estimated_risk_of_a_heart_attack_comes_near_the_true_one():
    X, y, risk = make_heart_attack(20_000, random_state=1, return_probability=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    assert np.mean(np.abs(model.predict_proba(X)[:, 1] - risk)) < 0.01


@pytest.mark.spec("LIN-162")
@pytest.mark.parametrize(
    "phi",
    [
        Nystroem(gamma=0.5, n_components=100, random_state=0),
        RBFSampler(gamma=0.5, n_components=300, random_state=0),
        RandomTreesEmbedding(100, random_state=0),
    ],
    ids=lambda phi: type(phi).__name__,
)
def test_nasal_and_oral_sounds_by_a_linear_model_of_a_curved_map(phi):
    frame = pd.read_csv(data_path("tabular/phoneme.csv.gz"), header=None).sample(2000, random_state=0)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    model = linear.LogisticRegression(C=10.0, max_iter=1000)
    straight = cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=3).mean()
    curved = cross_val_score(make_pipeline(StandardScaler(), phi, model), X, y, cv=3).mean()
    assert straight < 0.76 < 0.80 < curved


@pytest.mark.spec("LIN-162", "LIN-153")
def test_strength_of_concrete_by_a_ratio_and_a_logarithm():
    table = np.load(data_path("uci_regression/concrete.npz"))
    X, y = table["X"], table["y"]
    # Water over cement, and the age: strength falls with the first and grows with the logarithm of the second.
    expand = BasisExpansion([lambda X: X, lambda X: X[:, 3] / X[:, 0], (7, lambda age: np.log(age + 1.0))])
    plain, expanded = (make_pipeline(*steps, linear.LinearRegression()) for steps in ([], [expand]))
    folds = KFold(10, shuffle=True, random_state=0)
    scores = [cross_val_score(model, X, y, cv=folds).mean() for model in (plain, expanded)]
    assert scores[0] < 0.65 < 0.75 < scores[1]
    coef = dict(zip(expand.fit(X).get_feature_names_out(), expanded.fit(X, y)[-1].coef_, strict=True))
    assert coef["f1"] < 0.0


@pytest.mark.spec("LIN-162")
def test_rare_tumours_by_balanced_samples():
    frame = pd.read_csv(data_path("tabular/mammography.csv.gz"), header=None)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1].str.strip("'").astype(int)
    train, test = next(StratifiedShuffleSplit(1, random_state=0).split(X, y))
    rare, common = train[y.iloc[train] == 1], train[y.iloc[train] != 1]
    model = make_pipeline(StandardScaler(), linear.LogisticRegression())
    repeated = resample(rare, n_samples=len(common), random_state=0)
    few = resample(common, replace=False, n_samples=len(rare), random_state=0)
    found = []
    for rows in (train, np.concatenate([common, repeated]), np.concatenate([few, rare])):
        predicted = model.fit(X.iloc[rows], y.iloc[rows]).predict(X.iloc[test])
        found.append((recall_score(y.iloc[test], predicted), balanced_accuracy_score(y.iloc[test], predicted)))
    plain, *balanced = found
    for recall, accuracy in balanced:
        assert recall > plain[0] + 0.2
        assert accuracy > plain[1] + 0.05
