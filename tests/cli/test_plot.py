import json

import numpy as np
import pytest
from cli.patients import hand_made, patients, write_csv
from matplotlib import pyplot as plt

from sorb.cli import figure_files, plot


@pytest.fixture
def drawn(said, model, table, monkeypatch):
    """Draw, without the time that it takes to save, and give the axes."""

    def ask(kind, *options):
        seen = []
        monkeypatch.setattr(figure_files, "save_figure", lambda draw, out: seen.append(draw()))
        assert said("plot", model, kind, table, *options, "--out", "p.png") == (0, "", "")
        (axes,) = seen
        first = axes[0] if hasattr(axes, "__len__") else axes
        plt.close(first.figure)
        return first

    return ask


@pytest.mark.parametrize(
    "arguments",
    [
        ("rules",),
        ("contributions", "--row", "3"),
        ("regions", "--columns", "height,weight", "--fix", "age=50,group=A", "--target", "ill"),
        ("regions", "--columns", "age"),
        ("projection", "--target", "ill", "--rule", "1", "--proposition", "2"),
        ("projection", "--target", "ill"),
        ("calibration", "--target", "ill"),
        ("decision-curve", "--target", "ill"),
    ],
    ids=" ".join,
)
def test_each_kind_draws_on_axes(arguments, drawn):
    assert drawn(*arguments).figure


@pytest.fixture
def weighted(folder, table):
    """Give each row of the table a weight."""
    rows = [{**row, "w": k % 3} for k, row in enumerate(patients())]
    return write_csv(table, rows)


@pytest.mark.usefixtures("weighted")
def test_rows_have_weights(drawn):
    projection = drawn("projection", "--target", "ill", "--weight", "w")
    first = projection.get_yticklabels()[0].get_text().split("\n")
    no = [k % 3 for k, row in enumerate(patients()) if row["ill"] == "no"]
    assert first[:2] == ["no", f"{sum(no)} rows"]
    calibration = drawn("calibration", "--target", "ill", "--weight", "w")
    (strip,) = calibration.child_axes
    assert sum(bar.get_height() for bar in strip.patches) == 300
    rules = drawn("rules", "--weight", "w")
    member = [row["group"] in ("A", "AB") for row in patients()]
    share = 100 * np.average(member, weights=np.arange(300) % 3)
    assert rules.figure.axes[1].patches[1].get_width() == pytest.approx(share)


def test_the_curve_of_a_fit_is_that_of_its_report(said, table, weighted, monkeypatch):
    seen = []
    monkeypatch.setattr(figure_files, "save_figure", lambda draw, out: seen.append(draw()))
    options = ("--target", "ill", "--weight", "w", "--ignore", "stay,patient", "--max-rules", "2")
    options += ("--selection", "none")
    code, printed, _ = said("fit", table, *options, "--curve", "curve.png", "--json")
    assert code == 0
    (axes,) = seen
    lines = {line.get_label(): line.get_ydata() for line in axes.lines}
    plt.close(axes.figure)
    steps = json.loads(printed)["curve"]
    for label, key in (("on test rows", "test_risk"), ("on training rows", "training_risk")):
        assert lines[label] == pytest.approx([step[key] for step in steps])


def test_the_curve_of_a_fit_explains_the_choice(said, table, monkeypatch):
    seen = []
    monkeypatch.setattr(figure_files, "save_figure", lambda draw, out: seen.append(draw()))
    options = ("--target", "ill", "--ignore", "stay,patient", "--max-rules", "2", "--json")
    found = json.loads(said("fit", table, *options, "--curve", "curve.png")[1])
    (axes,) = seen
    lines = {line.get_label(): line.get_ydata() for line in axes.lines}
    plt.close(axes.figure)
    chosen = found["cross_validation"]
    (name,) = (name for name in lines if name.endswith("± one standard error"))
    assert lines[name] == pytest.approx(chosen["risk"])


def test_a_fixed_value_may_be_missing(drawn):
    axes = drawn("regions", "--columns", "weight", "--fix", "group=NA,age=NA,height=nan")
    for name in ("group", "age", "height"):
        assert f"{name} = missing" in axes.get_title()


def test_a_column_that_no_rule_uses(said, table, folder):
    hand_made(rules=hand_made().rules[:1]).save(folder / "m.json")
    arguments = ("plot", "m.json", "regions", table, "--columns", "group", "--out", "p.png")
    code, _, errors = said(*arguments)
    assert code == 1
    assert "no rule of the model uses column 'group'" in errors
    assert "'age', 'weight', 'height'" in errors


def test_what_is_drawn_is_what_was_asked_for(drawn):
    projection = drawn("projection", "--target", "ill", "--proposition", "2")
    assert "weight / height²" in projection.get_xlabel()
    regions = drawn("regions", "--columns", "weight,height", "--fix", "age=51")
    assert "weight" in regions.get_xlabel()
    assert "height" in regions.get_ylabel()
    assert "51" in regions.get_title() + regions.get_title(loc="left")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("pie",), 2, "pie"),
        (("rules", "--row", "1"), 2, "--row is for contributions"),
        (("contributions",), 2, "contributions needs --row"),
        (("regions",), 2, "regions needs --columns"),
        (("projection",), 2, "projection needs --target"),
        (("calibration",), 2, "calibration needs --target"),
        (("decision-curve",), 2, "decision-curve needs --target"),
        (("contributions", "--row", "300"), 1, "the last of"),
        (("projection", "--target", "ill", "--rule", "3"), 1, "no rule 3: the model has 2"),
        (("projection", "--target", "ill", "--proposition", "3"), 1, "no proposition 3: rule 1"),
        (("regions", "--columns", "hight"), 1, "did you mean 'height'?"),
        (("regions", "--columns", "age", "--fix", "height=x"), 2, "a number for height"),
        (("regions", "--columns", "age", "--fix", "height"), 2, "age=50"),
        (("regions", "--columns", "age", "--fix", "group=C"), 1, "category 'C' for 'group'"),
        (("regions", "--columns", "age", "--weight", "age"), 2, "--weight is for rules, proj"),
        (("rules", "--weight", "group"), 1, "holds 'B' in row 0: expected a number"),
        (("rules", "--weight", "hight"), 1, "did you mean 'height'?"),
        (("rules", "--weight", ""), 1, "no column '' for --weight"),
        (("calibration", "--target", ""), 1, "no column '' for --target"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_errors(arguments, code, words, said, model, table):
    kind, *options = arguments
    found, printed, errors = said("plot", model, kind, table, *options, "--out", "p.png")
    assert (found, printed, errors.count("\n")) == (code, "", 1)
    assert words in errors


def test_every_kind_has_a_figure_and_every_option_a_kind():
    assert set(plot.FIGURES) == set(plot.Kind)
    assert set(plot.NEEDED.values()) <= set(plot.FOR)
