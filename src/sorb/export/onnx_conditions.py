"""Tests as nodes of an ONNX graph."""

from __future__ import annotations

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
    """Tell for each row whether all tests pass; there is at least one."""
    return graph.chain("And", [_test(graph, test) for test in rule.propositions])


def _test(graph: Graph, test: CompiledProposition) -> str:
    if isinstance(test, SumComparison):
        terms = [_term(graph, term) for term in test.terms]
        return _comparison(graph, test, graph.chain("Add", terms))
    if isinstance(test, ProductComparison):
        return _comparison(graph, test, _product(graph, test))
    return _text_set(graph, test) if test.column in graph.texts else _number_set(graph, test)


def _comparison(graph: Graph, test: Comparison, value: str) -> str:
    threshold = graph.constant(test.threshold)
    if not test.missing:
        return graph.node(NODES[test.relation], value, threshold)
    # NaN fails every comparison.
    return graph.node("Not", graph.node(OPPOSITE_NODES[test.relation], value, threshold))


def _term(graph: Graph, term: Term) -> str:
    column = graph.column(term.column)
    if term.factor == 1:
        return column
    if abs(term.factor - 1) < 1e-6:
        # onnxruntime drops a factor that would be 1 in float32, but not its negative.
        return graph.node("Neg", graph.node("Mul", graph.constant(-term.factor), column))
    return graph.node("Mul", graph.constant(term.factor), column)


def _product(graph: Graph, test: ProductComparison) -> str:
    first, *others = test.factors
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


def _text_set(graph: Graph, test: CategoryTest) -> str:
    if "" in test.categories:
        raise ValueError(
            f"ONNX has no missing texts, so an empty one stands for them: rename the category "
            f"'' of column {test.column!r}"
        )
    answers = {str(category): not test.negated for category in test.categories}
    return graph.looked_up(test.column, {**answers, "": test.missing}, otherwise=test.negated)


def _number_set(graph: Graph, test: CategoryTest) -> str:
    value = graph.column(test.column)
    passed = [graph.node("IsNaN", value)] if test.missing != test.negated else []
    for category in test.categories:
        number = exact_float(category, test.column)
        passed.append(graph.node("Equal", value, graph.constant(number)))
    found = graph.chain("Or", passed)
    return graph.node("Not", found) if test.negated else found
