"""Tables with planted anomalies: engines, accounts, machines of a data centre.

    good:  x ~ a law that is known,      bad:  x ~ another, odd in a column or in a combination of columns       (1)

In every table some anomalies are extreme in a column, which any detector finds, and some only in a combination: an
engine that vibrates too much for its heat, a machine that computes much and sends nothing. The settings are usual
examples of the field, Chandola, Banerjee & Kumar (2009), doi:10.1145/1541880.1541882; the numbers are invented.
"""

from __future__ import annotations

import numpy as np

from gnomon._typing import Floats, Integers, RandomState
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_integer

__all__ = ["make_account_activity", "make_datacenter", "make_engines"]


def make_engines(n_good: int = 1000, n_bad: int = 20, *, random_state: RandomState = None) -> tuple[Floats, Integers]:
    """Heat and vibration of engines; half of the bad ones are extreme, half vibrate wrongly for their heat.

    Good: vibration = 10 + 0.5 (heat − 80) + noise, heat ~ N(80, 6²), noise ~ N(0, 1).

    Parameters
    ----------
    n_good, n_bad : int, default=1000, 20
    random_state : None, int, Generator or RandomState

    Returns
    -------
    X : ndarray of shape (n_good + n_bad, 2)
        Heat, vibration; the rows in random order.
    y : ndarray of int
        1 for anomalous.

    References
    ----------
    Chandola, V., Banerjee, A. & Kumar, V. (2009). Anomaly detection: a survey. doi:10.1145/1541880.1541882

    Examples
    --------
    >>> from gnomon.datasets import make_engines
    >>> X, y = make_engines(500, 10, random_state=0)
    >>> X.shape, int(y.sum())
    ((510, 2), 10)
    """
    rng = _start(n_good, n_bad, random_state)
    good, odd = _engines(n_good, rng), _engines(n_bad, rng)
    extreme = np.arange(n_bad) % 2 == 0
    side = rng.choice([-1.0, 1.0], n_bad)
    odd[extreme] += side[extreme, None] * np.array([36.0, 18.0])
    odd[~extreme, 1] += side[~extreme] * 6.0
    return _shuffled(good, odd, rng)


def make_account_activity(
    n_good: int = 2000, n_bad: int = 20, *, random_state: RandomState = None
) -> tuple[Floats, Integers]:
    """What users of a site did on a day; the bad accounts guess passwords, scrape pages or post as robots do.

    Parameters
    ----------
    n_good, n_bad : int, default=2000, 20
    random_state : None, int, Generator or RandomState

    Returns
    -------
    X : ndarray of shape (n_good + n_bad, 5)
        Logins, failed logins, typing speed in characters per second, pages visited, comments written. Typing speed and
        pages are log-normal.
    y : ndarray of int
        1 for anomalous.

    References
    ----------
    Chandola, V., Banerjee, A. & Kumar, V. (2009). Anomaly detection: a survey. doi:10.1145/1541880.1541882

    Examples
    --------
    >>> from gnomon.datasets import make_account_activity
    >>> X, y = make_account_activity(500, 9, random_state=0)
    >>> X.shape, int(y.sum())
    ((509, 5), 9)
    """
    rng = _start(n_good, n_bad, random_state)
    good, odd = _accounts(n_good, rng), _accounts(n_bad, rng)
    kind = np.arange(n_bad) % 3
    odd[kind == 0, 1] += rng.integers(15, 60, np.sum(kind == 0))
    odd[kind == 1, 3] *= rng.uniform(15.0, 40.0, np.sum(kind == 1))
    odd[kind == 2, 4] += rng.integers(20, 60, np.sum(kind == 2))
    odd[kind == 2, 2] *= rng.uniform(4.0, 8.0, np.sum(kind == 2))
    return _shuffled(good, odd, rng)


def make_datacenter(
    n_good: int = 2000, n_bad: int = 20, *, random_state: RandomState = None
) -> tuple[Floats, Integers]:
    """Machines of a data centre; CPU load follows network traffic, except on machines that loop or lost their network.

    Good: traffic ~ log-normal, CPU load = 0.8 traffic · log-normal noise, so that load / traffic is nearly constant. A
    bad machine has the load of a busy one and the traffic of an idle one, each usual by itself.

    Parameters
    ----------
    n_good, n_bad : int, default=2000, 20
    random_state : None, int, Generator or RandomState

    Returns
    -------
    X : ndarray of shape (n_good + n_bad, 4)
        Memory in use, CPU load, network traffic, reads and writes of the disk per second.
    y : ndarray of int
        1 for anomalous.

    References
    ----------
    Chandola, V., Banerjee, A. & Kumar, V. (2009). Anomaly detection: a survey. doi:10.1145/1541880.1541882

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.datasets import make_datacenter
    >>> X, y = make_datacenter(1000, 10, random_state=0)
    >>> good = X[y == 0]
    >>> bool(np.corrcoef(good[:, 1], good[:, 2])[0, 1] > 0.95)
    True
    """
    rng = _start(n_good, n_bad, random_state)
    good, odd = _machines(n_good, rng), _machines(n_bad, rng)
    odd[:, 1] = rng.uniform(55.0, 75.0, n_bad)
    odd[:, 2] = rng.uniform(25.0, 32.0, n_bad)
    return _shuffled(good, odd, rng)


def _start(n_good: int, n_bad: int, random_state: RandomState) -> np.random.Generator:
    check_integer("n_good", n_good, 1)
    check_integer("n_bad", n_bad, 0)
    return check_rng(random_state)


def _engines(n: int, rng: np.random.Generator) -> Floats:
    heat = rng.normal(80.0, 6.0, n)
    return np.column_stack([heat, 10.0 + 0.5 * (heat - 80.0) + rng.normal(0.0, 1.0, n)])


def _accounts(n: int, rng: np.random.Generator) -> Floats:
    logins = 1.0 + rng.poisson(3.0, n)
    failures = rng.poisson(0.3 * logins)
    speed, pages = rng.lognormal(1.6, 0.3, n), rng.lognormal(2.5, 0.6, n)
    return np.column_stack([logins, failures, speed, pages, rng.poisson(1.5, n)]).astype(float)


def _machines(n: int, rng: np.random.Generator) -> Floats:
    traffic = rng.lognormal(4.0, 0.35, n)
    load = 0.8 * traffic * rng.lognormal(0.0, 0.06, n)
    return np.column_stack([rng.normal(48.0, 8.0, n), load, traffic, rng.lognormal(5.0, 0.4, n)])


def _shuffled(good: Floats, odd: Floats, rng: np.random.Generator) -> tuple[Floats, Integers]:
    order = rng.permutation(len(good) + len(odd))
    return np.concatenate([good, odd])[order], np.repeat([0, 1], [len(good), len(odd)])[order]
