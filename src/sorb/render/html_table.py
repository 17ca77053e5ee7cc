"""Rules as an HTML table."""

from __future__ import annotations

from sorb.rules import RuleEnsemble, rule_lines
from sorb.rules.shown_digits import Digits

__all__ = ["to_html"]


def to_html(ensemble: RuleEnsemble, digits: Digits = "auto") -> str:
    """Write rules as an HTML table that inherits the colours of the page.

    Notebooks show the same table. All names are escaped.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The rules.
    digits : int, "auto" or None, default="auto"
        The number of significant digits; thresholds get one more. None means all, and "auto" as
        many as `print(ensemble)` shows.

    Examples
    --------
    >>> from sorb import Condition, Proposition, Rule
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> table = to_html(RuleEnsemble(-2.97, (old,), ("age",), "squared"))
    >>> "age ≥ 40</td>" in table
    True
    """
    count = ensemble.shown_digits(digits)
    return rule_lines.html_table(ensemble.lines(count), ensemble.caption(), count)
