import numpy as np
import pytest
from rules.small_models import ENSEMBLE
from scipy.special import expit

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.rules import RuleEnsemble

NUMBERS = np.random.default_rng(0).normal(size=(60, 2)).round(1)
TEXTS = np.array(["a", "b", "c"])
OUTCOMES = {
    "squared": NUMBERS @ [1.0, -2.0],
    "poisson": np.floor(np.exp(NUMBERS[:, 0])),
    "two classes": TEXTS[(NUMBERS[:, 0] > 0.3).astype(int)],
    "two numbers": (NUMBERS[:, 0] > 0.3) + 1,
    "three classes": TEXTS[(NUMBERS > 0).sum(axis=1)],
    "one class": np.full(60, "a"),
}


def fitted(kind):
    if kind in ("squared", "poisson"):
        return LLTBoostRegressor(loss=kind, max_rules=3, selection=None).fit(
            NUMBERS, OUTCOMES[kind]
        )
    return LLTBoostClassifier(max_rules=3, selection=None).fit(NUMBERS, OUTCOMES[kind])


def classes(offset, labels):
    return RuleEnsemble(offset, (), (), "softmax" if len(labels) > 2 else "logistic", labels)


class TestPrediction:
    @pytest.mark.parametrize("kind", OUTCOMES)
    def test_outcomes_are_those_of_the_estimator(self, kind):
        model = fitted(kind)
        loaded = RuleEnsemble.from_json(model.ensemble_.to_json())
        found = loaded.predict(NUMBERS)
        np.testing.assert_array_equal(found, model.predict(NUMBERS), strict=True)

    @pytest.mark.parametrize("labels", [("a\0", "b"), ("a\0", "a"), ("\0", 2), (1, "1")])
    def test_a_label_is_given_as_it_is(self, labels):
        found = [
            classes(offset, labels).predict(np.empty((1, 0))).tolist() for offset in (-1.0, 1.0)
        ]
        assert found == [[label] for label in labels]

    @pytest.mark.parametrize("kind", [kind for kind in OUTCOMES if "class" in kind])
    def test_probabilities_are_those_of_the_estimator(self, kind):
        model = fitted(kind)
        found = model.ensemble_.predict_proba(NUMBERS)
        np.testing.assert_array_equal(found, model.predict_proba(NUMBERS), strict=True)

    def test_numbers_are_the_scores_and_counts_their_exponentials(self):
        rows = np.zeros((2, 1))
        for loss, expected in (("squared", 0.5), ("poisson", np.exp(0.5))):
            found = RuleEnsemble(0.5, (), ("a",), loss).predict(rows)
            np.testing.assert_allclose(found, [expected, expected], rtol=1e-15)

    @pytest.mark.parametrize("offset", [-800.0, -40.0, 0.0, 0.5, 40.0, 800.0])
    def test_no_probability_loses_its_digits(self, offset):
        ((first, second),) = classes(offset, ("no", "yes")).predict_proba(np.zeros((1, 0)))
        np.testing.assert_allclose([first, second], expit([-offset, offset]), rtol=1e-14)

    @pytest.mark.parametrize(
        ("offset", "expected"), [(0.0, "no"), (5e-324, "yes"), (-0.0, "no"), (-1.0, "no")]
    )
    def test_of_two_classes_the_second_is_strictly_above_zero(self, offset, expected):
        assert classes(offset, ("no", "yes")).predict(np.zeros((1, 0))).tolist() == [expected]

    def test_of_equal_classes_the_first_is_predicted(self):
        ensemble = classes((0.0, 1.0, 1.0), ("a", "b", "c"))
        assert ensemble.predict(np.zeros((1, 0))).tolist() == ["b"]

    def test_classes_without_labels_are_numbers(self):
        ensemble = RuleEnsemble(1.0, (), (), "logistic")
        assert ensemble.predict(np.zeros((1, 0))).tolist() == [1]
        assert ensemble.predict_proba(np.zeros((1, 0))).shape == (1, 2)

    @pytest.mark.parametrize("labels", [(False, True), (1, "one"), (0, 2.5), ("a", "long")])
    def test_labels_stay_what_they_are(self, labels):
        (label,) = classes(1.0, labels).predict(np.zeros((1, 0))).tolist()
        assert (label, type(label)) == (labels[1], type(labels[1]))

    @pytest.mark.parametrize("loss", ["squared", "poisson"])
    def test_numbers_have_no_probabilities(self, loss):
        with pytest.raises(ValueError, match=f"the loss {loss} predicts numbers, .*: use predict"):
            RuleEnsemble(0.0, (), ("a",), loss).predict_proba(np.zeros((1, 1)))

    def test_no_rows(self):
        nothing = np.zeros((0, 3))
        assert ENSEMBLE.predict(nothing).shape == (0,)
        three = RuleEnsemble((0.0, 1.0, 2.0), (), ENSEMBLE.columns, "softmax", (0, 1, 2))
        assert three.predict(nothing).shape == (0,)
        assert three.predict_proba(nothing).shape == (0, 3)
