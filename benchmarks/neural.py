"""Neural networks: targets for their speed, on one thread and on two."""

import warnings
from contextlib import contextmanager
from functools import partial
from itertools import pairwise

import numpy as np

from benchmarks import _data, _real
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.neural",)
SHOWN = 2000
"""Rows at which what was learned is compared."""


@contextmanager
def limited(threads):
    """BLAS, OpenMP and PyTorch with so many threads, and without words about convergence."""
    import sys

    from threadpoolctl import threadpool_limits

    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(threads)
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def table(n, sizes, batch, epochs, threads=1, dtype="float64"):
    """Normal rows, whose class is that of the largest of some curved functions."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, sizes[0])).astype(dtype)
    hidden = np.tanh(X @ rng.standard_normal((sizes[0], 8)) / np.sqrt(sizes[0]) * 2.0)
    y = np.argmax(hidden @ rng.standard_normal((8, sizes[-1])), axis=1)
    y[: sizes[-1]] = np.arange(sizes[-1])  # every class is there, however few the rows
    return _data.make(X, y, sizes=sizes, batch=batch, epochs=epochs, threads=threads)


def images(n, name="mnist_12k_2k", epochs=3, threads=1, batch=128):
    """Images of 28×28 pixels of ten classes, with those kept for testing."""
    with np.load(_real.real_path(f"images/{name}.npz")) as file:
        X, y, X_test, y_test = (file[key] for key in ("X_train", "y_train", "X_test", "y_test"))
    X, X_test = (part.reshape(len(part), -1).astype(np.float32) / 255.0 for part in (X, X_test))
    return _data.make(
        X[:n], y[:n].astype(int), X_test=X_test, y_test=y_test.astype(int), sizes=(784, 128, 10), batch=batch,
        epochs=epochs, threads=threads,
    )  # fmt: skip


def small_digits(n, epochs=60):
    """Digits of 8×8 pixels."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return _data.make(X[:n] / 16.0, y[:n], sizes=(64, 64, 10), batch=32, epochs=epochs, threads=1)


def kinematics(n, epochs=40):
    """A robot's arm, with standardised columns and target."""
    with np.load(_real.real_path("uci_regression/kin8nm.npz")) as file:
        data = np.column_stack([file["X"], file["y"]])
    data = (data - data.mean(axis=0)) / data.std(axis=0)
    return _data.make(data[:n, :-1], data[:n, -1], sizes=(8, 50, 1), batch=32, epochs=epochs, threads=1)


def ours(data, **options):
    """As many epochs as asked for by the estimators."""
    from gnomon.neural import MLPClassifier

    with limited(data.threads):
        model = MLPClassifier(
            data.sizes[1:-1], batch_size=data.batch, max_iter=data.epochs, n_iter_no_change=10**6, random_state=0,
            standardize=False, **options,
        )  # fmt: skip
        return model.fit(data.X, data.y).predict_proba(shown(data))


def shown(data):
    """The rows of the comparison: those kept for testing where there are some."""
    return getattr(data, "X_test", data.X)[:SHOWN]


def scikit_learn(data, **options):
    from sklearn.neural_network import MLPClassifier

    with limited(data.threads):
        model = MLPClassifier(
            data.sizes[1:-1], batch_size=data.batch, max_iter=data.epochs, n_iter_no_change=10**6, random_state=0,
            **options,
        )  # fmt: skip
        return model.fit(data.X, data.y).predict_proba(shown(data))


def torch_layers(sizes):
    import torch

    parts = []
    for a, b in pairwise(sizes):
        parts += [torch.nn.Linear(a, b), torch.nn.ReLU()]
    return torch.nn.Sequential(*parts[:-1])


def torch_loop(data, build=None, shape=None):
    """A loop as everybody writes it."""
    import torch

    with limited(data.threads):
        torch.manual_seed(0)
        shape = (data.X.shape[1],) if shape is None else shape
        X, y = torch.from_numpy(data.X).reshape(-1, *shape), torch.from_numpy(data.y)
        model = (torch_layers(data.sizes) if build is None else build()).to(X.dtype)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for _ in range(data.epochs):
            order = torch.randperm(len(X))
            for first in range(0, len(X), data.batch):
                rows = order[first : first + data.batch]
                optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(model(X[rows]), y[rows])
                loss.backward()
                optimizer.step()
        with torch.no_grad():
            rows = torch.from_numpy(shown(data)).reshape(-1, *shape)
            return torch.softmax(model(rows), dim=1).numpy()


def cross_entropy(data, p):
    """Mean −log p of the true classes, over that of a uniform guess."""
    y = getattr(data, "y_test", data.y)[: len(p)]
    return float(np.mean(-np.log(np.maximum(p[np.arange(len(p)), y], 1e-12))) / np.log(p.shape[1]))


def one_row(n, sizes):
    """A network and one row; PyTorch's has the same weights."""
    from gnomon.neural import NeuralNetwork
    from gnomon.neural.layers import Dense

    network = NeuralNetwork([*(Dense(k, "relu") for k in sizes[1:-1]), Dense(sizes[-1])], sizes[0])
    theta = network.init(np.random.default_rng(0), np.float32)
    x = np.random.default_rng(1).standard_normal(sizes[0]).astype(np.float32)
    return _data.make(x[None], np.zeros(1), network=network, theta=theta, x=x, calls=n, kept={})


def our_row(data):
    from gnomon.neural import RowFunction

    function = data.kept.setdefault("ours", RowFunction(data.network, data.theta))
    for _ in range(data.calls):
        z = function(data.x)
    return z


def torch_row(data):
    import torch

    module = data.kept.get("torch")
    if module is None:
        torch.set_num_threads(1)
        module = data.kept["torch"] = torch_layers([data.x.size, *(node.shape[0] for node in data.network.nodes)])
        views = [view for part in data.network.views(data.theta).values() for view in part]
        for parameter, view in zip(module.parameters(), views, strict=True):
            parameter.data.copy_(torch.from_numpy(view.T.copy()))
    with torch.no_grad():
        for _ in range(data.calls):
            z = module(torch.from_numpy(data.x)).numpy()
    return z


def row_error(data, z):
    return float(np.max(np.abs(z - data.network.output(data.theta, data.x[None])[0])))


def cnn_layers():
    from gnomon.neural.layers import Conv2D, Dense, MaxPool2D

    return [
        Conv2D(16, 3, padding="same", activation="relu"), MaxPool2D(2),
        Conv2D(32, 3, padding="same", activation="relu"), MaxPool2D(2), Dense(64, "relu"),
    ]  # fmt: skip


def torch_cnn():
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32 * 49, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip


def our_cnn(data, engine):
    from gnomon.neural import NetworkClassifier

    with limited(data.threads):
        model = NetworkClassifier(
            cnn_layers(), (1, 28, 28), batch_size=data.batch, max_iter=data.epochs, n_iter_no_change=10**6,
            random_state=0, standardize=False, engine=engine,
        )  # fmt: skip
        return model.fit(data.X, data.y).predict_proba(shown(data))


def our_numbers(data):
    from gnomon.neural import MLPRegressor

    with limited(data.threads):
        model = MLPRegressor(
            hidden_layer_sizes=data.sizes[1:-1], batch_size=data.batch, max_iter=data.epochs, n_iter_no_change=10**6,
            random_state=0, standardize=False,
        )  # fmt: skip
        return model.fit(data.X, data.y).predict(data.X)


def their_numbers(data):
    from sklearn.neural_network import MLPRegressor

    with limited(data.threads):
        model = MLPRegressor(
            hidden_layer_sizes=data.sizes[1:-1],
            batch_size=data.batch,
            max_iter=data.epochs,
            n_iter_no_change=10**6,
            random_state=0,
        )
        return model.fit(data.X, data.y).predict(data.X)


def squared_error(data, found):
    return float(np.mean((data.y - found) ** 2) / np.var(data.y))


def epochs_row(name, sizes, batch, n, epochs, targets, threads, dtype="float64", **more):
    """The same epochs of Adam by all."""
    size = {"sizes": sizes, "batch": batch, "threads": threads, "dtype": dtype}
    ladder = tuple({**size, "n": n // k, "epochs": epochs} for k in more.pop("ladder", ()))
    return Row(
        name=f"{name}, {threads} thread{'s' if threads > 1 else ''}",
        make=table,
        size={**size, "n": n, "epochs": epochs},
        quick={**size, "n": 4 * batch, "epochs": 2},
        ours=ours,
        peers=(Peer("PyTorch", "a loop", torch_loop), Peer("scikit-learn", "MLPClassifier", scikit_learn)),
        quality=cross_entropy,
        targets=targets,
        tolerance=0.1,
        ladder=ladder,
        **more,
    )


def descent_row(name, solver):
    """A descent on all rows, against scikit-learn's L-BFGS."""
    size = {"sizes": (50, 64, 10), "batch": 200, "threads": 1}
    return Row(
        name=name,
        make=table,
        size={**size, "n": 4000, "epochs": 150},
        quick={**size, "n": 300, "epochs": 3},
        ours=partial(ours, solver=solver, alpha=1.0, tol=1e-9) if solver == "lbfgs" else partial(our_rprop, alpha=1.0),
        peers=(Peer("scikit-learn", "lbfgs", partial(scikit_learn, solver="lbfgs", alpha=1.0, tol=1e-9)),),
        quality=cross_entropy,
        targets={"scikit-learn": 1.0},
        tolerance=0.05,
        ladder=tuple({**size, "n": n, "epochs": 50} for n in (1000, 2000, 4000)) if solver == "lbfgs" else (),
    )


def our_rprop(data, **options):
    """RPROP takes all rows in every update."""
    whole = _data.make(data.X, data.y, sizes=data.sizes, batch=len(data.X), epochs=data.epochs, threads=data.threads)
    return ours(whole, solver="rprop", **options)


SMALL = partial(epochs_row, "MLP 20-32-3, batch 32", (20, 32, 3), 32, 3200, 20, {"PyTorch": 5.0, "scikit-learn": 2.0})
MIDDLE = partial(
    epochs_row, "MLP 50-128-64-10, batch 128", (50, 128, 64, 10), 128, 12_800, 10, {"PyTorch": 2.0, "scikit-learn": 2.0}
)
LARGE = partial(
    epochs_row, "MLP 784-256-128-10, batch 128", (784, 256, 128, 10), 128, 5120, 10,
    {"PyTorch": 1.0, "scikit-learn": 2.0},
)  # fmt: skip

ROWS = (
    SMALL(threads=1),
    SMALL(threads=2),
    MIDDLE(
        threads=1,
        ladder=(4, 2, 1),
        memory=({"n": 12_800, "sizes": (50, 128, 64, 10), "batch": 128, "epochs": 2},),
        memory_limit=5.0,
    ),
    MIDDLE(threads=2),
    LARGE(threads=1),
    LARGE(threads=2),
    epochs_row(
        "MLP 784-256-128-10, batch 128, single precision",
        (784, 256, 128, 10),
        128,
        5120,
        10,
        {"PyTorch": 1.0, "scikit-learn": 1.5},
        threads=1,
        dtype="float32",
    ),
    Row(
        name="one row of 20-32-3",
        make=one_row,
        size={"n": 2000, "sizes": (20, 32, 3)},
        quick={"n": 5, "sizes": (20, 32, 3)},
        ours=our_row,
        peers=(Peer("PyTorch", "module", torch_row),),
        quality=row_error,
        targets={"PyTorch": 20.0},
        tolerance=1e-4,
    ),
    descent_row("L-BFGS, 50-64-10, 4000 rows", "lbfgs"),
    descent_row("RPROP, 50-64-10, 4000 rows", "rprop"),
    *(
        Row(
            name=f"CNN of MNIST by {engine}, {threads} thread{'s' if threads > 1 else ''} (real)",
            make=images,
            size={"n": 12_000, "epochs": 3, "threads": threads},
            quick={"n": 256, "epochs": 1, "threads": threads},
            ours=partial(our_cnn, engine=engine),
            peers=(Peer("PyTorch", "a loop", partial(torch_loop, build=torch_cnn, shape=(1, 28, 28))),),
            quality=cross_entropy,
            targets={"PyTorch": target},
            tolerance=0.05,
            memory=({"n": 12_000, "epochs": 1, "threads": 1},) if threads == 1 else (),
            memory_limit=None,
        )
        for engine, target in (("numpy", 1 / 3), ("torch", 0.95))
        for threads in (1, 2)
    ),
    Row(
        name="MLP 784-128-10 of MNIST (real)",
        make=images,
        size={"n": 12_000, "epochs": 10},
        quick={"n": 256, "epochs": 1},
        ours=ours,
        peers=(Peer("PyTorch", "a loop", torch_loop), Peer("scikit-learn", "MLPClassifier", scikit_learn)),
        quality=cross_entropy,
        targets={"PyTorch": 1.0, "scikit-learn": 1.0},
        tolerance=0.05,
    ),
    Row(
        name="MLP 64-64-10 of digits (real)",
        make=small_digits,
        size={"n": 1797},
        quick={"n": 200, "epochs": 2},
        ours=ours,
        peers=(Peer("PyTorch", "a loop", torch_loop), Peer("scikit-learn", "MLPClassifier", scikit_learn)),
        quality=cross_entropy,
        targets={"PyTorch": 2.0, "scikit-learn": 2.0},
        tolerance=0.05,
    ),
    Row(
        name="MLP 8-50-1 of kinematics (real)",
        make=kinematics,
        size={"n": 8192},
        quick={"n": 200, "epochs": 2},
        ours=our_numbers,
        peers=(Peer("scikit-learn", "MLPRegressor", their_numbers),),
        quality=squared_error,
        targets={"scikit-learn": 2.0},
        tolerance=0.05,
    ),
)
