"""Codes of classes: labels as numbers and back, two-class problems made of many classes, and their joint decisions."""

from gnomon.numerics.coding.columns import (
    BinaryProblem,
    FittedColumns,
    code_problem,
    fit_columns,
    refit_columns,
    rest_code,
)
from gnomon.numerics.coding.labels import CODINGS, decode_labels, encode_labels, label_index
from gnomon.numerics.coding.outputs import column_output, column_outputs, offers
from gnomon.numerics.coding.pairs import (
    COUPLINGS,
    class_pairs,
    couple_pairs,
    dag_winners,
    pair_code,
    pair_problem,
    pair_sums,
)

__all__ = [
    "CODINGS",
    "COUPLINGS",
    "BinaryProblem",
    "FittedColumns",
    "class_pairs",
    "code_problem",
    "column_output",
    "column_outputs",
    "couple_pairs",
    "dag_winners",
    "decode_labels",
    "encode_labels",
    "fit_columns",
    "label_index",
    "offers",
    "pair_code",
    "pair_problem",
    "pair_sums",
    "refit_columns",
    "rest_code",
]
