"""What a model said about the rows of a bundle, to the last digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sorb._types import Float
from sorb.dossier.errors import DossierError
from sorb.dossier.row_file import number_of, read_table, write_table
from sorb.dossier.subject import Subject
from sorb.rules.prediction import class_labels, predicted_indices

__all__ = ["Predictions"]


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What a model says of each row: scores (second axis: outputs), and predictions as texts.

    Attributes
    ----------
    numbers : the number of each row in the table.
    scores : its score, or one for each class.
    answers : its prediction.
    """

    numbers: Sequence[int]
    scores: Float
    answers: Sequence[str]

    @classmethod
    def of(cls, subject: Subject) -> Predictions:
        """Predict the rows."""
        ensemble, rows = subject.ensemble, subject.rows
        scores = ensemble(rows.source)
        if ensemble.loss.has_classes:
            labels = [str(label) for label in class_labels(ensemble.classes)]
            answers = [labels[k] for k in predicted_indices(ensemble.classes, scores).tolist()]
        else:
            answers = [repr(value) for value in ensemble.loss.mean(scores).tolist()]
        return cls(rows.numbers.tolist(), scores.reshape(len(scores), -1), answers)

    @property
    def content(self) -> bytes:
        """The file."""
        n_scores = self.scores.shape[1]
        names = ["score"] if n_scores == 1 else [f"score_{k}" for k in range(n_scores)]
        cells = zip(self.numbers, self.scores.tolist(), self.answers, strict=True)
        return write_table(
            ["row", *names, "prediction"],
            ([str(row), *map(repr, scores), answer] for row, scores, answer in cells),
        )

    @classmethod
    def read(cls, content: bytes) -> Predictions:
        """Read the file."""
        head, *lines = read_table(content)
        if head[0] != "row" or head[-1] != "prediction" or len(head) < 3:
            raise DossierError("expected the columns row, score and prediction")
        numbers = [int(number_of(line[0])) for line in lines]
        scores = [[float(number_of(text)) for text in line[1:-1]] for line in lines]
        return cls(numbers, np.array(scores), [line[-1] for line in lines])

    def difference(self, other: Predictions) -> str | None:
        """Say in which row others are first different; None if all are the same."""
        if list(self.numbers) != list(other.numbers):
            return "they are of other rows"
        if self.scores.shape != other.scores.shape:
            return "they have another number of scores"
        same = (self.scores == other.scores).all(axis=1)
        same &= np.array([a == b for a, b in zip(self.answers, other.answers, strict=True)])
        wrong = np.flatnonzero(~same)
        if not len(wrong):
            return None
        first = int(wrong[0])
        return (
            f"{len(wrong)} of {len(same)} rows differ, the first is row {self.numbers[first]}: "
            f"recorded {_shown(self, first)}, now {_shown(other, first)}"
        )


def _shown(found: Predictions, row: int) -> str:
    scores = ", ".join(map(repr, found.scores[row].tolist()))
    return f"score {scores}, prediction {found.answers[row]}"
