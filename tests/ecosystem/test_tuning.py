"""Searches over parameters, by scikit-learn and by Optuna."""

import numpy as np
import optuna
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sorb import LLTBoostClassifier, LLTBoostRegressor


def test_grid_search_finds_the_best_of_the_grid(diabetes):
    X, y = diabetes
    grid = {"max_rules": [0, 1, 4], "reg_lambda": [0.1, 10.0]}
    search = GridSearchCV(LLTBoostRegressor(), grid, cv=3).fit(X, y)
    means = [
        cross_val_score(LLTBoostRegressor(**parameters), X, y, cv=3).mean()
        for parameters in search.cv_results_["params"]
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], means)
    assert search.best_params_ == search.cv_results_["params"][int(np.argmax(means))]
    again = LLTBoostRegressor(**search.best_params_).fit(X, y)
    assert search.best_estimator_.ensemble_ == again.ensemble_


def test_grid_search_reaches_into_a_pipeline(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), LLTBoostClassifier())
    grid = {"lltboostclassifier__max_rule_complexity": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, y)
    model = search.best_estimator_[-1]
    assert model.max_rule_complexity in (1, 2)
    assert search.score(X, y) > 0.9


def study_of(X, y, seed):
    def objective(trial):
        model = LLTBoostClassifier(
            max_rules=trial.suggest_int("max_rules", 0, 5),
            reg_lambda=trial.suggest_float("reg_lambda", 0.01, 10.0, log=True),
            search=trial.suggest_categorical("search", ["oblique", "axis"]),
        )
        return cross_val_score(model, X, y, cv=3).mean()

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.RandomSampler(seed=seed)
    )
    study.optimize(objective, n_trials=8)
    return study


def test_optuna_improves_on_the_model_without_rules(iris):
    X, y = iris
    study = study_of(X, y, seed=0)
    assert study.best_value == max(trial.value for trial in study.trials)
    assert study.best_value > cross_val_score(LLTBoostClassifier(max_rules=0), X, y, cv=3).mean()
    best = LLTBoostClassifier(**study.best_params).fit(X, y)
    assert cross_val_score(best, X, y, cv=3).mean() == study.best_value


def test_optuna_prunes_on_the_stages_of_one_fit(iris):
    """Each size is a step: a trial that falls behind is stopped."""
    X, y = iris

    def objective(trial):
        model = LLTBoostClassifier(
            max_rules=4, max_rule_complexity=trial.suggest_int("max_rule_complexity", 1, 3)
        ).fit(X[::2], y[::2])
        stages = zip(model.stages_, model.staged_predict(X[1::2]), strict=True)
        for stage, labels in stages:
            accuracy = float(np.mean(labels == y[1::2]))
            trial.report(accuracy, stage.complexity)
            if trial.should_prune():
                raise optuna.TrialPruned
        return accuracy

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.RandomSampler(seed=0),
        pruner=optuna.pruners.ThresholdPruner(lower=0.5, n_warmup_steps=3),
    )
    study.optimize(objective, n_trials=4)
    assert all(len(trial.intermediate_values) > 1 for trial in study.trials)
    assert study.best_value > 0.9
