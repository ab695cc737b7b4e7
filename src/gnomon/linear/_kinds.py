"""What the options of the linear models may be: scikit-learn's kinds and ranges, and those of the further ones.

    {"alpha": (number(0), array), …}    read by `gnomon.base.options.check_options` in `fit`                  (1)

What depends on several options at once (a penalty that a solver cannot use) is checked where they meet.
"""

from typing import get_args

from gnomon.base.options import (
    Kind,
    Kinds,
    array,
    flag,
    folds,
    generator,
    mapping,
    none,
    number,
    scorer,
    seed,
    verbosity,
    whole,
    words,
)
from gnomon.linear._errors import RULES
from gnomon.numerics.linalg import LEAST_SQUARES_METHODS
from gnomon.optim import SELECTIONS, SOLVERS
from gnomon.penalties.forms import Objective

__all__ = [
    "ELASTIC_NET",
    "ELASTIC_NET_CV",
    "LASSO",
    "LASSO_CV",
    "LEAST_SQUARES",
    "LINEAR_SVC",
    "LOGISTIC",
    "LOGISTIC_CV",
    "PERCEPTRON",
    "RIDGE",
    "RIDGE_CV",
]

_POSITIVE = number(0.0, closed="neither")
_JOBS = (none, whole())
_CLASS_WEIGHT = (none, words("balanced"), mapping)
_FORM: Kinds = {"objective": (none, words(*get_args(Objective))), "lam": (none, number(0.0))}
_START: Kinds = {"start": (none, array), "solver_options": (none, mapping)}

LEAST_SQUARES: Kinds = {
    "fit_intercept": (flag,),
    "copy_X": (flag,),
    "tol": (number(0.0),),
    "n_jobs": _JOBS,
    "positive": (flag,),
    "solver": (words("auto", *LEAST_SQUARES_METHODS, *SOLVERS),),
    **_START,
}

RIDGE: Kinds = {
    "alpha": (number(0.0), array),
    "fit_intercept": (flag,),
    "copy_X": (flag,),
    "max_iter": (none, whole(1)),
    "tol": (number(0.0),),
    "solver": (words("auto", "cholesky", "dual", "svd", "lsqr", "sparse_cg", "saga", *SOLVERS),),
    "positive": (flag,),
    "random_state": (seed,),
    **_FORM,
    "constraint": (none, number(0.0)),
    "penalize_intercept": (flag,),
    "store_loo": (flag,),
    **_START,
}

RIDGE_CV: Kinds = {
    "alphas": (_POSITIVE, array),
    "fit_intercept": (flag,),
    "scoring": (none, scorer),
    "cv": (none, folds),
    "gcv_mode": (none, words("auto", "eigen", "svd")),
    "store_cv_results": (flag,),
    "alpha_per_target": (flag,),
    "rule": (words(*RULES),),
}

ELASTIC_NET: Kinds = {
    "alpha": (number(0.0),),
    "l1_ratio": (number(0.0, 1.0),),
    "fit_intercept": (flag,),
    "precompute": (flag, array),
    "max_iter": (whole(1),),
    "copy_X": (flag,),
    "tol": (number(0.0),),
    "warm_start": (flag,),
    "positive": (flag,),
    "random_state": (seed, generator),
    "selection": (words("cyclic", "random"),),
    **_FORM,
    "solver": (words("auto", *SOLVERS),),
    "penalize_intercept": (flag,),
}

LASSO: Kinds = {
    **{name: kinds for name, kinds in ELASTIC_NET.items() if name != "l1_ratio"},
    "constraint": (none, number(0.0)),
    "store_path": (flag,),
}

LASSO_CV: Kinds = {
    "eps": (_POSITIVE,),
    "alphas": (whole(1), array),
    "fit_intercept": (flag,),
    "precompute": (words("auto"), flag, array),
    "max_iter": (whole(1),),
    "tol": (number(0.0),),
    "copy_X": (flag,),
    "cv": (none, folds),
    "verbose": (verbosity,),
    "n_jobs": _JOBS,
    "positive": (flag,),
    "random_state": (seed, generator),
    "selection": (words("cyclic", "random"),),
    "rule": (words(*RULES),),
}

ELASTIC_NET_CV: Kinds = {**LASSO_CV, "l1_ratio": (number(0.0, 1.0), array)}

_CLASSIFIER: Kinds = {
    "fit_intercept": (flag,),
    "intercept_scaling": (_POSITIVE,),
    "class_weight": _CLASS_WEIGHT,
    "random_state": (seed,),
    "verbose": (verbosity,),
    "max_iter": (whole(0),),
}
_LOGISTIC_SOLVER = words("auto", "newton-cg", "newton-cholesky", "liblinear", "saga", *SOLVERS)
_MULTI_CLASS = words("auto", "softmax", "multinomial", "ovr")

LOGISTIC: Kinds = {
    "penalty": (none, words("auto", "deprecated", "l1", "l2", "elasticnet")),
    "C": (number(0.0, closed="right", finite=False),),
    "l1_ratio": (none, number(0.0, 1.0)),
    "dual": (flag,),
    "tol": (number(0.0),),
    "solver": (_LOGISTIC_SOLVER,),
    "warm_start": (flag,),
    "n_jobs": _JOBS,
    **_CLASSIFIER,
    **_FORM,
    "solver_options": _START["solver_options"],
    "multi_class": (_MULTI_CLASS,),
    "parametrization": (words("full", "reference"),),
    "sign": (Kind("1 or −1", lambda value: whole(-1, 1).holds(value) and value != 0),),
    "prior": (none, number(0.0, 1.0), array),
    "threshold": (number(0.0, 1.0),),
    "penalize_intercept": (flag,),
}

LOGISTIC_CV: Kinds = {
    "Cs": (whole(1), array),
    "l1_ratios": (none, array),
    "cv": (none, folds),
    "dual": (flag,),
    "penalty": (words("deprecated", "l1", "l2", "elasticnet"),),
    "scoring": (none, scorer),
    "solver": (_LOGISTIC_SOLVER,),
    "tol": (number(0.0),),
    "n_jobs": _JOBS,
    "refit": (flag,),
    "use_legacy_attributes": (flag, words("warn")),
    "multi_class": (_MULTI_CLASS,),
    "rule": (words(*RULES),),
    **_CLASSIFIER,
}

LINEAR_SVC: Kinds = {
    "penalty": (words("l2", "l1"),),
    "loss": (words("squared_hinge", "hinge"),),
    "dual": (flag, words("auto")),
    "tol": (_POSITIVE,),
    "C": (_POSITIVE,),
    "multi_class": (words("ovr", "crammer_singer"),),
    **_CLASSIFIER,
    **_FORM,
    "prior": (none, number(0.0, 1.0), array),
}

PERCEPTRON: Kinds = {
    "penalty": (none, words("l2", "l1", "elasticnet")),
    "alpha": (number(0.0),),
    "l1_ratio": (number(0.0, 1.0),),
    "fit_intercept": (flag,),
    "max_iter": (whole(1),),
    "tol": (none, number(0.0)),
    "shuffle": (flag,),
    "verbose": (verbosity,),
    "eta0": (_POSITIVE,),
    "n_jobs": _JOBS,
    "random_state": (seed,),
    "early_stopping": (flag,),
    "validation_fraction": (number(0.0, 1.0, closed="neither"),),
    "n_iter_no_change": (whole(1),),
    "class_weight": _CLASS_WEIGHT,
    "warm_start": (flag,),
    "selection": (none, words(*SELECTIONS)),
    "init": (words("zeros", "random", "linear_regression"), array),
    "mode": (words("online", "batch"),),
    "pocket": (flag,),
    "multi_class": (words("ovr", "joint"),),
}
