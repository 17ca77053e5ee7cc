import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from estimators.cases import every_loss, noisy_table

from sorb import LLTBoostClassifier, LLTBoostRegressor

# ---- warm start ----


def ensembles(model):
    return [stage.ensemble for stage in model.stages_]


@pytest.mark.parametrize("random_state", [0, 7])
@every_loss
def test_rules_may_be_added_later(iris, binary, diabetes, loss, random_state):
    data = {"logistic": binary, "softmax": iris}.get(loss, diabetes)
    cls = LLTBoostClassifier if loss in ("logistic", "softmax") else LLTBoostRegressor
    own = {} if cls is LLTBoostClassifier else {"loss": loss}
    stepwise = cls(warm_start=True, random_state=random_state, **own)
    for max_rules in (0, 1, 4, 4, 6):
        stepwise.set_params(max_rules=max_rules).fit(*data)
    at_once = cls(max_rules=6, random_state=random_state, **own).fit(*data)
    assert ensembles(stepwise) == ensembles(at_once)
    assert stepwise.stages_[-1].seconds >= stepwise.stages_[0].seconds


def test_a_drawn_seed_stays_while_rules_are_added(binary):
    stepwise = LLTBoostClassifier(
        max_rules=2, warm_start=True, random_state=np.random.RandomState(3)
    )
    stepwise.fit(*binary).set_params(max_rules=5).fit(*binary)
    at_once = LLTBoostClassifier(max_rules=5, random_state=np.random.RandomState(3)).fit(*binary)
    assert stepwise.ensemble_ == at_once.ensemble_


def test_without_warm_start_training_begins_anew(binary):
    model = LLTBoostClassifier(max_rules=4).fit(*binary).set_params(max_rules=2).fit(*binary)
    assert model.ensemble_ == LLTBoostClassifier(max_rules=2).fit(*binary).ensemble_


def test_rules_are_not_taken_back(binary):
    model = LLTBoostClassifier(max_rules=3, warm_start=True).fit(*binary).set_params(max_rules=2)
    with pytest.raises(ValueError, match=r"max_rules=2 .* the 3 rules"):
        model.fit(*binary)
    assert model.n_iter_ == 3


def test_columns_must_stay(binary):
    X, y = binary
    model = LLTBoostClassifier(max_rules=1, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        model.fit(X.rename(columns={"petal width (cm)": "width"}), y)
    with pytest.raises(ValueError, match="feature names"):
        model.fit(X.iloc[:, :3], y)
    assert model.n_features_in_ == 4


@pytest.mark.parametrize("before", ["numbers", "categories"])
def test_columns_must_stay_numbers_or_categories(before):
    """A rule about numbers was applied to the codes of categories, and could not predict."""
    number = np.arange(60) % 7
    tables = {
        "numbers": pd.DataFrame({"a": number}),
        "categories": pd.DataFrame({"a": number.astype(str)}),
    }
    model = LLTBoostRegressor(max_rules=1, warm_start=True).fit(tables.pop(before), number)
    ((found, table),) = tables.items()
    with pytest.raises(ValueError, match=f"'a' must hold {before} as before, .* found {found}"):
        model.fit(table, number)


def test_old_votes_are_refitted_to_new_outcomes(diabetes):
    """They stayed as they were unless another rule was added."""
    X, y = diabetes
    model = LLTBoostRegressor(max_rules=2, warm_start=True).fit(X, y)
    before, n_stages = model.predict(X), len(model.stages_)
    model.fit(X, y + 1000)
    assert model.predict(X) == pytest.approx(before + 1000)
    assert len(model.stages_) == n_stages
    assert model.stages_[-1].ensemble == model.ensemble_


def test_classes_must_stay(iris, binary):
    model = LLTBoostClassifier(max_rules=1, warm_start=True).fit(*binary)
    with pytest.raises(ValueError, match=r"must stay \['other', 'versicolor'\]"):
        model.fit(*iris)


def test_the_loss_must_stay(diabetes):
    model = LLTBoostRegressor(max_rules=1, warm_start=True).fit(*diabetes)
    with pytest.raises(ValueError, match="the loss must stay squared"):
        model.set_params(loss="poisson").fit(*diabetes)


# ---- time and interruption ----


def test_no_rule_is_begun_after_the_time():
    model = LLTBoostRegressor(max_rules=10**6, max_seconds=0.2, min_gain=None)
    model.fit(*noisy_table(400, 8))
    assert model.stages_[-2].seconds < 0.2 <= model.stages_[-1].seconds


def test_the_time_counts_from_the_first_fit():
    model = LLTBoostRegressor(max_rules=2, min_gain=None, warm_start=True).fit(*noisy_table(400, 8))
    model.set_params(max_rules=10, max_seconds=model.stages_[-1].seconds).fit(*noisy_table(400, 8))
    assert model.n_iter_ == 2


INTERRUPTED_FIT = """
import warnings
import numpy as np
from sorb import LLTBoostRegressor
rng = np.random.default_rng(0)
X, y = rng.normal(size=(200, 5)), rng.normal(size=200)
model = LLTBoostRegressor(max_rules=10**6, min_gain=None, verbose=1)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.fit(X, y)
again = LLTBoostRegressor(max_rules=model.n_iter_, min_gain=None).fit(X, y)
print("same model:", model.ensemble_ == again.ensemble_)
print("warned:", [str(w.message) for w in caught] == [
    f"training was interrupted: the model keeps the {model.n_iter_} rules learned so far"
])
"""


def test_an_interruption_keeps_the_rules_so_far():
    # A process of its own: a signal at any moment must not hit the test runner.
    command = [sys.executable, "-u", "-c", INTERRUPTED_FIT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("rule 3:"):
                process.send_signal(signal.SIGINT)
                break
        last = process.communicate(timeout=60)[0].splitlines()[-2:]
    assert last == ["same model: True", "warned: True"]


def test_an_interruption_before_the_first_stage_leaves_no_model(monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("sorb.estimators.base.boost", interrupted)
    model = LLTBoostRegressor()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*noisy_table(400, 8))
    assert not hasattr(model, "ensemble_")
