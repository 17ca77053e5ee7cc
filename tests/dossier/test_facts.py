"""The facts are documented, and the same wherever they are computed."""

import re
from pathlib import Path

import pytest
from dossier.dossiers import written

from sorb import __version__

PAGE = Path(__file__).parents[2] / "docs" / "dossier.md"


def test_all_keys_are_on_the_page(binary, folder):
    facts = written(binary, folder, exports=[]).facts
    text = PAGE.read_text("utf-8").partition("| key | what it holds |")[2].partition("\n\n")[0]
    documented = {name for keys in re.findall(r"^\| (.*?) \|", text, re.MULTILINE)
                  for name in re.findall(r"`(\w+)`", keys)}  # fmt: skip
    assert documented == set(facts)
    assert (facts["format"], facts["version"]) == ("sorb.dossier-facts", 1)
    assert facts["versions"]["sorb"] == __version__


def test_only_the_time_differs_the_second_time(binary, folder):
    first = written(binary, folder, exports=[]).facts
    second = written(binary, folder.parent / "again", exports=[]).facts
    for facts in (first, second):
        assert re.fullmatch(r"[\d-]+T[\d:]+\+00:00", facts.pop("written"))
    assert first == second


@pytest.mark.parametrize("key", ["model", "data", "performance", "subgroups", "calibration"])
def test_nothing_is_left_empty(example, folder, key):
    assert written(example, folder, exports=[]).facts[key]
