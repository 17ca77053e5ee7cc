"""Printed models: aligned votes, classes, captions and the table for notebooks."""

import re

import pytest
from rule_strategies import (
    all_ensembles,
    for_all,
)

from sorb.rules import Condition, Proposition, Rule, RuleEnsemble


def rule(weight, *propositions, output=0):
    return Rule(Condition(propositions), weight, output)


OLD = Proposition(("age",), (1.0,), 40.0)
BALANCE = Proposition(("petal_length", "sepal_width"), (0.86, -1.0), -0.5)


def test_ensemble():
    columns = ("age", "petal_length", "sepal_width")
    ensemble = RuleEnsemble(-2.97, (rule(1.82, OLD, BALANCE), rule(11.0)), columns, "squared")
    assert str(ensemble) == (
        " −2.97  always\n"
        " +1.82  if  age ≥ 40  and  0.86 petal_length − sepal_width ≥ −0.5\n"
        "+11     always"
    )


def test_softmax_names_the_classes():
    rules = (rule(1.23456789, OLD, output=1),)
    ensemble = RuleEnsemble((0.0, -1.0, 0.25), rules, ("age",), "softmax", ("a", "two words", 3))
    assert str(ensemble) == (
        "+0    a            always\n"
        '−1    "two words"  always\n'
        "+0.25 3            always\n"
        '+1.23 "two words"  if  age ≥ 40'
    )


def test_rule_alone_names_its_output():
    assert str(rule(1.5, OLD, output=2)) == "+1.5 output 2  if  age ≥ 40"


@pytest.mark.parametrize(
    ("loss", "classes", "words"),
    [
        ("squared", None, "The prediction, as"),
        ("poisson", None, "The logarithm of the expected count, as"),
        ("logistic", None, "The log-odds of the positive class, as"),
        ("logistic", ("no", "oh yes"), 'The log-odds of "oh yes" against no, as'),
        ("logistic", (0,), "The log-odds of 0, as"),
        ("softmax", (0, 1), "The score of each class, as"),
    ],
)
def test_describe_says_what_is_voted_on(loss, classes, words):
    offset = (0.0, 0.0) if loss == "softmax" else 0.0
    assert RuleEnsemble(offset, (), ("age",), loss, classes).describe().startswith(words)


def test_describe_counts():
    ensemble = RuleEnsemble(0.0, (rule(1.0, OLD), rule(2.0)), ("age",), "squared")
    assert "(2 rules, complexity 4):\n" in ensemble.describe()


@for_all(all_ensembles)
def test_describe_prints_what_print_does(ensemble):
    assert ensemble.describe() == f"{ensemble.caption()}:\n{ensemble}"


class TestHtml:
    def html(self, name="age", classes=None):
        proposition = Proposition((name,), (1.0,), 40.0)
        offset = (0.0, 1.0) if classes else 0.0
        loss = "softmax" if classes else "squared"
        return RuleEnsemble(offset, (rule(1.5, proposition),), (name,), loss, classes)._repr_html_()

    def test_escapes_names(self):
        assert "<script>" not in self.html("<script>alert(1)</script>")

    def test_escapes_classes(self):
        assert "<script>" not in self.html(classes=("<script>", "b"))

    def test_has_a_row_for_the_offset_and_each_rule(self):
        assert self.html().count("<tr>") == 1 + 1 + 1

    def test_names_classes_only_if_there_are_votes_for_several(self):
        assert (">class<" in self.html(), ">class<" in self.html(classes=("a", "b"))) == (
            False,
            True,
        )

    def test_tells_the_complexity(self):
        assert "complexity 3" in self.html()

    def test_fetches_nothing(self):
        assert not re.search(r"src=|href=|url\(|@import", self.html())

    def test_sets_no_colours(self):
        assert "color" not in self.html()
