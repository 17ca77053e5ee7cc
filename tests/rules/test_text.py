"""Printing, checked by reading it back with a parser that shares nothing with the printer."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import assume, example
from hypothesis import strategies as st
from rule_strategies import (
    NASTY_NAMES,
    column_names,
    ensembles,
    ensembles_with_rows,
    for_all,
    numbers,
    propositions,
    values,
    weighted_sum,
)

from sorb.rules import Condition, Proposition, Rule, RuleEnsemble
from sorb.rules import text as wording

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[0-9][0-9.]*(?:e−?[0-9]+)?(?=\s|$)|[+−≥≤]|[^\s"+−≥≤]+')


def read_ensemble(text):
    return [read_line(TOKEN.findall(line)) for line in text.split("\n")]


def read_line(tokens):
    sign, number = tokens[:2]
    split = tokens.index("if", 2)
    return read_number([sign, number]), tokens[2:split], read_condition(tokens[split + 1 :])


def read_condition(tokens):
    if tokens == ["True"]:
        return []
    parts = [[]]
    for token in tokens:
        if token == "and":
            parts.append([])
        else:
            parts[-1].append(token)
    return [read_proposition(part) for part in parts]


def read_proposition(tokens):
    relation = next(i for i, token in enumerate(tokens) if token in "≥≤")
    terms, start = [], 0
    for i in range(relation):
        if not (tokens[i] in "+−" or tokens[i][0].isdigit()):
            terms.append((read_name(tokens[i]), read_number(tokens[start:i] or ["1"])))
            start = i + 1
    return terms, tokens[relation], read_number(tokens[relation + 1 :])


def read_name(token):
    return json.loads(token) if token[0] == '"' else token


def read_number(tokens):
    *signs, last = tokens
    if last in "+−":
        signs, last = [*signs, last], "1"
    return (-1.0 if "−" in signs else 1.0) * float(last.replace("−", "-"))


def read_holds(proposition, row):
    terms, relation, threshold = proposition
    total = terms[0][1] * row[terms[0][0]]
    for column, weight in terms[1:]:
        total = total + weight * row[column]
    return total >= threshold if relation == "≥" else total <= threshold


class TestReadBack:
    @for_all(ensembles_with_rows())
    def test_all_digits_decide_every_row_alike(self, drawn):
        ensemble, table = drawn
        lines = read_ensemble(ensemble.format(digits=None))[-len(ensemble) :]
        rows = [dict(zip(ensemble.columns, row, strict=True)) for row in table]
        read = [[all(read_holds(p, row) for p in c) for _, _, c in lines] for row in rows]
        expected = ensemble.members(np.array(table)).tolist()
        assert expected == (read if len(ensemble) else [[] for _ in rows])

    @for_all(propositions(("a", "b", "c")), st.tuples(values, values, values))
    def test_all_digits_decide_boundary_rows_alike(self, proposition, row):
        row = dict(zip("abc", row, strict=True))
        total = weighted_sum(proposition, row)
        assume(math.isfinite(total) and math.isfinite(math.nextafter(total, math.inf)))
        sides = [
            Proposition(proposition.columns, proposition.weights, threshold)
            for threshold in (total, math.nextafter(total, math.inf))
        ]
        printed = [TOKEN.findall(side.format(digits=None)) for side in sides]
        read = [read_holds(read_proposition(tokens), row) for tokens in printed]
        assert read == [True, False]

    @for_all(ensembles())
    def test_all_digits_give_the_weights(self, ensemble):
        weights = [weight for weight, _, _ in read_ensemble(ensemble.format(digits=None))]
        offsets = np.atleast_1d(ensemble.offset).tolist()
        assert weights == offsets + [rule.weight for rule in ensemble]

    @for_all(ensembles())
    def test_few_digits_name_the_same_columns(self, ensemble):
        lines = read_ensemble(str(ensemble))
        read = [tuple(name for p in c for name, _ in p[0]) for _, _, c in lines if c]
        rules = [rule for rule in ensemble if rule.condition.propositions]
        assert read == [
            tuple(name for p in rule.condition.propositions for name in p.columns) for rule in rules
        ]

    @for_all(column_names)
    def test_names(self, name):
        assert read_name(wording.name(name)) == name

    @for_all(numbers)
    def test_all_digits_of_a_number(self, value):
        assert float(wording.number(value, None).replace("−", "-")) == value

    @for_all(st.floats(-1e308, 1e308))
    @example(9.9996)
    @example(0.99996)
    @example(999999999.7)
    def test_few_digits_of_a_number_are_close(self, value):
        read = float(wording.number(value, 3).replace("−", "-"))
        assert abs(read - value) <= 0.00501 * abs(value)


@pytest.mark.parametrize("name", NASTY_NAMES)
def test_a_name_that_could_be_misread_is_quoted(name):
    plain = {"größe", "身高"}
    assert wording.name(name).startswith('"') == (name not in plain)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (40.0, "40"),
        (-2.5, "−2.5"),
        (2 / 3, "0.667"),
        (0.8602, "0.86"),
        (123456.7, "123457"),
        (12345678.0, "12345678"),
        (1.5e9, "1.5e9"),
        (-0.00012345, "−0.000123"),
        (0.000012345, "1.23e−5"),
        (9.996, "10"),
    ],
)
def test_number(value, text):
    assert wording.number(value, 3) == text


@pytest.mark.parametrize("digits", [0, -1])
def test_refuses_no_digits(digits):
    with pytest.raises(ValueError, match="digits must be at least 1"):
        wording.number(1.5, digits)


@pytest.mark.parametrize(
    ("columns", "weights", "threshold", "text"),
    [
        (["age"], [1.0], 40.0, "age ≥ 40"),
        (["age"], [-1.0], -40.0, "age ≤ 40"),
        (["age"], [-2.0], 0.0, "age ≤ 0"),
        (["age"], [3.0], 10.0, "3 age ≥ 10"),
        (["age"], [0.1234567], 5.0, "age ≥ 40.5"),
        (["a", "b"], [0.86, -1.0], -0.5, "0.86 a − b ≥ −0.5"),
        (["a", "b"], [-0.86, 1.0], 0.5, "0.86 a − b ≤ −0.5"),
        (["a", "b"], [2.0, -4.0], 6.0, "0.5 a − b ≥ 1.5"),
        (["a", "b"], [2.0, -3.0], 5.0, "2 a − 3 b ≥ 5"),
        (["a", "b"], [2.123456, 3.123456], 5.123456, "0.68 a + b ≥ 1.64"),
        (["a b", "c"], [1.0, 1.0], 1.0, '"a b" + c ≥ 1'),
        (["a", "b"], [1e-300, 1.5e-300], 1e200, "1e−300 a + 1.5e−300 b ≥ 1e200"),
        (["a", "b"], [1e300, 1.5e300], 1e-200, "1e300 a + 1.5e300 b ≥ 1e−200"),
        (["a"], [1.0], 1999.56, "a ≥ 2000"),
    ],
)
def test_proposition(columns, weights, threshold, text):
    assert str(Proposition(tuple(columns), tuple(weights), threshold)) == text


def rule(weight, *propositions, output=0):
    return Rule(Condition(propositions), weight, output)


OLD = Proposition(("age",), (1.0,), 40.0)
BALANCE = Proposition(("petal_length", "sepal_width"), (0.86, -1.0), -0.5)


def test_ensemble():
    columns = ("age", "petal_length", "sepal_width")
    ensemble = RuleEnsemble(-2.97, (rule(1.82, OLD, BALANCE), rule(11.0)), columns, "squared")
    assert str(ensemble) == (
        " −2.97  if  True\n"
        " +1.82  if  age ≥ 40  and  0.86 petal_length − sepal_width ≥ −0.5\n"
        "+11     if  True"
    )


def test_softmax_names_the_classes():
    rules = (rule(1.2345, OLD, output=1),)
    ensemble = RuleEnsemble((0.0, -1.0, 0.25), rules, ("age",), "softmax", ("a", "two words", 3))
    assert str(ensemble) == (
        "+0    a            if  True\n"
        '−1    "two words"  if  True\n'
        "+0.25 3            if  True\n"
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
