"""ONNX: the models are run by onnxruntime and compared with the ensemble."""

import sys

import numpy as np
import onnxruntime
import pytest
from export.corpus import assert_answers, boundary_cases, drawn_cases, finite_scores, outputs

from sorb.export import onnx_model
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
COLUMNS = ("age", "unused")


def run(model, X):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": X}), strict=True))


def numbered(classes):
    """Whether the classes have no type in common, so that the prediction is a number."""
    kinds = {type(label) for label in classes}
    too_large = kinds == {int} and any(abs(label) >= 2**63 for label in classes)
    return too_large or kinds not in ({str}, {int}, {float}, {int, float})


def test_gives_the_same_answers():
    for ensemble, X in [*boundary_cases(), *drawn_cases()]:
        found = run(onnx_model(ensemble, contributions=True), X)
        for output in outputs(ensemble):
            if output != "decision" and not finite_scores(ensemble, X):
                continue
            answers = found[output].tolist()
            classes = ensemble.classes or (0, 1)
            labels = output == "prediction" and ensemble.loss in ("logistic", "softmax")
            if labels and numbered(classes):
                answers = [classes[number] for number in answers]
            elif labels:
                answers = [next(c for c in classes if c == answer) for answer in answers]
            assert_answers(answers, ensemble, X, output)
        if len(ensemble):
            assert found["contributions"].tolist() == ensemble.contributions(X).tolist()


@pytest.mark.parametrize("factor", [1 + 2**-52, 1 - 2**-53, 1 + 1e-9, 1.0])
@pytest.mark.parametrize("columns", [("age",), ("age", "unused")])
def test_factors_that_are_nearly_one_are_kept(factor, columns):
    X = np.array([[3.3, 1.7]])
    weights = (factor, -factor)[: len(columns)]
    total = sum(w * x for w, x in zip(weights, X[0].tolist(), strict=False))
    tests = [Proposition(columns, weights, t) for t in (total, np.nextafter(total, np.inf))]
    rules = tuple(Rule(Condition((test,)), 1.0) for test in tests)
    ensemble = RuleEnsemble(0.0, rules, COLUMNS, "squared")
    assert run(onnx_model(ensemble), X)["decision"].tolist() == ensemble(X).tolist() == [1.0]


@pytest.mark.parametrize(
    ("classes", "blank"),
    [(("no", "yes"), ""), ((1, 2), -(2**63)), ((False, True), -1), ((1, "a"), -1), (("a",), "")],
)
def test_missing_value_gives_no_label(classes, blank):
    ensemble = RuleEnsemble(-1.0, (Rule(OLD, 1.5),), COLUMNS, "logistic", classes)
    found = run(onnx_model(ensemble), np.array([[np.nan, 0.0], [40.0, np.nan]]))
    assert np.isnan(found["decision"]).tolist() == [True, False]
    first, second = found["prediction"].tolist()
    assert first == blank
    assert second != blank


def test_missing_value_gives_no_number():
    two = (Rule(OLD, 1.5), Rule(Condition(), 0.5, 1))
    ensemble = RuleEnsemble((0.0, 0.5), two, COLUMNS, "softmax", (0.5, 1.5))
    found = run(onnx_model(ensemble, contributions=True), np.array([[np.nan, 0.0], [40.0, 0.0]]))
    for name in ("decision", "probability"):
        assert np.isnan(found[name]).tolist() == [[True, True], [False, False]]
    assert np.isnan(found["prediction"]).tolist() == [True, False]
    assert np.isnan(found["contributions"]).tolist() == [[True, False], [False, False]]


def test_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"sorb\[onnx\]"):
        onnx_model(RuleEnsemble(0.0, (), COLUMNS, "squared"))
