"""SQL that answers like an ensemble, written through sqlglot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from sorb.export.program import Output, compile_ensemble
from sorb.rules import RuleEnsemble

__all__ = ["sql"]

Kind: TypeAlias = Literal["expression", "select", "view"]
Name: TypeAlias = str | Sequence[str]


def sql(
    ensemble: RuleEnsemble,
    dialect: str = "postgres",
    table: Name | None = None,
    kind: Kind = "expression",
    output: Output = "prediction",
    contributions: bool = False,
    keep: Sequence[str] = (),
    view: Name | None = None,
) -> str:
    """Write SQL that answers like an ensemble; needs the extra ``sql``.

    All names and texts are quoted by sqlglot, so a column may be called anything. NULL is a missing
    value, and so is NaN where the database has it.

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
        An expression has one value: decision values or probabilities of a softmax ensemble, and
        contributions, need one of the others.
    output : {"decision", "prediction", "probability"}, default="prediction"
        What to compute. The columns of a query are called like this, or ``probability_0``,
        ``probability_1``, … if there is one for each class.
    contributions : bool, default=False
        Add the columns ``rule_0``, ``rule_1``, …: what each rule adds.
    keep : sequence of str, default=()
        The columns of the table that a query passes on, for instance its key.
    view : str or sequence of str, optional
        The name of the view.

    Returns
    -------
    text : str

    Examples
    --------
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.5),), ("age",), "squared")
    >>> print(sql(ensemble, "bigquery", table="patients", kind="select", keep=["id"]))
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
    if kind == "expression":
        if program.several or contributions:
            raise ValueError('an expression has one value: ask for kind="select" or "view"')
        return writer.text(writer.expression())
    if kind not in get_args(Kind):
        raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, found {kind!r}")
    if table is None:
        raise ValueError(f'kind="{kind}" needs the name of the table: pass table=')
    query = writer.query(_parts(table), keep, contributions)
    if kind == "select":
        return writer.text(query)
    if view is None:
        raise ValueError('kind="view" needs a name for the view: pass view=')
    return writer.text(writer.view(_parts(view), query))


def _parts(name: Name) -> tuple[str, ...]:
    parts = (name,) if isinstance(name, str) else tuple(name)
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"a table has a name, a schema and a catalogue at most, found {parts}")
    return parts
