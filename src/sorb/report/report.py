"""The report of a fitted estimator or of a saved model, as a page."""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from sklearn.utils.validation import check_is_fitted

from sorb.measures.performance import BASELINE, explain_cutoff
from sorb.measures.stage_risks import has_class_weights, is_recalibrated
from sorb.report.comparison import comparison_view
from sorb.report.evidence import THIS_MODEL, evidence_view
from sorb.report.few_rows import few_digits, require_min_rows
from sorb.report.given_rows import GivenRows
from sorb.report.glossary import glossary
from sorb.report.inline import page_html
from sorb.report.model_sizes import ModelSizes
from sorb.report.outcome import find_cutoff
from sorb.report.page_data import Subject, page_data
from sorb.report.points_card import points_card
from sorb.report.progress import show_steps
from sorb.report.record import record_view
from sorb.report.rows import ReportRows
from sorb.report.stability import add_stability
from sorb.rules import RuleEnsemble, notation
from sorb.rules.atomic_files import replace_file
from sorb.rules.columns import ColumnSource, column_source
from sorb.rules.ensemble import require_ensemble

__all__ = ["Report", "report"]

FRAME = '<iframe srcdoc="{}" width="100%" height="900" sandbox="{}"></iframe>'
PRIVATE = (
    "rows whose cell has fewer than {} are counted in the most similar one, so sums, and what is "
    "refitted to them, are approximate; shares of columns are rounded; models of other sizes are "
    "left out."
)
PLAIN_MEASURES = "accuracy", "mean absolute error"
ALLOWED = "allow-scripts allow-downloads allow-modals"


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """A page about a model, as one file of HTML that needs nothing else.

    A notebook shows it below the cell.

    Attributes
    ----------
    data : dict
        Everything that it shows, as it stands in the page in JSON.
    """

    data: dict[str, Any]

    @property
    def html(self) -> str:
        """The page."""
        return page_html(self.data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, replacing an existing one atomically."""
        replace_file(path, self.html.encode())

    def _repr_html_(self) -> str:
        return FRAME.format(escape(self.html), ALLOWED)

    def __repr__(self) -> str:
        size = f"{len(self.html.encode()) / 1000:.0f} kB"
        return f"<Report {self.data['title']!r}, {size}: use save(path), or open it in a notebook>"


def report(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    groups: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    sample_weight_test: Any = None,
    exposure_test: Any = None,
    groups_test: Any = None,
    title: str | None = None,
    target: str | None = None,
    cutoff: float | None = None,
    costs: tuple[float, float] | None = None,
    compare: bool = True,
    rows: bool = True,
    min_rows: int = 5,
    date: datetime.date | None = None,
) -> Report:
    """Make a page that lets people see, question, change and sign a model.

    Parameters
    ----------
    model : fitted estimator or RuleEnsemble
        The model. Of an estimator, the page shows models of all sizes.
    X : array or DataFrame
        The table that the model was learned from.
    y : array-like
        The outcomes of its rows.
    sample_weight : array-like, optional
        The weights of its rows, as they were in training.
    exposure : array-like, optional
        What the outcomes accumulated over, such as years, for a model of rates.
    groups : array-like, optional
        What group each row belongs to, such as a patient, if rows of a group may be alike.
    X_test, y_test, sample_weight_test, exposure_test, groups_test : optional
        The same of rows that the model has not seen. Without them, the page can only show how well
        the model fits the rows that it was learned from, and compares it with no other method.
    title : str, optional
        The title of the page.
    target : str, optional
        What the outcomes are called; by default the name of y, or what the model remembers.
    cutoff : float, optional
        For two classes: the probability above which a row counts as positive. By default the share
        of positive rows.
    costs : pair of float, optional
        Instead of a cut-off: what a missed positive row and what a false alarm cost.
    compare : bool, default=True
        Whether the estimator learns from resamples of the rows, to see which rules it finds again,
        and, if there are test rows, other methods, and the estimator with other seeds and without
        some columns, learn from the same rows. It needs an estimator, and takes several times as
        long as the fit.
    rows : bool, default=True
        Whether the page may hold rows of the tables. If not, it has no values of single rows, and
        no sums over fewer rows than `min_rows`.
    min_rows : int, default=5
        The fewest rows that a page without rows tells anything of.
    date : datetime.date, optional
        The date on the page; today by default.

    Returns
    -------
    Report
        The page: `save` writes it to a file.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sorb import LLTBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LLTBoostClassifier(max_rules=2, selection=None).fit(X, y)
    >>> found = report(model, X, y, target="benign", compare=False)
    >>> found.html.startswith("<!doctype html>"), found.data["title"]
    (True, 'A model of benign')
    """
    given = GivenRows(X, y, sample_weight, exposure, groups)
    test = None
    if (X_test is None) != (y_test is None):
        raise ValueError("test rows have outcomes: pass both X_test and y_test, or none")
    if X_test is not None:
        test = GivenRows(X_test, y_test, sample_weight_test, exposure_test, groups_test)
    options = Options(title, target, cutoff, costs, compare, rows, min_rows, date)
    return make_report(model, given, test, options)


@dataclass(frozen=True, slots=True)
class Options:
    """What a page is called, and what is on it: the parameters of `report` of these names."""

    title: str | None = None
    target: str | None = None
    cutoff: float | None = None
    costs: tuple[float, float] | None = None
    compare: bool = True
    rows: bool = True
    min_rows: int = 5
    date: datetime.date | None = None

    def __post_init__(self) -> None:
        require_min_rows(self.min_rows)

    @property
    def least(self) -> int:
        """The fewest rows that the page tells anything of."""
        return 1 if self.rows else self.min_rows


def make_report(
    model: Any, given: GivenRows, given_test: GivenRows | None, options: Options
) -> Report:
    """Make the page of a model from rows that it was learned from, and others if there are any."""
    is_fit = _is_fit(model)
    ensemble: RuleEnsemble = model.ensemble_ if is_fit else model
    training = ReportRows.of(ensemble, _open(model, given.X), given, model)
    test = None
    if given_test is not None:
        test = ReportRows.of(ensemble, _open(model, given_test.X), given_test)
    for split, rows in (("training", training), ("test", test)):
        if rows is not None and len(rows) < options.least:
            raise ValueError(
                f"a page that shows no rows needs at least {options.least} of them, found "
                f"{notation.count(len(rows), f'{split} row')}"
            )
    models = (ModelSizes.of_fit if is_fit else ModelSizes.of_model)(model, training, test)
    name = given.outcome_name(options.target, ensemble)
    share = explain_cutoff(has_class_weights(model) or training.class_weights is not None)
    cutoff = find_cutoff(models.baseline, share, options.cutoff, options.costs)
    subject = Subject(options.title or f"A model of {name}", name, models, training, test, cutoff)
    data = page_data(subject, options.least)
    evidence = evidence_view(model, given, given_test, training, test, cutoff, options.least)
    comparison, private = None, not options.rows
    with show_steps() as show:
        if options.compare and is_fit:
            show("the same model, from resamples of its rows")
            add_stability(data, model, given, private)
            if given_test is not None and test is not None:
                comparison = comparison_view(model, given, given_test, test, show, options.least)
    date = options.date or datetime.date.today()
    columns = subject.columns_of(models)
    if private:
        told_less = {name: few_digits(data.get(name)) for name in ("curve", "stability")}
        data, comparison = data | told_less, few_digits(comparison)
    return Report(
        {
            "stability": None,
            **data,
            "subtitle": _subtitle(ensemble, name, data["n_rows"], evidence["tables"][0]),
            "evidence": evidence,
            "comparison": comparison,
            "scorecard": points_card(ensemble, training, options.least),
            "record": record_view(ensemble, name, columns, training, test, date),
            "glossary": glossary(ensemble),
            "notes": _notes(model, training, data, evidence["verdict"]),
        }
    )


def _subtitle(
    ensemble: RuleEnsemble, name: str, n_rows: dict[str, int], table: dict[str, Any]
) -> str:
    """Say what is predicted, from how much, and how well."""
    rules = f"{notation.count(len(ensemble), 'rule')} (complexity {ensemble.complexity})"
    found = f"{rules} to predict {name}, learned from {notation.count(n_rows['training'], 'row')}."
    if n_rows["test"]:
        first, *_ = lines = table["lines"]
        line = next((line for line in lines if line[0] in PLAIN_MEASURES), first)
        values = dict(zip(table["head"], line, strict=True))
        found += (
            f" On {notation.count(n_rows['test'], 'other row')}: {line[0]} {values[THIS_MODEL]}; "
            f"without rules, {values[BASELINE]}."
        )
    return found


def _is_fit(model: Any) -> bool:
    """Whether the model is a fitted estimator; refuses what is no model."""
    if hasattr(model, "stages_"):
        return True
    if hasattr(model, "fit"):
        check_is_fitted(model)
    require_ensemble(model)
    return False


def _open(model: Any, X: Any) -> ColumnSource:
    """Open a table for the models of all sizes."""
    if not hasattr(model, "ensemble_"):
        return column_source(X, model.used_columns, model.columns)
    rules = {rule.condition: rule for stage in model.stages_ for rule in stage.ensemble}
    every = replace(model.ensemble_, rules=tuple(rules.values()))
    source: ColumnSource = model._open(X, every).read()
    return source


def _notes(
    model: Any, training: ReportRows, data: dict[str, Any], verdict: str | None
) -> list[str]:
    """What a reader must know first."""
    found = [] if verdict is None else [verdict]
    if not data["n_rows"]["test"]:
        found.append(
            "There are no test rows: the measures are of the rows that the model was learned from, "
            "which make it look better than it is."
        )
    if is_recalibrated(model):
        found.append(
            "The offset was recalibrated after training. A change on this page fits it and all "
            "votes to the training rows again, which count as they are."
        )
    elif training.class_weights is not None:
        found.append(
            "Classes were weighted in training, and are so in sums over training rows; test rows "
            "count as they are."
        )
    if has_class_weights(model) or training.class_weights is not None:
        found.append("Classes are weighted in the losses of models of all sizes.")
    if data["rows"] is None:
        found.append(f"This page holds no individual rows: {PRIVATE.format(data['min_rows'])}")
    else:
        shown, known = len(data["rows"]["number"]), sum(data["n_rows"].values())
        if shown < known:
            found.append(
                f"The page holds {notation.count(shown, 'row')} of {known} to load; all sums are "
                "over all rows."
            )
    return found
