"""The laws of nouns and estimators, as checks for your own: each raises an AssertionError that names the law.

    check(thing) returns nothing  ⇔  no counterexample was found                                    (1)

Claessen & Hughes (2000), QuickCheck: a lightweight tool for random testing, doi:10.1145/351240.351266. Every loss,
penalty, kernel, split criterion and estimator of this package is held to them; `sklearn.utils.estimator_checks` has
the checks of the contract that they extend.
"""

from __future__ import annotations

from gnomon.testing.certificates import check_certificate
from gnomon.testing.criteria import check_criterion
from gnomon.testing.estimators import (
    check_float32_is_kept,
    check_input_untouched,
    check_save_load,
    check_sparse_equals_dense,
    check_weights_are_repetitions,
)
from gnomon.testing.kernels import check_kernel_laws
from gnomon.testing.losses import check_loss
from gnomon.testing.options import check_numpy_options, check_options
from gnomon.testing.penalties import check_penalty
from gnomon.testing.units import CHANGES_OF_UNITS, ChangeOfUnits, check_units

__all__ = [
    "CHANGES_OF_UNITS",
    "ChangeOfUnits",
    "check_certificate",
    "check_criterion",
    "check_float32_is_kept",
    "check_input_untouched",
    "check_kernel_laws",
    "check_loss",
    "check_numpy_options",
    "check_options",
    "check_penalty",
    "check_save_load",
    "check_sparse_equals_dense",
    "check_units",
    "check_weights_are_repetitions",
]
