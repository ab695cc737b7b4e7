"""Pictures of components, projections, factors and random maps: what is drawn is what was computed."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.contour import ContourSet
from sklearn.datasets import load_iris

from gnomon import plot
from gnomon.datasets import make_elongated, make_rings
from gnomon.decomposition import NMF, PCA, DiscriminantProjection, KernelPCA
from gnomon.features import RandomFourierFeatures, collision_probability
from gnomon.kernels import RBF
from pictures import labelled

RNG = np.random.default_rng(0)
LINE = RNG.normal(size=(20, 1)) @ [[2.0, 1.2]] + 0.4 * RNG.normal(size=(20, 2))


@pytest.mark.spec("UNS-P14")
def test_residuals_are_perpendicular():
    model = PCA(1).fit(LINE)
    ax = plot.principal_line(model, LINE)
    for line in ax.lines[1:]:
        residual = np.diff(line.get_xydata(), axis=0)[0]
        assert residual @ model.components_[0] == pytest.approx(0.0, abs=1e-10)
    assert len(ax.lines) == 21
    labelled(ax)
    # The line passes through the mean along the component, beyond the last point on either side.
    ends = ax.lines[0].get_xydata() - model.mean_
    along = (LINE - model.mean_) @ model.components_[0]
    assert np.abs(ends @ [-model.components_[0, 1], model.components_[0, 0]]).max() < 1e-12
    assert np.sort(ends @ model.components_[0]) == pytest.approx(1.15 * np.max(np.abs(along)) * np.array([-1.0, 1.0]))


@pytest.mark.spec("UNS-P14")
def test_a_plane_in_three_dimensions():
    X = RNG.normal(size=(10, 3)) * [3.0, 2.0, 0.3] + [1.0, -2.0, 0.5]
    model = PCA(2).fit(X)
    ax = plot.principal_line(model, X)
    assert ax.get_zlabel() == "$x_3$"
    corners = np.reshape(ax.collections[0]._faces, (-1, 3)) - model.mean_
    normal = np.cross(*model.components_)
    assert np.abs(corners @ normal).max() < 1e-12
    reach = np.max(np.abs((X - model.mean_) @ model.components_.T), axis=0)
    assert np.max(np.abs(corners @ model.components_.T), axis=0) == pytest.approx(reach)
    for line, x in zip(ax.lines, X, strict=True):
        start, end = np.transpose(line.get_data_3d())
        assert start == pytest.approx(x)
        assert end == pytest.approx(x - ((x - model.mean_) @ normal) * normal)
    for wrong, rows in [(PCA(1), np.eye(4)), (PCA(1), X), (PCA(2), X[:, :2]), (PCA(3), X)]:
        with pytest.raises(ValueError, match="columns"):
            plot.principal_line(wrong.fit(rows), rows)


@pytest.mark.spec("UNS-P15")
def test_scree_share_and_error():
    iris = load_iris().data
    model = PCA(ddof=0).fit(iris)
    panels = plot.scree(model, threshold=0.95)
    assert panels["variance"].lines[0].get_ydata() == pytest.approx(model.explained_variance_)
    assert panels["share"].lines[0].get_ydata() == pytest.approx(np.cumsum(model.explained_variance_ratio_))
    assert panels["share"].get_title("left") == "2 components reach 95 %"
    error = panels["error"].lines[0].get_ydata()
    for m in (1, 2, 3):
        assert error[m] == pytest.approx(PCA(m).fit(iris).reconstruction_error(iris), rel=1e-9)


@pytest.mark.spec("UNS-P16")
def test_scores_with_loadings():
    iris = load_iris(as_frame=True)
    model = PCA(3).fit(iris.data)
    ax = plot.biplot(model, iris.data, iris.target)
    Z = model.transform(iris.data)
    drawn = np.vstack([part.get_offsets().data for part in ax.collections])
    assert np.sort(drawn[:, 0]) == pytest.approx(np.sort(Z[:, 0]))
    assert {text.get_text() for text in ax.texts if text.get_text()} == set(iris.data.columns)
    assert plot.biplot(model, iris.data, n_components=3).get_zlabel() == "third component"
    assert plot.biplot(model, iris.data, iris.target, n_components=1).get_ylabel() == "class"
    pictures = plot.reconstructions(iris.data.to_numpy(), {"one": PCA(1).fit(iris.data.to_numpy())}, (2, 2), rows=[0])
    kept = np.asarray(pictures["one"].images[0].get_array()).ravel()
    one = PCA(1).fit(iris.data.to_numpy())
    assert kept == pytest.approx(one.inverse_transform(one.transform(iris.data.to_numpy()[:1]))[0])


@pytest.mark.spec("UNS-P17", "UNS-G39")
def test_component_functions_over_the_plane():
    t = np.linspace(0.0, 4.0, 40)
    curled = np.column_stack([np.cos(t) * (1.0 + t), np.sin(t) * (1.0 + t)])
    for X, y in (make_rings(40, random_state=0), (curled, t > 2.0)):
        model = KernelPCA(2, kernel="rbf", gamma=0.5).fit(X)
        panels = plot.component_contours(model, X, y)
        assert list(panels) == ["component 1", "component 2", "scores"]
        drawn = np.vstack([part.get_offsets().data for part in panels["scores"].collections])
        Z = model.transform(X)
        assert drawn[np.argsort(drawn[:, 0])] == pytest.approx(Z[np.argsort(Z[:, 0])])
        for j in range(2):
            contours = next(part for part in panels[f"component {j + 1}"].collections if isinstance(part, ContourSet))
            size = np.ptp(Z[:, j])
            for level, path in zip(contours.levels, contours.get_paths(), strict=True):
                # Every line is where its component function has the value of the line.
                if len(path.vertices):
                    assert np.abs(model.transform(path.vertices)[:, j] - level).max() < 0.02 * size


def test_pictures_that_a_model_or_table_does_not_suit_are_refused():
    """And those that it suits are drawn, also for frames and for a single component."""
    X, y = RNG.normal(size=(30, 3)), np.repeat([0, 1], 15)
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    kernel = KernelPCA(2, kernel="rbf")
    for call, words in [
        (lambda: plot.component_contours(PCA(1).fit(frame), frame), "n_components=2"),
        (lambda: plot.component_contours(kernel.fit(frame), frame, n_components=3), "n_components=3"),
        (lambda: plot.component_contours(kernel.fit(X), X), "2 columns"),
        (lambda: plot.joint_diagonalization(X, y), "2 columns"),
        (lambda: plot.joint_diagonalization(frame, np.zeros(30)), "y has one class"),
        (lambda: plot.directions_compared({"v": [1.0, 0.0]}, X, y), "2 columns"),
        (lambda: plot.directions_compared({"v": [1.0, 0.0, 1.0]}, frame, y), "directions"),
        (lambda: plot.biplot(PCA(1).fit(X), X), "n_components=2"),
        (lambda: plot.reconstructions(X, {"one": PCA(1).fit(X)}, (2, 2)), "shape"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    assert plot.principal_line(PCA(1).fit(frame), frame).get_xlabel() == "a"
    panels = plot.component_contours(PCA(1).fit(frame), frame, y, n_components=1)
    assert panels["scores"].get_ylabel() == "class"
    assert list(plot.component_contours(kernel.fit(frame), frame)) == ["component 1", "component 2", "scores"]
    plot.biplot(PCA(2).fit(frame), frame, y)
    plot.reconstructions(frame, {"one": PCA(1).fit(frame)}, (1, 2))
    plot.joint_diagonalization(frame, y)


@pytest.mark.spec("UNS-P18")
def test_a_discriminant_separates_where_variance_does_not():
    X, y = make_elongated(200, random_state=0)
    directions = {
        "PCA": PCA(1).fit(X).components_[0],
        "discriminant": DiscriminantProjection(1).fit(X, y).components_[0],
    }
    panels = plot.directions_compared(directions, X, y)

    def overlap(ax):
        heights = np.array([bar.get_height() for bar in ax.patches]).reshape(2, -1)
        return np.minimum(*heights).sum() / 100

    assert overlap(panels["PCA"]) > 0.6
    assert overlap(panels["discriminant"]) < 0.05
    assert [line.get_label() for line in panels["points"].lines] == ["PCA", "discriminant"]


@pytest.mark.spec("UNS-P19")
def test_joint_diagonalisation_in_three_steps():
    X, y = make_elongated(150, random_state=1)
    panels = plot.joint_diagonalization(X, y)
    for name in ("whitened within classes", "rotated"):
        ellipse = panels[name].patches[0]
        assert ellipse.width == pytest.approx(ellipse.height, rel=1e-6)
    rotated = np.vstack([part.get_offsets().data for part in panels["rotated"].collections])
    labels = np.repeat([0, 1], 75)
    means = np.array([rotated[labels == k].mean(axis=0) for k in range(2)])
    assert means[0, 1] == pytest.approx(means[1, 1], abs=1e-9)


@pytest.mark.spec("UNS-P20")
def test_rings_become_stripes():
    X, y = make_rings(60, radii=(1.0, 2.0), noise=0.05, random_state=0)
    after = plot.polar_remap(X, y)["after"]
    radii = [part.get_offsets().data[:, 0] for part in after.collections]
    assert max(radii[0].max(), radii[1].max()) > min(radii[0].max(), radii[1].max()) + 0.5


@pytest.mark.spec("UNS-P22")
def test_patterns_and_activations():
    X = np.abs(RNG.normal(size=(12, 6)))
    model = NMF(3, init="nndsvda", tol=1e-2, max_iter=500)
    W = model.fit_transform(X)
    panels = plot.pattern_panels(model.components_, W, shape=(2, 3))
    assert np.asarray(panels["pattern 2"].images[0].get_array()).ravel() == pytest.approx(model.components_[1])
    assert np.asarray(panels["activations"].images[0].get_array()) == pytest.approx(W)
    curves = plot.pattern_panels(model.components_)
    assert curves["pattern 1"].lines[0].get_ydata() == pytest.approx(model.components_[0])


@pytest.mark.spec("UNS-P23")
def test_errors_of_random_maps():
    X = RNG.normal(size=(25, 300))
    panels = plot.projection_distortion(X, sizes=(20, 80))
    measured, promised = (line.get_ydata() for line in panels["spread"].lines)
    assert measured == pytest.approx(promised, rel=0.5)
    few = RNG.normal(size=(8, 2))
    ax = plot.approximation_error(few, sizes=(10, 40), n_repeats=2)
    K = RBF().gram(few)
    maps = [RandomFourierFeatures(RBF(), 10, random_state=s).fit_transform(few) for s in range(2)]
    expected = np.sqrt(np.mean([np.mean((Z @ Z.T - K) ** 2) for Z in maps]))
    assert ax.lines[0].get_ydata()[0] == pytest.approx(expected)
    curves = plot.collision_curves(width=2.0)["distance"]
    c, p = curves.lines[0].get_xydata()[50]
    assert p == pytest.approx(collision_probability("l2", c, width=2.0))
