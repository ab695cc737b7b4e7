"""Two engines, one result: whole trainings by NumPy and by PyTorch agree, layer by layer and solver by solver."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import sparse

from gnomon.io import ModelFileError, save
from gnomon.losses import (
    BinaryCrossEntropy,
    HuberLoss,
    LogisticLoss,
    MulticlassHinge,
    PinballLoss,
    SoftmaxLoss,
    SquaredLoss,
    TwoTermCrossEntropy,
    noun,
)
from gnomon.neural import NetworkRegressor, NeuralNetwork, check_gradient
from gnomon.neural._engines import passes_of
from gnomon.neural._fit import fit_network
from gnomon.neural._options import TrainingOptions
from gnomon.neural._torch_engine import TorchWorkspace, module_network
from gnomon.neural.layers import (
    ELU,
    GELU,
    Activation,
    Add,
    AvgPool2D,
    Concat,
    Conv2D,
    Dense,
    DropConnect,
    Dropout,
    Elementwise,
    Embedding,
    Flatten,
    GaussianNoise,
    Layer,
    LayerNorm,
    LeakyReLU,
    Maxout,
    MaxPool2D,
    PReLU,
    Recurrent,
    Rescale,
    Reshape,
    SiLU,
    Softplus,
    Transposed,
    hard_tanh,
)
from gnomon.optim import Rprop
from gnomon.optim.schedules import Ramp

torch = pytest.importorskip("torch")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6))
Y = RNG.normal(size=(40, 2))
CODED = np.column_stack([X[:, :4], RNG.integers(-1, 3, 40), RNG.integers(0, 5, 40)])
IMAGES = RNG.normal(size=(24, 2 * 6 * 5))


@dataclass(frozen=True)
class Twice(Layer):
    """A layer that only has passes of its own."""

    def output_shape(self, input_shapes):
        return input_shapes[0]

    def forward(self, parameters, inputs, run):
        return 2 * inputs[0], None

    def backward(self, parameters, saved, delta, gradients, run, wants_inputs):
        return [2 * delta]


@noun
class OwnSoftplus(Elementwise):
    def activate(self, z):
        return np.log1p(np.exp(z))

    def derivative(self, z, a):
        return 1.0 - np.exp(-a)


STACKS = {
    "dense": [Dense(5, "sigmoid"), Dense(4, "tanh"), Dense(4, "relu", bias=False), Dense(2)],
    "kinks": [Dense(5, LeakyReLU(0.1)), Dense(4, hard_tanh(0.5)), Dense(2)],
    "slopes": [Dense(5, PReLU()), Dense(4, PReLU(shared=True)), Dense(2)],
    "maxout": [Maxout(4, pieces=3), Maxout(3, groups=[(0, 1, 2), (2, 3), (1,)], bias=False), Dense(2)],
    "own": [Dense(5, Activation(np.sin, np.cos)), Twice(), Dense(4, OwnSoftplus()), Dense(2)],
    "frozen": [Dense(5, "tanh", trainable=False), Dense(4, "tanh", l2=0.5), Dense(2, max_norm=0.4)],
    "graph": [
        Dense(6, "tanh", name="a"), Add(after=["a", "input"], name="sum"), Dense(3, "relu", name="b"),
        Concat(after=["sum", "b", "input"]), Dense(2),
    ],
    "dropout": [Dropout(0.8, scaling="average", drop_bias=True), Dense(6, "tanh"), Dropout(drop=0.4), Dense(2)],
    "dropout per batch": [Dropout(0.7, per="batch"), Dense(5, "relu"), Dropout(1.0), Dense(2)],
    "dropconnect": [DropConnect(5, 0.6, "tanh", prediction="gaussian"), DropConnect(2, 0.5, scaling="average")],
    "dropconnect per batch": [DropConnect(5, 0.6, PReLU(), per="batch"), Dense(2)],
    "recurrent": [Reshape((3, 2)), Recurrent(4, return_sequences=True), Recurrent(3, PReLU()), Dense(2)],
    "tied": [Dense(4, "tanh", name="code"), Dropout(0.9), Transposed(6, of="code"), Dense(2)],
    "smooth": [Dense(5, Softplus()), Dense(5, SiLU()), Dense(4, GELU()), Dense(4, ELU(0.5)), Dense(2)],
    "scaled": [Rescale(np.arange(6.0), np.full(6, 2.0)), GaussianNoise(0.3), Dense(4, "relu"), LayerNorm(), Dense(2)],
    "truncated": [Reshape((6, 1)), Recurrent(4, truncate=2, clip=0.05, bias=False), Flatten(), Dense(2)],
}  # fmt: skip
IMAGE_STACKS = {
    "conv": [Conv2D(3, 3, padding="same", activation="tanh"), MaxPool2D((2, 1)), Conv2D(2, 2), Dense(2)],
    "strided": [Conv2D(3, (2, 3), 2, padding=(1, 0), activation=PReLU(), bias=False, rounding="floor"), Dense(2)],
    "ceil": [Conv2D(2, 3, stride=2, rounding="ceil", activation="relu"), AvgPool2D(2, rounding="ceil"), Dense(2)],
    "own on images": [Conv2D(2, 3, activation=Activation(np.sin, np.cos)), MaxPool2D(3, 1), Dense(2)],
}  # fmt: skip
SOLVERS = {
    "gd": {"momentum": 0.0}, "sgd": {}, "sgd, heavy ball": {"solver": "sgd", "nesterovs_momentum": False},
    "adam": {}, "rprop": {}, "rprop+": {}, "irprop-": {}, "own": {"solver": Rprop("rprop", start=1e-2)},
    "lbfgs": {"max_iter": 15}, "bfgs": {"max_iter": 15}, "cg": {"max_iter": 15}, "newton": {"max_iter": 5},
    "ramp": {"solver": "sgd", "momentum": Ramp(0.5, 0.9, 3)},
    "l1": {"solver": "sgd", "l1": 0.5}, "normalised": {"solver": "sgd", "adapt_ratio": "normalise", "momentum": 0.5},
}  # fmt: skip
RATES = ["constant", "invscaling", "inv", "inv_t0", "power", "capped", "plateau", "adaptive"]


def trained(network, engine, X, y, loss, s=None, **options):
    given = {"solver": "adam", "learning_rate_init": 0.01, "batch_size": 8, "max_iter": 10, "tol": 0.0, "alpha": 0.1}
    options = TrainingOptions(**{**given, "random_state": 3, "engine": engine, **options})
    return fit_network(network, X, y, s, loss=loss, options=options).theta


def compare(network, X, y, loss=None, s=None, tol=1e-8, **options):
    """θ after fifty updates, with weights of rows, by either engine."""
    loss = SquaredLoss(half=True) if loss is None else loss
    ours, theirs = (trained(network, engine, X, y, loss, s, **options) for engine in ("numpy", "torch"))
    assert ours.dtype == theirs.dtype
    assert np.abs(ours - theirs).max() <= tol * np.abs(ours).max()


@pytest.mark.spec("NEU-L33", "NEU-004")
@pytest.mark.parametrize("stack", STACKS)
def test_layers(stack):
    s = np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    compare(NeuralNetwork(STACKS[stack], 6), X, Y, s=s)


@pytest.mark.spec("NEU-L33", "NEU-004")
@pytest.mark.parametrize("stack", IMAGE_STACKS)
def test_layers_of_images(stack):
    compare(NeuralNetwork(IMAGE_STACKS[stack], (2, 6, 5)), IMAGES, Y[:24], max_iter=17)


@pytest.mark.spec("NEU-L33")
def test_embeddings_and_sparse_rows():
    compare(NeuralNetwork([Embedding([4, 5], [3, 5]), Dense(4, "tanh"), Dense(2)], 6), CODED, Y)
    compare(NeuralNetwork([Dense(4, "tanh"), Dense(2)], 6), sparse.csr_array(np.where(X > 0, X, 0)), Y)


@pytest.mark.spec("NEU-L33", "NEU-004")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.filterwarnings("ignore:.*compares gradients")
def test_solvers(solver):
    options = {"solver": solver, "alpha": 1.0, **SOLVERS[solver]}
    compare(NeuralNetwork([Dense(5, "tanh"), Dense(2)], 6), X, Y, **options)


@pytest.mark.spec("NEU-L33")
@pytest.mark.parametrize("rate", RATES)
def test_schedules(rate):
    network = NeuralNetwork([Dense(5, "tanh"), Dropout(0.8), Dense(2)], 6)
    compare(network, X, Y, solver="sgd", learning_rate=rate, n_iter_no_change=1)


@pytest.mark.spec("NEU-L33", "NEU-004")
def test_losses():
    network, index = NeuralNetwork([Dense(5, "tanh"), Dense(2)], 6), (Y[:, 0] > 0).astype(int)
    bits = np.eye(2)[index]
    for loss, y in [
        (SoftmaxLoss(), index), (TwoTermCrossEntropy(), index), (MulticlassHinge(), index), (HuberLoss(), Y),
        (PinballLoss(), Y), (LogisticLoss(), 2 * bits - 1), ([SquaredLoss(half=True), BinaryCrossEntropy()], bits),
    ]:  # fmt: skip
        compare(network, X, y, loss, max_iter=4)


@pytest.mark.spec("NEU-L33", "NEU-007")
def test_single_precision():
    for layers in (STACKS["dense"], STACKS["dropout"], STACKS["recurrent"]):
        compare(NeuralNetwork(layers, 6), X.astype(np.float32), Y.astype(np.float32), tol=1e-3)


@pytest.mark.spec("NEU-L33", "NEU-116", "NEU-007")
def test_images_of_single_precision_pass_in_blocks():
    """Images lie otherwise for oneDNN; ties of a maximum are many here, and the gradient goes to the first of them."""
    grid = np.random.default_rng(2).integers(-2, 3, IMAGES.shape).astype(np.float32)
    start = [Conv2D(4, 3, padding="same", init=np.sign(RNG.normal(size=(4, 2, 3, 3))), activation="relu")]
    stacks = {
        "twice": [*start, MaxPool2D((2, 1)), Conv2D(3, 2, activation="relu"), MaxPool2D(2), Dense(2)],
        "overlapping": [*start, MaxPool2D(2, 1), AvgPool2D(2, 1), Dense(2)],
        "smooth": [*start, Conv2D(3, 3, 2, rounding="ceil", activation="tanh"), MaxPool2D(2, 1), Dense(2)],
        "no activation": [Conv2D(2, 3), LayerNorm(), MaxPool2D(2, 1), Dense(2)],
    }
    for layers in stacks.values():
        network = NeuralNetwork(layers, (2, 6, 5))
        compare(network, grid, Y[:24].astype(np.float32), max_iter=3, tol=1e-4)
        theta, passes = network.init(np.random.default_rng(0), np.float32), passes_of("torch", network)
        by_torch = network.output(theta, grid, passes=passes)
        np.testing.assert_allclose(by_torch, network.output(theta, grid), rtol=1e-4, atol=1e-4)


@pytest.mark.spec("NEU-004")
@pytest.mark.filterwarnings("ignore:not converged")
def test_a_model_answers_by_the_engine_of_its_fit(monkeypatch):
    model = NetworkRegressor([Dense(4, "tanh")], engine="torch", max_iter=3, random_state=0, standardize=False)
    found = model.fit(X, Y[:, 0]).predict(X)
    calls = []
    plain = TorchWorkspace.outputs
    monkeypatch.setattr(TorchWorkspace, "outputs", lambda self, *given: calls.append(1) or plain(self, *given))
    np.testing.assert_array_equal(model.predict(X), found)
    assert len(calls) == 1
    monkeypatch.setattr("gnomon._extras.find_spec", lambda name: None)  # where PyTorch is not installed
    np.testing.assert_allclose(model.predict(X), found, rtol=1e-10)
    assert len(calls) == 1


@pytest.mark.spec("NEU-006")
def test_masks_of_the_device_have_the_same_law():
    network = NeuralNetwork([Dropout(0.3, scaling="average")], 6)
    passes, ones, zeros = passes_of("torch", network, masks="native"), np.ones((4000, 6)), np.zeros((4000, 6))
    means = []
    for seed in (0, 0, 1):
        problem = network.problem(ones, zeros, loss=SquaredLoss(), passes=passes, rng=np.random.default_rng(seed))
        means.append(problem.batch_value_and_gradient(np.empty(0), slice(None), np.empty(0)) / 6)
    assert means[0] == pytest.approx(0.3, abs=0.02)
    assert means[0] == means[1] != means[2]
    by_numpy = network.problem(ones, zeros, loss=SquaredLoss(), rng=np.random.default_rng(0))
    assert by_numpy.batch_value_and_gradient(np.empty(0), slice(None), np.empty(0)) / 6 != means[0]


@pytest.mark.spec("NEU-004", "NEU-006")
def test_refusals():
    network = NeuralNetwork([Dense(2)], 6)
    with pytest.raises(ValueError, match=r"masks='dice' must be 'numpy' or 'native'"):
        passes_of("torch", network, masks="dice")
    absent = next(name for name, there in (("mps", torch.backends.mps.is_available()), ("cuda:9", False)) if not there)
    with pytest.raises(ValueError, match=rf"device='{absent}' must be one that PyTorch finds here, \['cpu'"):
        passes_of("torch", network, device=absent)
    with pytest.raises(ValueError, match="needs engine='torch'"):
        passes_of("numpy", network, device="cuda")


@pytest.mark.spec("NEU-003")
@pytest.mark.parametrize("stack", [*STACKS, *IMAGE_STACKS])
def test_modules_of_networks_have_the_same_outputs(stack):
    image = stack in IMAGE_STACKS
    network = NeuralNetwork(IMAGE_STACKS[stack] if image else STACKS[stack], (2, 6, 5) if image else 6)
    theta, rows = network.init(np.random.default_rng(0)), IMAGES if image else X
    module = network.to_torch(theta).eval()
    found = module(torch.from_numpy(rows))
    np.testing.assert_allclose(found.detach().numpy(), network.output(theta, rows), atol=1e-12)
    found.sum().backward()
    assert all(p.grad is not None for p in module.parameters() if p.requires_grad)


def test_modules_of_networks_draw_in_training():
    module = NeuralNetwork([Dropout(0.5)], 6).to_torch(np.empty(0))
    rows = torch.ones(3, 6, dtype=torch.float64)
    torch.manual_seed(0)
    assert set(module.train()(rows).unique().tolist()) == {0.0, 2.0}
    assert torch.equal(module.eval()(rows), rows)


def own_module(n_features, n_outputs):
    """Dense(5, tanh) and an output, by the user."""
    return torch.nn.Sequential(torch.nn.Linear(n_features, 5), torch.nn.Tanh(), torch.nn.Linear(5, n_outputs))


@pytest.mark.spec("NEU-006")
def test_a_users_module_is_trained_as_the_network_that_it_is():
    ours = NeuralNetwork([Dense(5, "tanh"), Dense(2)], 6)
    theirs = module_network(own_module, 6, 2)
    assert theirs.n_parameters == ours.n_parameters == 47
    start = ours.init(np.random.default_rng(0))
    W1, b1, W2, b2 = (view for views in ours.views(start).values() for view in views)
    turned = np.concatenate([W1.T.ravel(), b1, W2.T.ravel(), b2])
    np.testing.assert_allclose(theirs.output(turned, X), ours.output(start, X), atol=1e-14)
    options = TrainingOptions(alpha=1.0, max_iter=5, tol=0.0, batch_size=8, random_state=0, l1=0.1, max_norm=0.8)
    loss = SquaredLoss(half=True)
    expected = fit_network(ours, X, Y, None, loss=loss, options=options, start=start)
    for engine in ("numpy", "torch"):
        chosen = replace(options, engine=engine)
        found = fit_network(theirs, X, Y, None, loss=loss, options=chosen, start=turned)
        np.testing.assert_allclose(theirs.output(found.theta, X), ours.output(expected.theta, X), rtol=1e-8)


@pytest.mark.spec("NEU-006")
def test_draws_of_a_users_module_follow_the_seed():
    def module(n_features, n_outputs):
        return torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(n_features, n_outputs))

    network = module_network(module, 6, 2)
    one, again, other = (trained(network, "torch", X, Y, SquaredLoss(), random_state=seed) for seed in (0, 0, 1))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    with pytest.raises(ValueError, match="solver='lbfgs' needs an objective without chance"):
        trained(network, "torch", X, Y, SquaredLoss(), solver="lbfgs")
    with pytest.raises(ValueError, match=r"output of shape \(40, 3\) for 40 rows; it must be \(40, 2\)"):
        module_network(lambda n_features, n_outputs: torch.nn.Linear(6, 3), 6, 2).output(np.zeros(21), X)
    with pytest.raises(ValueError, match="returned int"):
        module_network(lambda n_features, n_outputs: 3, 6, 2)


@pytest.mark.spec("NEU-L01", "NEU-006", "NEU-007")
@pytest.mark.filterwarnings("ignore:not converged")
def test_what_a_users_module_keeps_besides_parameters(tmp_path):
    def normed(n_features, n_outputs):
        layers = torch.nn.Linear(n_features, 5), torch.nn.BatchNorm1d(5), torch.nn.Linear(5, n_outputs)
        return torch.nn.Sequential(*layers)

    assert check_gradient(module_network(own_module, 6, 2), X[:5], Y[:5])
    plain = NetworkRegressor(module=own_module, max_iter=2, checkpoint=tmp_path / "a.npz", random_state=0)
    plain.fit(X, Y)
    with pytest.raises(ValueError, match=r"keeps parameters, and ModuleLayer.* has more, as running means; leave one"):
        NetworkRegressor(module=normed, checkpoint=tmp_path / "b.npz").fit(X, Y)
    with pytest.raises(ModelFileError, match=r"the model holds what cannot be written .*, as a module of PyTorch"):
        save(plain, tmp_path / "model.skops")
    assert not (tmp_path / "model.skops").exists()


@pytest.mark.spec("NEU-020")
def test_a_differentiable_function_of_torch_is_an_activation_of_both_engines():
    mish = torch.nn.functional.mish
    z = np.linspace(-3.0, 3.0, 50)
    by_hand = Activation(lambda z: z * np.tanh(np.log1p(np.exp(z))), lambda z: _mish_slope(z))
    for dtype in (np.float64, np.float32):
        network = NeuralNetwork([Dense(4, Activation(mish)), Dense(2)], 6)
        other = NeuralNetwork([Dense(4, by_hand), Dense(2)], 6)
        theta = network.init(np.random.default_rng(0), dtype)
        rows, targets = X.astype(dtype), X[:, :2].astype(dtype)
        parts = [
            net.problem(rows, targets, passes=passes_of(engine, net)).value_and_gradient(theta)
            for net, engine in ((network, "numpy"), (network, "torch"), (other, "numpy"))
        ]
        for value, gradient in parts[1:]:
            assert value == pytest.approx(parts[0][0], rel=1e-6)
            np.testing.assert_allclose(gradient, parts[0][1], rtol=1e-4 if dtype is np.float32 else 1e-10, atol=1e-6)
    A = np.empty((1, 50))
    Activation(torch.sin).forward(z[None], A, ())
    np.testing.assert_array_equal(A[0], np.sin(z).astype(float))
    with pytest.raises(ValueError, match="is not a differentiable function of PyTorch"):
        Activation(np.sin)
    with pytest.raises(ValueError, match="is not a differentiable function of PyTorch"):
        Activation(lambda t: t.detach() ** 2)
    with pytest.raises(ValueError, match="is not that of value"):
        Activation(lambda t: t.detach() * t)


def _mish_slope(z):
    inner = np.log1p(np.exp(z))
    return np.tanh(inner) + z * (1 - np.tanh(inner) ** 2) / (1 + np.exp(-z))
