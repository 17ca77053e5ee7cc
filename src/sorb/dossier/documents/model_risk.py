"""An entry in an inventory of models, as banks keep it to manage the risk of models."""

from __future__ import annotations

from sorb.dossier.documents.document import Document, Item, Section

__all__ = ["MODEL_RISK"]

IDENTITY = (
    Item("", "Model", "Name, version and what identifies it.", ("identity",), "Which id has it?"),
    Item(
        "",
        "Purpose and use",
        "What is it for, where is it used, for which products and decisions?",
        ("predicts",),
        "State purpose, business use, and uses that are not approved.",
    ),
    Item(
        "",
        "Roles",
        "Who owns it, who developed it, who uses it, who validates it?",
        (),
        "Name owner, developers or vendor, users and validators; validators must be independent.",
    ),
    Item(
        "",
        "Status and dates",
        "Is it being developed, in use or retired, and since when?",
        ("versions",),
        "Give status, who approved it and when, dates of validations, done and planned, and until "
        "when the model is expected to remain valid.",
    ),
    Item(
        "",
        "Materiality",
        "How large is the exposure, and which tier has the model?",
        (),
        "Rate materiality and complexity, and assign the tier.",
    ),
)

DEVELOPMENT = (
    Item(
        "",
        "Method",
        "Which theory and method, and why?",
        ("logic", "training", "size", "constraints"),
        "Why this one?",
    ),
    Item("", "Specification", "The model in full.", ("rules",)),
    Item(
        "",
        "Inputs",
        "Which data goes in, and where does it come from?",
        ("columns", "missing"),
        "Name the source of each column, and other models whose output goes in.",
    ),
    Item(
        "",
        "Outputs",
        "What comes out, and where does it go?",
        ("predicts", "cutoff"),
        "Name the systems and models that take the output.",
    ),
    Item(
        "",
        "Implementation",
        "In which form does it run, and how was that tested?",
        ("exports", "bundle"),
        "Where does it run, and who controls changes?",
    ),
    Item(
        "",
        "Changes",
        "What was changed since it was developed, or overridden?",
        ("changes",),
        "Name changes, overrides and overlays, with who approved them.",
    ),
    Item(
        "",
        "Data quality",
        "What is known about the quality of the data?",
        ("oddities",),
        "Which checks does the source of the data make?",
    ),
)

VALIDATION = (
    Item(
        "",
        "Conceptual soundness",
        "Do the rules agree with what experts know?",
        ("stability",),
        "Let experts judge each rule, its direction and its columns, and stress its inputs.",
    ),
    Item(
        "",
        "Outcomes analysis",
        "How do predictions compare with outcomes?",
        ("rows", "performance", "verdict", "calibration", "subgroups"),
        "Are these rows out of time and independent of development?",
    ),
    Item(
        "",
        "Benchmarks",
        "How does it compare with other models?",
        (),
        "Compare it with the current model; `sorb compare` puts methods side by side.",
    ),
    Item(
        "",
        "Limits and assumptions",
        "What are its limits, and what makes up for them?",
        ("limits", "inputs", "outside"),
        "Name compensating controls, overlays and conditions of use.",
    ),
    Item(
        "",
        "Monitoring",
        "What is watched, how often, and which thresholds lead to action?",
        (),
        "State measures, frequency and thresholds. A dossier on new rows repeats all measures.",
    ),
    Item(
        "",
        "Findings",
        "What did validation and audit find, what is open, and what is an exception to policy?",
        (),
        "List findings and exceptions with their severity, owner and due date.",
    ),
)

MODEL_RISK = Document(
    "model_risk_inventory.md",
    "Model inventory entry: {}",
    "An entry in an inventory of models, with the fields that banks usually keep under guidance on "
    "model risk such as SR 11-7 of the Federal Reserve. An institution's own policy decides what "
    "its entries must hold.",
    (
        Section("Identity and governance", IDENTITY),
        Section("Development and implementation", DEVELOPMENT),
        Section("Validation and monitoring", VALIDATION),
    ),
)
