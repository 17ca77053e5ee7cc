import pytest
from matplotlib.figure import Figure

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.render import plot_stability
from sorb.resampling.result import RuleStability, Spread, Stability

OLD, HEAVY = (Condition((Proposition((c,), (1.0,), 40.0),)) for c in ("age", "bmi"))
MODEL = RuleEnsemble(
    -3.0, (Rule(OLD, 1.8), Rule(HEAVY, -0.9)), ("age", "bmi"), "logistic", ("well", "ill")
)
FOUND = Stability(
    rules=(
        RuleStability("age ≥ 40", 0.9, 0.6, Spread(1.7, 1.2, 2.0), (("age ≥ 40", None),)),
        RuleStability("bmi ≥ 40", 0.0, 0.0, None, (("bmi ≥ 40", None),)),
    ),
    n_resamples=40,
    n_rows=300,
    agreement=0.93,
    spread=0.04,
    complexity=Spread(6, 5, 7),
    has_classes=True,
)


def test_shares_and_votes_stand_side_by_side():
    shares, votes = plot_stability(FOUND, MODEL)
    assert [bar.get_width() for bar in shares.patches] == [90, 0, 60, 0]
    assert [text.get_text() for text in shares.texts] == ["90 %", "0 %"]
    interval, *points = (list(line.get_xdata()) for line in votes.lines)
    assert interval == [1.2, 2.0]
    assert points[:2] == [[1.8], [-0.9]]
    assert [label.get_text() for label in shares.get_yticklabels()] == [
        "rule 1: age ≥ 40",
        "rule 2: bmi ≥ 40",
    ]
    shares.figure.draw_without_rendering()


def test_given_axes_are_drawn_on():
    pair = Figure().subplots(1, 2)
    assert plot_stability(FOUND, MODEL, axes=pair) is pair


def test_a_result_about_another_model_is_refused():
    with pytest.raises(ValueError, match="the model has 1 rules, but the result is about 2"):
        plot_stability(FOUND, MODEL[:1])
