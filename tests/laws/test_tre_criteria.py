"""Split criteria keep their laws, each law can be broken, and growers ask for what they need."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import public_names
from criterion_cases import CRITERIA, Gamma, PlainVariance, RootGini, SquaredGini, gini, variance
from daily import daily
from gnomon.search import (
    AbsoluteError,
    ClassCriterion,
    CountsCriterion,
    Criterion,
    Gini,
    Newton,
    PinballError,
    SeveralOutputs,
    SquaredError,
    SumCriterion,
    applicable_growers,
    code_columns,
    grow_general_tree,
    grow_in_place,
    grow_tree,
    noun,
    optimal_tree,
)
from gnomon.search.order_criteria import OrderGroups
from gnomon.testing import check_criterion
from gnomon.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)


@pytest.mark.parametrize("name", CRITERIA)
def test_criteria(name):
    case = CRITERIA[name]
    check_criterion(case.criterion, impurity=case.impurity)


def test_every_public_criterion_is_tried():
    assert set(public_names.classes(Criterion)) <= {type(case.criterion) for case in CRITERIA.values()}


def test_the_user_may_give_the_targets():
    draws = CRITERIA["own, gamma"].draw(np.linspace(0.0, 2.0, 40), np.random.default_rng(0))
    check_criterion(Gamma(), y=draws)
    with pytest.raises(AssertionError, match="law broken"), np.errstate(invalid="ignore"):
        check_criterion(Gamma(), y=-draws)


@dataclass(frozen=True)
class PlainGini(ClassCriterion):
    """The Gini index in plain Python."""

    size: int = 2

    def worth(self, sums, at):
        weights = np.asarray(sums[at + 1 : at + 1 + self.size])
        return float(np.sum(weights**2) / np.sum(weights) - np.sum(weights))


class WrongMass(PlainVariance):
    def mass(self, sums, at):
        return sums[at]


class WrongMassOfOne(WrongMass):
    def masses(self, sums):
        return sums[:, 1]


class UncountedRows(PlainVariance):
    def tally(self, sums, at, y, i, w):
        self.weigh(sums, at, y, i, w)


class NoWorth(PlainVariance):
    def worth(self, sums, at):
        return np.nan


class WrongWorth(PlainVariance):
    def worth(self, sums, at):
        return 1.01 * super().worth(sums, at)


class PositiveWorth(PlainVariance):
    def worth(self, sums, at):
        return super().worth(sums, at) + 0.1


class CountsRows(PlainVariance):
    def worth(self, sums, at):
        return super().worth(sums, at) - sums[at]


class SquaredVariance(PlainVariance):
    def worth(self, sums, at):
        return -(super().worth(sums, at) ** 2) / sums[at + 1]


class FarFromZero(PlainVariance):
    monotone_worth = False

    def worth(self, sums, at):
        return -abs(sums[at + 2])


class TwiceTheMean(PlainVariance):
    def center(self, sums, at):
        return 2.0 * super().center(sums, at)


class WrongCenter(TwiceTheMean):
    def answers(self, sums):
        return sums[:, 2:3] / sums[:, 1:2]


class WrongLevel(PinballError):
    pinball = (0.9, 1.0)


class WrongDegree(PlainVariance):
    degree = 1


class WrongDegreeOfOrder(PinballError):
    degree = 2


class FixedUnit(PlainVariance):
    """No answer is above 1, whatever the unit."""

    centred = False
    degree = 2

    def center(self, sums, at):
        return min(super().center(sums, at), 1.0)


class DegreeOfClasses(PlainGini):
    degree = 0


class AlmostZero(PlainVariance):
    """Its worth of equal targets is that of rounded sums."""

    exact_zero = True


class NeverZero(PinballError):
    exact_zero = True
    pinball = None
    degree = None

    def groups(self, y, w, group, k):
        return super().groups(y + 1e-12 * np.arange(len(y)).reshape((-1,) + (1,) * (np.ndim(y) - 1)), w, group, k)


class WrongPrefixes(OrderGroups):
    def prefixes(self, order):
        return super().prefixes(order[::-1])


class WrongOrder(OrderGroups):
    def order(self):
        return np.zeros(self.k, dtype=int)


class WrongAnswers(OrderGroups):
    @property
    def answers(self):
        return super().answers + np.arange(self.k)[:, None]


@dataclass(frozen=True)
class ByOther(PinballError):
    kind: type = OrderGroups

    def groups(self, y, w, group, k):
        return self.kind(self, np.reshape(y, (len(w), -1)), w, np.asarray(group), k)


class NotAdditive(PlainVariance):
    additive = False


class WrongWidth(PlainGini):
    def width(self):
        return self.size + 2


class WeighsByPlace(PlainGini):
    def weigh(self, sums, at, y, i, w):
        sums[at + 1 + y[i]] += w if at == 0 else 2.0 * w


class WeighsTwice(PlainGini):
    class_weights = True

    def weigh(self, sums, at, y, i, w):
        sums[at + 1 + y[i]] += 2.0 * w


class TwiceTheWorth(PlainVariance):
    def merit(self, sums, at):
        return 2.0 * self.worth(sums, at)


class RefusesWithoutMerit(PlainVariance):
    def worth(self, sums, at):
        return -np.inf if sums[at + 1] < 3.0 else super().worth(sums, at)

    def merit(self, sums, at):
        return super().worth(sums, at)


class OpenRange(PlainVariance):
    def weigh_range(self, sums, at, cells, low, high, y, w, m):
        super().weigh_range(sums, at, cells, low + 1, high, y, w, m)


class WeighsAllButOne(PlainVariance):
    def weigh_all(self, sums, at, y, w, m):
        super().weigh_all(sums, at, y, w, m - 1)


class GrowsByShrinking(PlainVariance):
    def shrunk(self, sums, at, more):
        return self.center(sums, at) * (1.0 + more)


class ReadsRows(PlainGini):
    def center(self, sums, at):
        return super().center(sums, at) if sums[at] > 0.0 else 0.0


class NumbersAsClasses(PlainVariance):
    class_weights = True


class NeverPure(PlainGini):
    class_weights = True

    def worth(self, sums, at):
        return super().worth(sums, at) - 0.1 * self.mass(sums, at)


class TwoSums(PlainVariance):
    """Sums w and Σ w y tell the merit."""

    def merit(self, sums, at):
        return sums[at + 2] ** 2 / sums[at + 1]

    def two_sums(self):
        return True

    def merit_of(self, a, b):
        return b * b / a

    def mass_of(self, a, b):
        return a


class SquareOfSum(TwoSums):
    def first_sum(self, sums, at):
        return sums[at + 1] ** 2


class MeanAsSum(TwoSums):
    def second_sum(self, sums, at):
        return sums[at + 2] / sums[at + 1]


class WrongMeritOfTwo(TwoSums):
    def merit_of(self, a, b):
        return b * b / (a + 0.1)


class WrongMassOfTwo(TwoSums):
    def mass_of(self, a, b):
        return b


class FallingSums(TwoSums):
    def convex_merit(self):
        return True


class NotConvex(PlainGini):
    def worth(self, sums, at):
        return -(super().worth(sums, at) ** 2) / self.mass(sums, at)

    def convex_merit(self):
        return True


class NoWorthAtBounds(PlainVariance):
    def clips(self):
        return True


class LeavesOutAll(PlainVariance):
    def no_cut_between(self, sums, a, b):
        return True


class OtherSums(PlainGini):
    def fixed_width(self):
        return WeighsTwice()


class OtherWorth(PlainGini):
    def fixed_width(self):
        return NotConvex()


class OtherMeritInPython(Gini):
    def merit(self, sums, at):
        return self.worth(sums, at)


BROKEN = [
    (WrongMass(), "the weight of a group is the sum of w"),
    (WrongMassOfOne(), "masses are those of one group each"),
    (UncountedRows(), "a group has as many rows"),
    (NoWorth(), "the worth of a group is a number"),
    (WrongWorth(), "worth = −n H"),
    (PositiveWorth(), "is_impurity: H ≥ 0"),
    (CountsRows(), r"is_impurity: a weight of k is the row k times \(worth\)"),
    (SquaredVariance(), "monotone_worth: no rows make a group worth more"),
    (FarFromZero(), "centred: y − c has the gains of y"),
    (TwiceTheMean(), "centred: y − c has the answers less c"),
    (WrongLevel(0.5), "pinball: worth"),
    (WrongDegree(), r"degree: c·y has H times c\^1"),
    (WrongDegreeOfOrder(0.5), r"degree: c·y has H times c\^2"),
    (FixedUnit(), "degree: c·y has the answers times c"),
    (DegreeOfClasses(), "degree: the index of a class has no unit"),
    (AlmostZero(), "exact_zero: H of equal targets is computed as zero"),
    (NeverZero(), "exact_zero: H of equal targets is computed as zero"),
    (ByOther(kind=WrongPrefixes), "groups: the .* of a union, by prefixes"),
    (ByOther(kind=WrongOrder), "order has every group once"),
    (ByOther(kind=WrongAnswers), "groups: an answer is that of its rows"),
    (NotAdditive(), "additive: a criterion with sums"),
    (WrongWidth(), "width is size"),
    (WeighsByPlace(), "weigh adds the same to a group wherever it stands"),
    (WeighsTwice(), "class_weights: the sums are weights of classes"),
    (TwiceTheWorth(), "the gain by merits is that by worths"),
    (RefusesWithoutMerit(), "a group that no split may make has merit and worth −∞"),
    (OpenRange(), "weigh_range adds what row after row adds"),
    (WeighsAllButOne(), "weigh_all adds what row after row adds"),
    (GrowsByShrinking(), "shrunk goes from the center to zero"),
    (WrongCenter(), "the center is the answer"),
    (ReadsRows(), "center of classes does not read the number of rows"),
    (NumbersAsClasses(), "class_weights: there is one output"),
    (NeverPure(), "class_weights: a group of one class is worth 0"),
    (SquareOfSum(), "two_sums: the first sum adds up"),
    (MeanAsSum(), "two_sums: the second sum adds up"),
    (WrongMeritOfTwo(), "two_sums: merit_of is the merit"),
    (WrongMassOfTwo(), "two_sums: mass_of is the mass"),
    (FallingSums(), "convex_merit: no sum falls"),
    (NotConvex(), "convex_merit: the merit lies below its chords"),
    (NoWorthAtBounds(), "clips: worth_at the center is the worth"),
    (LeavesOutAll(), "no_cut_between: no cut left out is better"),
    (OtherSums(), "fixed_width: the sums are the same"),
    (OtherWorth(), "fixed_width: worth is the same"),
    (OtherMeritInPython(3), "merit is the same in a kernel"),
]
DEFINED = {WrongWorth: variance}


@pytest.mark.parametrize(("criterion", "law"), BROKEN, ids=lambda case: type(case).__name__)
def test_a_wrong_criterion_is_found_out(criterion, law):
    with pytest.raises(AssertionError, match=f"law broken: {law}"):
        check_criterion(criterion, impurity=DEFINED.get(type(criterion)))


@pytest.mark.parametrize("right", [PlainGini(), TwoSums()], ids=repr)
def test_what_the_wrong_ones_are_made_of_is_right(right):
    check_criterion(right)


def test_a_verb_that_is_not_written_is_named():
    class Unfinished(SumCriterion):
        size = 1

    with pytest.raises(TypeError, match=r"abstract methods? .*center.*mass.*weigh.*worth"):
        Unfinished()


GROWERS = {
    "Gini, 3 classes": ["grow_in_place", "grow_tree", "optimal_tree", "grow_general_tree"],
    "own, not concave": ["grow_tree", "grow_general_tree"],
    "own, plain Python": ["grow_general_tree"],
    "absolute error": ["grow_general_tree"],
    "Newton": ["grow_tree"],
}


@pytest.mark.parametrize("name", GROWERS)
def test_traits_say_which_growers_may_use_a_criterion(name):
    assert applicable_growers(CRITERIA[name].criterion) == GROWERS[name]


def test_several_outputs_have_the_traits_of_one():
    assert "grow_in_place" not in applicable_growers(SeveralOutputs.of(SquaredGini, (2, 3)))
    assert applicable_growers(SeveralOutputs.of(PlainGini, (2, 3))) == ["grow_general_tree"]
    check_criterion(SeveralOutputs.of(PlainGini, (2, 3)))


REFUSALS = [
    (grow_tree, AbsoluteError(), "grow_tree needs: additive=True .* and compiled=True .*; use grow_general_tree"),
    (grow_tree, PlainVariance(), "grow_tree needs: compiled=True .*@noun"),
    (optimal_tree, SquaredGini(2), "optimal_tree needs: monotone_worth=True"),
    (grow_general_tree, Newton(), "grow_general_tree needs: is_impurity=True"),
]


@pytest.mark.parametrize(("grower", "criterion", "message"), REFUSALS, ids=lambda case: getattr(case, "__name__", None))
def test_a_grower_refuses_a_criterion_without_what_it_needs(grower, criterion, message):
    with pytest.raises(ValueError, match=f"criterion=.* lacks what {message}"):
        grower(code_columns(np.arange(4.0)[:, None]), np.array([0, 1, 1, 0]), criterion)


@noun
class Overconfident(SquaredGini):
    """Says that its worth is monotone, which is not true."""

    size: int

    monotone_worth = True


def hidden_cut():
    """6000 rows whose best cut by `SquaredGini` divides 4000 values of column 0 that lie close together.

    Beside them are 1000 mixed rows on either side, which a pile of one class makes worth more. Column 1 is nearly as
    good, and better than what the mixed rows are worth alone.
    """
    mixed, pure = np.arange(1000) % 2, np.repeat([0, 1], 2000)
    y = np.concatenate([mixed, pure, mixed])
    x = np.concatenate([np.linspace(0.0, 1.0, 1000), 1.505 + 1e-7 * np.arange(4000), np.linspace(2.0, 3.0, 1000)])
    flipped = np.isin(np.arange(6000), [*np.flatnonzero(y == 0)[:513], *np.flatnonzero(y == 1)[:513]])
    return np.column_stack([x, y ^ flipped]), y


@pytest.mark.parametrize("name", daily(["own, concave", "own, not concave", "own, gamma"], "own, not concave"))
def test_an_estimator_of_many_rows_grows_the_exact_tree_whatever_the_traits(name):
    case = CRITERIA[name]
    X = np.random.default_rng(3).normal(size=(6000, 3)).round(3)
    y = case.draw(1.0 + np.tanh(X[:, 0]), np.random.default_rng(0))
    model = DecisionTreeClassifier if case.criterion.classes else DecisionTreeRegressor
    tree = model(criterion=case.criterion, max_depth=6).fit(X, y).tree_
    exact = grow_tree(code_columns(X), y, case.criterion, max_depth=6)
    assert tree.node_count > 40
    assert np.array_equal(tree.nodes, exact.nodes)
    assert np.allclose(tree.answers, exact.answers)


def test_bounds_would_be_wrong_without_the_trait():
    X, y = hidden_cut()
    with pytest.raises(ValueError, match=r"criterion=SquaredGini\(size=2\) lacks .* monotone_worth=True"):
        grow_in_place(X, y, SquaredGini(2))
    stump = DecisionTreeClassifier(criterion=SquaredGini(2), max_depth=1).fit(X, y).tree_
    assert np.array_equal(stump.nodes, grow_tree(code_columns(X), y, SquaredGini(2), max_depth=1).nodes)
    assert stump.feature[0] == 0
    wrong = grow_in_place(X, y, Overconfident(2), max_depth=1)
    assert wrong.feature[0] == 1
    assert wrong.gain[0] < stump.gain[0]
    with pytest.raises(AssertionError, match="monotone_worth"):
        check_criterion(Overconfident(2))


def small(seed=0, n=300):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 5, n)])
    return X, X[:, 0] + 0.3 * rng.normal(size=n) + (X[:, 2] == 3.0)


@pytest.mark.parametrize("category", [None, [2]])
def test_a_criterion_in_plain_python_grows_the_tree_of_its_compiled_twin(category):
    X, y = small()
    options = {"categorical_features": category, "max_depth": 5}
    own = DecisionTreeRegressor(criterion=PlainVariance(), **options).fit(X, y)
    twin = DecisionTreeRegressor(**options).fit(X, y)
    np.testing.assert_allclose(own.predict(X), twin.predict(X))
    labels = (y > 0.5).astype(int) + (y > 1.0)
    own = DecisionTreeClassifier(criterion=PlainGini(3), **options).fit(X, labels)
    np.testing.assert_allclose(own.predict_proba(X), DecisionTreeClassifier(**options).fit(X, labels).predict_proba(X))


@pytest.mark.parametrize("model", daily([RandomForestClassifier, ExtraTreesClassifier], RandomForestClassifier))
def test_forests_take_criteria_of_ones_own(model):
    X, y = small()
    labels = (y > 0.5).astype(int)
    forest = model(3, criterion=RootGini(2), random_state=0).fit(X, labels)
    assert forest.estimators_[0].criterion == RootGini(2)
    assert forest.score(X, labels) > 0.9
    slow = model(2, criterion=PlainGini(2), random_state=0, max_depth=3).fit(X, labels)
    assert slow.score(X, labels) > 0.8


@pytest.mark.slow
def test_forests_of_numbers_take_criteria_of_ones_own():
    X, y = small()
    forest = RandomForestRegressor(3, criterion=Gamma(), random_state=0).fit(X, np.exp(y))
    assert forest.score(X, np.exp(y)) > 0.8
    assert forest.estimators_[0].criterion == Gamma()


@pytest.mark.slow
def test_forests_of_several_outputs_take_criteria_of_ones_own():
    X, y = small()
    labels = (y > 0.5).astype(int)
    two = RandomForestClassifier(2, criterion=SeveralOutputs.of(RootGini, (2, 2)), random_state=0)
    assert two.fit(X, np.column_stack([labels, 1 - labels])).predict(X).shape == (len(X), 2)


MISFITS = [
    (DecisionTreeClassifier, RootGini(3), r"criterion=RootGini\(size=3\) is for 3 classes, and y has 2 classes"),
    (RandomForestClassifier, SquaredError(), "is for numbers, and y has 2 classes"),
    (DecisionTreeRegressor, Gini(2), "is for classes, and y has 1 numbers a row"),
    (RandomForestRegressor, SquaredError.of(2), "is for 2 numbers a row, and y has 1"),
    (DecisionTreeRegressor, Newton(), "is what a step of boosting gains"),
    (DecisionTreeClassifier, RootGini, "criterion=<class .* is unknown"),
    (DecisionTreeRegressor, Gamma(), r"not positive; criterion Gamma\(size=3\) needs y > 0"),
    (DecisionTreeRegressor, "poisson", "Some value.* of y are negative; .* needs y ≥ 0"),
]


@pytest.mark.parametrize(("estimator", "criterion", "message"), MISFITS, ids=str)
def test_a_criterion_that_does_not_fit_the_targets_is_refused(estimator, criterion, message):
    X, y = small()
    y = y if issubclass(estimator, DecisionTreeRegressor | RandomForestRegressor) else (y > 0.5).astype(int)
    with pytest.raises(ValueError, match=message):
        estimator(criterion=criterion).fit(X, y)


def test_a_function_of_weights_is_a_criterion_too():
    case = CRITERIA["a function"]
    assert isinstance(case.criterion, CountsCriterion)
    check_criterion(replace(case.criterion, function=lambda n: 1.0 - np.sum((n / np.sum(n)) ** 2)), impurity=gini)
