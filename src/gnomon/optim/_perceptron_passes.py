"""Passes of the perceptron: rows in order, one mistake at a time, or all mistakes at once.

    w = c v,    every visit: c ← (1 − l2) c,    at a mistake: v ← v + (η sᵢ yᵢ / c) xᵢ                 (1)

Kept as a multiple c of a vector v, w is shrunk at the price of one product (Bottou 2012, section 5.1,
doi:10.1007/978-3-642-35289-8_25). The l1 penalty is a running total u, of which a coordinate pays what it has not paid
yet only when a row that holds it is visited (Tsuruoka, Tsujii & Ananiadou 2009, figure 2, ACL 47, 477–485). So a visit
costs the stored entries of its row, with a penalty or without.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Protocol, Self, TypeAlias

import numpy as np

from gnomon._jit import compiled, jit_no_alloc, jitable, noun
from gnomon._typing import Array, Floats, Integers
from gnomon.numerics.design import Design, Vectors
from gnomon.numerics.gram_design import GramDesign, GramVectors

__all__ = [
    "Book",
    "Frame",
    "Pass",
    "Pocket",
    "Shrinkage",
    "batch_pass",
    "margins_of",
    "mean_loss",
    "mistakes_of",
    "picking_pass",
    "visiting_pass",
]

SCALE, OWED, SQUARES, MODULI = range(4)
"""Places in the memory of a `Shrinkage`: c, u, and Σ wⱼ², Σ |wⱼ| over the row of the last update, as it left them."""

SMALLEST = 1e-9
"""A smaller c is multiplied into v, before 1/c can overflow."""


Pass: TypeAlias = tuple[float, int, bool]
"""The mean loss met, the mistakes, and False if none can ever follow."""


class Book(Protocol):
    """The record of updates."""

    counts: Integers

    def add(self, rows: Integers, when: Integers, visited: int) -> None: ...


class Pocket(Protocol):
    """Where the best weights are kept."""

    def offer(self) -> None: ...


class Frame(NamedTuple):
    """What the passes work on: w and b of every score change in place."""

    design: Design | GramDesign
    rows: Vectors | GramVectors
    target: Array
    s: Floats
    eta: float
    share: float
    W: Floats
    b: Floats
    book: Book

    @classmethod
    def of(
        cls,
        design: Design | GramDesign,
        target: Array,
        weights: Floats,
        eta: float,
        intercept_rate: float,
        theta: Floats,
        book: Book,
    ) -> Self:
        """Start at `theta`; without an intercept, b has no share in a step."""
        W, b = design.split(np.array(theta, dtype=float))
        share = 0.0 if design.intercept == "none" else intercept_rate * design.bias**2
        # The kernels add b themselves, because its rate differs from that of the columns.
        rows = replace(design, intercept="none").rows
        b = np.zeros(len(W)) + b
        return cls(design, compiled(rows), target, weights.astype(float), eta, share, np.array(W, order="C"), b, book)

    @property
    def theta(self) -> Floats:
        """(w, b) of every score, packed as the design has it."""
        return np.hstack([self.W, self.b[:, None] / self.design.bias])[:, : self.design.width]


@noun
class Shrinkage:
    """The amounts that a visit takes from w, what each coordinate has had of l1, and the `memory`."""

    l2: float
    l1: float
    had: Floats
    memory: Floats

    @classmethod
    def of(cls, decay: tuple[float, float], W: Floats) -> Self:
        """Nothing has been taken yet; the norms are those of the start."""
        return cls(*decay, np.zeros(W.shape[1]), np.array([1.0, 0.0, np.sum(W**2), np.sum(np.abs(W))]))


def margins_of(frame: Frame, theta: Floats) -> tuple[Floats, Integers]:
    """y (xᵀw + b), or s_y − max_{j≠y} s_j, and the best wrong class of every row."""
    z = frame.design.apply(theta)
    if theta.shape[0] == 1:
        return frame.target * z[:, 0], np.zeros(len(z), dtype=np.int64)
    index = np.arange(len(z))
    right = z[index, frame.target]
    z[index, frame.target] = -np.inf
    rival = np.argmax(z, axis=1)
    return right - z[index, rival], rival


def mean_loss(frame: Frame, m: Floats) -> float:
    """The weighted mean of max(0, −m)."""
    return float(np.sum(frame.s * np.maximum(0.0, -m)) / np.sum(frame.s))


def mistakes_of(frame: Frame, m: Floats) -> Integers:
    """The rows with margin m ≤ 0; one without weight cannot be a mistake."""
    return np.flatnonzero((m <= 0.0) & (frame.s > 0.0))


def batch_pass(frame: Frame, pocket: Pocket | None) -> Pass:
    """Move once by the sum over all mistakes; returns the mean loss met, the mistakes, and False if none can follow."""
    m, rival = margins_of(frame, frame.theta)
    wrong = mistakes_of(frame, m)
    amount = frame.eta * frame.s[wrong]
    g = np.zeros((frame.design.n, len(frame.W)))
    if len(frame.W) == 1:
        g[wrong, 0] = amount * frame.target[wrong]
    else:
        g[wrong, frame.target[wrong]] = amount
        g[wrong, rival[wrong]] = -amount
    w_step, b_step = (frame.design.X.T @ g).T, frame.share * np.sum(g, axis=0)
    frame.W[...] += w_step
    frame.b[...] += b_step
    frame.book.counts[wrong] += 1
    frame.book.add(wrong, np.zeros_like(wrong), 1)
    if pocket is not None:
        pocket.offer()
    # If the updates of all mistakes sum to zero, nothing will change any more.
    return mean_loss(frame, m), len(wrong), not len(wrong) or bool(np.any(w_step) or np.any(b_step))


def picking_pass(frame: Frame, pocket: Pocket | None, rng: np.random.RandomState | None) -> Pass:
    """As many updates as there are rows, each at the first or a random mistake; returns what `batch_pass` does."""
    loss, mistakes = 0.0, 0
    for step in range(frame.design.n):
        m, rival = margins_of(frame, frame.theta)
        wrong = mistakes_of(frame, m)
        if step == 0:
            loss = mean_loss(frame, m)
        if not len(wrong):
            break
        i = int(wrong[0] if rng is None else wrong[rng.randint(len(wrong))])
        amount = frame.eta * frame.s[i]
        _learn(frame.rows, float(frame.target[i]), i, int(rival[i]), amount, frame.share, 1.0, frame.W, frame.b)
        frame.book.counts[i] += 1
        frame.book.add(np.array([i]), np.zeros(1, dtype=np.int64), 1)
        mistakes += 1
        if pocket is not None:
            pocket.offer()
    return loss, mistakes, True


def visiting_pass(frame: Frame, pocket: Pocket | None, order: Integers, shrinkage: Shrinkage) -> Pass:
    """All visits at once, or with a pocket from mistake to mistake; returns what `batch_pass` does."""
    total, mistakes, first = 0.0, 0, 0
    limit, log = len(order) if pocket is None else 1, np.empty((len(order), 2), dtype=np.int64)
    given = frame.rows, frame.target.astype(float), frame.s, frame.eta, frame.share, compiled(shrinkage)
    while first < len(order):
        loss, count, done = _visit(*given, order[first:], limit, frame.W, frame.b, frame.book.counts, log)
        frame.book.add(log[:count, 1], log[:count, 0], done)
        total, mistakes, first = total + loss, mistakes + count, first + done
        if pocket is not None and count:
            pocket.offer()
    return total / max(len(order), 1), mistakes, True


@jit_no_alloc
def _learn(
    rows: Vectors | GramVectors,
    target: float,
    i: int,
    rival: int,
    amount: float,
    share: float,
    scale: float,
    W: Floats,
    b: Floats,
) -> None:
    if W.shape[0] == 1:
        rows.add(i, amount * target / scale, W[0])
        b[0] += share * amount * target
    else:
        rows.add(i, amount, W[int(target)])
        rows.add(i, -amount, W[rival])
        b[int(target)] += share * amount
        b[rival] -= share * amount


@jitable
def _margin(
    rows: Vectors | GramVectors, target: float, i: int, scale: float, W: Floats, b: Floats
) -> tuple[float, int]:
    """The margin of row i and the best wrong class."""
    if W.shape[0] == 1:
        return target * (scale * rows.dot(i, W[0]) + b[0]), 0
    right, best, rival = 0.0, -np.inf, 0
    for k in range(W.shape[0]):
        z = rows.dot(i, W[k]) + b[k]
        if k == int(target):
            right = z
        elif z > best:
            best, rival = z, k
    return right - best, rival


@jit_no_alloc
def _visit(
    rows: Vectors | GramVectors,
    target: Floats,
    s: Floats,
    eta: float,
    share: float,
    shrinkage: Shrinkage,
    order: Integers,
    limit: int,
    W: Floats,
    b: Floats,
    counts: Integers,
    log: Integers,
) -> tuple[float, int, int]:
    """Visit rows in order until `limit` mistakes; returns the sum of the losses met, the mistakes and the visits."""
    total, count, t, memory = 0.0, 0, 0, shrinkage.memory
    penalized = shrinkage.l2 > 0.0 or shrinkage.l1 > 0.0
    while t < order.shape[0] and count < limit:
        i = order[t]
        m, rival = _margin(rows, target[i], i, memory[SCALE], W, b)
        total += max(0.0, -m)
        if penalized:
            total += (0.5 * shrinkage.l2 * memory[SQUARES] + shrinkage.l1 * memory[MODULI]) / eta
            _shrink(shrinkage, W[0])
        if m <= 0.0 and s[i] > 0.0:
            _learn(rows, target[i], i, rival, eta * s[i], share, memory[SCALE], W, b)
            log[count, 0], log[count, 1] = t, i
            counts[i] += 1
            count += 1
            if penalized:
                _measure(rows, i, W[0], memory)
        if shrinkage.l1 > 0.0:
            _pay(rows, i, W[0], shrinkage)
        t += 1
    _unscale(W[0], memory)
    return total, count, t


@jitable
def _shrink(shrinkage: Shrinkage, v: Floats) -> None:
    """w ← (1 − l2) w."""
    factor, memory = max(0.0, 1.0 - shrinkage.l2), shrinkage.memory
    memory[SCALE] *= factor
    memory[SQUARES] *= factor * factor
    memory[MODULI] *= factor
    if memory[SCALE] < SMALLEST:
        _unscale(v, memory)


@jitable
def _unscale(v: Floats, memory: Floats) -> None:
    """Write w itself in place of v."""
    if memory[SCALE] != 1.0:
        for j in range(v.shape[0]):
            v[j] *= memory[SCALE]
        memory[SCALE] = 1.0


@jitable
def _measure(rows: Vectors | GramVectors, i: int, v: Floats, memory: Floats) -> None:
    """Remember the norms of w over the coordinates of row i."""
    squares, moduli = 0.0, 0.0
    for k in range(rows.count(i)):
        value = v[rows.index(i, k)]
        squares += value * value
        moduli += abs(value)
    memory[SQUARES] = squares * memory[SCALE] * memory[SCALE]
    memory[MODULI] = moduli * memory[SCALE]


@jitable
def _pay(rows: Vectors | GramVectors, i: int, v: Floats, shrinkage: Shrinkage) -> None:
    """Raise what every coordinate owes by l1, and move those of row i towards zero by what they have not paid."""
    had, memory = shrinkage.had, shrinkage.memory
    memory[OWED] += shrinkage.l1
    owed, scale = memory[OWED], memory[SCALE]
    for k in range(rows.count(i)):
        j = rows.index(i, k)
        before = v[j]
        if before > 0.0:
            v[j] = max(0.0, before - (owed + had[j]) / scale)
        elif before < 0.0:
            v[j] = min(0.0, before + (owed - had[j]) / scale)
        had[j] += scale * (v[j] - before)
