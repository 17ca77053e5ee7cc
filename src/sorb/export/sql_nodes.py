"""The parts of a query: scores, answers, and the subquery that passes scores on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sorb.export.column_types import column_types
from sorb.export.program import Answer, CompiledRule, Program
from sorb.export.sql_conditions import Conditions, case, conjunction, divide, field
from sorb.export.sql_dialects import DIALECTS, Dialect, Node, identifier, label_literals

__all__ = ["Writer", "writer"]

# Below this exponent, the exponential is not a normal float64, which some databases cannot handle.
SMALLEST_EXPONENT = -708.0


def writer(dialect: str, program: Program) -> Writer:
    """Create the writer of a program for a database."""
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(DIALECTS)}, found {dialect!r}")
    DIALECTS[dialect].require_distinct(program.used)
    conditions = Conditions(DIALECTS[dialect], column_types(program))
    return Writer(program, conditions, DIALECTS[dialect])


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes a program in the SQL of one database."""

    program: Program
    conditions: Conditions
    dialect: Dialect

    def text(self, node: Node) -> str:
        """Give the SQL text of a node."""
        return node.sql(dialect=self.dialect.notation, pretty=True)

    def expression(self) -> Node:
        """Write the answer, which has one value."""
        return self._answers(self._scores())[0]

    def query(self, table: Sequence[str], keep: Sequence[str], contributions: bool) -> exp.Select:
        """Write a query on a table; `keep` are columns that it selects besides the answer."""
        program = self.program
        added = program.contributions if contributions else ()
        self.dialect.require_distinct((*program.used, *keep))
        _check_distinct((*keep, *program.names, *added))
        votes = list(map(self._vote, program.rules))
        source = _table(table)
        if program.answer == "scores":
            nodes = [*self._scores(), *votes[: len(added)]]
            return _select(keep, (*program.names, *added), nodes).from_(source)
        # The answer uses a score several times, so a subquery computes the scores.
        names = _score_names(len(program.offsets), (*keep, *added))
        inner = _select(keep, (*names, *added), [*self._scores(), *votes[: len(added)]])
        answers = self._answers([field(name) for name in names])
        outer = _select(keep, (*program.names, *added), [*answers, *map(field, added)])
        return outer.from_(inner.from_(source).subquery("scored"))

    def view(self, name: Sequence[str], query: exp.Select) -> Node:
        """Write the definition of a view, which replaces an older one if the database can."""
        replaces = self.dialect.replaces
        return exp.Create(this=_table(name), kind="VIEW", expression=query, replace=replaces)

    def _scores(self) -> list[Node]:
        return [self._score(k) for k in range(len(self.program.offsets))]

    def _score(self, output: int) -> Node:
        total = self.dialect.number(self.program.offsets[output])
        for rule in self.program.rules_of(output):
            total = exp.Add(this=total, expression=self._vote(rule))
        return total

    def _vote(self, rule: CompiledRule) -> Node:
        vote = self.dialect.number(rule.vote)
        if not rule.propositions:
            return vote
        return case([(self.conditions.condition(rule), vote)], self.dialect.number(0.0))

    def _answers(self, scores: list[Node]) -> list[Node]:
        answers: dict[Answer, Callable[[], list[Node]]] = {
            "scores": lambda: scores,
            "exponential": lambda: [self._exponential(scores[0])],
            "sigmoid": lambda: [self._sigmoid(scores[0])],
            "softmax": lambda: self._softmax(scores),
            "label": lambda: [self._label(scores)],
        }
        return answers[self.program.answer]()

    def _exponential(self, power: Node) -> Node:
        limit = self.dialect.number(SMALLEST_EXPONENT)
        too_small = exp.LT(this=power, expression=limit)
        return case([(too_small, self.dialect.number(0.0))], exp.Exp(this=power.copy()))

    def _sigmoid(self, score: Node) -> Node:
        zero, one = self.dialect.number(0.0), self.dialect.number(1.0)
        small = self._exponential(exp.Neg(this=exp.Abs(this=score)))
        positive = exp.GTE(this=score.copy(), expression=zero)
        top = case([(positive, one)], small)
        return divide(top, exp.Add(this=one.copy(), expression=small.copy()))

    def _softmax(self, scores: list[Node]) -> list[Node]:
        top = _first_largest(scores, scores)
        powers = [
            self._exponential(exp.Paren(this=exp.Sub(this=score.copy(), expression=top.copy())))
            for score in scores
        ]
        total = powers[0]
        for power in powers[1:]:
            total = exp.Add(this=total.copy(), expression=power.copy())
        return [divide(power.copy(), total.copy()) for power in powers]

    def _label(self, scores: list[Node]) -> Node:
        labels = label_literals(self.program.labels, self.dialect)
        if len(scores) > 1:
            return _first_largest(scores, labels)
        positive = exp.GT(this=scores[0], expression=self.dialect.number(0.0))
        return case([(positive, labels[1])], labels[0])


def _first_largest(scores: list[Node], values: list[Node]) -> Node:
    """Give the value that belongs to the largest score, the first one if several are equal."""
    branches = []
    for k, score in enumerate(scores[:-1]):
        comparisons: list[Node] = [
            exp.GTE(this=score.copy(), expression=other.copy()) for other in scores[k + 1 :]
        ]
        branches.append((conjunction(comparisons), values[k].copy()))
    return case(branches, values[-1].copy())


def _select(keep: Sequence[str], names: Sequence[str], nodes: Sequence[Node]) -> exp.Select:
    named = [
        exp.Alias(this=node, alias=identifier(name))
        for name, node in zip(names, nodes, strict=True)
    ]
    return exp.Select(expressions=[*map(field, keep), *named])


def _table(parts: Sequence[str]) -> exp.Table:
    keys = ("this", "db", "catalog")
    names = map(identifier, reversed(parts))
    return exp.Table(**dict(zip(keys, names, strict=False)))


def _check_distinct(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        # Many databases ignore case.
        if name.casefold() in seen:
            raise ValueError(f"two columns of the query would be called {name!r}: rename one")
        seen.add(name.casefold())


def _score_names(count: int, taken: Sequence[str]) -> list[str]:
    folded = {name.casefold() for name in taken}
    prefix = "score_"
    while any(name.startswith(prefix) for name in folded):
        prefix = f"_{prefix}"
    return [f"{prefix}{k}" for k in range(count)]
