"""A reader of printed rules that shares nothing with the printer."""

import json
import math
import re
from dataclasses import dataclass

SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
SIGNS = "+−≥≤=≠·/(){},^"
TOKEN = re.compile(
    rf'"(?:[^"\\]|\\.)*"|[0-9][0-9.]*(?:e[−-]?[0-9]+)?|[{SIGNS}]|[{SUPERSCRIPTS}]+'
    rf'|[^\s"{SIGNS}{SUPERSCRIPTS}]+'
)


@dataclass
class Line:
    """One printed line: its weight, the words of its label, and its propositions."""

    vote: float
    label: list
    condition: list


@dataclass
class Linear:
    """A sum as it is printed."""

    terms: list
    relation: str
    threshold: float
    missing: list

    def covers(self, row):
        total = self.terms[0][1] * number_of(row[self.terms[0][0]])
        for name, weight in self.terms[1:]:
            total = total + weight * number_of(row[name])
        return compared(total, self)


@dataclass
class Powers:
    """A product as it is printed: factors, each with its power and whether it divides.

    If the dividing ones stand in parentheses, their product is what divides.
    """

    terms: list
    relation: str
    threshold: float
    missing: list
    enclosed: bool

    def covers(self, row):
        total, divisor = 1.0, 1.0
        for name, power, divides in self.terms:
            factor = power_of(number_of(row[name]), power)
            if not divides:
                total = total * factor
            elif self.enclosed:
                divisor = divisor * factor
            else:
                total = total / factor if factor else total * math.inf
        return compared(total / divisor if divisor else total * math.inf, self)


@dataclass
class Labels:
    """A set of categories as it is printed."""

    name: str
    categories: list
    negated: bool
    missing: list

    def covers(self, row):
        label = row[self.name]
        if label is None:
            return bool(self.missing)
        return (label in self.categories) != self.negated


@dataclass
class Measured:
    """Whether a value is missing, or measured."""

    name: str
    measured: bool

    def covers(self, row):
        return (row[self.name] is not None) == self.measured


def number_of(value):
    return math.nan if value is None else float(value)


def power_of(value, power):
    if not value > 0:
        return math.nan
    if power.is_integer() and power <= 16:
        return math.prod([value] * int(power))
    try:
        return value**power
    except OverflowError:
        return math.inf


def compared(value, printed):
    if math.isnan(value):
        return bool(printed.missing)
    return value >= printed.threshold if printed.relation == "≥" else value <= printed.threshold


def read_ensemble(text):
    return [read_line(TOKEN.findall(line)) for line in text.split("\n")]


def read_line(tokens):
    vote = read_number(tokens[:2])
    if tokens[-1] == "always":
        return Line(vote, tokens[2:-1], [])
    split = tokens.index("if", 2)
    return Line(vote, tokens[2:split], read_condition(tokens[split + 1 :]))


def read_condition(tokens):
    return [proposition for part in split_at(tokens, "and") for proposition in read_part(part)]


def split_at(tokens, word):
    """Split at a word that stands outside of parentheses."""
    groups, depth = [[]], 0
    for token in tokens:
        depth += (token == "(") - (token == ")")
        if token == word and depth == 0:
            groups.append([])
        else:
            groups[-1].append(token)
    return groups


def read_part(tokens):
    """Read one proposition, or the two bounds of a range."""
    if tokens[0] == "(" and tokens[-1] == ")" and "or" in tokens:
        return read_part(tokens[1:-1])
    first, *others = split_at(tokens, "or")
    missing = [read_name(part[0]) for part in others]
    assert not others or others[-1][1:] == ["missing"]
    if first[1:] in (["missing"], ["measured"]):
        return [Measured(read_name(first[0]), first[1] == "measured")]
    if "=" in first and len(first) > 3:  # a number, where the two bounds of a range are one
        place = first.index("=")
        return [read_bound(first[:place], [sign, *first[place + 1 :]], missing) for sign in "≥≤"]
    if first[1] in ("=", "≠", "in", "not"):
        return [read_labels(first, missing)]
    places = [i for i, token in enumerate(first) if token in "≥≤"]
    if len(places) == 1:
        return [read_bound(first[: places[0]], first[places[0] :], missing)]
    start, end = places
    assert first[start] == first[end] == "≤"
    quantity = first[start + 1 : end]
    return [
        read_bound(quantity, ["≥", *first[:start]], missing),
        read_bound(quantity, first[end:], missing),
    ]


def read_bound(quantity, tokens, missing):
    relation, *end = tokens
    # A unit may follow the number.
    threshold = read_number(end[: 2 if end[0] == "−" else 1])
    if any(token in "·/^" or token[0] in SUPERSCRIPTS for token in quantity):
        return Powers(read_factors(quantity), relation, threshold, missing, "(" in quantity)
    return Linear(read_terms(quantity), relation, threshold, missing)


def read_labels(tokens, missing):
    name, relation, *named = tokens
    if relation in ("=", "≠"):
        (label,) = named
        return Labels(read_name(name), [read_label(label)], relation == "≠", missing)
    start = tokens.index("{")
    categories = [read_label(token) for token in tokens[start + 1 : -1] if token != ","]
    return Labels(read_name(name), categories, relation == "not", missing)


def read_terms(tokens):
    terms, start = [], 0
    for i, token in enumerate(tokens):
        if not (token in "+−" or token[0].isdigit()):
            terms.append((read_name(token), read_number(tokens[start:i] or ["1"])))
            start = i + 1
    return terms


def read_factors(tokens):
    """Read names with powers; a division by parentheses divides by all that is in them."""
    factors, divides, inside = [], False, False
    for i, token in enumerate(tokens):
        if token in "/·":
            divides = token == "/" or inside
        elif token == "(":
            inside = True
        elif token == "^":
            name, _, side = factors.pop()
            factors.append((name, read_number([tokens[i + 1]]), side))
        elif token[0] in SUPERSCRIPTS:
            name, _, side = factors.pop()
            power = float("".join(str(SUPERSCRIPTS.index(digit)) for digit in token))
            factors.append((name, power, side))
        elif token != ")" and not token[0].isdigit():
            factors.append((read_name(token), 1.0, divides))
    return factors


def read_name(token):
    return json.loads(token) if token[0] == '"' else token


def read_label(token):
    if token in ("True", "False"):
        return token == "True"
    if re.match(r"-?[0-9]", token):
        return json.loads(token)
    return read_name(token)


def read_number(tokens):
    *signs, last = tokens
    if last in "+−":
        signs, last = [*signs, last], "1"
    return (-1.0 if "−" in signs else 1.0) * float(last.replace("−", "-"))
