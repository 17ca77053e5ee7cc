"""An R function over a data frame that answers like an ensemble."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from sorb.export.column_types import ColumnType, column_types, exact_float
from sorb.export.program import (
    CategoryTest,
    CompiledRule,
    Output,
    ProductComparison,
    Program,
    SumComparison,
    compile_ensemble,
)
from sorb.export.syntax import Syntax, check_name
from sorb.rules import Label, RuleEnsemble

__all__ = ["to_r"]

KEYWORDS = (
    "if else repeat while function for next break TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ "
    "NA_complex_ NA_character_ in"
)
# What the function itself needs of the language.
FUNCTIONS = (
    "abs as.character as.numeric c cbind exp ifelse is.character is.factor is.logical is.na "
    "is.null is.numeric list matrix max nrow rep rowSums seq_len stop vapply which.max"
)
WORDS = frozenset([*KEYWORDS.split(), *FUNCTIONS.split()])

HEAD = """\
# {summary}
# Takes a data frame; NA and NaN are missing values.
{name} <- function(data) {{
"""

COLUMN = """\
  column <- function(name, is_kind, kind) {
    value <- data[[name]]
    if (is.null(value)) stop("the data frame has no column ", name)
    if (!is_kind(value)) stop("column ", name, " must hold ", kind)
    value
  }
"""

NUMBER = """\
  is_number <- function(value) is.numeric(value) || is.logical(value)
  number <- function(name) as.numeric(column(name, is_number, "numbers"))
"""

TEXT = """\
  is_text <- function(value) is.character(value) || is.factor(value) || is.logical(value)
  text <- function(name) as.character(column(name, is_text, "texts"))
"""

KNOWN = """\
  known <- function(test, otherwise) {
    test[is.na(test)] <- otherwise
    test
  }
"""

READOUTS = {
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

SUMMARIES = {
    "score": "The score of each row, or one for each class.",
    "prediction": "The prediction for each row.",
    "probability": "The probability of the second class, or one for each class, of each row.",
}


def to_r(
    ensemble: RuleEnsemble,
    output: Output = "prediction",
    contributions: bool = False,
    name: str = "predict_rows",
) -> str:
    r"""Write an R function over the rows of a data frame that answers like an ensemble.

    It needs nothing but base R. Numbers that R would not read back exactly are written in
    hexadecimal.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    output : {"score", "prediction", "probability"}, default="prediction"
        What the function gives, as a vector with one value for each row; the scores and
        probabilities of a softmax ensemble are a matrix with a column for each class.
    contributions : bool, default=False
        Give a list: the `answer`, and a matrix with the `contributions` of the rules.
    name : str, default="predict_rows"
        The name of the function. `predict` would hide R's own.

    Returns
    -------
    source : str
        The text of the function.

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
    lines = [*_columns(program, types), _start(program)]
    if contributions:
        lines += [f"added <- matrix(0, nrow(data), {len(program.rules)})"]
    for i, rule in enumerate(program.rules):
        lines += _rule_lines(_syntax(program, types), i, rule, contributions)
    lines += _readout_lines(program)
    lines += ["list(answer = answer, contributions = added)" if contributions else "answer"]
    head = HEAD.format(summary=SUMMARIES[output], name=check_name(name, WORDS, "R"))
    return head + _aids(program, types) + "".join(f"  {line}\n" for line in lines) + "}\n"


def _aids(program: Program, types: Mapping[str, ColumnType]) -> str:
    """The functions that this model needs."""
    found = set(types.values())
    text = COLUMN if found else ""
    text += NUMBER if found & {"number", "boolean"} else ""
    text += TEXT if "text" in found else ""
    return text + (KNOWN if program.numbers else "")


def _columns(program: Program, types: Mapping[str, ColumnType]) -> list[str]:
    """Read each column once."""
    readers = {"number": "number({})", "boolean": "number({})", "text": "text({})"}
    readers["any"] = 'column({}, function(value) TRUE, "")'
    places = _places(program)
    lines = [f"{places[c]} <- {readers[types[c]].format(_text(c))}" for c in program.used]
    positives = (places[column] for column in program.positives)
    return lines + [
        f"{_positive(place)} <- ifelse({place} > 0, {place}, NA)" for place in positives
    ]


def _places(program: Program) -> dict[str, str]:
    return {column: f"x{j + 1}" for j, column in enumerate(program.columns)}


def _positive(place: str) -> str:
    return place.replace("x", "p")


def _start(program: Program) -> str:
    offsets = ", ".join(map(_number, program.offsets))
    return f"s <- matrix(rep(c({offsets}), each = nrow(data)), ncol = {len(program.offsets)})"


def _syntax(program: Program, types: Mapping[str, ColumnType]) -> Syntax:
    places = _places(program)
    return Syntax(
        number=_number,
        column=places.__getitem__,
        positive=lambda column: _positive(places[column]),
        compare=_compare,
        member=lambda test: _member(test, places[test.column], types[test.column]),
        all_of=" & ".join,
        power="{}^{}".format,
    )


def _compare(test: SumComparison | ProductComparison, value: str) -> str:
    return f"known({value} {test.relation} {_number(test.threshold)}, {_truth(test.missing)})"


def _member(test: CategoryTest, place: str, kind: ColumnType) -> str:
    gap = f"is.na({place})"
    if not test.categories:
        return gap if test.missing else f"!{gap}"
    literals = [
        _text(category)
        if isinstance(category, str)
        else _number(exact_float(category, test.column))
        for category in test.categories
    ]
    found = f"{place} %in% c({', '.join(literals)})"
    if not test.negated:
        return f"({gap} | {found})" if test.missing else found
    return f"!({found})" if test.missing else f"!({gap} | {found})"


def _rule_lines(syntax: Syntax, i: int, rule: CompiledRule, contributions: bool) -> list[str]:
    condition = syntax.condition(rule) if rule.propositions else "rep(TRUE, nrow(data))"
    place, vote = f"s[covered, {rule.output + 1}]", _number(rule.vote)
    noted = f"added[covered, {i + 1}] <- {vote}"
    lines = [f"covered <- {condition}", f"{place} <- {place} + {vote}"]
    return [*lines, noted] if contributions else lines


def _readout_lines(program: Program) -> list[str]:
    several = len(program.offsets) > 1
    best = "vapply(seq_len(nrow(s)), function(i) which.max(s[i, ]), 1L)"
    words = {
        "scores": "s" if several else "s[, 1]",
        "labels": _labels(program.labels),
        "winner": best if several else "1 + (s[, 1] > 0)",
    }
    return [line.format(**words) for line in READOUTS[program.readout]]


def _labels(labels: tuple[Label, ...]) -> str:
    """Write the classes as a vector, all of whose values have one type in R."""
    kinds = {
        bool if isinstance(label, bool) else str if isinstance(label, str) else float
        for label in labels
    }
    if len(kinds) > 1:
        raise ValueError(
            f"the classes {', '.join(map(repr, labels))} have several types, but a vector of R has "
            "one: give all of them the same"
        )
    return f"c({', '.join(map(_label, labels))})"


def _label(label: Label) -> str:
    if isinstance(label, bool):
        return _truth(label)
    return _text(label) if isinstance(label, str) else _number(exact_float(label, "y"))


def _truth(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError(f"no text of R holds the character NUL, found in {value!r}")
    return f'"{"".join(map(_character, value))}"'


def _character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if " " <= character <= "~" else f"\\U{{{ord(character):x}}}"


def _number(value: float) -> str:
    """Write a number that R reads back exactly, in decimal if it does so."""
    if value.is_integer() and abs(value) < 2**53:
        return str(int(value)) if value or str(value) == "0.0" else "-0"
    text = repr(value)
    return text if _is_read_exactly(text) else value.hex()


def _is_read_exactly(text: str) -> bool:
    """Whether R's reader, which divides digits by a power of ten, comes to the right float64.

    It computes in 64 bits where it can and rounds the quotient again, which may go wrong; up to
    10^22, powers of ten are exact even in 53 bits.
    """
    digits, _, decimals = text.lstrip("-").partition(".")
    if "e" in text or len(digits + decimals) > 15:
        return False
    exact = Fraction(int(digits + decimals), 10 ** len(decimals))
    return float(_rounded(exact, 64)) == abs(float(text))


def _rounded(value: Fraction, bits: int) -> Fraction:
    """Round a positive number to so many significant bits, ties to even."""
    shift = bits - (value.numerator.bit_length() - value.denominator.bit_length())
    scaled = round(value * Fraction(2) ** shift)
    return Fraction(scaled) / Fraction(2) ** shift
