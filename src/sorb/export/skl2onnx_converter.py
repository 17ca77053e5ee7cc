"""Conversion of the estimators by skl2onnx, alone or as the last step of a Pipeline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sorb._extras import install_command
from sorb.estimators import (
    LLTBoostClassifier,
    LLTBoostClassifierCV,
    LLTBoostRegressor,
    LLTBoostRegressorCV,
)
from sorb.export.onnx_graph import OPSET, to_onnx
from sorb.rules import Label, RuleEnsemble

__all__ = ["register_with_skl2onnx"]

OPTIONS = {
    "zipmap": [True, False, "columns"],
    "raw_scores": [True, False],
    "nocl": [True, False],
}

# What skl2onnx itself appends to the last step of a pipeline.
ENDINGS = ("SklearnZipMap", "SklearnZipMapColumns", "SklearnIdentity", "SklearnCast")


def register_with_skl2onnx() -> None:
    """Teach skl2onnx to convert the estimators; needs the extra ``onnx``.

    Afterwards ``skl2onnx.to_onnx`` converts them alone, as the last step of a Pipeline, and inside
    other estimators that it knows. Registering them again has no effect.

    Pass ``skl2onnx.to_onnx`` a table of float64: in its usual float32, values near a threshold may
    be rounded to the other side. As with scikit-learn's own classifiers, the option
    ``{"raw_scores": True}`` gives the decision function instead of probabilities.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skl2onnx import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> pipeline = make_pipeline(StandardScaler(), LLTBoostClassifier(max_rules=2)).fit(X, y)
    >>> register_with_skl2onnx()
    >>> model = to_onnx(pipeline, X[:1], options={"zipmap": False})
    >>> [output.name for output in model.graph.output]
    ['label', 'probabilities']
    """
    try:
        from skl2onnx import update_registered_converter
        from skl2onnx.common.shape_calculator import (
            calculate_linear_classifier_output_shapes,
            calculate_linear_regressor_output_shapes,
        )
    except ImportError as error:
        raise ImportError(
            f"pipelines are converted by skl2onnx: {install_command('onnx')}"
        ) from error
    classifier = calculate_linear_classifier_output_shapes, _convert_classifier, OPTIONS
    regressor = calculate_linear_regressor_output_shapes, _convert_regressor, None
    for estimator, (shapes, convert, options) in (
        (LLTBoostClassifier, classifier),
        (LLTBoostClassifierCV, classifier),
        (LLTBoostRegressor, regressor),
        (LLTBoostRegressorCV, regressor),
    ):
        alias = f"Sorb{estimator.__name__}"
        update_registered_converter(estimator, alias, shapes, convert, options=options)


def _convert_classifier(scope: Any, operator: Any, container: Any) -> None:
    estimator = operator.raw_operator
    options = container.get_options(estimator, {"raw_scores": False, "nocl": False})
    ensemble = estimator.ensemble_
    count = len(ensemble.classes)
    labels = tuple(range(count)) if options["nocl"] else tuple(map(_label, ensemble.classes))
    graph = _Graph(replace(ensemble, classes=labels), operator, container)
    scores = graph.scores(count) if options["raw_scores"] else graph.probabilities(count)
    if ensemble.classes[0] != estimator.classes_[0]:  # the model speaks of the first class
        scores = graph.swapped(scores)
    graph.add_to(scope, ["prediction", graph.cast_to_declared(scores)])


def _convert_regressor(scope: Any, operator: Any, container: Any) -> None:
    graph = _Graph(operator.raw_operator.ensemble_, operator, container)
    graph.add_to(scope, [graph.cast_to_declared(graph.column("prediction"))])


def _label(label: Label) -> Label:
    """Give a label as skl2onnx writes it: a text or an int64."""
    if isinstance(label, str):
        return label
    if not -(2**63) <= label < 2**63:
        raise ValueError(f"skl2onnx writes numeric labels as int64, found {label}: use texts")
    return int(label)


class _Graph:
    """The graph of an ensemble, with the inputs and outputs that skl2onnx expects."""

    def __init__(self, ensemble: RuleEnsemble, operator: Any, container: Any) -> None:
        import onnx

        if container.target_opset < OPSET:
            raise ValueError(
                f"rules need ONNX's operator set {OPSET} or later, found "
                f"target_opset={container.target_opset}"
            )
        self.onnx = onnx
        self.operator = operator
        self.container = container
        self.model = to_onnx(ensemble)
        self._cast_input()
        self.count = 0

    def _cast_input(self) -> None:
        table, *others = self.model.graph.input
        double = self.onnx.TensorProto.DOUBLE
        if others or table.type.tensor_type.elem_type != double:
            raise ValueError(
                "rules about categories cannot be converted in a pipeline, whose columns form one "
                "matrix of numbers: encode the categories in an earlier step, or convert the rules "
                "alone with sorb.export.to_onnx"
            )
        cast = self.onnx.helper.make_node("Cast", ["table"], [table.name], to=double)
        self.model.graph.node.insert(0, cast)
        table.name = "table"

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = f"end{self.count}"
        self.count += 1
        node = self.onnx.helper.make_node(operator, list(inputs), [name], **attributes)
        self.model.graph.node.append(node)
        return name

    def column(self, vector: str) -> str:
        value = self.onnx.numpy_helper.from_array(np.array([1]), "value")
        return self.node("Unsqueeze", vector, self.node("Constant", value=value))

    def scores(self, n_classes: int) -> str:
        if n_classes > 2:
            return "score"
        column = self.column("score")
        return self.node("Concat", self.node("Neg", column), column, axis=1)

    def probabilities(self, n_classes: int) -> str:
        if n_classes > 2:
            return "probability"
        if n_classes == 1:
            one = self.onnx.helper.make_tensor("value", self.onnx.TensorProto.DOUBLE, [1], [1.0])
            return self.column(self.node("ConstantOfShape", self.node("Shape", "score"), value=one))
        first = self.node("Sigmoid", self.node("Neg", "score"))
        return self.node("Concat", self.column(first), self.column("probability"), axis=1)

    def swapped(self, columns: str) -> str:
        """Give two columns in the other order."""
        order = self.onnx.numpy_helper.from_array(np.array([1, 0]), "value")
        return self.node("Gather", columns, self.node("Constant", value=order), axis=1)

    def cast_to_declared(self, value: str) -> str:
        """Cast a value to the type that skl2onnx has declared for the last of the outputs."""
        from skl2onnx.common.data_types import guess_proto_type

        *_, last = self.operator.outputs
        return self.node("Cast", value, to=guess_proto_type(last.type))

    def add_to(self, scope: Any, outputs: list[str]) -> None:
        from skl2onnx.helpers import add_onnx_graph

        _require_last(scope, self.operator)
        del self.model.graph.output[:]
        self.model.graph.output.extend(self.onnx.ValueInfoProto(name=name) for name in outputs)
        for k, node in enumerate(self.model.graph.node):
            node.name = f"sorb_{node.op_type}_{k}"
        add_onnx_graph(scope, self.operator, self.container, self.model)


def _require_last(scope: Any, operator: Any) -> None:
    outputs = {variable.onnx_name for variable in operator.outputs}
    for other in scope.operators.values():
        if other.type not in ENDINGS and not outputs.isdisjoint(v.onnx_name for v in other.inputs):
            name = type(operator.raw_operator).__name__
            raise ValueError(
                f"{name} must be the last step of a pipeline: its transform cannot be converted"
            )
