import math

import pytest

from sorb.lab.published import (
    METHODS,
    compared_datasets,
    ordered_methods,
    paper_datasets,
    paper_methods,
    published,
)


def test_each_place_is_filled():
    # 14 datasets and 5 methods, 7 classifications and 6 methods for error rates
    sections = {}
    for table, section, *_ in published():
        sections[table, section] = sections.get((table, section), 0) + 1
    for (table, _), count in sections.items():
        assert count == (42 if "error" in table else 70)
    assert len(sections) == 3 + 3 + 3 + 2 * 5 + 1


def test_names_are_ours():
    assert len(paper_datasets()) == 14
    assert paper_datasets()[0] == "iris"
    assert {"car_price", "housing", "red_wine", "friedman2", "liver"} <= set(paper_datasets())
    assert paper_methods() == ("TGB", "NRE", "RFObTr", "LLTB", "EBM", "BRS")


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (("complexity_cv", "75 %", "friedman1", "LLTB"), (59, 55, 64)),
        (("complexity_cv", "75 %", "iris", "TGB"), (89, 50, math.inf)),
        (("risk_at_50", "train", "friedman1", "LLTB"), (0.26, 0.25, 0.27)),
        (("error_at_50", "test", "iris", "BRS"), (0.29, 0.24, 0.39)),
        (("complexity_error", "50 %", "magic", "LLTB"), (43, 40, 47)),
    ],
)
def test_medians_have_their_intervals(place, expected):
    found = published()[place]
    assert (found.value, found.low, found.high) == expected


def test_averages_have_their_margin():
    found = published()["risk_cv", "test", "iris", "LLTB"]
    assert (found.low, found.value, found.high) == pytest.approx((0.34, 0.4, 0.46))


def test_a_dash_is_not_a_number():
    assert math.isnan(published()["risk_cv", "test", "adult", "EBM"].value)
    assert math.isnan(published()["times", "", "liver", "LLTB"].value)


def test_more_than_a_hundred_is_not_reached():
    # printed as 64, 104, ∞ and as 50, 69, 102
    car = published()["complexity_oracle", "75 %", "car_price", "RFObTr"]
    assert (car.low, car.value, car.high) == (64, math.inf, math.inf)
    breast = published()["complexity_oracle", "75 %", "breast_cancer", "TGB"]
    assert (breast.value, breast.high) == (69, math.inf)


@pytest.mark.parametrize("table", ["risk_cv", "risk_oracle", "error_cv"])
@pytest.mark.parametrize("dataset", ["liver", "magic"])
def test_averages_of_models_beyond_the_budget_are_dashes(table, dataset):
    assert math.isnan(published()[table, "test", dataset, "NRE"].value)
    assert published()["complexity_cv", "25 %", dataset, "NRE"].value == math.inf


def test_published_numbers_cannot_be_changed():
    with pytest.raises(TypeError):
        published()["risk_cv", "test", "iris", "LLTB"] = None


def test_methods_are_ordered_and_unknown_ones_come_last():
    assert ordered_methods(["zebra", "HGB", "sorb", "ant"]) == ("sorb", "HGB", "ant", "zebra")
    assert set(paper_methods()) <= set(METHODS)


def test_datasets_for_pictures_are_not_compared():
    names = ["synthetic", "nhanes+log", "nhanes_standin", "voice", "iris"]
    assert compared_datasets(names) == ("iris", "voice")


def test_a_dataset_of_ones_own_is_compared_although_it_sounds_like_a_pictured_one():
    assert compared_datasets(["synthetic_patients", "nhanes2"]) == ("nhanes2", "synthetic_patients")
