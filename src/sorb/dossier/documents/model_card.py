"""A model card, as Mitchell and others (2019) proposed it."""

from __future__ import annotations

from sorb.dossier.documents.document import Document, Item, Section

__all__ = ["MODEL_CARD"]

MODEL = (
    Item("", "What it is", "What does it predict, and how?", ("predicts", "logic")),
    Item("", "The rules", "What does it say, in full?", ("rules",)),
    Item(
        "",
        "Where it comes from",
        "What learned it, with which settings and constraints, and which version is it?",
        ("identity", "training", "size", "constraints", "versions"),
        "Who made it and when, and who answers questions about it?",
    ),
    Item("", "Changes", "What was changed since it was learned?", ("changes",)),
    Item("", "Terms", "Under which license may it be used, and how is it cited?", (), "Name both."),
)

USE = (
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
        (),
        "Name uses that are tempting and wrong.",
    ),
    Item("", "Input", "What must its input be?", ("inputs", "missing")),
)

FACTORS = (
    Item(
        "",
        "Factors",
        "Which groups of people, instruments and surroundings may its performance depend on, and "
        "which of them were looked at?",
        ("groups",),
        "Name groups, such as by age, sex or ethnicity, instruments and surroundings that matter.",
    ),
)

METRICS = (
    Item(
        "",
        "Measures",
        "Which measures are reported, and how is their uncertainty estimated?",
        ("measures",),
        "Why these?",
    ),
    Item(
        "",
        "Decisions",
        "When does a row count as positive?",
        ("cutoff",),
        "Is this cut-off the one that is used, and who chose it?",
    ),
)

EVALUATION_DATA = (
    Item(
        "",
        "Rows",
        "On which rows was it measured, and what do they hold?",
        ("rows", "columns", "outcomes", "oddities"),
        "Where do they come from, why these, how were they prepared, and whom do they represent?",
    ),
)

TRAINING_DATA = (
    Item(
        "",
        "Rows",
        "From which rows was it learned, and what did they hold?",
        ("split", "inputs", "class_weights"),
        "Where do they come from, how were they prepared, and whom do they represent?",
    ),
)

ANALYSES = (
    Item("", "Performance", "How good is it?", ("performance", "verdict", "calibration")),
    Item(
        "",
        "Subgroups",
        "For whom is it better or worse, by one factor and by several at once?",
        ("subgroups",),
        "Are there groups by several factors at once in which it may be worse?",
    ),
    Item("", "Unlike the training", "Where does it speak without experience?", ("outside",)),
    Item("", "Stability", "Would other rows give the same rules?", ("stability",)),
)

ETHICS = (
    Item(
        "",
        "Ethics",
        "Are there sensitive data or decisions about lives, whom may it harm, and how is that "
        "prevented?",
        (),
        "Name risks, those affected, and what is done about it.",
    ),
)

CAVEATS = (
    Item(
        "",
        "Caveats",
        "What else must be known, and what should be examined further?",
        ("limits",),
        "Add what was not tested, and what you recommend.",
    ),
    Item("", "To check it", "How can others check all this?", ("bundle",)),
)

MODEL_CARD = Document(
    "model_card.md",
    "Model card: {}",
    "A short account of a model for those who use it, judge it or are affected by it, in the nine "
    "sections of Mitchell and others (2019).",
    (
        Section("Model", MODEL),
        Section("Intended use", USE),
        Section("Factors", FACTORS),
        Section("Measures", METRICS),
        Section("Evaluation data", EVALUATION_DATA),
        Section("Training data", TRAINING_DATA),
        Section("Results", ANALYSES),
        Section("Ethics", ETHICS),
        Section("Caveats and recommendations", CAVEATS),
    ),
)
