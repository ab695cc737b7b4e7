"""Speed at equal quality, and its growth with size.

growth exponent = slope of log(seconds) over log(size), by least squares                                   (1)
"""

import gc
import time
import warnings
from dataclasses import asdict, dataclass

import numpy as np

__all__ = ["Result", "growth", "measure"]

OURS, LIMIT = "gnomon", "time limit"
SHORTEST = 0.02  # seconds: shorter work is repeated within one measurement
PAUSE = 0.1  # seconds to wait before each measurement
MORE = 5  # times as many rounds as asked for, where they are short


@dataclass(frozen=True)
class Result:
    """One contestant of one row against ours.

    `verdict` is "met" or "missed" (the target), "no target", "worse quality" (ours), "stops short" (the peer) or the
    reason why there is no number.
    """

    row: str
    package: str
    peer: str
    ours_seconds: float
    peer_seconds: float
    ratio: float
    target: float
    excess: float
    verdict: str

    as_dict = asdict


def measure(row, *, size=None, repeats=5, budget=30.0):
    """All results of a row: quality first, then interleaved times of those that reached it.

    Parameters
    ----------
    row : Row
    size : dict, optional
        Arguments of `row.make`; ``row.size`` by default.
    repeats : int, default=5
        Rounds of timing; fewer, but at least one, when `budget` seconds are spent, and up to `MORE` times as many in a
        third of it: what else a machine does disturbs short work most.
    """
    with warnings.catch_warnings():
        # Whether a solver stopped too early is decided by the quality it reached.
        warnings.simplefilter("ignore")
        contestants = {(OURS, OURS): row.ours, **{(peer.package, peer.name): peer.run for peer in row.peers}}
        try:
            small = row.make(**row.quick)
        except FileNotFoundError as error:
            return [_missing(row, OURS, f"absent ({error})")]
        usable, absent = _split_absent(contestants, small)
        if (OURS, OURS) not in usable:
            return [_missing(row, OURS, absent[OURS, OURS])]
        data = row.make(**(row.size if size is None else size))
        first = {key: _first(row, run, data) for key, run in usable.items()}
        best_peer = min((q for key, (_, q) in first.items() if key[0] != OURS), default=np.inf)
        best = min(q for _, q in first.values())
        excess = {key: q - best for key, (_, q) in first.items()}
        behind = first[OURS, OURS][1] - best_peer
        chosen = _fastest_good(first, excess, row.tolerance)
        runs = {key: usable[key] for key in [(OURS, OURS), *chosen.values()]}
        seconds = _interleave(runs, data, repeats, budget)
    rows = [_compare(row, key, seconds, excess, behind) for key in chosen.values()]
    rows += [_missing(row, key[0], why, key[1]) for key, why in absent.items()]
    return rows if row.limit is None else [*rows, _limited(row, seconds[OURS, OURS], behind)]


def growth(row, *, repeats=3, budget=20.0):
    """The exponents (1) of ours and of each package over the row's ladder: {name: exponent}."""
    sizes = np.array([step[row.axis] for step in row.ladder], dtype=float)
    seconds = {}
    for step in row.ladder:
        for result in measure(row, size=step, repeats=repeats, budget=budget / len(row.ladder)):
            if np.isfinite(result.ratio) and result.package != LIMIT:
                seconds.setdefault(result.package, []).append(result.peer_seconds)
                seconds.setdefault(OURS, {})[step[row.axis]] = result.ours_seconds
    seconds[OURS] = list(seconds.get(OURS, {}).values())
    return {name: _slope(sizes, times) for name, times in seconds.items() if len(times) == len(sizes)}


def _slope(sizes, times):
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def _split_absent(contestants, data):
    """Those whose packages are here, each run once on small data to compile; and why the others are not."""
    usable, absent = {}, {}
    for key, run in contestants.items():
        try:
            run(data)
            usable[key] = run
        except ImportError as error:
            absent[key] = f"not installed ({error})" if key[0] != OURS else f"absent ({error})"
        except Exception as error:  # an error is the result of this contestant; the others go on
            absent[key] = f"{type(error).__name__}: {error}".splitlines()[0]
    return usable, absent


def _first(row, run, data):
    begin = time.perf_counter()
    result = run(data)
    return time.perf_counter() - begin, float(row.quality(data, result))


def _fastest_good(first, excess, tolerance):
    """For each package its fastest peer of full quality, or, where none has it, its best."""
    chosen = {}
    for package in dict.fromkeys(key[0] for key in first if key[0] != OURS):
        peers = [key for key in first if key[0] == package]
        good = [key for key in peers if excess[key] <= tolerance]
        chosen[package] = (
            min(good, key=lambda key: first[key][0]) if good else min(peers, key=lambda key: first[key][1])
        )
    return chosen


def _interleave(runs, data, repeats, budget):
    """Median seconds of each contestant, the order rotated from round to round."""
    times = {key: [] for key in runs}
    keys, start = list(runs), time.perf_counter()
    for turn in range(MORE * repeats):
        for key in keys[turn % len(keys) :] + keys[: turn % len(keys)]:
            times[key].append(_clock(runs[key], data))
        spent = time.perf_counter() - start
        if spent > (budget if turn + 1 < repeats else budget / 3.0):
            break
    return {key: float(np.median(values)) for key, values in times.items()}


def _clock(run, data):
    """Seconds of one call, collected garbage not counted; very short work is repeated and divided."""
    gc.collect()
    # BLAS threads of the last contestant spin for a while and would occupy a core.
    time.sleep(PAUSE)
    count, spent = 0, 0.0
    begin = time.perf_counter()
    while spent < SHORTEST:
        run(data)
        count += 1
        spent = time.perf_counter() - begin
    return spent / count


def _compare(row, key, seconds, excess, behind):
    ours, peer, target = seconds[OURS, OURS], seconds[key], row.targets.get(key[0], np.nan)
    ratio = peer / ours
    if behind > row.tolerance:
        verdict, ratio = "worse quality", np.nan
    elif excess[key] > row.tolerance:
        verdict = "stops short"
    elif np.isnan(target):
        verdict = "no target"
    else:
        verdict = "met" if ratio >= target else "missed"
    return Result(row.name, key[0], key[1], ours, peer, ratio, target, behind, verdict)


def _limited(row, ours, behind):
    """Ours against the time that is promised."""
    if behind > row.tolerance:
        verdict, ratio = "worse quality", np.nan
    else:
        verdict, ratio = "met" if ours <= row.limit else "missed", row.limit / ours
    return Result(row.name, LIMIT, LIMIT, ours, row.limit, ratio, 1.0, behind, verdict)


def _missing(row, package, why, peer=""):
    nan = np.nan
    verdict = "not installed" if why.startswith("not installed") else why
    return Result(row.name, package, peer or package, nan, nan, nan, row.targets.get(package, nan), nan, verdict)
