"""An R function over a data frame that gives the answers of an ensemble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from sorb._types import assert_never
from sorb.export.column_types import ColumnType, column_types, exact_float, label_type
from sorb.export.program import (
    Answer,
    CategoryTest,
    Comparison,
    CompiledRule,
    Output,
    Program,
    compile_ensemble,
)
from sorb.export.script import summarise
from sorb.export.syntax import Syntax, check_name, join_with
from sorb.rules import Label, RuleEnsemble

__all__ = ["to_r"]

KEYWORDS = (
    "if else repeat while function for next break TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ "
    "NA_complex_ NA_character_ in"
)
# Functions that the written function itself uses.
FUNCTIONS = (
    "abs all as.character as.numeric c cbind exp ifelse is.character is.factor is.logical is.na "
    "is.null is.numeric list matrix max nrow rep rowSums seq_len stop vapply which.max"
)
RESERVED = frozenset([*KEYWORDS.split(), *FUNCTIONS.split()])

HEAD = """\
# Returns {summary}, for each row of a data frame.
# NA and NaN are missing values.
{name} <- function(data) {{
"""

COLUMN = """\
  column <- function(name, has_type, type) {
    value <- data[[name]]
    if (is.null(value)) stop("the data frame has no column ", name)
    if (!has_type(value)) stop("column ", name, " must hold ", type)
    value
  }
"""

NUMBER = """\
  is_number <- function(value) is.numeric(value) || is.logical(value) || all(is.na(value))
  number <- function(name) as.numeric(column(name, is_number, "numbers"))
"""

TEXT = """\
  is_text <- function(value) is.character(value) || is.factor(value) || all(is.na(value))
  text <- function(name) as.character(column(name, is_text, "texts"))
"""

KNOWN = """\
  known <- function(test, otherwise) {
    test[is.na(test)] <- otherwise
    test
  }
"""

READERS: dict[ColumnType, str] = {
    "number": "number({})",
    "boolean": "number({})",
    "text": "text({})",
    "any": 'column({}, function(value) TRUE, "")',
}

ANSWERS: dict[Answer, Sequence[str]] = {
    "scores": ("answer <- {scores}",),
    "exponential": ("answer <- exp(s[, 1])",),
    "sigmoid": (
        "e <- exp(-abs(s[, 1]))",
        "answer <- ifelse(s[, 1] >= 0, 1, e) / (1 + e)",
    ),
    "softmax": (
        "e <- exp(s - vapply(seq_len(nrow(s)), function(i) max(s[i, ]), 0))",
        "answer <- e / rowSums(e)",
    ),
    "label": ("answer <- {labels}[{winner}]",),
}


def to_r(
    ensemble: RuleEnsemble,
    output: Output = "prediction",
    contributions: bool = False,
    name: str = "predict_rows",
) -> str:
    r"""Write an R function over a data frame that gives the answers of an ensemble.

    It needs only base R. Numbers that R would not read back exactly are written in hexadecimal.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    output : {"score", "prediction", "probability"}, default="prediction"
        What the function returns, as a vector with one value for each row. With more than two
        classes, scores and probabilities are a matrix with a column for each class.
    contributions : bool, default=False
        Return a list: the `answer`, and a matrix with the `contributions` of the rules.
    name : str, default="predict_rows"
        The name of the function. `predict` would hide R's own.

    Returns
    -------
    source : str
        The source of the function.

    Examples
    --------
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 40.5),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.5),), ("age",), "logistic", ("no", "yes"))
    >>> print("\n".join(to_r(ensemble).splitlines()[-7:]))
      x1 <- number("age")
      s <- matrix(rep(c(-1), each = nrow(data)), ncol = 1)
      covered <- known(x1 >= 40.5, FALSE)
      s[covered, 1] <- s[covered, 1] + 1.5
      answer <- c("no", "yes")[1 + (s[, 1] > 0)]
      answer
    }
    """
    program = compile_ensemble(ensemble, output)
    types = column_types(program)
    lines = [*_columns(program, types), _offsets(program)]
    if contributions:
        lines += [f"added <- matrix(0, nrow(data), {len(program.rules)})"]
    for i, rule in enumerate(program.rules):
        lines += _rule_lines(_syntax(program), i, rule, contributions)
    lines += _answer(program)
    lines += ["list(answer = answer, contributions = added)" if contributions else "answer"]
    head = HEAD.format(summary=summarise(ensemble, output), name=check_name(name, RESERVED, "R"))
    return head + _helpers(program, types) + "".join(f"  {line}\n" for line in lines) + "}\n"


def _helpers(program: Program, types: Mapping[str, ColumnType]) -> str:
    """Give the functions that this model needs."""
    found = set(types.values())
    text = COLUMN if found else ""
    text += NUMBER if found & {"number", "boolean"} else ""
    text += TEXT if "text" in found else ""
    return text + (KNOWN if program.numbers else "")


def _columns(program: Program, types: Mapping[str, ColumnType]) -> list[str]:
    """Read each column once."""
    places = _places(program)
    lines = [f"{places[c]} <- {READERS[types[c]].format(_text(c))}" for c in program.used]
    positives = (places[column] for column in program.positives)
    return lines + [
        f"{_positive(place)} <- ifelse({place} > 0, {place}, NA)" for place in positives
    ]


def _places(program: Program) -> dict[str, str]:
    return {column: f"x{j + 1}" for j, column in enumerate(program.columns)}


def _positive(place: str) -> str:
    return place.replace("x", "p")


def _offsets(program: Program) -> str:
    offsets = ", ".join(map(_number, program.offsets))
    return f"s <- matrix(rep(c({offsets}), each = nrow(data)), ncol = {len(program.offsets)})"


def _syntax(program: Program) -> Syntax:
    places = _places(program)
    return Syntax(
        number=_number,
        column=places.__getitem__,
        positive=lambda column: _positive(places[column]),
        compare=_compare,
        category_test=lambda test: _category_test(test, places[test.column]),
        all_of=join_with("&"),
        power="{}^{}".format,
    )


def _compare(comparison: Comparison, value: str) -> str:
    threshold, missing = _number(comparison.threshold), _boolean(comparison.missing)
    return f"known({value} {comparison.relation} {threshold}, {missing})"


def _category_test(test: CategoryTest, place: str) -> str:
    unknown = f"is.na({place})"
    if not test.categories:
        return unknown if test.missing else f"!{unknown}"
    literals = [_category(category, test.column) for category in test.categories]
    found = f"{place} %in% c({', '.join(literals)})"
    if not test.negated:
        return f"({unknown} | {found})" if test.missing else found
    return f"!({found})" if test.missing else f"!({unknown} | {found})"


def _category(category: Label, column: str) -> str:
    if isinstance(category, str):
        return _text(category)
    return _number(exact_float(category, column))


def _rule_lines(syntax: Syntax, i: int, rule: CompiledRule, contributions: bool) -> list[str]:
    condition = syntax.condition(rule) if rule.propositions else "rep(TRUE, nrow(data))"
    place, vote = f"s[covered, {rule.output + 1}]", _number(rule.vote)
    lines = [f"covered <- {condition}", f"{place} <- {place} + {vote}"]
    return [*lines, f"added[covered, {i + 1}] <- {vote}"] if contributions else lines


def _answer(program: Program) -> list[str]:
    several = len(program.offsets) > 1
    best = "vapply(seq_len(nrow(s)), function(i) which.max(s[i, ]), 1L)"
    words = {
        "scores": "s" if several else "s[, 1]",
        "labels": _labels(program.labels),
        "winner": best if several else "1 + (s[, 1] > 0)",
    }
    return [line.format(**words) for line in ANSWERS[program.answer]]


def _labels(labels: tuple[Label, ...]) -> str:
    """Write class labels as a vector, whose values have one type in R."""
    types = set(map(label_type, labels))
    if len(types) > 1 and types != {"whole", "float"}:
        raise ValueError(
            "the classes must have one type, like a vector in R, found "
            f"{', '.join(map(repr, labels))}"
        )
    return f"c({', '.join(map(_label, labels))})"


def _label(label: Label) -> str:
    match label:
        case bool():  # before int, because Python counts booleans among the integers
            return _boolean(label)
        case int() | float():
            return _number(exact_float(label, "y"))
        case str():
            return _text(label)
        case _:
            return assert_never(label)


def _boolean(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError(f"a text in R cannot contain the character NUL, found in {value!r}")
    return f'"{"".join(map(_character, value))}"'


def _character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if " " <= character <= "~" else f"\\U{{{ord(character):x}}}"


def _number(value: float) -> str:
    """Write a number so that R reads back the same one, in decimal if that is enough."""
    if value.is_integer() and abs(value) < 2**53:
        return str(int(value)) if value or str(value) == "0.0" else "-0"
    text = repr(value)
    return text if _is_read_exactly(text) else value.hex()


def _is_read_exactly(text: str) -> bool:
    """Tell whether R, which divides the digits by a power of ten, gets the right float64.

    It rounds the quotient to 64 bits and then again to 53, which may go wrong. The powers of ten
    up to 10^22 are exact in either.
    """
    digits, _, decimals = text.lstrip("-").partition(".")
    if "e" in text or len(digits + decimals) > 15:
        return False
    exact = Fraction(int(digits + decimals), 10 ** len(decimals))
    return float(_round_to_bits(exact, 64)) == abs(float(text))


def _round_to_bits(value: Fraction, bits: int) -> Fraction:
    """Round a positive number to some number of significant bits, ties to even."""
    shift = bits - (value.numerator.bit_length() - value.denominator.bit_length())
    scaled = round(value * Fraction(2) ** shift)
    return Fraction(scaled) / Fraction(2) ** shift
