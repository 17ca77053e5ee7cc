import pytest
from render.models import COLUMNS, every_loss, model, people

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.explanation import Explanation
from sorb.render import plot_contributions, plot_rules
from sorb.rules import notation


@every_loss
def test_votes_and_shares_stand_side_by_side(loss):
    ensemble, table = model(loss), people()
    votes, shares = plot_rules(ensemble, table)
    assert [bar.get_width() for bar in votes.patches] == [rule.vote for rule in ensemble]
    assert [bar.get_width() for bar in shares.patches] == pytest.approx(
        100 * ensemble.covers(table).mean(axis=0)
    )
    labels = [" ".join(label.get_text().split()) for label in votes.get_yticklabels()]
    for number, (label, rule) in enumerate(zip(labels, ensemble, strict=True), start=1):
        condition = " ".join(rule.condition.format(3, dict(ensemble.units)).split())
        kind = f"{ensemble.classes[rule.output]}: " if loss == "softmax" else ""
        assert label == f"rule {number}: {kind}{condition}"


@pytest.mark.parametrize(("cut", "shown"), [(41.2347, "41.2347"), (41 + 1 / 3, "41.33")])
def test_conditions_are_those_of_the_printed_rules(cut, shown):
    rule = Rule(Condition((Proposition(("age",), (1.0,), cut),)), 2.0)
    ensemble = RuleEnsemble(1.0, (rule,), COLUMNS, "squared")
    row = Explanation.of(ensemble, people(missing=0)[lambda table: table["age"] > 42])[0]
    for axes in (plot_contributions(row), plot_rules(ensemble, people())[0]):
        labels = [label.get_text() for label in axes.get_yticklabels()]
        assert f"rule 1: age ≥ {shown}" in labels
    assert str(ensemble).endswith(f"age ≥ {shown}")


def test_rules_that_lower_are_hatched_and_all_are_labelled():
    votes, shares = plot_rules(model("logistic"), people())
    assert [bool(bar.get_hatch()) for bar in votes.patches] == [False, True, False]
    assert [label.get_text() for label in votes.texts] == ["+1.5", "−2", "+0.75"]
    assert len(shares.texts) == 3


def test_rules_on_given_axes():
    from matplotlib.figure import Figure

    pair = Figure().subplots(1, 2)
    assert plot_rules(model("squared"), people(), axes=pair) is pair


def test_votes_are_those_of_the_printed_rules():
    ensemble = model("squared").with_votes(0.0, [1 / 3, -2 / 7, 12345.678])
    votes, _ = plot_rules(ensemble, people())
    printed = [line.split()[0] for line in str(ensemble).split("\n")[1:]]
    assert [label.get_text() for label in votes.texts] == printed
    assert printed[1] == f"{notation.MINUS}0.286"
