"""A model card, as Mitchell and others (2019) proposed it."""

from __future__ import annotations

from sorb.dossier.documents.document import Document, Item, Section

__all__ = ["MODEL_CARD"]

MODEL_CARD = Document(
    "model_card.md",
    "Model card: {}",
    "A short account of a model for those who use it, judge it or are affected by it.",
    (
        Section(
            "The model",
            (
                Item("", "What it is", "What does it predict, and how?", ("predicts", "logic")),
                Item("", "The rules", "What does it say, in full?", ("rules",)),
                Item(
                    "",
                    "Where it comes from",
                    "What learned it, from what, with which versions?",
                    ("identity", "training", "versions"),
                    "Who made it, who answers for it, and how are they reached?",
                ),
            ),
        ),
        Section(
            "Use",
            (
                Item(
                    "",
                    "Intended use",
                    "Who should use it, for whom, and for which decision?",
                    (),
                    "State the intended users and uses.",
                ),
                Item(
                    "",
                    "Uses to avoid",
                    "What should it not be used for?",
                    ("limits",),
                    "Name uses that are tempting and wrong.",
                ),
                Item("", "Input", "What must its input be?", ("inputs", "missing")),
                Item(
                    "",
                    "Decisions",
                    "When does a row count as positive?",
                    ("cutoff",),
                    "Is this cut-off the one that is used, and who chose it?",
                ),
            ),
        ),
        Section(
            "Evidence",
            (
                Item(
                    "",
                    "Data",
                    "On which rows was it measured?",
                    ("rows", "columns", "outcomes", "oddities"),
                    "Where do the rows come from, and whom do they represent?",
                ),
                Item(
                    "",
                    "Performance",
                    "How good is it?",
                    ("performance", "verdict", "measures", "calibration"),
                ),
                Item(
                    "",
                    "Subgroups",
                    "For whom is it better or worse?",
                    ("subgroups",),
                    "Which other groups matter, such as by age, sex or ethnicity?",
                ),
                Item(
                    "",
                    "Unlike the training",
                    "Where does it speak without experience?",
                    ("outside",),
                ),
                Item("", "Stability", "Would other rows give the same rules?", ("stability",)),
            ),
        ),
        Section(
            "Judgement",
            (
                Item(
                    "",
                    "Ethics",
                    "Whom may it harm, and how is that prevented?",
                    (),
                    "Name risks, those affected, and what is done about it.",
                ),
                Item("", "To check it", "How can others check all this?", ("bundle",)),
            ),
        ),
    ),
)
