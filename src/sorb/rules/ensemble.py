"""Rule ensembles: complete models that predict, print themselves and are saved as JSON."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float
from sorb.losses import Loss, loss_by_name, parameter_names
from sorb.rules import model_format, notation, rule_lines, text_files
from sorb.rules.atomic_files import replace_file
from sorb.rules.columns import ColumnSource, Records, TableLike, column_source
from sorb.rules.experience import ColumnExperience, Experience, check_experience
from sorb.rules.field_checks import (
    Label,
    check_classes,
    check_columns,
    check_items,
    check_offset,
    check_rates,
    check_scores,
    check_units,
    set_fields,
)
from sorb.rules.infinity import map_finite
from sorb.rules.outside_training import OutsideTraining, find_outside_training
from sorb.rules.prediction import class_probabilities, predicted_labels, require_classes
from sorb.rules.propositions import Membership
from sorb.rules.rule import Rule, check_rules
from sorb.rules.rule_documents import (
    experience_document,
    experience_from_document,
    record_document,
    record_from_document,
    rule_document,
    rule_from_document,
)
from sorb.rules.scores import contributions, sum_votes
from sorb.rules.shown_digits import Digits, automatic_digits
from sorb.rules.training_record import TrainingRecord

if TYPE_CHECKING:
    from sorb.editing import Change, Edited, EditLog
    from sorb.report import Report
    from sorb.rules.compiled import CompiledEnsemble
    from sorb.simplify import Scorecard, Simplified

__all__ = ["RuleEnsemble", "require_ensemble"]


@dataclass(frozen=True, slots=True, init=False)
class RuleEnsemble:
    """An offset and rules whose votes are added to it: a complete model.

    The score of a row is the offset plus the votes of the rules that cover it, added in their
    order in float64, so that it can be reproduced elsewhere bit for bit.

    Parameters
    ----------
    offset : float, or a sequence of float with one for each class if the loss is softmax
        What every row starts with.
    rules : sequence of Rule
        The rules, whose votes are added in this order.
    columns : sequence of str
        The names of all columns of the table, in order, including those that no rule uses.
    loss : Loss or str
        What the score stands for: one of `sorb.losses.LOSSES`, or its name.
    classes : sequence of str, int, float or bool, optional
        The labels of the classes: one for each offset for softmax; two for logistic, where positive
        votes are for the second, or one if there was only one class.
    units : mapping from str to str, optional
        The units of columns by name, which are printed with thresholds.
    per_exposure : bool, default=False
        Whether it predicts rates, for one unit of an exposure.
    experience : mapping from str to ColumnExperience, optional
        What columns held in training, by name; only those that the rules use are kept.
    record : TrainingRecord, optional
        What learned it, with which settings. Models with different records are equal if all else
        is.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.rules import Condition, Proposition
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> heavy = Condition((Proposition(("bmi",), (1.0,), 25.0),))
    >>> ensemble = RuleEnsemble(
    ...     -2.97, (Rule(old, 1.82), Rule(heavy, 0.5)), ("age", "bmi"), "logistic", ("no", "yes")
    ... )
    >>> print(ensemble)
    −2.97  always
    +1.82  if  age ≥ 40
    +0.5   if  bmi ≥ 25
    >>> ensemble(np.array([[30.0, 20.0], [40.0, 25.0]]))
    array([-2.97, -0.65])
    >>> ensemble.complexity, len(ensemble[:1])
    (6, 1)
    """

    offset: float | tuple[float, ...]
    rules: tuple[Rule, ...]
    columns: tuple[str, ...]
    loss: Loss
    classes: tuple[Label, ...] | None
    units: tuple[tuple[str, str], ...]
    per_exposure: bool
    experience: Experience
    record: TrainingRecord | None = field(compare=False, repr=False)

    def __init__(
        self,
        offset: float | Sequence[float],
        rules: Sequence[Rule],
        columns: Sequence[str],
        loss: Loss | str,
        classes: Sequence[Label] | None = None,
        units: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        per_exposure: bool = False,
        experience: Mapping[str, ColumnExperience] | Experience = (),
        record: TrainingRecord | None = None,
    ) -> None:
        known = loss if isinstance(loss, Loss) else loss_by_name(loss)
        start, all_columns = check_offset(offset, known), check_columns(columns)
        offsets = start if isinstance(start, tuple) else (start,)
        n_outputs = len(offsets)
        all_rules = check_rules(rules, set(all_columns), n_outputs)
        check_scores(offsets, [rule.vote for rule in all_rules])
        set_fields(
            self,
            offset=start,
            rules=all_rules,
            columns=all_columns,
            loss=known,
            classes=check_classes(classes, known, n_outputs),
            units=check_units(units, all_columns),
            per_exposure=check_rates(per_exposure, known),
            experience=(),
            record=record,
        )
        if experience:
            kept = check_experience(experience, all_columns, self.used_columns)
            set_fields(self, experience=kept)

    @property
    def complexity(self) -> int:
        """Rules + propositions + coefficients; the offset costs nothing."""
        return sum(rule.complexity for rule in self.rules)

    @property
    def offsets(self) -> tuple[float, ...]:
        """The offset of each output."""
        return self.offset if isinstance(self.offset, tuple) else (self.offset,)

    @property
    def offsets_and_votes(self) -> tuple[float, ...]:
        """The offset of each output, then the vote of each rule."""
        return (*self.offsets, *(rule.vote for rule in self.rules))

    @property
    def used_columns(self) -> tuple[str, ...]:
        """The columns that some rule uses, in the order of `columns`."""
        used = {name for rule in self.rules for name in rule.condition.columns}
        return tuple(name for name in self.columns if name in used)

    @property
    def weighed_columns(self) -> tuple[str, ...]:
        """The columns whose numbers some rule weighs, in the order of `columns`."""
        propositions = (p for rule in self.rules for p in rule.condition.propositions)
        used = {n for p in propositions if not isinstance(p, Membership) for n in p.columns}
        return tuple(name for name in self.columns if name in used)

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    @overload
    def __getitem__(self, index: int) -> Rule: ...

    @overload
    def __getitem__(self, index: slice) -> RuleEnsemble: ...

    def __getitem__(self, index: int | slice) -> Rule | RuleEnsemble:
        if isinstance(index, slice):
            return replace(self, rules=self.rules[index])
        return self.rules[index]

    def with_votes(self, offset: float | Sequence[float], votes: Sequence[float]) -> RuleEnsemble:
        """Give the same rules with other votes.

        Parameters
        ----------
        offset : float or sequence of float
            The new offset.
        votes : sequence of float
            One vote for each rule.

        Examples
        --------
        >>> from sorb.rules import Condition
        >>> ensemble = RuleEnsemble(0.0, (Rule(Condition(), 1.0),), ("age",), "squared")
        >>> print(ensemble.with_votes(2.0, [-0.5]))
        +2    always
        −0.5  always
        """
        votes = check_items(votes, "votes", "numbers")
        if len(votes) != len(self.rules):
            raise ValueError(f"{len(self.rules)} rules need as many votes, found {len(votes)}")
        rules = (replace(r, vote=v) for r, v in zip(self.rules, votes, strict=True))
        return replace(self, offset=check_offset(offset, self.loss), rules=tuple(rules))

    def about(self, label: Label) -> RuleEnsemble:
        """Give the same model of two classes with scores and votes for this class.

        Its probabilities are the same; only a row whose score is exactly 0 is assigned the other
        class.

        Parameters
        ----------
        label : str, int, float or bool
            One of the two classes.

        Examples
        --------
        >>> from sorb.rules import Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
        >>> ensemble = RuleEnsemble(-3.0, (Rule(old, 2.0),), ("age",), "logistic", ("ill", "well"))
        >>> print(ensemble.about("ill").describe())
        The log-odds of ill against well, as a sum of votes (1 rule, complexity 3):
        +3  always
        −2  if  age ≥ 40
        """
        if self.loss.score_per_class or self.classes is None or label not in self.classes:
            raise ValueError(
                f"expected one of the two classes of a model, found {label!r} for "
                f"{'no classes' if self.classes is None else ', '.join(map(repr, self.classes))}"
            )
        if label == self.classes[-1]:
            return self
        mirrored = replace(self, classes=self.classes[::-1])
        return mirrored.with_votes(-self.offsets[0], [-rule.vote for rule in self.rules])

    def __call__(self, X: TableLike | Records | ColumnSource) -> Float:
        """Give the scores.

        Parameters
        ----------
        X : 2-D NumPy array, DataFrame of pandas, polars or pyarrow, dict, or list of dict
            The table. An array has all `columns` in order. A DataFrame has at least those that
            the rules use, in any order. A dictionary is one row, with a value for each of these.

        Returns
        -------
        scores : array of shape (rows,), or (rows, classes) if the loss is softmax
        """
        return self._map(X, self._score_rows)

    def _score_rows(self, source: ColumnSource) -> Float:
        covered = (rule.condition.covers(source) for rule in self.rules)
        return sum_votes(self.offset, self.rules, covered, source.n_rows)

    def predict(self, X: TableLike | Records) -> NDArray[Any]:
        """Predict the outcome of each row: a number, or the label of a class.

        Of two classes, it is the second one if the score is above 0; of more, the one with the
        highest score, and among equals the first. Classes without labels are called 0 and 1.

        Parameters
        ----------
        X : 2-D NumPy array, DataFrame of pandas, polars or pyarrow, dict, or list of dict
            The table, as for the scores.

        Returns
        -------
        outcomes : array of shape (rows,)

        Examples
        --------
        >>> import numpy as np
        >>> from sorb.rules import Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
        >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 2.0),), ("age",), "logistic", ("no", "yes"))
        >>> ensemble.predict(np.array([[39.0], [40.0]])).tolist()
        ['no', 'yes']
        >>> ensemble.predict({"age": 52}).tolist()
        ['yes']
        """
        return self._map(X, self._predict_rows)

    def _predict_rows(self, source: ColumnSource) -> NDArray[Any]:
        scores = self._score_rows(source)
        if not self.loss.has_classes:
            return self.loss.mean(scores)
        return predicted_labels(self.classes, scores)

    def predict_proba(self, X: TableLike | Records) -> Float:
        """Give the probability of each class.

        Parameters
        ----------
        X : 2-D NumPy array, DataFrame of pandas, polars or pyarrow, dict, or list of dict
            The table, as for the scores.

        Returns
        -------
        probabilities : array of shape (rows, classes), in the order of `classes`

        Raises
        ------
        ValueError
            If the model predicts numbers.

        Examples
        --------
        >>> import numpy as np
        >>> from sorb.rules import Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
        >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 2.0),), ("age",), "logistic", ("no", "yes"))
        >>> ensemble.predict_proba(np.array([[39.0], [40.0]])).round(3)
        array([[0.731, 0.269],
               [0.269, 0.731]])
        """
        require_classes(self.loss)
        return self._map(
            X, lambda rows: class_probabilities(self.loss, self.classes, self._score_rows(rows))
        )

    def compile(self) -> CompiledEnsemble:
        """Make a function that gives the score of one row at a time, in microseconds.

        Examples
        --------
        >>> from sorb.rules import Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
        >>> score = RuleEnsemble(-3.0, (Rule(old, 2.0),), ("age", "bmi"), "logistic").compile()
        >>> score({"age": 52}), score([39, 21.5])
        (-1.0, -3.0)
        """
        # Imported only here, because it is built on this class.
        from sorb.rules.compiled import CompiledEnsemble

        return CompiledEnsemble(self)

    def covers(self, X: TableLike | Records | ColumnSource) -> Bool:
        """Tell for each row (first axis) which rules (second axis) cover it.

        Examples
        --------
        >>> import numpy as np
        >>> from sorb.rules import Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
        >>> ensemble = RuleEnsemble(0.0, (Rule(old, 1.82),), ("age",), "squared")
        >>> ensemble.covers(np.array([[39.0], [40.0]]))
        array([[False],
               [ True]])
        """
        return self._map(X, self._cover_rows)

    def _cover_rows(self, source: ColumnSource) -> Bool:
        covered = np.empty((source.n_rows, len(self.rules)), dtype=np.bool_)
        for j, rule in enumerate(self.rules):
            covered[:, j] = rule.condition.covers(source)
        return covered

    def contributions(self, X: TableLike | Records | ColumnSource) -> Float:
        """Give for each row (first axis) what each rule (second axis) adds to its score.

        Examples
        --------
        >>> import numpy as np
        >>> from sorb.rules import Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
        >>> ensemble = RuleEnsemble(0.0, (Rule(old, 1.82),), ("age",), "squared")
        >>> ensemble.contributions(np.array([[39.0], [40.0]]))
        array([[0.  ],
               [1.82]])
        """
        return contributions(self.rules, self.covers(X))

    def simplify(
        self,
        X: TableLike,
        y: Any = None,
        sample_weight: Any = None,
        *,
        exposure: Any = None,
        changed_rows: int = 0,
        vote_loss: float = 0.001,
    ) -> Simplified:
        """Write the model in few digits, so that no row changes class, or side in any proposition.

        The parameters are those of `sorb.simplify.simplify`.

        Examples
        --------
        >>> import numpy as np
        >>> from sorb.rules import Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 40.123),))
        >>> ensemble = RuleEnsemble(-3.0, (Rule(old, 2.0),), ("age",), "logistic")
        >>> print(ensemble.simplify(np.array([[38.2], [41.7], [64.0]])).ensemble)
        −3  always
        +2  if  age ≥ 40
        """
        # Imported only here, because prediction does not need it.
        from sorb.simplify import simplify

        return simplify(
            self,
            X,
            y,
            sample_weight,
            exposure=exposure,
            changed_rows=changed_rows,
            vote_loss=vote_loss,
        )

    def edited(
        self,
        changes: Iterable[Change] | EditLog,
        X: TableLike | None = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        exposure: Any = None,
        reg_lambda: float | None = None,
    ) -> Edited:
        """Drop, add or change rules, pin votes, fit the others again, and log what that did.

        The parameters are those of `sorb.editing.edit`.

        Examples
        --------
        >>> from sorb.editing import PinVote
        >>> from sorb.rules import Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
        >>> ensemble = RuleEnsemble(-3.0, (Rule(old, 1.82),), ("age",), "logistic")
        >>> print(ensemble.edited([PinVote(0, 2.0)]).ensemble)
        −3  always
        +2  if  age ≥ 40
        """
        from sorb.editing.edit import apply_changes

        return apply_changes(
            self, changes, X, y, sample_weight, exposure=exposure, reg_lambda=reg_lambda
        )

    def scorecard(
        self,
        X: TableLike | None = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        max_points: int = 10,
        high: Label | None = None,
        pdo: float | None = None,
        base_score: float = 600,
        base_odds: float = 50,
        cutoff: float | None = None,
    ) -> Scorecard:
        """Turn a model of two classes into a scorecard, with points for each rule.

        The parameters are those of `sorb.simplify.scorecard`.

        Examples
        --------
        >>> from sorb.rules import Condition, Proposition
        >>> old, heavy = (Condition((Proposition((c,), (1.0,), 40.0),)) for c in ("age", "bmi"))
        >>> rules = (Rule(old, 1.8), Rule(heavy, 0.9))
        >>> RuleEnsemble(-3.0, rules, ("age", "bmi"), "logistic").scorecard(max_points=3).points
        (2, 1)
        """
        from sorb.simplify import scorecard

        return scorecard(
            self,
            X,
            y,
            sample_weight,
            max_points=max_points,
            high=high,
            pdo=pdo,
            base_score=base_score,
            base_odds=base_odds,
            cutoff=cutoff,
        )

    def report(self, X: TableLike, y: Any, sample_weight: Any = None, **options: Any) -> Report:
        """Make a page that lets people see, question, change and sign the model.

        The parameters are those of `sorb.report.report`. An estimator can show more: models of
        other sizes, and other methods.

        Examples
        --------
        >>> import numpy as np
        >>> from sorb.rules import Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
        >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.0),), ("age",), "logistic", ("no", "yes"))
        >>> X, y = np.array([[35.0], [38.0], [47.0], [60.0]]), ["no", "no", "yes", "yes"]
        >>> ensemble.report(X, y, title="Illness by age").data["title"]
        'Illness by age'
        """
        from sorb.report import report

        return report(self, X, y, sample_weight, **options)

    def outside_training(self, X: TableLike | Records) -> OutsideTraining:
        """Find the rows with values unlike all that training held, and say which values these are.

        These are categories never seen, numbers outside of the range, missing values where there
        never were any, and infinite numbers, in the columns that the rules use. A model that was
        written by hand has no `experience` to compare with.

        Parameters
        ----------
        X : 2-D NumPy array, DataFrame of pandas, polars or pyarrow, dict, or list of dict
            The table, as for the scores.

        Examples
        --------
        >>> from sorb.rules import ColumnExperience, Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
        >>> seen = {"age": ColumnExperience(missing=False, range=(18, 84))}
        >>> ensemble = RuleEnsemble(0.0, (Rule(old, 1.0),), ("age",), "squared", experience=seen)
        >>> outside = ensemble.outside_training([{"age": 50}, {"age": 7}, {"age": None}])
        >>> print(outside)
        2 of 3 rows are outside of the training:
          column 'age' is missing in row 2 (1 in all), but never was in training
          column 'age' is 7 in row 1 (1 in all), outside of 18 to 84 in training
        >>> outside.rows, outside.columns()
        (array([False,  True,  True]), [(), ('age',), ('age',)])
        """
        source = column_source(X, self.used_columns, self.columns)
        used, weighed = self.used_columns, self.weighed_columns
        return find_outside_training(source, used, weighed, dict(self.experience))

    def _map(
        self,
        X: TableLike | Records | ColumnSource,
        question: Callable[[ColumnSource], NDArray[Any]],
    ) -> NDArray[Any]:
        """Ask something about each block of rows; a table that is open has been checked."""
        if isinstance(X, ColumnSource):
            return X.map(question)
        used = self.used_columns
        return map_finite(column_source(X, used, self.columns), used, question)

    def format(self, digits: Digits = "auto") -> str:
        """Print the offset and the rules.

        Parameters
        ----------
        digits : int, "auto" or None, default="auto"
            The number of significant digits; thresholds get one more. None means all, so that the
            text means exactly what the ensemble means. "auto" means 3, or as many as it takes to
            print every number in full if 8 are enough, as in a simplified model.

        Examples
        --------
        >>> from sorb.rules import Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 41.23456),))
        >>> ensemble = RuleEnsemble((0.0, 1 / 3), (Rule(old, 2 / 3, 1),), ("age",), "softmax",
        ...                         ("well", "ill"))
        >>> print(ensemble.format(digits=2))
        +0     well  always
        +0.33  ill   always
        +0.67  ill   if  age ≥ 41.2
        """
        count = self.shown_digits(digits)
        return rule_lines.format_lines(self.lines(count), count)

    def __str__(self) -> str:
        return self.format()

    def shown_digits(self, digits: Digits = "auto") -> int | None:
        """Give the number of digits that `format` prints.

        Examples
        --------
        >>> [RuleEnsemble(v, (), ("age",), "squared").shown_digits() for v in (0.12345, 1 / 3)]
        [5, 3]
        """
        if digits != "auto":
            return notation.check_digits(digits)
        propositions = (p for rule in self.rules for p in rule.condition.propositions)
        return automatic_digits(self.offsets_and_votes, propositions)

    def describe(self, digits: Digits = "auto") -> str:
        """Print the rules below a line that says what they vote on, with `digits` as in `format`.

        Examples
        --------
        >>> from sorb.rules import Condition, Proposition
        >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
        >>> ensemble = RuleEnsemble(-3.0, (Rule(old, 2.0),), ("age",), "logistic", ("no", "yes"))
        >>> print(ensemble.describe())
        The log-odds of yes against no, as a sum of votes (1 rule, complexity 3):
        −3  always
        +2  if  age ≥ 40
        """
        return f"{self.caption()}:\n{self.format(digits)}"

    def _repr_html_(self) -> str:
        digits = self.shown_digits()
        return rule_lines.html_table(self.lines(digits), self.caption(), digits)

    def caption(self) -> str:
        """Say what the votes are about, and how many rules there are."""
        size = f"{notation.count(len(self), 'rule')}, complexity {self.complexity}"
        return f"The {self.score_words()}, as a sum of votes ({size})"

    def score_words(self) -> str:
        """Say what the votes add up to, such as "log-odds of ill against well"."""
        return self._in_words(self.loss.score_words)

    def vote_words(self) -> str:
        """Say what a single vote is about, such as "log-odds of ill"."""
        return self._in_words(self.loss.vote_words)

    def outcome_words(self) -> str:
        """Say what the model expects, such as "probability of ill"."""
        return self._in_words(self.loss.outcome_words)

    def _in_words(self, words: Callable[[Sequence[str]], str]) -> str:
        told = words([notation.label(value) for value in self.classes or ()])
        return f"{told} per unit of exposure" if self.per_exposure else told

    def lines(self, digits: int | None) -> list[rule_lines.RuleLine]:
        """Give the printed lines: the offset of each output, then the rules."""
        labels = self._output_labels()
        start = [
            rule_lines.RuleLine(offset, notation.ALWAYS, label)
            for offset, label in zip(self.offsets, labels, strict=True)
        ]
        units = dict(self.units)
        return start + [rule.line(labels[rule.output], digits, units) for rule in self.rules]

    def _output_labels(self) -> list[str]:
        if not self.loss.score_per_class or self.classes is None:
            return [""]
        return [notation.label(value) for value in self.classes]

    def to_json(self, indent: int | None = 2) -> str:
        """Write the ensemble as JSON text, which `from_json` turns into an equal one.

        Examples
        --------
        >>> ensemble = RuleEnsemble(0.1, (), ("age",), "squared")
        >>> print(ensemble.to_json(indent=None))
        {"format": "sorb.rule-ensemble", "version": 1, "loss": "squared", "classes": null,
        "columns": ["age"], "offset": 0.1, "rules": []}
        >>> RuleEnsemble.from_json(ensemble.to_json()) == ensemble
        True
        """
        return model_format.write_document(_document(self), indent)

    @classmethod
    def from_json(cls, text: str) -> RuleEnsemble:
        """Read an ensemble from JSON text.

        Raises
        ------
        ModelFormatError
            If the text is not a model; the message says where and why.

        Examples
        --------
        >>> RuleEnsemble.from_json('{"format": "csv"}')
        Traceback (most recent call last):
        ...
        sorb.rules.model_format.ModelFormatError: format: expected "sorb.rule-ensemble", found "csv"
        """
        document = model_format.parse_document(text)
        places = (f"rules[{i}]" for i in range(len(document["rules"])))
        rules = tuple(map(rule_from_document, document["rules"], places))
        record = record_from_document(document["record"])
        with model_format.errors_at(model_format.TOP):
            return cls(
                offset=document["offset"],
                rules=rules,
                columns=document["columns"],
                loss=_read_loss(document),
                classes=document["classes"],
                units=tuple(document["units"].items()),
                per_exposure=document["per_exposure"],
                experience=experience_from_document(document["experience"]),
                record=record,
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the ensemble to a JSON file, replacing an existing file atomically."""
        replace_file(path, f"{self.to_json()}\n".encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RuleEnsemble:
        """Read an ensemble from a JSON file; nothing in the file is ever executed.

        Raises
        ------
        ModelFormatError
            If the file is not a model; the message says where and why.
        """
        with model_format.errors_in(os.fspath(path)):
            return cls.from_json(text_files.read_text(path))


def require_ensemble(model: object) -> None:
    """Raise a TypeError if something is not an ensemble, and say where to find one.

    Examples
    --------
    >>> require_ensemble("model.json")
    Traceback (most recent call last):
    ...
    TypeError: expected a RuleEnsemble, found str
    """
    if isinstance(model, RuleEnsemble):
        return
    places = (name for name in ("ensemble_", "ensemble") if hasattr(model, name))
    advice = next((f": pass model.{name}" for name in places), "")
    raise TypeError(f"expected a RuleEnsemble, found {type(model).__name__}{advice}")


def _document(ensemble: RuleEnsemble) -> model_format.EnsembleDocument:
    document: dict[str, Any] = {
        "format": model_format.FORMAT,
        "version": model_format.VERSION,
        "loss": ensemble.loss.name,
        **ensemble.loss.parameters,
        "classes": ensemble.classes,
        "columns": ensemble.columns,
        "offset": ensemble.offset,
        "rules": tuple(rule_document(rule) for rule in ensemble.rules),
    }
    if ensemble.units:
        document["units"] = dict(ensemble.units)
    if ensemble.per_exposure:
        document["per_exposure"] = True
    if ensemble.experience:
        document["experience"] = experience_document(ensemble.experience)
    if ensemble.record is not None:
        document["record"] = record_document(ensemble.record)
    return cast(model_format.EnsembleDocument, document)


def _read_loss(document: Mapping[str, Any]) -> Loss:
    name = document["loss"]
    return loss_by_name(name, **{key: document[key] for key in parameter_names(name)})
