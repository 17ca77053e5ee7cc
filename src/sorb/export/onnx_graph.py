"""An ONNX model that gives the answers of an ensemble, in float64 throughout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sorb._extras import install_command
from sorb.export.column_types import column_types, is_exact, label_type
from sorb.export.onnx_conditions import condition
from sorb.export.onnx_nodes import OPSET, Graph
from sorb.export.program import Answer, CompiledRule, Program, compile_ensemble
from sorb.rules import Label, RuleEnsemble

if TYPE_CHECKING:
    import onnx

__all__ = ["OPSET", "to_onnx"]

INT64 = range(-(2**63), 2**63)
RESERVED = ("X", "score", "probability", "prediction", "contributions")


def to_onnx(ensemble: RuleEnsemble, contributions: bool = False) -> onnx.ModelProto:
    """Build an ONNX model that gives the answers of an ensemble; needs the extra ``onnx``.

    Its input ``X`` is a float64 matrix with all columns of the ensemble in order; NaN is a missing
    value, booleans are 1 and 0. Each column that rules compare with texts is another input with the
    name of the column, a vector of texts; the empty text is a missing one. Places in ``X`` that the
    rules do not use, such as those of texts, may hold anything.

    The outputs are ``score``; ``probability`` if the ensemble has classes: that of the second
    class, or a column for each of more than two; ``prediction``; and on request ``contributions``
    with a column for each rule. If all labels are texts, whole numbers or floats, the prediction is
    a label, otherwise it is the index of the class.

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
    >>> [output.name for output in to_onnx(ensemble).graph.output]
    ['score', 'probability', 'prediction']
    """
    try:
        import onnx
    except ImportError as error:
        raise ImportError(f"ONNX models are built by onnx: {install_command('onnx')}") from error
    program = compile_ensemble(ensemble, "score")
    graph = Graph(onnx, program.columns, _text_columns(program))
    votes = [_vote(graph, rule) for rule in program.rules]
    scores = [_score(graph, program, k, votes) for k in range(len(program.offsets))]
    graph.add_output("score", graph.stack_if_several(scores), len(scores))
    _add_answers(graph, ensemble, scores)
    if contributions and votes:
        graph.add_output("contributions", graph.stack(votes), len(votes), flat=False)
    model: onnx.ModelProto = graph.model()
    return model


def _text_columns(program: Program) -> list[str]:
    texts = [name for name, type_ in column_types(program).items() if type_ == "text"]
    for name in texts:
        if name in RESERVED or "\0" in name:
            raise ValueError(
                f"an input of an ONNX model cannot be called {name!r}: rename the column"
            )
    return texts


def _vote(graph: Graph, rule: CompiledRule) -> str:
    if not rule.propositions:
        return graph.repeat(rule.vote)
    vote, nothing = graph.constant(rule.vote), graph.constant(0.0)
    return graph.node("Where", condition(graph, rule), vote, nothing)


def _score(graph: Graph, program: Program, output: int, votes: Sequence[str]) -> str:
    offset = graph.repeat(program.offsets[output])
    pairs = zip(votes, program.rules, strict=True)
    return graph.chain("Add", [offset, *(vote for vote, rule in pairs if rule.output == output)])


def _add_answers(graph: Graph, ensemble: RuleEnsemble, scores: list[str]) -> None:
    if ensemble.loss.has_classes and (ensemble.classes is None or len(ensemble.classes) > 1):
        answer = compile_ensemble(ensemble, "probability").answer
        probabilities = NUMBERS[answer](graph, scores)
        value = graph.stack_if_several(probabilities)
        graph.add_output("probability", value, len(probabilities))
    program = compile_ensemble(ensemble, "prediction")
    if program.answer != "label":
        (value,) = NUMBERS[program.answer](graph, scores)
        graph.add_output("prediction", value, 1)
        return
    labels = _label_tensor(program.labels)
    label = graph.node("Gather", graph.constant(labels), _winner(graph, scores))
    graph.add_output("prediction", label, 1, dtype=labels.dtype)


def _sigmoid(graph: Graph, score: str) -> str:
    one = graph.constant(1.0)
    small = graph.node("Exp", graph.node("Neg", graph.node("Abs", score)))
    positive = graph.node("GreaterOrEqual", score, graph.constant(0.0))
    top = graph.node("Where", positive, one, small)
    return graph.node("Div", top, graph.node("Add", one, small))


def _softmax(graph: Graph, scores: Sequence[str]) -> list[str]:
    top = graph.node("Max", *scores)
    powers = [graph.node("Exp", graph.node("Sub", score, top)) for score in scores]
    total = graph.chain("Add", powers)
    return [graph.node("Div", power, total) for power in powers]


def _winner(graph: Graph, scores: Sequence[str]) -> str:
    if len(scores) > 1:
        return graph.node("ArgMax", graph.stack(scores), axis=1, keepdims=0)
    positive = graph.node("Greater", scores[0], graph.constant(0.0))
    return graph.node("Cast", positive, to=graph.onnx.TensorProto.INT64)


def _label_tensor(labels: tuple[Label, ...]) -> NDArray[Any]:
    """Give the labels in the type that they share, or class indices if there is none."""
    types = {label_type(label) for label in labels}
    if types == {"text"}:
        return np.array(labels, dtype=object)
    if types == {"whole"} and all(label in INT64 for label in labels):
        return np.array(labels, dtype=np.int64)
    if types in ({"float"}, {"whole", "float"}) and all(map(is_exact, labels)):  # type: ignore[arg-type]
        return np.array(labels, dtype=np.float64)
    return np.arange(len(labels), dtype=np.int64)


NUMBERS: dict[Answer, Callable[[Graph, list[str]], list[str]]] = {
    "scores": lambda graph, scores: scores,
    "exponential": lambda graph, scores: [graph.node("Exp", scores[0])],
    "sigmoid": lambda graph, scores: [_sigmoid(graph, scores[0])],
    "softmax": _softmax,
}
