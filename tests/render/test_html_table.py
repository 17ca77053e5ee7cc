"""HTML, read by the parser of the standard library."""

import numpy as np
from hypothesis import strategies as st
from render.html_reader import check, read
from rule_strategies import all_ensembles, all_ensembles_with_rows, as_array, for_all

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.explanation import Explanation
from sorb.render import to_html


@for_all(all_ensembles, st.sampled_from([2, None]))
def test_the_table_says_what_is_printed(ensemble, digits):
    check(ensemble, digits)


def test_a_notebook_shows_the_same():
    ensemble = RuleEnsemble(1.0, (), ("a",), "squared")
    assert ensemble._repr_html_() == to_html(ensemble)


@for_all(all_ensembles_with_rows())
def test_explanations_are_escaped(drawn):
    ensemble, rows = drawn
    ensemble = ensemble.with_votes(
        tuple(0.0 for _ in ensemble.offset) if isinstance(ensemble.offset, tuple) else 0.0,
        [0.5] * len(ensemble),
    )
    explanation = Explanation.of(ensemble, as_array(rows))[0]
    page = read(explanation._repr_html_())
    reasons = [row[-1] for row in page.rows]
    for number, rule in enumerate(ensemble, start=1):
        condition = rule.condition.format(3, dict(ensemble.units))
        state = "" if explanation.covered[number - 1] else "not covered by "
        assert f"{state}rule {number}: {condition}" in reasons


def test_script_is_text():
    name = "<script>alert('x')</script>"
    rule = Rule(Condition((Proposition((name,), (1.0,), 2.0),)), 1.0)
    ensemble = RuleEnsemble(0.0, (rule,), (name,), "logistic", ("a", "<b>"))
    for written in (
        to_html(ensemble),
        Explanation.of(ensemble, np.array([[3.0]]))[0]._repr_html_(),
    ):
        assert "<script" not in written
        assert "<b>" not in written
