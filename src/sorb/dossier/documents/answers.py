"""What the software can say: each answer is written from the facts, and says where they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sorb.dossier.documents import (
    data_answers,
    measured_answers,
    model_answers,
    training_answers,
)

__all__ = ["ANSWERS", "Answer"]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the software.

    Attributes
    ----------
    evidence : the keys of the facts that it is written from.
    write : gives the Markdown; None if the facts do not say.
    otherwise : what a human has to say then.
    """

    evidence: tuple[str, ...]
    write: Callable[[dict[str, Any]], str | None]
    otherwise: str = ""


ANSWERS: dict[str, Answer] = {
    "predicts": Answer(("model.predicts", "model.loss", "data.target"), model_answers.predicts),
    "rules": Answer(("model.offsets", "model.rules"), model_answers.rules),
    "logic": Answer(("model.score", "model.n_rules", "model.complexity"), model_answers.logic),
    "identity": Answer(("title", "files.model", "model.sha256"), model_answers.identity),
    "training": Answer(
        ("training",),
        training_answers.training,
        "With which method and settings, and from which rows, was the model learned? Its file does "
        "not record it.",
    ),
    "size": Answer(
        ("training",),
        training_answers.size,
        "How were size and penalty chosen? The model file does not record it.",
    ),
    "constraints": Answer(
        ("training.settings",),
        training_answers.constraints,
        "Which constraints did the model have to obey? Its file does not record it.",
    ),
    "class_weights": Answer(
        ("training.settings",),
        training_answers.class_weights,
        "Were classes weighted, and were probabilities corrected? The model file does not say.",
    ),
    "changes": Answer(
        ("changes", "simplification"),
        training_answers.changes,
        "Was the model changed after it was learned? `--log` and `--certificate` say what "
        "`sorb edit` and `sorb simplify` did.",
    ),
    "versions": Answer(("versions",), model_answers.versions),
    "bundle": Answer(("bundle",), model_answers.bundle),
    "exports": Answer(
        ("bundle.exports",),
        model_answers.exports,
        "In which form will the model be used? The dossier holds no export.",
    ),
    "stability": Answer(
        ("stability",),
        model_answers.stability,
        "How much does the model depend on which rows it was learned from? `sorb dossier "
        "--stability` finds it out.",
    ),
    "rows": Answer(("data.rows", "data.split_words", "files.table"), data_answers.rows),
    "split": Answer(
        ("data.split", "data.split_words"),
        data_answers.split,
        "Was the model learned from these rows? Nobody has said so (`--test-rows`, "
        "`--training-rows`).",
    ),
    "groups": Answer(
        ("data.groups",),
        data_answers.groups,
        "Do rows belong together, such as the visits of a patient or the patients of a hospital? "
        "The dossier takes them for independent (`--group`).",
    ),
    "columns": Answer(("data.columns",), data_answers.columns),
    "outcomes": Answer(("data.outcomes",), data_answers.outcomes),
    "missing": Answer(("data.columns", "model.rules"), data_answers.missing),
    "oddities": Answer(
        ("oddities",),
        data_answers.oddities,
        "What looks odd about the rows? They were not in a form in which sorb checks tables.",
    ),
    "limits": Answer(("limits.cannot_know",), data_answers.limits),
    "inputs": Answer(
        ("limits.known_in_training",),
        data_answers.inputs,
        "Which values may each column have? The model does not remember its training.",
    ),
    "outside": Answer(
        ("limits.rows_without_experience", "limits.outside_training"),
        data_answers.outside,
        "Which of the rows are unlike those of the training? The model does not remember them.",
    ),
    "performance": Answer(("performance",), measured_answers.performance),
    "verdict": Answer(("performance.gain", "performance.verdict"), measured_answers.verdict),
    "measures": Answer(("performance.explanations",), measured_answers.measures),
    "cutoff": Answer(
        ("cutoff",),
        measured_answers.cutoff,
        "How are decisions made from predictions? sorb chooses cut-offs for two classes only.",
    ),
    "calibration": Answer(("calibration",), measured_answers.calibration),
    "subgroups": Answer(
        ("subgroups",),
        measured_answers.subgroups,
        "For whom is the model better or worse? It uses no columns to divide the rows by.",
    ),
}
