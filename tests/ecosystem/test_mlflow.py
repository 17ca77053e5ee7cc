"""MLflow's scikit-learn flavour, with a real store in a temporary folder."""

import numpy as np
import pytest
import skops.io

from sorb import LLTBoostClassifier, LLTBoostRegressor


@pytest.fixture(scope="module")
def mlflow(tmp_path_factory):
    """MLflow with a database and a folder of its own."""
    import mlflow

    home = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{home / 'runs.db'}")
    mlflow.create_experiment("rules", artifact_location=(home / "models").as_uri())
    return mlflow


def run(mlflow):
    """A run of the experiment, which is not made the active one for all tests that follow."""
    return mlflow.start_run(experiment_id=mlflow.get_experiment_by_name("rules").experiment_id)


def logged(mlflow, model, **how):
    with run(mlflow):
        mlflow.log_params(model.get_params())
        return mlflow.sklearn.log_model(model, name="rules", pip_requirements=["sorb"], **how)


def test_skops_format(mlflow, patients):
    X, y = patients
    model = LLTBoostClassifier(max_rules=3).fit(X, y)
    types = skops.io.get_untrusted_types(data=skops.io.dumps(model))
    info = logged(mlflow, model, skops_trusted_types=types)
    restored = mlflow.sklearn.load_model(info.model_uri)
    assert restored.ensemble_ == model.ensemble_
    assert np.array_equal(restored.predict_proba(X), model.predict_proba(X))
    served = mlflow.pyfunc.load_model(info.model_uri)
    assert np.array_equal(served.predict(X), model.predict(X))


def test_pickle_format(mlflow, diabetes):
    X, y = diabetes
    model = LLTBoostRegressor(max_rules=3).fit(X, y)
    info = logged(mlflow, model, serialization_format="cloudpickle")
    restored = mlflow.sklearn.load_model(info.model_uri)
    assert restored.ensemble_ == model.ensemble_
    assert np.array_equal(restored.predict(X), model.predict(X))


def test_parameters_are_kept_in_the_run(mlflow, diabetes):
    model = LLTBoostRegressor(max_rules=1).fit(*diabetes)
    with run(mlflow) as active:
        mlflow.log_params(model.get_params())
        mlflow.log_dict({"rules": str(model.ensemble_)}, "rules.json")
    kept = mlflow.get_run(active.info.run_id).data.params
    assert kept == {name: str(value) for name, value in model.get_params().items()}
