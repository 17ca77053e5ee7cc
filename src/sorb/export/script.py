"""The parts of a function that scripting languages share: read the row, then give the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sorb.export.program import Answer, Output, Program
from sorb.rules import RuleEnsemble

__all__ = ["Script", "summarise"]

_SUMMARIES: dict[Output, str] = {
    "score": "the score, or one for each class",
    "prediction": "the prediction",
    "probability": "the probability of the second class, or one for each class",
}


def summarise(ensemble: RuleEnsemble, output: Output) -> str:
    """Say what the function returns, for its documentation.

    Examples
    --------
    >>> from sorb.rules import RuleEnsemble
    >>> rates = RuleEnsemble(0.0, (), ("age",), "poisson", per_exposure=True)
    >>> summarise(rates, "prediction")
    'the prediction per unit of exposure'
    """
    rate = output == "prediction" and ensemble.per_exposure
    return f"{_SUMMARIES[output]}{' per unit of exposure' if rate else ''}"


@dataclass(frozen=True, slots=True)
class Script:
    """Text of a function, with placeholders.

    `row` reads the values of a row, `numbers` and `positives` turn some of them into numbers and
    into positive numbers, and `answers` compute the answer from the scores. `names` writes a list
    of column names.
    """

    row: str
    numbers: str
    positives: str
    answers: Mapping[Answer, Sequence[str]]
    names: Callable[[Sequence[str]], str]

    def head(self, program: Program, name: str, summary: str) -> str:
        """Write the signature and what prepares the values of a row."""
        text = self.row.format(name=name, summary=summary, used=self.names(program.used))
        if program.numbers:
            text += self.numbers.format(columns=self.names(program.numbers))
        if program.positives:
            text += self.positives.format(columns=self.names(program.positives))
        return text

    def answer(self, program: Program, labels: str, largest: str, second: str) -> list[str]:
        """Write what computes the answer.

        `labels` are those of the classes, `largest` the index of the largest score, and `second`
        the index of the class if there is only one score.
        """
        several = len(program.offsets) > 1
        words = {
            "scores": "s" if several else "s[0]",
            "labels": labels,
            "winner": largest if several else second,
        }
        return [line.format(**words) for line in self.answers[program.answer]]
