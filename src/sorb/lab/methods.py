"""The methods that are compared, each as one way to learn models of all sizes from a table.

To add a rival: write its estimators in one file of `sorb.lab.rivals`, and give them a name here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from sklearn.base import is_classifier, is_regressor

from sorb.estimators.base import PAPER
from sorb.lab.datasets import Task
from sorb.lab.references import import_reference
from sorb.lab.rivals.rival import Grid
from sorb.lab.rivals.sweep import Sweep, complexity_attribute
from sorb.lab.statistics import MAX_COMPLEXITY
from sorb.losses import Logistic, Loss, Squared

MAX_RULES = 50
# Beyond the budget, so that means over repetitions are complete up to there.
ENOUGH_COMPLEXITY = 130


@dataclass(frozen=True, slots=True)
class Method:
    """Estimators by name, and how they are set up; plain data that any process can follow.

    Attributes
    ----------
    classifier, regressor : ``package.module:Class`` for each task; empty if it cannot do it.
    grid : the values of the parameters that decide on the size of a model.
    published_grid : the same for the published results, where they differ.
    parameters : the values of other parameters.
    penalised : whether it has an L2 penalty ``reg_lambda`` to be chosen.
    complexity : ``package.module:function`` from a fitted estimator to its size; empty if it
        has an attribute ``complexity_``.
    folder : where modules are looked for that are not installed.
    """

    classifier: str = ""
    regressor: str = ""
    grid: Grid = field(default_factory=dict)
    published_grid: Grid = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    penalised: bool = False
    complexity: str = ""
    folder: Path | None = None

    @property
    def classes(self) -> dict[Task, str]:
        """The class for each task that the method can do."""
        both: dict[Task, str] = {
            "classification": self.classifier,
            "regression": self.regressor,
        }
        return {task: reference for task, reference in both.items() if reference}

    def sweep(
        self, task: Task, seed: int, as_published: bool = False, loss: Loss | None = None
    ) -> Sweep:
        """Set up the estimator for a task.

        ``random_state`` and ``as_published`` are set if the estimator has these parameters.
        Without a `loss` it is the usual one of the task.
        """
        if task not in self.classes:
            raise ValueError(f"the method does no {task}: it has {', '.join(self.classes)} only")
        make = import_reference(self.classes[task], self.folder)
        usual = {"random_state": seed, "as_published": as_published}
        known = make().get_params()
        given = {name: value for name, value in usual.items() if name in known}
        estimator = make(**{**given, **self.parameters})
        size = complexity_attribute
        if self.complexity:
            size = import_reference(self.complexity, self.folder)
        grid = self.published_grid if as_published and self.published_grid else self.grid
        usual_loss = Logistic() if task == "classification" else Squared()
        return Sweep(estimator, task, grid, size, loss or usual_loss)

    def check(self) -> None:
        """Raise a `ValueError` if a class cannot be imported, or cannot be used as a rival."""
        if not self.classes:
            raise ValueError("name a classifier or a regressor, as package.module:Class")
        for task, reference in self.classes.items():
            _check_class(reference, import_reference(reference, self.folder), task, self)
        if self.complexity and not callable(import_reference(self.complexity, self.folder)):
            raise ValueError(f"{self.complexity} is not a function")

    def facts(self) -> dict[str, Any]:
        """Return what must not change while a run is continued, as JSON knows it."""
        names = [entry.name for entry in fields(self) if entry.name != "folder"]
        return {name: getattr(self, name) for name in names if getattr(self, name)}


def method_of_class(reference: str, folder: Path | None = None, **settings: Any) -> Method:
    """Make a method of a single class, whose scikit-learn type determines the task.

    Examples
    --------
    >>> from sorb.lab.methods import method_of_class
    >>> method_of_class("sklearn.tree:DecisionTreeRegressor").classes
    {'regression': 'sklearn.tree:DecisionTreeRegressor'}
    """
    task = _task(reference, import_reference(reference, folder))
    classes = (reference, "") if task == "classification" else ("", reference)
    return Method(*classes, **settings, folder=folder)


def _task(reference: str, make: Any) -> Task:
    estimator = _instance(reference, make)
    if is_classifier(estimator):
        return "classification"
    if is_regressor(estimator):
        return "regression"
    raise ValueError(
        f"{reference} is neither a classifier nor a regressor for scikit-learn: derive it from "
        "sklearn.base.ClassifierMixin or RegressorMixin, before BaseEstimator"
    )


def _instance(reference: str, make: Any) -> Any:
    """Make an estimator with its default parameters, as scikit-learn's contract allows."""
    if not isinstance(make, type):
        raise ValueError(f"{reference} is not a class")
    lacking = [name for name in ("fit", "predict", "get_params") if not hasattr(make, name)]
    if lacking:
        raise ValueError(
            f"{reference} has no method {lacking[0]}: a rival is a scikit-learn estimator"
        )
    try:
        return make()
    except Exception as error:
        raise ValueError(f"{reference} cannot be made without arguments: {error!r}") from None


def _check_class(reference: str, make: Any, task: Task, method: Method) -> None:
    found = _task(reference, make)
    if found != task:
        raise ValueError(f"{reference} is for {found}, and cannot be used for {task}")
    known = make().get_params()
    requested = [*method.grid, *method.parameters, *(["reg_lambda"] if method.penalised else [])]
    for name in requested:
        if name not in known:
            raise ValueError(
                f"{reference} has no parameter {name!r}; it has {', '.join(known) or 'none'}"
            )


def _booster(grid: Grid, *, penalised: bool = True, **parameters: Any) -> Method:
    """Sorb itself."""
    return Method(
        "sorb:LLTBoostClassifier",
        "sorb:LLTBoostRegressor",
        grid=grid,
        parameters={**parameters, "n_jobs": 1},
        penalised=penalised,
    )


def _by_complexity(**parameters: Any) -> Method:
    """Sorb with the best model within each complexity, from one growth for each penalty."""
    budgets = {"max_complexity": range(1, MAX_COMPLEXITY + 1)}
    return _booster(budgets, max_complexity=ENOUGH_COMPLEXITY, **parameters)


def _by_rules(**parameters: Any) -> Method:
    """Sorb with the settings of the paper, which compares models by their number of rules."""
    sizes = {"max_rules": range(1, MAX_RULES + 1)}
    settings = {**PAPER, **parameters, "max_complexity": ENOUGH_COMPLEXITY}
    return _booster(sizes, **settings)


def _rival(module: str, name: str, grid: Grid, **settings: Any) -> Method:
    """A rival with a classifier and a regressor, ``NameClassifier`` and ``NameRegressor``."""
    prefix = f"sorb.lab.rivals.{module}:{name}"
    return Method(f"{prefix}Classifier", f"{prefix}Regressor", grid, **settings)


def _boosted_rules(objective: str) -> Method:
    parameters = {"objective": objective, "max_complexity": ENOUGH_COMPLEXITY}
    grid = {"max_rules": range(1, MAX_RULES + 1)}
    return _rival("boosted_rules", "BoostedRules", grid, parameters=parameters, penalised=True)


METHODS: dict[str, Method] = {
    "sorb": _by_complexity(),
    "sorb-axis": _by_complexity(search="axis"),
    "sorb-model": _booster({}, penalised=False),
    "LLTB": _by_rules(),
    "LLTB-append": _by_rules(search="oblique_append"),
    "TGB": _boosted_rules("gradient_boosting"),
    "TGB-gs": _boosted_rules("gradient_sum"),
    "TGB-orth": _boosted_rules("orthogonal"),
    "RFObTr": _rival(
        "oblique_rulefit", "ObliqueRuleFit", {"n_rules": range(1, 26)}, penalised=True
    ),
    "NRE": _rival(
        "neural_rules",
        "NeuralRules",
        {"max_depth": (2, 3, 4, 6)},
        published_grid={"max_depth": (2, 4, 6)},
    ),
    "EBM": _rival(
        "ebm",
        "EBM",
        {"n_bins": (4, 5, 10), "n_interactions": range(6)},
        # With interpret's own 14 bags and 50,000 rounds a run takes days; this changes little.
        parameters={"max_complexity": MAX_COMPLEXITY, "outer_bags": 4, "max_rounds": 1000},
        penalised=True,
    ),
    "BRS": Method(
        "sorb.lab.rivals.bayesian_rule_sets:BayesianRuleSetClassifier",
        grid={"max_length": (2, 3, 4), "n_candidates": (50, 100, 1000)},
    ),
    # Every size of imodels' estimators is learned from scratch, those of RuleFit slowly.
    "RuleFit": _rival("imodels_rules", "ImodelsRuleFit", {"max_rules": (3, 6, 10, 15)}),
    "FIGS": _rival("imodels_trees", "ImodelsFIGS", {"max_rules": range(1, 25)}),
    "BoostedRules": Method(
        "sorb.lab.rivals.imodels_trees:ImodelsBoostedRulesClassifier",
        grid={"n_estimators": range(1, 31)},
    ),
    "RiskScore": Method(
        "sorb.lab.rivals.imodels_rules:ImodelsRiskScoreClassifier",
        grid={"max_conditions": range(1, 34)},
    ),
    "TAO": _rival("imodels_trees", "ImodelsTao", {"max_leaves": range(2, 17)}),
    "Linear": _rival(
        "linear_models", "Linear", {"max_columns": range(1, MAX_COMPLEXITY + 1)}, penalised=True
    ),
    "CART": _rival("decision_tree", "DecisionTree", {"max_leaves": range(2, 21)}),
    "HGB": _rival("gradient_boosted_trees", "GradientBoostedTrees", {}),
}
"""The methods that come with sorb, in the order in which they are shown."""
