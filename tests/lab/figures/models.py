"""Models to draw, and results that hold them."""

import math

from synthetic_results import curve, ensemble

from sorb import Condition, Proposition, Rule, RuleEnsemble

DIAGONAL = ensemble(("x1", "x2"), (-1.0, -1.0), -1.0, weight=6.0, offset=-3.0)
CORNER = ensemble(("x1", "x2"), (-1.0, -0.001), -0.5, weight=6.0, offset=-3.0)
LOGARITHMS = ("log(age)", "log(weight)", "log(height)")


def people(*propositions, columns=LOGARITHMS):
    return RuleEnsemble(-3.0, (Rule(Condition(propositions), 2.0),), columns, "logistic")


BMI = people(Proposition(("log(weight)", "log(height)"), (0.5, -1.0), 0.5 * math.log(25.0)))
HEAVY = people(Proposition(("weight",), (1.0,), 80.0), columns=("age", "weight", "height"))


def with_model(dataset, points, models):
    rows = curve(dataset, points)
    return [
        point | {"model": m if isinstance(m, str) else m.to_json()}
        for point, m in zip(rows, models, strict=True)
    ]
