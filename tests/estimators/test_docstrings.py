"""The docstrings of the four estimators, which editors read, say the same about the same thing."""

import inspect
import re

import pytest
from estimators.cases import CROSS_VALIDATED, ESTIMATORS, SINGLE

# What rightly differs: between single and cross-validated fits, or between tasks.
DIFFERS_BY_FIT = {"selection", "max_seconds", "curve_"}
DIFFERS_BY_TASK = {"cv", "max_complexity"}


def section(cls, title):
    """From each name in a section of the docstring to its type and text, without line breaks."""
    doc = inspect.getdoc(cls)
    body = re.search(rf"^{title}\n-+\n(.*?)\n\n[A-Z]", doc, re.M | re.S)[1]
    entries = re.findall(r"^(\w+) : (.*(?:\n .*)*)", body, re.M)
    return {name: " ".join(text.split()) for name, text in entries}


def documented(title):
    return {cls: section(cls, title) for cls in ESTIMATORS}


def pairs(title):
    texts = documented(title)
    for name in sorted({name for entries in texts.values() for name in entries}):
        for kinds in alike(name):
            yield pytest.param(
                [texts[cls][name] for cls in kinds if name in texts[cls]],
                id=f"{name}-{len(kinds)}",
            )


def alike(name):
    """The groups of estimators whose texts for a name must be equal."""
    if name in DIFFERS_BY_FIT:
        return [SINGLE, CROSS_VALIDATED]
    if name in DIFFERS_BY_TASK:
        return [SINGLE[k::2] + CROSS_VALIDATED[k::2] for k in range(2)]
    return [ESTIMATORS]


@pytest.mark.parametrize("texts", [*pairs("Parameters"), *pairs("Attributes")])
def test_shared_names_have_one_text(texts):
    assert len(set(texts)) <= 1


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_parameters_are_documented_in_their_order_with_their_defaults(cls):
    signature = inspect.signature(cls.__init__).parameters
    expected = {
        name: p.default for name, p in signature.items() if p.kind is inspect.Parameter.KEYWORD_ONLY
    }
    found = section(cls, "Parameters")
    assert list(found) == list(expected)
    for name, text in found.items():
        default = re.search(r"default=(\([^)]*\)|\S+)", text)[1]
        assert eval(default) == expected[name]


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_fitted_attributes_are_documented(cls):
    table = [[float(i), float(i % 3)] for i in range(12)]
    model = cls(max_rules=1).fit(table, [0, 1] * 6)
    found = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    assert found == set(section(cls, "Attributes")) - {"feature_names_in_"}
