"""The methods that are compared, each as one way to learn models of all sizes from a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sorb
from sorb import baselines
from sorb.baselines.rival import Learned, Rival
from sorb.lab.datasets import Task
from sorb.lab.statistics import MAX_COMPLEXITY

MAX_RULES = 50
# Beyond the budget, so that means over repetitions are complete up to there.
ENOUGH_COMPLEXITY = 130

Learn = Callable[[Any, Any, Sequence[float]], Iterator[Learned]]


@dataclass(frozen=True, slots=True)
class Situation:
    """What a method may depend on besides its table."""

    task: Task
    seed: int
    as_published: bool


@dataclass(frozen=True, slots=True)
class Method:
    """A way to learn models of all sizes.

    Attributes
    ----------
    prepare : gives for a situation the function from a table, outcomes and strengths of the L2
        penalty to the models, smallest first for each strength.
    penalised : whether it has an L2 penalty to be chosen.
    tasks : what it can do.
    gives_probabilities : whether its decision values are log-odds, or only have a sign.
    """

    prepare: Callable[[Situation], Learn]
    penalised: bool = True
    tasks: tuple[Task, ...] = ("classification", "regression")
    gives_probabilities: bool = True


def _boosting(preset: bool, **settings: Any) -> Callable[[Situation], Learn]:
    """Our own booster: one path of rules for each strength of the penalty."""

    def prepare(situation: Situation) -> Learn:
        classes: dict[str, Any] = {
            "classification": sorb.LLTBoostClassifier,
            "regression": sorb.LLTBoostRegressor,
        }
        make = classes[situation.task]
        estimator = (make.paper if preset else make)(
            **settings,
            max_rules=MAX_RULES,
            max_complexity=ENOUGH_COMPLEXITY,
            random_state=situation.seed,
            n_jobs=1,
        )

        def learn(X: Any, y: Any, reg_lambdas: Sequence[float]) -> Iterator[Learned]:
            for reg_lambda in reg_lambdas:
                stages = estimator.set_params(reg_lambda=reg_lambda).fit(X, y).stages_
                for size in range(1, MAX_RULES + 1):
                    stage = stages[min(size, len(stages) - 1)]
                    parameters = {"max_rules": size, "reg_lambda": reg_lambda}
                    yield Learned(parameters, stage.ensemble, stage.seconds)

        return learn

    return prepare


def _rival(name: str, grid: Callable[[bool], dict[str, Any]], **fixed: Any) -> Any:
    """A rival with its settings for all sizes, which may differ from the published ones.

    Parameters
    ----------
    name : the name of its classes in `sorb.baselines`, without "Classifier" and "Regressor".
    grid : the values of the parameters for its size, given whether to follow the published ones.
    fixed : other parameters.
    """

    def prepare(situation: Situation) -> Learn:
        kind = "Classifier" if situation.task == "classification" else "Regressor"
        make = getattr(baselines, name + kind)
        names = make().get_params()
        own = {"random_state": situation.seed, "as_published": situation.as_published, **fixed}
        rival: Rival = make(**{key: value for key, value in own.items() if key in names})
        sizes = grid(situation.as_published)

        def learn(X: Any, y: Any, reg_lambdas: Sequence[float]) -> Iterator[Learned]:
            penalties = {"reg_lambda": reg_lambdas} if len(reg_lambdas) else {}
            return rival.path(X, y, **sizes, **penalties)

        return learn

    return prepare


def _rules(name: str, most: int) -> Callable[[bool], dict[str, Any]]:
    return lambda as_published: {name: range(1, most + 1)}


def _boosted_rules(objective: str) -> Method:
    settings = {"objective": objective, "max_complexity": ENOUGH_COMPLEXITY}
    return Method(_rival("BoostedRules", _rules("max_rules", MAX_RULES), **settings))


def _depths(as_published: bool) -> dict[str, Any]:
    return {"max_depth": (2, 4, 6) if as_published else (2, 3, 4, 6)}


def _bins(as_published: bool) -> dict[str, Any]:
    return {"n_bins": (4, 5, 10), "n_interactions": range(6)}


def _rule_sets(as_published: bool) -> dict[str, Any]:
    return {"max_length": (2, 3, 4), "n_candidates": (50, 100, 1000)}


def _some_sizes(*sizes: int) -> Callable[[bool], dict[str, Any]]:
    """A few sizes, where each is learned anew and slowly."""
    return lambda as_published: {"max_rules": sizes}


def _one_size(as_published: bool) -> dict[str, Any]:
    return {}


METHODS: dict[str, Method] = {
    "sorb": Method(_boosting(preset=False)),
    "LLTB": Method(_boosting(preset=True)),
    "TGB": _boosted_rules("gradient_boosting"),
    "TGB-gs": _boosted_rules("gradient_sum"),
    "TGB-orth": _boosted_rules("orthogonal"),
    "RFObTr": Method(_rival("ObliqueRuleFit", _rules("n_rules", 25))),
    "NRE": Method(_rival("NeuralRules", _depths), penalised=False),
    # With interpret's own numbers of bags and rounds a run would take days; these change little.
    "EBM": Method(
        _rival("EBM", _bins, max_complexity=MAX_COMPLEXITY, outer_bags=4, max_rounds=1000)
    ),
    "BRS": Method(
        _rival("BayesianRuleSet", _rule_sets),
        penalised=False,
        tasks=("classification",),
        gives_probabilities=False,
    ),
    "RuleFit": Method(_rival("ImodelsRuleFit", _some_sizes(3, 6, 10, 15)), penalised=False),
    "FIGS": Method(_rival("ImodelsFIGS", _some_sizes(1, 2, 3, 4, 6, 8, 10, 13, 16)), penalised=False),
    "BoostedRules": Method(
        _rival("ImodelsBoostedRules", _rules("n_estimators", 30)),
        penalised=False,
        tasks=("classification",),
    ),
    "HGB": Method(_rival("Ceiling", _one_size), penalised=False),
}
"""All methods by name."""
