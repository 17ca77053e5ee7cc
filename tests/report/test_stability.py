"""How often rules are found again, on the page."""

import pytest
from report.models import fitted

from sorb import stability
from sorb.report.given_rows import GivenRows
from sorb.report.stability import RESAMPLES, add_stability


def page(example):
    return {"sizes": [{"rules": [{} for _ in example.estimator.ensemble_]}], "chosen": 0}


@pytest.mark.parametrize("private", [False, True])
def test_the_page_shows_what_stability_finds(private):
    example = fitted("binary")
    data = page(example)
    add_stability(data, example.estimator, GivenRows(*example.training), private)
    expected = stability(example.estimator, *example.training, n_resamples=RESAMPLES, n_jobs=1)
    shown = data["stability"]
    assert (shown["resamples"], shown["agreement"]) == (RESAMPLES, expected.agreement)
    assert shown["words"] == expected.words
    for rule, view, found in zip(
        data["sizes"][0]["rules"], shown["rules"], expected.rules, strict=True
    ):
        assert rule["found_again"] == view["found"] == found.found
        if found.vote is not None:
            assert view["vote"][1] == found.vote.median
        ranges = [t and [t.lower, t.upper] for _, t in found.thresholds]
        assert view["thresholds"] == ([None] * len(ranges) if private else ranges)
