"""What the page predicts against what Python does, for random models and rows on boundaries."""

import json

import numpy as np
from export.corpus import boundary_cases, finite_scores, random_cases
from report.javascript_core import needs_node, run_core

from sorb.rules.prediction import class_probabilities, predicted_indices

pytestmark = needs_node

ANSWERS = """({ model, rows }) => rows.map((row) => {
  const named = new Map(row.map((value, j) => [model.columns[j], value]));
  const { scores, rules } = model_.scoreRow(model, named);
  return { scores, rules, ...model_.predictOutcome(model, scores) };
})"""


def cases():
    """At least 200 models of all kinds, each with a table that has rows on its boundaries."""
    found = {case.ensemble: case for case in [*boundary_cases(60), *random_cases()]}
    assert len(found) >= 200
    return [case for case in found.values() if finite_scores(case)]


def document(case):
    model = json.loads(case.ensemble.to_json())
    rows = [[None if value != value else value for value in row] for row in case.rows]
    return {"model": model, "rows": rows}


def expected_outcome(case, scores):
    if not case.ensemble.loss.has_classes:
        return case.ensemble.loss.mean(scores)[:, None]
    return class_probabilities(case.ensemble.loss, case.ensemble.classes, scores)


def covered_by_rule(case):
    """For each row (first axis), which rules cover it."""
    n, rules = len(case.table), case.ensemble.rules
    covered = [np.broadcast_to(rule.condition(case.table), n) for rule in rules]
    return np.reshape(covered, (len(rules), n)).T


def test_rows_get_the_same_votes_scores_and_predictions():
    every = cases()
    for case, answers in zip(every, run_core(ANSWERS, list(map(document, every))), strict=True):
        sure = case.sure
        with np.errstate(over="ignore"):
            scores = case.ensemble(case.table)
            expected = expected_outcome(case, scores)
        columns = scores.reshape(len(scores), -1)
        told = case.ensemble.describe(None)
        covered = covered_by_rule(case)
        for i in sure:
            assert answers[i]["scores"] == columns[i].tolist(), told
            assert answers[i]["rules"] == covered[i].tolist()
        for i in sure:
            np.testing.assert_allclose(
                answers[i]["expected"], expected[i], rtol=1e-15, atol=1e-300, err_msg=told
            )
        if case.ensemble.loss.has_classes:
            found = [answers[i]["index"] for i in sure]
            assert found == predicted_indices(case.ensemble.classes, scores)[sure].tolist(), told
