"""What scripts in all languages share."""

import pytest

from sorb.export.script import summarise
from sorb.rules import RuleEnsemble


@pytest.mark.parametrize(
    ("output", "per_exposure", "summary"),
    [
        ("prediction", True, "the prediction per unit of exposure"),
        ("prediction", False, "the prediction"),
        ("score", True, "the score, or one for each class"),
    ],
)
def test_only_predictions_of_rates_are_per_unit_of_exposure(output, per_exposure, summary):
    model = RuleEnsemble(0.0, (), ("age",), "poisson", per_exposure=per_exposure)
    assert summarise(model, output) == summary
