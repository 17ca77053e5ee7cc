"""A site as a source of answers, wherever it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import narwhals as nw

from sorb.federated import messages
from sorb.federated.messages import Message
from sorb.learning.source import Description, Draw, KeyCount, OutcomeCount, Sums
from sorb.losses import Loss
from sorb.rules import Condition, Label
from sorb.tables.changes import TableChangedError
from sorb.tables.lazy import Numbers
from sorb.tables.row_keys import KeyPlan, Range

T = TypeVar("T")


class AnsweringSite(Protocol):
    """Whatever takes questions to a site, and brings its answers back."""

    @property
    def name(self) -> str:
        """What to call the site in messages."""
        ...

    def answer(self, question: Message) -> Message:
        """Answer a question; both are values that JSON can hold."""
        ...


class SiteError(RuntimeError):
    """A site did not answer a question."""


@dataclass(frozen=True, slots=True, eq=False)
class RemoteSource:
    """Asks a site.

    Attributes
    ----------
    site : the site.
    name : what to call it in messages.
    fit : what the site calls this fit.
    description : what its columns hold and are for.
    """

    site: AnsweringSite
    name: str
    fit: str
    description: Description
    _known: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def open(
        cls, site: AnsweringSite, name: str, categorical: Any, loss: Loss | None
    ) -> RemoteSource:
        """Ask a site for its columns."""
        details = {"categorical": categorical, "loss": messages.write_loss(loss)}

        def read(found: Message) -> RemoteSource:
            return cls(site, name, found["fit"], messages.read_description(found))

        return _ask(site, name, "columns", details, read)

    def agreeing_with(self, joint: Description) -> RemoteSource:
        """The same, with columns in the order and of the types that all sites agree on."""
        agreed = replace(
            self.description,
            features=joint.features,
            kinds=joint.kinds,
            single=joint.single,
            counted=joint.counted,
        )
        return replace(self, description=agreed)

    @property
    def searched(self) -> RemoteSource:
        """The source of the rows in which rules are searched: this one."""
        return self

    def numbers(self) -> Numbers:
        """The ranges of the features of numbers; refuses infinite values."""
        counted = self.description.counted
        return self._ask_once("numbers", {"counted": counted}, messages.read_numbers)

    def labels(self, name: str) -> list[Label]:
        """The different labels of a feature of categories."""
        return self._ask_once("labels", {"column": name}, lambda found: list(found["labels"]))

    def between(self, ranges: Mapping[str, Range]) -> set[str]:
        """The features that have values strictly between two ends."""
        ends = {name: messages.write_range(values) for name, values in ranges.items()}
        return self._ask("between", {"ranges": ends}, lambda found: set(found["columns"]))

    def count_classes(self) -> dict[Label, OutcomeCount]:
        """Count the rows of each class."""
        return self._ask_once("classes", {}, messages.read_classes)

    def check_outcomes(self) -> tuple[OutcomeCount, Range]:
        """Check the outcomes of a regression; count the rows, and find the range of outcomes."""

        def read(found: Message) -> tuple[OutcomeCount, Range]:
            count = OutcomeCount(found["n_rows"], found["weight"])
            return count, messages.read_range(found["range"])

        return self._ask_once("outcomes", {}, read)

    def count_keys(self, plan: KeyPlan, limit: int) -> KeyCount:
        """Give each row a key, and find the keys below a limit."""
        details = {"plan": messages.write_plan(plan), "limit": limit}
        return self._ask("keys", details, messages.read_keys)

    def rows(self, draw: Draw | None, copied: bool, most: int | None = None) -> nw.DataFrame[Any]:
        """Read the rows that are drawn; all of them for None."""
        details = {"draw": messages.write_draw(draw), "copied": copied, "most": most}
        return self._ask("sample", details, lambda f: messages.read_rows(f, self.description))

    def sums(self, conditions: Sequence[Condition], shift: float) -> Sums:
        """Add up all rows by the conditions that cover them."""
        details = {"conditions": messages.write_conditions(conditions), "shift": shift}
        return self._ask("sums", details, lambda f: messages.read_sums(f, len(conditions)))

    def _ask(self, ask: str, details: Message, read: Callable[[Message], T]) -> T:
        return _ask(self.site, self.name, ask, {"fit": self.fit, **details}, read)

    def _ask_once(self, ask: str, details: Message, read: Callable[[Message], T]) -> T:
        key = " ".join([ask, *map(str, details.values())])
        if key not in self._known:
            self._known[key] = self._ask(ask, details, read)
        return self._known[key]  # type: ignore[no-any-return]


def _ask(
    site: AnsweringSite, name: str, ask: str, details: Message, read: Callable[[Message], T]
) -> T:
    """Ask a site, and name it in the message of any error."""
    try:
        return read(site.answer({"ask": ask, **details}))
    except Exception as error:
        if type(error) in (ValueError, TypeError, ImportError, TableChangedError):
            raise type(error)(f"{name}: {error}") from error
        raise SiteError(f"{name} did not answer the question {ask!r}: {error!r}") from error
