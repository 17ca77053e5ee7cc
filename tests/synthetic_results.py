"""Results with known curves, for the tests of what is made from results."""

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.lab.results import Results, Unit

TASKS = {"diabetes": "regression", "housing": "regression", "friedman1": "regression"}


def row(dataset, step, complexity, risk, **values):
    """One model; its error is half its risk, and its training values nine tenths of these."""
    task = TASKS.get(dataset, "classification")
    error = risk / 2 if task == "classification" and risk is not None else None
    return {
        "task": task,
        "step": step,
        "setting": f"max_rules={step}",
        "reg_lambda": 1.0,
        "complexity": complexity,
        "cv_risk": risk,
        "train_risk": None if risk is None else 0.9 * risk,
        "test_risk": risk,
        "train_error": None if error is None else 0.9 * error,
        "test_error": error,
        "seconds": 0.1 * step,
        **values,
    }


def curve(dataset, points, **values):
    """The rows of a unit from pairs of complexity and risk."""
    return [row(dataset, step, c, risk, **values) for step, (c, risk) in enumerate(points, start=1)]


def written(folder, units):
    """Write rows by (dataset, method, repetition), and read them back as a table."""
    results = Results(folder)
    for (dataset, method, repetition), rows in units.items():
        results.write(Unit(repetition, dataset, method), rows)
    return results


def repeated(dataset, method, curves):
    """Units of a method on a dataset, one for each curve."""
    return {
        (dataset, method, repetition): curve(dataset, points)
        for repetition, points in enumerate(curves)
    }


def ensemble(columns, weights, threshold, weight=2.0, offset=-1.0, loss="logistic"):
    """One rule about a weighted sum."""
    rule = Rule(Condition((Proposition(columns, weights, threshold),)), weight)
    return RuleEnsemble(offset, (rule,), columns, loss)
