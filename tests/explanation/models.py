"""Small models whose rules ask one column each, and explanations of what they say."""

import numpy as np
from hypothesis import strategies as st

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.explanation import Explanation
from sorb.losses import LOSSES

COLUMNS = ("a", "b", "c", "d")
KINDS = ("well", "mild", "ill")


def at_least(name, threshold=1.0):
    return Condition((Proposition((name,), (1.0,), threshold),))


def model(loss, offset, votes, outputs=None, classes=None, names=COLUMNS):
    """Give a model whose k-th rule asks whether the k-th column is at least 1."""
    outputs = outputs or [0] * len(votes)
    rules = tuple(
        Rule(at_least(name), vote, output)
        for name, vote, output in zip(names, votes, outputs, strict=False)
    )
    return RuleEnsemble(offset, rules, tuple(names), loss, classes)


def explained(ensemble, *covering):
    """Explain a row that just these rules cover, counted from 1."""
    row = [float(k + 1 in covering) for k in range(len(ensemble.columns))]
    return Explanation.of(ensemble, np.array([row]))


logistic = model("logistic", -2.0, [1.5, -0.5, 2.0, 0.25], classes=("well", "ill"))
squared = model("squared", 10.0, [1.5, -0.5, 2.0, 0.25])
poisson = model("poisson", 0.5, [1.5, -0.5, 2.0, 0.25])
several = model("softmax", (1.0, 0.0, -0.5), [1.5, -0.5, 2.0, 0.25], [0, 1, 2, 1], KINDS)
EVERYTHING = np.array(np.meshgrid(*[[0.0, 1.0]] * 4)).reshape(4, -1).T
votes = st.floats(-30, 30)


@st.composite
def explanations(draw, losses=tuple(LOSSES), size=votes):
    loss = draw(st.sampled_from(losses))
    n_rules = draw(st.integers(0, 4))
    weights = draw(st.lists(size, min_size=n_rules, max_size=n_rules))
    if loss != "softmax":
        ensemble = model(loss, draw(size), weights)
    else:
        n_classes = draw(st.integers(2, 4))
        offset = tuple(draw(st.lists(size, min_size=n_classes, max_size=n_classes)))
        outputs = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_rules, max_size=n_rules))
        ensemble = model(loss, offset, weights, outputs, tuple(range(n_classes)))
    return Explanation.of(ensemble, EVERYTHING)
