"""Codes of classes: labels as numbers and back, two-class problems made of many classes, and their joint decisions."""

from __future__ import annotations

from gnomon.numerics.coding.labels import CODINGS, decode_labels, encode_labels, label_index
from gnomon.numerics.coding.pairs import (
    COUPLINGS,
    class_pairs,
    couple_pairs,
    dag_winners,
    pair_code,
    pair_problem,
    pair_sums,
)
from gnomon.numerics.coding.problems import BinaryProblem, code_problem, rest_code

__all__ = [
    "CODINGS",
    "COUPLINGS",
    "BinaryProblem",
    "class_pairs",
    "code_problem",
    "couple_pairs",
    "dag_winners",
    "decode_labels",
    "encode_labels",
    "label_index",
    "pair_code",
    "pair_problem",
    "pair_sums",
    "rest_code",
]
