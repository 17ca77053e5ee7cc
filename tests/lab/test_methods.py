import pytest

from sorb.lab.datasets import load
from sorb.lab.methods import METHODS
from sorb.lab.protocol import Protocol, run
from sorb.rules import RuleEnsemble

QUICK = Protocol(reg_lambdas=(1.0,))
WITHOUT_RULES = {"NRE", "EBM", "HGB"}
SLOW = {"RuleFit", "RFObTr", "BRS"}  # their own tests are enough


@pytest.mark.parametrize("name", sorted(set(METHODS) - SLOW))
def test_each_method_does_what_it_says(name):
    method = METHODS[name]
    sweep = method.sweep("classification", 0)
    rows = run(load("iris"), method, 0, QUICK)
    assert [row["step"] for row in rows] == list(range(1, len(rows) + 1))
    assert all((row["reg_lambda"] == 1.0) == method.penalised for row in rows)
    assert min(row["test_error"] for row in rows) < 0.5
    if sweep.gives_probabilities:
        assert min(row["test_risk"] for row in rows) < 0.8
    if name not in WITHOUT_RULES:
        assert RuleEnsemble.from_json(rows[0]["model"]).complexity == rows[0]["complexity"]


def test_sizes_may_differ_from_the_published_ones():
    settings = {
        published: [
            row["setting"]
            for row in run(load("diabetes"), METHODS["NRE"], 0, Protocol(as_published=published))
        ]
        for published in (False, True)
    }
    assert "max_depth=3" in settings[False]
    assert "max_depth=3" not in settings[True]
