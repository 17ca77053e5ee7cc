"""The section Changes: votes are refitted as in Python, and logs are replayed."""

import json

import numpy as np
import pytest
from report.browser.pages import OpenPage, page_data, page_file
from report.models import fitted
from report.whole_table import fit_with_pages, replayed

from sorb import RuleEnsemble
from sorb.cli import run
from sorb.editing import EditLog
from sorb.editing.vote_refit import FittingRows

KINDS = ["binary", "squared"]
PINNED = 0.25


def size_of(kind):
    data = page_data(kind)
    return data["sizes"][data["chosen"]]


def move(kind):
    """The first rule with a threshold, its first proposition, and another place for it."""
    size = size_of(kind)
    for rule, view in enumerate(size["rules"]):
        proposition = size["propositions"][view["propositions"][0]]
        if proposition["cuts"]:
            own, last = proposition["own"], len(proposition["cuts"]) - 1
            return rule, own + 1 if own < last else own - 1
    raise AssertionError("no rule has a threshold")


@pytest.fixture(scope="module", params=KINDS)
def edited(request, browser):
    """A page where a threshold was moved and a rule pinned, forbidden and dropped."""
    kind = request.param
    page = OpenPage(browser, page_file(kind))
    page.find("#size input[type=range]").focus()
    moved, cut = move(kind)
    others = [k for k in range(len(size_of(kind)["rules"])) if k != moved]
    assert len(others) >= 3
    said = [page.change("move-0", moved, part=cut)]
    said += [page.change("pin", others[0], part=PINNED)]
    said += [page.change("forbid", others[1]), page.change("drop", others[2])]
    log = page.download("#save-log")
    model = page.download("#save-model")
    yield kind, page, said, log, model
    page.close()


def objective_step(kind, ensemble, pinned, reg_lambda):
    """What Newton's method would still change in offset and votes, from the rows themselves."""
    X, y = fitted(kind).training
    rows = FittingRows.of(ensemble, ensemble.columns, X, y, None, None)
    score = ensemble(X)
    design = np.column_stack([np.ones(len(y)), *(rule.condition(X) for rule in ensemble)])
    theta = np.array(ensemble.offsets_and_votes)
    penalty = np.r_[0.0, np.full(len(ensemble), 2 * reg_lambda)]
    free = np.r_[True, ~np.array(pinned)]
    slope = rows.loss.gradient(rows.outcomes.y, score)
    curvature = rows.loss.curvature(rows.outcomes.y, score)
    gradient = (design.T @ slope + penalty * theta)[free]
    hessian = (design.T * curvature) @ design + np.diag(penalty)
    return np.linalg.lstsq(hessian[np.ix_(free, free)], gradient, rcond=1e-12)[0]


def test_each_change_says_what_it_did(edited):
    _, page, said, _, _ = edited
    assert all(text.startswith("Done. ") for text in said)
    assert page.find("#change .log > li").count() == 4
    assert "C. Ode" in page.find("#change .log > li").first.inner_text()


def test_votes_are_refitted_as_in_python(edited):
    kind, _, _, text, model = edited
    log, page = json.loads(text), RuleEnsemble.from_json(model)
    ensemble = fitted(kind).estimator.ensemble_
    changes = EditLog.from_json(text, ensemble).changes
    X, y = fitted(kind).training
    python = ensemble.edited(list(changes), X, y, reg_lambda=log["reg_lambda"]).ensemble
    assert [rule.condition for rule in python] == [rule.condition for rule in page]
    # Python stops as soon as the objective cannot tell any more.
    np.testing.assert_allclose(
        page.offsets_and_votes, python.offsets_and_votes, rtol=1e-6, atol=1e-6
    )
    pinned = [rule.vote == PINNED for rule in page]
    assert sum(pinned) == 1
    step = objective_step(kind, page, pinned, log["reg_lambda"])
    assert np.abs(step).max() < 1e-9 * max(1, np.abs(page.offsets_and_votes).max())


def test_python_replays_the_log_to_the_last_digit(edited, tmp_path):
    kind, _, _, log, model = edited
    example = fitted(kind)
    X, y = example.training
    ensemble = example.estimator.ensemble_
    found = ensemble.edited(EditLog.from_json(log, ensemble), X, y).ensemble
    assert found == RuleEnsemble.from_json(model)
    ensemble.save(tmp_path / "model.json")
    X.assign(outcome=y).to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "changes.json").write_text(log, encoding="utf-8")
    command = ["edit", "model.json", "rows.csv", "--target", "outcome", "--log", "changes.json"]
    paths = [str(tmp_path / word) if word.endswith((".json", ".csv")) else word for word in command]
    assert run([*paths, "--out", str(tmp_path / "edited.json")]) == 0
    assert RuleEnsemble.load(tmp_path / "edited.json") == found


def test_a_saved_log_makes_the_same_changes_in_another_page(edited, opened, tmp_path):
    kind, _, _, log, model = edited
    page, path = opened(page_file(kind)), tmp_path / "changes.json"
    path.write_text(log, encoding="utf-8")
    for _ in range(2):  # the same file may be chosen again
        page.find("#change input[type=file]").set_input_files(path)
        page.find("#change .log > li").nth(3).wait_for()
        page.find("#change", has_text="The changes in changes.json were made again").wait_for()
        assert json.loads(page.download("#save-model")) == json.loads(model)
        page.find("#restart").click()
    refused = {
        log.replace('"model": "', '"model": "0'): "This log is of another model",
        "model,vote": "This file is not a log of changes",
        "null": "This file is not a log of changes",
    }
    for text, reason in refused.items():
        path.write_text(text, encoding="utf-8")
        page.find("#change input[type=file]").set_input_files(path)
        page.find("#change", has_text=reason).wait_for()
        page.find("#change input[type=file]").set_input_files([])


def test_changes_are_undone_and_made_again(edited):
    _, page, _, log, _ = edited
    for left in (3, 2):
        page.find("#undo").click()
        assert page.find("#change .log > li").count() == left
    for left in (3, 4):
        page.find("#redo").click()
        assert page.find("#change .log > li").count() == left
    again = json.loads(page.download("#save-log"))
    np.testing.assert_allclose(again["votes"], json.loads(log)["votes"], rtol=1e-12)
    page.find("#restart").click()
    assert page.find("#change .log > li").count() == 0
    assert page.find("#undo").is_disabled()


def test_no_rule_is_left_to_change(opened):
    page = opened(page_file("squared"))
    for rule in range(len(size_of("squared")["rules"])):
        said = page.change("drop", rule)
    page.settle()
    preview, make = page.find("#change .preview"), page.find("#change .main-action")
    assert preview.inner_text() == said
    assert make.is_disabled()
    heading = page.find("#what-if h3", has_text="Each rule")
    assert heading.count() == 0
    page.find("#undo").click()
    page.settle()
    assert preview.inner_text().startswith("If so: ")
    assert make.is_enabled()
    assert heading.count() == 1


def test_a_model_of_the_command_line_is_changed_replayed_and_checked(opened, tmp_path):
    folder = tmp_path / "Größe und Alter"
    folder.mkdir()
    saved = []
    pages = fit_with_pages(folder, "classes")
    for path in pages:
        page = opened(path)
        last = page.find("#change select option").count() - 1
        assert page.change("pin", 0, part=PINNED).startswith("Done. ")
        assert page.change("drop", last).startswith("Done. ")
        log = page.download("#save-log")
        saved.append(json.loads(page.download("#save-model")))
        assert replayed(folder, log) == saved[-1]
    fresh, changes = opened(pages[0]), folder / "changes.json"
    fresh.find("#change input[type=file]").set_input_files(changes)
    fresh.find("#change", has_text="The changes in changes.json were made again").wait_for()
    assert json.loads(fresh.download("#save-model")) == saved[1]
    handed_in = "--log", changes, "--exports", "none", "--out", folder / "dossier"
    files = folder / "edited.json", folder / "rows.csv", "--target", "outcome"
    assert run([str(word) for word in ("dossier", *files, *handed_in)]) == 0
    assert run(["verify", str(folder / "dossier")]) == 0
