"""SQL that answers like an ensemble, written through sqlglot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from sorb.export.program import Output, compile_ensemble
from sorb.rules import RuleEnsemble

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
    """Write SQL that answers like an ensemble; needs the extra ``sql``.

    All names and texts are quoted by sqlglot, so a column may be called anything. NULL is a missing
    value, and so is NaN where the database has it. A view replaces an older one of the same name,
    but for SQLite, where you drop that first.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    dialect : {"postgres", "sqlite", "duckdb", "bigquery", "snowflake", "spark", "tsql"}
        The database; "postgres" by default.
    table : str or sequence of str, optional
        The table with the columns, or its schema and name, or catalogue, schema and name.
    kind : {"expression", "select", "view"}, default="expression"
        An expression for a query of your own, a query on `table`, or the definition of a `view`.
        An expression has one value: scores or probabilities of a softmax ensemble, and
        contributions, need one of the others.
    output : {"score", "prediction", "probability"}, default="prediction"
        What to compute. The columns of a query are called like this, or ``probability_0``,
        ``probability_1``, … if there is one for each class.
    contributions : bool, default=False
        Add the columns ``rule_0``, ``rule_1``, …: what each rule adds.
    keep : str or sequence of str, default=()
        The columns of the table that a query passes on, for instance its key.
    view : str or sequence of str, optional
        The name of the view, like that of the table.

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
        raise ImportError('SQL is written by sqlglot: pip install "sorb[sql]"') from error
    program = compile_ensemble(ensemble, output)
    writer = sql_nodes.writer(dialect, program)
    kept = (keep,) if isinstance(keep, str) else tuple(keep)
    _require_use(kind, table, kept, view)
    if kind == "expression":
        if program.several or contributions:
            raise ValueError('an expression has one value: ask for kind="select" or "view"')
        return writer.text(writer.expression())
    query = writer.query(_parts(table, kind, "table"), kept, contributions)
    if kind == "select":
        return writer.text(query)
    return writer.text(writer.view(_parts(view, kind, "view"), query))


def _require_use(kind: SqlKind, table: Name | None, keep: Sequence[str], view: Name | None) -> None:
    """Refuse what the text would not mention."""
    if kind not in get_args(SqlKind):
        raise ValueError(f"kind must be one of {', '.join(get_args(SqlKind))}, found {kind!r}")
    if kind == "expression" and (table is not None or keep):
        raise ValueError(
            "an expression is for a query of your own, which names the table and what it keeps: "
            'leave out table= and keep=, or ask for kind="select" or "view"'
        )
    if kind != "view" and view is not None:
        raise ValueError('only kind="view" makes a view: leave out view=, or ask for that')


def _parts(name: Name | None, kind: SqlKind, what: str) -> tuple[str, ...]:
    if name is None:
        raise ValueError(f'kind="{kind}" needs the name of a {what}: pass {what}=')
    parts = (name,) if isinstance(name, str) else tuple(name)
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"a {what} has a name, a schema and a catalogue at most, found {parts}")
    return parts
