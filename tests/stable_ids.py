"""Names of test cases that are the same in every process, as parallel runs need."""

import re


def stable_repr(case):
    """`repr`, without the address of a function in memory."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(case))
