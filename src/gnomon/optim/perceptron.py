"""The perceptron: learn from mistakes only.

    at a mistake, yᵢ xᵢᵀw ≤ 0:    w ← w + η sᵢ yᵢ xᵢ                                                  (1)

Rosenblatt (1958), doi:10.1037/h0042519. It is stochastic gradient descent on the perceptron loss max(0, −y xᵀw). On
separable data it makes at most (R/γ)² mistakes (Novikoff 1962). With K weight vectors a mistake is
s_y ≤ max_{j≠y} s_j, and then w_y ← w_y + η sᵢ xᵢ, w_j ← w_j − η sᵢ xᵢ for the best wrong class (Crammer & Singer 2003,
JMLR 3, 951–991). The pocket keeps the weights with the fewest errors so far (Gallant 1990, doi:10.1109/72.80230).
"""

from typing import Any, NamedTuple

import numpy as np

from gnomon._jit import compiled, inline, lean
from gnomon.numerics.validation import check_choice
from gnomon.optim.solution import Solution, Trace

__all__ = ["SELECTIONS", "Patience", "perceptron", "visits"]

SELECTIONS = ("cyclic", "shuffle", "random", "first_misclassified", "random_misclassified")
"""Which example is looked at next."""


class Patience(NamedTuple):
    """Stop when `score(theta, loss)`, smaller is better, has not fallen by `tol` for `rounds` passes."""

    tol: float
    rounds: int
    score: Any = None


def perceptron(
    design,
    target,
    weights,
    theta,
    *,
    eta=1.0,
    selection="cyclic",
    mode="online",
    pocket=False,
    decay=None,
    patience=None,
    max_iter=1000,
    keep_log=False,
    random_state=None,
    callback=None,
):
    """Run (1) until no mistake is left.

    Parameters
    ----------
    design : gnomon.numerics.design.Design
    target : ndarray of shape (n,)
        −1 or +1 for one weight vector; the index of the class for several.
    weights : ndarray of shape (n,)
        sᵢ.
    theta : ndarray of shape (1, width) or (K, width)
        Start.
    eta : float, default=1.0
    selection : str or iterator of ndarray, default="cyclic"
        A word of `SELECTIONS`, or the visits of every pass as arrays of row numbers.
    mode : {"online", "batch"}, default="online"
        Move at every mistake, or once per pass by the sum over all mistakes.
    pocket : bool, default=False
        Return the weights with the least weighted training error, the earliest among equals.
    decay : tuple (l2, l1), optional
        Amounts by which every visit shrinks w: by the factor 1 − l2, and towards zero by l1 in modulus (Tsuruoka,
        Tsujii & Ananiadou 2009, ACL 47, 477–485).
    patience : Patience, optional
        A rule that stops before all mistakes are gone; without it, only a pass without mistakes counts as convergence.
    max_iter : int, default=1000
        Passes over the data.
    keep_log : bool, default=False
        Return all updates in order.
    random_state : RandomState, optional
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    Solution
        `objective` is the mean loss; `details` holds "counts" (updates of every row), "n_updates", "visits" and, on
        request, "log", the (visit, row) of every update, visits counted from 1.

    References
    ----------
    Rosenblatt, F. (1958). The perceptron. doi:10.1037/h0042519

    Examples
    --------
    The logical OR takes nine updates:

    >>> import numpy as np
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import perceptron
    >>> X, y = np.array([[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1.0]]), np.array([-1.0, 1.0, 1.0, 1.0])
    >>> solution = perceptron(Design(X, intercept="none"), y, np.ones(4), np.zeros((1, 3)))
    >>> solution.w, solution.details["n_updates"], solution.n_iter, solution.stop_reason
    (array([[-1.,  2.,  2.]]), 9, 6, 'perfect')
    """
    check_choice("mode", mode, ("online", "batch"))
    frame = _Frame(design, target, weights.astype(float), eta, np.array(theta, dtype=float), _Book(design.n, keep_log))
    step = _stepper(frame, selection, mode, decay, random_state)
    best = _Pocket(frame) if pocket else None
    trace, rule = Trace(callback), _Waiting(patience)
    reason, met, iteration = "max_iter", False, 0
    for iteration in range(1, max_iter + 1):
        loss, mistakes, moved = step(best)
        row = {"mistakes": mistakes} | ({"error": best.error} if pocket else {})
        asked = trace.add(iteration, loss, **row)
        reason, met = _verdict(frame, mistakes, moved, rule, loss, asked)
        if reason != "max_iter":
            break
    theta = best.theta if pocket else frame.theta
    return Solution(
        w=theta,
        objective=_mean_loss(frame, theta),
        n_iter=iteration,
        converged=met,
        stop_reason=reason,
        history=trace.history,
        details=frame.book.details(),
    )


def visits(selection, n, rng):
    """The row numbers of every pass, without end, for the words that do not look at mistakes."""
    while True:
        if selection == "random":
            yield rng.randint(n, size=n)
        else:
            yield rng.permutation(n) if selection == "shuffle" else np.arange(n)


class _Book:
    """Counts, and on request the order, of the updates."""

    def __init__(self, n, keep_log):
        self.counts, self.visits, self._pages, self._keep = np.zeros(n, dtype=np.int64), 0, [], keep_log

    def add(self, rows, when, visited):
        """Note updates of `rows`, already counted, at the visits `when` (from 0) of the `visited` ones that follow."""
        if self._keep:
            self._pages.append(np.column_stack([self.visits + 1 + when, rows]))
        self.visits += visited

    def details(self):
        """What `perceptron` returns about the updates."""
        log = {"log": np.concatenate([np.empty((0, 2), dtype=np.int64), *self._pages])} if self._keep else {}
        return {"counts": self.counts, "n_updates": int(np.sum(self.counts)), "visits": self.visits, **log}


class _Frame(NamedTuple):
    """What the steps work on; `theta` in place."""

    design: Any
    target: Any
    s: Any
    eta: float
    theta: Any
    book: _Book


class _Pocket:
    """The best weights so far."""

    def __init__(self, frame):
        self.frame, self.theta, self.error = frame, frame.theta.copy(), np.inf
        self.offer()

    def offer(self):
        """Take the present weights if they make less error."""
        wrong = margins_of(self.frame, self.frame.theta)[0] <= 0.0
        error = float(np.sum(self.frame.s * wrong) / np.sum(self.frame.s))
        if error < self.error:
            self.theta, self.error = self.frame.theta.copy(), error


class _Waiting:
    """The memory of a `Patience`."""

    def __init__(self, patience):
        self.patience, self.best, self.stale = patience, np.inf, 0

    def over(self, theta, loss):
        """Whether the patience has ended."""
        if self.patience is None:
            return False
        now = loss if self.patience.score is None else self.patience.score(theta)
        self.stale = self.stale + 1 if now > self.best - self.patience.tol else 0
        self.best = min(self.best, now)
        return self.stale >= self.patience.rounds


def _verdict(frame, mistakes, moved, rule, loss, asked):
    """The reason to stop ("max_iter" to go on), and whether it is a met test."""
    if rule.over(frame.theta, loss):
        return "no_change", True
    # Random visits may have missed a mistake, and a rule of patience has its own end.
    if rule.patience is None and mistakes == 0 and np.all(margins_of(frame, frame.theta)[0] > 0.0):
        return "perfect", True
    if not moved:
        return "no_change", False
    return ("callback" if asked else "max_iter"), False


def margins_of(frame, theta):
    """y xᵀw, or s_y − max_{j≠y} s_j, and the best wrong class of every row."""
    z = frame.design.apply(theta)
    if theta.shape[0] == 1:
        return frame.target * z[:, 0], np.zeros(len(z), dtype=np.int64)
    index = np.arange(len(z))
    right = z[index, frame.target]
    z[index, frame.target] = -np.inf
    rival = np.argmax(z, axis=1)
    return right - z[index, rival], rival


def _mean_loss(frame, theta):
    m = margins_of(frame, theta)[0]
    return float(np.sum(frame.s * np.maximum(0.0, -m)) / np.sum(frame.s))


def _stepper(frame, selection, mode, decay, rng):
    """A function that makes one pass and returns the mean loss met, the mistakes, and False if none can ever follow."""
    n = frame.design.n
    if mode == "batch":
        return lambda pocket: _batch_pass(frame, pocket)
    if selection in ("first_misclassified", "random_misclassified"):
        draw = None if selection == "first_misclassified" else rng
        return lambda pocket: _picking_pass(frame, pocket, draw)
    orders = visits(selection, n, rng) if np.ndim(selection) == 0 and selection in SELECTIONS else selection
    shrink = _Shrinking(frame, decay)
    return lambda pocket: _visiting_pass(frame, pocket, next(orders), shrink)


def _batch_pass(frame, pocket):
    m, rival = margins_of(frame, frame.theta)
    wrong = np.flatnonzero(m <= 0.0)
    amount = frame.eta * frame.s[wrong]
    g = np.zeros((frame.design.n, frame.theta.shape[0]))
    if frame.theta.shape[0] == 1:
        g[wrong, 0] = amount * frame.target[wrong]
    else:
        g[wrong, frame.target[wrong]] = amount
        g[wrong, rival[wrong]] = -amount
    change = frame.design.adjoint(g).reshape(frame.theta.shape)
    frame.theta[...] += change
    frame.book.counts[wrong] += 1
    frame.book.add(wrong, np.zeros_like(wrong), 1)
    if pocket is not None:
        pocket.offer()
    loss = float(np.sum(frame.s * np.maximum(0.0, -m)) / np.sum(frame.s))
    # Mistakes whose sum is zero are never mended.
    return loss, len(wrong), not len(wrong) or bool(np.any(change))


def _picking_pass(frame, pocket, rng):
    """As many updates as there are rows, each at the first or a random mistake."""
    rows, loss, mistakes = compiled(frame.design.rows), 0.0, 0
    for step in range(frame.design.n):
        m, rival = margins_of(frame, frame.theta)
        wrong = np.flatnonzero(m <= 0.0)
        if step == 0:
            loss = float(np.sum(frame.s * np.maximum(0.0, -m)) / np.sum(frame.s))
        if not len(wrong):
            break
        i = int(wrong[0] if rng is None else wrong[rng.randint(len(wrong))])
        _learn(rows, float(frame.target[i]), i, int(rival[i]), frame.eta * frame.s[i], frame.theta)
        frame.book.counts[i] += 1
        frame.book.add(np.array([i]), np.zeros(1, dtype=np.int64), 1)
        mistakes += 1
        if pocket is not None:
            pocket.offer()
    return loss, mistakes, True


class _Shrinking:
    """The state of `decay`: factors, the total of l1 so far, and what each coordinate has had of it."""

    def __init__(self, frame, decay):
        self.l2, self.l1 = decay or (0.0, 0.0)
        self.had, self.owed = np.zeros(frame.theta.shape[1]), np.zeros(1)


def _visiting_pass(frame, pocket, order, shrink):
    """All visits at once, or with a pocket from mistake to mistake."""
    total, mistakes, first = 0.0, 0, 0
    rows, target, d = compiled(frame.design.rows), frame.target.astype(float), frame.design.d
    counts, limit = frame.book.counts, len(order) if pocket is None else 1
    log, decay = np.empty((len(order), 2), dtype=np.int64), (shrink.l2, shrink.l1, shrink.had, shrink.owed)
    while first < len(order):
        rest = order[first:]
        loss, count, done = _pass(rows, target, frame.s, rest, frame.eta, frame.theta, d, counts, log, limit, *decay)
        frame.book.add(log[:count, 1], log[:count, 0], done)
        total, mistakes, first = total + loss, mistakes + count, first + done
        if pocket is not None and count:
            pocket.offer()
    return total / max(len(order), 1), mistakes, True


@lean
def _learn(rows, target, i, rival, amount, W):
    if W.shape[0] == 1:
        rows.add(i, amount * target, W[0])
    else:
        rows.add(i, amount, W[int(target)])
        rows.add(i, -amount, W[rival])


@inline
def _margin(rows, target, i, W):
    """The margin of row i and the best wrong class."""
    if W.shape[0] == 1:
        return target * rows.dot(i, W[0]), 0
    right, best, rival = 0.0, -np.inf, 0
    for k in range(W.shape[0]):
        z = rows.dot(i, W[k])
        if k == int(target):
            right = z
        elif z > best:
            best, rival = z, k
    return right - best, rival


@lean
def _pass(rows, target, s, order, eta, W, d, counts, log, limit, l2, l1, had, owed):
    """Visit rows in order until `limit` mistakes; returns the sum of the losses met, the mistakes and the visits."""
    total, count, t = 0.0, 0, 0
    while t < order.shape[0] and count < limit:
        i = order[t]
        m, rival = _margin(rows, target[i], i, W)
        total += max(0.0, -m)
        if l2 > 0.0 or l1 > 0.0:
            total += _shrink(W[0], d, l2, l1) / eta
        if m <= 0.0:
            _learn(rows, target[i], i, rival, eta * s[i], W)
            log[count, 0], log[count, 1] = t, i
            counts[i] += 1
            count += 1
        if l1 > 0.0:
            owed[0] += l1
            _pay(rows, i, W[0], had, owed[0])
        t += 1
    return total, count, t


@inline
def _shrink(w, d, l2, l1):
    """η times the penalty of w before w ← (1 − l2) w."""
    penalty = 0.0
    for j in range(d):
        penalty += 0.5 * l2 * w[j] * w[j] + l1 * abs(w[j])
        w[j] *= max(0.0, 1.0 - l2)
    return penalty


@inline
def _pay(rows, i, w, had, owed):
    """Move the coordinates of row i towards zero by what they still owe (Tsuruoka et al. 2009, figure 2)."""
    for k in range(rows.count(i)):
        j = rows.index(i, k)
        before = w[j]
        if before > 0.0:
            w[j] = max(0.0, before - (owed + had[j]))
        elif before < 0.0:
            w[j] = min(0.0, before + (owed - had[j]))
        had[j] += w[j] - before
