"""Nodes of an ONNX graph under construction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

__all__ = ["OPSET", "Graph"]

OPSET = 18
ML_OPSET = 3  # of the operators for classical machine learning, which include those on texts
ML_DOMAIN = "ai.onnx.ml"
IR_VERSION = 8


class Graph:
    """Collects nodes and constants; every value is a vector with one entry per row.

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
        self.prefix = _free_prefix(texts)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.outputs: list[Any] = []
        self.column = cache(self._column)
        self.positive = cache(self._positive)
        self.rows = self.node("Gather", self.node("Shape", "X"), self.constant(np.array([0])))

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node, and return the name of its value."""
        name = f"{self.prefix}v{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, value: Any) -> str:
        """Add a constant, and return its name."""
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

    def repeat(self, value: float) -> str:
        """Repeat a number for all rows."""
        # Not as a sum of zeros and the value: onnxruntime drops the addition of a constant that
        # rounds to zero in float32.
        double = self.onnx.TensorProto.DOUBLE
        tensor = self.onnx.helper.make_tensor("value", double, [1], [value])
        return self.node("ConstantOfShape", self.rows, value=tensor)

    def chain(self, operator: str, values: Sequence[str]) -> str:
        """Combine values with a binary operator, from left to right."""
        # An operator that takes all of them may use another order.
        total, *others = values
        for value in others:
            total = self.node(operator, total, value)
        return total

    def look_up(self, column: str, answers: dict[str, bool], otherwise: bool) -> str:
        """Look up the texts of a column in a table."""
        found = self.node(
            "LabelEncoder",
            column,
            domain=ML_DOMAIN,
            keys_strings=list(answers),
            values_int64s=list(map(int, answers.values())),
            default_int64=int(otherwise),
        )
        return self.node("Cast", found, to=self.onnx.TensorProto.BOOL)

    def stack(self, values: Sequence[str]) -> str:
        """Make vectors the columns of a matrix."""
        axis = self.constant(np.array([1]))
        columns = [self.node("Unsqueeze", value, axis) for value in values]
        return self.node("Concat", *columns, axis=1)

    def stack_if_several(self, values: Sequence[str]) -> str:
        """Give a single vector as it is, several as a matrix."""
        first, *others = values
        return self.stack(values) if others else first

    def add_output(
        self, name: str, value: str, width: int, flat: bool = True, dtype: Any = np.float64
    ) -> None:
        """Declare an output; a single column is a vector if `flat`."""
        types = self.onnx.TensorProto
        element = {"O": types.STRING, "i": types.INT64, "f": types.DOUBLE}[np.dtype(dtype).kind]
        self.nodes.append(self.onnx.helper.make_node("Identity", [value], [name]))
        shape = ["rows"] if flat and width == 1 else ["rows", width]
        self.outputs.append(self.onnx.helper.make_tensor_value_info(name, element, shape))

    def model(self) -> Any:
        """Build the model and check it."""
        helper, types = self.onnx.helper, self.onnx.TensorProto
        inputs = [helper.make_tensor_value_info("X", types.DOUBLE, ["rows", len(self.columns)])]
        for name in self.texts:
            inputs.append(helper.make_tensor_value_info(name, types.STRING, ["rows"]))
        graph = helper.make_graph(self.nodes, "sorb", inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid("", OPSET)]
        if self.texts:
            opsets.append(helper.make_opsetid(ML_DOMAIN, ML_OPSET))
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        self.onnx.checker.check_model(model)
        return model


def _free_prefix(names: Sequence[str]) -> str:
    """Find a prefix for values and constants that is not the beginning of any of the names."""
    prefix = ""
    while any(name.startswith((f"{prefix}v", f"{prefix}c")) for name in names):
        prefix += "_"
    return prefix
