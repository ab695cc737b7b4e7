"""An estimator that is handed over keeps its own seed, whoever clones it."""

import numpy as np
import pytest
from sklearn.base import clone

import public_names
from gnomon.cluster import KMeans, explain_clusters, select_k
from gnomon.decision import simulate_active_learning
from gnomon.evaluation import (
    bias_variance_bootstrap,
    bootstrap_error,
    cost_ratio_curve,
    cv_risk,
    diagnose_fit,
    generalization_report,
    instability,
    loo_residuals,
)
from gnomon.gp import GPSearchCV, Real
from gnomon.multiclass import compare_reductions
from gnomon.testing._tables import example_table
from gnomon.trees import DecisionTreeClassifier, DecisionTreeRegressor, prune_cv, structure_stability
from many_checks import over

RNG = np.random.default_rng(0)
X = RNG.normal(size=(36, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=36) > 0.0).astype(int)
C = np.argmax(X, axis=1)
SEEN: list = []


class Groups(KMeans):
    def fit(self, X, y=None, sample_weight=None):
        SEEN.append(self.random_state)
        return super().fit(X, y, sample_weight)


class Tree(DecisionTreeClassifier):
    def fit(self, X, y, sample_weight=None):
        SEEN.append(self.random_state)
        return super().fit(X, y, sample_weight)


class Numbers(DecisionTreeRegressor):
    def fit(self, X, y, sample_weight=None):
        SEEN.append(self.random_state)
        return super().fit(X, y, sample_weight)


def k_by(method, **options):
    return lambda seed: select_k(X, (1, 2, 3), method=method, estimator=Groups(random_state=seed), **options)


CASES = {
    **{f"select_k {m}": k_by(m) for m in ("elbow", "bic", "gmeans", "calinski_harabasz", "davies_bouldin")},
    **{f"select_k {m}": k_by(m, n_splits=2) for m in ("stability", "capacity", "prediction_strength", "heldout")},
    "select_k silhouette": k_by("silhouette"),
    "select_k penalty": k_by("penalty", penalty=1.0),
    "select_k gap": k_by("gap", n_references=2),
    "select_k downstream": k_by("downstream", scorer=lambda labels, model: 0.0),
    "explain_clusters": lambda seed: explain_clusters(X, C, Tree(max_depth=2, random_state=seed)),
    "structure_stability": lambda seed: structure_stability(Tree(random_state=seed), X, Y, n_resamples=2),
    "prune_cv": lambda seed: prune_cv(Tree(random_state=seed), X, Y, cv=2),
    "compare_reductions": lambda seed: compare_reductions(Tree(random_state=seed), X, C, cv=2),
    "simulate_active_learning": lambda seed: simulate_active_learning(
        Tree(random_state=seed), X, Y, X, Y, n_labels=6, batch_size=3, n_repeats=1
    ),
    "bias_variance_bootstrap": lambda seed: bias_variance_bootstrap(
        Numbers(random_state=seed), X, X[:, 0], test=(X, X[:, 0]), n_resamples=2
    ),
    "bootstrap_error": lambda seed: bootstrap_error(Tree(random_state=seed), X, Y, n_resamples=25, random_state=0),
    "instability": lambda seed: instability(Tree(random_state=seed), X, Y, n_resamples=2),
    "cv_risk": lambda seed: cv_risk(Tree(random_state=seed), X, Y, cv=2),
    "diagnose_fit": lambda seed: diagnose_fit(
        Tree(random_state=seed), X, Y, parameter="max_depth", values=[1, 2], cv=2
    ),
    "generalization_report": lambda seed: generalization_report(Tree(random_state=seed), X, Y, cv=2),
    "loo_residuals": lambda seed: loo_residuals(Numbers(random_state=seed), X[:5], X[:5, 0]),
    "cost_ratio_curve": lambda seed: cost_ratio_curve(Tree(random_state=seed), X, Y, ratios=[1.0], cv=2),
}

# As in scikit-learn, members of an ensemble that are to differ get seeds of their own.
DRAWN = {"AdaBoostECC", "BaggingClassifier", "BaggingRegressor"}
BASES = [e for e in public_names.estimators() if e.get_params(deep=False).get("estimator", "") not in ("", None)]


@pytest.mark.spec("UNS-056")
@pytest.mark.parametrize("name", CASES)
def test_the_seed_of_an_estimator_is_its_own(name):
    SEEN.clear()
    CASES[name](7)
    assert set(SEEN) == {7}


@pytest.mark.spec("UNS-056")
def test_one_seed_gives_one_number_of_clusters():
    rows = RNG.uniform(size=(60, 2))
    model = KMeans(random_state=0)
    assert len({select_k(rows, range(2, 7), method="silhouette", estimator=model).k for _ in range(6)}) == 1


@pytest.mark.parametrize("name", ["select_k elbow", "structure_stability"])
def test_without_a_seed_every_fit_has_another(name):
    SEEN.clear()
    CASES[name](None)
    assert None not in SEEN
    assert len(set(SEEN)) == len(SEEN) > 1


@over(BASES)
@pytest.mark.filterwarnings("ignore")
def test_the_seed_of_a_base_is_its_own(estimator):
    if type(estimator).__name__ in DRAWN or isinstance(estimator.estimator, str):
        return
    X, y = example_table(estimator, n_rows=36, n_columns=3)
    SEEN.clear()
    base = (Tree if len(np.unique(y)) <= 3 else Numbers)(max_depth=2, random_state=7)
    space = {"space": {"min_impurity_decrease": Real(0.0, 0.1)}} if isinstance(estimator, GPSearchCV) else {}
    clone(estimator).set_params(estimator=base, **space).fit(X, y)
    assert set(SEEN) == {7}
