"""The changes of a model that someone may want.

Rules have the numbers that they have in the model that is edited, whatever happens to the rules
before them; those that are added get the next ones. Numbers count from 0, and from 1 in text. Each
change may say why it was made, by whom and when.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeAlias

from sorb.rules import Condition, Rule, notation
from sorb.rules.field_checks import check_natural, check_number, set_fields

__all__ = ["AddRule", "Change", "ChangeCondition", "DropRule", "ForbidRule", "PinVote"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """Why a change was made, by whom, and when: texts, of which the time is one of ISO 8601."""

    reason: str = ""
    author: str = ""
    time: str = ""


def _check_signature(change: Signed) -> None:
    for field in fields(Signed):
        text = getattr(change, field.name)
        if not isinstance(text, str):
            raise TypeError(f"{field.name} must be a text, found {text!r}")


@dataclass(frozen=True, slots=True)
class DropRule(Signed):
    """Leave a rule out.

    Examples
    --------
    >>> print(DropRule(1, reason="the laboratory has changed its method"))
    drop rule 2
    """

    rule: int

    def __post_init__(self) -> None:
        set_fields(self, rule=check_natural(self.rule, "rule"))
        _check_signature(self)

    def __str__(self) -> str:
        return f"drop rule {self.rule + 1}"


@dataclass(frozen=True, slots=True)
class ForbidRule(Signed):
    """Leave a rule out, and refuse later changes that would bring it back.

    Examples
    --------
    >>> print(ForbidRule(1, reason="nobody may be judged by this"))
    forbid rule 2
    """

    rule: int

    def __post_init__(self) -> None:
        set_fields(self, rule=check_natural(self.rule, "rule"))
        _check_signature(self)

    def __str__(self) -> str:
        return f"forbid rule {self.rule + 1}"


@dataclass(frozen=True, slots=True)
class ChangeCondition(Signed):
    """Give a rule another condition.

    Examples
    --------
    >>> from sorb import Condition, Proposition
    >>> print(ChangeCondition(0, Condition((Proposition(("age",), (1.0,), 40.0),))))
    change rule 1 to: age ≥ 40
    """

    rule: int
    condition: Condition

    def __post_init__(self) -> None:
        if not isinstance(self.condition, Condition):
            raise TypeError(f"condition must be a Condition, found {self.condition!r}")
        set_fields(self, rule=check_natural(self.rule, "rule"))
        _check_signature(self)

    def __str__(self) -> str:
        return f"change rule {self.rule + 1} to: {self.condition.format(None)}"


@dataclass(frozen=True, slots=True)
class PinVote(Signed):
    """Give a rule this vote, which no later fit changes.

    Examples
    --------
    >>> print(PinVote(0, 1.5))
    pin the vote of rule 1 at +1.5
    """

    rule: int
    vote: float

    def __post_init__(self) -> None:
        set_fields(
            self, rule=check_natural(self.rule, "rule"), vote=check_number(self.vote, "vote")
        )
        _check_signature(self)

    def __str__(self) -> str:
        return f"pin the vote of rule {self.rule + 1} at {notation.signed(self.vote, None)}"


@dataclass(frozen=True, slots=True)
class AddRule(Signed):
    """Add a rule, whose vote is fitted like the others.

    Examples
    --------
    >>> from sorb import Condition, Proposition, Rule
    >>> print(AddRule(Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 0.0)))
    add a rule: age ≥ 40
    """

    rule: Rule

    def __post_init__(self) -> None:
        if not isinstance(self.rule, Rule):
            raise TypeError(f"rule must be a Rule, found {self.rule!r}")
        _check_signature(self)

    def __str__(self) -> str:
        return f"add a rule: {self.rule.condition.format(None)}"


Change: TypeAlias = DropRule | ForbidRule | ChangeCondition | PinVote | AddRule
