"""SQL that gives the answers of an ensemble, written with sqlglot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from sorb._extras import install_command
from sorb.export.program import Output, compile_ensemble
from sorb.rules import RuleEnsemble
from sorb.rules.field_checks import check_items

__all__ = ["to_sql"]

SqlKind: TypeAlias = Literal["expression", "select", "view"]
Name: TypeAlias = str | Sequence[str]


def to_sql(
    ensemble: RuleEnsemble,
    dialect: str = "postgres",
    table: Name | None = None,
    kind: SqlKind = "expression",
    output: Output = "prediction",
    contributions: bool = False,
    keep: str | Sequence[str] = (),
    view: Name | None = None,
) -> str:
    """Write SQL that gives the answers of an ensemble; needs the extra ``sql``.

    All names and texts are quoted by sqlglot, so a column may have any name. NULL is a missing
    value, and so is NaN if the database has it. A view replaces an older one of the same name,
    except in SQLite, where you must drop the older one first.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    dialect : {"postgres", "sqlite", "duckdb", "bigquery", "snowflake", "spark", "tsql"}
        The database; "postgres" by default.
    table : str or sequence of str, optional
        The table with the columns: its name, or schema and name, or catalogue, schema and name.
    kind : {"expression", "select", "view"}, default="expression"
        An expression for a query of your own, a query on `table`, or the definition of a `view`.
        An expression has one value, so it cannot give the scores or probabilities of more than two
        classes, nor contributions.
    output : {"score", "prediction", "probability"}, default="prediction"
        What to compute. It is also the name of the column; if there is one column for each class,
        they are called ``probability_0``, ``probability_1``, ….
    contributions : bool, default=False
        Add the columns ``rule_0``, ``rule_1``, …: what each rule adds.
    keep : str or sequence of str, default=()
        Columns of the table that a query also selects, for instance its key.
    view : str or sequence of str, optional
        The name of the view, in the same form as the table.

    Returns
    -------
    text : str

    Examples
    --------
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.5),), ("age",), "squared")
    >>> print(to_sql(ensemble, "bigquery", table="patients", kind="select", keep=["id"]))
    SELECT
      `id`,
      -1.0 + CASE WHEN CAST(`age` AS FLOAT64) >= 40.0 THEN 1.5 ELSE 0.0 END AS `prediction`
    FROM `patients`
    """
    try:
        from sorb.export import sql_nodes
    except ImportError as error:
        raise ImportError(f"SQL is written by sqlglot: {install_command('sql')}") from error
    program = compile_ensemble(ensemble, output)
    writer = sql_nodes.writer(dialect, program)
    kept = _names(keep, "keep")
    _check_options(kind, table, kept, view)
    if kind == "expression":
        if program.several or contributions:
            raise ValueError('an expression has one value: ask for kind="select" or "view"')
        return writer.text(writer.expression())
    query = writer.query(_parts(table, kind, "table"), kept, contributions)
    if kind == "select":
        return writer.text(query)
    return writer.text(writer.view(_parts(view, kind, "view"), query))


def _check_options(
    kind: SqlKind, table: Name | None, keep: Sequence[str], view: Name | None
) -> None:
    """Raise an error for options that would have no effect."""
    if kind not in get_args(SqlKind):
        raise ValueError(f"kind must be one of {', '.join(get_args(SqlKind))}, found {kind!r}")
    if kind == "expression" and (table is not None or keep):
        raise ValueError(
            "an expression is for a query of your own, which names the table and its columns: "
            'leave out table= and keep=, or ask for kind="select" or "view"'
        )
    if kind != "view" and view is not None:
        raise ValueError('view= is for kind="view" only: leave it out, or ask for that kind')


def _names(given: Name, what: str) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else check_items(given, what, "names")
    for name in names:
        if not isinstance(name, str) or not name:
            raise ValueError(f"{what} must hold names, found {name!r}")
    return names


def _parts(name: Name | None, kind: SqlKind, what: str) -> tuple[str, ...]:
    if name is None:
        raise ValueError(f'kind="{kind}" needs the name of a {what}: pass {what}=')
    parts = _names(name, what)
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"a {what} has at most a catalogue, a schema and a name, found {parts}")
    return parts
