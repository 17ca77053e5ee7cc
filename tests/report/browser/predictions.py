"""What pages predict, beside what Python predicts."""

import os

import numpy as np
from export.corpus import finite_scores, random_cases
from report.browser.pages import page_file, write_page
from report.models import fitted

from sorb.report import report
from sorb.rules import notation
from sorb.rules.prediction import class_probabilities, predicted_labels

# `make test-page` tries 200; the usual tests fewer.
N_MODELS = int(os.environ.get("SORB_PAGE_MODELS", "12"))
N_ROWS = 8

# Types the number of each row, and reads what is shown with all its digits.
SHOWN_FOR = """(rows) => {
  const part = document.querySelector("#what-if");
  part.querySelector(".controls").scrollIntoView({ behavior: "instant" });
  const number = part.querySelector("input[type=number]");
  const kinds = part.querySelector(".actions select");
  return rows.map(([row, split]) => {
    if (kinds) kinds.value = split;
    number.value = row;
    number.dispatchEvent(new Event("change"));
    const shown = [...part.querySelectorAll(".verdict data")].map(({ value }) => Number(value));
    return { shown, decided: part.querySelector(".verdict p b")?.textContent };
  });
}"""


def expected(ensemble, table):
    """What Python predicts: for each row one number, or a probability for each class."""
    scores = ensemble(table)
    if not ensemble.loss.has_classes:
        return np.reshape(ensemble.loss.mean(scores), (-1, 1))
    return class_probabilities(ensemble.loss, ensemble.classes, scores)


def compare(found, wanted, labels):
    for answer, row, label in zip(found, wanted.tolist(), labels, strict=True):
        first, *every = answer["shown"]
        if len(row) > 2:
            np.testing.assert_allclose(every, row, rtol=1e-15)
            assert first == max(every)
            assert answer["decided"] == notation.label(label)
        else:
            np.testing.assert_allclose(first, row[-1], rtol=1e-15)


def check_test_rows(kind, ask):
    """Compare all test rows; `ask` opens a page and evaluates a function there."""
    example = fitted(kind)
    table = example.test[0].reset_index(drop=True)
    found = ask(page_file(kind), SHOWN_FOR, [[number, "test"] for number in range(len(table))])
    ensemble = example.estimator.ensemble_
    compare(found, expected(ensemble, table), example.estimator.predict(table))


def check_random_models(ask):
    """Compare some rows of random models, as many as are wanted."""
    tried = 0
    for case, table, path in random_pages():
        sure = [i for i in case.sure if i < len(table)]
        found = ask(path, SHOWN_FOR, [[i, "training"] for i in sure])
        labels = [None] * len(table)
        if case.ensemble.loss.has_classes:
            labels = predicted_labels(case.ensemble.classes, case.ensemble(table))
        compare(found, expected(case.ensemble, table)[sure], [labels[i] for i in sure])
        tried += 1
        if tried == N_MODELS:
            break
    assert tried == N_MODELS


def random_pages():
    """Random models with pages of a few rows, among which there are different outcomes."""
    for k, case in enumerate(filter(finite_scores, random_cases(2 * N_MODELS))):
        table = case.table.head(N_ROWS)
        y = outcomes_for(case.ensemble, len(table))
        if len(set(y)) > 1:
            yield case, table, write_page(f"random-{k}", report(case.ensemble, table, y).data)


def outcomes_for(ensemble, n):
    """Some outcomes that suit the model."""
    if ensemble.loss.has_classes:
        return np.resize(np.array(ensemble.classes or (0, 1), dtype=object), n)
    return np.resize([1.0, 2.0, 3.0], n)
