"""How many groups a table has, asked in several ways.

    groups, if the gap statistic and prediction strength both find more than one; as many as the smaller of the two  (1)

A cloud that is long in one direction is cut in the same place by both halves of the rows, but is no less compact than
rows without structure; skewed columns are compact in places, but two halves cut them differently. Only groups pass
both. Tibshirani, Walther & Hastie (2001), doi:10.1111/1467-9868.00293; Tibshirani & Walther (2005),
doi:10.1198/106186005X59243; Rousseeuw (1987), doi:10.1016/0377-0427(87)90125-7.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import Floats
from gnomon.cluster import KSelection, select_k

__all__ = ["QUESTIONS", "Answer", "NumberOfGroups", "Question", "ask"]

MOST_GROUPS, ROWS_OF_A_GROUP = 10, 5
LEAST_STRENGTH = 0.8


class Question(NamedTuple):
    """One way to ask for the number: a method of `select_k`, its curve, and its answers in words."""

    method: Any
    name: str
    text: str
    options: Mapping[str, Any]
    curve: str
    decides: bool
    said: Callable[[KSelection], str]


class Answer(NamedTuple):
    """What one way found; `k` is 1 where it says that there are no groups, None where it cannot tell."""

    question: Question
    found: KSelection

    @property
    def k(self) -> int | None:
        """The number of groups."""
        return self.found.k

    @property
    def verdict(self) -> str:
        """In a few words."""
        if self.k is None:
            return "no answer"
        return "no groups" if self.k == 1 else f"{self.k} groups"

    @property
    def reason(self) -> str:
        """In a sentence."""
        return self.question.said(self.found)


class NumberOfGroups(NamedTuple):
    """Equation (1), and every answer."""

    k: int
    answers: tuple[Answer, ...]
    n_rows: int

    @property
    def deciding(self) -> list[Answer]:
        """The answers that count."""
        return [answer for answer in self.answers if answer.question.decides]

    @property
    def why(self) -> str:
        """What decided, in a sentence."""
        against = [answer for answer in self.deciding if answer.k == 1]
        if against:
            return "; ".join(answer.reason for answer in against)
        first, second = self.deciding
        if first.k == second.k:
            return f"{first.question.name} and {second.question.name} agree on {self.k}"
        low, high = self._by_size
        return (
            f"{low.question.name} speaks for {low.k} and {high.question.name} for {high.k}, and the smaller one counts"
        )

    @property
    def advice(self) -> str:
        """What else may be looked at; empty where all that decide agree."""
        low, high = self._by_size
        if low.k == high.k:
            return ""
        who = f"{high.question.name} alone speaks for {high.k} groups; " if low.k == 1 else ""
        return f"{who}--clusters {high.k} shows {'them' if who else 'the other number'}"

    @property
    def _by_size(self) -> list[Answer]:
        return sorted(self.deciding, key=lambda answer: answer.k or 1)


def _gap_text(found: KSelection) -> str:
    if found.k == 1:
        return "groups bring rows no closer together than they bring rows without structure"
    at = found.table["k"] == found.k
    if found.table["cost"][at][0] == 0.0:
        return f"{found.k} groups hold all that differs between the rows"
    gain = found.table["gap"][at][0] - found.table["gap"][0]
    return f"{found.k} groups bring rows closer together than rows without structure, by a gap of {gain:.2f}"


def _strength_text(found: KSelection) -> str:
    strengths = dict(zip(found.table["k"].tolist(), found.table["strength"].tolist(), strict=True))
    if found.k == 1:
        best = max((k for k in strengths if k > 1), key=lambda k: strengths[k])
        return (
            f"two halves of the rows do not find the same groups (at best, for {best}, a strength of "
            f"{strengths[best]:.2f}, where {LEAST_STRENGTH:g} is asked for)"
        )
    return f"two halves of the rows find the same {found.k} groups, with a strength of {strengths[found.k or 1]:.2f}"


def _silhouette_text(found: KSelection) -> str:
    return f"the mean silhouette is largest there, {np.nanmax(found.table['silhouette']):.2f}; it cannot say “none”"


def _elbow_text(found: KSelection) -> str:
    if found.k is None:
        return "the spread within groups falls with their number without a sharp bend"
    return "the spread within groups falls sharply up to there, and slowly beyond"


QUESTIONS = (
    Question(
        "gap",
        "the gap statistic",
        "Are rows closer together in k groups than rows without structure would be?",
        {"rule": "max", "n_references": 10},
        "gap",
        True,
        _gap_text,
    ),
    Question(
        "prediction_strength",
        "prediction strength",
        "Do two random halves of the rows find the same k groups?",
        {"n_splits": 10, "threshold": LEAST_STRENGTH},
        "strength",
        True,
        _strength_text,
    ),
    Question(
        "silhouette",
        "the silhouette",
        "Are rows nearer to their own group than to the next?",
        {},
        "silhouette",
        False,
        _silhouette_text,
    ),
    Question(
        "elbow",
        "the elbow",
        "Does the spread within groups, as a share of all spread, stop falling at some k?",
        {},
        "cost",
        False,
        _elbow_text,
    ),
)


def ask(
    X: Floats, estimator: BaseEstimator, *, most_rows: int, seed: int, progress: Callable[[str], None]
) -> NumberOfGroups:
    """Every question, on the same random rows."""
    rows = np.sort(np.random.default_rng(seed).permutation(len(X))[:most_rows])
    sample = X[rows]
    distinct = len(np.unique(sample, axis=0))
    ks = range(1, min(MOST_GROUPS, len(sample) // ROWS_OF_A_GROUP, distinct) + 1)
    answers = tuple(_answer(question, sample, ks, estimator, seed, progress) for question in QUESTIONS)
    deciding = [answer.k or 1 for answer in answers if answer.question.decides]
    return NumberOfGroups(min(deciding), answers, len(sample))


def _answer(
    question: Question,
    X: Floats,
    ks: Sequence[int],
    estimator: BaseEstimator,
    seed: int,
    progress: Callable[[str], None],
) -> Answer:
    progress(f"asking {question.name}")
    with warnings.catch_warnings():
        # A trial with more groups than different rows says so; the answer shows it.
        warnings.simplefilter("ignore")
        return Answer(
            question,
            select_k(X, ks, method=question.method, estimator=estimator, random_state=seed, **question.options),
        )
