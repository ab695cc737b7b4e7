"""Files that are written whole or not at all.

    write name.part,    then rename it to name                                                        (1)

A reader finds the old file or the new one, never a part; POSIX.1-2017, rename.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["write_text"]


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text by (1), in UTF-8.

    Parameters
    ----------
    path : str or path
    text : str

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from gnomon.base.files import write_text
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "state.json")
    ...     write_text(path, "{}")
    ...     path.read_text(), [other.name for other in path.parent.iterdir()]
    ('{}', ['state.json'])
    """
    whole = Path(path)
    beside = whole.with_name(whole.name + ".part")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, whole)
