"""The terms of a page in plain words."""

from __future__ import annotations

from sorb.rules import RuleEnsemble

__all__ = ["glossary"]

GENERAL = [
    (
        "rule",
        "A condition, which is one comparison or several that must all be true, and a vote that "
        "counts for each row that meets it.",
    ),
    ("vote", "What a rule adds to the score of a row; a negative one is subtracted."),
    ("score", "The offset, which every row starts with, plus the votes of the rules that apply."),
    (
        "complexity",
        "The number of rules, of the comparisons in their conditions, and of the variables in "
        "these: what a reader has to take in.",
    ),
    ("coverage", "The share of the rows that a rule applies to."),
    (
        "oblique condition",
        "A condition that weighs several variables against each other, as a sum or a ratio.",
    ),
    (
        "training, validation and test rows",
        "The model was learned from training rows. In validation, parts of them are left out in "
        "turn to choose the size. Test rows had no part in either, so they show what to expect of "
        "new rows.",
    ),
    (
        "95 % interval",
        "With another sample of as many rows, the measure would differ by chance. The interval "
        "says by how much; in 95 of 100 samples, such an interval holds the true value.",
    ),
    ("baseline", "A model without rules, which says the same of every row."),
    (
        "penalty",
        "What is added to the loss for large votes, so that rules that cover few rows do not "
        "overstate what happened in them.",
    ),
    (
        "subgroup",
        "Rows that are alike in one variable. A model may be good on the whole and poor for some.",
    ),
]
OF_CLASSES = [
    ("log-odds", "The logarithm of the odds p / (1 − p): 0 is even, and about ±2.2 nine to one."),
    (
        "log loss",
        "How surprised the model is by what happened: 0 if it was certain and right, 0.69 if it "
        "said one half.",
    ),
    (
        "AUC",
        "The probability that a row of one class gets a higher score than one of the other: one "
        "half is chance, 1 is perfect.",
    ),
    (
        "calibration error",
        "How far probabilities are from what happens: of rows with a probability of 30 %, 30 % "
        "should be positive.",
    ),
    ("purity", "The share of the rows under a rule that have their most frequent class."),
]
OF_TWO = [
    ("cut-off", "The probability above which a row counts as positive."),
    ("sensitivity", "Of the positive rows, the share that counts as positive."),
    ("specificity", "Of the negative rows, the share that counts as negative."),
    ("predictive value", "Of the rows that count as positive (or negative), the share that is."),
    (
        "net benefit",
        "The share of true positives, less that of false positives weighed by the odds of the "
        "cut-off: what acting on the model is worth, beside acting on all rows or on none.",
    ),
]
OF_NUMBERS = [
    ("R²", "The share of the variance of the outcome that the model explains."),
    ("root mean squared error", "The typical size of an error; large errors count more."),
    ("mean absolute error", "The average size of an error."),
    ("residual", "The outcome less the prediction."),
    (
        "deviance",
        "How far predictions are from outcomes, measured as suits the kind of numbers; 0 is "
        "perfect.",
    ),
]


def glossary(ensemble: RuleEnsemble) -> list[tuple[str, str]]:
    """Give the terms that the page of a model uses, in the order of the alphabet."""
    terms = list(GENERAL)
    if ensemble.loss.has_classes:
        terms += OF_CLASSES if ensemble.loss.score_per_class else [*OF_CLASSES, *OF_TWO]
    else:
        terms += OF_NUMBERS
    return sorted(terms, key=lambda term: term[0].casefold())
