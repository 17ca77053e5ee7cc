"""The regressor with the penalty and the number of rules chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sorb.estimators.cross_validated_fit import CONSTRAINTS, CrossValidatedFit
from sorb.estimators.regressor import RuleRegressor

__all__ = ["LLTBoostRegressorCV"]


class LLTBoostRegressorCV(CrossValidatedFit, RuleRegressor):
    """Predict numbers with a few weighted rules, as many as cross-validation advises.

    For each strength of the penalty and each fold, rules are learned on the other folds, and each
    stage is judged on the rows held out. The strength and the number of rules are chosen together,
    and the rules are learned again from all rows.

    Parameters
    ----------
    loss : {"squared", "poisson"}, default="squared"
        (y − f)² / 2 with f the prediction, or half the Poisson deviance with f the logarithm of
        the prediction, for counts and rates: y is not negative then.
    max_rules : int, default=10
        The largest number of rules, 0 or more. There are fewer if no further rule helps.
    max_complexity : int or None, default=None
        The largest complexity of the model, 0 or more: the number of rules, of their propositions
        and of the weights in these. None sets no limit.
    max_rule_complexity : int, default=5
        The largest number of weights in one rule, 1 or more.
    reg_lambdas : sequence of float, default=(1e-3, 0.1, 1.0, 10.0)
        The strengths λ of the L2 penalty to choose from, each 0 or more: the sum of the losses +
        λ · the sum of the squared rule weights is minimised.
    cv : int, splitter or iterable of (train, test), default=5
        A number of folds, 2 or more: the rows are dealt to them at random. Copies of a row go to
        the same fold, unless they are eight or more, or rows with the same values have other
        outcomes that are not unique: then they count as different observations. Or a splitter of
        scikit-learn, or pairs of row numbers, which are used as they are. None means 5.
    selection : {"best", "one_se"}, default="best"
        Whether to choose the lowest held-out risk, or the lowest complexity whose risk is within
        one standard error of it.
    objective : {"orthogonal", "second_order", "gradient_boosting", "gradient_sum"}, \
            default="orthogonal"
        What conditions are compared by before any weight is refitted.
    search : {"oblique", "oblique_append", "axis"}, default="oblique"
        Whether propositions may weigh several columns against each other, or compare one column
        with a threshold ("axis"). Oblique propositions are learned again while a condition grows,
        or only ever added ("oblique_append").
    cut : {"gradient_sum", "objective", "separator"}, default="gradient_sum"
        Where the thresholds of oblique propositions come from: the best one along the direction
        found, for the gradient sum or for the objective, or the one of the logistic separator that
        gave the direction. The axis-parallel search always cuts for the objective, and `cut` has
        no effect on it.
    n_quantiles : int or None, default=None
        For the axis-parallel search: None tries the thresholds between all values of a column, a
        number of 2 or more those between so many groups of about equal weight. It has no effect on
        the oblique search.
    validation : {"out_of_bag"} or None, default="out_of_bag"
        Which condition becomes the next rule: the one worth its complexity on rows that were left
        out while it was found, or, with None, the one with the best objective on all rows. Then
        `complexity_price` and `min_gain` have no effect.
    complexity_price : float, default=0.5
        How much complexity is held against a rule, 0 or more: a rule is worth the logarithm of
        the factor by which it reduces the validation risk, divided by its complexity to the power
        of `complexity_price`. With 0 the lowest validation risk wins.
    min_gain : float or None, default=0.0
        A rule must be worth more than this, or training ends. None always takes the best one.
    random_state : int, RandomState instance or None, default=0
        The seed of the draws of the rows that validate. It is fixed by default, because a model
        that someone shall sign should come out again; None gives another one in each fit.
    n_jobs : int or None, default=None
        The number of fits of the cross-validation at a time, through joblib, and of threads
        in the last fit; -1 means all. It does not change the model.
    verbose : int, default=0
        With 1 or more the progress is shown: rule, complexity, validation risk and time.
    max_seconds : float or None, default=None
        The time for everything, above 0: the fits of the cross-validation get equal shares of
        it and stop at the rule that exceeds them, and the last fit gets what is left. An
        interruption from the keyboard during the last fit keeps the rules so far, and warns;
        before that nothing is chosen yet, and there is no model to keep.
    weights : {"real", "integer"}, default="real"
        Whether propositions weigh columns by any numbers, or by whole ones from −5 to 5, found by
        a search for the best objective. For `log_columns` these are powers.
    categorical_features : "from_dtype", array-like of str, int or bool, or None, \
            default="from_dtype"
        The columns that hold categories: those of a DataFrame whose type is text or categorical,
        or those given by name, number or mask. A proposition tests whether the category is one of
        some. None means that there are none. Where numbers are names, they are taken as such.
    log_columns : "auto", array-like of str or int, or None, default=None
        The columns that are weighed by their logarithms, so that propositions on several of them
        read as products and ratios, like ``weight / height² ≥ 25``. They must be positive; "auto"
        takes all columns that are and have more than two values.
    units : dict or None, default=None
        The units of columns, as in ``{"weight": "kg"}``, which are printed with the rules.

    Attributes
    ----------
    reg_lambda_ : float
        The chosen strength of the L2 penalty.
    n_rules_ : int
        The chosen number of rules. `n_iter_` is smaller if on all rows no further rule helps, or
        if `max_seconds` ended the last fit.
    curve_ : Curve
        The held-out risk, its standard error and the complexity for all strengths and numbers of
        rules.
    ensemble_ : RuleEnsemble
        The model: an offset and rules, in the units of the table.
    stages_ : list of Stage
        The model after each rule, from the one without rules on, with its risks and times.
    n_iter_ : int
        The number of rules.
    n_features_in_ : int
        The number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if they have names that are all strings. The rules write other
        names as strings, and call columns that have none, or numbers from 0 on, x0, x1, ….
    log_columns_ : tuple of str
        The names of the columns that are weighed by their logarithms.
    categories_ : dict
        The columns that were read as categories: from their names to tuples of their labels, in
        order.

    See Also
    --------
    LLTBoostRegressor : Takes `reg_lambda` and the number of rules as they are given.

    Notes
    -----
    The risk of a fold is the weighted mean loss of its rows, and the folds are averaged with their
    weights. Where there are fewer distinct rows than folds, there are as many folds as rows; from a
    single row no rules are learned, and the risks of `curve_` are not known.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sorb import LLTBoostRegressorCV
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> model = LLTBoostRegressorCV(max_rules=3, reg_lambdas=(0.1, 1.0)).fit(X, y)
    >>> model.reg_lambda_ in (0.1, 1.0)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RuleRegressor._parameter_constraints,
        **CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        loss: str = "squared",
        max_rules: int = 10,
        max_complexity: int | None = None,
        max_rule_complexity: int = 5,
        reg_lambdas: Sequence[float] = (1e-3, 0.1, 1.0, 10.0),
        cv: Any = 5,
        selection: str = "best",
        objective: str = "orthogonal",
        search: str = "oblique",
        cut: str = "gradient_sum",
        n_quantiles: int | None = None,
        validation: str | None = "out_of_bag",
        complexity_price: float = 0.5,
        min_gain: float | None = 0.0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        max_seconds: float | None = None,
        weights: str = "real",
        categorical_features: Any = "from_dtype",
        log_columns: Any = None,
        units: dict[Any, str] | None = None,
    ) -> None:
        super().__init__(
            max_rules=max_rules,
            max_complexity=max_complexity,
            max_rule_complexity=max_rule_complexity,
            objective=objective,
            search=search,
            cut=cut,
            n_quantiles=n_quantiles,
            validation=validation,
            complexity_price=complexity_price,
            min_gain=min_gain,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
            max_seconds=max_seconds,
            weights=weights,
            categorical_features=categorical_features,
            log_columns=log_columns,
            units=units,
        )
        self.loss = loss
        self.reg_lambdas = reg_lambdas
        self.cv = cv
        self.selection = selection
