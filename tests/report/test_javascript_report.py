"""Pages of fitted models: what they compute from their data is what Python says of the table."""

import json
from functools import cache

import numpy as np
import pytest
from report.conftest import KINDS, fitted
from report.javascript_core import needs_node, run_core
from report.whole_table import fit_with_pages, pages_data, replayed

from sorb import LLTBoostClassifier, RuleEnsemble
from sorb.editing import EditLog, edit
from sorb.report import report
from sorb.rules.prediction import class_probabilities

pytestmark = needs_node

ANSWERS = """(data) => {
  const size = data.sizes[data.chosen];
  const signed = { reason: "tried", author: "C. Ode", time: "2026-01-02T03:04:05Z" };
  const rows = data.rows.number.map((_, place) => {
    const row = effects_.rowAt(data.rows, data.columns, place);
    const { scores } = model_.scoreRow(size.model, row);
    return model_.predictOutcome(size.model, scores).expected;
  });
  const risks = data.sizes.map((each) => [each.cells.training, each.cells.test].map((sums) =>
    measures_.riskOf(drafts_.judgeDraft(each, drafts_.draftOf(each), sums))));
  let state = edits_.startEditing(size);
  const moved = size.rules.findIndex(({ propositions }) => size.propositions[propositions[0]].cuts);
  const { cuts, own } = size.propositions[size.rules[moved].propositions[0]];
  const cut = cuts.length > own + 1 ? own + 1 : own - 1;
  const changes = [edits_.moveThreshold(state, moved, 0, cut, signed)];
  const others = [...size.rules.keys()].filter((rule) => rule !== moved);
  if (others.length > 0) changes.push({ change: "forbid", rule: others[0], ...signed });
  if (others.length > 1) changes.push({ change: "pin", rule: others[1], vote: 0.25, ...signed });
  for (const change of changes) state = edits_.applyChange(state, change);
  return {
    rows, risks, model: edits_.editedModel(state),
    log: edits_.editLog(state, data.rows, data.columns),
  };
}"""


@cache
def found():
    examples = [fitted(kind) for kind in KINDS]
    pages = [
        report(e.estimator, *e.training, X_test=e.test[0], y_test=e.test[1], compare=False).data
        for e in examples
    ]
    return list(zip(examples, pages, run_core(ANSWERS, pages), strict=True))


def test_every_row_is_predicted_as_in_python():
    for example, data, page in found():
        ensemble = example.estimator.ensemble_
        known = {"training": example.training[0], "test": example.test[0]}
        tables = {split: table.set_axis(range(len(table))) for split, table in known.items()}
        for split in known:
            places = [k for k, name in enumerate(data["rows"]["split"]) if name == split]
            numbers = [data["rows"]["number"][k] for k in places]
            scores = ensemble(tables[split].loc[numbers])
            wanted = ensemble.loss.mean(scores)
            if ensemble.loss.has_classes:
                wanted = class_probabilities(ensemble.loss, ensemble.classes, scores)
            page_rows = np.array([page["rows"][k] for k in places])
            np.testing.assert_allclose(
                page_rows, wanted.reshape(page_rows.shape), rtol=1e-15, atol=1e-300
            )


def test_the_mean_losses_are_those_of_the_table():
    for _, data, page in found():
        wanted = [[size["training_risk"], size["test_risk"]] for size in data["sizes"]]
        np.testing.assert_allclose(page["risks"], wanted, rtol=1e-9, atol=1e-12)


def test_a_saved_log_gives_the_same_model_from_the_table():
    for example, _, page in found():
        ensemble = example.estimator.ensemble_
        log = EditLog.from_json(json.dumps(page["log"]), ensemble)
        edited = edit(ensemble, log, *example.training)
        assert json.loads(edited.ensemble.to_json()) == page["model"]
        for ours, change in zip(edited.effects, page["log"]["changes"], strict=True):
            effect = change["effect"]
            assert effect["first_rows"] == list(ours.first_rows)
            assert effect["risk_after"] == pytest.approx(ours.risk_after, rel=1e-6)


def test_a_log_of_weighted_classes_gives_the_same_model_from_the_table():
    X, y = fitted("binary").training
    settings = {"selection": None, "effort": "low", "max_complexity": 24}
    model = LLTBoostClassifier(class_weight={"ill": 3.0}, **settings).fit(X, y)
    fits = [model, model.recalibrate(X, y)]
    models = [*fits, *(fit.ensemble_ for fit in fits)]
    pages = [report(each, X, y, X_test=X, y_test=y, compare=False).data for each in models]
    for each, page in zip(models, run_core(ANSWERS, pages), strict=True):
        ensemble = getattr(each, "ensemble_", each)
        log = EditLog.from_json(json.dumps(page["log"]), ensemble)
        edited = edit(ensemble, log, X, y).ensemble
        assert json.loads(edited.to_json()) == page["model"]


REPLAYED = """([data, log]) =>
  edits_.editedModel(edits_.replayLog(data.sizes[data.chosen], log))"""


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("binary", ("--class-weight", "balanced")),
        ("binary", ("--class-weight", "balanced", "--recalibrate")),
        ("squared", ("--log-columns", "auto")),
    ],
)
def test_a_log_is_replayed_with_the_whole_table_and_on_the_other_page(kind, options, tmp_path):
    pages = pages_data(fit_with_pages(tmp_path, kind, *options))
    assert [page["n_rows"] for page in pages] == [{"training": 180, "test": 60}] * 2
    answers = run_core(ANSWERS, pages)
    for answer in answers:
        assert replayed(tmp_path, json.dumps(answer["log"])) == answer["model"]
    other = [[page, answers[1 - k]["log"]] for k, page in enumerate(pages)]
    assert run_core(REPLAYED, other) == [answer["model"] for answer in reversed(answers)]


PINNED_WHERE_IT_IS = """(data) => {
  const size = data.sizes[data.chosen];
  const vote = size.model.rules[0].weight;
  const change = { change: "pin", rule: 0, vote, reason: "", author: "", time: "" };
  return edits_.editedModel(edits_.applyChange(edits_.startEditing(size), change));
}"""


@pytest.mark.parametrize("class_weight", [None, "balanced", {"ill": 5.0}])
@pytest.mark.parametrize("unit", [0.01, 1.0, 40.0])
def test_a_vote_that_is_pinned_where_it_is_changes_nothing(class_weight, unit):
    X, y = fitted("binary").training
    weight = unit * np.random.default_rng(0).uniform(0.5, 2, len(y))
    settings = {"max_rules": 3, "selection": None, "effort": "low", "class_weight": class_weight}
    model = LLTBoostClassifier(**settings).fit(X, y, weight)
    (page,) = run_core(PINNED_WHERE_IT_IS, [report(model, X, y, weight, compare=False).data])
    same = RuleEnsemble.from_json(json.dumps(page))
    np.testing.assert_allclose(
        same.offsets_and_votes, model.ensemble_.offsets_and_votes, rtol=1e-5, atol=1e-5
    )


WHOM = """(data) => {
  const size = data.sizes[data.chosen];
  return drafts_.draftOf(size).rules.map((rule) => drafts_.whomRuleCovers(size, rule));
}"""


def test_whom_a_rule_covers_is_what_python_says_where_rows_have_weights():
    examples = [fitted(kind) for kind in ("binary", "classes", "squared")]
    pages = []
    for example in examples:
        X, y = example.training
        weight = np.random.default_rng(0).uniform(0.1, 3, len(y))
        pages.append(report(example.estimator.ensemble_, X, y, weight).data)
    for data, told in zip(pages, run_core(WHOM, pages), strict=True):
        rules = data["sizes"][data["chosen"]]["rules"]
        assert told
        for rule, whom in zip(rules, told, strict=True):
            for key, value in whom.items():
                known = rule[key]
                assert value == (known and pytest.approx(known, rel=1e-9)), key
