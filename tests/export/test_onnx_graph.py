"""ONNX: the models are run by onnxruntime and compared with the ensemble."""

import sys

import numpy as np
import pytest
from export.corpus import boundary_cases, cases_for
from export.targets.onnx_model import check, run, usable

from sorb.export import to_onnx
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
COLUMNS = ("age", "unused")


def test_gives_the_same_answers():
    check([*boundary_cases(), *cases_for(usable)])


@pytest.mark.parametrize("factor", [1 + 2**-52, 1 - 2**-53, 1 + 1e-9, 1.0])
@pytest.mark.parametrize("columns", [("age",), ("age", "unused")])
def test_factors_that_are_nearly_one_are_kept(factor, columns):
    X = np.array([[3.3, 1.7]])
    weights = (factor, -factor)[: len(columns)]
    total = sum(w * x for w, x in zip(weights, X[0].tolist(), strict=False))
    tests = [Proposition(columns, weights, t) for t in (total, np.nextafter(total, np.inf))]
    rules = tuple(Rule(Condition((test,)), 1.0) for test in tests)
    ensemble = RuleEnsemble(0.0, rules, COLUMNS, "squared")
    assert run(to_onnx(ensemble), {"X": X})["score"].tolist() == ensemble(X).tolist() == [1.0]


@pytest.mark.parametrize(
    ("classes", "shown"),
    [
        (("no", "yes"), ["no", "yes"]),
        ((1, 2), [1, 2]),
        ((0.5, 2), [0.5, 2.0]),
        ((False, True), [0, 1]),
        ((1, "a"), [0, 1]),
        ((2**63, 2**64 - 1), [0, 1]),
        ((0.5, 2**53 + 1), [0, 1]),
        (("a",), ["a", "a"]),
    ],
)
def test_labels(classes, shown):
    ensemble = RuleEnsemble(-1.0, (Rule(OLD, 1.5),), COLUMNS, "logistic", classes)
    found = run(to_onnx(ensemble), {"X": np.array([[np.nan, 0.0], [40.0, np.nan]])})
    assert found["prediction"].tolist() == shown


def shapes(ensemble):
    return {
        output.name: [d.dim_param or d.dim_value for d in output.type.tensor_type.shape.dim]
        for output in to_onnx(ensemble).graph.output
    }


def test_outputs_declare_their_shapes():
    numbers = RuleEnsemble(0.0, (Rule(OLD, 1.5),), COLUMNS, "squared")
    assert shapes(numbers) == {"score": ["rows"], "prediction": ["rows"]}
    offsets, labels = (0.0, 1.0, 2.0), ("a", "b", "c")
    classes = RuleEnsemble(offsets, (Rule(OLD, 1.5),), COLUMNS, "softmax", labels)
    several = {"score": ["rows", 3], "probability": ["rows", 3]}
    assert shapes(classes) == {**several, "prediction": ["rows"]}


class TestTexts:
    GROUP = Membership("group", ("A", "AB"), missing=True)

    def model(self, *propositions):
        rules = [Rule(Condition((proposition,)), 1.0) for proposition in propositions]
        columns = sorted({name for p in propositions for name in p.columns})
        return to_onnx(RuleEnsemble(0.0, rules, columns, "squared"))

    def test_each_column_of_texts_is_an_input(self):
        model = self.model(self.GROUP, Membership("sex", ("f",)), Membership("bmi", (1, 2)))
        assert [given.name for given in model.graph.input] == ["X", "group", "sex"]

    def test_an_empty_text_is_missing(self):
        texts = np.array(["A", "B", "", "a"], dtype=object)
        found = run(self.model(self.GROUP), {"X": np.zeros((4, 1)), "group": texts})
        assert found["score"].tolist() == [1.0, 0.0, 1.0, 0.0]

    def test_numbers_alone_need_no_operators_on_texts(self):
        assert [opset.domain for opset in self.model(Membership("bmi", (1,))).opset_import] == [""]

    @pytest.mark.parametrize("name", ["v0", "c1", "_v1", "_c", "__v2", "rows", "größe; --"])
    def test_a_column_may_be_called_like_a_value_inside(self, name):
        group = Membership(name, ("A",))
        given = {"X": np.zeros((2, 1)), name: np.array(["A", "B"], dtype=object)}
        assert run(self.model(group), given)["score"].tolist() == [1.0, 0.0]

    @pytest.mark.parametrize("name", ["X", "score", "a\0b"])
    def test_refuses_a_name_that_no_input_can_have(self, name):
        with pytest.raises(ValueError, match="rename the column"):
            self.model(Membership(name, ("A",)))

    @pytest.mark.parametrize(
        ("message", "categories"),
        [("rename the category", ("",)), ("one type", ("a", 1)), ("float64", (2**53 + 1,))],
    )
    def test_refuses_categories_that_onnx_cannot_tell(self, message, categories):
        with pytest.raises(ValueError, match=message):
            self.model(Membership("key", categories))


def test_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install .*\[onnx\]"):
        to_onnx(RuleEnsemble(0.0, (), COLUMNS, "squared"))
