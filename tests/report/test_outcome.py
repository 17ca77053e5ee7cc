"""What a model predicts, and how a page speaks of it."""

import pytest

from sorb import RuleEnsemble
from sorb.report.outcome import find_cutoff


def test_the_cutoff_of_two_classes_is_what_the_baseline_expects_whatever_the_loss():
    one = RuleEnsemble(1.5, (), ("a",), "logistic", ("no", "yes"))
    two = RuleEnsemble((-0.25, 1.25), (), ("a",), "softmax", ("no", "yes"))
    found = [find_cutoff(model, "the share of {}") for model in (one, two)]
    assert found[0].value == pytest.approx(found[1].value)
    assert found[1].reason == "the share of yes"
