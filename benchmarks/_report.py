"""The results as Markdown for people and as JSON for machines."""

import json
import os
import platform
from datetime import UTC, datetime
from importlib import metadata

import numpy as np

__all__ = ["environment", "markdown", "read", "updated", "write"]

PACKAGES = ("gnomon", "numpy", "scipy", "scikit-learn", "numba", "skglm", "celer", "scikit-learn-intelex", "lightgbm")


def environment(threads):
    """Where and with what the numbers were measured."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    return {
        "when": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        "threads": threads,
        "python": platform.python_version(),
        "versions": versions,
    }


def markdown(report):
    """The report as a Markdown text with one table per question."""
    about = report["environment"]
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items() if version)
    parts = [f"Measured {about['when']} on {about['machine']}, {about['threads']} threads; {versions}."]
    if report["mode"] == "quick":
        parts.append("**Quick mode: toy sizes that show only that the harness works.**")
    promised = [line for line in report["speed"] if np.isfinite(line["target"]) and line["verdict"] != "not installed"]
    if promised:
        kept = sum(line["verdict"] == "met" for line in promised)
        parts.append(f"{kept} of {len(promised)} promised ratios met.")
    if report.get("contest"):
        parts.append(_outcome(report["contest"]))
    for title, head, rows in _tables(report):
        if rows:
            parts.append(f"### {title}\n\n{_table(head, rows)}")
    return "\n\n".join(parts) + "\n"


def write(report, folder, family):
    """Write ``family.md`` and ``family.json`` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{family}.md").write_text(markdown(report), encoding="utf-8")
    (folder / f"{family}.json").write_text(json.dumps(report, indent=1, default=float) + "\n", encoding="utf-8")


def read(folder, family):
    """What was published of a family, or None."""
    path = folder / f"{family}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def updated(published, report, names):
    """`published` with the lines of `report` in place of those of the same name; `names` are those that there are.

    What was measured elsewhere, or with other packages, cannot stand beside it.
    """
    if published is None:
        return report
    old, new = (_place(one["environment"]) for one in (published, report))
    if old != new:
        raise SystemExit(f"the published results are from {old}, these from {new}; measure the whole family")
    return report | {part: _replaced(published[part], report[part], order) for part, order in names.items()}


def _place(about):
    return {name: value for name, value in about.items() if name != "when"}


def _replaced(old, new, order):
    again = {_name(line) for line in new}
    lines = [line for line in old if _name(line) not in again and _name(line) in order] + new
    return sorted(lines, key=lambda line: order.index(_name(line)))


def _name(line):
    return line["estimator"] if "estimator" in line else line["row"]


def _tables(report):
    head = ["work", "gnomon", "peer", "peer's time", "ratio", "target", "excess over best peer", "verdict"]
    yield "Speed at equal quality", head, [_speed(line) for line in report["speed"]]
    head = ["file", "loss", "gnomon", "model", "time", "expert", "model", "time", "ratio", ""]
    yield "Held-out loss", head, [_contested(line) for line in report.get("contest", [])]
    exponents = [
        [line["row"], line["axis"], *(f"{name}: {value:.2f}" for name, value in line["exponents"].items())]
        for line in report["growth"]
    ]
    width = max((len(line) for line in exponents), default=2) - 2
    head = ["work", "grows", *["exponent"] * width]
    yield "Growth with size", head, [line + [""] * (len(head) - len(line)) for line in exponents]
    memory = [
        [
            line["row"], line["contestant"], _megabytes(line["input"]), _times(line["multiple"]),
            _times(line["limit"]), line["verdict"],
        ]
        for line in report["memory"]
    ]  # fmt: skip
    yield "Peak memory, as a multiple of the input", ["work", "who", "input", "peak", "at most", "verdict"], memory
    cold = [
        [line["estimator"], *(f"{line[key]:.2f} s" for key in ("import", "cold", "warm")), line["verdict"]]
        for line in report["cold"]
    ]
    yield (
        "First call in a fresh process",
        ["estimator", "import", "empty cache", "filled cache", "under 5 s, 0.5 s"],
        cold,
    )


def _outcome(lines):
    """The geometric mean of the ratios, and how many files were no worse."""
    ratios = np.array([line["ratio"] for line in lines if "ratio" in line])
    if not len(ratios):
        return "No file was found."
    mean = float(np.exp(np.mean(np.log(ratios))))
    return f"Geometric mean of the ratios over {len(ratios)} files: {mean:.3f}; at most 1 in {np.sum(ratios <= 1.0)}."


def _contested(line):
    if "ratio" not in line:
        return [line["file"], *["–"] * 8, line["verdict"]]
    ours = [f"{line['ours']:.4g}", line["chosen"], _seconds(line["seconds"])]
    theirs = [f"{line['expert']:.4g}", line["expert_chosen"], _seconds(line["expert_seconds"])]
    return [line["file"], line["loss"], *ours, *theirs, f"{line['ratio']:.3f}", line["verdict"]]


def _speed(line):
    peer = line["peer"] if line["peer"].startswith(line["package"]) else f"{line['package']} ({line['peer']})"
    numbers = [_seconds(line["ours_seconds"]), peer, _seconds(line["peer_seconds"]), _times(line["ratio"])]
    return [line["row"], *numbers, _times(line["target"]), f"{line['excess']:.1e}", line["verdict"]]


def _seconds(value):
    if not np.isfinite(value):
        return "–"
    return f"{value:.3g} s" if value >= 1 else f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} µs"


def _megabytes(value):
    return f"{value / 1e6:.0f} MB" if value >= 1e6 else f"{value / 1e6:.1g} MB"


def _times(value):
    return f"{value:.3g}×" if np.isfinite(value) else "–"


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
