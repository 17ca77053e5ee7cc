import numpy as np
import pytest

from sorb import LLTBoostClassifier

classifiers = pytest.mark.parametrize("loss", ["logistic", "softmax"])


# ---- classes and their probabilities ----


def test_labels_keep_their_type(iris):
    X, y = iris
    for labels in (y.to_numpy(), y.to_numpy() + 0.5 - 0.5, np.array(["a", "b", "c"])[y], y == 1):
        model = LLTBoostClassifier(max_rules=3, selection=None).fit(X, labels)
        assert (
            model.classes_.tolist() == np.unique(labels).tolist() == list(model.ensemble_.classes)
        )
        assert model.predict(X).dtype == np.asarray(labels).dtype


@classifiers
def test_probabilities_add_up(models, loss):
    model, X = models[loss]
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert np.exp(model.predict_log_proba(X)) == pytest.approx(model.predict_proba(X))


def test_hundreds_of_classes_are_learned():
    # It took a minute when a refit knew each class on its own.
    X = np.random.default_rng(0).normal(size=(900, 2))
    X[:, 0] = np.abs(X[:, 0]) * np.where(np.arange(900) < 300, 1, -1)
    y = np.where(X[:, 0] > 0, 0, np.arange(900) % 300)
    model = LLTBoostClassifier(max_rules=1, reg_lambda=1.0, selection=None).fit(X, y)
    assert [rule.output for rule in model.ensemble_] == [0]
    probability = model.predict_proba([[1.0, 0.0], [-1.0, 0.0]])
    assert probability[0, 0] > 0.9
    assert probability[1, 1:] == pytest.approx(np.full(299, 1 / 300), rel=0.05)


def test_log_probabilities_stay_finite():
    X = np.arange(20.0)[:, None]
    model = LLTBoostClassifier(reg_lambda=0.0, selection=None).fit(X, X[:, 0] > 9)
    assert (model.predict_proba(X).min(axis=1) < 1e-10).all()
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_a_tie_goes_to_the_first_class():
    two = LLTBoostClassifier().fit(np.zeros((4, 1)), list("abab"))
    assert (two.decision_function([[0.0]]), two.predict([[0.0]])) == (0, "a")
    three = LLTBoostClassifier().fit(np.zeros((6, 1)), list("abcabc"))
    assert three.predict([[0.0]]) == "a"


@classifiers
def test_stages_give_scores_and_probabilities(models, loss):
    model, X = models[loss]
    scores, shares = model.staged_decision_function(X), model.staged_predict_proba(X)
    for stage, score, share in zip(model.stages_, scores, shares, strict=True):
        np.testing.assert_array_equal(score, stage.ensemble(X.to_numpy()))
        assert share.shape == (len(X), len(model.classes_))
    np.testing.assert_array_equal(share, model.predict_proba(X))


# ---- weights of classes ----


def test_class_weights_multiply_the_weights_of_the_rows(binary):
    X, y = binary
    weight = 1.0 + np.arange(len(y)) % 3
    by_class = LLTBoostClassifier(max_rules=3, class_weight={"versicolor": 2}).fit(X, y, weight)
    by_row = LLTBoostClassifier(max_rules=3).fit(X, y, weight * np.where(y == "versicolor", 2, 1))
    assert by_class.ensemble_ == by_row.ensemble_


def test_balanced_classes_have_equal_weight(binary):
    X, y = binary
    model = LLTBoostClassifier(max_rules=0, class_weight="balanced")
    for weight in (None, 1.0 + np.arange(len(y)) % 3):
        model.fit(X, y, weight)
        assert model.predict_proba(X[:1]) == pytest.approx(np.array([[0.5, 0.5]]))
        assert model.stages_[0].train_risk == pytest.approx(np.log(2))


def test_balancing_leaves_out_classes_without_weight(iris):
    X, y = iris
    model = LLTBoostClassifier(max_rules=0, class_weight="balanced").fit(X, y, (y < 2) * 1.0)
    assert model.classes_.tolist() == [0, 1]
    assert model.predict_proba(X[:1]) == pytest.approx(np.array([[0.5, 0.5]]))


def test_a_class_of_weight_zero_is_no_class(iris):
    X, y = iris
    model = LLTBoostClassifier(max_rules=3, class_weight={1: 0}).fit(X, y)
    assert model.classes_.tolist() == [0, 2]
    assert model.ensemble_ == LLTBoostClassifier(max_rules=3).fit(X[y != 1], y[y != 1]).ensemble_


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_impossible_class_weights_are_refused(binary, weight):
    with pytest.raises(ValueError, match=r"class_weight .* class 'other'"):
        LLTBoostClassifier(class_weight={"other": weight}).fit(*binary)


def test_classes_may_be_texts_of_digits(binary):
    X, y = binary
    digits = np.where(y == "other", "7", "8")
    weighted = LLTBoostClassifier(max_rules=2, class_weight={"7": 2.0}).fit(X, digits)
    expected = LLTBoostClassifier(max_rules=2, class_weight={"other": 2.0}).fit(X, y)
    assert weighted.ensemble_.complexity == expected.ensemble_.complexity


def test_weights_for_unknown_classes_are_refused(binary):
    with pytest.raises(ValueError, match=r"class_weight names 'setosa', which is no class in y"):
        LLTBoostClassifier(class_weight={"setosa": 2.0}).fit(*binary)


def test_all_classes_of_weight_zero_are_refused(binary):
    with pytest.raises(ValueError, match="found zero in all rows"):
        LLTBoostClassifier(class_weight={"versicolor": 0, "other": 0}).fit(*binary)
