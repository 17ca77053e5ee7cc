"""Rules: conditions with a vote."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sorb._types import Float
from sorb.rules import rule_lines
from sorb.rules.columns import TableLike
from sorb.rules.conditions import Condition
from sorb.rules.field_checks import (
    check_items,
    check_natural,
    check_number,
    check_types,
    set_fields,
)
from sorb.rules.notation import check_digits

__all__ = ["Rule", "check_rules"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition, and the vote that it adds to the score of each row it covers.

    Parameters
    ----------
    condition : Condition
        Which rows the rule covers.
    vote : float
        What it adds to their scores.
    output : int, default=0
        The index of the class that it votes for; 0 if there is only one output.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.rules import Condition, Proposition
    >>> rule = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> print(rule)
    +1.82  if  age ≥ 40
    >>> rule(np.array([[39.0], [40.0]]), columns=("age",))
    array([0.  , 1.82])
    """

    condition: Condition
    vote: float
    output: int = 0

    def __post_init__(self) -> None:
        check_types((self.condition,), Condition, "condition")
        vote, output = check_number(self.vote, "vote"), check_natural(self.output, "output")
        set_fields(self, vote=vote, output=output)

    @property
    def complexity(self) -> int:
        """One, and the complexity of the condition."""
        return 1 + self.condition.complexity

    def __call__(self, X: TableLike, columns: Sequence[str] | None = None) -> Float:
        """Give what the rule adds to each row of a DataFrame, or of an array with named columns."""
        return np.where(self.condition(X, columns), self.vote, 0.0)

    def format(self, digits: int | None = 3) -> str:
        """Print with `digits` significant digits; None means all."""
        digits = check_digits(digits)
        label = f"output {self.output}" if self.output else ""
        return rule_lines.format_lines([self.line(label, digits)], digits)

    def line(
        self, label: str, digits: int | None, units: Mapping[str, str] | None = None
    ) -> rule_lines.RuleLine:
        """Give the line to print; `label` is the class that the rule votes for."""
        return rule_lines.RuleLine(self.vote, self.condition.tokens(digits, units), label)

    def __str__(self) -> str:
        return self.format()


def check_rules(
    rules: Iterable[Rule], columns: Collection[str], n_outputs: int
) -> tuple[Rule, ...]:
    """Check that an ensemble has all columns and outputs of its rules."""
    given = check_items(rules, "rules", "rules")
    check_types(given, Rule, "rules")
    for i, rule in enumerate(given):
        if rule.output >= n_outputs:
            raise ValueError(
                f"rules[{i}].output must be less than {n_outputs}, found {rule.output}"
            )
        for name in rule.condition.columns:
            if name not in columns:
                raise ValueError(f"rules[{i}].condition uses {name!r}, which is not in columns")
    return given
