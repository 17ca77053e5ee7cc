"""The conditions of rules as nodes of an ONNX graph."""

from __future__ import annotations

from sorb._types import assert_never
from sorb.export.column_types import exact_float
from sorb.export.onnx_nodes import Graph
from sorb.export.program import (
    CategoryTest,
    Comparison,
    CompiledProposition,
    CompiledRule,
    Factor,
    ProductComparison,
    SumComparison,
    Term,
)

__all__ = ["condition"]

NODES = {">=": "GreaterOrEqual", "<=": "LessOrEqual"}
OPPOSITE_NODES = {">=": "Less", "<=": "Greater"}


def condition(graph: Graph, rule: CompiledRule) -> str:
    """Compute for each row whether a rule with at least one proposition covers it."""
    return graph.chain("And", [_proposition(graph, part) for part in rule.propositions])


def _proposition(graph: Graph, proposition: CompiledProposition) -> str:
    match proposition:
        case SumComparison():
            return _comparison(graph, proposition, _sum(graph, proposition))
        case ProductComparison():
            return _comparison(graph, proposition, _product(graph, proposition))
        case CategoryTest():
            is_text = proposition.column in graph.texts
            return _text_test(graph, proposition) if is_text else _number_test(graph, proposition)
        case _:
            return assert_never(proposition)


def _comparison(graph: Graph, comparison: Comparison, value: str) -> str:
    threshold = graph.constant(comparison.threshold)
    if not comparison.missing:
        return graph.node(NODES[comparison.relation], value, threshold)
    # Every comparison with NaN is false.
    return graph.node("Not", graph.node(OPPOSITE_NODES[comparison.relation], value, threshold))


def _sum(graph: Graph, comparison: SumComparison) -> str:
    return graph.chain("Add", [_term(graph, term) for term in comparison.terms])


def _term(graph: Graph, term: Term) -> str:
    column = graph.column(term.column)
    if term.factor == 1:
        return column
    if abs(term.factor - 1) < 1e-6:
        # onnxruntime drops a factor that rounds to 1 in float32, but not its negative.
        return graph.node("Neg", graph.node("Mul", graph.constant(-term.factor), column))
    return graph.node("Mul", graph.constant(term.factor), column)


def _product(graph: Graph, comparison: ProductComparison) -> str:
    first, *others = comparison.factors
    total = _power(graph, first)
    if first.divides:
        total = graph.node("Div", graph.constant(1.0), total)
    for factor in others:
        total = graph.node("Div" if factor.divides else "Mul", total, _power(graph, factor))
    return total


def _power(graph: Graph, factor: Factor) -> str:
    value = graph.positive(factor.column)
    if factor.repetitions is None:
        return graph.node("Pow", value, graph.constant(factor.power))
    return graph.chain("Mul", [value] * factor.repetitions)


def _text_test(graph: Graph, test: CategoryTest) -> str:
    if "" in test.categories:
        raise ValueError(
            "ONNX has no missing texts, so the empty text stands for them: rename the category '' "
            f"of column {test.column!r}"
        )
    answers = {str(category): not test.negated for category in test.categories}
    return graph.look_up(test.column, {**answers, "": test.missing}, otherwise=test.negated)


def _number_test(graph: Graph, test: CategoryTest) -> str:
    value = graph.column(test.column)
    matches = [graph.node("IsNaN", value)] if test.missing != test.negated else []
    for category in test.categories:
        number = exact_float(category, test.column)
        matches.append(graph.node("Equal", value, graph.constant(number)))
    found = graph.chain("Or", matches)
    return graph.node("Not", found) if test.negated else found
