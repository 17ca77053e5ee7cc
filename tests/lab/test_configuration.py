import pytest
from lab.run_files import TWO

from sorb.lab.configuration import ConfigurationError
from sorb.lab.protocol import REG_LAMBDAS
from sorb.lab.results import Unit


def test_units_are_all_combinations_with_the_first_repetition_first(load):
    units = load(TWO).units()
    assert len(units) == len(set(units)) == 8
    assert {unit.repetition for unit in units[:4]} == {0}
    assert Unit(1, "diabetes", "TGB") in units


def test_a_unit_that_two_parts_name_is_done_once(load):
    assert load(TWO + TWO).units() == load(TWO).units()


def test_a_method_may_have_penalties_of_its_own(load):
    run = load(TWO + "[penalties]\nTGB = [0.1]\n")
    assert run.protocol_of("TGB").reg_lambdas == (0.1,)
    assert run.protocol_of("LLTB").reg_lambdas == REG_LAMBDAS


def test_a_run_can_be_narrowed(load):
    run = load(TWO)
    assert run.narrow(["iris"], ["TGB"], 1).units() == [Unit(0, "iris", "TGB")]
    assert run.narrow(repetitions=9).units() == run.units()
    assert run.narrow(as_published=True).protocol.as_published
    assert run.narrow(["iris"], ["TGB"], 1).parts == run.parts


@pytest.mark.parametrize(("what", "names"), [("datasets", ["adult"]), ("methods", ["NRE"])])
def test_what_is_not_part_of_a_run_cannot_be_chosen(load, what, names):
    with pytest.raises(ConfigurationError, match=f"not among the {what}"):
        load(TWO).narrow(**{what: names})
