"""Ours beside the peers: same data, same quality, same threads, one process, interleaved.

    ratio = median seconds of the peer / median seconds of ours                                                (1)

reported only if q(ours) ≤ min q(peers) + tolerance, q being what was minimised.
A row is a value (`benchmarks._row.Row`); a family is a module of rows (`benchmarks.linear`). ``python -m benchmarks``
measures speed, growth with size, peak memory and the first call in a fresh process, prints Markdown and writes it
beside a JSON file to ``benchmarks/results``.
"""

import hashlib
import os
import tempfile
from pathlib import Path

__all__ = ["use_own_cache"]


def use_own_cache():
    """Keep compiled kernels in a folder named after all sources; to be called before Numba is imported.

    Numba's cache follows the file of a kernel but not the files of what it calls.
    """
    digest = hashlib.sha256()
    for path in sorted((Path(__file__).resolve().parents[1] / "src").rglob("*.py")):
        digest.update(path.read_bytes())
    folder = Path(tempfile.gettempdir()) / f"gnomon-numba-{digest.hexdigest()[:16]}"
    os.environ.setdefault("NUMBA_CACHE_DIR", str(folder))
