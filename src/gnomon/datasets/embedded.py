"""The table that comes with gnomon: made-up customers of a bicycle hire, and whether they cancelled within a year.

    P(cancelled) = σ(−2.4 + 1.6·[monthly plan] − 0.1·(rides − 9) − 0.8·(rating − 3.5) + 2.0·[complaint] + 0.8·[Graz]
                     − 0.8·[newsletter] + 0.04·(fee − 19))                                                       (1)

The rows are drawn by `make_demo` with a fixed seed and stored as ``bicycles.csv``; nobody in it exists. Like
a real table it has an identifier, a constant column, dates, categories, short messages and gaps.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import date, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from gnomon._typing import RandomState

__all__ = ["demo_path", "make_demo"]

NAME = "bicycles.csv"
TARGET = "cancelled"
ROWS = 600

CITIES = ("Bern", "Graz", "Lyon", "Porto", "Utrecht")
OPENINGS = ("Hello,", "Dear team,", "Hi there,", "Good morning,", "Hey,", "To whom it may concern,")
GOOD = ("the new bicycles ride very well", "I like the station near my office", "thanks for the quick answer",
        "the app got much better lately", "my whole family rides with you now")  # fmt: skip
BAD = ("the brakes were broken again", "my station is empty every morning", "I was charged twice last month",
       "the lock did not open at all", "nobody answers my messages")  # fmt: skip
CLOSINGS = ("kind regards", "see you soon", "please get back to me", "all the best", "that is all", "cheers to all",
            "have a nice weekend", "with best wishes")  # fmt: skip


def demo_path() -> tuple[Path, str]:
    """Where the embedded table lies, and the name of its target.

    Examples
    --------
    >>> from gnomon.datasets.embedded import demo_path
    >>> from gnomon.io import read_table
    >>> path, target = demo_path()
    >>> len(read_table(path)), target
    (600, 'cancelled')
    """
    return Path(str(files("gnomon.datasets") / NAME)), TARGET


def make_demo(random_state: RandomState = 7) -> str:
    """The text of the embedded table, drawn anew by equation (1) of this module.

    Examples
    --------
    >>> from gnomon.datasets.embedded import make_demo
    >>> make_demo().splitlines()[0]
    'customer_id,joined,country,city,plan,monthly_fee,age,rides_last_month,rating,newsletter,message,cancelled'
    """
    rng = np.random.default_rng(random_state)
    rows = [_customer(rng) for _ in range(ROWS)]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def _customer(rng: np.random.Generator) -> dict[str, Any]:
    monthly = rng.random() < 0.45
    city = CITIES[rng.choice(5, p=[0.15, 0.3, 0.25, 0.1, 0.2])]
    rides = int(rng.negative_binomial(3, 0.25))
    rating = int(np.clip(np.round(rng.normal(3.6, 1.0)), 1, 5))
    complaint = rng.random() < 0.35
    newsletter = rng.random() < 0.4
    fee = round(float(rng.normal(24 if monthly else 17, 3)), 2)
    score = -2.4 + 1.6 * monthly - 0.1 * (rides - 9) - 0.8 * (rating - 3.5) + 2.0 * complaint
    score += 0.8 * (city == "Graz") - 0.8 * newsletter + 0.04 * (fee - 19)
    return {
        "customer_id": f"C{rng.integers(10**6):06d}",
        "joined": (date(2021, 1, 1) + timedelta(days=int(rng.integers(900)))).isoformat(),
        "country": "Europe",
        "city": city,
        "plan": "monthly" if monthly else "yearly",
        "monthly_fee": fee,
        "age": _or_gap(rng, 0.08, int(np.clip(rng.normal(38, 12), 16, 80))),
        "rides_last_month": _or_gap(rng, 0.05, rides),
        "rating": _or_gap(rng, 0.2, rating),
        "newsletter": "yes" if newsletter else "no",
        "message": _or_gap(rng, 0.25, _message(rng, BAD if complaint else GOOD)),
        "cancelled": "yes" if rng.random() < 1 / (1 + np.exp(-score)) else "no",
    }


def _or_gap(rng: np.random.Generator, share: float, value: Any) -> Any:
    return "" if rng.random() < share else value


def _message(rng: np.random.Generator, phrases: Sequence[str]) -> str:
    parts = (OPENINGS, phrases, CLOSINGS)
    return " ".join(part[int(rng.integers(len(part)))] for part in parts)
