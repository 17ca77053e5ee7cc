import pytest
import typer

from sorb import LLTBoostClassifier, LLTBoostClassifierCV
from sorb.cli.model_size import Effort, Selection, choice_parameters
from sorb.estimators.base import REVISITS
from sorb.learning.risk_curve import SELECTIONS


def test_every_choice_of_the_estimators_is_offered():
    assert {choice.value for choice in Selection} == {*SELECTIONS, "none"}
    assert {effort.value for effort in Effort} == set(REVISITS)


@pytest.mark.parametrize("selection", [None, *Selection])
@pytest.mark.parametrize("penalty", ["auto", "0", "1e3"])
@pytest.mark.parametrize("cv", [None, 4])
def test_estimators_take_these_parameters(cv, selection, penalty):
    if cv and selection is Selection.none:
        with pytest.raises(typer.BadParameter, match="leave out --cv"):
            choice_parameters(cv, selection, penalty)
        return
    parameters = choice_parameters(cv, selection, penalty)
    kind = LLTBoostClassifierCV if "cv" in parameters else LLTBoostClassifier
    kind(**parameters)._validate_params()
    assert (penalty == "auto") == (not {"reg_lambda", "reg_lambdas"} & set(parameters))


def test_what_is_not_given_is_left_to_the_estimators():
    assert choice_parameters(None, None, "auto") == {}
