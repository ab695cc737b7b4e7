"""Edited model files, and what loading and using each of them ends with.

Run as a script, ``python model_edits.py every name …``, it fits the named estimators (all if none is named)
to tiny tables, saves them, edits one array or number of each file at a time, one edit in `every`, and loads and uses
what it got in another process. It prints a line for each edit that ends as none may: by a signal, after too many
seconds, or in an error that is neither `ModelFileError` nor a plain `ValueError`.
"""

import io
import json
import os
import resource
import signal
import sys
import tempfile
import warnings
import zipfile
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import public_names
from gnomon.io import load, save
from gnomon.io.models import ModelFileError
from gnomon.testing._tables import example_table, fitted

SECONDS, BYTES = 20, 8 << 30
"""What an edit may take, compilation of kernels included."""

FEWER = 10
"""How many edits of arrays are done for one of other numbers, most of which are parameters that `fit` alone reads."""

NUMBERS = (2**63 - 1, 2**31, -1, 0, float("nan"), 1e300, 0.5)
OF_KIND = {
    "i": (2**62, 2**30, 7, -1, 0),
    "u": (2**30, 7, 0),
    "f": (np.nan, np.inf, 1e300, 2.0**30, -1.0, 0.0),
    "b": (0, 1),
}
TYPES = ("f2", "f4", "f8", ">f8", "i4", "i8", "i1", "u1", "?", "c16", "U3", "S2", "M8[s]")
USED = ("predict", "predict_proba", "decision_function", "transform", "score_samples", "kneighbors", "apply")


def edits(path, every):
    """(description, function that gives the bytes of the edited file) of one edit in `every`."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    arrays = {name: np.load(io.BytesIO(content)) for name, content in members.items() if name.endswith(".npy")}
    found = [(name, *edit) for name, a in arrays.items() for edit in edits_of_array(a)][:: int(every)]
    numbers = edits_of_numbers(json.loads(members["schema.json"]))
    found += [("schema.json", *edit) for edit in numbers][:: int(every) * FEWER]
    for name, what, make in found:
        yield f"{name} {what}", lambda name=name, make=make: packed(members | {name: make()})


def packed(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def edits_of_array(a):
    for field in a.dtype.names or [None]:
        dtype = a.dtype[field] if field else a.dtype
        for value in OF_KIND.get(dtype.kind, ("x",)):
            for where in (slice(None), 0, -1):
                place = f"{field or ''}[{'…' if where == slice(None) else where}]"
                yield f"{place} = {value}", partial(with_value, a, field, where, value)
    line = np.atleast_1d(a)
    forms = {"reversed": line[::-1], "shorter": line[:-1], "longer": np.concatenate([line, line]), "empty": line[:0]}
    forms |= {"deeper": a[None], "flat": a.ravel(), "transposed": a.T}
    forms |= {"a number": line.ravel()[0]} if a.size else {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for dtype in TYPES if a.dtype.names is None else ():
            try:
                forms[f"as {dtype}"] = a.astype(dtype)
            except (TypeError, ValueError):
                continue
    for what, form in forms.items():
        yield what, partial(stored, form)


def with_value(a, field, where, value):
    a = np.array(a)
    part = (a if field is None else a[field]).reshape(-1)
    if part.dtype.kind in "iu":
        value = min(max(value, np.iinfo(part.dtype).min), np.iinfo(part.dtype).max)
    if part.size:
        part[where] = value
    return stored(a)


def stored(a):
    file = io.BytesIO()
    np.save(file, a)
    return file.getvalue()


def edits_of_numbers(schema):
    for place, node in nodes(schema, ""):
        try:
            number = json.loads(node["content"])
        except (TypeError, ValueError):
            continue
        if type(number) in (int, float):
            for value in NUMBERS:
                yield f"{place} {number} = {value}", partial(with_content, schema, node, value)


def nodes(node, place):
    """Every plain value in the description of a model, with its place."""
    if isinstance(node, dict):
        if node.get("__loader__") == "JsonNode":
            yield place, node
        for key, value in node.items():
            yield from nodes(value, place if key == "content" else f"{place}.{key}")
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from nodes(value, f"{place}[{i}]")


def with_content(schema, node, value):
    before, node["content"] = node["content"], json.dumps(value)
    try:
        return json.dumps(schema).encode()
    finally:
        node["content"] = before


def ends(edits, path, X, methods):
    """(description, end) of every edit; a process does many, and another goes on after one that it did not survive."""
    edits, first = list(edits), 0
    while first < len(edits):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            for _, make in edits[first:]:
                signal.alarm(SECONDS)
                os.write(write, json.dumps(end_of(make(), path, X, methods)[:4000]).encode() + b"\n")
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as lines:
            found = [json.loads(line) for line in lines]
        _, status = os.waitpid(child, 0)
        yield from ((what, end) for (what, _), end in zip(edits[first:], found, strict=False))
        first += len(found)
        if first < len(edits):
            yield edits[first][0], f"signal {os.WTERMSIG(status)}"
            first += 1


def end_of(content, path, X, methods):
    """The error that is neither of the two that may be, or nothing."""
    Path(path).write_bytes(content)
    try:
        model = load(path)
    except ModelFileError:
        return ""
    except Exception as error:
        return f"load: {type(error).__name__}: {error}"
    for method in methods:
        try:
            getattr(model, method)(X)
        except Exception as error:
            if type(error) not in (ValueError, np.linalg.LinAlgError):
                return f"{method}: {type(error).__name__}: {error}"
    return ""


def used_methods(model, X):
    for method in USED:
        try:
            getattr(model, method)(X)
        except (AttributeError, ValueError):
            continue
        yield method


def main(every, *names):
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    estimators = [each for each in public_names.estimators() if not names or type(each).__name__ in names]
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        for estimator in estimators:
            name, (X, y) = type(estimator).__name__, example_table(estimator, n_rows=24)
            path = Path(folder, f"{name}.skops")
            model = fitted(estimator, X, y)
            try:
                save(model, path)
            except ModelFileError:
                continue
            methods = list(used_methods(model, X[:7]))
            for what, end in ends(edits(path, every), Path(folder, "edited.skops"), X[:7], methods):
                done += 1
                if end:
                    sys.stdout.write(f"{name}: {what}: {end}".replace("\n", " ") + "\n")
    sys.stdout.write(f"# {done} edits\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
