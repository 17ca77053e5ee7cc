"""A reader of Excel formulas, as far as the exports use them.

An empty cell is None. Errors are the exception `SheetError`, which the functions pass on as Excel
does. Comparisons follow Excel: numbers are less than texts and those less than truth values,
capital letters equal small ones, and an empty cell is 0, "" or FALSE.
"""

import math
import re


class SheetError(Exception):
    """A value like #N/A or #VALUE!."""


TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    | "(?P<text>(?:[^"]|"")*)"
    | (?P<cell>(?:(?:'(?:[^']|'')+'|\w+)!)?\$?[A-Z]{1,3}\$?\d+)(?!\w)
    | (?P<word>[A-Z]+)
    | (?P<sign><=|>=|<>|[-+*/^=<>(),])
    )""",
    re.VERBOSE,
)
RANKS = [["=", "<>", "<", ">", "<=", ">="], ["+", "-"], ["*", "/"], ["^"]]


def compile_formula(formula):
    """Give a function from a mapping of cells to the value of a formula."""
    assert formula.startswith("=")
    tokens, position = [], 1
    while position < len(formula):
        match = TOKEN.match(formula, position)
        assert match, formula[position:]
        tokens.append((match.lastgroup, match[match.lastgroup]))
        position = match.end()
    reader = _Reader(tokens)
    value = reader.binary(0)
    assert reader.position == len(tokens)
    return value


class _Reader:
    def __init__(self, tokens):
        self.tokens = [*tokens, ("end", "")]
        self.position = 0

    def next(self):
        self.position += 1
        return self.tokens[self.position - 1]

    def sees(self, *signs):
        kind, text = self.tokens[self.position]
        return kind == "sign" and text in signs

    def binary(self, rank):
        if rank == len(RANKS):
            return self.unary()
        left = self.binary(rank + 1)
        while self.sees(*RANKS[rank]):
            _, sign = self.next()
            left = _operation(sign, left, self.binary(rank + 1))
        return left

    def unary(self):
        if self.sees("-"):
            self.next()
            value = self.unary()
            return lambda cells: -_number(value(cells))
        return self.atom()

    def atom(self):
        kind, text = self.next()
        if kind == "number":
            constant = float(text)
            return lambda cells: constant
        if kind == "text":
            return lambda cells: text.replace('""', '"')
        if kind == "cell":
            return lambda cells: _given(cells[text])
        if text == "(":
            value = self.binary(0)
            assert self.next() == ("sign", ")")
            return value
        if text in ("TRUE", "FALSE"):
            return lambda cells: text == "TRUE"
        assert self.next() == ("sign", "("), text
        arguments = []
        while not self.sees(")"):
            arguments.append(self.binary(0))
            if self.sees(","):
                self.next()
        self.next()
        return lambda cells: FUNCTIONS[text](cells, *arguments)


def _given(value):
    if isinstance(value, SheetError):
        raise value
    return value


def _number(value):
    try:
        return 0.0 if value is None else float(value)
    except ValueError:
        raise SheetError("#VALUE!") from None


def _operation(sign, left, right):
    if sign in RANKS[0]:
        return lambda cells: _compare(sign, left(cells), right(cells))
    if sign == "/":
        return lambda cells: _divide(_number(left(cells)), _number(right(cells)))
    operation = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "^": math.pow,
    }[sign]
    return lambda cells: operation(_number(left(cells)), _number(right(cells)))


def _divide(top, bottom):
    if bottom == 0:
        raise SheetError("#DIV/0!")
    return top / bottom


def _key(value, other):
    if value is None:
        value = {str: "", bool: False}.get(type(other), 0.0)
    if isinstance(value, bool):
        return (2, value)
    return (1, value.lower()) if isinstance(value, str) else (0, value)


def _compare(sign, left, right):
    a, b = _key(left, right), _key(right, left)
    return {
        "=": a == b,
        "<>": a != b,
        "<": a < b,
        ">": a > b,
        "<=": a <= b,
        ">=": a >= b,
    }[sign]


def _if(cells, test, then, otherwise):
    return then(cells) if test(cells) else otherwise(cells)


def _if_error(cells, value, otherwise):
    try:
        return value(cells)
    except SheetError:
        return otherwise(cells)


def _values(cells, arguments):
    """Find all of them: one that is an error makes the whole an error."""
    return [argument(cells) for argument in arguments]


def _shown(value):
    if isinstance(value, bool):
        return str(value).upper()
    return f"{value:.15g}" if isinstance(value, (int, float)) else value or ""


def _is_text(cells, value):
    try:
        return isinstance(value(cells), str)
    except SheetError:
        return False


FUNCTIONS = {
    "IF": _if,
    "IFERROR": _if_error,
    "AND": lambda cells, *tests: all(_values(cells, tests)),
    "OR": lambda cells, *tests: any(_values(cells, tests)),
    "NOT": lambda cells, test: not test(cells),
    "MIN": lambda cells, *values: min(_values(cells, values)),
    "MAX": lambda cells, *values: max(_values(cells, values)),
    "LEN": lambda cells, value: float(len(_shown(value(cells)))),
    "ISTEXT": _is_text,
    "EXACT": lambda cells, a, b: _shown(a(cells)) == _shown(b(cells)),
    "EXP": lambda cells, value: math.exp(value(cells)),
    "ABS": lambda cells, value: abs(value(cells)),
}
