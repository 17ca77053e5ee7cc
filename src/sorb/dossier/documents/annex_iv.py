"""The technical documentation of Annex IV of the EU AI Act, in words of our own."""

from __future__ import annotations

from sorb.dossier.documents.document import Document, Item, Section

__all__ = ["ANNEX_IV"]

GENERAL = (
    Item(
        "1(a)",
        "Purpose, provider and version",
        "What is the system for, who provides it, and how does this version relate to others?",
        ("identity", "predicts"),
        "State the intended purpose, the provider, and the version with its predecessors.",
    ),
    Item(
        "1(b)",
        "Surroundings",
        "With which other hardware and software, also other AI systems, does it interact?",
        (),
        "Into which systems is the model built, and what do they pass to it and take from it?",
    ),
    Item(
        "1(c)",
        "Versions of software",
        "Which versions of software does it need, and what must be kept up to date?",
        ("versions", "training"),
        "Which versions run in production?",
    ),
    Item(
        "1(d)",
        "Forms",
        "In which forms is it supplied?",
        ("exports",),
        "In which of them is it put on the market or into service?",
    ),
    Item(
        "1(e)",
        "Hardware",
        "On which hardware does it run?",
        (),
        "Name the hardware. A sum of votes needs nothing special.",
    ),
    Item(
        "1(f)",
        "Product",
        "If it is part of a product, what does that look like, inside and outside?",
        (),
        "Add pictures and markings, or say that it is part of no product.",
    ),
    Item(
        "1(g)",
        "User interface",
        "What do deployers see?",
        (),
        "Describe the interface in which predictions appear.",
    ),
    Item(
        "1(h)",
        "Instructions for use",
        "What are deployers told?",
        ("inputs", "cutoff"),
        "Add the instructions for use.",
    ),
)

DEVELOPMENT = (
    Item(
        "2(a)",
        "Development",
        "By which methods and steps was it made, and with which tools of others?",
        ("training", "size", "changes"),
        "Which steps came before and after learning, and which third-party tools or models?",
    ),
    Item(
        "2(b)",
        "Design",
        "What is the logic, what was decided and assumed, also about whom it is used for, what is "
        "optimised, how are classes told apart, what comes out, and which trade-offs were made?",
        ("logic", "rules", "predicts", "cutoff", "measures", "size", "constraints"),
        "Give the reasons for the main decisions and assumptions.",
    ),
    Item(
        "2(c)",
        "Architecture and resources",
        "How do its parts work together, and which computing resources did it take?",
        ("logic", "exports", "versions"),
        "Describe the system around the model, and the resources of learning and testing.",
    ),
    Item(
        "2(d)",
        "Data",
        "What data was it made from: where from, how chosen, labelled and cleaned?",
        (
            "training",
            "inputs",
            "class_weights",
            "missing",
            "rows",
            "columns",
            "outcomes",
            "oddities",
        ),
        "Describe origin, selection, labelling and cleaning of the training data.",
    ),
    Item(
        "2(e)",
        "Human oversight",
        "What lets people oversee it, and interpret what it says?",
        ("logic", "rules", "outside"),
        "Who oversees its use, with which means, and who can overrule it?",
    ),
    Item(
        "2(f)",
        "Foreseen changes",
        "Which changes are planned beforehand, and how does it stay compliant?",
        (),
        "Name planned changes, such as learning again with new data.",
    ),
    Item(
        "2(g)",
        "Validation and testing",
        "How was it tested, on which data, by which measures of accuracy and robustness, and with "
        "which effects on groups of people?",
        ("rows", "performance", "calibration", "subgroups", "stability", "bundle"),
        "Add the dated test reports, signed by those who are responsible.",
    ),
    Item(
        "2(h)",
        "Cybersecurity",
        "Which measures protect it?",
        ("bundle",),
        "Who may change the model, and how are its surroundings protected?",
    ),
)

OPERATION = (
    Item(
        "3",
        "Monitoring, functioning and control",
        "What can it do and not do, how accurate is it overall and for groups of people, what may "
        "go wrong, how do people oversee it, and what must its input be?",
        ("performance", "subgroups", "limits", "inputs", "outside"),
        "Name foreseeable unintended outcomes, risks to health, safety and rights and of "
        "discrimination, and the measures of oversight, with what helps to interpret the output.",
    ),
    Item(
        "4",
        "Choice of measures",
        "Are the measures of performance appropriate for this system?",
        ("measures", "cutoff"),
        "Say why these measures suit the purpose.",
    ),
    Item(
        "5",
        "Risk management",
        "What is the risk management system (Article 9)?",
        (),
        "Describe it, or refer to it.",
    ),
    Item(
        "6",
        "Changes",
        "What has the provider changed through the life of the system?",
        ("changes",),
        "List the changes through the life of the system, also in its surroundings.",
    ),
    Item(
        "7",
        "Standards",
        "Which harmonised standards were applied, or which other solutions?",
        (),
        "List them.",
    ),
    Item(
        "8",
        "Declaration",
        "Is there a copy of the EU declaration of conformity?",
        (),
        "Add it.",
    ),
    Item(
        "9",
        "After it is on the market",
        "How is performance evaluated in use (Article 72)?",
        ("bundle",),
        "Add the plan for monitoring. A dossier on new rows repeats all of these measures.",
    ),
)

ANNEX_IV = Document(
    "eu_ai_act_annex_iv.md",
    "Technical documentation (EU AI Act, Annex IV): {}",
    "It follows the numbering of Annex IV of Regulation (EU) 2024/1689, which lists what the "
    "technical documentation of high-risk AI systems must hold. What each item asks is told in our "
    "own words and shortened: the text of the regulation decides. Whether it applies to a system "
    "is for a human to say.",
    (
        Section("1. General description", GENERAL),
        Section("2. Elements and development", DEVELOPMENT),
        Section("3 to 9. Operation, risks, changes and conformity", OPERATION),
    ),
)
