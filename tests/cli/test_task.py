import pytest

from sorb.cli.task import Task, detect_task, require_variation


@pytest.mark.parametrize(
    ("y", "task", "reason"),
    [
        (["b", "a", "b"], Task.classification, "t is a or b: a classification"),
        ([True, False], Task.classification, "t is False or True: a classification"),
        ([3, 7, 7], Task.classification, "t is 3 or 7: a classification"),
        ([0.5, 1.5], Task.regression, "t is a number from 0.5 to 1.5: a regression"),
        ([1, 1e300], Task.regression, "t is a number from 1 to 1e+300: a regression"),
        ([1.5, 2.5, 3.25], Task.regression, "t is a number from 1.5 to 3.25: a regression"),
        (
            [1, 2, 3],
            Task.regression,
            "t is a number from 1 to 3: a regression (if its values are classes, "
            "use --task classification)",
        ),
        (
            [2, 2],
            Task.regression,
            "t is 2 in all rows: a regression (if its values are classes, "
            "use --task classification)",
        ),
        (list(range(50)), Task.regression, "t is a number from 0 to 49: a regression"),
        (
            list("abcdefg"),
            Task.classification,
            "t is one of 7 classes, a, b, c, d, e, …: a classification",
        ),
        (["a\nb", "c"], Task.classification, r't is "a\nb" or c: a classification'),
    ],
)
def test_the_target_says_what_the_task_is(y, task, reason):
    found = detect_task("t", y, None)
    assert (found.task, found.reason) == (task, reason)


@pytest.mark.parametrize(
    ("y", "asked", "reason"),
    [
        ([1, 2, 3], Task.classification, "t is 1, 2 or 3: a classification"),
        ([0, 1], Task.regression, "t is a number from 0 to 1: a regression"),
        ([f"t{k}" for k in range(30)], Task.classification, "t is one of 30 classes, "),
    ],
)
def test_the_option_overrides_the_detected_task(y, asked, reason):
    found = detect_task("t", y, asked)
    assert found.task is asked
    assert found.reason.startswith(reason)


@pytest.mark.parametrize(("y", "exposure"), [([1, 1], None), (["a", "a"], None), ([3, 3], [2, 2])])
def test_equal_outcomes_are_refused(y, exposure):
    with pytest.raises(ValueError, match=f"t is {y[0]!r} in all rows: there is nothing to predict"):
        require_variation("t", y, exposure)


def test_equal_outcomes_over_different_exposures_are_not_equal():
    require_variation("t", [1, 1, 1], [0.5, 1.0, 0.25])


@pytest.mark.parametrize("value", [0.5, 1e300])
def test_numbers_that_are_not_whole_are_no_classes(value):
    with pytest.raises(ValueError, match="numbers are classes only if they are whole"):
        detect_task("t", [1, value, 2], Task.classification)
