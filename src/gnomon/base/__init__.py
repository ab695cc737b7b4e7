"""What estimators of several families share, for authors of estimators: validation of rows and weights, and one
estimator for each column of a coding matrix.

Further modules: `base.estimator` (the base class of all estimators), `base.routing` (metadata for wrapped estimators),
`base.callbacks` and `base.progress` (of long fits), `base.parameters`, `base.delegation` (methods that exist only if
the wrapped estimator has them), `base.spare_labels` (labels for rows without a class) and `base.coded_rows` (tables
with categories as numbers).
"""

from __future__ import annotations

from gnomon.base._kernel_rows import (
    count_rows,
    float_type,
    has_columns,
    is_given_matrix,
    kernel_of,
    kernel_rows,
    take_rows,
)
from gnomon.base._scales import warn_of_wild_scales
from gnomon.base.columns import FittedColumns, fit_columns, refit_columns
from gnomon.base.outputs import column_output, column_outputs, offers
from gnomon.base.rows import given_rows, map_rows, naming_columns, read_rows, table_rows, validate_rows
from gnomon.base.weights import fit_weighted

__all__ = [
    "FittedColumns",
    "column_output",
    "column_outputs",
    "count_rows",
    "fit_columns",
    "fit_weighted",
    "float_type",
    "given_rows",
    "has_columns",
    "is_given_matrix",
    "kernel_of",
    "kernel_rows",
    "map_rows",
    "naming_columns",
    "offers",
    "read_rows",
    "refit_columns",
    "table_rows",
    "take_rows",
    "validate_rows",
    "warn_of_wild_scales",
]
