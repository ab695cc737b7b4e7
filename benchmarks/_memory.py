"""Peak memory of one call, in a fresh process.

    multiple = (input + growth of the resident set during the call) / input                                    (1)

The resident set is what the operating system counts, BLAS buffers included, which Python's own tracing does not see.
"""

import json
import resource
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

__all__ = ["input_bytes", "peak_memory"]

ROOT = Path(__file__).resolve().parents[1]
STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak_memory(family, row, contestant, size):
    """The multiple (1) of one contestant ("gnomon" or a peer's name), measured in a process of its own."""
    question = json.dumps([family, row.name, contestant, size])
    command = [sys.executable, "-m", "benchmarks._memory", question]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the process that measures {row.name!r} for {contestant!r} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def input_bytes(data):
    """Bytes of X and y; of a sparse X, of its three arrays."""
    parts = [data.X.data, data.X.indices, data.X.indptr] if data.sparse else [data.X]
    return sum(part.nbytes for part in [*parts, data.y])


def _answer(family, name, contestant, size):
    row = next(row for row in import_module(f"benchmarks.{family}").ROWS if row.name == name)
    run = row.ours if contestant == "gnomon" else next(peer.run for peer in row.peers if peer.name == contestant)
    small = row.make(**row.quick | {key: size[key] for key in size if key == "dtype"})
    run(small)
    data = row.make(**size)
    before = _start_count()
    run(data)
    return {"input": (held := input_bytes(data)), "multiple": (held + max(_peak() - before, 0)) / held}


def _start_count():
    """Set the peak to the present size where the system can; return the size that the peak is compared with."""
    try:
        RESET.write_text("5")
    except OSError:
        return _peak()
    return _status("VmRSS")


def _peak():
    if STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _status(field):
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(_answer(*json.loads(sys.argv[1]))))
