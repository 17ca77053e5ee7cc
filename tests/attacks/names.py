"""Hostile names through every export, rendering, explanation and command, and through a fit.

Each gives the right answers under these names, or a message of the library.
"""

import csv
import io
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from attacks.commands import call, is_plain
from attacks.refusals import REFUSED, attempt, only_own_warnings
from export.corpus import Case
from export.targets import every_target
from hostile_names import NAMES, TWINS
from render import html_reader, latex_reader, markdown_reader

from sorb import Condition, LLTBoostClassifier, Membership, Proposition, Rule, RuleEnsemble
from sorb.explanation import Explanation
from sorb.render import to_rich
from sorb.tables.missing_marks import MISSING

# Each case is one name, or two that look alike; categories and classes may also be empty.
CASES = [*((name,) for name in [*NAMES, ""]), *TWINS]
LANGUAGES = ["sql", "python", "r", "c", "javascript", "onnx", "json"]
FORMATS = ["text", "latex", "html", "markdown", "json"]
NUMBERS = [2.5, 2.0, 1.0, None]


def attack(seed):
    """Use names for columns, categories and classes; say whether they can be used everywhere."""
    refused = False
    for make in ROLES:
        case = attempt(make, CASES[seed])
        if case is REFUSED:
            refused = True
            continue
        for target in every_target().values():
            refused |= not export(target, case)
        show(case)
        for understood in command(case):
            refused |= not understood
    refused |= not fit(CASES[seed])
    if not refused:
        return "used everywhere"
    assert may_be_refused(CASES[seed]), "names that have a place everywhere are refused"
    return "refused somewhere"


def may_be_refused(names):
    """Whether there is a reason not to use names somewhere.

    Names that some systems take for one, or cut off; characters that texts in R or files of one
    column cannot hold; and what ONNX, sqlglot and the beginning of a file use themselves.
    """
    name = names[0]
    reserved = name in ("", "X", "__SQLGLOT__LB__") or name.startswith("\ufeff")
    return len(names) > 1 or len(name) > 63 or reserved or not set("\0\t;").isdisjoint(name)


def columns_of_numbers(names):
    rules = [
        Rule(
            Condition((Proposition((name, "age"), (1.0, -0.5), 2.0, missing=k % 2 == 1),)), 1.0 + k
        )
        for k, name in enumerate(names)
    ]
    ensemble = RuleEnsemble(0.0, rules, (*names, "age"), "squared")
    values = {name: NUMBERS[-k:] + NUMBERS[:-k] for k, name in enumerate(names)}
    columns = values | {"age": [1.0, 0.0, -2.0, 1.0]}
    return Case(ensemble, pl.DataFrame(columns, schema_overrides=_floats(columns)), "score")


def _floats(columns):
    return dict.fromkeys(columns, pl.Float64)


def columns_of_categories(names):
    rules = [Rule(Condition((Membership(name, (name, "B")),)), 1.0) for name in names]
    ensemble = RuleEnsemble(0.0, rules, names, "squared")
    return Case(ensemble, _texts(names, names), "prediction")


def categories(names):
    rules = [
        Rule(Condition((Membership("group", (name,)),)), 2.0**k) for k, name in enumerate(names)
    ]
    ensemble = RuleEnsemble(0.0, rules, ("group",), "squared")
    return Case(ensemble, _texts(["group"], names), "prediction")


def _texts(columns, values):
    cells = [*values, "B", None, "other"]
    return pl.DataFrame(dict.fromkeys(columns, cells), schema=dict.fromkeys(columns, pl.String))


def classes(names):
    rules = [Rule(Condition((Proposition(("age",), (1.0,), 2.0),)), 3.0)]
    labels = (*names, "B")[:2]
    ensemble = RuleEnsemble(-1.0, rules, ("age",), "logistic", labels)
    return Case(ensemble, pl.DataFrame({"age": NUMBERS}), "prediction")


ROLES = [columns_of_numbers, columns_of_categories, categories, classes]


def export(target, case):
    """Export a case and run it, unless the library refuses to."""
    if attempt(target.write, case) is REFUSED:
        return False
    if target.usable(case):
        target.check([case])
    return True


def show(case):
    """Require that tables, terminals and words show the names as they are, and nothing else."""
    for reader in (html_reader, latex_reader, markdown_reader):
        reader.check(case.ensemble)
    assert is_plain(to_rich(case.ensemble).plain)
    explanation = Explanation.of(case.ensemble, case.table)
    for row in range(len(case.table)):
        assert is_plain(str(explanation[row]))
        assert is_plain(explanation.in_words(row))
        html_reader.read(explanation[row]._repr_html_())


def command(case):
    """Run all commands on a model and its table; tell of each whether it understood them."""
    with tempfile.TemporaryDirectory() as folder:
        model, table = Path(folder, "model.json"), Path(folder, "table.csv")
        case.ensemble.save(model)
        assert RuleEnsemble.load(model) == case.ensemble
        with table.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([case.table.columns, *case.rows])
        for style in FORMATS:
            yield said("show", model, "--format", style) is not None
        for language in LANGUAGES:
            out = Path(folder, f"exported.{language}")
            yield said("export", model, "--to", language, "--out", out) is not None
        # The first line may look like the others.
        yield said("explain", model, table, "--row", "0", "--header") is not None
        predicted = said("predict", model, table, "--header")
        yield predicted is not None
        if predicted is not None:
            _check_predictions(case, predicted)


def _check_predictions(case, printed):
    found = [row["prediction"] for row in csv.DictReader(io.StringIO(printed, newline=""))]
    # In a file, some texts stand for a missing value.
    table = case.table.with_columns(pl.col(pl.String).replace(list(MISSING), None))
    answers = case.ensemble.predict(table).tolist()
    numbers = not case.ensemble.loss.has_classes
    assert (list(map(float, found)) if numbers else found) == answers


def said(*arguments):
    """What a command prints; None if it refuses."""
    printed, message = call(*arguments)
    if message:
        return None
    assert arguments[0] == "predict" or is_plain(printed)
    return printed


def fit(names):
    """Learn from a table under these names, unless the library refuses it."""
    second = names[-1] if len(names) > 1 else "B"
    y = np.array([names[0], second] * 30, dtype=object)
    columns = {name: np.arange(60.0) % 7 for name in names} | {f"{names[0]} group": y}
    X = pd.DataFrame(columns)
    with only_own_warnings():
        model = attempt(LLTBoostClassifier(max_rules=2).fit, X, y)
    if model is REFUSED:
        return False
    assert model.predict(X).tolist() == y.tolist()
    return True
