"""The methods that are compared, each as one way to learn models of all sizes from a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sorb
from sorb.lab import rivals
from sorb.lab.datasets import Task
from sorb.lab.rivals.rival import Learned, Rival
from sorb.lab.statistics import MAX_COMPLEXITY

MAX_RULES = 50
# Beyond the budget, so that means over repetitions are complete up to there.
ENOUGH_COMPLEXITY = 130

Learn = Callable[[Any, Any, Sequence[float]], Iterator[Learned]]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a method may depend on besides its table."""

    task: Task
    seed: int
    as_published: bool


@dataclass(frozen=True, slots=True)
class Method:
    """A way to learn models of all sizes.

    Attributes
    ----------
    prepare : gives for a setting the function from a table, outcomes and strengths of the L2
        penalty to the models, smallest first for each strength.
    penalised : whether it has an L2 penalty to be chosen.
    tasks : what it can do.
    gives_probabilities : whether its decision values are log-odds, or only have a sign.
    """

    prepare: Callable[[Setting], Learn]
    penalised: bool = True
    tasks: tuple[Task, ...] = ("classification", "regression")
    gives_probabilities: bool = True


def _boosting(preset: bool, **settings: Any) -> Callable[[Setting], Learn]:
    """Our own booster: one path of rules for each strength of the penalty."""

    def prepare(setting: Setting) -> Learn:
        classes: dict[str, Any] = {
            "classification": sorb.LLTBoostClassifier,
            "regression": sorb.LLTBoostRegressor,
        }
        make = classes[setting.task]
        estimator = (make.paper if preset else make)(
            **settings,
            max_rules=MAX_RULES,
            max_complexity=ENOUGH_COMPLEXITY,
            random_state=setting.seed,
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


def _rival(
    name: str, sizes: Mapping[str, Sequence[int]], published: Any = None, **fixed: Any
) -> Callable[[Setting], Learn]:
    """A rival with its settings for all sizes.

    Parameters
    ----------
    name : the name of its classes in `sorb.lab.rivals`, without "Classifier" and "Regressor".
    sizes : the values of the parameters that decide on the size.
    published : the same for the published results, where they differ.
    fixed : other parameters.
    """

    def prepare(setting: Setting) -> Learn:
        kind = "Classifier" if setting.task == "classification" else "Regressor"
        make = getattr(rivals, name + kind)
        names = make().get_params()
        own = {"random_state": setting.seed, "as_published": setting.as_published, **fixed}
        rival: Rival = make(**{key: value for key, value in own.items() if key in names})
        grid = published if published and setting.as_published else sizes

        def learn(X: Any, y: Any, reg_lambdas: Sequence[float]) -> Iterator[Learned]:
            penalties = {"reg_lambda": reg_lambdas} if len(reg_lambdas) else {}
            return rival.path(X, y, **grid, **penalties)

        return learn

    return prepare


def _boosted_rules(objective: str) -> Method:
    sizes = {"max_rules": range(1, MAX_RULES + 1)}
    settings = {"objective": objective, "max_complexity": ENOUGH_COMPLEXITY}
    return Method(_rival("BoostedRules", sizes, **settings))


METHODS: dict[str, Method] = {
    "sorb": Method(_boosting(preset=False)),
    "LLTB": Method(_boosting(preset=True)),
    "LLTB-append": Method(_boosting(preset=True, search="oblique_append")),
    "TGB": _boosted_rules("gradient_boosting"),
    "TGB-gs": _boosted_rules("gradient_sum"),
    "TGB-orth": _boosted_rules("orthogonal"),
    "RFObTr": Method(_rival("ObliqueRuleFit", {"n_rules": range(1, 26)})),
    "NRE": Method(
        _rival("NeuralRules", {"max_depth": (2, 3, 4, 6)}, {"max_depth": (2, 4, 6)}),
        penalised=False,
    ),
    "EBM": Method(
        _rival(
            "EBM",
            {"n_bins": (4, 5, 10), "n_interactions": range(6)},
            max_complexity=MAX_COMPLEXITY,
            # With interpret's own 14 bags and 50,000 rounds a run takes days; this changes little.
            outer_bags=4,
            max_rounds=1000,
        )
    ),
    "BRS": Method(
        _rival("BayesianRuleSet", {"max_length": (2, 3, 4), "n_candidates": (50, 100, 1000)}),
        penalised=False,
        tasks=("classification",),
        gives_probabilities=False,
    ),
    # The sizes of imodels' learners are learned anew each, and slowly.
    "RuleFit": Method(_rival("ImodelsRuleFit", {"max_rules": (3, 6, 10, 15)}), penalised=False),
    "FIGS": Method(
        _rival("ImodelsFIGS", {"max_rules": (1, 2, 3, 4, 6, 8, 10, 13, 16)}), penalised=False
    ),
    "BoostedRules": Method(
        _rival("ImodelsBoostedRules", {"n_estimators": range(1, 31)}),
        penalised=False,
        tasks=("classification",),
    ),
    "HGB": Method(_rival("Ceiling", {}), penalised=False),
}
"""All methods by name."""
