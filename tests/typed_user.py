"""A script as a user would write it: `test_types` has it checked by mypy, and run.

``assert_type`` fails where a type is another, or is not known.
"""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gnomon.distributions import Bernoulli, Beta, Empirical, Laplace, Normal, StudentT
from gnomon.generative import (
    DependenceReport,
    GaussianClassifier,
    GaussianMixture,
    GaussianNB,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    SemiSupervisedClassifier,
    dependence_report,
    select_components,
)
from gnomon.infer import GridPosterior, LaplaceApproximation, grid_posterior, laplace, sigmoid_average
from gnomon.linear import (
    GLM,
    BayesianLinearRegression,
    BestSubset,
    GLMSummary,
    Lasso,
    LassoCV,
    LinearModelRegressor,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    LogisticRegressionCV,
    Path,
    Perceptron,
    Ridge,
    RidgeCV,
    WidestMargin,
    convert_lam,
    path,
    widest_margin,
)
from gnomon.losses import LogisticLoss, SquaredLoss
from gnomon.multiclass import CodeReport, OneVsOneClassifier, OneVsRestClassifier, code_report, coding_matrix
from gnomon.numerics.coding import encode_labels
from gnomon.numerics.curves import ThresholdCurve, threshold_curve
from gnomon.numerics.design import Design
from gnomon.numerics.domains import Domain, domains_of
from gnomon.numerics.linalg import LeastSquares, RidgeSolution, SpdFactor, factor_spd, least_squares, ridge
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.random import check_rng
from gnomon.numerics.scatter import Whitening, whitening
from gnomon.numerics.special import sigmoid, softmax
from gnomon.numerics.streaming import Moments, moments
from gnomon.numerics.tables import FeatureTable, as_table
from gnomon.numerics.validation import check_choice, check_integer, check_positive
from gnomon.optim import LassoKnots, NormalMixture, Solution, fit_linear, lbfgs
from gnomon.penalties import L1, L2, Penalty, from_prior
from gnomon.search import Importances
from gnomon.trees import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DensityTree,
    HistGradientBoostingClassifier,
    PruningChoice,
    RandomForestRegressor,
    prune_cv,
)

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]


def rows(random_state: int = 0) -> tuple[Floats, Floats]:
    rng = check_rng(random_state)
    assert_type(rng, np.random.Generator)
    X = rng.normal(size=(40, 3))
    return X, X @ np.array([1.0, -2.0, 0.5]) + 0.1 * rng.normal(size=40)


def use_linear_algebra() -> None:
    X, y = rows()
    fit = least_squares(X, y[:, None], method="svd")
    assert_type(fit, LeastSquares)
    assert_type(fit.coef, Floats)
    assert_type(fit.rank, int | None)
    sparse_fit = ridge(csr_array(X), y[:, None], 0.1)
    assert_type(sparse_fit, RidgeSolution)
    assert_type(sparse_fit.norms().at(0.1), Floats)
    assert_type(factor_spd(X.T @ X), SpdFactor | None)
    sums = moments(X[:20]) + moments(X[20:])
    assert_type(sums, Moments)
    assert_type(whitening(sums.covariance(), "pca"), Whitening)
    design = Design(X, intercept="none")
    assert_type(design.apply(np.ones(design.width)), Floats)


def use_formulas() -> None:
    X, y = rows()
    assert_type(sigmoid(0.5), float)
    assert_type(sigmoid(y), Floats)
    assert_type(softmax([1.0, 2.0]), Floats)
    curve = threshold_curve(y, y > 0.0)
    assert_type(curve, ThresholdCurve)
    assert_type(curve.roc_auc, float)
    assert_type(map_chunks(lambda part: float(np.sum(part)), [X, y], n_jobs=1), list[float])
    assert_type(sigmoid_average(y, 1.0, "mackay"), Floats)


def use_nouns() -> None:
    _, y = rows()
    loss, penalty = LogisticLoss(), L2(0.5)
    assert_type(loss, LogisticLoss)
    assert_type(penalty.value(y), float)
    assert_type(from_prior(Laplace(0.0, 2.0)), Penalty)
    law = Normal.fit(y)
    assert_type(law, Normal)
    assert_type(law.sample(3, check_rng(0)), Floats)
    found = grid_posterior(Bernoulli, [1, 1, 0], Beta(2.0, 2.0), np.linspace(0.0, 1.0, 101))
    assert_type(found, GridPosterior)
    assert_type(found.probabilities, Floats)


def use_solvers() -> None:
    X, y = rows()
    solution = fit_linear(Design(X), (y > 0.0).astype(float), LogisticLoss(), L2(0.1), solver="newton")
    assert_type(solution, Solution[Floats])
    assert_type(solution.w, Floats)
    assert_type(solution.dual_gap, float)
    assert_type(lbfgs(lambda w: (float(w @ w), 2.0 * w), np.ones(2)).converged, bool)


def use_regressors() -> None:
    X, y = rows()
    least = LinearRegression(solver="qr", ddof="rank").fit(X, y, sample_weight=np.ones(len(y)))
    assert_type(least, LinearRegression)
    assert_type(least.predict([[0.0, 1.0, 2.0]]), Floats)
    assert_type(least.predict_dist(X), tuple[Floats, Floats])
    assert_type(least.rank_, int)
    ridge_model = Ridge(alpha=[0.5], solver="lsqr", random_state=0).fit(csr_array(X), y)
    assert_type(ridge_model, Ridge)
    assert_type(ridge_model.coef_, Floats)
    lasso = Lasso(objective="mean", lam=0.1, selection="random", store_path=True).fit(X, y)
    assert_type(lasso, Lasso)
    assert_type(lasso.coef_, Floats)
    assert_type(lasso.knots_, LassoKnots | None)
    assert_type(lasso.lam_in("alpha_lasso"), float)
    assert_type(BestSubset(2).fit(X, y).lam_for(1), tuple[float, float] | None)
    any_loss = LinearModelRegressor(SquaredLoss(), L1(), lam=0.5).fit(X, y)
    assert_type(any_loss.converged_, bool)
    assert_type(any_loss.history_, dict[str, NDArray[Any]])
    assert_type(GLM("poisson", "log").fit(X, y**2).summary(), GLMSummary)


def use_chosen_strengths() -> None:
    X, y = rows()
    assert_type(LassoCV(alphas=5, cv=3, rule="1se").fit(X, y).alpha_, float)
    assert_type(RidgeCV([0.1, 1.0], scoring="r2").fit(X, y).scores_, Floats)
    chosen = LogisticRegressionCV(Cs=[0.1, 1.0], cv=3, class_weight="balanced").fit(X, y > 0.0)
    assert_type(chosen, LogisticRegressionCV)
    assert_type(chosen.model_, LogisticRegression)
    along = path(X, y, SquaredLoss(), L1(), n_lams=5, objective="mean")
    assert_type(along, Path)
    assert_type(along.norms, Floats)
    assert_type(along.solutions, list[Solution[Floats]])
    assert_type(convert_lam(1.0, "sum", "mean", n=len(y)), float)


def use_classifiers() -> None:
    X, y = rows()
    labels = np.where(y > 0.0, "up", "down")
    logistic = LogisticRegression(l1_ratio=1.0, C=0.5, solver="cd", class_weight={"up": 2.0, "down": 1.0})
    assert_type(logistic.fit(csr_array(X), labels), LogisticRegression)
    assert_type(logistic.predict(X), NDArray[Any])
    assert_type(logistic.predict_proba(X), Floats)
    assert_type(logistic.dual_gap_, float)
    assert_type(logistic.log_likelihood(X, labels), float)
    assert_type(LinearSVC(dual=True, random_state=0).fit(X, labels).decision_function(X), Floats)
    machine = Perceptron(selection="cyclic", pocket=True)
    assert_type(machine.partial_fit(X, labels, classes=["down", "up"]), Perceptron)
    assert_type(machine.n_updates_, int)
    assert_type(widest_margin([[2.0], [-3.0]], [1, -1]), WidestMargin)


def use_posteriors() -> None:
    X, y = rows()
    model = BayesianLinearRegression("conjugate", 2.0).fit(X, y)
    assert_type(model, BayesianLinearRegression)
    assert_type(model.predict(X), Floats)
    assert_type(model.predict(X, return_std=True), tuple[Floats, Floats])
    assert_type(model.predict_dist(X), Normal | StudentT | Empirical)
    assert_type(model.log_evidence_, float)


def use_trees() -> None:
    X, y = rows()
    labels = np.where(y > 0.0, "up", "down")
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=2, class_weight="balanced", missing="mean")
    assert_type(tree.fit(csr_array(X), labels), DecisionTreeClassifier)
    assert_type(tree.predict(X), NDArray[Any])
    assert_type(tree.predict_proba(X)[:, 1].sum() > 0.0, Any)
    assert_type(tree.prune(0.01), DecisionTreeClassifier)
    assert_type(tree.get_depth(), int)
    assert_type(tree.to_sql(rows="complete"), str)
    assert_type(DecisionTreeClassifier().fit([["red", 1.0], ["blue", 2.0]], [0, 1]).feature_importances_, Floats)
    assert_type(prune_cv(tree, X, labels, cv=3, rule="one_se"), PruningChoice)
    assert_type(DensityTree(box=(-9.0, 9.0)).fit(X).score(X), float)


def use_ensembles() -> None:
    X, y = rows()
    forest = RandomForestRegressor(30, criterion="absolute_error", max_features="sqrt", oob_score=True, random_state=0)
    assert_type(forest.fit(X, y, sample_weight=np.ones(len(y))), RandomForestRegressor)
    assert_type(forest.predict(X), Floats)
    assert_type(forest.oob_score_, float)
    assert_type(forest.estimators_, list[DecisionTreeRegressor])
    assert_type(forest.importance("tests"), Importances)
    boosted = HistGradientBoostingClassifier(max_iter=3, interaction_cst=[[0, 1], [2]], monotonic_cst=[1, 0, 0])
    assert_type(boosted.fit(X, y > 0.0), HistGradientBoostingClassifier)
    assert_type(boosted.predict_proba(X), Floats)
    assert_type(boosted.n_iter_, int)
    assert_type([scores.shape for scores in boosted.staged_decision_function(X)], list[tuple[Any, ...]])
    assert_type(AdaBoostClassifier("stump", n_estimators=3).fit(X, y > 0.0).alphas_, Floats)


def use_tables() -> None:
    table = as_table([["red", 1.0], ["blue", 2.0]])
    assert_type(table, FeatureTable)
    assert_type(domains_of(table, [0]), tuple[Domain, ...])
    codes, classes = encode_labels(["no", "yes", "no"], "sign")
    assert_type(codes, NDArray[Any])
    assert_type(classes, NDArray[Any])
    assert_type(check_integer("depth", 3, 1), int)
    assert_type(check_positive("tol", 1e-3), float)
    assert_type(check_choice("rule", "min", ("min", "1se")), str)


def use_inference() -> None:
    found = laplace(lambda t: 10.0 * float(np.log(t[0])) - float(t[0]), [5.0])
    assert_type(found, LaplaceApproximation)
    assert_type(found.mode, Floats)
    assert_type(found.log_evidence, float)


def use_mixtures() -> None:
    X, _ = rows()
    mixture = GaussianMixture(2, covariance_type="diag", cov_floor=1e-6, random_state=0).fit(X)
    assert_type(mixture, GaussianMixture)
    assert_type(mixture.predict(X), Integers)
    assert_type(mixture.predict_proba(X), Floats)
    assert_type(mixture.bic(X), float)
    assert_type(mixture.m_step(mixture.statistics(X)), NormalMixture)
    assert_type(mixture.sample(3, random_state=0), tuple[NDArray[Any], Integers])
    assert_type(mixture.fit_chunks([X[:20], (X[20:], None)]).converged_, bool)
    chosen = select_components(X, [1, 2], "bic", estimator=mixture)
    assert_type(chosen.best, int)
    assert_type(chosen.best_estimator, GaussianMixture)


def use_generative_classifiers() -> None:
    X, t = rows()
    y = np.where(t > 0.0, "up", "down")
    naive = GaussianNB(variance="shared", priors={"up": 0.5, "down": 0.5}).fit(X, y)
    assert_type(naive, GaussianNB)
    assert_type(naive.predict(X, priors="uniform"), NDArray[Any])
    assert_type(naive.llr(X), Floats)
    assert_type(naive.linear_form_.b, Floats)
    assert_type(naive.explain(X[0]).table(), str)
    tied = GaussianClassifier("tied", shrinkage="ledoit_wolf").fit(X, y)
    assert_type(tied.coef_, Floats)
    assert_type(tied.is_outlier(X, log_threshold=-20.0), NDArray[np.bool_])
    axes = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(X, y)
    assert_type(axes.transform(X), Floats)
    assert_type(axes.scalings_, Floats)
    law = GenerativeClassifier.from_densities({"up": Normal(1.0, 1.0), "down": Normal(-1.0, 1.0)})
    assert_type(law, GenerativeClassifier)
    table: list[list[Any]] = [["red", 1.0], ["blue", None], ["red", 2.0], ["blue", 4.0]]
    mixed = NaiveBayes([([0], "categorical"), (1, Normal)]).fit(table, [0, 1, 1, 0])
    assert_type(mixed.score_samples(table), Floats)
    assert_type(SemiSupervisedClassifier().fit(X, ["up", "down", *y[2:30].tolist(), *[None] * 10]).n_iter_, int)
    assert_type(dependence_report(X, y), DependenceReport)


def use_reductions() -> None:
    X, t = rows()
    y = np.digitize(t, [-1.0, 1.0])
    rest = OneVsRestClassifier(GaussianNB(), combine="score", normalize=False).fit(X, y)
    assert_type(rest, OneVsRestClassifier)
    assert_type(rest.predict_proba(X), Floats)
    assert_type(rest.decision_function(X), Floats)
    assert_type(rest.answer_report(X, y).coverage, float)
    pairs = OneVsOneClassifier(GaussianNB(), decision="dag").fit(X, y)
    assert_type(pairs.predict(X), NDArray[Any])
    assert_type(pairs.votes(X), Floats)
    assert_type(coding_matrix("exhaustive", 4), Integers)
    assert_type(code_report([[1, 1], [-1, 1], [1, -1]]), CodeReport)


def main() -> None:
    use_linear_algebra()
    use_formulas()
    use_nouns()
    use_solvers()
    use_regressors()
    use_chosen_strengths()
    use_classifiers()
    use_posteriors()
    use_trees()
    use_ensembles()
    use_tables()
    use_inference()
    use_mixtures()
    use_generative_classifiers()
    use_reductions()


if __name__ == "__main__":
    main()
