"""The best number to act by, where the truth is uncertain.

    a* = argmin_a E[C(Y, a)]                                                                             (1)
    squared → mean,   absolute → median,   0/1 → mode,   c₁ (y − a)₊ + c₂ (a − y)₊ → the c₁/(c₁ + c₂) quantile      (2)
    of N(μ, σ²):  a* = μ + σ z,  z = Φ⁻¹(c₁/(c₁ + c₂)),  at the cost (c₁ + c₂) σ φ(z)

c₁ is the price of a truth above the action (under-estimation). Expectations are sums over samples and the values of
discrete laws, and quadratures over the quantiles of others:

    E f(Y) = ∫ f(q(u)) du,    u = 1/(1 + e^{−π sinh t}),    −3.2 ≤ t ≤ 3.2,    broken where q(u) = a               (3)

What lies beyond, with a probability of 2·10⁻¹⁷ at each end, is estimated from how f grows there: f ~ u^{−s} adds
f u/(1 − s), and without end from s = 1. Raiffa & Schlaifer (1961), Applied Statistical Decision Theory; Gneiting
(2011), Making and evaluating point forecasts, doi:10.1198/jasa.2011.r10138; Robertson & Cryer (1974), An iterative
procedure for estimating the mode, doi:10.1080/01621459.1974.10480246; Takahasi & Mori (1974),
doi:10.2977/prims/1195192451.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from gnomon._typing import Floats
from gnomon.distributions import Distribution, Empirical
from gnomon.distributions.discrete import Discrete
from gnomon.numerics.sharing import read_only
from gnomon.numerics.special import sigmoid
from gnomon.numerics.validation import check_choice, check_numbers, check_positive
from gnomon.numerics.weights import weighted_quantile

__all__ = ["ActionChoice", "bayes_action"]

RegressionCost: TypeAlias = (
    Literal["squared", "absolute", "zero_one"] | tuple[float, float] | Callable[[Floats, float], Floats]
)


class ActionChoice(NamedTuple):
    """An action, and what it is expected to cost.

    Fields
    ------
    action, cost : float
        The cost is ∞ where every action has an infinite one, and nan for "zero_one" where truths have a density: any
        action is wrong almost surely.

    References
    ----------
    Gneiting, T. (2011). Making and evaluating point forecasts. doi:10.1198/jasa.2011.r10138

    Examples
    --------
    >>> from gnomon.decision import bayes_action
    >>> bayes_action([1.0, 2.0, 6.0], "squared").action
    3.0
    """

    action: float
    cost: float


def bayes_action(dist: Any, cost: RegressionCost = "squared") -> ActionChoice:
    """Equation (1).

    Parameters
    ----------
    dist : tuple (mean, sd), array-like of shape (n,), or object with `ppf` or `quantile`
        A normal law, by a tuple of just two numbers; samples, as any other sequence, array or series; or any law of a
        number: a distribution of this package or of SciPy.
    cost : {"squared", "absolute", "zero_one"}, tuple (under, over) or callable, default="squared"
        (c₁, c₂) of (2); or a function of an array of truths and an action, whose mean is minimised over all actions,
        between truths or far from them. Of several valleys the deepest is found if none is much narrower than the
        spread of the truths. A warning is given where the cost falls without end, and where rare truths weigh so much
        that the quantiles of a law do not show its expected cost.

    Returns
    -------
    ActionChoice

    References
    ----------
    Gneiting, T. (2011). Making and evaluating point forecasts. doi:10.1198/jasa.2011.r10138

    Robertson, T. & Cryer, J. D. (1974). An iterative procedure for estimating the mode.
    doi:10.1080/01621459.1974.10480246

    Examples
    --------
    To have too little costs three times what it costs to have too much:

    >>> from gnomon.decision import bayes_action
    >>> found = bayes_action((10.0, 2.0), (3.0, 1.0))
    >>> round(found.action, 5), round(found.cost, 5)
    (11.34898, 2.54221)
    >>> bayes_action([1, 2, 3, 4, 10], (3.0, 1.0))
    ActionChoice(action=4.0, cost=4.8)
    """
    law = _as_law(dist)
    samples = _samples(dist) if law is None else None
    if law is not None and np.size(found := quantile_of(law, 0.5)) != 1:
        raise ValueError(f"dist={law!r} is several laws, {np.shape(found)}; give the law of one number")
    if callable(cost):
        # Candidates far from the truths may be beyond all numbers: their cost is infinite.
        with np.errstate(over="ignore", invalid="ignore"):
            return _least_cost(_Expectation.of(law, samples), cost)
    if not isinstance(cost, tuple):
        check_choice("cost", cost, ("squared", "absolute", "zero_one"))
    if cost == "zero_one":
        return _mode(law, samples)
    expected = _Expectation.of(law, samples)
    if cost == "squared":
        mean, var = _moment(law, "mean"), _moment(law, "var")
        mean = expected(lambda y: y) if mean is None else mean
        var = expected(lambda y: (y - mean) ** 2) if var is None else var
        return ActionChoice(mean, var if np.isfinite(mean) and np.isfinite(var) else np.inf)
    under, over = (check_positive("cost", float(c)) for c in ((1.0, 1.0) if cost == "absolute" else cost))
    action = float(np.ravel(quantile_of(dist, under / (under + over)))[0])
    mean = _moment(law, "mean")
    if mean is not None and not np.isfinite(mean):
        return ActionChoice(action, np.inf)
    return ActionChoice(action, expected(_pinball(under, over), action))


def _pinball(under: float, over: float) -> Callable[[Floats, float], Floats]:
    return lambda y, a: under * np.maximum(y - a, 0.0) + over * np.maximum(a - y, 0.0)


def quantile_of(dist: Any, p: float) -> Any:
    """The p quantile of a law, or of samples, of which the lower one where there are several."""
    law = _as_law(dist)
    if law is not None:
        return np.asarray(_quantiles(law)(p), dtype=float)
    y = _samples(dist)
    return weighted_quantile(y, p, np.ones(len(y)), between="lower")


def _as_law(dist: Any) -> Any:
    """The law, None for samples: series and frames have a method `quantile` too, but also a length."""
    if callable(getattr(dist, "ppf", None)):
        return dist
    if isinstance(dist, Empirical):
        return None
    if isinstance(dist, Distribution) or (callable(getattr(dist, "quantile", None)) and not hasattr(dist, "__len__")):
        return dist
    if isinstance(dist, tuple) and len(dist) == 2 and all(isinstance(part, Real) for part in dist):
        return norm(float(dist[0]), check_positive("sd", float(dist[1])))
    return None


def _samples(dist: Any) -> Floats:
    y = check_numbers("dist", dist.draws if isinstance(dist, Empirical) else dist)
    if y.ndim != 1 or not len(y) or not np.all(np.isfinite(y)):
        raise ValueError(f"dist of shape {y.shape} must be a law, (mean, sd), or finite samples, one number each")
    return y


def _quantiles(law: Any) -> Callable[[Any], Any]:
    return getattr(law, "ppf", None) or law.quantile


def _moment(law: Any, name: str) -> float | None:
    """The mean or the variance that a law publishes, as a value or by a method."""
    found = getattr(law, name, None)
    if found is None:
        return None
    return float(np.ravel(found() if callable(found) else found)[0])


EDGE = float(sigmoid(-np.pi * np.sinh(3.2)))
"""The probability at each end of a law that (3) leaves out."""

MOST_VALUES = 100_000
"""Values of a discrete law that are taken one by one; of those beyond, some stand for their neighbours."""

KNOTS = np.linspace(-3.2, 3.2, 801)
PANELS = np.linspace(-3.2, 3.2, 1025)
GAUSS = np.polynomial.legendre.leggauss(8)


class _LawEnd(NamedTuple):
    """Two truths at an end of a law, the further one first, and how probable it is that others are further still."""

    y: Floats
    u: Floats


class _Expectation(NamedTuple):
    """E f(Y) as Σ w f(y); where `quantile` is given, that is the quadrature (3) with panels between `breaks` of t."""

    y: Floats
    w: Floats
    quantile: Any = None
    breaks: Floats | None = None
    ends: tuple[_LawEnd, ...] = ()

    @classmethod
    def of(cls, law: Any, samples: Floats | None) -> _Expectation:
        if samples is not None:
            return cls(np.sort(samples), np.full(len(samples), 1.0 / len(samples)))
        if isinstance(law, Discrete):
            values, p = law.table()
            return cls(np.ravel(values).astype(float), np.ravel(p))
        return _values(law) if callable(getattr(law, "pmf", None)) else _curve(law)

    def __call__(self, f: Callable[..., Any], *action: float) -> float:
        """E f(Y, *action), exact where f is smooth but for a kink at the action."""
        y, w = self.nodes(*action)
        with np.errstate(all="ignore"):
            return float(w @ np.asarray(f(read_only(y), *action), dtype=float))

    def nodes(self, *action: float) -> tuple[Floats, Floats]:
        """Truths and their weights; the panel in which q(t) passes the action is broken there."""
        if self.breaks is None or not action:
            return self.y, self.w
        at = np.interp(action[0], self.y, _gauss_points(self.breaks)[0])
        i = int(np.clip(np.searchsorted(self.breaks, at), 1, len(self.breaks) - 1))
        t, w = _gauss_points(np.array([self.breaks[i - 1], at, self.breaks[i]]))
        m = len(GAUSS[0])
        before, after = slice(None, m * (i - 1)), slice(m * i, None)
        return (
            np.concatenate([self.y[before], self.quantile(t), self.y[after]]),
            np.concatenate([self.w[before], w, self.w[after]]),
        )

    def beyond(self, f: Callable[..., Any], action: float) -> float:
        """What f costs beyond the ends, by the power s with which it grows there."""
        total = 0.0
        for end in self.ends:
            with np.errstate(all="ignore"):
                near = np.abs(np.asarray(f(end.y, action), dtype=float))
                s = -np.log(near[1] / near[0]) / np.log(end.u[1] / end.u[0]) if np.all(near > 0.0) else 0.0
            # Powers are known to some digits only.
            total += np.inf if not s < 0.99 else near[0] * end.u[0] / (1.0 - s)
        return float(total)


def _gauss_points(breaks: Floats) -> tuple[Floats, Floats]:
    """Gauss points t of the panels between breaks, and their weights in (3)."""
    half = 0.5 * np.diff(breaks)
    t = (breaks[:-1, None] + half[:, None] * (1.0 + GAUSS[0])).ravel()
    u = np.pi * np.cosh(t) * sigmoid(np.pi * np.sinh(t)) * sigmoid(-np.pi * np.sinh(t))
    return t, u * (half[:, None] * GAUSS[1]).ravel()


def _curve(law: Any) -> _Expectation:
    """q of (3) by its values at knots."""
    lower, upper = sigmoid(np.pi * np.sinh(KNOTS)), sigmoid(-np.pi * np.sinh(KNOTS))
    quantiles, isf = _quantiles(law), getattr(law, "isf", None)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Of quantiles that SciPy cannot find: those that are no numbers are left out.
        warnings.simplefilter("ignore", RuntimeWarning)
        if callable(isf):
            y = np.where(KNOTS < 0.0, quantiles(lower), isf(upper))
        else:
            # The numbers next to one have no room for the quantiles of the upper end.
            y = np.where(1.0 - lower > 1e-15, quantiles(np.minimum(lower, np.nextafter(1.0, 0.0))), np.inf)
    y = np.asarray(y, dtype=float)
    known = np.isfinite(y)
    q = PchipInterpolator(KNOTS[known], np.maximum.accumulate(y[known]))
    low, high = float(q.x[0]), float(q.x[-1])
    pairs = [np.array([end, end + step]) for end, step in ((low, 0.05), (high, -0.05))]
    ends = tuple(_LawEnd(q(t), sigmoid(-np.pi * np.sinh(np.abs(t)))) for t in pairs)
    breaks = np.concatenate([[low], PANELS[(low < PANELS) & (high > PANELS)], [high]])
    t, w = _gauss_points(breaks)
    return _Expectation(q(t), w, q, breaks, ends)


def _values(law: Any) -> _Expectation:
    """The values of a discrete law of SciPy; of many, blocks that grow by a fiftieth, with Gauss points in them."""
    listed = getattr(law, "xk", getattr(getattr(law, "dist", None), "xk", None))
    if listed is not None:
        y = np.sort(np.asarray(listed, dtype=float))
        return _Expectation(y, np.asarray(law.pmf(y), dtype=float))
    low, n = float(np.ravel(law.ppf(EDGE))[0]), 64
    # SciPy has no quantiles of some laws of very large numbers.
    low = low if np.isfinite(low) else float(np.floor(law.mean() - 12.0 * law.std()))
    y = low + np.arange(n)
    p = np.asarray(law.pmf(y), dtype=float)
    while np.sum(p) < 1.0 - 1e-15 and n < MOST_VALUES:
        # Past the mode probabilities fall: nothing is left where they have vanished.
        if p[-1] < 1e-300 and np.sum(p) > 0.5:
            break
        n *= 2
        y = low + np.arange(n)
        p = np.asarray(law.pmf(y), dtype=float)
    if n < MOST_VALUES:
        return _Expectation(y, p)
    breaks = (n - 0.5) * 1.02 ** np.arange(0.0, 1500.0)
    half = 0.5 * np.diff(breaks)
    far = low + (breaks[:-1, None] + half[:, None] * (1.0 + GAUSS[0])).ravel()
    # Between whole numbers too, where the probability is that of the nearest one.
    q = np.nan_to_num(np.asarray(law.pmf(low + np.round(far - low)), dtype=float))
    kept = np.maximum.accumulate((q > 1e-300)[::-1])[::-1]
    w = (half[:, None] * GAUSS[1]).ravel() * q
    found = _Expectation(np.append(y, far[kept]), np.append(p, w[kept]))
    if not np.all(kept):
        return found
    last = np.array([-1, -1 - len(GAUSS[0])])
    u = q[last] * (far[last] - low)
    slope = np.log(u[1] / u[0]) / np.log((far[last[0]] - low) / (far[last[1]] - low))
    return found._replace(ends=(_LawEnd(far[last], u / slope),))


def _mode(law: Any, samples: Floats | None) -> ActionChoice:
    """Of a discrete law the most probable value, of another where its density is greatest; of samples likewise."""
    if samples is not None:
        return _sample_mode(samples)
    if isinstance(law, Distribution):
        try:
            mode = float(np.ravel(law.mode)[0])
            cost = 1.0 - float(np.ravel(law.density(mode))[0]) if isinstance(law, Discrete) else np.nan
            return ActionChoice(mode, cost)
        except NotImplementedError:
            pass
    if callable(getattr(law, "pmf", None)):
        y = _values(law).y
        y = y if len(y) <= MOST_VALUES else y[0] + np.unique(np.round(y - y[0]))
        while True:
            p = np.asarray(law.pmf(y), dtype=float)
            best = int(np.argmax(p >= np.max(p) * (1.0 - 1e-14)))
            a, b = y[max(best - 1, 0)], y[min(best + 1, len(y) - 1)]
            if len(y) <= MOST_VALUES or b - a <= 2.0:
                return ActionChoice(float(y[best]), 1.0 - float(p[best]))
            # Between the neighbours of the best of values far apart.
            y = a + np.unique(np.round(np.linspace(0.0, b - a, MOST_VALUES + 1)))
    # Where equal shares of probability are closest together.
    low, high = 1e-12, 1.0 - 1e-12
    for _ in range(50):
        y = np.asarray(_quantiles(law)(np.linspace(low, high, 401)), dtype=float)
        best = int(np.argmin(y[20:] - y[:-20])) + 10
        low, high = (low + (high - low) / 400.0 * np.clip(best + step, 0, 400) for step in (-100, 100))
    return ActionChoice(float(_quantiles(law)(0.5 * (low + high))), np.nan)


def _sample_mode(samples: Floats) -> ActionChoice:
    """The most frequent of samples, or the mode of their density by halving."""
    values, counts = np.unique(samples, return_counts=True)
    if np.max(counts) > 1 or len(values) == 1:
        return ActionChoice(float(values[np.argmax(counts)]), 1.0 - float(np.max(counts)) / len(samples))
    while len(values) > 2:
        half = -(-len(values) // 2)
        first = int(np.argmin(values[half - 1 :] - values[: len(values) - half + 1]))
        values = values[first : first + half]
    return ActionChoice(float(np.mean(values)), np.nan)


def _least_cost(expected: _Expectation, cost: Callable[[Floats, float], Floats]) -> ActionChoice:
    """The deepest of the valleys that candidates of every size show, each refined between its neighbours."""

    def mean_cost(a: float, over: _Expectation = expected) -> float:
        found = over(cost, a)
        return found if found == found else np.inf

    coarse = _coarse(expected)
    candidates = _candidates(coarse)
    costs = np.array([mean_cost(a, coarse) for a in candidates])
    if not np.any(np.isfinite(costs)):
        _warn("is infinite, or no number, for every action")
        return ActionChoice(np.nan, np.inf)
    last = len(candidates) - 1
    left, right = costs[np.maximum(np.arange(last + 1) - 1, 0)], costs[np.minimum(np.arange(last + 1) + 1, last)]
    valleys = np.flatnonzero((costs <= left) & (costs <= right) & np.isfinite(costs))
    best = ActionChoice(np.nan, np.inf)
    middle = np.searchsorted(candidates, np.median(coarse.y))
    for i in valleys[np.lexsort((np.abs(valleys - middle), costs[valleys]))][:8]:
        found = _refined(mean_cost, candidates[max(i - 1, 0)], candidates[i], candidates[min(i + 1, last)])
        best = found if found.cost < best.cost else best
    if best.action in (candidates[0], candidates[-1]) and costs[0] != costs[-1]:
        _warn(f"still falls at action={best.action:g}: there is no least cost, or it is further off")
    beyond = expected.beyond(cost, best.action)
    if beyond > 1e-4 * abs(best.cost):
        what = "is infinite" if beyond == np.inf else f"is uncertain by {beyond:.2g}"
        _warn(f"{what}: truths of a probability below {EDGE:.0e}, which are not looked at, weigh too much")
        return best if np.isfinite(beyond) else ActionChoice(best.action, np.inf)
    return best


def _warn(what: str) -> None:
    warnings.warn(f"the expected cost {what}; check cost, or bound it", UserWarning, stacklevel=4)


def _candidates(expected: _Expectation) -> Floats:
    """Truths, and numbers at distances of every size from their median and from zero."""
    y, w = expected.y, expected.w
    reached = np.cumsum(w) / np.sum(w)
    shares = np.append(np.linspace(0.0, 1.0, 201), [0.25, 0.5, 0.75])
    by_mass = y[np.searchsorted(reached, shares).clip(max=len(y) - 1)]
    low, median, high = by_mass[-3:]
    spread = high - low or float(y[-1] - y[0]) or abs(median) or 1.0
    away = spread * 2.0 ** np.arange(-20.0, 60.5, 0.5)
    truths = np.append(by_mass, y[np.linspace(0, len(y) - 1, 201).astype(int)])
    return np.unique(np.concatenate([[0.0, expected(lambda y: y)], truths, median + away, median - away, away, -away]))


def _coarse(expected: _Expectation) -> _Expectation:
    """Plain sums, with rare neighbours among many truths as one."""
    y, w = expected.nodes()
    rare = w < 1e-3 * np.sum(w)
    rare[:50] = rare[-50:] = False
    places = np.cumsum(np.where(rare, w, 0.0)) / np.sum(w) + np.arange(len(y)) / len(y)
    places += (y - y[0]) / (y[-1] - y[0] or 1.0)
    # A new group where these have grown by 1/4000, and at and after what is not rare or extreme.
    starts = np.flatnonzero(np.diff(np.floor(4000.0 * places), prepend=-1.0) + ~rare + ~np.append(True, rare[:-1]))
    mass = np.add.reduceat(w, starts)
    middle = np.add.reduceat(w * y, starts) / np.where(mass > 0.0, mass, 1.0)
    return _Expectation(np.where(mass > 0.0, middle, y[starts]), mass)


def _refined(mean_cost: Callable[[float], float], low: float, middle: float, high: float) -> ActionChoice:
    """The least cost between two actions."""
    start = mean_cost(middle)
    # In units of the interval and of the cost, so that steps of the search do not overflow.
    unit = abs(start) if 0.0 < abs(start) < np.inf else 1.0
    found = minimize_scalar(
        lambda u: mean_cost(low + u * (high - low)) / unit,
        bounds=(0.0, 1.0),
        method="bounded",
        options={"xatol": 1e-11, "maxiter": 200},
    )
    action = float(low + found.x * (high - low))
    value = mean_cost(action)
    return ActionChoice(action, value) if value < start else ActionChoice(float(middle), start)
