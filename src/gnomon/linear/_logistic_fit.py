"""From the words of logistic regression to problems and back.

    minimise over W, b    Σᵢ sᵢ ℓ(yᵢ, W xᵢ + b) + Ω(W)                                             (1)

The words choose the weights sᵢ, the loss ℓ, the penalty Ω and the solver; `solve` minimises (1) once, or once for each
class against the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.class_weight import compute_class_weight

from gnomon._typing import Array, Floats, Integers, Matrix
from gnomon.base.callbacks import Tasks
from gnomon.linear._forms import Strength, named_form
from gnomon.linear._report import log_row
from gnomon.linear._sampling import sampling_options
from gnomon.losses import LogisticLoss, Loss, SoftmaxLoss
from gnomon.numerics.design import Design, Intercept
from gnomon.numerics.validation import check_choice, check_interval
from gnomon.numerics.weights import class_weights
from gnomon.optim import SOLVERS, Solution, fit_linear
from gnomon.optim.units import weight_unit
from gnomon.penalties import L1, L2, ElasticNetPenalty, Form, NoPenalty, Penalty, objective_form

if TYPE_CHECKING:
    from gnomon.linear.logistic import LogisticRegression

__all__ = [
    "MultiClass",
    "Parametrization",
    "PenaltyWord",
    "Plan",
    "class_prices",
    "make_plan",
    "solve",
]

PenaltyWord: TypeAlias = Literal["auto", "deprecated", None, "l1", "l2", "elasticnet"]
MultiClass: TypeAlias = Literal["auto", "softmax", "multinomial", "ovr"]
Parametrization: TypeAlias = Literal["full", "reference"]
Kind: TypeAlias = Literal["binary", "softmax", "ovr"]
Found: TypeAlias = tuple[Floats, Floats, list[Solution[Floats]]]

ALIASES = {"newton-cg": "lbfgs", "newton-cholesky": "newton"}
"""Words of scikit-learn that name one solver here; "liblinear", "sag" and "saga" depend on penalty and classes."""

OWN_TOLERANCE = {"cd", "prox_newton", "dcd", "dual_newton", "sag", "sgd", "asgd"}
"""Solvers whose `tol` does not grow with the number of rows; the others bound ‖∇F‖∞, here given for the mean loss."""

DRAWS = {"sag", "sgd", "asgd", "dcd", "dual_newton", "cd"}
"""Solvers that draw or shuffle rows or columns."""


NEWTON_SIZE, NEWTON_ROWS = 64, 4000
"""Parameters and rows up to which "auto" is Newton's method. Its few steps are then the cheapest; beyond, a Hessian
over all pairs of scores costs more than the preconditioned iterations of L-BFGS that it saves."""

PROXIMAL_SIZE = 4096
"""Parameters of a softmax with an L1 norm up to which "auto" is the proximal Newton method: of more, one Hessian may
cost more than all steps of FISTA."""


class Plan(NamedTuple):
    """What is minimised and how: weights are multiplied by `loss_scale`; `kind` is "binary", "softmax" or "ovr"."""

    loss_scale: float
    penalty: Penalty
    kind: Kind
    solver: str
    intercept: Intercept
    bias: float
    strength: Strength

    @property
    def unpenalized(self) -> bool:
        """Whether Ω = 0."""
        return self.penalty.smooth and self.penalty.strong_convexity == 0.0


def make_plan(model: LogisticRegression, n: float, n_classes: int, shape: tuple[int, int]) -> Plan:
    """Read the parameters of the estimator, for n total weight, K classes and an X of the given shape."""
    word = _penalty_word(model)
    form = _form(model, n, word)
    strength, half = form.strength, form.half
    penalties: dict[str | None, Penalty] = {
        None: NoPenalty(),
        "l2": L2(strength, half=half),
        "l1": L1(strength),
        "elasticnet": ElasticNetPenalty(strength, model.l1_ratio or 0.0, half=half),
    }
    penalty = penalties[word if strength > 0.0 else None]
    kind = _kind(model, n_classes)
    treatment: Intercept = ("penalized" if _penalizes_intercept(model) else "free") if model.fit_intercept else "none"
    bias = float(model.intercept_scaling)
    share = {"l1": 1.0, "elasticnet": model.l1_ratio or 0.0}.get(word or "", 0.0)
    solver = _solver(model, penalty, kind, shape[0], (n_classes if kind == "softmax" else 1) * (shape[1] + 1))
    bias = bias if treatment != "free" else 1.0
    return Plan(form.loss_scale, penalty, kind, solver, treatment, bias, Strength.of(form, share, n))


def class_prices(model: BaseEstimator, index: Integers, classes: Array, weights: Floats) -> Floats:
    """The factor on the weight of each class, from `class_weight` and `prior`."""
    prices = np.ones(len(classes))
    if model.class_weight is not None:
        prices = compute_class_weight(model.class_weight, classes=classes, y=classes[index], sample_weight=weights)
    if model.prior is None:
        return prices
    found = class_weights(classes[index], prior=model.prior, sample_weight=weights * prices[index])
    return prices * np.array(list(found.values()))


def solve(
    model: LogisticRegression,
    plan: Plan,
    X: Matrix,
    index: Integers,
    n_classes: int,
    weights: Floats,
    start: Floats | None,
    told: Tasks,
) -> Found:
    """Minimise (1); returns the coefficients (rows, d), the intercepts (rows,), and the solutions."""
    design = Design(X, intercept=plan.intercept, bias=plan.bias)
    scaled = (plan.loss_scale * weights).astype(X.dtype, copy=False)
    if plan.kind == "softmax":
        return _solve_softmax(model, plan, design, index, n_classes, scaled, start, told)
    targets = [index == k for k in range(n_classes)] if plan.kind == "ovr" else [index == 1]
    solutions = [
        _run(model, plan, design, np.where(mine, 1.0, -1.0).astype(X.dtype), LogisticLoss(), scaled, 1, theta, told)
        for mine, theta in zip(targets, start if start is not None else [None] * len(targets), strict=True)
    ]
    return np.array([s.w for s in solutions]), np.array([s.intercept for s in solutions]), solutions


def _solve_softmax(
    model: LogisticRegression,
    plan: Plan,
    design: Design,
    index: Integers,
    n_classes: int,
    scaled: Floats,
    start: Floats | None,
    told: Tasks,
) -> Found:
    """All classes at once; a reference class is moved to the end, where the loss expects it, and gets zeros."""
    last = _reference(model, n_classes)
    fixed = last is not None
    order = np.array([k for k in range(n_classes) if k != last] + ([last] if fixed else []))
    place = np.argsort(order)
    kept = order[: n_classes - fixed]
    theta = None if start is None else np.ascontiguousarray(start[kept])
    solution = _run(model, plan, design, place[index], SoftmaxLoss(reference=fixed), scaled, len(kept), theta, told)
    W, b = np.zeros((n_classes, design.d), dtype=design.dtype), np.zeros(n_classes, dtype=design.dtype)
    W[kept], b[kept] = solution.w, solution.intercept
    # Adding a constant to unpenalised scores changes nothing; solvers leave their mean arbitrary.
    if not fixed and plan.intercept == "free":
        b -= np.mean(b)
    if not fixed and plan.unpenalized:
        W -= np.mean(W, axis=0)
    return W, b, [solution]


def _run(
    model: LogisticRegression,
    plan: Plan,
    design: Design,
    y: Array,
    loss: Loss,
    weights: Floats,
    n_scores: int,
    theta: Floats | None,
    told: Tasks,
) -> Solution[Floats]:
    relative = plan.solver in OWN_TOLERANCE
    seed = {"random_state": model.random_state} if plan.solver in DRAWS and model.random_state is not None else {}
    options = {
        "tol": model.tol if relative else model.tol * float(np.sum(weights, dtype=float)) / weight_unit(weights),
        "max_iter": model.max_iter,
        # For large C the loss of the best constant says nothing about the minimum.
        **({"relative_to": "objective"} if plan.solver in ("cd", "prox_newton") else {}),
        **seed,
        **sampling_options(model, plan.solver),
        **(model.solver_options or {}),
    }
    options["callback"] = told.rows(log_row if model.verbose else None, options.get("callback"))
    return fit_linear(
        design, y, loss, plan.penalty, weights, solver=plan.solver, start=theta, n_scores=n_scores, **options
    )


def _penalty_word(model: LogisticRegression) -> str | None:
    """None, "l1", "l2" or "elasticnet": what `penalty`, or else `l1_ratio` and `C`, say."""
    ratio = 0.0 if model.l1_ratio is None else check_interval("l1_ratio", model.l1_ratio, 0.0, 1.0)
    check_interval("C", model.C, 0.0, closed="right")
    if np.isinf(model.C):
        return None
    if model.penalty in (None, "l1", "l2"):
        return model.penalty
    return {0.0: "l2", 1.0: "l1"}.get(float(ratio), "elasticnet")


def _form(model: LogisticRegression, n: float, word: str | None) -> Form:
    """The scaling: scikit-learn's C, or the textbook form that `objective` and `lam` name."""
    if word is None and model.lam is not None:
        raise ValueError(
            f"lam={model.lam!r} is given, but penalty={model.penalty!r} with C={model.C!r} leaves no penalty to weigh; "
            "give one of them"
        )
    if word is None:
        return objective_form(model.objective or "sum", 1.0, n)._replace(strength=0.0)
    return objective_form(*(named_form(model, "C", objective="mean_half", lam=0.01) or ("C", model.C)), n)


def _kind(model: LogisticRegression, n_classes: int) -> Kind:
    if model.reference_class is not None and model.parametrization == "full":
        raise ValueError(f"reference_class={model.reference_class!r} needs parametrization='reference'; give both")
    if model.sign not in (1, -1):
        raise ValueError(f"sign={model.sign!r} must be 1 or −1; give the sign of the scores in the exponent")
    # One vector against a zero vector is the binary model.
    joint = model.multi_class in ("softmax", "multinomial") and model.parametrization == "full"
    if n_classes == 2 and not joint:
        return "binary"
    return "ovr" if model.multi_class == "ovr" else "softmax"


def _reference(model: LogisticRegression, n_classes: int) -> int | None:
    """The index of the reference class; None for the full parametrisation."""
    if model.parametrization == "full":
        return None
    if model.reference_class is None:
        return n_classes - 1
    found = np.flatnonzero(model.classes_ == model.reference_class)
    if not len(found):
        raise ValueError(
            f"reference_class={model.reference_class!r} is no class of y; choose from {model.classes_.tolist()}"
        )
    return int(found[0])


def _penalizes_intercept(model: LogisticRegression) -> bool:
    return model.penalize_intercept or model.solver == "liblinear"


def _solver(model: LogisticRegression, penalty: Penalty, kind: Kind, n_rows: int, size: int) -> str:
    smooth = penalty.smooth
    second_order = "newton" if size <= NEWTON_SIZE and n_rows <= NEWTON_ROWS else "lbfgs"
    # `sag` keeps one score per row.
    averaged = "lbfgs" if kind == "softmax" else "sag"
    kinked = "cd" if kind != "softmax" else "prox_newton" if size <= PROXIMAL_SIZE else "fista"
    words = {
        **ALIASES,
        "sag": averaged,
        # Named here and not left to `fit_linear`, because solvers read `tol` in different units.
        "auto": second_order if smooth else kinked,
        "liblinear": ("dual_newton" if model.dual else "lbfgs") if smooth else "cd",
        "saga": averaged if smooth else kinked,
    }
    if model.solver == "liblinear" and kind == "softmax":
        raise ValueError("solver='liblinear' fits two classes; choose another solver, or multi_class='ovr'")
    name = words.get(model.solver, model.solver)
    check_choice("solver", name, dict.fromkeys((*SOLVERS, *words)))
    if not smooth and model.solver in (*ALIASES, "sag"):
        # `fit_linear` would speak of the solver behind the word.
        raise ValueError(
            f"solver={model.solver!r} needs a smooth penalty, but penalty={model.penalty!r} and "
            f"l1_ratio={model.l1_ratio!r} have an L1 norm; choose solver='auto', 'saga' or 'fista', or l1_ratio=0"
        )
    return name
