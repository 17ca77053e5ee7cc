"""What no export knows is refused, and never taken for something else."""

import pytest

from sorb.export.program import Program, compile_ensemble
from sorb.export.python_source import _syntax
from sorb.export.sql_nodes import writer
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble


class Novel:
    """A kind of proposition that nobody has written down for the exports."""

    columns = ("age",)


def with_novelty():
    """A program, one of whose propositions is of a new kind."""
    old = Condition((Proposition(("age",), (1.0,), 40.0),))
    program = compile_ensemble(RuleEnsemble(0.0, (Rule(old, 1.0),), ("age",), "squared"), "score")
    (rule,) = program.rules
    changed = type(rule)((Novel(),), rule.output, rule.vote)
    return Program(program.columns, program.offsets, (changed,), program.answer, program.names)


def test_a_new_kind_of_proposition_is_refused():
    program = with_novelty()
    with pytest.raises(AssertionError, match="unexpected Novel"):
        _syntax("predict").condition(program.rules[0])
    with pytest.raises(AssertionError, match="unexpected Novel"):
        writer("duckdb", program)
