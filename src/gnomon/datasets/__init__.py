"""Data to learn and demonstrate with: makers of problems whose answer is known, and small tables that are shipped."""

from __future__ import annotations

from gnomon.datasets.anomalies import make_account_activity, make_datacenter, make_engines
from gnomon.datasets.boundaries import (
    make_center_corner,
    make_linear_outliers,
    make_quadratic_boundary,
    make_threshold,
)
from gnomon.datasets.embedded import demo_path, make_demo
from gnomon.datasets.groups import (
    load_fruits,
    make_customers,
    make_elongated,
    make_groups,
    make_rings,
    make_tshirts,
    make_uniform_box,
)
from gnomon.datasets.heart_attack import make_heart_attack
from gnomon.datasets.informative_pair import make_informative_pair
from gnomon.datasets.margin_outlier import make_margin_outlier
from gnomon.datasets.parity import make_parity, make_xor
from gnomon.datasets.planted_rules import make_diagonal, make_dnf
from gnomon.datasets.textbook import load_books, load_weather_play

__all__ = [
    "demo_path",
    "load_books",
    "load_fruits",
    "load_weather_play",
    "make_account_activity",
    "make_center_corner",
    "make_customers",
    "make_datacenter",
    "make_demo",
    "make_diagonal",
    "make_dnf",
    "make_elongated",
    "make_engines",
    "make_groups",
    "make_heart_attack",
    "make_informative_pair",
    "make_linear_outliers",
    "make_margin_outlier",
    "make_parity",
    "make_quadratic_boundary",
    "make_rings",
    "make_threshold",
    "make_tshirts",
    "make_uniform_box",
    "make_xor",
]
