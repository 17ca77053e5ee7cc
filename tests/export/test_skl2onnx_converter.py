"""Pipelines that skl2onnx converts and onnxruntime runs, compared with scikit-learn."""

import sys

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skl2onnx import to_onnx
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, RobustScaler, StandardScaler

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor, LLTBoostRegressorCV
from sorb.export.skl2onnx_converter import register_with_skl2onnx
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

PLAIN = {"zipmap": False}


@pytest.fixture(autouse=True, scope="module")
def registered():
    register_with_skl2onnx()


def run(model, inputs):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    if not isinstance(inputs, dict):
        inputs = {session.get_inputs()[0].name: inputs}
    return session.run(None, inputs)


def assert_classifies(model, X, options=PLAIN):
    """Convert, run and compare: labels exactly, probabilities but for the last digits."""
    labels, probabilities = run(to_onnx(model, X[:1], options=options), X)
    assert labels.tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(X), rtol=1e-13, atol=1e-15)


@pytest.fixture(scope="module")
def flowers(iris):
    X, y = iris
    return X.to_numpy(), y


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(), RobustScaler()])
def test_classifier_behind_a_scaler(flowers, scaler):
    X, y = flowers
    pipeline = make_pipeline(scaler, LLTBoostClassifier(max_rules=4, selection=None)).fit(X, y)
    assert_classifies(pipeline, X)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array([False, True]),
        np.array([3, -2]),
        np.array([1.0, 2.0]),
        np.array(["only", "only"]),
        np.array([True, True]),
    ],
    ids=str,
)
def test_labels_of_two_classes_and_of_one(flowers, labels):
    X, y = flowers
    model = LLTBoostClassifier(max_rules=3, selection=None).fit(
        X, labels[(y == "virginica").astype(int)]
    )
    assert_classifies(make_pipeline(model), X)


def test_a_model_that_speaks_of_the_first_class(flowers):
    X, y = flowers
    model = LLTBoostClassifier(max_rules=2, selection=None, positive="no")
    model.fit(X, np.where(y == y[-1], "yes", "no"))
    assert_classifies(model, X)
    _, scores = run(to_onnx(model, X[:1], options={**PLAIN, "raw_scores": True}), X)
    np.testing.assert_allclose(scores[:, 1], model.decision_function(X), rtol=1e-13)


def test_regressor_behind_a_column_transformer(diabetes):
    X, y = diabetes
    X = X.to_numpy()
    scaled = make_column_transformer(
        (StandardScaler(), [0, 3]), (MinMaxScaler(), [1]), remainder="passthrough"
    )
    for loss in ("squared", "poisson"):
        pipeline = make_pipeline(
            scaled, LLTBoostRegressor(max_rules=5, selection=None, loss=loss)
        ).fit(X, y)
        (found,) = run(to_onnx(pipeline, X[:1]), X)
        assert found.shape == (len(X), 1)
        np.testing.assert_allclose(found[:, 0], pipeline.predict(X), rtol=1e-14)


def test_columns_of_texts_are_encoded_before_the_rules(patients):
    X, y = patients
    prepared = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["group"]), (StandardScaler(), ["age", "bmi"])
    )
    X = X.astype({"group": str})
    pipeline = make_pipeline(prepared, LLTBoostClassifier(max_rules=4, selection=None)).fit(X, y)
    model = to_onnx(pipeline, X[:1], options=PLAIN)
    labels, _ = run(model, {name: X[[name]].to_numpy() for name in X})
    assert labels.tolist() == pipeline.predict(X).tolist()


def test_missing_values_go_the_way_of_the_rules(patients):
    X, y = patients
    X = X[["age", "bmi"]].to_numpy()
    pipeline = make_pipeline(StandardScaler(), LLTBoostClassifier(max_rules=4, selection=None)).fit(
        X, y
    )
    assert len(set(pipeline.predict(X[np.isnan(X[:, 1])]))) == 1
    assert_classifies(pipeline, X)


@pytest.mark.parametrize("estimator", [LLTBoostClassifierCV, LLTBoostRegressorCV])
def test_cross_validated_estimators(flowers, estimator):
    X, y = flowers
    model = make_pipeline(StandardScaler(), estimator(max_rules=2, cv=2))
    model.fit(X, y if estimator is LLTBoostClassifierCV else X[:, 3])
    options = PLAIN if estimator is LLTBoostClassifierCV else None
    found = run(to_onnx(model, X[:1], options=options), X)[0]
    assert found.ravel().tolist() == model.predict(X).tolist()


def test_inside_other_estimators(flowers):
    X, y = flowers
    few = LLTBoostClassifier(max_rules=2, selection=None)
    kinds = [("rules", few), ("line", LogisticRegression(max_iter=1000))]
    assert_classifies(GridSearchCV(few, {"max_rules": [1, 2]}, cv=2).fit(X, y), X)
    assert_classifies(VotingClassifier(kinds, voting="soft", flatten_transform=False).fit(X, y), X)
    assert_classifies(StackingClassifier(kinds, cv=2).fit(X, y), X)


@pytest.mark.parametrize("kinds", [2, 3])
def test_calibration_starts_from_the_decision_function(flowers, kinds):
    X, y = flowers
    y = y if kinds == 3 else y == "virginica"
    model = CalibratedClassifierCV(LLTBoostClassifier(max_rules=3, selection=None), cv=2).fit(X, y)
    assert_classifies(model, X)


@pytest.mark.parametrize("kinds", [2, 3])
def test_raw_scores_are_the_decision_function(flowers, kinds):
    X, y = flowers
    model = LLTBoostClassifier(max_rules=3, selection=None).fit(
        X, y if kinds == 3 else y == "virginica"
    )
    onnx = to_onnx(model, X[:1], options={id(model): {"zipmap": False, "raw_scores": True}})
    _, scores = run(onnx, X)
    scores = scores if kinds == 3 else scores[:, 1]
    assert np.array_equal(scores, model.decision_function(X))


def test_numbers_instead_of_labels(flowers):
    X, y = flowers
    model = LLTBoostClassifier(max_rules=3, selection=None).fit(X, y)
    onnx = to_onnx(model, X[:1], options={id(model): {"zipmap": False, "nocl": True}})
    numbers, _ = run(onnx, X)
    assert model.classes_[numbers].tolist() == model.predict(X).tolist()


def test_other_operator_sets(flowers):
    X, y = flowers
    model = make_pipeline(StandardScaler(), LLTBoostClassifier(max_rules=2, selection=None)).fit(
        X, y
    )
    for target in (18, 20, {"": 19, "ai.onnx.ml": 3}):
        labels, _ = run(to_onnx(model, X[:1], options=PLAIN, target_opset=target), X)
        assert labels.tolist() == model.predict(X).tolist()
    with pytest.raises(ValueError, match="operator set 18 or later, found target_opset=17"):
        to_onnx(model, X[:1], options=PLAIN, target_opset=17)


def test_rules_alone_declare_the_operator_set_that_was_asked_for(flowers):
    X, y = flowers
    model = LLTBoostClassifier(max_rules=2, selection=None).fit(X, y)
    (declared,) = to_onnx(model, X[:1], options=PLAIN, target_opset=20).opset_import
    assert (declared.domain, declared.version) == ("", 20)


hundredths = st.integers(-300, 300).map(lambda n: n / 100)


@settings(max_examples=25, derandomize=True)
@given(
    st.lists(st.tuples(hundredths, hundredths), min_size=3, max_size=8, unique=True),
    st.tuples(hundredths.filter(bool), hundredths.filter(bool)),
)
def test_rows_on_a_boundary(rows, weights):
    """Each row lies exactly on the boundary of its rule, once scaled."""
    X = np.array(rows)
    pipeline = make_pipeline(StandardScaler(), LLTBoostRegressor(max_rules=0))
    pipeline.fit(X, np.zeros(len(X)))
    scaled = pipeline[:-1].transform(X)
    sums = weights[0] * scaled[:, 0] + weights[1] * scaled[:, 1]
    edges = [Proposition(("x0", "x1"), weights, threshold) for threshold in sums.tolist()]
    rules = tuple(Rule(Condition((edge,)), 2.0**k) for k, edge in enumerate(edges))
    pipeline[-1].ensemble_ = RuleEnsemble(0.0, rules, ("x0", "x1"), "squared")
    (found,) = run(to_onnx(pipeline, X[:1]), X)
    assert found.ravel().tolist() == pipeline.predict(X).tolist()
    assert all(int(vote) >> k & 1 for k, vote in enumerate(found.ravel()))


def test_float32_is_near_but_not_the_same(diabetes):
    X, y = diabetes
    X = X.to_numpy()
    pipeline = make_pipeline(StandardScaler(), LLTBoostRegressor(max_rules=5, selection=None)).fit(
        X, y
    )
    (found,) = run(to_onnx(pipeline, X[:1].astype(np.float32)), X.astype(np.float32))
    assert found.dtype == np.float32
    near = np.isclose(found[:, 0], pipeline.predict(X), rtol=1e-6)
    assert near.mean() > 0.95
    assert not np.array_equal(found[:, 0], pipeline.predict(X))


def test_whole_numbers_are_numbers(flowers):
    X, y = flowers
    X = np.round(X * 10).astype(np.int64)
    model = LLTBoostClassifier(max_rules=3, selection=None).fit(X, y)
    labels, probabilities = run(to_onnx(model, X[:1], options=PLAIN), X)
    assert labels.tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(X), rtol=1e-6)


@pytest.mark.parametrize(
    "misplaced",
    [
        LLTBoostClassifier(max_rules=1, selection=None),
        LLTBoostRegressor(max_rules=1, selection=None),
        make_union(LLTBoostRegressor(max_rules=1, selection=None), StandardScaler()),
        make_column_transformer(
            (LLTBoostRegressor(max_rules=1, selection=None), [0]), remainder="passthrough"
        ),
    ],
    ids=["classifier", "regressor", "union", "column transformer"],
)
def test_transform_is_refused_and_not_mistaken_for_predict(flowers, misplaced):
    X, y = flowers
    y = (y == "virginica").astype(int)
    pipeline = make_pipeline(misplaced, LogisticRegression(max_iter=1000)).fit(X, y)
    with pytest.raises(ValueError, match="must be the last step"):
        to_onnx(pipeline, X[:1], options=PLAIN)


def test_rules_about_texts_are_refused(patients):
    X, y = patients
    model = LLTBoostClassifier(max_rules=4, selection=None).fit(X, y)
    assert "group" in model.ensemble_.used_columns
    with pytest.raises(ValueError, match="encode the categories in an earlier step"):
        to_onnx(model, X[["age", "bmi", "age"]].to_numpy()[:1], options=PLAIN)


def test_labels_beyond_int64_are_refused(flowers):
    X, y = flowers
    labels = np.array([2**63, 2**63 + 2048], dtype=np.uint64)
    model = LLTBoostClassifier(max_rules=1, selection=None).fit(
        X, labels[(y == "setosa").astype(int)]
    )
    with pytest.raises(ValueError, match="as int64, found 9223372036854775808"):
        to_onnx(model, X[:1], options=PLAIN)


def test_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match=r"pip install .*\[onnx\]"):
        register_with_skl2onnx()
