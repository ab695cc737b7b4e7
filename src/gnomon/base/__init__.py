"""What estimators of several families share, for whoever writes one: rows and weights on their way in, and one
estimator for each column of a code.

Beside these names stand `base.estimator` (the root of all estimators), `base.routing` (metadata on their way to parts),
`base.callbacks` and `base.progress` (of long fits), `base.parameters`, `base.delegation` (methods that the estimator
inside another has or lacks), `base.spare_labels` (of rows that get no class) and `base.coded_rows` (tables with
categories as numbers).
"""

from gnomon.base.columns import FittedColumns, fit_columns, refit_columns
from gnomon.base.outputs import column_output, column_outputs, offers
from gnomon.base.rows import given_rows, map_rows, naming_columns, table_rows, validate_rows
from gnomon.base.weights import fit_weighted

__all__ = [
    "FittedColumns",
    "column_output",
    "column_outputs",
    "fit_columns",
    "fit_weighted",
    "given_rows",
    "map_rows",
    "naming_columns",
    "offers",
    "refit_columns",
    "table_rows",
    "validate_rows",
]
