"""Changes as values."""

import pytest
from editing.models import at_least

from sorb.editing import AddRule, ChangeCondition, DropRule, ForbidRule, PinVote


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DropRule(-1), "rule"),
        (lambda: DropRule(1.5), "rule"),
        (lambda: PinVote(0, float("nan")), "vote must be finite"),
        (lambda: PinVote(0, "much"), "vote must be a number"),
        (lambda: ChangeCondition(0, "age ≥ 40"), "condition must be a Condition"),
        (lambda: AddRule(at_least("a", 0.0)), "rule must be a Rule"),
        (lambda: ForbidRule("2"), "rule"),
        (lambda: DropRule(0, reason=3), "reason must be a text"),
        (lambda: ForbidRule(0, author=None), "author must be a text"),
        (lambda: PinVote(0, 1.0, time=2026), "time must be a text"),
    ],
)
def test_what_is_no_change_is_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()
