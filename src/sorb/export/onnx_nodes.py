"""Nodes of an ONNX graph under construction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

__all__ = ["OPSET", "Graph"]

OPSET = 18
CLASSIC_OPSET = 3  # of the operators for classical learning, which hold those on texts
CLASSIC = "ai.onnx.ml"
IR_VERSION = 8


class Graph:
    """Nodes and constants; every value is a vector with one entry per row.

    Parameters
    ----------
    onnx : module
        The library.
    columns : sequence of str
        The columns of the input ``X``, in order.
    texts : sequence of str
        The columns of texts, each an input of its own.
    """

    def __init__(self, onnx: Any, columns: Sequence[str], texts: Sequence[str]) -> None:
        self.onnx = onnx
        self.columns = columns
        self.texts = texts
        self.prefix = _unlike(texts)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.outputs: list[Any] = []
        self.column = cache(self._column)
        self.positive = cache(self._positive)
        self.rows = self.node("Gather", self.node("Shape", "X"), self.constant(np.array([0])))

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node, and give the name of its value."""
        name = f"{self.prefix}v{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, value: Any) -> str:
        """Add a constant, and give its name."""
        name = f"{self.prefix}c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(value), name))
        return name

    def _column(self, name: str) -> str:
        place = np.array(self.columns.index(name))
        return self.node("Gather", "X", self.constant(place), axis=1)

    def _positive(self, name: str) -> str:
        value = self.column(name)
        positive = self.node("Greater", value, self.constant(0.0))
        return self.node("Where", positive, value, self.constant(np.nan))

    def repeated(self, value: float) -> str:
        """Give the same number for all rows."""
        # Not a sum of zeros and the value: onnxruntime takes sums with a constant that would be
        # zero in float32 for superfluous.
        kind = self.onnx.TensorProto.DOUBLE
        tensor = self.onnx.helper.make_tensor("value", kind, [1], [value])
        return self.node("ConstantOfShape", self.rows, value=tensor)

    def chain(self, kind: str, values: Sequence[str]) -> str:
        """Join values by a binary operator, from left to right."""
        # Operators that take all at once may use another order.
        total, *others = values
        for value in others:
            total = self.node(kind, total, value)
        return total

    def looked_up(self, column: str, answers: dict[str, bool], otherwise: bool) -> str:
        """Tell what a table says of the texts of a column."""
        found = self.node(
            "LabelEncoder",
            column,
            domain=CLASSIC,
            keys_strings=list(answers),
            values_int64s=list(map(int, answers.values())),
            default_int64=int(otherwise),
        )
        return self.node("Cast", found, to=self.onnx.TensorProto.BOOL)

    def stacked(self, values: Sequence[str]) -> str:
        """Put vectors beside each other as the columns of a matrix."""
        axis = self.constant(np.array([1]))
        columns = [self.node("Unsqueeze", value, axis) for value in values]
        return self.node("Concat", *columns, axis=1)

    def joined(self, values: Sequence[str]) -> str:
        """Give the only vector, or several in a matrix."""
        return values[0] if len(values) == 1 else self.stacked(values)

    def give(
        self, name: str, value: str, width: int, flat: bool = True, dtype: Any = np.float64
    ) -> None:
        """Declare an output; one of a single column is a vector if `flat`."""
        kinds = self.onnx.TensorProto
        kind = {"O": kinds.STRING, "i": kinds.INT64}.get(np.dtype(dtype).kind, kinds.DOUBLE)
        self.nodes.append(self.onnx.helper.make_node("Identity", [value], [name]))
        shape = ["rows"] if flat and width == 1 else ["rows", width]
        self.outputs.append(self.onnx.helper.make_tensor_value_info(name, kind, shape))

    def model(self) -> Any:
        """Give the finished model."""
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        inputs = [helper.make_tensor_value_info("X", kinds.DOUBLE, ["rows", len(self.columns)])]
        for name in self.texts:
            inputs.append(helper.make_tensor_value_info(name, kinds.STRING, ["rows"]))
        graph = helper.make_graph(self.nodes, "sorb", inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid("", OPSET)]
        if self.texts:
            opsets.append(helper.make_opsetid(CLASSIC, CLASSIC_OPSET))
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        self.onnx.checker.check_model(model)
        return model


def _unlike(names: Sequence[str]) -> str:
    """Give a prefix that none of the names has."""
    prefix = ""
    while any(name.startswith((f"{prefix}v", f"{prefix}c")) for name in names):
        prefix += "_"
    return prefix
