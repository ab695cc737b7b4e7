"""``python -m benchmarks [family] [--quick] [--rows NAME …] [--parts speed,growth,…] [--update] [--out DIR]``."""

import argparse
import os
import sys
from importlib import import_module
from math import nan
from pathlib import Path
from pkgutil import iter_modules

THREADS = 2
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    # Read once by each library when it is loaded, hence before any of them is imported.
    os.environ[_variable] = str(THREADS)

HERE = Path(__file__).resolve().parent
PARTS = ("speed", "growth", "memory", "cold")
CONTESTS = ("learn",)
"""Families that compare losses on files, and no times."""


def families():
    """The modules of rows in this package."""
    return sorted(module.name for module in iter_modules([str(HERE)]) if not module.name.startswith("_"))


def run(family, *, quick=False, wanted=(), parts=PARTS):
    """Measure one family, or what of it has one of the words `wanted` in its name; return the report as plain data."""
    from benchmarks._report import environment

    module = import_module(f"benchmarks.{family}")
    rows = [row for row in module.ROWS if _is_wanted(row.name, wanted)]
    estimators = [pair for pair in _estimators(module) if _is_wanted(pair[1], wanted)]
    if not rows and not estimators:
        raise SystemExit(f"--rows {' '.join(wanted)} matches none of {[row.name for row in module.ROWS]}")
    _limit_threads()
    about = {"family": family, "mode": "quick" if quick else "full", "environment": environment(THREADS)}
    if family in CONTESTS:
        return about | {part: [] for part in PARTS} | {"contest": module.contest(rows, quick=quick)}
    answers = {
        "speed": lambda: _speed(rows, quick=quick),
        "growth": lambda: [] if quick else _growth(rows),
        "memory": lambda: _memory(family, rows, quick=quick),
        "cold": lambda: _cold(estimators[: 1 if quick else None]),
    }
    return about | {part: answers[part]() if part in parts else [] for part in PARTS}


def _is_wanted(name, wanted):
    return not wanted or any(word.lower() in name.lower() for word in wanted)


def _estimators(module):
    from benchmarks._cold import public_estimators

    return [(package, name) for package in module.PACKAGES for name in public_estimators(package)]


def names(family):
    """What the lines of each part of a report are called, in their order."""
    module = import_module(f"benchmarks.{family}")
    rows = [row.name for row in module.ROWS]
    memory = [_label(row, size) for row in module.ROWS for size in row.memory]
    return {"speed": rows, "growth": rows, "memory": memory, "cold": [name for _, name in _estimators(module)]}


def _speed(rows, *, quick):
    from benchmarks._measure import measure

    lines = []
    for row in rows:
        _say("speed", row.name)
        found = measure(row, size=row.quick, repeats=2) if quick else measure(row)
        lines += [result.as_dict() for result in found]
    return lines


def _growth(rows):
    from benchmarks._measure import growth

    lines = []
    for row in rows:
        if row.ladder:
            _say("growth", row.name)
            lines.append({"row": row.name, "axis": row.axis, "exponents": growth(row)})
    return lines


def _memory(family, rows, *, quick):
    from benchmarks._memory import peak_memory

    lines = []
    for row in rows:
        for size in row.memory:
            size = size | {"n": size["n"] // 10} if quick else size
            _say("memory", row.name)
            label = _label(row, size)
            peers = [] if row.memory_limit is not None else [peer.name for peer in row.peers]
            found = {
                name: _or_failure(peak_memory, family, row, name, size, empty={"input": nan, "multiple": nan})
                for name in ("gnomon", *peers)
            }
            limit = row.memory_limit or min(found[name]["multiple"] for name in peers)
            verdict = "met" if found["gnomon"]["multiple"] <= limit else "missed"
            lines.append({"row": label, "contestant": "gnomon", "limit": limit, "verdict": verdict, **found["gnomon"]})
            lines += [{"row": label, "contestant": name, "limit": nan, "verdict": "–", **found[name]} for name in peers]
    return lines


def _label(row, size):
    return f"{row.name} {size.get('dtype', '')}".strip()


def _cold(estimators):
    from benchmarks._cold import LIMITS, first_calls

    lines = []
    for package, name in estimators:
        _say("cold", name)
        empty = {"estimator": name, "import": nan, "cold": nan, "warm": nan}
        found = _or_failure(first_calls, package, name, empty=empty)
        met = all(found[key] <= limit for key, limit in LIMITS.items())
        lines.append({"verdict": "met" if met else "missed", **found})
    return lines


def _or_failure(measure, *arguments, empty):
    """What was measured, or `empty` and the reason: one failure must not cost the results of the others."""
    try:
        return measure(*arguments)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return {**empty, "verdict": "failed"}


def _say(part, what):
    print(f"{part:8}{what}", file=sys.stderr)


def _limit_threads():
    from threadpoolctl import threadpool_limits

    threadpool_limits(THREADS)
    try:
        from daal4py import daalinit
    except ImportError:
        return
    daalinit(THREADS)


def main(arguments=None):
    """Parse the command line, measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("family", nargs="?", choices=families(), help="one family; all of them by default")
    parser.add_argument("--quick", action="store_true", help="toy sizes: does the harness work?")
    parser.add_argument("--rows", nargs="+", default=(), metavar="NAME", help="only rows and estimators of these names")
    parser.add_argument("--parts", default=",".join(PARTS), help="which questions, comma-separated")
    parser.add_argument("--update", action="store_true", help="replace what was measured in the published results")
    parser.add_argument("--out", type=Path, help="folder for the results; benchmarks/results after a full run")
    options = parser.parse_args(arguments)
    parts = options.parts.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"--parts has {sorted(unknown)}; choose from {list(PARTS)}")
    if options.update and (options.quick or options.out):
        parser.error("--update puts results of full size into benchmarks/results: it takes neither --quick nor --out")
    from benchmarks import _report

    whole = not (options.quick or options.rows or set(parts) != set(PARTS))
    folder = options.out or (HERE / "results" if whole or options.update else None)
    for family in [options.family] if options.family else families():
        report = run(family, quick=options.quick, wanted=options.rows, parts=parts)
        print(_report.markdown(report))
        if options.update:
            report = _report.updated(_report.read(folder, family), report, names(family))
        if folder:
            _report.write(report, folder, family)


if __name__ == "__main__":
    main()
