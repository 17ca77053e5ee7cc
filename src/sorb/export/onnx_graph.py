"""An ONNX model that answers like an ensemble, in float64 throughout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sorb.export.program import Comparison, Program, Step, Term, compile_ensemble
from sorb.rules import Label, RuleEnsemble

if TYPE_CHECKING:
    import onnx

__all__ = ["onnx_model"]

OPSET = 18
IR_VERSION = 8
INT64 = np.iinfo(np.int64)


def onnx_model(ensemble: RuleEnsemble, contributions: bool = False) -> onnx.ModelProto:
    """Build an ONNX model that answers like an ensemble; needs the extra ``onnx``.

    Its input ``X`` is a float64 matrix with all columns of the ensemble in order. Its outputs are
    ``decision``; ``probability`` if the ensemble has classes, that of the second one or a column
    for each; ``prediction``; and on request ``contributions`` with a column for each rule. Rows
    with a NaN where the rules look have NaN in all of them; a predicted label that cannot be NaN
    is then ``""``, or the smallest int64.

    Labels are texts, whole numbers or floats, if all of them are; else the prediction is the
    number of the class, and −1 if a value is missing.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    contributions : bool, default=False
        Add an output with what each rule adds.

    Returns
    -------
    model : onnx.ModelProto
        Save it with ``onnx.save(model, path)``.

    Examples
    --------
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.5),), ("age",), "logistic", ("no", "yes"))
    >>> [output.name for output in onnx_model(ensemble).graph.output]
    ['decision', 'probability', 'prediction']
    """
    try:
        import onnx
    except ImportError as error:
        raise ImportError('ONNX models are built by onnx: pip install "sorb[onnx]"') from error
    program = compile_ensemble(ensemble, "decision")
    graph = _Graph(onnx, program)
    votes = [graph.vote(step) for step in program.steps]
    scores = [graph.score(k, votes) for k in range(len(program.offsets))]
    graph.give("decision", graph.guarded(graph.joined(scores), wide=len(scores) > 1), len(scores))
    _give_answers(graph, ensemble, scores)
    if contributions and votes:
        own = [graph.guarded(v, s.columns) for v, s in zip(votes, program.steps, strict=True)]
        graph.give("contributions", graph.stacked(own), len(own), flat=False)
    model: onnx.ModelProto = graph.model()
    return model


def _give_answers(graph: _Graph, ensemble: RuleEnsemble, scores: list[str]) -> None:
    if ensemble.loss in ("squared", "poisson"):
        value = graph.node("Exp", scores[0]) if ensemble.loss == "poisson" else scores[0]
        graph.give("prediction", graph.guarded(value), 1)
        return
    one_class = ensemble.classes is not None and len(ensemble.classes) == 1
    if not one_class:
        several = ensemble.loss == "softmax"
        chances = graph.softmax(scores) if several else [graph.sigmoid(scores[0])]
        joined = graph.guarded(graph.joined(chances), wide=several)
        graph.give("probability", joined, len(chances))
    labels, blank = _label_tensor(compile_ensemble(ensemble, "prediction").labels)
    label = graph.node("Gather", graph.constant(labels), graph.winner(scores))
    graph.give("prediction", graph.guarded(label, blank=blank), 1, dtype=labels.dtype)


def _label_tensor(labels: tuple[Label, ...]) -> tuple[NDArray[Any], Any]:
    """Give the labels in one type, and what stands for a missing one."""
    if all(isinstance(label, str) for label in labels):
        return np.array(labels, dtype=object), ""
    numbers = not any(isinstance(label, (bool, str)) for label in labels)
    whole = numbers and all(isinstance(label, int) for label in labels)
    if whole and all(INT64.min < label <= INT64.max for label in labels):  # type: ignore[operator]
        return np.array(labels, dtype=np.int64), INT64.min
    if numbers and not whole:
        return np.array(labels, dtype=np.float64), np.nan
    return np.arange(len(labels), dtype=np.int64), -1


class _Graph:
    """Nodes and constants under construction; every value is a vector with one entry per row."""

    def __init__(self, onnx: Any, program: Program) -> None:
        self.onnx = onnx
        self.program = program
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.outputs: list[Any] = []
        self.rows = self.node("Gather", self.node("Shape", "X"), self.constant(np.array([0])))
        place = {name: j for j, name in enumerate(program.columns)}
        self.columns = {
            name: self.node("Gather", "X", self.constant(np.array(place[name])), axis=1)
            for name in program.required
        }

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        array = np.asarray(value)
        self.constants[name] = self.onnx.numpy_helper.from_array(array, name)
        return name

    def repeated(self, value: float) -> str:
        # Not a sum of zeros and the value: onnxruntime takes sums with a constant that would be
        # zero in float32 for superfluous.
        kind = self.onnx.TensorProto.DOUBLE
        tensor = self.onnx.helper.make_tensor("value", kind, [1], [value])
        return self.node("ConstantOfShape", self.rows, value=tensor)

    def vote(self, step: Step) -> str:
        if not step.tests:
            return self.repeated(step.weight)
        condition, *others = map(self.comparison, step.tests)
        for other in others:
            condition = self.node("And", condition, other)
        return self.node("Where", condition, self.constant(step.weight), self.constant(0.0))

    def comparison(self, test: Comparison) -> str:
        products = [self.product(term) for term in test.terms]
        kind = "GreaterOrEqual" if test.relation == ">=" else "LessOrEqual"
        return self.node(kind, self.sum(products), self.constant(test.threshold))

    def product(self, term: Term) -> str:
        column = self.columns[term.column]
        if term.factor == 1:
            return column
        if abs(term.factor - 1) < 1e-6:
            # onnxruntime drops a factor that would be 1 in float32, but not its negative.
            return self.node("Neg", self.node("Mul", self.constant(-term.factor), column))
        return self.node("Mul", self.constant(term.factor), column)

    def sum(self, values: Sequence[str]) -> str:
        # The operator Sum may add in another order.
        total, *others = values
        for value in others:
            total = self.node("Add", total, value)
        return total

    def score(self, output: int, votes: Sequence[str]) -> str:
        start = self.repeated(self.program.offsets[output])
        steps = zip(votes, self.program.steps, strict=True)
        return self.sum([start, *(vote for vote, step in steps if step.output == output)])

    def sigmoid(self, score: str) -> str:
        one = self.constant(1.0)
        small = self.node("Exp", self.node("Neg", self.node("Abs", score)))
        positive = self.node("GreaterOrEqual", score, self.constant(0.0))
        return self.node("Div", self.node("Where", positive, one, small), self.sum([one, small]))

    def softmax(self, scores: Sequence[str]) -> list[str]:
        top = self.node("Max", *scores)
        powers = [self.node("Exp", self.node("Sub", score, top)) for score in scores]
        total = self.sum(powers)
        return [self.node("Div", power, total) for power in powers]

    def winner(self, scores: Sequence[str]) -> str:
        if len(scores) > 1:
            return self.node("ArgMax", self.stacked(scores), axis=1, keepdims=0)
        positive = self.node("Greater", scores[0], self.constant(0.0))
        return self.node("Cast", positive, to=self.onnx.TensorProto.INT64)

    def stacked(self, values: Sequence[str]) -> str:
        axis = self.constant(np.array([1]))
        columns = [self.node("Unsqueeze", value, axis) for value in values]
        return self.node("Concat", *columns, axis=1)

    def joined(self, values: Sequence[str]) -> str:
        return values[0] if len(values) == 1 else self.stacked(values)

    def guarded(
        self,
        value: str,
        columns: Sequence[str] | None = None,
        blank: Any = np.nan,
        wide: bool = False,
    ) -> str:
        """Blank the rows in which one of the columns, by default any that is used, is missing."""
        gaps = [
            self.node("IsNaN", self.columns[name])
            for name in (self.program.required if columns is None else columns)
        ]
        if not gaps:
            return value
        missing = gaps[0]
        for gap in gaps[1:]:
            missing = self.node("Or", missing, gap)
        if wide:
            missing = self.node("Unsqueeze", missing, self.constant(np.array([1])))
        filler = np.array(blank, dtype=object) if isinstance(blank, str) else blank
        return self.node("Where", missing, self.constant(filler), value)

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
        helper, double = self.onnx.helper, self.onnx.TensorProto.DOUBLE
        table = helper.make_tensor_value_info("X", double, ["rows", len(self.program.columns)])
        graph = helper.make_graph(
            self.nodes, "sorb", [table], self.outputs, list(self.constants.values())
        )
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        self.onnx.checker.check_model(model)
        return model
